"""Flee (paper, Seek)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import Mask, Number, Rows, Vectors, magnitude
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import body, called, choice, length
from ..simulation.maneuvers.chasing import MAX_SPEED, PACES, desired_speed
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class Flee(Behavior):
    """Run from a target at top speed while it is near.

    Walkers run out by the ways over their ground, not into a dead end. At its own pace it only turns away. An agent on
    top of the target goes forward. Does nothing without a target or beyond the distance.
    """

    name = "flee"
    label = "Run From"
    term = "flee"
    intent = Intent.REACT

    target: Rows = body("Target to run from, an object or a crowd; empty: the nearest leader")
    distance: Number = length(10.0, "How near it has to be; 0: at any distance")
    pace: Rows = called("Speed", choice("MAX_SPEED", "How fast it runs", PACES))

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        target, threatened = np.maximum(self.target, 0), self._threatened(world, agents)
        place = world.away_by_way(agents, target, world.bodies.position[target], threatened)
        force = agents.fleeing(place, desired_speed(self.pace, agents))
        at_top_speed = threatened & (self.pace == MAX_SPEED)
        force = np.where(threatened[:, None], force, 0.0)
        return Steering(force, sets_speed=at_top_speed, alarmed=threatened)

    def _threatened(self, world: World, agents: Agents) -> Mask:
        near = (magnitude(self._offset(world, agents)) < self.distance) | (self.distance == 0.0)
        return near & (self.target >= 0)

    def _offset(self, world: World, agents: Agents) -> Vectors:
        return agents.level(agents.position - world.bodies.position[np.maximum(self.target, 0)])
