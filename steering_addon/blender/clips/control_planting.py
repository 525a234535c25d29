"""Keys of the controls of feet, which hold these where they stand, for rigs whose legs constraints pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from bpy.utils import escape_identifier

from ...portrayal.clips import Clip, Playing
from ...portrayal.controls import guided, turned_in, upright_axes
from ...portrayal.footholds import Carried, Stepping, footholds
from ...portrayal.mixing import mixed_tables
from ...portrayal.planes import Ground
from ...portrayal.planting import LEAST, product, turned
from ...portrayal.reach import Reach
from ...simulation.arrays.vectors import Scalars, Vectors
from ..animation.rotation_channels import channels_from_matrices, data_path
from .controls import Chain, Control, Controls, location_axes
from .feet import Feet
from .poses import Channels, mixed_channels
from .rig import Rig
from .rig_keys import Keyed, by_body, keys_of_each, paws_of, without_scale

if TYPE_CHECKING:
    from bpy.types import Object


@dataclass(frozen=True)
class _Tables:
    """What clips have of a control at each phase, (PHASES + 2, ...), one for each clip.

    Attributes:
        axes: (3, 3) how it would be turned without its own rotation, in the armature's space.
        along: (3, 3) the axes of its location, as columns.
        place: (3,) where it would be without its own location.
        sole, ankle: (m, 3) and (3,) in its own axes.
        hip: (3,) in the armature's space.
    """

    axes: list[np.ndarray]
    along: list[np.ndarray]
    place: list[np.ndarray]
    sole: list[np.ndarray]
    ankle: list[np.ndarray]
    hip: list[np.ndarray]


class ControlPlanting:
    """Computes the keys of the controls of feet of the rigs of one model."""

    def __init__(
        self,
        armature: Object,
        rig: Rig,
        feet: Feet,
        controls: Controls,
        clips: Sequence[Clip],
    ) -> None:
        """As for `Planting`."""
        self._paws = paws_of(rig, feet, clips, [control.bone for control in controls.feet])
        self._rig, self._rests = rig, feet.rests
        self._controls, self._hips = controls.feet, controls.hips
        bones = [control.bone for control in controls.feet] + [controls.hips] * (controls.hips >= 0)
        self._part = rig.part(np.zeros(0, np.int64), bones)
        self._rows = {bone: self._part.names.index(rig.names[bone]) for bone in bones}
        self._modes = {bone: armature.pose.bones[rig.names[bone]].rotation_mode for bone in bones}
        of_part = [rig.names.index(name) for name in self._part.names]
        self._channels = [each.of(of_part) for each in feet.channels]
        local = {bone: armature.data.bones[rig.names[bone]].use_local_location for bone in bones}
        tails = {
            control.leg.end: armature.data.bones[rig.names[control.leg.end]].length
            for control in controls.feet
            if control.leg
        }
        self._tables = [
            _Tables(*map(list, zip(*(self._table(*each, control, rows, local[control.bone], tails) for each in clips))))
            for control, rows in zip(controls.feet, feet.soles)
            for clips in [list(zip(feet.poses, self._channels))]
        ]
        if controls.hips >= 0:
            self._hip_axes = [location_axes(rig, controls.hips, poses, local[controls.hips]) for poses in feet.poses]

    def keys(self, playing: Playing, body: Carried, frame_time: float, ground: Ground | None = None) -> list[Keyed]:
        """As `Planting.keys`: for each of n rigs, values (f,) by data path and index."""
        shape = playing.phase.shape[1:]
        flat = playing.flat()
        mixed = mixed_channels(self._channels, flat)
        turns = {
            bone: without_scale(mixed.matrices(slice(row, row + 1))[:, 0, :3, :3]) for bone, row in self._rows.items()
        }
        rests = np.einsum("cf,cl->lf", flat.weights(), self._rests)
        scale = float(np.linalg.norm(self._rig.matrix[:3, 0]))
        places, axes, alongs, stepping, legs = [], [], [], [], []
        for number, (control, table) in enumerate(zip(self._controls, self._tables)):
            row = self._rows[control.bone]
            along = mixed_tables(table.along, flat)
            place = mixed_tables(table.place, flat) + turned(along, mixed.location[:, row])
            upright = product(upright_axes(mixed_tables(table.axes, flat)), turns[control.bone])
            sole = place[:, None] + turned(upright[:, None], mixed_tables(table.sole, flat))
            places.append(by_body(self._in_model(place), shape))
            axes.append(upright)
            alongs.append(along)
            paw = self._paws[number]
            down = paw.correction(flat, places[-1]) if paw is not None else None
            legs.append(self._reach(control.leg, table, flat, place, upright, scale, shape))
            points = by_body(self._in_model(sole), shape)
            stepping.append(Stepping(points, rests[number].reshape(shape), down, legs[-1]))
        corrections = footholds(body, stepping, self._rig.height, frame_time, ground)
        moves_hips = ground is not None and self._hips >= 0
        climb = (body.position[..., 2] - body.origin) / body.size if moves_hips else None
        result = guided(places, legs, corrections, frame_time, climb=climb)
        to_armature = without_scale(self._rig.matrix[:3, :3]).T
        keyed: dict[tuple[str, int], Scalars] = {}
        for control, along, upright, shift, turn in zip(self._controls, alongs, axes, result.shifts, result.turns):
            keyed |= self._location(control.bone, mixed, along, shift.reshape(-1, 3) @ to_armature.T / scale, shape)
            if control.turns:
                turn = product(product(to_armature, turn.reshape(-1, 3, 3)), to_armature.T)
                after = product(turns[control.bone], turned_in(upright, turn))
                keyed |= self._rotation(control.bone, by_body(after, shape))
        # Hips that never come down have no keys.
        drops = (np.abs(result.drop) > LEAST).any(axis=1)
        of_hips: dict[tuple[str, int], Scalars] = {}
        if drops.any():
            down = np.outer(-result.drop, to_armature[:, 2]) / scale
            of_hips = self._location(self._hips, mixed, mixed_tables(self._hip_axes, flat), down, shape)
        return keys_of_each(keyed, of_hips, drops)

    def _table(
        self,
        poses: np.ndarray,
        channels: Channels,
        control: Control,
        rows: np.ndarray,
        is_local: bool,
        tails: dict[int, float],
    ) -> tuple[np.ndarray, ...]:
        """What one clip has of a control, in the order of `_Tables`."""
        bone, row = control.bone, self._rows[control.bone]
        axes, place = without_scale(poses[:, bone, :3, :3]), poses[:, bone, :3, 3]
        along = location_axes(self._rig, bone, poses, is_local)
        before = product(axes, without_scale(channels.matrices(slice(row, row + 1))[:, 0, :3, :3]).transpose(0, 2, 1))
        start = place - np.einsum("fij,fj->fi", along, channels.location[:, row])
        sole = self._in_armature(self._rig.moved(poses, rows)) - place[:, None]
        inside = np.einsum("fji,fmj->fmi", axes, sole)
        leg = control.leg
        if leg is None:
            return before, along, start, inside, np.zeros_like(place), np.zeros_like(place)
        end = poses[:, leg.end]
        ankle = end[:, :3, 3] + without_scale(end[:, :3, :3])[..., 1] * tails[leg.end]
        return before, along, start, inside, np.einsum("fji,fj->fi", axes, ankle - place), poses[:, leg.top, :3, 3]

    def _reach(
        self,
        leg: Chain | None,
        table: _Tables,
        playing: Playing,
        place: Vectors,
        axes: np.ndarray,
        scale: float,
        shape: tuple[int, int],
    ) -> Reach | None:
        if leg is None:
            return None
        ankle = place + turned(axes, mixed_tables(table.ankle, playing))
        hip = mixed_tables(table.hip, playing)
        return Reach(*(by_body(self._in_model(each), shape) for each in (hip, ankle)), leg.length * scale)

    def _location(
        self, bone: int, mixed: Channels, along: np.ndarray, shift: Vectors, shape: tuple[int, int]
    ) -> dict[tuple[str, int], Scalars]:
        """The location of a bone that is moved by (n f, 3) in the armature's space."""
        moved = mixed.location[:, self._rows[bone]] + np.linalg.solve(along, shift[..., None])[..., 0]
        path = f'pose.bones["{escape_identifier(self._rig.names[bone])}"].location'
        return {(path, index): moved[:, index].reshape(shape) for index in range(3)}

    def _rotation(self, bone: int, turns: np.ndarray) -> dict[tuple[str, int], Scalars]:
        mode = self._modes[bone]
        numbers = channels_from_matrices(turns.swapaxes(0, 1), mode).swapaxes(0, 1)
        path = f'pose.bones["{escape_identifier(self._rig.names[bone])}"].{data_path(mode)}'
        return {(path, index): numbers[..., index] for index in range(numbers.shape[-1])}

    def _in_model(self, places: np.ndarray) -> np.ndarray:
        return places @ self._rig.matrix[:3, :3].T + self._rig.matrix[:3, 3]

    def _in_armature(self, places: np.ndarray) -> np.ndarray:
        return (places - self._rig.matrix[:3, 3]) @ np.linalg.inv(self._rig.matrix[:3, :3]).T
