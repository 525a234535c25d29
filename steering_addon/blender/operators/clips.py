"""Operators for the clips that the models of a crowd play."""

from math import degrees

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty
from bpy.types import Context, Object, PropertyGroup

from ...behaviors import CATALOGUE
from ...settings.stored_choices import PLAYS
from ...settings.vehicles_in_states import TOO_FAST
from ...simulation.declaration import name_of
from ..animation.posing import short_name
from ..clips.clip_copies import fits
from ..clips.clip_speeds import cruise_of, fit_states, gaits_of, let_run
from ..clips.crowd_clips import models_with_clips, state_of, stored_clips, why_without_rig
from ..clips.finding_clips import Found, actions_of, find_clips, own_actions, promising, why_no_walk, why_none_moves
from ..clips.measuring import measured_clips
from ..crowds.adding_clips import (
    add_clip,
    add_found,
    fit_speed,
    measure_clips,
    store_no_walk,
    why_points_play_none,
    without_copies,
)
from ..crowds.state_preset_exchange import as_made
from ..crowds.states import states_of_crowd
from ..objects.focus import crowd_in_focus, select_only, selectable
from ..objects.hierarchy import Family
from ..objects.tagged_objects import called, crowd_of, full_name, in_use, members_in, names_of, vehicles_of
from ..properties import uses
from ..property_groups import items_of
from ..read.dependencies import animated_paths
from ..refusal import Refusal, check_stored, sound_front
from ..status.sliding import slides_of
from ..units import length_text, speed_text
from .polls import (
    RemovingRow,
    SteeringOperator,
    has_clips,
    has_crowd,
    has_editable_crowd,
    in_object_mode,
    something_baked,
)


def words(clip: PropertyGroup) -> str:
    """The measurements of a clip, in words for the user."""
    if not clip.measured:
        return "not measured yet"
    if clip.plays == "DO" and clip.speed:
        gap = f"its last pose is {length_text(clip.closes, 2)} from the first"
        return f"{clip.seconds:.1f} s, done once, as {gap}. If it repeats itself, set Plays to Moves"
    if clip.plays != "MOVE":
        return f"{clip.seconds:.1f} s"
    speed = clip.ground_speed or clip.speed
    if not speed and clip.turn:
        side = "left" if clip.turn > 0.0 else "right"
        return f"turns {abs(degrees(clip.turn)):.0f} degrees to the {side} on the spot in {clip.seconds:.1f} s"
    if not speed:
        return "does not move: set a ground speed"
    sure = "sure" if clip.sure >= 0.5 else "fairly sure" if clip.sure >= 0.25 else "not sure: set a ground speed"
    stride = speed * clip.seconds
    return (
        f"{speed_text(speed)}, stride {length_text(stride)}, slides {length_text(clip.own_slide, 2)} on its own, {sure}"
    )


def _with_rigs(crowd: Object, context: Context, family: Family) -> list[tuple[Object, Object]]:
    """The first vehicle of each model of a crowd with clips of its own, and what plays them. Refused if none has
    one."""
    vehicles = vehicles_of(crowd, context.scene)
    if models := models_with_clips(vehicles, family):
        return models
    if not vehicles and any(crowd_of(ob) == crowd for ob in members_in(in_use(context.scene))):
        raise Refusal(f"{why_points_play_none(crowd)}.", about=[crowd])
    if not vehicles:
        raise Refusal(f"{crowd.name} has no vehicles in the scene. Select its models and populate it.", about=[crowd])
    text = f"{vehicles[0].name} has no armature or shape keys that could play clips"
    text = f"{text}. Populate {crowd.name} with animated models"
    text = f"{why_without_rig(vehicles[0]) or text}."
    raise Refusal(text, about=[vehicles[0]])


def _action_names(self, context, _text) -> list[str]:
    crowd, family = crowd_in_focus(context), Family()
    if crowd is None:
        return []
    used = {clip.action for clip in stored_clips(crowd) if _state_name(clip) == self.state}
    models = models_with_clips(vehicles_of(crowd, context.scene), family)
    return sorted({action.name for _, rig in models for action in actions_of(rig) if action not in used})


def _state_name(clip: PropertyGroup) -> str:
    """The full name of the state that a clip is for; empty for any."""
    state = state_of(clip)
    return full_name(state) if state is not None else ""


def _state_names(_self, context, _text) -> list[str]:
    crowd = crowd_in_focus(context)
    return [full_name(state) for state in states_of_crowd(crowd, context)] if crowd is not None else []


