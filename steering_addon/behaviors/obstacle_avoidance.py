"""Obstacle avoidance (paper, Obstacle Avoidance)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import EPSILON, Mask, Number, Rows, Scalars, Vectors, clamp, truncate
from ..simulation.avoiding.force_field import pushed_away
from ..simulation.avoiding.threats import Rounds, Threats
from ..simulation.avoiding.walls import walls_ahead
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import Choice, called, choice, integer, length, only_with, seconds
from ..simulation.geometry.obstacles import Obstacles
from ..simulation.world import Agents, World

FIRMNESS = 1.3
"""How much harder than just grazing the turn is, so that it is over before the obstacle is reached."""
STRAIN = 0.8
"""Share of max_force for the turn alone from which on it brakes as well."""
METHODS = (
    Choice("TURN", 0, "Turn Past", "Turns just enough to pass what is ahead; along the surface of a mesh"),
    Choice("FIELD", 1, "Force Field", "Is pushed away by whatever is near, wherever it is going"),
    Choice("SILHOUETTE", 2, "Silhouette", "Turns past the nearest edge of the outline of what is ahead, of a mesh too"),
)
TURN, FIELD, SILHOUETTE = (c.number for c in METHODS)


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

    priority: Rows = integer(1, "Lower numbers come first when the crowd takes the first that applies")
    method: Rows = choice("TURN", "How it keeps clear of obstacles", METHODS)
    look_ahead_time: Number = called(
        "Looks Ahead", seconds(1.5, "How far ahead it looks, as time at its present speed")
    )
    clearance: Number = length(0.2, "Distance it keeps from the obstacle besides its own radius")

    field_distance: Number = only_with(
        "method", FIELD, length(3.0, "Distance from a surface from which on it does not push", 0.01)
    )

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        if not len(agents) or not world.obstacles.present.any():
            return Steering(agents.none())
        pushed = self.method == FIELD
        steering = agents.none() if pushed.all() else self._turning(world, agents)
        if pushed.any():
            push = pushed_away(world.obstacles, agents, self.clearance, self.field_distance)
            push = truncate(agents.level(push), np.ones(len(agents)))
            steering = np.where(pushed[:, None], push * agents.max_force[:, None], steering)
        return Steering(steering)

    def _turning(self, world: World, agents: Agents) -> Vectors:
        """The steering that bends the course past what lies ahead, (n, 3)."""
        outlines = self.method == SILHOUETTE
        ahead = _ahead(world.obstacles, agents, self.clearance, self.look_ahead_time, outlines)
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


def _ahead(
    obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars, outlines: Mask
) -> Threats | None:
    """What each agent would run into first, None where there is nothing for any of them.

    Args:
        clearance: (n,) metres to keep besides one's own radius.
        look_ahead_time: (n,) seconds.
        outlines: (n,) who passes meshes by their outlines instead of turning along their surfaces.
    """
    plain = obstacles.plain & obstacles.present
    found = None
    if plain.any():
        found = Rounds.seen(obstacles.take(plain), agents, clearance, look_ahead_time).first(agents)
    others = obstacles.present & ~plain
    if others.any():
        walls = walls_ahead(obstacles.take(others), agents, clearance, look_ahead_time, outlines)
        found = walls if found is None else found.or_sooner(walls)
    return found
