"""Obstacles as bodies: what of an object is measured once, and where that is on a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...simulation.arrays.vectors import magnitude, squared, unit
from ...simulation.geometry.meshes import Mesh, mesh
from ...simulation.geometry.obstacles import (
    OBSTACLE_SHAPES,
    OBSTACLE_SIDES,
    OUTSIDE,
    PASS_SIDES,
    Obstacles,
    hull,
    mesh_radius,
)
from ..hierarchy import Family
from .body_sizes import points_of, triangles_of

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object

    from .sources import BodySource

SHAPE_NUMBERS = {choice.name: choice.number for choice in OBSTACLE_SHAPES}
SIDE_NUMBERS = {choice.name: choice.number for choice in OBSTACLE_SIDES}
PASS_SIDE_NUMBERS = {choice.name: choice.number for choice in PASS_SIDES}
SAME = 1e-6
"""Metres by which a point may be elsewhere in a mesh that counts as the same."""


class Solids:
    """The obstacles of a plan: measured at the first frame read, placed at every one."""

    def __init__(self, sources: Sequence[BodySource]) -> None:
        self._sources = sources
        self._shapes = np.array([SHAPE_NUMBERS[s.ob.steering.obstacle_shape] for s in sources], dtype=np.int64)
        self._sides = np.array([SIDE_NUMBERS[s.ob.steering.obstacle_side] for s in sources], dtype=np.int64)
        self._measured: list[_Hull | _Box | Surface] | None = None
        self._axes = Axes()

    def read(self, matrices: np.ndarray, depsgraph: Depsgraph) -> Obstacles:
        """The obstacles where `matrices` (k, 4, 4) have them, in world space or in that of who carries them."""
        sources = self._sources
        if self._measured is None:
            family = Family()
            self._measured = [
                MEASURES[shape](s.ob, m, depsgraph, family)
                for s, m, shape in zip(sources, matrices, self._shapes.tolist())
            ]
        placed = [solid.placed(m, depsgraph) for solid, m in zip(self._measured, matrices)]
        settings = [source.ob.evaluated_get(depsgraph).steering for source in sources]
        meshes = np.empty(len(sources), dtype=np.object_)
        meshes[:] = [one.mesh for one in placed]

        def there(own: Mesh | None) -> bool:
            return own is None or len(own) > 0

        two_sided = np.array([one.mesh is not None and not one.mesh.closed for one in placed], dtype=np.bool_)
        return Obstacles(
            start=np.array([one.start for one in placed]).reshape(-1, 3),
            end=np.array([one.end for one in placed]).reshape(-1, 3),
            velocity=np.zeros((len(sources), 3)),
            radius=np.array([one.radius for one in placed]),
            pass_side=np.array([PASS_SIDE_NUMBERS[own.pass_side] for own in settings], dtype=np.int64),
            present=np.array([own.active and there(one.mesh) for own, one in zip(settings, placed)], dtype=np.bool_),
            carrier=np.array([source.carrier for source in sources], dtype=np.int64),
            shape=self._shapes,
            side=np.where(two_sided, OUTSIDE, self._sides),
            axes=self._axes.of(matrices),
            half=np.array([one.half for one in placed]).reshape(-1, 3),
            spin=np.zeros((len(sources), 3)),
            mesh=meshes,
        )


@dataclass(frozen=True)
class _Placed:
    """Where a body is: the ends of its axis, the radius about that, half the sides of a box, or its mesh."""

    start: np.ndarray
    end: np.ndarray
    radius: float
    half: np.ndarray
    mesh: Mesh | None = None


class _Hull:
    """An obstacle's round hull in its own space, measured as large as it is at the first frame."""

    def __init__(self, ob: Object, matrix: np.ndarray, depsgraph: Depsgraph, family: Family) -> None:
        self._size = sizes_of(matrix)
        # Measured in the object's own axes but at its size in the world, and kept in its own space.
        start, end, self._radius = hull(points_of(ob, depsgraph, family) * self._size)
        self._start, self._end = start / self._size, end / self._size

    def placed(self, matrix: np.ndarray, _depsgraph: Depsgraph) -> _Placed:
        turn, place = matrix[:3, :3], matrix[:3, 3]
        grown = float((sizes_of(matrix) / self._size).max())
        start, end = np.einsum("ab,kb->ka", turn, np.stack((self._start, self._end))) + place
        return _Placed(start, end, self._radius * grown, np.zeros(3))


