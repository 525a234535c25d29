"""What of an object's animation is ours to replace and to remove, and what is the animator's own.

A key is ours when two things agree: its action carries a record of the bake that names its channel and its frame, and
the key is of the type Generated. Everything else is the animator's. The record is a plain custom property of the
action, so that a file can be read, and told apart, without the extension.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .animation_data import SLOTTED, channelbag, channelbag_in, channelbags
from .keyframes import FRAME_TOLERANCE, GENERATED, read_column, read_keys, write_keys
from .refusal import Refusal

if TYPE_CHECKING:
    from bpy.types import Action, AnimData, FCurve, NlaStrip, Object

    from .animation_data import Channelbag

RECORD = "steering_bake"
"""The custom property of a baked action. Stored in files: never changes."""

TRANSFORM_CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
"""What moves and turns an object; scale is none of ours."""

GROUP = "Object Transforms"
"""Where Blender itself puts such curves."""


@dataclass(frozen=True)
class BakeRecord:
    """What a bake noted on the action it wrote.

    Attributes:
        bake_id: which bake it was
        first, last: the frames it wrote
        channels: the data paths it wrote
        made: whether the action was made by a bake, and goes when nothing else is in it
        kept: the animator's own action that clearing brings back, whole or what is missing of it
        kept_slot: the number of its slot; 0 for none, and in 4.2
        muted_drivers: own drivers that were muted, as (data path, index)
        muted_strips: the names of own NLA strips that were muted
    """

    bake_id: str
    first: float
    last: float
    channels: tuple[str, ...]
    made: bool
    kept: Action | None = None
    kept_slot: int = 0
    muted_drivers: tuple[tuple[str, int], ...] = ()
    muted_strips: tuple[str, ...] = ()


class OwnAnimation(NamedTuple):
    """Something of the animator's that moves a vehicle where a bake would.

    Attributes:
        what: what it is, to follow "Ship has ..."
        replaceable: whether "Replace own keys" can set it aside
    """

    what: str
    replaceable: bool


def our_record(action: Action | None) -> BakeRecord | None:
    """The record of the bake an action holds; None where there is none that can be read."""
    try:
        stored = action[RECORD].to_dict()
        return BakeRecord(
            bake_id=str(stored["id"]),
            first=float(stored["range"][0]),
            last=float(stored["range"][1]),
            channels=tuple(stored["channels"]),
            made=bool(stored["made"]),
            kept=stored.get("kept"),
            kept_slot=int(stored.get("kept_slot", 0)),
            muted_drivers=tuple((path, int(index)) for path, index in map(_split, stored.get("muted_drivers", ()))),
            muted_strips=tuple(stored.get("muted_strips", ())),
        )
    except (TypeError, KeyError, AttributeError, IndexError, ValueError):
        return None


def write_record(action: Action, record: BakeRecord) -> None:
    """Note a bake on the action that holds it. The action counts as a user of the kept one."""
    stored: dict[str, Any] = {
        "id": record.bake_id,
        "range": [record.first, record.last],
        "channels": list(record.channels),
        "made": record.made,
    }
    if record.kept is not None:
        stored |= {"kept": record.kept, "kept_slot": record.kept_slot}
    if record.muted_drivers:
        stored["muted_drivers"] = [f"{path}[{index}]" for path, index in record.muted_drivers]
    if record.muted_strips:
        stored["muted_strips"] = list(record.muted_strips)
    action[RECORD] = stored


def erase_record(action: Action) -> None:
    """Take the record of a bake off an action."""
    if RECORD in action:
        del action[RECORD]


def bake_of(ob: Object) -> BakeRecord | None:
    """The record of the bake an object plays now, None where it plays none."""
    return our_record(ob.animation_data.action) if channelbag(ob) is not None else None


def is_baked(ob: Object) -> bool:
    """Whether an object plays keys of ours now."""
    record = bake_of(ob)
    return record is not None and any(our_keys(curve, record).any() for curve in channelbag(ob).fcurves)


def our_keys(curve: FCurve, record: BakeRecord | None) -> np.ndarray:
    """Which keys of a curve are ours, (k,) booleans, by the record of its action."""
    if record is None or curve.data_path not in record.channels:
        return np.zeros(len(curve.keyframe_points), dtype=bool)
    generated = read_column(curve, "type")[:, 0] == GENERATED
    return generated & _within(curve, record.first, record.last)


def holds_only_ours(action: Action, record: BakeRecord) -> bool:
    """Whether there is nothing in an action but what a bake wrote."""
    curves = [curve for bag in channelbags(action) for curve in bag.fcurves]
    return _holds_only_curves(action) and all(_are_all(our_keys(curve, record)) for curve in curves)


def is_own(curve: FCurve, record: BakeRecord | None, first: float, last: float) -> bool:
    """Whether a curve holds something of the animator's that would move a vehicle from frame `first` to `last`.

    Keys on these frames do. So do samples, and on a curve without a bake its modifiers and being muted, which would
    spoil what is baked into it; on a baked curve these are the animator's last touch.
    """
    ours = our_keys(curve, record)
    if _are_all(ours):
        return False
    if (_within(curve, first, last) & ~ours).any():
        return True
    return not ours.any() and (len(curve.modifiers) > 0 or curve.mute or len(curve.sampled_points) > 0)


def own_curves(bag: Channelbag | None, record: BakeRecord | None, first: float, last: float) -> list[FCurve]:
    """The curves that move and turn an object and are the animator's own from frame `first` to `last`."""
    curves = () if bag is None else bag.fcurves
    return [curve for curve in curves if curve.data_path in TRANSFORM_CHANNELS and is_own(curve, record, first, last)]


