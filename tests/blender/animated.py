"""Keys, drivers and strips of objects."""

from collections.abc import Iterable
from typing import Any

import bpy

from tests.blender.building import part

SLOTTED = "slots" in bpy.types.Action.bl_rna.properties


def insert(ob, path: str, values: dict[float, Any], *, index: int = -1) -> None:
    """Insert linear keys as a user would: `insert(ob, "location", {1: (0, 0, 0), 20: (5, 0, 0)})`."""
    owner_path, _, name = path.rpartition(".")
    owner = ob.path_resolve(owner_path) if owner_path else ob
    for frame, value in values.items():
        if index >= 0:
            getattr(owner, name)[index] = value
        else:
            setattr(owner, name, value)
        ob.keyframe_insert(path, index=index, frame=frame)
    make_linear(curve for curve in curves(ob) if curve.data_path == path)
    bpy.context.view_layer.update()


def make_linear(curves: Iterable) -> None:
    for curve in curves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def assign(ob, action) -> None:
    """Let an object play an action."""
    data = part("blender.animation.animation_data")
    ob.animation_data_create()
    data.assign_action(ob, action, data.slot_for(action, ob))


def drive(ob, path: str, expression: str, *, index: int = -1, **variables):
    """Add a driver; each variable is given as `name=(datablock, data path)`, with an object or scene as datablock."""
    curve = ob.driver_add(path, index)
    curve.driver.type = "SCRIPTED"
    for name, (block, source) in variables.items():
        variable = curve.driver.variables.new()
        variable.name = name
        if isinstance(block, bpy.types.Scene):
            variable.targets[0].id_type = "SCENE"
        variable.targets[0].id = block
        variable.targets[0].data_path = source
    curve.driver.expression = expression
    bpy.context.view_layer.update()
    return curve


def strip_of_own_action(ob, name: str = "Strip"):
    """Push the active action of an object down into an NLA strip."""
    action = ob.animation_data.action
    strip = ob.animation_data.nla_tracks.new().strips.new(name, int(action.frame_range[0]), action)
    ob.animation_data.action = None
    return strip


def bags(action) -> list:
    if not SLOTTED:
        return [action]
    return [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]


def curves_in(action) -> list:
    """The F-curves of an action."""
    return [curve for bag in bags(action) for curve in bag.fcurves]


def curves(ob) -> list:
    """The F-curves of the active action of an object."""
    animation = ob.animation_data
    if animation is None or animation.action is None:
        return []
    return [
        curve
        for bag in bags(animation.action)
        if not SLOTTED or bag.slot == animation.action_slot
        for curve in bag.fcurves
    ]


def keys(ob) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """The frames and values of all keys of the active action, by data path and array index."""
    return {(c.data_path, c.array_index): [tuple(p.co) for p in c.keyframe_points] for c in curves(ob)}


def is_baked(ob) -> bool:
    return any(point.type == "GENERATED" for curve in curves(ob) for point in curve.keyframe_points)
