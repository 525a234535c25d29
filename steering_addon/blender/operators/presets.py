"""Presets: giving a crowd ready settings, and keeping those of a crowd for others."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, StringProperty

from ...behaviors.behavior_preset import BehaviorPreset
from ...behaviors.preset import Preset, scaled, written
from ..presets import CROWDS, bodies_length, missing, preset_of, take_up, tooltip
from ..refusal import reported
from ..variation import Amounts, vary
from .behaviors import crowd_in_focus, has_crowd, has_editable_crowd

ALIKE = 2.0
"""Bodies that are up to so many times as large or small as those meant are not remarked upon."""


def _names(_self, _context, _text) -> list[str]:
    return list(CROWDS.listed())


def _own_names(_self, _context, _text) -> list[str]:
    return [name for name, preset in CROWDS.listed().items() if preset.own]


class STEERING_OT_preset_apply(bpy.types.Operator):
    """Give the crowd the vehicle and the behaviors of a preset; other behaviors are switched off"""

    bl_idname = "steering.preset_apply"
    bl_label = "Apply Preset"
    bl_options = {"REGISTER", "UNDO"}

    preset: StringProperty(name="Preset", description="Which one", search=_names, options={"SKIP_SAVE"})
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

    @classmethod
    def description(cls, _context, properties) -> str:
        there = CROWDS.listed()
        return tooltip(there[properties.preset]) if properties.preset in there else cls.__doc__

    @classmethod
    def poll(cls, context) -> bool:
        return has_editable_crowd(cls, context)

    def invoke(self, context, _event):
        if self.preset:
            return self.execute(context)
        bpy.ops.wm.call_menu(name=STEERING_MT_presets.bl_idname)
        return {"CANCELLED"}

    @reported
    def execute(self, context):
        crowd = crowd_in_focus(context)
        preset = CROWDS.find(self.preset).load()
        length = bodies_length(crowd, context.scene, context.evaluated_depsgraph_get())
        if self.fit_size and length is not None:
            preset = scaled(preset, length / preset.body_length)
        left = vary(context.scene, crowd, Amounts(**preset.variation)) if self.vary else []
        animated = take_up(preset, crowd, context.scene)
        crowd.update_tag()
        if self.use_preroll:
            context.scene.steering.preroll = preset.preroll
        for warning in [*remarks(preset, crowd.name, animated), *left]:
            self.report({"WARNING"}, warning)
        waiting = missing(preset, crowd, context.scene)
        self.report({"INFO"}, _told(preset, crowd.name, length, waiting, preroll=self.use_preroll))
        return {"FINISHED"}


def remarks(preset: Preset | BehaviorPreset, crowd: str, animated: list[str]) -> list[str]:
    """What an animator should know of a preset that was given to a crowd."""
    found = []
    if preset.unknown:
        found.append(f"{preset.label} names what is not known here and was left out: {', '.join(preset.unknown)}")
    if animated:
        found.append(f"{crowd} has keys or drivers that go before the preset: {', '.join(animated)}")
    return found


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


class STEERING_OT_preset_save(bpy.types.Operator):
    """Keep the settings of the crowd as a preset of your own, for all files"""

    bl_idname = "steering.preset_save"
    bl_label = "Save Preset"
    bl_options = {"REGISTER"}

    name: StringProperty(name="Name", description="What the preset is called", maxlen=63, options={"SKIP_SAVE"})
    description: StringProperty(name="Description", description="A sentence for its tooltip", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context) -> bool:
        return has_crowd(cls, context)

    def invoke(self, context, _event):
        self.name = self.name or crowd_in_focus(context).name
        return context.window_manager.invoke_props_dialog(self)

    @reported
    def execute(self, context):
        crowd = crowd_in_focus(context)
        length = bodies_length(crowd, context.scene, context.evaluated_depsgraph_get())
        preset = preset_of(crowd, self.name, self.properties.description, length, context.scene)
        saved = CROWDS.save(preset.label, written(preset))
        self.report({"INFO"}, f"Saved the preset {saved.name}")
        return {"FINISHED"}


class STEERING_OT_preset_remove(bpy.types.Operator):
    """Delete a preset of your own; this cannot be undone"""

    bl_idname = "steering.preset_remove"
    bl_label = "Remove Preset"
    bl_options = {"REGISTER"}

    preset: StringProperty(name="Preset", description="Which one", search=_own_names, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context) -> bool:
        if _own_names(None, context, ""):
            return True
        cls.poll_message_set("There are no presets of your own yet")
        return False

    def invoke(self, context, event):
        if not self.preset:
            bpy.ops.wm.call_menu(name=STEERING_MT_own_presets.bl_idname)
            return {"CANCELLED"}
        there = CROWDS.listed()
        what = there[self.preset].label() if self.preset in there else self.preset
        return context.window_manager.invoke_confirm(
            self, event, title=f"Remove {what}?", message="This cannot be undone", confirm_text="Remove"
        )

    @reported
    def execute(self, _context):
        CROWDS.find(self.preset).remove()
        self.report({"INFO"}, f"Removed the preset {self.preset}")
        return {"FINISHED"}


class STEERING_MT_presets(bpy.types.Menu):
    """Ready settings for the crowd"""

    bl_idname = "STEERING_MT_presets"
    bl_label = "Presets"

    def draw(self, _context) -> None:
        there = CROWDS.listed().values()
        for preset in there:
            if not preset.own:
                _entry(self.layout, STEERING_OT_preset_apply, preset)
        if any(preset.own for preset in there):
            self.layout.separator()
        for preset in there:
            if preset.own:
                _entry(self.layout, STEERING_OT_preset_apply, preset)


class STEERING_MT_own_presets(bpy.types.Menu):
    """Presets of your own that can be deleted"""

    bl_idname = "STEERING_MT_own_presets"
    bl_label = "Remove Preset"

    def draw(self, _context) -> None:
        self.layout.operator_context = "INVOKE_DEFAULT"
        for preset in CROWDS.listed().values():
            if preset.own:
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
