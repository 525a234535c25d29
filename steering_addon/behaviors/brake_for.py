"""Brake for: slow down for what crosses (not in the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.declaration import Choice, called, choice, length, seconds
from ..simulation.neighbors import NEIGHBORS, Neighbors
from ..simulation.obstacles import OUTSIDE
from ..simulation.vectors import EPSILON, Mask, Number, Rows, Scalars, Vectors, clamp, dot, magnitude, picked
from ..simulation.world import Agents, Memory, World
from .braking import COMFORT, MARGIN, UNHINDERED, braking, least, stopping_distance
from .declaration import OURS, Intent
from .neighborhood import Neighborhood

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
    remembers = UNHINDERED

    distance: Number = called("Sees Up To", length(20.0, "How far away others still count"))
    neighbors: Number = called("Who Counts", choice("EVERYONE", "Who counts", NEIGHBORS, animatable=False))
    obstacles: Number = choice("ALL", "Which obstacles count", OBSTACLES, animatable=False)
    look_ahead_time: Number = called(
        "Looks Ahead", seconds(4.0, "How soon something has to come into the way to matter", 0.01)
    )
    clearance: Number = length(0.5, "Room between the bodies")

    def steer(self, world: World, agents: Agents) -> tuple[Vectors, Memory]:
        standing, crossing = self._obstacles(world, agents)
        allowed = np.minimum(self._standing(world, agents, *standing), self._allowed(crossing, agents))
        allowed = np.minimum(allowed, self._allowed(self._vehicles(world, agents), agents))
        return braking(agents, allowed), {"allowed": allowed}

    def fastest(self, world: World, agents: Agents) -> Scalars:
        return agents.memory["allowed"]

    def sight(self) -> float:
        """Nothing that could be said beforehand: no further than what crosses can come while it would have to stop."""
        return 0.0

    def near(self, world: World, agents: Agents) -> Neighbors:
        """Those within the distance who can be where it would be hard to stop before it is through."""
        stopping = stopping_distance(agents)
        room = agents.radius + float(world.bodies.radius.max(initial=0.0)) + self.clearance
        going = np.maximum(agents.speed, EPSILON)
        time = np.minimum(self.look_ahead_time, (stopping + 2.0 * room) / going)
        quickest = float(magnitude(world.bodies.velocity).max(initial=0.0))
        matters = stopping + room + time * (quickest + agents.speed) + MARGIN
        distance = np.minimum(self.distance, matters)
        return world.neighbors(agents, distance, self.angle, self.neighbors, self.crowd)

    def _standing(self, world: World, agents: Agents, agent: Rows, row: Rows) -> Scalars:
        """The speed that lets each agent stop before the obstacles that stand where it is going, (n,) m/s."""
        reach = (agents.radius + self.clearance)[agent]
        course = picked(agents.forward, agent)
        way, _ = world.obstacles.touch(picked(agents.position, agent), course, reach, row)
        stopping = np.sqrt(2.0 * COMFORT * agents.agility[agent] * np.minimum(way, self.distance[agent]))
        return least(len(agents), agent, np.where(way < self.distance[agent], stopping, np.inf))

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
        crossing = _Crossing(agent[some], offset, picked(obstacles.velocity, row[some]), obstacles.radius[row[some]])
        standing = counts & ~crosses
        return (agent[standing], row[standing]), crossing

    def _vehicles(self, world: World, agents: Agents) -> _Crossing:
        """The vehicles near, without those of one crowd that will let it pass."""
        near = self.near(world, agents).together()
        mates = world.bodies.crowd[near.body] == world.bodies.crowd[agents.rows][near.agent]
        on_the_left = dot(near.offset, picked(agents.side, near.agent)) < 0.0
        velocity = picked(world.bodies.velocity, near.body)
        yields = mates & on_the_left & (magnitude(velocity) > CRAWL * agents.max_speed[near.agent])
        return _Crossing(near.agent, near.offset, velocity, world.bodies.radius[near.body]).without(yields)

    def _allowed(self, crossing: _Crossing, agents: Agents) -> Scalars:
        """The speed that lets each agent stop before what crosses, or be there after it, (n,) m/s."""
        agent = crossing.agent
        forward = picked(agents.forward, agent)
        room = agents.radius[agent] + crossing.radius + self.clearance[agent]
        ahead, along = dot(crossing.offset, forward), dot(crossing.velocity, forward)
        enters, leaves = _in_the_way(crossing, forward, room)
        longest = self.look_ahead_time[agent]
        at_first = ahead + along * np.minimum(enters, longest)
        at_last = ahead + along * clamp(leaves, 0.0, longest)
        way = np.maximum(np.minimum(at_first, at_last) - room, 0.0)

        going = np.maximum(agents.speed[agent], EPSILON)
        moves = magnitude(crossing.velocity) > CRAWL * agents.max_speed[agent]
        follows = moves & (along > SAME_WAY * magnitude(crossing.velocity))
        first = (np.maximum(at_first, at_last) + room) / going < enters
        counts = (enters < longest) & (leaves > 0.0) & (at_first > 0.0) & ~follows & ~first
        some = np.flatnonzero(counts)
        brakes = COMFORT * agents.agility[agent[some]]
        after = way[some] / np.maximum(leaves[some], EPSILON)
        return least(len(agents), agent[some], np.maximum(np.sqrt(2.0 * brakes * way[some]), after))


@dataclass(frozen=True)
class _Crossing:
    """Things that might come into somebody's way.

    Attributes:
        agent: (p,) into whose.
        offset, velocity: (p, 3) from there, metres, and its own, metres a second.
        radius: (p,) metres.
    """

    agent: Rows
    offset: Vectors
    velocity: Vectors
    radius: Scalars

    def without(self, some: Mask) -> _Crossing:
        """Those that are left when some are not counted."""
        rest = np.flatnonzero(~some)
        return _Crossing(self.agent[rest], picked(self.offset, rest), picked(self.velocity, rest), self.radius[rest])


def _in_the_way(crossing: _Crossing, forward: Vectors, room: Scalars) -> tuple[Scalars, Scalars]:
    """When each comes nearer to the line ahead than the room, and when it is through, (p,) seconds; inf for never."""
    aside = crossing.offset - dot(crossing.offset, forward)[:, None] * forward
    across = crossing.velocity - dot(crossing.velocity, forward)[:, None] * forward
    a, b, c = dot(across, across), dot(aside, across), dot(aside, aside) - room * room
    crosses = a > 1e-6
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    safe = np.where(crosses, a, 1.0)
    enters = np.where(crosses, (-b - root) / safe, np.where(c < 0.0, 0.0, np.inf))
    leaves = np.where(crosses, (-b + root) / safe, np.inf)
    missed = crosses & (b * b - a * c <= 0.0)
    return np.where(missed, np.inf, np.maximum(enters, 0.0)), np.where(missed, -np.inf, leaves)
