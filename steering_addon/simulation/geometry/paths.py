"""Paths: curves as evenly spaced samples, and how to find the nearest point on them.

A path is idealised as a spine and a radius (paper, Path Following); the radius is a parameter of the follower. A curve
object may have several splines, open or closed, which are separate lines. A position on a line is the distance `along`
it from its start, in metres.

Points and tangents are interpolated linearly between samples, so that a coarse polyline does not make its followers
twitch at each vertex. Near a known position the search for the nearest point is local: it tries COARSE, then FINE
candidates, and ends with the minimum of the parabola through the best three,

    x = x_best + h/2 (f- - f+) / (f- - 2 f_best + f+),

which is exact on a straight line because f is a squared distance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.once import once
from ..arrays.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    clamp,
    columns,
    dot,
    firsts,
    magnitude,
    picked,
    ratio,
    same_for_all,
    unit,
    which,
)
from ..ground import cross_from_above, flat, left_of, of_rows, squared_from_above, upright

SAMPLES = 1024
"""Samples of a spline: a road of 1 km has one per metre."""
BLOCK = 16
"""Segments that are skipped together if a course does not come near them."""
END = 1e-9
"""Share of a segment by which it extends beyond its ends, so that no course slips through between two."""
CHUNK = 2_000_000
"""Distances computed together at most while a whole spline is searched."""
COARSE, FINE = np.array([33, 65, 129, 257]), 17
"""Candidates in the two rounds of a search near a known position; the reach decides which count the first has."""


@dataclass(frozen=True)
class Spline:
    """One line of a curve.

    Attributes:
        points: (m, 3) samples, evenly spaced along the line, metres; a closed line does not repeat the first.
        tangents: (m, 3) unit directions at the samples.
        length: metres along the line, once around if it is closed; 0 for a line of one point.
        closed: whether the end joins the start.
    """

    points: Vectors
    tangents: Vectors
    length: float
    closed: bool

    @property
    def spacing(self) -> float:
        """Metres along the line from one sample to the next."""
        return self.length / (len(self.points) if self.closed else max(len(self.points) - 1, 1))

    def wrapped(self, along: Scalars) -> Scalars:
        """Distances along the line, modulo its length if it is closed, else clamped to its ends; (...) to (...)."""
        if self.length <= 0.0:
            return np.zeros_like(along)
        if self.closed:
            return along - self.length * np.floor(along / self.length)
        return clamp(along, 0.0, self.length)

    def position(self, along: Scalars) -> Vectors:
        """The points at distances along the line; (...) to (..., 3)."""
        return self._between(self._points, along)

    def tangent(self, along: Scalars) -> Vectors:
        """The unit directions at distances along the line; (...) to (..., 3)."""
        return unit(self._between(self._tangents, along))

    def _between(self, samples: Vectors, along: Scalars) -> Vectors:
        """Samples, as of `_onward`, interpolated at distances along the line; (...) to (..., 3)."""
        if self.length <= 0.0:
            return np.broadcast_to(samples[:, 0], (*along.shape, 3))
        position = self.wrapped(along) / self.spacing
        before = np.minimum(np.floor(position).astype(np.int64), len(self.points) - 1)
        part = position - before
        between, onward = samples.take(before, axis=1), samples.take(before + 1, axis=1)
        between *= 1.0 - part
        onward *= part
        between += onward
        return between.transpose((*range(1, between.ndim), 0))

    @once
    def _points(self) -> Vectors:
        return self._onward(self.points)

    @once
    def _tangents(self) -> Vectors:
        return self._onward(self.tangents)

    def _onward(self, samples: Vectors) -> Vectors:
        """Samples (m, 3) and what follows the last of them, by component, (3, m + 1)."""
        following = samples[:1] if self.closed else samples[-1:]
        return np.concatenate((samples, following)).T.copy()

    def beside(self, left: float) -> Spline:
        """The line some metres to the left of this one, as seen from above; the same line for 0.

        In bends that are tighter than that it has a corner.
        """
        if left == 0.0 or self.length <= 0.0:
            return self
        known = self._lanes
        if left not in known:
            above = upright(len(self.points))
            points = self.points + left * unit(left_of(flat(self.tangents, above), above))
            before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
            if not self.closed:
                before[0], after[-1] = points[0], points[-1]
            onward = dot(after - before, self.tangents) > 0.0
            kept = points[onward] if int(np.count_nonzero(onward)) > 1 else points
            known[left] = spline(kept, self.closed, len(self.points))
        return known[left]

    @once
    def _lanes(self) -> dict[float, Spline]:
        """The lines beside this one that were asked for, by the metres to the left."""
        return {}

    def nearest(self, points: Vectors, upward: Vectors | None = None) -> Scalars:
        """The distance along the line to the point nearest to each point, searching all of it; (n, 3) to (n,).

        Args:
            upward: (n, 3) unit directions; if given, distances are those seen from that direction.
        """
        if self.length <= 0.0:
            return np.zeros(len(points))
        sample = np.empty(len(points), dtype=np.int64)
        chunk = max(CHUNK // len(self.points), 1)
        for start in range(0, len(points), chunk):
            rows = np.arange(start, min(start + chunk, len(points)))
            up = None if upward is None else of_rows(upward, rows)
            sample[rows] = self._nearest_sample(points[start : start + chunk], up)
        along = sample * self.spacing
        return self.nearest_within(points, along, np.full(len(points), self.spacing), upward)

    def _nearest_sample(self, points: Vectors, upward: Vectors | None) -> Rows:
        """The sample nearest to each point, the first one of several; (n, 3) to (n,).

        Blocks of samples that lie further away than all of another one are not looked at.
        """
        number = len(self.points)
        first = np.arange(0, number, BLOCK)
        distance = np.sqrt(_squared(_gaps(points, self.points[np.minimum(first + BLOCK // 2, number - 1)]), upward))
        extent = (BLOCK // 2 + 1) * self.spacing
        owner, block = np.nonzero(distance <= distance.min(axis=1)[:, None] + 2.0 * extent)
        row = np.minimum(first[block][:, None] + np.arange(BLOCK), number - 1)
        up = None if upward is None else of_rows(upward, owner)
        squared = _squared(picked(points, owner)[:, None] - self.points[row], up)
        best = np.argmin(squared, axis=1)
        squared = squared[np.arange(len(best)), best]
        least = np.minimum.reduceat(squared, firsts(owner))
        nearest = which(squared == least[owner])
        nearest = nearest[firsts(owner[nearest])]
        return row[nearest, best[nearest]]

    def nearest_within(self, points: Vectors, along: Scalars, reach: Scalars, upward: Vectors | None = None) -> Scalars:
        """The distance along the line to the point nearest to each point, searching within `reach` of `along`.

        A line may cross itself: an agent that knows its position stays on its branch.

        Args:
            points: (n, 3) metres.
            along: (n,) distances along the line, metres.
            reach: (n,) metres along the line, in both directions.
            upward: as for `nearest`.

        Returns:
            (n,) metres.
        """
        if self.length <= 0.0:
            return np.zeros(len(points))
        reach = np.minimum(reach, self.length / 2.0 if self.closed else self.length)
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
            rows = size == index
            up = None if upward is None else of_rows(upward, np.flatnonzero(rows))
            offset[rows] = self._best(points[rows], along[rows], offset[rows], reach[rows], int(COARSE[index]), up)
        return offset

    def crossed(self, points: Vectors, course: Vectors, reach: Scalars, upward: Vectors) -> tuple[Scalars, Vectors]:
        """The distances along straight courses at which they first cross the line, as seen from above.

        Args:
            points: (n, 3) where the courses begin, metres.
            course: (n, 3) directions, of any length.
            reach: (n,) how far they are followed, in lengths of the course.
            upward: (n, 3) unit directions from which each course is seen.

        Returns:
            way: (n,) in lengths of the course, inf if the line is not crossed within reach.
            side: (n, 3) the horizontal unit normal of the line at the crossing, on the side the course comes from.
        """
        start, vector = self._segments()
        owner, row = self._crossable(points, course, reach, len(start), upward)
        offset, direction, edge, up = start[row] - points[owner], course[owner], vector[row], of_rows(upward, owner)
        steep = cross_from_above(direction, edge, up)
        safe = np.where(np.abs(steep) < EPSILON, 1.0, steep)
        way, part = cross_from_above(offset, edge, up) / safe, cross_from_above(offset, direction, up) / safe
        met = (np.abs(steep) >= EPSILON) & (part >= -END) & (part <= 1.0 + END) & (way >= 0.0) & (way <= reach[owner])
        owner, row, way, steep = owner[met], row[met], way[met], steep[met]
        order = np.lexsort((row, way, owner))
        first = order[firsts(owner[order])]
        nearest, side = np.full(len(points), np.inf), np.zeros((len(points), 3))
        nearest[owner[first]] = way[first]
        across = left_of(vector[row[first]], of_rows(upward, owner[first]))
        side[owner[first]] = unit(across * np.where(steep[first] < 0.0, -1.0, 1.0)[:, None])
        return nearest, side

    def _segments(self) -> tuple[Vectors, Vectors]:
        """The starts of the segments from sample to sample, and the vectors to their ends, (s, 3) each."""
        after = np.roll(self.points, -1, axis=0)
        number = len(self.points) - (not self.closed)
        return self.points[:number], (after - self.points)[:number]

    def _crossable(
        self, points: Vectors, course: Vectors, reach: Scalars, number: int, upward: Vectors
    ) -> tuple[Rows, Rows]:
        """Pairs of a course and a segment that it may cross, in whole blocks of segments, by course."""
        first = np.arange(0, number, BLOCK)
        middle = self.points[np.minimum(first + BLOCK // 2, number - 1)]
        extent = (BLOCK // 2 + 1) * self.spacing
        offset = flat(middle[None] - points[:, None], upward)
        way = flat(course, upward)
        square = np.maximum(dot(way, way), EPSILON)
        part = clamp(dot(offset, way[:, None]) / square[:, None], 0.0, reach[:, None])
        seen = magnitude(offset - way[:, None] * part[..., None]) <= extent
        owner, block = np.nonzero(seen)
        row = (first[block][:, None] + np.arange(BLOCK)).ravel()
        owner = np.repeat(owner, BLOCK)
        exists = row < number
        return owner[exists], row[exists]

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
            along, offset, reach: (n,) metres along the line.
            candidates: how many offsets are tried.
            upward: as for `nearest`.

        Returns:
            (n,) metres along the line.
        """
        stride = reach * (2.0 / (candidates - 1))
        tried = offset[:, None] - reach[:, None] + stride[:, None] * np.arange(candidates)[None, :]
        gap = columns(*points.T[:, :, None]) - self.position(along[:, None] + tried)
        distance = _squared(gap, upward)
        n, best = np.arange(len(points)), np.argmin(distance, axis=1)
        before, after = np.maximum(best - 1, 0), np.minimum(best + 1, candidates - 1)
        fall, rise = distance[n, before] - distance[n, best], distance[n, after] - distance[n, best]
        return tried[n, best] + stride * clamp(0.5 * ratio(fall - rise, fall + rise), -0.5, 0.5)


