"""What a behavior is: one declaration, from which everything else is made.

To add one, write a file with a frozen dataclass in `behaviors`, list it in the CATALOGUE there, and write the test of
what it alone promises.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from .arrays.vectors import Mask, Number, Rows, Scalars, Vectors, nobody
from .declaration import Declared, integer, number, share
from .world import Agents, Commons, Memory, World

OURS = "not in the paper"
"""The term of a behavior that comes from practice."""


class Intent(Enum):
    """What a vehicle is after, in the order in which behaviors are offered; the value is what an animator reads."""

    GO = "Go Somewhere"
    REACT = "React to Somebody"
    WITH = "Move with the Others"
    STAY = "Stay in the World"


@dataclass(frozen=True)
class Behavior(Declared):
    """What agents want.

    The fields of a behavior are its parameters, each an (n,) column. The first sentence of its docstring
    is the tooltip.

    Attributes:
        name: in data paths and presets; never changes.
        label: what an animator reads.
        term: the paper's name for it, or OURS.
        intent: under which heading it is offered.
        width: the parameter that says how far aside of a curve is still on it, for a behavior that has one.
        remembers: what it remembers of each agent, by name, with the value before anything happened.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    term: ClassVar[str]
    intent: ClassVar[Intent]
    width: ClassVar[str] = ""
    remembers: ClassVar[Mapping[str, float]] = {}

    weight: Number = number(1.0, "How much it counts; 0 switches it off")
    priority: Number = integer(2, "Lower numbers come first when the crowd takes the first that applies")
    probability: Number = share(0.9, "How likely it is considered, when the crowd lets chance decide")

    def steer(self, world: World, agents: Agents) -> Vectors | tuple[Vectors, Memory] | tuple[Vectors, Memory, Commons]:
        """The steering force, (n, 3) newtons, and where the behavior has memory, what it remembers next.

        Zero means that there is nothing to correct. Nothing is written. What all remember together comes third, as
        what this step adds to it: all look at what was there before, and the order they come in plays no part.
        """
        raise NotImplementedError

    def goal(self, world: World, agents: Agents) -> Vectors | None:
        """Where the agents want to be, (n, 3); nan, or None for all, where they want to be nowhere in particular."""
        return None

    def arrived(self, world: World, agents: Agents, within: Scalars) -> Mask | None:
        """Which agents have come to where it leads, (n,); None for all where it leads nowhere in the end.

        What follows from it is for the crowd to say. A behavior that stops them there does so only for who `stays`.

        Args:
            within: (n,) how near the middle of the goal, metres; 0 for as soon as they touch it.
        """
        return None

    def sets_speed(self, world: World, agents: Agents) -> Mask:
        """Which agents it gives a speed of their own, (n,); the others are held at cruise speed."""
        return nobody(len(agents))

    def corrects(self) -> Mask:
        """Whose steering it corrects as a whole, once all others have had their say, (n,).

        Its force is added to what they have come to, however they are combined; `agents.force` tells what that is.
        """
        return nobody(len(self.weight))

    def fastest(self, world: World, agents: Agents) -> Scalars | None:
        """How fast it lets the agents go, (n,) m/s, inf or None for all where it sets no limit.

        Whatever the other behaviors want and however they combine: brakes are no matter of weighing up.
        """
        return None

    def takes(self, world: World, agents: Agents) -> tuple[Rows, Scalars] | None:
        """Of which body each agent takes in this step, (n,) with -1 for none, and how much, (n,); None for nobody."""
        return None

    def sight(self) -> float:
        """How far any agent looks at others, metres; 0 for a behavior that does not."""
        return 0.0

    @classmethod
    def sentence(cls) -> str:
        """What it does in one sentence, without the final stop."""
        return (cls.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ").strip().rstrip(".")

    @classmethod
    def tooltip(cls) -> str:
        """What it does in one sentence, and the paper's term for it."""
        return f"{cls.sentence()} ({OURS if cls.term == OURS else f'Reynolds: {cls.term}'})"
