"""Flow fields along curves: which way the current runs at a place, and how strongly.

A flow field is a map from places to directions (paper, Flow Field Following), drawn here with curves, or the lines that
edges make: near one it runs along it. Every stretch of every curve counts, the nearer ones by far the most, so that the
direction is the tangent of the nearest place beside one curve and turns evenly from one curve to another between
several, and in the middle of a hairpin; with the nearest place alone it would flip there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    clamp,
    columns,
    dot,
    in_columns,
    magnitude,
    picked,
    totals,
)
from .painted_flows import Current
from .paths import Path, Spline

SHARPNESS = 0.1
"""Share of the falloff distance over which stretches count alike: a bend as tight as that is still followed."""
BLOCK = 16
"""Stretches that are passed over together where they are out of reach."""
CHUNK = 512
"""Points looked at in one go."""


Flow = Path | Current
"""A curve, or a mesh, that draws a current."""


def flow_at(flows: tuple[Flow, ...], points: Vectors, falloff_distance: Scalars) -> Vectors:
    """The flow at places: its direction, as long as it is strong.

    Close to a curve it is 1 long; it fades with the distance, where stretches near each other disagree, and is zero
    where none is nearer than the falloff distance.

    Args:
        points: (n, 3) metres.
        falloff_distance: (n,) metres, above 0.

    Returns:
        (n, 3) no longer than 1.
    """
    total = np.zeros(len(points))
    along = np.zeros((len(points), 3))
    for painted in (flow for flow in flows if isinstance(flow, Current)):
        weight, flow = _painted(painted, points, falloff_distance)
        total += weight
        along += flow
    for line in (line for curve in flows if not isinstance(curve, Current) for line in curve if line.length > 0.0):
        stretches = _Stretches.of(line)
        for start in range(0, len(points), CHUNK):
            some = slice(start, start + CHUNK)
            weight, flow = stretches.weighed(points[some], falloff_distance[some])
            total[some] += weight
            along[some] += flow
    return along / np.maximum(total, EPSILON)[:, None]


def _painted(current: Current, points: Vectors, reach: Scalars) -> tuple[Scalars, Vectors]:
    """How much a painted mesh counts at each point, (n,), and its flow times that, (n, 3)."""
    distance, flow = current.sampled(points, reach)
    far = np.where(np.isfinite(distance), distance, 0.0) / reach
    far = far * far
    fall = np.where(np.isfinite(distance), np.maximum(1.0 - far * far, 0.0), 0.0)
    fall = fall * fall
    near = far + SHARPNESS * SHARPNESS
    weight = fall / (near * near)
    return weight, flow * (weight * fall)[:, None]


@dataclass(frozen=True)
class _Stretches:
    """The stretches from sample to sample of a line, s of them, filled up to whole blocks with ones of no length.

    Attributes:
        start, vector: (s, 3) where each starts and how it lies.
        tangent: (s, 3) the directions in their middles.
        length: (s,) metres.
        middle: (b, 3) the samples in the middle of each block.
        extent: metres from there within which all of the block lies.
    """

    start: Vectors
    vector: Vectors
    tangent: Vectors
    length: Scalars
    middle: Vectors
    extent: float

    @classmethod
    def of(cls, line: Spline) -> _Stretches:
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

    def weighed(self, points: Vectors, reach: Scalars) -> tuple[Scalars, Vectors]:
        """How much the stretches within reach of each point count together, (n,), and their flow times that, (n, 3)."""
        owner, row = self._within(points, reach)
        gap, vector = picked(points, owner) - picked(self.start, row), picked(self.vector, row)
        part = clamp(dot(gap, vector) / np.maximum(dot(vector, vector), EPSILON), 0.0, 1.0)
        gap = gap - vector * part[:, None]
        far = dot(gap, gap) / (reach * reach)[owner]
        fall = np.maximum(1.0 - far * far, 0.0)
        fall = fall * fall
        near = far + SHARPNESS * SHARPNESS
        weight = fall / (near * near) * (self.length[row] / reach[owner])
        flow = picked(self.tangent, row) * (weight * fall)[:, None]
        total, x, y, z = (totals(owner, part, len(points)) for part in (weight, *flow.T))
        return total, columns(x, y, z)

    def _within(self, points: Vectors, reach: Scalars) -> tuple[Rows, Rows]:
        """Pairs of points and stretches, whole blocks of them, that may be within reach, in the order of the points."""
        seen: Mask = magnitude(points[:, None, :] - self.middle[None]) < reach[:, None] + self.extent
        owner, block = np.nonzero(seen)
        stretch = block[:, None] * BLOCK + np.arange(BLOCK)
        return np.repeat(owner, BLOCK), stretch.reshape(-1)
