"""Gives a crowd clips: one by one, or those that are found on its models."""

import math
from collections.abc import Sequence

from bpy.types import Action, Object, PropertyGroup, Scene

from ...portrayal.clips import BEAT, MOVE
from ...settings.stored_choices import PLAYS
from ...simulation.declaration import name_of
from ..animation.animation_data import channelbags, posed_block
from ..animation.frame_rate import frame_range
from ..animation.posing import check_shows_clips, check_strips_play, short_name
from ..clips.clip_copies import curves_for, fits
from ..clips.clip_speeds import gaits_of, start_at_cruise
from ..clips.crowd_clips import (
    check_has_models,
    models_of,
    models_with_clips,
    points_of,
    store_measurements,
    stored_clips,
    why_without_rig,
)
from ..clips.finding_clips import Found, actions_of, find_clips, own_actions, promising, why_no_walk, why_none_moves
from ..clips.hiding_tracks import check_tracks_show_clips
from ..clips.planting import stand_on_soles, store_unplanted, why_unplanted
from ..moving import locomotion_of
from ..objects.drivers import drivers_of
from ..objects.hierarchy import Family
from ..objects.tagged_objects import vehicles_of
from ..properties import settings_of
from ..refusal import Refusal

FIND_CLIPS = (
    "Let a new crowd of animated models play the idle, walk and run that they bring along, and move at the speed of "
    "that walk"
)
"""The tooltip of the switch of operators that make crowds."""
FEW = 8
"""Actions of a model that are measured whatever they are called, such as the Layer0 of a file from a shop."""


def add_clip(crowd: Object, action: Action, plays: str) -> PropertyGroup:
    """Add an action to the clips of a crowd; it is still to be measured."""
    entry = crowd.steering.portrayal.clips.add()
    entry.name, entry.action, entry.plays = action.name, action, plays
    if plays == name_of(PLAYS, BEAT) and not crowd.steering.portrayal.use:
        # So that the panel shows by what it beats.
        crowd.steering.portrayal.phase_by = "TIME"
    return entry


def measure_clips(crowd: Object, scene: Scene, family: Family, *, again: bool = False) -> None:
    """Measure the clips of a crowd on its models and store that with them; `again`: whether to measure also known ones.
    Refused if no vehicle can play them, or one cannot be measured."""
    vehicles = vehicles_of(crowd, scene)
    models = models_of(crowd, vehicles, scene, family)
    check_has_models(crowd, vehicles, models)
    store_measurements(models, scene, family, again=again)


def add_found(crowd: Object, clips: Sequence[Found], scene: Scene, family: Family) -> list[str]:
    """Add those of the clips that a crowd does not have yet, measure all, and let the models stand on their soles.
    Returns the names of the new ones."""
    known = {clip.action for clip in stored_clips(crowd)}
    new = [found for found in clips if found.action not in known]
    for found in new:
        add_clip(crowd, found.action, name_of(PLAYS, found.plays))
    if stored_clips(crowd):
        measure_clips(crowd, scene, family)
        models = models_of(crowd, vehicles_of(crowd, scene), scene, family)
        for model in models:
            stand_on_soles(model, scene, family)
        store_unplanted(crowd, [(model, why_unplanted(model, scene, family)) for model in models])
    return [short_name(found.action) for found in new]


def without_copies(clips: Sequence[Found], known: Sequence[Found]) -> list[Found]:
    """The clips of a model without those that another model brought already, key by key, as files of a set do."""
    keys = [_keys_of(clip.action) for clip in known]
    return [clip for clip in clips if _keys_of(clip.action) not in keys]


def _keys_of(action: Action) -> list[tuple[str, int, bytes]]:
    return [
        (curve.data_path, curve.array_index, points_of(curve)) for bag in channelbags(action) for curve in bag.fcurves
    ]


def fit_speed(crowd: Object, walk: float, scene: Scene, *, top_speed: float = math.inf) -> None:
    """Let a crowd start and move at the speed of its walk, in m/s; a start speed that was set by hand stays.
    `top_speed` is the greatest top speed that it keeps, m/s."""
    vehicle = crowd.steering.vehicle
    before = vehicle.cruise_speed
    vehicle.max_speed = max(min(vehicle.max_speed, top_speed), walk)
    vehicle.cruise_speed = walk / vehicle.max_speed
    start_at_cruise(vehicles_of(crowd, scene), before, vehicle.cruise_speed)


def store_no_walk(crowd: Object, why: str) -> None:
    """Store with a crowd why no walk was found for it, empty if one was."""
    if crowd.is_editable and why != why_without_walk(crowd):
        crowd.steering.portrayal.no_walk = why


