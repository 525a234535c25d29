"""The actions of bakes: what an object plays without its bake, and the action that the next bake is written into."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
from bpy.types import Action, Object

from .animation_data import (
    SLOTTED,
    ActionSlot,
    Channelbag,
    channelbag_in,
    copy_action,
    new_slot,
    remove_blocks,
    slot_with_handle,
)
from .bake_record import TRANSFORM_CHANNELS, BakeRecord, erase_record
from .keyframes import compute_handles, copy_curve, read_keys, read_modifiers, same_curve, write_keys, write_modifiers
from .ownership import (
    CurrentAnimation,
    contested,
    our_keys,
    own_curves,
    remove_our_keys,
    remove_own_keys,
    same_but_for_the_bake,
)
from .posing import pose_curves


@dataclass(frozen=True)
class Unbaked:
    """The action an object would play without its bake.

    Attributes:
        action, slot: None if it would play none.
        new: whether it was just made, and nothing uses it yet.
        kept: whether the record of the bake points to it.
        made: whether it derives from an action that a bake made.
    """

    action: Action | None
    slot: ActionSlot | None = None
    new: bool = False
    kept: bool = False
    made: bool = False


@dataclass(frozen=True)
class BakeAction:
    """The action a bake is written into.

    Attributes:
        action, slot: not played by an object yet.
        blank: whether it has only the curves of the bake, whose values are still to be written.
        made: whether it was made for the bake, rather than to replace an action of the animator's.
        kept, kept_slot: the animator's action that stays in the file to be restored.
        kept_is_new: whether that was just made, too.
    """

    action: Action
    slot: ActionSlot | None
    made: bool
    blank: bool = False
    kept: Action | None = None
    kept_slot: ActionSlot | None = None
    kept_is_new: bool = False

    def heir(self, before: BakeRecord | None) -> Action:
        """The action that succeeds the one played before: the animator's part, if that is first set aside now."""
        return self.kept if self.kept_is_new and before is not None and before.kept is None else self.action

    def new_actions(self) -> list[Action]:
        return [self.action, self.kept] if self.kept_is_new else [self.action]


def leaves_nothing(played: CurrentAnimation) -> bool:
    """Whether a baked action holds nothing of the animator's, and nothing has to be restored without the bake."""
    return played.record.made and played.record.kept is None and played.only_ours


def without_bake(played: CurrentAnimation, *, edits: bool = False) -> Unbaked:
    """The action an object would play without its bake; the one it plays is left alone. `edits`: whether keys that were
    set between thinned ones since go with the bake."""
    action, slot, record = played.action, played.slot, played.record
    if record is None:
        return Unbaked(action, slot)
    if leaves_nothing(played):
        return Unbaked(None)
    if record.posed and record.kept is not None and played.only_ours:
        return Unbaked(record.kept, slot_with_handle(record.kept, record.kept_slot), kept=True)
    copy, copied_slot = copy_action(action, slot, whole=has_one_user(action))
    erase_record(copy)
    bag = channelbag_in(copy, copied_slot)
    remove_our_keys(bag, record, edits=edits)
    if record.kept is None:
        return Unbaked(copy, copied_slot, new=True, made=record.made)
    kept_slot = slot_with_handle(record.kept, record.kept_slot)
    kept_bag = channelbag_in(record.kept, kept_slot)
    _put_back(kept_bag, bag, record)
    curves = {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}
    restored = {(curve.data_path, curve.array_index): curve for curve in (kept_bag.fcurves if kept_bag else ())}
    same_curves = curves.keys() == restored.keys() and all(same_curve(curves[key], restored[key]) for key in curves)
    if same_curves and same_but_for_the_bake(copy, record.kept):
        bpy.data.actions.remove(copy)
        return Unbaked(record.kept, kept_slot, kept=True)
    return Unbaked(copy, copied_slot, new=True, made=record.made)


