"""Obstacle avoidance (paper, Obstacle Avoidance)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.declaration import integer, length, seconds
from ..simulation.obstacles import Obstacles, directions_to_pass, most_pressing
from ..simulation.vectors import EPSILON, Mask, Number, Rows, Scalars, Vectors, clamp, dot, magnitude, unit
from ..simulation.world import Agents, World
from .declaration import Behavior, Intent

FIRMNESS = 1.3
"""How much harder than just grazing the turn is, so that it is over before the obstacle is reached."""
EAGERNESS = 1.5
"""How many times the last possible distance for a dodge it looks ahead at least."""
ONSET = 0.3
"""Share of the way ahead over which an obstacle that comes into sight gains its full effect."""
STRAIN = 0.8
"""Share of max_force for the turn alone from which on it brakes as well."""
CREEP = 0.3
"""Share of max_speed below which a slow vehicle still turns as if it went that fast."""
CAUTION = 1.3
"""How many times its way to a stop a vehicle heeds an obstacle even beyond its goal."""


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
    look_ahead_time: Number = seconds(1.5, "How far ahead it looks, as time at its present speed")
    clearance: Number = length(0.2, "Distance it keeps from the obstacle besides its own radius")

    def steer(self, world: World, agents: Agents) -> Vectors:
        obstacles = world.obstacles.take(world.obstacles.present)
        if not len(obstacles) or not len(agents):
            return agents.none()
        threats = _Threats.seen(obstacles, agents, self.clearance, self.look_ahead_time)
        row, met = threats.first()
        n = np.arange(len(agents))
        course, aside = threats.course[n, row], threats.aside[n, row]
        direction = directions_to_pass(obstacles.pass_side[row], aside, course, agents.side)
        direction = unit(agents.level(direction))

        agility = np.maximum(agents.agility, EPSILON)
        wanting = threats.reach[n, row] + dot(aside, direction)
        turn = np.minimum(FIRMNESS * threats.turn(wanting[:, None], row[:, None], agents)[:, 0], agility)
        strain = clamp((threats.hardest_turn(agents) / agility - STRAIN) / (1.0 - STRAIN), 0.0, 1.0)
        steering = direction * turn[:, None] - course * (strain * agility)[:, None]
        # Who stands too near already, and braked, would stay there: it goes back out the shortest way.
        offset = aside + course * threats.way[n, row][:, None]
        inside = magnitude(offset) < threats.reach[n, row]
        steering = np.where(inside[:, None], unit(agents.level(-offset)) * agility[:, None], steering)
        steering = steering * (agents.mass * threats.onset[n, row])[:, None]
        return np.where(met[:, None], steering, 0.0)


@dataclass(frozen=True)
class _Threats:
    """Pairs of agents and obstacles, (n, k), from each agent's point of view.

    Attributes:
        course: (n, k, 3) unit direction in which the agent moves as the obstacle sees it.
        speed: (n, k) how fast it does.
        way: (n, k) metres along the course to the place on the obstacle's axis that is hardest to pass.
        aside: (n, k, 3) from there to that place.
        reach: (n, k) how near the agent's centre may come to the axis.
        contact: (n, k) metres along the course to where it would come that near; inf where it will not.
        onset: (n, k) 0 at the far end of what the agent heeds, soon 1.
    """

    course: Vectors
    speed: Scalars
    way: Scalars
    aside: Vectors
    reach: Scalars
    contact: Scalars
    onset: Scalars

    @classmethod
    def seen(cls, obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars) -> _Threats:
        n, k = len(agents), len(obstacles)
        plane = agents.vehicle.keep_in_plane[:, None]
        relative = agents.velocity[:, None, :] - obstacles.velocity[None]
        relative = np.where(plane[..., None] & _height, 0.0, relative)
        speed = magnitude(relative)
        still = speed < 1e-6
        course = np.where(still[..., None], agents.forward[:, None, :], unit(relative))
        reach = obstacles.radius[None] + (agents.radius + clearance)[:, None]
        way, aside = most_pressing(obstacles, agents.position, course, reach)

        # At its own height a flat-lander meets a ball as a smaller disc.
        height = np.where(plane, aside[..., 2], 0.0)
        misses = np.abs(height) >= reach
        reach = np.sqrt(np.maximum(reach * reach - height * height, EPSILON))
        aside = np.where(plane[..., None] & _height, 0.0, aside)

        lateral = dot(aside, aside)
        half = np.sqrt(np.maximum(reach * reach - lateral, 0.0))
        contact = np.maximum(way - half, 0.0)
        tightest = speed * speed / np.maximum(agents.agility, EPSILON)[:, None]
        latest = np.sqrt(reach * reach + 2.0 * reach * tightest)
        heeded = np.maximum(speed * look_ahead_time[:, None] + reach, EAGERNESS * latest)
        beyond_goal = (contact >= agents.goal_distance[:, None]) & (contact > CAUTION * tightest / 2.0)
        counts = (
            (lateral < reach * reach) & (way > 0.0) & (way < heeded) & ~misses & ~beyond_goal & ~_own(obstacles, agents)
        )
        contact = np.where(counts, contact, np.inf)
        onset = clamp((heeded - way) / np.maximum(ONSET * heeded, EPSILON), 0.0, 1.0)
        shape = (n, k)
        return cls(course, speed, way, aside, np.broadcast_to(reach, shape), contact, onset)

    def first(self) -> tuple[Rows, Mask]:
        """The obstacle each agent would meet first, and whether it would meet any."""
        row = np.argmin(self.contact, axis=1)
        met: Mask = np.isfinite(self.contact[np.arange(len(row)), row])
        return row, met

    def turn(self, wanting: Scalars, rows: Rows, agents: Agents) -> Scalars:
        """The acceleration across the course that makes a circle just touching some of the hulls, (n, r) m/s2.

        Args:
            wanting: (n, r) metres across the course that are wanting to pass each obstacle.
            rows: (n, r) which obstacles.
        """
        n = np.arange(len(rows))[:, None]
        way, aside, reach = self.way[n, rows], self.aside[n, rows], self.reach[n, rows]
        speed = np.maximum(self.speed[n, rows], CREEP * agents.max_speed[:, None])
        room = way * way + dot(aside, aside) - reach * reach
        turn = 2.0 * speed * speed * np.maximum(wanting, 0.0) / np.maximum(room, EPSILON)
        return np.where(room > 0.0, turn, agents.agility[:, None])

    def hardest_turn(self, agents: Agents) -> Scalars:
        """(n,) what it takes to pass the most demanding of the obstacles ahead on its nearer side, m/s2."""
        every = np.broadcast_to(np.arange(self.contact.shape[1]), self.contact.shape)
        turn = self.turn(self.reach - magnitude(self.aside), every, agents)
        return np.max(np.where(np.isfinite(self.contact), turn, 0.0), axis=1)


_height = np.array([False, False, True])


def _own(obstacles: Obstacles, agents: Agents) -> Mask:
    """Which obstacles are fixed to the agent itself, (n, k)."""
    return obstacles.carrier[None] == agents.rows[:, None]
