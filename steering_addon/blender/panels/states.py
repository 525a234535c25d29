"""The panels of a crowd's states, and of the state or trigger that is active."""

from bpy.types import Context, Object, UILayout

from ...minds.declaring import TriggerModel
from ...minds.minding import share_told
from ...simulation.locomotion import Locomotion
from ...simulation.roles import Role
from ..animation.posing import short_name
from ..animation.run_records import now
from ..clips.crowd_clips import state_of, stored_clips
from ..crowds.states import crowds_with_states, cue_strips, in_order, states_before, states_of_crowd, triggers_of_state
from ..moving import BY_CHOICE
from ..objects.focus import crowd_in_focus, vehicle_in_focus
from ..objects.identity import state_numbers
from ..objects.tagged_objects import crowd_of, full_name
from ..properties import pointed_at
from ..property_groups import meaningful
from ..status import census
from ..status.present_members import history_of
from ..units import length_text
from .active_object import ICONS
from .crowds import AGILITY, cruise_field
from .fields import ROOT, OfActive, OfCrowd, counted, draw_properties, fields, in_both, note

TIMES = ("react", "lasts", "then", "blend", "varies", "persistence")
CALLS = ("spreads", "reach", "fresh", "urge", "cue", "left_alone")
NEEDS = ("builds_up", "at_first", "eases", "wears_off")
OFFERED = 3
"""Other crowds that a crowd without states may take them from, at most: a copy made by Blender has none."""
SWATCH = 1.0
"""Width of the color of a state in a list, in those of a button."""
COUNT = 1.5
"""Width of the count of the vehicles in a state, in those of a button."""
SHOWN = 6
"""Changes of state that Why lists at most."""


class States(OfCrowd):
    """The states of the crowd, and what calls its vehicles into them."""

    bl_label = "States"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        layout, crowd = self.layout, crowd_in_focus(context)
        states = states_of_crowd(crowd, context)
        if not states:
            for other in crowds_with_states(context, crowd)[:OFFERED]:
                button = layout.operator("steering.states_copy", text=f"Copy States of {other.name}", translate=False)
                button.source = full_name(other)
        known, numbers = census.known(context.scene), state_numbers(states)
        counts = known.members(crowd).in_states if known is not None else None
        for state in in_order(states):
            entry = layout.column(align=True)
            row = entry.row()
            row.active = state.steering.active
            row.prop(state, "name", text="", icon=ICONS[Role.STATE], emboss=state == context.object)
            if state.steering.is_property_set("state"):
                swatch = row.row()
                swatch.ui_units_x = SWATCH
                swatch.prop(state.steering.state, "color", text="")
            if counts is not None:
                number = row.row()
                number.ui_units_x = COUNT
                number.label(text=str(counts.get(numbers[state], 0)), translate=False)
            note(entry, context, called_by(state, context), icon="BLANK1")
        active = [ob.steering for ob in states if ob.steering.active and ob.steering.is_property_set("state")]
        if share := share_told([stored.state.cue for stored in active]):
            note(layout, context, f"Cues come to {share:.0%} on this frame: the last gets what is left", icon="ERROR")
        line = layout.row(align=True)
        line.menu("STEERING_MT_state_add", icon="ADD")
        if states:
            line.operator_menu_enum("steering.trigger_add", "when", text="Add Trigger", icon="ADD")


def called_by(state: Object, context: Context) -> str:
    """The callers of a state, and the states that lead to it, in words."""
    settings = state.steering.state if state.steering.is_property_set("state") else None
    words = [_words(trigger) for trigger in triggers_of_state(state, context)]
    if settings is not None and settings.spreads:
        words.append(f"{settings.spreads} other{'s' * (settings.spreads != 1)}")
    if cue_strips(state):
        words.append("a cue")
    if settings is not None and settings.urge > 0.0:
        words.append("inclination")
    words += [f"after {before.name}" for before in states_before(state, context)]
    return "; ".join(words) or "nothing calls it"


def _words(trigger: Object) -> str:
    """A trigger in words: what calls, and when."""
    stored = trigger.steering.trigger
    caller = pointed_at(stored, "who") or pointed_at(stored, "who_collection")
    name = caller.name if caller is not None else trigger.name
    label = next((c.label for c in TriggerModel.parameters()["when"].choices if c.name == stored.when), "")
    if "distance" in meaningful(TriggerModel, stored):
        return f"{name} {label.lower()}, {length_text(stored.distance)}"
    return label if caller is None else f"{name}: {label.lower()}"


class ActiveState(OfActive):
    """When vehicles take up the active state, and for how long they keep to it."""

    bl_label = "State"
    role = Role.STATE

    def draw(self, context) -> None:
        layout, state = self.layout, context.object
        stored = state.steering
        column = fields(layout)
        column.prop(stored, "crowd")
        if not stored.is_property_set("state"):
            return
        note(layout, context, f"Called by: {called_by(state, context)}")
        buttons = layout.column(align=True)
        buttons.operator_menu_enum("steering.trigger_add", "when", text="Add Trigger", icon="ADD")
        line = buttons.row(align=True)
        line.operator("steering.cue_add", icon="NLA")
        line.operator("steering.select_in_state", text="", icon="RESTRICT_SELECT_OFF")
        line.operator("steering.state_preset_save", text="", icon="PRESET_NEW")
        _clips(layout, context, state)
        for names in (TIMES, CALLS, NEEDS):
            column = fields(layout)
            for name in names:
                if name == "cue" and (strips := cue_strips(state)):
                    # Strips take its place: beside them Blender does not read what is stored.
                    note(layout, context, f"Cue: {counted(len(strips), 'strip')}, now {stored.state.cue:.0%}", "NLA")
                else:
                    column.prop(stored.state, name)
        if stored.state.number:
            note(layout, context, f"A bake keys it on vehicles as steering_state {stored.state.number}")


