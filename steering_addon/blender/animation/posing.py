"""Poses that an armature or shape keys play of their own: they hide the strips of clips on the same channels.

FBX files bring along keys that hold the object in one place with each pose of an armature. Where an action poses bones,
such keys say nothing that the object does not show already: they are set aside for a bake without asking, as the pose
is. They would hold all copies of a model in one place, so members of Populate do without.
"""

from collections.abc import Collection

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object

from ..refusal import Refusal
from .animation_data import (
    ActionSlot,
    Channelbag,
    action_of,
    assign_action,
    channelbag,
    channelbag_in,
    channelbags,
    check_nla_plays,
    check_no_tweak_mode,
    copy_action,
    posed_block,
    slot_of,
)
from .bake_record import TRANSFORM_CHANNELS, our_record
from .keyframes import read_column

POSE = "pose.bones["
"""The beginning of the data paths of bones."""
POSES = (POSE, "key_blocks[")
"""The beginnings of the data paths of all that clips pose: bones and shape keys."""
POSE_OF = "steering_pose_of"
"""The custom property of an action that is a copy of another one without the transform: that action."""
HIDES = 0.5
"""An action that animates this share of the channels of the clips hides them; one that animates less adds to them."""


def pose_curves(bag: Channelbag | None) -> list[FCurve]:
    """The curves that pose bones or shape keys."""
    return [curve for curve in (bag.fcurves if bag is not None else ()) if curve.data_path.startswith(POSES)]


def hides(bag: Channelbag | None, channels: Collection[tuple[str, int]], share: float = HIDES) -> bool:
    """Whether the curves of an action animate more than a share of these channels, as (data path, index), of clips."""
    keyed = {(curve.data_path, curve.array_index) for curve in pose_curves(bag) if not curve.mute}
    return len(keyed.intersection(channels)) > share * len(channels)


def hiding_action(
    rig: Object, channels: Collection[tuple[str, int]]
) -> tuple[Action, ActionSlot | None] | tuple[None, None]:
    """The action and slot by which an armature or shape keys hide clips; (None, None) if they do not."""
    block = posed_block(rig)
    action = action_of(block)
    if action is None or not hides(channelbag(block), channels):
        return None, None
    return action, block.animation_data.action_slot if hasattr(block.animation_data, "action_slot") else None


def check_strips_play(rig: Object) -> None:
    """Refuse an armature, or a mesh with shape keys, whose NLA strips do not play, whatever they are."""
    if rig.library is not None or not rig.is_editable:
        text = f"{rig.name} is linked and cannot play clips in this file. Make a library override of it."
        raise Refusal(text, about=[rig])
    block = posed_block(rig)
    animation = block.animation_data
    if animation is None:
        return
    check_no_tweak_mode(rig, animation)
    if not animation.use_nla and len(animation.nla_tracks):
        text = f"{rig.name} has its NLA tracks switched off, and clips are played by such tracks. Switch them on."
        raise Refusal(text, about=[rig])
    check_nla_plays(rig, animation, "hide its clips", acts=action_of(block) is not None)


def check_shows_clips(
    rig: Object, channels: Collection[tuple[str, int]], clips: Collection[Action], replace: bool
) -> None:
    """Refuse an armature that plays an action which hides clips on these channels. An action that is one of the clips,
    or came along with them, is set aside without asking: it is safe."""
    action, _ = hiding_action(rig, channels)
    if action is None or replace:
        return
    whole = whole_of(action)
    if whole in clips or is_stashed(rig, whole):
        return
    if (start := importers_start(action)) and start in map(importers_start, clips):
        return
    record = our_record(action)
    if record is not None and record.kept is not None and record.posed:
        return
    text = f"{rig.name} plays {action.name}, which {posing_of(rig)} and would hide the clips."
    raise Refusal(f"{text} Unlink the action, or turn on Replace Own Keys.", about=[rig], remedy="replace_own_keys")


def posing_of(rig: Object) -> str:
    """The effect of an action on an armature or a mesh with shape keys, in words."""
    return "poses its bones" if rig.type == "ARMATURE" else "moves its shape keys"


def is_stashed(rig: Object, action: Action) -> bool:
    """Whether an action also lies in a muted NLA track of an armature or shape keys, where importers leave them."""
    tracks = posed_block(rig).animation_data.nla_tracks
    return any(strip.action == action for track in tracks if track.mute for strip in track.strips)


def whole_of(action: Action) -> Action:
    """The action that an action is a copy of, without the transform; the action itself if it is not."""
    whole = action.get(POSE_OF)
    return whole if isinstance(whole, bpy.types.Action) else action


def importers_start(action: Action) -> str:
    """The start of the name of an action where an importer put the names of armature and take before its own."""
    return action.name.rpartition("|")[0]


def short_name(action: Action) -> str:
    """The name of an action without what an importer put before it."""
    return action.name.rpartition("|")[2]


def moves_shape_keys(action: Action) -> bool:
    """Whether an action moves shape keys, by the first curve of each of its slots."""
    firsts = (curve for bag in channelbags(action) for curve in bag.fcurves[:1])
    return any(curve.data_path.startswith(POSES[1]) for curve in firsts)


def slot_curves(action: Action | None, slot: ActionSlot | None) -> list[FCurve]:
    """The curves with which one slot of an action poses bones or shape keys."""
    return pose_curves(channelbag_in(action, slot) if action is not None else None)


TRANSFORM = (*TRANSFORM_CHANNELS, "scale")
"""The channels that say where an object stands."""
SAME = 1e-5
"""Numbers that differ less, relative to the larger of 1 and their size, are the same in single precision."""


def holds_a_pose(ob: Object, bag: Channelbag | None) -> bool:
    """Whether an action poses the bones of an object and keys its transform, and all these keys are what it has."""
    curves = _transform_curves(bag) if pose_curves(bag) else []
    return bool(curves) and all(_holds(curve, ob.path_resolve(curve.data_path)[curve.array_index]) for curve in curves)


def held_paths(ob: Object) -> set[str]:
    """The channels of the transform that the action of an object keys, if all are held in one place; else none."""
    held = _transform_curves(channelbag(ob))
    is_held = all(_holds(curve, curve.keyframe_points[0].co[1]) for curve in held if curve.keyframe_points)
    return {curve.data_path for curve in held} if is_held else set()


def let_go(ob: Object) -> None:
    """Let a copy of an object play a copy of its action without the transform, if that is held in one place."""
    if not held_paths(ob):
        return
    action, slot = copy_action(ob.animation_data.action, slot_of(ob), whole=False)
    bag = channelbag_in(action, slot)
    for curve in _transform_curves(bag):
        bag.fcurves.remove(curve)
    if len(bag.fcurves):
        action[POSE_OF] = ob.animation_data.action
        assign_action(ob, action, slot)
        return
    bpy.data.actions.remove(action)
    assign_action(ob, None)


def _transform_curves(bag: Channelbag | None) -> list[FCurve]:
    return [curve for curve in (bag.fcurves if bag is not None else ()) if curve.data_path in TRANSFORM]


def _holds(curve: FCurve, value: float) -> bool:
    """Whether all keys of a curve have a value, and nothing else changes what it says."""
    if curve.mute or len(curve.modifiers) or len(curve.sampled_points):
        return False
    values = read_column(curve, "co")[:, 1]
    return bool((np.abs(values - value) <= SAME * max(1.0, abs(value))).all())
