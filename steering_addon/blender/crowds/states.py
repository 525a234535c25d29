"""The states of crowds and what calls into them; makes states, triggers and cues, and copies them with a crowd.

Blender copies a crowd without its states where these are not selected too: a state points at its crowd, not the crowd
at its states.
"""

import random
from collections.abc import Collection, Mapping, Sequence

import bpy
import numpy as np
from bpy.types import Context, NlaStrip, Object, Scene

from ...minds.declaring import StateModel, TriggerModel
from ...settings.fitting import BodiesToFit, fitted_length, rounded
from ...settings.stored import PALETTE
from ...simulation.arrays.vectors import Vectors, magnitude
from ...simulation.declaration import Unit
from ...simulation.roles import MADE, Role
from ..animation.animation_data import (
    action_of,
    assign_action,
    channelbag_in,
    channelbags,
    copy_action,
    new_action,
    playing_tracks,
    slot_of,
)
from ..clips.clip_copies import fits
from ..clips.crowd_clips import state_of, stored_clips
from ..clips.measuring import player_below
from ..objects.body_sizes import points_of
from ..objects.doubles import doubles
from ..objects.drivers import copied, drivers_of, read_instead
from ..objects.focus import wholes_selected
from ..objects.hierarchy import Family
from ..objects.identity import new_identity, next_number, state_numbers, taken_identities, trigger_numbers
from ..objects.tagged_objects import crowd_of, in_use, tagged, vehicles_of
from ..properties import copy_values, has_role, is_own, pointed_at, pointed_in, uses
from ..property_groups import meaningful
from ..read.role_assignment import give_role
from ..read.sources import behaviors_of
from .behavior_adding import bodies_of
from .populating.members import collection_beside, fitting_collections

CUE_PATH = "steering.state.cue"
CUE = "Cue"
ARROWS = 0.6
"""Size of the Empty of a state as it is drawn, metres."""
ROOM = 1.5
"""A target that is missed wherever it is, is missed at this many times its distance when the trigger is made."""


def states_of_crowd(crowd: Object, context: Context) -> list[Object]:
    """The states of a crowd, by name."""
    return [ob for ob in tagged(in_use(context.scene), Role.STATE) if crowd_of(ob) == crowd]


def in_order(states: Sequence[Object]) -> list[Object]:
    """States in the order of their transitions, from those that no other leads to."""
    followers = {ob: pointed_at(ob.steering.state, "then") for ob in states if ob.steering.is_property_set("state")}
    led_to = {follower for state, follower in followers.items() if follower != state}
    ordered: dict[Object, None] = {}
    for state in (*(ob for ob in states if ob not in led_to), *states):
        while state in states and state not in ordered:
            ordered[state] = None
            state = followers.get(state)
    return list(ordered)


def number_of(state: Object, context: Context) -> int:
    """The number of a state among those of its crowd."""
    return state_numbers({*_mates(state, context), state})[state]


def states_before(state: Object, context: Context) -> list[Object]:
    """The states that a state follows, by name."""
    return [ob for ob in _mates(state, context) if ob != state and pointed_in(ob, "state", "then") == state]


def _mates(state: Object, context: Context) -> list[Object]:
    """The states of the crowd of a state, by name; none without a crowd."""
    return states_of_crowd(crowd, context) if (crowd := crowd_of(state)) is not None else []


def triggers_of_state(state: Object, context: Context) -> list[Object]:
    """The triggers that call into a state, by name."""
    return [ob for ob in tagged(in_use(context.scene), Role.TRIGGER) if pointed_in(ob, "trigger", "to") == state]


def new_state(context: Context, crowd: Object, name: str) -> Object:
    """A new state of a crowd, with a name, a number and a color, and nothing of its own."""
    state = bpy.data.objects.new(name, None)
    state.empty_display_type, state.empty_display_size = "SINGLE_ARROW", ARROWS
    place_below(state, crowd, context)
    give_role(state, Role.STATE, Family())
    state.steering.crowd = crowd
    stored = state.steering.state
    stored.number = number = next_number(state_numbers({*known_states(crowd, context)} - {state}))
    stored.color = PALETTE[(number - 1) % len(PALETTE)]
    return state


