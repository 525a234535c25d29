"""Operators that apply, save and remove presets of whole crowds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, StringProperty

from ...settings.preset import GROUPS, SIMILAR, Preset, scaled, written
from ..crowds.joining import fit_locomotion
from ..crowds.member_variation import Amounts, vary
from ..crowds.preset_exchange import CROWDS, bodies_length, members_of, missing, preset_of, take_up
from ..crowds.preset_files import Listed, Shelf
from ..objects.hierarchy import Family
from ..refusal import Refusal
from ..stored_values import check_stored
from .shelves import Applying, RemovingByMenu, Saving, animated_warnings, any_preset, new_name, own_preset

if TYPE_CHECKING:
    from bpy.types import Context, Object, Scene, UILayout

COLUMNS = (GROUPS[:3], GROUPS[3:])
"""The headings in each column of the menu."""


def _crowds(_settings) -> Shelf[Preset]:
    return CROWDS


class STEERING_OT_preset_apply(Applying, bpy.types.Operator):
    """Give the crowd the vehicle settings and behaviors of a preset; its other behaviors are switched off"""

    bl_idname = "steering.preset_apply"
    bl_label = "Apply Preset"
    shelf_of = staticmethod(_crowds)

    preset: any_preset(_crowds)
    fit_size: BoolProperty(
        name="Fit to Size",
        description="Scale distances, speeds and strengths to the size of the vehicles. Unless you choose, on if they "
        "are less than half or more than twice as long as those that the preset is meant for",
        default=False,
        options={"SKIP_SAVE"},
    )
    vary: BoolProperty(
        name="Vary the Vehicles",
        description="Randomize the vehicles of the crowd by the amounts that the preset suggests",
        default=False,
        options={"SKIP_SAVE"},
    )
    use_preroll: BoolProperty(
        name="Set Pre-Roll",
        description="Set the crowd's pre-roll to the value that the preset suggests",
        default=False,
        options={"SKIP_SAVE"},
    )

    def invoke(self, context, _event):
        if self.preset:
            return self.execute(context)
        bpy.ops.wm.call_menu(name=STEERING_MT_presets.bl_idname)
        return {"CANCELLED"}

    def take_up(self, context, crowd, preset):
        scene = context.scene
        length = bodies_length(crowd, scene, context.evaluated_depsgraph_get())
        differs = length is not None and not 1.0 / SIMILAR <= length / preset.body_length <= SIMILAR
        if not self.properties.is_property_set("fit_size"):
            self.fit_size = differs
        told = _on_size(preset, length, fits=self.fit_size) if differs or self.fit_size else ""
        if self.fit_size and length is not None:
            preset = scaled(preset, length / preset.body_length)
        warnings = vary(scene, crowd, Amounts(**preset.variation)) if self.vary else []
        animated = take_up(preset, crowd, scene)
        if self.fit_size and length is not None:
            fit_locomotion(crowd, members_of(crowd, scene), context.evaluated_depsgraph_get(), Family())
        if self.use_preroll:
            crowd.steering.preroll = preset.preroll
        summary = _summary(preset, crowd, scene, has_preroll=self.use_preroll)
        return [*animated_warnings(crowd, animated), *warnings], summary + told


def _summary(preset: Preset, crowd: Object, scene: Scene, *, has_preroll: bool) -> str:
    """The report after applying a preset, in one line; `has_preroll` if the crowd has the suggested pre-roll."""
    text = "; ".join([f"Applied the preset {preset.label} to {crowd.name}", *missing(preset, crowd, scene)])
    if preset.preroll and not has_preroll:
        text += f"; a pre-roll of {preset.preroll} frames is suggested"
    return text


def _on_size(preset: Preset, length: float | None, *, fits: bool) -> str:
    """What the report says of the size of the bodies, `length` metres long; nothing if they cannot be measured."""
    if length is None:
        return ""
    text = f"; fitted from bodies {preset.body_length:.3g} m long to {length:.3g} m"
    if not fits:
        text = (
            f"; it is meant for bodies {preset.body_length:.3g} m long, these are {length:.3g} m: "
            f"turn on Fit to Size to scale it"
        )
    return text


class STEERING_OT_preset_save(Saving, bpy.types.Operator):
    """Save the settings of the crowd as a preset of your own, available in all files"""

    bl_idname = "steering.preset_save"
    bl_label = "Save Preset"
    shelf_of = staticmethod(_crowds)

    name: new_name()
    description: StringProperty(name="Description", description="Tooltip of the preset", options={"SKIP_SAVE"})

    def made_of(self, context, crowd):
        check_stored([crowd])
        length = bodies_length(crowd, context.scene, context.evaluated_depsgraph_get())
        preset = preset_of(crowd, self.name, self.properties.description, length, context.scene)
        return preset.label, written(preset)


class STEERING_OT_preset_remove(RemovingByMenu, bpy.types.Operator):
    """Delete a preset of your own; this cannot be undone"""

    bl_idname = "steering.preset_remove"
    bl_label = "Remove Preset"
    shelf_of = staticmethod(_crowds)
    menu = "STEERING_MT_own_presets"

    preset: own_preset(_crowds)


class STEERING_MT_presets(bpy.types.Menu):
    """Apply a preset to the crowd"""

    bl_idname = "STEERING_MT_presets"
    bl_label = "Presets"

    def draw(self, context) -> None:
        presets = list(CROWDS.listed().values())
        row = self.layout.row()
        for headings in COLUMNS:
            column = row.column()
            for heading in headings:
                listed = [preset for preset in presets if not preset.removable and _group(preset) == heading]
                _group_of_entries(column, context, heading, listed)
        listed = [preset for preset in presets if preset.removable or not _group(preset)]
        if listed:
            _group_of_entries(row.column(), context, "Your Own", listed)


class STEERING_MT_own_presets(bpy.types.Menu):
    """Delete a preset of your own"""

    bl_idname = "STEERING_MT_own_presets"
    bl_label = "Remove Preset"

    def draw(self, _context) -> None:
        self.layout.operator_context = "INVOKE_DEFAULT"
        for preset in CROWDS.listed().values():
            if preset.removable:
                _entry(self.layout, STEERING_OT_preset_remove, preset)


def _group_of_entries(layout: UILayout, context: Context, heading: str, presets: list[Listed[Preset]]) -> None:
    """A heading and, if there are any, the presets below it, each with the length of the bodies it is meant for."""
    if not presets:
        return
    layout.label(text=heading)
    for preset in presets:
        _entry(layout, STEERING_OT_preset_apply, preset, f"{preset.label()} ({_size(preset, context.scene)})")
    layout.separator()


def _entry(layout: UILayout, operator: type, preset: Listed[Preset], text: str = "") -> None:
    layout.operator(operator.bl_idname, text=text or preset.label(), translate=False).preset = preset.name


def _group(preset: Listed[Preset]) -> str:
    """The heading of a preset; empty if its file cannot be read."""
    try:
        return preset.load().group
    except Refusal:
        return ""


def _size(preset: Listed[Preset], scene: Scene) -> str:
    """The length of the bodies that a preset is meant for, in the units of the scene."""
    try:
        length = preset.load().body_length
    except Refusal:
        return "cannot be read"
    return bpy.utils.units.to_string(scene.unit_settings.system, "LENGTH", length, precision=3, compatible_unit=True)


CLASSES = (
    STEERING_MT_presets,
    STEERING_MT_own_presets,
    STEERING_OT_preset_apply,
    STEERING_OT_preset_save,
    STEERING_OT_preset_remove,
)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
