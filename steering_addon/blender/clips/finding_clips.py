"""Finds the actions that a model can play, and chooses those to begin with: what stands, walks and runs.

What an action does is measured. Names only decide between actions that do the same.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import pi, radians

import bpy
import numpy as np
from bpy.types import Action, Object, Scene

from ...portrayal.clips import BEAT, MOVE, STAND, Clip
from ...portrayal.gait import REPEATS, has_many_steps
from ..animation.animation_data import nla_tracks_of, posed_block
from ..animation.bake_record import our_record
from ..animation.ownership import bake_of
from ..animation.posing import importers_start, short_name, whole_of
from ..moving import locomotion_of
from ..objects.hierarchy import Family
from ..objects.tagged_objects import height_of
from ..refusal import Refusal, sound_front
from ..units import length_text, speed_text
from .clip_copies import fits
from .clip_record import clip_record, is_copy
from .measuring import fastest, measured_clips, player_below, player_of, shape_of
from .poses import span

AHEAD = radians(25.0)
"""Most that a clip may move aside of the front to be a walk or a run."""
SURE = 0.25
"""Least sureness of the direction of a clip that is rows_to_begin_with without asking."""
STANDS = re.compile(r"idle|stand|breath|wait|rest", re.IGNORECASE)
GRAZES = re.compile(r"eat|graz|sniff|peck", re.IGNORECASE)
WALKS = re.compile(r"walk|stroll|amble", re.IGNORECASE)
RUNS = re.compile(r"run|jog|gallop|trot|canter|sprint", re.IGNORECASE)
OTHERWISE = re.compile(
    r"sit|lie|lying|sleep|crouch|sneak|jump|fall|hit|attack|melee|ranged|combat|fight|aim|block|death|dead|dodge|"
    r"back|left|right|strafe|turn|start|stop|land|swim|climb|hold|carry|weapon",
    re.IGNORECASE,
)
"""Words of what is not done all day."""
NUMBERED = re.compile(r"\.\d{3,}$")
"""The ending that Blender adds to the name of an action when another one, of a model imported before, has it."""
BEATS = re.compile(r"fly|flap|flight|swim|hover", re.IGNORECASE)
"""Words of what wings, tails and fins do in the air and in water."""
FASTER = 1.5
"""How much faster than a walk a clip has to be, to be a run."""


def actions_of(rig: Object) -> list[Action]:
    """The actions of the file that an armature or shape keys can play, those that came with them first."""
    fitting = [action for action in bpy.data.actions if _is_clip(action, rig)]
    return list(dict.fromkeys([*own_actions(rig), *fitting]))


def own_actions(rig: Object) -> list[Action]:
    """The actions that came with an armature or shape keys. They are on its NLA tracks, where importers leave them
    muted, but for the one that it plays. Of FBX files nothing is on tracks: there the names begin alike."""
    block = posed_block(rig)
    animation = block.animation_data
    record, bake = clip_record(block), bake_of(block)
    actions = [strip.action for track in nla_tracks_of(block) for strip in track.strips if not is_copy(strip.action)]
    is_on_tracks = any(action is not None for action in actions)
    if animation is not None:
        actions += [whole_of(animation.action)] if animation.action is not None else []
    actions += [record.kept if record is not None else None, bake.kept if bake is not None else None]
    if not is_on_tracks:
        starts = {start for action in actions if action is not None and (start := importers_start(action))}
        actions += [action for action in bpy.data.actions if importers_start(action) in starts]
    return [action for action in dict.fromkeys(actions) if _is_clip(action, rig)]


def along_with(mesh: Object, action: Action) -> Action | None:
    """The action that a mesh of a model plays while another part plays an action; None if it has none. The same, or one
    that came with it and lasts as long: importers make one for each mesh."""
    brought = own_actions(mesh)
    as_long = (candidate for candidate in brought if np.abs(np.subtract(span(candidate), span(action))).max() < 1.0)
    return action if action in brought else next(as_long, None)


def _is_clip(action: Action | None, rig: Object) -> bool:
    """Whether an action is one of the user's that poses an armature, for longer than a moment."""
    if action is None or is_copy(action) or our_record(action) is not None or whole_of(action) != action:
        return False
    first, last = span(action)
    return last > first and fits(action, rig)


@dataclass(frozen=True)
class Found:
    """A clip to begin with, and what it plays."""

    action: Action
    plays: int


