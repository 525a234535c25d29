"""What a mind is: the states of a crowd, and what calls its vehicles into them.

A crowd and each of its states are a row of settings. A vehicle is in one state of its crowd at a time, or in none: then
it follows the crowd's own settings. In the code a state of a crowd is a mode, as `State` is that of the simulation;
mode 0 stands for none.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from ..simulation.arrays.once import once
from ..simulation.arrays.vectors import Mask, Number, Rows, Scalars, Vectors, magnitude, picked
from ..simulation.declaration import Declared, Unit, called, integer, length, number, seconds, share, switch
from ..simulation.locomotion import Locomotion
from ..simulation.mindset import NOBODY, Mindset
from ..simulation.vehicle import VehicleModel
from ..simulation.world import World


@dataclass(frozen=True)
class StateModel(Declared):
    """When vehicles take up a state, and for how long they keep to it.

    Every parameter is a column of one entry.
    """

    react: Number = called("Reaction", seconds(0.3, "Time from being called to acting"))
    lasts: Number = seconds(6.0, "How long the state lasts after the last call; 0 until something else calls")
    varies: Number = share(0.5, "How much reaction, duration and daring differ from vehicle to vehicle")
    blend: Number = seconds(0.4, "Time in which a vehicle takes up the state, and leaves it for its crowd's settings")
    persistence: Number = number(0.1, "How much stronger another call has to be than the one it follows", Unit.NONE)
    spreads: Rows = called(
        "Caught from", integer(0, "How many others nearby that have just taken it up carry a vehicle along; 0 for none")
    )
    reach: Number = length(6.0, "Distance within which others carry a vehicle along")
    fresh: Number = called("For", seconds(1.0, "Time after taking it up in which a vehicle carries others along"))
    urge: Number = called(
        "Inclined", share(0.0, "Share of the crowd that tends to this state; any other call is stronger")
    )
    cue: Number = share(0.0, "Share of the crowd that is told to be in this state, whatever else calls")
    left_alone: Mask = switch(False, "What calls others by vehicles of this crowd overlooks those in this state")
    builds_up: Number = number(0.0, "How fast the need for it grows while it is not followed; 0 for no need", Unit.RATE)
    wears_off: Number = number(0.0, "How fast it eases a need while it is followed", Unit.RATE)


def distinct_numbers(stored: Iterable[int]) -> list[int]:
    """The numbers of the states of a crowd, no two alike and none 0, from those that they have been given, if any.

    The first that has a number keeps it; the others get new numbers, higher than any of these.
    """
    given = list(stored)
    taken: set[int] = set()
    kept = []
    for each in given:
        kept.append(each if each > 0 and each not in taken else 0)
        taken.add(each)
    free = max(taken, default=0)
    numbers = []
    for each in kept:
        free += not each
        numbers.append(each or free)
    return numbers


@dataclass(frozen=True)
class Mode:
    """A state of a crowd.

    Attributes:
        number: given once to the state, unlike those of the others of its crowd; chance depends on it.
        settings: the row of the settings that vehicles in it follow.
        numbers: when vehicles take it up, and for how long.
        vehicle: the vehicle models, n rows; None for those of the crowd.
        locomotion: the numbers of a kind of locomotion, n rows, for the vehicles that move by it; None for those of the
            crowd.
        replaces: the names of the behaviors that have settings of their own in it.
        then: the mode that follows when it is over, 0 for none.
        eases: the mode for which it eases the need, -1 for none.
    """

    number: int
    settings: int
    numbers: StateModel
    vehicle: VehicleModel | None = None
    locomotion: Locomotion | None = None
    replaces: tuple[str, ...] = ()
    then: int = 0
    eases: int = NOBODY


@dataclass(frozen=True)
class Meeting:
    """What triggers look at: some vehicles of a crowd, and the world before the step.

    Attributes:
        world: the world.
        before: what state each of the n vehicles is in.
        crowd: (n,) the row of the crowd of each vehicle.
        rows: (m,) the vehicles that may be called, rising.
        arrived: (n,) the vehicles that are where a behavior leads them.
        velocity: (n, 3) m/s.
        left_alone: (b,) the bodies in states in which what watches for their crowd overlooks them.
    """

    world: World
    before: Mindset
    crowd: Rows
    rows: Rows
    arrived: Mask
    velocity: Vectors
    left_alone: Mask

    @once
    def speed(self) -> Scalars:
        """(m,) the speeds of the vehicles that may be called, m/s."""
        return magnitude(picked(self.velocity, self.rows))

    def offset(self, bodies: Rows) -> Vectors:
        """From each vehicle to each body, (m, k, 3) metres."""
        position = self.world.bodies.position
        return position[bodies][None] - position[self.rows][:, None]

    def in_mode(self, crowd: int, mode: int) -> Rows:
        """The rows of the vehicles of a crowd that are in a mode, (k,)."""
        rows: Rows = np.flatnonzero((self.crowd == crowd) & (self.before.mode == mode))
        return rows


@dataclass(frozen=True)
class Trigger:
    """What calls vehicles into a state: a condition, and how strongly it calls.

    Attributes:
        to: the mode that it calls into.
        key: a number of its own, on which chance depends.
        bodies: rows of the bodies that it watches for.
        of: the crowd and the mode whose vehicles it watches for besides, None for none.
        from_modes: the modes in which vehicles hear it; all if empty.
        strength: from 0 to 2; a call of .5 and less is not followed.
        chance: the share of the vehicles that follow it.
        one_each: whether each body calls one vehicle only.
    """

    to: int
    key: int = 0
    bodies: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    of: tuple[int, int] | None = None
    from_modes: tuple[int, ...] = ()
    strength: float = 1.0
    chance: float = 1.0
    one_each: bool = False

    @abstractmethod
    def gap(self, meeting: Meeting, watched: Rows) -> Scalars:
        """How far each vehicle is from each body that calls it, (m, k) metres, inf for no call.

        A condition that needs no body gives 0 for each vehicle that it calls, inf for the others, (m,).

        Args:
            watched: (k,) the rows of the bodies that it watches for and that are present.
        """

    def watched(self, meeting: Meeting) -> Rows:
        """The rows of the bodies that it watches for and that are present, (k,)."""
        bodies = self.bodies
        if self.of is not None:
            bodies = np.concatenate((bodies, meeting.in_mode(*self.of)))
        return bodies[meeting.world.bodies.present[bodies]]


@dataclass(frozen=True)
class Mind:
    """The states of one crowd, in the order of their numbers, and what calls its vehicles into them.

    Attributes:
        crowd: the row of the crowd.
        modes: its states; they count from 1.
        triggers: what calls.
    """

    crowd: int
    modes: tuple[Mode, ...]
    triggers: tuple[Trigger, ...] = ()

    def of_modes(self, name: str, of_none: float) -> Scalars:
        """A number of each mode by its name in StateModel, (k + 1,); `of_none` for none."""
        key = name, of_none
        if key not in self._of_modes:
            self._of_modes[key] = np.array([of_none, *(float(getattr(mode.numbers, name)[0]) for mode in self.modes)])
        return self._of_modes[key]

    @once
    def _of_modes(self) -> dict[tuple[str, float], Scalars]:
        return {}
