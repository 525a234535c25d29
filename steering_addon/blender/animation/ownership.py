"""Ownership of animation: which keys of an object a bake wrote and may remove, and which are the animator's own.

A key is ours if two things agree: its action carries a record of the bake that covers its channel and frame, and the
key is of the type Generated. Everything else is the animator's.
"""

import dataclasses
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from bpy.types import Action, AnimData, FCurve, NlaStrip, Object, Scene

from ...simulation.arrays.once import once
from ..objects.crowd_caches import cached_as
from ..objects.doubles import column_from
from ..objects.drivers import drivers_of
from ..properties import scene_setting
from ..refusal import Refusal
from .animation_data import (
    ActionSlot,
    Channelbag,
    action_of,
    bag_of,
    channelbag,
    channelbag_in,
    channelbags,
    check_nla_plays,
    check_no_tweak_mode,
    nla_tracks_of,
    playing_tracks,
    slot_of,
)
from .bake_record import RECORD, TRANSFORM_CHANNELS, BakeRecord, our_record
from .custom_properties import name_in, plain
from .keyframes import (
    FRAME_TOLERANCE,
    GENERATED,
    KEY_COLUMNS,
    compute_handles,
    frames_of,
    put_handles_back,
    read_column,
    read_keys,
    write_keys,
)
from .posing import TRANSFORM, held_paths, holds_a_pose, pose_curves

GROUP = "Object Transforms"
"""The group of F-curves in which Blender puts transform channels."""


class CurrentAnimation:
    """The animation that an object plays at present, looked up once. `action`, `slot`, `bag`: None if the object has
    none; `record`: of the bake it plays, None if it plays no bake."""

    def __init__(self, ob: Object, only_ours: bool | None = None) -> None:
        """`only_ours`: whether the object plays nothing but a bake, if that is already known."""
        if only_ours is not None:
            self.only_ours = only_ours
        self._look_up(action_of(ob), slot_of(ob))

    @classmethod
    def from_action(cls, action: Action | None, slot: ActionSlot | None) -> "CurrentAnimation":
        """The animation of an object that would play this."""
        played = cls.__new__(cls)
        played._look_up(action, slot)
        return played

    def _look_up(self, action: Action | None, slot: ActionSlot | None) -> None:
        self.action, self.slot = action, slot
        self.bag = self.action and channelbag_in(self.action, self.slot)
        self.record = our_record(self.action) if self.bag is not None else None

    def curves(self, path: str) -> dict[int, FCurve]:
        """The curves of a channel, by array index."""
        return self._curves.get(path, {})

    @once
    def _curves(self) -> dict[str, dict[int, FCurve]]:
        curves: dict[str, dict[int, FCurve]] = {}
        for curve in self.bag.fcurves if self.bag is not None else ():
            curves.setdefault(curve.data_path, {})[curve.array_index] = curve
        return curves

    @once
    def only_ours(self) -> bool:
        """Whether the action holds nothing but what a bake wrote."""
        return self.record is not None and holds_only_ours(self.action, self.record)


def bake_of(ob: Object) -> BakeRecord | None:
    """The record of the bake an object plays, by keys or in a crowd cache; None if it plays no bake."""
    if (cached := cached_as(ob)) is not None:
        return BakeRecord(cached.run, cached.first, cached.last, channels=("location",), made=False)
    return keyed_bake_of(ob)


def keyed_bake_of(ob: Object) -> BakeRecord | None:
    """The record of the bake whose keys an object plays, None if it plays none."""
    return CurrentAnimation(ob).record


def is_baked(ob: Object) -> bool:
    """Whether an object plays keys of ours."""
    played = CurrentAnimation(ob)
    return played.record is not None and any(our_keys(curve, played.record).any() for curve in played.bag.fcurves)


def our_keys(curve: FCurve, record: BakeRecord | None, *, edits: bool = False) -> np.ndarray:
    """A mask (k,) of the keys of a curve that are ours, by the record of its action. `edits`: whether keys that the
    animator has set between thinned ones since count, as what is edited does."""
    if record is None or curve.data_path not in record.channels:
        return np.zeros(len(curve.keyframe_points), dtype=bool)
    within = _within(curve, record.first, record.last)
    if edits and curve.data_path in record.thinned:
        return within
    return within & (read_column(curve, "type")[:, 0] == GENERATED)


def holds_only_ours(action: Action, record: BakeRecord) -> bool:
    """Whether an action holds nothing but what a bake wrote."""
    curves = (curve for bag in channelbags(action) for curve in bag.fcurves)
    holds_only_curves = not action.pose_markers and not action.use_frame_range and not _custom_properties(action)
    return holds_only_curves and all(_is_all_ours(curve, record) for curve in curves)


def _is_all_ours(curve: FCurve, record: BakeRecord) -> bool:
    """Whether a curve has keys and all of them are ours; several times as fast as `our_keys`."""
    count = len(points := curve.keyframe_points)
    if not count or curve.data_path not in record.channels:
        return False
    start, end = curve.range()
    if start <= record.first - FRAME_TOLERANCE or end >= record.last + FRAME_TOLERANCE:
        return False
    return bool((column_from(points, "type", kind=KEY_COLUMNS["type"][1]) == GENERATED).all())


