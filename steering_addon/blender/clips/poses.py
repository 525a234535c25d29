"""The poses of an armature at each phase of an action.

Where no constraint, driver or unusual way to inherit is in the rig, they follow from the curves of the action: a bone's
pose is its parent's, times how the two are at rest, times its own channels. Else Blender evaluates them, on a copy of
the armature in a scene of its own: nothing of the user's is touched.

Clips with stepped keys, whose poses are held from key to key, as games often store them and animators block them, are
measured and played with straight lines from key to key: their body moves evenly, so that feet would slide.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object, Scene
from bpy.utils import escape_identifier, unescape_identifier

from ...portrayal.clips import PHASES, Playing, mixed_columns
from ..animation.animation_data import assign_action, channelbag_in, evaluate, slot_for, stop_playing
from ..animation.keyframes import CHOICE, CONSTANT
from ..animation.rotation_channels import data_path, matrices_from_channels, width_of
from ..objects.doubles import column_from, doubles
from ..objects.drivers import copied, drivers_of, pointers, with_own_data
from .rig import Rig, compose, unset_matrices

NAME = "Steering Clip"
NUMBERS = ("location", "rotation", "scale")
ARMATURE = np.eye(4)
"""The space of an armature, seen from itself."""
TOGETHER = 8000
"""Poses of bones that are computed together: with more, arrays do not fit the fast memory of a processor."""
LINEAR = 1
"""The number of Blender's linear interpolation."""
MOST = 0.5
"""The share of the curves with several keys that hold their values in a clip with stepped keys."""
TRANSFORMS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
"""The channels that do not jump when they go straight on; a switch would."""


def follows_from_curves(armature: Object, names: Collection[str] | None = None, *, scaled: bool = True) -> bool:
    """Whether the poses of an armature's bones follow from their channels alone.

    Args:
        names: of the bones that matter, and of all above them; None for all bones.
        scaled: whether any of these may be scaled.
    """
    names = [bone.name for bone in armature.data.bones] if names is None else names
    posed = [armature.pose.bones[name] for name in names]
    if any(constraint.enabled for bone in posed for constraint in bone.constraints):
        return False
    if why_inherits_unusually(armature, names, scaled=scaled) or drivers_of(armature.data):
        return False
    starts = tuple(f'pose.bones["{escape_identifier(name)}"]' for name in names)
    return not any(driver.data_path.startswith(starts) for driver in drivers_of(armature))


def why_inherits_unusually(armature: Object, names: Collection[str], *, scaled: bool = True) -> str:
    """Say what the first of some bones does not inherit, and the remedy; else empty. Arguments as above."""
    for bone in (armature.data.bones[name] for name in names):
        if not bone.use_inherit_rotation:
            why = "inherits no rotation: turn on Inherit Rotation"
        elif not bone.use_local_location:
            why = "moves in the axes of the armature: turn on Local Location"
        elif scaled and bone.inherit_scale != "FULL":
            return f"{bone.name} of {armature.name} does not inherit all scale: set Inherit Scale to Full"
        else:
            continue
        return f"{bone.name} of {armature.name} {why}, and key its clips again"
    return ""


def span(action: Action) -> tuple[float, float]:
    """The first and the last frame of a clip: its manual range, or that of its keys."""
    first, last = action.frame_range
    return float(first), float(last)


def phases_of(action: Action) -> np.ndarray:
    """The frames at each phase of a clip, (PHASES + 2,): also over its end, as phases may be rounded up."""
    first, last = span(action)
    return first + (last - first) * np.arange(PHASES + 2) / PHASES


def poses_of(armature: Object, rig: Rig, action: Action, frames: np.ndarray) -> np.ndarray:
    """The poses of all bones in the armature's space on some frames of an action, (f, n, 4, 4)."""
    if follows_from_curves(armature):
        return from_channels(rig, channels_of(armature, rig, action, frames))
    return from_blender(armature, rig, action, frames)


