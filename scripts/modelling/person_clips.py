"""The clips of people with an armature of our own: actions that are made of the poses in `strides`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from steering_addon.blender.animation.animation_data import channelbag_in, new_action
from steering_addon.blender.animation.rotation_channels import channels_from_matrices
from steering_addon.blender.objects.doubles import doubles

from .person import BONES
from .strides import Cycle, Pose, carrying

if TYPE_CHECKING:
    from bpy.types import Action, Object

LINEAR = 1
"""The number of Blender's linear interpolation."""
SPARSE = 3
"""Every how many frames what stands has keys, which moves slowly."""


def new_clip(rig: Object, cycle: Cycle, size: float, fps: float) -> Action:
    """An action with a cycle, which begins on frame 1."""
    length = max(round(cycle.seconds * fps), 4)
    step = 1 if cycle.plays == "MOVE" else SPARSE
    frames = np.append(np.arange(0, length, step), length)
    poses = [cycle.pose(frame / length) for frame in frames]
    return _action(rig, cycle.name, frames + 1.0, poses, size)


def arms_action(rig: Object, thing: str, name: str) -> Action:
    """An action of the arms that carry something, and of nothing else: what else a person does comes from the clips."""
    pose = carrying(thing)
    pose.turns.pop("Chest")
    return _action(rig, name, np.ones(1), [pose], 1.0, tuple(pose.turns))


def _action(
    rig: Object, name: str, frames: np.ndarray, poses: Sequence[Pose], size: float, bones: Iterable[str] = ()
) -> Action:
    """An action with these poses on frames (f,), of some bones or of all."""
    action, slot = new_action(name, rig)
    bag = channelbag_in(action, slot, ensure=True)
    wanted = tuple(bones) or tuple(bone for bone, *_ in BONES)
    for (path, index), values in _channels(rig, poses, size, wanted).items():
        curve = bag.fcurves.new(path, index=index)
        curve.keyframe_points.add(len(frames))
        curve.keyframe_points.foreach_set("co", np.stack((frames, values), axis=1).astype(np.float32).ravel())
        curve.keyframe_points.foreach_set("interpolation", np.full(len(frames), LINEAR, np.uint8))
        curve.update()
    return action


def _channels(
    rig: Object, poses: Sequence[Pose], size: float, wanted: Sequence[str]
) -> Mapping[tuple[str, int], np.ndarray]:
    """The values (f,) of the channels of bones in some poses, by data path and index."""
    rest = {bone.name: doubles(bone.matrix_local)[:3, :3] for bone in rig.data.bones}
    above = {bone: parent for bone, parent, *_ in BONES}
    channels = {}
    for bone in wanted:
        turns = np.stack([_local(pose, bone, above[bone]) for pose in poses])
        numbers = channels_from_matrices((rest[bone].T @ turns @ rest[bone])[:, None], "QUATERNION")[:, 0]
        path = f'pose.bones["{bone}"].rotation_quaternion'
        channels.update({(path, index): numbers[:, index] for index in range(4)})
        if not above[bone]:
            place = size * np.stack([pose.hips for pose in poses]) @ rest[bone]
            path = f'pose.bones["{bone}"].location'
            channels.update({(path, index): place[:, index] for index in range(3)})
    return channels


def _local(pose: Pose, bone: str, above: str) -> np.ndarray:
    """How a bone is turned against the one above it, (3, 3) in the space of the model at rest."""
    return pose.turns.get(above, np.eye(3)).T @ pose.turns[bone]
