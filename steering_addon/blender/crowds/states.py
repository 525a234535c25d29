"""Makes states of crowds, triggers that call into them, and cues."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import bpy

from ...behaviors import CATALOGUE
from ...settings.state_presets import STATE_PRESETS, Call, StatePreset, quickened
from ...simulation.roles import Role
from ..hierarchy import Family
from ..moving import locomotion_of
from ..properties import has_role, pointed_at
from ..properties.mind_groups import PALETTE
from ..read.mind_sources import state_numbers, trigger_numbers
from ..role_assignment import give_role
from ..tagged_objects import crowd_of, in_use, tagged
from ..write.animation_data import channelbag_in, channelbags, new_action
from .behavior_adding import add_behaviors, only_other_crowd
from .populating.member_collection import shows

if TYPE_CHECKING:
    from bpy.types import Collection, Context, NlaStrip, Object

    from ...simulation.locomotion import Locomotion

SHARED_BY_PRIORITY = "ALLOCATION"
"""How a ready state combines behaviors: where the first that applies takes all, running would wait for its turn."""
CUE_PATH = "steering.state.cue"
CUE = "Cue"
QUICKEST = 0.2
"""Seconds: what reacts more slowly in its crowd gets no quicker than that in a ready state."""
STOPS = 0.4
"""Seconds in which a vehicle loses two thirds of its speed in a ready state in which it stands."""
ARROWS = 0.6
"""Size of the Empty of a state as it is drawn, metres."""


def states_of_crowd(crowd: Object, context: Context) -> list[Object]:
    """The states of a crowd, by name."""
    return [ob for ob in tagged(in_use(context.scene), Role.STATE) if crowd_of(ob) == crowd]


def number_of(state: Object, context: Context) -> int:
    """The number of a state among those of its crowd."""
    mates = states_of_crowd(crowd, context) if (crowd := crowd_of(state)) is not None else []
    return state_numbers({*mates, state})[state]


def triggers_of_state(state: Object, context: Context) -> list[Object]:
    """The triggers that call into a state, by name."""
    return [
        ob
        for ob in tagged(in_use(context.scene), Role.TRIGGER)
        if ob.steering.is_property_set("trigger") and pointed_at(ob.steering.trigger, "to") == state
    ]


def preset_named(name: str) -> StatePreset:
    """The ready state of a name."""
    return next(preset for preset in STATE_PRESETS if preset.name == name)


def new_state(context: Context, crowd: Object, preset: StatePreset, other: Object | None = None) -> Object:
    """A new state of a crowd, with those that follow it or come with it, which are added if the crowd lacks them.

    What calls into it is added too, where the scene has it.

    Args:
        other: the crowd that it is about; by default the only other one of the scene.
    """
    other = only_other_crowd(crowd, context.scene) if other is None else other
    state = bpy.data.objects.new(preset.label, None)
    state.empty_display_type, state.empty_display_size = "SINGLE_ARROW", ARROWS
    place_below(state, crowd, context)
    give_role(state, Role.STATE, Family())
    settings = state.steering
    settings.crowd = crowd
    for name, value in preset.numbers.items():
        setattr(settings.state, name, value)
    settings.state.number = number = _next_number(state, crowd, context)
    settings.state.color = PALETTE[(number - 1) % len(PALETTE)]
    if preset.faster is not None:
        _move_differently(settings.vehicle, preset)
        _turn_differently(settings, locomotion_of(crowd), preset)
    kinds = {kind.name: kind for kind in CATALOGUE}
    for name, values in preset.behaviors.items():
        group = getattr(settings, name)
        group.own = True
        add_behaviors([kinds[name]], state, context.scene)
        for parameter, value in values.items():
            setattr(group, parameter, value)
    _switch_off(state, crowd, preset)
    if preset.behaviors:
        settings.state.own_combining = True
        settings.combining = SHARED_BY_PRIORITY
    for behavior, parameter in preset.about_crowd.items() if other is not None else ():
        setattr(getattr(settings, behavior), parameter, other)
    if preset.then:
        follows = _ready(context, crowd, preset.then)
        settings.state.then = follows or new_state(context, crowd, preset_named(preset.then), other)
    if preset.eases:
        settings.state.eases = _ready(context, crowd, preset.eases)
    for call in preset.calls:
        _add_call(context, state, call, other)
    for name in preset.brings:
        if _ready(context, crowd, name) is None:
            new_state(context, crowd, preset_named(name), other)
    return state


def _add_call(context: Context, state: Object, call: Call, other: Object | None) -> None:
    """Add the trigger of a ready state, if what calls is known."""
    crowd = crowd_of(state)
    caller = other
    if call.by == "REGION":
        inside = crowd.steering.is_property_set("containment") and crowd.steering.containment.use
        caller = pointed_at(crowd.steering.containment, "region") if inside else None
    elif call.by != "CROWD":
        caller = _ready(context, other, call.by) if other is not None else None
    if caller is None:
        return
    trigger = new_trigger(context, state, call.when, caller).steering.trigger
    trigger.one_each, trigger.strength = call.one_each, call.strength
    trigger.from_state = _ready(context, crowd, call.only_in) if call.only_in else None


def _ready(context: Context, crowd: Object, name: str) -> Object | None:
    """The state of a crowd that was made by a preset, by its name; None if there is none."""
    label = preset_named(name).label
    # A scene does not list what was added to it a moment ago; the parent does.
    known = {*states_of_crowd(crowd, context), *(ob for ob in crowd.children if has_role(ob, Role.STATE))}
    return next((ob for ob in sorted(known, key=lambda ob: ob.name) if ob.name.partition(".")[0] == label), None)


def _next_number(state: Object, crowd: Object, context: Context) -> int:
    """A number for a new state that no other of its crowd has."""
    # A scene does not list what was added to it a moment ago; the parent does.
    mates = {*states_of_crowd(crowd, context), *(ob for ob in crowd.children if has_role(ob, Role.STATE))} - {state}
    return 1 + max(state_numbers(mates).values(), default=0)


def _move_differently(group: bpy.types.PropertyGroup, preset: StatePreset) -> None:
    """Give a state a top speed of its own, with the strength that turns it as tightly, and reactions as quick."""
    group.own = True
    group.max_speed *= preset.faster
    group.max_force *= preset.faster * preset.faster
    for name in ("response_time", "speed_time"):
        value = getattr(group, name)
        setattr(group, name, max(value / preset.faster, min(value, QUICKEST)))
    if preset.cruise_speed is not None:
        group.cruise_speed = preset.cruise_speed
    if preset.cruise_speed == 0.0:
        group.speed_time = min(group.speed_time, STOPS)


def _turn_differently(settings: bpy.types.PropertyGroup, moves: type[Locomotion], preset: StatePreset) -> None:
    """Let the bodies in a state turn as much more quickly as they move."""
    if preset.faster == 1.0:
        return
    group = getattr(settings, moves.name)
    group.own = True
    values = {name: getattr(group, name) for name in moves.parameters()}
    for name, value in quickened(moves, values, preset.faster).items():
        setattr(group, name, value)


def _switch_off(state: Object, crowd: Object, preset: StatePreset) -> None:
    """Switch off, in a state, those behaviors of its crowd that it does not keep."""
    for kind in CATALOGUE:
        used = crowd.steering.is_property_set(kind.name) and getattr(crowd.steering, kind.name).use
        if used and kind.intent not in preset.keeps and kind.name not in preset.behaviors:
            group = getattr(state.steering, kind.name)
            group.own = True
            group.use = False


def new_trigger(context: Context, state: Object, when: str, caller: Object | None) -> Object:
    """A new trigger that calls vehicles into a state, at what it watches for or else at the 3D cursor."""
    trigger = bpy.data.objects.new(f"{state.name} Trigger", None)
    trigger.empty_display_type = "SPHERE"
    place_below(trigger, crowd_of(state), context)
    give_role(trigger, Role.TRIGGER, Family())
    settings = trigger.steering
    settings.crowd = crowd_of(state)
    settings.trigger.to, settings.trigger.when = state, when
    settings.trigger.number = _next_trigger_number(trigger, context)
    trigger.matrix_parent_inverse = crowd_of(state).matrix_world.inverted_safe()
    trigger.location = context.scene.cursor.location
    if caller is not None:
        settings.trigger.who = caller
        trigger.parent = caller
        trigger.matrix_parent_inverse.identity()
        trigger.location = (0.0, 0.0, 0.0)
        # Its sphere is drawn in metres, whatever the size of what carries it.
        trigger.scale = [1.0 / size if size else 1.0 for size in caller.matrix_world.to_scale()]
    return trigger


def _next_trigger_number(trigger: Object, context: Context) -> int:
    """A number for a new trigger that no other of the scene has."""
    # A scene does not list what was added to it a moment ago; the collection does.
    beside = (ob for collection in trigger.users_collection for ob in collection.objects)
    others = {*tagged(in_use(context.scene), Role.TRIGGER), *tagged(beside, Role.TRIGGER)} - {trigger}
    return 1 + max(trigger_numbers(others).values(), default=0)


def new_cue(state: Object, frame: int, length: int, fade: int) -> NlaStrip:
    """A strip on a state that tells its crowd to take it up, from a frame on.

    Args:
        length, fade: frames; the share of the crowd that is told grows and falls during the fades.
    """
    action = next((each for each in bpy.data.actions if each.name.partition(".")[0] == CUE and _is_cue(each)), None)
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
    """The strips on a state that tell its crowd to take it up, without muted ones."""
    animation = state.animation_data
    if animation is None or not animation.use_nla:
        return []
    tracks = (track for track in animation.nla_tracks if not track.mute)
    strips = (strip for track in tracks for strip in track.strips if not strip.mute)
    return [strip for strip in strips if strip.action is not None and _has_cue(strip.action)]


def _has_cue(action: bpy.types.Action) -> bool:
    return any(curve.data_path == CUE_PATH for bag in channelbags(action) for curve in bag.fcurves)


def _is_cue(action: bpy.types.Action) -> bool:
    paths = [curve.data_path for bag in channelbags(action) for curve in bag.fcurves]
    return paths == [CUE_PATH]


def place_below(ob: Object, crowd: Object, context: Context) -> None:
    """Put a new state or trigger into the collection of the crowd's states, below the crowd."""
    _collection(crowd, context).objects.link(ob)
    ob.parent = crowd


def _collection(crowd: Object, context: Context) -> Collection:
    # A scene does not list what was added to it a moment ago; the parent does.
    for ob in (each for each in crowd.children if has_role(each, Role.STATE)):
        if fitting := _fitting(ob.users_collection, context):
            return fitting[0]
    collection = bpy.data.collections.new(f"{crowd.name} States")
    parents = _fitting(crowd.users_collection, context)
    (parents[0] if parents else context.scene.collection).children.link(collection)
    return collection


def _fitting(collections: Iterable[Collection], context: Context) -> list[Collection]:
    """The collections that objects of the scene can be added to; Blender does not let an overridden one have more."""
    layer = context.view_layer.layer_collection
    local = (each for each in collections if each.library is None and each.override_library is None)
    return [each for each in local if shows(layer, each)]
