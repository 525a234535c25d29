"""Operators that apply, save and remove presets of crowds, of states and of single behaviors.

An operator names its shelf, the folder of its presets, and defines how a preset is applied or made.
"""

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Context, Object

from ...settings.preset import Preset, scaled
from ..crowds.joining import fit_locomotion
from ..crowds.member_variation import vary
from ..crowds.preset_exchange import (
    behavior_preset_of,
    bodies_length,
    preset_of,
    take_up,
    take_up_behavior,
    unknown_settings,
)
from ..crowds.preset_files import CROWDS, OF_BEHAVIORS, STATES, Shelf
from ..crowds.state_preset_exchange import add_state, state_preset_of
from ..crowds.states import triggers_of_state
from ..objects.focus import activate, crowd_in_focus, state_in_focus
from ..objects.hierarchy import Family
from ..objects.tagged_objects import crowd_of, list_names, vehicles_of
from ..properties import pointed_at
from ..refusal import Refusal, check_stored, sound_front
from ..units import natural_length
from .behaviors import FIRST, ITEMS
from .polls import SteeringOperator, has_crowd, has_editable_crowd, has_state, in_object_mode


def _shelf(shelf: Shelf | None, settings: Any) -> Shelf:
    """The shelf of an operator; None for that of the behavior in its settings."""
    return shelf or OF_BEHAVIORS[settings.behavior]


def _preset_name(shelf: Shelf | None, *, removable: bool = False) -> Any:
    """The operator property that names a preset, or one of the user's own."""

    def names(settings, _context, _text) -> list[str]:
        presets = _shelf(shelf, settings).by_name()
        return [name for name, preset in presets.items() if preset.removable or not removable]

    return StringProperty(name="Preset", description="Name of the preset", search=names, options={"SKIP_SAVE"})


def _new_name() -> Any:
    return StringProperty(name="Name", description="Name of the new preset", maxlen=63, options={"SKIP_SAVE"})


def _behavior() -> Any:
    return EnumProperty(name="Behavior", description="Behavior that the preset belongs to", items=ITEMS, default=FIRST)


class Described:
    """An operator whose tooltip is that of the preset that it names."""

    shelf: Shelf | None = None

    @classmethod
    def description(cls, _context, properties) -> str:
        presets = _shelf(cls.shelf, properties).by_name()
        return presets[properties.preset].tooltip() if properties.preset in presets else cls.__doc__


class Applying(SteeringOperator, Described):
    """Applies a preset to the crowd."""

    needs = (has_editable_crowd,)

    def take_up(self, context: Context, crowd: Object, preset: Preset) -> tuple[list[str], list[str], str]:
        """Apply the preset to the crowd. Returns the data paths that are keyframed or driven, other warnings, and the
        summary to report."""
        raise NotImplementedError

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        preset = _shelf(self.shelf, self).find(self.preset).load()
        animated, warnings, summary = self.take_up(context, crowd, preset)
        # Blender updates dependencies only after an edit in the interface.
        crowd.update_tag()
        if animated:
            warnings = [f"Keys or drivers of {crowd.name} override the preset: {', '.join(animated)}", *warnings]
        self.warn([*unknown_settings(preset), *warnings])
        return summary


