"""The controls of feet on rigs whose legs constraints pose, found by moving bones and looking at what follows.

No names of bones are needed, and no knowledge of what is between a control and its foot. A control of a foot carries
the sole as a stiff body, and no other foot; the one of the hips carries all legs, and no foot. Where inverse kinematics
bend a leg, that also says how far it reaches.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object, PoseBone, Scene

from ...simulation.arrays.scalars import Rows
from ...simulation.arrays.vectors import Vectors
from ..animation.animation_data import evaluate
from ..animation.rotation_channels import channels_from_matrices, data_path, matrices_from_channels
from ..objects.doubles import column_from, doubles
from ..objects.drivers import drivers_of
from .clip_posture import turned_about
from .poses import bone_channel, copy_aside, phases_of, played_curves
from .rig import Rig

PUSH, TURN = 0.02, 0.1
"""Model heights by which a bone is moved, and radians by which it is turned, to see what follows."""
STIFF = 0.1
"""The share of a move by which what follows it may stay off."""


@dataclass(frozen=True)
class Chain:
    """Bones that inverse kinematics bend. `top`: the row of the first one, at whose head the hip is; `end`: the row of
    the last one, at whose tail the ankle is; `length`: of all, in the armature's space."""

    top: int
    end: int
    length: float


@dataclass(frozen=True)
class RigControl:
    """A bone that carries a foot. `bone`: its row; `turns`: whether the foot turns with it; `leg`: what bends between
    the hips and the foot, if that is known."""

    bone: int
    turns: bool
    leg: Chain | None


@dataclass(frozen=True)
class Controls:
    """The controls of a rig. `feet`: one for each foot; `hips`: the row of the bone of the hips, -1 for none."""

    feet: tuple[RigControl, ...]
    hips: int


def find_controls(
    armature: Object, rig: Rig, action: Action, poses: np.ndarray, soles: Sequence[Rows]
) -> Controls | None:
    """Find the controls of feet; None if one foot has none. `action`: moves the feet; `poses`: (PHASES + 2, n, 4, 4) of
    it; `soles`: the rows of the points of each foot."""
    # A leg is bent where its foot is raised: there it can follow its control.
    raised = [int(rig.posed_points(poses, rows)[:-2, :, 2].min(axis=1).argmax()) for rows in soles]
    frames = phases_of(action)[raised].tolist()
    with copy_aside(armature, action) as (scene, copy):
        probe = _Probe(scene, copy, rig, soles)
        keyed = {bone_channel(curve.data_path) for curve in played_curves(action, armature)}
        moved = {bone for bone, channel in keyed if channel == "location"}
        chains = _chains(copy)
        feet: list[RigControl] = []
        for foot, frame in enumerate(frames):
            probe.pose(action, armature, frame)
            targeted = probe.highest_first({name for _, targets in chains for name in targets})
            bones = [bone for bone in targeted if bone in moved] + [bone for bone in targeted if bone not in moved]
            bone = next((bone for bone in bones if probe.carries(bone, foot)), None)
            if bone is None:
                return None
            feet.append(RigControl(probe.row(bone), probe.turns(bone, foot), _leg_of(rig, chains, bone)))
        if len({control.bone for control in feet}) < len(feet):
            return None
        legs = [control.leg for control in feet if control.leg is not None]
        tops = {rig.names[row] for leg in legs for row in (leg.top, *rig.above(leg.top))}
        bones = probe.highest_first(moved) + probe.highest_first(tops - moved)
        hips = next((bone for bone in bones if legs and probe.carries_legs(bone, legs)), None)
        return Controls(tuple(feet), probe.row(hips) if hips is not None else -1)


def _median_length(vectors: Vectors) -> float:
    """The median length of vectors (m, 3): some points of a sole may also follow the shin."""
    return float(np.median(np.linalg.norm(vectors, axis=1)))


def location_axes(rig: Rig, bone: int, poses: np.ndarray, is_local: bool) -> np.ndarray:
    """The axes of the location of a bone in the armature's space as columns, (f, 3, 3), from poses (f, n, 4, 4)."""
    parent = rig.parents[bone]
    rest = rig.rest[bone, :3, :3]
    if parent < 0:
        return np.repeat((rest if is_local else np.eye(3))[None], len(poses), axis=0)
    axes = poses[:, parent, :3, :3]
    return axes @ (rig.rest[parent, :3, :3].T @ rest) if is_local else axes


