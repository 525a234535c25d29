"""Where vehicles start: their own channels, stored on them, from which every bake begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from mathutils import Matrix, Quaternion

from .animation_data import channelbag, evaluate
from .keyframes import read_column
from .ownership import BakeRecord, bake_of, our_keys
from .rotation_channels import data_path, matrices_from_channels

if TYPE_CHECKING:
    from bpy.types import FCurve, Object

MOVED = 1e-4
"""Difference of a channel from its baked curve that means somebody moved the vehicle; a key is a float."""


def channels(ob: Object) -> tuple[np.ndarray, np.ndarray]:
    """An object's own location (3,) and rotation (3 or 4,) as they stand now."""
    return np.array(ob.location), np.array(getattr(ob, data_path(ob.rotation_mode)))


def store(ob: Object, location: np.ndarray, rotation: np.ndarray) -> None:
    """Make these channels the vehicle's start."""
    start = ob.steering.start
    start.stored = True
    start.location = location
    start.rotation_mode = ob.rotation_mode
    start.rotation = np.resize(np.append(rotation, (0.0,) * (4 - len(rotation))), 4)


def give_back(ob: Object) -> None:
    """Put the vehicle back where it starts."""
    if not ob.steering.start.stored:
        return
    ob.location = ob.steering.start.location
    setattr(ob, data_path(ob.rotation_mode), stored_rotation(ob))


def stored_rotation(ob: Object) -> np.ndarray:
    """The rotation channels of the start in the object's present rotation mode."""
    start = ob.steering.start
    size = len(getattr(ob, data_path(ob.rotation_mode)))
    own = 3 if start.rotation_mode not in ("QUATERNION", "AXIS_ANGLE") else 4
    if start.rotation_mode == ob.rotation_mode:
        return np.array(start.rotation[:size])
    turn = _quaternion(np.array(start.rotation[:own]), start.rotation_mode)
    if ob.rotation_mode == "QUATERNION":
        return np.array(turn)
    if ob.rotation_mode == "AXIS_ANGLE":
        axis, angle = turn.to_axis_angle()
        return np.array((angle, *axis))
    return np.array(turn.to_euler(ob.rotation_mode))


def _quaternion(rotation: np.ndarray, mode: str) -> Quaternion:
    return Matrix(matrices_from_channels(rotation, mode).tolist()).to_quaternion()


def start_of(ob: Object, first: float, *, on_start_frame: bool) -> tuple[np.ndarray, np.ndarray]:
    """The location and rotation channels that the next bake starts from; nothing is written.

    Before the first bake it is where the vehicle stands. After one it is the stored start, or, where the vehicle was
    moved by hand on the start frame, the place it was moved to. Where keys of the animator's own lead up to the first
    frame, it is where they leave the vehicle.

    Args:
        first: the first frame of the bake.
        on_start_frame: whether the scene stands on that frame.
    """
    location, rotation = channels(ob)
    record = bake_of(ob)
    if record is not None and ob.steering.start.stored and not (on_start_frame and _was_moved(ob, record, first)):
        location, rotation = np.array(ob.steering.start.location), stored_rotation(ob)
    return _left_by_keys(ob, "location", location, first), _left_by_keys(
        ob, data_path(ob.rotation_mode), rotation, first
    )


def earlier_velocity(ob: Object, first: float, frame_time: float) -> np.ndarray | None:
    """The velocity (3,) in units of the location channels a second that keys before the first frame lead up to.

    None where there are not two such keys, as one alone says nothing of motion.
    """
    curves = {index: (curve, _own_frames(ob, curve, first)) for index, curve in _curves(ob, "location").items()}
    frames = np.unique(np.concatenate([own for _, own in curves.values()])) if curves else np.zeros(0)
    if len(frames) < 2:
        return None
    velocity = np.zeros(3)
    for index, (curve, own) in curves.items():
        if len(own):
            before, after = evaluate(curve, (frames[-1] - 1.0, frames[-1]))
            velocity[index] = (after - before) / frame_time
    return velocity


def _was_moved(ob: Object, record: BakeRecord, frame: float) -> bool:
    if abs(frame - record.first) > 1e-3:
        return False
    for path in ("location", data_path(ob.rotation_mode)):
        curves = _curves(ob, path)
        for index, value in enumerate(getattr(ob, path)):
            if index in curves and abs(curves[index].evaluate(frame) - value) > MOVED * max(1.0, abs(value)):
                return True
    return False


def _left_by_keys(ob: Object, path: str, values: np.ndarray, first: float) -> np.ndarray:
    """The channels, those with keys of their own before the first frame as the last of these leaves them."""
    left = values.copy()
    for index, curve in _curves(ob, path).items():
        frames = _own_frames(ob, curve, first)
        if len(frames):
            left[index] = curve.evaluate(frames[-1])
    return left


def _curves(ob: Object, path: str) -> dict[int, FCurve]:
    bag = channelbag(ob)
    return {curve.array_index: curve for curve in bag.fcurves if curve.data_path == path} if bag else {}


def _own_frames(ob: Object, curve: FCurve, first: float) -> np.ndarray:
    """The frames before the first on which the animator's own keys stand."""
    frames = read_column(curve, "co")[:, 0]
    return np.sort(frames[~our_keys(curve, bake_of(ob)) & (frames < first - 1e-3)])
