"""The menus of presets of crowds and states, and a popover with those of each behavior, as Blender's own presets have.

Blender's search has entries of its own (`menus.py`).
"""

import bpy
from bpy.types import Context, UILayout

from ...behaviors import CATALOGUE
from ...settings.preset import HEADINGS, PLAIN
from ...simulation.behavior import Behavior
from ..crowds.preset_files import CROWDS, OF_BEHAVIORS, STATES, Listed, Shelf
from ..units import natural_length
from .fields import POPOVER

COLUMNS = (HEADINGS[:3], HEADINGS[3:])
"""The headings in each column of the menu."""


class STEERING_MT_presets(bpy.types.Menu):
    """Apply a preset to the crowd"""

    bl_label = "Presets"

    def draw(self, context) -> None:
        presets = list(CROWDS.listed().values())
        row = self.layout.row()
        for headings in COLUMNS:
            column = row.column()
            for heading in headings:
                listed = [preset for preset in presets if not preset.removable and _heading(preset) == heading]
                _draw_group(column, context, heading, listed)
        listed = [preset for preset in presets if preset.removable or not _heading(preset)]
        if listed:
            _draw_group(row.column(), context, "Your Own", listed)


def _draw_group(layout: UILayout, context: Context, heading: str, presets: list[Listed]) -> None:
    """A heading and, if there are any, the presets below it, each with the length of the bodies it is meant for."""
    if not presets:
        return
    layout.label(text=heading)
    for preset in presets:
        _draw_entry(layout, "preset_apply", preset, f"{preset.label()} ({_size(preset)})")
    layout.separator()


def _draw_entry(layout: UILayout, operator: str, preset: Listed, text: str = "") -> None:
    entry = layout.operator(f"steering.{operator}", text=text or preset.label(), translate=False)
    entry.preset = preset.name


def _heading(preset: Listed) -> str:
    """The heading of a preset; empty if its file cannot be read."""
    return preset.words(lambda read: read.group)


def _size(preset: Listed) -> str:
    """The length of the bodies that a preset is meant for, in words."""
    return preset.words(lambda read: natural_length(read.body_length), "cannot be read")


class STEERING_MT_state_add(bpy.types.Menu):
    """Add a state to the crowd"""

    bl_label = "Add State"

    def draw(self, _context) -> None:
        layout, presets = self.layout, STATES.listed().values()
        layout.operator("steering.state_add", text=PLAIN.label).preset = ""
        layout.separator()
        for preset in presets:
            if not preset.removable:
                _draw_entry(layout, "state_add", preset)
        if users := [preset for preset in presets if preset.removable]:
            layout.separator()
            layout.label(text="Your Own")
            for preset in users:
                _draw_entry(layout, "state_add", preset)
            layout.separator()
            layout.menu("STEERING_MT_own_state_presets", icon="REMOVE")


def _removing(kind: str, label: str, shelf: Shelf) -> type[bpy.types.Menu]:
    """The menu of the user's own presets of a kind, each of which it removes."""

    def draw(self, _context) -> None:
        self.layout.operator_context = "INVOKE_DEFAULT"
        for preset in shelf.listed().values():
            if preset.removable:
                _draw_entry(self.layout, f"{kind}_remove", preset)

    content = {"__doc__": "Delete a preset of your own", "bl_label": f"Remove {label}", "draw": draw}
    return type(f"STEERING_MT_own_{kind}s", (bpy.types.Menu,), content)


def preset_button(layout: UILayout, behavior: type[Behavior]) -> None:
    """The button that opens the popover with a behavior's presets."""
    row = layout.row()
    row.emboss = "NONE"
    row.popover(panel=_popover_name(behavior), icon="PRESET", text="")


def _popover_name(behavior: type[Behavior]) -> str:
    return f"STEERING_PT_{behavior.name}_presets"


def _popover(behavior: type[Behavior]) -> type:
    """The popover with a behavior's presets, a button to remove each of the user's own, and a field to save another."""

    def draw(self, context) -> None:
        layout = self.layout
        layout.emboss = "PULLDOWN_MENU"
        layout.operator_context = "EXEC_DEFAULT"
        column = layout.column(align=True)
        for preset in OF_BEHAVIORS[behavior.name].listed().values():
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

    content = {"bl_label": f"{behavior.label} Presets", **POPOVER, "draw": draw}
    return type(_popover_name(behavior), (bpy.types.Panel,), content)


CLASSES = (
    STEERING_MT_presets,
    STEERING_MT_state_add,
    _removing("preset", "Preset", CROWDS),
    _removing("state_preset", "State Preset", STATES),
    *(_popover(behavior) for behavior in CATALOGUE),
)
