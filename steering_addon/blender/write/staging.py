"""Bakes are prepared aside and handed over all at once, so that stopping half way leaves nothing behind.

Each vehicle gets an action that nothing plays yet: a new one, or, where the animator has keys of other channels or
other frames in the present one, a copy of that in which an earlier bake is exchanged for the new. Handing over gives
each vehicle its new action, which takes the name of the one before where nobody else uses that.

An action of the animator's that cannot be carried over whole stays in the file, and the record of the bake points to
it: one that others use too, and one whose own keys the bake replaces. Clearing gives it back; or, where the animator
has gone on working in the baked action, puts what was replaced back there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import bpy
import numpy as np

from ..read.rotation_channels import data_path
from ..refusal import Refusal
from .animation_data import (
    SLOTTED,
    action_of,
    assign_action,
    channelbag,
    channelbag_in,
    copy_action,
    new_action,
    new_slot,
    rename_all,
    slot_with_handle,
)
from .custom_properties import KeptProperty, make, name_in, path_of, reading_drivers, remove, revive
from .keyframes import (
    BakedKeys,
    copy_curve,
    read_keys,
    read_modifiers,
    same_curve,
    write_keys,
    write_modifiers,
    write_switch,
)
from .ownership import (
    GROUP,
    TRANSFORM_CHANNELS,
    BakeRecord,
    Played,
    bake_of,
    check_editable,
    check_free,
    contested,
    erase_record,
    holds_nothing,
    holds_nothing_else,
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
from .visibility import SWITCHES, kept_hidden, show_as, switches_of

if TYPE_CHECKING:
    from bpy.types import Action, ActionSlot, Object

    from .animation_data import Channelbag


SLOT = "Vehicle"
"""What a slot is called where an action of its own is made for a vehicle."""
BLANK = "!"
"""What an action is called until it is given out: short and before other names, as Blender compares it with many."""
WIDTHS = {"location": 3, "rotation_euler": 3, "rotation_quaternion": 4, "rotation_axis_angle": 4}
"""How many numbers a channel has; a custom property is one."""


class Staging:
    """A bake in the making: add each vehicle's motion, and hide what is not always there; then commit all of it, or
    discard it.

    Nothing of the scene changes before `commit`. After `commit` or `discard` it is empty, and both may be called again.
    """

    def __init__(self, bake_id: str, frames: np.ndarray) -> None:
        """`frames` (f,), whole, one after the other, at least one."""
        self._bake_id = bake_id
        self._frames = np.asarray(frames, dtype=float)
        self._baked = BakedKeys(self._frames)
        self._staged: list[_Staged] = []
        self._always_seen: list[Object] = []
        self._blanks: dict[tuple[str, ...], tuple[Action, ActionSlot | None]] = {}

    def add(
        self,
        ob: Object,
        location: np.ndarray,
        rotation: np.ndarray,
        replace: bool = False,
        properties: Mapping[str, np.ndarray] | None = None,
        only_baked: bool | None = None,
        mishaps: Mapping[str, float] | None = None,
        hidden: np.ndarray | None = None,
        there: tuple[float, float] | None = None,
    ) -> None:
        """Prepare the motion of one vehicle.

        `location` (f, 3) and `rotation` (f, 3 or 4) are values of the vehicle's own channels; radians, in its rotation
        mode. `properties` are numbers (f,) for custom properties of these names, which the bake makes where there are
        none. With `replace` its own animation on these frames is set aside, to come back when the bake is cleared.
        Whether the vehicle is `only_baked`, playing an earlier bake and nothing else, is looked up where that is not
        said. `mishaps` are frames on which something went wrong, to be noted. It is `hidden` on these frames, (f,)
        booleans; from which to which frame it is `there` is noted, where it is not always. Raises Refusal where the
        vehicle cannot be baked.
        """
        properties = properties or {}
        channels = {"location": np.asarray(location), data_path(ob.rotation_mode): np.asarray(rotation)}
        channels |= {path_of(name): np.asarray(values)[:, None] for name, values in properties.items()}
        _check_motion(ob, channels, len(self._frames))
        played = Played(ob, only_baked)
        self._stage(ob, played, channels, self._switches(ob, hidden, played), replace, mishaps or {}, there)

    def hide(self, ob: Object, hidden: np.ndarray, replace: bool = False) -> None:
        """Prepare an object that the bake does not move to be hidden on some frames, (f,) booleans.

        To be called for whatever the bake may hide, each time: on none of the frames, what an earlier bake has hidden
        is as the animator had it. One that plays a bake of its own motion is left alone. Raises Refusal where the
        object cannot be hidden.
        """
        if not hidden.any() and action_of(ob) is None:
            return
        played = Played(ob)
        if played.record is not None and played.record.moves:
            return
        switches = self._switches(ob, hidden, played)
        if switches:
            self._stage(ob, played, {}, switches, replace, {}, None)
        elif played.record is not None:
            check_editable(ob)
            self._always_seen.append(ob)

    def _switches(self, ob: Object, hidden: np.ndarray | None, played: Played) -> dict[str, np.ndarray]:
        return {} if hidden is None else switches_of(ob, np.asarray(hidden), self._frames[0], played)

    def _stage(
        self,
        ob: Object,
        played: Played,
        channels: Mapping[str, np.ndarray],
        switches: Mapping[str, np.ndarray],
        replace: bool,
        mishaps: Mapping[str, float],
        there: tuple[float, float] | None,
    ) -> None:
        first, last = self._frames[0], self._frames[-1]
        in_the_way = contested((*channels, *switches))
        check_free(ob, first, last, replace, in_the_way, played)

        before = played.record
        touches = _modifiers_on_baked_curves(played)
        replace = replace or (before is not None and before.kept is not None)
        rest = _without_bake(played)
        if rest.action is None:
            bed = _Bed(*self._new_action(ob, channels), made=True, blank=True)
        else:
            bed = _make_bed(ob, rest, first, last, in_the_way if replace else ())
        self._write(bed, channels, switches, touches)
        record = BakeRecord(
            bake_id=self._bake_id,
            first=first,
            last=last,
            channels=(*channels, *switches),
            made=bed.made,
            kept=bed.kept,
            kept_slot=bed.kept_slot.handle if bed.kept_slot else 0,
            muted_drivers=_still_muted(before, (*channels, *switches)),
            muted_strips=before.muted_strips if before else (),
            kept_hidden={path: kept_hidden(ob, path, played) for path in switches},
            mishaps=mishaps,
            there=there,
        )
        self._staged.append(_Staged(ob, bed, before, record, replace))

    def commit(self, frame: float) -> None:
        """Give every vehicle its new action and show it as on `frame`, the scene's current one.

        Blender draws the new pose at its next update, which follows by itself when an operator ends.
        """
        always_seen, staged = self._always_seen, self._give_out()
        heirs, heirs_of_kept, switches = [], [], {}
        gone = [one for one in staged if not _exists(one.ob)]
        staged = [one for one in staged if _exists(one.ob)]
        readers = _readers({one.ob: (one.before, one.record) for one in staged})
        names = {one.bed.action: f"{one.ob.name}Action" for one in staged if one.bed.blank}
        names |= _take_places(staged)
        for one in staged:
            before = one.before
            heirs.append((action_of(one.ob), one.bed.heir(before)))
            heirs_of_kept.append((before and before.kept, one.bed.kept or one.bed.action))
            switches[one.ob] = one.hand_over(frame, readers.get(one.ob, {}))
        rename_all(names | _retire(heirs) | _retire(heirs_of_kept))
        _remove_new_actions(gone)
        show_as(switches)
        clear_all(ob for ob in always_seen if _exists(ob))

    def discard(self) -> None:
        """Forget everything that was prepared. The file is as if nothing had been."""
        _remove_new_actions(self._give_out())

    def _give_out(self) -> list[_Staged]:
        """All that is staged, and nothing is any more."""
        bpy.data.batch_remove([blank for blank, _ in self._blanks.values() if _exists(blank)])
        staged = self._staged
        self._staged, self._always_seen, self._blanks = [], [], {}
        return staged

    def _new_action(self, ob: Object, channels: Mapping[str, np.ndarray]) -> tuple[Action, ActionSlot | None]:
        """An action with a curve for each number of the channels, whose values are still to be written.

        It is a copy of a blank one, as that takes less time than to make one.
        """
        blank = self._blanks.get(tuple(channels))
        if blank is None:
            blank = self._blanks[tuple(channels)] = new_action(BLANK, ob)
            # To name the slot after each vehicle would have Blender look through all of the file each time.
            if blank[1] is not None:
                blank[1].name_display = SLOT
            zeros = {path: np.zeros_like(values) for path, values in channels.items()}
            self._write(_Bed(*blank, made=True), zeros, {}, {})
            self._baked.sample(channelbag_in(*blank))
        return copy_action(*blank, whole=True)

    def _write(
        self,
        bed: _Bed,
        channels: Mapping[str, np.ndarray],
        switches: Mapping[str, np.ndarray],
        touches: Mapping[tuple[str, int], list],
    ) -> None:
        """The baked keys, a curve for each number of a channel, and for each switch."""
        bag = channelbag_in(bed.action, bed.slot, ensure=True)
        if bed.blank:
            self._baked.set_values(bag, (column for values in channels.values() for column in values.T))
        else:
            self._write_among_others(bag, channels)
        for path, hidden in switches.items():
            write_switch(bag, path, self._frames, hidden)
        for (path, index), modifiers in touches.items():
            if path in channels or path in switches:
                write_modifiers(bag.fcurves.find(path, index=index), modifiers)

    def _write_among_others(self, bag: Channelbag, channels: Mapping[str, np.ndarray]) -> None:
        group = bag.groups.get(GROUP) or bag.groups.new(GROUP)
        for path, values in channels.items():
            for index, column in enumerate(values.T):
                curve = bag.fcurves.find(path, index=index)
                if curve is None:
                    curve = self._baked.new_curve(bag, path, index, column)
                    if name_in(path) is None:
                        curve.group = group
                else:
                    self._baked.add_to_curve(curve, column)


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
    heirs, heirs_of_kept, switches = [], [], {}
    readers = _readers({ob: (bake_of(ob),) for ob in baked})
    all_played = [Played(ob) for ob in baked]
    # Before any object is given another one, as in `_take_places`. Where other animation stays, Blender would remember
    # the slot of an action that is removed.
    alone = [
        _leaves_nothing(played) and _has_one_user(played.action) and holds_nothing_else(ob.animation_data)
        for ob, played in zip(baked, all_played)
    ]
    bpy.data.batch_remove([played.action for played, goes in zip(all_played, alone) if goes])
    for ob, played, goes in zip(baked, all_played, alone):
        record, before = played.record, None if goes else played.action
        rest = _without_bake(played)
        assign_action(ob, rest.action, rest.slot)
        set_muted(ob, record, mute=False)
        _let_go(ob, record, record.channels, readers.get(ob, {}))
        switches[ob] = record.kept_hidden
        heir = rest.action if rest.new else None
        heirs.append((before, heir))
        heirs_of_kept.append((record.kept, heir))
        if holds_nothing(ob.animation_data):
            ob.animation_data_clear()
    rename_all(_retire(heirs) | _retire(heirs_of_kept))
    show_as(switches)
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
        blank: whether it has the curves of the bake and nothing else, whose values are still to be written
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
    """One vehicle's bake, ready to be handed over.

    Attributes:
        before: the record of the bake it takes the place of.
        record: its own.
        replace: whether what is the animator's is muted.
    """

    ob: Object
    bed: _Bed
    before: BakeRecord | None
    record: BakeRecord
    replace: bool

    def hand_over(self, frame: float, readers: Readers) -> dict[str, bool]:
        """Let the vehicle play its bake, as on `frame`; returns by which switches it is to be hidden there, or not."""
        ob, before, record = self.ob, self.before, self.record
        if record.properties:
            record = dataclasses.replace(record, kept_properties=self._kept_properties())
        if self.replace:
            channels = contested(record.channels)
            record = with_muted(record, own_drivers(ob, channels), own_strips(ob, record.first, record.last, channels))
            set_muted(ob, record, mute=True)
        write_record(self.bed.action, record)
        assign_action(ob, self.bed.action, self.bed.slot)
        if before is not None:
            _let_go(ob, before, [path for path in before.channels if path not in record.channels], readers)
        switches = self._show(frame)
        for name in record.properties:
            revive(readers.get(name, ()))
        return {**(before.kept_hidden if before is not None else {}), **switches}

    def _show(self, frame: float) -> dict[str, bool]:
        """Put the vehicle where its new curves have it; returns what these say of its switches."""
        bag = channelbag_in(self.bed.action, self.bed.slot)
        numbers = [(path, index) for path in self.record.channels for index in range(WIDTHS.get(path, 1))]
        curves = bag.fcurves if self.bed.blank else (bag.fcurves.find(path, index=index) for path, index in numbers)
        shown: dict[str, list[float]] = {path: [] for path in self.record.channels}
        for (path, _), curve in zip(numbers, curves):
            shown[path].append(curve.evaluate(frame))
        for path, values in shown.items():
            if path in SWITCHES:
                continue
            if (name := name_in(path)) is not None:
                make(self.ob, name, values[0], reset=self.before is None or name not in self.before.properties)
            else:
                setattr(self.ob, path, values)
        return {path: shown[path][0] >= 0.5 for path in SWITCHES if path in shown}

    def _kept_properties(self) -> dict[str, KeptProperty]:
        """What the animator had in place of the properties of this bake, by itself or noted by the bake before."""
        before, kept = self.before, {}
        for name in self.record.properties:
            if before is not None and name in before.properties:
                if name in before.kept_properties:
                    kept[name] = before.kept_properties[name]
            elif name in self.ob:
                kept[name] = KeptProperty.of(self.ob, name)
        return kept


Readers: TypeAlias = "dict[str, list[bpy.types.FCurve]]"
"""The drivers that read the custom properties of an object, by their names."""


def _readers(records: Mapping[Object, Iterable[BakeRecord | None]]) -> dict[Object, Readers]:
    """The drivers in the file that read what these bakes key."""
    keyed = {ob: [name for record in its if record for name in record.properties] for ob, its in records.items()}
    return reading_drivers([ob for ob, names in keyed.items() if names], {n for names in keyed.values() for n in names})


def _let_go(ob: Object, record: BakeRecord, channels: Iterable[str], readers: Readers) -> None:
    """Give custom properties and switches of a bake back, after its keys are gone.

    What is read by drivers or has keys stays.
    """
    bag = channelbag(ob)
    for path in channels:
        if path in TRANSFORM_CHANNELS:
            continue
        for driver in ob.animation_data.drivers if ob.animation_data else ():
            if driver.data_path == path and (path, driver.array_index) in record.muted_drivers:
                driver.mute = False
        if (name := name_in(path)) is None:
            continue
        if name in record.kept_properties:
            record.kept_properties[name].put_back(ob, name)
        elif not readers.get(name) and not (bag and bag.fcurves.find(path)):
            remove(ob, name)


def _remove_new_actions(staged: list[_Staged]) -> None:
    bpy.data.batch_remove([action for one in staged for action in one.bed.new_actions() if _exists(action)])


def _check_motion(ob: Object, channels: dict[str, np.ndarray], frames: int) -> None:
    for path, values in channels.items():
        width = WIDTHS.get(path, 1)
        if values.shape != (frames, width):
            raise Refusal(f"{ob.name} needs {width} numbers for {path} on each of {frames} frames.")
        if not np.isfinite(values).all():
            raise Refusal(f"{ob.name} would get a {path} that is not a number. Check its keyframes and drivers.")


def _modifiers_on_baked_curves(played: Played) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """What an animator has put on top of a bake, by channel and index: it lives on in the next one."""
    if played.record is None:
        return {}
    return {
        (curve.data_path, curve.array_index): read_modifiers(curve)
        for curve in played.bag.fcurves
        if curve.modifiers and our_keys(curve, played.record).any()
    }


def _still_muted(before: BakeRecord | None, channels: Collection[str]) -> tuple[tuple[str, int], ...]:
    """The drivers that an earlier bake has muted, but for those of custom properties and switches that the next does
    not key."""
    muted = before.muted_drivers if before else ()
    return tuple((path, index) for path, index in muted if path in TRANSFORM_CHANNELS or path in channels)


def _leaves_nothing(played: Played) -> bool:
    """Whether nothing of a baked action is the animator's, and nothing is to come back when the bake goes."""
    return played.record.made and played.record.kept is None and played.only_ours


