"""Meshes: the nearest place on a surface, what a course meets of it, and what is inside.

Nested boxes round the triangles let most of a mesh be passed over.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..arrays.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    clamp,
    columns,
    cross,
    dot,
    firsts,
    in_columns,
    magnitude,
    picked,
    unit,
)
from .bounding_volumes import Boxes, Keep, along_a_winding_line, lower, nested_boxes, seen_into

SLANT = (0.2718, 0.3141)
"""How far a ray leans that tells inside from outside, for each metre up: along no edge that anybody draws."""
CLOSE = 1e-9
"""Share by which squared distances may be off by rounding, and far more."""
CHUNK = 512
"""Points looked up in one go."""


@dataclass(frozen=True)
class Mesh:
    """A surface of triangles.

    Attributes:
        corners: (3, f, 3) the first, second and third corner of each triangle, metres, in the order they are looked up.
        normal: (f, 3) unit normals, outward where the mesh is closed; zero for triangles without area.
        order: (f,) the row that each triangle had when the mesh was made.
        neighbor: (3, f) beyond each triangle's edge from corner to next corner which one lies; -1 for none.
        closed: whether it has an inside.
        levels: the boxes round the triangles, level by level.
    """

    corners: NDArray[np.float64]
    normal: Vectors
    order: Rows
    neighbor: Rows
    closed: bool
    levels: tuple[Boxes, ...]

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def bounds(self) -> tuple[Vectors, Vectors]:
        """The low and high corner of all of it, (3,) each."""
        return self.corners.min(axis=(0, 1)), self.corners.max(axis=(0, 1))

    @cached_property
    def _sides(self) -> _Sides:
        return _Sides.of(self.corners)

    @cached_property
    def _upright(self) -> tuple[NDArray[np.float64], tuple[Boxes, ...]]:
        """The corners as `_slanted` has them, and boxes round these."""
        corners = np.stack([_slanted(corner) for corner in self.corners])
        return corners, nested_boxes(corners)

    def nearest(self, points: Vectors, reach: Scalars) -> tuple[Scalars, Vectors, Rows]:
        """The nearest place on the surface to each point.

        Args:
            points: (n, 3).
            reach: (n,) how far away it may be, metres; inf for however far.

        Returns:
            distance: (n,) metres, inf where nothing is within reach.
            place: (n, 3), the point itself where nothing is.
            triangle: (n,) the row of the triangle, -1 where nothing is.
        """
        n = len(points)
        found = np.full(n, np.inf), points.copy(), np.full(n, -1, dtype=np.int64)
        for start in range(0, n if len(self) else 0, CHUNK):
            some = slice(start, start + CHUNK)
            for column, values in zip(found, self._nearest(points[some], reach[some])):
                column[some] = values
        return found

    def hit(self, points: Vectors, course: Vectors, reach: Scalars) -> tuple[Scalars, Rows]:
        """How far along a course the surface is met, (n,) metres, inf where not within reach, and the triangle, or -1.

        Args:
            points: (n, 3) where the courses start.
            course: (n, 3) unit directions.
            reach: (n,) how far is looked, metres; inf for however far.
        """
        if not len(self):
            return np.full(len(points), np.inf), np.full(len(points), -1, dtype=np.int64)
        owner, triangle = seen_into(self.levels, len(points), _crossed(points, course, reach))
        a, b, c = (corner[triangle] for corner in self.corners)
        u, v, along = b - a, c - a, course[owner]
        across = cross(along, v)
        volume = dot(u, across)
        flat = np.abs(volume) < EPSILON * EPSILON
        safe = np.where(flat, 1.0, volume)
        offset = points[owner] - a
        first = dot(offset, across) / safe
        square = cross(offset, u)
        second = dot(along, square) / safe
        way = dot(v, square) / safe
        met = ~flat & (first >= 0.0) & (second >= 0.0) & (first + second <= 1.0) & (way >= 0.0) & (way <= reach[owner])
        return _least(np.where(met, way, np.inf), owner, triangle, len(points))

    def inside(self, points: Vectors) -> Mask:
        """Which points (n, 3) are within a closed mesh; none are within an open one."""
        if not self.closed or not len(self):
            return np.zeros(len(points), dtype=np.bool_)
        low, high = self.bounds
        maybe = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
        found = np.zeros(len(points), dtype=np.bool_)
        if len(maybe):
            found[maybe] = self._inside(points[maybe])
        return found

    def _inside(self, points: Vectors) -> Mask:
        """Which points have the surface above them an odd number of times."""
        corners, levels = self._upright
        place = _slanted(points)
        owner, triangle = seen_into(levels, len(points), _above(place))
        a, b, c = (corner[triangle] for corner in corners)
        point = place[owner]
        left = [_left_of(start, end, point) for start, end in ((a, b), (b, c), (c, a))]
        around = (left[0] == left[1]) & (left[1] == left[2])
        normal = cross(b - a, c - a)
        flat = np.abs(normal[:, 2]) < EPSILON * EPSILON
        above = dot(normal, a - point) * np.where(normal[:, 2] < 0.0, -1.0, 1.0) > 0.0
        crossings = np.bincount(owner[around & above & ~flat], minlength=len(points))
        return np.asarray(crossings % 2 == 1, dtype=np.bool_)

    def surface(self, points: Vectors, reach: Scalars | None = None) -> tuple[Scalars, Vectors]:
        """How far places are from the surface, negative inside, and the unit directions away from it, (n,) and (n, 3).

        An open mesh has no inside: it is two-sided, and away is to the side where one is. Beyond the reach the distance
        is inf and the direction zero.
        """
        if not len(self):
            return np.full(len(points), np.inf), np.zeros((len(points), 3))
        far = np.full(len(points), np.inf) if reach is None else reach
        distance, place, triangle = self.nearest(points, far)
        sign = np.where(self.inside(points), -1.0, 1.0)
        offset = points - place
        on_it = magnitude(offset) < EPSILON
        away = np.where(on_it[:, None] & (triangle >= 0)[:, None], self.normal[triangle], unit(offset) * sign[:, None])
        return distance * sign, away

    def _nearest(self, points: Vectors, reach: Scalars) -> tuple[Scalars, Vectors, Rows]:
        # A little more, as the same distance reckoned once more may differ in its last digit.
        furthest = reach * reach * (1.0 + CLOSE)

        def keep(boxes: Boxes, owner: Rows, box: Rows) -> Mask:
            shape = np.broadcast_shapes(owner.shape, box.shape)
            square, away = np.zeros(shape), np.zeros(shape)
            for low, high, place, coordinate in zip(boxes.low, boxes.high, boxes.place, points.T):
                point = coordinate[owner]
                gap = np.maximum(np.maximum(low[box] - point, point - high[box]), 0.0)
                offset = place[box] - point
                square += gap * gap
                away += offset * offset
            away *= 1.0 + CLOSE
            lower(furthest, owner, away)
            return np.asarray(square <= furthest[owner], dtype=np.bool_)

        owner, triangle = seen_into(self.levels, len(points), keep)
        place = self._sides.nearest(triangle, picked(points, owner))
        gap = picked(points, owner) - place
        square = dot(gap, gap)
        square = np.where(square <= (reach * reach)[owner], square, np.inf)
        least, row = _least(square, owner, np.arange(len(owner)), len(points))
        there = row >= 0
        found = points.copy()
        found[there] = place[row[there]]
        nearest = np.where(there, triangle[row] if len(triangle) else -1, -1)
        return np.sqrt(least), found, nearest


@dataclass(frozen=True)
class _Sides:
    """The sides of triangles from their first corners, and what the nearest places on them are reckoned from.

    Attributes:
        corner, first, second: (f, 3) the first corner, and from there to the second and to the third.
        along_first, along_second, along_third: (f,) how long the sides are, squared.
        both: (f,) the product of the first two sides.
        area: (f,) the square of twice the area.
    """

    corner: Vectors
    first: Vectors
    second: Vectors
    along_first: Scalars
    along_second: Scalars
    along_third: Scalars
    both: Scalars
    area: Scalars

    @classmethod
    def of(cls, corners: NDArray[np.float64]) -> _Sides:
        a, b, c = (in_columns(corner) for corner in corners)
        u, v, w = b - a, c - a, c - b
        normal = cross(u, v)
        return cls(a, u, v, dot(u, u), dot(v, v), dot(w, w), dot(u, v), dot(normal, normal))

    def nearest(self, triangle: Rows, points: Vectors) -> Vectors:
        """The nearest places on triangles to points, one each; (m,) and (m, 3) to (m, 3)."""
        corner, u, v = (picked(x, triangle) for x in (self.corner, self.first, self.second))
        uu, vv, ww, uv, area = (
            x[triangle] for x in (self.along_first, self.along_second, self.along_third, self.both, self.area)
        )
        offset = points - corner
        pu, pv = dot(offset, u), dot(offset, v)
        safe = np.maximum(area, EPSILON * EPSILON)
        s, t = (vv * pu - uv * pv) / safe, (uu * pv - uv * pu) / safe
        within = (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0)
        third = clamp((pv - pu + uu - uv) / np.maximum(ww, EPSILON), 0.0, 1.0)
        # Places are told by their shares of the first two sides. Beyond the face it is one of the sides.
        least = np.full(len(triangle), np.inf)
        for first, second, possible in (
            (s, t, within),
            (clamp(pu / np.maximum(uu, EPSILON), 0.0, 1.0), 0.0, True),
            (0.0, clamp(pv / np.maximum(vv, EPSILON), 0.0, 1.0), True),
            (1.0 - third, third, True),
        ):
            # The squared distance, less what is the same for all places.
            square = first * (first * uu + 2.0 * (second * uv - pu)) + second * (second * vv - 2.0 * pv)
            nearer = possible & (square < least)
            s, t = np.where(nearer, first, s), np.where(nearer, second, t)
            least = np.where(nearer, square, least)
        return corner + u * s[:, None] + v * t[:, None]


def mesh(points: Vectors, triangles: Rows) -> Mesh:
    """The surface of triangles (f, 3), rows of points (v, 3); points in one place count as one.

    It is closed where beyond each edge of each triangle there is exactly one other, which goes along it the other way.
    Normals of a closed one are turned outward.
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    triangles = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    centre = (points[triangles[:, 0]] + points[triangles[:, 1]] + points[triangles[:, 2]]) / 3.0
    order = np.argsort(along_a_winding_line(centre), kind="stable")
    triangles = triangles[order]
    corners = np.stack([points[triangles[:, corner]] for corner in range(3)])
    neighbor = _neighbors(points, triangles)
    closed = bool(len(triangles)) and bool((neighbor >= 0).all())
    normal = unit(cross(corners[1] - corners[0], corners[2] - corners[0]))
    if closed:
        volume = np.cumsum(dot(corners[0], cross(corners[1], corners[2])))[-1]
        normal = normal if volume >= 0.0 else -normal
    return Mesh(corners, normal, order, neighbor, closed, nested_boxes(corners))


