"""Pairs of points nearer to each other than a radius, each found once.

Points are sorted by cells. A cell is the radius wide in y and z, and a FINE-th of it in x, so that the cells of one y
and z form a row along x. The partners of a point lie in its own row and in the eight rows around it. Each pair is found
from one end only: the point's own row from the point on, and four of the eight. In a row at a distance d in the y-z
plane, the partners are within sqrt(r^2 - d^2) of the point in x: one contiguous run of the sorted list. The oracle in
the tests tries all pairs.

Pairs come in blocks, so that the candidates of a large crowd take the same memory as those of a small one. Numbers are
picked with `x[rows]`, because `take` needs four times as long in the numpy of Blender 4.2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.once import once
from ..arrays.scalars import EPSILON, Rows, Scalars, anybody, which
from ..arrays.vectors import Vectors, columns, picked

FINE = 8
"""Cells per radius along a row: finer cells give fewer candidates that are too far, but cost more look-ups."""
ROWS = 5
"""Rows of cells in which a point looks for partners: its own and four of the eight around it."""
DENSE = 16
"""Cells per body up to which a table of all cells is made; if bodies are sparser, the cells are searched."""
MOST = 2**20
"""Cells along a row, and rows, at most; bodies beyond share the last one, so that cell numbers never overflow."""
BOUNDS = np.array([MOST, MOST * FINE, MOST * FINE], dtype=np.float64)
"""The same, in units of radius / FINE along x, y and z."""
BLOCK = 2**17
"""Candidates tested together."""
FEW = 64
"""Points at most that are tried with all others: all there are, or those whose reach is much larger."""
ROUNDING = 1e-6
"""Share by which the squared radius of a search is enlarged, so that rounding loses no pair."""
QUICK_REPEAT = bool(np.lib.NumpyVersion(np.__version__) >= "1.25.0")
"""Whether np.repeat is faster than indexing; in the numpy of Blender 4.2 it takes three times as long."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """Pairs of bodies nearer to each other than a radius.

    Attributes:
        first, second: (p,) rows of bodies; equal rows in `first` are adjacent.
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

    def nearer(self, distance: float) -> "PairSelection":
        """The pairs nearer than a distance."""
        return PairSelection(self, which(self.distance_squared < distance * distance))


@dataclass(frozen=True)
class PairSelection:
    """A selection of pairs; its columns are gathered on first access. `rows`: (p,) the rows of the selected pairs,
    ascending."""

    pairs: Pairs
    rows: Rows

    def __len__(self) -> int:
        return len(self.rows)

    @once
    def first(self) -> Rows:
        """(p,) rows of bodies; equal rows are adjacent."""
        return self.pairs.first[self.rows]

    @once
    def second(self) -> Rows:
        """(p,) rows of bodies."""
        return self.pairs.second[self.rows]

    @once
    def offset(self) -> Vectors:
        """(p, 3) from the first to the second, metres."""
        return picked(self.pairs.offset, self.rows)

    @once
    def distance_squared(self) -> Scalars:
        """(p,) metres squared."""
        return self.pairs.distance_squared[self.rows]

    @once
    def distance(self) -> Scalars:
        """(p,) metres, never quite 0."""
        return np.maximum(np.sqrt(self.distance_squared), EPSILON)


def pairs_within(points: Vectors, radius: float) -> list[Pairs]:
    """All pairs of points (m, 3) nearer to each other than `radius`, each once, in blocks; none if it is NaN."""
    if len(points) < 2 or not radius / FINE > 0.0:
        return []
    order, ordered, begin, length = _runs(points, radius)
    candidates = np.einsum("rp->p", length)
    total = candidates.cumsum()
    blocks = total.searchsorted(np.arange(BLOCK, int(total[-1]) + BLOCK, BLOCK)).tolist()
    pairs, low = [], 0
    for block in blocks:
        high = min(max(block, low) + 1, len(points))
        if high > low:
            chunk = slice(low, high)
            second = _expanded(begin[:, chunk], length[:, chunk])
            pairs.append(_within(ordered, order, chunk, candidates[chunk], second, radius))
        low = high
    return [block for block in pairs if len(block)]


