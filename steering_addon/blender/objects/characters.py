"""Rigged characters, and the object that moves each as a whole: a click in the viewport selects one of its parts.

Some parts go with it without being parented to it: skins that a modifier binds, props that are held. A copy of such a
part that is parented instead moves as the part does.
"""

from collections.abc import Iterable

import bpy
from bpy.types import Constraint, ConstraintTargetBone, Depsgraph, Object, Scene
from mathutils import Matrix

from ..properties import has_roles
from .drivers import drivers_of, read_by
from .hierarchy import Bond, Family, ancestors, lineage
from .tagged_objects import names_of

HOLDING = ("CHILD_OF", "ARMATURE", "COPY_TRANSFORMS", "COPY_LOCATION")
"""The types of constraints by which props are carried."""
WHOLE = ("use_location", "use_rotation", "use_scale")
"""The switches of a Child Of constraint, for each axis."""


def carrier(ob: Object, family: Family) -> Object:
    """The object to move instead of a part of a model; the object itself if it is not a part of one.

    A part whose drivers read something of an object that carries it, as wings and legs do, belongs to that object.

    A mesh that is deformed by an armature, or that is one of several parts on its bones, would leave the armature
    behind: the carrier is the armature, or what carries both. Importers put that below an Empty of its own, which
    stands upright where the armature itself may be turned: such an Empty is the carrier of all.
    """
    read = {target.id for target in read_by(drivers_of(ob))}
    ob = next((above for above in reversed([*ancestors(ob)]) if above in read), ob)
    whole = list(lineage(ob))
    rig = ob.find_armature() or _rig_of_several(ob, family)
    if rig is not None:
        ob = next((above for above in lineage(rig) if above in whole), ob)
    if ob.type == "ARMATURE":
        ob = _with_skins(ob, family)
    if not (ob.type == "ARMATURE" or any(child.type == "ARMATURE" for child in family.children(ob))):
        return ob
    while (above := ob.parent) is not None and _only_wraps(above, family):
        ob = above
    return ob


def carriers(objects: Iterable[Object]) -> list[Object]:
    """The carriers of some objects, each once, in their order."""
    family = Family()
    return list(dict.fromkeys(carrier(ob, family) for ob in objects))


def torn_apart(objects: Iterable[Object], family: Family, scene: Scene) -> str:
    """The parts that go without the armature that deforms them if some objects move, or the reverse, and the remedy.
    Empty if there is nothing."""
    parts = _parts(objects, family)
    skins = {ob: rig for ob in scene.objects if ob.type == "MESH" and (rig := ob.find_armature()) is not None}
    loose = {
        ob.name: rig.name
        for ob, rig in skins.items()
        if (ob in parts) != (rig in parts) and not (_follows(ob) or _follows(rig))
    }
    if not loose:
        return ""
    is_, it = ("is", "it") if len(loose) == 1 else ("are", "them")
    rigs = names_of(sorted(set(loose.values())))
    text = f"{names_of(sorted(loose))} {is_} deformed by {rigs} but not parented to it: one goes without the other"
    return f"{text}. Parent {it} to {rigs}"


def not_copied(models: Iterable[Object], family: Family, scene: Scene) -> str:
    """The objects that copies of models lack because only a constraint lets them follow a part of one, and the remedy.
    Empty if there is nothing. Cameras are to stay with the model."""
    parts = _parts(models, family)
    others = [ob for ob in scene.objects if ob not in parts and ob.type != "CAMERA"]
    held = {ob.name: end for ob in others if (end := _holder(ob, parts)) is not None}
    if not held:
        return ""
    follow, it = ("follows", "it") if len(held) == 1 else ("follow", "them")
    targets = names_of(sorted({end.target.name for end in held.values()}))
    text = f"{names_of(sorted(held))} {follow} {targets} by a constraint, which members do not get"
    new_parent = "the bone" if all(end.subtarget for end in held.values()) else targets
    # Members that there are keep the parts that they were made with.
    return f"{text}. Undo, parent {it} to {new_parent} instead, and populate again"


def _holder(ob: Object, parts: set[Object]) -> Constraint | ConstraintTargetBone | None:
    """The setting that names the part that carries an object: a constraint, or one of the targets of a constraint."""
    for constraint in ob.constraints:
        if constraint.type in HOLDING and constraint.enabled:
            ends = constraint.targets if constraint.type == "ARMATURE" else (constraint,)
            for end in ends:
                if end.target in parts:
                    return end
    return None


def bone_shapes() -> set[Object]:
    """The objects that bones are drawn as."""
    rigs = (ob for ob in bpy.data.objects if ob.pose is not None)
    return {bone.custom_shape for rig in rigs for bone in rig.pose.bones if bone.custom_shape is not None}


def is_character(ob: Object, family: Family) -> bool:
    """Whether an armature moves an object or what it carries."""
    return any(part.type == "ARMATURE" for part in (ob, *family.descendants(ob)))


def _parts(objects: Iterable[Object], family: Family) -> set[Object]:
    """Objects and what they carry."""
    return {part for ob in objects for part in (ob, *family.descendants(ob))}


def _follows(ob: Object) -> bool:
    """Whether constraints may let an object follow another one."""
    return any(len(above.constraints) for above in lineage(ob))


def _rig_of_several(ob: Object, family: Family) -> Object | None:
    """The armature on a bone of which an object is, if it carries other parts too: on its own it may be a vehicle."""
    rig = ob.parent if ob.parent_type == "BONE" else None
    return rig if rig is not None and len(family.children(rig)) > 1 else None


def _with_skins(rig: Object, family: Family) -> Object:
    """The object that carries an armature and the skins that it deforms, where those are beside or above it."""
    if any(part.find_armature() == rig for part in family.descendants(rig)):
        return rig
    for above in ancestors(rig):
        if any(part.find_armature() == rig for part in (above, *family.children(above))):
            return above
    return rig


def _only_wraps(ob: Object, family: Family) -> bool:
    """Whether an object is an Empty for a single child, without a role or animation of its own."""
    return ob.type == "EMPTY" and len(family.children(ob)) == 1 and ob.animation_data is None and not has_roles(ob)


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
    [constraint, *others] = [constraint for constraint in ob.constraints if constraint.enabled] or [None]
    if constraint is None or others or ob.animation_data is not None or constraint.influence < 1.0:
        return None, ""
    return _held_by(constraint)


def _held_by(constraint: Constraint) -> tuple[Object | None, str]:
    """The object to which a constraint ties its owner as if that was parented, and the bone; None for neither."""
    kind, end, spaces = constraint.type, constraint, {constraint.owner_space, constraint.target_space}
    if kind == "ARMATURE":
        [end, *others] = [target for target in constraint.targets if target.weight > 0.0] or [None]
        if end is None or others or not end.subtarget:
            return None, ""
    elif kind == "CHILD_OF":
        if not all(getattr(constraint, f"{name}_{axis}") for name in WHOLE for axis in "xyz"):
            return None, ""
    elif kind != "COPY_TRANSFORMS" or constraint.mix_mode != "REPLACE" or spaces != {"WORLD"}:
        return None, ""
    return end.target, end.subtarget


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