def silhouette(surface: Mesh, eye: Vectors) -> Mask:
    """Which edges have a face toward the eye on one side only, as one sees the mesh from there.

    Args:
        eye: (n, 3) where it is looked from.

    Returns:
        (n, 3, f) whether the edge of each triangle from each corner to the next is one; of two triangles with the same
        edge the one that faces the eye has it.
    """
    front = dot(eye[:, None] - surface.corners[0][None], surface.normal[None]) > 0.0
    beyond = front[:, np.maximum(surface.neighbor, 0)] & (surface.neighbor >= 0)[None]
    facing = front | (surface.neighbor < 0).any(axis=0)[None]
    return np.asarray(facing[:, None] & ~beyond, dtype=np.bool_)


def _crossed(points: Vectors, course: Vectors, reach: Scalars) -> Keep:
    """Looks into the boxes that courses go through, (n, 3) from (n, 3) points on as far as (n,)."""
    inverse = 1.0 / np.where(np.abs(course) < EPSILON, EPSILON, course)

    def keep(boxes: Boxes, owner: Rows, box: Rows) -> Mask:
        entered, left = -np.inf, np.inf
        for low, high, start, slope in zip(boxes.low, boxes.high, points.T, inverse.T):
            begin, steep = start[owner], slope[owner]
            one, two = (low[box] - begin) * steep, (high[box] - begin) * steep
            entered, left = np.maximum(entered, np.minimum(one, two)), np.minimum(left, np.maximum(one, two))
        slack = CLOSE * np.abs(left)
        return np.asarray((entered <= left + slack) & (left >= -slack) & (entered <= reach[owner]), dtype=np.bool_)

    return keep


