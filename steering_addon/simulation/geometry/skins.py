"""Skins: triangles for what clings to them on either side and crawls along them, whichever way they face.

A way along a skin is straight: at the side of a triangle it continues in the triangle beyond, turned about that side.
So it keeps its length over folds of any angle, leaves its sheet of a thin plate for no other, and ends at a border.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.frozen import replace
from ..arrays.once import once
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, put, ratio, which
from ..arrays.vectors import Vectors, across, columns, cross, dot, magnitude, picked, unit
from .meshes import Mesh, mesh
from .triangles import Borders, Sides, point_normals

FOLD = 0.75
"""The cosine between a face and the smoothed normal at its corner below which the corner is a fold: about 41 degrees.
At a right angle, as on a box, a smoothed normal would lean where the face is flat."""
MOST_SIDES = 256
"""Sides of triangles that one way crosses at most."""
NO_TRIANGLE = -1
NEXT, LAST = np.array([1, 2, 0]), np.array([2, 0, 1])
"""The corners after and before each corner."""
KNOWN = 21
"""Numbers that are known of each triangle (`Skin._table`)."""


@dataclass(frozen=True)
class SkinWay:
    """The ends of ways along skins.

    Attributes:
        triangle: (n,) rows of triangles.
        direction: (n, 3) unit directions at the end, in the plane of the triangle.
        facing: (n,) 1 on the side to which the normal of the triangle points, -1 on the other.
        left: (n,) the length that was left at a border, metres; 0 for those that met none.
        met: (n,) whether they met a border.
        known: (n, KNOWN) of the triangles, as in the table of their skin.
    """

    triangle: Rows
    place: Vectors
    direction: Vectors
    facing: Scalars
    left: Scalars
    met: Mask
    known: Scalars

    def face(self) -> Vectors:
        """The unit normals of the triangles on the sides that are faced, (n, 3)."""
        return _faced_normals(self.known, self.facing)

    def normal(self) -> Vectors:
        """The smoothed unit normals at the places, (n, 3), as of `Skin.normal_at`."""
        return _smooth_normals(self.known, self.place, self.facing)


@dataclass(frozen=True)
class Skin:
    """Triangles with their neighbors.

    Attributes:
        points: (p, 3) metres.
        triangles: (f, 3) rows of points.
        has_area: (f,) whether there is anything to stand on.
        sides: of those with an area.
    """

    points: Vectors
    triangles: NDArray[np.int64]
    has_area: Mask
    sides: Sides

    def __len__(self) -> int:
        return len(self.triangles)

    def moved(self, points: Vectors) -> "Skin":
        """The skin with its points (p, 3) elsewhere: what hangs together stays together."""
        return replace(self, points=points)

    @once
    def _corners(self) -> tuple[Vectors, Vectors, Vectors]:
        a, b, c = (picked(self.points, self.triangles[:, k]) for k in range(3))
        return a, b, c

    @once
    def _cross(self) -> tuple[Vectors, Scalars]:
        """The cross products of the sides from the first corner of each triangle, (f, 3), and their lengths, (f,)."""
        a, b, c = self._corners
        product = cross(b - a, c - a)
        return product, magnitude(product)

    @once
    def normal(self) -> Vectors:
        """The unit normals of the faces, (f, 3); zero for those without area."""
        product, length = self._cross
        return product / np.where(length > 0.0, length, np.inf)[:, None]

    @once
    def _table(self) -> Scalars:
        """(f, KNOWN) a corner, the shares of the second and the third corner by metres, the normal, and those outward.
        They are in one table, as each row fetched from elsewhere in memory takes longer than the arithmetic on it."""
        a, b, c = self._corners
        u, v = b - a, c - a
        uu, uv, vv = dot(u, u), dot(u, v), dot(v, v)
        area = self._cross[1]
        scale = 1.0 / np.where(area > 0.0, area * area, np.inf)
        table = np.empty((len(self), KNOWN))
        table[:, 0:3] = a
        table[:, 3:6] = u * (vv * scale)[:, None] - v * (uv * scale)[:, None]
        table[:, 6:9] = v * (uu * scale)[:, None] - u * (uv * scale)[:, None]
        table[:, 9:12] = self.normal
        table[:, 12:KNOWN] = self._outward
        return table

    @once
    def _divisors(self) -> Scalars:
        """(f,) twice the areas of the triangles, by which what is without area divides to 0."""
        area = self._cross[1]
        return np.where(area < EPSILON, np.inf, area)

    @once
    def _feet(self) -> Scalars:
        """(3 f,) where the foot of the opposite corner is on each side, as a share of the way from its start."""
        a, b, c = self._corners
        u, v = b - a, c - a
        uu, uv, vv = dot(u, u), dot(u, v), dot(v, v)
        ww = uu - uv - uv + vv
        return np.concatenate([ratio(uv, uu), ratio(uu - uv, ww), ratio(vv - uv, vv)])

    @once
    def normals(self) -> Vectors:
        """Smoothed unit normals at points, (p, 3). Where faces are wound differently, as at the seam of a Moebius band,
        they are turned alike."""
        corners, against = self.sides.corners, np.zeros((3, len(self)), dtype=np.bool_)
        if self.sides.turned.any():
            uneven, pattern = np.zeros((2, len(self.points)), dtype=np.int64)
            uneven[self.sides.start[self.sides.turned]] = uneven[self.sides.end[self.sides.turned]] = 1
            # As whose normal those of the other triangles at a point are turned.
            for points in corners:
                pattern[points[::-1]] = np.arange(len(self))[::-1]
            for points, turned in zip(corners, against):
                turned[:] = (uneven[points] > 0) & (dot(self.normal, picked(self.normal, pattern[points])) < 0.0)
        return point_normals(self.points, self.triangles, corners, against)

    @once
    def _mesh(self) -> tuple[Mesh, Rows]:
        """The triangles that have an area, for queries, and the row of each."""
        rows = which(self.has_area)
        surface = mesh(self.points, self.triangles[rows])
        return surface, rows[surface.order]

    @once
    def borders(self) -> Borders:
        """Where the skin ends."""
        first, triangle = np.nonzero((self.sides.neighbors < 0) & self.has_area)
        start, end = (picked(self.points, self.triangles[triangle, k % 3]) for k in (first, first + 1))
        return Borders(start, end)

    def nearest(self, points: Vectors, reach: Scalars) -> tuple[Scalars, Vectors, Rows]:
        """As `Mesh.nearest`: the distance, the place and the triangle nearest to each point."""
        surface, rows = self._mesh
        distance, place, triangle = surface.nearest(points, reach)
        return distance, place, np.where(triangle >= 0, rows[triangle] if len(rows) else NO_TRIANGLE, NO_TRIANGLE)

    def hit(self, points: Vectors, course: Vectors, reach: Scalars) -> tuple[Scalars, Rows]:
        """As `Mesh.hit`: the distance along each course to the first triangle, and that triangle."""
        surface, rows = self._mesh
        distance, triangle = surface.hit(points, course, reach)
        return distance, np.where(triangle >= 0, rows[triangle] if len(rows) else NO_TRIANGLE, NO_TRIANGLE)

    def shares(self, triangle: Rows, v: Vectors) -> tuple[Scalars, Scalars]:
        """By how much of the sides from the first to the second and third corner vectors (n, 3) go; (n,) each."""
        u, v = _shares(np.take(self._table, triangle, axis=0), v)
        return u, v

    def corner(self, triangle: Rows) -> Vectors:
        """The first corners of triangles, (n, 3) metres."""
        return picked(self._corners[0], triangle)

    def along_sides(self, triangle: Rows, u: Scalars, v: Scalars) -> Vectors:
        """The vectors, (n, 3) metres, of these shares of the sides from the first to the second and third corner."""
        return _weighted_sum(*self._sides(triangle)[1:], u, v)

    def _sides(self, triangle: Rows) -> tuple[Vectors, Vectors, Vectors]:
        """The first corners of triangles, and the sides from there to the second and third, (n, 3) metres each."""
        a, b, c = (picked(corner, triangle) for corner in self._corners)
        return a, b - a, c - a

    def normal_at(self, triangle: Rows, place: Vectors, facing: Scalars) -> Vectors:
        """Smoothed unit normals at places, (n, 3), on the side `facing`, (n,). At a fold, the corner of a face has the
        normal of the face."""
        return _smooth_normals(np.take(self._table, triangle, axis=0), place, facing)

    @once
    def _outward(self) -> Scalars:
        """(f, 9) the normals of the corners of each triangle on the side of its own, at a fold its own."""
        face, outward = self.normal, np.empty((len(self), 9))
        for k in range(3):
            smooth = picked(self.normals, self.sides.corners[k])
            with_face = dot(smooth, face)
            # Those of corners where faces are wound differently may point to either side.
            turned = smooth * np.where(with_face < 0.0, -1.0, 1.0)[:, None]
            outward[:, 3 * k : 3 * k + 3] = np.where((np.abs(with_face) < FOLD)[:, None], face, turned)
        return outward

    def walked(
        self,
        triangle: Rows,
        place: Vectors,
        direction: Vectors,
        facing: Scalars,
        length: Scalars,
        normal: Vectors | None = None,
    ) -> SkinWay:
        """Where straight ways along the skin end.

        Args:
            triangle: (n,) on which they begin; none is -1.
            place: (n, 3) where they begin, metres.
            direction: (n, 3) in which; their parts along the triangle count.
            facing: (n,) as in `SkinWay`.
            normal: (n, 3) across which the directions are, and from which they turn over to the triangle; that of the
                triangle if omitted.
        """
        numbers = np.take(self._table, triangle, axis=0)
        face = _faced_normals(numbers, facing)
        if normal is not None:
            direction = turned_over(direction, normal, face)
        offset = _from_corner(numbers, place)
        direction = unit(across(direction, face))
        (u, v), (du, dv) = _shares(numbers, offset), _shares(numbers, direction) * length
        end = place + direction * length[:, None] - face * dot(face, offset)[:, None]
        n = len(length)
        remaining, met = np.zeros(n), np.zeros(n, dtype=np.bool_)
        leaves = which(~((u + du >= 0.0) & (v + dv >= 0.0) & (u + du + v + dv <= 1.0)))
        if not len(leaves):
            return SkinWay(triangle, end, direction, facing, remaining, met, numbers)
        u, v, du, dv = u[leaves], v[leaves], du[leaves], dv[leaves]
        shares, changes = np.maximum(np.stack((1.0 - u - v, u, v)), 0.0), np.stack((-du - dv, du, dv))
        after, shares, changes, turned, border_share, met[leaves] = self._cross_sides(triangle[leaves], shares, changes)
        total = shares[0] + shares[1] + shares[2]
        corner, u, v = self._sides(after)
        end[leaves] = corner + _weighted_sum(u, v, shares[1] / total, shares[2] / total)
        direction[leaves] = unit(_weighted_sum(u, v, changes[1], changes[2]))
        remaining[leaves], numbers[leaves] = border_share * length[leaves], np.take(self._table, after, axis=0)
        triangle = put(triangle, leaves, after)
        if anybody(turned):
            facing = put(facing, leaves, np.where(turned, -facing[leaves], facing[leaves]))
        return SkinWay(triangle, end, direction, facing, remaining, met, numbers)

    def _cross_sides(
        self, triangle: Rows, shares: NDArray[np.float64], changes: NDArray[np.float64]
    ) -> tuple[Rows, NDArray[np.float64], NDArray[np.float64], Mask, Scalars, Mask]:
        """Where ways end that cross sides; each turn of the loop crosses one.

        Laid flat, the triangle beyond a side continues the way: the distance from the side grows as it has shrunk,
        and the way along the side is the same.

        Args:
            triangle: (n,) on which they begin.
            shares: (3, n) of its corners in the place where they begin.
            changes: (3, n) by how much the whole way would change them on this triangle.

        Returns:
            triangle, shares, changes: at the end.
            turned: (n,) whether the last triangle is wound the other way than the first.
            remaining: (n,) the share of the way that is left at a border, else 0.
            met: (n,) whether they met one.
        """
        n, number = len(triangle), len(self)
        sides, area, divisors, feet = self.sides, self._cross[1], self._divisors, self._feet
        ends = triangle.copy(), shares.copy(), changes.copy()
        ends_turned, ends_left, ends_met = np.zeros(n, dtype=np.bool_), np.zeros(n), np.zeros(n, dtype=np.bool_)
        rows, turned, remaining = np.arange(n), np.zeros(n, dtype=np.bool_), np.ones(n)
        leaves = changes < 0.0
        for crossed in range(MOST_SIDES):
            steps = np.where(leaves, shares / np.where(leaves, -changes, 1.0), np.inf)
            corner = steps.argmin(axis=0)
            step = steps[corner, np.arange(len(rows))]
            is_last = ~(step < remaining)
            step = np.minimum(step, remaining)
            shares = np.maximum(shares + changes * step, 0.0)
            remaining = remaining - step
            side = NEXT[corner] * number + triangle
            beyond = sides.beyond[side]
            stops = is_last | (beyond < 0)
            if crossed + 1 == MOST_SIDES:
                stops[:] = True
            if anybody(stops):
                done = which(stops)
                row = rows[done]
                ends[0][row], ends_turned[row] = triangle[done], turned[done]
                ends[1][:, row], ends[2][:, row] = shares[:, done], changes[:, done]
                ends_met[row] = ~is_last[done] & (beyond[done] < 0)
                ends_left[row] = np.where(ends_met[row], remaining[done], 0.0)
                on = which(~stops)
                if not len(on):
                    break
                rows, corner, triangle, side, beyond = rows[on], corner[on], triangle[on], side[on], beyond[on]
                turned, remaining = turned[on], remaining[on]
                shares, changes = shares[:, on], changes[:, on]
            entered, new = np.divmod(beyond, number)
            winds, column = sides.turned[side], np.arange(len(rows))
            start, end, entered_end, opposite = NEXT[corner], LAST[corner], NEXT[entered], LAST[entered]
            nearing = changes[corner, column]
            along = changes[end, column] + nearing * feet[side]
            off = -nearing * (area[triangle] / divisors[new])
            to_end = np.where(winds, along, -along) - off * feet[beyond]
            first, second = shares[start, column], shares[end, column]
            shares, changes = np.zeros(shares.shape), np.empty(shares.shape)
            shares[entered, column] = np.where(winds, first, second)
            shares[entered_end, column] = np.where(winds, second, first)
            changes[entered, column], changes[entered_end, column] = -off - to_end, to_end
            changes[opposite, column] = off
            leaves = changes < 0.0
            leaves[opposite, column] = False
            triangle, turned = new, turned ^ winds
        return *ends, ends_turned, ends_left, ends_met


def skin(points: Vectors, triangles: NDArray[np.int64]) -> Skin:
    """The skin of triangles (f, 3), rows of points (p, 3) in metres; points at the same place hang together."""
    a, b, c = (picked(points, triangles[:, k]) for k in range(3))
    has_area = magnitude(cross(b - a, c - a)) > EPSILON * EPSILON
    # What has no area can be crossed by no way: it is left out, and what is beside it meets.
    return Skin(points, triangles, has_area, Sides.of(points, triangles, has_area))


def _weighted_sum(first: Vectors, second: Vectors, u: Scalars, v: Scalars) -> Vectors:
    """The vectors of these shares of two vectors each, (n, 3)."""
    vectors: Vectors = first * u[:, None]
    return vectors + second * v[:, None]


def turned_over(v: Vectors, old: Vectors, new: Vectors) -> Vectors:
    """Vectors turned by the smallest turns that take unit vectors to others; (n, 3) each."""
    total = old + new
    size = np.maximum(1.0 + dot(old, new), 1e-9)
    return v - total * (dot(v, total) / size)[:, None] + new * (2.0 * dot(v, old))[:, None]


def _faced_normals(numbers: Scalars, facing: Scalars) -> Vectors:
    """The unit normals of triangles on the sides that are faced, (n, 3)."""
    return columns(*(numbers[:, k] * facing for k in (9, 10, 11)))


def _from_corner(numbers: Scalars, place: Vectors) -> Vectors:
    """The vectors to places from the first corners of triangles, (n, 3) metres."""
    return columns(*(place[:, k] - numbers[:, k] for k in range(3)))


def _shares(numbers: Scalars, v: Vectors) -> Scalars:
    """By how much of the sides from the first to the second and third corner vectors (n, 3) go; (2, n)."""
    shares = np.empty((2, len(v)))
    for k, share in enumerate(shares):
        first = 3 * k + 3
        np.multiply(numbers[:, first], v[:, 0], out=share)
        share += numbers[:, first + 1] * v[:, 1]
        share += numbers[:, first + 2] * v[:, 2]
    return shares


def _smooth_normals(numbers: Scalars, place: Vectors, facing: Scalars) -> Vectors:
    """The smoothed unit normals at places on triangles, (n, 3), on the sides that are faced."""
    u, v = np.maximum(_shares(numbers, _from_corner(numbers, place)), 0.0)
    first = np.maximum(1.0 - u - v, 0.0)
    # Axis by axis: whole rows of three numbers take three times as long.
    x, y, z = (numbers[:, k] * first + numbers[:, k + 3] * u + numbers[:, k + 6] * v for k in (12, 13, 14))
    outward: Vectors = unit(columns(x, y, z))
    return outward * facing[:, None]
