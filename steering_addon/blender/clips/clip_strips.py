"""NLA strips that play clips in step with the way of a vehicle, and their removal.

A strip for each clip covers the frames of the bake. Its time is keyed, so that the clip advances with the distance
travelled, and its influence over the strips below it. Keys that hold feet and turn heads are played by plain strips,
frame by frame. Our tracks lie below the animator's.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import FCurve, Key, NlaTrack, Object

from ..animation.animation_data import SLOTTED, action_of, assign_action, posed_block, remove_blocks
from ..animation.keyframes import CHOICE, FRAME_TOLERANCE, GENERATED, write_plain_keys
from ..animation.ownership import check_editable, holds_nothing
from ..animation.posing import hiding_action
from ..objects.doubles import column_from
from .clip_copies import Channel, ClipCopy
from .clip_record import RECORD, ClipRecord, clip_record, is_copy, tracks_of, values_of, write_clip_record
from .hiding_tracks import hiding_tracks, posed_by_tracks, unmute

PREFIX = "Steering: "
"""The beginning of the names of our tracks."""
BLENDS = ("REPLACE", "COMBINE")
"""How our strips are blended with what is below them."""
SEEN = 1e-4
"""Influence below which a clip is not seen."""

STRAIGHT = 1e-8
"""A time or an influence that changes its pace by less from frame to frame goes straight on."""


@dataclass(frozen=True)
class ClipPlayed:
    """A clip as an armature or shape keys play it.

    Attributes:
        time: (f,) frames of the clip, never decreasing; None for each frame once, from 0 on.
        influence: (f,) 0 to 1; None for 1 throughout.
        combines: whether it adds to what is below it, rather than replace it.
    """

    copy: ClipCopy
    time: np.ndarray | None = None
    influence: np.ndarray | None = None
    combines: bool = False

    @property
    def is_seen(self) -> bool:
        return self.influence is None or bool(self.influence.max() > SEEN)


@dataclass(frozen=True)
class RigClips:
    """The clips of an armature or shape keys as these play them, the lowest first. `channels`: those that the clips
    animate; `moves`: whether the armature is the vehicle that a bake moves, which sets its own action aside; `made_of`:
    the hash of the clips of its crowd, by `crowd_clips.clips_made_of`."""

    rig: Object | Key
    channels: Collection[Channel]
    played: Sequence[ClipPlayed]
    moves: bool
    made_of: str


@dataclass(frozen=True)
class Edited:
    """A track of a bake that the animator has changed since, and that therefore stays."""

    rig: Object | Key
    track: str

    def __str__(self) -> str:
        return f"{self.track} of {(self.rig if isinstance(self.rig, bpy.types.Object) else self.rig.user).name}"


def write_clips(all_played: Sequence[RigClips], frames: np.ndarray) -> list[Edited]:
    """Let armatures play clips on frames (f,), in place of earlier ones; returns edited strips, which stay."""
    edited: list[Edited] = []
    writer = _StripWriter(frames)
    # No strip is written of a clip that is never seen.
    spare = {played.copy.action for rig_clips in all_played for played in rig_clips.played}
    mixed = []
    for rig_clips in all_played:
        record, stay = _write_on(rig_clips, writer, spare)
        edited += stay
        if _has_others_below(rig_clips.rig, record):
            mixed.append(rig_clips.rig)
    _remove_unused(spare)
    if mixed:
        # Muted tracks, of which importers leave dozens, do not matter: moving takes a second for every few thousand.
        with _only_selected(set(mixed)), _nla_editor() as editor:
            if editor is not None:
                with bpy.context.temp_override(**editor):
                    bpy.ops.anim.channels_move(direction="BOTTOM")
    return edited


def _write_on(clips: RigClips, writer: "_StripWriter", spare: set[bpy.types.Action]) -> tuple[ClipRecord, list[Edited]]:
    """Write the strips of an armature; returns their record, and those that stay as they are."""
    rig, before = clips.rig, clip_record(clips.rig) or ClipRecord(0.0, 0.0, (), ())
    feet = [channel for played in clips.played for channel in played.copy.feet]
    channels = *clips.channels, *feet
    pose = values_of(rig, channels) | posed_by_tracks(rig, set(channels)) | before.pose_of(rig)
    kept, kept_slot, muted = before.kept, before.kept_slot, before.muted
    stay = _remove_tracks(rig, before, spare)
    if not clips.moves:
        action, slot = hiding_action(rig, clips.channels)
        if action is not None:
            kept, kept_slot = action, slot.handle if slot is not None else 0
            assign_action(rig, None)
    copies = [clip for played in clips.played if (clip := played.copy.clip) is not None]
    hiding = hiding_tracks(rig, clips.channels, copies, (writer.first, writer.last))
    for track in hiding:
        track.mute = True
    muted += tuple(track.name for track in hiding)
    animation = rig.animation_data_create()
    names = {edited.track for edited in stay}
    for name, played in zip(_track_names(clips.played), clips.played):
        # The lowest is also what is seen where the animator mutes or fades those above it.
        if name not in names and (played is clips.played[0] or played.is_seen):
            names.add(writer.write(animation.nla_tracks, name, played, overridden=rig.override_library is not None))
    values, of_feet = (tuple(pose[channel] for channel in channels) for channels in (clips.channels, feet))
    record = ClipRecord(
        first=writer.first,
        last=writer.last,
        tracks=tuple(sorted(names)),
        pose=values,
        feet=of_feet,
        kept=kept,
        kept_slot=kept_slot,
        made_of=clips.made_of,
        muted=tuple(dict.fromkeys(muted)),
    )
    write_clip_record(rig, record)
    return record, stay


def _track_names(all_played: Sequence[ClipPlayed]) -> list[str]:
    """Names for the tracks of clips, with a number if another one has the same."""
    names: list[str] = []
    for played in all_played:
        name = PREFIX + played.copy.name.rpartition("|")[2]
        count = sum(other == name or other.rpartition(" ")[0] == name for other in names)
        names.append(f"{name} {count + 1}" if count else name)
    return names


def clear_clips(rigs: Iterable[Object | Key], keep: Collection[bpy.types.Action] = ()) -> list[Edited]:
    """Remove the strips of clips from armatures and shape keys, and restore their own animation; `keep`: copies that
    stay even if nothing plays them. Returns the strips that the animator has changed, which stay. Refused if an
    armature cannot be changed; none was."""
    # Members of a crowd may share shape keys.
    blocks = dict.fromkeys(map(posed_block, rigs))
    recorded = [(block, record) for block in blocks if block and (record := clip_record(block)) is not None]
    for rig, _ in recorded:
        check_editable(rig)
    edited: list[Edited] = []
    spare: set[bpy.types.Action] = set()
    for rig, record in recorded:
        pose = record.pose_of(rig)
        stay = _remove_tracks(rig, record, spare)
        if not stay:
            _pose_as(rig, pose)
        edited += stay
        unmute(rig, record.muted)
        if record.kept is not None:
            if action_of(rig) is None:
                assign_action(rig, record.kept, record.slot)
            elif record.kept.users == 1:
                # The animator has given the armature another action. Nothing would hold on to this one.
                record.kept.use_fake_user = True
        if RECORD in rig:
            del rig[RECORD]
        if rig.animation_data is not None and holds_nothing(rig.animation_data):
            rig.animation_data_clear()
        rig.update_tag()
    _remove_unused(spare.difference(keep))
    return edited


@contextmanager
def without_clips(rig: Object) -> Iterator[None]:
    """Let an armature, or a mesh with shape keys, appear without the strips of a bake."""
    record, block = clip_record(rig), posed_block(rig)
    if record is None:
        yield
        return
    pose, hides = record.pose_of(block), record.kept is not None and action_of(block) is None
    shown, played = values_of(rig, pose), [track for track in tracks_of(rig, record) if _is_as_written(track, record)]
    muted = [track for track in block.animation_data.nla_tracks if track.mute and track.name in record.muted]
    try:
        for track in (*played, *muted):
            track.mute = not track.mute
        if hides:
            assign_action(block, record.kept, record.slot)
        _pose_as(block, pose)
        yield
    finally:
        if hides:
            assign_action(block, None)
        for track in (*played, *muted):
            track.mute = not track.mute
        _pose_as(block, shown)


class _StripWriter:
    """Writes strips over the frames of a bake, which are whole and consecutive."""

    def __init__(self, frames: np.ndarray) -> None:
        self.first, self.last = float(frames[0]), float(frames[-1])
        self._points = np.zeros((len(frames), 2), np.float32)
        self._points[:, 0] = frames

    def write(self, tracks: bpy.types.NlaTracks, name: str, played: ClipPlayed, *, overridden: bool) -> str:
        """Add a track with a strip; returns its name."""
        track = tracks.new()
        track.name = name
        copy = played.copy
        strip = track.strips.new(name, int(self.first), copy.action)
        if SLOTTED:
            strip.action_slot = copy.slot
        strip.extrapolation, strip.blend_type = "HOLD", "COMBINE" if played.combines else "REPLACE"
        # A strip needs a length, even if a single frame is baked.
        length = max(self.last - self.first, 1.0)
        if played.time is None:
            strip.action_frame_start, strip.action_frame_end = 0.0, length
        else:
            strip.use_animated_time = strip.use_animated_time_cyclic = True
        strip.frame_end = self.first + length
        strip.frame_start = self.first
        if played.time is not None:
            self._key(strip.fcurves.find("strip_time"), played.time, overridden)
        if played.influence is not None and (played.influence < 1.0).any():
            strip.use_animated_influence = True
            self._key(strip.fcurves.find("influence"), played.influence, overridden)
        return track.name

    def _key(self, curve: FCurve, values: np.ndarray, overridden: bool) -> None:
        self._points[:, 1] = values
        bends = np.ones(len(values), dtype=np.bool_)
        bends[1:-1] = np.abs(np.diff(values.astype(np.float64), n=2)) > STRAIGHT
        points = self._points[bends]
        if not overridden:
            write_plain_keys(curve, points)
            return
        # On a library override Blender ignores what is written in bulk.
        for frame, value in points.tolist():
            key = curve.keyframe_points.insert(frame, value, options={"FAST"})
            key.interpolation, key.type = "LINEAR", "GENERATED"
        curve.update()


def _remove_tracks(rig: Object, record: ClipRecord, spare: set[bpy.types.Action]) -> list[Edited]:
    """Remove the tracks of a record, except those that were changed since; `spare` gets the copies that they played."""
    stay: list[Edited] = []
    for track in tracks_of(rig, record):
        if _is_as_written(track, record):
            spare.update(strip.action for strip in track.strips)
            rig.animation_data.nla_tracks.remove(track)
        else:
            stay.append(Edited(rig, track.name))
    return stay


def _is_as_written(track: NlaTrack, record: ClipRecord) -> bool:
    """Whether a track holds a single strip as a bake wrote it, not moved, muted or keyed by the animator."""
    if len(track.strips) != 1 or track.mute or track.lock:
        return False
    strip = track.strips[0]
    end = max(record.last, record.first + 1.0)
    return (
        is_copy(strip.action)
        and not strip.mute
        and not strip.modifiers
        and strip.blend_type in BLENDS
        and strip.extrapolation == "HOLD"
        and abs(strip.frame_start - record.first) < FRAME_TOLERANCE
        and abs(strip.frame_end - end) < FRAME_TOLERANCE
        and (strip.use_animated_time or (strip.action_frame_start, strip.scale, strip.repeat) == (0.0, 1.0, 1.0))
        and all(_is_generated(curve, record) for curve in strip.fcurves)
    )


def _is_generated(curve: FCurve, record: ClipRecord) -> bool:
    """Whether all keys of a curve of a strip are ours."""
    points = curve.keyframe_points
    if curve.modifiers or curve.mute or not len(points):
        return False
    kinds = column_from(points, "type", kind=CHOICE)
    start, end = curve.range()
    return bool(
        (kinds == GENERATED).all() and start > record.first - FRAME_TOLERANCE and end < record.last + FRAME_TOLERANCE
    )


def _pose_as(rig: Object, pose: dict[Channel, float]) -> None:
    for (path, index), value in pose.items():
        owner, _, name = path.rpartition(".")
        holder = rig.path_resolve(owner) if owner else rig
        current = getattr(holder, name)
        if isinstance(current, (int, float)):
            setattr(holder, name, value)
        else:
            current[index] = value


def _remove_unused(copies: Collection[bpy.types.Action]) -> None:
    remove_blocks([action for action in copies if action.users == 0])


def _has_others_below(rig: Object, record: ClipRecord) -> bool:
    """Whether a track of the animator's that plays lies below one of ours."""
    playing = [track.name in record.tracks for track in rig.animation_data.nla_tracks if not track.mute]
    return False in playing and True in playing[playing.index(False) :]


