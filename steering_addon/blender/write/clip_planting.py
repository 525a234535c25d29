"""Leg keys that hold the feet of rigs where they stand, on top of what their clips play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from bpy.utils import escape_identifier

from ...portrayal.clips import PHASES, Clip, Playing, leading
from ...portrayal.footholds import Carried, Stepping, footholds
from ...portrayal.planting import Ground, Leg, Skeleton, planted
from ...portrayal.soles import Foot, feet_of, foot_of
from ...simulation.arrays.vectors import Rows, Scalars
from ..read.clips.measuring import SEARCHED, low_points
from ..read.clips.poses import Channels, channels_of, follows_from_curves, from_channels
from ..read.clips.rig import Rig
from ..read.rotation_channels import channels_from_matrices, data_path

if TYPE_CHECKING:
    from bpy.types import Action, Object

MATTERS = 0.1
"""The share of a foot's weight from which on a bone belongs to it."""


class Planting:
    """Computes the leg keys of the rigs of one model.

    Attributes:
        reason: why its feet cannot be held; empty if they can.
        legs: of its feet.
    """

    def __init__(self, armature: Object, rig: Rig, clips: Sequence[Clip], actions: Sequence[Action]) -> None:
        """`actions` are what strips play of `clips`: all of the same channels, closed, and beginning on frame 0."""
        self.legs: list[Leg] = []
        self.reason = ""
        first = leading(clips)
        if not follows_from_curves(armature):
            self.reason = f"{armature.name} has constraints or drivers, which move its legs"
            return
        if first < 0:
            self.reason = "there is no clip that moves"
            return
        self._rig = rig
        self._modes = [armature.pose.bones[name].rotation_mode for name in rig.names]
        self._at_rest = _at_rest(rig)
        self._tables = [_table(armature, rig, action) for action in actions]
        poses = [from_channels(rig, table.matrices()) for table in self._tables]
        low = low_points(rig, poses[first][::SEARCHED])
        feet = feet_of(rig.moved(poses[first], low), rig.height)
        legs = [leg_of(rig, low[foot.points]) for foot in feet]
        if not feet or any(leg is None for leg in legs):
            self.reason = f"not every foot of {armature.name} is below a leg of two bones"
            return
        self.legs = [leg for leg in legs if leg is not None]
        if len({leg.thigh for leg in self.legs}) < len(self.legs):
            self.reason = f"two feet of {armature.name} share a leg"
            self.legs = []
            return
        self._soles = [low[foot.points] for foot in feet]
        self._rests = np.array([self._rest_heights(each, feet, low) for each in poses])

    def keys(
        self, playing: Playing, body: Carried, frame_time: float, ground: Ground | None = None
    ) -> tuple[dict[tuple[str, int], Scalars], Scalars]:
        """The keys of the legs of one rig on all frames of a run.

        Args:
            playing: (clips, f) of it.
            body: it, on f frames.
            frame_time: seconds.
            ground: what it stands on; None for the level of the body.

        Returns:
            values (f,) by data path and index; and (legs, f) metres by which a foot is short of its place.
        """
        poses = self.poses(playing)
        rests = np.einsum("cf,cl->fl", playing.weights(), self._rests)
        soles = [Stepping(self._rig.moved(poses, rows), rests[:, number]) for number, rows in enumerate(self._soles)]
        corrections = footholds(body, soles, self._rig.height, frame_time, ground)
        placed = self._rig.matrix[:3] @ poses
        skeleton = Skeleton(self._rig.parents, self._at_rest, placed[..., 3], _turns(placed[..., :3]))
        turns, short = planted(skeleton, self.legs, corrections)
        return self._channels(turns), short

    def poses(self, playing: Playing) -> np.ndarray:
        """The poses (f, n, 4, 4) of the bones that strips show, from phases and influences (clips, f)."""
        part = playing.phase - np.floor(playing.phase)
        mixed = self._tables[0].at(part[0] * PHASES)
        for clip, table in enumerate(self._tables[1:], 1):
            if playing.influence[clip].any():
                mixed = mixed.mixed(table.at(part[clip] * PHASES), playing.influence[clip])
        return from_channels(self._rig, mixed.matrices())

    def _rest_heights(self, poses: np.ndarray, feet: Sequence[Foot], low: Rows) -> list[float]:
        points = self._rig.moved(poses, low)
        return [foot_of(points, foot.points, self._rig.height).rests for foot in feet]

    def _channels(self, turns: Mapping[int, np.ndarray]) -> dict[tuple[str, int], Scalars]:
        channels = {}
        for bone, matrices in turns.items():
            numbers = channels_from_matrices(matrices[:, None], self._modes[bone])[:, 0]
            path = f'pose.bones["{escape_identifier(self._rig.names[bone])}"].{data_path(self._modes[bone])}'
            channels.update({(path, index): numbers[:, index] for index in range(numbers.shape[1])})
        return channels


def leg_of(rig: Rig, rows: Rows) -> Leg | None:
    """The leg above a foot, whose points are in these rows; None if there are no two bones above it, and a body."""
    weight = np.bincount(rig.bones[rows].ravel(), rig.weights[rows].ravel(), minlength=len(rig.names))
    bones = np.flatnonzero(weight > MATTERS * weight.sum())
    tops = [bone for bone in bones if rig.parents[bone] not in bones]
    foot = max(tops, key=lambda bone: weight[bone], default=-1)
    above = [foot]
    while above[-1] >= 0 and len(above) < 4:
        above.append(int(rig.parents[above[-1]]))
    return Leg(above[2], above[1], above[0]) if len(above) == 4 and above[-1] >= 0 else None


def _table(armature: Object, rig: Rig, action: Action) -> Channels:
    first, last = action.frame_range
    return channels_of(armature, rig, action, first + (last - first) * np.arange(PHASES + 2) / PHASES)


def _at_rest(rig: Rig) -> np.ndarray:
    """How each bone is turned to its parent at rest, (n, 3, 3)."""
    turns = _turns(rig.rest[:, :3, :3])
    above = np.where((rig.parents >= 0)[:, None, None], turns[rig.parents], np.eye(3))
    return np.einsum("nji,njk->nik", above, turns)


def _turns(matrices: np.ndarray) -> np.ndarray:
    """Matrices (..., 3, 3) without their scale."""
    return matrices / np.maximum(np.linalg.norm(matrices, axis=-2, keepdims=True), 1e-12)
