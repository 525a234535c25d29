"""A behavior: one declaration, from which everything else is made.

To add one, write a file with a frozen dataclass in `behaviors`, list it in the CATALOGUE there, and write the test of
what it alone promises.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar
from zlib import crc32

import numpy as np

from .arrays.chance import Keys, lots, mix, uniform
from .arrays.frozen import Columns, replace
from .arrays.scalars import Mask, Number, Rows, Scalars, all_of, shared
from .arrays.vectors import Vectors, truncate
from .avoiding.jams import JAMMING, Jamming
from .declaration import Declared, integer, number, seconds, share
from .intention import Intention
from .memory import Memory
from .world import Agents, World

STAYING, GOING = 0x57A7, 0x60E5
"""Salts of the random keys that say how long each agent stays, and whether it goes there."""
OURS = "not in the paper"
"""The term of a behavior that comes from practice."""
SILENT = Intention()
"""The intention of a behavior that says nothing before it steers."""


class Intent(Enum):
    """The purpose of a behavior, in the order in which panels list them; the value is the heading."""

    GO = "Go Somewhere"
    REACT = "React to Others"
    WITH = "Move with the Others"
    STAY = "Stay in the World"


@dataclass(frozen=True)
class Taking:
    """The shares of resources that agents take in a step. `body`: (n,) the row of the body each takes from, -1 for
    none; `amount`: (n,) how much it takes."""

    body: Rows
    amount: Scalars


@dataclass(frozen=True)
class Steering(Intention):
    """The decision of a behavior for its agents in a step.

    Attributes:
        force: (n, 3) the steering force before its weight, newtons; zero means that there is nothing to correct. None
            if the behavior takes no part in combining.
        memory: what it remembers next; None if nothing has changed.
        tallies: what this step adds to the tallies of the world, by name.
        takes: what the agents take of resources; None for nothing.
    """

    force: Vectors | None = None
    memory: Memory | None = None
    tallies: Mapping[str, Scalars] = field(default_factory=dict)
    takes: Taking | None = None


def of_priority(number: int) -> Any:
    """The parameter of its priority, which is this to begin with."""
    return integer(number, "Lower numbers come first when the crowd takes the first that applies")


@dataclass(frozen=True)
class Behavior(Declared):
    """The wishes of agents.

    The fields of a behavior are its parameters, each an (n,) column. The first sentence of its docstring
    is the tooltip.

    Attributes:
        name: its identifier in data paths and presets; never changes.
        term: the paper's name for it, or OURS.
        intent: the heading under which it is offered.
        width: the parameter that says how far to the side of a curve still counts as on it, if there is one.
        sees: the parameter that says how far away `steer` looks for neighbors, where that is known beforehand. Lists of
            neighbors are made once a step for all behaviors, and one need not be made twice.
        remembers: the type of its memory, None for a behavior without memory.
        arrives: whether it leads to a place and then says who has arrived there, so that On Arrival holds for it.
        avoids: whether it keeps clear of obstacles: on the ground its agents then plan their way past those that stand.
        keeps_order: whether it keeps agents moving and in order among each other, as a formation does in its stead.
        comes_to_caller, runs_from_caller: whether in a state it leads to what has called, or away from that.
        in_the_air: values with which it begins in a crowd that does not stay on the ground, if others than its defaults
            suit it better; choices by name.
        walking: the same for a crowd that keeps to the ground at a pace of its own.
        runs: whether vehicles run for it, as fast as they can.
        leaves_by: the parameter, and its choice, by which agents leave and enter again; empty without one.
        by_chance: whether its motion changes with the seed.
        refers_to_up: whether it distinguishes up from other directions, so that it turns with the world only about up.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    term: ClassVar[str]
    intent: ClassVar[Intent]
    width: ClassVar[str] = ""
    sees: ClassVar[str] = ""
    remembers: ClassVar[type[Memory] | None] = None
    arrives: ClassVar[bool] = False
    avoids: ClassVar[bool] = False
    keeps_order: ClassVar[bool] = False
    comes_to_caller: ClassVar[bool] = False
    runs_from_caller: ClassVar[bool] = False
    in_the_air: ClassVar[Mapping[str, str | float]] = MappingProxyType({})
    walking: ClassVar[Mapping[str, str | float]] = MappingProxyType({})
    runs: ClassVar[bool] = False
    leaves_by: ClassVar[tuple[str, str]] = ("", "")
    by_chance: ClassVar[bool] = False
    refers_to_up: ClassVar[bool] = False

    weight: Number = number(1.0, "How much it counts; 0 switches it off")
    priority: Rows = of_priority(2)
    probability: Number = share(0.9, "How likely it is considered, when the crowd lets chance decide")

    def steer(self, world: World, agents: Agents, memory: Any) -> Steering:
        """The decision for its agents. Nothing that it is given is written to. `memory`: what it remembers of the
        agents, an instance of `remembers`; None for a behavior without memory."""
        raise NotImplementedError

    def yields_to_formation(self) -> Mask:
        """Whether agents leave it out, (n,), while they keep a place in a formation."""
        return shared(self.keeps_order, len(self.weight), np.bool_)

    def goal(self, world: World, agents: Agents, memory: Any) -> Vectors | None:
        """The places where the agents are to be, (n, 3) metres; nan, or None for all, where there is no such place."""
        return None

    def intention(self, world: World, agents: Agents, memory: Any) -> Intention:
        """The knowledge that all behaviors of the agents are told before the first of them steers."""
        return SILENT

    def start_speed(self, world: World, agents: Agents, memory: Any) -> Scalars | None:
        """The speed above which it lets no agent start, (n,) m/s; None for no limit."""
        return None

    @classmethod
    def lanes_beside(cls, value: Callable[[str], Any]) -> tuple[tuple[float, int], ...]:
        """The lanes in which it keeps agents beside a curve: metres to the left of it, and 1 along it or -1 against it.
        `value`: gives the value of a parameter by its name, that of a choice as its name."""
        return ()

    @classmethod
    def goes_both_ways(cls, value: Callable[[str], Any]) -> bool:
        """Whether members of a crowd along a curve set out in both directions; `value` is as of `lanes_beside`."""
        return False

    @classmethod
    def tooltip(cls) -> str:
        """The effect in one sentence, and the paper's term for it."""
        return f"{super().tooltip()} ({OURS if cls.term == OURS else f'Reynolds: {cls.term}'})"


