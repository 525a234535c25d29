"""Floors: triangles as seen from above, for what stands on them.

A flat grid lists the triangles above each of its cells. A place is on the highest of those triangles that lie about as
high as expected, so that storeys above each other do not mix.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.frozen import Columns, replace
from ..arrays.once import once
from ..arrays.scalars import Mask, Rows, Scalars, counted, everybody, which
from ..arrays.vectors import Vectors, columns, dot, in_columns
from .triangles import Borders, Sides, Slopes, point_normals, weld

TRIANGLES_A_CELL = 2.0
CELLS_A_TRIANGLE = 16
"""Cells that a triangle covers on the average at most, where small triangles ask for smaller cells than large ones."""
LEAST_COVERED = 65536
"""Covered cells that a floor of few triangles may have beyond that."""
MOST_CELLS = 4096
"""Cells along one side of the grid at most."""
BEYOND = 1e-9
"""The share of a triangle by which it reaches beyond its sides, so that no place falls between two of them."""
WIDER = 1.25
"""Open ground is looked for this much further than asked, so that a slightly larger reach needs no new search."""
INSIDE = 1e-6
"""The share of a triangle from its sides on which a place is in no other, be that a thousand times as large."""
RIM = 0.8660254037844386
"""The cosine between a face and the smoothed normal at its corner below which there is a rim, where faces meet at more
than 60 degrees. Smoothed over the edge of a step, normals would lean all the way where the floor before it is level."""
SIDES_CROSSED = 2
"""How many sides of triangles are crossed from a triangle near a place, before the place is looked up."""
MANY = 64
"""From how many places on it takes less time to go on from the triangles in the middle of their cells."""
PROBE = (0.381966, 0.276393)
"""Where in a cell its storeys are counted, in shares of its width: off the lines on which meshes have their edges."""
NO_TRIANGLE = -1


@dataclass(frozen=True)
class Footing(Columns):
    """The ground trodden at places. `triangle`: (n,) rows of triangles, -1 for none; `height`: (n,) metres, nan for
    none; `u`, `v`: (n,) the shares of the triangle's second and third corner in the place."""

    triangle: Rows
    height: Scalars
    u: Scalars
    v: Scalars

    def otherwise(self, other: "Footing") -> "Footing":
        """The same, with another footing where this one has no triangle."""
        has_none = self.triangle < 0
        return self.put(has_none, other.take(has_none))


