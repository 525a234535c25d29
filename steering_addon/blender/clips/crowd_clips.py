"""The clips of a crowd: its models, what each of them can play, and what is known of that by measuring.

A measurement is stored with the clips of the crowd, for the model that most of its vehicles have. It holds as long as
the clips, the model and the frame rate are the same; else they are measured again. Of vehicles that share an armature,
each may wear something else, so it is always the same one that is measured.
"""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action, FCurve, Object, PropertyGroup, Scene

from ...portrayal.clips import (
    ANY,
    BEAT,
    NO_STATE,
    ON_LINK,
    STAND,
    Clip,
    ClipSettings,
    Measurement,
    at_ground_speed,
    measurement_of,
    text_of,
)
from ...portrayal.driver_properties import Beats, Portrayal
from ...portrayal.heads import Gaze
from ...simulation.arrays.chance import Keys
from ...simulation.roles import Role
from ..animation.animation_data import channelbags
from ..animation.keyframes import POINTS
from ..objects.body_parts import seen, vertices_of
from ..objects.body_sizes import mean_scale
from ..objects.doubles import column_from, doubles
from ..objects.hierarchy import Family, lineage, shown_in
from ..objects.identity import state_numbers
from ..objects.tagged_objects import crowd_of, full_name, in_use, tagged, vehicles_of
from ..properties import pointed_at, pointed_in, settings_of
from ..property_groups import values_of
from ..refusal import Refusal, choice_in, sound_front
from .clip_copies import curves_for, fits
from .finding_clips import own_actions
from .measuring import measured_clips, player_below
from .poses import span
from .rig import is_mirrored, unevenness
from .shapes import key_points, source_of

_measured: dict[str, tuple[list[Clip], float]] = {}
"""The clips and scales measured in this session by what they were made of, for models that the crowd does not store."""
MOST_KEPT = 256
WITH_PARTNER = ("PARTNER", "ANSWER")
"""When clips are played that are for two."""
FIRST_ON_LINK = 2**30
"""The number of the first action that links name."""


@dataclass(frozen=True)
class Model:
    """Vehicles of a crowd that are the same model, and the clips that it can play.

    Attributes:
        rows: of the vehicles, among those asked for.
        rigs: what plays their clips: their armatures, or their meshes with shape keys.
        entries: the clips of the crowd that fit the model, as the crowd stores them.
        measured: the vehicle on which they are measured, asked for or not: of those of the crowd, the first by name.
        measured_rig: what plays its clips.
    """

    rows: tuple[int, ...]
    vehicles: tuple[Object, ...]
    rigs: tuple[Object, ...]
    entries: tuple[PropertyGroup, ...]
    measured: Object
    measured_rig: Object

    def actions(self) -> list[tuple[Action, bool]]:
        """The actions of the clips, and whether they are played round and round."""
        return [(entry.action, choice_in(entry, "plays") != "DO") for entry in self.entries]


def stored_clips(crowd: Object) -> list[PropertyGroup]:
    """The clips of a crowd that have an action. Writes nothing."""
    stored = settings_of(crowd)
    if stored is None or not stored.is_property_set("portrayal"):
        return []
    return [clip for clip in stored.portrayal.clips if clip.is_property_set("action") and clip.action is not None]


def why_without_rig(ob: Object) -> str:
    """Why a vehicle that shows an armature has none, and the remedy; empty where it shows none either."""
    shown = next((part for part in shown_in(ob) if part.type == "ARMATURE"), None)
    if shown is None:
        return ""
    text = f"{ob.name} shows {shown.name} as an instance, which plays no clips"
    if shown.library is None:
        return f"{text}. Tag {shown.name} itself, or a copy of it"
    return f"{text}. Choose Object > Library Override > Make, and tag what that makes"


def models_of(crowd: Object, vehicles: Sequence[Object], scene: Scene, family: Family) -> list[Model]:
    """The models among vehicles of a crowd, the most frequent in it first, without vehicles that can play no clip."""
    if not (entries := stored_clips(crowd)):
        return []
    members, rows = vehicles_of(crowd, scene), {ob: row for row, ob in enumerate(vehicles)}
    groups = sorted(_rigs_by_model(members, family), key=len, reverse=True)
    models = []
    for rigs, clips in zip(groups, _played_by([next(iter(rigs.values())) for rigs in groups], entries)):
        wanted = sorted((rows[members[k]], rig) for k, rig in rigs.items() if members[k] in rows)
        if clips and wanted:
            own_rows, own_rigs = zip(*wanted)
            lead, rig = next(iter(rigs.items()))
            models.append(
                Model(own_rows, tuple(vehicles[row] for row in own_rows), own_rigs, clips, members[lead], rig)
            )
    return models


