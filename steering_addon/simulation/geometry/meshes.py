"""Meshes: the nearest point of a surface, where a course meets it, and what is inside.

Boxes around the triangles (bounding_volumes) make a query skip most of a mesh.

    nearest    the point a + s u + t v of the triangle with u = b - a, v = c - a that minimises |p - a - s u - t v|^2
    hit        Moeller and Trumbore 1997
    inside     a ray crosses one of the parts an odd number of times; it leans a little (SLANT), so that it grazes no
               edge of a mesh that is modelled along the axes. A part wholly within another one is a hollow of that,
               whichever way its faces look; parts that overlap are one

Blender's BVHTree is two to eight times as fast, but it needs bpy and computes in single precision, while the same input
must give the same bytes everywhere.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.frozen import replace
from ..arrays.once import imprint_of, once
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, clamp, firsts, which
from ..arrays.vectors import Vectors, across, columns, cross, dot, in_columns, magnitude, picked, unit
from .bounding_volumes import Boxes, Keep, descend, lower, morton_numbers, nested_boxes
from .triangles import Sides

SLANT = (0.2718, 0.3141)
"""Metres in x and y per metre up by which the ray of `inside` leans."""
CLOSE = 1e-9
"""Relative error of a squared distance, with a wide margin over rounding."""
CHUNK = 512
"""Points queried together."""
BEYOND = 1e-6
"""The share of the size of a mesh that is just beyond one of its faces."""
WAYS_OUT = np.concatenate((np.eye(3), -np.eye(3)))
"""The directions in which those look for the outside whose nearest face leads into another part of the mesh."""


@dataclass(frozen=True)
class Mesh:
    """A surface of triangles.

    Attributes:
        corners: (3, f, 3) the first, second and third corner of each triangle, metres, in Morton order.
        normal: (f, 3) unit normals, outward if the mesh is closed; zero for triangles without area.
        order: (f,) the row of each triangle in the arguments of `mesh`.
        neighbor: (3, f) the triangle beyond the edge from each corner to the next one; -1 for none.
        closed: whether it has an inside.
        levels: the boxes around the triangles, level by level.
        trodden: whether bodies on feet walk on it, too.
    """

    corners: NDArray[np.float64]
    normal: Vectors
    order: Rows
    neighbor: Rows
    closed: bool
    levels: tuple[Boxes, ...]
    trodden: bool = False

    def __len__(self) -> int:
        return len(self.order)

    @once
    def bounds(self) -> tuple[Vectors, Vectors]:
        """The low and the high corner of the bounding box, (3,) each."""
        return self.corners.min(axis=(0, 1)), self.corners.max(axis=(0, 1))

    @once
    def imprint(self) -> int:
        """A number that tells it from other meshes."""
        return imprint_of(self.corners, self.neighbor, self.closed, self.trodden)

    @once
    def _sides(self) -> "_Sides":
        return _Sides.of(self.corners)

    @once
    def _upright(self) -> tuple[NDArray[np.float64], tuple[Boxes, ...]]:
        """The corners after `_shear`, and the boxes around them."""
        corners = np.stack([_shear(corner) for corner in self.corners])
        return corners, nested_boxes(corners)

    @once
    def _parts(self) -> tuple[Rows, Rows]:
        """The connected part that each triangle belongs to, (f,), and of each of the k parts, (k,), 1, or -1 if it is a
        hollow: if it lies wholly within an odd number of others."""
        part, first = _connected(self.neighbor)
        k, size = len(first), np.bincount(part)
        if k < 2:
            return part, np.ones(k, dtype=np.int64)
        # One point of each says of most that nothing is around them.
        rows, around = self._parts_around(picked(self.corners[0], first), part)
        faces = which(np.isin(part, rows[around != rows]))
        rows, around = self._parts_around(picked(self.corners[0], faces), part)
        pair, times = np.unique(part[faces[rows]] * k + around, return_counts=True)
        inner, outer = pair // k, pair % k
        whole = (times == size[inner]) & (inner != outer)
        return part, 1 - 2 * (np.bincount(inner[whole], minlength=k) % 2)

    def only(self, faces: Mask) -> "Mesh":
        """The mesh of which only some triangles, (f,), are near to anything; its inside is the same."""
        corners, none = self.corners[:, faces], np.full((3, np.count_nonzero(faces)), -1)
        subset = replace(
            self,
            corners=corners,
            normal=self.normal[faces],
            order=self.order[faces],
            neighbor=none,
            levels=nested_boxes(corners),
        )
        vars(subset).update(bounds=self.bounds, _upright=self._upright, _parts=self._parts)
        return subset

    def nearest(self, points: Vectors, reach: Scalars, lowest: Scalars | None = None) -> tuple[Scalars, Vectors, Rows]:
        """The nearest point of the surface to each point.

        Args:
            reach: (n,) the furthest distance that counts, metres; may be inf.
            lowest: (n,) the height that triangles which count exceed, metres; None for all.

        Returns:
            distance: (n,) metres, inf if the surface is out of reach.
            place: (n, 3), the point itself if the surface is out of reach.
            triangle: (n,) the row of the triangle, -1 if the surface is out of reach.
        """
        n = len(points)
        nearest = np.full(n, np.inf), points.copy(), np.full(n, -1, dtype=np.int64)
        for start in range(0, n if len(self) else 0, CHUNK):
            chunk = slice(start, start + CHUNK)
            above = None if lowest is None else lowest[chunk]
            for column, values in zip(nearest, self._nearest(points[chunk], reach[chunk], above)):
                column[chunk] = values
        return nearest

    def hit(self, points: Vectors, course: Vectors, reach: Scalars) -> tuple[Scalars, Rows]:
        """The distance along courses to the first triangle they meet. Returns (n,) metres, inf if no triangle is met
        within reach, and (n,) the row of the triangle, or -1.

        Args:
            points: (n, 3) where the courses begin, metres.
            course: (n, 3) unit directions.
            reach: (n,) the furthest distance that counts, metres; may be inf.
        """
        if not len(self):
            return np.full(len(points), np.inf), np.full(len(points), -1, dtype=np.int64)
        owner, triangle = descend(self.levels, len(points), _keep_crossed(points, course, reach))
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
        hit = ~flat & (first >= 0.0) & (second >= 0.0) & (first + second <= 1.0) & (way >= 0.0) & (way <= reach[owner])
        return _least(np.where(hit, way, np.inf), owner, triangle, len(points))

    def inside(self, points: Vectors) -> Mask:
        """Whether points (n, 3) are inside the mesh, (n,); False for an open one."""
        if not self.closed or not len(self):
            return np.zeros(len(points), dtype=np.bool_)
        low, high = self.bounds
        in_bounds = which(((points >= low) & (points <= high)).all(axis=1))
        inside = np.zeros(len(points), dtype=np.bool_)
        if len(in_bounds):
            inside[in_bounds] = self._inside(points[in_bounds])
        return inside

    def _inside(self, points: Vectors) -> Mask:
        """Whether points (n, 3) are in a part of the mesh that is not hollow there, (n,)."""
        owner, triangle = self._crossed(points)
        inside = np.bincount(owner, minlength=len(points)) % 2 == 1
        # One that crosses an even number is outside, in a hollow, or where parts overlap.
        doubtful = ~inside[owner]
        if not doubtful.any():
            return inside
        part, solid = self._parts
        rows, around = _odd_pairs(owner[doubtful], part[triangle[doubtful]])
        return inside | (np.bincount(rows, solid[around], len(points)) > 0.0)

    def _parts_around(self, points: Vectors, part: Rows) -> tuple[Rows, Rows]:
        """The pairs of a point (n, 3) and a part around it, (m,) each. `part`: (f,) that of each triangle."""
        owner, triangle = self._crossed(points)
        return _odd_pairs(owner, part[triangle])

    def _crossed(self, points: Vectors) -> tuple[Rows, Rows]:
        """The pairs of a point (n, 3) and a triangle above it: their rows, (m,) each."""
        corners, levels = self._upright
        slanted = _shear(points)
        owner, triangle = descend(levels, len(points), _above(slanted))
        a, b, c = (corner[triangle] for corner in corners)
        point = slanted[owner]
        sides = [_left_of(start, end, point) for start, end in ((a, b), (b, c), (c, a))]
        around = (sides[0] == sides[1]) & (sides[1] == sides[2])
        normal = cross(b - a, c - a)
        flat = np.abs(normal[:, 2]) < EPSILON * EPSILON
        above = dot(normal, a - point) * np.where(normal[:, 2] < 0.0, -1.0, 1.0) > 0.0
        crossed = around & above & ~flat
        return owner[crossed], triangle[crossed]

    def surface(
        self, points: Vectors, reach: Scalars | None = None, lowest: Scalars | None = None
    ) -> tuple[Scalars, Vectors]:
        """The signed distance of points (n, 3) from the surface, and the directions away from it.

        An open mesh is two-sided and has no inside: away is to the side of the point. Parts that overlap or touch, as
        joined boxes do, have faces within the whole, which lead out of nothing. Returns (n,) metres, negative inside,
        inf out of reach; and (n, 3) unit directions, zero out of reach.

        Args:
            reach: (n,) the furthest distance that counts, metres; any distance if omitted.
            lowest: (n,) as of `nearest`.
        """
        if not len(self):
            return np.full(len(points), np.inf), np.zeros((len(points), 3))
        limit = np.full(len(points), np.inf) if reach is None else reach
        distance, place, triangle = self.nearest(points, limit, lowest)
        inside = self.inside(points)
        # A point inside where nothing counts is near to nothing.
        sign = np.where(inside if lowest is None else inside & (triangle >= 0), -1.0, 1.0)
        offset = points - place
        on_it = magnitude(offset) < EPSILON
        away = np.where(on_it[:, None] & (triangle >= 0)[:, None], self.normal[triangle], unit(offset) * sign[:, None])
        distance, within = distance * sign, which(sign < 0.0)
        within = within[self.inside(picked(place, within) + picked(away, within) * self._just_beyond)]
        if len(within):
            deep, out = self._way_out(picked(points, within))
            leads = np.isfinite(deep)
            distance[within[leads]], away[within[leads]] = -deep[leads], out[leads]
        return distance, away

    @once
    def _just_beyond(self) -> float:
        """How far beyond a face what is outside is looked for, metres."""
        low, high = self.bounds
        return BEYOND * float((high - low).max())

    def _way_out(self, points: Vectors) -> tuple[Scalars, Vectors]:
        """How far it is from points (m, 3) inside to the outside along the axes, (m,) metres, inf if no face is on the
        way, and the nearest way, (m, 3) unit directions. Who takes it comes nearer, and so decides for no other one."""
        m = len(points)
        ways = np.repeat(WAYS_OUT, m, axis=0)
        at, gone, rows = np.tile(points, (len(WAYS_OUT), 1)), np.zeros(len(ways)), np.arange(len(ways))
        while len(rows):
            way = picked(ways, rows)
            leads = self.hit(picked(at, rows), way, np.full(len(rows), np.inf))[0] + self._just_beyond
            gone[rows] += leads
            meets = np.isfinite(leads)
            rows, step = rows[meets], way[meets] * leads[meets, None]
            at[rows] += step
            rows = rows[self.inside(picked(at, rows))]
        nearest = gone.reshape(-1, m).argmin(axis=0)
        return gone[nearest * m + np.arange(m)], WAYS_OUT[nearest]

    def way_aside(
        self, sides: "Mesh", up: Vectors, points: Vectors, low: Vectors, height: Scalars, radius: Scalars
    ) -> tuple[Scalars, Vectors]:
        """How far it is from points (n, 3) to the nearest side of the mesh, for bodies that pierce it, and the way.

        Args:
            sides: the triangles that stand.
            up: (3,) unit vector upward.
            low: (n, 3) the lower ends of bodies that stand upright, metres.
            height, radius: (n,) how far they reach up and to all sides, metres.

        Returns:
            (n,) metres, inf for a body that does not pierce it or that meets the mesh on its way; and (n, 3) level unit
            directions.
        """
        pierced = self.inside(points) | np.isfinite(self.hit(low, np.broadcast_to(up, low.shape), height)[0])
        _, place, side = sides.nearest(points, np.full(len(points), np.inf))
        offset = across(place - points, up[None])
        distance, aside = magnitude(offset), unit(offset)
        free = np.isinf(self.hit(low, aside, distance + radius)[0]) | self.inside(low)
        return np.where(pierced & free & (side >= 0), distance, np.inf), aside

    def _nearest(self, points: Vectors, reach: Scalars, lowest: Scalars | None) -> tuple[Scalars, Vectors, Rows]:
        """As `nearest`, for one chunk."""
        # With a margin: the same distance computed from a box and from a triangle may differ in its last digit.
        furthest = reach * reach * (1.0 + CLOSE)

        def keep(boxes: Boxes, owner: Rows, box: Rows) -> Mask:
            shape = np.broadcast_shapes(owner.shape, box.shape)
            square, away = np.zeros(shape), np.zeros(shape)
            for low, high, sample, coordinate in zip(boxes.low, boxes.high, boxes.sample, points.T):
                point = coordinate[owner]
                gap = np.maximum(np.maximum(low[box] - point, point - high[box]), 0.0)
                offset = sample[box] - point
                square += gap * gap
                away += offset * offset
            away *= 1.0 + CLOSE
            if lowest is None:
                lower(furthest, owner, away)
                return square <= furthest[owner]
            lower(furthest, owner, np.where(boxes.sample[2][box] > lowest[owner], away, np.inf))
            return (square <= furthest[owner]) & (boxes.high[2][box] > lowest[owner])

        owner, triangle = descend(self.levels, len(points), keep)
        candidate = self._sides.nearest(triangle, picked(points, owner))
        gap = picked(points, owner) - candidate
        square = dot(gap, gap)
        square = np.where(square <= (reach * reach)[owner], square, np.inf)
        least, row = _least(square, owner, np.arange(len(owner)), len(points))
        within = row >= 0
        place = points.copy()
        place[within] = candidate[row[within]]
        nearest = np.where(within, triangle[row] if len(triangle) else -1, -1)
        return np.sqrt(least), place, nearest


@dataclass(frozen=True)
class _Sides:
    """The sides u = b - a, v = c - a, w = c - b of triangles, and their products, from which nearest points follow.

    Attributes:
        corner, first, second: (f, 3) a, u and v.
        along_first, along_second, along_third: (f,) u.u, v.v and w.w.
        both: (f,) u.v.
        area: (f,) the square of twice the area, |u x v|^2.
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
    def of(cls, corners: NDArray[np.float64]) -> "_Sides":
        a, b, c = (in_columns(corner) for corner in corners)
        u, v, w = b - a, c - a, c - b
        normal = cross(u, v)
        return cls(a, u, v, dot(u, u), dot(v, v), dot(w, w), dot(u, v), dot(normal, normal))

    def nearest(self, triangle: Rows, points: Vectors) -> Vectors:
        """The nearest point of a triangle to a point, pair by pair; (m,) and (m, 3) to (m, 3)."""
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
        # The candidates, as (s, t): the foot on the face if it lies within, and the nearest point of each side.
        least = np.full(len(triangle), np.inf)
        for first, second, possible in (
            (s, t, within),
            (clamp(pu / np.maximum(uu, EPSILON), 0.0, 1.0), 0.0, True),
            (0.0, clamp(pv / np.maximum(vv, EPSILON), 0.0, 1.0), True),
            (1.0 - third, third, True),
        ):
            # |p - a - s u - t v|^2 without |p - a|^2, which all candidates share.
            square = first * (first * uu + 2.0 * (second * uv - pu)) + second * (second * vv - 2.0 * pv)
            nearer = possible & (square < least)
            s, t = np.where(nearer, first, s), np.where(nearer, second, t)
            least = np.where(nearer, square, least)
        return corner + u * s[:, None] + v * t[:, None]


