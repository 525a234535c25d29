"""The shape that an object is given when it becomes an obstacle, by what is seen of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...simulation.geometry.fitting import Fit, fit
from ...simulation.geometry.obstacles import OBSTACLE_SHAPES
from ...simulation.roles import Role
from ..objects.body_sizes import points_of, triangles_of
from ..objects.doubles import doubles
from ..objects.tagged_objects import in_use, tagged
from .solids import SHAPE_NUMBERS, sizes_of

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object, Scene

    from ..objects.hierarchy import Family

SHAPES = {number: name for name, number in SHAPE_NUMBERS.items()}
SHAPE_LABELS = {choice.name: choice.label for choice in OBSTACLE_SHAPES}
PERSON = 1.5
"""Metres: what is lower people pass round, while vehicles are not known."""


def passers_height(scene: Scene) -> float:
    """The height of the lowest vehicle of a scene, to which a gap may be a way; of a person if there is none."""
    heights = [
        ob.steering.height * abs(ob.matrix_world.col["XYZ".index(ob.steering.up_axis[-1])].length)
        for ob in tagged(in_use(scene), Role.VEHICLE)
    ]
    return min((height for height in heights if height > 0.0), default=PERSON / scene.unit_settings.scale_length)


def fit_of(ob: Object, depsgraph: Depsgraph, family: Family, height: float) -> Fit:
    """How shapes fit an object with its children, for those of a height.

    Raises:
        Refusal: a point of it is nowhere.
    """
    matrix = doubles(ob.evaluated_get(depsgraph).matrix_world)
    size = sizes_of(matrix)
    points, triangles = triangles_of(ob, depsgraph, family)
    up = int(np.argmax(np.abs(matrix[2, :3]) / size))
    return fit(points_of(ob, depsgraph, family) * size, points * size, triangles, up, height)


def fitting_shape(ob: Object, depsgraph: Depsgraph, family: Family, height: float) -> str:
    """The stored name of the shape that an object has. Raises Refusal as `fit_of`."""
    found = fit_of(ob, depsgraph, family, height)
    if ob.type == "EMPTY" and ob.empty_display_type == "CUBE" and not found.has_faces:
        return "BOX"
    return SHAPES[found.shape]
