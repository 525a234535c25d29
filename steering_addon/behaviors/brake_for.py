"""Brake for: slow down for what crosses (not in the paper)."""

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
    Choice("NONE", 0, "None", "Only vehicles are braked for"),
    Choice("MOVING", 1, "Moving", "Only obstacles that are on the move"),
    Choice("ALL", 2, "All", "Whatever obstacle is in the way"),
)
NONE, MOVING, ALL = (c.number for c in OBSTACLES)
CRAWL = 0.02
"""Share of the top speed below which something stands."""
SAME_WAY = 0.7
"""Cosine of the course to one's own from which something goes the same way and is followed, not let pass."""


@dataclass(frozen=True)
class BrakeFor(Neighborhood):
    """Slow down and stop for what crosses or stands in the way, and do not go round it.

    Supposes that everything goes straight on. Does nothing where it is through before the other comes, or the other
    before it does. Of two of one crowd who come from right and left, the one from the right goes first. Who goes the
    same way is left to Keep Distance.
    """

    name = "brake_for"
    label = "Brake For"
    term = OURS
    intent = Intent.REACT

    distance: Number = called("Sees Up To", length(20.0, "How far away others still count"))
    neighbors: Rows = called("Who Counts", choice("EVERYONE", "Who counts", NEIGHBORS, animatable=False))
    obstacles: Rows = choice("ALL", "Which obstacles count", OBSTACLES, animatable=False)
    look_ahead_time: Number = called(
        "Looks Ahead", seconds(4.0, "How soon something has to come into the way to matter", 0.01)
    )
    clearance: Number = length(0.5, "Room between the bodies")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        standing, moving = self._obstacles(world, agents)
        allowed = self._standing(world, agents, *standing)
        for crossing in (moving, self._vehicles(world, agents)):
            allowed = np.minimum(allowed, crossing.allowed(agents))
        return Steering(braking(agents, allowed), speed_limit=allowed)

    def reach_hint(self) -> float:
        """Unknown beforehand; depends on the braking distance and on how fast others cross."""
        return 0.0

    def near(self, world: World, agents: Agents) -> Neighbors:
        """Those within the distance who can be where it would be hard to stop before it is through."""
        bodies, seen = world.bodies, world.perceivable
        stopping = stopping_distance(agents)
        room = agents.radius + largest(bodies.radius[seen]) + self.clearance
        going = np.maximum(agents.speed, EPSILON)
        time = np.minimum(self.look_ahead_time, (stopping + 2.0 * room) / going)
        quickest = largest(magnitude(picked(bodies.velocity, seen)))
        matters = stopping + room + time * (quickest + agents.speed) + MARGIN
        distance = np.minimum(self.distance, matters)
        return world.neighbors(agents, distance, self.angle, self.neighbors, self.crowd)

    def _standing(self, world: World, agents: Agents, agent: Rows, row: Rows) -> Scalars:
        """The speed that lets each agent stop before the obstacles that stand where it is going, (n,) m/s."""
        reach, furthest = (agents.radius + self.clearance)[agent], self.distance[agent]
        course = picked(agents.forward, agent)
        way, _ = world.obstacles.touch(picked(agents.position, agent), course, reach, row, furthest)
        stopping = np.sqrt(2.0 * COMFORT * agents.agility[agent] * np.minimum(way, furthest))
        return least(len(agents), agent, np.where(way < furthest, stopping, np.inf))

    def _obstacles(self, world: World, agents: Agents) -> tuple[tuple[Rows, Rows], _Crossing]:
        """The obstacles near that count: pairs of an agent and one that stands, and what might cross."""
        obstacles = world.obstacles
        agent, row = obstacles.near(agents.position, self.distance)
        moves = magnitude(obstacles.velocity)[row] > CRAWL * agents.max_speed[agent]
        counts = (self.obstacles[agent] == ALL) | ((self.obstacles[agent] == MOVING) & moves)
        crosses = moves & (obstacles.side[row] == OUTSIDE)
        some = np.flatnonzero(counts & crosses)
        position = picked(agents.position, agent[some])
        offset = obstacles.axis_point(position, row[some]) - position
        velocity, radius = picked(obstacles.velocity, row[some]), obstacles.radius[row[some]]
        standing = counts & ~crosses
        return (agent[standing], row[standing]), self._crossing(agents, agent[some], offset, velocity, radius)

    def _vehicles(self, world: World, agents: Agents) -> _Crossing:
        """The vehicles near, without those of one crowd that will let it pass."""
        bodies = world.bodies
        crowd, speed = bodies.crowd[agents.rows], magnitude(bodies.velocity)

        def goes_first(near: Near) -> Mask:
            moves = speed[near.body] > CRAWL * near.own(agents.max_speed)
            on_the_left = near.along(agents.side) < 0.0
            return ~(moves & on_the_left & (bodies.crowd[near.body] == near.own(crowd)))

        near = self.near(world, agents).where(goes_first).together()
        velocity, radius = picked(bodies.velocity, near.body), bodies.radius[near.body]
        return self._crossing(agents, near.agent, near.offset, velocity, radius)

    def _crossing(self, agents: Agents, agent: Rows, offset: Vectors, velocity: Vectors, radius: Scalars) -> _Crossing:
        """What comes into the ways of agents soon enough, of all that is near, (p,).

        Args:
            agent: (p,) near which of them.
            offset, velocity: (p, 3) from there, metres, and its own, metres a second.
            radius: (p,) metres.
        """
        forward = picked(agents.forward, agent)
        ahead, along = dot(offset, forward), dot(velocity, forward)
        # What is behind and does not come from there stays there.
        some = np.flatnonzero((ahead > 0.0) | (along > 0.0))
        agent, ahead, along = agent[some], ahead[some], along[some]
        offset, velocity = picked(offset, some), picked(velocity, some)
        room = agents.radius[agent] + radius[some] + self.clearance[agent]
        enters, leaves = _in_the_way(offset, velocity, ahead, along, room)
        longest = self.look_ahead_time[agent]
        some = np.flatnonzero((enters < longest) & (leaves > 0.0))
        numbers = (ahead, along, magnitude(velocity), room, enters, np.minimum(leaves, longest), leaves)
        return _Crossing(agent[some], *(column[some] for column in numbers))