Path = tuple[Spline, ...]
"""The splines of one curve object; empty for a curve without points."""


def spline(points: Vectors, closed: bool, samples: int = SAMPLES) -> Spline:
    """The line through points, resampled at even distances; repeated points count once.

    Args:
        points: (k, 3) in world space, k >= 1, metres.
        closed: whether the last point joins the first.
        samples: the count of samples at least.
    """
    points = np.asarray(points, dtype=np.float64)
    corners = np.concatenate((points, points[:1])) if closed else points
    steps = magnitude(corners[1:] - corners[:-1])
    apart = np.concatenate(([True], steps > EPSILON))
    corners = corners[apart]
    distance = np.concatenate(([0.0], np.cumsum(steps[steps > EPSILON])))
    length = float(distance[-1])
    if length <= EPSILON:
        return Spline(points[:1], np.array([[0.0, 1.0, 0.0]]), 0.0, False)

    count = max(samples, len(corners))
    along = np.arange(count) * (length / count if closed else length / (count - 1))
    segment = np.minimum(np.searchsorted(distance, along, side="right") - 1, len(distance) - 2)
    extent = np.maximum(distance[segment + 1] - distance[segment], EPSILON)
    part = clamp((along - distance[segment]) / extent, 0.0, 1.0)[:, None]
    resampled = corners[segment] * (1.0 - part) + corners[segment + 1] * part
    return Spline(resampled, _tangents(resampled, closed, _span(corners, length, count)), length, closed)


