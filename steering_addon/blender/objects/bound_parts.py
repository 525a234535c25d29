"""Parts that go with a character without being parented to it: skins that a modifier binds, props that are held.

A copy of such a part that is parented instead moves as the part does.
"""

from bpy.types import Constraint, Depsgraph, Object, Scene
from mathutils import Matrix

from ..properties import has_roles
from .hierarchy import Bond, Family, ancestors

WHOLE = ("use_location", "use_rotation", "use_scale")
"""The switches of a Child Of constraint, for each axis."""


def family_with_bound_parts(scene: Scene, depsgraph: Depsgraph) -> Family:
    """The children of all objects, among them such parts of a scene."""
    family = Family()
    for ob in scene.objects:
        bond = _bond(ob, *bound_to(ob), depsgraph)
        if bond is not None and ob not in (bond.carrier, *family.ancestors(bond.carrier)):
            family.bind(bond)
    return family


def bound_to(ob: Object) -> tuple[Object | None, str]:
    """The object without being parented to which a part goes with it, and the bone; (None, "") for other objects."""
    if ob.parent is not None or ob.type == "CAMERA" or has_roles(ob):
        return None, ""
    if not len(ob.constraints):
        rig = ob.find_armature() if ob.type == "MESH" else None
        return rig if rig is not None and ob not in ancestors(rig) else None, ""
    [constraint, *others] = [each for each in ob.constraints if each.enabled] or [None]
    if constraint is None or others or ob.animation_data is not None or constraint.influence < 1.0:
        return None, ""
    return _held_by(constraint)


def _held_by(constraint: Constraint) -> tuple[Object | None, str]:
    """The object to which a constraint ties its owner as if that was parented, and the bone; None for neither."""
    kind, end = constraint.type, constraint
    if kind == "ARMATURE":
        [end, *others] = [each for each in constraint.targets if each.weight > 0.0] or [None]
        if end is None or others or not end.subtarget:
            return None, ""
    elif kind == "CHILD_OF":
        if not all(getattr(constraint, f"{name}_{axis}") for name in WHOLE for axis in "xyz"):
            return None, ""
    elif kind != "COPY_TRANSFORMS" or constraint.mix_mode != "REPLACE" or not _in_world_space(constraint):
        return None, ""
    return end.target, end.subtarget


def _in_world_space(constraint: Constraint) -> bool:
    return constraint.owner_space == "WORLD" and constraint.target_space == "WORLD"


def _bond(ob: Object, carrier: Object | None, bone: str, depsgraph: Depsgraph) -> Bond | None:
    """The bond with an object, or a bone of it, by where both are on the current frame."""
    if carrier is None:
        return None
    part, holder = ob.evaluated_get(depsgraph), carrier.evaluated_get(depsgraph)
    if not (part.is_evaluated and holder.is_evaluated):
        return None
    place = holder.matrix_world
    if bone:
        pose = holder.pose.bones.get(bone) if holder.pose is not None else None
        if pose is None or pose.bone.use_relative_parent:
            return None
        place = place @ pose.matrix @ Matrix.Translation((0.0, pose.length, 0.0))
    offset = place.inverted_safe() @ part.matrix_world @ part.matrix_basis.inverted_safe()
    return Bond(ob, carrier, bone, offset, not len(ob.constraints))
