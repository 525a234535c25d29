"""Flee (paper, Seek)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.declaration import body, length
from ..simulation.vectors import Mask, Number, Vectors, magnitude
from ..simulation.world import Agents, World
from .declaration import Behavior, Intent


@dataclass(frozen=True)
class Flee(Behavior):
    """Run from a target at top speed while it is near.

    Does nothing without a target or beyond the distance. An agent on top of the target runs on the way it faces.
    """

    name = "flee"
    label = "Run From"
    term = "flee"
    intent = Intent.REACT

    target: Number = body("What to run from; empty: the nearest leader")
    distance: Number = length(10.0, "How near it has to be; 0 means however far")

    def steer(self, world: World, agents: Agents) -> Vectors:
        steering = agents.fleeing(world.bodies.position[np.maximum(self.target, 0)])
        return np.where(self.sets_speed(world, agents)[:, None], steering, 0.0)

    def sets_speed(self, world: World, agents: Agents) -> Mask:
        near = (magnitude(self._offset(world, agents)) < self.distance) | (self.distance == 0.0)
        return near & (self.target >= 0)

    def _offset(self, world: World, agents: Agents) -> Vectors:
        return agents.level(agents.position - world.bodies.position[np.maximum(self.target, 0)])
