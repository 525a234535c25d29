"""The record of a bake: which channels and frames of an action are baked, noted on the action itself.

It is a plain custom property, so that a file can be read, and baked keys recognized, without the extension.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import bpy
from bpy.types import Action

from ...simulation.arrays.once import once
from ...simulation.presence.attendance import FURTHEST
from .custom_properties import KeptProperty, name_in

RECORD = "steering_bake"
"""The custom property of a baked action. Stored in files: never changes."""

TRANSFORM_CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
"""The channels that move and turn an object; a bake never writes scale."""


@dataclass(frozen=True)
class BakeRecord:
    """The record of a bake on the action it wrote.

    Attributes:
        first, last: the frames it wrote.
        channels: the data paths it wrote.
        made: whether the action was made by a bake, and is removed if it holds nothing else.
        kept: the animator's own action that clearing restores, whole or in part.
        kept_slot: the number of its slot; 0 for none, and in 4.2.
        posed: whether the kept action poses bones, which clips do while the bake lasts.
        muted_drivers: the animator's drivers that were muted, as (data path, index).
        muted_strips: the names of the animator's NLA strips that were muted.
        kept_properties: the animator's custom properties replaced by those of the bake, by name.
        kept_hidden: whether the animator had the object hidden, by the data paths of the switches that the bake keys.
        own_handles: handles of the animator's keys on the channels, to be put back (`keyframes.unsettled_handles`), by
            channel, such as `location[0]`.
        keys: for each channel a checksum of what the bake keyed, 0 for a channel that it keyed at changes only; empty
            in older files.
        thinned: the channels that it keyed where that was needed, with handles, not on every frame.
        made_of: the fingerprint of the run that was baked, in files from before runs had a record of their own.
    """

    bake_id: str
    first: float
    last: float
    channels: tuple[str, ...]
    made: bool
    kept: Action | None = None
    kept_slot: int = 0
    posed: bool = False
    muted_drivers: tuple[tuple[str, int], ...] = ()
    muted_strips: tuple[str, ...] = ()
    kept_properties: Mapping[str, KeptProperty] = field(default_factory=dict)
    kept_hidden: Mapping[str, bool] = field(default_factory=dict)
    own_handles: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    keys: tuple[int, ...] = ()
    thinned: tuple[str, ...] = ()
    made_of: str = ""

    @property
    def moves(self) -> bool:
        """Whether it moved the object, rather than only hiding it."""
        return any(path in TRANSFORM_CHANNELS for path in self.channels)

    @once
    def properties(self) -> tuple[str, ...]:
        """The names of the custom properties among the channels."""
        return tuple(name for path in self.channels if (name := name_in(path)) is not None)


def our_record(action: Action | None) -> BakeRecord | None:
    """The record of the bake an action holds; None without a readable record. A record with a part that no bake writes,
    such as one that a script has changed, is not readable: keys below it are treated as the animator's own."""
    try:
        # Python's own values are looked up several times as fast.
        stored = action[RECORD].to_dict()
        return BakeRecord(
            bake_id=str(stored["id"]),
            first=frame_in(stored["range"][0]),
            last=frame_in(stored["range"][1]),
            channels=_texts(stored["channels"]),
            made=bool(stored["made"]),
            kept=action_in(stored.get("kept")),
            kept_slot=int(stored.get("kept_slot", 0)),
            posed=bool(stored.get("posed", False)),
            muted_drivers=tuple((path, int(index)) for path, index in map(_split, stored.get("muted_drivers", ()))),
            muted_strips=_texts(stored.get("muted_strips", ())),
            kept_properties={k: KeptProperty.read(v) for k, v in stored.get("kept_properties", {}).items()},
            kept_hidden={path: bool(hidden) for path, hidden in stored.get("kept_hidden", {}).items()},
            own_handles={channel: tuple(map(float, noted)) for channel, noted in stored.get("own_handles", {}).items()},
            keys=tuple(map(int, stored.get("keys", ()))),
            thinned=_texts(stored.get("thinned", ())),
            made_of=str(stored.get("made_of", "")),
        )
    except (TypeError, KeyError, AttributeError, IndexError, ValueError):
        return None


def has_unreadable_record(action: Action | None) -> bool:
    """Whether an action has a record that `our_record` cannot read."""
    return action is not None and RECORD in action and our_record(action) is None


def write_record(action: Action, record: BakeRecord) -> None:
    """Record a bake on the action that holds it; the action then counts as a user of the kept one."""
    stored: dict[str, Any] = {
        "id": record.bake_id,
        "range": [record.first, record.last],
        "channels": list(record.channels),
        "made": record.made,
    }
    if record.kept is not None:
        stored |= {"kept": record.kept, "kept_slot": record.kept_slot}
    where_needed = {
        "posed": record.posed,
        "muted_drivers": [f"{path}[{index}]" for path, index in record.muted_drivers],
        "muted_strips": list(record.muted_strips),
        "kept_properties": {name: kept.written() for name, kept in record.kept_properties.items()},
        "kept_hidden": dict(record.kept_hidden),
        "own_handles": {channel: list(noted) for channel, noted in record.own_handles.items()},
        "keys": list(record.keys),
        "thinned": list(record.thinned),
    }
    action[RECORD] = stored | {name: values for name, values in where_needed.items() if values}


def erase_record(action: Action) -> None:
    """Remove the record of a bake from an action."""
    if RECORD in action:
        del action[RECORD]


def _texts(stored: Any) -> tuple[str, ...]:
    """A list of texts. Raises TypeError for anything else."""
    texts = tuple(stored)
    if isinstance(stored, str) or not all(isinstance(text, str) for text in texts):
        raise TypeError("not a list of texts")
    return texts


def action_in(stored: Any) -> Action | None:
    """An action, or None. Raises TypeError for anything else."""
    if stored is not None and not isinstance(stored, bpy.types.Action):
        raise TypeError("not an action")
    return stored


def frame_in(stored: Any) -> float:
    """A frame. Raises ValueError for a number that no timeline has."""
    frame = float(stored)
    if not abs(frame) <= FURTHEST:
        raise ValueError("not a frame")
    return frame


def open_span_in(stored: Any) -> tuple[float, float]:
    """The first and the last of some frames, infinite for no such frame. Raises ValueError for no number."""
    first, last = float(stored[0]), float(stored[1])
    if first != first or last != last:
        raise ValueError("not a frame")
    return first, last


def _split(channel: str) -> tuple[str, str]:
    """Split `location[2]` into path and index."""
    path, _, index = channel.rstrip("]").rpartition("[")
    return path, index