def known_states(crowd: Object, context: Context) -> list[Object]:
    """The states of a crowd by name, with those that were added a moment ago."""
    # A scene does not list what was added to it a moment ago; the parent does.
    known = {*states_of_crowd(crowd, context), *(ob for ob in crowd.children if has_role(ob, Role.STATE))}
    return sorted(known, key=lambda ob: ob.name)


def new_cue(state: Object, frame: int, length: int, fade: int) -> NlaStrip:
    """A strip that tells the crowd of a state to take it up, from a frame on. `length`, `fade`: frames; the share of
    vehicles grows and falls during the fades."""
    named = (action for action in bpy.data.actions if action.name.partition(".")[0] == CUE)
    action = next((action for action in named if _paths(action) == [CUE_PATH]), None)
    if action is None:
        action, slot = new_action(CUE, state)
        curve = channelbag_in(action, slot, ensure=True).fcurves.new(CUE_PATH)
        curve.keyframe_points.insert(0.0, 1.0)
        curve.keyframe_points.insert(1.0, 1.0)
        action.use_fake_user = False
    animation = state.animation_data_create()
    track = animation.nla_tracks.new()
    track.name = CUE
    strip = track.strips.new(CUE, frame, action)
    if hasattr(strip, "action_slot") and strip.action_slot is None and action.slots:
        strip.action_slot = action.slots[0]
    strip.extrapolation = "NOTHING"
    strip.use_auto_blend = False
    strip.repeat = 1.0
    strip.frame_end = frame + length
    strip.blend_in = strip.blend_out = min(fade, length // 2)
    return strip


def cue_strips(state: Object) -> list[NlaStrip]:
    """The strips on a state that tell its crowd to take it up, without muted ones and those beside a track on solo."""
    strips = (strip for track in playing_tracks(state) for strip in track.strips if not strip.mute)
    return [strip for strip in strips if strip.action is not None and CUE_PATH in _paths(strip.action)]


def _paths(action: bpy.types.Action) -> list[str]:
    return [curve.data_path for bag in channelbags(action) for curve in bag.fcurves]


def place_below(ob: Object, crowd: Object, context: Context) -> None:
    """Put a new state or trigger into the collection of the crowd's states, below the crowd."""
    # A scene does not list what was added to it a moment ago; the parent does.
    states = (child for child in crowd.children if has_role(child, Role.STATE))
    collection = next((fitting[0] for state in states if (fitting := fitting_collections(context, state))), None)
    if collection is None:
        collection = bpy.data.collections.new(f"{crowd.name} States")
        collection_beside(context, crowd).children.link(collection)
    if crowd.is_editable and pointed_at(crowd.steering, "states") != collection:
        crowd.steering.states = collection
    collection.objects.link(ob)
    ob.parent = crowd


def states_left_behind(crowd: Object, objects: Collection[Object]) -> list[Object]:
    """The states of a crowd and their triggers that are in the file, but not among the objects of a scene, by name. So
    it is after a script has appended the crowd alone, or after their collection was unlinked."""
    collection = pointed_at(crowd.steering, "states")
    if collection is None:
        return []
    belonging = (ob for ob in collection.all_objects if has_role(ob, Role.STATE) or has_role(ob, Role.TRIGGER))
    return sorted((ob for ob in belonging if crowd_of(ob) == crowd and ob not in objects), key=lambda ob: ob.name)


def bring_states(crowd: Object, context: Context) -> None:
    """Put the collection of a crowd's states beside the crowd, in the scene."""
    collection_beside(context, crowd).children.link(pointed_at(crowd.steering, "states"))


def new_trigger(context: Context, state: Object, when: str, caller: Object | None, *, one_each: bool = False) -> Object:
    """A new trigger of a state, at the object that it watches for or else at the 3D cursor.

    Its distance fits the vehicles in the state. Where each thing calls one vehicle, it is at least the distance between
    the two farthest: one is sent wherever they are.
    """
    trigger = bpy.data.objects.new(f"{state.name} Trigger", None)
    trigger.empty_display_type = "SPHERE"
    place_below(trigger, crowd_of(state), context)
    give_role(trigger, Role.TRIGGER, Family())
    settings = trigger.steering
    settings.crowd = crowd_of(state)
    settings.trigger.to, settings.trigger.when = state, when
    settings.trigger.number = next_number(trigger_numbers(_other_triggers(trigger, context)))
    settings.trigger.one_each = one_each
    trigger.matrix_parent_inverse = crowd_of(state).matrix_world.inverted_safe()
    trigger.location = context.scene.cursor.location
    shown = meaningful(TriggerModel, settings.trigger)
    for name, parameter in TriggerModel.parameters().items():
        if name in shown and parameter.unit is Unit.LENGTH:
            setattr(settings.trigger, name, fitted_length(parameter, _bodies_in(state, context.scene)))
    behaviors = behaviors_of(state)
    for kind in behaviors:
        if "warning_time" in shown and kind.runs_from_caller:
            settings.trigger.warning_time = getattr(state.steering, kind.name).reaction_time
    if one_each and caller is not None and "distance" in shown:
        places = np.concatenate([_places(context.scene, crowd_of(state)), _places(context.scene, caller)])
        farthest = float(magnitude((places.max(axis=0) - places.min(axis=0))[None])[0])
        settings.trigger.distance = max(settings.trigger.distance, rounded(ROOM * farthest))
    if any(kind.comes_to_caller for kind in behaviors) and caller is not None and "distance" in shown:
        # A hunter goes for what there is, and a bird to its roof, however far it was put; it stays there, however far
        # from the origin of the roof that is.
        gaps = _places(context.scene, caller)[:, None] - _places(context.scene, crowd_of(state))[None]
        needed = max(float(magnitude(gaps.reshape(-1, 3)).min()), _furthest_part(context, caller))
        settings.trigger.distance = max(settings.trigger.distance, rounded(ROOM * needed))
    if caller is not None:
        settings.trigger.who = caller
        trigger.parent = caller
        trigger.matrix_parent_inverse.identity()
        trigger.location = (0.0, 0.0, 0.0)
        # Its sphere is drawn in metres, whatever the size of what carries it.
        trigger.scale = [1.0 / size if size else 1.0 for size in caller.matrix_world.to_scale()]
    return trigger


def fit_reach(state: Object, scene: Scene) -> None:
    """Fit the distance within which vehicles of a state carry others along to that of cohesion. Where the crowd has
    none, it fits the vehicles as they are in the state."""
    crowd = crowd_of(state).steering
    fitted = fitted_length(StateModel.parameters()["reach"], _bodies_in(state, scene))
    state.steering.state.reach = fitted
    if uses(crowd_of(state), "cohesion"):
        state.steering.state.reach = crowd.cohesion.distance


def selected_callers(context: Context) -> list[Object]:
    """The selected objects that may call, the whole of a part: no crowds, states, triggers or marks."""
    return [ob for ob in wholes_selected(context) if not any(has_role(ob, role) for role in MADE)]


def _bodies_in(state: Object, scene: Scene) -> BodiesToFit:
    """The usual vehicle of a crowd as it moves in a state."""
    return bodies_of(crowd_of(state), scene, state if is_own(state, "vehicle") else None)


def _furthest_part(context: Context, caller: Object) -> float:
    """How far the furthest point of an object and its children is from its origin, metres."""
    points = points_of(caller, context.evaluated_depsgraph_get(), Family())
    return float(magnitude(np.einsum("ab,nb->na", doubles(caller.matrix_world)[:3, :3], points)).max())


def _places(scene: Scene, called: Object) -> Vectors:
    """Where the vehicles of a crowd, or of the crowd of a state, are; else where the object is; (n, 3) metres."""
    members = vehicles_of(crowd_of(called) if has_role(called, Role.STATE) else called, scene) or [called]
    return np.array([ob.matrix_world.translation for ob in members], dtype=np.float64)


def _other_triggers(trigger: Object, context: Context) -> set[Object]:
    """The triggers of the scene besides a new one."""
    # A scene does not list what was added to it a moment ago; the collection does.
    siblings = (ob for collection in trigger.users_collection for ob in collection.objects)
    return {*tagged(in_use(context.scene), Role.TRIGGER), *tagged(siblings, Role.TRIGGER)} - {trigger}


def copy_crowd(context: Context, model: Object) -> Object:
    """A new crowd at the 3D cursor with all settings of another, without its members and its list of models."""
    crowd = _copy_with_keys(model)
    crowd.parent = None
    crowd.location = context.scene.cursor.location
    identities = {*taken_identities(), model.steering.identity}
    crowd.steering.identity = new_identity(identities, random.Random(0))
    crowd.steering.property_unset("populate")
    crowd.steering.property_unset("states")
    read_instead(drivers_of(crowd), {model: crowd})
    (context.collection or context.scene.collection).objects.link(crowd)
    crowd.select_set(False)
    return crowd


def crowds_with_states(context: Context, but: Object) -> list[Object]:
    """The crowds of the scene that have states, by name, but for one."""
    crowds = {crowd_of(state) for state in tagged(in_use(context.scene), Role.STATE)}
    return sorted((crowd for crowd in crowds if crowd not in (None, but)), key=lambda ob: ob.name)


def copy_states(context: Context, source: Object, crowd: Object) -> list[Object]:
    """Give a crowd copies of all states of another, and of the triggers that call into these; returns the states.

    Copies point at one another where the states did, and at the crowd where they pointed at theirs. Triggers stay at
    what they watch for.
    """
    states = states_of_crowd(source, context)
    triggers = [trigger for state in states for trigger in triggers_of_state(state, context)]
    numbers = state_numbers(states_of_crowd(crowd, context))
    number = next_number({**numbers, **state_numbers(states)})
    copies = {source: crowd} | {ob: _copy_with_keys(ob) for ob in (*states, *triggers)}
    for ob in (*states, *triggers):
        copy = copies[ob]
        place_below(copy, crowd, context)
        copy.parent, copy.matrix_parent_inverse = copies.get(ob.parent, ob.parent), ob.matrix_parent_inverse
        copy.steering.crowd = crowd
        group, names = (
            (copy.steering.state, ("then", "eases"))
            if ob in states
            else (copy.steering.trigger, ("to", "from_state", "who"))
        )
        if ob in states and group.number in numbers.values():
            group.number, number = number, number + 1
        for name in names:
            if (target := pointed_at(group, name)) in copies:
                setattr(group, name, copies[target])
    _copy_clips(source, crowd, copies, context.scene)
    return [copies[state] for state in states]


def _copy_clips(source: Object, crowd: Object, copies: Mapping[Object, Object], scene: Scene) -> None:
    """Let clips for copied states be for the copies, and add those clips that the crowd can play, too."""
    clips = stored_clips(crowd)
    for clip in clips:
        if (state := state_of(clip)) in copies:
            clip.state = copies[state]
    known, family = {(clip.action, state_of(clip)) for clip in clips}, Family()
    rigs = [rig for ob in vehicles_of(crowd, scene) if clips and (rig := player_below(ob, family)) is not None]
    for clip in stored_clips(source):
        state = copies.get(state_of(clip))
        if state is not None and (clip.action, state) not in known and any(fits(clip.action, rig) for rig in rigs):
            copy_values(clip, new_clip := crowd.steering.portrayal.clips.add())
            new_clip.name, new_clip.state = clip.name, state


def _copy_with_keys(ob: Object) -> Object:
    copy = copied(ob)
    if (action := action_of(ob)) is not None:
        assign_action(copy, *copy_action(action, slot_of(ob), whole=True))
    return copy
