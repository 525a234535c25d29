"""How the models of a crowd hold themselves on top of their clips: heads that turn ahead, backs and heads that differ.

Only bones between the legs and the head are turned, and the head itself: no bone that carries anything near the ground.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object
from bpy.utils import escape_identifier

from ...portrayal.heads import postures, variants_of
from ...simulation.arrays.chance import Keys
from ...simulation.arrays.scalars import Scalars
from ..animation.rotation_channels import data_path
from ..objects.doubles import doubles
from ..refusal import sound_front
from .clip_copies import ClipCopy
from .measuring import axes_of
from .poses import follows_from_curves
from .rig import Rig, is_mirrored, to_model
from .rig_keys import Keyed, key_actions, rotation_keys

HEAD = "Head"
"""The name of the strip that turns heads."""
QUATERNION = 4
"""The number of channels of a rotation by quaternions."""
NAMED = re.compile(r"(^|[^a-z])head([^a-z]|$)", re.IGNORECASE)
POSTURE = "Posture"
"""The name of the strip that holds a body differently."""
LOW = 0.25
"""Heights of the model above its lowest point up to which points belong to legs: what carries them is not turned."""
MATTERS = 0.1
"""The share of a point from which on a bone moves it."""


def head_of(rig: Object, named: str, channels: Collection[tuple[str, int]]) -> str | None:
    """The bone that turns the head of an armature: the one of this name, else the first that is named a head. None if
    there is none, or clips do not turn it: what they leave alone would keep its turn without them."""
    if rig.type != "ARMATURE":
        return None
    bones = [named] if named else [bone.name for bone in rig.data.bones if NAMED.search(bone.name)]
    known = (bone for bone in bones if bone in rig.pose.bones and (path_of(rig, bone), 0) in channels)
    return next(known, None)


@dataclass(frozen=True)
class Neck:
    """The joint that turns the head of the rigs of a model. `rest`: (4, 4) of it in the space of the armature;
    `matrix`: (4, 4) from there to the model's space."""

    bone: str
    rest: np.ndarray
    matrix: np.ndarray

    @property
    def height(self) -> float:
        """The height of the joint above the origin of the model at rest, metres."""
        return float(self.matrix[2] @ self.rest[:, 3])

    def keys(self, rig: Object, left: Scalars, raised: Scalars) -> Keyed:
        """The channels that turn heads on top of what the clips play, (n, f) each, by (n, f) radians. `rig` is one of
        theirs: they are alike."""
        to_bone = self.rest[:3, :3].T
        side, _, up = (to_bone @ (row / np.linalg.norm(row)) for row in self.matrix[:3, :3])
        # In the axes of a mirrored model, turns go the other way.
        hand = -1.0 if is_mirrored(self.matrix) else 1.0
        turns = turned_about(up, hand * left) @ turned_about(side, -hand * raised)
        return rotation_keys(self.bone, rig.pose.bones[self.bone].rotation_mode, turns)

    def turn(
        self, rig: Object, channels: Sequence[tuple[str, int]], values: np.ndarray, left: Scalars, raised: Scalars
    ) -> None:
        """Turn heads in poses (n, c) as a strip does; `rig`: one of these; `left`, `raised`: (n,) radians."""
        keys = self.keys(rig, left[:, None], raised[:, None])
        add_rotations({channel: column[:, 0] for channel, column in keys.items()}, channels, values)


def neck_of(rig: Object, vehicle: Object, named: str, channels: Collection[tuple[str, int]]) -> Neck | None:
    """The neck of a vehicle whose clips animate some channels; None without one. `named` as for `head_of`."""
    bone = head_of(rig, named, channels)
    if bone is None:
        return None
    matrix = to_model(rig, vehicle, axes_of(*sound_front(vehicle)))
    return Neck(bone, doubles(rig.data.bones[bone].matrix_local), matrix)


