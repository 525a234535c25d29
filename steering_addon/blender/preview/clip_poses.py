"""The clips that a preview plays: it poses evaluated copies of armatures, while the objects stay unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ..animation.posing import POSE
from ..clips.clip_bodies import Bodies, RigPose
from ..read.plan import Plan
from ..refusal import Refusal
from ..write.plan_clips import PlanClips

if TYPE_CHECKING:
    from bpy.types import Object

WIDTHS = {"location": 3, "rotation_quaternion": 4, "rotation_euler": 3, "scale": 3}
"""The channels of bones that a preview poses, and their number of components."""


class PreviewedClips:
    """What the vehicles of a plan play of their clips, on the frames that the preview has reached."""

    def __init__(self, plan: Plan) -> None:
        self._first = int(plan.frames[0])
        self._taken = 0
        self._seen = np.zeros(len(plan), dtype=np.bool_)
        try:
            # A preview shows the clips also where a bake would ask to set an action aside.
            self._clips: PlanClips | None = PlanClips(plan, replace=True, only_measured=True)
        except Refusal:
            # The bake says it.
            self._clips = None

    @property
    def are_played(self) -> bool:
        return self._clips is not None and self._clips.are_played

    def poses(self, frame: int, bodies: Iterable[tuple[Bodies, np.ndarray]]) -> list[RigPose]:
        """The poses of the armatures on a frame.

        Args:
            bodies: those of all vehicles, and which of these are away (n,), on each frame from the first that was not
                taken in so far (`next_frame`) to this one.
        """
        for each, away in bodies:
            entered = ~away & ~self._seen
            self._seen |= entered
            self._clips.frame(self._taken, each.entering(entered))
            self._taken += 1
        return list(self._clips.poses(frame - self._first))

    @property
    def next_frame(self) -> int:
        """The first frame that was not taken in."""
        return self._first + self._taken


@contextmanager
def posed(poses: Sequence[RigPose]) -> Iterator[None]:
    """Pose armatures until the end, when their channels are as before without Blender evaluating them again."""
    before: list[tuple[Object, dict[str, np.ndarray]]] = []
    layouts: dict[tuple[str, int], dict[str, tuple[np.ndarray, np.ndarray]]] = {}
    try:
        for pose in poses:
            alike = pose.rig.data.name_full, id(pose.channels)
            if alike not in layouts:
                layouts[alike] = _layout(pose)
            stood = {name: _values(pose.rig, name) for name in WIDTHS}
            before.append((pose.rig, stood))
            for name, (places, columns) in layouts[alike].items():
                values = stood[name].copy()
                values.ravel()[places] = pose.values[columns]
                pose.rig.pose.bones.foreach_set(name, values.ravel())
            pose.rig.update_tag(refresh={"OBJECT", "DATA"})
        yield
    finally:
        for rig, stood in before:
            _put_back_unnoticed(rig, stood)


def _values(rig: Object, name: str) -> np.ndarray:
    """A channel of all bones, a row each."""
    bones = rig.pose.bones
    values = np.empty((len(bones), WIDTHS[name]), dtype=np.float32)
    bones.foreach_get(name, values.ravel())
    return values


def _put_back_unnoticed(rig: Object, stood: dict[str, np.ndarray]) -> None:
    """Restore channels of bones, also those that drivers have set since.

    One bone at a time: once bones are set in bulk, Blender 4.3 and later evaluates the drivers of their armature again,
    and with them its pose.
    """
    bones = list(rig.pose.bones)
    for name, values in stood.items():
        for row in np.flatnonzero((_values(rig, name) != values).any(axis=1)).tolist():
            bones[row].path_resolve(name, False).foreach_set(values[row])


def _layout(pose: RigPose) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Where the values of a pose go: by channel of the bones, the places in its column and the rows of the values."""
    rows = {bone.name: row for row, bone in enumerate(pose.rig.pose.bones)}
    pairs: dict[str, list[tuple[int, int]]] = {}
    for column, (path, index) in enumerate(pose.channels):
        bone, _, name = path[len(POSE) + 1 :].rpartition('"].')
        bone = bpy.utils.unescape_identifier(bone)
        if name in WIDTHS and bone in rows:
            pairs.setdefault(name, []).append((rows[bone] * WIDTHS[name] + index, column))
    return {name: tuple(np.array(each).T) for name, each in pairs.items()}


def evaluate_again(obs: Iterable[Object]) -> None:
    """Let Blender show armatures in their real poses, and what drivers read as it really is."""
    for ob in obs:
        ob.update_tag()
