"""Where a body stands that a run reads: an object, or a bone of an armature."""

from bpy.types import Depsgraph
from mathutils import Matrix

from .sources import BodySource


def standing(source: BodySource, depsgraph: Depsgraph) -> Matrix:
    """The world matrix of an object or bone; a bone is at its head, and at rest it faces as its armature does."""
    ob = source.ob.evaluated_get(depsgraph)
    if not source.bone:
        return ob.matrix_world
    bone = ob.pose.bones[source.bone]
    matrix = ob.matrix_world @ bone.matrix @ bone.bone.matrix_local.inverted_safe()
    matrix.translation = ob.matrix_world @ bone.head
    return matrix
