"""Ways on the ground past all that stands there: from corner to corner, the shortest there is.

Between two places among convex footprints the shortest way is straight but for turns at corners, and each of its legs
just grazes what it turns round. So the corners that see each other make a net; how far it is along that to a goal is
found for all corners at once.

Sources: Lozano-Perez and Wesley 1979 (grown obstacles, ways from corner to corner), Bellman 1958 (all distances to a
goal, from neighbor to neighbor). The paper leaves such plans to the level above steering.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.vectors import EPSILON, Mask, Rows, Scalars, firsts
from .footprints import Footprints, Plane

BLOCK = 2**21
"""Numbers that are worked on together."""
CACHED = 2**18
"""Numbers of which as many fit the processor's cache."""
KEPT = 2**22
"""Distances to goals that are kept for the next step."""
NEAR = 0.05
"""Metres from a corner at which one is there."""
CONSTANCY = 0.3
"""Metres that another way has to be shorter for who is on its way already."""
AHEAD = 4
"""Corners along its way past which an agent may see."""
AT_ONCE = 256
"""Lines of sight to the most promising corners that are looked along at once, and then four times as many."""


class Legs(NamedTuple):
    """What is next on the ways of some agents.

    Attributes:
        corner: (n,) which corner they go to, -1 for none: straight to the goal, or there is no way.
        length: (n,) how long all of the way is, metres; inf for none.
    """

    corner: Rows
    length: Scalars


