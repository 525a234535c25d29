"""What of an object's animation is ours to replace and to remove, and what is the animator's own.

A key is ours when two things agree: its action carries a record of the bake that names its channel and its frame, and
the key is of the type Generated. Everything else is the animator's. The record is a plain custom property of the
action, so that a file can be read, and told apart, without the extension.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...simulation.arrays.once import once
from ..refusal import Refusal
from .animation_data import SLOTTED, action_of, channelbag_in, channelbags, slot_of
from .custom_properties import KeptProperty, name_in
from .keyframes import FRAME_TOLERANCE, GENERATED, KEY_COLUMNS, read_column, read_keys, write_keys

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
        kept_properties: custom properties the animator had where the bake keys its own, by name
        kept_hidden: whether the animator had it hidden, by the data paths of visibility that the bake keys
        mishaps: frames on which the vehicle ran into something or got stuck, by kind
        there: the first and last frame on which it was there, where it was not always; in reverse where it never was
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
    kept_properties: Mapping[str, KeptProperty] = field(default_factory=dict)
    kept_hidden: Mapping[str, bool] = field(default_factory=dict)
    mishaps: Mapping[str, float] = field(default_factory=dict)
    there: tuple[float, float] | None = None

    @property
    def moves(self) -> bool:
        """Whether it moved the object, and did not only hide it."""
        return any(path in TRANSFORM_CHANNELS for path in self.channels)

    @once
    def properties(self) -> tuple[str, ...]:
        """The names of the custom properties among the channels."""
        return tuple(name for path in self.channels if (name := name_in(path)) is not None)


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
        stored = action[RECORD]
        kept_properties = stored.get("kept_properties")
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
            kept_properties={k: KeptProperty.read(v) for k, v in kept_properties.to_dict().items()}
            if kept_properties
            else {},
            kept_hidden={path: bool(hidden) for path, hidden in stored.get("kept_hidden", {}).items()},
            mishaps={kind: float(frame) for kind, frame in stored.get("mishaps", {}).items()},
            there=(float(stored["there"][0]), float(stored["there"][1])) if "there" in stored else None,
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
    if record.kept_properties:
        stored["kept_properties"] = {name: kept.written() for name, kept in record.kept_properties.items()}
    if record.kept_hidden:
        stored["kept_hidden"] = dict(record.kept_hidden)
    if record.mishaps:
        stored["mishaps"] = {kind: float(frame) for kind, frame in record.mishaps.items()}
    if record.there is not None:
        stored["there"] = [float(frame) for frame in record.there]
    action[RECORD] = stored


def erase_record(action: Action) -> None:
    """Take the record of a bake off an action."""
    if RECORD in action:
        del action[RECORD]


class Played:
    """What an object plays now, looked at once for all who ask.

    Attributes:
        action, slot, bag: None where there are none.
        record: of the bake it plays, None where it plays none.
    """

    def __init__(self, ob: Object, only_ours: bool | None = None) -> None:
        """Where it is known already whether there is nothing but a bake, `only_ours` says so."""
        if only_ours is not None:
            self.only_ours = only_ours
        self.action, self.slot = action_of(ob), slot_of(ob)
        self.bag = self.action and channelbag_in(self.action, self.slot)
        self.record = our_record(self.action) if self.bag is not None else None

    def curves(self, path: str) -> dict[int, FCurve]:
        """The curves of a channel by their index."""
        return self._curves.get(path, {})

    @once
    def _curves(self) -> dict[str, dict[int, FCurve]]:
        found: dict[str, dict[int, FCurve]] = {}
        for curve in self.bag.fcurves if self.bag is not None else ():
            found.setdefault(curve.data_path, {})[curve.array_index] = curve
        return found

    @once
    def only_ours(self) -> bool:
        """Whether there is nothing in the action but what a bake wrote."""
        return self.record is not None and holds_only_ours(self.action, self.record)


def bake_of(ob: Object) -> BakeRecord | None:
    """The record of the bake an object plays now, None where it plays none."""
    return Played(ob).record


def is_baked(ob: Object) -> bool:
    """Whether an object plays keys of ours now."""
    played = Played(ob)
    return played.record is not None and any(our_keys(curve, played.record).any() for curve in played.bag.fcurves)


def our_keys(curve: FCurve, record: BakeRecord | None) -> np.ndarray:
    """Which keys of a curve are ours, (k,) booleans, by the record of its action."""
    if record is None or curve.data_path not in record.channels:
        return np.zeros(len(curve.keyframe_points), dtype=bool)
    generated = read_column(curve, "type")[:, 0] == GENERATED
    return generated & _within(curve, record.first, record.last)


def holds_only_ours(action: Action, record: BakeRecord) -> bool:
    """Whether there is nothing in an action but what a bake wrote."""
    curves = (curve for bag in channelbags(action) for curve in bag.fcurves)
    return _holds_only_curves(action) and all(_is_all_ours(curve, record) for curve in curves)


def _is_all_ours(curve: FCurve, record: BakeRecord) -> bool:
    """Whether a curve has keys and all of them are ours, as `our_keys` would say, which takes several times as long."""
    count = len(points := curve.keyframe_points)
    if not count or curve.data_path not in record.channels:
        return False
    start, end = curve.range()
    if start <= record.first - FRAME_TOLERANCE or end >= record.last + FRAME_TOLERANCE:
        return False
    types = np.empty(count, KEY_COLUMNS["type"][1])
    points.foreach_get("type", types)
    return bool((types == GENERATED).all())


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


def contested(channels: Collection[str]) -> tuple[str, ...]:
    """The channels on which a bake of these stands nothing of the animator's beside it: if one moves the object, all
    that do."""
    others = [path for path in channels if path not in TRANSFORM_CHANNELS]
    return (*(TRANSFORM_CHANNELS if len(others) < len(channels) else ()), *others)


def own_curves(
    bag: Channelbag | None,
    record: BakeRecord | None,
    first: float,
    last: float,
    channels: Collection[str] = TRANSFORM_CHANNELS,
) -> list[FCurve]:
    """The curves of these channels that are the animator's own from frame `first` to `last`."""
    curves = () if bag is None else bag.fcurves
    return [curve for curve in curves if curve.data_path in channels and is_own(curve, record, first, last)]


