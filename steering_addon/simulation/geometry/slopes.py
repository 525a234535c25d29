"""Slopes: how triangles lie, as seen from above."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import Mask, Rows, Scalars
from ..arrays.vectors import Vectors, cross, magnitude

UPRIGHT = 1e-6
"""The share of a triangle's area that is seen from above, below which it is a wall and no floor."""


@dataclass(frozen=True)
class Slopes:
    """How f triangles lie.

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
        area, seen = magnitude(normal), normal[:, 2]
        is_floor = (np.abs(seen) > UPRIGHT * area) & (area > 0.0)
        scale = 1.0 / np.where(is_floor, seen, 1.0)
        table = np.empty((len(triangles), 9))
        table[:, 0:3] = a
        table[:, 3], table[:, 4] = v[:, 1] * scale, -v[:, 0] * scale
        table[:, 5], table[:, 6] = -u[:, 1] * scale, u[:, 0] * scale
        table[:, 7], table[:, 8] = -normal[:, 0] * scale, -normal[:, 1] * scale
        cosine = np.abs(seen) / np.where(area > 0.0, area, 1.0)
        turn = np.where(is_floor, np.where(seen > 0.0, 1, -1), 0)
        return cls(table, cosine, is_floor, area > 0.0, turn)
