"""The start of vehicles: their own channels, stored on them, from which bakes begin and at which they may be held."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object, PropertyGroup
from mathutils import Matrix

from ..animation.animation_data import (
    ActionSlot,
    action_of,
    assign_action,
    channelbag_in,
    copy_action,
    evaluate,
    slot_of,
)
from ..animation.bake_actions import without_bake
from ..animation.bake_record import TRANSFORM_CHANNELS
from ..animation.keyframes import frames_of
from ..animation.ownership import CurrentAnimation, is_baked, own_drivers, own_strips
from ..animation.rotation_channels import MODES, data_path, matrices_from_channels, width_of
from ..objects.doubles import doubles
from ..refusal import Refusal

MOVED = 1e-4
"""Least difference of a channel from its baked curve that shows a move by hand; keys are single precision."""


def channels(ob: Object) -> tuple[np.ndarray, np.ndarray]:
    """The present location (3,) and rotation (3 or 4,) channels of an object."""
    # np.array of a tuple takes a third of the time it takes for a vector of Blender's.
    return np.array(tuple(ob.location)), np.array(tuple(getattr(ob, data_path(ob.rotation_mode))))


def store(ob: Object, location: np.ndarray, rotation: np.ndarray) -> None:
    """Store these channels as the vehicle's start."""
    store_pose(ob.steering.start, ob, location, rotation)


def store_pose(stored: PropertyGroup, ob: Object, location: np.ndarray, rotation: np.ndarray) -> None:
    """Store these channels of an object, as its start or as where Populate placed it."""
    stored.stored = True
    stored.location = location
    stored.rotation_mode = ob.rotation_mode
    stored.rotation = (*rotation, 0.0)[:4]


def own_start(ob: Object) -> tuple[np.ndarray, str, np.ndarray]:
    """The location, rotation mode and rotation channels that a vehicle starts from unless keys of the animator lead up
    to it: stored once it is baked, before that its own."""
    if _has_start(ob) and is_baked(ob):
        start = ob.steering.start
        return doubles(start.location), start.rotation_mode, doubles(start.rotation[: width_of(start.rotation_mode)])
    location, rotation = channels(ob)
    return location, ob.rotation_mode, rotation


def start_position(ob: Object) -> np.ndarray:
    """Where a vehicle starts, (3,) metres; below a parent where it is at present."""
    return doubles(ob.matrix_world.translation if ob.parent else own_start(ob)[0])


def _has_start(ob: Object) -> bool:
    """Whether a start is stored on the vehicle. Writes nothing."""
    return ob.steering.is_property_set("start") and ob.steering.start.stored


def give_back(ob: Object) -> None:
    """Move the vehicle back to its start, which `check_stored_start` must have accepted."""
    if not _has_start(ob):
        return
    ob.location = ob.steering.start.location
    setattr(ob, data_path(ob.rotation_mode), stored_rotation(ob))


def check_stored_start(ob: Object) -> None:
    """Refuse a vehicle whose stored start has an unknown rotation mode, or is not finite."""
    if not _has_start(ob):
        return
    if not np.isfinite((*ob.steering.start.location, *stored_rotation(ob))).all():
        text = f"The start of {ob.name} is not a place (NaN or infinite). Select {ob.name} and press Set Start."
        raise Refusal(text, about=[ob])


def stored_rotation(ob: Object) -> np.ndarray:
    """The rotation channels of the start in the object's rotation mode. Refused if the stored mode is unknown."""
    start = ob.steering.start
    if start.rotation_mode not in MODES:
        text = f"The start of {ob.name} has the rotation mode {start.rotation_mode!r}, which Blender does not have"
        raise Refusal(f"{text}. Select {ob.name} and press Set Start.", about=[ob])
    size = len(getattr(ob, data_path(ob.rotation_mode)))
    width = width_of(start.rotation_mode)
    if start.rotation_mode == ob.rotation_mode:
        return doubles(start.rotation[:size])
    turn = Matrix(matrices_from_channels(doubles(start.rotation[:width]), start.rotation_mode).tolist()).to_quaternion()
    if ob.rotation_mode == "QUATERNION":
        return doubles(turn)
    if ob.rotation_mode == "AXIS_ANGLE":
        axis, angle = turn.to_axis_angle()
        return doubles((angle, *axis))
    return doubles(turn.to_euler(ob.rotation_mode))