def is_own(curve: FCurve, record: BakeRecord | None, first: float, last: float) -> bool:
    """Whether a curve holds animation of the animator's that would move a vehicle from frame `first` to `last`.

    Keys on these frames and samples do. So do modifiers and muting on a curve without baked keys, as they would spoil a
    bake; on a baked curve they are the animator's finishing touch.
    """
    ours = our_keys(curve, record, edits=True)
    if _are_all(ours):
        return False
    if (_within(curve, first, last) & ~ours).any():
        return True
    return not ours.any() and (len(curve.modifiers) > 0 or curve.mute or len(curve.sampled_points) > 0)


def contested(channels: Collection[str]) -> tuple[str, ...]:
    """The channels that must hold no animation but the bake's, if a bake writes these channels. If it writes one
    transform channel, these include all transform channels."""
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
    return [driver for driver in drivers_of(ob) if driver.data_path in channels and not driver.mute]


def own_strips(ob: Object, first: float, last: float, channels: Collection[str] = TRANSFORM_CHANNELS) -> list[NlaStrip]:
    """The NLA strips that animate these channels somewhere between frame `first` and `last`."""
    return [
        strip
        for track in playing_tracks(ob)
        for strip in track.strips
        if strip.frame_start <= last
        and strip.frame_end >= first
        and any(curve.data_path in channels for curve in strip_curves(strip))
    ]


def own_animation(
    ob: Object,
    first: float,
    last: float,
    channels: Collection[str] = TRANSFORM_CHANNELS,
    played: CurrentAnimation | None = None,
) -> list[str]:
    """The animator's own animation on these channels from frame `first` to `last`, to follow "Ship has ...", which
    "Replace Own Keys" can set aside."""
    if ob.animation_data is None:
        return []
    played = played or CurrentAnimation(ob)
    record = played.record
    curves = [] if played.only_ours else own_curves(played.bag, record, first, last, channels)
    if curves and holds_a_pose(ob, played.bag):
        curves = [curve for curve in curves if curve.data_path not in TRANSFORM]
    return [
        *_describe_curves(curves, record, first, last),
        *(f"a driver on {path}" for path in dict.fromkeys(_channel_name(d) for d in own_drivers(ob, channels))),
        *(f"the NLA strip {strip.name}" for strip in own_strips(ob, first, last, channels)),
    ]


def check_free(
    ob: Object,
    first: float,
    last: float,
    replace: bool = False,
    channels: Collection[str] = TRANSFORM_CHANNELS,
    played: CurrentAnimation | None = None,
) -> None:
    """Refuse an object whose channels cannot be baked on these frames."""
    check_editable(ob)
    if ob.animation_data is not None and ob.animation_data.use_nla and ob.animation_data.nla_tracks:
        check_nla_plays(ob, ob.animation_data, "keep a bake from playing", acts=True)
    described = own_animation(ob, first, last, channels, played)
    if described and not replace:
        if pose_curves(channelbag(ob)) and (held := held_paths(ob)):
            text = f"{ob.name} was moved, turned or scaled, but keys that came with its pose take it back"
            raise Refusal(f"{text}. Remove those on {_listing(sorted(held))}, then place it again.", about=[ob])
        text = f"{ob.name} has {_listing(described)} of its own. Move or remove them, or turn on Replace Own Keys."
        raise Refusal(text, about=[ob], remedy="replace_own_keys")


def replaces_own_keys(asked: Any, scene: Scene) -> bool:
    """Whether the own keys of vehicles are set aside: by the `replace_own_keys` asked for, or by the setting."""
    return asked.replace_own_keys or scene_setting(scene, "replace_own_keys")


def check_editable(ob: Object) -> None:
    """Refuse an object whose animation cannot be changed."""
    if ob.library is not None:
        raise Refusal(f"{ob.name} is linked from another file. Make a library override of it first.", about=[ob])
    if ob.animation_data is not None:
        check_no_tweak_mode(ob, ob.animation_data)


def remove_our_keys(bag: Channelbag, record: BakeRecord, *, edits: bool = False) -> None:
    """Remove the keys of a bake, and the curves that hold nothing else. The other keys get back the handles that they
    had before the bake. Modifiers on baked curves are removed with the bake. `edits` as for `our_keys`."""
    for curve in list(bag.fcurves):
        ours = our_keys(curve, record, edits=edits)
        if _are_all(ours):
            bag.fcurves.remove(curve)
        elif ours.any():
            for modifier in list(curve.modifiers):
                curve.modifiers.remove(modifier)
            keys = read_keys(curve).take(~ours)
            write_keys(curve, keys)
            compute_handles(curve, keys)
            put_handles_back(curve, record.own_handles.get(f"{curve.data_path}[{curve.array_index}]", ()))
    _remove_empty_group(bag)


