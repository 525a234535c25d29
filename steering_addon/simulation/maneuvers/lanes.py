"""Lanes: what is ahead of agents that drive along curves.

An agent that goes along a tagged curve is expected to follow it at the distance from it that it has now, as a car keeps
to its side of the road; any other is expected to go straight on. For the former, what is near is straightened: its
distance along the curve, its offset to the side and its height become an offset ahead, to the side and up. So a bend is
as plain as a straight road: what comes round it in the other lane stays there, and what stands behind it is ahead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.once import once
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, clamp, nobody, which
from ..arrays.vectors import Vectors, cross, dot, magnitude, picked, unit
from ..geometry.lines import BLOCK, Followed, Lines
from ..geometry.near_lines import lines_within, nearest_pairs
from ..geometry.obstacles import Obstacles
from ..geometry.paths import lines_of
from ..ground import flat, keeps_upright, of_rows
from ..nearby.neighbors import Near
from ..world import Agents, World
from .braking import COMFORT, room_between
from .junctions import Junctions

ALONG = 0.9
"""Cosine between heading and curve above which an agent goes along the curve, and does not cross it."""
NEAR = 4.0
"""Radii of the body from the curve up to which an agent is on it: the width of a road of two lanes."""
BENDS = 1.6
"""Most metres along a curve for each metre straight on: a half circle has 1.57."""
CHORDS = 12
"""Straight pieces into which the way ahead is cut to look for obstacles."""
WEAVES = 0.1
"""Share of the speed at which two bodies pass up to which their drift toward each other counts as none."""
SAME_WAY = 0.5
"""Cosine between the headings above which two in a lane go the same way."""


def drives_along_paths(world: World, agents: Agents) -> bool:
    """Whether any of the agents may drive along a curve."""
    return bool(world.paths) and bool(np.isfinite(agents.handling.axle).any())


@dataclass(frozen=True)
class Lanes:
    """The lanes of n agents.

    Attributes:
        lines: the curves that they may follow; None if there are none.
        line: (n,) the index of the curve each goes along, -1 for none.
        along: (n,) its position along the curve, metres.
        way: (n,) 1 along the curve, -1 against it.
        left, height: (n,) how far it is to the left of the curve and above it, metres.
        leftward: (n,) how fast it moves to the left, m/s.
    """

    agents: Agents
    lines: Lines | None
    line: Rows
    along: Scalars
    way: Scalars
    left: Scalars
    height: Scalars
    leftward: Scalars

    @classmethod
    def of(cls, world: World, agents: Agents) -> Lanes:
        """The lanes of agents: of the curves that each goes along, the one that it follows, or the nearest."""
        return world.once_for(agents, cls._found)

    @classmethod
    def _found(cls, world: World, agents: Agents) -> Lanes:
        n = len(agents)
        lines, _, _ = lines_of(world.paths)
        lanes = cls(agents, lines, np.full(n, -1, dtype=np.int64), *(np.zeros(n) for _ in range(5)))
        if lines is None:
            return lanes
        if keeps_upright(agents.upward):
            rows, row, along = world.once_for(agents, _followed_by_all)
            number = np.full(len(world.bodies.radius), -1, dtype=np.int64)
            number[agents.rows] = np.arange(n)
            own = which(number[rows] >= 0)
            rows, row, along = number[rows[own]], row[own], along[own]
        else:
            rows, row, along = _followed_by(world, agents, np.arange(n), agents.rows)
        line = lines.followed(row)
        tangent = line.tangent(along)
        way = np.where(dot(picked(agents.forward, rows), tangent) < 0.0, -1.0, 1.0)
        offset = picked(agents.position, rows) - line.position(along)
        aside, above = _axes(agents, rows, tangent * way[:, None])
        lanes.line[rows], lanes.along[rows], lanes.way[rows] = row, along, way
        lanes.left[rows], lanes.height[rows] = dot(offset, aside), dot(offset, above)
        lanes.leftward[rows] = dot(picked(agents.velocity, rows), aside)
        return lanes

    def apart(self, world: World, agent: Rows, body: Rows) -> Mask:
        """The pairs (p,) of an agent and a body that go along different curves."""
        line = self._line_of(world, agent, body)
        return (self.line[agent] >= 0) & (line >= 0) & (self.line[agent] != line)

    def in_one_file(self, world: World, agent: Rows, body: Rows) -> Mask:
        """The pairs (p,) of a driver and a body that are bound for one lane, wherever they are, or go along one curve
        beside which the driver keeps no lane."""
        single = self.driven[agent] & ~self.agents.intention.in_lane[agent]
        single &= self.line[agent] == self._line_of(world, agent, body)
        routed = world.routed
        pairs = which(np.isfinite(self.agents.handling.axle[agent]) & (body < world.vehicles))
        if routed is not None and len(pairs):
            mine, other = self.agents.rows[agent[pairs]], body[pairs]
            lanes = routed.path, routed.spline, routed.left, routed.way
            single[pairs] |= np.all([lane[mine] == lane[other] for lane in lanes], axis=0) & (routed.path[mine] >= 0)
        return single

    def _line_of(self, world: World, agent: Rows, body: Rows) -> Rows:
        """The index of the curve that each body goes along, as agents see it, -1 for none; (p,) each."""
        if keeps_upright(self.agents.upward):
            line = np.full(len(world.bodies.radius), -1, dtype=np.int64)
            rows, line_of_rows, _ = world.once_for(self.agents, _followed_by_all)
            line[rows] = line_of_rows
            return line[body]
        line = np.full(len(body), -1, dtype=np.int64)
        rows, line_of_rows, _ = _followed_by(world, self.agents, agent, body)
        line[rows] = line_of_rows
        return line

    @property
    def driven(self) -> Mask:
        """The agents that drive along a curve, (n,): they keep a lane by steering, and distances by their pedals."""
        return (self.line >= 0) & np.isfinite(self.agents.handling.axle)

    def elsewhere(self, world: World, near: Near, clearance: Scalars, time: Scalars) -> Mask:
        """The pairs (p,) of a driver and a body that stays in another lane, or of which junctions say who goes first.
        `clearance`: (n,) metres to the side that a driver wants; `time`: (n,) seconds for which it looks ahead."""
        mask, pairs = np.zeros(len(near.agent), dtype=np.bool_), which(self.driven[near.agent])
        if len(pairs):
            mask[pairs] = _Encounters.of(self, world, near, pairs).stays_aside(clearance, time)
            mask |= self.regulated(world, near)
        return mask

    def settled(self, world: World, near: Near, clearance: Scalars, time: Scalars) -> Mask:
        """The pairs (p,) in which a driver need not dodge the body, as both keep to their lanes.

        Either the body stays in another lane, or it goes the same way in the same lane: behind the driver, or so far
        ahead that braking comfortably is enough. The arguments are those of `elsewhere`.
        """
        mask, pairs = np.zeros(len(near.agent), dtype=np.bool_), which(self.driven[near.agent])
        if len(pairs):
            encounters = _Encounters.of(self, world, near, pairs)
            mask[pairs] = encounters.stays_aside(clearance, time) | encounters.queues()
            mask |= self.regulated(world, near)
        return mask

    def regulated(self, world: World, near: Near) -> Mask:
        """The pairs (p,) of which the rules of junctions say who goes first."""
        return Junctions.of(world).settle(self.agents.rows[near.agent], near.body)

    def straightened(self, agent: Rows, offset: Vectors, *directions: Vectors) -> tuple[Vectors, ...]:
        """Offsets, and directions or velocities at their ends, as they were if the lanes were straight; (p, 3) each.
        `agent`: (p,) the agent of each; `offset`: (p, 3) from the agent, metres; `directions`: (p, 3) each."""
        result = [offset, *directions]
        pairs = which(self.line[agent] >= 0)
        if self.lines is None or not len(pairs):
            return tuple(result)
        result = [column.copy(order="K") for column in result]
        straight = self._along(self.lines, agent[pairs], *(picked(column, pairs) for column in result))
        for column, values in zip(result, straight):
            column[pairs] = values
        return tuple(result)

    def _along(self, lines: Lines, agent: Rows, offset: Vectors, *directions: Vectors) -> list[Vectors]:
        """As `straightened`, for agents that go along lines."""
        key = agent.tobytes(), offset.tobytes()
        if key not in self._bends:
            self._bends[key] = self._bend(lines, agent, offset)
        straight, axes = self._bends[key]
        return [straight, *(self._in_frame(agent, *(dot(v, axis) for axis in axes)) for v in directions)]

    @once
    def _bends(self) -> dict[tuple[bytes, bytes], tuple[Vectors, tuple[Vectors, ...]]]:
        """The results of `_bend`: several behaviors ask about the same bodies."""
        return {}

    def _bend(self, lines: Lines, agent: Rows, offset: Vectors) -> tuple[Vectors, tuple[Vectors, ...]]:
        """The straightened offsets, and the directions along the curve, to its left and above it at their ends."""
        line, way = lines.followed(self.line[agent]), self.way[agent]
        points, start = picked(self.agents.position, agent) + offset, self.along[agent]
        along = line.nearest_within(points, start, BENDS * magnitude(offset))
        ahead = line.onward(along - start)
        tangent = line.tangent(along) * way[:, None]
        aside, above = _axes(self.agents, agent, tangent)
        beyond = points - line.position(along)
        # Beyond an open end the line goes straight on.
        ahead = ahead * way + dot(beyond, tangent)
        left, up = dot(beyond, aside) - self.left[agent], dot(beyond, above) - self.height[agent]
        return self._in_frame(agent, ahead, left, up), (tangent, aside, above)

    def _in_frame(self, agent: Rows, forward: Scalars, left: Scalars, up: Scalars) -> Vectors:
        """Vectors by their components in the local space of agents, (p,) each to (p, 3)."""
        ahead, side, above = (picked(axis, agent) for axis in (self.agents.forward, self.agents.side, self.agents.up))
        return forward[:, None] * ahead - left[:, None] * side + up[:, None] * above

    def way_to(
        self, obstacles: Obstacles, agent: Rows, row: Rows, nose: Scalars, reach: Scalars, furthest: Scalars
    ) -> Scalars:
        """The distance along the lane at which an agent first comes near an obstacle, (p,) metres; inf for never.

        Args:
            agent, row: (p,) pairs of an agent and an obstacle.
            nose: (p,) from the middle of the agent to the point from which its way is followed, metres.
            reach: (p,) the distance that counts as near, metres.
            furthest: (p,) how far the way is followed, metres.
        """
        course = picked(self.agents.forward, agent)
        start = picked(self.agents.position, agent) + course * nose[:, None]
        on_line = self.line[agent] >= 0
        if self.lines is None or not on_line.any():
            return obstacles.touch(start, course, reach, row, furthest)[0]
        distance = np.full(len(agent), np.inf)
        pairs = which(~on_line)
        distance[pairs], _ = obstacles.touch(
            picked(start, pairs), picked(course, pairs), reach[pairs], row[pairs], furthest[pairs]
        )
        pairs = which(on_line)
        chord = np.where(np.isfinite(furthest), furthest, 0.0)[pairs, None] * (1.0 / CHORDS)
        begins = chord * np.arange(CHORDS + 1.0)
        along = nose[pairs, None] + begins
        repeated = np.repeat(agent[pairs], CHORDS + 1)
        line = self.lines.followed(self.line[repeated])
        points = self._ahead(line, repeated, along.ravel()).reshape(*along.shape, 3)
        before = points[:, :-1].reshape(-1, 3)
        step = points[:, 1:].reshape(-1, 3) - before
        span, gap, obstacle = magnitude(step), np.repeat(reach[pairs], CHORDS), np.repeat(row[pairs], CHORDS)
        touched, _ = obstacles.touch(before, unit(step), gap, obstacle, span)
        touched = np.where(touched <= span, touched, np.inf).reshape(-1, CHORDS)
        distance[pairs] = (begins[:, :-1] + touched).min(axis=1, initial=np.inf)
        return distance

    def _ahead(self, line: Followed, agent: Rows, distance: Scalars) -> Vectors:
        """The points of their lanes some metres ahead of agents on lines, (p,) each to (p, 3)."""
        way = self.way[agent]
        along = self.along[agent] + way * distance
        tangent = line.tangent(along) * way[:, None]
        aside, above = _axes(self.agents, agent, tangent)
        over = np.where(line.closed, 0.0, (along - line.wrapped(along)) * way)
        middle = line.position(along) + tangent * over[:, None]
        return middle + aside * self.left[agent, None] + above * self.height[agent, None]


@dataclass(frozen=True)
class _Encounters:
    """Bodies as drivers meet them in their straightened lanes, p pairs.

    Attributes:
        agents: the n drivers.
        agent: (p,) their rows.
        aside, drift: (p, 3) how far the body is to the side, metres, and how fast it moves aside from the driver, m/s.
        passing: (p,) the speed at which the body comes by, m/s.
        ahead, along: (p,) how far it is ahead, metres, and its velocity ahead, m/s.
        cosine: (p,) between the headings.
        length, width: (p,) metres ahead and to the side at which the two touch.
        beside: (p,) whether there are lanes to keep to: beside one curve, or along several.
    """

    agents: Agents
    agent: Rows
    aside: Vectors
    drift: Vectors
    passing: Scalars
    ahead: Scalars
    along: Scalars
    cosine: Scalars
    length: Scalars
    width: Scalars
    beside: Mask

    @classmethod
    def of(cls, lanes: Lanes, world: World, near: Near, pairs: Rows) -> _Encounters:
        agents, agent, body = lanes.agents, near.agent[pairs], near.body[pairs]
        velocity, heading = picked(world.bodies.velocity, body), picked(world.bodies.forward, body)
        offset, velocity, heading = lanes.straightened(agent, picked(near.offset, pairs), velocity, heading)
        forward = picked(agents.forward, agent)
        ahead, along, cosine = (dot(v, forward) for v in (offset, velocity, heading))
        leftward = lanes.leftward[agent][:, None] * picked(agents.side, agent)
        aside, drift = offset - ahead[:, None] * forward, velocity - along[:, None] * forward + leftward
        passing = np.abs(agents.speed[agent] - along)
        length, width = room_between(world, agents, agent, body, cosine)
        beside = agents.intention.in_lane[agent] | lanes.apart(world, agent, body)
        return cls(agents, agent, aside, drift, passing, ahead, along, cosine, length, width, beside)

    def stays_aside(self, clearance: Scalars, time: Scalars) -> Mask:
        """The bodies that keep clear to the side, (p,); the arguments are those of `Lanes.elsewhere`. Both may weave a
        little in their lanes."""
        steady = magnitude(self.drift) < WEAVES * self.passing
        drift = np.where(steady[:, None], 0.0, self.drift)
        square = np.maximum(dot(drift, drift), EPSILON)
        nearest = clamp(-dot(self.aside, drift) / square, 0.0, time[self.agent])
        apart = magnitude(self.aside + drift * nearest[:, None])
        return self.beside & (apart >= self.width + clearance[self.agent])

    def queues(self) -> Mask:
        """The bodies that go the same way behind the driver, or ahead of it so that it stops in time, (p,)."""
        agent, agents = self.agent, self.agents
        closing = np.maximum(agents.speed[agent] - np.maximum(self.along, 0.0), 0.0)
        stops = closing * closing < 2.0 * COMFORT * agents.agility[agent] * (self.ahead - self.length)
        return (self.cosine > SAME_WAY) & ((self.ahead < -self.length) | stops)


def _axes(agents: Agents, rows: Rows, tangent: Vectors) -> tuple[Vectors, Vectors]:
    """The unit directions to the left of a curve and above it, as the agents of some rows (p,) stand; (p, 3) each."""
    aside = unit(cross(picked(agents.up, rows), tangent))
    return aside, cross(tangent, aside)


def _followed_by_all(world: World, agents: Agents) -> tuple[Rows, Rows, Scalars]:
    """As `_followed_by`, for upright agents, who see everything from the same direction, and all bodies they see."""
    bodies = np.union1d(world.perceivable, agents.rows)
    rows, line, along = _followed_by(world, agents, np.zeros(len(bodies), dtype=np.int64), bodies)
    return bodies[rows], line, along


def _followed_by(world: World, agents: Agents, looking: Rows, body: Rows) -> tuple[Rows, Rows, Scalars]:
    """The line along which each body (m,) goes, of those within reach of it the one that it follows, or the nearest.

    Args:
        looking: (m,) the row of the agent that looks at each; on the ground, distances are those seen from above.

    Returns:
        rows: (k,) of the bodies that go along a line.
        line, along: (k,) the row of the line, and the position along it, metres.
    """
    lines, path, spline = lines_of(world.paths)
    if lines is None:
        none = which(nobody(0))
        return none, none, np.zeros(0)
    position, reach = picked(world.bodies.position, body), NEAR * world.bodies.radius[body]
    upward = agents.upward_of(looking)
    grounded = bool(agents.grounded.all())
    owner, row, along = lines_within(lines, position, reach, upward if grounded else None)
    line, points = lines.followed(row), picked(position, owner)
    along = line.nearest_within(points, along, BLOCK * line.spacing)
    offset = points - line.position(along)
    distance = magnitude(flat(offset, of_rows(upward, owner)) if grounded else offset)
    heading = picked(world.bodies.forward, body[owner])
    near = which((np.abs(dot(heading, line.tangent(along))) > ALONG) & (distance < reach[owner]))
    owner, row, along, distance = owner[near], row[near], along[near], distance[near]
    if world.routed is not None:
        # Ways that share a stretch part behind it.
        vehicles = which(body[owner] < world.vehicles)
        vehicle, line_of = body[owner[vehicles]], row[vehicles]
        own = (world.routed.path[vehicle] == path[line_of]) & (world.routed.spline[vehicle] == spline[line_of])
        distance[vehicles[own]] = -1.0
    nearest = nearest_pairs(owner, row, distance)
    return owner[nearest], row[nearest], along[nearest]
