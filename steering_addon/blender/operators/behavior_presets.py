"""Presets of single behaviors, in a list that opens beside each of them as Blender's own do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from ...behaviors import CATALOGUE
from ...settings.behavior_preset import BehaviorPreset, behavior_written
from ...simulation.behavior import Behavior
from ..crowds.behavior_preset_exchange import SHELVES, behavior_preset_of, take_up_behavior
from ..crowds.preset_files import Shelf
from ..refusal import Refusal
from .behaviors import FIRST, ITEMS
from .shelves import Applying, Removing, Saving, any_of, new_name, overruled, own_of

if TYPE_CHECKING:
    from bpy.types import UILayout


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


def preset_button(layout: UILayout, behavior: type[Behavior]) -> None:
    """The button that opens the list of a behavior's presets."""
    row = layout.row()
    row.emboss = "NONE"
    row.popover(panel=_panel_name(behavior), icon="PRESET", text="")


def _panel_name(behavior: type[Behavior]) -> str:
    return f"STEERING_PT_{behavior.name}_presets"


def _panel(behavior: type[Behavior]) -> type:
    """The list of a behavior's presets: those that ship, one's own with a way to remove them, and a name to save by."""

    def draw(self, context) -> None:
        layout = self.layout
        layout.emboss = "PULLDOWN_MENU"
        layout.operator_context = "EXEC_DEFAULT"
        column = layout.column(align=True)
        for preset in SHELVES[behavior.name].listed().values():
            row = column.row(align=True)
            entry = row.operator("steering.behavior_preset_apply", text=preset.label(), translate=False)
            entry.behavior, entry.preset = behavior.name, preset.name
            if preset.removable:
                remove = row.operator("steering.behavior_preset_remove", text="", icon="REMOVE")
                remove.behavior, remove.preset = behavior.name, preset.name
        layout.separator()
        row = layout.row()
        name = row.row()
        name.emboss = "NORMAL"
        name.prop(context.window_manager, "preset_name", text="")
        save = row.operator("steering.behavior_preset_save", text="", icon="ADD")
        save.behavior, save.name = behavior.name, context.window_manager.preset_name

    return type(
        _panel_name(behavior),
        (bpy.types.Panel,),
        {
            "bl_label": f"{behavior.label} Presets",
            "bl_space_type": "VIEW_3D",
            # In no region of that kind is a panel listed: it only pops up.
            "bl_region_type": "HEADER",
            "draw": draw,
        },
    )


CLASSES = (
    STEERING_OT_behavior_preset_apply,
    STEERING_OT_behavior_preset_save,
    STEERING_OT_behavior_preset_remove,
    *(_panel(behavior) for behavior in CATALOGUE),
)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