def mesh(points: Vectors, triangles: Rows, *, trodden: bool = False) -> Mesh:
    """A mesh from points (v, 3) and triangles (f, 3) of their rows; points at the same location are merged.

    It is closed if each edge of each triangle belongs to exactly one other triangle, in the opposite direction. The
    normals of a closed mesh are turned outward. `trodden`: as of `Mesh`.
    """
    points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
    triangles = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
    centre = (points[triangles[:, 0]] + points[triangles[:, 1]] + points[triangles[:, 2]]) / 3.0
    order = np.argsort(morton_numbers(centre), kind="stable")
    triangles = triangles[order]
    corners = np.stack([points[triangles[:, corner]] for corner in range(3)])
    neighbor = _neighbors(points, triangles)
    closed = bool(len(triangles)) and bool((neighbor >= 0).all())
    normal = unit(cross(corners[1] - corners[0], corners[2] - corners[0]))
    if closed:
        volume = np.cumsum(dot(corners[0], cross(corners[1], corners[2])))[-1]
        normal = normal if volume >= 0.0 else -normal
    return Mesh(corners, normal, order, neighbor, closed, nested_boxes(corners), trodden)


def silhouette(surface: Mesh, eye: Vectors) -> Mask:
    """The edges of the outline of a mesh as seen from an eye: a face toward the eye lies on one side only. Returns (n,
    3, f) whether the edge from each corner to the next belongs to the outline; of the two triangles at an edge only the
    one that faces the eye has it."""
    front = dot(eye[:, None] - surface.corners[0][None], surface.normal[None]) > 0.0
    beyond = front[:, np.maximum(surface.neighbor, 0)] & (surface.neighbor >= 0)[None]
    facing = front | (surface.neighbor < 0).any(axis=0)[None]
    return facing[:, None] & ~beyond