class Net:
    """The corners past which ways lead, and which of them see each other.

    Attributes:
        footprints: what stands in the way.
        row: (v,) which corners of the footprints count: none that is within another of them.
        corner: (v, 2) where they are, metres.
    """

    def __init__(self, footprints: Footprints) -> None:
        self.footprints = footprints
        self.row = np.flatnonzero(~footprints.within(footprints.corner))
        self.corner, self._before, self._after = (
            places[self.row] for places in (footprints.corner, footprints.before, footprints.after)
        )
        self._from, self._to = self._edges()
        self._length = _distance(self.corner[self._from], self.corner[self._to])
        self._begin = np.flatnonzero(np.diff(self._from, prepend=-1) != 0)
        self._lengths: dict[bytes, Scalars] = {}

    def _edges(self) -> tuple[Rows, Rows]:
        """The pairs of corners, each both ways, between which a way may lead, by the first of them."""
        v = len(self.corner)
        size = max(BLOCK // max(v, 1), 1)
        found = [np.zeros((2, 0), dtype=np.int64)]
        for low in range(0, v, size):
            one, other = np.nonzero(np.arange(low, min(low + size, v))[:, None] < np.arange(v)[None])
            one += low
            grazing = self._grazed(one, self.corner[other])
            one, other = one[grazing], other[grazing]
            grazing = self._grazed(other, self.corner[one])
            one, other = one[grazing], other[grazing]
            free = ~self.footprints.crossed(self.corner[one], self.corner[other])
            found.append(np.stack((one[free], other[free])))
        one, other = np.concatenate(found, axis=1)
        start, end = np.concatenate((one, other)), np.concatenate((other, one))
        order = np.lexsort((end, start))
        return start[order], end[order]

    def _grazed(self, corner: Rows, places: Plane) -> Mask:
        """Whether lines from corners (m,) to places (m, 2), drawn out, leave the corners' footprints to one side."""
        at = self.corner[corner]
        way = places - at
        sides = []
        for beside in (self._before, self._after):
            along = beside[corner] - at
            sides.append(way[:, 0] * along[:, 1] - way[:, 1] * along[:, 0])
        # A side that is gone along is neither left nor right of its own line but for rounding.
        flat = EPSILON + 1e-9 * (np.abs(way[:, 0]) + np.abs(way[:, 1]))
        return np.asarray((np.minimum(*sides) >= -flat) | (np.maximum(*sides) <= flat), dtype=np.bool_)

    def lengths(self, goals: Plane) -> NDArray[np.float64]:
        """How far it is to some places, (g, 2), which are within no footprint: (g, v) metres from every corner.

        It is inf where there is no way.
        """
        keys = [goal.tobytes() for goal in goals]
        missing = [row for row, key in enumerate(keys) if key not in self._lengths]
        if (len(self._lengths) + len(missing)) * len(self.corner) > KEPT:
            self._lengths.clear()
            missing = list(range(len(keys)))
        size = max(CACHED // max(len(self._to), 1), 16)
        for low in range(0, len(missing), size):
            some = missing[low : low + size]
            for row, length in zip(some, self._passed_on(goals[some])):
                self._lengths[keys[row]] = length
        return np.array([self._lengths[key] for key in keys]).reshape(len(goals), -1)

    def _passed_on(self, goals: Plane) -> NDArray[np.float64]:
        """The distances to some goals, from the corners that see these passed on from neighbor to neighbor."""
        g, v = len(goals), len(self.corner)
        goal, corner = (part.ravel() for part in np.indices((g, v)))
        grazing = self._grazed(corner, goals[goal])
        goal, corner = goal[grazing], corner[grazing]
        free = ~self.footprints.crossed(self.corner[corner], goals[goal])
        goal, corner = goal[free], corner[free]
        length = np.full((g, v), np.inf)
        length[goal, corner] = _distance(self.corner[corner], goals[goal])
        # Corners first, goals second: what is added up and compared then lies side by side.
        near, far = length.T.copy(), self._length[:, None]
        start = self._from[self._begin]
        while len(start):
            shortest = np.minimum.reduceat(near[self._to] + far, self._begin, axis=0)
            if not (shortest < near[start]).any():
                break
            near[start] = np.minimum(near[start], shortest)
        return near.T

    def legs(self, points: Plane, goals: Plane, which: Rows, before: Plane) -> Legs:
        """The first legs of the shortest ways, for agents that do not see their goals.

        Args:
            points: (n, 2) where they are, metres, and
            goals: (g, 2) the places they want to be at; none is within a footprint.
            which: (n,) the goal of each.
            before: (n, 2) the corners they have been going to, nan for none.
        """
        length = self.lengths(goals)
        found = Legs(np.full(len(points), -1, dtype=np.int64), np.full(len(points), np.inf))
        size = max(BLOCK // max(len(self.corner), 1), 1)
        for low in range(0, len(points) if len(self.corner) else 0, size):
            some = slice(low, low + size)
            corner, way = self._chosen(points[some], length[which[some]], before[some])
            found.corner[some], found.length[some] = corner, way
        return found

    def _chosen(self, points: Plane, length: NDArray[np.float64], before: Plane) -> Legs:
        every = np.arange(len(points))
        reach = _distance(points[:, None], self.corner[None])
        # Who is at a corner goes on from there.
        cost = np.where(reach > NEAR, reach, np.inf) + length
        kept = np.argmin(_distance(np.nan_to_num(before, nan=np.inf)[:, None], self.corner[None]), axis=1)
        price = cost[every, kept]
        known = (self.corner[kept] == before).all(axis=1) & np.isfinite(price)
        rows = np.flatnonzero(known)
        known[rows] = ~self.footprints.crossed(points[rows], self.corner[kept[rows]])

        corner, least = kept.copy(), price.copy()
        rows = np.flatnonzero(~known)
        corner[rows], least[rows] = self._seen_first(points[rows], cost[rows])
        better, cheaper = self._cheaper(points, cost, np.where(known, price, -np.inf))
        changes = (cheaper < price - CONSTANCY) | (reach[every, kept] <= CONSTANCY)
        rows = np.flatnonzero((better >= 0) & ~changes)
        changes[rows] = self._follows(kept[rows], better[rows], length[rows])
        rows = np.flatnonzero((better >= 0) & changes)
        corner[rows], least[rows] = better[rows], cheaper[rows]
        return Legs(corner, least)

    def _cheaper(self, points: Plane, cost: NDArray[np.float64], price: Scalars) -> Legs:
        """The corners that cost least of those that are seen and cost less than a price, (n,), -1 for none."""
        found, least = np.full(len(points), -1, dtype=np.int64), np.full(len(points), np.inf)
        row, corner = np.nonzero(cost < price[:, None])
        seen = ~self.footprints.crossed(points[row], self.corner[corner])
        row, corner = row[seen], corner[seen]
        asked = cost[row, corner]
        order = np.lexsort((corner, asked, row))
        first = order[firsts(row[order])]
        found[row[first]], least[row[first]] = corner[first], asked[first]
        return Legs(found, least)

    def _seen_first(self, points: Plane, cost: NDArray[np.float64]) -> Legs:
        """The corners that cost least of those that are seen from places, -1 for none, and what they cost.

        Args:
            cost: (n, v) of each corner, metres; is used up.
        """
        n = len(points)
        found, least = np.full(n, -1, dtype=np.int64), np.full(n, np.inf)
        searching, number = np.arange(n), 0
        while len(searching):
            number = min(max(4 * number, AT_ONCE // len(searching), 1), len(self.corner))
            best = _cheapest(cost[searching], number)
            price = np.take_along_axis(cost[searching], best, axis=1)
            row, rank = np.nonzero(np.isfinite(price))
            hidden = self.footprints.crossed(points[searching[row]], self.corner[best[row, rank]])
            price[row[hidden], rank[hidden]] = np.inf
            first = np.argmin(price, axis=1)
            every = np.arange(len(searching))
            least[searching] = price[every, first]
            seen = np.isfinite(least[searching])
            found[searching[seen]] = best[every, first][seen]
            cost[searching[:, None], best] = np.inf
            searching = searching[~seen & np.isfinite(cost[searching]).any(axis=1)]
        return Legs(found, least)

    def _follows(self, corner: Rows, other: Rows, length: NDArray[np.float64]) -> Mask:
        """Whether the ways on from corners (m,) to goals that are as far as `length` (m, v) lead by others (m,)."""
        found = np.zeros(len(corner), dtype=np.bool_)
        row = np.flatnonzero(other >= 0)
        corner = corner[row]
        for _ in range(AHEAD):
            begin, end = (np.searchsorted(self._from, corner, side=side) for side in ("left", "right"))
            number = end - begin
            row, begin, number, corner = (x[number > 0] for x in (row, begin, number, corner))
            if not len(row):
                break
            last = np.cumsum(number)
            first = last - number
            edge = np.arange(last[-1]) + np.repeat(begin - first, number)
            way = self._length[edge] + length[np.repeat(row, number), self._to[edge]]
            shortest = np.minimum.reduceat(way, first)
            place = np.where(way == np.repeat(shortest, number), np.arange(len(way)), len(way))
            onward = shortest <= length[row, corner]
            corner = self._to[edge[np.minimum.reduceat(place, first)]]
            row, corner = row[onward], corner[onward]
            found[row[corner == other[row]]] = True
        return found


def _cheapest(cost: NDArray[np.float64], number: int) -> Rows:
    """Of each row (n, v) so many of the cheapest, the cheapest first, (n, number)."""
    if number == 1:
        return np.argmin(cost, axis=1)[:, None]
    if number == cost.shape[1]:
        return np.argsort(cost, axis=1, kind="stable")
    some = np.sort(np.argpartition(cost, number, axis=1)[:, :number], axis=1)
    order = np.argsort(np.take_along_axis(cost, some, axis=1), axis=1, kind="stable")
    return np.take_along_axis(some, order, axis=1)


def _distance(one: Plane, other: Plane) -> NDArray[np.float64]:
    x, y = one[..., 0] - other[..., 0], one[..., 1] - other[..., 1]
    return np.asarray(np.sqrt(x * x + y * y))
