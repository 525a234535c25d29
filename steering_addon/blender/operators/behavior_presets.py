"""Operators that apply, save and remove presets of single behaviors."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ...settings.behavior_preset import BehaviorPreset, behavior_written
from ..crowds.behavior_preset_exchange import SHELVES, behavior_preset_of, take_up_behavior
from ..crowds.preset_files import Shelf
from ..refusal import Refusal
from ..stored_values import check_stored
from .behaviors import FIRST, ITEMS
from .shelves import Applying, Removing, Saving, animated_warnings, any_preset, new_name, own_preset


def _of_behavior(settings) -> Shelf[BehaviorPreset]:
    return SHELVES[settings.behavior]


def _behavior():
    return EnumProperty(name="Behavior", description="Behavior that the preset belongs to", items=ITEMS, default=FIRST)


class STEERING_OT_behavior_preset_apply(Applying, bpy.types.Operator):
    """Give the crowd's behavior the settings of a preset; its targets are kept"""

    bl_idname = "steering.behavior_preset_apply"
    bl_label = "Apply Behavior Preset"
    shelf_of = staticmethod(_of_behavior)

    behavior: _behavior()
    preset: any_preset(_of_behavior)

    def take_up(self, context, crowd, preset):
        check_stored([crowd])
        animated = take_up_behavior(preset, crowd, context.scene)
        return animated_warnings(crowd, animated), f"Applied the preset {preset.label} to {crowd.name}"


class STEERING_OT_behavior_preset_save(Saving, bpy.types.Operator):
    """Save the settings of the behavior as a preset of your own, available in all files"""

    bl_idname = "steering.behavior_preset_save"
    bl_label = "Save Behavior Preset"
    shelf_of = staticmethod(_of_behavior)

    behavior: _behavior()
    name: new_name()

    def made_of(self, _context, crowd):
        if not crowd.steering.is_property_set(self.behavior):
            raise Refusal(f"{crowd.name} does not have this behavior. Add it first.")
        check_stored([crowd])
        preset = behavior_preset_of(crowd, self.behavior, self.name)
        return preset.label, behavior_written(preset)


class STEERING_OT_behavior_preset_remove(Removing, bpy.types.Operator):
    """Delete a preset of your own; this cannot be undone"""

    bl_idname = "steering.behavior_preset_remove"
    bl_label = "Remove Behavior Preset"
    shelf_of = staticmethod(_of_behavior)

    behavior: _behavior()
    preset: own_preset(_of_behavior)


CLASSES = (
    STEERING_OT_behavior_preset_apply,
    STEERING_OT_behavior_preset_save,
    STEERING_OT_behavior_preset_remove,
)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