def _keep_crossed(points: Vectors, course: Vectors, reach: Scalars) -> Keep:
    """Keeps the boxes that courses (n, 3) from points (n, 3) pass through within their reach (n,): the slab method."""
    inverse = 1.0 / np.where(np.abs(course) < EPSILON, EPSILON, course)

    def keep(boxes: Boxes, owner: Rows, box: Rows) -> Mask:
        enters, leaves = -np.inf, np.inf
        for low, high, start, slope in zip(boxes.low, boxes.high, points.T, inverse.T):
            begin, steep = start[owner], slope[owner]
            to_low, to_high = (low[box] - begin) * steep, (high[box] - begin) * steep
            enters = np.maximum(enters, np.minimum(to_low, to_high))
            leaves = np.minimum(leaves, np.maximum(to_low, to_high))
        slack = CLOSE * np.abs(leaves)
        return (enters <= leaves + slack) & (leaves >= -slack) & (enters <= reach[owner])

    return keep


def _above(points: Vectors) -> Keep:
    """Keeps the boxes that are vertically above points (n, 3), or contain them."""
    x, y, z = points.T

    def keep(boxes: Boxes, owner: Rows, box: Rows) -> Mask:
        above = (boxes.low[0][box] <= x[owner]) & (x[owner] <= boxes.high[0][box])
        above &= (boxes.low[1][box] <= y[owner]) & (y[owner] <= boxes.high[1][box])
        return above & (z[owner] <= boxes.high[2][box])

    return keep


