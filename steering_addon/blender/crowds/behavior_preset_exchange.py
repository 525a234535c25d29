"""Presets of single behaviors in Blender: how a behavior of a crowd takes one up or becomes one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...behaviors import CATALOGUE
from ...settings.behavior_preset import BehaviorPreset, read_behavior
from ...settings.preset_values import PresetError
from ...simulation.behavior import Behavior
from ..read.dependencies import animated_paths
from .preset_exchange import SHIPPED, paths_of, values_in
from .preset_files import Shelf

if TYPE_CHECKING:
    from bpy.types import Object

OWN = "steering/behaviors"
"""Where in Blender's preset folders, each behavior in a folder of its own."""


def _shelf(behavior: type[Behavior]) -> Shelf[BehaviorPreset]:
    def read(text: str) -> BehaviorPreset:
        preset = read_behavior(text)
        if preset.behavior != behavior.name:
            raise PresetError(f"it is one of {preset.behavior}")
        return preset

    return Shelf(Path(SHIPPED, "behaviors", behavior.name), f"{OWN}/{behavior.name}", read)


SHELVES = {behavior.name: _shelf(behavior) for behavior in CATALOGUE}
"""The presets of each behavior, by its name."""


def take_up_behavior(preset: BehaviorPreset, crowd: Object) -> list[str]:
    """Give a behavior of a crowd the settings of a preset; a behavior that it does not have yet is switched on.

    What settings point at is left alone.

    Returns:
        The settings that are keyed or driven, and so come back to what their keys and drivers say.
    """
    behavior = next(b for b in CATALOGUE if b.name == preset.behavior)
    new = not crowd.steering.is_property_set(behavior.name)
    group = getattr(crowd.steering, behavior.name)
    taken = paths_of(behavior.name, behavior, preset.values)
    for path, value in taken.items():
        setattr(group, path.rpartition(".")[2], value)
    if new:
        group.use = True
    return sorted(animated_paths(crowd) & set(taken))


def behavior_preset_of(crowd: Object, behavior: str, label: str) -> BehaviorPreset:
    """The settings of a behavior of a crowd as a preset, in full."""
    declared = next(b for b in CATALOGUE if b.name == behavior)
    values = values_in(declared, getattr(crowd.steering, behavior))
    return BehaviorPreset(label.strip(), f"{declared.label} as in {crowd.name}", behavior, values)
