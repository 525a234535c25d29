"""Paths: the spine of a curve as evenly spaced samples, and how to find one's place on it.

A path is idealised as a spine and a radius (paper, Path Following); the radius belongs to who follows. A curve object
may hold several splines, open or closed; each is followed by itself. Tangents turn evenly between samples, so that a
coarse polyline does not make its followers twitch at each vertex.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors, clamp, dot, firsts, magnitude, ratio, unit
from ..ground import cross_from_above, flat, left_of, of_rows, squared_from_above

SAMPLES = 1024
"""Samples a spline is kept in: a 1 km road every metre."""
BLOCK = 16
"""Stretches that are passed over together where no course comes near them."""
END = 1e-9
"""Share of a stretch by which it reaches beyond its ends, lest a course slips through between two."""
CHUNK = 2_000_000
"""Most distances looked at in one go while searching a whole spline."""
COARSE, FINE = np.array([33, 65, 129, 257]), 17
"""Candidates on the two rounds of a search near a known place; on the first as many as the reach asks for."""


@dataclass(frozen=True)
class Spline:
    """One line of a curve.

    Attributes:
        points: (m, 3) samples, evenly spaced along the line, metres; a closed line does not repeat its first one.
        tangents: (m, 3) unit directions at the samples.
        length: metres along the line, once round if closed; 0 for a line of one point.
        closed: whether the end joins the start.
    """

    points: Vectors
    tangents: Vectors
    length: float
    closed: bool

    @property
    def spacing(self) -> float:
        """Metres along the line from a sample to the next."""
        return self.length / (len(self.points) if self.closed else max(len(self.points) - 1, 1))

    def wrapped(self, along: Scalars) -> Scalars:
        """Distances along the line, brought back onto it: round and round if closed, else held at the ends."""
        if self.length <= 0.0:
            return np.zeros_like(along)
        if self.closed:
            return along - self.length * np.floor(along / self.length)
        return clamp(along, 0.0, self.length)

    def position(self, along: Scalars) -> Vectors:
        """The points at distances along the line; any shape (...) to (..., 3)."""
        return self._between(self.points, along)

    def tangent(self, along: Scalars) -> Vectors:
        """The unit directions at distances along the line; any shape (...) to (..., 3)."""
        return unit(self._between(self.tangents, along))

    def _between(self, samples: Vectors, along: Scalars) -> Vectors:
        if self.length <= 0.0:
            return np.broadcast_to(samples[0], (*along.shape, 3))
        place = self.wrapped(along) / self.spacing
        before = np.minimum(np.floor(place).astype(np.int64), len(samples) - 1)
        after = before + 1
        after = np.where(after == len(samples), 0 if self.closed else len(samples) - 1, after)
        part = (place - before)[..., None]
        return samples[before] * (1.0 - part) + samples[after] * part

    def nearest(self, points: Vectors, upward: Vectors | None = None) -> Scalars:
        """How far along the line the nearest place to each point is, searching all of it; (n, 3) to (n,).

        Args:
            upward: (n, 3) the direction from which line and point are seen, if not as they are in space.
        """
        if self.length <= 0.0:
            return np.zeros(len(points))
        along = np.empty(len(points))
        chunk = max(CHUNK // len(self.points), 1)
        for start in range(0, len(points), chunk):
            some = points[start : start + chunk]
            gap = some[:, None, :] - self.points[None, :, :]
            seen = None if upward is None else upward[start : start + chunk]
            along[start : start + chunk] = np.argmin(_squared(gap, seen), axis=1) * self.spacing
        return self.nearest_within(points, along, np.full(len(points), self.spacing), upward)

    def nearest_within(self, points: Vectors, along: Scalars, reach: Scalars, upward: Vectors | None = None) -> Scalars:
        """How far along the line the nearest place to each point is, looking no further than `reach` from `along`.

        A line may cross itself: who knows where it is stays on its own branch.

        Args:
            upward: as of `nearest`.
        """
        if self.length <= 0.0:
            return np.zeros(len(points))
        reach = np.minimum(reach, self.length / 2.0 if self.closed else self.length)
        # As many candidates as see each sample of a short stretch, and never fewer than find the right bend of a long.
        # Each point has its own number: what is far-sighted must not change what the others find.
        size = np.minimum(np.searchsorted(COARSE, 2.0 * np.ceil(reach / self.spacing) + 1.0), len(COARSE) - 1)
        offset = np.zeros(len(points))
        for some in np.unique(size):
            here = size == some
            seen = None if upward is None else of_rows(upward, np.flatnonzero(here))
            offset[here] = self._best(points[here], along[here], offset[here], reach[here], int(COARSE[some]), seen)
        offset = self._best(points, along, offset, reach * (2.0 / (COARSE[size] - 1)), FINE, upward)
        return self.wrapped(along + clamp(offset, -reach, reach))

    def crossed(self, points: Vectors, course: Vectors, reach: Scalars, upward: Vectors) -> tuple[Scalars, Vectors]:
        """Where straight courses first cross the line, as both are seen from above.

        Args:
            points: (n, 3) where the courses start.
            course: (n, 3) directions.
            reach: (n,) how far is looked, in lengths of the course.
            upward: (n, 3) unit directions from which each course is seen.

        Returns:
            way: (n,) in lengths of the course, inf where the line is not crossed within reach.
            side: (n, 3) level unit directions square to the line there, to where the course comes from.
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
        found, side = np.full(len(points), np.inf), np.zeros((len(points), 3))
        found[owner[first]] = way[first]
        across = left_of(vector[row[first]], of_rows(upward, owner[first]))
        side[owner[first]] = unit(across * np.where(steep[first] < 0.0, -1.0, 1.0)[:, None])
        return found, side

    def _segments(self) -> tuple[Vectors, Vectors]:
        """Where the stretches from sample to sample start and how they lie, (s, 3) each."""
        after = np.roll(self.points, -1, axis=0)
        number = len(self.points) - (not self.closed)
        return self.points[:number], (after - self.points)[:number]

    def _crossable(
        self, points: Vectors, course: Vectors, reach: Scalars, number: int, upward: Vectors
    ) -> tuple[Rows, Rows]:
        """Pairs of a course and a stretch, whole blocks of them, that it may cross, in the order of the courses."""
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
        there = row < number
        return owner[there], row[there]

    def _best(
        self,
        points: Vectors,
        along: Scalars,
        offset: Scalars,
        reach: Scalars,
        candidates: int,
        upward: Vectors | None,
    ) -> Scalars:
        """The offset from `along` of the place nearest to each point, tried within `reach` of the given offset."""
        stride = reach * (2.0 / (candidates - 1))
        tried = offset[:, None] - reach[:, None] + stride[:, None] * np.arange(candidates)[None, :]
        gap = points[:, None, :] - self.position(along[:, None] + tried)
        distance = _squared(gap, upward)
        n, best = np.arange(len(points)), np.argmin(distance, axis=1)
        before, after = np.maximum(best - 1, 0), np.minimum(best + 1, candidates - 1)
        # The low point of the parabola through the best and its neighbors: exact on a straight stretch.
        fall, rise = distance[n, before] - distance[n, best], distance[n, after] - distance[n, best]
        return tried[n, best] + stride * clamp(0.5 * ratio(fall - rise, fall + rise), -0.5, 0.5)


