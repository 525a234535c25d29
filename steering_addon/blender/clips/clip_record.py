"""The record of the clips that an armature or shape keys play, noted on these: which NLA tracks are ours.

It is a plain custom property, like the record of a bake on its action. Blender does not keep a new custom property of a
library override in the file. There, tracks that play copies of clips are ours, and the library has what they replaced.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from bpy.types import Action, NlaStrip, NlaTrack, Object

from ..animation.animation_data import SLOTTED, ActionSlot, bag_of, nla_tracks_of, posed_block, slot_with_handle
from ..animation.bake_record import action_in

RECORD = "steering_clips"
"""The custom property of an armature that plays clips. Stored in files: never changes."""
COPY = "steering_clip"
"""The custom property of a copy of a clip. Stored in files: never changes."""
OF_FEET = "feet"
"""The first word of what keys of planted feet are made of."""


@dataclass(frozen=True)
class ClipRecord:
    """The strips that were written on an armature, and what they replaced.

    Attributes:
        first, last: the frames of the strips.
        pose: what the channels of the clips were before, in the order of the curves of the copies.
        feet: what the channels of the planted feet were before, in the order of the curves of their action.
        kept: the armature's own action, set aside as it would hide the clips.
        kept_slot: the number of its slot; 0 for none, and in 4.2.
        made_of: the hash of the clips of the crowd and of how they were to be played; empty if it is not known.
        muted: the names of the animator's tracks that were muted, as they would hide the clips.
    """

    first: float
    last: float
    tracks: tuple[str, ...]
    pose: tuple[float, ...]
    feet: tuple[float, ...] = ()
    kept: Action | None = None
    kept_slot: int = 0
    made_of: str = ""
    muted: tuple[str, ...] = ()

    @property
    def slot(self) -> ActionSlot | None:
        return slot_with_handle(self.kept, self.kept_slot) if self.kept is not None else None

    def pose_of(self, rig: Object) -> Mapping[tuple[str, int], float]:
        """The pose by channel, without those of copies that are gone or were changed."""
        pose: dict[tuple[str, int], float] = {}
        for track in nla_tracks_of(rig):
            for strip in track.strips if track.name in self.tracks else ():
                if is_copy(strip.action):
                    channels = _channels_of(strip)
                    values = self.feet if _is_of_feet(strip.action) else self.pose
                    pose |= dict(zip(channels, values)) if len(channels) == len(values) else {}
        return pose


def _channels_of(strip: NlaStrip) -> list[tuple[str, int]]:
    bag = bag_of(strip)
    return [(curve.data_path, curve.array_index) for curve in (bag.fcurves if bag else ())]


def _is_of_feet(action: Action) -> bool:
    stored = action[COPY]
    return hasattr(stored, "get") and str(stored.get("made_of", "")).startswith(f"{OF_FEET} ")


def clip_record(rig: Object) -> ClipRecord | None:
    """The record of the clips on an armature, or on the shape keys of a mesh; None without a readable one."""
    rig = posed_block(rig)
    if rig is None:
        return None
    stored = rig.get(RECORD)
    if stored is None and rig.override_library is not None:
        return _of_override(rig)
    try:
        return ClipRecord(
            first=float(stored["range"][0]),
            last=float(stored["range"][1]),
            tracks=tuple(str(name) for name in stored["tracks"]),
            pose=tuple(float(value) for value in stored["pose"]),
            feet=tuple(float(value) for value in stored.get("feet", ())),
            kept=action_in(stored.get("kept")),
            kept_slot=int(stored.get("kept_slot", 0)),
            made_of=str(stored.get("made_of", "")),
            muted=tuple(str(name) for name in stored.get("muted", ())),
        )
    except (TypeError, KeyError, AttributeError, IndexError, ValueError):
        return None


def _of_override(rig: Object) -> ClipRecord | None:
    """The record of an override, from its tracks and its library; None if it plays no clips."""
    tracks = [track for track in nla_tracks_of(rig) if _plays_copy(track)]
    if not tracks:
        return None
    first, last = tracks[0].strips[0].frame_start, tracks[0].strips[0].frame_end
    linked = rig.override_library.reference
    animation = linked.animation_data
    clips, feet = (
        next((track.strips[0] for track in tracks if _is_of_feet(track.strips[0].action) == of_feet), None)
        for of_feet in (False, True)
    )
    return ClipRecord(
        first=float(first),
        last=float(last),
        tracks=tuple(track.name for track in tracks),
        pose=tuple(values_of(linked, _channels_of(clips)).values()) if clips else (),
        feet=tuple(values_of(linked, _channels_of(feet)).values()) if feet else (),
        kept=animation.action if animation is not None else None,
        kept_slot=animation.action_slot.handle if SLOTTED and animation and animation.action_slot else 0,
    )


def values_of(rig: Object, channels: Collection[tuple[str, int]]) -> dict[tuple[str, int], float]:
    """The present values of channels of an armature or shape keys."""
    block = posed_block(rig)
    stored = {path: block.path_resolve(path) for path in dict.fromkeys(path for path, _ in channels)}
    numbers = {path: (value,) if isinstance(value, (int, float)) else tuple(value) for path, value in stored.items()}
    return {(path, index): float(numbers[path][index]) for path, index in channels}


def write_clip_record(rig: Object, record: ClipRecord) -> None:
    """Record clips on an armature, which then counts as a user of the action that was set aside."""
    stored: dict[str, Any] = {
        "range": [record.first, record.last],
        "tracks": list(record.tracks),
        "pose": list(record.pose),
        "feet": list(record.feet),
        "made_of": record.made_of,
    }
    if record.muted:
        stored["muted"] = list(record.muted)
    if record.kept is not None:
        stored |= {"kept": record.kept, "kept_slot": record.kept_slot}
    rig[RECORD] = stored


def is_copy(action: Action | None) -> bool:
    """Whether an action is a copy of a clip that was made for strips."""
    return action is not None and COPY in action


def tracks_of(rig: Object, record: ClipRecord) -> list[NlaTrack]:
    """The tracks that a record names, if they still exist and play copies of clips."""
    tracks = nla_tracks_of(posed_block(rig))
    return [track for track in tracks if track.name in record.tracks and _plays_copy(track)]


def _plays_copy(track: NlaTrack) -> bool:
    return any(is_copy(strip.action) for strip in track.strips)