def models_with_clips(vehicles: Sequence[Object], family: Family) -> list[tuple[Object, Object]]:
    """The first vehicle of each model that brings other actions than those before, and what plays its clips."""
    models: list[tuple[Object, Object]] = []
    known: set[Action] = set()
    for rigs in _rigs_by_model(vehicles, family):
        row, rig = next(iter(rigs.items()))
        brought = set(own_actions(rig))
        if not models or brought - known:
            models.append((vehicles[row], rig))
        known |= brought
    return models


def _rigs_by_model(vehicles: Sequence[Object], family: Family) -> list[dict[int, Object]]:
    """The players of clips of the vehicles of each model, by their rows, in the order of the vehicles."""
    models: dict[tuple, dict[int, Object]] = {}
    for row, ob in enumerate(vehicles):
        if (rig := player_below(ob, family)) is not None:
            models.setdefault((rig.type, source_of(rig.data).name_full, *sound_front(ob), *_shape(rig)), {})[row] = rig
    return list(models.values())


def _played_by(rigs: Sequence[Object], entries: Sequence[PropertyGroup]) -> list[tuple[PropertyGroup, ...]]:
    """The clips of a crowd that each of its models plays, from an armature of each model.

    A model plays the clips whose bones it has. Clips that came with another model it plays only on occasions for which
    it brought none of its own: the walk of a deer moves a stag, too, but its legs are not those of a stag.
    """
    brought = [set(own_actions(rig)) if len(rigs) > 1 else set() for rig in rigs]
    played = []
    for rig, actions in zip(rigs, brought):
        foreign = set().union(*brought) - actions
        fitting = [entry for entry in entries if fits(entry.action, rig)]
        occasions = [_occasion(entry) for entry in fitting if entry.action not in foreign]
        played.append(
            tuple(entry for entry in fitting if entry.action not in foreign or _occasion(entry) not in occasions)
        )
    return played


def _occasion(entry: PropertyGroup) -> tuple[object, ...]:
    return entry.plays, entry.when, entry.with_company, state_of(entry)


def _shape(rig: Object) -> tuple[object, ...]:
    """The change of an armature's shape by its scale; empty if there is none."""
    matrix = doubles(rig.matrix_world)
    uneven = unevenness(matrix)
    return ("mirrored", *uneven) if is_mirrored(matrix) else uneven


def clips_of(model: Model, scene: Scene, family: Family) -> tuple[list[Clip], float]:
    """The clips of a model with the settings of its crowd, and the scale of their speeds; unknown ones are measured.
    Writes nothing. Refused if a clip cannot be measured."""
    clips, scale = measure(model, scene, family, hash_of(model, scene, family))
    has_states = any(state_of(entry) is not None for entry in model.entries)
    numbers = numbers_of_states(model.entries[0].id_data, scene) if has_states else {}
    on_links = numbers_on_links(scene)
    return [_as_set(clip, entry, numbers, on_links) for clip, entry in zip(clips, model.entries)], scale


def numbers_on_links(scene: Scene) -> dict[Action, int]:
    """The actions that links of a scene name, each with a number that no state has. Writes nothing."""
    named = {action for ob in tagged(in_use(scene), Role.LINK) if (action := clip_of_link(ob)) is not None}
    return {action: FIRST_ON_LINK + k for k, action in enumerate(sorted(named, key=lambda action: action.name_full))}


def clip_of_link(ob: Object) -> Action | None:
    """The action that a link names. Writes nothing."""
    return pointed_in(ob, "link", "clip")


def numbers_of_states(crowd: Object, scene: Scene) -> dict[Object, int]:
    """The states of a crowd in a scene, each with its number."""
    return state_numbers(ob for ob in tagged(in_use(scene), Role.STATE) if crowd_of(ob) == crowd)


def _as_set(clip: Clip, entry: PropertyGroup, numbers: Mapping[Object, int], on_links: Mapping[Action, int]) -> Clip:
    """A measured clip as it is to be played, with the numbers of states and of actions that links name."""
    if entry.action in on_links:
        return replace(clip, plays=ON_LINK, state=on_links[entry.action])
    clip, state = at_ground_speed(clip, _number(entry, "plays"), entry.ground_speed), state_of(entry)
    return replace(
        clip,
        with_company=clip.plays == STAND and entry.with_company,
        state=ANY if state is None else numbers.get(state, NO_STATE),
        when=_number(entry, "when"),
    )


def state_of(entry: PropertyGroup) -> Object | None:
    """The state that a clip is for, None for any. Writes nothing."""
    state: Object | None = pointed_at(entry, "state")
    return state


def apart_for(crowd: Object, state: Object | None = None) -> float:
    """How far from their partners the clips are made to be played, metres, of vehicles of a crowd, or in a state of it;
    the largest distance, 0 for none. Writes nothing."""
    clips = [entry for entry in stored_clips(crowd) if entry.plays == "DO" and entry.when in WITH_PARTNER]
    for_state = [entry for entry in clips if state_of(entry) == state]
    return max((entry.apart for entry in for_state or clips if state_of(entry) in (None, state)), default=0.0)


