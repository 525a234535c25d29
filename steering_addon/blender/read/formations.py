"""The formations of followers: the vertices of meshes, read again only when they change."""

import numpy as np
from bpy.types import Depsgraph, Object

from ...simulation.arrays.vectors import in_columns
from ..objects.body_sizes import points_of
from ..objects.doubles import doubles
from .checks import check_numbers
from .solids import changes_shape, sizes_of


class FormationReader:
    """Reads one mesh object, frame after frame."""

    def __init__(self, ob: Object) -> None:
        self._ob, self._changes = ob, changes_shape(ob, None)
        self._points: np.ndarray | None = None
        self._read: tuple[bytes, np.ndarray] | None = None

    def read(self, depsgraph: Depsgraph, frame: int) -> np.ndarray:
        """The vertices, (p, 3) metres along its own axes from its origin, as large as it is scaled.

        Raises:
            Refusal: a value is not a number, or a vertex is nowhere.
        """
        matrix = doubles(self._ob.evaluated_get(depsgraph).matrix_world)
        check_numbers(matrix[None], [self._ob], frame)
        sizes = sizes_of(matrix)
        if self._points is None or self._changes:
            self._points, self._read = points_of(self._ob, depsgraph, None), None
        if self._read is None or self._read[0] != sizes.tobytes():
            self._read = sizes.tobytes(), in_columns(self._points * sizes)
        return self._read[1]
