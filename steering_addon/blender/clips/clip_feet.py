"""The feet of the models of a crowd: how low they rest in their clips, and why they cannot be held."""

from collections.abc import Collection

from bpy.types import Object, Scene

from ...portrayal.clips import ClipSettings, leading
from ..objects.body_sizes import SOLES
from ..objects.hierarchy import Family
from ..objects.tagged_objects import names_of
from ..properties import settings_of
from ..refusal import sound_front
from .crowd_clips import Model, clips_of, scale_of
from .measuring import shape_of
from .planting import planter_of

LEAST = 0.005
"""The share of the height by which soles are below the origin, from which on it is seen."""


def stand_on_soles(model: Model, scene: Scene, family: Family) -> None:
    """Raise the origins of vehicles to where the feet of their clips rest, which is where the vehicles stand.

    An origin height that was set by hand stays, and so does one that was measured at rest, if the clips stand there
    too: rest poses of robots and of files from games may float, or be below the ground. Refused if a clip cannot be
    measured.
    """
    clips, scale = clips_of(model, scene, family)
    first = leading(clips)
    if first < 0:
        return
    player, vehicle = model.rigs[0], model.vehicles[0]
    shape = shape_of(player, vehicle, family, sound_front(vehicle))
    at_rest = -float(shape.at_rest()[:, 2].min()) / scale_of(vehicle)
    for ob, rig in zip(model.vehicles, model.rigs):
        settings = ob.steering
        sole = -clips[first].sole / scale * scale_of(rig) / scale_of(ob)
        below = sole if sole > LEAST * settings.height else 0.0
        known = at_rest if at_rest > SOLES * settings.height else 0.0
        by_hand = abs(settings.origin_height - known) > LEAST * settings.height
        stands = known > 0.0 and abs(below - known) < SOLES * settings.height
        if not (by_hand or stands or below == settings.origin_height) and ob.is_editable:
            settings.origin_height = below


def why_unplanted(model: Model, scene: Scene, family: Family) -> str:
    """Why feet of a model cannot be held; empty if they can, or none moves. Refused if a clip cannot be measured."""
    armature, vehicle = model.measured_rig, model.measured
    rig = shape_of(armature, vehicle, family, sound_front(vehicle))
    clips = clips_of(model, scene, family)[0]
    return planter_of(armature, rig, clips, [entry.action for entry in model.entries])[1]


def store_unplanted(crowd: Object, reasons: Collection[tuple[Model, str]]) -> None:
    """Store with a crowd why the feet of its models cannot be held, and of which, if those of others can. `reasons` are
    of each model, empty for those that can."""
    loose = [(model, reason) for model, reason in reasons if reason]
    names = [ob.name for model, _ in loose for ob in model.vehicles] if len(loose) < len(reasons) else []
    stored = {
        "unplanted": "; ".join(dict.fromkeys(reason for _, reason in loose)),
        "unplanted_models": names_of(names) if names else "",
    }
    for name, text in stored.items():
        if getattr(crowd.steering.portrayal, name) != text:
            setattr(crowd.steering.portrayal, name, text)


def unplanted_of(crowd: Object) -> tuple[str, str] | None:
    """The models of a crowd whose feet cannot be held although that is wanted, empty if it goes for all, and why they
    cannot; None without any. Writes nothing."""
    stored = settings_of(crowd)
    if stored is None or not stored.is_property_set("portrayal") or not len(stored.portrayal.clips):
        return None
    portrayal = stored.portrayal
    default = bool(ClipSettings.parameters()["plant_feet"].default)
    wanted = portrayal.playing.plant_feet if portrayal.is_property_set("playing") else default
    return (portrayal.unplanted_models, portrayal.unplanted) if wanted and portrayal.unplanted else None