def own_drivers(ob: Object) -> list[FCurve]:
    """The drivers that move and turn an object."""
    drivers = ob.animation_data.drivers if ob.animation_data else ()
    return [driver for driver in drivers if driver.data_path in TRANSFORM_CHANNELS and not driver.mute]


def own_strips(ob: Object, first: float, last: float) -> list[NlaStrip]:
    """The NLA strips that move and turn an object somewhere between frame `first` and `last`."""
    if not ob.animation_data or not ob.animation_data.use_nla:
        return []
    return [
        strip
        for track in ob.animation_data.nla_tracks
        if not track.mute
        for strip in track.strips
        if strip.frame_start <= last and strip.frame_end >= first and _moves(strip)
    ]


def own_animation(ob: Object, first: float, last: float) -> list[OwnAnimation]:
    """All that is the animator's and moves or turns an object from frame `first` to `last`, for a refusal to name."""
    record = bake_of(ob)
    found = [
        OwnAnimation(what, replaceable=True)
        for what in (
            *_describe_curves(own_curves(channelbag(ob), record, first, last), record, first, last),
            *(f"a driver on {path}" for path in _distinct(driver.data_path for driver in own_drivers(ob))),
            *(f"the NLA strip {strip.name}" for strip in own_strips(ob, first, last)),
        )
    ]
    if ob.animation_data:
        found += [OwnAnimation(what, replaceable=False) for what in _in_the_way(ob.animation_data)]
    return found


def check_free(ob: Object, first: float, last: float, replace: bool = False) -> None:
    """Raise Refusal where an object cannot be baked on these frames."""
    check_editable(ob)
    own = own_animation(ob, first, last)
    fixed = [what for what, replaceable in own if not replaceable]
    if fixed:
        raise Refusal(
            f"{ob.name} has {_listing(fixed)}, under which a bake would not play: leave or remove that first."
        )
    if own and not replace:
        what = _listing([what for what, _ in own])
        raise Refusal(f"{ob.name} has {what} of its own: move or remove that, or turn on Replace Own Keys.")


def check_editable(ob: Object) -> None:
    """Raise Refusal where the animation of an object cannot be changed."""
    if ob.library is not None:
        raise Refusal(f"{ob.name} is linked from another file: make a library override of it first.")
    if ob.animation_data and ob.animation_data.use_tweak_mode:
        raise Refusal(f"{ob.name} has an NLA strip in tweak mode: leave that first.")


def remove_our_keys(bag: Channelbag, record: BakeRecord) -> None:
    """Take the keys of a bake out of their curves, and curves that hold nothing else out of the action.

    Modifiers that were put on baked curves go with the bake.
    """
    for curve in list(bag.fcurves):
        ours = our_keys(curve, record)
        if _are_all(ours):
            bag.fcurves.remove(curve)
        elif ours.any():
            for modifier in list(curve.modifiers):
                curve.modifiers.remove(modifier)
            write_keys(curve, read_keys(curve).take(~ours))
            curve.update()
    _remove_empty_group(bag)


def remove_own_keys(bag: Channelbag, first: float, last: float) -> None:
    """Take all that is the animator's from frame `first` to `last` out of the curves that move and turn an object.

    For a copy of the animator's action, to make room for a bake.
    """
    for curve in own_curves(bag, None, first, last):
        keys = read_keys(curve)
        keys = keys.take(~keys.within(first, last))
        if not len(keys):
            bag.fcurves.remove(curve)
            continue
        for modifier in list(curve.modifiers):
            curve.modifiers.remove(modifier)
        curve.mute = False
        write_keys(curve, keys)
        curve.update()
    _remove_empty_group(bag)


def with_muted(record: BakeRecord, drivers: list[FCurve], strips: list[NlaStrip]) -> BakeRecord:
    """The record with these noted as well; what an earlier bake has muted stays noted."""
    muted_drivers = (*record.muted_drivers, *((driver.data_path, driver.array_index) for driver in drivers))
    muted_strips = (*record.muted_strips, *(strip.name for strip in strips))
    return dataclasses.replace(
        record,
        muted_drivers=tuple(dict.fromkeys(muted_drivers)),
        muted_strips=tuple(dict.fromkeys(muted_strips)),
    )


