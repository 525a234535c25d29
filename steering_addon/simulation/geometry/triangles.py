"""Triangles of a mesh: how they lie as seen from above, where they end, and normals at their points."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import Mask, Rows, Scalars
from ..arrays.vectors import Vectors, columns, cross, dot, magnitude, unit

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
    if not len(triangles):
        return np.zeros((0, 2), dtype=np.int64)
    joined = weld(points, triangles)
    sides = np.stack((joined, np.roll(joined, -1, axis=1)), axis=-1).reshape(-1, 2)
    sides = np.sort(sides[sides[:, 0] != sides[:, 1]], axis=1)
    number = sides[:, 0] * (len(points) + 1) + sides[:, 1]
    _, first, times = np.unique(number, return_index=True, return_counts=True)
    return np.asarray(sides[first[times == 1]])


def point_normals(points: Vectors, triangles: NDArray[np.int64]) -> Vectors:
    """Smoothed unit normals at points, (p, 3); zero at a point of no triangle.

    A face counts by the cross product of its two sides at the point over their squared lengths: exact on spheres, and
    without angles.

    Source: N. Max, Weights for Computing Vertex Normals from Facet Normals, 1999.
    """
    a, b, c = (points[triangles[:, k]] for k in range(3))
    sides = (b - a, c - b, a - c)
    normal = cross(sides[0], -sides[2])
    # Faces are turned alike, so that what is wound the other way does not cancel out.
    normal = np.where((normal[:, 2] < 0.0)[:, None], -normal, normal)
    has_area = dot(normal, normal) > 0.0
    first, second, third = (np.where(has_area, dot(side, side), 1.0) for side in sides)
    total = np.zeros((3, len(points)))
    weights = (1.0 / first / third, 1.0 / first / second, 1.0 / second / third)
    for k, weight in enumerate(weights):
        weight = np.where(has_area, weight, 0.0)
        for axis in range(3):
            total[axis] += np.bincount(triangles[:, k], normal[:, axis] * weight, minlength=len(points))
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
