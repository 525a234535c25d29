"""Decisions: what all vehicles decide in a step, gathered while one behavior after the other is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from .arrays.frozen import replace
from .arrays.vectors import Mask, Scalars, Vectors, no_vectors, totals
from .behavior import Behavior, Steering, Taking
from .memory import Memory
from .presence.arrivals import Arrivals
from .snapshot import State
from .world import Agents, World

AnyMemory = TypeVar("AnyMemory", bound=Memory)


@dataclass(frozen=True)
class Decisions:
    """What all vehicles have decided in a step so far.

    Attributes:
        memories: what each behavior remembers next, by its name, n rows each.
        speed_limit: (n,) m/s, inf for no limit; None if no vehicle has one.
        heading: (n, 3) unit vectors to which vehicles turn while they stand, zero for none; None if no vehicle does.
        warned: (n,) the vehicles that see another brake ahead; None if none does.
        tallies: what all vehicles have added up, by name.
        taken: (k,) how much has been taken of each tracked body.
        arrivals: the vehicles that have left and those that have reached a goal.
    """

    memories: Mapping[str, Memory]
    speed_limit: Scalars | None
    heading: Vectors | None
    warned: Mask | None
    tallies: Mapping[str, Scalars]
    taken: Scalars
    arrivals: Arrivals

    @classmethod
    def none_yet(cls, state: State) -> Decisions:
        """What holds before any behavior has been asked."""
        arrivals = Arrivals(len(state), state.gone, state.arrived)
        return cls(state.memories, None, None, None, state.tallies, state.taken, arrivals)

    def memory(self, name: str, kind: type[AnyMemory], agents: Agents) -> AnyMemory:
        """What is remembered of some agents under a name."""
        known = self.memories.get(name)
        if not isinstance(known, kind):
            return kind.blank(len(agents))
        return known if len(agents) == self.arrivals.count else known.take(agents.rows)

    def recalled(self, behavior: Behavior, agents: Agents) -> Memory | None:
        """What a behavior remembers of its agents."""
        return None if behavior.remembers is None else self.memory(behavior.name, behavior.remembers, agents)

    def remembering(self, name: str, agents: Agents, memory: Memory) -> Decisions:
        """The decisions with what is remembered of some agents under a name."""
        n = self.arrivals.count
        if len(agents) < n:
            known = self.memories.get(name)
            memory = (known if type(known) is type(memory) else type(memory).blank(n)).put(agents.rows, memory)
        return replace(self, memories={**self.memories, name: memory})

    def adding(self, behavior: Behavior, world: World, agents: Agents, steering: Steering) -> Decisions:
        """The decisions with what one more behavior decides for some of the vehicles."""
        decided = self if steering.memory is None else self.remembering(behavior.name, agents, steering.memory)
        if steering.tallies:
            added = {name: more + self.tallies.get(name, 0.0) for name, more in steering.tallies.items()}
            decided = replace(decided, tallies={**self.tallies, **added})
        if steering.speed_limit is not None:
            decided = decided.limiting(agents, _eased(steering.speed_limit, behavior.weight, agents.max_speed))
        if steering.heading is not None:
            decided = decided.facing(agents, np.where((behavior.weight != 0.0)[:, None], steering.heading, 0.0))
        if steering.warned is not None:
            decided = decided.warning(agents, steering.warned & (behavior.weight > 0.0))
        if steering.takes is not None:
            decided = replace(decided, taken=_taken(self.taken, steering.takes, world))
        return decided

    def limiting(self, agents: Agents, limit: Scalars) -> Decisions:
        """The decisions with a speed limit for some of the vehicles, (m,) m/s, inf for none."""
        known = np.full(self.arrivals.count, np.inf) if self.speed_limit is None else self.speed_limit.copy()
        known[agents.rows] = np.minimum(known[agents.rows], limit)
        return replace(self, speed_limit=known)

    def facing(self, agents: Agents, heading: Vectors) -> Decisions:
        """The decisions with where some of the vehicles turn to, (m, 3), that have nowhere to turn to yet."""
        known = no_vectors(self.arrivals.count) if self.heading is None else self.heading.copy(order="K")
        free = (known[agents.rows] == 0.0).all(axis=1)
        known[agents.rows[free]] = heading[free]
        return replace(self, heading=known)

    def warning(self, agents: Agents, warned: Mask) -> Decisions:
        """The decisions with some more vehicles, of a mask (m,), that see another brake ahead."""
        known = np.zeros(self.arrivals.count, dtype=np.bool_) if self.warned is None else self.warned.copy()
        known[agents.rows] |= warned
        return replace(self, warned=known)

    def top_speed(self, agents: Agents) -> Scalars:
        """The speed that neither the vehicle nor a speed limit lets some agents exceed, (m,) m/s."""
        if self.speed_limit is None:
            return agents.max_speed
        return np.minimum(agents.max_speed, self.speed_limit[agents.rows])


def _eased(limit: Scalars, weight: Scalars, top: Scalars) -> Scalars:
    """The speed limits (n,), which a weight below 1 brings into force by that share only."""
    counts = np.minimum(weight, 1.0)
    return np.where((limit < top) & (counts > 0.0), top + (np.minimum(limit, top) - top) * counts, np.inf)


def _taken(known: Scalars, takes: Taking, world: World) -> Scalars:
    """How much has been taken of each tracked body; the rows of these begin after those of the vehicles."""
    n = world.vehicles
    tracked = takes.body >= n
    amount = totals(takes.body[tracked] - n, takes.amount[tracked], len(world.bodies.left) - n)
    return amount + known if len(known) else amount
