"""A vehicle's bake that is prepared, and what happens when it is handed over: what it plays, shows and lets go."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import bpy
from bpy.types import Action, Object

from ..objects.drivers import drivers_of
from .animation_data import action_of, assign_action, channelbag, channelbag_in, remove_blocks
from .bake_actions import BakeAction, has_one_user
from .bake_record import TRANSFORM_CHANNELS, BakeRecord, write_record
from .custom_properties import KeptProperty, make, name_in, reading_drivers, remove, revive
from .keyframes import Column, write_thinned_keys
from .ownership import contested, own_drivers, own_strips, set_muted, with_muted
from .visibility import SWITCHES

WIDTHS = {"location": 3, "rotation_euler": 3, "rotation_quaternion": 4, "rotation_axis_angle": 4}
"""The number of components of each channel; a custom property has one."""
Channels: TypeAlias = Mapping[str, Sequence[Column]]
"""The columns to write, by data path: one for each component."""
Shown: TypeAlias = dict[str, list[float]]
"""The values of the components of channels, by data path."""
Readers: TypeAlias = dict[str, list[bpy.types.FCurve]]
"""The drivers that read the custom properties of an object, by property name."""


@dataclass(frozen=True)
class Staged:
    """One vehicle's bake, ready to be handed over. `before`: the record of the bake it replaces; `replace`: whether the
    animator's drivers and strips are muted; `new_keys`: for the action that it plays already, if that stays."""

    ob: Object
    target: BakeAction
    before: BakeRecord | None
    record: BakeRecord
    replace: bool
    new_keys: Channels

    def write_new_keys(self) -> None:
        """Write the new keys in place of those of the bake that it plays."""
        for curve, keys in zip(channelbag_in(self.target.action, self.target.slot).fcurves, columns_of(self.new_keys)):
            write_thinned_keys(curve, keys)

    def hand_over(self, shown: Shown, readers: Readers) -> dict[str, bool]:
        """Let the vehicle play its bake, with these values; returns those of its visibility switches."""
        ob, before, record = self.ob, self.before, self.record
        if record.properties:
            record = dataclasses.replace(record, kept_properties=self._kept_properties())
        if self.replace:
            channels = contested(record.channels)
            record = with_muted(record, own_drivers(ob, channels), own_strips(ob, record.first, record.last, channels))
            set_muted(ob, record, mute=True)
        if record is not self.record or self.new_keys:
            write_record(self.target.action, record)
        if not self.new_keys:
            assign_action(ob, self.target.action, self.target.slot)
        if before is not None:
            let_go(ob, before, [path for path in before.channels if path not in record.channels], readers)
        self._show(shown)
        for name in record.properties:
            revive(readers.get(name, ()))
        switches = {path: shown[path][0] >= 0.5 for path in SWITCHES if path in shown}
        return {**(before.kept_hidden if before is not None else {}), **switches}

    def shown_on(self, frame: float) -> Shown:
        """The values of its new curves on a frame."""
        bag = channelbag_in(self.target.action, self.target.slot)
        numbers = [(path, index) for path in self.record.channels for index in range(WIDTHS.get(path, 1))]
        curves = (bag.fcurves.find(path, index=index) for path, index in numbers)
        if self.target.blank or self.new_keys:
            curves = bag.fcurves
        shown: Shown = {path: [] for path in self.record.channels}
        for (path, _), curve in zip(numbers, curves):
            shown[path].append(curve.evaluate(frame))
        return shown

    def _show(self, shown: Shown) -> None:
        """Set the vehicle's channels to these values."""
        for path, values in shown.items():
            if path in SWITCHES:
                continue
            if (name := name_in(path)) is not None:
                make(self.ob, name, values[0], reset=self.before is None or name not in self.before.properties)
            else:
                setattr(self.ob, path, values)

    def _kept_properties(self) -> dict[str, KeptProperty]:
        """The animator's own properties that this bake replaces, as they are or as the earlier bake recorded them."""
        before, kept = self.before, {}
        for name in self.record.properties:
            if before is not None and name in before.properties:
                if name in before.kept_properties:
                    kept[name] = before.kept_properties[name]
            elif name in self.ob:
                kept[name] = KeptProperty.of(self.ob, name)
        return kept


def readers_of(records: Mapping[Object, Iterable[BakeRecord | None]]) -> dict[Object, Readers]:
    """The drivers in the file that read the properties keyed by these bakes."""
    keyed = {ob: [name for bake in bakes if bake for name in bake.properties] for ob, bakes in records.items()}
    return reading_drivers([ob for ob, names in keyed.items() if names], {n for names in keyed.values() for n in names})


def let_go(ob: Object, record: BakeRecord, channels: Iterable[str], readers: Readers) -> None:
    """Restore custom properties and drivers after the keys of a bake are removed. Properties that drivers read or that
    have keys stay."""
    bag = channelbag(ob)
    for path in channels:
        if path in TRANSFORM_CHANNELS:
            continue
        for driver in drivers_of(ob):
            if driver.data_path == path and (path, driver.array_index) in record.muted_drivers:
                driver.mute = False
        if (name := name_in(path)) is None:
            continue
        if name in record.kept_properties:
            record.kept_properties[name].put_back(ob, name)
        elif not readers.get(name) and not (bag and bag.fcurves.find(path)):
            remove(ob, name)


def remove_new_actions(staged: list[Staged]) -> None:
    actions = (action for vehicle in staged if not vehicle.new_keys for action in vehicle.target.new_actions())
    remove_blocks([action for action in actions if exists(action)])


def columns_of(channels: Channels) -> Iterator[Column]:
    """The columns of all channels, one after the other."""
    return (column for columns in channels.values() for column in columns)


def take_places(staged: Iterable[Staged]) -> dict[Action, str]:
    """Remove the baked actions that are replaced whole and have no other user; returns their names for the new ones.

    Before the new ones are assigned: assignments queue notifications to Blender's windows, and Blender goes through all
    of them for each action it removes.
    """
    played = ((action_of(vehicle.ob), vehicle.target) for vehicle in staged if vehicle.target.blank)
    taken = ((action, target) for action, target in played if action not in (None, target.kept))
    heirs = {action: target.action for action, target in taken if has_one_user(action)}
    names = {heir: action.name for action, heir in heirs.items()}
    remove_blocks(heirs)
    return names


def exists(block: bpy.types.ID) -> bool:
    """Whether a datablock still exists; loading a file or deleting invalidates the reference."""
    try:
        return bool(block.name)
    except ReferenceError:
        return False