@dataclass(frozen=True)
class Floor:
    """Triangles in a flat grid.

    Attributes:
        triangles: (f, 3) rows of points.
        normals: (p, 3) smoothed unit normals; which side they point to does not matter.
        slopes: how each triangle lies.
        origin, size, shape: the lowest corner of the grid, metres, the width of a cell, and the cells along x and y.
        begin: (cells + 1,) where the triangles of each cell begin in `member`.
        member: the rows of triangles, cell by cell.
        from_above: what was found out about the triangles as seen from above, which stays while they rise and sink.
    """

    points: Vectors
    triangles: NDArray[np.int64]
    normals: Vectors
    slopes: Slopes
    origin: tuple[float, float]
    size: float
    shape: tuple[int, int]
    begin: Rows
    member: Rows
    from_above: dict[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.triangles)

    @once
    def _open(self) -> dict[float, tuple[float, Mask, Mask]]:
        """The findings of `openness`: by cosine the reach, the open cells and the bare ones."""
        return {}

    def moved(self, points: Vectors) -> "Floor":
        """The floor with its points (p, 3) elsewhere; quick if they only rise and sink."""
        points = in_columns(np.asarray(points, dtype=np.float64))
        if not (points[:, :2] == self.points[:, :2]).all():
            return floor(points, self.triangles)
        slopes = Slopes.of(points, self.triangles)
        if not (slopes.is_floor == self.slopes.is_floor).all():
            return floor(points, self.triangles)
        normals = point_normals(points, self.triangles, weld(points, self.triangles).T)
        return replace(self, points=points, normals=normals, slopes=slopes)

    def under(
        self, x: Scalars, y: Scalars, expected: Scalars, step_up: Scalars, step_down: Scalars, last: Rows | None = None
    ) -> Footing:
        """The ground trodden at places: the highest triangle at most `step_up` above the expected height.

        Args:
            x, y, expected: (n,) the places and the heights expected there, metres.
            step_up, step_down: (n,) how far above and below that a triangle may be, metres.
            last: (n,) triangles that may still be under the places, -1 for none: they are tried first.
        """
        if not len(self) or (last is None and len(x) < MANY):
            return self._search(x, y, expected, step_up, step_down)
        if last is None:
            last = self._near(x, y)
        alone, u, v, height = self._only_one(last, x, y)
        triangle = last.copy()
        for _ in range(SIDES_CROSSED):
            # A triangle in which the place lies is not alone: it has no side to be crossed.
            outside = which(~alone & (np.minimum(np.minimum(u, v), 1.0 - u - v) <= INSIDE))
            if not len(outside):
                break
            # A step hardly ends further than in the triangle beyond the side over which it leads.
            triangle[outside] = self._beyond(triangle[outside], u[outside], v[outside])
            found = self._only_one(triangle[outside], x[outside], y[outside])
            alone[outside], u[outside], v[outside], height[outside] = found
        unsure = which(~alone)
        off = height - expected
        stays = (off <= step_up) & (off >= -step_down)
        stays[unsure] = False
        if not everybody(stays):
            triangle = np.where(stays, triangle, NO_TRIANGLE)
            u, v, height = np.where(stays, u, 0.0), np.where(stays, v, 0.0), np.where(stays, height, np.nan)
        footing = Footing(triangle, height, u, v)
        if len(unsure):
            places = (column[unsure] for column in (x, y, expected, step_up, step_down))
            footing = footing.put(unsure, self._search(*places))
        return footing

    def _only_one(self, triangle: Rows, x: Scalars, y: Scalars) -> tuple[Mask, Scalars, Scalars, Scalars]:
        """Whether these triangles are the only ones over or under places, (n,), and the u, v and heights there.
        `triangle`: (n,) -1 for none."""
        table = np.take(self.slopes.table, np.maximum(triangle, 0), axis=0)
        dx, dy = x - table[:, 0], y - table[:, 1]
        u = table[:, 3] * dx + table[:, 4] * dy
        v = table[:, 5] * dx + table[:, 6] * dy
        only = (u > INSIDE) & (v > INSIDE) & (u + v < 1.0 - INSIDE) & (triangle >= 0) & self._alone[triangle]
        return only, u, v, table[:, 2] + table[:, 7] * dx + table[:, 8] * dy

    def _near(self, x: Scalars, y: Scalars) -> Rows:
        """Triangles near places, from which few sides are to be crossed to the place; (n,) rows, -1 for none."""
        middle = self.from_above.get("middle")
        if middle is None:
            middle = self.from_above["middle"] = np.full(self.shape[0] * self.shape[1], NO_TRIANGLE)
            cells = which(self._single)
            indices = cells % self.shape[0], cells // self.shape[0]
            row, triangle, *_ = self.over(
                *(origin + (index + 0.5) * self.size for origin, index in zip(self.origin, indices))
            )
            middle[cells[row]] = triangle
        cell, on = self._cells(x, y)
        return np.where(on, middle[cell], NO_TRIANGLE)

    def _beyond(self, triangle: Rows, u: Scalars, v: Scalars) -> Rows:
        """The triangles beyond the sides over which places with these shares are furthest, (n,); -1 for none."""
        third = 1.0 - u - v
        side = np.where((third < u) & (third < v), 1, np.where(u < v, 2, 0))
        return np.where(triangle >= 0, self._neighbors[side, np.maximum(triangle, 0)], NO_TRIANGLE)

    @property
    def _neighbors(self) -> Rows:
        """(3, f) the triangles beyond the sides from the first corner to the second, and so on; -1 for not just one."""
        neighbors = self.from_above.get("neighbors")
        if neighbors is None:
            neighbors = self.from_above["neighbors"] = self._sides.neighbors
        return neighbors

    @once
    def steepest(self) -> float:
        """The least cosine of the slope of a triangle that can be trodden; 1 without any."""
        return float(self.slopes.cosine.min(initial=1.0, where=self.slopes.is_floor))

    @property
    def _alone(self) -> Mask:
        """(f,) the triangles over or under which lies no other."""
        alone = self.from_above.get("alone")
        if alone is None:
            alone = np.ones(len(self), dtype=np.bool_)
            shared_cell = np.repeat(~self._single, np.diff(self.begin))
            alone[self.member[shared_cell]] = False
            self.from_above["alone"] = alone
        return alone

    @once
    def corner_normals(self) -> Scalars:
        """The unit normals at the corners of each triangle, turned up, (f, 9): smoothed, but not over a rim."""
        corners, rises = np.empty((len(self), 9)), self.slopes.table[:, 7:9]
        faces = columns(-rises[:, 0], -rises[:, 1], 1.0) * self.slopes.cosine[:, None]
        for k in range(3):
            normal = self.normals[self.triangles[:, k]]
            normal = np.where((normal[:, 2] < 0.0)[:, None], -normal, normal)
            corners[:, 3 * k : 3 * k + 3] = np.where((dot(normal, faces) < RIM)[:, None], faces, normal)
        return corners

    @once
    def _ranges(self) -> Scalars:
        """(cells, 4) the lowest and highest place of each cell, and the steepest and gentlest cosine of its triangles.
        What holds more than one storey, or none, may have any slope: cosines from -1 to 2."""
        ranges = np.tile((0.0, 0.0, -1.0, 2.0), (self.shape[0] * self.shape[1], 1))
        rows = which(self._single)
        if len(rows):
            filled = np.diff(self.begin) > 0
            begins, heights = self.begin[:-1][filled], self.points[:, 2][self.triangles]
            cosine = self.slopes.cosine[self.member]
            low, high = heights.min(axis=1)[self.member], heights.max(axis=1)[self.member]
            of_filled = np.stack(
                (
                    np.minimum.reduceat(low, begins),
                    np.maximum.reduceat(high, begins),
                    np.minimum.reduceat(cosine, begins),
                    np.maximum.reduceat(cosine, begins),
                ),
                axis=1,
            )
            ranges[rows] = of_filled[(np.cumsum(filled) - 1)[rows]]
        return ranges

    def glance(self, x: Scalars, y: Scalars, expected: Scalars, step: Scalars, cosine: Scalars) -> tuple[Mask, Mask]:
        """Answers for places without looking at triangles, (n,) each: that they can be walked, or cannot. `x`, `y`,
        `expected`: (n,) the places and the heights expected there, metres; `step`: (n,) how far above and below that a
        triangle may be, metres; `cosine`: (n,) of the steepest slope that can be walked."""
        cell, on = self._cells(x, y)
        ranges = np.take(self._ranges, cell, axis=0)
        within = on & (ranges[:, 0] >= expected - step) & (ranges[:, 1] <= expected + step)
        return within & (ranges[:, 2] >= cosine), within & (ranges[:, 3] < cosine)

    @property
    def _single(self) -> Mask:
        """(cells,) over or under every place of which is exactly one triangle."""
        single = self.from_above.get("single")
        if single is None:
            single = self.from_above["single"] = self._single_cells()
        return single

    def _single_cells(self) -> Mask:
        """As `_single`.

        Where neither a border nor a fold is in a cell, all its places have the same number of triangles.

        At a fold both triangles of a side lie on the same side of it, as seen from above.
        """
        across, along = self.shape
        count = np.diff(self.begin)
        even = count > 0
        sides, shut = self._sides, np.zeros(len(self), dtype=np.bool_)
        if len(self):
            ways = np.where(sides.start < sides.end, 1, -1) * np.tile(self.slopes.turn, 3)
            ways = np.add.reduceat(ways[sides.order], sides.begin)
            shut[sides.order[np.repeat((sides.times != 2) | (ways != 0), sides.times)] % len(self)] = True
            even[np.repeat(np.arange(across * along), count)[shut[self.member]]] = False
        before = np.concatenate(([False], even[:-1]))
        before[::across] = False
        starts = which(even & ~before)
        x, y = (
            origin + (index + share) * self.size
            for origin, index, share in zip(self.origin, (starts % across, starts // across), PROBE)
        )
        row, *_ = self.over(x, y)
        alone = np.bincount(row, minlength=len(starts)) == 1
        single = np.zeros(across * along, dtype=np.bool_)
        single[even] = alone[np.cumsum(even & ~before)[even] - 1]
        return single

    @once
    def _sides(self) -> Sides:
        return Sides.of(self.points, self.triangles)

    def _search(self, x: Scalars, y: Scalars, expected: Scalars, step_up: Scalars, step_down: Scalars) -> Footing:
        """As `under`, among all triangles of the cells."""
        n = len(x)
        point, row, u, v, height = self.over(x, y)
        off = height - expected[point]
        within = which((off <= step_up[point]) & (off >= -step_down[point]))
        footing = Footing(np.full(n, NO_TRIANGLE), np.full(n, np.nan), np.zeros(n), np.zeros(n))
        if not len(within):
            return footing
        point, row, u, v, height = point[within], row[within], u[within], v[within], height[within]
        begins = which(np.concatenate(([True], point[1:] != point[:-1])))
        highest = np.empty(n)
        highest[point[begins]] = np.maximum.reduceat(height, begins)
        # Of equals the first counts, which is written last.
        best = which(height == highest[point])[::-1]
        rows = point[best]
        footing.triangle[rows], footing.height[rows], footing.u[rows], footing.v[rows] = (
            row[best],
            height[best],
            u[best],
            v[best],
        )
        return footing

    def over(self, x: Scalars, y: Scalars) -> tuple[Rows, Rows, Scalars, Scalars, Scalars]:
        """The triangles over or under each place: the row of the place, that of the triangle, u, v and its height."""
        cell, on = self._cells(x, y)
        first = self.begin[cell]
        number = np.where(on, self.begin[cell + 1] - first, 0)
        end = np.cumsum(number)
        point = np.repeat(np.arange(len(x)), number)
        row = self.member[np.arange(len(point)) + np.repeat(first - (end - number), number)]
        table = np.take(self.slopes.table, row, axis=0)
        dx, dy = x[point] - table[:, 0], y[point] - table[:, 1]
        u = table[:, 3] * dx + table[:, 4] * dy
        v = table[:, 5] * dx + table[:, 6] * dy
        hit = which((u >= -BEYOND) & (v >= -BEYOND) & (u + v <= 1.0 + BEYOND))
        table, dx, dy = table[hit], dx[hit], dy[hit]
        return point[hit], row[hit], u[hit], v[hit], table[:, 2] + table[:, 7] * dx + table[:, 8] * dy

    def any_between(self, x: Scalars, y: Scalars, low: Scalars, high: Scalars, *, trodden: bool) -> Mask:
        """Whether a triangle over or under places lies between two heights; (n,) each, metres. `trodden`: whether one
        triangle at each place is the ground itself, and not between these."""
        between = np.zeros(len(x), dtype=np.bool_)
        cell, on = self._cells(x, y)
        rows = which(on & ~self._single[cell] if trodden else on)
        if len(rows):
            point, _, _, _, height = self.over(x[rows], y[rows])
            rows_between = rows[point]
            between[rows_between[(height > low[rows_between]) & (height < high[rows_between])]] = True
        return between

    def _cells(self, x: Scalars, y: Scalars) -> tuple[Rows, Mask]:
        """The cell of each place, 0 outside the grid, and whether it is inside."""
        i, j = np.floor((x - self.origin[0]) / self.size), np.floor((y - self.origin[1]) / self.size)
        across, along = self.shape
        on = (i >= 0) & (i < across) & (j >= 0) & (j < along)
        return np.where(on, j * across + i, 0.0).astype(np.int64), on

    def openness(self, x: Scalars, y: Scalars, cosine: float, reach: float) -> tuple[Mask, Mask]:
        """Whether all within reach of each place is floor that can be walked, and whether it is bare of triangles.
        `cosine`: of the steepest slope that can be walked; `reach`: metres."""
        cells = self._open.get(cosine)
        if cells is None or cells[0] < reach:
            cells = self._open[cosine] = (WIDER * reach, *self._openness_of_cells(cosine, WIDER * reach))
        cell, on = self._cells(x, y)
        _, is_open, is_bare = cells
        return on & is_open[cell], self.is_off(x, y, reach) | on & is_bare[cell]

    def is_off(self, x: Scalars, y: Scalars, reach: float) -> Mask:
        """Whether the grid is further away than the reach."""
        (left, bottom), (across, along), size = self.origin, self.shape, self.size
        outside: Mask = (x < left - reach) | (x > left + across * size + reach)
        return outside | (y < bottom - reach) | (y > bottom + along * size + reach)

    def rims(self, cosine: float) -> Borders:
        """The sides of triangles where floor that can be walked ends, or something too steep begins."""
        if cosine not in self._rims:
            shut = self._shut_sides(cosine)
            self._rims[cosine] = Borders(self.points[self._sides.start[shut]], self.points[self._sides.end[shut]])
        return self._rims[cosine]

    @once
    def _rims(self) -> dict[float, Borders]:
        """The findings of `rims`, by cosine."""
        return {}

    def _shut_sides(self, cosine: float) -> Rows:
        """The numbers of the sides with not one other triangle beyond them, or one too steep."""
        sides = self._sides
        if not len(self):
            return sides.order
        steep = (self.slopes.cosine < cosine) & self.slopes.has_area
        shut = (sides.times != 2) | np.logical_or.reduceat(np.tile(steep, 3)[sides.order], sides.begin)
        return sides.order[np.repeat(shut, sides.times)]

    def _openness_of_cells(self, cosine: float, reach: float) -> tuple[Mask, Mask]:
        """Of which cells all within reach is floor that can be walked, and of which nothing at all is within reach.

        A border has nothing beyond it. A ledge has something too steep beyond it, as the sides of a bridge have, which
        are in no cell themselves.
        """
        across, along = self.shape
        shut = self.slopes.cosine < cosine
        shut[self._shut_sides(cosine) % max(len(self), 1)] = True
        count = np.diff(self.begin)
        cell = np.repeat(np.arange(across * along), count)
        closed = count == 0
        closed[cell[shut[self.member]]] = True
        filled = count > 0
        # No further than the grid is long: what is beyond is all alike.
        cells = int(min(reach / self.size, max(across, along))) + 1
        is_open = _number_around(closed.reshape(along, across), cells, 1) == 0
        return is_open.ravel(), (_number_around(filled.reshape(along, across), cells, 0) == 0).ravel()


def floor(points: Vectors, triangles: NDArray[np.int64]) -> Floor:
    """The floor of some triangles. `points`: (p, 3) metres; `triangles`: (f, 3) rows of points."""
    points = in_columns(np.asarray(points, dtype=np.float64).reshape(-1, 3))
    triangles = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    slopes = Slopes.of(points, triangles)
    rows = which(slopes.is_floor)
    x, y = (points[:, axis][triangles[rows]] for axis in range(2))
    low = np.stack((x.min(axis=1), y.min(axis=1))) if len(rows) else np.zeros((2, 0))
    high = np.stack((x.max(axis=1), y.max(axis=1))) if len(rows) else np.zeros((2, 0))
    origin = low.min(axis=1, initial=np.inf) if len(rows) else np.zeros(2)
    extent = np.maximum(high.max(axis=1) - origin, 1e-6) if len(rows) else np.ones(2)
    size = max(_cell_size(extent, low, high), float(extent.max()) / MOST_CELLS)
    across, along = int(extent[0] / size) + 1, int(extent[1] / size) + 1
    first, last = (np.floor((corner - origin[:, None]) / size).astype(np.int64) for corner in (low, high))
    begin, member = _boxes_by_cell(first, last, across, along)
    normals = point_normals(points, triangles, weld(points, triangles).T)
    corner = float(origin[0]), float(origin[1])
    return Floor(points, triangles, normals, slopes, corner, size, (across, along), begin, rows[member])


def _cell_size(extent: Vectors, low: Vectors, high: Vectors) -> float:
    """The width of cells for triangles whose boxes have these corners (2, f), metres: no wider than most triangles, or
    a staircase on a large plain would lie in one cell. `extent`: (2,) metres, that of all."""
    spans, count = high - low, max(low.shape[1], 1)
    even = float(np.sqrt(extent[0] * extent[1] * TRIANGLES_A_CELL / count))
    size = min(even, float(np.sort(spans.max(axis=0))[len(spans[0]) // 2])) if len(spans[0]) else even
    most, (across, along) = CELLS_A_TRIANGLE * count + LEAST_COVERED, spans
    while 0.0 < size < even and np.cumsum((across / size + 1.0) * (along / size + 1.0))[-1] > most:
        size *= 2.0
    return min(size, even) if size > 0.0 else even


def _boxes_by_cell(first: NDArray[np.int64], last: NDArray[np.int64], across: int, along: int) -> tuple[Rows, Rows]:
    """The boxes of cells that cover each cell: where they begin in the list, (cells + 1,), and the list. `first`,
    `last`: (2, k) the columns and rows of the cells at the corners of each box."""
    wide, high = last - first + 1
    box, k = counted(wide * high)
    row = k // wide[box]
    cell = (first[1][box] + row) * across + first[0][box] + (k - row * wide[box])
    begin = np.zeros(across * along + 1, dtype=np.int64)
    np.cumsum(np.bincount(cell, minlength=across * along), out=begin[1:])
    return begin, box[np.argsort(cell, kind="stable")]


def _number_around(cells: Mask, reach: int, outside: int) -> NDArray[np.int64]:
    """How many of the cells (a, b) in a square of `reach` cells around each are marked; `outside` of those beyond."""
    wide = np.pad(cells.astype(np.int64), reach, constant_values=outside)
    total = np.pad(np.cumsum(np.cumsum(wide, axis=0), axis=1), ((1, 0), (1, 0)))
    side = 2 * reach + 1
    return total[side:, side:] - total[:-side, side:] - total[side:, :-side] + total[:-side, :-side]
