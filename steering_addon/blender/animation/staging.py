"""Staging of a bake: it is prepared separately and handed over in one step, so that stopping half way leaves no trace.

Each vehicle gets an action that nothing plays yet: a new one, or, if its current action has keys of the animator's on
other channels or frames, a copy of that in which the new bake replaces an earlier one. Handing over gives each vehicle
its new action, which takes over the name of the earlier one if no other object uses that. An action in which an earlier
bake left nothing but the same thinned curves stays, and gets its new keys then: among thousands of actions Blender
takes far longer to copy, rename and remove one.

If an action of the animator's cannot be carried over whole, because others use it too or the bake replaces keys in it,
it stays in the file, and the record of the bake points to it. Clearing restores it; or, if the animator has continued
to work in the baked action, puts the replaced keys back there.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import inf
from typing import Any

import numpy as np
from bpy.types import Action, Object

from ...recording.thinned_curves import ThinnedCurve
from ..pieces import in_one_go
from ..refusal import Refusal
from .animation_data import (
    ActionSlot,
    Channelbag,
    action_of,
    assign_action,
    channelbag_in,
    copy_action,
    new_action,
    remove_blocks,
    rename_all,
)
from .bake_actions import BakeAction, action_for_bake, has_one_user, leaves_nothing, only_poses, retire, without_bake
from .bake_record import TRANSFORM_CHANNELS, BakeRecord, write_record
from .custom_properties import name_in, path_of
from .edited_keys import checksum_of
from .handing_over import (
    Channels,
    Staged,
    columns_of,
    exists,
    let_go,
    readers_of,
    remove_new_actions,
    take_places,
)
from .keyframes import (
    BakedKeys,
    Column,
    has_plain_curves,
    read_modifiers,
    unsettled_handles,
    write_changes,
    write_modifiers,
)
from .ownership import (
    GROUP,
    CurrentAnimation,
    check_editable,
    check_free,
    contested,
    holds_nothing,
    holds_nothing_else,
    keyed_bake_of,
    our_keys,
    set_muted,
)
from .posing import hides, holds_a_pose
from .rotation_channels import data_path
from .visibility import SWITCHES, kept_hidden, show_as, switches_of

SLOT = "Vehicle"
"""The name of the slot in actions made for a vehicle."""
BLANK = "!"
"""The name of an action until it is handed over: short, and sorted first, as Blender compares it with many."""
COPIED_TOGETHER = 256
"""The most blank actions that are copied together."""
HANDED_OVER_TOGETHER = 512
"""The vehicles that get their bake together."""


class Staging:
    """A bake in preparation: add each vehicle's motion, hide objects that are absent on some frames; then commit or
    discard.

    Nothing of the scene changes before `commit`. After `commit` or `discard` it is empty, and both may be called again.
    """

    def __init__(self, bake_id: str, frames: np.ndarray, vehicles: float = inf) -> None:
        """`frames` (f,), whole and consecutive, at least one; `vehicles`: how many will be added at most."""
        self._bake_id, self._vehicles = bake_id, vehicles
        self._frames = np.asarray(frames, dtype=float)
        self._baked = BakedKeys(self._frames)
        self._staged: list[Staged] = []
        self._always_seen: list[Object] = []
        self._blanks: dict[tuple, list[tuple[Action, ActionSlot | None]]] = {}

    def add(
        self,
        ob: Object,
        location: np.ndarray,
        rotation: np.ndarray,
        replace: bool = False,
        properties: Mapping[str, np.ndarray] | None = None,
        seldom: Mapping[str, np.ndarray] | None = None,
        only_baked: bool | None = None,
        hidden: np.ndarray | None = None,
        posed: Collection[tuple[str, int]] = (),
        thinned: Sequence[ThinnedCurve] = (),
    ) -> None:
        """Prepare the motion of one vehicle. Refused if the vehicle cannot be baked.

        Args:
            location: (f, 3) values of the vehicle's own channels.
            rotation: (f, 3 or 4) the same in its rotation mode, angles in radians.
            replace: whether its own animation on these frames is set aside, to be restored when the bake is
                cleared.
            properties: numbers (f,) for custom properties of these names, which the bake makes if they are missing.
            seldom: the same for properties that get keys only where they change; whole numbers jump.
            only_baked: whether it plays an earlier bake and nothing else; looked up by default.
            hidden: (f,) whether it is hidden on each frame.
            posed: the channels that clips will animate, as (data path, index); an action that would hide them is
                set aside.
            thinned: the curves to write of its location, its rotation and then its `properties`; by default they
                get keys on every frame.
        """
        properties = properties or {}
        motion = {"location": np.asarray(location), data_path(ob.rotation_mode): np.asarray(rotation)}
        motion |= {path_of(name): np.asarray(values)[:, None] for name, values in properties.items()}
        _check_motion(ob, motion)
        channels: Channels = {path: values.T for path, values in motion.items()}
        if thinned:
            curves = iter(thinned)
            channels = {path: list(islice(curves, len(columns))) for path, columns in channels.items()}
        played = CurrentAnimation(ob, only_baked)
        changes = {path_of(name): np.asarray(values) for name, values in (seldom or {}).items()}
        changes |= self._switches(ob, hidden, played)
        self._stage(ob, played, channels, changes, replace, posed)

    def hide(self, ob: Object, hidden: np.ndarray, replace: bool = False) -> None:
        """Prepare an object that the bake does not move to be hidden on some frames, (f,) booleans.

        To be called for each object that the bake may hide, even if it is hidden on no frame: then what an earlier bake
        has hidden is restored. An object that plays a bake of its own motion is left alone. Raises Refusal if the
        object cannot be hidden.
        """
        if not hidden.any() and action_of(ob) is None:
            return
        played = CurrentAnimation(ob)
        if played.record is not None and played.record.moves:
            return
        switches = self._switches(ob, hidden, played)
        if switches:
            self._stage(ob, played, {}, switches, replace)
        elif played.record is not None:
            check_editable(ob)
            self._always_seen.append(ob)

    def _switches(self, ob: Object, hidden: np.ndarray | None, played: CurrentAnimation) -> dict[str, np.ndarray]:
        return {} if hidden is None else switches_of(ob, np.asarray(hidden), self._frames[0], played)

    def _stage(
        self,
        ob: Object,
        played: CurrentAnimation,
        channels: Channels,
        changes: Mapping[str, np.ndarray],
        replace: bool,
        posed: Collection[tuple[str, int]] = (),
    ) -> None:
        first, last = self._frames[0], self._frames[-1]
        in_the_way = contested((*channels, *changes))
        check_free(ob, first, last, replace, in_the_way, played)

        before = played.record
        touches = _modifiers_on_baked_curves(played)
        replace = replace or (before is not None and before.kept is not None) or holds_a_pose(ob, played.bag)
        unbaked = without_bake(played, edits=True)
        sets_aside = bool(posed) and hides(channelbag_in(unbaked.action, unbaked.slot), posed)
        stays = unbaked.action is None and not changes and _can_stay(played, channels)
        if stays:
            target = BakeAction(played.action, played.slot, made=True)
        elif unbaked.action is None or (sets_aside and only_poses(unbaked)):
            target = BakeAction(
                *self._new_action(ob, channels),
                made=True,
                blank=True,
                kept=unbaked.action,
                kept_slot=unbaked.slot,
                kept_is_new=unbaked.new,
            )
        else:
            target = action_for_bake(ob, unbaked, first, last, in_the_way if replace else (), posed=sets_aside)
        own_handles = {} if target.blank or stays else _own_handles(target, (*channels, *changes))
        if not stays:
            self._write(target, channels, changes, touches)
        record = BakeRecord(
            bake_id=self._bake_id,
            first=first,
            last=last,
            channels=(*channels, *changes),
            made=target.made,
            kept=target.kept,
            kept_slot=target.kept_slot.handle if target.kept_slot else 0,
            posed=sets_aside and target.kept is not None,
            muted_drivers=_drivers_still_muted(before, (*channels, *changes)),
            muted_strips=before.muted_strips if before else (),
            kept_hidden={path: kept_hidden(ob, path, played) for path in changes if path in SWITCHES},
            own_handles=own_handles,
            keys=(*map(checksum_of, channels.values()), *(0 for _ in changes)),
            thinned=tuple(path for path, columns in channels.items() if not isinstance(columns[0], np.ndarray)),
        )
        if not stays:
            write_record(target.action, record)
        self._staged.append(Staged(ob, target, before, record, replace, channels if stays else {}))

    def commit(self, frame: float) -> Iterator[float]:
        """Give every vehicle its new action and show it as on `frame`, the scene's current frame, in pieces that yield
        1, after yielding the share that is prepared. Actions that stay get their new keys then.

        Blender draws the new pose at its next update, which follows when an operator ends.
        """
        self._remove_blanks()
        shown, present = {}, [vehicle for vehicle in self._staged if exists(vehicle.ob)]
        for done, vehicle in enumerate(present, 1):
            if not vehicle.new_keys:
                shown[vehicle.ob] = vehicle.shown_on(frame)
            yield 0.5 * done / len(present)
        unplayed = [vehicle for vehicle in present if vehicle.target.blank and action_of(vehicle.ob) is None]
        named = {vehicle.target.action: f"{vehicle.ob.name}Action" for vehicle in unplayed}
        for share in rename_all(named):
            yield 0.5 + 0.4 * share
        yield 0.9
        always_seen, staged = self._always_seen, self._give_out()
        heirs, heirs_of_kept, switches = [], [], {}
        present = [vehicle for vehicle in staged if exists(vehicle.ob)]
        readers = readers_of({vehicle.ob: (vehicle.before, vehicle.record) for vehicle in present})
        blank = [vehicle for vehicle in present if vehicle.target.blank and vehicle.target.action not in named]
        names = {vehicle.target.action: f"{vehicle.ob.name}Action" for vehicle in blank} | take_places(present)
        for done, vehicle in enumerate(present, 1):
            ob, target, before = vehicle.ob, vehicle.target, vehicle.before
            if not exists(ob):
                continue
            if vehicle.new_keys:
                vehicle.write_new_keys()
                shown[ob] = vehicle.shown_on(frame)
            else:
                heirs.append((action_of(ob), target.heir(before)))
                heirs_of_kept.append((before and before.kept, target.kept or target.action))
            switches[ob] = vehicle.hand_over(shown[ob], readers.get(ob, {}))
            if done % HANDED_OVER_TOGETHER == 0:
                yield 1.0
        in_one_go(rename_all(names | retire(heirs) | retire(heirs_of_kept)))
        remove_new_actions([vehicle for vehicle in staged if not exists(vehicle.ob)])
        show_as({ob: due for ob, due in switches.items() if exists(ob)})
        clear_all(ob for ob in always_seen if exists(ob))

    def discard(self) -> None:
        """Remove everything that was prepared; the file is as it was before."""
        remove_new_actions(self._give_out())

    def _give_out(self) -> "list[Staged]":
        """Empty the staging, and return what was staged."""
        self._remove_blanks()
        staged = self._staged
        self._staged, self._always_seen = [], []
        return staged

    def _remove_blanks(self) -> None:
        remove_blocks([blank for blanks in self._blanks.values() for blank, _ in blanks if exists(blank)])
        self._blanks = {}

    def _new_action(self, ob: Object, channels: Channels) -> tuple[Action, ActionSlot | None]:
        """An action with a curve for each component of the channels, whose values are still to be written. It is a copy
        of a blank one, as copying is faster than making one. Many are copied together: Blender goes through the names
        of hundreds of actions for each, which are out of the processor's cache if keys were written."""
        kind = tuple((path, type(columns[0])) for path, columns in channels.items())
        blanks = self._blanks.setdefault(kind, [])
        if not blanks:
            blanks.append(blank := new_action(BLANK, ob))
            # Naming the slot after each vehicle would make Blender search the whole file each time.
            if blank[1] is not None:
                blank[1].name_display = SLOT
            empty = {path: [_without_values(column) for column in columns] for path, columns in channels.items()}
            self._write(BakeAction(*blank, made=True), empty, {}, {})
            self._baked.sample(channelbag_in(*blank))
        if len(blanks) == 1:
            staged = len(self._staged)
            copies = min(staged + 1, COPIED_TOGETHER, self._vehicles - staged - 1)
            blanks += [copy_action(*blanks[0], whole=True) for _ in range(int(copies))]
        return blanks.pop()

    def _write(
        self,
        target: BakeAction,
        channels: Channels,
        changes: Mapping[str, np.ndarray],
        touches: Mapping[tuple[str, int], list],
    ) -> None:
        """Write the baked keys: a curve for each component of a channel, and for each of what seldom changes."""
        bag = channelbag_in(target.action, target.slot, ensure=True)
        if target.blank:
            self._baked.set_values(bag, columns_of(channels))
        else:
            self._write_among_others(bag, channels)
        for path, values in changes.items():
            write_changes(bag, path, self._frames, values)
        for (path, index), modifiers in touches.items():
            if path in channels or path in changes:
                write_modifiers(bag.fcurves.find(path, index=index), modifiers)

    def _write_among_others(self, bag: Channelbag, channels: Channels) -> None:
        group = bag.groups.get(GROUP) or bag.groups.new(GROUP)
        for path, columns in channels.items():
            for index, column in enumerate(columns):
                curve = bag.fcurves.find(path, index=index)
                if curve is None:
                    curve = self._baked.new_curve(bag, path, index, column)
                    if name_in(path) is None:
                        curve.group = group
                else:
                    self._baked.add_to_curve(curve, column)