def add_rotations(keys: Keyed, channels: Sequence[tuple[str, int]], values: np.ndarray) -> None:
    """Turn poses (n, c) of some channels as a strip that combines. `keys`: (n,) each, all channels of a rotation in a
    row; others than `channels` are left out."""
    rotations: dict[str, list[tuple[str, int]]] = {}
    for path, index in keys:
        rotations.setdefault(path, []).append((path, index))
    known = {channel: column for column, channel in enumerate(channels)}
    for rotation in rotations.values():
        if all(channel in known for channel in rotation):
            columns = [known[channel] for channel in rotation]
            turn, played = np.stack([keys[channel] for channel in rotation], axis=1), values[:, columns]
            values[:, columns] = _quaternion_products(played, turn) if len(columns) == QUATERNION else played + turn


def _quaternion_products(first: np.ndarray, second: np.ndarray) -> np.ndarray:
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


class Posture:
    """How the vehicles of one model hold their backs and heads."""

    def __init__(self, rig: Object, bones: Sequence[str], matrix: np.ndarray, max_turns: Scalars, keys: Keys) -> None:
        """Say how n vehicles are turned. `bones`: the head, and those below it; `matrix`: (4, 4) from the armature's
        space to the model's; `keys`: (n,) their random keys."""
        self.variants = variants_of(keys)
        back, head = postures(max_turns, self.variants)
        count = len(bones) - 1
        shares = [head, *([back / max(count, 1)] * count)]
        self._columns: dict[tuple[str, int], np.ndarray] = {}
        for bone, angles in zip(bones, shares):
            to_bone = doubles(rig.data.bones[bone].matrix_local)[:3, :3].T
            side, behind, up = (to_bone @ (row / np.linalg.norm(row)) for row in matrix[:3, :3])
            turns = turned_about(up, angles[:, 2]) @ turned_about(behind, angles[:, 1])
            turns = turns @ turned_about(side, -angles[:, 0])
            keys_of_bone = rotation_keys(bone, rig.pose.bones[bone].rotation_mode, turns[:, None])
            self._columns |= {channel: column[:, 0] for channel, column in keys_of_bone.items()}

    def copies(self, rig: Object, existing: Mapping[str, Action]) -> list[ClipCopy]:
        """The posture action of each vehicle, (n), shared by equal postures."""
        variants, rows, actions_of = np.unique(self.variants, return_index=True, return_inverse=True)
        keys = [{channel: column[row : row + 1] for channel, column in self._columns.items()} for row in rows]
        copies = key_actions([rig] * len(variants), POSTURE, keys, existing)
        return [copies[row] for row in actions_of.tolist()]

    def turn(self, channels: Sequence[tuple[str, int]], values: np.ndarray) -> None:
        """Turn poses (n, c) of some channels, as a strip of the bake adds to others."""
        add_rotations(self._columns, channels, values)


def posture_of(
    rig: Object,
    named: str,
    channels: Collection[tuple[str, int]],
    shape: Callable[[], Rig],
    max_turns: Scalars,
    keys: Keys,
) -> Posture | None:
    """The postures of n vehicles of one model; None if they have none, or it has no bones that may be turned. `rig`: an
    armature of the model; `named`, `channels`: as for `head_of`; `max_turns`, `keys`: as for `Posture`."""
    head = head_of(rig, named, channels) if max_turns.any() else None
    if head is None or not follows_from_curves(rig, _bones_upwards(rig, head)):
        return None
    model = shape()
    turnable = _bones_off_the_ground(model)
    bones = [bone for bone in _bones_upwards(rig, head) if bone in turnable and (path_of(rig, bone), 0) in channels]
    return Posture(rig, bones, model.matrix, max_turns, keys) if bones[:1] == [head] else None


def _bones_upwards(rig: Object, bone: str) -> list[str]:
    return [bone, *(parent.name for parent in rig.data.bones[bone].parent_recursive)]


def _bones_off_the_ground(rig: Rig) -> set[str]:
    """The bones that move nothing near the ground, themselves or by others that they carry."""
    heights = rig.at_rest()[:, 2]
    lowest = np.full(len(rig.names), np.inf)
    for bones, weights in zip(rig.bones.T, rig.weights.T):
        points = weights > MATTERS
        np.minimum.at(lowest, bones[points], heights[points])
    for bone in range(len(rig.names) - 1, -1, -1):
        if (parent := int(rig.parents[bone])) >= 0:
            lowest[parent] = min(lowest[parent], lowest[bone])
    limit = heights.min(initial=0.0) + LOW * rig.height
    return {name for name, height in zip(rig.names, lowest) if height > limit}
