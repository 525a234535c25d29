"""Copies of clips that NLA strips can play together: complete, closed, and beginning on frame 0.

A channel that is missing in a strip shows what is below the strip, or the rest pose, which is not the pose of a model:
so all copies for a model animate the same channels. A strip that runs round its clip (`use_animated_time_cyclic`) is
right only for a clip that begins on frame 0. NLA mixes quaternions as numbers, so those of all copies have like signs.
Curves with keys on all frames, as importers leave them, become samples: Blender need not search these for a frame.

Copies are shared by all vehicles of a model. The clips themselves are never changed.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, pi
from typing import TypeAlias

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object

from ...simulation.arrays.once import once
from ..animation.animation_data import (
    SLOTTED,
    ActionSlot,
    channelbag_in,
    evaluate,
    new_action,
    posed_block,
    slot_for,
    slot_with_handle,
)
from ..animation.keyframes import (
    LINEAR,
    OF_LINEAR,
    POINTS,
    Keys,
    generated_keys,
    read_column,
    read_keys,
    write_keys,
    write_samples,
)
from ..animation.ownership import CurrentAnimation
from ..animation.posing import POSE, POSES, hiding_action, slot_curves
from .clip_record import COPY, ClipRecord, clip_record, values_of
from .hiding_tracks import posed_by_tracks
from .poses import span, stepped_curves, straight_values

Channel: TypeAlias = tuple[str, int]
"""The data path and index of a curve."""

QUATERNION = "rotation_quaternion"
STILL = 1e-6
"""A channel that changes by less, and stays this near the pose of the model, needs no curve."""
FITS = 0.5
"""The least share of the curves of a clip that a model must have the bones for."""
TURN = 2.0 * pi
FINE = 4
"""Rows of a table for each frame: between frames, curves turn where their keys are."""


def at_rest(channels: Sequence[Channel]) -> np.ndarray:
    """Rest values of channels of bones, (c,), shown where no strip plays them."""
    is_one = [path.endswith(".scale") or (path.endswith(QUATERNION) and index == 0) for path, index in channels]
    return np.array(is_one, dtype=np.float64)


@dataclass(frozen=True)
class ClipCopy:
    """A copy of a clip, ready to be played by strips.

    Attributes:
        frames: the length of a cycle.
        new: whether it was just made.
        feet: the channels of planted feet, if it holds these.
        clip: what it is a copy of; None if it is of no clip.
    """

    action: Action
    slot: ActionSlot | None
    name: str
    frames: float
    new: bool
    feet: tuple[Channel, ...] = ()
    clip: Action | None = None


def curves_for(action: Action, rig: Object) -> dict[Channel, FCurve]:
    """The curves with which an action poses an armature or shape keys, by channel."""
    curves = slot_curves(action, slot_for(action, posed_block(rig)))
    return {(curve.data_path, curve.array_index): curve for curve in curves if not curve.mute and has(rig, curve)}


def fits(action: Action, rig: Object) -> bool:
    """Whether an armature has the bones, or a mesh the shape keys, that an action poses."""
    curves = slot_curves(action, slot_for(action, posed_block(rig)))
    return len(curves) > 0 and sum(has(rig, curve) for curve in curves) >= FITS * len(curves)


def has(rig: Object, curve: FCurve) -> bool:
    """Whether an armature or shape keys have the channel of a curve."""
    block = posed_block(rig)
    if not curve.data_path.startswith(POSES):
        return False
    if curve.data_path.startswith(POSE):
        if getattr(block, "pose", None) is None:
            return False
        bone, _, channel = curve.data_path[len(POSE) + 1 :].rpartition('"].')
        if bone in block.pose.bones and channel in ("location", "rotation_quaternion", "rotation_euler", "scale"):
            return True
    try:
        value = block.path_resolve(curve.data_path)
    except ValueError:
        return False
    return isinstance(value, (int, float)) or curve.array_index < len(value)


def copies_made() -> dict[str, Action]:
    """The copies of clips in the file, by what they were made of."""
    return {stored["made_of"]: action for action in bpy.data.actions if (stored := action.get(COPY))}


class Copies:
    """Makes the copies of the clips of one model, or finds those that an earlier bake has made. `channels`: what all
    copies animate: the channels that one of the clips moves, or holds elsewhere than the model."""

    def __init__(self, rig: Object, clips: Sequence[tuple[Action, bool]]) -> None:
        """`rig`: the player of the model; `clips`: actions, and whether each is looped."""
        self._rig = rig = posed_block(rig)
        self._sources = sources = [_Source(rig, action, closed) for action, closed in clips]
        self._base = base = _Base(rig, {channel for source in sources for channel in source.curves})
        curves = [curve for source in sources for curve in source.curves.items()]
        moved = {channel for channel, curve in curves if base.is_left_by(channel, curve)}
        quaternions = {path for path, _ in moved if path.endswith(QUATERNION)}
        self.channels = tuple(sorted(moved | {(path, index) for path in quaternions for index in range(4)}))
        for source in sources:
            source.change(base, self.channels)

    def copies(self) -> list[ClipCopy]:
        """A copy of each clip, in their order."""
        existing = copies_made()
        keys = [source.keys(self._base) for source in self._sources]
        return [self._copy(source, of_clip, existing) for source, of_clip in zip(self._sources, keys)]

    @once
    def tables(self) -> list[np.ndarray]:
        """The values of each clip over its cycle, (f + 1, channels), about `FINE` for each frame."""
        return [source.table(self._base) for source in self._sources]

    def _copy(self, source: "_Source", keys: Mapping[Channel, Keys], existing: Mapping[str, Action]) -> ClipCopy:
        clip, frames = source.action, max(source.frames, 1.0)
        made_of = _hash(clip.name_full, frames, keys)
        copy = existing.get(made_of)
        if copy is not None:
            return ClipCopy(copy, copy.slots[0] if SLOTTED else None, clip.name, frames, new=False, clip=clip)
        action, slot = new_action(f"{clip.name} (crowd)", self._rig)
        bag = channelbag_in(action, slot, ensure=True)
        for (path, index), curve_keys in keys.items():
            curve = bag.fcurves.new(path, index=index)
            if _are_dense(curve_keys):
                write_samples(curve, curve_keys, ceil(frames))
            else:
                write_keys(curve, curve_keys)
        action.use_frame_range, action.frame_start, action.frame_end = True, 0.0, frames
        action[COPY] = {"made_of": made_of, "clip": clip}
        return ClipCopy(action, slot, clip.name, frames, new=True, clip=clip)


class _Source:
    """A clip that is copied. `curves`: by channel; `frames`: of a cycle."""

    def __init__(self, rig: Object, action: Action, closed: bool) -> None:
        self.action, self._closed = action, closed
        self._first, self._last = span(action)
        self.curves, self.frames = curves_for(action, rig), self._last - self._first
        self._held = {(curve.data_path, curve.array_index) for curve in stepped_curves(self.curves.values())}
        # Of each channel of the copy: its sign, and the slope that is taken off to close the cycle.
        self._changes: dict[Channel, tuple[float, float]] = {}

    def change(self, base: "_Base", channels: Sequence[Channel]) -> None:
        """Choose signs and slopes that close the cycle and align quaternions with those of other clips."""
        starts, ends = (
            {
                channel: self.curves[channel].evaluate(at) if channel in self.curves else base.values[channel]
                for channel in channels
            }
            for at in (self._first, self._last)
        )
        signs = dict.fromkeys(channels, 1.0)
        gaps = {channel: ends[channel] - starts[channel] for channel in channels}
        for path in sorted({path for path, _ in channels if path.endswith(QUATERNION)}):
            numbers = [(path, index) for index in range(4)]
            start, end = (np.array([values[channel] for channel in numbers]) for values in (starts, ends))
            sign = base.sign(path, start)
            # The same turn by the other numbers leaves nothing to close.
            end_sign = sign if np.dot(start, end) >= 0.0 else -sign
            for channel in numbers:
                signs[channel] = sign
                gaps[channel] = end_sign * ends[channel] - sign * starts[channel]
        closes = self._closed and self.frames > 0.0
        self._changes = {
            channel: (signs[channel], _slope(gaps[channel], self.frames, channel[0]) if closes else 0.0)
            for channel in channels
        }

    def table(self, base: "_Base") -> np.ndarray:
        """The values of the copy over its cycle, (f + 1, channels)."""
        frames = np.linspace(0.0, self.frames, FINE * max(round(self.frames), 1) + 1)
        columns = []
        for channel, (sign, slope) in self._changes.items():
            values = np.full(len(frames), base.values[channel])
            if channel in self.curves:
                read = straight_values if channel in self._held else evaluate
                values = read(self.curves[channel], self._first + frames)
            columns.append(sign * values - slope * frames)
        return np.stack(columns, axis=1)

    def keys(self, base: "_Base") -> dict[Channel, Keys]:
        """The keys of the copy, by channel."""
        completed = {}
        for channel, (sign, slope) in self._changes.items():
            if channel in self.curves:
                keys = _keys_from_zero(self.curves[channel], self._first, self._last)
                if channel in self._held:
                    keys.columns["interpolation"][:] = LINEAR
            else:
                keys = generated_keys(np.zeros(1), np.array([base.values[channel]]), LINEAR)
            for name in POINTS:
                points = keys.columns[name]
                points[:, 1] = sign * points[:, 1] - slope * points[:, 0]
            is_still = float(np.ptp([keys.columns[name][:, 1] for name in POINTS])) == 0.0
            # Blender looks for the keys beside each frame that it plays, also where all are alike.
            completed[channel] = keys.take(np.zeros(1, np.int64)) if is_still else keys
        return completed


class _Base:
    """The pose of a model that plays no clip, on some channels."""

    def __init__(self, rig: Object, channels: Collection[Channel]) -> None:
        record = clip_record(rig)
        action, slot = own_poses(rig, channels, record)
        start = span(action)[0] if action is not None else 0.0
        self._own = {(curve.data_path, curve.array_index): curve for curve in slot_curves(action, slot)}
        stored = record.pose_of(rig) if record is not None else {}
        quaternions = {path for path, _ in channels if path.endswith(QUATERNION)}
        others = {(path, index) for path in quaternions for index in range(4)}.difference(channels)
        known = {channel: stored[channel] for channel in channels if channel in stored}
        known |= {channel: self._own[channel].evaluate(start) for channel in channels if channel in self._own}
        known = posed_by_tracks(rig, {*channels, *others}) | known
        present = values_of(rig, [channel for channel in (*channels, *others) if channel not in known])
        self.values: dict[Channel, float] = present | known
        self._signs: dict[str, np.ndarray] = {}

    def is_left_by(self, channel: Channel, curve: FCurve) -> bool:
        """Whether a clip moves a channel, or holds it elsewhere; also if the model's own action moves it."""
        posed_by = self._own.get(channel)
        if posed_by is not None and np.ptp(_values_between(posed_by)) > STILL:
            return True
        return bool((np.abs(_values_between(curve) - self.values[channel]) > STILL).any())

    def sign(self, path: str, quaternion: np.ndarray) -> float:
        """The sign, 1 or -1, that aligns a quaternion with that of the first clip."""
        reference = self._signs.setdefault(path, quaternion)
        return -1.0 if np.dot(reference, quaternion) < 0.0 else 1.0