def _without_bake(played: Played) -> _Rest:
    """What an object would play without its bake; what it plays now is left alone."""
    action, slot, record = played.action, played.slot, played.record
    if record is None:
        return _Rest(action, slot)
    if _leaves_nothing(played):
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


def _make_bed(ob: Object, rest: _Rest, first: float, last: float, replaced: Collection[str]) -> _Bed:
    """Prepare the action a bake goes into, with all that is to stay of what the object would play without it.

    What is the animator's on the `replaced` channels is set aside.
    """
    own = own_curves(channelbag_in(rest.action, rest.slot), None, first, last, replaced)
    if rest.new and not own:
        return _Bed(rest.action, rest.slot, made=rest.made)
    carried_whole = not own and not rest.kept and _has_one_user(rest.action) and (rest.slot is not None or not SLOTTED)
    action, slot = copy_action(rest.action, rest.slot, whole=carried_whole)
    if own:
        remove_own_keys(channelbag_in(action, slot), first, last, replaced)
    if carried_whole:
        return _Bed(action, slot, made=False)
    slot = slot or new_slot(action, ob)
    return _Bed(action, slot, made=True, kept=rest.action, kept_slot=rest.slot, kept_is_new=rest.new)


def _put_back(kept: Channelbag | None, bag: Channelbag, record: BakeRecord) -> None:
    """Put what a bake replaced back into a copy of the baked action that the bake was taken out of.

    Where the animator has set a key on the same frame since, that one stays.
    """
    for curve in own_curves(kept, None, record.first, record.last, contested(record.channels)):
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