def from_channels(rig: Rig, channels: "Channels", space: np.ndarray = ARMATURE) -> np.ndarray:
    """Poses (f, n, 4, 4) of bones from channels; `space`: (4, 4) from the space of the armature to that of these."""
    frames, bones = channels.location.shape[:2]
    poses = unset_matrices((bones, frames)).swapaxes(0, 1)
    inverse, together = rig.from_rest, max(TOGETHER // max(frames, 1), 1)
    for row, parent in enumerate(rig.parents):
        if row % together == 0:
            bases = channels.matrices(slice(row, row + together))
        basis = bases[:, row % together]
        if parent < 0:
            compose(space @ rig.rest[row], basis, out=poses[:, row])
        else:
            compose(poses[:, parent], compose(inverse[parent] @ rig.rest[row], basis), out=poses[:, row])
    return poses


@dataclass(frozen=True)
class Channels:
    """The channels of n bones on f frames.

    Attributes:
        location, scale: (f, n, 3).
        rotation: (f, n, 4) numbers of the rotation channel; of three numbers the last is 0.
        modes: (n,) the bones' rotation modes.
    """

    location: np.ndarray
    rotation: np.ndarray
    scale: np.ndarray
    modes: tuple[str, ...]

    def mixed(self, other: "Channels", share: np.ndarray, moved: Sequence[Sequence[bool]]) -> "Channels":
        """These channels with a share (f,) of others, number by number, as NLA strips replace what is below them. Only
        those that `moved` says: (3, n), whether the location, rotation and scale of each bone; others stay."""
        shares = share[:, None, None, None] * np.asarray(moved, np.float64)[..., None]
        own, others = ([getattr(channels, name) for name in NUMBERS] for channels in (self, other))
        columns = (own[k] * (1.0 - shares[:, k]) + others[k] * shares[:, k] for k in range(len(NUMBERS)))
        return Channels(*columns, modes=self.modes)

    def of(self, rows: Sequence[int]) -> "Channels":
        """The channels of some of the bones, in the order of their rows."""
        columns = (getattr(self, name)[:, rows] for name in NUMBERS)
        return Channels(*columns, modes=tuple(self.modes[row] for row in rows))

    def at(self, phases: np.ndarray) -> "Channels":
        """The channels at other times: `phases` (g,) are rows of these, and shares of the way to the next row."""
        rows = np.floor(phases).astype(np.int64)
        shares = (phases - rows)[:, None, None]
        columns = (getattr(self, name) for name in NUMBERS)
        return Channels(
            *(column[rows] * (1.0 - shares) + column[rows + 1] * shares for column in columns), modes=self.modes
        )

    def matrices(self, rows: slice) -> np.ndarray:
        """The matrices of the bones in some rows, (f, r, 4, 4); (1, r, 4, 4) if all of these stay as they are."""
        numbers = (getattr(self, name)[:, rows] for name in NUMBERS)
        location, rotation, scale = (column[:1] if (column == column[:1]).all() else column for column in numbers)
        frames, modes = max(len(location), len(rotation), len(scale)), np.array(self.modes[rows])
        matrices = unset_matrices((len(modes), frames)).swapaxes(0, 1)
        for mode in set(self.modes[rows]):
            columns = slice(None) if (modes == mode).all() else np.flatnonzero(modes == mode)
            matrices[:, columns, :3, :3] = matrices_from_channels(rotation[:, columns, : width_of(mode)], mode)
        if (scale != 1.0).any():
            matrices[..., :3, :3] *= scale[..., None, :]
        matrices[..., :3, 3] = location
        return matrices


def channels_of(armature: Object, rig: Rig, action: Action, frames: np.ndarray) -> Channels:
    """The channels of bones in an action on some frames; what the action lacks is as the armature has it."""
    bones = [armature.pose.bones[name] for name in rig.names]
    modes = tuple(bone.rotation_mode for bone in bones)
    shape = (len(frames), len(bones))
    numbers = Channels(np.empty((*shape, 3)), np.zeros((*shape, 4)), np.empty((*shape, 3)), modes)
    columns: dict[tuple[str, str], np.ndarray] = {}
    for row, bone in enumerate(bones):
        for column, channel in ((numbers.location, "location"), (numbers.scale, "scale")):
            columns[bone.name, channel] = column[:, row]
        columns[bone.name, data_path(bone.rotation_mode)] = numbers.rotation[:, row, : width_of(bone.rotation_mode)]
        for channel in ("location", "scale", data_path(bone.rotation_mode)):
            columns[bone.name, channel][:] = doubles(getattr(bone, channel))
    curves = played_curves(action, armature)
    held_channels = {(curve.data_path, curve.array_index) for curve in stepped_curves(curves)}
    for curve in curves:
        column = columns.get(bone_channel(curve.data_path))
        if column is not None and curve.array_index < column.shape[1] and not curve.mute:
            is_held = (curve.data_path, curve.array_index) in held_channels
            column[:, curve.array_index] = (straight_values if is_held else values_on)(curve, frames)
    return numbers


def mixed_channels(tables: Sequence[Channels], playing: Playing) -> Channels:
    """The channels that strips show. `tables`: of each clip, on PHASES + 2 rows; `playing`: (clips, f)."""
    stacked = np.stack([np.concatenate([getattr(table, name) for name in NUMBERS], axis=2) for table in tables])
    clips, rows, bones, width = stacked.shape
    mixed = mixed_columns(stacked.transpose(0, 2, 3, 1).reshape(clips, -1, rows), playing)
    location, rotation, scale = np.split(mixed.reshape(bones, width, -1), (3, 7), axis=1)
    return Channels(*(numbers.transpose(2, 0, 1) for numbers in (location, rotation, scale)), modes=tables[0].modes)


def played_curves(action: Action, armature: Object) -> list[FCurve]:
    """The curves of an action that an object would play."""
    bag = channelbag_in(action, slot_for(action, armature))
    return list(bag.fcurves) if bag is not None else []


def bone_channel(data_path: str) -> tuple[str, str]:
    """The bone and the channel that a path names, `pose.bones["Hips"].location`; two empty strings for other paths."""
    start, _, after = data_path.partition('pose.bones["')
    name, _, channel = after.rpartition('"].')
    # Blender writes quotes and backslashes in names with a backslash.
    return ("", "") if start or not name else (unescape_identifier(name), channel)


def values_on(curve: FCurve, frames: np.ndarray) -> np.ndarray:
    """The values of a curve on frames, (f,); quick for straight lines between points, as importers make them."""
    points = curve.keyframe_points or curve.sampled_points
    if len(curve.modifiers) or not len(points) or curve.extrapolation != "CONSTANT":
        return evaluate(curve, frames)
    kinds = column_from(curve.keyframe_points, "interpolation", kind=np.int32)
    if (kinds[:-1] != LINEAR).any():
        return evaluate(curve, frames)
    return straight_values(curve, frames)


def stepped_curves(curves: Iterable[FCurve]) -> list[FCurve]:
    """The curves of a clip that are to go straight on, because most of the clip is held from key to key."""
    several = [curve for curve in curves if len(curve.keyframe_points) > 2 and not len(curve.modifiers)]
    several = [curve for curve in several if curve.data_path.rpartition(".")[2] in TRANSFORMS]
    kinds = [column_from(curve.keyframe_points, "interpolation", kind=CHOICE)[:-1] for curve in several]
    held = [curve for curve, key_kinds in zip(several, kinds) if (key_kinds == CONSTANT).all()]
    return held if len(held) > MOST * len(several) else []


def straight_values(curve: FCurve, frames: np.ndarray) -> np.ndarray:
    """The values (f,) of a curve with straight lines between its keys, or between its samples."""
    points = curve.keyframe_points or curve.sampled_points
    x, y = column_from(points, "co", 2).astype(np.float64).T
    values: np.ndarray = np.interp(frames, x, y)
    return values


def from_blender(armature: Object, rig: Rig, action: Action, frames: np.ndarray) -> np.ndarray:
    """As `poses_of`, evaluated by Blender with the constraints and drivers of the rig."""
    poses = np.empty((len(frames), len(rig.names), 4, 4))
    with copy_aside(armature, action) as (scene, copy):
        order = [copy.pose.bones.find(name) for name in rig.names]
        elements = np.empty(16 * len(copy.pose.bones), dtype=np.float32)
        for number, frame in enumerate(frames):
            full_frame = math.floor(frame)
            scene.frame_set(full_frame, subframe=float(frame - full_frame))
            bones = copy.evaluated_get(scene.view_layers[0].depsgraph).pose.bones
            # Column by column; asking each bone for its matrix takes several times as long.
            bones.foreach_get("matrix", elements)
            poses[number] = elements.reshape(-1, 4, 4)[order].transpose(0, 2, 1)
    return poses


@contextmanager
def copy_aside(armature: Object, action: Action) -> Iterator[tuple[Scene, Object]]:
    """A copy of an armature that plays an action, in a scene of its own; both are gone afterwards."""
    scene = bpy.data.scenes.new(NAME)
    copy, played = copied(armature), action.copy()
    own_data = with_own_data([armature], [copy])
    try:
        for target, setting in pointers(armature):
            if target == armature:
                setting(copy, copy)
        scene.collection.objects.link(copy)
        copy.hide_viewport = False
        stop_playing(copy)
        # A copy of it, as Blender marks an action that was never assigned as one for objects.
        assign_action(copy, played, slot_for(played, armature))
        for curve in stepped_curves(played_curves(played, armature)):
            for key in curve.keyframe_points:
                key.interpolation = "LINEAR"
        yield scene, copy
    finally:
        bpy.data.batch_remove([copy, played, *own_data])
        bpy.data.scenes.remove(scene)
