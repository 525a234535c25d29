"""Legs that constraints pose: the controls of their feet, and how these are keyed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object

from ...portrayal.clips import Playing, mixed_tables
from ...portrayal.feet.rotations import in_axes, multiply, orthonormalize, rotate
from ...portrayal.feet.solving import Held, carry
from ...portrayal.feet.treads import LegReach, Stepping
from ...simulation.arrays.scalars import Scalars
from ...simulation.arrays.vectors import Vectors
from .controls import Controls, RigControl, location_axes
from .feet import Feet
from .poses import Channels, mixed_channels
from .rig import Rig
from .rig_keys import Keyed, by_body, location_keys, rotation_keys, without_scale


@dataclass(frozen=True)
class _Tables:
    """A control in each clip at each phase, (PHASES + 2, ...).

    Attributes:
        axes: (3, 3) how it would be turned without its own rotation, in the armature's space.
        basis: (3, 3) the axes of its location, as columns.
        origin: (3,) where it would be without its own location.
        sole, ankle: (m, 3) and (3,) in its own axes.
        hip: (3,) in the armature's space.
    """

    axes: list[np.ndarray]
    basis: list[np.ndarray]
    origin: list[np.ndarray]
    sole: list[np.ndarray]
    ankle: list[np.ndarray]
    hip: list[np.ndarray]


class ControlLegs:
    """The controls of the feet of the rigs of one model; `carriers` are their rows."""

    def __init__(self, armature: Object, rig: Rig, feet: Feet, controls: Controls) -> None:
        self.rig, self.controls, self.hips = rig, controls.feet, controls.hips
        self.carriers = [control.bone for control in controls.feet]
        bones = self.carriers + [controls.hips] * (controls.hips >= 0)
        names = rig.part(np.zeros(0, np.int64), bones).names
        self.rows = {bone: names.index(rig.names[bone]) for bone in bones}
        self.modes = {bone: armature.pose.bones[rig.names[bone]].rotation_mode for bone in bones}
        self._channels = [channels.of([rig.names.index(name) for name in names]) for channels in feet.channels]
        local = {bone: armature.data.bones[rig.names[bone]].use_local_location for bone in bones}
        lengths = [bone.length for bone in map(armature.data.bones.get, rig.names)]
        self._tables = []
        for control, sole in zip(controls.feet, feet.soles):
            of_clips = [
                self._table(poses, channels, control, sole, local[control.bone], lengths)
                for poses, channels in zip(feet.poses, self._channels)
            ]
            self._tables.append(_Tables(*map(list, zip(*of_clips))))
        if controls.hips >= 0:
            self._hip_axes = [location_axes(rig, controls.hips, poses, local[controls.hips]) for poses in feet.poses]

    def _table(
        self,
        poses: np.ndarray,
        channels: Channels,
        control: RigControl,
        sole: np.ndarray,
        is_local: bool,
        lengths: Sequence[float],
    ) -> tuple[np.ndarray, ...]:
        """A control in one clip, in the order of `_Tables`."""
        bone, row, to_model = control.bone, self.rows[control.bone], self.rig.matrix
        axes, position = without_scale(poses[:, bone, :3, :3]), poses[:, bone, :3, 3]
        basis = location_axes(self.rig, bone, poses, is_local)
        before = multiply(axes, without_scale(channels.matrices(slice(row, row + 1))[:, 0, :3, :3]).transpose(0, 2, 1))
        origin = position - np.einsum("fij,fj->fi", basis, channels.location[:, row])
        points = (self.rig.posed_points(poses, sole) - to_model[:3, 3]) @ np.linalg.inv(to_model[:3, :3]).T
        points_inside = np.einsum("fji,fmj->fmi", axes, points - position[:, None])
        leg = control.leg
        if leg is None:
            return before, basis, origin, points_inside, np.zeros_like(position), np.zeros_like(position)
        end = poses[:, leg.end]
        ankle = end[:, :3, 3] + without_scale(end[:, :3, :3])[..., 1] * lengths[leg.end]
        return (
            before,
            basis,
            origin,
            points_inside,
            np.einsum("fji,fj->fi", axes, ankle - position),
            poses[:, leg.top, :3, 3],
        )

    def lowers_hips(self, *, on_ground: bool) -> bool:
        """Whether hips come down so that feet are reached: not where no control carries them."""
        return on_ground and self.hips >= 0

    def pose(self, playing: Playing, shape: tuple[int, int]) -> "PosedControls":
        """Pose the controls of n rigs as their clips do; `playing` (clips, n f): one rig after the other."""
        return PosedControls(self, mixed_channels(self._channels, playing), self._tables, playing, shape)

    def hip_axes(self, playing: Playing) -> np.ndarray:
        """The axes of the location of the hips as columns, (n f, 3, 3)."""
        return mixed_tables(self._hip_axes, playing)


class PosedControls:
    """The controls of n rigs on f frames; attributes as of `PosedBones`."""

    def __init__(
        self,
        legs: ControlLegs,
        mixed: Channels,
        tables: Sequence[_Tables],
        playing: Playing,
        shape: tuple[int, int],
    ) -> None:
        self._legs, self._mixed, self._playing, self._shape = legs, mixed, playing, shape
        self._scale = float(np.linalg.norm(legs.rig.matrix[:3, 0]))
        self._to_armature = without_scale(legs.rig.matrix[:3, :3]).T
        self.soles: list[np.ndarray] = []
        self.places: list[Vectors] = []
        self.reaches: list[LegReach | None] = []
        # Of each control: its own rotation, how it is turned, and the axes of its location.
        self._turns: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        for control, table in zip(legs.controls, tables):
            row = legs.rows[control.bone]
            rotation = without_scale(mixed.matrices(slice(row, row + 1))[:, 0, :3, :3])
            basis = mixed_tables(table.basis, playing)
            position = mixed_tables(table.origin, playing) + rotate(basis, mixed.location[:, row])
            axes = multiply(orthonormalize(mixed_tables(table.axes, playing)), rotation)
            self.soles.append(
                self._in_model(position[:, None] + rotate(axes[:, None], mixed_tables(table.sole, playing)))
            )
            self.places.append(self._in_model(position))
            reach = None
            if control.leg is not None:
                ankle = self._in_model(position + rotate(axes, mixed_tables(table.ankle, playing)))
                hip = self._in_model(mixed_tables(table.hip, playing))
                reach = LegReach(hip, ankle, control.leg.length * self._scale)
            self.reaches.append(reach)
            self._turns.append((rotation, axes, basis))

    def soften(self, _feet: Sequence[Stepping], _held: Held) -> None:
        """Soles are stiff: nothing is known of what is above a foot."""

    def keys(self, held: Held) -> Keyed:
        """The keys of the controls of all rigs, (n, f)."""
        keyed: dict[tuple[str, int], Scalars] = {}
        of_feet = zip(self._legs.controls, self._turns, self.places, self.reaches, held.corrections)
        for control, (rotation, axes, basis), position, reach, correction in of_feet:
            shift = carry(position, reach, correction, held.drop)
            keyed |= self._shift_keys(control.bone, basis, shift.reshape(-1, 3) @ self._to_armature.T / self._scale)
            if control.turns:
                turn = in_axes(self._to_armature.T, correction.turn.reshape(-1, 3, 3))
                after = by_body(multiply(rotation, in_axes(axes, turn)), self._shape)
                keyed |= rotation_keys(self._legs.rig.names[control.bone], self._legs.modes[control.bone], after)
        return keyed

    def hip_keys(self, drop: Scalars) -> Keyed:
        """The keys of hips that are lower by (n, f) metres."""
        down = np.outer(-drop, self._to_armature[:, 2]) / self._scale
        return self._shift_keys(self._legs.hips, self._legs.hip_axes(self._playing), down)

    def _shift_keys(self, bone: int, basis: np.ndarray, shift: Vectors) -> dict[tuple[str, int], Scalars]:
        """The keys of a bone that is moved by (n f, 3) in the armature's space."""
        location = self._mixed.location[:, self._legs.rows[bone]] + np.linalg.solve(basis, shift[..., None])[..., 0]
        return location_keys(self._legs.rig.names[bone], by_body(location, self._shape))

    def _in_model(self, places: np.ndarray) -> np.ndarray:
        """Places (n f, ..., 3) of the armature's space in that of the model, (n, f, ..., 3)."""
        matrix = self._legs.rig.matrix
        return by_body(places @ matrix[:3, :3].T + matrix[:3, 3], self._shape)