class STEERING_OT_clip_add(SteeringOperator, bpy.types.Operator):
    """Add an action to the clips that the models of the crowd play, and measure it"""

    bl_label = "Add Clip"
    needs = (in_object_mode, has_editable_crowd)

    action: StringProperty(name="Action", description="Action to play", search=_action_names, options={"SKIP_SAVE"})
    plays: EnumProperty(
        name="Plays",
        description="When the vehicles play it; unless chosen, it is measured",
        items=items_of(PLAYS),
        default="MOVE",
        options={"SKIP_SAVE"},
    )
    state: StringProperty(
        name="In State",
        description="State of the crowd in which it is played; if empty, in any state",
        search=_state_names,
        options={"SKIP_SAVE"},
    )

    def invoke(self, context, _event):
        if self.action or bpy.app.background:
            return self.execute(context)
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, context) -> None:
        self.layout.use_property_split = True
        self.layout.prop(self, "action")
        if self.state or _state_names(self, context, ""):
            self.layout.prop(self, "state")

    def carry_out(self, context):
        crowd, family = crowd_in_focus(context), Family()
        check_stored([crowd])
        models = _with_rigs(crowd, context, family)
        action = bpy.data.actions.get(self.action)
        if action is None:
            reason = f"No action is named {self.action}" if self.action else "No action is chosen"
            raise Refusal(f"{reason}. Choose one that poses {models[0][1].name}.")
        state = called(states_of_crowd(crowd, context), self.state)
        if self.state and state is None:
            raise Refusal(f"{crowd.name} has no state {self.state}. Choose one of its states, or none.")
        if any(clip.action == action and state_of(clip) == state for clip in stored_clips(crowd)):
            where = f" in {self.state}" if self.state else ""
            raise Refusal(f"{action.name} is already a clip of {crowd.name}{where}. Choose another action.")
        # Of the model that brought it, or of the first one that it poses.
        ob = next((ob for ob, rig in models if action in own_actions(rig)), None)
        ob = ob or next((ob for ob, rig in models if fits(action, rig)), models[0][0])
        [clip] = measured_clips(ob, [action], context.scene, family, sound_front(ob))
        plays = self.plays if self.properties.is_property_set("plays") else name_of(PLAYS, clip.plays)
        entry = add_clip(crowd, action, plays)
        if state is not None:
            entry.state = state
        measure_clips(crowd, context.scene, family)
        if entry.plays == "MOVE" and entry.speed:
            store_no_walk(crowd, "")
        return f"{short_name(action)}: {words(entry)}"


class STEERING_OT_clip_remove(RemovingRow, bpy.types.Operator):
    """Remove the clip from the list; the action stays"""

    bl_label = "Remove Clip"
    needs = (in_object_mode, has_editable_crowd)

    list_path = "portrayal", "clips"
    noun, empty = "Clip", "The crowd has no clips: find some first"


class STEERING_OT_clips_find(SteeringOperator, bpy.types.Operator):
    """Look through the actions of the crowd's models by measuring them, and add one that stands, a walk and a run.
    The models then keep step with their way when they are baked"""

    bl_label = "Find Clips"
    needs = (in_object_mode, has_editable_crowd)

    fit_speed: BoolProperty(
        name="Fit Speed",
        description="Let the crowd move at the speed of its walk, and states in which it runs at that of its run",
        options={"SKIP_SAVE"},
    )

    def carry_out(self, context):
        crowd, family = crowd_in_focus(context), Family()
        check_stored([crowd])
        models = _with_rigs(crowd, context, family)
        all_clips: list[Found] = []
        of_models: list[tuple[list[Found], list[bpy.types.Action], Object]] = []
        looked_at: set[bpy.types.Action] = set()
        for ob, rig in models:
            actions, brought = actions_of(rig), own_actions(rig)
            choices = promising(brought), brought, promising(actions), actions
            clips = find_clips(crowd, ob, choices, context.scene, family) if actions else []
            looked_at.update(brought if clips and all(found.action in brought for found in clips) else actions)
            all_clips += without_copies(clips, all_clips)
            of_models.append((clips, brought, ob))
        if not looked_at:
            rig = models[0][1]
            text = f"No action of this file poses {rig.name}. Import the animations of the model, or append them."
            raise Refusal(text, about=[rig])
        ready = as_made(crowd, states_of_crowd(crowd, context))
        added = add_found(crowd, all_clips, context.scene, family)
        self._report(crowd, added, len(looked_at))
        gaits = [speed for speed, _ in gaits_of(crowd)]
        explain = why_no_walk if gaits else why_none_moves
        reasons = [why for model in of_models if (why := explain(*model, context.scene, family))]
        sentences = [why[0].upper() + why[1:] for why in reasons]
        store_no_walk(crowd, next(iter(sentences), ""))
        self.warn(sentences)
        if gaits:
            if added:
                fit_states(crowd, ready)
            self._fit(crowd, gaits, context)

    def _report(self, crowd: Object, added: list[str], looked_at: int) -> None:
        if added:
            self.report({"INFO"}, f"{crowd.name} plays {', '.join(added)}, of {looked_at} actions. Bake to see it")
        elif not gaits_of(crowd) and not any(clip.plays == "BEAT" for clip in stored_clips(crowd)):
            text = f"None of {looked_at} actions is a new one that stands, walks or runs. Use Add Clip for others"
            self.report({"WARNING"}, text)
        else:
            text = f"{crowd.name} has the clips to begin with, of {looked_at} actions. Use Add Clip for others"
            self.report({"INFO"}, text)

    def _fit(self, crowd: Object, gaits: list[float], context: Context) -> None:
        """Compare the speed of the crowd with those of its gaits, and fit it and its states if that is wanted."""
        cruise = cruise_of(crowd)
        if self.fit_speed:
            self.report({"INFO"}, fit_to_clips(crowd, context))
        elif not 0.7 * gaits[0] < cruise < 1.3 * gaits[-1]:
            made = " to ".join(speed_text(speed) for speed in dict.fromkeys((gaits[0], gaits[-1])))
            text = f"{crowd.name} moves at {speed_text(cruise)}, but its clips are made for {made}"
            self.report({"INFO"}, f"{text}. Fit Speed changes that")


