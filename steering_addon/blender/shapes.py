"""How large things are: the hull of an obstacle, the radius of a vehicle, and which side of a model is its front."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..simulation.vectors import magnitude

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object

    from .family import Family

SOLID = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
"""Types of objects that have a surface to measure."""


def points_of(ob: Object, depsgraph: Depsgraph, family: Family | None) -> np.ndarray:
    """All points (m, 3) of an object and what hangs on it, in the object's own space; at least its origin.

    Its modifiers count. An Empty is as large as it is drawn. Children that are tagged themselves are not part of it,
    and without a family none are.
    """
    return np.concatenate(list(_parts(ob, depsgraph, np.eye(4), family)) or [np.zeros((1, 3))])


def _parts(ob: Object, depsgraph: Depsgraph, matrix: np.ndarray, family: Family | None):
    points = _own_points(ob, depsgraph)
    if len(points):
        yield np.einsum("ab,kb->ka", matrix[:3, :3], points) + matrix[:3, 3]
    if family is None:
        return
    evaluated = ob.evaluated_get(depsgraph)
    for child in family.children(ob):
        if child.is_property_set("steering") and child.steering.roles:
            continue
        offset = evaluated.matrix_world.inverted_safe() @ child.evaluated_get(depsgraph).matrix_world
        yield from _parts(child, depsgraph, np.einsum("ab,bc->ac", matrix, np.array(offset)), family)


def _own_points(ob: Object, depsgraph: Depsgraph) -> np.ndarray:
    if ob.type == "EMPTY":
        return np.concatenate((np.eye(3), -np.eye(3))) * ob.empty_display_size
    if ob.type == "ARMATURE":
        bones = ob.data.bones
        return np.array([end for bone in bones for end in (bone.head_local, bone.tail_local)]).reshape(-1, 3)
    if ob.type not in SOLID:
        return np.zeros((0, 3))
    evaluated = ob.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    if mesh is None:
        return np.array(ob.bound_box)
    points = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    evaluated.to_mesh_clear()
    return points.reshape(-1, 3).astype(np.float64)


def body_radius(ob: Object, depsgraph: Depsgraph, family: Family) -> float:
    """The radius in metres of the sphere about an object's origin that holds it and its children; 0 without a size."""
    matrix = np.array(ob.evaluated_get(depsgraph).matrix_world)
    points = np.einsum("ab,kb->ka", matrix[:3, :3], points_of(ob, depsgraph, family))
    return float(magnitude(points).max())


def body_length(ob: Object, depsgraph: Depsgraph, family: Family) -> float:
    """How long a vehicle and its children are along its front, in metres; 0 without a size."""
    axis = "XYZ".index(ob.steering.forward_axis[-1])
    along = points_of(ob, depsgraph, family)[:, axis]
    matrix = np.array(ob.evaluated_get(depsgraph).matrix_world)
    return float((along.max() - along.min()) * magnitude(matrix[None, :3, axis])[0])


def front_of(ob: Object, family: Family) -> tuple[str, str]:
    """The forward and up axis a model most likely has: characters face -Y, anything else +Y; both stand along Z."""
    character = ob.type == "ARMATURE" or any(child.type == "ARMATURE" for child in family.descendants(ob))
    deformed = ob.find_armature() is not None
    return ("NEG_Y" if character or deformed else "POS_Y"), "POS_Z"
