"""The net of corners along which the shortest ways on the ground lead past standing obstacles.

Between two points among convex footprints the shortest way is straight except for turns at corners, and each of its
legs just grazes the footprints at its ends, unless it begins or ends within the wide outline of one. So the corners
that see each other make a net, and the distances d of all its corners to a goal are the fixed point of

    d(corner) = |corner - goal|                                            where it sees the goal
    d(corner) = min over its neighbors of |corner - neighbor| + d(neighbor)   elsewhere

which is reached by passing distances from neighbor to neighbor, for all corners and several goals together.

Sources: Lozano-Perez and Wesley 1979 (grown obstacles, ways from corner to corner), Bellman 1958 (all distances to a
goal, from neighbor to neighbor). The paper leaves such plans to the level above steering.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, firsts, which
from .detours import CONSTANCY
from .footprints import Footprints, Plane

BLOCK = 2**21
"""Numbers in one array: 16 MB."""
CACHED = 2**18
"""Numbers that fit the processor's second-level cache: 2 MB."""
KEPT = 2**22
"""Maximum number of distances to goals that are kept for the next step: 32 MB."""
NEAR = 0.05
"""Metres from a corner within which an agent has reached it: the step of a walker, 1.3 m/s at 24 frames a second."""
ON_THE_WAY = 1e-6
"""Metres by which a way may seem longer that leads by a corner on it: rounding."""
MORE = 4
"""How many times more corners are looked at where all that are more promising are out of sight."""


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
        self.row = which(~footprints.crossed(footprints.corner, footprints.corner))
        self.corner, self._before, self._after = (
            places[self.row] for places in (footprints.corner, footprints.before, footprints.after)
        )
        self._owner = footprints.owner[self.row]
        self._from, self._to = self._edges()
        self._length = _distance(self.corner[self._from], self.corner[self._to])
        self._begin = np.flatnonzero(np.diff(self._from, prepend=-1) != 0)
        self._lengths: dict[bytes, Scalars] = {}

    def _edges(self) -> tuple[Rows, Rows]:
        """The pairs of corners, (e,) and (e,), between which a way may lead: both directions, sorted by the first."""
        v = len(self.corner)
        size = max(BLOCK // max(v, 1), 1)
        pairs, within = [np.zeros((2, 0), dtype=np.int64)], self.footprints.within(self.corner)
        for low in range(0, v, size):
            first, second = np.nonzero(np.arange(low, min(low + size, v))[:, None] < np.arange(v)[None])
            first += low
            grazing = self._grazed(first, self.corner[second]) | within[second, self._owner[first]]
            first, second = first[grazing], second[grazing]
            grazing = self._grazed(second, self.corner[first]) | within[first, self._owner[second]]
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
        return (np.minimum(*sides) >= -flat) | (np.maximum(*sides) <= flat)

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
        grazing = self._grazed(corner, goals[goal]) | self.footprints.within(goals)[goal, self._owner[corner]]
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

    def legs(self, points: Plane, goals: Plane, goal: Rows, before: Plane) -> Legs:
        """The first legs of the shortest ways, for agents that do not see their goals.

        Args:
            points: (n, 2) their positions, metres, outside all footprints.
            goals: (g, 2) metres, outside all footprints.
            goal: (n,) the row of the goal of each.
            before: (n, 2) the corners they have been going to, nan for none.
        """
        length = self.lengths(goals)
        legs = Legs(np.full(len(points), -1, dtype=np.int64), np.full(len(points), np.inf))
        size = max(BLOCK // max(len(self.corner), 1), 1)
        for low in range(0, len(points) if len(self.corner) else 0, size):
            part = slice(low, low + size)
            legs.corner[part], legs.length[part] = self._chosen(points[part], length[goal[part]], before[part])
        return legs

    def _chosen(self, points: Plane, length: NDArray[np.float64], before: Plane) -> Legs:
        """As `legs`, given the lengths (n, v) of the ways from every corner."""
        every = np.arange(len(points))
        reach = _distance(points[:, None], self.corner[None])
        # An agent that has reached a corner continues to the next.
        cost = np.where(reach > NEAR, reach, np.inf) + length
        kept = self._row_of(before)
        price = np.where((self.corner[kept] == before).all(axis=1), cost[every, kept], np.inf)
        rows = which(np.isfinite(price))
        price[rows[self.footprints.crossed(points[rows], self.corner[kept[rows]])]] = np.inf
        better = self._seen_first(points, np.where(cost < price[:, None], cost, np.inf))
        cheaper, onward = cost[every, better], _distance(self.corner[kept], self.corner[better])
        changes = (cheaper < price - CONSTANCY) | (reach[every, kept] <= CONSTANCY)
        # The way by the present corner leads on to the other one.
        changes |= onward + length[every, better] <= length[every, kept] + ON_THE_WAY
        changes &= better >= 0
        corner = np.where(changes, better, np.where(np.isfinite(price), kept, -1))
        return Legs(corner, np.where(changes, cheaper, price))

    def _row_of(self, places: Plane) -> Rows:
        """The corners at places (n, 2), (n,); any for those that are none."""
        order = np.lexsort((self.corner[:, 1], self.corner[:, 0]))
        found = np.searchsorted(_sortable(self.corner[order]), _sortable(places))
        return np.asarray(order[np.minimum(found, len(order) - 1)])

    def _seen_first(self, points: Plane, cost: NDArray[np.float64]) -> Rows:
        """The cheapest corners that are seen from points (n, 2), -1 for none.

        Args:
            cost: (n, v) length of the way by each corner, metres; inf for those that are not asked about.
        """
        cheapest, number = np.full(len(points), -1, dtype=np.int64), 1
        row, corner = np.nonzero(np.isfinite(cost))
        order = np.lexsort((cost[row, corner], row))
        row, corner = row[order], corner[order]
        while len(row):
            rank = np.arange(len(row)) - np.searchsorted(row, row)
            tried = which(rank < number)
            seen = tried[~self.footprints.crossed(points[row[tried]], self.corner[corner[tried]])]
            first = seen[firsts(row[seen])]
            cheapest[row[first]] = corner[first]
            left = (rank >= number) & (cheapest[row] < 0)
            row, corner, number = row[left], corner[left], MORE * number
        return cheapest


def _sortable(places: Plane) -> NDArray[np.complex128]:
    """Places, (n, 2), as numbers that are sorted by x, then by y."""
    return places[:, 0] + 1j * places[:, 1]


def _distance(start: Plane, end: Plane) -> NDArray[np.float64]:
    x, y = (np.ascontiguousarray(start[..., k]) - np.ascontiguousarray(end[..., k]) for k in range(2))
    return np.sqrt(x * x + y * y)
