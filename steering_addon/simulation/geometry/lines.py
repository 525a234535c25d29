"""Lines: evenly spaced samples of many lines, laid end to end, and how to find the nearest point on each.

The followers of a street network ask the same of many lines. All of them are answered together: a place on a line is
the row of its sample among those of all lines, and what differs from line to line is a column.

Points and tangents are interpolated linearly between samples, so that a coarse polyline does not make its followers
twitch at each vertex. Near a known position the search for the nearest point is local: it tries COARSE, then FINE
candidates, and ends with the minimum of the parabola through the best three,

    x = x_best + h/2 (f- - f+) / (f- - 2 f_best + f+),

which is exact on a straight line because f is a squared distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.once import once
from ..arrays.vectors import (
    Mask,
    Rows,
    Scalars,
    Vectors,
    alike,
    anybody,
    clamp,
    columns,
    dot,
    everybody,
    firsts,
    magnitude,
    picked,
    ratio,
    same_for_all,
    unit,
    which,
)
from ..ground import of_rows, squared_from_above

BLOCK = 16
"""Samples that are skipped together if they are further away than others."""
CHUNK = 100_000
"""Distances computed together at most while whole lines are searched: more of them do not fit into fast memory."""
COARSE, FINE = np.array([33, 65, 129, 257]), 17
"""Candidates in the two rounds of a search near a known position; the reach decides which count the first has."""
STRETCH = 16
"""Blocks that are skipped together where lines are looked for within reach."""
ROUNDING = 1.0 + 1e-9
"""Factor on a distance above which another one is larger for certain."""


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
    def _blocks(self) -> Rows:
        """(l,) the blocks of samples of each line."""
        return -(-self.count // BLOCK)

    @once
    def _first_block(self) -> Rows:
        return np.cumsum(self._blocks) - self._blocks

    @once
    def _begins(self) -> Rows:
        """(b,) the row of the first sample of each block of all lines."""
        line = self._line_of_block
        return self.first[line] + (np.arange(len(line)) - self._first_block[line]) * BLOCK

    @once
    def _line_of_block(self) -> Rows:
        return np.repeat(np.arange(len(self)), self._blocks)

    @once
    def _middles(self) -> Vectors:
        """(b, 3) the sample in the middle of each block, metres."""
        return self.points.take(np.minimum(self._begins + BLOCK // 2, self.last[self._line_of_block]), axis=1).T

    @once
    def _extent(self) -> Scalars:
        """(l,) the radius about the middle of a block that contains it, metres."""
        return (BLOCK // 2 + 1) * self.spacing

    @once
    def _stretches(self) -> tuple[Rows, Rows]:
        """The first block of each stretch of blocks, and its line; (t,) each."""
        number = -(-self._blocks // STRETCH)
        line = np.repeat(np.arange(len(self)), number)
        return self._first_block[line] + (np.arange(len(line)) - (np.cumsum(number) - number)[line]) * STRETCH, line

    def followed(self, row: Rows) -> Followed:
        """The lines of n followers, by their rows (n,)."""
        return Followed(self, row)

    def nearest(self, points: Vectors, counts: Mask) -> tuple[Rows, Scalars, Scalars]:
        """The line nearest to each point, of those that count for it, the first one of several.

        Args:
            points: (n, 3) metres.
            counts: (n, l) the lines that count.

        Returns:
            line: (n,) rows, -1 where none counts.
            along, distance: (n,) the place on that line, and how far it is, metres.
        """
        n = len(points)
        line, along, distance = np.full(n, -1, dtype=np.int64), np.zeros(n), np.full(n, np.inf)
        chunk = max(CHUNK // len(self._line_of_block), 1)
        for start in range(0, n, chunk):
            owner, row = self._likely(points[start : start + chunk], counts[start : start + chunk])
            owner = owner + start
            places, on = picked(points, owner), self.followed(row)
            along_each = on.nearest(places)
            far = magnitude(places - on.position(along_each))
            order = np.lexsort((row, far, owner))
            best = order[firsts(owner[order])]
            line[owner[best]], along[owner[best]], distance[owner[best]] = row[best], along_each[best], far[best]
        return line, along, distance

    def within(self, points: Vectors, reach: Scalars, upward: Vectors | None = None) -> tuple[Rows, Rows, Scalars]:
        """The lines within reach of points, and some that are a little further away.

        Args:
            points: (n, 3) metres.
            reach: (n,) metres.
            upward: (n, 3) unit directions; if given, distances are those seen from that direction.

        Returns:
            owner, line: (p,) rows of points and lines, by point, then by line.
            along: (p,) the place of a sample, not further along the line from the nearest one than a block is long,
                metres.
        """
        parts = []
        chunk = max(CHUNK // len(self._stretches[0]), 1)
        for start in range(0, max(len(points), 1), chunk):
            rows = np.arange(start, min(start + chunk, len(points)))
            up = None if upward is None else of_rows(upward, rows)
            owner, line, along = self._within(points[start : start + chunk], reach[start : start + chunk], up)
            parts.append((owner + start, line, along))
        owner, line, along = (np.concatenate(column) for column in zip(*parts))
        return owner, line, along

    def _within(self, points: Vectors, reach: Scalars, upward: Vectors | None) -> tuple[Rows, Rows, Scalars]:
        """As `within`, in one go."""
        first, line = self._stretches
        last, step = (self._first_block + self._blocks - 1)[line], BLOCK * self.spacing
        middle = self._starts(np.minimum(first + STRETCH // 2, last))
        extent = (STRETCH // 2 + 2) * step[line]
        owner, stretch = np.nonzero(np.sqrt(_squared(_gaps(points, middle), upward)) < reach[:, None] + extent)
        block = first[stretch][:, None] + np.arange(STRETCH)
        pair, place = np.nonzero(block <= last[stretch][:, None])
        owner, line, block = owner[pair], line[stretch[pair]], block[pair, place]
        distance = np.sqrt(_seen_squared(points, owner, self._starts(block), upward))
        near = which(distance < reach[owner] + step[line])
        near = near[np.lexsort((block[near], distance[near], line[near], owner[near]))]
        near = near[firsts(owner[near] * len(self) + line[near])]
        owner, line = owner[near], line[near]
        return owner, line, (block[near] - self._first_block[line]) * step[line]

    def _starts(self, block: Rows) -> Vectors:
        """The first samples of blocks, (p,) rows to (p, 3) metres."""
        return self.points.take(self._begins[block], axis=1).T

    def _likely(self, points: Vectors, counts: Mask) -> tuple[Rows, Rows]:
        """Pairs of a point and a line that may be the nearest to it, by point; (p,) rows each."""
        extent, line = self._extent[self._line_of_block], self._line_of_block
        distance = np.where(counts[:, line], magnitude(_gaps(points, self._middles)), np.inf)
        most = (distance + extent).min(axis=1, initial=np.inf) * ROUNDING
        owner, block = np.nonzero(np.isfinite(distance) & (distance - extent <= most[:, None]))
        pairs = firsts(owner * len(self) + line[block])
        return owner[pairs], line[block[pairs]]


@dataclass(frozen=True)
class Followed:
    """The lines of n followers, of whom each asks about its own.

    Attributes:
        lines: the lines.
        row: (n,) the line of each.
    """

    lines: Lines
    row: Rows

    def __len__(self) -> int:
        return len(self.row)

    def take(self, rows: Rows | Mask) -> Followed:
        """The lines of some of the followers."""
        return Followed(self.lines, self.row[rows])

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
    def _first(self) -> Rows:
        return self._column(self.lines.first)

    @once
    def _last(self) -> Rows:
        return self._column(self.lines.last)

    def _column(self, values: Any) -> Any:
        """What is known of each line, for each follower (n,); stored once where there is one line only."""
        return alike(values[0], len(self.row), values.dtype) if len(self.lines) == 1 else values[self.row]

    def wrapped(self, along: Scalars) -> Scalars:
        """Distances along the lines, modulo their length if they are closed, else clamped to their ends.

        Args:
            along: (n,) or (n, p) metres.

        Returns:
            The same shape.
        """
        length = _beside(self.length, along)
        if not anybody(self.closed):
            return clamp(along, 0.0, length)
        # An open line may be a point; the length of a closed one is never 0.
        round_it = along - length * np.floor(along / np.where(length > 0.0, length, 1.0))
        if everybody(self.closed):
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
        between, onward = samples.take(row, axis=1), samples.take(row + 1, axis=1)
        between *= 1.0 - part
        onward *= part
        between += onward
        return between.transpose((*range(1, between.ndim), 0))

    def onward(self, distance: Scalars) -> Scalars:
        """Distances along the lines, round closed ones by the shorter way; (n,) or (n, p) metres."""
        if not anybody(self.closed):
            return distance
        length = _beside(self.length, distance)
        shorter = distance - length * np.floor(distance / np.where(length > 0.0, length, 1.0) + 0.5)
        return shorter if everybody(self.closed) else np.where(_beside(self.closed, distance), shorter, distance)

    def to_end(self, along: Scalars, way: Scalars) -> Scalars:
        """The way along the lines to their ends, (n,) metres, inf on closed lines.

        Args:
            along: (n,) positions along the lines, metres.
            way: (n,) 1 along them, -1 against them.
        """
        left = np.where(way > 0.0, self.length - along, along)
        return np.where(self.closed, np.inf, left) if anybody(self.closed) else left

    def nearest(self, points: Vectors, upward: Vectors | None = None) -> Scalars:
        """The distance along each line to the point nearest to each point, searching all of it; (n, 3) to (n,).

        Args:
            upward: (n, 3) unit directions; if given, distances are those seen from that direction.
        """
        sample = np.empty(len(points), dtype=np.int64)
        chunk = max(CHUNK // int(self.lines._blocks.max()), 1)
        for start in range(0, len(points), chunk):
            rows = np.arange(start, min(start + chunk, len(points)))
            up = None if upward is None else of_rows(upward, rows)
            sample[rows] = self.take(rows)._nearest_sample(points[start : start + chunk], up)
        return self.nearest_within(points, (sample - self._first) * self.spacing, self.spacing, upward)

    def _nearest_sample(self, points: Vectors, upward: Vectors | None) -> Rows:
        """The row of the sample nearest to each point, the first one of several; (n, 3) to (n,).

        Blocks of samples that lie further away than all of another one are not looked at.
        """
        lines = self.lines
        owner, block = self._blocks()
        distance = np.sqrt(_seen_squared(points, owner, picked(lines._middles, block), upward))
        least = np.minimum.reduceat(distance, firsts(owner)) if len(owner) else distance
        near = which(distance <= (least + 2.0 * self._column(lines._extent))[owner])
        owner, block = owner[near], block[near]
        row = np.minimum(lines._begins[block][:, None] + np.arange(BLOCK), self._last[owner][:, None])
        up = None if upward is None else of_rows(upward, owner)
        gap = columns(*picked(points, owner).T[:, :, None]) - lines.points.take(row, axis=1).transpose(1, 2, 0)
        squared = _squared(gap, up)
        best = np.argmin(squared, axis=1)
        squared = squared[np.arange(len(best)), best]
        least = np.minimum.reduceat(squared, firsts(owner)) if len(owner) else squared
        nearest = which(squared == least[owner])
        nearest = nearest[firsts(owner[nearest])]
        return row[nearest, best[nearest]]

    def _blocks(self) -> tuple[Rows, Rows]:
        """Pairs of a follower and a block of samples of its line, by follower; (p,) rows each."""
        lines = self.lines
        number = self._column(lines._blocks)
        owner = np.repeat(np.arange(len(self)), number)
        begins = np.cumsum(number) - number
        return owner, np.arange(len(owner)) + (self._column(lines._first_block) - begins)[owner]

    def nearest_within(self, points: Vectors, along: Scalars, reach: Scalars, upward: Vectors | None = None) -> Scalars:
        """The distance along each line to the point nearest to each point, searching within `reach` of `along`.

        A line may cross itself: an agent that knows its position stays on its branch.

        Args:
            points: (n, 3) metres.
            along: (n,) distances along the lines, metres.
            reach: (n,) metres along the lines, in both directions.
            upward: as for `nearest`.

        Returns:
            (n,) metres.
        """
        reach = np.minimum(reach, np.where(self.closed, self.length / 2.0, self.length))
        # Enough candidates to try each sample of a short reach, and never too few to find the right bend of a long one.
        # Each point has its own count, so that an agent with a long reach does not change what the others find.
        size = np.minimum(np.searchsorted(COARSE, 2.0 * np.ceil(reach / self.spacing) + 1.0), len(COARSE) - 1)
        offset = self._coarsely(points, along, reach, size, upward)
        offset = self._best(points, along, offset, reach * (2.0 / (COARSE[size] - 1)), FINE, upward)
        return self.wrapped(along + clamp(offset, -reach, reach))

    def _coarsely(self, points: Vectors, along: Scalars, reach: Scalars, size: Rows, upward: Vectors | None) -> Scalars:
        """The offset from `along` of the point nearest to each point, of COARSE[size] candidates; (n,) metres."""
        offset = np.zeros(len(points))
        if same_for_all(size):
            return self._best(points, along, offset, reach, int(COARSE[size[0]]), upward)
        for index in np.unique(size):
            rows = which(size == index)
            up = None if upward is None else of_rows(upward, rows)
            few, candidates = self.take(rows), int(COARSE[index])
            offset[rows] = few._best(points[rows], along[rows], offset[rows], reach[rows], candidates, up)
        return offset

    def _best(
        self,
        points: Vectors,
        along: Scalars,
        offset: Scalars,
        reach: Scalars,
        candidates: int,
        upward: Vectors | None,
    ) -> Scalars:
        """The offset from `along` of the point nearest to each point, within `reach` of the given offset.

        Args:
            points: (n, 3) metres.
            along, offset, reach: (n,) metres along the lines.
            candidates: how many offsets are tried.
            upward: as for `nearest`.

        Returns:
            (n,) metres along the lines.
        """
        stride = reach * (2.0 / (candidates - 1))
        tried = offset[:, None] - reach[:, None] + stride[:, None] * np.arange(candidates)[None, :]
        gap = columns(*points.T[:, :, None]) - self.position(along[:, None] + tried)
        distance = _squared(gap, upward)
        n, best = np.arange(len(points)), np.argmin(distance, axis=1)
        before, after = np.maximum(best - 1, 0), np.minimum(best + 1, candidates - 1)
        fall, rise = distance[n, before] - distance[n, best], distance[n, after] - distance[n, best]
        return tried[n, best] + stride * clamp(0.5 * ratio(fall - rise, fall + rise), -0.5, 0.5)


def _beside(column: Any, along: Scalars) -> Any:
    """A column (n,) in the shape that broadcasts with (n,) or (n, p)."""
    return column if along.ndim == 1 else column[:, None]


def _gaps(points: Vectors, others: Vectors) -> Vectors:
    """The vectors to points (n, 3) from others (m, 3), each component contiguous in memory; (n, m, 3)."""
    return np.moveaxis(points.T[:, :, None] - others.T[:, None, :], 0, -1)


def _squared(gap: Vectors, upward: Vectors | None) -> Scalars:
    """The squared lengths of vectors (n, 3) or (n, b, 3), as seen from `upward` (n, 3) where it is given."""
    return dot(gap, gap) if upward is None else squared_from_above(gap, upward)


def _seen_squared(points: Vectors, owner: Rows, others: Vectors, upward: Vectors | None) -> Scalars:
    """The squared distances of others (p, 3) from the points (n, 3) of their owners (p,), as of `_squared`; (p,)."""
    return _squared(picked(points, owner) - others, None if upward is None else of_rows(upward, owner))
