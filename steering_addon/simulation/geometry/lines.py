"""Lines: evenly spaced samples of many lines, laid end to end, and how to find the nearest point on each.

The followers of a street network ask the same of many lines. All of them are answered together: a place on a line is
the row of its sample among those of all lines, and what differs from line to line is a column.

Points and tangents are interpolated linearly between samples, so that a coarse polyline does not make its followers
twitch at each vertex. Near a known position the search for the nearest point is local: it tries COARSE, then FINE
candidates, and ends with the minimum of the parabola through the best three,

    x = x_best + h/2 (f- - f+) / (f- - 2 f_best + f+),

which is exact on a straight line because f is a squared distance.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.frozen import Columns
from ..arrays.once import once
from ..arrays.scalars import (
    Mask,
    Rows,
    Scalars,
    alike,
    anybody,
    clamp,
    counted,
    everybody,
    firsts,
    ratio,
    same_for_all,
    which,
)
from ..arrays.vectors import Vectors, columns, dot, picked, taken, unit
from ..ground import of_rows, squared_from_above

BLOCK = 16
"""Samples, or segments, that are skipped together if they are far away."""
CHUNK = 100_000
"""Distances computed together at most while whole lines are searched: more of them do not fit into fast memory."""
COARSE, FINE = np.array([33, 65, 129, 257]), 17
"""Candidates in the two rounds of a search near a known position; the reach decides which count the first has."""
SKIPPED = 16
"""Candidates that are skipped together where those on both sides are too far away."""
WORTH_SKIPPING = 6144
"""Candidates of all points from which on looking for those that can be skipped takes less time than it saves."""
STRETCH = 16
"""Blocks that are skipped together where lines are looked for within reach."""


@dataclass(frozen=True)
class Lines:
    """Lines laid end to end.

    Attributes:
        points, tangents: (3, s) the samples of all lines by component, metres and unit directions. After those of each
            line comes one more, to which its last segment leads.
        first: (l,) the row of the first sample of each line.
        count: (l,) its samples, without the one more.
        length: (l,) metres along it, once around if it is closed; 0 for a line of one point.
        closed: (l,) whether its end joins its start.
    """

    points: Vectors
    tangents: Vectors
    first: Rows
    count: Rows
    length: Scalars
    closed: Mask

    def __len__(self) -> int:
        return len(self.length)

    @once
    def spacing(self) -> Scalars:
        """(l,) metres along each line from one sample to the next; 1 for a line of one point, which has no next."""
        spans = np.where(self.closed, self.count, np.maximum(self.count - 1, 1))
        return np.where(self.length > 0.0, self.length / spans, 1.0)

    @once
    def last(self) -> Rows:
        """(l,) the row of the last sample of each line."""
        return self.first + self.count - 1

    @once
    def blocks(self) -> Rows:
        """(l,) the blocks of samples of each line."""
        return -(-self.count // BLOCK)

    @once
    def first_block(self) -> Rows:
        """(l,) the first block of each line."""
        return np.cumsum(self.blocks) - self.blocks

    @once
    def begins(self) -> Rows:
        """(b,) the row of the first sample of each block of all lines."""
        line = self.line_of_block
        return self.first[line] + (np.arange(len(line)) - self.first_block[line]) * BLOCK

    @once
    def line_of_block(self) -> Rows:
        """(b,) the line of each block."""
        return np.repeat(np.arange(len(self)), self.blocks)

    @once
    def middles(self) -> Vectors:
        """(b, 3) the sample in the middle of each block, metres."""
        return picked(self.points.T, np.minimum(self.begins + BLOCK // 2, self.last[self.line_of_block]))

    @once
    def middles_by_line(self) -> Vectors:
        """(3, l, b) the middles of the blocks of each line by component, metres; where it has less, the last again."""
        place = np.arange(self.blocks.max()) + self.first_block[:, None]
        return taken(self.middles.T, np.minimum(place, self.last_block[:, None]))

    @once
    def extent(self) -> Scalars:
        """(l,) the radius about the middle of a block that contains it, metres."""
        return (BLOCK // 2 + 1) * self.spacing

    @once
    def stretches(self) -> tuple[Rows, Rows]:
        """The first block of each stretch of blocks, and its line; (t,) each."""
        line, number = counted(-(-self.blocks // STRETCH))
        return self.first_block[line] + number * STRETCH, line

    @once
    def last_block(self) -> Rows:
        """(l,) the last block of each line."""
        return self.first_block + self.blocks - 1

    def starts(self, block: Rows) -> Vectors:
        """The first samples of blocks, (p,) rows to (p, 3) metres."""
        return picked(self.points.T, self.begins[block])

    def followed(self, row: Rows) -> "Followed":
        """The lines of n followers, by their rows (n,)."""
        return Followed(self, row)


@dataclass(frozen=True)
class Followed(Columns):
    """The lines of n followers, of whom each asks about its own. `row`: (n,) the line of each."""

    lines: Lines
    row: Rows

    def __len__(self) -> int:
        return len(self.row)

    @once
    def length(self) -> Scalars:
        """(n,) metres."""
        return self._column(self.lines.length)

    @once
    def spacing(self) -> Scalars:
        """(n,) metres."""
        return self._column(self.lines.spacing)

    @once
    def closed(self) -> Mask:
        """(n,) whether the end joins the start."""
        return self._column(self.lines.closed)

    @once
    def _some_closed(self) -> bool:
        return anybody(self.closed)

    @once
    def _all_closed(self) -> bool:
        return everybody(self.closed)

    @once
    def _first(self) -> Rows:
        return self._column(self.lines.first)

    @once
    def _last(self) -> Rows:
        return self._column(self.lines.last)

    def _column(self, values: Any) -> Any:
        """Values of each line, for each follower (n,); stored once where there is one line only."""
        return alike(values[0], len(self.row), values.dtype) if len(self.lines) == 1 else values[self.row]

    def wrapped(self, along: Scalars) -> Scalars:
        """Distances along the lines, modulo their length if they are closed, else clamped to their ends. Returns the
        same shape. `along`: (n,) or (n, p) metres."""
        length = _beside(self.length, along)
        if not self._some_closed:
            return clamp(along, 0.0, length)
        # An open line may be a point; the length of a closed one is never 0.
        round_it = along - length * np.floor(along / np.where(length > 0.0, length, 1.0))
        if self._all_closed:
            return round_it
        return np.where(_beside(self.closed, along), round_it, clamp(along, 0.0, length))

    def position(self, along: Scalars) -> Vectors:
        """The points at distances along the lines; (n,) to (n, 3), or (n, p) to (n, p, 3)."""
        return self._between(self.lines.points, along)

    def tangent(self, along: Scalars) -> Vectors:
        """The unit directions at distances along the lines; (n,) to (n, 3), or (n, p) to (n, p, 3)."""
        return unit(self._between(self.lines.tangents, along))

    def _between(self, samples: Vectors, along: Scalars) -> Vectors:
        """Samples (3, s) interpolated at distances along the lines."""
        position = self.wrapped(along) / _beside(self.spacing, along)
        first, last = _beside(self._first, along), _beside(self._last, along)
        before = np.floor(position).astype(np.int64)
        row = np.minimum(before + first, last)
        part = position - (row - first)
        between, onward = taken(samples, row), taken(samples, row + 1)
        between *= 1.0 - part
        onward *= part
        between += onward
        return between.transpose((*range(1, between.ndim), 0))

    def onward(self, distance: Scalars) -> Scalars:
        """Distances along the lines, round closed ones by the shorter way; (n,) or (n, p) metres."""
        if not self._some_closed:
            return distance
        length = _beside(self.length, distance)
        shorter = distance - length * np.floor(distance / np.where(length > 0.0, length, 1.0) + 0.5)
        return shorter if self._all_closed else np.where(_beside(self.closed, distance), shorter, distance)

    def to_end(self, along: Scalars, way: Scalars) -> Scalars:
        """The way along the lines to their ends, (n,) metres, inf on closed lines. `along`: (n,) positions along the
        lines, metres; `way`: (n,) 1 along them, -1 against them."""
        left = np.where(way > 0.0, self.length - along, along)
        return np.where(self.closed, np.inf, left) if self._some_closed else left

    def nearest(self, points: Vectors, upward: Vectors | None = None) -> Scalars:
        """The distance along each line to the point nearest to each point, searching all of it; (n, 3) to (n,).
        `upward`: (n, 3) unit directions; if given, distances are those seen from that direction."""
        sample = np.empty(len(points), dtype=np.int64)
        chunk = max(CHUNK // int(self.lines.blocks.max()), 1)
        for start in range(0, len(points), chunk):
            rows = np.arange(start, min(start + chunk, len(points)))
            up = None if upward is None else of_rows(upward, rows)
            sample[rows] = self.take(rows)._nearest_sample(points[start : start + chunk], up)
        return self.nearest_within(points, (sample - self._first) * self.spacing, self.spacing, upward)

    def _nearest_sample(self, points: Vectors, upward: Vectors | None) -> Rows:
        """The row of the sample nearest to each point, the first one of several; (n, 3) to (n,). Blocks of samples that
        lie further away than all of another one are not looked at."""
        lines = self.lines
        middles = lines.middles_by_line if len(lines) == 1 else lines.middles_by_line[:, self.row]
        distance = np.sqrt(square_of((points.T[:, :, None] - middles).transpose(1, 2, 0), upward))
        least = distance.min(axis=1) + 2.0 * self._column(lines.extent)
        owner, place = np.nonzero(distance <= least[:, None])
        block = np.minimum(place + self._column(lines.first_block)[owner], self._column(lines.last_block)[owner])
        row = np.minimum(lines.begins[block][:, None] + np.arange(BLOCK), self._last[owner][:, None])
        up = None if upward is None else of_rows(upward, owner)
        gap = (picked(points, owner).T[:, :, None] - taken(lines.points, row)).transpose(1, 2, 0)
        nearest, best = _first_least(owner, square_of(gap, up))
        return row[nearest, best]

    def nearest_within(self, points: Vectors, along: Scalars, reach: Scalars, upward: Vectors | None = None) -> Scalars:
        """The distance along each line to the point nearest to each point, searching within `reach` of `along`.

        A line may cross itself: an agent that knows its position stays on its branch. Returns (n,) metres. `along`:
        (n,) distances along the lines, metres; `reach`: (n,) metres along the lines, in both directions; `upward`: as
        for `nearest`.
        """
        reach = np.minimum(reach, np.where(self.closed, self.length / 2.0, self.length))
        # Enough candidates to try each sample of a short reach, and never too few to find the right bend of a long one.
        # Each point has its own count, so that an agent with a long reach does not change what the others find.
        size = np.minimum(np.searchsorted(COARSE, 2.0 * np.ceil(reach / self.spacing) + 1.0), len(COARSE) - 1)
        candidates = int(COARSE[size[0]]) if same_for_all(size) else COARSE[size]
        offset = self._best(points, along, np.zeros(len(points)), reach, candidates, upward)
        offset = self._best(points, along, offset, reach * (2.0 / (candidates - 1)), FINE, upward)
        return self.wrapped(along + clamp(offset, -reach, reach))

    def _best(
        self,
        points: Vectors,
        along: Scalars,
        offset: Scalars,
        reach: Scalars,
        candidates: Rows | int,
        upward: Vectors | None,
    ) -> Scalars:
        """The offset from `along` of the point nearest to each point, within `reach` of the given offset. Returns (n,)
        metres along the lines.

        Args:
            along, offset, reach: (n,) metres along the lines.
            candidates: how many offsets are tried; (n,) if not all the same number.
            upward: as for `nearest`.
        """
        stride, begin = reach * (2.0 / (candidates - 1)), (offset - reach)[:, None]
        every = np.full(len(points), candidates)[:, None]
        most = int(every.max(initial=1))
        if len(points) * most <= WORTH_SKIPPING:
            number = np.minimum(np.arange(most), every - 1)
        else:
            number = self._worth_trying(points, along[:, None], begin, stride[:, None], every, upward)
        tried = begin + stride[:, None] * number
        distance = self._squared(points, along[:, None] + tried, upward)
        n, best = np.arange(len(points)), np.argmin(distance, axis=1)
        least = distance[n, best]
        fall = distance[n, np.maximum(best - 1, 0)] - least
        rise = distance[n, np.minimum(best + 1, distance.shape[1] - 1)] - least
        return tried[n, best] + stride * clamp(0.5 * ratio(fall - rise, fall + rise), -0.5, 0.5)

    def _worth_trying(
        self, points: Vectors, along: Scalars, begin: Scalars, stride: Scalars, candidates: Rows, upward: Vectors | None
    ) -> Rows:
        """The numbers of the best candidate and of those next to it, (n, 3).

        No candidate is nearer than one some strides from it, less as many strides: where every SKIPPED-th is too far
        away, those between are not looked at. `along`, `begin`, `stride`, `candidates`: (n, 1) as of `_best`.
        """
        few = np.arange(0, candidates.max(initial=1), SKIPPED)
        distance = np.sqrt(self._squared(points, along + begin + stride * few, upward))
        distance = np.where(few < candidates, distance, np.inf)
        # Rounding is far below a hundredth of a stride.
        near = distance.min(axis=1)[:, None] + (0.5 * SKIPPED + 0.01) * stride
        owner, place = np.nonzero(distance <= near)
        number = few[place][:, None] + np.arange(-SKIPPED // 2, SKIPPED // 2 + 1)
        number = np.clip(number, 0, candidates[owner] - 1)
        up = None if upward is None else of_rows(upward, owner)
        tried = along[owner] + (begin[owner] + stride[owner] * number)
        nearest, best = _first_least(owner, self.take(owner)._squared(picked(points, owner), tried, up))
        return np.clip(number[nearest, best][:, None], 1, candidates - 2) + np.arange(-1, 2)

    def _squared(self, points: Vectors, along: Scalars, upward: Vectors | None) -> Scalars:
        """The squared distances of points (n, 3) from positions along their lines, (n, p) metres to (n, p)."""
        return square_of(columns(*points.T[:, :, None]) - self.position(along), upward)


def _first_least(owner: Rows, values: Scalars) -> tuple[Rows, Rows]:
    """Where the least of the values (p, k) of each owner is, the first one of several; owner (p,) ascends. Returns
    `row`, `column`: (g,) each, one for each owner that occurs."""
    best = np.argmin(values, axis=1)
    lowest = values[np.arange(len(best)), best]
    starts = firsts(owner)
    least = np.repeat(np.minimum.reduceat(lowest, starts), np.diff(starts, append=len(owner)))
    row = which(lowest == least)
    row = row[firsts(owner[row])]
    return row, best[row]


def _beside(column: Any, along: Scalars) -> Any:
    """A column (n,) in the shape that broadcasts with (n,) or (n, p)."""
    return column if along.ndim == 1 else column[:, None]


def square_of(gap: Vectors, upward: Vectors | None) -> Scalars:
    """The squared lengths of vectors (n, 3) or (n, b, 3), as seen from `upward` (n, 3) where it is given."""
    return dot(gap, gap) if upward is None else squared_from_above(gap, upward)