class STEERING_OT_preset_apply(Applying, bpy.types.Operator):
    """Give the crowd the vehicle settings and behaviors of a preset; its other behaviors are switched off"""

    bl_label = "Apply Preset"
    shelf = CROWDS

    preset: _preset_name(CROWDS)
    fit_size: BoolProperty(
        name="Fit to Size",
        description="Scale distances, speeds and strengths to the size of the vehicles. Unless you choose, on if they "
        "are less than half or more than twice as long as those that the preset is meant for",
        options={"SKIP_SAVE"},
    )
    vary: BoolProperty(
        name="Vary the Vehicles",
        description="Randomize the vehicles of the crowd by the amounts that the preset suggests",
        options={"SKIP_SAVE"},
    )
    use_preroll: BoolProperty(
        name="Set Pre-Roll",
        description="Set the crowd's pre-roll to the value that the preset suggests",
        options={"SKIP_SAVE"},
    )

    def invoke(self, context, _event):
        if self.preset:
            return self.execute(context)
        bpy.ops.wm.call_menu(name="STEERING_MT_presets")
        return {"CANCELLED"}

    def take_up(self, context, crowd, preset):
        scene = context.scene
        length = bodies_length(crowd, scene, context.evaluated_depsgraph_get())
        differs = not preset.suits(length)
        if not self.properties.is_property_set("fit_size"):
            self.fit_size = differs
        clause = _on_size(preset, length, fits=self.fit_size) if differs or self.fit_size else ""
        fits = self.fit_size and length is not None
        vehicles = vehicles_of(crowd, scene)
        if fits:
            preset = scaled(preset, length / preset.body_length)
            # Wheels are found by it, after the crowd has changed.
            for ob in vehicles:
                sound_front(ob)
        warnings = vary(scene, crowd, preset.variation) if self.vary else []
        animated = take_up(preset, crowd, scene)
        if fits:
            fit_locomotion(crowd, vehicles, context.evaluated_depsgraph_get(), Family())
        if self.use_preroll:
            crowd.steering.preroll = preset.preroll
        text = f"Applied the preset {preset.label} to {crowd.name}"
        if preset.preroll and not self.use_preroll:
            text += f"; a pre-roll of {preset.preroll} frames is suggested"
        return animated, warnings, text + clause


def _on_size(preset: Preset, length: float | None, *, fits: bool) -> str:
    """The clause about the size of the bodies, `length` metres long; empty if they cannot be measured."""
    if length is None:
        return ""
    if fits:
        return f"; fitted from bodies {natural_length(preset.body_length)} long to {natural_length(length)}"
    text = f"it is meant for bodies {natural_length(preset.body_length)} long, these count as {natural_length(length)}"
    return f"; {text}: turn on Fit to Size to scale it"


class STEERING_OT_behavior_preset_apply(Applying, bpy.types.Operator):
    """Give the crowd's behavior the settings of a preset; its targets are kept"""

    bl_label = "Apply Behavior Preset"

    behavior: _behavior()
    preset: _preset_name(None)

    def take_up(self, context, crowd, preset):
        check_stored([crowd])
        animated = take_up_behavior(preset, crowd, context.scene)
        return animated, [], f"Applied the preset {preset.label} to {crowd.name}"


class STEERING_OT_state_add(SteeringOperator, Described, bpy.types.Operator):
    """Add a state to the crowd: what vehicles do differently when something calls them (Reynolds: action selection)"""

    bl_label = "Add State"
    needs = (in_object_mode, has_editable_crowd)
    shelf = STATES

    preset: _preset_name(STATES)

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        check_stored([crowd])
        state, warnings = add_state(context, crowd, self.preset)
        context.view_layer.update()
        activate(context, state)
        self.warn(warnings)
        watched = (pointed_at(trigger.steering.trigger, "who") for trigger in triggers_of_state(state, context))
        callers = sorted({ob.name for ob in watched if ob is not None})
        verb = "calls" if len(callers) == 1 else "call"
        called = f"{list_names(callers)} {verb} into it" if callers else "Add a trigger or a cue that calls it"
        return f"Added {state.name} to {crowd.name}. {called}"


class Saving(SteeringOperator):
    """Saves settings of the crowd in focus, or of another holder of settings, as a preset of the user's own."""

    bl_options = {"REGISTER"}
    needs = (has_crowd,)
    shelf: Shelf | None = None
    holder = staticmethod(crowd_in_focus)

    def made_of(self, context: Context, holder: Object) -> Preset:
        """The preset to save. Refused if the holder does not have its settings."""
        raise NotImplementedError

    def invoke(self, context, _event):
        self.name = self.name or self.holder(context).name
        return context.window_manager.invoke_props_dialog(self)

    def carry_out(self, context):
        saved = _shelf(self.shelf, self).save(self.made_of(context, self.holder(context)))
        return f"Saved the preset {saved.name}"


