"""Missing ways: why bodies cannot walk from a place on the ground to what lies beside it.

The ground is found for a body without one of its limits, for each limit in turn: where that body would go on, the limit
is why this one cannot.
"""

from math import pi

import numpy as np

from ..arrays.scalars import Rows, which
from ..arrays.vectors import Vectors, columns
from ..geometry.surfaces import Surfaces
from .spans import SIDES, Build, find_spans
from .walkable_ground import WalkableGround

STEEPEST = 0.45 * pi
"""Slope of the steepest ground that counts as ground to be climbed, radians."""
AS_A_STEP = 0.5
"""Share of the headroom up to which a riser or a gap counts as a step too high or wide, and not as a wall or an end."""
BORDER, OBSTACLE, STEEP, LOW, HIGH, WIDE = range(6)
"""Reasons why the ground ends: nothing lies beyond, an obstacle, a slope, a low ceiling, a high step, or a wide gap."""


def find_missing(ground: WalkableGround, surfaces: Surfaces) -> tuple[Rows, Rows, Rows]:
    """The nodes and the sides, as of SIDES, at which the ground that bodies can walk ends, and why, (m,) each.
    `surfaces`: what the ground was made of, without what moves."""
    spans, build, n = ground.spans, ground.build, len(ground.spans)
    sides, nodes = np.nonzero((ground.grid.links[:, :n] == n) & ground.grid.passable[:n])
    why = np.where(spans.links[sides, nodes] < n, OBSTACLE, BORDER)
    for reason, relaxed in _relaxed(build):
        asked = which(why == BORDER)
        other = find_spans(surfaces, relaxed) if len(asked) else None
        if other is None or other.size != spans.size:
            continue
        at = nodes[asked]
        same = other.at(spans.x[at], spans.y[at], spans.height[at], build.step)
        leads = other.links[sides[asked], same] < len(other)
        why[asked[leads & (same < len(other))]] = reason
    return nodes, sides, why


def _relaxed(build: Build) -> tuple[tuple[int, Build], ...]:
    """Reasons why the ground ends, each with the build of a body that it would not stop."""
    return (
        (LOW, build._replace(headroom=0.0)),
        (HIGH, build._replace(step=max(AS_A_STEP * build.headroom, build.step))),
        (WIDE, build._replace(gap=max(AS_A_STEP * build.headroom, build.gap))),
        # A body that climbs any slope climbs risers, too.
        (STEEP, build._replace(steepest=max(STEEPEST, build.steepest))),
    )


def sides_of(ground: WalkableGround, nodes: Rows, sides: Rows) -> Vectors:
    """The sides of the cells of nodes (m,), pairs of points (2m, 3), metres."""
    spans = ground.spans
    to_x, to_y = 0.5 * spans.size * np.array(SIDES, dtype=np.float64)[sides].T
    x, y, z = spans.x[nodes] + to_x, spans.y[nodes] + to_y, spans.height[nodes]
    return np.stack((columns(x - to_y, y + to_x, z), columns(x + to_y, y - to_x, z)), axis=1).reshape(-1, 3)