def remove_own_keys(bag: Channelbag, first: float, last: float, channels: Collection[str] = TRANSFORM_CHANNELS) -> None:
    """Remove the animator's own animation from frame `first` to `last` of these channels. For a copy of the animator's
    action, to make room for a bake. A muted curve is removed with all its keys, as none of them moves the object."""
    for curve in own_curves(bag, None, first, last, channels):
        keys = read_keys(curve)
        keys = keys.take(~keys.within(first, last))
        if not len(keys) or curve.mute:
            bag.fcurves.remove(curve)
            continue
        for modifier in list(curve.modifiers):
            curve.modifiers.remove(modifier)
        write_keys(curve, keys)
        compute_handles(curve, keys)
    _remove_empty_group(bag)


def with_muted(record: BakeRecord, drivers: list[FCurve], strips: list[NlaStrip]) -> BakeRecord:
    """The record with these added; what an earlier bake has muted stays recorded."""
    muted_drivers = (*record.muted_drivers, *((driver.data_path, driver.array_index) for driver in drivers))
    muted_strips = (*record.muted_strips, *(strip.name for strip in strips))
    return dataclasses.replace(
        record, muted_drivers=tuple(dict.fromkeys(muted_drivers)), muted_strips=tuple(dict.fromkeys(muted_strips))
    )


def set_muted(ob: Object, record: BakeRecord, *, mute: bool) -> None:
    """Mute or unmute the drivers and NLA strips that a record names, if they still exist."""
    for driver in drivers_of(ob):
        if (driver.data_path, driver.array_index) in record.muted_drivers:
            driver.mute = mute
    for track in nla_tracks_of(ob):
        for strip in track.strips:
            if strip.name in record.muted_strips:
                strip.mute = mute


def holds_nothing(animation: AnimData) -> bool:
    """Whether the animation data of an object is empty and without settings."""
    return animation.action is None and holds_nothing_else(animation)


def holds_nothing_else(animation: AnimData) -> bool:
    """Whether the animation data of an object holds nothing but an action, if any."""
    untouched = animation.use_nla and animation.action_influence == 1.0
    untouched = untouched and (animation.action_blend_type, animation.action_extrapolation) == ("REPLACE", "HOLD")
    return not animation.drivers and not animation.nla_tracks and untouched


def same_but_for_the_bake(action: Action, other: Action) -> bool:
    """Whether two actions agree in everything but their curves: markers, frame range and custom properties."""
    settings = ("use_frame_range", "frame_start", "frame_end", "use_cyclic")
    return (
        all(getattr(action, name) == getattr(other, name) for name in settings)
        and [(m.name, m.frame) for m in action.pose_markers] == [(m.name, m.frame) for m in other.pose_markers]
        and _custom_properties(action) == _custom_properties(other)
    )


def _are_all(ours: np.ndarray) -> bool:
    """Whether a curve has keys and all of them are ours; an empty curve may carry a modifier of the animator's."""
    return len(ours) > 0 and bool(ours.all())


def _listing(phrases: list[str]) -> str:
    return phrases[0] if len(phrases) == 1 else f"{', '.join(phrases[:-1])} and {phrases[-1]}"


def _within(curve: FCurve, first: float, last: float) -> np.ndarray:
    """(k,) whether each key is on one of the frames; for most curves their ends suffice to tell."""
    low, high = first - FRAME_TOLERANCE, last + FRAME_TOLERANCE
    start, end = curve.range()
    if low < start and end < high:
        return np.ones(len(curve.keyframe_points), dtype=bool)
    frames = frames_of(curve)
    return (frames > low) & (frames < high)


def _channel_name(curve: FCurve) -> str:
    return name_in(curve.data_path) or curve.data_path


def _describe_curves(curves: list[FCurve], record: BakeRecord | None, first: float, last: float) -> Iterator[str]:
    """One phrase per channel: its own keys and their frames, or its other animation."""
    for path in dict.fromkeys(_channel_name(curve) for curve in curves):
        channel = [curve for curve in curves if _channel_name(curve) == path]
        masks = [_within(curve, first, last) & ~our_keys(curve, record) for curve in channel]
        frames = np.concatenate([frames_of(curve)[mask] for curve, mask in zip(channel, masks)])
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


def strip_curves(strip: NlaStrip) -> Iterator[FCurve]:
    """The curves of a strip, or of those inside a meta strip; none of a muted one."""
    if strip.mute:
        return
    if strip.type == "META":
        for inner in strip.strips:
            yield from strip_curves(inner)
    elif strip.action is not None:
        bag = bag_of(strip)
        yield from bag.fcurves if bag is not None else ()


def _remove_empty_group(bag: Channelbag) -> None:
    """Remove our group if it is empty, as later Blender versions do on their own."""
    group = bag.groups.get(GROUP)
    if group is not None and not len(group.channels):
        bag.groups.remove(group)


def _custom_properties(action: Action) -> dict[str, Any]:
    """Custom properties by name, except our record."""
    return {name: plain(value) for name, value in action.items() if name != RECORD}
