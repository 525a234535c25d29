"""The net of corners along which the shortest ways on the ground lead past standing obstacles.

Between two points among convex footprints the shortest way is straight except for turns at corners, and each of its
legs just grazes the footprints at its ends. So the corners that see each other make a net, and the distances d of all
its corners to a goal are the fixed point of

    d(corner) = |corner - goal|                                            where it sees the goal
    d(corner) = min over its neighbors of |corner - neighbor| + d(neighbor)   elsewhere

which is reached by passing distances from neighbor to neighbor, for all corners and several goals together.

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
"""Numbers in one array: 16 MB."""
CACHED = 2**18
"""Numbers that fit the processor's second-level cache: 2 MB."""
KEPT = 2**22
"""Maximum number of distances to goals that are kept for the next step: 32 MB."""
NEAR = 0.05
"""Metres from a corner within which an agent has reached it: the step of a walker, 1.3 m/s at 24 frames a second."""
CONSTANCY = 0.3
"""Metres by which another way must be shorter before an agent changes ways. A step aside by d changes the difference of
two ways by up to 2 d; this is 2 times 0.15 m, the default clearance from others."""
AHEAD = 4
"""Maximum number of corners that a look ahead along a way may skip: two corners of boxes, each cut in two."""
AT_ONCE = 256
"""Lines of sight that are tested together, to the most promising corners; then four times that number. Up to about 100
lines a test takes 0.06 to 0.15 ms, most of it the overhead of the call, and few agents need a second one."""


class Legs(NamedTuple):
    """The first legs of the ways of n agents.

    Attributes:
        corner: (n,) the corner they go to, -1 for none: straight to the goal, or no way exists.
        length: (n,) length of the whole way, metres; inf if no way exists.
    """

    corner: Rows
    length: Scalars


