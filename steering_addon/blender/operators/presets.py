"""Presets: giving a crowd ready settings, and keeping those of a crowd for others."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, StringProperty

from ...settings.preset import Preset, scaled, written
from ..crowds.member_variation import Amounts, vary
from ..crowds.preset_exchange import CROWDS, bodies_length, missing, preset_of, take_up
from ..crowds.preset_files import Shelf
from .shelves import Applying, Removing, Saving, any_of, new_name, overruled, own_of

ALIKE = 2.0
"""Bodies that are up to so many times as large or small as those meant are not remarked upon."""


def _crowds(_settings) -> Shelf[Preset]:
    return CROWDS


class STEERING_OT_preset_apply(Applying, bpy.types.Operator):
    """Give the crowd the vehicle and the behaviors of a preset; other behaviors are switched off"""

    bl_idname = "steering.preset_apply"
    bl_label = "Apply Preset"
    shelf_of = staticmethod(_crowds)

    preset: any_of(_crowds)
    fit_size: BoolProperty(
        name="Fit to Size",
        description="Make distances, speeds and strengths larger or smaller, as the vehicles are larger or smaller "
        "than those the preset is meant for",
        default=False,
        options={"SKIP_SAVE"},
    )
    vary: BoolProperty(
        name="Vary the Vehicles",
        description="Let the vehicles of the crowd differ as much as the preset suggests",
        default=False,
        options={"SKIP_SAVE"},
    )
    use_preroll: BoolProperty(
        name="Set Pre-Roll",
        description="Give the scene the pre-roll that the preset suggests",
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
        if self.fit_size and length is not None:
            preset = scaled(preset, length / preset.body_length)
        left = vary(scene, crowd, Amounts(**preset.variation)) if self.vary else []
        animated = take_up(preset, crowd, scene)
        if self.use_preroll:
            scene.steering.preroll = preset.preroll
        waiting = missing(preset, crowd, scene)
        told = _told(preset, crowd.name, length, waiting, preroll=self.use_preroll)
        return [*overruled(crowd, animated), *left], told


def _told(preset: Preset, crowd: str, length: float | None, waiting: list[str], *, preroll: bool) -> str:
    text = "; ".join([f"{crowd} has the preset {preset.label}", *waiting])
    if preset.preroll and not preroll:
        text += f"; a pre-roll of {preset.preroll} frames is suggested"
    if length is not None and not 1.0 / ALIKE <= length / preset.body_length <= ALIKE:
        text += (
            f"; it is meant for bodies of {preset.body_length:.3g} m, these are {length:.3g} m long: "
            f"Fit to Size adapts it"
        )
    return text


class STEERING_OT_preset_save(Saving, bpy.types.Operator):
    """Keep the settings of the crowd as a preset of your own, for all files"""

    bl_idname = "steering.preset_save"
    bl_label = "Save Preset"
    shelf_of = staticmethod(_crowds)

    name: new_name()
    description: StringProperty(name="Description", description="A sentence for its tooltip", options={"SKIP_SAVE"})

    def made_of(self, context, crowd):
        length = bodies_length(crowd, context.scene, context.evaluated_depsgraph_get())
        preset = preset_of(crowd, self.name, self.properties.description, length, context.scene)
        return preset.label, written(preset)


class STEERING_OT_preset_remove(Removing, bpy.types.Operator):
    """Delete a preset of your own; this cannot be undone"""

    bl_idname = "steering.preset_remove"
    bl_label = "Remove Preset"
    shelf_of = staticmethod(_crowds)

    preset: own_of(_crowds)

    @classmethod
    def poll(cls, _context) -> bool:
        if any(preset.removable for preset in CROWDS.listed().values()):
            return True
        cls.poll_message_set("There are no presets of your own yet")
        return False

    def invoke(self, context, event):
        if self.preset:
            return super().invoke(context, event)
        bpy.ops.wm.call_menu(name=STEERING_MT_own_presets.bl_idname)
        return {"CANCELLED"}


class STEERING_MT_presets(bpy.types.Menu):
    """Ready settings for the crowd"""

    bl_idname = "STEERING_MT_presets"
    bl_label = "Presets"

    def draw(self, _context) -> None:
        there = CROWDS.listed().values()
        for preset in there:
            if not preset.removable:
                _entry(self.layout, STEERING_OT_preset_apply, preset)
        if any(preset.removable for preset in there):
            self.layout.separator()
        for preset in there:
            if preset.removable:
                _entry(self.layout, STEERING_OT_preset_apply, preset)


class STEERING_MT_own_presets(bpy.types.Menu):
    """Presets of your own that can be deleted"""

    bl_idname = "STEERING_MT_own_presets"
    bl_label = "Remove Preset"

    def draw(self, _context) -> None:
        self.layout.operator_context = "INVOKE_DEFAULT"
        for preset in CROWDS.listed().values():
            if preset.removable:
                _entry(self.layout, STEERING_OT_preset_remove, preset)


def _entry(layout, operator: type, preset) -> None:
    layout.operator(operator.bl_idname, text=preset.label(), translate=False).preset = preset.name


CLASSES = (
    STEERING_MT_presets,
    STEERING_MT_own_presets,
    STEERING_OT_preset_apply,
    STEERING_OT_preset_save,
    STEERING_OT_preset_remove,
)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
