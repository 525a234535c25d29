"""Bakes are prepared aside and handed over all at once, so that stopping half way leaves nothing behind.

Each vehicle gets an action that nothing plays yet: a new one, or, where the animator has keys of other channels or
other frames in the present one, a copy of that in which an earlier bake is exchanged for the new. Handing over gives
each vehicle its new action, which takes the name of the one before where nobody else uses that.

An action of the animator's that cannot be carried over whole stays in the file, and the record of the bake points to
it: one that others use too, and one whose own keys the bake replaces. Clearing gives it back; or, where the animator
has gone on working in the baked action, puts what was replaced back there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from .animation_data import (
    SLOTTED,
    action_of,
    assign_action,
    channelbag,
    channelbag_in,
    copy_action,
    new_action,
    new_action_like,
    new_slot,
    slot_of,
    slot_with_handle,
)
from .keyframes import (
    BakedKeys,
    copy_curve,
    read_keys,
    read_modifiers,
    same_curve,
    write_keys,
    write_modifiers,
)
from .ownership import (
    GROUP,
    BakeRecord,
    bake_of,
    check_editable,
    check_free,
    erase_record,
    holds_nothing,
    holds_only_ours,
    our_keys,
    own_curves,
    own_drivers,
    own_strips,
    remove_our_keys,
    remove_own_keys,
    same_but_for_the_bake,
    set_muted,
    with_muted,
    write_record,
)
from .refusal import Refusal
from .rotation_channels import data_path

if TYPE_CHECKING:
    from bpy.types import Action, ActionSlot, Object

    from .animation_data import Channelbag


class Staging:
    """A bake in the making: add each vehicle's motion, then commit all of it, or discard it.

    Nothing of the scene changes before `commit`. After `commit` or `discard` it is empty, and both may be called again.
    """

    def __init__(self, bake_id: str, frames: np.ndarray) -> None:
        """`frames` (f,), rising, at least one."""
        self._bake_id = bake_id
        self._frames = np.asarray(frames, dtype=float)
        self._baked = BakedKeys(self._frames)
        self._staged: list[_Staged] = []
        self._blanks: dict[tuple[str, ...], tuple[Action, ActionSlot | None]] = {}

    def add(self, ob: Object, location: np.ndarray, rotation: np.ndarray, replace: bool = False) -> None:
        """Prepare the motion of one vehicle.

        `location` (f, 3) and `rotation` (f, 3 or 4) are values of the vehicle's own channels; radians, in its rotation
        mode. With `replace` its own animation on these frames is set aside, to come back when the bake is cleared.
        Raises Refusal where the vehicle cannot be baked.
        """
        channels = {"location": np.asarray(location), data_path(ob.rotation_mode): np.asarray(rotation)}
        first, last = self._frames[0], self._frames[-1]
        _check_motion(ob, channels, len(self._frames))
        check_free(ob, first, last, replace)

        before = bake_of(ob)
        touches = _modifiers_on_baked_curves(ob, before)
        replace = replace or (before is not None and before.kept is not None)
        rest = _without_bake(ob)
        if rest.action is None:
            bed = _Bed(*self._new_action(ob, channels), made=True, blank=True)
        else:
            bed = _make_bed(ob, rest, first, last, replace)
        self._write(bed, channels, touches)
        record = BakeRecord(
            bake_id=self._bake_id,
            first=first,
            last=last,
            channels=tuple(channels),
            made=bed.made,
            kept=bed.kept,
            kept_slot=bed.kept_slot.handle if bed.kept_slot else 0,
            muted_drivers=before.muted_drivers if before else (),
            muted_strips=before.muted_strips if before else (),
        )
        self._staged.append(_Staged(ob, bed, record, replace))

    def commit(self, frame: float) -> None:
        """Give every vehicle its new action and show it as on `frame`, the scene's current one.

        Blender draws the new pose at its next update, which follows by itself when an operator ends.
        """
        staged = self._give_out()
        heirs, heirs_of_kept, gone = [], [], []
        for one in staged:
            if not _exists(one.ob):
                gone.append(one)
                continue
            before = bake_of(one.ob)
            heirs.append((action_of(one.ob), one.bed.heir(before)))
            heirs_of_kept.append((before and before.kept, one.bed.kept or one.bed.action))
            one.hand_over(frame)
        _retire(heirs)
        _retire(heirs_of_kept)
        _remove_new_actions(gone)

    def discard(self) -> None:
        """Forget everything that was prepared. The file is as if nothing had been."""
        _remove_new_actions(self._give_out())

    def _give_out(self) -> list[_Staged]:
        """All that is staged, and nothing is any more."""
        bpy.data.batch_remove([blank for blank, _ in self._blanks.values() if _exists(blank)])
        staged = self._staged
        self._staged, self._blanks = [], {}
        return staged

    def _new_action(self, ob: Object, channels: dict[str, np.ndarray]) -> tuple[Action, ActionSlot | None]:
        """An action with a key on every frame of all channels, whose values are still to be written.

        It is a copy of a blank one: copying keys takes half the time of making them.
        """
        blank = self._blanks.get(tuple(channels))
        if blank is None:
            blank = self._blanks[tuple(channels)] = new_action("Blank Bake", ob)
            self._write(_Bed(*blank, made=True), {path: np.zeros_like(values) for path, values in channels.items()}, {})
        return new_action_like(*blank, f"{ob.name}Action", ob)

    def _write(self, bed: _Bed, channels: dict[str, np.ndarray], touches: dict[tuple[str, int], list]) -> None:
        """The baked keys, a curve for each number of a channel."""
        bag = channelbag_in(bed.action, bed.slot, ensure=True)
        group = bag.groups.get(GROUP) or bag.groups.new(GROUP)
        for path, values in channels.items():
            for index, column in enumerate(values.T):
                curve = bag.fcurves.find(path, index=index)
                if curve is None:
                    curve = self._baked.new_curve(bag, path, index, column)
                    curve.group = group
                elif bed.blank:
                    self._baked.set_values(curve, column)
                else:
                    self._baked.add_to_curve(curve, column)
                write_modifiers(curve, touches.get((path, index), []))


def clear(ob: Object) -> bool:
    """Remove the bake an object plays and bring back what it had replaced; False where there is none.

    Keys the animator has added or changed since, on other channels or other frames, stay. The object's own channels
    keep their present values. Raises Refusal where the object cannot be changed.
    """
    return bool(clear_all([ob]))


def clear_all(obs: Iterable[Object]) -> list[Object]:
    """Clear several objects, in a fraction of the time it takes one by one; returns those that had a bake.

    Where one of them cannot be changed, Refusal is raised before any is.
    """
    baked = [ob for ob in obs if bake_of(ob) is not None]
    for ob in baked:
        check_editable(ob)
    heirs, heirs_of_kept = [], []
    for ob in baked:
        record, before = bake_of(ob), action_of(ob)
        rest = _without_bake(ob)
        assign_action(ob, rest.action, rest.slot)
        set_muted(ob, record, mute=False)
        heir = rest.action if rest.new else None
        heirs.append((before, heir))
        heirs_of_kept.append((record.kept, heir))
        if holds_nothing(ob.animation_data):
            ob.animation_data_clear()
    _retire(heirs)
    _retire(heirs_of_kept)
    return baked


@dataclass(frozen=True)
class _Rest:
    """What an object would play without its bake.

    Attributes:
        action, slot: None for nothing
        new: whether it was made just now, and nothing uses it yet
        kept: whether it is the one the record of the bake points to
        made: whether it goes back to an action that a bake made
    """

    action: Action | None
    slot: ActionSlot | None = None
    new: bool = False
    kept: bool = False
    made: bool = False


@dataclass(frozen=True)
class _Bed:
    """The action a bake is written into.

    Attributes:
        action, slot: nothing plays it yet
        blank: whether all keys of the bake are there already, and nothing else
        made: whether it came to be for the bake, and not in place of an action of the animator's
        kept, kept_slot: the animator's action that stays in the file to be given back
        kept_is_new: whether that was made just now too
    """

    action: Action
    slot: ActionSlot | None
    made: bool
    blank: bool = False
    kept: Action | None = None
    kept_slot: ActionSlot | None = None
    kept_is_new: bool = False

    def heir(self, before: BakeRecord | None) -> Action:
        """Which action carries on the one that was played: the animator's part, where that is first set aside now."""
        return self.kept if self.kept_is_new and before is not None and before.kept is None else self.action

    def new_actions(self) -> list[Action]:
        return [self.action, self.kept] if self.kept_is_new else [self.action]


