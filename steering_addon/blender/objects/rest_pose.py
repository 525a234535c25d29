"""The shape of a rigged model in its rest pose, whatever its armature does on the current frame. Changes nothing."""

import numpy as np
from bpy.types import Bone, Mesh, MirrorModifier, Object
from mathutils import Matrix

from .doubles import column_from, doubles, placed

MOST = 0.9
"""The share of the vertices of a mesh that faces have at least if the others are stray."""


def rest_offset(child: Object) -> np.ndarray | None:
    """The matrix (4, 4) that places the child of a bone in its armature at rest; None for other children."""
    if child.parent_type != "BONE" or child.parent.type != "ARMATURE":
        return None
    bone = child.parent.data.bones.get(child.parent_bone)
    if bone is None:
        return None
    carrying = Matrix() if bone.use_relative_parent else _tail(bone)
    return doubles(carrying @ child.matrix_parent_inverse @ child.matrix_basis)


def within(ob: Object, top: Object) -> np.ndarray:
    """The matrix (4, 4) from the space of an object to that of another, which is above it as a rule.

    Not from where both are in the world: the last digits of these matrices depend on where the model stands and how it
    is turned, and so would all that is measured of it.
    """
    matrix, above = np.eye(4), ob
    while above != top and above.parent is not None and above.parent_type == "OBJECT" and not above.constraints:
        matrix = doubles(above.matrix_parent_inverse) @ doubles(above.matrix_basis) @ matrix
        above = above.parent
    return matrix if above == top else doubles(top.matrix_world.inverted_safe()) @ doubles(ob.matrix_world)


def is_rigged(ob: Object) -> bool:
    """Whether an armature deforms a mesh."""
    return ob.type == "MESH" and ob.find_armature() is not None


def rest_points(ob: Object) -> np.ndarray:
    """The points (m, 3) of a mesh without its modifiers, except that it is mirrored, in the object's own space."""
    points = vertices_of(ob.data)
    for modifier in ob.modifiers:
        if modifier.type == "MIRROR" and modifier.show_viewport:
            points = _mirrored(points, ob, modifier)
    return points


def vertices_of(mesh: Mesh) -> np.ndarray:
    """The vertices (m, 3) of a mesh."""
    return column_from(mesh.vertices, "co", 3).astype(np.float64)


def on_faces(mesh: Mesh, count: int) -> np.ndarray:
    """A mask of the points of a mesh, `count` with their mirror images, that are not stray: those of its faces.

    All count if more than a few are without, such as points and wires that nodes make something of.
    """
    mask = np.zeros(len(mesh.vertices), dtype=np.bool_)
    mask[column_from(mesh.loops, "vertex_index", kind=np.int32)] = True
    if np.count_nonzero(mask) < MOST * len(mask):
        mask[:] = True
    return np.tile(mask, count // max(len(mask), 1))


def bone_points(ob: Object) -> np.ndarray:
    """The ends (m, 3) of an armature's bones at rest: of those that deform a mesh, or without such bones of all."""
    bones = ob.data.bones
    deforming = [bone for bone in bones if bone.use_deform]
    return doubles([end for bone in deforming or bones for end in (bone.head_local, bone.tail_local)]).reshape(-1, 3)


def _tail(bone: Bone) -> Matrix:
    """A child of a bone is placed at its tail."""
    matrix = bone.matrix_local.copy()
    matrix.translation += matrix.col[1].xyz * bone.length
    return matrix


def _mirrored(points: np.ndarray, ob: Object, modifier: MirrorModifier) -> np.ndarray:
    """The points and their mirror images."""
    across = modifier.mirror_object
    into = np.eye(4) if across is None else within(ob, across)
    back = doubles(Matrix(into).inverted_safe())
    for axis in range(3):
        if modifier.use_axis[axis]:
            images = placed(points, into)
            images[:, axis] *= -1.0
            points = np.concatenate((points, placed(images, back)))
    return points