@dataclass(frozen=True)
class _Crossing:
    """Things that come into somebody's way.

    Attributes:
        agent: (p,) into whose.
        ahead, along: (p,) how far each is along that way, metres, and how fast it goes along it, m/s.
        speed: (p,) how fast it goes, m/s.
        room: (p,) how near is in the way, metres.
        enters, leaves: (p,) when it comes into the way and when it is through, seconds; inf for never.
        last: (p,) until when it is looked at, at the longest till it is through, seconds.
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
        """The speed that lets each agent stop before what crosses, or be there after it, (n,) m/s."""
        agent = self.agent
        at_first, at_last = self.ahead + self.along * self.enters, self.ahead + self.along * self.last
        way = np.maximum(np.minimum(at_first, at_last) - self.room, 0.0)
        going = np.maximum(agents.speed[agent], EPSILON)
        follows = (self.speed > CRAWL * agents.max_speed[agent]) & (self.along > SAME_WAY * self.speed)
        first = (np.maximum(at_first, at_last) + self.room) / going < self.enters
        some = np.flatnonzero((at_first > 0.0) & ~follows & ~first)
        brakes = COMFORT * agents.agility[agent[some]]
        after = way[some] / np.maximum(self.leaves[some], EPSILON)
        return least(len(agents), agent[some], np.maximum(np.sqrt(2.0 * brakes * way[some]), after))


def _in_the_way(
    offset: Vectors, velocity: Vectors, ahead: Scalars, along: Scalars, room: Scalars
) -> tuple[Scalars, Scalars]:
    """When each comes nearer to the line ahead than the room, and when it is through, (p,) seconds; inf for never.

    Args:
        offset, velocity: (p, 3) where each is and how it moves.
        ahead, along: (p,) how much of these is along the line.
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