@contextmanager
def _only_selected(rigs: Collection[Object]) -> Iterator[None]:
    """Select our tracks of these armatures and no others in the file, for the time of an operator."""
    owners = (*bpy.data.objects, *bpy.data.shape_keys)
    animated = [owner for owner in owners if owner.animation_data and len(owner.animation_data.nla_tracks)]
    blocks = [ob.animation_data for ob in animated]
    before = [{track.name: track.select for track in block.nla_tracks} for block in blocks]
    for ob, block in zip(animated, blocks):
        record = clip_record(ob) if ob in rigs else None
        for track in block.nla_tracks:
            track.select = record is not None and track.name in record.tracks
    try:
        yield
    finally:
        for block, names in zip(blocks, before):
            for track in block.nla_tracks:
                track.select = names[track.name]


@contextmanager
def _nla_editor() -> Iterator[dict[str, object] | None]:
    """An NLA editor to run an operator in that needs one, made of an area of the window for a moment."""
    window = bpy.context.window or next(iter(bpy.context.window_manager.windows), None)
    area = max(window.screen.areas, key=lambda area: area.width * area.height) if window is not None else None
    if area is None:
        yield None
        return
    area_type = area.type
    area.type = "NLA_EDITOR"
    dopesheet = area.spaces.active.dopesheet
    settings = {name: getattr(dopesheet, name) for name in ("show_only_selected", "show_hidden", "filter_text")}
    dopesheet.show_only_selected, dopesheet.show_hidden, dopesheet.filter_text = False, True, ""
    try:
        region = next(region for region in area.regions if region.type == "CHANNELS")
        yield {"window": window, "area": area, "region": region}
    finally:
        for name, value in settings.items():
            setattr(dopesheet, name, value)
        area.type = area_type
