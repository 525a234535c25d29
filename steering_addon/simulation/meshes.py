"""Meshes: the nearest place on a surface, what a course meets of it, and what is inside.

Triangles that lie near each other are put into boxes, a few at a time, a few of these into a larger one and so on, so
that most of a mesh is passed over. All points are looked up together, a level of boxes after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .vectors import EPSILON, Mask, Rows, Scalars, Vectors, clamp, columns, cross, dot, firsts, magnitude, picked, unit

FAN = 4
"""Boxes in a larger one."""
BITS = 10
"""Binary digits of a coordinate in the order that triangles are sorted in."""
SLANT = (0.2718, 0.3141)
"""How far a ray leans that tells inside from outside, for each metre up: along no edge that anybody draws."""
CLOSE = 1e-9
"""Share by which squared distances may be off by rounding, and far more."""
CHUNK = 4096
"""Points looked up in one go."""

Keep = Callable[[Rows, Vectors, Vectors], Mask]
"""From (m,) rows of points and the (m, 3) low and high corners of boxes to which of these pairs are to be seen into."""


@dataclass(frozen=True)
class Mesh:
    """A surface of triangles.

    Attributes:
        corners: (3, f, 3) the first, second and third corner of each triangle, metres, in the order they are looked up.
        normal: (f, 3) unit normals, outward where the mesh is closed; zero for triangles without area.
        order: (f,) the row that each triangle had when the mesh was made.
        neighbor: (3, f) beyond each triangle's edge from corner to next corner which one lies; -1 for none.
        closed: whether it has an inside.
        boxes: for each level, the largest first, the low and high corners of its boxes, (b, 3) each; the last are those
            of the triangles.
    """

    corners: NDArray[np.float64]
    normal: Vectors
    order: Rows
    neighbor: Rows
    closed: bool
    boxes: tuple[tuple[Vectors, Vectors], ...]

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def bounds(self) -> tuple[Vectors, Vectors]:
        """The low and high corner of all of it, (3,) each."""
        low, high = self.boxes[0]
        return low.min(axis=0), high.max(axis=0)

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
        owner, triangle = self._looked_into(len(points), _crossed(points, course, reach))
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
        corners = np.stack([_slanted(corner) for corner in self.corners])
        place = _slanted(points)
        course = np.broadcast_to(np.array([*SLANT, 1.0]), points.shape)
        owner, triangle = self._looked_into(len(points), _crossed(points, course, np.full(len(points), np.inf)))
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

    def _looked_into(self, n: int, keep: Keep) -> tuple[Rows, Rows]:
        """Pairs of a point and a triangle, in the order of the points, in boxes of which all are to be seen into."""
        number = len(self.boxes[0][0])
        owner, box = np.repeat(np.arange(n), number), np.tile(np.arange(number), n)
        for level, (low, high) in enumerate(self.boxes):
            if level:
                owner, box = np.repeat(owner, FAN), (box[:, None] * FAN + np.arange(FAN)).ravel()
                there = box < len(low)
                owner, box = owner[there], box[there]
            kept = keep(owner, low[box], high[box])
            owner, box = owner[kept], box[kept]
        return owner, box

    def _somewhere(self, points: Vectors) -> Scalars:
        """The squared distance of each point to a place that is not far, (n,): in the box whose middle is nearest."""
        chosen = np.zeros((len(points), 1), dtype=np.int64)
        for level, (low, high) in enumerate(self.boxes):
            row = (
                chosen * FAN + np.arange(FAN)
                if level
                else np.broadcast_to(np.arange(len(low)), (len(points), len(low)))
            )
            row = np.minimum(row, len(low) - 1)
            gap = points[:, None] - (0.5 * (low + high))[row]
            chosen = np.take_along_axis(row, np.argmin(dot(gap, gap), axis=1)[:, None], axis=1)
        gap = points - _nearest_on(self.corners[:, chosen[:, 0]], points)
        # A little more, as the same distance reckoned once more may differ in its last digit.
        return np.asarray(dot(gap, gap) * (1.0 + CLOSE))

    def _nearest(self, points: Vectors, reach: Scalars) -> tuple[Scalars, Vectors, Rows]:
        furthest = np.minimum(reach * reach, self._somewhere(points))

        def keep(owner: Rows, low: Vectors, high: Vectors) -> Mask:
            point = picked(points, owner)
            one, two = low - point, point - high
            # Something of a box is nowhere further than its furthest corner.
            span = np.minimum(one, two)
            first = firsts(owner)
            if len(first):
                least = np.minimum.reduceat(dot(span, span), first) * (1.0 + CLOSE)
                furthest[owner[first]] = np.minimum(furthest[owner[first]], least)
            gap = np.maximum(np.maximum(one, two), 0.0)
            return np.asarray(dot(gap, gap) <= furthest[owner], dtype=np.bool_)

        owner, triangle = self._looked_into(len(points), keep)
        place = _nearest_on(self.corners[:, triangle], points[owner])
        gap = points[owner] - place
        square = dot(gap, gap)
        square = np.where(square <= (reach * reach)[owner], square, np.inf)
        least, row = _least(square, owner, np.arange(len(owner)), len(points))
        there = row >= 0
        found = points.copy()
        found[there] = place[row[there]]
        nearest = np.where(there, triangle[row] if len(triangle) else -1, -1)
        return np.sqrt(least), found, nearest


def mesh(points: Vectors, triangles: Rows) -> Mesh:
    """The surface of triangles (f, 3), rows of points (v, 3); points in one place count as one.

    It is closed where beyond each edge of each triangle there is exactly one other, which goes along it the other way.
    Normals of a closed one are turned outward.
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    triangles = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    centre = (points[triangles[:, 0]] + points[triangles[:, 1]] + points[triangles[:, 2]]) / 3.0
    order = np.argsort(_along_a_winding_line(centre), kind="stable")
    triangles = triangles[order]
    corners = np.stack([points[triangles[:, corner]] for corner in range(3)])
    neighbor = _neighbors(points, triangles)
    closed = bool(len(triangles)) and bool((neighbor >= 0).all())
    normal = unit(cross(corners[1] - corners[0], corners[2] - corners[0]))
    if closed:
        volume = np.cumsum(dot(corners[0], cross(corners[1], corners[2])))[-1]
        normal = normal if volume >= 0.0 else -normal
    return Mesh(corners, normal, order, neighbor, closed, _boxes(corners))


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

    def keep(owner: Rows, low: Vectors, high: Vectors) -> Mask:
        start, slope = points[owner], inverse[owner]
        one, two = (low - start) * slope, (high - start) * slope
        enter, leave = np.minimum(one, two), np.maximum(one, two)
        entered = np.maximum(np.maximum(enter[:, 0], enter[:, 1]), enter[:, 2])
        left = np.minimum(np.minimum(leave[:, 0], leave[:, 1]), leave[:, 2])
        slack = CLOSE * np.abs(left)
        return np.asarray((entered <= left + slack) & (left >= -slack) & (entered <= reach[owner]), dtype=np.bool_)

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