def fit_to_clips(crowd: Object, context: Context) -> str:
    """Fit the speed of a crowd to its walk, and that of its states that run to its run; what has changed."""
    gaits = gaits_of(crowd)
    walk, name = gaits[0]
    fit_speed(crowd, walk, context.scene, top_speed=TOO_FAST * gaits[-1][0])
    text = f"{crowd.name} moves at {speed_text(walk)}, as {name}"
    if any(behavior.runs and uses(crowd, behavior.name) for behavior in CATALOGUE):
        text = "; ".join([text, *let_run(crowd, context.scene, animated_paths(crowd))])
    if fitted := fit_states(crowd, states_of_crowd(crowd, context)):
        text += f"; {names_of(fitted)} {'moves' if len(fitted) == 1 else 'move'} at the speed of its fastest clip"
    return text


class STEERING_OT_fit_speed(SteeringOperator, bpy.types.Operator):
    """Let the crowd move at the speed of its walk, and states in which it runs at that of its run"""

    bl_label = "Fit Speed"
    needs = (in_object_mode, has_clips)

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        check_stored([crowd])
        measure_clips(crowd, context.scene, Family())
        if not gaits_of(crowd):
            raise Refusal(f"No clip of {crowd.name} moves ahead. Find or add one first.", about=[crowd])
        return fit_to_clips(crowd, context)


class STEERING_OT_clips_measure(SteeringOperator, bpy.types.Operator):
    """Measure the clips of the crowd again: the speed at which their feet hold on the ground, and how far they slide"""

    bl_label = "Measure Clips"
    needs = (in_object_mode, has_clips)

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        check_stored([crowd])
        measure_clips(crowd, context.scene, Family(), again=True)
        texts = [f"{short_name(clip.action)}: {words(clip)}" for clip in stored_clips(crowd)]
        return "; ".join(texts)


class STEERING_OT_select_sliding(SteeringOperator, bpy.types.Operator):
    """Select the baked vehicles of the crowd whose feet slide further than a distance while they stand on the ground"""

    bl_label = "Select Sliding"
    needs = (in_object_mode, has_crowd, something_baked)

    distance: FloatProperty(
        name="Distance",
        description="Way of a foot over the ground in one stance, beyond which its vehicle is selected",
        default=0.05,
        min=0.0,
        soft_max=1.0,
        unit="LENGTH",
    )

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        slides = list(slides_of(vehicles_of(crowd, context.scene), context.scene))
        known = [slide for slide in slides if slide.metres is not None]
        if not slides:
            raise Refusal(f"No vehicle of {crowd.name} plays clips. Give it clips and bake first.", about=[crowd])
        if not known:
            text = f"The legs of {slides[0].vehicle.name} are moved by shape keys, constraints or drivers"
            raise Refusal(f"{text}, which are not measured. Check its feet in playback.", about=[slides[0].vehicle])
        sliding = [slide for slide in known if slide.metres > self.distance]
        select_only(context, selectable(slide.vehicle for slide in sliding))
        worst = max(known, key=lambda slide: slide.metres)
        text = f"{len(sliding)} of {len(known)} slide more than {length_text(self.distance)}"
        message = f"{text}; worst is {worst.vehicle.name}, {length_text(worst.metres)} from frame {worst.frame}"
        unknown = len(slides) - len(known)
        return f"{message}; {unknown} with constraints not measured" if unknown else message