def clear_all(obs: Iterable[Object]) -> list[Object]:
    """Remove the bakes that objects play and restore what these had replaced; returns the objects that had one.

    Keys that the animator has added or changed since, on other channels or frames, stay. The channels of the objects
    keep their current values. Raises Refusal if one of them cannot be changed, before any is changed.
    """
    baked = [ob for ob in obs if keyed_bake_of(ob) is not None]
    for ob in baked:
        check_editable(ob)
    heirs, heirs_of_kept, switches = [], [], {}
    readers = readers_of({ob: (keyed_bake_of(ob),) for ob in baked})
    all_played = [CurrentAnimation(ob) for ob in baked]
    # Before any object gets another action, as in `take_places`. If other animation stays, Blender would remember the
    # slot of a removed action.
    alone = [
        leaves_nothing(played) and has_one_user(played.action) and holds_nothing_else(ob.animation_data)
        for ob, played in zip(baked, all_played)
    ]
    remove_blocks([played.action for played, goes in zip(all_played, alone) if goes])
    for ob, played, goes in zip(baked, all_played, alone):
        record, before = played.record, None if goes else played.action
        unbaked = without_bake(played)
        assign_action(ob, unbaked.action, unbaked.slot)
        set_muted(ob, record, mute=False)
        let_go(ob, record, record.channels, readers.get(ob, {}))
        switches[ob] = record.kept_hidden
        heir = unbaked.action if unbaked.new else None
        heirs.append((before, heir))
        heirs_of_kept.append((record.kept, heir))
        if holds_nothing(ob.animation_data):
            ob.animation_data_clear()
    in_one_go(rename_all(retire(heirs) | retire(heirs_of_kept)))
    show_as(switches)
    return baked


