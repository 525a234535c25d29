"""The front of a model as the animator has stated it: by Blender's own settings, or by how the object moves."""

from typing import TYPE_CHECKING

import numpy as np
from bpy.types import Object

from ...simulation.arrays.vectors import magnitude
from ..animation.animation_data import channelbag, evaluate
from ..animation.rotation_channels import data_path, matrices_from_channels
from .start_pose import channels

if TYPE_CHECKING:
    from ..animation.animation_data import Channelbag

Front = tuple[str, str]
"""The forward and the up axis of a model, as the values of its properties."""
UNSTATED = ("POS_Y", "Z")
"""Blender's default for Tracking Axis and Up Axis of objects other than cameras, lights and speakers."""
SAMPLES = 32
"""Number of moments at which the motion of an animated object is compared with its axes."""
MOSTLY = 0.9
"""Least share of an object's way that leads along one of its axes for this axis to be its front."""


def stated_front(ob: Object) -> Front | None:
    """The front that the settings or the keyframes of an object state; None if they do not.

    Cameras, lights and speakers look along -Z, by their Tracking Axis in Object > Relations, which any object may have
    changed. Follow Path with Follow Curve has a forward axis. A keyframed object faces where it goes.
    """
    if (ob.track_axis, ob.up_axis) != UNSTATED and ob.track_axis[-1] != ob.up_axis:
        return ob.track_axis, f"POS_{ob.up_axis}"
    return _of_constraints(ob) or _of_motion(ob)


def upright(forward_axis: str) -> Front:
    """The front of a model whose up axis is +Z, unless it faces up or down."""
    return forward_axis, "POS_Y" if forward_axis[-1] == "Z" else "POS_Z"


def _of_constraints(ob: Object) -> Front | None:
    for constraint in ob.constraints:
        if constraint.type == "FOLLOW_PATH" and constraint.enabled and constraint.use_curve_follow:
            forward = constraint.forward_axis.replace("FORWARD", "POS").replace("TRACK_NEGATIVE", "NEG")
            up = constraint.up_axis.replace("UP", "POS")
            return (forward, up) if forward[-1] != up[-1] else None
    return None


def _of_motion(ob: Object) -> Front | None:
    """The axis along which an object moves by its own keys; None without such keys, or if no axis leads its way."""
    bag = channelbag(ob)
    keyed = [curve for curve in bag.fcurves if curve.data_path == "location" and not curve.is_empty] if bag else []
    if not keyed:
        return None
    first, last = min(curve.range()[0] for curve in keyed), max(curve.range()[1] for curve in keyed)
    frames = np.linspace(first, last, SAMPLES)
    location, rotation = channels(ob)
    steps = np.diff(_sampled(bag, "location", location, frames), axis=0)
    turns = matrices_from_channels(_sampled(bag, data_path(ob.rotation_mode), rotation, frames), ob.rotation_mode)
    way = np.einsum("kba,kb->a", turns[:-1], steps)
    axis = int(np.argmax(np.abs(way)))
    if abs(way[axis]) <= MOSTLY * magnitude(steps).sum():
        return None
    return upright(f"{'POS' if way[axis] > 0.0 else 'NEG'}_{'XYZ'[axis]}")


def _sampled(bag: "Channelbag", path: str, values: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """The channels of a data path on frames (f,), (f, k): by their curves, or the current `values` (k,) without one."""
    sampled = np.tile(values, (len(frames), 1))
    for curve in bag.fcurves:
        if curve.data_path == path and not curve.is_empty:
            sampled[:, curve.array_index] = evaluate(curve, frames.tolist())
    return sampled