@dataclass(frozen=True)
class _Staged:
    """One vehicle's bake, ready to be handed over."""

    ob: Object
    bed: _Bed
    record: BakeRecord
    replace: bool

    def hand_over(self, frame: float) -> None:
        record = self.record
        if self.replace:
            record = with_muted(record, own_drivers(self.ob), own_strips(self.ob, record.first, record.last))
            set_muted(self.ob, record, mute=True)
        write_record(self.bed.action, record)
        assign_action(self.ob, self.bed.action, self.bed.slot)
        curves = channelbag(self.ob).fcurves
        for path in record.channels:
            channel = getattr(self.ob, path)
            for index in range(len(channel)):
                channel[index] = curves.find(path, index=index).evaluate(frame)


def _remove_new_actions(staged: list[_Staged]) -> None:
    bpy.data.batch_remove([action for one in staged for action in one.bed.new_actions() if _exists(action)])


def _check_motion(ob: Object, channels: dict[str, np.ndarray], frames: int) -> None:
    for path, values in channels.items():
        if values.shape != (frames, len(getattr(ob, path))):
            raise Refusal(f"{ob.name} needs {len(getattr(ob, path))} numbers for {path} on each of {frames} frames.")
        if not np.isfinite(values).all():
            raise Refusal(f"{ob.name} would get a {path} that is no number: look at its keys and drivers.")