def own_poses(
    rig: Object, channels: Iterable[Channel], record: ClipRecord | None
) -> tuple[Action | None, ActionSlot | None]:
    """The action that poses an armature without clips: the one that hides them, or that was set aside."""
    action, slot = hiding_action(rig, set(channels))
    if action is not None:
        return action, slot
    baked = CurrentAnimation(rig).record
    if baked is not None and baked.posed and baked.kept is not None:
        return baked.kept, slot_with_handle(baked.kept, baked.kept_slot)
    return (record.kept, record.slot) if record is not None else (None, None)


def _values_between(curve: FCurve) -> np.ndarray:
    """Values between which a curve stays."""
    if curve.modifiers or len(curve.sampled_points):
        first, last = curve.range()
        return evaluate(curve, np.linspace(first, last, 65))
    columns = [read_column(curve, name)[:, 1] for name in POINTS]
    return np.concatenate(columns) if len(columns[0]) else np.zeros(1)


def _keys_from_zero(curve: FCurve, first: float, last: float) -> Keys:
    """The keys of a curve, earlier by the first frame of its clip; samples and modifiers become keys."""
    if curve.modifiers or len(curve.sampled_points) or not len(curve.keyframe_points):
        frames = np.append(np.arange(first, last), last)
        return generated_keys(frames - first, evaluate(curve, frames), LINEAR)
    linear = (read_column(curve, "interpolation") == LINEAR).all()
    keys = read_keys(curve, OF_LINEAR) if linear else read_keys(curve)
    for name in POINTS:
        keys.columns[name][:, 0] -= first
    return keys


def _are_dense(keys: Keys) -> bool:
    """Whether a curve goes straight_values on between whole frames, and has a key on every other one at least."""
    places = keys.columns["co"][:, 0]
    linear = (keys.columns["interpolation"] == LINEAR).all() and (places == np.rint(places)).all()
    return len(keys) > 1 and bool(linear and 2 * len(keys) > places[-1] - places[0])


def _slope(gap: float, frames: float, path: str) -> float:
    """The slope of a curve that ends apart from where it began; whole turns do not count."""
    if path.endswith("rotation_euler"):
        gap -= TURN * round(gap / TURN)
    return gap / frames if abs(gap) > STILL else 0.0


def _hash(name: str, frames: float, keys: Mapping[Channel, Keys]) -> str:
    hashed = hashlib.blake2b(repr((name, frames)).encode(), digest_size=16)
    for channel, curve_keys in keys.items():
        hashed.update(repr(channel).encode())
        for column in ("co", "handle_left", "handle_right", "interpolation"):
            hashed.update(np.ascontiguousarray(curve_keys.columns[column]).tobytes())
    return hashed.hexdigest()
