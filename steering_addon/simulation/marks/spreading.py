"""Spreading: places evenly spread over the faces of a shape, or along its lines."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import EPSILON, Rows, Scalars
from ..arrays.vectors import Vectors, cross, dot, magnitude, picked

TRIED = 24
"""Places tried for each that is kept."""
MOST_SPREAD = 600
"""Places up to which each is as far from the others as can be; more lie as they were tried, which is even as well."""
ALONG, ASIDE = 0.7548776662466927, 0.5698402909980532
"""1 / g and 1 / g^2 with g^3 = g + 1: multiples of these fill a square evenly (Roberts 2018)."""


@dataclass(frozen=True)
class Spread:
    """Places on triangles.

    Attributes:
        triangle: (p,) rows.
        second, third: (p,) the shares of the second and the third corner; the first has the rest.
    """

    triangle: Rows
    second: Scalars
    third: Scalars

    def on(self, points: Vectors, triangles: NDArray[np.int64]) -> Vectors:
        """The places, (p, 3) metres, on triangles (f, 3) of points (v, 3)."""
        first, second, third = (picked(points, triangles[self.triangle, corner]) for corner in range(3))
        return first + (second - first) * self.second[:, None] + (third - first) * self.third[:, None]


def spread(points: Vectors, triangles: NDArray[np.int64], count: int) -> Spread:
    """Places evenly spread over triangles, `count` of them; none where there is no area.

    Args:
        points: (v, 3) metres.
        triangles: (f, 3) rows of points.
    """
    corners = [picked(points, triangles[:, corner]) for corner in range(3)]
    area = np.cumsum(magnitude(cross(corners[1] - corners[0], corners[2] - corners[0])))
    if not len(area) or area[-1] <= EPSILON or not count:
        return Spread(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
    tried = count * (TRIED if count <= MOST_SPREAD else 1)
    number = np.arange(tried) + 0.5
    triangle = np.minimum(np.searchsorted(area, number * (area[-1] / tried), side="right"), len(area) - 1)
    along, aside = (number * step - np.floor(number * step) for step in (ALONG, ASIDE))
    # Half of a parallelogram, folded over.
    over = along + aside > 1.0
    second, third = np.where(over, 1.0 - along, along), np.where(over, 1.0 - aside, aside)
    whole = Spread(triangle, second, third)
    if tried == count:
        return whole
    kept = _furthest(whole.on(points, triangles), count)
    return Spread(triangle[kept], second[kept], third[kept])


def spread_along(points: Vectors, segments: NDArray[np.int64], count: int) -> tuple[Spread, NDArray[np.int64]]:
    """Places evenly spread along lines, `count` of them, and the triangles without area on which they are, (s, 3).

    Args:
        points: (v, 3) metres.
        segments: (s, 2) rows of points.
    """
    flat = segments[:, (0, 1, 1)]
    first, second = picked(points, segments[:, 0]), picked(points, segments[:, 1])
    along = np.cumsum(magnitude(second - first))
    if not len(along) or along[-1] <= EPSILON:
        return Spread(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)), flat
    place = (np.arange(count) + 0.5) * (along[-1] / count)
    row = np.minimum(np.searchsorted(along, place, side="right"), len(along) - 1)
    begin = np.concatenate((np.zeros(1), along))[row]
    share = (place - begin) / np.maximum(along[row] - begin, EPSILON)
    return Spread(row, share, np.zeros(count)), flat


def _furthest(places: Vectors, count: int) -> Rows:
    """The rows of places that are far from one another, (count,) rising: each is the furthest from those before it."""
    kept = [0]
    gap = np.full(len(places), np.inf)
    while len(kept) < count:
        offset = places - places[kept[-1]]
        gap = np.minimum(gap, dot(offset, offset))
        kept.append(int(np.argmax(gap)))
    return np.sort(np.array(kept, dtype=np.int64))
