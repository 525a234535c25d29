"""Spans: where bodies can stand, as a grid seen from above with one node for each storey of a cell.

A node is the middle of a cell on a floor that is gentle enough and has headroom. Nodes of adjacent cells are linked if
a step leads from one to the other. Storeys, ramps, stairs and bridges need no special case, as a link knows its
heights.
"""

from dataclasses import dataclass
from itertools import product
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.angles import cosine_of_setting, tangent_of_setting
from ..arrays.frozen import replace
from ..arrays.scalars import Mask, Rows, Scalars, clamp, shared, which
from ..geometry.floors import NO_TRIANGLE, Footing
from ..geometry.surfaces import Surfaces

SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Columns and rows to the cells to the east, north, west and south."""
ALIKE = 0.05
"""Metres between floors of a cell that count as one."""
MOST_CELLS = 2**18
"""Cells of a grid at most; on more ground than they cover at their usual width they are wider."""
AT_ONCE = 8192
"""Cells whose floors are looked for at once: their columns stay in the cache of a processor."""
QUARTERS = 4
"""Parts of the way between two nodes that are looked at where their heights leave open whether steps lead over it."""


class Build(NamedTuple):
    """The properties of bodies that count for the ground that they can walk.

    Attributes:
        steepest: slope of the steepest ground that they climb, radians.
        step: the highest step that they climb or descend, metres.
        gap: the widest gap that a foot bridges, metres.
        headroom: what has to be free above the ground, metres.
    """

    radius: float
    steepest: float
    step: float
    gap: float
    headroom: float


@dataclass(frozen=True)
class Spans:
    """N nodes in the order of their cells, lower before higher; index N stands for none.

    Attributes:
        origin, size, shape: the lowest corner, metres, the width of a cell, and the cells along x and y.
        begin: (cells + 1,) where the nodes of each cell begin.
        x, y, height: (N,) metres.
        links: (4, N + 1) the node one cell to the east, north, west and south; N for none.
    """

    origin: tuple[float, float]
    size: float
    shape: tuple[int, int]
    begin: Rows
    x: Scalars
    y: Scalars
    height: Scalars
    links: Rows

    def __len__(self) -> int:
        return len(self.height)

    def at(self, x: Scalars, y: Scalars, z: Scalars, furthest: float = np.inf) -> Rows:
        """The node of the cell of each place whose height is nearest, (n,); N for none within a distance, metres."""
        i, j = np.floor((x - self.origin[0]) / self.size), np.floor((y - self.origin[1]) / self.size)
        on = (i >= 0.0) & (i < self.shape[0]) & (j >= 0.0) & (j < self.shape[1])
        cell = np.where(on, j * self.shape[0] + i, 0.0).astype(np.int64)
        return _nearest(self.begin, self.height, cell, on, z, shared(furthest, len(x)))

    def covers(self, x: Scalars, y: Scalars, beyond: int) -> Mask:
        """Whether places are in the grid or at most so many cells beyond its borders, (n,)."""
        i, j = (x - self.origin[0]) / self.size + beyond, (y - self.origin[1]) / self.size + beyond
        return (i >= 0.0) & (i < self.shape[0] + 2 * beyond) & (j >= 0.0) & (j < self.shape[1] + 2 * beyond)


class _Storeys(NamedTuple):
    """Floors over the middles of cells: the cell, the height, metres, and the rise by x and y of each."""

    cell: Rows
    height: Scalars
    rise: NDArray[np.float64]


def find_spans(surfaces: Surfaces, build: Build) -> Spans | None:
    """Where bodies of a build can stand on surfaces that stand still; None where they can nowhere."""
    low, high = surfaces.seen_from_above
    if not (high > low).all():
        return None
    wide, deep = (high - low).tolist()
    size = max(build.radius, sqrt(wide * deep / MOST_CELLS))
    # Cells lie on multiples of their size: the same floor gives the same nodes, whatever else is tagged.
    first, last = (np.floor(corner / size).astype(np.int64) for corner in (low, high))
    grid = _Grid((float(first[0] * size), float(first[1] * size)), size, (last - first + 1).tolist())
    floors, kept = _storeys(grid, surfaces, build)
    storeys = _bridged(grid, floors, kept, surfaces, build)
    if not len(storeys.cell):
        return None
    begin = np.zeros(grid.shape[0] * grid.shape[1] + 1, dtype=np.int64)
    np.cumsum(np.bincount(storeys.cell, minlength=len(begin) - 1), out=begin[1:])
    x, y = grid.middles(storeys.cell)
    none = np.full((4, len(storeys.cell) + 1), len(storeys.cell), dtype=np.int64)
    spans = Spans(grid.origin, size, (grid.shape[0], grid.shape[1]), begin, x, y, storeys.height, none)
    return replace(spans, links=_links(spans, storeys, surfaces, build))


class _Grid(NamedTuple):
    """Cells as seen from above, as of `Spans`."""

    origin: tuple[float, float]
    size: float
    shape: list[int]

    def middles(self, cell: Rows) -> tuple[Scalars, Scalars]:
        column, row = cell % self.shape[0], cell // self.shape[0]
        return self.origin[0] + (column + 0.5) * self.size, self.origin[1] + (row + 0.5) * self.size

    def beside(self, cell: Rows, side: int) -> tuple[Rows, Mask]:
        """The cells on one side of cells, and whether the grid has them, (n,) each."""
        i, j = cell % self.shape[0] + SIDES[side][0], cell // self.shape[0] + SIDES[side][1]
        on = (i >= 0) & (i < self.shape[0]) & (j >= 0) & (j < self.shape[1])
        return np.where(on, j * self.shape[0] + i, 0), on


def _storeys(grid: _Grid, surfaces: Surfaces, build: Build) -> tuple[_Storeys, Mask]:
    """The floors over the middles of all cells, by cell and height, and which are gentle enough and have headroom."""
    n = grid.shape[0] * grid.shape[1]
    found = []
    for layer, first in product(surfaces.layers, range(0, n, AT_ONCE)):
        cell, triangle, _, _, height = layer.floor.over(*grid.middles(np.arange(first, min(first + AT_ONCE, n))))
        slopes = layer.floor.slopes
        gentle = slopes.cosine[triangle] >= cosine_of_setting(np.array([build.steepest]))
        found.append((first + cell, height, slopes.table[triangle, 7:9], gentle))
    cell, height, rise, gentle = (np.concatenate(column) for column in zip(*found))
    if (cell[1:] <= cell[:-1]).any():
        order = np.lexsort((height, cell))
        cell, height, rise, gentle = cell[order], height[order], rise[order], gentle[order]
    # Of floors that touch the higher counts; what has another close above it has no headroom.
    above = np.where(np.append(cell[1:] == cell[:-1], False), np.append(np.diff(height), 0.0), np.inf)
    return _Storeys(cell, height, rise), gentle & (above >= build.headroom)


def _bridged(grid: _Grid, floors: _Storeys, kept: Mask, surfaces: Surfaces, build: Build) -> _Storeys:
    """The floors that are kept, and those of cells whose middle lies in a gap, without a floor, that a foot bridges."""
    storeys = _Storeys(floors.cell[kept], floors.height[kept], floors.rise[kept])
    added = [storeys]
    begin = np.searchsorted(floors.cell, np.arange(grid.shape[0] * grid.shape[1] + 1))
    step = build.step + build.gap * grade(build)
    # A slope rises by more than a step to the middle of a wide cell.
    beyond = build.step + max(build.gap, grid.size) * grade(build)
    for side, direction in enumerate(SIDES):
        cell, on = grid.beside(storeys.cell, side)
        near = _nearest(begin, floors.height, cell, on, storeys.height, shared(beyond, len(cell)))
        rows = which(on & (near == len(floors.cell)))
        m = len(rows)
        if not m:
            continue
        x, y = grid.middles(cell[rows])
        nothing = np.zeros(m)
        gap = Footing(np.full(m, NO_TRIANGLE), np.full(m, np.nan), nothing, nothing)
        within, along = shared(step, m), np.tile(np.array(direction, dtype=np.float64), (m, 1))
        found = surfaces.bridged(gap, x, y, storeys.height[rows], within, along, shared(build.gap, m))
        spanned = which(found.triangle >= 0)
        if not len(spanned):
            continue
        added.append(_Storeys(cell[rows[spanned]], found.height[spanned], np.zeros((len(spanned), 2))))
    if len(added) == 1:
        return storeys
    cell, height, rise = (np.concatenate(column) for column in zip(*added))
    order = np.lexsort((height, cell))
    cell, height, rise = cell[order], height[order], rise[order]
    apart = np.append(True, (np.diff(cell) != 0) | (np.diff(height) > build.step))
    return _Storeys(cell[apart], height[apart], rise[apart])


def _nearest(begin: Rows, height: Scalars, cell: Rows, on: Mask, z: Scalars, furthest: Scalars) -> Rows:
    """The nodes in cells whose heights are nearest to z, (n,); the number of nodes for none within (n,) metres."""
    first = begin[cell]
    number = np.where(on, begin[cell + 1] - first, 0)
    best, least = np.full(len(cell), len(height)), furthest
    for k in range(int(number.max(initial=0))):
        node = np.minimum(first + k, len(height) - 1)
        off = np.abs(height[node] - z)
        nearer = (k < number) & (off <= least)
        best, least = np.where(nearer, node, best), np.where(nearer, off, least)
    return best


def _links(spans: Spans, storeys: _Storeys, surfaces: Surfaces, build: Build) -> Rows:
    """The links of nodes from which steps lead to each other, in both directions, as of `Spans`."""
    n, size = len(spans), spans.size
    grid = _Grid(spans.origin, size, list(spans.shape))
    links, nodes = spans.links.copy(), np.arange(n)
    most = shared(build.step + grade(build) * size, n)
    for side in range(4):
        cell, on = grid.beside(storeys.cell, side)
        links[side, :n] = _nearest(spans.begin, spans.height, cell, on, spans.height, most)
    for side in range(2):
        other, opposite = links[side, :n], side + 2
        mutual = (other < n) & (links[opposite, other] == nodes)
        pairs = which(mutual)
        end = other[pairs]
        rises = 0.5 * size * (storeys.rise[pairs, side] + storeys.rise[end, side])
        doubtful = pairs[np.abs(spans.height[end] - spans.height[pairs] - rises) > build.step]
        heights = _trodden(spans, surfaces, build, doubtful, side, storeys.rise[doubtful, side])
        mutual[doubtful[~(np.abs(heights - spans.height[other[doubtful]]) <= ALIKE)]] = False
        links[side, :n] = np.where(mutual, other, n)
        back = np.full(n + 1, n)
        back[other[mutual]] = nodes[mutual]
        links[opposite] = back
    return links


def _trodden(spans: Spans, surfaces: Surfaces, build: Build, start: Rows, side: int, rise: Scalars) -> Scalars:
    """The heights to which steps lead from nodes (m,) to the middles of the cells on one side, metres; nan for none.
    `rise`: (m,) of the ground at the nodes, toward that side."""
    m, part = len(start), spans.size / QUARTERS
    height = spans.height[start]
    within = shared(build.step + grade(build) * part, m)
    gap, along = shared(build.gap, m), np.tile(np.array(SIDES[side], dtype=np.float64), (m, 1))
    for k in range(1, QUARTERS + 1):
        x, y = (at[start] + SIDES[side][axis] * k * part for axis, at in enumerate((spans.x, spans.y)))
        # Nothing lies as expected of what has ended before.
        found = surfaces.under(x, y, height, within, within)
        found = surfaces.bridged(found, x, y, height, within, along, gap)
        ahead = surfaces.grade(found.triangle, along)
        # A foot climbs an edge at once: only what slopes explain may be higher than a step.
        climb = found.height - height
        climb = climb - clamp(climb, part * np.minimum(rise, ahead), part * np.maximum(rise, ahead))
        # A foot that treads on the underside of a floor would climb that floor's edge in two steps.
        low = surfaces.any_between(x, y, found.height + ALIKE, found.height + build.headroom)
        height, rise = np.where(low | (np.abs(climb) > build.step), np.nan, found.height), ahead
    return height


def grade(build: Build) -> float:
    """The rise of the steepest ground."""
    return float(tangent_of_setting(np.array([build.steepest]))[0])