def own_drivers(ob: Object, channels: Collection[str] = TRANSFORM_CHANNELS) -> list[FCurve]:
    """The drivers of these channels of an object."""
    drivers = ob.animation_data.drivers if ob.animation_data else ()
    return [driver for driver in drivers if driver.data_path in channels and not driver.mute]


def own_strips(ob: Object, first: float, last: float, channels: Collection[str] = TRANSFORM_CHANNELS) -> list[NlaStrip]:
    """The NLA strips that animate these channels somewhere between frame `first` and `last`."""
    if not ob.animation_data or not ob.animation_data.use_nla:
        return []
    return [
        strip
        for track in ob.animation_data.nla_tracks
        if not track.mute
        for strip in track.strips
        if strip.frame_start <= last and strip.frame_end >= first and _animates(strip, channels)
    ]


def own_animation(
    ob: Object,
    first: float,
    last: float,
    channels: Collection[str] = TRANSFORM_CHANNELS,
    played: Played | None = None,
) -> list[OwnAnimation]:
    """All that is the animator's on these channels from frame `first` to `last`, for a refusal to name."""
    if ob.animation_data is None:
        return []
    played = played or Played(ob)
    record = played.record
    curves = [] if played.only_ours else own_curves(played.bag, record, first, last, channels)
    found = [
        OwnAnimation(what, replaceable=True)
        for what in (
            *_describe_curves(curves, record, first, last),
            *(f"a driver on {path}" for path in _distinct(_named(d) for d in own_drivers(ob, channels))),
            *(f"the NLA strip {strip.name}" for strip in own_strips(ob, first, last, channels)),
        )
    ]
    found += [OwnAnimation(what, replaceable=False) for what in _in_the_way(ob.animation_data)]
    return found


def check_free(
    ob: Object,
    first: float,
    last: float,
    replace: bool = False,
    channels: Collection[str] = TRANSFORM_CHANNELS,
    played: Played | None = None,
) -> None:
    """Raise Refusal where these channels of an object cannot be baked on these frames."""
    check_editable(ob)
    own = own_animation(ob, first, last, channels, played)
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


def remove_own_keys(bag: Channelbag, first: float, last: float, channels: Collection[str] = TRANSFORM_CHANNELS) -> None:
    """Take all that is the animator's from frame `first` to `last` out of the curves of these channels.

    For a copy of the animator's action, to make room for a bake.
    """
    for curve in own_curves(bag, None, first, last, channels):
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
    return animation.action is None and holds_nothing_else(animation)


def holds_nothing_else(animation: AnimData) -> bool:
    """Whether the animation data of an object holds nothing but the action, if any."""
    untouched = animation.use_nla and animation.action_influence == 1.0
    untouched = untouched and (animation.action_blend_type, animation.action_extrapolation) == ("REPLACE", "HOLD")
    return not animation.drivers and not animation.nla_tracks and untouched


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


def _named(curve: FCurve) -> str:
    """The channel of a curve in plain words."""
    return name_in(curve.data_path) or curve.data_path


def _distinct(names: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _describe_curves(curves: list[FCurve], record: BakeRecord | None, first: float, last: float) -> Iterator[str]:
    """One phrase a channel: its own keys and their frames, or what else is there."""
    for path in _distinct(_named(curve) for curve in curves):
        channel = [curve for curve in curves if _named(curve) == path]
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


def _animates(strip: NlaStrip, channels: Collection[str]) -> bool:
    """Whether a strip, or one inside a meta strip, animates one of these channels."""
    if strip.mute:
        return False
    if strip.type == "META":
        return any(_animates(inner, channels) for inner in strip.strips)
    if strip.action is None:
        return False
    bag = channelbag_in(strip.action, strip.action_slot if SLOTTED else None)
    return bag is not None and any(curve.data_path in channels for curve in bag.fcurves)


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