@dataclass(frozen=True)
class Wish(Columns):
    """The combined wish of all behaviors of some agents, before it is adjusted.

    Attributes:
        force: (n, 3) the combined steering force, newtons.
        velocity: (n, 3) the velocity that the force leads to within the response time, m/s.
        top_speed: (n,) the speed that neither the vehicle nor a speed limit lets them exceed, m/s.
        course: (n, 3) the velocity along the way past what stands there, on the ground; else the wished velocity, m/s.
        ahead: (n,) how far that way leads straight on, metres; inf where none is planned.
        decides: (n,) the agents that decide in this step; the others keep to their last decision.
        progress: (n,) the share of the wished velocity that each recently had, from 0 to 1.
    """

    force: Vectors
    velocity: Vectors
    top_speed: Scalars
    course: Vectors
    ahead: Scalars
    decides: Mask
    progress: Scalars

    @classmethod
    def of(cls, agents: Agents, force: Vectors, top_speed: Scalars) -> "Wish":
        """The wish that a force makes, of agents that all decide and are not hindered."""
        n = len(agents)
        change = agents.level(force) * (agents.vehicle.response_time / agents.mass)[:, None]
        velocity = truncate(agents.level(agents.velocity) + change, top_speed)
        ahead, progress = shared(np.inf, n), shared(1.0, n)
        return cls(force, velocity, top_speed, velocity, ahead, all_of(n), progress)

    def after(self, agents: Agents, force: Vectors, top_speed: Scalars) -> "Wish":
        """The wish for the next adjustment, once one has changed the force."""
        wish = Wish.of(agents, force, top_speed)
        return replace(wish, decides=self.decides, progress=self.progress)


@dataclass(frozen=True)
class Adjustment(Behavior):
    """A behavior that corrects the combined result of all others.

    It does so for the agents to which its intention gives an interval.

    Attributes:
        jamming: when its agents count as jammed, and how they get going again.
    """

    jamming: ClassVar[Jamming] = JAMMING

    def steer(self, world: World, agents: Agents, memory: Any) -> Steering:
        return Steering()

    def adjust(self, world: World, agents: Agents, wish: Wish, memory: Any) -> Steering:
        """The decision once all behaviors are combined; its force times its weight is added to the wish."""
        raise NotImplementedError


@dataclass(frozen=True)
class Destination(Behavior):
    """A behavior that leads its agents to a place, where they stop."""

    arrives = True

    stay_time: Number = seconds(
        0.0, "Average time it stays there before it continues; 0: what On Arrival says", label="Stay For", at_end=True
    )
    stay_spread: Number = share(
        0.5, "How much longer or shorter than average it stays, as a random share of the time", at_end=True
    )
    share_going: Number = share(
        1.0, "Share of the vehicles that go there at all, always the same ones", label="Share", at_end=True
    )

    @property
    def departs(self) -> Mask:
        """(n,) the agents that stay for a time and then go on."""
        return self.stay_time > 0.0

    def stay(self, keys: Keys) -> Scalars:
        """How long each agent stays, (n,) seconds."""
        draw = uniform(mix(mix(keys, STAYING), crc32(self.name.encode())))
        return self.stay_time * (1.0 + self.stay_spread * (2.0 * draw - 1.0))

    def takers(self, numbers: Rows, crowd_keys: Keys) -> Mask:
        """Whether each agent goes there, (n,), by its number for lots and the key that it shares with its crowd."""
        draw = lots(numbers, mix(mix(crowd_keys, GOING), crc32(self.name.encode())))
        return draw < self.share_going