def _clips(layout: UILayout, context: Context, state: Object) -> None:
    """The clips of the crowd that are for a state, and what heads look at in it; not for crowds without clips."""
    crowd = crowd_of(state)
    clips = stored_clips(crowd) if crowd is not None else []
    if not clips:
        return
    if names := [short_name(clip.action) for clip in clips if state_of(clip) == state]:
        note(layout, context, f"Plays {', '.join(names)}", icon="ACTION")
    layout.operator("steering.clip_add", text="Add Clip", icon="ADD").state = full_name(state)
    if state.steering.is_property_set("portrayal"):
        fields(layout).prop(state.steering.portrayal, "look_at")


class StateVehicle(OfActive):
    """How vehicles move while they are in the active state."""

    bl_label = "Vehicle in This State"
    bl_options = {"DEFAULT_CLOSED"}
    role = Role.STATE

    def draw_header(self, context) -> None:
        stored = context.object.steering
        if stored.is_property_set("vehicle"):
            self.layout.prop(stored.vehicle, "own", text="")

    def draw(self, context) -> None:
        stored = context.object.steering
        column = fields(self.layout)
        column.active = stored.vehicle.own
        column.prop(stored.vehicle, "max_speed")
        cruise_field(column, stored.vehicle)
        draw_properties(column, stored.vehicle, AGILITY)


class StateLocomotion:
    """How bodies turn while their vehicles are in the active state."""

    bl_label = "Locomotion in This State"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return ActiveState.poll(context) and _moves(context) is not None

    def draw_header(self, context) -> None:
        self.layout.prop(getattr(context.object.steering, _moves(context).name), "own", text="")

    def draw(self, context) -> None:
        moves = _moves(context)
        group = getattr(context.object.steering, moves.name)
        column = fields(self.layout)
        column.active = group.own
        draw_properties(column, group, [name for name in meaningful(moves, group) if name not in moves.of_the_body])


def _moves(context: Context) -> type[Locomotion] | None:
    """The locomotion of the crowd of the active state, if the state may have numbers of its own for it."""
    crowd = crowd_of(context.object)
    moves = None if crowd is None else BY_CHOICE.get(crowd.steering.locomotion)
    return moves if moves is not None and context.object.steering.is_property_set(moves.name) else None


class ActiveTrigger(OfActive):
    """The settings of the active trigger: who calls, when, and into which state."""

    bl_label = "Trigger"
    role = Role.TRIGGER

    def draw(self, context) -> None:
        layout, ob = self.layout, context.object
        column = fields(layout)
        if not ob.steering.is_property_set("trigger"):
            return
        stored = ob.steering.trigger
        draw_properties(column, stored, ("to", "from_state"))
        for name in meaningful(TriggerModel, stored):
            column.prop(stored, name)
            if name == "when":
                column.prop(stored, "who")
                if pointed_at(stored, "who") is None:
                    column.prop(stored, "who_collection", text="or Collection")
        if pointed_at(stored, "to") is None:
            note(layout, context, "It calls into no state: choose one", icon="ERROR")
        elif stored.strength <= 0.5:
            note(layout, context, "A strength up to 0.5 is too weak: the crowd's own settings are as strong")


class Why:
    """Why the active vehicle does what it does: the states that it took up in the preview or bake, latest first."""

    bl_label = "Why"

    @classmethod
    def poll(cls, context: Context) -> bool:
        vehicle = vehicle_in_focus(context)
        return vehicle is not None and bool(history_of(context.scene, vehicle))

    def draw(self, context) -> None:
        layout, frame = self.layout, context.scene.frame_current_final
        vehicle = vehicle_in_focus(context)
        history = history_of(context.scene, vehicle)
        present = now(history, frame)
        column = layout.column(align=True)
        if vehicle != context.object:
            column.label(text=vehicle.name, icon=ICONS[Role.VEHICLE], translate=False)
        if present is None:
            column.label(text=f"In no state before frame {history[0].frame:g}", icon="DOT")
        before = [change for change in history if present is not None and change.frame <= present.frame]
        for change in reversed(before[-SHOWN:]):
            column.label(text=change.state or "Settings of the crowd", icon="DOT", translate=False)
            note(column, context, change.in_words())
            if change is present and (weighed := change.weighed_in_words()):
                note(column, context, weighed, icon="BLANK1")


OF_CROWDS = in_both(States, "states")
CLASSES = (
    *in_both(ActiveState, "state"),
    *in_both(StateVehicle, "state_vehicle", "state"),
    *in_both(StateLocomotion, "state_locomotion", "state"),
    *in_both(ActiveTrigger, "trigger"),
    *in_both(Why, "why", ROOT),
)
