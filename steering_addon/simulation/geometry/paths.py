"""Paths: curves as evenly spaced samples.

A path is idealised as a spine and a radius (paper, Path Following); the radius is a parameter of the follower. A curve
object may have several splines, open or closed, which are separate lines. A position on a line is the distance `along`
it from its start, in metres.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..arrays.once import once
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, alike, clamp, grouped, which
from ..arrays.vectors import Vectors, dot, magnitude, unit
from ..ground import flat, left_of, upright
from .lines import Followed, Lines

SAMPLES = 1024
"""Samples of a spline: a road of 1 km has one per metre."""


@dataclass(frozen=True, eq=False)
class Spline:
    """One line of a curve, equal only to itself.

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

    @once
    def alone(self) -> Lines:
        """The line as the only one."""
        return _lay((self,))

    def wrapped(self, along: Scalars) -> Scalars:
        """Distances along the line, modulo its length if it is closed, else clamped to its ends; (n,) to (n,)."""
        return self._asked_by(len(along)).wrapped(along)

    def position(self, along: Scalars) -> Vectors:
        """The points at distances along the line; (n,) to (n, 3)."""
        return self._asked_by(len(along)).position(along)

    def tangent(self, along: Scalars) -> Vectors:
        """The unit directions at distances along the line; (n,) to (n, 3)."""
        return self._asked_by(len(along)).tangent(along)

    def nearest(self, points: Vectors, upward: Vectors | None = None) -> Scalars:
        """The distance along the line to the point nearest to each point, as of `Followed.nearest`."""
        return self._asked_by(len(points)).nearest(points, upward)

    def nearest_within(self, points: Vectors, along: Scalars, reach: Scalars, upward: Vectors | None = None) -> Scalars:
        """The same within `reach` of `along`, as of `Followed.nearest_within`."""
        return self._asked_by(len(points)).nearest_within(points, along, reach, upward)

    def _asked_by(self, n: int) -> Followed:
        return self.alone.followed(alike(0, n, np.int64))

    def beside(self, left: float) -> "Spline":
        """The line some metres to the left of this one, as seen from above; the same line for 0. In bends that are
        tighter than that it has a corner."""
        if left == 0.0 or self.length <= 0.0:
            return self
        lanes = self._lanes
        if left not in lanes:
            above = upright(len(self.points))
            points = self.points + left * unit(left_of(flat(self.tangents, above), above))
            before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
            if not self.closed:
                before[0], after[-1] = points[0], points[-1]
            onward = dot(after - before, self.tangents) > 0.0
            line = points[onward] if int(np.count_nonzero(onward)) > 1 else points
            lanes[left] = spline(line, self.closed, len(self.points))
        return lanes[left]

    @once
    def _lanes(self) -> "dict[float, Spline]":
        """The lines beside this one that were asked for, by the metres to the left."""
        return {}


Path = tuple[Spline, ...]
"""The splines of one curve object; empty for a curve without points."""


def spline(points: Vectors, closed: bool, samples: int = SAMPLES) -> Spline:
    """The line through points, resampled at even distances; repeated points count once. `points`: (k, 3) in world
    space, k >= 1, metres; `closed`: whether the last point joins the first; `samples`: the count of samples at
    least."""
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
    share = clamp((along - distance[segment]) / extent, 0.0, 1.0)[:, None]
    resampled = corners[segment] * (1.0 - share) + corners[segment + 1] * share
    # Tangents are taken over about one segment of the drawn line to either side.
    drawn = length / max(len(corners) - 1, 1)
    span = int(min(max(round(0.5 * drawn / (length / count)), 1), max(count // 64, 1)))
    return Spline(resampled, _tangents(resampled, closed, span), length, closed)


def _tangents(samples: Vectors, closed: bool, span: int) -> Vectors:
    """The unit directions from `span` samples before each sample to `span` after it; (m, 3) to (m, 3)."""
    if closed:
        return unit(np.roll(samples, -span, axis=0) - np.roll(samples, span, axis=0))
    rows = np.arange(len(samples))
    ahead = np.minimum(rows + span, len(samples) - 1)
    behind = np.maximum(rows - span, 0)
    return unit(samples[ahead] - samples[behind])


@lru_cache(maxsize=8)
def lay_end_to_end(splines: tuple[Spline, ...]) -> Lines:
    """The lines of one or more splines, laid end to end."""
    return _lay(splines)


def _lay(splines: tuple[Spline, ...]) -> Lines:
    count = np.array([len(line.points) for line in splines])
    following = [slice(1) if line.closed else slice(-1, None) for line in splines]
    points = [column for line, after in zip(splines, following) for column in (line.points, line.points[after])]
    tangents = [column for line, after in zip(splines, following) for column in (line.tangents, line.tangents[after])]
    return Lines(
        np.concatenate(points).T.copy(),
        np.concatenate(tangents).T.copy(),
        np.cumsum(count + 1) - (count + 1),
        count,
        np.array([line.length for line in splines]),
        np.array([line.closed for line in splines]),
    )


def lines_of(paths: tuple[Path, ...]) -> tuple[Lines | None, Rows, Rows]:
    """All lines of paths that are not single points, laid end to end, and the path and the index of each; (l,) each.
    None if there is none."""
    every = ((row, index, line) for row, curve in enumerate(paths) for index, line in enumerate(curve))
    lines = [entry for entry in every if entry[2].length > 0.0]
    path, index = np.array([entry[:2] for entry in lines], dtype=np.int64).reshape(-1, 2).T
    return lay_end_to_end(tuple(line for _, _, line in lines)) if lines else None, path, index


def exist(paths: tuple[Path, ...], path: Rows, spline: Rows) -> Mask:
    """Whether there are lines with these rows and indices that are not single points; (n,) each."""
    number = np.array([len(curve) for curve in paths], dtype=np.int64)
    leads = np.array([line.length > 0.0 for curve in paths for line in curve], dtype=np.bool_)
    rows = which((path >= 0) & (path < len(paths)) & (spline >= 0))
    rows = rows[spline[rows] < number[path[rows]]]
    exists: Mask = np.zeros(len(path), dtype=np.bool_)
    exists[rows] = leads[(np.cumsum(number) - number)[path[rows]] + spline[rows]]
    return exists


def lines_followed(paths: tuple[Path, ...], path: Rows, spline: Rows, left: Scalars) -> Followed:
    """The lines that n agents follow, from a cache, as they are asked for many times in every step. `path`, `spline`:
    (n,) the row of its path, and the index of the line in it; `left`: (n,) metres to the left of that line."""
    rows = (np.ascontiguousarray(column, dtype=np.int64).tobytes() for column in (path, spline))
    return _lines_followed(paths, *rows, np.ascontiguousarray(left).tobytes())


@lru_cache(maxsize=8)
def _lines_followed(paths: tuple[Path, ...], path: bytes, spline: bytes, left: bytes) -> Followed:
    keys = np.frombuffer(path, dtype=np.int64), np.frombuffer(spline, dtype=np.int64), np.frombuffer(left)
    row, order, starts = grouped(*keys)
    lines = zip(*(key[order[starts]].tolist() for key in keys))
    return lay_end_to_end(tuple(paths[curve][index].beside(aside) for curve, index, aside in lines)).followed(row)
