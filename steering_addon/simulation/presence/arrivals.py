"""Arriving: who has come to a goal, and what follows from it: it stays, leaves, or goes on without that goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..arrays.vectors import Mask, Rows, shared
from ..snapshot import State, Steers
from ..world import Agents, World
from .attendance import GO_ON, LEAVE, STAY, Attendance


class Arrivals:
    """Who has left and who has arrived, gathered while one behavior after the other decides.

    Attributes:
        gone: (n,) who leaves, or has left; empty where nobody does.
        arrived: (n,) who has reached a goal and wants it no more, by the name of the behavior.
    """

    def __init__(self, state: State) -> None:
        self._n = len(state)
        self.gone: Mask = state.gone
        self.arrived: Mapping[str, Mask] = state.arrived

    def left_of(self, behavior: Steers, agents: Agents) -> Steers:
        """The behavior, without weight for those of its agents who have been where it leads."""
        over = self.arrived.get(behavior.name)
        return behavior if over is None else _without(behavior, over[agents.rows])

    def looked_for(self, behavior: Steers, world: World, agents: Agents, attendance: Attendance | None) -> Steers:
        """Note which agents have arrived where a behavior leads; returns it without weight for those who go on.

        Once arrived is arrived, wherever the goal goes afterwards. Nobody arrives where nothing follows from it, or by
        a behavior without weight.
        """
        if attendance is None or agents.stays.all():
            return behavior
        there = behavior.arrived(world, agents, attendance.arrival_distance[agents.rows])
        if there is None:
            return behavior
        there = there & (behavior.weight != 0.0)
        on_arrival = attendance.on_arrival[agents.rows]
        leaves, goes_on = there & (on_arrival == LEAVE), there & (on_arrival == GO_ON)
        if leaves.any():
            self.gone = self._with(self.gone, agents.rows[leaves])
        if goes_on.any():
            none: Mask = np.zeros(0, dtype=np.bool_)
            over = self._with(self.arrived.get(behavior.name, none), agents.rows[goes_on])
            self.arrived = {**self.arrived, behavior.name: over}
        return _without(behavior, goes_on)

    def _with(self, known: Mask, rows: Rows) -> Mask:
        """The mask, (n,), with some rows more; an empty one is of nobody."""
        after = known.copy() if len(known) else np.zeros(self._n, dtype=np.bool_)
        after[rows] = True
        return after


def stays(attendance: Attendance | None, rows: Rows) -> Mask:
    """Which vehicles of some rows stay where they arrive, (m,)."""
    if attendance is None:
        return shared(True, len(rows), np.bool_)
    there: Mask = attendance.on_arrival[rows] == STAY
    return there


def _without(behavior: Steers, over: Mask) -> Steers:
    """The behavior, without weight for some of its agents."""
    if not over.any():
        return behavior
    return replace(behavior, weight=np.where(over, 0.0, behavior.weight))  # type: ignore[type-var]
