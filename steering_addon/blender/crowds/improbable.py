"""Improbable sizes and speeds of the members of a crowd, by kind, such as those of a model in centimetres."""

from collections.abc import Sequence
from typing import NamedTuple

from bpy.types import Object

from ..clips.clip_speeds import cruise_of, named_gaits
from ..clips.crowd_clips import stored_clips
from ..moving import BY_CHOICE
from ..properties import settings_of
from .joining import height_of

CENTIMETRES = 30.0
"""Metres: a larger model is most often one from a file in centimetres."""
MEASURED = 8
"""Members whose height is looked at: copies of a few models are about as tall."""


class Limits(NamedTuple):
    """The largest size in metres, and the greatest speed in m/s, of members of a kind that is named in the plural."""

    kind: str
    size: float
    speed: float


PEOPLE, ANIMALS, BIRDS = Limits("people", 4.0, 12.0), Limits("animals on foot", 10.0, 35.0), Limits("birds", 10.0, 60.0)
BY_LOCOMOTION = {"swimming": Limits("fish", 40.0, 35.0), "wheeled": Limits("cars", 40.0, 150.0)}
ANYTHING = Limits("models", 100.0, 1000.0)
"""Limits of everything else, such as large ships and airliners."""


def why_improbable(crowd: Object, members: Sequence[Object], *, are_birds: bool = False) -> str:
    """The improbable size or speed of the members of a crowd, and the remedy; empty if there is none. Writes nothing.
    `are_birds`: whether what flies is known to be birds, even without a clip that beats."""
    stored = settings_of(crowd)
    if not members or stored is None or not stored.is_property_set("vehicle"):
        return ""
    limits, model = _limits_of(crowd, are_birds), crowd.steering.vehicle
    heights = max(height_of(ob) for ob in members[:MEASURED])
    lengths = max(
        ob.steering.size_factor * max(model.length * ob.steering.length_factor, 2.0 * model.radius) for ob in members
    )
    size, speed = max(heights, lengths), cruise_of(crowd)
    if size > limits.size:
        text = f"Members of {crowd.name} are {size:.3g} m large, which {limits.kind} hardly are"
        return f"{text}. {scaling(size)}, then make them again"
    if speed > limits.speed:
        text = f"{crowd.name} moves at {speed:.0f} m/s, which {limits.kind} hardly do"
        return f"{text}. Choose its Max Speed, or a Ground Speed of its clips, by hand"
    walk, run = named_gaits(crowd)
    if walk is not None and run is not None and walk[0] > run[0]:
        text = f"{walk[1]} of {crowd.name} is made for {walk[0]:.1f} m/s, and {run[1]} for {run[0]:.1f} m/s"
        return f"{text}: a walk is hardly faster than a run. Set a Ground Speed of these clips by hand"
    return ""


def scaling(size: float) -> str:
    """How a model that is too large, (metres), may be made smaller."""
    if size > CENTIMETRES:
        return "Scale the model by .01, as for a file in centimetres, and apply the scale"
    return "If that is not meant, scale the model and apply the scale"


def _limits_of(crowd: Object, are_birds: bool) -> Limits:
    moves = BY_CHOICE.get(crowd.steering.locomotion)
    name = moves.name if moves is not None else ""
    if name == "on_foot":
        return ANIMALS if crowd.steering.vehicle.length > 0.0 else PEOPLE
    if name == "flying" and (are_birds or any(clip.plays == "BEAT" for clip in stored_clips(crowd))):
        return BIRDS
    return BY_LOCOMOTION.get(name, ANYTHING)
