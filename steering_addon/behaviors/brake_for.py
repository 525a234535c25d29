"""Brake for: slow down for crossing traffic (not in the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import EPSILON, Mask, Number, Rows, Scalars, Vectors, dot, largest, magnitude, picked
from ..simulation.behavior import OURS, Intent, Steering
from ..simulation.declaration import Choice, called, choice, length, seconds
from ..simulation.geometry.obstacles import OUTSIDE
from ..simulation.maneuvers.braking import COMFORT, MARGIN, braking, least, stopping_distance
from ..simulation.maneuvers.neighborhood import Neighborhood
from ..simulation.nearby.neighbors import NEIGHBORS, Near, Neighbors
from ..simulation.world import Agents, World

OBSTACLES = (
    Choice("NONE", 0, "None", "Brake for vehicles only"),
    Choice("MOVING", 1, "Moving", "Brake for vehicles and for obstacles that move"),
    Choice("ALL", 2, "All", "Brake for vehicles and for all obstacles in the way"),
)
NONE, MOVING, ALL = (c.number for c in OBSTACLES)
CRAWL = 0.02
"""Share of the top speed below which something counts as standing."""
SAME_WAY = 0.7
"""Cosine between the two courses above which the other goes the same way: it is followed, and not given way."""


@dataclass(frozen=True)
class BrakeFor(Neighborhood):
    """Slow down and stop for what crosses or stands in the way, and do not go round it.

    Assumes that everything goes straight on. In a crowd the vehicle from the right goes first. Vehicles that go the
    same way are left to Keep Distance. Does nothing about what passes before the agent or after it.
    """

    name = "brake_for"
    label = "Brake For"
    term = OURS
    intent = Intent.REACT

    distance: Number = called("Sees Up To", length(20.0, "How far away other vehicles still count"))
    neighbors: Rows = called("Who Counts", choice("EVERYONE", "Which vehicles count", NEIGHBORS, animatable=False))
    obstacles: Rows = choice("ALL", "Which obstacles count", OBSTACLES, animatable=False)
    look_ahead_time: Number = called(
        "Looks Ahead", seconds(4.0, "Time within which something has to come into the way to matter", 0.01)
    )
    clearance: Number = length(0.5, "Room between the bodies")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        standing, moving = self._obstacles(world, agents)
        allowed = self._standing(world, agents, *standing)
        for crossing in (moving, self._vehicles(world, agents)):
            allowed = np.minimum(allowed, crossing.allowed(agents))
        return Steering(braking(agents, allowed), speed_limit=allowed)

    def reach_hint(self) -> float:
        """Unknown in advance; depends on the braking distance and on the speed of others."""
        return 0.0

    def near(self, world: World, agents: Agents) -> Neighbors:
        """The vehicles within the distance that could be in the way before the agent can stop or pass."""
        bodies, rows = world.bodies, world.perceivable
        stopping = stopping_distance(agents)
        room = agents.radius + largest(bodies.radius[rows]) + self.clearance
        speed = np.maximum(agents.speed, EPSILON)
        time = np.minimum(self.look_ahead_time, (stopping + 2.0 * room) / speed)
        quickest = largest(magnitude(picked(bodies.velocity, rows)))
        matters = stopping + room + time * (quickest + agents.speed) + MARGIN
        distance = np.minimum(self.distance, matters)
        return world.neighbors(agents, distance, self.angle, self.neighbors, self.crowd)

    def _standing(self, world: World, agents: Agents, agent: Rows, row: Rows) -> Scalars:
        """The speed from which each agent can stop before the obstacles that stand in its way, (n,) m/s.

        Args:
            agent, row: (p,) pairs of an agent and an obstacle.
        """
        reach, furthest = (agents.radius + self.clearance)[agent], self.distance[agent]
        course = picked(agents.forward, agent)
        way, _ = world.obstacles.touch(picked(agents.position, agent), course, reach, row, furthest)
        stopping = np.sqrt(2.0 * COMFORT * agents.agility[agent] * np.minimum(way, furthest))
        return least(len(agents), agent, np.where(way < furthest, stopping, np.inf))

    def _obstacles(self, world: World, agents: Agents) -> tuple[tuple[Rows, Rows], _Crossing]:
        """The obstacles nearby that count: pairs (p,) of an agent and a standing one, and those that may cross."""
        obstacles = world.obstacles
        agent, row = obstacles.near(agents.position, self.distance)
        moves = magnitude(obstacles.velocity)[row] > CRAWL * agents.max_speed[agent]
        counts = (self.obstacles[agent] == ALL) | ((self.obstacles[agent] == MOVING) & moves)
        crosses = moves & (obstacles.side[row] == OUTSIDE)
        standing = counts & ~crosses
        still = agent[standing], row[standing]
        pairs = np.flatnonzero(counts & crosses)
        agent, row = agent[pairs], row[pairs]
        position = picked(agents.position, agent)
        offset = obstacles.axis_point(position, row) - position
        return still, self._crossing(agents, agent, offset, picked(obstacles.velocity, row), obstacles.radius[row])

    def _vehicles(self, world: World, agents: Agents) -> _Crossing:
        """The vehicles nearby that may cross, without those of the same crowd that give way."""
        bodies = world.bodies
        crowd, speed = bodies.crowd[agents.rows], magnitude(bodies.velocity)

        def goes_first(near: Near) -> Mask:
            moves = speed[near.body] > CRAWL * near.of_agent(agents.max_speed)
            on_the_left = near.along(agents.side) < 0.0
            return ~(moves & on_the_left & (bodies.crowd[near.body] == near.of_agent(crowd)))

        near = self.near(world, agents).where(goes_first).together()
        velocity, radius = picked(bodies.velocity, near.body), bodies.radius[near.body]
        return self._crossing(agents, near.agent, near.offset, velocity, radius)

    def _crossing(self, agents: Agents, agent: Rows, offset: Vectors, velocity: Vectors, radius: Scalars) -> _Crossing:
        """The bodies that come into the ways of agents soon enough, of p bodies near them.

        Args:
            agent: (p,) the agent that each body is near.
            offset: (p, 3) from the agent to the body, metres.
            velocity: (p, 3) of the body, m/s.
            radius: (p,) of the body, metres.
        """
        forward = picked(agents.forward, agent)
        ahead, along = dot(offset, forward), dot(velocity, forward)
        # A body behind the agent that does not move forward stays behind it.
        pairs = np.flatnonzero((ahead > 0.0) | (along > 0.0))
        agent, ahead, along = agent[pairs], ahead[pairs], along[pairs]
        offset, velocity = picked(offset, pairs), picked(velocity, pairs)
        room = agents.radius[agent] + radius[pairs] + self.clearance[agent]
        enters, leaves = _in_the_way(offset, velocity, ahead, along, room)
        longest = self.look_ahead_time[agent]
        pairs = np.flatnonzero((enters < longest) & (leaves > 0.0))
        columns = (ahead, along, magnitude(velocity), room, enters, np.minimum(leaves, longest), leaves)
        return _Crossing(agent[pairs], *(column[pairs] for column in columns))


@dataclass(frozen=True)
class _Crossing:
    """Bodies that come into the straight ways of agents, p pairs.

    Attributes:
        agent: (p,) the agent.
        ahead: (p,) the offset of the body along the way, metres.
        along: (p,) the velocity of the body along the way, m/s.
        speed: (p,) the speed of the body, m/s.
        room: (p,) the distance from the way within which the body is in it, metres.
        enters, leaves: (p,) seconds until it comes into the way and until it has left it; inf for never.
        last: (p,) `leaves`, limited to the look-ahead time, seconds.
    """

    agent: Rows
    ahead: Scalars
    along: Scalars
    speed: Scalars
    room: Scalars
    enters: Scalars
    last: Scalars
    leaves: Scalars

    def allowed(self, agents: Agents) -> Scalars:
        """The speed from which each agent can stop before what crosses, or pass after it, (n,) m/s."""
        agent = self.agent
        at_first, at_last = self.ahead + self.along * self.enters, self.ahead + self.along * self.last
        way = np.maximum(np.minimum(at_first, at_last) - self.room, 0.0)
        speed = np.maximum(agents.speed[agent], EPSILON)
        follows = (self.speed > CRAWL * agents.max_speed[agent]) & (self.along > SAME_WAY * self.speed)
        first = (np.maximum(at_first, at_last) + self.room) / speed < self.enters
        pairs = np.flatnonzero((at_first > 0.0) & ~follows & ~first)
        agent, way = agent[pairs], way[pairs]
        brakes = COMFORT * agents.agility[agent]
        after = way / np.maximum(self.leaves[pairs], EPSILON)
        return least(len(agents), agent, np.maximum(np.sqrt(2.0 * brakes * way), after))


def _in_the_way(
    offset: Vectors, velocity: Vectors, ahead: Scalars, along: Scalars, room: Scalars
) -> tuple[Scalars, Scalars]:
    """`enters` and `leaves`, as of `_Crossing`: the roots of |offset + velocity t| across the way = room.

    Args:
        offset, velocity: (p, 3) from the agent to the body, metres, and the velocity of the body, m/s.
        ahead, along: (p,) their components along the way.
        room: (p,) metres.
    """
    a = dot(velocity, velocity) - along * along
    b = dot(offset, velocity) - ahead * along
    c = dot(offset, offset) - ahead * ahead - room * room
    square = b * b - a * c
    crosses = a > 1e-6
    root = np.sqrt(np.maximum(square, 0.0))
    safe = np.where(crosses, a, 1.0)
    enters = np.where(crosses, (-b - root) / safe, np.where(c < 0.0, 0.0, np.inf))
    leaves = np.where(crosses, (-b + root) / safe, np.inf)
    missed = crosses & (square <= 0.0)
    return np.where(missed, np.inf, np.maximum(enters, 0.0)), np.where(missed, -np.inf, leaves)
