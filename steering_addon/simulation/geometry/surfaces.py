"""Surfaces: the meshes that are tagged to be stood on, at one time, in world space.

What is still forms one layer, and each surface that moves a layer of its own: a small lorry that drives does not have
the landscape sorted again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.once import imprint_of, once
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, largest, which
from ..arrays.vectors import Vectors, columns, in_columns, magnitude, no_vectors, picked, unit, unit_or
from ..ground import rise
from .floors import NO_TRIANGLE, Floor, Footing, floor
from .skins import Skin, skin

SIDES = tuple(k / 8.0 for k in range(1, 8))
"""Shares of the widest gap at which the sides of one are looked for."""
HALF_ROOT = 0.7071067811865476
ALL = slice(None)
"""In place of the rows of all."""


@dataclass(frozen=True)
class SurfaceLayer:
    """Surfaces that stay or move together.

    Attributes:
        points: (p, 3) metres.
        triangles: (f, 3) rows of points.
        surfaces: the rows of the surfaces.
        owner: (f,) the row of the surface of each triangle.
        moves: whether they may move.
    """

    points: Vectors
    triangles: NDArray[np.int64]
    surfaces: tuple[int, ...]
    owner: Rows
    moves: bool = False

    def __len__(self) -> int:
        return len(self.triangles)

    @once
    def bounds(self) -> tuple[Vectors, Vectors]:
        """The least and the largest coordinates of its points, (3,) metres each."""
        if not len(self.points):
            return np.full(3, np.inf), np.full(3, -np.inf)
        return self.points.min(axis=0), self.points.max(axis=0)

    @once
    def imprint(self) -> int:
        """A number that tells it from other layers that stay."""
        return imprint_of(self.points, self.triangles, self.surfaces, self.owner)

    @once
    def bounds_by_surface(self) -> tuple[tuple[int, Vectors, Vectors], ...]:
        """The row of each surface with triangles, and the least and the largest coordinates of these, (3,) metres."""
        bounds = []
        for row in self.surfaces:
            corners = picked(self.points, self.triangles[self.owner == row].ravel())
            if len(corners):
                bounds.append((row, corners.min(axis=0), corners.max(axis=0)))
        return tuple(bounds)

    @once
    def floor(self) -> Floor:
        """The triangles for what stands on them straight below."""
        return floor(self.points, self.triangles)

    @once
    def skin(self) -> Skin:
        """The triangles for what clings to them."""
        return skin(self.points, self.triangles)

    def moved(self, points: Vectors) -> "SurfaceLayer":
        """The layer with its points (p, 3) elsewhere."""
        points = in_columns(np.asarray(points, dtype=np.float64))
        layer = SurfaceLayer(points, self.triangles, self.surfaces, self.owner, moves=True)
        # What was asked of this layer is moved, which is quicker than to make it again.
        for name in vars(self).keys() & {"floor", "skin"}:
            vars(layer)[name] = vars(self)[name].moved(layer.points)
        return layer


@dataclass(frozen=True)
class Surfaces:
    """Everything that can be stood on. Rows of triangles count on from layer to layer."""

    layers: tuple[SurfaceLayer, ...] = ()

    def __len__(self) -> int:
        return sum(len(layer.surfaces) for layer in self.layers)

    @once
    def is_level(self) -> bool:
        """Whether all of them are at one height."""
        bounds = [layer.bounds for layer in self.layers if len(layer)]
        return max((high[2] for _, high in bounds), default=0.0) <= min((low[2] for low, _ in bounds), default=0.0)

    @once
    def seen_from_above(self) -> tuple[Vectors, Vectors]:
        """The lowest and the highest corner of the rectangle that holds all of them, (2,) metres each."""
        low, high = (np.array(side) for side in zip(*(layer.bounds for layer in self.layers)))
        return low.min(axis=0)[:2], high.max(axis=0)[:2]

    def near_rims(self, points: Vectors, cosine: float, reach: float) -> Mask:
        """The points (n, 3) that may be within reach of where floor ends or is too steep; none is left out. `cosine`:
        of the steepest slope that can be walked; `reach`: metres."""
        near = np.zeros(len(points), dtype=np.bool_)
        for layer in self.layers:
            # For what moves they would have to be found again on each frame.
            near |= layer.moves or layer.floor.rims(cosine).near(points, reach)
        return near

    def with_points(self, row: int, points: Vectors) -> "Surfaces":
        """The same with the points (p, 3) of a surface that moves elsewhere."""
        moved = (layer.moved(points) if layer.surfaces == (row,) else layer for layer in self.layers)
        return Surfaces(tuple(moved))

    def with_faces(self, row: int, points: Vectors, triangles: NDArray[np.int64]) -> "Surfaces":
        """The same with other faces of a surface that moves, from points (p, 3) and triangles (f, 3) of their rows."""
        changed = _layer((row,), [(points, triangles)], moves=True)
        return Surfaces(tuple(changed if layer.surfaces == (row,) else layer for layer in self.layers))

    def under(
        self, x: Scalars, y: Scalars, expected: Scalars, step_up: Scalars, step_down: Scalars, last: Rows | None = None
    ) -> Footing:
        """The ground trodden at places: the highest surface at most `step_up` above the expected height.

        Args:
            x, y, expected: (n,) the places and the heights expected there, metres.
            step_up, step_down: (n,) how far above and below that a surface may be, metres.
            last: (n,) triangles that may still be under the places, -1 for none: they are tried first.
        """
        if len(self.layers) == 1:
            return self.layers[0].floor.under(x, y, expected, step_up, step_down, last)
        n = len(x)
        best = Footing(np.full(n, NO_TRIANGLE), np.full(n, np.nan), np.zeros(n), np.zeros(n))
        for first, layer in self.layers_with_starts():
            on_layer = None
            if last is not None:
                on_layer = np.where((last >= first) & (last < first + len(layer.floor)), last - first, NO_TRIANGLE)
            footing = layer.floor.under(x, y, expected, step_up, step_down, on_layer)
            # Also where the best is nan, that of no triangle.
            higher = (footing.triangle >= 0) & ~(footing.height <= best.height)
            best = Footing(
                np.where(higher, footing.triangle + first, best.triangle),
                *(np.where(higher, getattr(footing, k), getattr(best, k)) for k in ("height", "u", "v")),
            )
        return best

    def bridged(
        self, footing: Footing, x: Scalars, y: Scalars, expected: Scalars, within: Scalars, along: Vectors, gap: Scalars
    ) -> Footing:
        """The same footing where there is one, else that of the nearer side of a gap that is no wider than said.

        A place is in a gap if there is a surface on two opposite sides. `x`, `y`, `expected`: (n,) the places and the
        heights expected there, metres; `within`: (n,) how far above and below that the sides may be, metres; `along`:
        (n, 2) ways, from which on sides are looked for all round.
        """
        rows = which((footing.triangle < 0) & (gap > 0.0))
        if not len(rows) or not self.layers:
            return footing
        is_near = np.zeros(len(rows), dtype=np.bool_)
        for layer in self.layers:
            is_near |= ~layer.floor.is_off(x[rows], y[rows], largest(gap))
        (left, front), (right, back) = self.seen_from_above
        # Beyond all of them there is nothing on one of two opposite sides.
        rows = rows[is_near & (x[rows] >= left) & (x[rows] <= right) & (y[rows] >= front) & (y[rows] <= back)]
        if not len(rows):
            return footing
        ahead = unit_or(picked(along, rows), (1.0, 0.0))
        left = np.stack((-ahead[:, 1], ahead[:, 0]), axis=1)
        axes = np.stack((ahead, left, (ahead + left) * HALF_ROOT, (ahead - left) * HALF_ROOT))
        # (axis, side, share, row)
        reach = np.array(SIDES)[:, None] * gap[rows]
        offsets = np.stack((axes, -axes), axis=1)[:, :, None] * reach[:, :, None]
        shape = offsets.shape[:-1]
        places = (np.broadcast_to(column[rows], shape) for column in (x, y, expected, within))
        at_x, at_y, height, near_by = (column.ravel() for column in places)
        offset = offsets.reshape(-1, 2)
        sides = self.under(at_x + offset[:, 0], at_y + offset[:, 1], height, near_by, near_by)
        covered = (sides.triangle >= 0).reshape(shape)
        first = covered.argmax(axis=2)
        share = np.where(covered.any(axis=2), np.array(SIDES)[first], np.inf)
        share = np.where((share[:, 0] + share[:, 1] <= 1.0 + SIDES[0])[:, None], share, np.inf).reshape(-1, len(rows))
        spanned, nearest = which(np.isfinite(share.min(axis=0))), share.argmin(axis=0)
        if not len(spanned):
            return footing
        nearest = nearest[spanned]
        number = first.reshape(-1, len(rows))[nearest, spanned]
        chosen = np.ravel_multi_index((nearest // 2, nearest % 2, number, spanned), shape)
        triangle, rows, offset = sides.triangle[chosen], rows[spanned], offset[chosen]
        height = sides.height[chosen] - rise(self.face_normal(triangle), offset)
        return footing.put(rows, Footing(triangle, height, *self.shares(triangle, x[rows], y[rows])))

    def any_between(self, x: Scalars, y: Scalars, low: Scalars, high: Scalars) -> Mask:
        """Whether a surface lies over the ground at places between two heights; (n,) each, metres."""
        between = np.zeros(len(x), dtype=np.bool_)
        for layer in self.layers:
            between |= layer.floor.any_between(x, y, low, high, trodden=len(self.layers) == 1)
        return between

    def glance(self, x: Scalars, y: Scalars, expected: Scalars, step: Scalars, cosine: Scalars) -> tuple[Mask, Mask]:
        """Answers for places without looking at triangles, as of `Floor.glance`; nothing where layers meet."""
        if not self.layers:
            return np.zeros(len(x), dtype=np.bool_), np.zeros(len(x), dtype=np.bool_)
        good, bad = self.layers[0].floor.glance(x, y, expected, step, cosine)
        for layer in self.layers[1:]:
            apart = layer.floor.is_off(x, y, 0.0)
            good, bad = good & apart, bad & apart
        return good, bad

    def normal_at(self, triangle: Rows, u: Scalars, v: Scalars) -> Vectors:
        """Smoothed unit normals, turned up, (n, 3); straight up for no triangle."""
        normal = no_vectors(len(triangle))
        normal[:, 2] = 1.0
        for rows, faces, layer in self.by_layer(triangle):
            corner, second, third = np.take(layer.floor.corner_normals, faces, axis=0).T, u[rows], v[rows]
            first = 1.0 - second - third
            # Axis by axis: whole rows of three numbers take three times as long.
            mean = columns(*(corner[k] * first + corner[k + 3] * second + corner[k + 6] * third for k in range(3)))
            normal[rows] = mean * (1.0 / np.maximum(magnitude(mean), EPSILON))[:, None]
        return normal

    def face_normal(self, triangle: Rows) -> Vectors:
        """Unit normals of faces, turned up, (n, 3); straight up for no triangle."""
        normal = no_vectors(len(triangle))
        normal[:, 2] = 1.0
        for rows, faces, layer in self.by_layer(triangle):
            table = layer.floor.slopes.table[faces]
            normal[rows] = unit(columns(-table[:, 7], -table[:, 8], 1.0))
        return normal

    def grade(self, triangle: Rows, direction: Vectors) -> Scalars:
        """How much faces rise along unit vectors (n, 2) as seen from above, (n,); 0 for no triangle."""
        grade = np.zeros(len(triangle))
        for rows, faces, layer in self.by_layer(triangle):
            table, along = layer.floor.slopes.table[faces], direction[rows]
            grade[rows] = table[:, 7] * along[:, 0] + table[:, 8] * along[:, 1]
        return grade

    def levelness(self, triangle: Rows) -> Scalars:
        """The cosines of the slopes of faces, (n,); 1 for no triangle."""
        cosine = np.ones(len(triangle))
        for rows, faces, layer in self.by_layer(triangle):
            if rows is ALL:
                return layer.floor.slopes.cosine[faces]
            cosine[rows] = layer.floor.slopes.cosine[faces]
        return cosine

    @once
    def steepest(self) -> float:
        """The least cosine of the slope of a face that can be trodden; 1 without any."""
        return min((layer.floor.steepest for layer in self.layers), default=1.0)

    def place(self, triangle: Rows, u: Scalars, v: Scalars) -> Vectors:
        """Where the points with these shares of triangles are, (n, 3) metres; nan for no triangle."""
        place = no_vectors(len(triangle))
        place[:] = np.nan
        for rows, faces, layer in self.by_layer(triangle):
            a, b, c = (layer.points[layer.triangles[faces, k]] for k in range(3))
            place[rows] = a + (b - a) * u[rows][:, None] + (c - a) * v[rows][:, None]
        return place

    def shares(self, triangle: Rows, x: Scalars, y: Scalars) -> tuple[Scalars, Scalars]:
        """The shares u and v of places in triangles as seen from above, (n,) each; 0 for no triangle."""
        u, v = np.zeros(len(triangle)), np.zeros(len(triangle))
        for rows, faces, layer in self.by_layer(triangle):
            table = layer.floor.slopes.table[faces]
            dx, dy = x[rows] - table[:, 0], y[rows] - table[:, 1]
            u[rows] = table[:, 3] * dx + table[:, 4] * dy
            v[rows] = table[:, 5] * dx + table[:, 6] * dy
        return u, v

    def surface_of(self, triangle: Rows) -> Rows:
        """The row of the surface that each triangle is of, -1 for no triangle; (n,)."""
        surface = np.full(len(triangle), -1)
        for rows, faces, layer in self.by_layer(triangle):
            surface[rows] = layer.owner[faces]
        return surface

    def open_to(self, x: Scalars, y: Scalars, cosine: float, reach: float) -> Mask:
        """The places from which all within reach is floor to walk on, without a border or a ledge: look no further.
        `x`, `y`: (n,) metres; `cosine`: of the steepest slope that can be walked; `reach`: metres."""
        covered, hindered = np.zeros(len(x), dtype=np.bool_), np.zeros(len(x), dtype=np.bool_)
        for layer in self.layers:
            is_open, is_bare = layer.floor.openness(x, y, cosine, reach)
            covered |= is_open
            hindered |= ~(is_open | is_bare)
        return covered & ~hindered

    def has_triangles_of(self, before: "Surfaces") -> bool:
        """Whether the triangles are those of other surfaces, row by row, wherever their points are."""
        return [len(layer) for layer in self.layers] == [len(layer) for layer in before.layers]

    def moves(self, before: "Surfaces") -> bool:
        """Whether a layer is another than before."""
        return len(self.layers) != len(before.layers) or any(a is not b for a, b in zip(self.layers, before.layers))

    def moved_since(self, before: "Surfaces") -> set[int]:
        """The rows of the surfaces in layers that are others than before."""
        earlier = set(map(id, before.layers))
        return {row for layer in self.layers if id(layer) not in earlier for row in layer.surfaces}

    def layers_with_starts(self) -> Iterator[tuple[int, SurfaceLayer]]:
        """Each layer, with the row of its first triangle."""
        first = 0
        for layer in self.layers:
            yield first, layer
            first += len(layer)

    def by_layer(self, triangle: Rows) -> Iterator[tuple[Any, Rows, SurfaceLayer]]:
        """The rows of those on each layer, and their triangles in it."""
        if len(self.layers) == 1 and triangle.min(initial=0) >= 0:
            yield ALL, triangle, self.layers[0]
            return
        for first, layer in self.layers_with_starts():
            rows = which((triangle >= first) & (triangle < first + len(layer)))
            if len(rows):
                yield rows, triangle[rows] - first, layer


NO_SURFACES = Surfaces()


def surfaces(meshes: Sequence[tuple[Vectors, NDArray[np.int64]]], moves: Sequence[bool] = ()) -> Surfaces:
    """Surfaces from their points (p, 3) in world space, metres, and triangles (f, 3). `moves`: (k,) which of them may
    move; none if omitted."""
    moving = list(moves) or [False] * len(meshes)
    together = tuple(row for row, moves_alone in enumerate(moving) if not moves_alone)
    alone = tuple((row,) for row, moves_alone in enumerate(moving) if moves_alone)
    still = [_layer(together, [meshes[row] for row in together], moves=False)] if together else []
    return Surfaces((*still, *(_layer(rows, [meshes[rows[0]]], moves=True) for rows in alone)))


def _layer(rows: tuple[int, ...], meshes: Sequence[tuple[Vectors, NDArray[np.int64]]], *, moves: bool) -> SurfaceLayer:
    begin = np.cumsum([0, *(len(points) for points, _ in meshes)])
    triangles = [np.asarray(faces).reshape(-1, 3) + first for first, (_, faces) in zip(begin.tolist(), meshes)]
    owner = np.repeat(np.array(rows), [len(faces) for faces in triangles])
    points = np.concatenate([np.asarray(points, dtype=np.float64).reshape(-1, 3) for points, _ in meshes])
    return SurfaceLayer(in_columns(points), np.concatenate(triangles).astype(np.int64, copy=False), rows, owner, moves)


def surfaces_between(before: Surfaces, after: Surfaces, share: float) -> Surfaces:
    """The surfaces at a part of the time between two frames, from 0 to 1."""
    if share == 1.0 or not after.moves(before) or len(before.layers) != len(after.layers):
        return after
    if share == 0.0:
        return before
    return Surfaces(tuple(_layer_between(a, b, share) for a, b in zip(before.layers, after.layers)))


def _layer_between(before: SurfaceLayer, after: SurfaceLayer, share: float) -> SurfaceLayer:
    if before is after or len(before.points) != len(after.points):
        return after
    start, end = before.points, after.points
    return before.moved(start + (end - start) * share)