def why_without_walk(crowd: Object) -> str:
    """Why no walk was found for a crowd, as long as none of its clips is what was not taken for one. Writes nothing."""
    stored = settings_of(crowd)
    why = str(stored.portrayal.no_walk) if stored is not None and stored.is_property_set("portrayal") else ""
    return "" if any(clip.plays == "MOVE" and clip.action.name in why for clip in stored_clips(crowd)) else why


def why_points_play_none(crowd: Object) -> str:
    """Why a crowd of points plays no clips, and the remedy."""
    text = f"The members of {crowd.name} are points, which play no clips and show its models at rest"
    return f"{text}. Set Made As to Objects and Output to Crowd Cache, press Populate, then Find Clips"


def tell_points(crowd: Object, models: Sequence[Object]) -> str:
    """Why a new crowd of points plays none of the clips of its models, empty if they bring none. The crowd stores
    that, too."""
    players = (player for _, player in models_with_clips(models, Family()))
    why = why_points_play_none(crowd) if any(own_actions(player) for player in players) else ""
    store_no_walk(crowd, why)
    return why


def _any_moves(clips: Sequence[Found]) -> bool:
    return any(clip.plays in (MOVE, BEAT) for clip in clips)


def add_to_new_crowd(crowd: Object, members: Sequence[Object], scene: Scene) -> tuple[list[str], str]:
    """Give a new crowd the clips that its models bring along, and let it move at the speed of their walk.

    Returns:
        The names of the clips, empty if no model brings one that moves; and why a model has none, or no walk, empty if
        nothing of it could play one. The crowd stores that, too.
    """
    names, why = _brought_to(crowd, members, scene)
    store_no_walk(crowd, why)
    return names, why


def _brought_to(crowd: Object, members: Sequence[Object], scene: Scene) -> tuple[list[str], str]:
    family = Family()
    models = models_with_clips(members, family)
    if not models:
        return [], why_without_rig(members[0])
    brought = [(*model, *_brought_by(crowd, *model, scene, family)) for model in models]
    all_clips: list[Found] = []
    for *_, clips, _ in brought:
        all_clips += without_copies(clips, all_clips)
    reasons = []
    for vehicle, rig, clips, why in brought:
        # A model without clips plays those of another one whose bones it has.
        if why and (clips or not any(fits(clip.action, rig) for clip in all_clips)):
            subject = crowd.name if len(models) == 1 else vehicle.name
            reasons.append(why if clips else f"{subject} plays no clips{why}")
    why = next(iter(reasons), "")
    if not all_clips:
        return [], why
    try:
        names = add_found(crowd, all_clips, scene, family)
    except Refusal as why:
        # Such as a model that has the bones of another one's clip, but nothing that they move.
        crowd.steering.portrayal.clips.clear()
        return [], f"{crowd.name} plays no clips. {why} Then press Find Clips"
    if gaits := gaits_of(crowd):
        fit_speed(crowd, gaits[0][0], scene)
    return names, why


def _brought_by(crowd: Object, vehicle: Object, rig: Object, scene: Scene, family: Family) -> tuple[list[Found], str]:
    """The clips that a member brings along, and why it has none, or no walk.

    Only actions that their names promise are looked at, those that came with the member first; if none of these moves
    and few came with it, these few. Nothing is found that a bake would refuse.
    """
    brought, parts = own_actions(rig), (vehicle, *family.descendants(vehicle))
    # Drivers may move a part, such as its wings.
    is_moved = locomotion_of(crowd).runs_on_wheels or any(drivers_of(part, posed_block(part)) for part in parts)
    if not brought:
        glides = rig.type == "ARMATURE" and not is_moved
        text = f": {rig.name} brings no action, and glides in its rest pose. Import some for it, then press Find Clips"
        return [], text if glides else ""
    try:
        clips = find_clips(crowd, vehicle, (promising(brought), promising(actions_of(rig))), scene, family)
        if not _any_moves(clips) and len(brought) <= FEW:
            clips = find_clips(crowd, vehicle, (brought,), scene, family)
        channels = {channel for clip in clips for channel in curves_for(clip.action, rig)}
        check_strips_play(rig)
        actions = {clip.action for clip in clips}
        check_shows_clips(rig, channels, actions, False)
        check_tracks_show_clips(rig, channels, actions, frame_range(scene), False)
    except Refusal as why:
        return [], f". {why} Then press Find Clips"
    if _any_moves(clips):
        return clips, why_no_walk(clips, brought, vehicle, scene, family)
    if reason := why_none_moves(clips, brought, vehicle, scene, family):
        # Flip Front looks for clips itself.
        return [], f": {reason}" if reason.endswith("Flip Front") else f": {reason}. Then press Find Clips"
    text = f": no action of {rig.name} walks, runs or flies"
    text += ". Use Add Clip for others" if len(brought) <= FEW else " and is named so. Find Clips looks at all"
    return [], "" if is_moved else text