def _least(values: Scalars, owner: Rows, rows: Rows, n: int) -> tuple[Scalars, Rows]:
    """The least of the values (p,) of each of n owners, (n,), and the row (p,) it belongs to, (n,). An owner without a
    finite value gets inf and -1. Owners are ascending; of equal values the first one counts."""
    least, row = np.full(n, np.inf), np.full(n, -1, dtype=np.int64)
    if not len(owner):
        return least, row
    first = firsts(owner)
    least[owner[first]] = np.minimum.reduceat(values, first)
    hits = which((values == least[owner]) & np.isfinite(values))[::-1]
    row[owner[hits]] = rows[hits]
    return least, row


def _neighbors(points: Vectors, triangles: Rows) -> Rows:
    """The triangle beyond each edge, wound alike, (3, f); -1 if there is none, or more than one."""
    sides = Sides.of(points, triangles)
    neighbor = np.where(sides.turned, -1, sides.neighbors.ravel())
    # A side without length, which nothing can pass, does not open the mesh.
    short = sides.alone[(sides.start == sides.end)[sides.alone]]
    neighbor[short] = short % max(len(triangles), 1)
    return neighbor.reshape(3, -1)


def _connected(neighbor: Rows) -> tuple[Rows, Rows]:
    """The part of a closed mesh to which each triangle belongs, (f,), and the first triangle of each part, (k,)."""
    least = np.arange(neighbor.shape[1])
    while True:
        lower = np.minimum(least, least[neighbor].min(axis=0))
        lower = lower[lower]
        if (lower == least).all():
            break
        least = lower
    first, part = np.unique(least, return_inverse=True)
    return part, first


def _odd_pairs(rows: Rows, parts: Rows) -> tuple[Rows, Rows]:
    """The pairs of a row and a part that are there an odd number of times: (m,) each to (k,) each."""
    count = 1 + int(parts.max(initial=0))
    pair, times = np.unique(rows * count + parts, return_counts=True)
    pair = pair[times % 2 == 1]
    return pair // count, pair % count


def _shear(points: Vectors) -> Vectors:
    """Points (..., 3) sheared so that rays that lean by `SLANT` are vertical."""
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    return columns(x - SLANT[0] * z, y - SLANT[1] * z, z)


def _left_of(start: Vectors, end: Vectors, point: Vectors) -> Mask:
    """Whether points are to the left of edges as seen from above, (m, 3) each to (m,). The reversed edge gives exactly
    the opposite answer, so that a ray through an edge shared by two triangles crosses one of them."""
    turned = (start[:, 0] > end[:, 0]) | ((start[:, 0] == end[:, 0]) & (start[:, 1] > end[:, 1]))
    a, b = np.where(turned[:, None], end, start), np.where(turned[:, None], start, end)
    area = (b[:, 0] - a[:, 0]) * (point[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (point[:, 0] - a[:, 0])
    return (area > 0.0) != turned
