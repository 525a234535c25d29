"""Decisions: what all vehicles decide in a step, gathered while one behavior after the other is asked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from .arrays.frozen import replace
from .arrays.scalars import Mask, Rows, Scalars, put, totals
from .arrays.vectors import Vectors, dot
from .behavior import Behavior, Steering
from .intention import Intention, is_said, neutral
from .memory import Memory
from .presence.arrivals import Arrivals
from .world import Agents, World

AnyMemory = TypeVar("AnyMemory", bound=Memory)

SIGNALS = (
    *("speed_limit", "heading", "warned", "goal_distance", "confined", "hurries", "alarmed", "lands"),
    *("comes_down", "perch", "up", "in_formation"),
)
"""The columns of the intention of their behaviors that are kept after a step, for bodies and for the next."""


@dataclass(frozen=True)
class Decisions:
    """The decisions of all vehicles in a step so far.

    Attributes:
        memories: what each behavior remembers next, by its name, n rows each.
        tallies: what all vehicles have added up, by name.
        taken: (k,) how much has been taken of each tracked body.
        arrivals: the vehicles that have left and those that have reached a goal.
        speed_limit, heading, warned, goal_distance, confined, hurries, alarmed, lands, comes_down, perch, up,
            in_formation: as of `Intention`; None if nothing is said of any vehicle.
    """

    memories: Mapping[str, Memory]
    tallies: Mapping[str, Scalars]
    taken: Scalars
    arrivals: Arrivals
    speed_limit: Scalars | None = None
    heading: Vectors | None = None
    warned: Mask | None = None
    goal_distance: Scalars | None = None
    confined: Rows | None = None
    hurries: Mask | None = None
    alarmed: Mask | None = None
    lands: Vectors | None = None
    comes_down: Vectors | None = None
    perch: Vectors | None = None
    up: Vectors | None = None
    in_formation: Mask | None = None

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

    def signalling_as(self, others: "Decisions") -> "Decisions":
        """The decisions with what others say to bodies."""
        return replace(self, **{name: getattr(others, name) for name in SIGNALS})


@dataclass(frozen=True)
class HeldWish:
    """The velocities that vehicles wish for, as they hold between decisions.

    A vehicle brakes by a wish against its heading. That part goes along with the heading: held in the world, it would
    turn a body round that came out of a bend, instead of stopping it. `ahead`: (n, 3) the part that does not lead back,
    m/s; `back`: (n,) the part against the heading, m/s.
    """

    ahead: Vectors
    back: Scalars

    @classmethod
    def of(cls, velocity: Vectors, forward: Vectors) -> "HeldWish":
        back = np.maximum(-dot(velocity, forward), 0.0)
        return cls(velocity + forward * back[:, None], back)

    def put(self, rows: Rows, others: "HeldWish") -> "HeldWish":
        """The wishes with those of other vehicles, of the same number, in some rows (m,)."""
        return HeldWish(put(self.ahead, rows, others.ahead[rows]), put(self.back, rows, others.back[rows]))


@dataclass(frozen=True)
class HeldDecisions:
    """The decisions on which vehicles act until they decide again.

    Steering is the velocity that a vehicle wishes for, less its own (paper, Seek). The wish holds between decisions; a
    force that held would lead past it. A new wish takes the place of the last one evenly, in the time until the next,
    so that no body jerks as often as its mind decides.

    Attributes:
        wish: the velocities wished for.
        last: those of the decisions before.
        decided: everything else.
        steps: the number of steps in which they acted on these decisions.
        present: (n,) the vehicles that took part in the last step.
        brakes_from: (n,) the speed from which each brakes evenly down to its limit, m/s; 0 for those that obey it at
            once.
    """

    wish: HeldWish
    last: HeldWish
    decided: Decisions
    steps: int
    present: Mask
    brakes_from: Scalars

    def wish_now(self, every: int, forward: Vectors) -> Vectors:
        """The velocities that they wish for in a step, (n, 3) m/s. `every`: the number of steps from one decision to
        the next; `forward`: (n, 3) their unit headings."""
        part = min(self.steps / every, 1.0)
        ahead = self.last.ahead + (self.wish.ahead - self.last.ahead) * part
        return ahead - forward * (self.last.back + (self.wish.back - self.last.back) * part)[:, None]

    def decided_now(self, every: int, decided: Decisions) -> Decisions:
        """Decisions with what these say to bodies in a step. Speed limits that brake are met by the next decision, and
        not as soon as bodies can, to hold for the rest of the time: else they would brake in jerks. `every`: as of
        `wish_now`."""
        decided = decided.signalling_as(self.decided)
        if (limit := decided.speed_limit) is None:
            return decided
        left = 1.0 - min(self.steps / every, 1.0)
        return replace(decided, speed_limit=limit + np.maximum(self.brakes_from - limit, 0.0) * left)

    def renewed(self, rows: Rows, wish: HeldWish, decided: Decisions) -> "HeldDecisions":
        """The decisions with new ones of some vehicles, which act on them at once. `rows`: (m,); `wish`: of all."""
        said = {}
        for name in SIGNALS:
            before, now = getattr(self.decided, name), getattr(decided, name)
            if before is not None or now is not None:
                before, now = (neutral(name, len(wish.back)) if column is None else column for column in (before, now))
                said[name] = put(before, rows, now[rows])
        wishes = self.wish.put(rows, wish), self.last.put(rows, wish)
        return HeldDecisions(
            *wishes, replace(self.decided, **said), self.steps, self.present, put(self.brakes_from, rows, 0.0)
        )
