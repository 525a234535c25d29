"""What a behavior is: one declaration, from which everything else is made.

To add one, write a file with a frozen dataclass in `behaviors`, list it in the CATALOGUE there, and write the test of
what it alone promises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .arrays.frozen import replace
from .arrays.vectors import Mask, Number, Rows, Scalars, Vectors, nobody, picked, shared, truncate
from .avoiding.jams import JAMMING, Jamming
from .declaration import Declared, integer, number, share
from .memory import Memory
from .nearby.neighbors import Near
from .world import Agents, World

OURS = "not in the paper"
"""The term of a behavior that comes from practice."""


class Intent(Enum):
    """The purpose of a behavior, in the order in which panels list them; the value is the heading."""

    GO = "Go Somewhere"
    REACT = "React to Others"
    WITH = "Move with the Others"
    STAY = "Stay in the World"


@dataclass(frozen=True)
class Taking:
    """What agents take of resources in a step.

    Attributes:
        body: (n,) the row of the body each takes from, -1 for none.
        amount: (n,) how much it takes.
    """

    body: Rows
    amount: Scalars


@dataclass(frozen=True)
class Steering:
    """What a behavior decides for its agents in a step.

    Attributes:
        force: (n, 3) the steering force before its weight, newtons; zero means that there is nothing to correct. None
            if the behavior takes no part in combining.
        memory: what it remembers next; None if nothing has changed.
        tallies: what this step adds to the tallies of the world, by name.
        speed_limit: (n,) the speed each agent may not exceed, m/s, inf for no limit; None for no limit on any. It holds
            whatever the other behaviors want and however they combine: braking is not a matter of weighing up.
        heading: (n, 3) unit vectors to which agents turn while they stand, zero for none; None for no agent. Of
            several behaviors the first in the catalogue counts, and bodies turn as they can.
        sets_speed: (n,) the agents that it gives a speed; the others are held at cruise speed. None for no agent.
        alarmed: (n,) the agents that run from something, which later behaviors of the catalogue are told; None for no
            agent.
        warned: (n,) the agents that see another brake ahead and may have to; None for no agent.
        takes: what the agents take of resources; None for nothing.
        arrived: (n,) the agents that have reached the place it leads to; None if it leads to no place.
        leads_on: (n,) the agents whose goal is a place on the way, from which it leads them on; None for no agent.
        urgent: (n, 3) the part of the force that holds whatever the other behaviors want and however they combine,
            newtons; None if nothing is urgent.
    """

    force: Vectors | None = None
    memory: Memory | None = None
    tallies: Mapping[str, Scalars] = field(default_factory=dict)
    speed_limit: Scalars | None = None
    heading: Vectors | None = None
    sets_speed: Mask | None = None
    alarmed: Mask | None = None
    warned: Mask | None = None
    takes: Taking | None = None
    arrived: Mask | None = None
    leads_on: Mask | None = None
    urgent: Vectors | None = None


@dataclass(frozen=True)
class AlongWith:
    """Along with whom agents are led.

    Attributes:
        body: (n,) rows of World.bodies, -1 for none.
        place: (n, 3) where each agent is to be beside that body, metres.
    """

    body: Rows
    place: Vectors


@dataclass(frozen=True)
class Behavior(Declared):
    """What agents want.

    The fields of a behavior are its parameters, each an (n,) column. The first sentence of its docstring
    is the tooltip.

    Attributes:
        name: its identifier in data paths and presets; never changes.
        label: what an animator reads.
        term: the paper's name for it, or OURS.
        intent: the heading under which it is offered.
        width: the parameter that says how far to the side of a curve still counts as on it, if there is one.
        remembers: the type of its memory, None for a behavior without memory.
        arrives: whether it leads to a place and then says who has arrived there, so that On Arrival holds for it.
        avoids: whether it keeps clear of obstacles: on the ground its agents then plan their way past those that stand.
        in_the_air: values with which it begins in a crowd that does not stay on the ground, if others than its defaults
            suit it better; choices by name.
        by_chance: whether its motion changes with the seed.
        refers_to_up: whether it distinguishes up from other directions, so that it turns with the world only about up.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    term: ClassVar[str]
    intent: ClassVar[Intent]
    width: ClassVar[str] = ""
    remembers: ClassVar[type[Memory] | None] = None
    arrives: ClassVar[bool] = False
    avoids: ClassVar[bool] = False
    in_the_air: ClassVar[Mapping[str, str | float]] = MappingProxyType({})
    by_chance: ClassVar[bool] = False
    refers_to_up: ClassVar[bool] = False

    weight: Number = number(1.0, "How much it counts; 0 switches it off")
    priority: Rows = integer(2, "Lower numbers come first when the crowd takes the first that applies")
    probability: Number = share(0.9, "How likely it is considered, when the crowd lets chance decide")

    def steer(self, world: World, agents: Agents, memory: Any) -> Steering:
        """What it decides for its agents. Nothing that it is given is written to.

        Args:
            memory: what it remembers of the agents, an instance of `remembers`; None for a behavior without memory.
        """
        raise NotImplementedError

    def goal(self, world: World, agents: Agents, memory: Any) -> Vectors | None:
        """The places where the agents are to be, (n, 3) metres; nan, or None for all, where there is no such place."""
        return None

    def awaited_obstacle(self, memory: Any) -> Rows | None:
        """The row of the obstacle that each agent stops for instead of passing it, (n,).

        Rows are -1 for none, EVERY_MOVING or EVERY_OBSTACLE; None if no agent stops for any.
        """
        return None

    def passing_places(self, world: World, agents: Agents, memory: Any) -> Vectors | None:
        """The places beside obstacles past which it leads the agents, (n, PASSING_PLACES, 3) metres; nan for none.

        None if it leads no agent past any.
        """
        return None

    def companions(self, memory: Any) -> NDArray[np.int64] | None:
        """The rows of those with whom it lets each agent go, (n, k), -1 for none: it says how far apart they are.

        None if it lets no agent go with others.
        """
        return None

    def along_with(self, world: World, agents: Agents) -> AlongWith | None:
        """The bodies along with which it leads the agents, and their places beside them; None if it leads none so."""
        return None

    def obstacle_clearance(self) -> Scalars | None:
        """The distance from obstacles that it keeps besides the radius, (n,) metres; None if it does not avoid them."""
        return None

    def keeps_lane(self) -> Mask | None:
        """The agents that it keeps in a lane beside a curve, (n,); None if it keeps none."""
        return None

    def reach_hint(self) -> float:
        """The distance in metres up to which `steer` asks for neighbors, where that is known beforehand, else 0.

        Lists of neighbors are made once a step for all behaviors; the hint saves making one twice.
        """
        return 0.0

    @classmethod
    def lanes_beside(cls, value: Callable[[str], Any]) -> tuple[tuple[float, int], ...]:
        """The lanes in which it keeps agents beside a curve: metres to the left of it, and 1 along it or -1 against it.

        Args:
            value: gives the value of a parameter by its name, that of a choice as its name.
        """
        return ()

    @classmethod
    def sentence(cls) -> str:
        """What it does in one sentence, without the final stop."""
        return (cls.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ").strip().rstrip(".")

    @classmethod
    def tooltip(cls) -> str:
        """What it does in one sentence, and the paper's term for it."""
        return f"{cls.sentence()} ({OURS if cls.term == OURS else f'Reynolds: {cls.term}'})"


@dataclass(frozen=True)
class Wish:
    """What all behaviors of some agents ask for together, before it is adjusted.

    Attributes:
        force: (n, 3) the combined steering force, newtons.
        velocity: (n, 3) the velocity that the force leads to within the response time, m/s.
        top_speed: (n,) the speed that neither the vehicle nor a speed limit lets them exceed, m/s.
        course: (n, 3) the velocity along the way past what stands there, on the ground; else the wished velocity, m/s.
        decides: (n,) the agents that decide in this step; the others keep to their last decision.
        progress: (n,) the share of the wished velocity that each recently had, from 0 to 1.
        jammed: (n,) the agents that others press and that get on no longer, of those that decide.
        near: the others that the deciding agents on the ground perceive, as agents 0 to m in the order of their rows;
            None before they are looked for.
    """

    force: Vectors
    velocity: Vectors
    top_speed: Scalars
    course: Vectors
    decides: Mask
    progress: Scalars
    jammed: Mask
    near: Near | None = None

    @classmethod
    def of(cls, agents: Agents, force: Vectors, top_speed: Scalars) -> Wish:
        """The wish that a force makes, of agents that all decide and are not hindered."""
        n = len(agents)
        change = agents.level(force) * (agents.vehicle.response_time / agents.mass)[:, None]
        velocity = truncate(agents.level(agents.velocity) + change, top_speed)
        return cls(force, velocity, top_speed, velocity, shared(True, n, np.bool_), shared(1.0, n), nobody(n))

    def after(self, agents: Agents, force: Vectors, top_speed: Scalars) -> Wish:
        """The wish for the next adjustment, once one has changed the force."""
        wish = Wish.of(agents, force, top_speed)
        return replace(wish, decides=self.decides, progress=self.progress)

    def take(self, rows: Rows) -> Wish:
        """The wishes of some of the agents, among which are all deciding ones."""
        return Wish(
            picked(self.force, rows),
            picked(self.velocity, rows),
            self.top_speed[rows],
            picked(self.course, rows),
            self.decides[rows],
            self.progress[rows],
            self.jammed[rows],
            self.near,
        )


@dataclass(frozen=True)
class Adjustment(Behavior):
    """A behavior that corrects the combined result of all others.

    Attributes:
        jamming: when its agents count as jammed, and how they get going again.
    """

    jamming: ClassVar[Jamming] = JAMMING

    def steer(self, world: World, agents: Agents, memory: Any) -> Steering:
        return Steering()

    def adjust(self, world: World, agents: Agents, wish: Wish, memory: Any) -> Steering:
        """What it decides once all behaviors are combined; its force times its weight is added to the wish."""
        raise NotImplementedError

    def adjusts(self) -> Mask:
        """The agents that it adjusts, (n,)."""
        return np.ones(len(self.weight), dtype=np.bool_)

    def interval(self) -> Scalars:
        """The time between two decisions of an agent, (n,) seconds; 0 to decide at every step."""
        return np.zeros(len(self.weight))

    def perceived(self, world: World, agents: Agents, rows: Rows) -> Near:
        """The others that the agents of some rows perceive, and among which they may get jammed; `rows` (m,)."""
        raise NotImplementedError