def is_measured(model: Model, scene: Scene, family: Family) -> bool:
    """Whether the clips of a model need not be measured."""
    return _known(model, hash_of(model, scene, family)) is not None


def _known(model: Model, made_of: str) -> tuple[list[Clip], float] | None:
    """The measured clips of a model and their scale: as the crowd stores them, or as measured in this session."""
    stored = [measurement_of(entry.measured) for entry in model.entries]
    if all(known is not None and known.made_of == made_of and known.scale == stored[0].scale for known in stored):
        return [known.clip for known in stored], stored[0].scale
    return _measured.get(_key(model, made_of))


def _key(model: Model, made_of: str) -> str:
    # The speeds of a new crowd are those of its own size.
    return f"{made_of} {scale_of(model.measured_rig):.4g}"


def measure(model: Model, scene: Scene, family: Family, made_of: str) -> tuple[list[Clip], float]:
    """The measured clips of a model and their scale; unknown ones are measured now. Writes nothing."""
    measured = _known(model, made_of)
    if measured is None:
        vehicle, actions = model.measured, [entry.action for entry in model.entries]
        clips = measured_clips(vehicle, actions, scene, family, sound_front(vehicle))
        measured = clips, scale_of(model.measured_rig)
        while len(_measured) >= MOST_KEPT:
            _measured.pop(next(iter(_measured)))
        _measured[_key(model, made_of)] = measured
    return measured


def store_measurements(models: Sequence[Model], scene: Scene, family: Family, *, again: bool = False) -> None:
    """Measure the clips of a crowd's models and store that with them, each for the most frequent model that plays it;
    `again`: whether to measure known clips, too."""
    known: set[int] = set()
    if again:
        _measured.clear()
        for entry in (entry for model in models for entry in model.entries):
            entry.measured = ""
    for model in models:
        made_of = hash_of(model, scene, family)
        clips, scale = measure(model, scene, family, made_of)
        for entry, clip in zip(model.entries, clips):
            if entry.as_pointer() in known:
                continue
            known.add(entry.as_pointer())
            text = text_of(Measurement(clip, made_of, scale))
            if entry.measured != text:
                entry.measured = text


def measure_unknown(scene: Scene) -> None:
    """Measure the clips of a scene that are not known, for this session; those that cannot be measured stay unknown.
    Writes nothing, but may add datablocks for a moment."""
    family = Family()
    for crowd in tagged(in_use(scene), Role.CROWD):
        for model in models_of(crowd, vehicles_of(crowd, scene), scene, family):
            with suppress(Refusal):
                measure(model, scene, family, hash_of(model, scene, family))


def settings_for(crowd: Object, count: int) -> ClipSettings:
    """The settings for playing the clips of a crowd, `count` rows."""
    portrayal = crowd.steering.portrayal
    stored = values_of(ClipSettings, portrayal.playing) if portrayal.is_property_set("playing") else {}
    return ClipSettings.of(count, **stored)


def beats_of(crowd: Object, clips: Sequence[Clip], keys: Keys, frame_time: float) -> Beats | None:
    """The beats of vehicles of a crowd with these keys (n,); None if none of its clips beats."""
    if not any(clip.plays == BEAT for clip in clips):
        return None
    portrayal, vehicle = crowd.steering.portrayal, crowd.steering.vehicle
    settings = Portrayal.of(len(keys), **values_of(Portrayal, portrayal))
    return Beats(settings, keys, frame_time, vehicle.max_speed * vehicle.cruise_speed)


def scale_of(rig: Object) -> float:
    """The factor by which an armature is larger than its data, by the scales of the objects that carry it."""
    scale = 1.0
    for ob in lineage(rig):
        # Not of its matrix, whose last digits depend on how it is turned: a bake would differ from the one before.
        scale *= mean_scale(ob)
        if ob.parent is not None:
            scale *= abs(ob.matrix_parent_inverse.median_scale)
    return scale if scale > 0.0 else 1.0


def check_has_models(crowd: Object, vehicles: Sequence[Object], models: Sequence[Model]) -> None:
    """Refuse a crowd with clips that none of its vehicles can play."""
    if models or not vehicles:
        return
    if all(player_below(ob, Family()) is None for ob in vehicles):
        if why := why_without_rig(vehicles[0]):
            raise Refusal(f"{why}, or remove the clips.", about=[vehicles[0], crowd])
        text = f"{vehicles[0].name} has no armature or shape keys to play the clips of {crowd.name}"
        raise Refusal(f"{text}. Choose a model with some, or remove the clips.", about=[vehicles[0], crowd])
    text = f"{vehicles[0].name} has none of the bones or shape keys that the clips of {crowd.name} move"
    raise Refusal(f"{text}. Choose clips that were made for it.", about=[vehicles[0], crowd])


