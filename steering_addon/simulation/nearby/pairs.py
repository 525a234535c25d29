"""Pairs: whatever is nearer to each other than a radius.

Points are put into rows of narrow cells, so that whoever may be near one of them lies in a few unbroken runs of a
sorted list. Every pair is found once. All pairs tried one by one is the oracle in the tests.

The lists come in blocks, so that trying the candidates of a large crowd needs no more memory than of a small one.
Single numbers are picked with `x[rows]`: `take` needs four times as long in the numpy of Blender 4.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.once import once
from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors, columns, picked, which

FINE = 8
"""Cells a radius along a row: finer ones let in fewer that are too far, and cost more looking up."""
ROWS = 5
"""Rows of cells in which a point's partners may lie: its own and four of the eight round it."""
DENSE = 16
"""Cells a body up to which a plain table of cells is kept; where bodies are few and far between it is searched for."""
MOST = 2**20
"""Cells along a row, and rows; whoever is further out shares the last one, so that their numbers never overflow."""
BOUNDS = np.array([MOST, MOST * FINE, MOST * FINE], dtype=np.float64)
"""The same in cells along each axis."""
BLOCK = 2**17
"""Candidates that are tried together."""
ROUNDING = 1e-6
"""By how much of it the square of a radius is taken too large where points are looked for, to lose none to rounding."""
QUICK_REPEAT = bool(np.lib.NumpyVersion(np.__version__) >= "1.25.0")
"""Whether `repeat` is quicker than to pick; in the numpy of Blender 4.2 it takes three times as long."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """Pairs of bodies nearer to each other than a radius.

    Attributes:
        first, second: (p,) their rows; equal ones of `first` lie together.
        offset: (p, 3) from the first to the second, metres.
        distance_squared: (p,) metres squared.
    """

    first: Rows
    second: Rows
    offset: Vectors
    distance_squared: Scalars

    def __len__(self) -> int:
        return len(self.first)

    @once
    def distance(self) -> Scalars:
        """(p,) metres, never quite 0."""
        return np.maximum(np.sqrt(self.distance_squared), EPSILON)

    def nearer(self, distance: float) -> Part:
        """Those of them that are nearer than a distance."""
        return Part(self, which(self.distance_squared < distance * distance))


@dataclass(frozen=True)
class Part:
    """Some of the pairs of a list; what is known of them is picked out of it when somebody first asks.

    Attributes:
        pairs: the list.
        some: (p,) which of them, rising.
    """

    pairs: Pairs
    some: Rows

    def __len__(self) -> int:
        return len(self.some)

    @once
    def first(self) -> Rows:
        """(p,) rows; equal ones lie together."""
        return self.pairs.first[self.some]

    @once
    def second(self) -> Rows:
        """(p,) rows."""
        return self.pairs.second[self.some]

    @once
    def offset(self) -> Vectors:
        """(p, 3) from the first to the second, metres."""
        return picked(self.pairs.offset, self.some)

    @once
    def distance_squared(self) -> Scalars:
        """(p,) metres squared."""
        return self.pairs.distance_squared[self.some]

    @once
    def distance(self) -> Scalars:
        """(p,) metres, never quite 0."""
        return np.maximum(np.sqrt(self.distance_squared), EPSILON)


def pairs_within(points: Vectors, radius: float) -> list[Pairs]:
    """All pairs of points (m, 3) nearer to each other than `radius`, each once, in blocks."""
    if len(points) < 2 or radius <= 0.0:
        return []
    order, lined_up, begin, length = _runs(points, radius)
    candidates = np.einsum("rp->p", length)
    most = candidates.cumsum()
    blocks = most.searchsorted(np.arange(BLOCK, int(most[-1]) + BLOCK, BLOCK)).tolist()
    found, low = [], 0
    for block in blocks:
        high = min(max(block, low) + 1, len(points))
        if high > low:
            some = slice(low, high)
            second = _expanded(begin[:, some], length[:, some])
            found.append(_within(lined_up, order, some, candidates[some], second, radius))
        low = high
    return [pairs for pairs in found if len(pairs)]


def _within(lined_up: Vectors, order: Rows, some: slice, candidates: Counts, second: Rows, radius: float) -> Pairs:
    """The pairs of some of the points and their candidates, so many each, all in the order of their cells."""
    repeated = _repeating(candidates)
    gaps = []
    for axis in range(3):
        along = lined_up[:, axis]
        gap = along[second]
        gap -= repeated(along[some])
        gaps.append(gap)
    distance_squared = gaps[0] * gaps[0]
    for gap in gaps[1:]:
        distance_squared += gap * gap
    near = which(distance_squared < radius * radius)
    first = repeated(order[some], near)
    offset = columns(gaps[0][near], gaps[1][near], gaps[2][near])
    return Pairs(first, order[second[near]], offset, distance_squared[near])


def _runs(points: Vectors, radius: float) -> tuple[Rows, Vectors, Counts, Counts]:
    """The points in order of their cells, and for each the runs of that order that may hold its partners.

    Half of the rows round a point are enough, as each pair is found from one end only. Of a row that lies further off,
    a shorter part is within the radius.

    Returns:
        order: (m,) rows of points.
        lined_up: (m, 3) the points in that order.
        begin, length: (5, m) runs in that order.
    """
    least = points.min(axis=0)
    # Counted in cells. To take what is out of all bounds for nearer brings nobody further from anybody.
    x, y, z = np.minimum((points - least) / (radius / FINE), BOUNDS).T
    # From 0 on, whole numbers are what is left when the rest is cut off.
    row_y, row_z = (y / FINE).astype(np.int64), (z / FINE).astype(np.int64)
    along = x.astype(np.int64)
    wide, deep = int(along.max()) + 1, int(row_y.max()) + 3
    # An empty row of cells all round saves asking whether a neighboring row exists.
    rows = (row_z * deep + row_y + 1) * wide
    cells = rows + along
    # Numbers of 16 bits are sorted by counting.
    order = (cells.astype(np.uint16) if cells.max() < 2**16 else cells).argsort(kind="stable")
    rows, cells, x = rows[order], cells[order], x[order]

    stride = deep * wide
    reach, any_reach = _reaches((y - FINE * row_y)[order], (z - FINE * row_z)[order])
    ends = np.empty((2, ROWS, len(points)))
    np.subtract(x, reach, out=ends[0])
    np.add(x, reach, out=ends[1])
    np.minimum(np.maximum(ends, 0.0, out=ends), wide - 1.0, out=ends)
    places = ends.astype(np.int64)
    places[1] += 1
    places += rows + np.array([[0], [wide], [stride - wide], [stride], [stride + wide]])
    begin, end = _position(cells, places, int(cells[-1]) + 2 * stride)
    begin[0] = np.arange(1, len(points) + 1)
    length = end - begin
    np.maximum(length, 0, out=length)
    length *= any_reach
    return order, picked(points, order), begin, length


def _reaches(low: Scalars, back: Scalars) -> tuple[Scalars, NDArray[np.bool_]]:
    """How far each point's partners in the rows round it may be along them, (5, m), and whether there may be any.

    Args:
        low, back: (m,) how far each point is beyond the lower edges of its row; all in cells, as what is returned.
    """
    high, front = FINE - low, FINE - back
    square = FINE * FINE * (1.0 + ROUNDING)
    squares = np.empty((ROWS, len(low)))
    squares[0] = square
    squares[1] = square - high * high
    squares[3] = square - front * front
    squares[2] = squares[3] - low * low
    squares[4] = squares[3] - high * high
    any_reach = squares > 0.0
    np.sqrt(np.maximum(squares, 0.0, out=squares), out=squares)
    return squares, any_reach


def _position(cells: NDArray[np.int64], wanted: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Where in the sorted list of cells the wanted ones, which are below `most`, begin."""
    if most > DENSE * len(cells) + 4096:
        return cells.searchsorted(wanted.ravel()).reshape(wanted.shape)
    begin = np.zeros(most + 1, dtype=np.int64)
    np.bincount(cells, minlength=most).cumsum(out=begin[1:])
    return begin[wanted]


def _expanded(begin: Counts, length: Counts) -> Rows:
    """The runs (5, k) written out: (c,) the members of one after the other, point by point."""
    begin, size = begin.T.ravel(), length.T.ravel()
    some = which(size > 0)
    begin, size = begin[some], size[some]
    ends = size.cumsum()
    # Within a run it is one step from each member to the next, and from run to run as far as it is.
    members = np.ones(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    members[:1] = begin[:1]
    members[ends[:-1]] = begin[1:] - (begin[:-1] + size[:-1] - 1)
    return members.cumsum(out=members)


def _repeating(number: Counts) -> Callable[..., Any]:
    """What writes each entry of a column (n,) out as often as `number` (n,) says; all of that, or some.

    There are two ways, as numpy has become quicker at it.
    """
    if QUICK_REPEAT:
        return lambda column, some=slice(None): np.repeat(column, number)[some]
    ends = number.cumsum()
    count = int(ends[-1])
    # How many entries begin at each place; who has none begins where the next one does.
    owner = np.bincount(ends[:-1], minlength=count + 1)[:count]
    owner.cumsum(out=owner)
    return lambda column, some=slice(None): column[owner[some]]
