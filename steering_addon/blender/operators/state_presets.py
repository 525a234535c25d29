"""Operators that add a state to a crowd, from a preset or plain, and save and remove presets of states."""

from __future__ import annotations

import bpy

from ...settings.state_preset import StatePreset, state_written
from ..crowds.preset_files import Shelf
from ..crowds.state_preset_exchange import STATES, add_state, state_preset_of
from ..crowds.states import triggers_of_state
from ..objects.focus import activate, crowd_in_focus, state_in_focus
from ..objects.tagged_objects import crowd_of
from ..properties import pointed_at
from ..refusal import Refusal, reported
from ..stored_values import check_stored
from .polls import has_editable_crowd, has_state, in_object_mode
from .shelves import RemovingByMenu, Saving, any_preset, new_name, own_preset


def _states(_settings) -> Shelf[StatePreset]:
    return STATES


class STEERING_OT_state_add(bpy.types.Operator):
    """Add a state to the crowd: what vehicles do differently when something calls them (Reynolds: action selection)"""

    bl_idname = "steering.state_add"
    bl_label = "Add State"
    bl_options = {"REGISTER", "UNDO"}

    preset: any_preset(_states)

    @classmethod
    def description(cls, _context, properties) -> str:
        presets = STATES.by_name()
        return presets[properties.preset].tooltip() if properties.preset in presets else cls.__doc__

    @classmethod
    def poll(cls, context) -> bool:
        return in_object_mode(cls, context) and has_editable_crowd(cls, context)

    @reported
    def execute(self, context):
        crowd = crowd_in_focus(context)
        check_stored([crowd])
        state, warnings = add_state(context, crowd, self.preset)
        context.view_layer.update()
        activate(context, state)
        for warning in warnings:
            self.report({"WARNING"}, warning)
        watched = (pointed_at(trigger.steering.trigger, "who") for trigger in triggers_of_state(state, context))
        callers = sorted({ob.name for ob in watched if ob is not None})
        called = f"{', '.join(callers)} calls into it" if callers else "Add a trigger or a cue that calls it"
        self.report({"INFO"}, f"Added {state.name} to {crowd.name}. {called}")
        return {"FINISHED"}


class STEERING_OT_state_preset_save(Saving, bpy.types.Operator):
    """Save the state, with what calls into it, as a preset of your own, which Add State lists in all files"""

    bl_idname = "steering.state_preset_save"
    bl_label = "Save State Preset"
    shelf_of = staticmethod(_states)
    holder = staticmethod(state_in_focus)

    name: new_name()

    @classmethod
    def poll(cls, context) -> bool:
        return has_state(cls, context)

    def made_of(self, context, state):
        crowd = crowd_of(state)
        if crowd is None:
            raise Refusal(f"{state.name} belongs to no crowd. Choose its Crowd first.")
        check_stored([crowd, state, *triggers_of_state(state, context)])
        preset, lost = state_preset_of(context, state, self.name)
        for name in lost:
            text = f"{name} of {state.name} is not saved: presets hold it as a multiple of {crowd.name}'s, which is 0"
            self.report({"WARNING"}, text)
        return preset.label, state_written(preset)


class STEERING_OT_state_preset_remove(RemovingByMenu, bpy.types.Operator):
    """Delete a preset of your own; this cannot be undone"""

    bl_idname = "steering.state_preset_remove"
    bl_label = "Remove State Preset"
    shelf_of = staticmethod(_states)
    menu = "STEERING_MT_own_state_presets"

    preset: own_preset(_states)


CLASSES = (STEERING_OT_state_add, STEERING_OT_state_preset_save, STEERING_OT_state_preset_remove)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
