"""Lanes: what is ahead of agents that drive along curves.

An agent that goes along a tagged curve is expected to follow it at the distance from it that it has now, as a car keeps
to its side of the road; any other is expected to go straight on. For the former, what is near is straightened: its
distance along the curve, its offset to the side and its height become an offset ahead, to the side and up. So a bend is
as plain as a straight road: what comes round it in the other lane stays there, and what stands behind it is ahead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.vectors import Mask, Rows, Scalars, Vectors, cross, dot, magnitude, picked, unit, which
from ..geometry.obstacles import Obstacles
from ..geometry.paths import Spline
from ..ground import flat
from ..world import Agents, World

ALONG = 0.9
"""Cosine between heading and curve above which an agent goes along the curve, and does not cross it."""
NEAR = 4.0
"""Radii of the body from the curve up to which an agent is on it: the width of a road of two lanes."""
COARSE = 16
"""Samples of a curve from one to the next that is tried first."""
BENDS = 1.6
"""Most metres along a curve for each metre straight on: a half circle has 1.57."""
CHORDS = 12
"""Straight pieces into which the way ahead is cut to look for obstacles."""


@dataclass(frozen=True)
class Lanes:
    """The lanes of n agents.

    Attributes:
        agents: the n agents.
        lines: the curves that they may follow.
        line: (n,) the index of the curve each goes along, -1 for none.
        along: (n,) its position along the curve, metres.
        way: (n,) 1 along the curve, -1 against it.
        left, height: (n,) how far it is to the left of the curve and above it, metres.
    """

    agents: Agents
    lines: tuple[Spline, ...]
    line: Rows
    along: Scalars
    way: Scalars
    left: Scalars
    height: Scalars

    @classmethod
    def of(cls, world: World, agents: Agents) -> Lanes:
        """The lanes of agents: of the curves that each goes along, the nearest."""
        n = len(agents)
        lines = tuple(line for path in world.paths for line in path if line.length > 0.0)
        lanes = cls(agents, lines, np.full(n, -1, dtype=np.int64), *(np.zeros(n) for _ in range(4)))
        nearest = NEAR * agents.radius
        for number, line in enumerate(lines):
            rows, along, distance = _near(line, agents, np.arange(n), agents.position, agents.forward, nearest)
            nearest[rows] = distance
            tangent = line.tangent(along)
            way = np.where(dot(picked(agents.forward, rows), tangent) < 0.0, -1.0, 1.0)
            offset = picked(agents.position, rows) - line.position(along)
            aside, above = _axes(agents, rows, tangent * way[:, None])
            lanes.line[rows], lanes.along[rows], lanes.way[rows] = number, along, way
            lanes.left[rows], lanes.height[rows] = dot(offset, aside), dot(offset, above)
        return lanes

    def apart(self, world: World, agent: Rows, body: Rows) -> Mask:
        """The pairs (p,) of an agent and a body that go along different curves."""
        line = np.full(len(body), -1, dtype=np.int64)
        position, forward = picked(world.bodies.position, body), picked(world.bodies.forward, body)
        nearest = NEAR * world.bodies.radius[body]
        for number, curve in enumerate(self.lines):
            near, _, distance = _near(curve, self.agents, agent, position, forward, nearest)
            nearest[near], line[near] = distance, number
        mask: Mask = (self.line[agent] >= 0) & (line >= 0) & (self.line[agent] != line)
        return mask

    def straightened(self, agent: Rows, offset: Vectors, *directions: Vectors) -> tuple[Vectors, ...]:
        """Offsets, and directions or velocities at their ends, as they were if the lanes were straight; (p, 3) each.

        Args:
            agent: (p,) the agent of each.
            offset: (p, 3) from the agent, metres.
            directions: (p, 3) each.
        """
        result = [offset, *directions]
        on = self.line[agent] >= 0
        if not on.any():
            return tuple(result)
        result = [column.copy(order="K") for column in result]
        for number in np.unique(self.line[agent[on]]).tolist():
            pairs = which(self.line[agent] == number)
            straight = self._along(self.lines[number], agent[pairs], *(picked(column, pairs) for column in result))
            for column, values in zip(result, straight):
                column[pairs] = values
        return tuple(result)

    def _along(self, line: Spline, agent: Rows, offset: Vectors, *directions: Vectors) -> list[Vectors]:
        """As `straightened`, for agents on a line."""
        agents, way = self.agents, self.way[agent]
        points = picked(agents.position, agent) + offset
        start = self.along[agent]
        along = line.nearest_within(points, start, BENDS * magnitude(offset))
        ahead = along - start
        if line.closed:
            ahead = ahead - line.length * np.floor(ahead / line.length + 0.5)
        tangent = line.tangent(along) * way[:, None]
        aside, above = _axes(agents, agent, tangent)
        beyond = points - line.position(along)
        # Beyond an open end the line goes straight on.
        ahead = ahead * way + dot(beyond, tangent)
        frame = tuple(picked(axis, agent) for axis in (agents.forward, agents.side, agents.up))

        def in_frame(forward: Scalars, left: Scalars, up: Scalars) -> Vectors:
            return forward[:, None] * frame[0] - left[:, None] * frame[1] + up[:, None] * frame[2]

        straight = [in_frame(ahead, dot(beyond, aside) - self.left[agent], dot(beyond, above) - self.height[agent])]
        straight += [in_frame(dot(v, tangent), dot(v, aside), dot(v, above)) for v in directions]
        return straight

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
        on = self.line[agent] >= 0
        if not on.any():
            return obstacles.touch(start, course, reach, row, furthest)[0]
        way = np.full(len(agent), np.inf)
        pairs = which(~on)
        way[pairs], _ = obstacles.touch(
            picked(start, pairs), picked(course, pairs), reach[pairs], row[pairs], furthest[pairs]
        )
        pairs, chord = which(on), np.where(np.isfinite(furthest), furthest, 0.0) * (1.0 / CHORDS)
        before = self._ahead(agent[pairs], nose[pairs])
        for number in range(CHORDS):
            after = self._ahead(agent[pairs], nose[pairs] + chord[pairs] * (number + 1.0))
            step = after - before
            span = magnitude(step)
            touched, _ = obstacles.touch(before, unit(step), reach[pairs], row[pairs], span)
            touched = np.where(touched <= span, touched, np.inf)
            way[pairs] = np.minimum(way[pairs], chord[pairs] * float(number) + touched)
            before = after
        return way

    def _ahead(self, agent: Rows, distance: Scalars) -> Vectors:
        """The points of their lanes some metres ahead of agents on a line, (p,) each to (p, 3)."""
        points = np.zeros((len(agent), 3))
        for number in np.unique(self.line[agent]).tolist():
            pairs, line = which(self.line[agent] == number), self.lines[number]
            rows = agent[pairs]
            way = self.way[rows]
            along = self.along[rows] + way * distance[pairs]
            tangent = line.tangent(along) * way[:, None]
            aside, above = _axes(self.agents, rows, tangent)
            over = np.zeros(len(rows)) if line.closed else (along - line.wrapped(along)) * way
            points[pairs] = (
                line.position(along)
                + tangent * over[:, None]
                + aside * self.left[rows, None]
                + above * self.height[rows, None]
            )
        return points


def _axes(agents: Agents, rows: Rows, tangent: Vectors) -> tuple[Vectors, Vectors]:
    """The unit directions to the left of a curve and above it, as the agents of some rows (p,) stand; (p, 3) each."""
    aside = unit(cross(picked(agents.up, rows), tangent))
    return aside, cross(tangent, aside)


def _near(
    line: Spline, agents: Agents, looking: Rows, position: Vectors, forward: Vectors, within: Scalars
) -> tuple[Rows, Scalars, Scalars]:
    """The bodies that go along a line within a distance of it.

    Args:
        looking: (m,) the row of the agent that looks at each; on the ground, distances are those seen from above.
        position, forward: (m, 3) of the bodies, metres and unit headings.
        within: (m,) metres.

    Returns:
        rows: (k,) of the bodies.
        along, distance: (k,) their positions along the line, and their distances from it, metres.
    """
    samples, upward = line.points[::COARSE], agents.upward_of(looking)
    grounded = bool(agents.grounded.all())
    gap = position[:, None, :] - samples[None]
    gap = magnitude(flat(gap, upward) if grounded else gap)
    step, best = COARSE * line.spacing, np.argmin(gap, axis=1)
    rows = which(gap[np.arange(len(position)), best] < within + step)
    points = picked(position, rows)
    along = line.nearest_within(points, best[rows] * step, np.full(len(rows), step))
    offset = points - line.position(along)
    distance = magnitude(flat(offset, upward[rows]) if grounded else offset)
    follows = np.abs(dot(picked(forward, rows), line.tangent(along))) > ALONG
    near = which(follows & (distance < within[rows]))
    return rows[near], along[near], distance[near]
