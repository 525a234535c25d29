"""Arrivals: the agents that have reached a goal, which then stay, leave or go on without it.

An arrival is final: a vehicle that has arrived once has arrived, wherever the goal moves later.

A behavior may also lead agents to places where they stand for a time, and then go on without these. Such a place comes
before all others: an agent goes there first, and has one goal at a time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..arrays.frozen import replace
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, all_of, anybody, everybody, shared
from ..arrays.vectors import Vectors
from ..behavior import Behavior, Destination, Steering
from ..intention import Intention
from ..memory import Memory, memory_among, remembered
from ..world import Agents, World
from .attendance import GO_ON, LEAVE, STAY, Attendance

STANDING = 0.05
"""Share of max_speed to which a speed limit stops a vehicle."""
PLACE = 2.0
"""Radii of the vehicle from a goal within which it is at the goal, even without what its behavior calls an arrival."""
AnyBehavior = TypeVar("AnyBehavior", bound=Behavior)


@dataclass(frozen=True)
class Errand(Memory):
    """Whether vehicles have somewhere to go.

    Attributes:
        bound: (n,) the vehicles that a behavior leads somewhere else and that no speed limit stops.
        left: (n,) the distance to where they go, or at a place on the way to what is no longer at it, metres; 0 for the
            others.
        arrived: (n,) the vehicles that are where a behavior leads them.
        unreached: (n, 3) where those are to go to whom no way leads there, metres; nan for the others.
        goal: (n, 3) where they go, metres; nan for nowhere.
    """

    bound: Mask = remembered(False)
    left: Scalars = remembered(0.0)
    arrived: Mask = remembered(False)
    unreached: Vectors = remembered((np.nan, np.nan, np.nan))
    goal: Vectors = remembered((np.nan, np.nan, np.nan))

    @classmethod
    def among(cls, memories: Mapping[str, Memory], n: int) -> "Errand":
        """The errands of n vehicles among memories; those of vehicles that go nowhere where there are none."""
        return memory_among(cls, memories.values()) or cls.blank(n)

    @classmethod
    def of(cls, world: World, agents: Agents, intention: Intention) -> "Errand":
        """The errands of agents whose behaviors have said all this."""
        distance, reach = agents.goal_distance, PLACE * agents.radius
        away = np.isfinite(distance) & ((distance > reach) | intention.leads_on) & ~intention.arrived
        bound = away & (intention.top_speed(agents.max_speed) > STANDING * agents.max_speed)
        distance_left = np.where(bound, np.maximum(distance, reach), 0.0)
        if world.ways is None:
            nowhere = shared(np.nan, 3 * len(agents)).reshape(len(agents), 3)
            return cls(bound, distance_left, intention.arrived, nowhere, agents.goal)
        goal, leads = world.ways.asked(agents.rows, agents.goal)
        return cls(bound, distance_left, intention.arrived, np.where(leads[:, None], np.nan, goal), goal)


@dataclass(frozen=True)
class Arrivals:
    """The vehicles that have left and those that have arrived.

    Attributes:
        count: the count of vehicles, n.
        gone: (n,) the vehicles that leave or have left; empty if none has.
        arrived: (n,) the vehicles that have reached a goal and go on without it, by the name of the behavior.
    """

    count: int
    gone: Mask
    arrived: Mapping[str, Mask]

    def without_reached(self, behavior: AnyBehavior, agents: Agents) -> AnyBehavior:
        """The behavior, with weight 0 for the agents that have reached its goal."""
        reached = self.arrived.get(behavior.name)
        return behavior if reached is None else without(behavior, reached[agents.rows])

    def noting(
        self, behavior: AnyBehavior, reached: Mask | None, agents: Agents, attendance: Attendance | None
    ) -> "tuple[AnyBehavior, Arrivals]":
        """The behavior, with weight 0 for agents that now go on without its goal, and the arrivals with this step's.

        Agents that stay for good where they arrive, and behaviors of weight 0, are not noted.

        Args:
            reached: (m,) the agents at the goal; None if the behavior has no goal.
        """
        stays_first = isinstance(behavior, Destination) and anybody(behavior.departs)
        if reached is None or (not stays_first and (attendance is None or agents.stays.all())):
            return behavior, self
        reached = reached & (behavior.weight != 0.0)
        on_arrival = shared(STAY, len(agents), np.int64) if attendance is None else attendance.on_arrival[agents.rows]
        if isinstance(behavior, Destination):
            on_arrival = np.where(behavior.departs, GO_ON, on_arrival)
        leaves, goes_on = reached & (on_arrival == LEAVE), reached & (on_arrival == GO_ON)
        arrivals = self
        if leaves.any():
            arrivals = replace(arrivals, gone=self._with(self.gone, agents.rows[leaves]))
        if goes_on.any():
            no_vehicle: Mask = np.zeros(0, dtype=np.bool_)
            mask = self._with(self.arrived.get(behavior.name, no_vehicle), agents.rows[goes_on])
            arrivals = replace(arrivals, arrived={**self.arrived, behavior.name: mask})
        return without(behavior, goes_on), arrivals

    def _with(self, mask: Mask, rows: Rows) -> Mask:
        """The mask (n,), or an empty one, with rows (m,) added; (n,)."""
        changed = mask.copy() if len(mask) else np.zeros(self.count, dtype=np.bool_)
        changed[rows] = True
        return changed


def stays(attendance: Attendance | None, rows: Rows) -> Mask:
    """Whether the vehicles in rows (m,) stay where they arrive, (m,)."""
    if attendance is None:
        return all_of(len(rows))
    return attendance.on_arrival[rows] == STAY


def arrival_distance(attendance: Attendance | None, rows: Rows) -> Scalars:
    """The distance to its goal at which each vehicle in rows (m,) has arrived, (m,) metres; 0: when it touches it."""
    if attendance is None:
        return np.zeros(len(rows))
    return attendance.arrival_distance[rows]


def without(behavior: AnyBehavior, mask: Mask) -> AnyBehavior:
    """The behavior, with weight 0 for the agents in the mask (m,)."""
    if not mask.any():
        return behavior
    return replace(behavior, weight=np.where(mask, 0.0, behavior.weight))


STOPPING_TIME = 1.0
"""Seconds in which an agent comes to a stop from top speed where it arrives, if it is strong enough."""
SLOWEST_STOP = 3.0
"""Seconds after which an agent counts as standing where it has arrived, even if it cannot stop."""
BRAKING = 0.5
"""Share of max_force with which it does at most."""


@dataclass(frozen=True)
class Staying(Memory):
    """How long agents have stayed at a place. `arrived`: (n,) seconds since it has arrived, 0 before; `time`: (n,)
    seconds for which it has stood there."""

    arrived: Scalars = remembered(0.0)
    time: Scalars = remembered(0.0)

    @property
    def rests(self) -> Mask:
        """(n,) the agents whose stay has begun."""
        return self.arrived > 0.0


def memory_of(name: str) -> str:
    """The name under which it is remembered how long agents stay where the behavior of a name leads."""
    return f"{name}.stay"


def for_takers(behavior: Behavior, agents: Agents) -> Behavior:
    """The behavior, with weight 0 for agents that do not go where it leads."""
    if not isinstance(behavior, Destination) or everybody(behavior.share_going >= 1.0):
        return behavior
    return without(behavior, ~behavior.takers(agents.numbers, agents.crowd_keys))


def in_turn(
    behaviors: Sequence[Behavior], world: World, agents: Agents, memories: Sequence[Memory | None]
) -> list[Behavior]:
    """The behaviors, with weight 0 for the goals that wait for a stay.

    Of several places to stay at, the one of the lowest priority comes first, and of equal ones the first in the list.
    `memories`: what each behavior remembers of the agents.
    """
    asked = zip(behaviors, memories)
    stops = [(b, memory) for b, memory in asked if isinstance(b, Destination) and anybody(b.departs)]
    if not stops:
        return list(behaviors)
    first = np.full(len(agents), -1)
    least = np.full(len(agents), np.inf)
    for number, (behavior, memory) in enumerate(stops):
        goal = behavior.goal(world, agents, memory)
        if goal is None:
            continue
        bound = behavior.departs & (behavior.weight != 0.0) & np.isfinite(goal[:, 0]) & (behavior.priority < least)
        first, least = np.where(bound, number, first), np.where(bound, behavior.priority, least)
    numbers = {behavior.name: number for number, (behavior, _) in enumerate(stops)}
    return [
        without(b, (first >= 0) & (first != numbers.get(b.name, len(stops)))) if b.arrives else b for b in behaviors
    ]


def stay_on(
    behavior: Destination, world: World, agents: Agents, steering: Steering, memory: Staying
) -> tuple[Mask, Scalars, Staying]:
    """The fate of agents at the place that a behavior leads to, some of which stay there for a time. Returns `arrived`:
    (n,) the agents that have arrived, or whose stay is over; `speed_limit`: (n,) m/s down to which those brake that
    stay, inf for the others; `memory`: for how long each has stayed."""
    arrived = np.zeros(len(agents), dtype=np.bool_) if steering.arrived is None else steering.arrived
    bound = behavior.departs & (behavior.weight != 0.0)
    # Some bodies stand before they touch, as they do not creep.
    slow = agents.speed <= STANDING * agents.max_speed
    stops = slow & (agents.goal_distance <= PLACE * agents.radius)
    if steering.leads_on is not None:
        stops &= ~steering.leads_on
    since = np.where((bound & (arrived | stops)) | (memory.arrived > 0.0), memory.arrived + world.dt, 0.0)
    # A body that cannot stop, such as a bird that never hovers, does not stay for ever.
    counts = (since > 0.0) & (slow | (memory.time > 0.0) | (since > SLOWEST_STOP))
    time = np.where(counts, memory.time + world.dt, 0.0)
    over = time > behavior.stay(agents.keys)
    stands = bound & (since > 0.0) & ~over
    brakes = np.minimum(BRAKING * agents.agility, agents.max_speed / STOPPING_TIME)
    slower = np.maximum(agents.speed - np.maximum(brakes, EPSILON) * world.dt, 0.0)
    limit: Scalars = np.where(stands, slower, np.inf)
    return np.where(behavior.departs, over, arrived), limit, Staying(since, time)
