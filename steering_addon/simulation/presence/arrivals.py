"""Arrivals: the agents that have reached a goal, which then stay, leave or go on without it.

An arrival is final: a vehicle that has arrived once has arrived, wherever the goal moves later.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..arrays.frozen import replace
from ..arrays.scalars import Mask, Rows, Scalars, all_of, anybody, shared
from ..arrays.vectors import Vectors
from ..behavior import Behavior, Destination
from ..intention import Intention
from ..memory import Memory, remembered
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
