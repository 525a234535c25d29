"""Copies of a crowd, and of its states with what calls into them for another crowd.

Blender copies a crowd without its states where these are not selected too: a state points at its crowd, not the crowd
at its states.
"""

import random
from collections.abc import Mapping

from bpy.types import Context, Object, Scene

from ...simulation.roles import Role
from ..animation.animation_data import action_of, assign_action, copy_action, slot_of
from ..clips.clip_copies import fits
from ..clips.crowd_clips import state_of, stored_clips
from ..clips.measuring import player_below
from ..objects.drivers import copied, drivers_of, read_instead
from ..objects.hierarchy import Family
from ..objects.identity import new_identity, next_number, state_numbers, taken_identities
from ..objects.tagged_objects import crowd_of, in_use, tagged, vehicles_of
from ..properties import copy_values, pointed_at
from .states import place_below, states_of_crowd, triggers_of_state


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