Path = tuple[Spline, ...]
"""All splines of one curve object; none for a curve without points."""


def spline(points: Vectors, closed: bool, samples: int = SAMPLES) -> Spline:
    """The line through points in world space, resampled evenly; repeated points count once.

    Args:
        points: (k, 3) at least one.
        closed: whether the last point joins the first.
        samples: how many it is kept in at least.
    """
    points = np.asarray(points, dtype=np.float64)
    corners = np.concatenate((points, points[:1])) if closed else points
    steps = magnitude(corners[1:] - corners[:-1])
    apart = np.concatenate(([True], steps > EPSILON))
    corners = corners[apart]
    at = np.concatenate(([0.0], np.cumsum(steps[steps > EPSILON])))
    length = float(at[-1])
    if length <= EPSILON:
        return Spline(points[:1], np.array([[0.0, 1.0, 0.0]]), 0.0, False)

    count = max(samples, len(corners))
    wanted = np.arange(count) * (length / count if closed else length / (count - 1))
    segment = np.minimum(np.searchsorted(at, wanted, side="right") - 1, len(at) - 2)
    part = clamp((wanted - at[segment]) / np.maximum(at[segment + 1] - at[segment], EPSILON), 0.0, 1.0)[:, None]
    kept = corners[segment] * (1.0 - part) + corners[segment + 1] * part
    return Spline(kept, _tangents(kept, closed, _span(corners, length, count)), length, closed)


def _span(corners: Vectors, length: float, count: int) -> int:
    """Samples to either side that a tangent is taken over: about one segment of the line as it was drawn."""
    drawn = length / max(len(corners) - 1, 1)
    return int(min(max(round(0.5 * drawn / (length / count)), 1), max(count // 64, 1)))


def _tangents(samples: Vectors, closed: bool, span: int) -> Vectors:
    if closed:
        return unit(np.roll(samples, -span, axis=0) - np.roll(samples, span, axis=0))
    rows = np.arange(len(samples))
    ahead = np.minimum(rows + span, len(samples) - 1)
    behind = np.maximum(rows - span, 0)
    return unit(samples[ahead] - samples[behind])


def _squared(gap: Vectors, upward: Vectors | None) -> Scalars:
    """The squared lengths of vectors (n, b, 3), as seen from `upward` (n, 3) where it is given; (n, b)."""
    return dot(gap, gap) if upward is None else squared_from_above(gap, upward)


def nearest_spline(path: Path, points: Vectors) -> tuple[Rows, Scalars]:
    """Which spline of a path is nearest to each point, and how far along it; -1 and 0 where the path has none.

    A single point leads nowhere: it does not count.
    """
    best = np.full(len(points), -1, dtype=np.int64)
    along = np.zeros(len(points))
    nearest = np.full(len(points), np.inf)
    for row, line in enumerate(path):
        if line.length <= 0.0:
            continue
        place = line.nearest(points)
        distance = magnitude(points - line.position(place))
        closer = distance < nearest
        best = np.where(closer, row, best)
        along = np.where(closer, place, along)
        nearest = np.where(closer, distance, nearest)
    return best, along
