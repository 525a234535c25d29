"""Presets of single behaviors in Blender: applying one to a crowd, and making one from a crowd."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...behaviors import CATALOGUE
from ...settings.behavior_preset import BehaviorPreset, read_behavior
from ...settings.preset_values import PresetError
from ...simulation.behavior import Behavior
from ..read.dependencies import animated_paths
from .behavior_adding import fitted_values
from .preset_exchange import SHIPPED, paths_of, values_in
from .preset_files import Shelf

if TYPE_CHECKING:
    from bpy.types import Object, Scene

USER_FOLDER = "steering/behaviors"
"""The folder of user presets in Blender's preset folders; each behavior has its own folder in it."""


def _shelf(behavior: type[Behavior]) -> Shelf[BehaviorPreset]:
    def read(text: str) -> BehaviorPreset:
        preset = read_behavior(text)
        if preset.behavior != behavior.name:
            raise PresetError(f"it is a preset of {preset.behavior}")
        return preset

    return Shelf(Path(SHIPPED, "behaviors", behavior.name), f"{USER_FOLDER}/{behavior.name}", read)


SHELVES = {behavior.name: _shelf(behavior) for behavior in CATALOGUE}
"""The presets of each behavior, by the name of the behavior."""


def take_up_behavior(preset: BehaviorPreset, crowd: Object, scene: Scene) -> list[str]:
    """Apply a preset to a behavior of a crowd. Targets are left unchanged.

    A new behavior is also switched on; what the preset does not say is fitted to the crowd.

    Returns:
        Data paths of settings that are keyframed or driven, and so do not keep the value of the preset.
    """
    behavior = next(b for b in CATALOGUE if b.name == preset.behavior)
    is_new = not crowd.steering.is_property_set(behavior.name)
    others = fitted_values(behavior, crowd, scene) if is_new else {}
    group = getattr(crowd.steering, behavior.name)
    values = paths_of(behavior.name, behavior, {**others, **preset.values})
    for path, value in values.items():
        setattr(group, path.rpartition(".")[2], value)
    if is_new:
        group.use = True
    return sorted(animated_paths(crowd) & set(values))


def behavior_preset_of(crowd: Object, behavior: str, label: str) -> BehaviorPreset:
    """The preset with all settings of a behavior of a crowd."""
    declared = next(b for b in CATALOGUE if b.name == behavior)
    values = values_in(declared, getattr(crowd.steering, behavior))
    return BehaviorPreset(label.strip(), f"{declared.label} as in {crowd.name}", behavior, values)
