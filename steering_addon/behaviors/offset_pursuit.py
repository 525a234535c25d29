"""Offset pursuit (paper, Offset pursuit)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Number, Rows
from ..simulation.arrays.vectors import Vectors, across, unit_or
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import body, length, seconds
from ..simulation.maneuvers.chasing import predict_position, prediction_time
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class OffsetPursuit(Behavior):
    """Fly by a quarry: pass near it, but not into it.

    Seeks a point next to the predicted position of the quarry, on the side on which the agent's heading would pass it.
    An agent that heads straight at it passes with the quarry on its left. Does nothing without a quarry.
    """

    name = "offset_pursuit"
    label = "Fly By"
    term = "offset pursuit"
    intent = Intent.REACT

    quarry: Rows = body("Quarry to pass; empty: the nearest leader")
    radius: Number = length(3.0, "Distance at which it passes")
    prediction_time: Number = seconds(5.0, "How far ahead it looks at most", label="Looks Ahead")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        passing = self.quarry >= 0
        force = agents.seeking(self.goal(world, agents, memory))
        return Steering(np.where(passing[:, None], force, 0.0), sets_speed=passing)

    def goal(self, world: World, agents: Agents, memory: None) -> Vectors:
        quarry = np.maximum(self.quarry, 0)
        target = predict_position(world, quarry, prediction_time(world, agents, quarry, self.prediction_time))
        # The paper's construction: the target's component in the side-up plane, normalized, times minus the radius.
        lateral = unit_or(agents.level(across(target - agents.position, agents.forward)), -agents.side)
        point = target - lateral * self.radius[:, None]
        return np.where((self.quarry >= 0)[:, None], point, np.nan)