def _modifiers_on_baked_curves(ob: Object, record: BakeRecord | None) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """What an animator has put on top of a bake, by channel and index: it lives on in the next one."""
    if record is None:
        return {}
    return {
        (curve.data_path, curve.array_index): read_modifiers(curve)
        for curve in channelbag(ob).fcurves
        if curve.modifiers and our_keys(curve, record).any()
    }


def _without_bake(ob: Object) -> _Rest:
    """What an object would play without its bake; what it plays now is left alone."""
    action, slot, record = action_of(ob), slot_of(ob), bake_of(ob)
    if record is None:
        return _Rest(action, slot)
    if record.made and record.kept is None and holds_only_ours(action, record):
        return _Rest(None)
    copy, copied_slot = copy_action(action, slot, whole=_has_one_user(action))
    erase_record(copy)
    bag = channelbag_in(copy, copied_slot)
    remove_our_keys(bag, record)
    if record.kept is None:
        return _Rest(copy, copied_slot, new=True, made=record.made)
    kept_slot = slot_with_handle(record.kept, record.kept_slot)
    kept_bag = channelbag_in(record.kept, kept_slot)
    _put_back(kept_bag, bag, record)
    if _same_curves(bag, kept_bag) and same_but_for_the_bake(copy, record.kept):
        bpy.data.actions.remove(copy)
        return _Rest(record.kept, kept_slot, kept=True)
    return _Rest(copy, copied_slot, new=True, made=record.made)


def _make_bed(ob: Object, rest: _Rest, first: float, last: float, replace: bool) -> _Bed:
    """Prepare the action a bake goes into, with all that is to stay of what the object would play without it."""
    own = replace and own_curves(channelbag_in(rest.action, rest.slot), None, first, last)
    if rest.new and not own:
        return _Bed(rest.action, rest.slot, made=rest.made)
    carried_whole = not own and not rest.kept and _has_one_user(rest.action) and (rest.slot is not None or not SLOTTED)
    action, slot = copy_action(rest.action, rest.slot, whole=carried_whole)
    if own:
        remove_own_keys(channelbag_in(action, slot), first, last)
    if carried_whole:
        return _Bed(action, slot, made=False)
    slot = slot or new_slot(action, ob)
    return _Bed(action, slot, made=True, kept=rest.action, kept_slot=rest.slot, kept_is_new=rest.new)


def _put_back(kept: Channelbag | None, bag: Channelbag, record: BakeRecord) -> None:
    """Put what a bake replaced back into a copy of the baked action that the bake was taken out of.

    Where the animator has set a key on the same frame since, that one stays.
    """
    for curve in own_curves(kept, None, record.first, record.last):
        keys = read_keys(curve)
        keys = keys.take(keys.within(record.first, record.last))
        present = bag.fcurves.find(curve.data_path, index=curve.array_index)
        if present is None:
            copy_curve(curve, bag, keys)
            continue
        write_keys(present, read_keys(present).join(keys))
        write_modifiers(present, read_modifiers(curve))
        present.mute = curve.mute
        present.update()


def _same_curves(one: Channelbag, other: Channelbag | None) -> bool:
    curves = {(curve.data_path, curve.array_index): curve for curve in one.fcurves}
    others = {(curve.data_path, curve.array_index): curve for curve in (other.fcurves if other else ())}
    return curves.keys() == others.keys() and all(same_curve(curves[key], others[key]) for key in curves)


def _retire(succession: list[tuple[Action | None, Action | None]]) -> None:
    """Remove actions that nobody uses any more; the first heir of each takes its name."""
    heirs: dict[Action, Action | None] = {}
    for action, heir in succession:
        if action is not None and action.users == 0 and action.library is None:
            heirs.setdefault(action, heir)
    names = [(action.name, heir) for action, heir in heirs.items() if heir is not None]
    bpy.data.batch_remove(list(heirs))
    for name, heir in names:
        heir.name = name


def _has_one_user(action: Action) -> bool:
    """Whether the object that plays an action is all that holds it, so that nothing else sees it exchanged."""
    return action.users == 1 and action.library is None


def _exists(block: bpy.types.ID) -> bool:
    """Whether a datablock is still there; loading another file or deleting it takes it from under our hands."""
    try:
        return bool(block.name)
    except ReferenceError:
        return False