def _can_stay(played: CurrentAnimation, channels: Channels) -> bool:
    """Whether an action that holds nothing but a bake can get the thinned keys of the next one in their place: nothing
    else uses it, and its curves are as a bake makes them."""
    if played.action is None or not has_one_user(played.action):
        return False
    if any(isinstance(column, np.ndarray) for column in columns_of(channels)):
        return False
    paths = [(path, index) for path, columns in channels.items() for index in range(len(columns))]
    return has_plain_curves(played.bag, paths, GROUP)


def _check_motion(ob: Object, channels: dict[str, np.ndarray]) -> None:
    for path, values in channels.items():
        if not np.isfinite(values).all():
            raise Refusal(f"{ob.name} would get a {path} that is not a number. Check its keyframes and drivers.")


def _without_values(column: Column) -> Column:
    """A column of zeros, or a thinned curve without keys."""
    if isinstance(column, np.ndarray):
        return np.zeros_like(column)
    return column._replace(rows=column.rows[:0], points=column.points[:, :0])


def _modifiers_on_baked_curves(played: CurrentAnimation) -> dict[tuple[str, int], list[dict[str, Any]]]:
    """Modifiers that the animator has put on baked curves, by channel and index: the next bake keeps them."""
    if played.record is None:
        return {}
    return {
        (curve.data_path, curve.array_index): read_modifiers(curve)
        for curve in played.bag.fcurves
        if curve.modifiers and our_keys(curve, played.record).any()
    }


def _own_handles(target: BakeAction, channels: Collection[str]) -> dict[str, tuple[float, ...]]:
    """The handles to note of the keys that the action of a bake has on channels before the bake is written into it."""
    bag = channelbag_in(target.action, target.slot)
    curves = [curve for curve in (bag.fcurves if bag else ()) if curve.data_path in channels]
    noted = {f"{curve.data_path}[{curve.array_index}]": unsettled_handles(curve) for curve in curves}
    return {channel: tuple(handles) for channel, handles in noted.items() if handles}


def _drivers_still_muted(before: BakeRecord | None, channels: Collection[str]) -> tuple[tuple[str, int], ...]:
    """The drivers that an earlier bake has muted, except those of properties and switches that the next does not
    key."""
    muted = before.muted_drivers if before else ()
    return tuple((path, index) for path, index in muted if path in TRANSFORM_CHANNELS or path in channels)