def find_clips(
    crowd: Object, vehicle: Object, choices: Iterable[Sequence[Action]], scene: Scene, family: Family
) -> list[Found]:
    """The actions to begin with of a model that joins a crowd.

    What flies or swims begins with one that beats wings, a tail or fins, if one has such a name, or is the only one.
    Refused if an action cannot be measured.

    Args:
        choices: actions to look at; each only if those before are not enough to stand and to move.
    """
    front, result = sound_front(vehicle), []
    for actions in dict.fromkeys(map(tuple, choices)):
        if not locomotion_of(crowd).grounded and (beats := named_beat(actions) or _only_beat(actions, vehicle, family)):
            return [Found(beats[0], BEAT)]
        words = _short_names(actions)
        clips = measured_clips(vehicle, actions, scene, family, front) if actions else []
        rows = rows_to_begin_with([replace(clip, name=words[clip.name]) for clip in clips])
        result = [Found(actions[row], clips[row].plays) for row in rows]
        if {found.plays for found in result} == {STAND, MOVE}:
            break
    return result


def promising(actions: Sequence[Action]) -> list[Action]:
    """The actions whose names are those of standing, walking, running, flying or swimming."""
    named = [*_actions_named(actions, STANDS, GRAZES, WALKS, RUNS), *named_beat(actions)]
    return [action for action in actions if action in named]


def named_beat(actions: Sequence[Action]) -> list[Action]:
    """The action with the shortest name by which a model flies or swims, as a list; empty without one."""
    # The rest of the name counts: lying is among what is not done all day, and flying is not.
    return _actions_named(actions, BEATS, uncounted=BEATS)[:1]


def _only_beat(actions: Sequence[Action], vehicle: Object, family: Family) -> list[Action]:
    """The only action that came with a model, as a list; empty if its name is of something else."""
    sole = [action for action in actions if own_actions(player_of(vehicle, family)) == [action]]
    names, kinds = _short_names(sole).values(), (STANDS, GRAZES, WALKS, RUNS, OTHERWISE)
    return [] if any(kind.search(name) for name in names for kind in kinds) else sole


def _actions_named(
    actions: Sequence[Action], *kinds: re.Pattern[str], uncounted: re.Pattern[str] | None = None
) -> list[Action]:
    """The actions whose names are of one of these kinds, and not of what is not done all day; the shortest first.
    `uncounted` is the part of a name that does not say what is not done all day."""
    words = _short_names(actions)
    named = [
        action
        for action in actions
        if any(kind.search(words[action.name]) for kind in kinds)
        and not OTHERWISE.search(uncounted.sub("", words[action.name]) if uncounted else words[action.name])
    ]
    return sorted(named, key=lambda action: (len(words[action.name]), action.name))


def way_of_walk(model: Object, front: tuple[str, str], family: Family) -> int:
    """The direction in which the walk of a model, else its run, carries it, in quarter turns to the left of its front;
    0 without a sure one. Writes nothing."""
    player = player_below(model, family)
    brought = own_actions(player) if player is not None else []
    actions = [*_actions_named(brought, WALKS), *_actions_named(brought, RUNS)][:1]
    if not actions:
        return 0
    key = player.data, actions[0], front
    if key not in family.ways:
        family.ways[key] = _quarters(model, actions, front, family)
    return family.ways[key]


def _quarters(model: Object, actions: Sequence[Action], front: tuple[str, str], family: Family) -> int:
    try:
        # How fast it plays does not matter: any scene will do.
        [clip] = measured_clips(model, actions, bpy.context.scene, family, front)
    except Refusal:
        return 0
    quarters = round(clip.heading / (0.5 * pi))
    is_sure = clip.speed > 0.0 and clip.sure >= SURE and abs(clip.heading - 0.5 * pi * quarters) < AHEAD
    return quarters % 4 if is_sure else 0


def why_too_long(actions: Sequence[Action], vehicle: Object, scene: Scene) -> str:
    """Why the first of some actions that is too long for a cycle of steps is not a walk, and the remedy; else empty.
    Recordings of actors often hold dozens of steps."""
    height = height_of(vehicle)
    for action in actions:
        first, last = span(action)
        seconds = (last - first) * scene.render.fps_base / scene.render.fps
        if has_many_steps(seconds, height):
            text = f"{action.name} lasts {seconds:.0f} s, too long for a cycle of steps"
            return f"{text}. Set the Manual Frame Range of the action to two steps that repeat"
    return ""


