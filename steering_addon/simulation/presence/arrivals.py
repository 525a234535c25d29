"""Arriving: which agents have come to a goal, and what happens to them then: they stay, leave, or go on without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ..arrays.vectors import Mask, Rows, Scalars, shared
from ..behavior import Behavior
from ..world import Agents
from .attendance import GO_ON, LEAVE, STAY, Attendance

AnyBehavior = TypeVar("AnyBehavior", bound=Behavior)


@dataclass(frozen=True)
class Arrivals:
    """The vehicles that have left and those that have arrived.

    Attributes:
        count: how many vehicles there are.
        gone: (n,) the vehicles that leave, or have left; empty if none has.
        arrived: (n,) the vehicles that have reached a goal and want it no longer, by the name of the behavior.
    """

    count: int
    gone: Mask
    arrived: Mapping[str, Mask]

    def without_reached(self, behavior: AnyBehavior, agents: Agents) -> AnyBehavior:
        """The behavior, without weight for those of its agents that have reached the goal it leads to."""
        reached = self.arrived.get(behavior.name)
        return behavior if reached is None else _without(behavior, reached[agents.rows])

    def noting(
        self, behavior: AnyBehavior, reached: Mask | None, agents: Agents, attendance: Attendance | None
    ) -> tuple[AnyBehavior, Arrivals]:
        """The behavior, without weight for agents that go on without its goal, and the arrivals with those of a step.

        An agent that has arrived once has arrived, wherever the goal moves afterwards. Agents that stay where they
        arrive, and behaviors without weight, are not noted.

        Args:
            reached: (m,) which of the agents are at the goal; None if the behavior leads nowhere.
        """
        if reached is None or attendance is None or agents.stays.all():
            return behavior, self
        reached = reached & (behavior.weight != 0.0)
        on_arrival = attendance.on_arrival[agents.rows]
        leaves, goes_on = reached & (on_arrival == LEAVE), reached & (on_arrival == GO_ON)
        arrivals = self
        if leaves.any():
            arrivals = replace(arrivals, gone=self._with(self.gone, agents.rows[leaves]))
        if goes_on.any():
            nobody: Mask = np.zeros(0, dtype=np.bool_)
            mask = self._with(self.arrived.get(behavior.name, nobody), agents.rows[goes_on])
            arrivals = replace(arrivals, arrived={**self.arrived, behavior.name: mask})
        return _without(behavior, goes_on), arrivals

    def _with(self, mask: Mask, rows: Rows) -> Mask:
        """The mask, (n,), with some more rows; an empty one holds for no vehicle."""
        changed = mask.copy() if len(mask) else np.zeros(self.count, dtype=np.bool_)
        changed[rows] = True
        return changed


def stays(attendance: Attendance | None, rows: Rows) -> Mask:
    """Which vehicles of some rows stay where they arrive, (m,)."""
    if attendance is None:
        return shared(True, len(rows), np.bool_)
    mask: Mask = attendance.on_arrival[rows] == STAY
    return mask


def arrival_distance(attendance: Attendance | None, rows: Rows) -> Scalars:
    """How near the middle of its goal each vehicle of some rows has arrived, (m,) metres; 0: on touching it."""
    if attendance is None:
        return np.zeros(len(rows))
    distance: Scalars = attendance.arrival_distance[rows]
    return distance


def _without(behavior: AnyBehavior, mask: Mask) -> AnyBehavior:
    """The behavior, without weight for some of its agents."""
    if not mask.any():
        return behavior
    return replace(behavior, weight=np.where(mask, 0.0, behavior.weight))