def set_muted(ob: Object, record: BakeRecord, *, mute: bool) -> None:
    """Mute, or play again, the drivers and NLA strips that a record names; those that are gone are passed over."""
    for driver in ob.animation_data.drivers if ob.animation_data else ():
        if (driver.data_path, driver.array_index) in record.muted_drivers:
            driver.mute = mute
    for track in ob.animation_data.nla_tracks if ob.animation_data else ():
        for strip in track.strips:
            if strip.name in record.muted_strips:
                strip.mute = mute


def holds_nothing(animation: AnimData) -> bool:
    """Whether the animation data of an object could as well not be there."""
    untouched = animation.use_nla and animation.action_influence == 1.0
    untouched = untouched and (animation.action_blend_type, animation.action_extrapolation) == ("REPLACE", "HOLD")
    return animation.action is None and not animation.drivers and not animation.nla_tracks and untouched


def same_but_for_the_bake(one: Action, other: Action) -> bool:
    """Whether two actions agree in all that is beside their curves: markers, frame range and custom properties."""
    settings = ("use_frame_range", "frame_start", "frame_end", "use_cyclic")
    return (
        all(getattr(one, name) == getattr(other, name) for name in settings)
        and [(m.name, m.frame) for m in one.pose_markers] == [(m.name, m.frame) for m in other.pose_markers]
        and _custom_properties(one) == _custom_properties(other)
    )


def _are_all(ours: np.ndarray) -> bool:
    """Whether a curve has keys and all of them are ours. An empty one may carry a modifier of the animator's."""
    return len(ours) > 0 and bool(ours.all())


def _listing(phrases: list[str]) -> str:
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def _within(curve: FCurve, first: float, last: float) -> np.ndarray:
    """(k,) whether each key is on one of the frames; the ends of the curve say it at once for most."""
    low, high = first - FRAME_TOLERANCE, last + FRAME_TOLERANCE
    start, end = curve.range()
    if low < start and end < high:
        return np.ones(len(curve.keyframe_points), dtype=bool)
    frames = read_column(curve, "co")[:, 0]
    return (frames > low) & (frames < high)


def _split(channel: str) -> tuple[str, str]:
    """`location[2]` to its path and index."""
    path, _, index = channel.rstrip("]").rpartition("[")
    return path, index


def _distinct(names: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _describe_curves(curves: list[FCurve], record: BakeRecord | None, first: float, last: float) -> Iterator[str]:
    """One phrase a channel: its own keys and their frames, or what else is there."""
    for path in _distinct(curve.data_path for curve in curves):
        channel = [curve for curve in curves if curve.data_path == path]
        own = [_within(curve, first, last) & ~our_keys(curve, record) for curve in channel]
        frames = np.concatenate([read_column(curve, "co")[rows, 0] for curve, rows in zip(channel, own)])
        if len(frames):
            yield f"keys on {path} ({_span(frames)})"
        elif any(len(curve.sampled_points) for curve in channel):
            yield f"a sampled curve on {path}"
        elif any(len(curve.modifiers) for curve in channel):
            yield f"a curve modifier on {path}"
        else:
            yield f"a muted curve on {path}"


def _span(frames: np.ndarray) -> str:
    low, high = frames.min(), frames.max()
    return f"frame {low:g}" if low == high else f"frames {low:g} to {high:g}"


def _in_the_way(animation: AnimData) -> Iterator[str]:
    """States of the NLA in which an action does not play as it is, and which only the animator can leave."""
    if animation.use_tweak_mode:
        yield "an NLA strip in tweak mode"
    if not animation.use_nla or not animation.nla_tracks:
        return
    solo = [track.name for track in animation.nla_tracks if track.is_solo]
    if solo:
        yield f"the NLA track {solo[0]} on solo"
    if animation.action_blend_type != "REPLACE" or animation.action_influence < 1.0:
        yield "an action that is blended with its NLA tracks"


def _moves(strip: NlaStrip) -> bool:
    """Whether a strip, or one inside a meta strip, moves and turns its object."""
    if strip.mute:
        return False
    if strip.type == "META":
        return any(map(_moves, strip.strips))
    if strip.action is None:
        return False
    bag = channelbag_in(strip.action, strip.action_slot if SLOTTED else None)
    return bag is not None and any(curve.data_path in TRANSFORM_CHANNELS for curve in bag.fcurves)


def _remove_empty_group(bag: Channelbag) -> None:
    """Later Blenders remove a group with its last curve, earlier ones leave it."""
    group = bag.groups.get(GROUP)
    if group is not None and not len(group.channels):
        bag.groups.remove(group)


def _holds_only_curves(action: Action) -> bool:
    return not action.pose_markers and not action.use_frame_range and not _custom_properties(action)


def _custom_properties(action: Action) -> dict[str, Any]:
    """Custom properties by name, without our record; groups and arrays as plain Python."""
    plain = {}
    for name, value in action.items():
        if name != RECORD:
            whole = getattr(value, "to_dict", None) or getattr(value, "to_list", None)
            plain[name] = whole() if whole else value
    return plain
