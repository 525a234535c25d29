"""What vehicles stand on: the faces of tagged objects, read again on a frame only if they may have changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...simulation.geometry.surfaces import NO_SURFACES, Surfaces, surfaces
from ..doubles import doubles
from .body_sizes import triangles_of
from .checks import check_numbers
from .solids import changes_shape

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object

NO_POINTS = np.zeros((0, 3))
NO_TRIANGLES = np.zeros((0, 3), dtype=np.int64)


class SurfaceReader:
    """Reads the surfaces of a plan, frame after frame."""

    def __init__(self, objects: Sequence[Object]) -> None:
        self._objects = objects
        self._changes = [changes_shape(ob, None) for ob in objects]
        self._shapes: list[tuple[np.ndarray, np.ndarray]] = []
        self._matrices: list[np.ndarray] = []
        self._moves: list[bool] = []
        self._active: list[bool] = []
        self._read = NO_SURFACES

    def read(self, depsgraph: Depsgraph, frame: int) -> Surfaces:
        """The surfaces on the frame the depsgraph is evaluated for.

        Raises:
            Refusal: the transform or a vertex of an object is not a number.
        """
        objects = self._objects
        if not objects:
            return NO_SURFACES
        evaluated = [ob.evaluated_get(depsgraph) for ob in objects]
        matrices = [doubles(ob.matrix_world) for ob in evaluated]
        check_numbers(np.array(matrices), objects, frame)
        active = [ob.steering.active for ob in evaluated]
        if not self._shapes:
            self._moves = [changes or ob.animation_data is not None for ob, changes in zip(objects, self._changes)]
            self._shapes = [triangles_of(ob, depsgraph, None) for ob in objects]
            self._build(matrices, active)
            return self._read
        for row, ob in enumerate(objects):
            placed = not np.array_equal(matrices[row], self._matrices[row])
            shape = triangles_of(ob, depsgraph, None) if self._changes[row] else self._shapes[row]
            changed = active[row] != self._active[row] or not np.array_equal(shape[1], self._shapes[row][1])
            if not (placed or changed or not np.array_equal(shape[0], self._shapes[row][0])):
                continue
            self._shapes[row] = shape
            if changed or not self._moves[row]:
                # From now on it is a layer of its own.
                self._moves[row] = True
                self._build(matrices, active)
                return self._read
            self._matrices[row] = matrices[row]
            if active[row]:
                self._read = self._read.with_points(row, _placed(shape[0], matrices[row]))
        return self._read

    def _build(self, matrices: list[np.ndarray], active: list[bool]) -> None:
        """Build all surfaces; those that are not active have no triangles."""
        self._matrices, self._active = list(matrices), list(active)
        shapes = (
            (_placed(points, matrix), triangles) if is_active else (NO_POINTS, NO_TRIANGLES)
            for (points, triangles), matrix, is_active in zip(self._shapes, matrices, active)
        )
        self._read = surfaces(list(shapes), self._moves)


def _placed(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return np.einsum("ab,kb->ka", matrix[:3, :3], points) + matrix[:3, 3]
