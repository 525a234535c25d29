"""How far the feet of baked vehicles slide, from the strips that they play.

Only a vehicle with a parent needs going through the frames.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, NlaStrip, Object, Scene

from ...portrayal.clips import PHASES
from ...portrayal.feet.planes import Ground
from ...portrayal.feet.soles import Points
from ...portrayal.sliding import BodyPace, feet_on, longest_slides
from ...simulation.arrays.scalars import EPSILON, Rows, Scalars
from ...simulation.arrays.vectors import Vectors
from ..animation.animation_data import evaluate
from ..animation.frame_rate import frame_kept, frame_time_of
from ..animation.ownership import CurrentAnimation, bake_of
from ..animation.rotation_channels import data_path, matrices_from_channels, width_of
from ..clips.clip_record import clip_record, tracks_of
from ..clips.crowd_clips import scale_of
from ..clips.measuring import axes_of, low_on, low_points, player_below
from ..clips.poses import Channels, bone_channel, channels_of, follows_from_curves, from_channels, played_curves
from ..clips.rig import Rig, rig_of
from ..objects.doubles import axes_of_model, doubles
from ..objects.hierarchy import Family
from ..read.local_space import to_world
from ..read.surfaces import static_ground
from ..refusal import sound_front


@dataclass(frozen=True)
class Slide:
    """The longest slide of a vehicle's feet in one stance.

    Attributes:
        metres: of it; None if it cannot be told because shape keys, constraints or drivers move the legs.
        frame: on which the stance begins.
        share: of it in heights of the vehicle's model.
    """

    vehicle: Object
    metres: float | None
    frame: int = 0
    share: float = 0.0


def slides_of(vehicles: Sequence[Object], scene: Scene) -> Iterator[Slide]:
    """The longest slide of each of these vehicles that plays clips on a bake, one after the other."""
    family, ground = Family(), static_ground(scene)
    models: dict[tuple[str, str, str], _Model | None] = {}
    for ob in vehicles:
        rig, record = player_below(ob, family), bake_of(ob)
        clips = clip_record(rig) if rig is not None else None
        if clips is None or record is None or not record.moves or not tracks_of(rig, clips):
            continue
        key = rig.data.name_full, *sound_front(ob)
        if key not in models:
            follows = rig.type == "ARMATURE" and follows_from_curves(rig)
            models[key] = _Model(ob, rig, family) if follows else None
        model = models[key]
        if model is None:
            yield Slide(ob, None)
            continue
        frames = np.arange(clips.first, clips.last + 1.0)
        strips = [strip for track in tracks_of(rig, clips) if not track.mute for strip in track.strips]
        # What is combined with the others turns heads.
        strips = [strip for strip in strips if strip.blend_type == "REPLACE"]
        if not strips:
            continue
        frame_time = frame_time_of(scene)
        metres, row = model.slide(ob, rig, strips, frames, _Track.of(ob, frames, scene, ground), frame_time)
        yield Slide(ob, metres, int(frames[row]), metres / max(model.height(rig), EPSILON))


@dataclass(frozen=True)
class _Track:
    """The motion of a vehicle on f frames, and its ground. `place`: (f, 3) metres; `axes`: (f, 3, 3) those of model
    space in the world, as rows."""

    place: Vectors
    axes: np.ndarray
    ground: Ground | None

    @classmethod
    def of(cls, ob: Object, frames: np.ndarray, scene: Scene, ground: Ground | None) -> "_Track":
        position, basis = _baked_motion(ob, frames) if ob.parent is None else _carried_motion(ob, frames, scene)
        side, forward, up = np.moveaxis(basis, -1, 0)
        return cls(position, np.stack((-side, -forward, up), axis=1), ground)

    @property
    def forward(self) -> Vectors:
        return -self.axes[:, 1]

    def on(self, frames: slice) -> "_Track":
        """The same on some of the frames."""
        return _Track(self.place[frames], self.axes[frames], self.ground)

    def in_world(self, points: Points) -> Points:
        """Points of model space, (f, m, 3) metres, in the world."""
        return self.place[:, None] + np.einsum("fmi,fij->fmj", points, self.axes)

    def above(self, points: Points) -> Scalars:
        """The heights above the ground of points of model space, (f, m)."""
        if self.ground is None:
            return points[..., 2]
        in_world = self.in_world(points)
        rows = np.repeat(np.arange(len(in_world)), in_world.shape[1])
        below = np.concatenate((in_world[..., :2].reshape(-1, 2), self.place[rows, 2:]), axis=1)
        return in_world[..., 2] - self.ground(below, rows)[0].reshape(in_world.shape[:2])


class _Model:
    """Vehicles with one armature, and the feet that their clips move."""

    def __init__(self, vehicle: Object, armature: Object, family: Family) -> None:
        self._whole = rig_of(armature, vehicle, family, axes_of(*sound_front(vehicle)))
        self._scale = scale_of(armature)
        self._tables: dict[Action, Channels] = {}
        self._rig: Rig | None = None
        self._feet: list[np.ndarray] = []

    def slide(
        self,
        ob: Object,
        armature: Object,
        strips: Sequence[NlaStrip],
        frames: np.ndarray,
        track: _Track,
        frame_time: float,
    ) -> tuple[float, int]:
        """The longest slide of a vehicle in metres, and the row of the frame on which it begins."""
        if self._rig is None:
            self._find_feet(armature, strips, frames, track)
        rig, size, height = self._rig, scale_of(armature) / self._scale, self.height(armature)
        mixed = self._mix(armature, rig, strips, frames, self._tables)
        model_space = rig.posed_points(from_channels(rig, mixed), np.arange(len(rig.points))) * size
        points, level = track.in_world(model_space), track.above(model_space)
        pace = BodyPace.of(track.place, track.forward[:, :2], height, np.full(len(frames) - 1, frame_time))
        return max(longest_slides(points, level, self._feet, height, pace), default=(0.0, 0))

    def height(self, armature: Object) -> float:
        """The height of a vehicle, metres."""
        return float(self._whole.height * scale_of(armature) / self._scale)

    def _find_feet(self, armature: Object, strips: Sequence[NlaStrip], frames: np.ndarray, track: _Track) -> None:
        """Keep only the feet, as they are found in what a vehicle plays, and the bones above them."""
        poses = from_channels(self._whole, self._mix(armature, self._whole, strips, frames, {}))
        sparse = slice(None, None, max(len(frames) // PHASES, 1))
        low = _low_points(self._whole, poses[sparse], track.on(sparse))
        points = self._whole.posed_points(poses, low)
        feet = feet_on(points, track.above(points), self._whole.height)
        rows = [low[foot] for foot, _ in feet]
        self._rig = self._whole.part(np.concatenate(rows)) if rows else self._whole.part(low)
        ends = np.cumsum([len(columns) for columns in rows])
        self._feet = [np.arange(end - len(columns), end) for end, columns in zip(ends, rows)]

    def _mix(
        self, armature: Object, rig: Rig, strips: Sequence[NlaStrip], frames: np.ndarray, tables: dict[Action, Channels]
    ) -> Channels:
        """The channels that strips show on frames, the lowest strip first."""
        mixed: Channels | None = None
        for strip in strips:
            first, last = strip.action.frame_range
            length = max(last - first, 1.0)
            # Whole frames are among the samples: keys of feet lie there.
            fine = max(round(PHASES / length), 1)
            if strip.action not in tables:
                samples = first + np.arange(math.ceil(length * fine) + 2) / fine
                tables[strip.action] = channels_of(armature, rig, strip.action, samples)
            layer = tables[strip.action].at(_time(strip, frames, first, length) * fine)
            influence = _influence(strip, frames)
            if mixed is None:
                mixed = layer
            else:
                curves = {bone_channel(curve.data_path) for curve in played_curves(strip.action, armature)}
                kinds = ["location"] * len(rig.names), map(data_path, mixed.modes), ["scale"] * len(rig.names)
                keyed = [[key in curves for key in zip(rig.names, kind)] for kind in kinds]
                mixed = mixed.mixed(layer, influence, keyed)
        return mixed


def _baked_motion(ob: Object, frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positions (f, 3) and bases (f, 3, 3) of a baked vehicle without a parent."""
    turns = matrices_from_channels(_channel(ob, data_path(ob.rotation_mode), frames), ob.rotation_mode)
    parts = np.tile(np.eye(4), (len(frames), 1, 1))
    return to_world(parts, _channel(ob, "location", frames), turns, axes_of_model(ob), doubles(ob.scale))