class Net:
    """The corners past which ways lead, and the pairs of them that see each other.

    Attributes:
        footprints: the obstacles.
        row: (v,) index of each corner among those of the footprints; corners within another footprint are left out.
        corner: (v, 2) metres.
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
        """The pairs of corners, (e,) and (e,), between which a way may lead: both directions, sorted by the first."""
        v = len(self.corner)
        size = max(BLOCK // max(v, 1), 1)
        pairs = [np.zeros((2, 0), dtype=np.int64)]
        for low in range(0, v, size):
            first, second = np.nonzero(np.arange(low, min(low + size, v))[:, None] < np.arange(v)[None])
            first += low
            grazing = self._grazed(first, self.corner[second])
            first, second = first[grazing], second[grazing]
            grazing = self._grazed(second, self.corner[first])
            first, second = first[grazing], second[grazing]
            free = ~self.footprints.crossed(self.corner[first], self.corner[second])
            pairs.append(np.stack((first[free], second[free])))
        first, second = np.concatenate(pairs, axis=1)
        start, end = np.concatenate((first, second)), np.concatenate((second, first))
        order = np.lexsort((end, start))
        return start[order], end[order]

    def _grazed(self, corner: Rows, places: Plane) -> Mask:
        """The mask, (m,), of lines from corners (m,) to points (m, 2) that have the corners' footprints on one side."""
        at = self.corner[corner]
        way = places - at
        sides = []
        for beside in (self._before, self._after):
            along = beside[corner] - at
            sides.append(way[:, 0] * along[:, 1] - way[:, 1] * along[:, 0])
        # A line along a side has rounding errors to the left or right of it.
        flat = EPSILON + 1e-9 * (np.abs(way[:, 0]) + np.abs(way[:, 1]))
        return np.asarray((np.minimum(*sides) >= -flat) | (np.maximum(*sides) <= flat), dtype=np.bool_)

    def lengths(self, goals: Plane) -> NDArray[np.float64]:
        """The lengths of the ways from every corner to goals (g, 2) outside all footprints, (g, v) metres.

        They are inf where no way exists.
        """
        keys = [goal.tobytes() for goal in goals]
        missing = [row for row, key in enumerate(keys) if key not in self._lengths]
        if (len(self._lengths) + len(missing)) * len(self.corner) > KEPT:
            self._lengths.clear()
            missing = list(range(len(keys)))
        size = max(CACHED // max(len(self._to), 1), 16)
        for low in range(0, len(missing), size):
            rows = missing[low : low + size]
            for row, length in zip(rows, self._passed_on(goals[rows])):
                self._lengths[keys[row]] = length
        return np.array([self._lengths[key] for key in keys]).reshape(len(goals), -1)

    def _passed_on(self, goals: Plane) -> NDArray[np.float64]:
        """The lengths of the ways to goals (g, 2), (g, v) metres, passed on from the corners that see the goals."""
        g, v = len(goals), len(self.corner)
        goal, corner = (part.ravel() for part in np.indices((g, v)))
        grazing = self._grazed(corner, goals[goal])
        goal, corner = goal[grazing], corner[grazing]
        free = ~self.footprints.crossed(self.corner[corner], goals[goal])
        goal, corner = goal[free], corner[free]
        length = np.full((g, v), np.inf)
        length[goal, corner] = _distance(self.corner[corner], goals[goal])
        # Corners first, goals second: numbers that are added and compared are neighbors in memory.
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
            points: (n, 2) their positions, metres, outside all footprints.
            goals: (g, 2) metres, outside all footprints.
            which: (n,) the row of the goal of each.
            before: (n, 2) the corners they have been going to, nan for none.
        """
        length = self.lengths(goals)
        legs = Legs(np.full(len(points), -1, dtype=np.int64), np.full(len(points), np.inf))
        size = max(BLOCK // max(len(self.corner), 1), 1)
        for low in range(0, len(points) if len(self.corner) else 0, size):
            part = slice(low, low + size)
            legs.corner[part], legs.length[part] = self._chosen(points[part], length[which[part]], before[part])
        return legs

    def _chosen(self, points: Plane, length: NDArray[np.float64], before: Plane) -> Legs:
        """As `legs`, given the lengths (n, v) of the ways from every corner."""
        every = np.arange(len(points))
        reach = _distance(points[:, None], self.corner[None])
        # An agent that has reached a corner continues to the next.
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
        """The cheapest corners that are seen from points (n, 2) and cost less than a price, (n,); -1 for none.

        Args:
            cost: (n, v) length of the way by each corner, metres.
        """
        cheapest, least = np.full(len(points), -1, dtype=np.int64), np.full(len(points), np.inf)
        row, corner = np.nonzero(cost < price[:, None])
        seen = ~self.footprints.crossed(points[row], self.corner[corner])
        row, corner = row[seen], corner[seen]
        asked = cost[row, corner]
        order = np.lexsort((corner, asked, row))
        first = order[firsts(row[order])]
        cheapest[row[first]], least[row[first]] = corner[first], asked[first]
        return Legs(cheapest, least)

    def _seen_first(self, points: Plane, cost: NDArray[np.float64]) -> Legs:
        """The cheapest corners that are seen from points (n, 2), -1 for none.

        Args:
            cost: (n, v) length of the way by each corner, metres; is overwritten.
        """
        n = len(points)
        cheapest, least = np.full(n, -1, dtype=np.int64), np.full(n, np.inf)
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
            cheapest[searching[seen]] = best[every, first][seen]
            cost[searching[:, None], best] = np.inf
            searching = searching[~seen & np.isfinite(cost[searching]).any(axis=1)]
        return Legs(cheapest, least)

    def _follows(self, corner: Rows, other: Rows, length: NDArray[np.float64]) -> Mask:
        """The mask, (m,), of ways onward from corners (m,) that lead by other corners (m,).

        Args:
            other: (m,) -1 for none.
            length: (m, v) of the ways from every corner, metres.
        """
        follows = np.zeros(len(corner), dtype=np.bool_)
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
            index = np.where(way == np.repeat(shortest, number), np.arange(len(way)), len(way))
            onward = shortest <= length[row, corner]
            corner = self._to[edge[np.minimum.reduceat(index, first)]]
            row, corner = row[onward], corner[onward]
            follows[row[corner == other[row]]] = True
        return follows


def _cheapest(cost: NDArray[np.float64], number: int) -> Rows:
    """The columns of the cheapest entries of each row (n, v), the cheapest first, (n, number)."""
    if number == 1:
        return np.argmin(cost, axis=1)[:, None]
    if number == cost.shape[1]:
        return np.argsort(cost, axis=1, kind="stable")
    column = np.sort(np.argpartition(cost, number, axis=1)[:, :number], axis=1)
    order = np.argsort(np.take_along_axis(cost, column, axis=1), axis=1, kind="stable")
    return np.take_along_axis(column, order, axis=1)


def _distance(start: Plane, end: Plane) -> NDArray[np.float64]:
    x, y = start[..., 0] - end[..., 0], start[..., 1] - end[..., 1]
    return np.asarray(np.sqrt(x * x + y * y))