def _nearest_on(corners: NDArray[np.float64], points: Vectors) -> Vectors:
    """The nearest places on triangles to points, one each; (3, m, 3) and (m, 3) to (m, 3)."""
    a, b, c = corners
    u, v, offset = b - a, c - a, points - a
    normal = cross(u, v)
    square = dot(normal, normal)
    second = dot(cross(offset, v), normal)
    third = dot(cross(u, offset), normal)
    within = (square > 0.0) & (second >= 0.0) & (third >= 0.0) & (second + third <= square)
    safe = np.where(within, square, 1.0)
    best = a + u * (second / safe)[:, None] + v * (third / safe)[:, None]
    gap = points - best
    least = np.where(within, dot(gap, gap), np.inf)
    for start, side in ((a, u), (b, c - b), (a, v)):
        part = clamp(dot(points - start, side) / np.maximum(dot(side, side), EPSILON), 0.0, 1.0)
        place = start + side * part[:, None]
        gap = points - place
        distance = dot(gap, gap)
        nearer = distance < least
        best = np.where(nearer[:, None], place, best)
        least = np.where(nearer, distance, least)
    return best


def _along_a_winding_line(places: Vectors) -> NDArray[np.uint64]:
    """Numbers by which places (m, 3) in a row lie near each other: the digits of their coordinates taken in turns."""
    if not len(places):
        return np.zeros(0, dtype=np.uint64)
    low, high = places.min(axis=0), places.max(axis=0)
    widest = max(float((high - low).max()), EPSILON)
    cells = np.floor((places - low) * (((1 << BITS) - 1) / widest)).astype(np.uint64)
    number = np.zeros(len(places), dtype=np.uint64)
    for bit in range(BITS):
        for axis in range(3):
            digit = (cells[:, axis] >> np.uint64(bit)) & np.uint64(1)
            number |= digit << np.uint64(3 * bit + axis)
    return number


def _boxes(corners: NDArray[np.float64]) -> tuple[tuple[Vectors, Vectors], ...]:
    """The boxes of each level, the largest first; the last are those of the triangles."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    levels = [(low, high)] if len(low) else []
    while len(low) > FAN:
        starts = np.arange(0, len(low), FAN)
        low, high = np.minimum.reduceat(low, starts, axis=0), np.maximum.reduceat(high, starts, axis=0)
        levels.append((low, high))
    return tuple(reversed(levels))


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