class STEERING_OT_preset_save(Saving, bpy.types.Operator):
    """Save the settings of the crowd as a preset of your own, available in all files"""

    bl_label = "Save Preset"
    shelf = CROWDS

    name: _new_name()
    description: StringProperty(name="Description", description="Tooltip of the preset", options={"SKIP_SAVE"})

    def made_of(self, context, crowd):
        check_stored([crowd])
        length = bodies_length(crowd, context.scene, context.evaluated_depsgraph_get())
        return preset_of(crowd, self.name, self.properties.description, length)


class STEERING_OT_behavior_preset_save(Saving, bpy.types.Operator):
    """Save the settings of the behavior as a preset of your own, available in all files"""

    bl_label = "Save Behavior Preset"

    behavior: _behavior()
    name: _new_name()

    def made_of(self, _context, crowd):
        if not crowd.steering.is_property_set(self.behavior):
            raise Refusal(f"{crowd.name} does not have this behavior. Add it first.")
        check_stored([crowd])
        return behavior_preset_of(crowd, self.behavior, self.name)


class STEERING_OT_state_preset_save(Saving, bpy.types.Operator):
    """Save the state, with what calls into it, as a preset of your own, which Add State lists in all files"""

    bl_label = "Save State Preset"
    needs = (has_state,)
    shelf = STATES
    holder = staticmethod(state_in_focus)

    name: _new_name()

    def made_of(self, context, state):
        crowd = crowd_of(state)
        if crowd is None:
            raise Refusal(f"{state.name} belongs to no crowd. Choose its Crowd first.")
        check_stored([crowd, state, *triggers_of_state(state, context)])
        preset, lost = state_preset_of(context, state, self.name)
        for name in lost:
            text = f"{name} of {state.name} is not saved: presets hold it as a multiple of {crowd.name}'s, which is 0"
            self.report({"WARNING"}, text)
        return preset


class Removing(SteeringOperator):
    """Deletes one of the user's own presets, for which a menu asks if the operator names one."""

    bl_options = {"REGISTER"}
    shelf: Shelf | None = None
    menu = ""

    @classmethod
    def poll(cls, _context) -> bool:
        if not cls.menu or any(preset.removable for preset in _shelf(cls.shelf, None).by_name().values()):
            return True
        cls.poll_message_set("There are no presets of your own")
        return False

    def invoke(self, context, event):
        if self.menu and not self.preset:
            bpy.ops.wm.call_menu(name=self.menu)
            return {"CANCELLED"}
        presets = _shelf(self.shelf, self).by_name()
        label = presets[self.preset].label() if self.preset in presets else self.preset
        return context.window_manager.invoke_confirm(
            self, event, title=f"Remove {label}?", message="This cannot be undone", confirm_text="Remove"
        )

    def carry_out(self, _context):
        _shelf(self.shelf, self).find(self.preset).remove()
        return f"Removed the preset {self.preset}"


def _removing(kind: str, label: str, shelf: Shelf | None, **others: Any) -> type[bpy.types.Operator]:
    content = {
        "__doc__": "Delete a preset of your own; this cannot be undone",
        "__annotations__": others | {"preset": _preset_name(shelf, removable=True)},
        "bl_label": f"Remove {label}",
        "shelf": shelf,
        "menu": "" if others else f"STEERING_MT_own_{kind}s",
    }
    return type(f"STEERING_OT_{kind}_remove", (Removing, bpy.types.Operator), content)


OPERATORS = (
    _removing("preset", "Preset", CROWDS),
    _removing("behavior_preset", "Behavior Preset", None, behavior=_behavior()),
    _removing("state_preset", "State Preset", STATES),
)
