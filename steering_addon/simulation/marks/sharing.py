"""Sharing out: which vehicle meets which place of a shape, so that no two ways need to cross.

Vehicles and places are ordered along a Morton line, which keeps together what is near, and matched in that order. Then
pairs swap their places as long as a swap makes the sum of the squares of the ways smaller. A way up or down counts for
as long as it takes: a bird that climbs slowly gets a place that is not too high for it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import EPSILON, Rows, Scalars
from ..arrays.vectors import Vectors, cross, dot, magnitude, picked
from ..geometry.bounding_volumes import morton_numbers

ROUNDS = 40
"""In which all vehicles look for a swap, at most."""
ALONG = 500
"""Vehicles on either side along the line with which each may swap."""
TRIED = 24
"""Places tried for each that is kept."""
MOST_SPREAD = 600
"""Places up to which each is as far from the others as can be; more lie as they were tried, which is even as well."""
STEP_ALONG, STEP_ASIDE = 0.7548776662466927, 0.5698402909980532
"""1 / g and 1 / g^2 with g^3 = g + 1: multiples of these fill a square evenly (Roberts 2018)."""


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
    `position`, `points`: (m, 3) and (p, 3) metres, of at least one each."""
    m, p = len(position), len(points)
    height = np.sort(points[:, 2])[np.floor((np.arange(m) + 0.5) * (p / m)).astype(np.int64)]
    return height - np.sort(position[:, 2])


def middle_of(points: Vectors) -> Vectors:
    """The mean of points, (1, 3), by a sum that is the same everywhere."""
    return np.cumsum(points, axis=0)[-1:] / len(points)


def _along_a_line(points: Vectors) -> Rows:
    """The order of points along a Morton line, (p,)."""
    return np.argsort(morton_numbers(points), kind="stable")


def _swapped(position: Vectors, points: Vectors, times: Scalars) -> Rows:
    """The place of each of m vehicles among m points, (m,) rows, after all swaps that pay. `times`: (2, m) how many
    times a way up and a way down count."""
    m = len(position)
    place = np.arange(m)
    for _ in range(ROUNDS):
        before = place.copy()
        for row in range(m):
            candidates = np.arange(max(row - ALONG, 0), min(row + ALONG + 1, m))
            point, others = points[place[row]], picked(points, place[candidates])
            start, starts = position[row], picked(position, candidates)
            its_times, their_times = times[:, row : row + 1], times[:, candidates]
            current = _squares(others - starts, their_times) + _squares((point - start)[None], its_times)
            swapped = _squares(point - starts, their_times) + _squares(others - start, its_times)
            gain = current - swapped
            best = int(np.argmax(gain))
            if gain[best] > EPSILON * max(current[best], 1.0):
                place[row], place[candidates[best]] = place[candidates[best]], place[row]
        if (place == before).all():
            break
    return place


def _squares(offset: Vectors, times: Scalars) -> Scalars:
    """The squares of ways, (b, 3) to (b,), whose part up or down is multiplied by `times`, (2, b) or (2, 1)."""
    rise = offset[:, 2] * np.where(offset[:, 2] > 0.0, times[0], times[1])
    return offset[:, 0] * offset[:, 0] + offset[:, 1] * offset[:, 1] + rise * rise


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
    """Places evenly spread over triangles, `count` of them; none where there is no area. `points`: (v, 3) metres;
    `triangles`: (f, 3) rows of points."""
    corners = [picked(points, triangles[:, corner]) for corner in range(3)]
    area = np.cumsum(magnitude(cross(corners[1] - corners[0], corners[2] - corners[0])))
    if not len(area) or area[-1] <= EPSILON or not count:
        return Spread(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
    tried = count * (TRIED if count <= MOST_SPREAD else 1)
    number = np.arange(tried) + 0.5
    triangle = np.minimum(np.searchsorted(area, number * (area[-1] / tried), side="right"), len(area) - 1)
    along, aside = (number * step - np.floor(number * step) for step in (STEP_ALONG, STEP_ASIDE))
    # Half of a parallelogram, folded over.
    over = along + aside > 1.0
    second, third = np.where(over, 1.0 - along, along), np.where(over, 1.0 - aside, aside)
    tried_places = Spread(triangle, second, third)
    if tried == count:
        return tried_places
    chosen = _furthest(tried_places.on(points, triangles), count)
    return Spread(triangle[chosen], second[chosen], third[chosen])


def spread_along(points: Vectors, segments: NDArray[np.int64], count: int) -> tuple[Spread, NDArray[np.int64]]:
    """Places evenly spread along lines, `count` of them, and the triangles without area on which they are, (s, 3).
    `points`: (v, 3) metres; `segments`: (s, 2) rows of points."""
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
    chosen = [0]
    gap = np.full(len(places), np.inf)
    while len(chosen) < count:
        offset = places - places[chosen[-1]]
        gap = np.minimum(gap, dot(offset, offset))
        chosen.append(int(np.argmax(gap)))
    return np.sort(np.array(chosen, dtype=np.int64))
