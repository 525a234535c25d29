"""A mind: the states of a crowd, and what calls its vehicles into them.

A crowd and each of its states are a row of settings. A vehicle is in one state of its crowd at a time, or in none: then
it follows the crowd's own settings. In the code a state of a crowd is a mode, as `State` is that of the simulation;
mode 0 stands for none.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, make_dataclass
from typing import Any

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import Mask, Number, Rows, Scalars
from ..simulation.declaration import (
    Declared,
    Unit,
    choice,
    declared,
    integer,
    length,
    number,
    seconds,
    share,
    switch,
)
from ..simulation.locomotion import Locomotion
from ..simulation.mindset import NOBODY
from ..simulation.vehicle import VehicleModel
from .conditions import CONDITIONS, AnyCondition, Meeting, condition_of


@dataclass(frozen=True)
class StateModel(Declared):
    """When vehicles take up a state, and for how long they keep to it.

    Every parameter is a column of one entry.
    """

    react: Number = seconds(0.3, "Time from being called to acting", label="Reaction")
    lasts: Number = seconds(6.0, "How long the state lasts after the last call; 0 until something else calls")
    varies: Number = share(0.5, "How much reaction, duration and daring differ from vehicle to vehicle")
    blend: Number = seconds(0.4, "Time in which a vehicle takes up the state, and leaves it for its crowd's settings")
    persistence: Number = number(0.1, "How much stronger another call has to be than the one it follows", Unit.NONE)
    spreads: Rows = integer(
        0, "How many others nearby that have just taken it up carry a vehicle along; 0 for none", label="Caught from"
    )
    reach: Number = length(6.0, "Distance within which others carry a vehicle along")
    fresh: Number = seconds(
        1.0,
        "How long a vehicle carries others along; while it is still called, it counts for ever more of them",
        label="For",
    )
    urge: Number = share(
        0.0, "Share of the crowd that tends to this state; any other call is stronger", label="Inclined"
    )
    cue: Number = share(0.0, "Share of the crowd that is told to be in this state, whatever else calls")
    left_alone: Mask = switch(False, "What calls others by vehicles of this crowd overlooks those in this state")
    builds_up: Number = number(0.0, "How fast the need for it grows while it is not followed; 0 for no need", Unit.RATE)
    wears_off: Number = number(0.0, "How fast it eases a need while it is followed", Unit.RATE)
    at_first: Number = share(0.0, "How much of the need for it there is when the run begins")


def distinct_numbers(stored: Iterable[int]) -> list[int]:
    """The numbers of the states of a crowd, no two alike and none 0, from those that they have been given, if any. The
    first that has a number keeps it; the others get new numbers, higher than any of these."""
    wishes = list(stored)
    free = max((0, *wishes))
    numbers: list[int] = []
    for wish in wishes:
        is_free = wish > 0 and wish not in numbers
        free += not is_free
        numbers.append(wish if is_free else free)
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
class TriggerNumbers(Declared):
    """The settings of a trigger, whatever its condition."""

    when: Rows = choice("NEAR", "When it calls vehicles", tuple(kind.choice() for kind in CONDITIONS))
    strength: Number = number(
        1.0,
        "How strongly it calls; up to 0.5 it is not followed, 1.5 is more than any other. Keys and drivers may set it",
        most=2.0,
        at_end=True,
    )
    chance: Number = share(1.0, "Share of the vehicles that follow it", at_end=True)
    one_each: Mask = switch(
        False, "Each thing calls one vehicle only, the nearest that is free", animatable=False, at_end=True
    )


def _of_conditions() -> list[tuple[str, Any, Any]]:
    """The parameters of all conditions as fields, each hidden while the condition of the trigger does not have it."""
    known = {name: parameter for kind in CONDITIONS for name, parameter in kind.parameters().items()}
    having = {name: tuple(kind.stored_number for kind in CONDITIONS if name in kind.parameters()) for name in known}
    return [(name, Any, declared(replace(p, only_with=("when", *having[name])))) for name, p in known.items()]


TriggerModel: type[TriggerNumbers] = make_dataclass(
    "TriggerModel",
    _of_conditions(),
    bases=(TriggerNumbers,),
    frozen=True,
    namespace={"__doc__": "When a trigger calls, and how strongly. Every parameter is a column of one entry."},
)
"""The settings of a trigger, with the parameters of each condition."""


@dataclass(frozen=True)
class Trigger:
    """A call of vehicles into a state: a condition, and how strongly it calls.

    Attributes:
        to: the mode that it calls into.
        key: a number of its own, on which chance depends.
        bodies: (k,) rows of the bodies that it watches for.
        of: the crowd and the mode whose vehicles it watches for besides, None for none.
        regions: (r,) rows of the regions in which it counts.
        from_modes: the modes in which vehicles hear it; all if empty.
        strength: from 0 to 2; a call of .5 and less is not followed.
        chance: the share of the vehicles that follow it.
        one_each: whether each body calls one vehicle only.
    """

    to: int
    when: AnyCondition
    key: int = 0
    bodies: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    of: tuple[int, int] | None = None
    regions: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    from_modes: tuple[int, ...] = ()
    strength: float = 1.0
    chance: float = 1.0
    one_each: bool = False

    def set_to(self, model: TriggerNumbers) -> "Trigger":
        """The trigger with other settings, made as TriggerModel."""
        kind = condition_of(int(model.when[0]))
        return replace(
            self,
            when=kind(**{name: getattr(model, name) for name in kind.parameters()}),
            strength=float(model.strength[0]),
            chance=float(model.chance[0]),
            one_each=bool(model.one_each[0]),
        )

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
