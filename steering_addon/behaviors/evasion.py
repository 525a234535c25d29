"""Evasion (paper, Pursuit)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import EPSILON, Mask, Number, Vectors, magnitude, picked
from ..simulation.behavior import Behavior, Intent
from ..simulation.declaration import body, called, length, seconds
from ..simulation.maneuvers.prediction import predicted
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class Evasion(Behavior):
    """Run from a pursuer by heading away from where it will be.

    Flees the predicted place of the pursuer, the further ahead the further away it is. Does nothing without a pursuer
    or beyond the distance. Where the predicted place is the agent's own it goes on as it is.
    """

    name = "evasion"
    label = "Run From Chaser"
    term = "evasion"
    intent = Intent.REACT

    pursuer: Number = body("Whom to run from; empty: the nearest leader")
    distance: Number = length(10.0, "How near it has to be; 0 means however far")
    prediction_time: Number = called("Looks Ahead", seconds(2.0, "How far ahead it looks at most"))

    def steer(self, world: World, agents: Agents) -> Vectors:
        pursuer = np.maximum(self.pursuer, 0)
        gap = magnitude(self._offset(world, agents))
        speed = magnitude(picked(world.bodies.velocity, pursuer))
        time = np.minimum(gap / np.maximum(speed, EPSILON), self.prediction_time)
        steering = agents.fleeing(predicted(world, pursuer, time))
        return np.where(self.sets_speed(world, agents)[:, None], steering, 0.0)

    def sets_speed(self, world: World, agents: Agents) -> Mask:
        near = (magnitude(self._offset(world, agents)) < self.distance) | (self.distance == 0.0)
        return near & (self.pursuer >= 0)

    def _offset(self, world: World, agents: Agents) -> Vectors:
        return agents.level(agents.position - picked(world.bodies.position, np.maximum(self.pursuer, 0)))
