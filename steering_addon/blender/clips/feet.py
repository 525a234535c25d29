"""The feet of a rig in its clips: their soles, and the height at which they rest."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object

from ...portrayal.feet.soles import find_feet, resting_height
from ...simulation.arrays.scalars import Rows
from .measuring import MOSTLY, SEARCHED, low_points
from .poses import Channels, channels_of, follows_from_curves, from_blender, from_channels, phases_of
from .rig import Rig

MOST = 12
"""Places of a sole that are looked at, the lowest ones."""
TOES = 2
"""Bones from that of the heel to that of the toes at most."""


@dataclass(frozen=True)
class Feet:
    """The feet of a rig in clips.

    Attributes:
        channels: of each clip, those of all bones on PHASES + 2 rows: at each phase, and over its end, as phases may be
            rounded up.
        poses: of each clip, (PHASES + 2, n, 4, 4), alike.
        points: the rows of the points of each foot.
        soles: the rows of those that it stands on.
        rests: (clips, feet) the heights at which they rest, metres.
    """

    channels: list[Channels]
    poses: list[np.ndarray]
    points: list[Rows]
    soles: list[Rows]
    rests: np.ndarray


def read_feet(armature: Object, rig: Rig, actions: Sequence[Action], first: int) -> Feet:
    """The feet of a rig, as they are found in the clip in row `first`."""
    frames = [phases_of(action) for action in actions]
    channels = [channels_of(armature, rig, *clip) for clip in zip(actions, frames)]
    if follows_from_curves(armature):
        poses = [from_channels(rig, clip_channels) for clip_channels in channels]
    else:
        poses = [from_blender(armature, rig, *clip) for clip in zip(actions, frames)]
    low = low_points(rig, poses[first][::SEARCHED])
    feet = _join_toes(rig, [low[foot.points] for foot in find_feet(rig.posed_points(poses[first], low), rig.height)])
    heights = rig.heights(poses[first])
    soles = [_sole(rig, rows, heights) for rows in feet]
    rests = [[resting_height(rig.posed_points(clip_poses, rows), rig.height) for rows in soles] for clip_poses in poses]
    return Feet(
        channels=channels, poses=poses, points=feet, soles=soles, rests=np.array(rests).reshape(len(actions), len(feet))
    )


def _sole(rig: Rig, foot: Rows, heights: np.ndarray) -> Rows:
    """The rows of the points that a foot stands on, of all that move with its bones.

    A heel may dip into the ground as it is put down: that does not make it lower than the toes. Flat faces have points
    of their own at the same place, of which one is enough. `foot`: the rows of points of it; `heights`: (f, m) metres
    of all points on the frames of a cycle.
    """
    rows = np.flatnonzero(np.isin(rig.parts_of(np.arange(len(rig.points))), rig.parts_of(foot)))
    sole_heights = heights[:, rows]
    order = np.argsort(np.quantile(sole_heights, MOSTLY, axis=0), kind="stable")
    rows = rows[np.concatenate((np.argmin(sole_heights, axis=1), order))]
    _, first_rows = np.unique(rig.points[rows], axis=0, return_index=True)
    return rows[np.sort(first_rows)[:MOST]]


def _join_toes(rig: Rig, groups: Sequence[Rows]) -> list[Rows]:
    """Merge the points (r,) of each heel with those of its toes: in a run they do not touch the ground together."""
    bones = [int(np.bincount(rig.bones[rows].ravel(), rig.weights[rows].ravel()).argmax()) for rows in groups]
    feet: dict[int, list[Rows]] = {}
    for bone, rows in zip(bones, groups):
        top = parent = bone
        for _ in range(TOES):
            parent = int(rig.parents[parent]) if parent >= 0 else -1
            top = parent if parent in bones else top
        feet.setdefault(top, []).append(rows)
    return [np.sort(np.concatenate(rows)) for rows in feet.values()]
