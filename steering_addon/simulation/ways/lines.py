"""Where agents are on the lines of paths: each at its nearest point of the line that it follows."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import Rows, Scalars, Vectors, anybody, everybody, magnitude, which
from ..geometry.paths import Path, Spline
from ..world import Agents

LOST = 3.0
"""Distance from its point of the path, in radii, beyond which a follower searches the whole path again."""


def located(line: Spline, agents: Agents, points: Vectors, along: Scalars, radius: Scalars, dt: float) -> Scalars:
    """The positions of points along the line, (m,) metres; near the last ones unless an agent lost the line.

    Args:
        points: (m, 3) the positions of the agents, less the offset of the line where a bypass leads past an obstacle.
    """
    step = 2.0 * agents.speed * dt + 2.0 * line.spacing
    along = line.nearest_within(points, along, step, ups_of_walkers(agents))
    lost = which(distance_from_line(line, agents, points, along) > LOST * radius)
    if len(lost):
        along[lost] = line.nearest(points[lost], ups_of_walkers(agents.take(lost)))
    return along


def ups_of_walkers(agents: Agents) -> Vectors | None:
    """The up of agents on the ground, (m, 3), from where they see a line: it lies draped on what they walk on.

    Zero for others, which see it in space; None if all do.
    """
    if not anybody(agents.grounded):
        return None
    return agents.upward if everybody(agents.grounded) else agents.upward * agents.grounded[:, None]


def distance_from_line(line: Spline, agents: Agents, points: Vectors, along: Scalars) -> Scalars:
    """The distances of points from positions along the line, (m,) metres, level for agents on the ground."""
    return magnitude(agents.level(points - line.position(along)))


def to_end(line: Spline, along: Scalars, way: Scalars) -> Scalars:
    """The way along a line to its end, (n,) metres, inf on a closed line.

    Args:
        along: (n,) positions along the line, metres.
        way: (n,) 1 along it, -1 against it.
    """
    if line.closed:
        return np.full(len(along), np.inf)
    return np.where(way > 0.0, line.length - along, along)


def onward(line: Spline, distance: Scalars) -> Scalars:
    """Distances along the line, (m,) metres, round a closed line by the shorter way."""
    if not line.closed:
        return distance
    return distance - line.length * np.floor(distance / line.length + 0.5)


def seen_from(curve: Path, line: Rows, along: Scalars, points: Vectors) -> tuple[Scalars, Vectors]:
    """The distances of points (n, 3) from their positions on a curve, (n,) metres, and the tangents there, (n, 3).

    Args:
        line, along: (n,) the spline of each point, and the position along it, metres.
    """
    distance = np.full(len(points), np.inf)
    tangent = np.zeros((len(points), 3))
    for row, spline in enumerate(curve):
        rows = line == row
        distance[rows] = magnitude(points[rows] - spline.position(along[rows]))
        tangent[rows] = spline.tangent(along[rows])
    return distance, tangent
