"""Flow fields: the direction and the strength of a current at a point.

A flow field maps points to directions (paper, Flow Field Following). Here curves draw it, or meshes: near a curve the
current runs along it. Every segment i of every curve counts, with its tangent t_i, its length l_i, and its distance d_i
from the point in falloff distances r:

    fall_i   = (1 - d_i^4)^2 for d_i < 1, else 0
    weight_i = fall_i / (d_i^2 + SHARPNESS^2)^2 * l_i / r
    flow     = sum_i weight_i fall_i t_i / sum_i weight_i

The nearest segments count by far the most, so that the direction near a single curve is the tangent at its nearest
point. Between two curves, and in the middle of a hairpin, it turns gradually from one to the other; with the nearest
point alone it would flip there. A painted mesh counts in the same way, by its nearest point.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, clamp, totals
from ..arrays.vectors import Vectors, columns, cross, dot, in_columns, magnitude, picked
from .meshes import Mesh, mesh
from .paths import Path, Spline

SHARPNESS = 0.1
"""Share of the falloff distance within which segments count alike: the tightest bend that is still followed."""
BLOCK = 16
"""Segments that are skipped together if they are out of reach."""
CHUNK = 512
"""Points processed together."""


@dataclass(frozen=True)
class Current:
    """A painted mesh in world space: each point of its surface has a direction, which nearby vehicles follow.

    The paper (Flow Field Following) has an artist paint such a map from points to directions. Between the corners of a
    triangle the flow is interpolated with barycentric coordinates. `flow`: (3, f, 3) the flow at the corners of each
    triangle, of length 1 at most, in the order of the mesh.
    """

    surface: Mesh
    flow: NDArray[np.float64]

    def sample(self, points: Vectors, reach: Scalars) -> tuple[Scalars, Vectors]:
        """The flow at the nearest point of the surface. Returns `distance`: (n,) metres to the surface, inf if it is
        out of reach; `flow`: (n, 3) of length 1 at most, zero if it is out of reach."""
        distance, place, triangle = self.surface.nearest(points, reach)
        flow = np.zeros((len(points), 3))
        rows = np.flatnonzero(triangle >= 0)
        if len(rows):
            row = triangle[rows]
            share = _shares(self.surface.corners[:, row], place[rows])
            a, b, c = (self.flow[corner, row] * share[corner][:, None] for corner in range(3))
            flow[rows] = a + b + c
        return distance, flow


Flow = Path | Current
"""A curve, or a painted mesh, that defines a current."""


def flow_at(flows: tuple[Flow, ...], points: Vectors, falloff_distance: Scalars) -> Vectors:
    """The flow at points: its direction, scaled by its strength.

    It has length 1 on a curve, is weaker with distance and where segments disagree, and zero beyond the falloff
    distance. Returns (n, 3) of length 1 at most. `falloff_distance`: (n,) metres, above 0.
    """
    total = np.zeros(len(points))
    along = np.zeros((len(points), 3))
    for painted in (flow for flow in flows if isinstance(flow, Current)):
        distance, flow = painted.sample(points, falloff_distance)
        share = distance / falloff_distance
        fall, weight = _fall_and_weight(share * share)
        total += weight
        along += flow * (weight * fall)[:, None]
    for line in (line for curve in flows if not isinstance(curve, Current) for line in curve if line.length > 0.0):
        segments = _Segments.of(line)
        for start in range(0, len(points), CHUNK):
            chunk = slice(start, start + CHUNK)
            weight, flow = segments.weigh(points[chunk], falloff_distance[chunk])
            total[chunk] += weight
            along[chunk] += flow
    return along / np.maximum(total, EPSILON)[:, None]


def _fall_and_weight(square: Scalars) -> tuple[Scalars, Scalars]:
    """The fall and the weight over l / r, (m,) each, at squares of distances in falloff distances; 0 for inf."""
    fall = np.maximum(1.0 - square * square, 0.0)
    fall, softened = fall * fall, square + SHARPNESS * SHARPNESS
    return fall, fall / (softened * softened)


@dataclass(frozen=True)
class _Segments:
    """The segments from sample to sample of a line, padded to whole blocks with segments of length 0.

    Attributes:
        start, vector: (s, 3) the start of each and the vector to its end, metres.
        tangent: (s, 3) the direction in its middle.
        length: (s,) metres.
        middle: (b, 3) the sample in the middle of each block.
        extent: the radius about it that contains the block, metres.
    """

    start: Vectors
    vector: Vectors
    tangent: Vectors
    length: Scalars
    middle: Vectors
    extent: float

    @classmethod
    def of(cls, line: Spline) -> "_Segments":
        number = len(line.points) - (not line.closed)
        rows = np.minimum(np.arange(-(-number // BLOCK) * BLOCK), number - 1)
        after = (rows + 1) % len(line.points)
        length = np.full(len(rows), line.spacing)
        length[number:] = 0.0
        return cls(
            start=in_columns(line.points[rows]),
            vector=in_columns(line.points[after] - line.points[rows]),
            tangent=in_columns(0.5 * (line.tangents[rows] + line.tangents[after])),
            length=length,
            middle=line.points[rows[BLOCK // 2 :: BLOCK]],
            extent=(BLOCK // 2 + 1) * line.spacing,
        )

    def weigh(self, points: Vectors, reach: Scalars) -> tuple[Scalars, Vectors]:
        """The sums over the segments of the weights at points (n, 3), (n,), and of the flow times weight, (n, 3).
        `reach`: (n,) the falloff distance, metres."""
        owner, row = self._within(points, reach)
        gap, vector = picked(points, owner) - picked(self.start, row), picked(self.vector, row)
        fraction = clamp(dot(gap, vector) / np.maximum(dot(vector, vector), EPSILON), 0.0, 1.0)
        gap = gap - vector * fraction[:, None]
        fall, weight = _fall_and_weight(dot(gap, gap) / (reach * reach)[owner])
        weight = weight * (self.length[row] / reach[owner])
        flow = picked(self.tangent, row) * (weight * fall)[:, None]
        total, x, y, z = (totals(owner, column, len(points)) for column in (weight, *flow.T))
        return total, columns(x, y, z)

    def _within(self, points: Vectors, reach: Scalars) -> tuple[Rows, Rows]:
        """Pairs of a point and a segment that may be within reach (n,), in whole blocks; (p,) rows each, ascending."""
        near: Mask = magnitude(points[:, None, :] - self.middle[None]) < reach[:, None] + self.extent
        owner, block = np.nonzero(near)
        segment = block[:, None] * BLOCK + np.arange(BLOCK)
        return np.repeat(owner, BLOCK), segment.reshape(-1)


def current(points: Vectors, triangles: Rows, flow: Vectors) -> Current:
    """A current on points (v, 3) and triangles (f, 3) of their rows, with the flow at each corner, (f, 3, 3)."""
    surface = mesh(points, triangles)
    sorted_flow = np.asarray(flow, dtype=np.float64).reshape(-1, 3, 3)[surface.order]
    length = np.sqrt(dot(sorted_flow, sorted_flow))
    sorted_flow = sorted_flow / np.maximum(length, 1.0)[..., None]
    return Current(surface, np.ascontiguousarray(np.swapaxes(sorted_flow, 0, 1)))


def _shares(corners: NDArray[np.float64], places: Vectors) -> tuple[Scalars, Scalars, Scalars]:
    """The barycentric coordinates of points (m, 3) on triangles with corners (3, m, 3); (m,) for each corner."""
    a, b, c = corners
    normal = cross(b - a, c - a)
    square = dot(normal, normal)
    safe = np.maximum(square, EPSILON * EPSILON)
    second = dot(cross(places - a, c - a), normal) / safe
    third = dot(cross(b - a, places - a), normal) / safe
    return 1.0 - second - third, second, third
