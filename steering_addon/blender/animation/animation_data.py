"""Access to the animation of an object in each Blender version.

Up to 4.3 an action holds curves for one object. From 4.4 on it holds slots, one for each datablock it animates, and the
curves of a slot are in a channel bag (action > layer > strip > channel bag); from 5.0 on they are found only there.
Blender 4.2 has no slots, so a slot is `None` and the action serves as its own channel bag: both have `.fcurves` and
`.groups`, and the code that uses this module needs no other distinction.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import bpy
import numpy as np
from bpy.types import ID, Action, AnimData, FCurve, Key, NlaStrip, NlaTrack, Object

from ..refusal import Refusal

ActionSlot = getattr(bpy.types, "ActionSlot", Action)
"""Up to 4.3, when there are none, only annotations mention it."""
Channelbag: TypeAlias = Action | getattr(bpy.types, "ActionChannelbag", Action)
"""The holder of the curves of a datablock."""
SLOTTED = "slots" in bpy.types.Action.bl_rna.properties
"""Whether actions have slots (4.4 and later)."""
RENAMED_TOGETHER = 1 << 10
COPIED = re.compile(r"[ .]\d{3,}$")
"""The endings that Populate and Blender add to the name of a copy."""


def posed_block(ob: Object | Key) -> Object | Key | None:
    """The datablock whose animation poses an object: an armature itself, the shape keys of a mesh; None for others."""
    if isinstance(ob, bpy.types.Key):
        return ob
    if ob.type == "MESH":
        keys = ob.data.shape_keys
        # Absolute keys are no poses that could be mixed.
        return keys if keys is not None and keys.use_relative else None
    return ob if ob.type == "ARMATURE" else None


def is_animated(block: Object | Key | None) -> bool:
    """Whether a datablock plays an action or has NLA tracks."""
    data = block.animation_data if block is not None else None
    return data is not None and (data.action is not None or len(data.nla_tracks) > 0)


def nla_tracks_of(block: ID) -> Iterable[NlaTrack]:
    """The NLA tracks of a datablock."""
    return block.animation_data.nla_tracks if block.animation_data is not None else ()


def playing_tracks(block: ID) -> list[NlaTrack]:
    """The NLA tracks that a datablock plays: none that is muted, and only the one on solo if there is one."""
    tracks = nla_tracks_of(block) if block.animation_data is not None and block.animation_data.use_nla else ()
    solo = [track for track in tracks if track.is_solo]
    return [track for track in solo or tracks if not track.mute]


def action_of(ob: Object) -> Action | None:
    """The action an object plays, None without one."""
    return ob.animation_data.action if ob.animation_data else None


def slot_of(ob: Object) -> ActionSlot | None:
    """The slot through which an object plays its action; None if it has none, and always None in 4.2."""
    return ob.animation_data.action_slot if SLOTTED and ob.animation_data else None


def channelbag(ob: Object) -> Channelbag | None:
    """The holder of the curves an object plays (`.fcurves`, `.groups`); None if nothing animates it."""
    action = action_of(ob)
    return action and channelbag_in(action, slot_of(ob))


def channelbag_in(action: Action, slot: ActionSlot | None, *, ensure: bool = False) -> Channelbag | None:
    """The holder of the curves of one slot of an action, whether or not an object plays it. None if the slot has no
    curves yet; with `ensure` the missing layer, strip and bag are made."""
    if not SLOTTED:
        return action
    if slot is None:
        return None
    for strip in _strips(action):
        if (bag := strip.channelbag(slot)) is not None:
            return bag
    if not ensure:
        return None
    layer = action.layers[0] if action.layers else action.layers.new("Layer")
    strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True)


def bag_of(strip: NlaStrip) -> Channelbag | None:
    """The holder of the curves that a strip with an action plays."""
    return channelbag_in(strip.action, strip.action_slot if SLOTTED else None)


def channelbags(action: Action) -> list[Channelbag]:
    """All holders of curves in an action, of all its slots."""
    if not SLOTTED:
        return [action]
    # Not `strip.channelbags`: keys reached through that collection take four times as long to read and write.
    bags = [strip.channelbag(slot) for strip in _strips(action) for slot in action.slots]
    return [bag for bag in bags if bag is not None]


def new_action(name: str, ob: Object) -> tuple[Action, ActionSlot | None]:
    """Make an empty action for an object without giving it to the object; returns the action and its slot."""
    action = bpy.data.actions.new(name)
    return action, new_slot(action, ob)


def new_slot(action: Action, ob: Object) -> ActionSlot | None:
    """Make a slot for an object in an action; None in 4.2."""
    return action.slots.new(ob.id_type, ob.name) if SLOTTED else None


def copy_action(action: Action, slot: ActionSlot | None, *, whole: bool) -> tuple[Action, ActionSlot | None]:
    """Copy an action, linked or not, with all slots or only with this one; returns the copy and its slot."""
    copy = action.copy()
    copied_slot = slot and slot_with_handle(copy, slot.handle)
    if SLOTTED and not whole:
        for other in [other for other in copy.slots if other != copied_slot]:
            copy.slots.remove(other)
    return copy, copied_slot


def remove_blocks(blocks: Collection[ID]) -> None:
    """Remove datablocks, if there are any: to remove none, Blender would build all relations of the scene again."""
    if blocks:
        bpy.data.batch_remove(blocks)


def rename_all(names: Mapping[Action, str]) -> Iterator[float]:
    """Rename actions, yielding the share that is done; to a name that is taken, Blender adds a number.

    Blender keeps actions sorted by name and compares a new name with up to hundreds of names before it. So the last
    names are given first, while few precede them; but in pieces, as Blender also goes through the names that follow.
    """
    backwards = sorted(names.items(), key=lambda named: named[1].lower(), reverse=True)
    for start in reversed(range(0, len(backwards), RENAMED_TOGETHER)):
        for action, name in backwards[start : start + RENAMED_TOGETHER]:
            # Setting the property makes Blender search all actions for this one first.
            if hasattr(action, "rename"):
                action.rename(name)
            else:
                action.name = name
        yield 1.0 - start / len(backwards)


def slot_for(action: Action, ob: Object) -> ActionSlot | None:
    """The slot that an object plays of an action, or would play.

    The one that it plays, on an NLA track too; that of its name, or of the name of what it is a copy of; else the one
    with most curves for it, the first of several. None if no slot is for objects, and always None in 4.2.
    """
    if not SLOTTED:
        return None
    fitting = [slot for slot in action.slots if slot.target_id_type in ("UNSPECIFIED", ob.id_type)]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    for player in _players_of(ob):
        if player.action == action and player.action_slot is not None:
            return player.action_slot
    for name in (ob.name, COPIED.sub("", ob.name)):
        if (namesake := next((slot for slot in fitting if slot.name_display == name), None)) is not None:
            return namesake
    return max(fitting, key=lambda slot: _curves_for(ob, channelbag_in(action, slot)))


def _players_of(ob: Object) -> Iterator[AnimData | NlaStrip]:
    """The players of actions on an object: its animation, and its NLA strips."""
    if ob.animation_data is not None:
        yield ob.animation_data
    for track in nla_tracks_of(ob):
        yield from track.strips


def _curves_for(ob: Object, bag: Channelbag | None) -> int:
    """How many of these curves animate an object; of an armature its pose, as all objects have a location."""
    curves = bag.fcurves if bag is not None else ()
    start = "pose." if getattr(ob, "type", "") == "ARMATURE" else ""
    return sum(curve.data_path.startswith(start) and _has(ob, curve.data_path) for curve in curves)


def _has(ob: Object, path: str) -> bool:
    try:
        ob.path_resolve(path)
    except ValueError:
        return False
    return True


def slot_with_handle(action: Action, handle: int) -> ActionSlot | None:
    """The slot of an action by its number, which survives copying, renaming and saving; None without such a slot."""
    return next((slot for slot in action.slots if slot.handle == handle), None) if SLOTTED else None


def assign_action(ob: Object, action: Action | None, slot: ActionSlot | None = None) -> AnimData:
    """Let an object play one slot of an action, or no action.

    Blender sees the change at its next update and shows the pose of the current frame. Raises AttributeError if
    Blender forbids it: on a linked object, and while an NLA strip is being edited (tweak mode).
    """
    animation = ob.animation_data_create()
    if getattr(ob, "type", "") == "ARMATURE" and ob.pose is None and (action or animation.action) is not None:
        # Builds its pose. Without one Blender crashes: docs/blender_traps.md, "An armature that loses its action".
        ob.data = ob.data
    animation.action = action
    if SLOTTED and action is not None:
        animation.action_slot = slot
    return animation


def stop_playing(block: Object | Key) -> None:
    """Take the action and the NLA tracks from a datablock; its drivers stay."""
    animation = block.animation_data
    if animation is None:
        return
    for track in list(animation.nla_tracks):
        animation.nla_tracks.remove(track)
    if animation.action is not None:
        assign_action(block, None)


def evaluate(curve: FCurve, frames: Iterable[float]) -> np.ndarray:
    """The values of a curve on frames, (f,): keys, modifiers and extrapolation, but no drivers and no NLA."""
    return np.array([curve.evaluate(frame) for frame in frames])


def _strips(action: Action) -> Iterable[Any]:
    return (strip for layer in action.layers for strip in layer.strips)


def check_no_tweak_mode(ob: Object, animation: AnimData) -> None:
    """Refuse an object of which a strip is being edited in the NLA editor: what it plays cannot be changed."""
    if animation.use_tweak_mode:
        raise Refusal(f"{ob.name} has an NLA strip in tweak mode. Exit tweak mode first.", about=[ob])


def check_nla_plays(ob: Object, animation: AnimData, effect: str, *, acts: bool) -> None:
    """Refuse an object, or shape keys of it, whose NLA does not play unchanged what it is given, in a way that only the
    animator can end. `effect`: of that on what is to be played; `acts`: whether an action is, beside tracks."""
    solo = next((track.name for track in animation.nla_tracks if track.is_solo), None)
    if solo is not None:
        text = f"{ob.name} has the NLA track {solo} on solo, which would {effect}. Turn off the star of the track."
        raise Refusal(text, about=[ob])
    if acts and (animation.action_blend_type != "REPLACE" or animation.action_influence < 1.0):
        text = f"{ob.name} has an action that is blended with its NLA tracks, which would {effect}"
        raise Refusal(f"{text}. Set it to Replace, with influence 1.", about=[ob])
