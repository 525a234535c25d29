"""Presets of single behaviors, in a list that opens beside each of them as Blender's own do."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ...settings.behavior_preset import BehaviorPreset, behavior_written
from ..crowds.behavior_preset_exchange import SHELVES, behavior_preset_of, take_up_behavior
from ..crowds.preset_files import Shelf
from ..refusal import Refusal
from .behaviors import FIRST, ITEMS
from .shelves import Applying, Removing, Saving, any_of, new_name, overruled, own_of


def _of_behavior(settings) -> Shelf[BehaviorPreset]:
    return SHELVES[settings.behavior]


def _behavior():
    return EnumProperty(name="Behavior", description="Of which behavior", items=ITEMS, default=FIRST)


class STEERING_OT_behavior_preset_apply(Applying, bpy.types.Operator):
    """Give the behavior of the crowd the settings of a preset; what it points at stays"""

    bl_idname = "steering.behavior_preset_apply"
    bl_label = "Apply Behavior Preset"
    shelf_of = staticmethod(_of_behavior)

    behavior: _behavior()
    preset: any_of(_of_behavior)

    def take_up(self, _context, crowd, preset):
        animated = take_up_behavior(preset, crowd)
        return overruled(crowd, animated), f"{crowd.name} has the preset {preset.label}"


class STEERING_OT_behavior_preset_save(Saving, bpy.types.Operator):
    """Keep the settings of the behavior as a preset of your own, for all files"""

    bl_idname = "steering.behavior_preset_save"
    bl_label = "Save Behavior Preset"
    shelf_of = staticmethod(_of_behavior)

    behavior: _behavior()
    name: new_name()

    def made_of(self, _context, crowd):
        if not crowd.steering.is_property_set(self.behavior):
            raise Refusal(f"{crowd.name} does not have this behavior: add it first.")
        preset = behavior_preset_of(crowd, self.behavior, self.name)
        return preset.label, behavior_written(preset)


class STEERING_OT_behavior_preset_remove(Removing, bpy.types.Operator):
    """Delete a preset of your own; this cannot be undone"""

    bl_idname = "steering.behavior_preset_remove"
    bl_label = "Remove Behavior Preset"
    shelf_of = staticmethod(_of_behavior)

    behavior: _behavior()
    preset: own_of(_of_behavior)


CLASSES = (
    STEERING_OT_behavior_preset_apply,
    STEERING_OT_behavior_preset_save,
    STEERING_OT_behavior_preset_remove,
)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