def _above(points: Vectors) -> Keep:
    """Looks into the boxes that lie right above points (n, 3), or round them."""
    x, y, z = points.T

    def keep(boxes: Boxes, owner: Rows, box: Rows) -> Mask:
        found = (boxes.low[0][box] <= x[owner]) & (x[owner] <= boxes.high[0][box])
        found &= (boxes.low[1][box] <= y[owner]) & (y[owner] <= boxes.high[1][box])
        return np.asarray(found & (z[owner] <= boxes.high[2][box]), dtype=np.bool_)

    return keep


def _least(values: Scalars, owner: Rows, rows: Rows, n: int) -> tuple[Scalars, Rows]:
    """The least of the values of each of n owners, inf where there is none, and which of the rows has it, or -1.

    Owners come in order; of several that are least the first counts.
    """
    least, row = np.full(n, np.inf), np.full(n, -1, dtype=np.int64)
    if not len(owner):
        return least, row
    first = firsts(owner)
    least[owner[first]] = np.minimum.reduceat(values, first)
    hits = np.flatnonzero((values == least[owner]) & np.isfinite(values))[::-1]
    row[owner[hits]] = rows[hits]
    return least, row


def _neighbors(points: Vectors, triangles: Rows) -> Rows:
    """Which triangle lies beyond each edge, (3, f); -1 where there is none, or where it is not clear which."""
    n = len(triangles)
    if not n:
        return np.zeros((3, 0), dtype=np.int64)
    _, same = np.unique(points, axis=0, return_inverse=True)
    row = same.reshape(-1)[triangles]
    edges = np.stack((row, np.roll(row, -1, axis=1)), axis=-1).transpose(1, 0, 2).reshape(-1, 2)
    wide = int(row.max()) + 1
    forth, back = edges[:, 0] * wide + edges[:, 1], edges[:, 1] * wide + edges[:, 0]
    order = np.argsort(forth, kind="stable")
    place = np.searchsorted(forth[order], back)
    there = order[np.minimum(place, len(order) - 1)]
    times = np.searchsorted(forth[order], forth, side="right") - np.searchsorted(forth[order], forth)
    clear = (forth[there] == back) & (times == 1) & (times[there] == 1)
    return np.where(clear, there % n, -1).reshape(3, n)


def _slanted(points: Vectors) -> Vectors:
    """Points moved so that rays that lean as much as `SLANT` stand upright."""
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    return columns(x - SLANT[0] * z, y - SLANT[1] * z, z)


def _left_of(start: Vectors, end: Vectors, point: Vectors) -> Mask:
    """Whether points are to the left of edges as seen from above; just the other way for the same edge turned about."""
    turned = (start[:, 0] > end[:, 0]) | ((start[:, 0] == end[:, 0]) & (start[:, 1] > end[:, 1]))
    a, b = np.where(turned[:, None], end, start), np.where(turned[:, None], start, end)
    area = (b[:, 0] - a[:, 0]) * (point[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (point[:, 0] - a[:, 0])
    return np.asarray((area > 0.0) != turned, dtype=np.bool_)
