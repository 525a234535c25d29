"""Keys that turn the heads of rigs to where their bodies will face, on top of what their clips play."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from bpy.utils import escape_identifier

from ...simulation.arrays.vectors import Scalars
from ..read.clips.rig import Rig
from ..read.rotation_channels import channels_from_matrices, data_path
from .clip_planting import Keyed

if TYPE_CHECKING:
    from bpy.types import Object

HEAD = "Head"
"""The name of the strip that turns heads."""
NAMED = re.compile(r"(^|[^a-z])head([^a-z]|$)", re.IGNORECASE)


def head_of(rig: Object, named: str, channels: Collection[tuple[str, int]]) -> str | None:
    """The bone that turns the head of an armature: the one of this name, else the first whose name is that of a head.

    None if there is none, or clips do not turn it: what they leave alone would keep its turn without them.
    """
    bones = [named] if named else [bone.name for bone in rig.data.bones if NAMED.search(bone.name)]
    known = (bone for bone in bones if bone in rig.pose.bones and (_path(rig, bone), 0) in channels)
    return next(known, None)


def eyes_of(body: Rig, bone: str) -> float:
    """The height of the joint of a head above the origin of its model at rest, metres."""
    return float(body.matrix[2] @ body.rest[body.names.index(bone)][:, 3])


def head_keys(rig: Object, body: Rig, bone: str, left: Scalars, raised: Scalars) -> Keyed:
    """The keys that turn a head on all frames of a run, on top of what the clips play.

    Args:
        body: the rig as read, whose matrix says which way is up.
        left, raised: (f,) radians.
    """
    to_bone = body.rest[body.names.index(bone)][:3, :3].T
    aside, _, up = (to_bone @ (row / np.linalg.norm(row)) for row in body.matrix[:3, :3])
    turns = _turned_about(up, left) @ _turned_about(aside, -raised)
    numbers = channels_from_matrices(turns[:, None], rig.pose.bones[bone].rotation_mode)[:, 0]
    return {(_path(rig, bone), index): numbers[:, index] for index in range(numbers.shape[1])}


def _turned_about(axis: np.ndarray, angle: Scalars) -> np.ndarray:
    """Rotations about an axis (3,) by angles (f,), (f, 3, 3)."""
    cos, sin = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    x, y, z = axis
    across = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    turns: np.ndarray = np.eye(3) * cos + across * sin + np.outer(axis, axis) * (1.0 - cos)
    return turns


def _path(rig: Object, bone: str) -> str:
    return f'pose.bones["{escape_identifier(bone)}"].{data_path(rig.pose.bones[bone].rotation_mode)}'