@contextmanager
def moved_without_bake(played: CurrentAnimation) -> Iterator[CurrentAnimation]:
    """The animation that would move an object without its bake, for as long as it is looked at."""
    if played.record is None:
        yield played
        return
    curves = (curve for path in TRANSFORM_CHANNELS for curve in played.curves(path).values())
    nothing_else = played.only_ours or all(our_keys(curve, played.record, edits=True).all() for curve in curves)
    if played.record.kept is None and nothing_else:
        yield CurrentAnimation.from_action(None, None)
        return
    unbaked = without_bake(played, edits=True)
    try:
        yield CurrentAnimation.from_action(unbaked.action, unbaked.slot)
    finally:
        if unbaked.new:
            bpy.data.actions.remove(unbaked.action)


def action_for_bake(
    ob: Object, unbaked: Unbaked, first: float, last: float, replaced: Collection[str], *, posed: bool = False
) -> BakeAction:
    """Prepare the action a bake is written into, with everything to be kept of the action without a bake. The
    animator's own animation on the `replaced` channels is set aside, and if `posed`, that of bones."""
    bag = channelbag_in(unbaked.action, unbaked.slot)
    curves = own_curves(bag, None, first, last, replaced) + (pose_curves(bag) if posed else [])
    if unbaked.new and not curves:
        return BakeAction(unbaked.action, unbaked.slot, made=unbaked.made)
    exclusive = not unbaked.kept and has_one_user(unbaked.action)
    carried_whole = not curves and exclusive and (unbaked.slot is not None or not SLOTTED)
    action, slot = copy_action(unbaked.action, unbaked.slot, whole=carried_whole)
    if curves:
        remove_own_keys(channelbag_in(action, slot), first, last, replaced)
    for curve in pose_curves(channelbag_in(action, slot)) if posed else ():
        channelbag_in(action, slot).fcurves.remove(curve)
    if carried_whole:
        return BakeAction(action, slot, made=False)
    slot = slot or new_slot(action, ob)
    return BakeAction(action, slot, made=True, kept=unbaked.action, kept_slot=unbaked.slot, kept_is_new=unbaked.new)


def only_poses(unbaked: Unbaked) -> bool:
    """Whether an action holds nothing but poses for the object that would play it."""
    bag = channelbag_in(unbaked.action, unbaked.slot)
    return bag is not None and len(bag.fcurves) > 0 and len(pose_curves(bag)) == len(bag.fcurves)


def _put_back(kept: Channelbag | None, bag: Channelbag, record: BakeRecord) -> None:
    """Put the keys that a bake replaced back into a copy of the baked action, from which the bake was removed. Of a
    muted curve these are all keys. A key that the animator has set on the same frame since is kept."""
    for curve in pose_curves(kept) if record.posed else ():
        if bag.fcurves.find(curve.data_path, index=curve.array_index) is None:
            copy_curve(curve, bag)
    for curve in own_curves(kept, None, record.first, record.last, contested(record.channels)):
        keys = read_keys(curve)
        if not curve.mute:
            keys = keys.take(keys.within(record.first, record.last))
        current = bag.fcurves.find(curve.data_path, index=curve.array_index)
        if current is None:
            copy_curve(curve, bag, keys)
            continue
        keys = read_keys(current).join(keys)
        write_keys(current, keys)
        write_modifiers(current, read_modifiers(curve))
        current.mute = curve.mute
        compute_handles(current, keys)


def retire(succession: list[tuple[Action | None, Action | None]]) -> dict[Action, str]:
    """Remove actions without users; returns their names for the first heir of each."""
    heirs: dict[Action, Action | None] = {}
    for action, heir in succession:
        if action is not None and action.users == 0 and action.library is None:
            heirs.setdefault(action, heir)
    names = {heir: action.name for action, heir in heirs.items() if heir is not None}
    remove_blocks(list(heirs))
    return names


def has_one_user(action: Action) -> bool:
    """Whether only the object that plays an action uses it, so that exchanging it affects nothing else."""
    return action.users == 1 and action.library is None
