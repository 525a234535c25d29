"""The regions that vehicles keep to: spheres, boxes and closed meshes, read again only when they change."""

from collections.abc import Sequence

import numpy as np
from bpy.types import Depsgraph, Object

from ...simulation.geometry.regions import SHAPES, Regions, regions
from ..objects.body_sizes import points_of
from ..objects.doubles import doubles
from ..properties import settings_of
from ..refusal import Refusal
from ..stored_values import choice_in
from .bodies import is_active
from .checks import check_numbers
from .solids import Axes, Surface, box_of, sizes_of

SHAPE_NUMBERS = {choice.name: choice.number for choice in SHAPES}


class RegionReader:
    """Reads the regions of a plan, frame after frame."""

    def __init__(self, objects: Sequence[Object]) -> None:
        self._objects = objects
        self._none = regions([], np.zeros((0, 3)), [])
        self._insides: dict[int, Surface] = {}
        self._boxes: list[tuple[np.ndarray, np.ndarray]] | None = None
        self._placed: tuple[tuple, Regions] | None = None
        self._axes = Axes()

    def read(self, depsgraph: Depsgraph, frame: int) -> Regions:
        """The regions on the frame the depsgraph is evaluated for. Refused if a transform is not a number, or a mesh is
        not closed."""
        obs = self._objects
        if not obs:
            return self._none
        matrices = doubles([ob.evaluated_get(depsgraph).matrix_world for ob in obs]).reshape(-1, 4, 4)
        check_numbers(matrices, list(obs), frame)
        shapes = [_shape(ob) for ob in obs]
        active = [is_active(ob, depsgraph) for ob in obs]
        placed = (matrices.tobytes(), shapes, active)
        if self._placed is not None and self._placed[0] == placed and "MESH" not in shapes:
            return self._placed[1]
        if self._boxes is None:
            self._boxes = [_box(ob, depsgraph) for ob in obs]
        middle = np.array([middle for middle, _ in self._boxes]).reshape(-1, 3)
        half = np.array([half for _, half in self._boxes]).reshape(-1, 3)
        sizes = np.array([sizes_of(matrix) for matrix in matrices]).reshape(-1, 3)
        read = Regions(
            centre=np.einsum("kab,kb->ka", matrices[:, :3, :3], middle) + matrices[:, :3, 3],
            axes=self._axes.of(matrices),
            mesh=self._meshes(matrices, depsgraph),
            half=half * sizes,
            shape=np.array([SHAPE_NUMBERS[shape] for shape in shapes], dtype=np.int64),
            present=np.array(active, dtype=np.bool_),
        )
        self._placed = placed, read
        return read

    def _meshes(self, matrices: np.ndarray, depsgraph: Depsgraph) -> np.ndarray:
        """The meshes of the regions with shape Mesh, None for the others; (k,). Refused if a mesh is not closed."""
        meshes = np.full(len(self._objects), None, dtype=np.object_)
        for row, (ob, matrix) in enumerate(zip(self._objects, matrices)):
            if _shape(ob) == "MESH":
                if row not in self._insides:
                    self._insides[row] = Surface(ob, matrix, depsgraph, None)
                meshes[row] = self._insides[row].placed(matrix, depsgraph).mesh
                if not meshes[row].closed:
                    raise Refusal(
                        f"The region {ob.name} is a mesh with holes or without faces. "
                        f"Close it, or set its shape to Box."
                    )
        return meshes


def _box(ob: Object, depsgraph: Depsgraph) -> tuple[np.ndarray, np.ndarray]:
    """The middle and the half sizes of an object in its own space; an Empty is as large as it is drawn."""
    return box_of(points_of(ob, depsgraph, None))


def _shape(ob: Object) -> str:
    stored = settings_of(ob)
    return choice_in(stored, "region_shape") if stored else "SPHERE"