class _Probe:
    """A copy of an armature, of which bones are moved for a moment."""

    def __init__(self, scene: Scene, copy: Object, rig: Rig, soles: Sequence[Rows]) -> None:
        self._scene, self._copy, self._rig = scene, copy, rig
        self._order = [copy.pose.bones.find(name) for name in rig.names]
        self._rows = np.concatenate(soles)
        ends = np.cumsum([len(rows) for rows in soles])
        self._soles = [slice(end - len(rows), end) for end, rows in zip(ends, soles)]
        self._to_armature = np.linalg.inv(rig.matrix[:3, :3])
        self._push = self._to_armature @ (0.0, 0.0, PUSH * rig.height)
        self._up = self._push / np.linalg.norm(self._push)
        self._driven = [driver.data_path for driver in drivers_of(copy)]

    def row(self, bone: str) -> int:
        return self._rig.names.index(bone)

    def pose(self, action: Action, armature: Object, frame: float) -> None:
        """Pose the copy as an action does on a frame, without that playing."""
        self._copy.animation_data.action = None
        for curve in played_curves(action, armature):
            if not curve.mute:
                self._set(curve.data_path, curve.array_index, float(evaluate(curve, np.array((frame,)))[0]))
        self._stood, self._placed = self._look()

    def highest_first(self, bones: Iterable[str]) -> list[str]:
        """The bones that an animator can move, those with the fewest bones above them first."""
        depths = {bone: len(self._copy.data.bones[bone].parent_recursive) for bone in bones if self._is_free(bone)}
        return sorted(depths, key=lambda bone: (depths[bone], self.row(bone)))

    def carries(self, bone: str, foot: int) -> bool:
        """Whether a foot, and no other one, moves with a bone."""
        shifts = self._look_shifted(bone, self._push)[1] - self._placed
        follows = [self._is_near(shifts[sole], self._push) for sole in self._soles]
        stays = [self._is_near(shifts[sole], 0.0) for sole in self._soles]
        return follows[foot] and all(stays[:foot] + stays[foot + 1 :])

    def turns(self, bone: str, foot: int) -> bool:
        """Whether a foot turns with a bone."""
        posed, row = self._copy.pose.bones[bone], self.row(bone)
        axes = self._stood[row, :3, :3] / np.linalg.norm(self._stood[row, :3, :3], axis=0)
        turn = turned_about(self._up, np.array(TURN))
        channel = data_path(posed.rotation_mode)
        before = doubles(getattr(posed, channel))
        basis = matrices_from_channels(before[None, None], posed.rotation_mode)[0, 0]
        numbers = channels_from_matrices((basis @ axes.T @ turn @ axes)[None, None], posed.rotation_mode)[0, 0]
        setattr(posed, channel, numbers)
        places = self._look()[1]
        setattr(posed, channel, before)
        head = self._stood[row, :3, 3]
        sole = self._soles[foot]
        wanted = (self._placed[sole] - head) @ turn.T + head
        error, path = (_median_length(wanted - places_at) for places_at in (places[sole], self._placed[sole]))
        return error < STIFF * path

    def carries_legs(self, bone: str, legs: Sequence[Chain]) -> bool:
        """Whether all hips move with a bone, and no foot does."""
        poses, places = self._look_shifted(bone, -self._push)
        tops = [leg.top for leg in legs]
        shifts = poses[tops, :3, 3] - self._stood[tops, :3, 3]
        return self._is_near(shifts, -self._push) and self._is_near(places - self._placed, 0.0)

    def _look_shifted(self, bone: str, push: Vectors) -> tuple[np.ndarray, Vectors]:
        """Look, while a bone is moved by (3,) in the armature's space."""
        posed, row = self._copy.pose.bones[bone], self.row(bone)
        axes = location_axes(self._rig, row, self._stood[None], posed.bone.use_local_location)[0]
        before = doubles(posed.location)
        posed.location = before + np.linalg.solve(axes, push)
        look = self._look()
        posed.location = before
        return look

    def _look(self) -> tuple[np.ndarray, Vectors]:
        """The poses of the bones (n, 4, 4) and the places of the points of soles (m, 3), in the armature's space."""
        layer = self._scene.view_layers[0]
        layer.update()
        bones = self._copy.evaluated_get(layer.depsgraph).pose.bones
        elements = column_from(bones, "matrix", 16).reshape(-1, 4, 4)
        poses = elements[self._order].transpose(0, 2, 1).astype(np.float64)
        model = self._rig.posed_points(poses[None], self._rows)[0]
        return poses, (model - self._rig.matrix[:3, 3]) @ self._to_armature.T

    def _is_near(self, shifts: Vectors, push: Vectors | float) -> bool:
        return _median_length(shifts - push) < STIFF * float(np.linalg.norm(self._push))

    def _is_free(self, bone: str) -> bool:
        """Whether a bone is where its channels place it, and these can be keyed."""
        posed = self._copy.pose.bones.get(bone)
        if posed is None or all(posed.lock_location) or any(constraint.enabled for constraint in posed.constraints):
            return False
        return not any(bone_channel(path)[0] == bone for path in self._driven)

    def _set(self, path: str, index: int, value: float) -> None:
        owner, _, name = path.rpartition(".")
        if path.endswith("]"):
            owner, _, name = path.rpartition("[")
            name = name[1:-2]
        try:
            holder = self._copy.path_resolve(owner) if owner else self._copy
            current = holder[name] if path.endswith("]") else getattr(holder, name)
        except (ValueError, KeyError, AttributeError):
            return
        if path.endswith("]"):
            holder[name] = type(current)(value) if isinstance(current, (bool, int, float)) else current
        elif hasattr(current, "__len__"):
            current[index] = value
        elif owner:
            setattr(holder, name, type(current)(value))


def _chains(copy: Object) -> list[tuple[list[PoseBone], list[str]]]:
    """Chains of inverse kinematics: the bones from the last one upwards, and the target with those above it."""
    chains = []
    for end in copy.pose.bones:
        for constraint in end.constraints:
            target = (
                copy.data.bones.get(constraint.subtarget)
                if constraint.type == "IK" and constraint.target == copy
                else None
            )
            if target is None or not constraint.enabled:
                continue
            bones = [end, *end.parent_recursive][0 if constraint.use_tail else 1 :]
            names = [target.name, *(bone.name for bone in target.parent_recursive)]
            chains.append((bones[: constraint.chain_count or len(bones)], names))
    return chains


def _leg_of(rig: Rig, chains: Sequence[tuple[list[PoseBone], list[str]]], control: str) -> Chain | None:
    """The longest chain that goes after what a control carries."""
    legs = [bones for bones, targets in chains if len(bones) > 1 and control in targets]
    if not legs:
        return None
    bones = max(legs, key=len)
    return Chain(
        top=rig.names.index(bones[-1].name),
        end=rig.names.index(bones[0].name),
        length=float(sum(bone.bone.length for bone in bones)),
    )