class _Box:
    """An obstacle's box along its own axes, measured at the first frame; it stretches with the object."""

    def __init__(self, ob: Object, _matrix: np.ndarray, depsgraph: Depsgraph, family: Family) -> None:
        self._middle, self._half = box_of(points_of(ob, depsgraph, family))

    def placed(self, matrix: np.ndarray, _depsgraph: Depsgraph) -> _Placed:
        middle = np.einsum("ab,b->a", matrix[:3, :3], self._middle) + matrix[:3, 3]
        half = self._half * sizes_of(matrix)
        return _Placed(middle, middle, float(magnitude(half)), half)


class Surface:
    """An object's own surface, read again on each frame where it may change its shape."""

    def __init__(self, ob: Object, _matrix: np.ndarray, depsgraph: Depsgraph, family: Family | None) -> None:
        self._ob, self._family = ob, family
        self._points, self._triangles = triangles_of(ob, depsgraph, family)
        self._stays = not changes_shape(ob, family)
        self._built: np.ndarray | None = None
        self._mesh = mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
        self._middle = np.zeros(3)

    def placed(self, matrix: np.ndarray, depsgraph: Depsgraph) -> _Placed:
        """Where it is on the frame the depsgraph stands on."""
        if not self._stays:
            self._points, self._triangles = triangles_of(self._ob, depsgraph, self._family)
        axes = axes_of(matrix[None])[0]
        # As it is turned already, so that what is left is how it is stretched.
        points = np.einsum("ab,bc,kc->ka", axes, matrix[:3, :3], self._points)
        if (
            self._built is None
            or points.shape != self._built.shape
            or np.abs(points - self._built).max(initial=0.0) > SAME
        ):
            self._built = points
            used = points[self._triangles.reshape(-1)]
            self._middle = box_of(used)[0] if len(used) else np.zeros(3)
            self._mesh = mesh(points - self._middle, self._triangles)
        place = np.einsum("ba,b->a", axes, self._middle) + matrix[:3, 3]
        return _Placed(place, place, mesh_radius(self._mesh), np.zeros(3), self._mesh)


MEASURES = {SHAPE_NUMBERS["ROUND"]: _Hull, SHAPE_NUMBERS["BOX"]: _Box, SHAPE_NUMBERS["MESH"]: Surface}


def changes_shape(ob: Object, family: Family | None) -> bool:
    """Whether an object, with its children where there is a family, may have another shape on another frame."""
    return any(
        one.modifiers or getattr(one.data, "shape_keys", None) or getattr(one.data, "animation_data", None) or one != ob
        for one in (ob, *(family.descendants(ob) if family else ()))
    )


def axes_of(matrices: np.ndarray) -> np.ndarray:
    """The unit axes of objects as rows, (k, 3, 3), square to each other."""
    return squared(unit(np.swapaxes(matrices[:, :3, :3], 1, 2)))


class Axes:
    """The unit axes of the same objects frame by frame: most stand still, and are not worked out anew."""

    def __init__(self) -> None:
        self._matrices = np.zeros((0, 4, 4))
        self._axes = np.zeros((0, 3, 3))

    def of(self, matrices: np.ndarray) -> np.ndarray:
        """As `axes_of`."""
        if not np.array_equal(matrices, self._matrices):
            self._matrices, self._axes = matrices, axes_of(matrices)
        return self._axes


def box_of(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The middle and the half sides of the box that holds points (m, 3), along their axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2.0, (high - low) / 2.0


def sizes_of(matrix: np.ndarray) -> np.ndarray:
    """How much a matrix stretches each axis, (3,), never nothing."""
    return np.maximum(magnitude(matrix[:3, :3].T), 1e-9)
