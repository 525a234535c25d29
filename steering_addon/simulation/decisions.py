"""Decisions: what all vehicles decide in a step, gathered while one behavior after the other is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from .arrays.frozen import replace
from .arrays.scalars import Mask, Rows, Scalars, put, totals
from .arrays.vectors import Vectors
from .behavior import Behavior, Steering
from .intention import Intention, is_said, neutral
from .memory import Memory
from .presence.arrivals import Arrivals
from .snapshot import State
from .world import Agents, World

AnyMemory = TypeVar("AnyMemory", bound=Memory)

SIGNALS = (
    *("speed_limit", "heading", "warned", "goal_distance", "confined", "hurries", "lands", "comes_down", "perch"),
    "up",
)
"""The columns that bodies are told of the intention of their behaviors."""


@dataclass(frozen=True)
class Decisions:
    """The decisions of all vehicles in a step so far.

    Attributes:
        memories: what each behavior remembers next, by its name, n rows each.
        speed_limit, heading, warned, goal_distance, confined, hurries, lands, comes_down, perch, up: as of `Intention`;
            None if nothing is said of any vehicle.
        tallies: what all vehicles have added up, by name.
        taken: (k,) how much has been taken of each tracked body.
        arrivals: the vehicles that have left and those that have reached a goal.
    """

    memories: Mapping[str, Memory]
    speed_limit: Scalars | None
    heading: Vectors | None
    warned: Mask | None
    goal_distance: Scalars | None
    confined: Rows | None
    hurries: Mask | None
    lands: Vectors | None
    comes_down: Vectors | None
    perch: Vectors | None
    up: Vectors | None
    tallies: Mapping[str, Scalars]
    taken: Scalars
    arrivals: Arrivals

    @classmethod
    def none_yet(cls, state: State) -> "Decisions":
        """The decisions before any behavior has been asked."""
        arrivals = Arrivals(len(state), state.gone, state.arrived)
        nothing = None, None, None, None, None, None, None, None, None
        return cls(state.memories, *nothing, None, state.tallies, state.taken, arrivals)

    def memory(self, name: str, kind: type[AnyMemory], agents: Agents) -> AnyMemory:
        """The memory of some agents under a name."""
        memory = self.memories.get(name)
        if not isinstance(memory, kind):
            return kind.blank(len(agents))
        return memory if len(agents) == self.arrivals.count else memory.take(agents.rows)

    def recalled(self, behavior: Behavior, agents: Agents) -> Memory | None:
        """The memory that a behavior has of its agents."""
        return None if behavior.remembers is None else self.memory(behavior.name, behavior.remembers, agents)

    def remembering(self, name: str, agents: Agents, memory: Memory) -> "Decisions":
        """The decisions with what is remembered of some agents under a name."""
        n = self.arrivals.count
        if len(agents) < n:
            known = self.memories.get(name)
            memory = (known if type(known) is type(memory) else type(memory).blank(n)).put(agents.rows, memory)
        return replace(self, memories={**self.memories, name: memory})

    def adding(self, behavior: Behavior, world: World, agents: Agents, steering: Steering) -> "Decisions":
        """The decisions with what one more behavior decides for some of the vehicles."""
        decided = self if steering.memory is None else self.remembering(behavior.name, agents, steering.memory)
        if steering.tallies:
            added = {name: more + self.tallies.get(name, 0.0) for name, more in steering.tallies.items()}
            decided = replace(decided, tallies={**self.tallies, **added})
        if (takes := steering.takes) is not None:
            # The rows of tracked bodies begin after those of the vehicles.
            n = world.vehicles
            tracked = takes.body >= n
            amount = totals(takes.body[tracked] - n, takes.amount[tracked], len(world.bodies.left) - n)
            decided = replace(decided, taken=amount + self.taken if len(self.taken) else amount)
        return decided

    def signalling(self, agents: Agents, intention: Intention) -> "Decisions":
        """The decisions with what the behaviors of some of the vehicles, all of theirs, say to their bodies."""
        said = {name: column for name in SIGNALS if is_said(column := getattr(intention, name))}
        if len(agents) < self.arrivals.count:
            for name, column in said.items():
                before = getattr(self, name)
                before = neutral(name, self.arrivals.count) if before is None else before
                said[name] = put(before, agents.rows, column)
        return replace(self, **said)
