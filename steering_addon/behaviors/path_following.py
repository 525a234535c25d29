"""Path following (paper, Path Following)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..simulation.arrays.vectors import EPSILON, Mask, Number, Rows, Scalars, Vectors, clamp, dot, magnitude, unit
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import NEAREST, Choice, called, choice, length, path, seconds
from ..simulation.geometry.paths import Path, Spline, nearest_spline
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World

RESPONSE_TIME = 0.5
"""Seconds in which followers take up the direction of the path, where the radius leaves that much."""
LOST = 3.0
"""Radii off its place on the path from which on a follower looks for the nearest place anew."""
COMFORT = 0.7
"""Share of max_force that bends are taken with; the rest brings back who is carried wide."""
EASE = 0.5
"""Share of max_force that slows down for bends and the end ahead."""
BENDS = 8
"""Places ahead at which bends are looked for."""

PULLS = (
    Choice("FADING", 0, "Fading", "Sets in gently past half the radius, so that nobody weaves"),
    Choice("CORRIDOR", 1, "All or Nothing", "The paper's way: nothing inside the radius, full steering outside"),
)
FADING, CORRIDOR = (c.number for c in PULLS)
DIRECTIONS = (
    Choice("FORWARD", 0, "Forward", "From the start of the curve to its end"),
    Choice("BACKWARD", 1, "Backward", "From the end of the curve to its start"),
    Choice("EITHER", 2, "Either", "The way the vehicle faces when it comes to the path"),
)
FORWARD, BACKWARD, EITHER = (c.number for c in DIRECTIONS)
ENDS = (
    Choice("STOP", 0, "Stop", "Slow down and stay at the end"),
    Choice("LOOP", 1, "Loop", "Go back to where the path begins and follow it again"),
    Choice("TURN_BACK", 2, "Turn Back", "Turn round and follow it the other way"),
)
STOP, LOOP, TURN_BACK = (c.number for c in ENDS)


@dataclass(frozen=True)
class Following(Memory):
    """Where each agent is on its path.

    Attributes:
        path: (n,) the row of the path it follows, -1 before it has chosen one.
        spline: (n,) which spline of the path.
        along: (n,) how far along the spline it is, metres.
        way: (n,) 1 along the spline, -1 against it.
        returning: (n,) whether it is on its way back to where the path begins.
    """

    path: Rows = remembered(-1)
    spline: Rows = remembered(0)
    along: Scalars = remembered(0.0)
    way: Scalars = remembered(1.0)
    returning: Mask = remembered(False)


@dataclass(frozen=True)
class PathFollowing(Behavior):
    """Go along a curve, near its middle but free to stray within the radius.

    Looks where the agent will be, finds the nearest place on the path and steers along the path's direction there, with
    a pull inward toward the edge of the radius. Slows down for bends it could not hold, and at the end of an open curve
    stops, goes round again or turns back. Does nothing without a path.
    """

    name = "path_following"
    label = "Follow Path"
    term = "path following"
    intent = Intent.GO
    width = "radius"
    remembers = Following

    path: Rows = path("Curve to follow; empty: the nearest path")
    radius: Number = length(1.0, "How far to either side of the curve is still on the path", 0.01)
    prediction_time: Number = called("Looks Ahead", seconds(1.0, "How far ahead it looks"))
    direction: Rows = choice("FORWARD", "Which way along the curve", DIRECTIONS, animatable=False)
    end: Rows = choice("STOP", "What to do at the end of an open curve", ENDS)
    pull: Rows = choice("FADING", "How the way back to the path sets in", PULLS)

    def steer(self, world: World, agents: Agents, memory: Following) -> Steering:
        memory = _on_paths(self, world, agents, memory)
        force, free = agents.none(), np.zeros(len(agents), dtype=np.bool_)
        reached, after = np.zeros(len(agents), dtype=np.bool_), memory
        for rows, line in _lines(world, memory):
            followers = _Follower.of(self.take(rows), agents.take(rows), memory.take(rows), line, world.dt)
            force[rows], free[rows] = followers.steering(), followers.free()
            after = after.put(rows, followers.memory(memory.take(rows)))
            reached[rows] = _at_the_end(after.take(rows), line, agents.take(rows))
        return Steering(
            force,
            after,
            sets_speed=(memory.path >= 0) & ~free,
            arrived=reached & (self.end == STOP) & ~after.returning,
        )


def _at_the_end(memory: Following, line: Spline, agents: Agents) -> Mask:
    """The agents that have come to the end of an open line; that they are beside it does not count."""
    near = np.where(agents.arrival_distance > 0.0, agents.arrival_distance, agents.radius)
    left = np.where(memory.way > 0.0, line.length - memory.along, memory.along)
    mask: Mask = (left <= np.maximum(near, line.spacing)) & (not line.closed)
    return mask


def _lines(world: World, memory: Following) -> Iterator[tuple[Rows, Spline]]:
    """The lines that any agent follows, each with the rows of its followers."""
    followed = {pair for pair in zip(memory.path.tolist(), memory.spline.tolist(), strict=True) if pair[0] >= 0}
    for row, number in sorted(followed):
        yield np.flatnonzero((memory.path == row) & (memory.spline == number)), world.paths[row][number]


def _on_paths(behavior: PathFollowing, world: World, agents: Agents, memory: Following) -> Following:
    """The memory in which every agent that can has a path, a line of it and a place on it."""
    asked = behavior.path
    known = memory.path >= 0
    valid = known & ((asked == NEAREST) | (memory.path == asked)) & _exists(world.paths, memory)
    new = np.flatnonzero(~valid & (asked != -1))
    memory = replace(memory, path=np.where(valid, memory.path, -1))
    if not len(new):
        return memory
    best = np.full(len(new), np.inf)
    for row, curve in enumerate(world.paths):
        fits = np.flatnonzero((asked[new] == row) | (asked[new] == NEAREST))
        if not len(fits) or not len(curve):
            continue
        rows = new[fits]
        line, along = nearest_spline(curve, agents.position[rows])
        distance, tangent = _seen_from(curve, line, along, agents.position[rows])
        closer = distance < best[fits]
        rows = rows[closer]
        best[fits[closer]] = distance[closer]
        along_it = np.where(dot(agents.forward[rows], tangent[closer]) >= 0.0, 1.0, -1.0)
        ways = [behavior.direction[rows] == FORWARD, behavior.direction[rows] == BACKWARD]
        way = np.select(ways, [np.full(len(rows), 1.0), np.full(len(rows), -1.0)], along_it)
        path, returning = np.full(len(rows), row), np.zeros(len(rows), dtype=np.bool_)
        memory = memory.put(rows, Following(path, line[closer], along[closer], way, returning))
    return memory


def _exists(paths: tuple[Path, ...], memory: Following) -> Mask:
    """Whether the remembered line is still there, and still a line."""
    there: Mask = np.zeros(len(memory.path), dtype=np.bool_)
    for row, curve in enumerate(paths):
        for number, line in enumerate(curve):
            if line.length > 0.0:
                there |= (memory.path == row) & (memory.spline == number)
    return there


def _seen_from(curve: Path, line: Rows, along: Scalars, points: Vectors) -> tuple[Scalars, Vectors]:
    """How far the points are from their places on a curve, and the tangents there."""
    distance = np.full(len(points), np.inf)
    tangent = np.zeros((len(points), 3))
    for row, spline in enumerate(curve):
        here = line == row
        distance[here] = magnitude(points[here] - spline.position(along[here]))
        tangent[here] = spline.tangent(along[here])
    return distance, tangent


@dataclass(frozen=True)
class _Follower:
    """The agents on one line, and where they stand with it.

    Attributes:
        line: the line.
        agents: (m) those who follow it.
        behavior: their parameters.
        along: (m,) metres along the line of their own place.
        ahead: (m,) metres along the line of the place they look at.
        future: (m, 3) where they will be.
        time: (m,) seconds they look ahead.
        way: (m,) 1 along the line, -1 against it.
        returning: (m,) whether they are on their way back to where the path begins.
        dt: seconds.
    """

    line: Spline
    agents: Agents
    behavior: PathFollowing
    along: Scalars
    ahead: Scalars
    future: Vectors
    time: Scalars
    way: Scalars
    returning: Mask
    dt: float

    @classmethod
    def of(cls, behavior: PathFollowing, agents: Agents, memory: Following, line: Spline, dt: float) -> _Follower:
        way, returning = memory.way, memory.returning
        begin = np.where(way > 0.0, 0.0, line.length)
        along = _place(line, agents, memory.along, behavior.radius, dt)
        along = np.where(returning, begin, along)
        # Further than the radius allows, a straight guess leaves the path in every bend and cuts it.
        time = np.minimum(behavior.prediction_time, np.sqrt(behavior.radius / np.maximum(agents.agility, EPSILON)))
        time = np.maximum(time, dt)
        future = agents.predicted_position(time)
        stride = agents.speed * time
        # Not much further than they will get: inside a sharp bend both its branches are near, and pull opposite ways.
        ahead = line.nearest_within(future, along + 0.5 * way * stride, stride + 2.0 * line.spacing)
        # Where the line folds back, who looks at the far branch and is nearer to it goes on from there.
        folded = dot(line.tangent(along), line.tangent(ahead)) < 0.0
        folded &= (_distance(line, agents, ahead) < _distance(line, agents, along)) & ~returning
        along = np.where(folded, ahead, along)
        return cls(line, agents, behavior, along, ahead, future, time, way, returning, dt)

    @property
    def rest(self) -> Scalars:
        """(m,) metres of the path that are left, inf on a closed line."""
        if self.line.closed:
            return np.full(len(self.along), np.inf)
        return np.where(self.way > 0.0, self.line.length - self.along, self.along)

    def steering(self) -> Vectors:
        """(m, 3) newtons."""
        tangent = self.line.tangent(self.ahead) * self.way[:, None]
        inward = self._inward()
        radius = self.behavior.radius
        half = radius / 2.0
        pull = clamp((magnitude(inward) - half) / half, 0.0, 1.0)
        flow = unit(self.agents.level(tangent) + inward * (pull / radius)[:, None])
        begin = self.line.position(np.where(self.way > 0.0, 0.0, self.line.length))
        flow = np.where(self.returning[:, None], unit(self.agents.level(begin - self.agents.position)), flow)
        flow = np.where(self._in_corridor()[:, None], self._toward_path(), flow)

        response_time = np.maximum(np.minimum(RESPONSE_TIME, self.time), self.dt)
        steering = self.agents.steering_to(flow * self._speed()[:, None], response_time)
        return np.where(self.free()[:, None], 0.0, steering)

    def memory(self, before: Following) -> Following:
        """The memory after the step: the place, and at the end of an open line what the follower does there."""
        over = self.rest <= np.maximum(self.agents.speed * self.time, self.line.spacing)
        turns = over & (self.behavior.end == TURN_BACK) & ~self.returning
        loops = (self.rest <= self.line.spacing) & (self.behavior.end == LOOP) & ~self.returning
        begin = self.line.position(np.where(self.way > 0.0, 0.0, self.line.length))
        near = magnitude(self.agents.level(begin - self.agents.position)) < np.maximum(
            self.behavior.radius, self.agents.speed * self.time
        )
        returning = loops | (self.returning & ~near)
        return replace(before, along=self.along, way=np.where(turns, -self.way, self.way), returning=returning)

    def _inward(self) -> Vectors:
        """From where they will be to the path."""
        return self.agents.level(self.line.position(self.ahead) - self.future)

    def _in_corridor(self) -> Mask:
        """Who takes all or nothing; before the end of the path and on the way back to where it begins nobody does."""
        return (self.behavior.pull == CORRIDOR) & ~self.returning & ~self._braking()

    def free(self) -> Mask:
        """The followers that have nothing to correct."""
        return self._in_corridor() & (magnitude(self._inward()) < self.behavior.radius)

    def _toward_path(self) -> Vectors:
        """The paper's direction: to a place on the path a little further on."""
        target = self.line.position(
            self.ahead + self.way * np.maximum(self.agents.speed * self.time, self.behavior.radius)
        )
        return unit(self.agents.level(target - self.agents.position))

    def _braking(self) -> Mask:
        """Who has to slow down for the end."""
        return self._stops() & (self._speed_to_stop() < self.agents.cruise_speed)

    def _stops(self) -> Mask:
        """Who stops at the end of the path."""
        return (self.behavior.end == STOP) & self.agents.stays

    def _speed_to_stop(self) -> Scalars:
        if self.line.closed:
            return np.full(len(self.along), np.inf)
        rest = np.maximum(self.rest, 0.0)
        return np.minimum(np.sqrt(2.0 * EASE * self.agents.agility * rest), rest / np.maximum(2.0 * self.time, self.dt))

    def _speed(self) -> Scalars:
        """(m,) the speed to have here: cruise speed, less before bends and before the end."""
        agents, line = self.agents, self.line
        brake = 2.0 * EASE * agents.agility
        stop = agents.cruise_speed * agents.cruise_speed / np.maximum(brake, EPSILON)
        further = (np.arange(BENDS) * (1.0 / (BENDS - 1)))[None] * np.maximum(stop, self.behavior.radius)[:, None]
        place = self.along[:, None] + self.way[:, None] * further
        span = np.maximum(self.behavior.radius, 2.0 * line.spacing)[:, None]
        behind, before = line.wrapped(place - span), line.wrapped(place + span)
        turning = magnitude(agents.level(line.tangent(before) - line.tangent(behind)))
        distance = np.where(line.closed, 2.0 * span, np.abs(before - behind))
        bend = turning / np.maximum(distance, EPSILON)
        square = COMFORT * agents.agility[:, None] / np.maximum(bend, 1e-9) + brake[:, None] * further
        allowed = np.sqrt(np.min(square, axis=1))
        speed = np.minimum(agents.cruise_speed, allowed)
        stopping = self._stops() & ~self.returning
        return np.where(stopping, np.minimum(speed, self._speed_to_stop()), speed)


def _place(line: Spline, agents: Agents, along: Scalars, radius: Scalars, dt: float) -> Scalars:
    """How far along the line the agents are now, near where they were; anew for those who lost it."""
    step = 2.0 * agents.speed * dt + 2.0 * line.spacing
    place = line.nearest_within(agents.position, along, step)
    off = _distance(line, agents, place) > LOST * radius
    if off.any():
        place[off] = line.nearest(agents.position[off])
    return place


def _distance(line: Spline, agents: Agents, along: Scalars) -> Scalars:
    """How far off their places on the line the agents are."""
    return magnitude(agents.level(agents.position - line.position(along)))