def why_none_moves(
    clips: Sequence[Found], actions: Sequence[Action], vehicle: Object, scene: Scene, family: Family
) -> str:
    """Why no action that came with a vehicle is a walk, where that is known, and the remedy; else empty."""
    armature = player_of(vehicle, family)
    if not shape_of(armature, vehicle, family, sound_front(vehicle)).has_mesh:
        text = f"bones of {armature.name} move no mesh, and steps are measured by the soles of meshes"
        return f"{text}. Give it a mesh with an Armature modifier"
    return why_no_walk(clips, actions, vehicle, scene, family) or why_too_long(actions, vehicle, scene)


def why_no_walk(
    clips: Sequence[Found], actions: Sequence[Action], vehicle: Object, scene: Scene, family: Family
) -> str:
    """Why an action that is named a walk is not among the clips that were found, and the remedy. Empty if one is, or if
    none is named so. Refused if it cannot be measured."""
    walks, named = [clip.action for clip in clips if clip.plays == MOVE], _actions_named(actions, WALKS)
    if not named or any(action in walks for action in named) or any(clip.plays == BEAT for clip in clips):
        return ""
    walk = named[0]
    if why := why_too_long([walk], vehicle, scene):
        return why
    [measured] = measured_clips(vehicle, [walk], scene, family, sound_front(vehicle))
    remedy = "Set the Manual Frame Range of the action to two steps that repeat"
    if measured.closes > REPEATS * height_of(vehicle):
        why = f"its last pose is {length_text(measured.closes, 2)} from the first"
    elif measured.speed and abs(measured.heading) > pi - AHEAD:
        why, remedy = "it goes backwards", f"If that should be the front of {vehicle.name}, press Flip Front"
    elif measured.speed and abs(measured.heading) >= AHEAD:
        why, remedy = "it does not go ahead", "Choose another Forward or Up if it should"
    elif measured.speed:
        too_fast = measured.speed > fastest(shape_of(player_of(vehicle, family), vehicle, family, sound_front(vehicle)))
        why = f"its feet would hold at {speed_text(measured.speed, 2)}" if too_fast else "its feet move unevenly"
        remedy = "Use Add Clip, and set a ground speed"
    else:
        why = "its feet stop or do not move over the ground"
    return f"{walk.name} is not taken for a walk, as {why}. {remedy}"


def _short_names(actions: Sequence[Action]) -> dict[str, str]:
    """The names of actions without their number, and without the armature's name, which importers put at either end."""
    words = {action.name: NUMBERED.sub("", short_name(action)) for action in actions}
    ends = {word.rpartition("_")[2] for word in words.values()}
    if len(words) > 1 and len(ends) == 1 and all("_" in word for word in words.values()):
        words = {name: word.rpartition("_")[0] for name, word in words.items()}
    return words


def rows_to_begin_with(clips: Sequence[Clip]) -> list[int]:
    """The rows of the clips to begin with: those that stand, in the order of names, a walk and a run. `clips`: their
    names without that of the armature."""

    def shortest(rows: Iterable[int]) -> list[int]:
        """The clip with the shortest name, the first of several; empty without one."""
        return sorted(rows, key=lambda row: (len(clips[row].name), clips[row].name))[:1]

    names = [clip.name for clip in clips]
    stands, forward = _all_day(clips, STAND), [row for row in _all_day(clips, MOVE) if _goes_ahead(clips[row])]
    idle = shortest([row for row in stands if STANDS.search(names[row])] or stands)
    # More of the same, such as Idle_2, and what grazes.
    prefixes = tuple(names[row].lower() for row in idle)
    variants = [row for row in stands if names[row].lower().startswith(prefixes) or GRAZES.search(names[row])]
    by_speed = sorted(forward, key=lambda row: clips[row].speed)
    walk = shortest(row for row in forward if WALKS.search(names[row])) or by_speed[:1]
    faster = [row for row in forward for slow in walk if clips[row].speed > FASTER * clips[slow].speed]
    run = shortest(row for row in faster if RUNS.search(names[row]))
    return [*idle, *sorted(set(variants) - set(idle), key=names.__getitem__), *walk, *run]


def _all_day(clips: Sequence[Clip], kind: int) -> list[int]:
    """The rows of clips of a kind that a model does all day; of all clips of the kind, if it does none of them so."""
    rows = [row for row, clip in enumerate(clips) if clip.plays == kind]
    return [row for row in rows if not OTHERWISE.search(clips[row].name)] or rows


def _goes_ahead(clip: Clip) -> bool:
    return clip.speed > 0.0 and abs(clip.heading) < AHEAD and abs(clip.turn) < AHEAD and clip.sure >= SURE