def looked_at(ob: Object) -> Object | None:
    """The object that the heads of a crowd, or in a state, turn to; None if it is not set. Writes nothing."""
    return pointed_in(ob, "portrayal", "look_at")


def gaze_of(crowd: Object, scene: Scene, rows: Mapping[str, int]) -> Gaze:
    """Where the heads of a crowd turn; `rows` are those of the bodies of a run, by full name."""
    settings = settings_for(crowd, 1)
    targets = {number: looked_at(ob) for ob, number in {crowd: -1, **numbers_of_states(crowd, scene)}.items()}
    in_states = {n: rows[full_name(ob)] for n, ob in targets.items() if ob is not None and full_name(ob) in rows}
    return Gaze(
        lead=float(settings.look_ahead[0]),
        target=in_states.pop(-1, -1),
        in_states=in_states,
        callers=bool(settings.look_at_caller[0]),
    )


def clips_made_of(crowd: Object, states: Mapping[Object, int]) -> str:
    """The hash of the clips of a crowd and of how they are played, to show whether what was written still holds.
    Nothing is evaluated, and nothing is written. `states`: those of the crowd, with their numbers."""
    hashed = hashlib.blake2b(digest_size=16)
    entries = stored_clips(crowd)
    if entries:
        portrayal = crowd.steering.portrayal
        stored = values_of(ClipSettings, portrayal.playing) if portrayal.is_property_set("playing") else {}
        defaults = {name: parameter.default for name, parameter in ClipSettings.parameters().items()}
        # As Blender stores numbers, so that a default counts as one also where it is stored.
        playing = [(name, float(np.float32(stored.get(name, defaults[name])))) for name in defaults]
        targets = {number: looked_at(ob) for ob, number in {crowd: -1, **states}.items()}
        looks = sorted((number, ob.name_full) for number, ob in targets.items() if ob is not None)
        hashed.update(repr((portrayal.head_bone, portrayal.own_shapes, looks, playing)).encode())
    for entry in entries:
        shown = entry.action.name_full, *span(entry.action), entry.plays, entry.ground_speed, entry.with_company
        state, when = state_of(entry), (entry.when, entry.apart) if entry.plays == "DO" else ""
        hashed.update(repr((*shown, when, ANY if state is None else states.get(state, NO_STATE))).encode())
        for bag in channelbags(entry.action):
            for curve in bag.fcurves:
                hashed.update(repr((curve.data_path, curve.array_index, curve.mute, len(curve.modifiers))).encode())
                hashed.update(points_of(curve))
    return hashed.hexdigest()


def hash_of(model: Model, scene: Scene, family: Family) -> str:
    """The hash of what a measurement is made from: the clips, the model and the frame rate."""
    hashed = hashlib.blake2b(digest_size=16)

    def add(*values: object) -> None:
        for value in values:
            hashed.update(value if isinstance(value, bytes) else repr(value).encode())

    rig = model.measured_rig
    add(scene.render.fps, scene.render.fps_base, *sound_front(model.measured), *_shape(rig))
    if rig.type == "MESH":
        for block in rig.data.shape_keys.key_blocks:
            points = key_points(block).tobytes()
            add(block.name, block.relative_key.name, block.vertex_group, block.mute, points)
    for bone in rig.data.bones if rig.type == "ARMATURE" else ():
        add(bone.name, bone.parent.name if bone.parent else "", tuple(map(tuple, bone.matrix_local)))
    for bone in rig.pose.bones if rig.type == "ARMATURE" else ():
        # Their influence and what they may be switched by are often animated, and differ on each frame.
        add(*((constraint.type, getattr(constraint, "subtarget", "")) for constraint in bone.constraints))
    meshes = [part for part in family.descendants(rig) if part.type == "MESH"]
    # Names of meshes are those without the number of a copy.
    for part in sorted(seen(meshes), key=lambda part: part.data.name_full):
        points = vertices_of(part.data)
        add(len(points), points.tobytes(), part.parent_bone)
    for entry in model.entries:
        add(*span(entry.action))
        for (path, index), curve in sorted(curves_for(entry.action, rig).items(), key=lambda item: item[0]):
            add((path, index, len(curve.modifiers)), points_of(curve))
    return hashed.hexdigest()


def points_of(curve: FCurve) -> bytes:
    """The keys of a curve, with their handles."""
    return b"".join(column_from(curve.keyframe_points, name, 2).tobytes() for name in POINTS)


def _number(entry: PropertyGroup, name: str) -> int:
    return entry.bl_rna.properties[name].enum_items[choice_in(entry, name)].value
