"""The presets of a single behavior, in a popover like those of Blender's own presets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...behaviors import CATALOGUE
from ...simulation.behavior import Behavior
from ..crowds.behavior_preset_exchange import SHELVES
from .locations import POPOVER

if TYPE_CHECKING:
    from bpy.types import UILayout


def preset_button(layout: UILayout, behavior: type[Behavior]) -> None:
    """The button that opens the popover with a behavior's presets."""
    row = layout.row()
    row.emboss = "NONE"
    row.popover(panel=_panel_name(behavior), icon="PRESET", text="")


def _panel_name(behavior: type[Behavior]) -> str:
    return f"STEERING_PT_{behavior.name}_presets"


def _panel(behavior: type[Behavior]) -> type:
    """The popover with a behavior's presets, a button to remove each of the user's own, and a field to save another."""

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
            **POPOVER,
            "draw": draw,
        },
    )


CLASSES = tuple(_panel(behavior) for behavior in CATALOGUE)
