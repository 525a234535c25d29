"""Clinging: what vehicles that crawl ask of the surfaces, whose rows of triangles count on from layer to layer."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.scalars import Mask, Rows, Scalars, which
from ..arrays.vectors import Vectors, no_vectors, picked
from .skins import KNOWN, NO_TRIANGLE, Skin, SkinWay
from .surfaces import ALL, SurfaceLayer, Surfaces

MANY = 12
"""Surfaces in a layer from which on it takes no longer to ask them all at once than whether each is near."""


@dataclass(frozen=True)
class Hold:
    """The places that vehicles cling to. `distance`: (n,) metres, inf for nothing; `place`: (n, 3) metres; `triangle`:
    (n,) rows of triangles, -1 for none."""

    distance: Scalars
    place: Vectors
    triangle: Rows


@dataclass(frozen=True)
class Clinging:
    """The skins of the surfaces."""

    surfaces: Surfaces

    def __len__(self) -> int:
        return len(self.surfaces)

    def nearest(self, points: Vectors, reach: Scalars, surface: Rows | None = None) -> Hold:
        """The nearest places of the surfaces within reach, (n,) metres, of points (n, 3). `surface`: (n,) rows of
        surfaces that do not count; none if omitted."""
        n = len(points)
        best = Hold(np.full(n, np.inf), points.copy(order="K"), np.full(n, NO_TRIANGLE))
        aside = reach[:, None]
        for first, rows, layer in self._layers(points - aside, points + aside, surface):
            limit = np.minimum(reach[rows], best.distance[rows])
            distance, place, triangle = layer.skin.nearest(picked(points, rows), limit)
            nearer = (triangle >= 0) & (distance < best.distance[rows])
            if surface is not None:
                nearer &= layer.owner[triangle] != surface[rows]
            on = rows[nearer]
            best.distance[on], best.place[on] = distance[nearer], place[nearer]
            best.triangle[on] = triangle[nearer] + first
        return best

    def hit(self, points: Vectors, course: Vectors, reach: Scalars, surface: Rows) -> tuple[Scalars, Rows]:
        """The first triangles that courses meet within reach, where they are of another surface than given. Returns
        (n,) metres, inf for none; and (n,) rows of triangles, -1 for none. `points`, `course`: (n, 3) metres, and unit
        vectors; `surface`: (n,) rows of surfaces."""
        distances, triangles = np.full(len(points), np.inf), np.full(len(points), NO_TRIANGLE)
        ends = points + course * reach[:, None]
        for first, rows, layer in self._layers(np.minimum(points, ends), np.maximum(points, ends), surface):
            distance, triangle = layer.skin.hit(picked(points, rows), picked(course, rows), reach[rows])
            nearer = (triangle >= 0) & (distance < distances[rows]) & (layer.owner[triangle] != surface[rows])
            on = rows[nearer]
            distances[on], triangles[on] = distance[nearer], triangle[nearer] + first
        return distances, triangles

    def _layers(self, low: Vectors, high: Vectors, surface: Rows | None) -> Iterator[tuple[int, Rows, SurfaceLayer]]:
        """The row of its first triangle, for each layer that boxes (n, 3) metres meet; and the rows of these boxes.

        What moves is made ready for queries again on each frame, so it is left alone where nothing is near it.
        `surface`: (n,) rows of surfaces that do not count, None for none.
        """
        for first, layer in self.surfaces.layers_with_starts():
            lowest, highest = layer.bounds
            rows = which(_meet(low, high, lowest, highest))
            if surface is not None:
                rows = rows[_meet_another(layer, picked(low, rows), picked(high, rows), surface[rows])]
            if len(rows) and len(layer):
                yield first, rows, layer

    def walked(
        self,
        triangle: Rows,
        place: Vectors,
        direction: Vectors,
        facing: Scalars,
        length: Scalars,
        normal: Vectors | None = None,
    ) -> SkinWay:
        n = len(triangle)
        met, known = np.zeros(n, dtype=np.bool_), np.zeros((n, KNOWN))
        whole = SkinWay(triangle.copy(), no_vectors(n), no_vectors(n), np.zeros(n), np.zeros(n), met, known)
        for rows, faces, layer in self.surfaces.by_layer(triangle):
            if rows is ALL:
                return layer.skin.walked(faces, place, direction, facing, length, normal)
            across = None if normal is None else picked(normal, rows)
            start, along = picked(place, rows), picked(direction, rows)
            on_layer = layer.skin.walked(faces, start, along, facing[rows], length[rows], across)
            for name, column in vars(whole).items():
                column[rows] = vars(on_layer)[name]
            whole.triangle[rows] += triangle[rows] - faces
        return whole

    def normal_at(self, triangle: Rows, place: Vectors, facing: Scalars) -> Vectors:
        """As `Skin.normal_at`; zero for no triangle."""
        normal = no_vectors(len(triangle))
        for rows, faces, layer in self.surfaces.by_layer(triangle):
            if rows is ALL:
                return layer.skin.normal_at(faces, place, facing)
            normal[rows] = layer.skin.normal_at(faces, picked(place, rows), facing[rows])
        return normal

    def face_normal(self, triangle: Rows) -> Vectors:
        """The unit normals of triangles, (n, 3); zero for no triangle."""
        normal = no_vectors(len(triangle))
        for rows, faces, layer in self.surfaces.by_layer(triangle):
            normal[rows] = picked(layer.skin.normal, faces)
        return normal

    def near_border(self, triangle: Rows, place: Vectors, reach: float) -> Mask:
        """The vehicles that may have a border of their surface within reach, (n,)."""
        near = np.zeros(len(triangle), dtype=np.bool_)
        for rows, _, layer in self.surfaces.by_layer(triangle):
            if len(layer.skin.borders):
                near[rows] = layer.skin.borders.near(place[rows], reach)
        return near

    def moved(self, after: "Clinging", triangle: Rows) -> Mask:
        """The vehicles whose triangles are elsewhere on other surfaces, (n,), which have the same triangles."""
        moved = np.zeros(len(triangle), dtype=np.bool_)
        for rows, faces, skin, end in self._with_ends(after, triangle):
            if end is not skin:
                corners = skin.triangles[faces]
                moved[rows] = (skin.points[corners] != end.points[corners]).any(axis=(1, 2))
        return moved

    def carried(self, after: "Clinging", triangle: Rows, place: Vectors, direction: Vectors) -> tuple[Vectors, Vectors]:
        """Where surfaces that move take places and directions, (n, 3) each, on triangles, (n,) rows."""
        place, direction = place.copy(order="K"), direction.copy(order="K")
        for rows, faces, skin, end in self._with_ends(after, triangle):
            shares = skin.shares(faces, place[rows] - skin.corner(faces))
            turned = skin.shares(faces, direction[rows])
            place[rows] = end.corner(faces) + end.along_sides(faces, *shares)
            direction[rows] = end.along_sides(faces, *turned)
        return place, direction

    def _with_ends(self, after: "Clinging", triangle: Rows) -> Iterator[tuple[Any, Rows, Skin, Skin]]:
        """The rows of those on each layer, their triangles in it, its skin, and that of the same layer afterwards."""
        ends = {id(before): end.skin for before, end in zip(self.surfaces.layers, after.surfaces.layers)}
        for rows, faces, layer in self.surfaces.by_layer(triangle):
            yield rows, faces, layer.skin, ends[id(layer)]


def _meet(low: Vectors, high: Vectors, lowest: Vectors, highest: Vectors) -> Mask:
    """Whether boxes (n, 3) meet another one, (3,) metres; (n,)."""
    return (low <= highest).all(axis=1) & (high >= lowest).all(axis=1)


def _meet_another(layer: SurfaceLayer, low: Vectors, high: Vectors, surface: Rows) -> Mask:
    """Whether boxes (n, 3) metres may meet another surface of a layer than given, (n,)."""
    if len(layer.surfaces) == 1:
        return surface != layer.surfaces[0]
    if len(layer.surfaces) > MANY:
        return np.ones(len(surface), dtype=np.bool_)
    near = np.zeros(len(surface), dtype=np.bool_)
    for row, lowest, highest in layer.bounds_by_surface:
        near |= _meet(low, high, lowest, highest) & (surface != row)
    return near
