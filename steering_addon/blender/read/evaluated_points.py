"""Reads the points of an object and their attributes, as its modifiers leave them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Attribute, Depsgraph, Object

from ..objects.doubles import column_from, doubles
from ..refusal import Refusal

KINDS = {
    "FLOAT": ("value", 1, np.float32),
    "INT": ("value", 1, np.int32),
    "INT8": ("value", 1, np.int8),
    "BOOLEAN": ("value", 1, np.bool_),
    "FLOAT_VECTOR": ("vector", 3, np.float32),
    "QUATERNION": ("value", 4, np.float32),
    "FLOAT4X4": ("value", 16, np.float32),
}
"""For each type of attribute that is read: the name of its values, its number of components and their type."""
TRANSFORM = "instance_transform"
HAS_GEOMETRY = hasattr(bpy.types.Object, "evaluated_geometry")
"""Whether this Blender tells all that modifiers leave, not only a mesh."""


@dataclass(frozen=True)
class EvaluatedPoints:
    """The n points of an object.

    Attributes:
        to_world: (4, 4) the matrix that places them in the world.
        columns: their attributes by name, (n,) or (n, k); `position` is one, (n, 3), and `rotation` may be matrices.
    """

    to_world: np.ndarray
    columns: Mapping[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.columns["position"])


def evaluated_points(ob: Object, depsgraph: Depsgraph | None) -> EvaluatedPoints:
    """The points of an object on the frame of a depsgraph; where that does not evaluate it, those of its own data.

    They are those of a point cloud, or else the vertices of a mesh, or else, from Blender 4.5 on, instances. Refused if
    only instances are left, and this Blender does not tell them.
    """
    # What rests, or is hidden, in a view layer is not evaluated there.
    if depsgraph is None or not ob.evaluated_get(depsgraph).is_evaluated:
        return EvaluatedPoints(doubles(ob.matrix_basis), _columns(ob.data))
    evaluated = ob.evaluated_get(depsgraph)
    matrix, data = doubles(evaluated.matrix_world), evaluated.data
    # Its parts are gone once it is.
    geometry = evaluated.evaluated_geometry() if HAS_GEOMETRY else None
    cloud = geometry.pointcloud if HAS_GEOMETRY else _cloud_of(evaluated, depsgraph)
    if cloud is not None and len(cloud.points):
        return EvaluatedPoints(matrix, _columns(cloud))
    if not len(getattr(data, "vertices", ())) and HAS_GEOMETRY:
        instances = geometry.instances_pointcloud()
        if instances is not None:
            return EvaluatedPoints(matrix, _with_transforms(_columns(instances)))
    return EvaluatedPoints(matrix, _columns(data))


def number_of_points(ob: Object, depsgraph: Depsgraph | None) -> int:
    """The number of points of an object as last evaluated, or else of its mesh; 0 if it is not known."""
    if ob.type == "MESH" and not any(modifier.show_viewport for modifier in ob.modifiers):
        return len(ob.data.vertices)
    try:
        return len(evaluated_points(ob, depsgraph))
    except (Refusal, AttributeError, KeyError):
        # Panels are drawn whatever a file holds, and a bake says what is wrong.
        return 0


def _cloud_of(evaluated: Object, depsgraph: Depsgraph) -> Any:
    """The point cloud that modifiers leave, None if there is none, in a Blender that does not tell."""
    if len(getattr(evaluated.data, "vertices", ())):
        return None
    for instance in depsgraph.object_instances:
        if instance.is_instance and instance.parent == evaluated:
            if instance.object.type != "POINTCLOUD":
                text = f"The modifiers of {evaluated.name} leave only instances, which Blender tells from 4.5 on"
                raise Refusal(f"{text}. Let its nodes end with points.", about=[evaluated.original])
            return instance.object.data
    return None


def _with_transforms(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The attributes of instances, with the place, the rotation and the scale that their transforms say."""
    matrices = columns.pop(TRANSFORM).reshape(-1, 4, 4).swapaxes(1, 2)
    linear = matrices[:, :3, :3]
    sizes = np.sqrt(np.einsum("nab,nab->nb", linear, linear))
    return {**columns, "position": matrices[:, :3, 3], "rotation": linear, "scale": sizes}


def _columns(data: Any) -> dict[str, np.ndarray]:
    position = data.attributes.get("position")
    if position is None:
        # An empty mesh may have none.
        return {"position": np.zeros((0, 3))}
    n = len(position.data)
    named = (column for column in data.attributes if column.data_type in KINDS and len(column.data) == n)
    return {column.name: doubles(column_of(column)) for column in named if column.domain in ("POINT", "INSTANCE")}


def column_of(attribute: Attribute) -> np.ndarray:
    """The values of an attribute, (n,) or (n, k) in its own type."""
    return column_from(attribute.data, *KINDS[attribute.data_type])
