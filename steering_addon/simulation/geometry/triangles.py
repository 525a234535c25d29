"""Triangles of a mesh: how they lie as seen from above, where they meet and end, and normals at points."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.once import once
from ..arrays.scalars import Mask, Rows, Scalars, counted, firsts, which
from ..arrays.vectors import Vectors, columns, cross, dot, magnitude, picked, unit

UPRIGHT = 1e-6
"""The share of a triangle's area that is seen from above, below which it is a wall and no floor."""


def weld(points: Vectors, triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    """The triangles (f, 3) with points at the same place taken as one."""
    if not len(points):
        return triangles
    order = np.lexsort(points.T)
    in_order = points[order]
    is_new = np.concatenate(([True], (in_order[1:] != in_order[:-1]).any(axis=1)))
    first = np.empty(len(points), dtype=np.int64)
    first[order] = order[np.flatnonzero(is_new)][np.cumsum(is_new) - 1]
    return first[triangles]


def sides_at_border(points: Vectors, triangles: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sides of triangles (f, 3) that have no other triangle beyond them, (b, 2) rows of points (p, 3)."""
    sides = Sides.of(points, triangles)
    ends = np.sort(np.stack((sides.start, sides.end), axis=1)[sides.alone], axis=1)
    return np.asarray(ends[ends[:, 0] != ends[:, 1]])


@dataclass(frozen=True)
class Sides:
    """The sides of f triangles, sorted so that those between the same two points are together.

    Side k of a triangle goes from its corner k to the next; k f + t is its number.

    Attributes:
        corners: (3, f) the rows of the first, second and third corners, welded.
        start, end: (3 f,) those between which the sides are.
        order: (s,) the numbers of the sides that count, sorted.
        begin, times: (g,) where those between the same points begin in it, and how many they are.
    """

    corners: NDArray[np.int64]
    start: Rows
    end: Rows
    order: Rows
    begin: Rows
    times: Rows

    @classmethod
    def of(cls, points: Vectors, triangles: NDArray[np.int64], counts: Mask | None = None) -> "Sides":
        """The sides of triangles (f, 3), rows of points (p, 3). `counts`: (f,) whose sides count; None for all."""
        corners = np.ascontiguousarray(weld(points, triangles).T)
        start, end = corners.ravel(), np.roll(corners, -1, axis=0).ravel()
        number = np.minimum(start, end) * (len(points) + 1) + np.maximum(start, end)
        sides = np.arange(len(start)) if counts is None else which(np.tile(counts, 3))
        order = sides[np.argsort(number[sides], kind="stable")]
        begin = firsts(number[order])
        return cls(corners, start, end, order, begin, np.diff(begin, append=len(order)))

    @property
    def alone(self) -> Rows:
        """The numbers of the sides of one triangle only."""
        return self.order[self.begin[self.times == 1]]

    @once
    def beyond(self) -> Rows:
        """(3 f,) the number of the same side in the triangle beyond; -1 where there is none, or more than one."""
        first = self.begin[self.times == 2]
        side, opposite = self.order[first], self.order[first + 1]
        beyond = np.full(len(self.start), -1)
        beyond[side], beyond[opposite] = opposite, side
        return beyond

    @once
    def neighbors(self) -> Rows:
        """(3, f) the triangle beyond each side; -1 for not just one."""
        return np.where(self.beyond < 0, -1, self.beyond % max(self.corners.shape[1], 1)).reshape(3, -1)

    @once
    def turned(self) -> Mask:
        """(3 f,) whether the triangle beyond is wound the other way."""
        return (self.beyond >= 0) & (self.start == self.start[self.beyond])


def point_normals(
    points: Vectors, triangles: NDArray[np.int64], corners: NDArray[np.int64], against: NDArray[np.bool_] | None = None
) -> Vectors:
    """Smoothed unit normals at points, (p, 3); zero at a point of no triangle.

    A face counts by the cross product of its two sides at the point over their squared lengths: exact on spheres, and
    without angles.

    Source: N. Max, Weights for Computing Vertex Normals from Facet Normals, 1999.

    Args:
        triangles: (f, 3) rows of points.
        corners: (3, f) the same, welded.
        against: (3, f) at which of their corners faces count the other way, so that those wound differently do not
            cancel out; None for all that face down.
    """
    a, b, c = (picked(points, triangles[:, k]) for k in range(3))
    sides = (b - a, c - b, a - c)
    normal = cross(sides[0], -sides[2])
    has_area = dot(normal, normal) > 0.0
    first, second, third = (np.where(has_area, dot(side, side), 1.0) for side in sides)
    total = np.zeros((3, len(points)))
    weights = (1.0 / first / third, 1.0 / first / second, 1.0 / second / third)
    for point, weight, turned in zip(corners, weights, [normal[:, 2] < 0.0] * 3 if against is None else against):
        weight = np.where(has_area, np.where(turned, -weight, weight), 0.0)
        for axis in range(3):
            total[axis] += np.bincount(point, normal[:, axis] * weight, minlength=len(points))
    return unit(columns(*total))


@dataclass(frozen=True)
class Slopes:
    """The slopes of f triangles, and what tells whether a place is on one.

    Attributes:
        table: (f, 9) what a place is tested against: a corner's x, y and z; u by x and y; v by x and y; the rise of the
            triangle by x and y.
        cosine: (f,) of the slope.
        is_floor: (f,) whether it is seen from above.
        has_area: (f,) whether it has an area at all.
        turn: (f,) 1 or -1, which way it is wound as seen from above; 0 for walls.
    """

    table: Scalars
    cosine: Scalars
    is_floor: Mask
    has_area: Mask
    turn: Rows

    @classmethod
    def of(cls, points: Vectors, triangles: NDArray[np.int64]) -> "Slopes":
        """How triangles (f, 3), rows of points (p, 3) in metres, lie."""
        a, b, c = (points[triangles[:, k]] for k in range(3))
        u, v = b - a, c - a
        normal = cross(u, v)
        area, from_above = magnitude(normal), normal[:, 2]
        is_floor = (np.abs(from_above) > UPRIGHT * area) & (area > 0.0)
        scale = 1.0 / np.where(is_floor, from_above, 1.0)
        table = np.empty((len(triangles), 9))
        table[:, 0:3] = a
        table[:, 3], table[:, 4] = v[:, 1] * scale, -v[:, 0] * scale
        table[:, 5], table[:, 6] = -u[:, 1] * scale, u[:, 0] * scale
        table[:, 7], table[:, 8] = -normal[:, 0] * scale, -normal[:, 1] * scale
        cosine = np.abs(from_above) / np.where(area > 0.0, area, 1.0)
        turn = np.where(is_floor, np.where(from_above > 0.0, 1, -1), 0)
        return cls(table, cosine, is_floor, area > 0.0, turn)


WIDER = 1.25
"""Borders are looked for this much further than asked, so that a slightly larger reach needs no new search."""
SPACING = 0.2
"""The distance of samples on a border over the width of a cell."""


@dataclass(frozen=True)
class Borders:
    """The straight pieces of the borders of a surface. `start`, `end`: (k, 3) metres."""

    start: Vectors
    end: Vectors

    def __len__(self) -> int:
        return len(self.start)

    @once
    def _cells(self) -> "dict[str, _Cells]":
        """The last findings of `near`."""
        return {}

    def near(self, points: Vectors, reach: float) -> Mask:
        """The points (n, 3) that may be within reach of a border, metres; none is left out."""
        if not len(self):
            return np.zeros(len(points), dtype=np.bool_)
        known = self._cells.get("last")
        if known is None or not reach <= known.reach <= 2.0 * WIDER * reach:
            known = self._cells["last"] = _Cells.of(self, WIDER * reach)
        return known.have(points)


@dataclass(frozen=True)
class _Cells:
    """The cells of a grid in space that are near borders.

    Attributes:
        reach: metres within which they are near.
        low: (3,) the corner of the grid, metres.
        size: the width of a cell, metres.
        shape: the cells along each axis.
        number: (c,) the numbers of the cells that are near, rising.
    """

    reach: float
    low: Vectors
    size: float
    shape: tuple[int, int, int]
    number: Rows

    @classmethod
    def of(cls, ends: Borders, reach: float) -> "_Cells":
        vector = ends.end - ends.start
        widest = float((np.maximum(ends.start, ends.end) - np.minimum(ends.start, ends.end).min(axis=0)).max())
        # A sample is nearer than half a spacing to each place of a border. Many cells make large numbers.
        size = max(reach / (1.0 - 0.5 * SPACING), widest / 2.0**17, 1e-9)
        pieces = np.floor(magnitude(vector) / (SPACING * size)).astype(np.int64) + 1
        row, piece = counted(pieces)
        fraction = (piece + 0.5) / pieces[row]
        samples = ends.start[row] + vector[row] * fraction[:, None]
        low = samples.min(axis=0) - 2.0 * size
        cell = np.floor((samples - low) / size).astype(np.int64)
        x, y, z = (int(count) + 3 for count in cell.max(axis=0))
        cell = np.unique((cell[:, 0] * y + cell[:, 1]) * z + cell[:, 2])
        around = [(i * y + j) * z + k for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]
        number = np.unique(np.concatenate([cell + step for step in around]))
        return cls(reach, low, size, (x, y, z), number)

    def have(self, points: Vectors) -> Mask:
        """Whether points (n, 3) are in one of the cells."""
        i, j, k = (np.floor((points[:, axis] - self.low[axis]) / self.size) for axis in range(3))
        x, y, z = self.shape
        inside = (i >= 0) & (i < x) & (j >= 0) & (j < y) & (k >= 0) & (k < z)
        number = np.where(inside, (i * y + j) * z + k, -1.0).astype(np.int64)
        row = np.minimum(np.searchsorted(self.number, number), len(self.number) - 1)
        return self.number[row] == number