def _take_places(staged: Iterable[_Staged]) -> dict[Action, str]:
    """Remove the bakes of which nothing is to stay and that nobody else plays; returns their names for the new ones.

    Not when the new ones have been given out: then Blender has something of each object to tell its windows, and goes
    through all of that for each action it removes.
    """
    heirs = {
        action: one.bed.action
        for one in staged
        if one.bed.blank and (action := action_of(one.ob)) is not None and _has_one_user(action)
    }
    names = {heir: action.name for action, heir in heirs.items()}
    bpy.data.batch_remove(heirs)
    return names


def _retire(succession: list[tuple[Action | None, Action | None]]) -> dict[Action, str]:
    """Remove actions that nobody uses any more; returns their names for the first heir of each."""
    heirs: dict[Action, Action | None] = {}
    for action, heir in succession:
        if action is not None and action.users == 0 and action.library is None:
            heirs.setdefault(action, heir)
    names = {heir: action.name for action, heir in heirs.items() if heir is not None}
    bpy.data.batch_remove(list(heirs))
    return names


def _has_one_user(action: Action) -> bool:
    """Whether the object that plays an action is all that holds it, so that nothing else sees it exchanged."""
    return action.users == 1 and action.library is None


def _exists(block: bpy.types.ID) -> bool:
    """Whether a datablock is still there; loading another file or deleting it takes it from under our hands."""
    try:
        return bool(block.name)
    except ReferenceError:
        return False
