"""Fields: how long the way to a goal is from every node of a grid, and which way it leads.

    |grad T| = slowness        T(goal) = 0

is solved node by node in the order of T (Sethian 1996). As a node lies at least size / sqrt(2) times its slowness
beyond the neighbors it is reached from, all nodes within such a band are accepted together (Tsitsiklis 1995): one pass
of array operations a band, no heap, and exactly the result of the plain way. With four neighbors only that would not
hold: within a band one node might still depend on another.

A leap joins two nodes that no ground joins: once the length from its end is known, its start lies at most the metres of
the leap beyond. As these are a cell at least, that is never within the same band.

A field is solved as far as somebody asks, and goes on from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import Mask, Rows, Scalars, which
from .spans import SIDES, Spans

HALF_ROOT = 0.7071067811865476
FAR = 1e150
"""Metres, in place of infinitely many: the square of the difference of two is a number."""
NEIGHBORS, DIAGONALS = [0, 0, 1, 1, 2, 2, 3, 3], [0, 3, 1, 0, 2, 1, 3, 2]
"""Each neighbor with the diagonal one to its left, then with that to its right."""
AHEAD = np.array([SIDES[k] for k in NEIGHBORS], dtype=np.float64).T
ACROSS = np.array([SIDES[(k + turn) % 4] for k in range(4) for turn in (1, 3)], dtype=np.float64).T
"""The directions to those neighbors, and across to the diagonal ones, (2, 8)."""
DISC = 12
"""Cells round a goal in which a field begins with exact distances: the front of so few cells is not round yet."""


@dataclass(frozen=True)
class Mesh8:
    """The eight neighbors of N nodes; index N stands for none.

    Attributes:
        spans: the nodes.
        passable: (N + 1,) where a body fits.
        links: (4, N + 1) to the east, north, west and south, only between nodes that can be passed.
        corners: (4, N + 1) to the north-east, north-west, south-west and south-east, past nodes that can be passed.
        weight: (N + 1,) metres that the way through a cell counts.
    """

    spans: Spans
    passable: Mask
    links: Rows
    corners: Rows
    weight: Scalars

    @classmethod
    def of(cls, spans: Spans, links: Rows, passable: Mask, slowness: Scalars) -> Mesh8:
        """Args: links (4, N + 1); passable, slowness (N + 1,), at least 1."""
        n = len(spans)
        inner = np.where(passable[links] & passable, links, n)
        corners = np.full((4, n + 1), n, dtype=np.int64)
        for k in range(4):
            one, other = inner[(k + 1) % 4, inner[k]], inner[k, inner[(k + 1) % 4]]
            corners[k] = np.where(one == other, one, n)
        return cls(spans, passable, inner, corners, np.where(passable, slowness * spans.size, np.inf))

    def around(self, nodes: Rows, cells: int, most: int) -> Rows:
        """Nodes (m,) and those up to so many cells from them, past nodes that can be passed, until they are more than
        `most`; each at least once."""
        for _ in range(cells):
            if len(nodes) > most:
                break
            nodes = np.concatenate((nodes, self.links[:, nodes].ravel(), self.corners[:, nodes].ravel()))
            nodes = np.unique(nodes[nodes < len(self.spans)])
        return nodes

    def sees(self, start: Rows, x: Scalars, y: Scalars, to_x: Scalars, to_y: Scalars, clear: Mask) -> tuple[Mask, Rows]:
        """Whether straight lines can be walked, (m,), and the node at the end of each; a walk from cell to cell.

        Args:
            start: (m,) the nodes of the cells in which the lines begin.
            x, y, to_x, to_y: (m,) where they begin and end, metres.
            clear: (N + 1,) the nodes through whose cells lines may lead, besides their first and last.
        """
        size, origin, n = self.spans.size, self.spans.origin, len(self.spans)
        node, seen = start.copy(), self.passable[start]
        fx, fy = (x - origin[0]) / size, (y - origin[1]) / size
        gx, gy = (to_x - origin[0]) / size, (to_y - origin[1]) / size
        across = np.abs(np.floor(gx) - np.floor(fx)), np.abs(np.floor(gy) - np.floor(fy))
        live = which(seen & (across[0] + across[1] > 0.0))
        if not len(live):
            return seen, node
        steps = (across[0] + across[1])[live].astype(np.int64)
        along_x, along_y = (_crossings(a[live], b[live], c[live]) for a, b, c in zip((fx, fy), (gx, gy), across))
        # At a corner a line goes on along x first.
        order = np.argsort(np.concatenate((along_x, along_y), axis=1), axis=1, kind="stable").T
        side_x, side_y = np.where(gx > fx, 0, 2)[live], np.where(gy > fy, 1, 3)[live]
        side = np.where(order < along_x.shape[1], side_x, side_y) * (n + 1)
        links, at = self.links.ravel(), start[live]
        passed = np.empty(side.shape, dtype=np.int64)
        for step, turn in enumerate(side):
            passed[step] = at = links[turn + at]
        count = np.arange(1, len(passed) + 1)[:, None]
        blocked = ((passed == n) | ~(clear[passed] | (count == steps))) & (count <= steps)
        seen[live] = ~blocked.any(axis=0)
        node[live] = passed[np.where(seen[live], steps - 1, blocked.argmax(axis=0)), np.arange(len(live))]
        return seen, node


def _crossings(start: Scalars, end: Scalars, number: Scalars) -> Scalars:
    """The shares of their ways at which lines along an axis cross into the next cells, (m, k); inf for no further one.
    `start`, `end`: (m,) cells along the axis; `number`: (m,) how many cells each crosses into."""
    way, below = end - start, np.floor(start)
    step = 1.0 / np.where(way == 0.0, 1.0, np.abs(way))
    times = np.repeat(step[:, None], int(number.max()), axis=1)
    times[:, :1] = (np.where(way > 0.0, below + 1.0 - start, start - below) * step)[:, None]
    return np.where(np.arange(times.shape[1]) < number[:, None], np.cumsum(times, axis=1), np.inf)


class Leaps(NamedTuple):
    """Ways between nodes that no ground joins. `start`, `end`: (k,) nodes; `metres`: (k,) of free way that they count,
    a cell at least."""

    start: Rows
    end: Rows
    metres: Scalars


NO_LEAPS = Leaps(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))


class Field:
    """The lengths of the ways to some nodes, solved as far as was asked.

    Attributes:
        time: (N + 1,) metres of free way; inf where no way leads, or so far none was looked for.

    Args:
        rows, time: (s,) where it begins, and with what lengths.
        slowness: (N + 1,) how much longer the way through a cell counts than its weight, at least 1.
        within: (N + 1,) the nodes over which ways lead; None for all.
        leaps: what else joins nodes.
        clear: (N + 1,) as of `Mesh8.sees`, for leaps.
    """

    def __init__(
        self,
        grid: Mesh8,
        rows: Rows,
        time: Scalars,
        slowness: Scalars | float = 1.0,
        within: Mask | None = None,
        leaps: Leaps = NO_LEAPS,
        clear: Mask | None = None,
    ) -> None:
        self._grid, self._leaps, n = grid, leaps, len(grid.spans)
        self._clear = grid.passable if clear is None else clear
        self._slowness, self._begun = slowness, rows
        self._leapt = np.zeros(len(leaps.start), dtype=np.bool_)
        self._weight = grid.weight * slowness if np.ndim(slowness) else grid.weight
        self.time = np.full(n + 1, np.inf)
        self._known = np.full(n + 1, np.inf)
        self._done = np.zeros(n + 1, dtype=np.bool_) if within is None else ~within
        self._queued = np.zeros(n + 1, dtype=np.bool_)
        self._done[n] = True
        self._stamp = np.zeros(n + 1, dtype=np.int64)
        # Zeros cost nothing until somebody looks.
        self._along, self._looked = np.zeros((2, n + 1)), np.zeros(n + 1, dtype=np.bool_)
        self.time[rows] = time
        self._front = rows
        self._queued[rows] = True

    @classmethod
    def to(cls, grid: Mesh8, goal: int, clear: Mask, slowness: Scalars | float = 1.0, leaps: Leaps = NO_LEAPS) -> Field:
        """The field of one node."""
        return cls(grid, *_disc(grid, goal, clear), slowness, leaps=leaps, clear=clear)

    def again(self, grid: Mesh8, clear: Mask, touched: Rows) -> Field | None:
        """The same field on another grid, to the last bit as if solved there; None where little of it stays.

        Args:
            touched: (m,) the nodes at which the grids differ, and their neighbors. What is nearer to the goal stays.
        """
        nearest = self.time[touched].min(initial=np.inf)
        kept = self._done & (self.time < nearest)
        if len(self._leaps.start) or nearest <= 2.0 * DISC * grid.spans.size or not kept[self._begun].all():
            return None
        field, rows = Field(grid, self._begun, self.time[self._begun], self._slowness, clear=clear), which(kept)
        field.time[rows] = field._known[rows] = self.time[rows]
        field._done[rows] = field._queued[rows] = True
        field._front = which((kept[grid.links].any(axis=0) | kept[grid.corners].any(axis=0)) & ~field._done)
        field._queued[field._front] = True
        field.time[field._front] = field._arrival(field._front)
        return field

    def up_to(self, furthest: float) -> Rows:
        """The nodes from which ways are no longer than so many metres, and solve up to there."""
        while len(self._front) and self.time[self._front].min() <= furthest:
            self._pass()
        return which(self._done & (self.time <= furthest))

    def reach(self, nodes: Rows) -> None:
        """Solve on until the lengths from nodes (m,) are known, or no way leads to them."""
        waits = nodes[~self._done[nodes]]
        while len(waits) and len(self._front):
            self._pass()
            waits = waits[~self._done[waits]]

    def knows(self, nodes: Rows) -> Mask:
        """Whether the lengths of the ways from nodes (m,) are known, (m,)."""
        return np.asarray(self._done[nodes] & np.isfinite(self.time[nodes]))

    def _pass(self) -> None:
        """Accept one band of nodes, and look at those beyond it."""
        grid, front = self._grid, self._front
        time = self.time[front]
        now = time < time.min() + HALF_ROOT * grid.spans.size
        accepted, front = front[now], front[~now]
        self._done[accepted] = True
        self._known[accepted] = self.time[accepted]
        near = np.concatenate((grid.links[:, accepted].ravel(), grid.corners[:, accepted].ravel()))
        near = near[~self._done[near]]
        count = np.arange(len(near))
        self._stamp[near] = count
        near = near[self._stamp[near] == count]
        self.time[near] = np.minimum(self.time[near], self._arrival(near))
        fresh = near[~self._queued[near]]
        self._queued[fresh] = True
        self._front = np.concatenate((front, fresh))
        if len(self._leaps.start):
            self._leap()

    def _leap(self) -> None:
        """Look at where leaps begin to what is known, as round a goal."""
        start, end, metres = self._leaps
        for k in which(self._done[end] & ~self._leapt).tolist():
            self._leapt[k] = True
            rows, distance = _disc(self._grid, int(start[k]), self._clear)
            if (self._weight[rows] > self._grid.weight[rows]).any():
                # Through a queue it takes longer.
                rows, distance = start[k : k + 1], np.zeros(1)
            rows, distance = rows[~self._done[rows]], distance[~self._done[rows]]
            self.time[rows] = np.minimum(self.time[rows], self._known[end[k]] + metres[k] + distance)
            fresh = rows[~self._queued[rows]]
            self._queued[fresh] = True
            self._front = np.concatenate((self._front, fresh))

    def leap_from(self, nodes: Rows) -> Rows:
        """The leap with which the way from each node begins, (m,); -1 for none."""
        leaps = np.full(len(nodes), -1, dtype=np.int64)
        start, end, metres = self._leaps
        if not len(start):
            return leaps
        for k in which(self._done[start] & (self._known[end] + metres <= self.time[start])).tolist():
            leaps[nodes == start[k]] = k
        return leaps

    def _arrival(self, nodes: Rows) -> Scalars:
        """The lengths from nodes, (m,), by what is known of their neighbors.

        Between a neighbor with a and a diagonal one with d <= a the front is straight:
        T = a + sqrt(h h - (a - d) (a - d)).
        """
        known, h = self._known, self._weight[nodes]
        a, d = known[self._grid.links[:, nodes]], known[self._grid.corners[:, nodes]]
        d = np.minimum(d, np.roll(d, 1, axis=0))
        gap = np.where(d < a, np.minimum(a, 1e300) - np.minimum(d, 1e300), 0.0)
        slanted = np.minimum(gap, HALF_ROOT * h)
        flat = a + np.sqrt(h * h - slanted * slanted)
        slant = np.where(gap > HALF_ROOT * h, d + h / HALF_ROOT, flat)
        return np.minimum(slant.min(axis=0), (a + h).min(axis=0))

    def descent(self, nodes: Rows) -> NDArray[np.float64]:
        """The level unit directions, (2, m), in which the ways lead; zero at the goal and where a leap begins."""
        if not self._looked[nodes].all():
            # All that are known together take less time than some of them in each look.
            unlooked = self._done & np.isfinite(self.time) & ~self._looked
            unlooked[nodes] = ~self._looked[nodes]
            new = which(unlooked)
            self._looked[new], self._along[:, new] = True, self._steepest(new)
            if len(self._leaps.start):
                self._along[:, new[self.leap_from(new) >= 0]] = 0.0
        return self._along[:, nodes]

    def _steepest(self, nodes: Rows) -> NDArray[np.float64]:
        """As `descent`, (2, m), between each neighbor and the diagonal ones on its two sides."""
        time, grid = self.time, self._grid
        here = np.minimum(time[nodes], FAR)
        a = np.minimum(time[grid.links[:, nodes]], FAR)[NEIGHBORS]
        d = np.minimum(time[grid.corners[:, nodes]], FAR)[DIAGONALS]
        fall, along = (np.where(t < FAR, here - t, 0.0) for t in (a, d))
        gap = np.where(d < a, a - d, 0.0)
        inner = gap < fall
        steep = np.where(inner, np.sqrt(fall * fall + gap * gap), np.maximum(HALF_ROOT * along, fall))
        best = np.argmax(steep, axis=0), np.arange(len(nodes))
        both = HALF_ROOT * along[best] >= fall[best]
        ahead = np.where(inner[best], fall[best], 1.0)
        share = np.where(inner[best], gap[best], np.where(both, 1.0, 0.0))
        x, y = AHEAD[:, best[0]] * ahead + ACROSS[:, best[0]] * share
        length = np.sqrt(x * x + y * y)
        falls = (steep[best] > 0.0) & (length > 0.0)
        return np.stack((x, y)) * np.where(falls, 1.0 / np.where(length > 0.0, length, 1.0), 0.0)


def _disc(grid: Mesh8, goal: int, clear: Mask) -> tuple[Rows, Scalars]:
    """The nodes round a goal that see it, and their distances to it, (s,) each."""
    spans, rows = grid.spans, np.array([goal])
    for _ in range(DISC):
        ring = grid.links[:, rows].ravel()
        rows = np.union1d(rows, ring[ring < len(spans)])
    x, y = spans.x[rows] - spans.x[goal], spans.y[rows] - spans.y[goal]
    distance = np.sqrt(x * x + y * y)
    end_x, end_y = np.full(len(rows), spans.x[goal]), np.full(len(rows), spans.y[goal])
    seen, last = grid.sees(rows, spans.x[rows], spans.y[rows], end_x, end_y, clear)
    kept = which((seen & (last == goal) & (distance < DISC * spans.size)) | (rows == goal))
    return rows[kept], distance[kept]
