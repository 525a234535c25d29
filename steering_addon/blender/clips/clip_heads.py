"""Keys that turn the heads of rigs to where their bodies will face, on top of what their clips play."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object
from bpy.utils import escape_identifier

from ...simulation.arrays.scalars import Scalars
from ..animation.rotation_channels import channels_from_matrices, data_path
from ..objects.doubles import doubles
from ..stored_values import sound_front
from .measuring import axes_of
from .rig import is_mirrored, to_model
from .rig_keys import Keyed

HEAD = "Head"
"""The name of the strip that turns heads."""
QUATERNION = 4
"""The number of channels of a rotation by quaternions."""
NAMED = re.compile(r"(^|[^a-z])head([^a-z]|$)", re.IGNORECASE)


def head_of(rig: Object, named: str, channels: Collection[tuple[str, int]]) -> str | None:
    """The bone that turns the head of an armature: the one of this name, else the first whose name is that of a head.

    None if there is none, or clips do not turn it: what they leave alone would keep its turn without them.
    """
    if rig.type != "ARMATURE":
        return None
    bones = [named] if named else [bone.name for bone in rig.data.bones if NAMED.search(bone.name)]
    known = (bone for bone in bones if bone in rig.pose.bones and (path_of(rig, bone), 0) in channels)
    return next(known, None)


@dataclass(frozen=True)
class Neck:
    """The joint that turns the head of the rigs of a model.

    Attributes:
        bone: the name of the bone.
        rest: (4, 4) of it in the armature's space.
        matrix: (4, 4) from there to the model's space.
    """

    bone: str
    rest: np.ndarray
    matrix: np.ndarray

    @property
    def height(self) -> float:
        """The height of the joint above the origin of the model at rest, metres."""
        return float(self.matrix[2] @ self.rest[:, 3])

    def keys(self, rig: Object, left: Scalars, raised: Scalars) -> Keyed:
        """The channels that turn heads on top of what the clips play, (n, f) each, by (n, f) radians.

        `rig` is one of theirs: they are alike.
        """
        to_bone = self.rest[:3, :3].T
        aside, _, up = (to_bone @ (row / np.linalg.norm(row)) for row in self.matrix[:3, :3])
        # In the axes of a mirrored model, turns go the other way.
        hand = -1.0 if is_mirrored(self.matrix) else 1.0
        turns = turned_about(up, hand * left) @ turned_about(aside, -hand * raised)
        mode = rig.pose.bones[self.bone].rotation_mode
        numbers = channels_from_matrices(turns.swapaxes(0, 1), mode).swapaxes(0, 1)
        return {(path_of(rig, self.bone), index): numbers[..., index] for index in range(numbers.shape[-1])}

    def turn(
        self, rig: Object, channels: Sequence[tuple[str, int]], values: np.ndarray, left: Scalars, raised: Scalars
    ) -> None:
        """Turn the heads in poses (n, c) of some channels, as a strip of the bake adds to others.

        Args:
            rig: one of theirs: they are alike.
            left, raised: (n,) radians.
        """
        keys = self.keys(rig, left[:, None], raised[:, None])
        added({channel: column[:, 0] for channel, column in keys.items()}, channels, values)


def neck_of(rig: Object, vehicle: Object, named: str, channels: Collection[tuple[str, int]]) -> Neck | None:
    """The neck of a vehicle whose clips animate some channels; None without one. `named` as for `head_of`."""
    bone = head_of(rig, named, channels)
    if bone is None:
        return None
    matrix = to_model(rig, vehicle, axes_of(*sound_front(vehicle)))
    return Neck(bone, doubles(rig.data.bones[bone].matrix_local), matrix)


def added(keys: Keyed, channels: Sequence[tuple[str, int]], values: np.ndarray) -> None:
    """Turn poses (n, c) of some channels by rotations, as a strip that combines adds them. `keys`: (n,) each, all
    channels of a rotation one after the other; those that are not among `channels` are left out."""
    rotations: dict[str, list[tuple[str, int]]] = {}
    for path, index in keys:
        rotations.setdefault(path, []).append((path, index))
    known = {channel: column for column, channel in enumerate(channels)}
    for rotation in rotations.values():
        if all(channel in known for channel in rotation):
            columns = [known[channel] for channel in rotation]
            turn, played = np.stack([keys[channel] for channel in rotation], axis=1), values[:, columns]
            values[:, columns] = _in_turn(played, turn) if len(columns) == QUATERNION else played + turn


def _in_turn(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The products of quaternions (n, 4)."""
    a, v = first[:, :1], first[:, 1:]
    b, u = second[:, :1], second[:, 1:]
    scalar = a * b - np.einsum("ni,ni->n", v, u)[:, None]
    return np.concatenate((scalar, a * u + b * v + np.cross(v, u)), axis=1)


def turned_about(axis: np.ndarray, angle: Scalars) -> np.ndarray:
    """Rotations about an axis (3,) by angles (...), (..., 3, 3)."""
    cos, sin = np.cos(angle)[..., None, None], np.sin(angle)[..., None, None]
    x, y, z = axis
    across = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    turns: np.ndarray = np.eye(3) * cos + across * sin + np.outer(axis, axis) * (1.0 - cos)
    return turns


def path_of(rig: Object, bone: str) -> str:
    """The data path of the rotation of a bone."""
    return f'pose.bones["{escape_identifier(bone)}"].{data_path(rig.pose.bones[bone].rotation_mode)}'
