"""Keys that hold the backs and heads of vehicles of one model differently, on top of what their clips play.

Only bones between the legs and the head are turned, and the head itself: no bone that carries anything near the ground.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from bpy.types import Action, Object

from ...portrayal.heads import postures, variants_of
from ...simulation.arrays.chance import Keys
from ...simulation.arrays.scalars import Scalars
from ..animation.rotation_channels import channels_from_matrices
from ..objects.doubles import doubles
from .clip_copies import ClipCopy
from .clip_heads import added, head_of, path_of, turned_about
from .poses import follows_from_curves
from .rig import Rig
from .rig_keys import made_for

POSTURE = "Posture"
"""The name of the strip that holds a body differently."""
LOW = 0.25
"""Heights of the model above its lowest point up to which points belong to legs: what carries them is not turned."""
MATTERS = 0.1
"""The share of a point from which on a bone moves it."""


class Posture:
    """How the vehicles of one model hold their backs and heads."""

    def __init__(self, rig: Object, bones: Sequence[str], matrix: np.ndarray, most: Scalars, keys: Keys) -> None:
        """Say how n vehicles are turned.

        Args:
            rig: an armature of the model.
            bones: the head, and those below it.
            matrix: (4, 4) from its space to the model's.
            most: (n,) radians.
            keys: (n,) their random keys.
        """
        self.variants = variants_of(keys)
        back, head = postures(most, self.variants)
        below = len(bones) - 1
        shares = [head, *([back / max(below, 1)] * below)]
        self._columns: dict[tuple[str, int], np.ndarray] = {}
        for bone, angles in zip(bones, shares):
            to_bone = doubles(rig.data.bones[bone].matrix_local)[:3, :3].T
            aside, behind, up = (to_bone @ (row / np.linalg.norm(row)) for row in matrix[:3, :3])
            turns = turned_about(up, angles[:, 2]) @ turned_about(behind, angles[:, 1])
            turns = turns @ turned_about(aside, -angles[:, 0])
            numbers = channels_from_matrices(turns[:, None], rig.pose.bones[bone].rotation_mode)[:, 0]
            path = path_of(rig, bone)
            self._columns |= {(path, index): numbers[:, index] for index in range(numbers.shape[1])}

    def copies(self, rig: Object, existing: Mapping[str, Action]) -> list[ClipCopy]:
        """The posture action of each vehicle, (n), shared by equal postures."""
        variants, rows, back = np.unique(self.variants, return_index=True, return_inverse=True)
        keys = [{channel: column[row : row + 1] for channel, column in self._columns.items()} for row in rows]
        made = made_for([rig] * len(variants), POSTURE, keys, existing)
        return [made[row] for row in back.tolist()]

    def turn(self, channels: Sequence[tuple[str, int]], values: np.ndarray) -> None:
        """Turn poses (n, c) of some channels, as a strip of the bake adds to others."""
        added(self._columns, channels, values)


def posture_of(
    rig: Object,
    named: str,
    channels: Collection[tuple[str, int]],
    shape: Callable[[], Rig],
    most: Scalars,
    keys: Keys,
) -> Posture | None:
    """The postures of n vehicles of one model; None if they have none, or it has no bones that may be turned.

    Args:
        rig: an armature of the model.
        named, channels: as for `head_of`.
        shape: reads its rig.
        most, keys: as for `Posture`.
    """
    head = head_of(rig, named, channels) if most.any() else None
    if head is None or not follows_from_curves(rig, _upwards(rig, head)):
        return None
    model = shape()
    free = _carrying_nothing_low(model)
    bones = [bone for bone in _upwards(rig, head) if bone in free and (path_of(rig, bone), 0) in channels]
    return Posture(rig, bones, model.matrix, most, keys) if bones[:1] == [head] else None


def _upwards(rig: Object, bone: str) -> list[str]:
    """A bone and those above it, the nearest first."""
    return [bone, *(parent.name for parent in rig.data.bones[bone].parent_recursive)]


def _carrying_nothing_low(rig: Rig) -> set[str]:
    """The bones that move nothing near the ground, themselves or by others that they carry."""
    heights = rig.at_rest()[:, 2]
    lowest = np.full(len(rig.names), np.inf)
    for bones, weights in zip(rig.bones.T, rig.weights.T):
        moved = weights > MATTERS
        np.minimum.at(lowest, bones[moved], heights[moved])
    for bone in range(len(rig.names) - 1, -1, -1):
        if (parent := int(rig.parents[bone])) >= 0:
            lowest[parent] = min(lowest[parent], lowest[bone])
    limit = heights.min(initial=0.0) + LOW * rig.height
    return {name for name, height in zip(rig.names, lowest) if height > limit}
