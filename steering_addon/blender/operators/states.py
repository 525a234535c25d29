"""Operators that call the vehicles of a crowd into its states, copy states, and select who is in one."""

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ...minds.conditions import CONDITIONS, OfItself, OfRegions
from ...minds.declaring import TriggerModel
from ...simulation.roles import Role
from ..animation.ownership import bake_of
from ..crowds.states import (
    CUE_PATH,
    copy_states,
    crowds_with_states,
    new_cue,
    new_trigger,
    number_of,
    selected_callers,
    states_before,
    states_of_crowd,
    triggers_of_state,
)
from ..objects.focus import activate, check_editable, crowd_in_focus, select_only, selectable, state_in_focus
from ..objects.tagged_objects import called, crowd_of, in_use, list_names, tagged, vehicles_of
from ..properties import has_role
from ..property_groups import items_of
from ..read.dependencies import animated_paths
from ..refusal import Refusal, check_stored
from ..status.present_members import present_state, tells_state
from .polls import SteeringOperator, has_editable_crowd, has_state, in_object_mode, needed


class STEERING_OT_trigger_add(SteeringOperator, bpy.types.Operator):
    """Add what calls vehicles into the state: the selected objects, or a place at the 3D cursor"""

    bl_label = "Add Trigger"
    needs = (
        in_object_mode,
        needed(lambda context: tagged(in_use(context.scene), Role.STATE), "Add a state to a crowd first"),
    )

    when: EnumProperty(
        name="When",
        description="When it calls",
        items=items_of(TriggerModel.parameters()["when"].choices),
        default="NEAR",
    )
    to: StringProperty(
        name="State",
        description="State that it calls into; empty for the active state, or the one that nothing calls into",
        options={"SKIP_SAVE"},
    )

    def carry_out(self, context):
        state = self._state(context)
        check_editable([state])
        if crowd_of(state) is None:
            raise Refusal(f"{state.name} belongs to no crowd. Choose its Crowd first.", about=[state])
        callers = selected_callers(context)
        kind = next(kind for kind in CONDITIONS if kind.name == self.when)
        watches = not issubclass(kind, OfItself)
        if issubclass(kind, OfRegions):
            callers = [ob for ob in callers if has_role(ob, Role.REGION)]
            if not callers:
                raise Refusal("Select a region for the trigger, such as a box tagged as Region.")
        triggers = [new_trigger(context, state, self.when, ob) for ob in callers] if watches else []
        triggers = triggers or [new_trigger(context, state, self.when, None)]
        context.view_layer.update()
        activate(context, triggers[0])
        names = list_names([ob.name for ob in callers]) or "A place" if watches else kind.label
        return f"{names} {'call' if len(callers) > 1 and watches else 'calls'} into {state.name}"

    def _state(self, context) -> bpy.types.Object:
        states = tagged(in_use(context.scene), Role.STATE)
        if self.to:
            state = called(states, self.to)
            if state is None:
                raise Refusal(f"State {self.to} not found in the scene. Choose another one.")
            return state
        if (active := state_in_focus(context)) is not None:
            return active
        selected = [ob for ob in context.selected_objects if has_role(ob, Role.STATE)]
        crowd = crowd_in_focus(context)
        candidates = selected or (states_of_crowd(crowd, context) if crowd is not None else []) or states
        if len(candidates) > 1:
            # Ready states bring others that follow them: what nothing leads to yet is meant.
            candidates = [ob for ob in candidates if not (states_before(ob, context) or triggers_of_state(ob, context))]
        if len(candidates) == 1:
            return candidates[0]
        raise Refusal("There are several states to call into. Select what calls, then Shift-click the state.")


class STEERING_OT_cue_add(SteeringOperator, bpy.types.Operator):
    """Tell a share of the crowd to be in the state from this frame on, by a strip in the Nonlinear Animation editor"""

    bl_label = "Add Cue"
    needs = (has_state, in_object_mode)

    frames: IntProperty(name="Length", description="Length of the strip, in frames", default=60, min=1, max=100000)
    fade: IntProperty(
        name="Fade",
        description="Frames in which the share of the crowd grows at its begin, and falls at its end",
        default=12,
        min=0,
        max=10000,
    )

    def carry_out(self, context):
        state = state_in_focus(context)
        check_editable([state])
        action = state.animation_data.action if state.animation_data else None
        if action is not None and CUE_PATH in animated_paths(state):
            raise Refusal(f"Keys of {state.name} on Cue hide every strip. Remove the keys first.")
        strip = new_cue(state, context.scene.frame_current, self.frames, self.fade)
        return f"{state.name} is cued on frames {strip.frame_start:.0f} to {strip.frame_end:.0f}"


class STEERING_OT_states_copy(SteeringOperator, bpy.types.Operator):
    """Give the crowd copies of the states of another crowd, with the triggers that call into them"""

    bl_label = "Copy States"
    needs = (in_object_mode, has_editable_crowd)

    source: StringProperty(
        name="Crowd",
        description="Crowd to copy the states of; leave empty for the only other one that has any",
        options={"SKIP_SAVE"},
    )

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        others = crowds_with_states(context, crowd)
        chosen = [ob for ob in others if not self.source or ob == called(others, self.source)]
        if len(chosen) != 1:
            subject = self.source or "No one crowd alone"
            raise Refusal(f"{subject} is not another crowd with states. Choose another crowd for Copy States.")
        check_stored([crowd, *states_of_crowd(chosen[0], context)])
        states = copy_states(context, chosen[0], crowd)
        context.view_layer.update()
        return f"{crowd.name} got {', '.join(ob.name for ob in states)}"


class STEERING_OT_select_in_state(SteeringOperator, bpy.types.Operator):
    """Select the vehicles that are in the active state on this frame of the preview or the bake"""

    bl_label = "Select in State"
    needs = (has_state, in_object_mode)

    def carry_out(self, context):
        scene, state = context.scene, state_in_focus(context)
        crowd, number = crowd_of(state), number_of(state, context)
        members = vehicles_of(crowd, scene)
        states = [present_state(scene, ob, baked=tells_state(bake_of(ob))) for ob in members]
        if all(current is None for current in states):
            name = crowd.name if crowd is not None else state.name
            raise Refusal(f"No vehicle of {name} is previewed or baked. Press Preview or Bake first.")
        inside = [ob for ob, current in zip(members, states) if current == number]
        reachable = selectable(inside)
        select_only(context, reachable)
        text = f"{len(inside)} of {len(members)} in {state.name} at frame {scene.frame_current_final:g}"
        hidden = len(inside) - len(reachable)
        return f"{text}; {hidden} hidden or not selectable" if hidden else text
