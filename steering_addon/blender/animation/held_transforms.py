"""Keys that hold an object in one place, as those that FBX files bring along with each pose of an armature.

Where an action poses bones, such keys say nothing that the object does not show already: they are set aside for a bake
without asking, as the pose is. They would hold all copies of a model in one place, so members of Populate do without.
"""

import bpy
import numpy as np
from bpy.types import FCurve, Object

from .animation_data import Channelbag, assign_action, channelbag, channelbag_in, copy_action, slot_of
from .bake_record import TRANSFORM_CHANNELS
from .keyframes import read_column
from .posing import POSE_OF, pose_curves

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
