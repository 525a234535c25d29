"""Smoothing: normals at the points of a mesh, from those of the faces around."""

import numpy as np
from numpy.typing import NDArray

from ..arrays.vectors import Vectors, columns, cross, dot, unit


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
