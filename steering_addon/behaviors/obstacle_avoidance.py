"""Obstacle avoidance (paper, Obstacle Avoidance)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.declaration import called, integer, length, seconds
from ..simulation.vectors import EPSILON, Number, Vectors, clamp
from ..simulation.world import Agents, World
from .declaration import Behavior, Intent
from .threats import threats

FIRMNESS = 1.3
"""How much harder than just grazing the turn is, so that it is over before the obstacle is reached."""
STRAIN = 0.8
"""Share of max_force for the turn alone from which on it brakes as well."""


@dataclass(frozen=True)
class ObstacleAvoidance(Behavior):
    """Go round obstacles that lie ahead.

    Does nothing about what lies beside or behind, or beyond the place the agent wants to be at. Of the obstacles that
    stand in the free cylinder ahead the one it would meet first counts. The steering is the even turn that grazes its
    hull, across the course; where that is more than the vehicle has, it brakes too. Obstacles that move are met in
    their own frame.
    """

    name = "obstacle_avoidance"
    label = "Avoid Obstacles"
    term = "obstacle avoidance"
    intent = Intent.STAY

    priority: Number = integer(1, "Lower numbers come first when the crowd takes the first that applies")
    look_ahead_time: Number = called(
        "Looks Ahead", seconds(1.5, "How far ahead it looks, as time at its present speed")
    )
    clearance: Number = length(0.2, "Distance it keeps from the obstacle besides its own radius")

    def steer(self, world: World, agents: Agents) -> Vectors:
        if not len(agents):
            return agents.none()
        ahead = threats(world.obstacles, agents, self.clearance, self.look_ahead_time)
        if ahead is None:
            return agents.none()
        agility = np.maximum(agents.agility, EPSILON)
        turn = np.minimum(FIRMNESS * ahead.turn, agility)
        strain = clamp((ahead.hardest / agility - STRAIN) / (1.0 - STRAIN), 0.0, 1.0)
        steering = ahead.direction * turn[:, None] - ahead.course * (strain * agility)[:, None]
        # Who stands too near already, and braked, would stay there.
        steering = np.where(ahead.too_near[:, None], ahead.away * agility[:, None], steering)
        steering = steering * (agents.mass * ahead.onset)[:, None]
        return np.where(np.isfinite(ahead.contact)[:, None], steering, 0.0)