def start_of(
    ob: Object, played: CurrentAnimation, unbaked: CurrentAnimation, first: float, *, on_start_frame: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The location and rotation channels that the next bake starts from; nothing is written.

    Before the first bake these are the current channels. After a bake they are the stored start, or the current
    channels if the vehicle was moved by hand on the start frame. If keys of the animator lead up to the first frame,
    they are the values at the last of these, whatever the scene's current frame. `unbaked`: what it would play without
    its bake; `on_start_frame`: whether the first frame of the bake is the scene's current one.
    """
    location, rotation = channels(ob)
    record = played.record
    if record is not None and _has_start(ob) and not (on_start_frame and _was_moved(ob, played, first)):
        location, rotation = doubles(ob.steering.start.location), stored_rotation(ob)
    return (
        _values_by_keys(unbaked, "location", location, first, stands=record is not None),
        _values_by_keys(unbaked, data_path(ob.rotation_mode), rotation, first, stands=record is not None),
    )


def earlier_velocity(unbaked: CurrentAnimation, first: float, frame_time: float) -> np.ndarray | None:
    """The velocity (3,), in units of the location channels per second, at the end of the keys before the first frame.

    None with fewer than two such keys, as a single key defines no motion. `unbaked`: what the vehicle would play
    without its bake, which changes the slope of its curve at the last key; `frame_time`: seconds per frame.
    """
    keyed = {
        index: (curve, frames)
        for index, curve in unbaked.curves("location").items()
        if len(frames := _own_frames(curve, first))
    }
    frames = np.unique(np.concatenate([curve_frames for _, curve_frames in keyed.values()])) if keyed else np.zeros(0)
    if len(frames) < 2:
        return None
    velocity = np.zeros(3)
    for index, (curve, _) in keyed.items():
        before, after = evaluate(curve, (frames[-1] - 1.0, frames[-1]))
        velocity[index] = (after - before) / frame_time
    return velocity


def _was_moved(ob: Object, played: CurrentAnimation, frame: float) -> bool:
    if abs(frame - played.record.first) > 1e-3:
        return False
    for path in ("location", data_path(ob.rotation_mode)):
        values = getattr(ob, path)
        for index, curve in played.curves(path).items():
            if abs(curve.evaluate(frame) - values[index]) > MOVED * max(1.0, abs(values[index])):
                return True
    return False


def _values_by_keys(
    unbaked: CurrentAnimation, path: str, values: np.ndarray, first: float, *, stands: bool
) -> np.ndarray:
    """The channels, each with the value of the animator's last key before the first frame, if there is one.

    The animator's keys on other frames also give the value on the first frame, unless the vehicle `stands` at a stored
    start.
    """
    curves = unbaked.curves(path)
    if not curves:
        return values
    result = values.copy()
    for index, curve in curves.items():
        if curve.mute:
            continue
        frames = _own_frames(curve, first)
        if len(frames):
            result[index] = curve.evaluate(frames[-1])
        elif not stands and not curve.is_empty:
            result[index] = curve.evaluate(first)
    return result


def _own_frames(curve: FCurve, first: float) -> np.ndarray:
    """The frames of the animator's own keys before the first frame, in order; none if the curve is muted."""
    if curve.mute or curve.range()[0] >= first - 1e-3:
        return np.zeros(0)
    frames = frames_of(curve)
    return np.sort(frames[frames < first - 1e-3])


@contextmanager
def holding_still(ob: Object) -> Iterator[None]:
    """Let only the object's own channels place it; other animation of it continues. Everything is restored. The
    channels and the custom properties that a bake has keyed may be set meanwhile."""
    played = CurrentAnimation(ob)
    path = data_path(ob.rotation_mode)
    location, rotation = tuple(ob.location), tuple(getattr(ob, path))
    record = played.record
    keyed = {name: ob[name] for name in (record.properties if record else ()) if name in ob}
    moving = (*own_drivers(ob), *own_strips(ob, -np.inf, np.inf), *ob.constraints)
    muted = [mover for mover in moving if not mover.mute]
    action, slot = action_of(ob), slot_of(ob)
    unmoved, unmoved_slot, is_copy = _without_moves(played)
    try:
        for mover in muted:
            mover.mute = True
        if unmoved != action:
            assign_action(ob, unmoved, unmoved_slot)
        for name in keyed:
            ob[name] = record.kept_properties[name].value if name in record.kept_properties else 0.0
        yield
    finally:
        if unmoved != action:
            assign_action(ob, action, slot)
        if is_copy:
            bpy.data.actions.remove(unmoved)
        for mover in muted:
            mover.mute = False
        for name, value in keyed.items():
            ob[name] = value
        ob.location = location
        setattr(ob, path, rotation)


def _without_moves(played: CurrentAnimation) -> tuple[Action | None, ActionSlot | None, bool]:
    """The animation that an object plays, without bake and transform channels; and whether it was copied for that."""
    unbaked = without_bake(played)
    if unbaked.action is None:
        return None, None, False
    bag = channelbag_in(unbaked.action, unbaked.slot)
    if not any(curve.data_path in TRANSFORM_CHANNELS for curve in (bag.fcurves if bag else ())):
        return unbaked.action, unbaked.slot, unbaked.new
    action, slot = (
        (unbaked.action, unbaked.slot) if unbaked.new else copy_action(unbaked.action, unbaked.slot, whole=True)
    )
    bag = channelbag_in(action, slot)
    for curve in [curve for curve in bag.fcurves if curve.data_path in TRANSFORM_CHANNELS]:
        bag.fcurves.remove(curve)
    return action, slot, True