def _carried_motion(ob: Object, frames: np.ndarray, scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """The positions and bases of a baked vehicle with a parent, from going through the frames."""
    position, basis = np.empty((len(frames), 3)), np.empty((len(frames), 3, 3))
    with frame_kept(scene):
        for row, number in enumerate(frames.tolist()):
            scene.frame_set(int(number))
            matrix = doubles(ob.matrix_world)
            position[row], basis[row] = to_world(matrix, np.zeros(3), np.eye(3), axes_of_model(ob), np.ones(3))
    return position, basis


def _channel(ob: Object, path: str, frames: np.ndarray) -> np.ndarray:
    """The values of a channel of an object on frames, (f, c)."""
    curves, current = CurrentAnimation(ob).curves(path), doubles(getattr(ob, path))
    width = 3 if path == "location" else width_of(ob.rotation_mode)
    columns = [evaluate(curves[k], frames) if k in curves else np.full(len(frames), current[k]) for k in range(width)]
    return np.stack(columns, axis=-1)


def _low_points(rig: Rig, poses: np.ndarray, track: _Track) -> Rows:
    """The rows of the points that come near the ground."""
    if track.ground is None:
        return low_points(rig, poses)
    return low_on(rig, poses, lambda rows: track.above(rig.posed_points(poses, rows)))


def _time(strip: NlaStrip, frames: np.ndarray, first: float, length: float) -> np.ndarray:
    """The frames of its cycle that a strip shows on frames, (f,) from 0 to below its length."""
    if strip.use_animated_time:
        time = evaluate(strip.fcurves.find("strip_time"), frames)
    else:
        elapsed = np.clip(frames, strip.frame_start, strip.frame_end) - strip.frame_start
        time = strip.action_frame_start + elapsed / strip.scale
    time = time - first
    return time - length * np.floor(time / length)


def _influence(strip: NlaStrip, frames: np.ndarray) -> np.ndarray:
    curve = strip.fcurves.find("influence")
    if not strip.use_animated_influence or curve is None or not len(curve.keyframe_points):
        return np.ones(len(frames))
    return np.clip(evaluate(curve, frames), 0.0, 1.0)
