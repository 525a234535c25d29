"""The lines that show surfaces: their borders, and what is too steep for the selected vehicles.

What lines there are is found once for a shape. Where a surface only moves, they move with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Object

from ...simulation.arrays.vectors import cross, magnitude, unit
from ...simulation.geometry.triangles import sides_at_border
from ..moving import moves_by
from ..objects.body_sizes import triangles_of
from ..objects.doubles import doubles, placed
from ..objects.tagged_objects import crowd_of
from ..property_groups import values_of
from ..read.solids import changes_shape
from ..refusal import Refusal

MOST_BORDERS, MOST_STEEP = 4000, 1500
"""Sides of triangles drawn as the border of a surface, and triangles marked as too steep."""
MOST_TRIANGLES = 40_000
"""A surface of more triangles that changes its shape is drawn as it was at first: reading it again takes too long."""
MARK, ABOVE = 0.6, 0.04
"""The length of a mark and its height above the surface, in units of the size of its triangle."""


@dataclass(frozen=True)
class _SurfaceShape:
    """A surface in its own space. `points`, `triangles`: (p, 3) and (f, 3); `sides`: (b, 2) the points at the ends of
    the sides that have no other triangle beyond them."""

    points: np.ndarray
    triangles: np.ndarray
    sides: np.ndarray


class GroundLines:
    """The surfaces of a scene as the overlay draws them."""

    def __init__(self, objects: Sequence[Object]) -> None:
        self.objects = list(objects)
        self._shapes: dict[int, _SurfaceShape] = {}
        self._changes = [changes_shape(ob, None) for ob in objects]
        self._steep: dict[int, tuple[tuple[bytes, float], np.ndarray]] = {}

    def borders(self, depsgraph: Depsgraph) -> np.ndarray:
        """The borders as pairs of points (2k, 3) in world space."""
        parts = [np.zeros((0, 3))]
        for row, ob in enumerate(self.objects):
            shape = self._shape(row, depsgraph)
            step = max(-(-len(shape.sides) // MOST_BORDERS), 1)
            parts.append(placed(shape.points[shape.sides[::step].ravel()], _matrix(ob, depsgraph)))
        return np.concatenate(parts)

    def steep(self, depsgraph: Depsgraph, steepest: float) -> np.ndarray:
        """Marks on what is steeper than `steepest` radians, down the slope; pairs of points (2k, 3) in world space."""
        parts = [np.zeros((0, 3))]
        for row, ob in enumerate(self.objects):
            shape, matrix = self._shape(row, depsgraph), _matrix(ob, depsgraph)
            key = (matrix[:3, :3].tobytes(), steepest)
            if row not in self._steep or self._steep[row][0] != key:
                self._steep[row] = key, _marks(shape, matrix[:3, :3], steepest)
            parts.append(self._steep[row][1] + matrix[:3, 3])
        return np.concatenate(parts)

    def _shape(self, row: int, depsgraph: Depsgraph) -> _SurfaceShape:
        before = self._shapes.get(row)
        if before is not None and (not self._changes[row] or len(before.triangles) > MOST_TRIANGLES):
            return before
        try:
            points, triangles = triangles_of(self.objects[row], depsgraph, None)
        except Refusal:
            # The bake reports it.
            points, triangles = np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
        if before is not None and np.array_equal(triangles, before.triangles):
            if not np.array_equal(points, before.points):
                self._steep.pop(row, None)
            sides = before.sides
        else:
            self._steep.pop(row, None)
            sides = sides_at_border(points, triangles)
        self._shapes[row] = shape = _SurfaceShape(points, triangles, sides)
        return shape


def steepest_of(vehicles: Iterable[Object]) -> float:
    """The slope, radians, of the steepest ground that all of these vehicles climb; inf without a limit."""
    steepest, asked = np.inf, set()
    for ob in vehicles:
        crowd = crowd_of(ob)
        if crowd is None:
            continue
        try:
            kind = moves_by(ob, crowd)
            has_own = ob.steering.own_locomotion == kind.choice().name
            owner = ob if has_own else crowd
            if (owner, kind) not in asked:
                asked.add((owner, kind))
                is_set = owner.steering.is_property_set(kind.name)
                values = values_of(kind, getattr(owner.steering, kind.name)) if is_set else {}
                steepest = min(steepest, float(kind.of(1, **values).handling().steepest[0]))
        except Refusal:
            continue
    return steepest


def _matrix(ob: Object, depsgraph: Depsgraph) -> np.ndarray:
    return doubles(ob.evaluated_get(depsgraph).matrix_world)


def _marks(shape: _SurfaceShape, turn: np.ndarray, steepest: float) -> np.ndarray:
    """Marks on the triangles of a surface, turned by a matrix (3, 3), that are too steep; pairs of points (2k, 3)."""
    if not np.isfinite(steepest) or not len(shape.triangles):
        return np.zeros((0, 3))
    points = np.einsum("ab,kb->ka", turn, shape.points)
    a, b, c = (points[shape.triangles[:, k]] for k in range(3))
    normal = cross(b - a, c - a)
    area = magnitude(normal)
    normal = np.where((normal[:, 2] < 0.0)[:, None], -normal, normal)
    rows = np.flatnonzero((normal[:, 2] < np.cos(steepest) * area) & (area > 0.0))
    rows = rows[:: max(-(-len(rows) // MOST_STEEP), 1)]
    normal, size = unit(normal[rows]), np.sqrt(area[rows])[:, None]
    middle = (a[rows] + b[rows] + c[rows]) / 3.0 + normal * (ABOVE * size)
    down = unit(normal * normal[:, 2:] - np.array([0.0, 0.0, 1.0])) * (0.5 * MARK * size)
    return np.stack((middle - down, middle + down), axis=1).reshape(-1, 3)
