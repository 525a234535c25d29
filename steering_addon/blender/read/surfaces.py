"""Surfaces: the faces of tagged objects that vehicles stand on, read again on a frame only if they may have changed."""

from collections.abc import Collection, Sequence

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...portrayal.feet.planes import Ground
from ...simulation.arrays.scalars import Rows, Scalars
from ...simulation.arrays.vectors import Vectors
from ...simulation.geometry.surfaces import NO_SURFACES, Surfaces, surfaces
from ...simulation.roles import Role
from ..objects.body_sizes import triangles_of
from ..objects.doubles import doubles, placed
from ..objects.focus import vehicle_of
from ..objects.tagged_objects import tagged
from .checks import check_numbers
from .dependencies import may_move
from .solids import changes_shape

NO_POINTS = np.zeros((0, 3))
NO_TRIANGLES = np.zeros((0, 3), dtype=np.int64)
REACH = 0.6
"""Metres above and below a foot within which the ground is looked for."""


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
        """The surfaces on the frame the depsgraph is evaluated for. Refused if the transform or a vertex of an object
        is not a number."""
        objects = self._objects
        if not objects:
            return NO_SURFACES
        evaluated = [ob.evaluated_get(depsgraph) for ob in objects]
        matrices = [doubles(ob.matrix_world) for ob in evaluated]
        check_numbers(np.array(matrices), objects, frame)
        active = [ob.steering.active for ob in evaluated]
        if not self._shapes:
            self._moves = [may_change(ob) for ob in objects]
            self._shapes = [triangles_of(ob, depsgraph, None) for ob in objects]
            self._build(matrices, active)
            return self._read
        for row, ob in enumerate(objects):
            before, placed = self._shapes[row], not np.array_equal(matrices[row], self._matrices[row])
            shape = triangles_of(ob, depsgraph, None) if self._changes[row] else before
            has_other_faces = active[row] != self._active[row] or not _is_same(shape[1], before[1])
            if not (placed or has_other_faces or not _is_same(shape[0], before[0])):
                continue
            self._shapes[row], self._matrices[row], self._active[row] = shape, matrices[row], active[row]
            if not self._moves[row]:
                # From now on it is a layer of its own.
                self._moves[row] = True
                self._build(matrices, active)
            elif has_other_faces:
                self._read = self._read.with_faces(row, *self._in_the_world(row))
            elif active[row]:
                self._read = self._read.with_points(row, self._in_the_world(row)[0])
        return self._read

    def _build(self, matrices: list[np.ndarray], active: list[bool]) -> None:
        """Build all surfaces."""
        self._matrices, self._active = list(matrices), list(active)
        self._read = surfaces([self._in_the_world(row) for row in range(len(matrices))], self._moves)

    def _in_the_world(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """The points and triangles of a surface as it was read last; none of one that is not active."""
        points, triangles = self._shapes[row]
        return (placed(points, self._matrices[row]), triangles) if self._active[row] else (NO_POINTS, NO_TRIANGLES)


def static_ground(scene: Scene, moving: Collection[Object] = ()) -> Ground | None:
    """The static ground under feet: a scene's surfaces but those that move and parts of vehicles, on the current frame;
    None without one.

    Where there is none near a place, the ground is level and there.
    """
    # Parts of a vehicle stand only as long as that plays nothing.
    objects = [ob for ob in tagged(scene.objects, Role.SURFACE) if ob not in moving and vehicle_of(ob) is None]
    if not objects:
        return None
    read = SurfaceReader(objects).read(scene.view_layers[0].depsgraph, scene.frame_current)

    def ground(places: Vectors, _: Rows) -> tuple[Scalars, Vectors]:
        x, y, z = places.T
        reach = np.full(len(places), REACH)
        footing = read.under(x, y, z, reach, reach)
        has = footing.triangle >= 0
        normals = np.tile((0.0, 0.0, 1.0), (len(places), 1))
        normals[has] = read.face_normal(footing.triangle[has])
        return np.where(has, footing.height, z), normals

    return ground


def may_change(ob: Object) -> bool:
    """Whether a surface may move or change its shape."""
    return changes_shape(ob, None) or may_move(ob)


def _is_same(array: np.ndarray, other: np.ndarray) -> bool:
    return array is other or np.array_equal(array, other)