def pairs_of_reach(points: Vectors, reach: Scalars) -> tuple[Rows, Rows]:
    """All pairs of points (m, 3) nearer to each other than the sum of their reaches (m,), each once, as rows."""
    m, few = len(points), min(FEW, BLOCK // max(len(points), 1))
    usual = float(np.partition(reach, m - few - 1)[m - few - 1]) if m > few else 0.0
    far = reach > 2.0 * usual
    rows, others = which(far), which(~far)
    found = []
    for pairs in pairs_within(picked(points, others), 2.0 * float(reach[others].max(initial=0.0))):
        first, second = others[pairs.first], others[pairs.second]
        both = reach[first] + reach[second]
        near = which(pairs.distance_squared < both * both)
        found.append((first[near], second[near]))
    gaps = [points[:, axis] - points[rows, axis][:, None] for axis in range(3)]
    both = reach + reach[rows][:, None]
    near = gaps[0] * gaps[0] + gaps[1] * gaps[1] + gaps[2] * gaps[2] < both * both
    # Two of these once only.
    near &= ~far | (np.arange(m) > rows[:, None])
    some, second = near.nonzero()
    found.append((rows[some], second))
    return np.concatenate([first for first, _ in found]), np.concatenate([second for _, second in found])


def _within(ordered: Vectors, order: Rows, chunk: slice, candidates: Counts, second: Rows, radius: float) -> Pairs:
    """The pairs of a chunk of points and their candidates.

    Args:
        ordered: (m, 3) points in the order of their cells.
        order: (m,) rows of the points in that order.
        chunk: which of the ordered points.
        candidates: (k,) the count of candidates of each point of the chunk.
        second: (c,) the candidates of one point after the other, as positions in the order.
    """
    repeated = _repeating(candidates)
    gaps = []
    for axis in range(3):
        along = ordered[:, axis]
        gap = along[second]
        gap -= repeated(along[chunk])
        gaps.append(gap)
    distance_squared = gaps[0] * gaps[0]
    for gap in gaps[1:]:
        distance_squared += gap * gap
    near = which(distance_squared < radius * radius)
    first = repeated(order[chunk], near)
    offset = columns(gaps[0][near], gaps[1][near], gaps[2][near])
    return Pairs(first, order[second[near]], offset, distance_squared[near])


def _runs(points: Vectors, radius: float) -> tuple[Rows, Vectors, Counts, Counts]:
    """The points in the order of their cells, and for each the runs of that order that may contain its partners.
    Returns `order`: (m,) rows of the points; `ordered`: (m, 3) the points in that order; `begin`, `length`: (ROWS, m),
    of few points (1, m), the runs of each ordered point, as positions in that order."""
    least = points.min(axis=0)
    # In units of cells along x. Clamping to the bounds moves no two points further apart.
    x, y, z = np.minimum((points - least) / (radius / FINE), BOUNDS).T
    # astype truncates, which is floor for numbers >= 0.
    row_y, row_z = (y / FINE).astype(np.int64), (z / FINE).astype(np.int64)
    along = x.astype(np.int64)
    wide, deep = int(along.max()) + 1, int(row_y.max()) + 3
    # With an empty row of cells all around, every neighboring row exists.
    rows = (row_z * deep + row_y + 1) * wide
    cells = rows + along
    order = _sorting(cells)
    if len(points) <= FEW:
        # To try each with all after it takes less time than to look up cells.
        begin = np.arange(1, len(points) + 1)[None]
        return order, picked(points, order), begin, len(points) - begin
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


def _sorting(numbers: NDArray[np.int64]) -> Rows:
    """The rows (m,) that sort whole numbers (m,) >= 0, equal ones as they come."""
    # numpy sorts 16-bit numbers by radix.
    order = numbers.astype(np.uint16).argsort(kind="stable")
    while anybody((numbers := numbers >> 16) > 0):
        order = order[numbers[order].astype(np.uint16).argsort(kind="stable")]
    return order


def _reaches(low: Scalars, back: Scalars) -> tuple[Scalars, NDArray[np.bool_]]:
    """The half length of the run of each point in each of the ROWS rows, sqrt(r^2 - d^2), and whether it is real.
    Returns (ROWS, m) each.

    Args:
        low, back: (m,) the distances of each point from the lower edges of its row in y and z. All distances are in
            cells along x, so that r = FINE.
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
    """The positions at which wanted cells (...) begin in the sorted cells (m,); all numbers are below `most`."""
    if most > DENSE * len(cells) + 4096:
        return cells.searchsorted(wanted.ravel()).reshape(wanted.shape)
    begin = np.zeros(most + 1, dtype=np.int64)
    np.bincount(cells, minlength=most).cumsum(out=begin[1:])
    return begin[wanted]


def _expanded(begin: Counts, length: Counts) -> Rows:
    """The members of the runs (ROWS, k), point by point and run by run, (c,)."""
    begin, size = begin.T.ravel(), length.T.ravel()
    filled = which(size > 0)
    begin, size = begin[filled], size[filled]
    ends = size.cumsum()
    # The differences from member to member: 1 within a run, a jump from each run to the next. cumsum undoes them.
    members = np.ones(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    members[:1] = begin[:1]
    members[ends[:-1]] = begin[1:] - (begin[:-1] + size[:-1] - 1)
    return members.cumsum(out=members)


def _repeating(number: Counts) -> Callable[..., Any]:
    """A function that repeats each entry of a column (n,) by its number (n,), and optionally selects rows of that.
    np.repeat does it, but is slow in old numpys, where indexing is faster."""
    if QUICK_REPEAT:
        return lambda column, rows=slice(None): np.repeat(column, number)[rows]
    ends = number.cumsum()
    count = int(ends[-1])
    # The count of entries that begin at each position; an entry with number 0 begins where the next one does.
    owner = np.bincount(ends[:-1], minlength=count + 1)[:count]
    owner.cumsum(out=owner)
    return lambda column, rows=slice(None): column[owner[rows]]
