"""Sharing out: which vehicle meets which place of a shape, so that no two ways need to cross.

Vehicles and places are ordered along a Morton line, which keeps together what is near, and matched in that order. Then
pairs swap their places as long as a swap makes the sum of the squares of the ways smaller. A way up or down counts for
as long as it takes: a bird that climbs slowly gets a place that is not too high for it.
"""

import numpy as np

from ..arrays.scalars import EPSILON, Rows, Scalars
from ..arrays.vectors import Vectors, magnitude, picked

BITS = 10
"""Of each coordinate along the Morton line."""
ROUNDS = 40
"""In which all vehicles look for a swap, at most."""
ALONG = 500
"""Vehicles on either side along the line with which each may swap."""


def shared_out(position: Vectors, points: Vectors, up: Scalars | None = None, down: Scalars | None = None) -> Rows:
    """The place that each vehicle meets, (m,) rows of the points, -1 for none.

    With fewer places than vehicles the nearest vehicles get them; with more, some are left out, evenly.

    Args:
        position: (m, 3) of the vehicles, metres.
        points: (p, 3) metres.
        up, down: (m,) how many times as long a way up and a way down take each vehicle as a level one; None for 1.
    """
    m, p = len(position), len(points)
    place = np.full(m, -1, dtype=np.int64)
    if not m or not p:
        return place
    vehicles = np.arange(m)
    if p < m:
        gap = magnitude(position - middle_of(points))
        vehicles = np.sort(np.lexsort((vehicles, gap))[:p])
    count = min(m, p)
    line = _along_a_line(points)
    line = line[np.floor((np.arange(count) + 0.5) * (p / count)).astype(np.int64)]
    vehicles = vehicles[_along_a_line(picked(position, vehicles))]
    times = np.ones((2, m)) if up is None or down is None else np.stack((up, down))
    place[vehicles] = line[_swapped(picked(position, vehicles), picked(points, line), times[:, vehicles])]
    return place


def climbs(position: Vectors, points: Vectors) -> Scalars:
    """How far vehicles have to climb to places that are shared out by height, (m,) metres; less than 0 to dive.

    Args:
        position, points: (m, 3) and (p, 3) metres, of at least one each.
    """
    m, p = len(position), len(points)
    height = np.sort(points[:, 2])[np.floor((np.arange(m) + 0.5) * (p / m)).astype(np.int64)]
    return np.asarray(height - np.sort(position[:, 2]))


def middle_of(points: Vectors) -> Vectors:
    """The mean of points, (1, 3), by a sum that is the same everywhere."""
    return np.cumsum(points, axis=0)[-1:] / len(points)


def _along_a_line(points: Vectors) -> Rows:
    """The order of points along a Morton line, (p,)."""
    low, high = points.min(axis=0), points.max(axis=0)
    side = max(float((high - low).max()), EPSILON)
    cells = np.floor((points - low) * (((1 << BITS) - 1) / side)).astype(np.int64)
    code = np.zeros(len(points), dtype=np.int64)
    for bit in range(BITS):
        for axis in range(3):
            code |= ((cells[:, axis] >> bit) & 1) << (3 * bit + axis)
    return np.lexsort((np.arange(len(points)), code))


def _swapped(position: Vectors, points: Vectors, times: Scalars) -> Rows:
    """The place of each of m vehicles among m points, (m,) rows, after all swaps that pay.

    Args:
        times: (2, m) how many times a way up and a way down count.
    """
    m = len(position)
    place = np.arange(m)
    for _ in range(ROUNDS):
        before = place.copy()
        for row in range(m):
            near = np.arange(max(row - ALONG, 0), min(row + ALONG + 1, m))
            mine, theirs = points[place[row]], picked(points, place[near])
            start, starts = position[row], picked(position, near)
            now = _squares(theirs - starts, times[:, near]) + _squares((mine - start)[None], times[:, row : row + 1])
            then = _squares(mine - starts, times[:, near]) + _squares(theirs - start, times[:, row : row + 1])
            gain = now - then
            best = int(np.argmax(gain))
            if gain[best] > EPSILON * max(now[best], 1.0):
                place[row], place[near[best]] = place[near[best]], place[row]
        if (place == before).all():
            break
    return place


def _squares(way: Vectors, times: Scalars) -> Scalars:
    """The squares of ways, (b, 3) to (b,), whose part up or down is multiplied by `times`, (2, b) or (2, 1)."""
    rise = way[:, 2] * np.where(way[:, 2] > 0.0, times[0], times[1])
    return way[:, 0] * way[:, 0] + way[:, 1] * way[:, 1] + rise * rise
