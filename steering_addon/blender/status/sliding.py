"""How far the feet of baked vehicles slide, from the strips that they play, without going through the frames."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...portrayal.clips import PHASES
from ...portrayal.sliding import longest_slides
from ...portrayal.soles import feet_of
from ..crowds.crowd_clips import rig_of, scale_of
from ..hierarchy import Family
from ..read.clips.measuring import axes_of, low_points
from ..read.clips.poses import Channels, bone_channel, channels_of, curves_for, follows_from_curves, from_channels
from ..read.clips.rig import Rig
from ..read.clips.rig import rig_of as read_rig
from ..stored_values import sound_front
from ..write.animation_data import evaluate
from ..write.clip_planting import ground_of
from ..write.clip_record import clip_record, tracks_of
from ..write.clips_again import bodies_of
from ..write.ownership import bake_of

if TYPE_CHECKING:
    from bpy.types import Action, NlaStrip, Object, Scene

    from ...portrayal.planes import Ground


@dataclass(frozen=True)
class Slide:
    """The longest slide of a vehicle's feet in one stance.

    Attributes:
        metres: of it; None if it cannot be told because constraints or drivers move the legs.
        frame: on which the stance begins.
    """

    vehicle: Object
    metres: float | None
    frame: int = 0


def slides_of(vehicles: Sequence[Object], scene: Scene) -> Iterator[Slide]:
    """The longest slide of each of these vehicles that plays clips on a bake, one after the other."""
    family, ground = Family(), ground_of(scene)
    models: dict[tuple[str, str, str], _Model | None] = {}
    for ob in vehicles:
        rig, record = rig_of(ob, family), bake_of(ob)
        clips = clip_record(rig) if rig is not None else None
        if clips is None or record is None or not record.moves or not tracks_of(rig, clips):
            continue
        alike = rig.data.name_full, *sound_front(ob)
        if alike not in models:
            models[alike] = _Model(ob, rig, family) if follows_from_curves(rig) else None
        model = models[alike]
        if model is None:
            yield Slide(ob, None)
            continue
        frames = np.arange(clips.first, clips.last + 1.0)
        strips = [strip for track in tracks_of(rig, clips) if not track.mute for strip in track.strips]
        # What is combined with the others turns heads.
        strips = [strip for strip in strips if strip.blend_type == "REPLACE"]
        metres, row = model.slide(ob, rig, strips, frames, scene, ground)
        yield Slide(ob, metres, int(frames[row]))


class _Model:
    """Vehicles with one armature, and the feet that their clips move."""

    def __init__(self, vehicle: Object, armature: Object, family: Family) -> None:
        self._whole = read_rig(armature, vehicle, family, axes_of(*sound_front(vehicle)))
        self._scale = scale_of(vehicle, armature)
        self._tables: dict[Action, Channels] = {}
        self._rig: Rig | None = None
        self._feet: list[np.ndarray] = []

    def slide(
        self,
        ob: Object,
        armature: Object,
        strips: Sequence[NlaStrip],
        frames: np.ndarray,
        scene: Scene,
        ground: Ground | None,
    ) -> tuple[float, int]:
        """The longest slide of a vehicle in metres, and the row of the frame on which it begins."""
        if self._rig is None:
            self._find_feet(armature, strips, frames)
        rig, size = self._rig, scale_of(ob, armature) / self._scale
        mixed = self._mixed(armature, rig, strips, frames, self._tables)
        model_space = rig.moved(from_channels(rig, mixed), np.arange(len(rig.points))) * size
        position, basis = bodies_of([ob], frames, scene)
        place, (side, forward, up) = position[:, 0], np.moveaxis(basis[:, 0], -1, 0)
        axes = np.stack((-side, -forward, up), axis=1)
        points = place[:, None] + np.einsum("fmi,fij->fmj", model_space, axes)
        level = model_space[..., 2]
        if ground is not None:
            rows = np.repeat(np.arange(len(points)), points.shape[1])
            below = np.concatenate((points[..., :2].reshape(-1, 2), place[rows, 2:]), axis=1)
            level = points[..., 2] - ground(below, rows)[0].reshape(points.shape[:2])
        height = self._whole.height * size
        return max(longest_slides(points, level, self._feet, place, forward, height), default=(0.0, 0))

    def _find_feet(self, armature: Object, strips: Sequence[NlaStrip], frames: np.ndarray) -> None:
        """Keep only the feet, as they are found in what a vehicle plays, and the bones above them."""
        mixed = self._mixed(armature, self._whole, strips, frames, {})
        poses = from_channels(self._whole, mixed)
        low = low_points(self._whole, poses[:: max(len(frames) // PHASES, 1)])
        feet = feet_of(self._whole.moved(poses, low), self._whole.height)
        rows = [low[foot.points] for foot in feet]
        self._rig = self._whole.part(np.concatenate(rows)) if rows else self._whole.part(low)
        ends = np.cumsum([len(each) for each in rows])
        self._feet = [np.arange(end - len(each), end) for end, each in zip(ends, rows)]

    def _mixed(
        self,
        armature: Object,
        rig: Rig,
        strips: Sequence[NlaStrip],
        frames: np.ndarray,
        tables: dict[Action, Channels],
    ) -> Channels:
        """The channels that strips show on frames, the lowest strip first."""
        mixed: Channels | None = None
        for strip in strips:
            first, last = strip.action.frame_range
            length = max(last - first, 1.0)
            # Whole frames are among the samples: keys of feet lie there.
            fine = max(round(PHASES / length), 1)
            if strip.action not in tables:
                places = first + np.arange(math.ceil(length * fine) + 2) / fine
                tables[strip.action] = channels_of(armature, rig, strip.action, places)
            shown = tables[strip.action].at(_time(strip, frames, first, length) * fine)
            influence = _influence(strip, frames)
            if mixed is None:
                mixed = shown
            else:
                moved = {bone_channel(curve.data_path)[0] for curve in curves_for(strip.action, armature)}
                mixed = mixed.mixed(shown, influence, [name in moved for name in rig.names])
        return mixed


def _time(strip: NlaStrip, frames: np.ndarray, first: float, length: float) -> np.ndarray:
    """The frames of its cycle that a strip shows on frames, (f,) from 0 to below its length."""
    if strip.use_animated_time:
        time = evaluate(strip.fcurves.find("strip_time"), frames)
    else:
        gone = np.clip(frames, strip.frame_start, strip.frame_end) - strip.frame_start
        time = strip.action_frame_start + gone / strip.scale
    time = time - first
    return time - length * np.floor(time / length)


def _influence(strip: NlaStrip, frames: np.ndarray) -> np.ndarray:
    curve = strip.fcurves.find("influence")
    if not strip.use_animated_influence or curve is None or not len(curve.keyframe_points):
        return np.ones(len(frames))
    return np.clip(evaluate(curve, frames), 0.0, 1.0)