def _span(corners: Vectors, length: float, count: int) -> int:
    """The count of samples to either side over which tangents are taken: about one segment of the drawn line."""
    drawn = length / max(len(corners) - 1, 1)
    return int(min(max(round(0.5 * drawn / (length / count)), 1), max(count // 64, 1)))


def _tangents(samples: Vectors, closed: bool, span: int) -> Vectors:
    """The unit directions from `span` samples before each sample to `span` after it; (m, 3) to (m, 3)."""
    if closed:
        return unit(np.roll(samples, -span, axis=0) - np.roll(samples, span, axis=0))
    rows = np.arange(len(samples))
    ahead = np.minimum(rows + span, len(samples) - 1)
    behind = np.maximum(rows - span, 0)
    return unit(samples[ahead] - samples[behind])


def _gaps(points: Vectors, others: Vectors) -> Vectors:
    """The vectors to points (n, 3) from others (m, 3), each component contiguous in memory; (n, m, 3)."""
    return np.moveaxis(points.T[:, :, None] - others.T[:, None, :], 0, -1)


def _squared(gap: Vectors, upward: Vectors | None) -> Scalars:
    """The squared lengths of vectors (n, b, 3), as seen from `upward` (n, 3) where it is given; (n, b)."""
    return dot(gap, gap) if upward is None else squared_from_above(gap, upward)


def exist(paths: tuple[Path, ...], path: Rows, spline: Rows) -> Mask:
    """Whether there are lines with these rows and indices that are not single points; (n,) each."""
    exists: Mask = np.zeros(len(path), dtype=np.bool_)
    for row, curve in enumerate(paths):
        for index, line in enumerate(curve):
            if line.length > 0.0:
                exists |= (path == row) & (spline == index)
    return exists


def nearest_spline(path: Path, points: Vectors) -> tuple[Rows, Scalars]:
    """The index of the spline nearest to each point (n, 3), and the distance along it; (n,) each.

    Splines of length 0 lead nowhere and do not count; -1 and 0 if the path has no others.
    """
    best = np.full(len(points), -1, dtype=np.int64)
    along = np.zeros(len(points))
    nearest = np.full(len(points), np.inf)
    for row, line in enumerate(path):
        if line.length <= 0.0:
            continue
        line_along = line.nearest(points)
        distance = magnitude(points - line.position(line_along))
        closer = distance < nearest
        best = np.where(closer, row, best)
        along = np.where(closer, line_along, along)
        nearest = np.where(closer, distance, nearest)
    return best, along
