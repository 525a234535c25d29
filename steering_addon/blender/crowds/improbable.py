"""Members that are hardly meant so: improbable sizes and speeds, such as those of a model in centimetres, scales that
changed after a vehicle was measured, origins far outside a model, and parts of one model that would each go their own
way."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ..clips.clip_speeds import cruise_of, named_gaits
from ..clips.crowd_clips import stored_clips
from ..moving import BY_CHOICE, known_locomotion
from ..objects.body_sizes import SOLID, box_corners, mean_scale, off_box
from ..objects.doubles import doubles
from ..objects.hierarchy import Family, instanced
from ..objects.tagged_objects import capsule_of, crowd_of, height_of
from ..properties import settings_of
from ..read.dependencies import animates
from ..units import natural_length, natural_speed, speed_text

CENTIMETRES = 30.0
"""Metres: a larger model is most often one from a file in centimetres."""
MEASURED = 8
"""Members whose height is looked at: copies of a few models are about as tall."""
RESCALED = 0.1
"""The least change of a size that is told, as a share of it: less is hardly seen."""
COMPARED = 1000
"""Objects that are compared with each other at most; a model of more parts is rare."""
BOXED = {*SOLID, "ARMATURE"}
"""Types of parts that the box round a model holds."""
AGAIN = "then untag, tag again and apply its preset again"
"""The rest of the remedy for tagged models of another size: their crowd keeps what was fitted to that."""
OUTSIDE = 0.5
"""Least distance of an origin from the box round a model for it to be far outside, as a share of the box's longest
side: less than that is within what the ways of two models differ by."""
REMEDIES = {
    "MESH": "Use Object > Set Origin, untag, and tag again",
    "EMPTY": "Turn on Options > Affect Only > Parents, move it to its parts, untag, and tag again",
    "INSTANCE": "Set the offset of the collection in Properties > Collection > Instancing, untag, and tag again",
}
"""The remedy for a model of a kind that lies far from its origin."""


class Limits(NamedTuple):
    """The largest size in metres, and the greatest speed in m/s, of members of a kind that is named in the plural."""

    kind: str
    size: float
    speed: float


PEOPLE, ANIMALS, BIRDS = Limits("people", 4.0, 12.0), Limits("animals on foot", 10.0, 35.0), Limits("birds", 4.0, 25.0)
BY_LOCOMOTION = {"swimming": Limits("fish", 40.0, 35.0), "wheeled": Limits("cars", 40.0, 150.0)}
ANYTHING = Limits("models", 100.0, 1000.0)
"""Limits of everything else, such as large ships and airliners."""


def why_improbable(crowd: Object, members: Sequence[Object], *, are_birds: bool = False) -> str:
    """The improbable size or speed of the members of a crowd, and the remedy; empty if there is none. Writes nothing.
    `are_birds`: whether what flies is known to be birds, even without a clip that beats."""
    stored = settings_of(crowd)
    if not members or stored is None or not stored.is_property_set("vehicle"):
        return ""
    limits = _limits_of(crowd, are_birds)
    heights = max(height_of(ob) for ob in members[:MEASURED])
    lengths = max(max(2.0 * radius, length) for radius, length in map(capsule_of, members))
    size, speed = max(heights, lengths), cruise_of(crowd)
    if size > limits.size:
        text = f"Members of {crowd.name} count as {natural_length(size)} large, which {limits.kind} hardly are"
        # Copies share the mesh of the model, and Blender applies no scale to what is shared.
        copied = any(ob.steering.is_property_set("member") for ob in members)
        again = "once its members and crowd are deleted, then populate again" if copied else AGAIN
        return f"{text}. {scaling(size)}, {again}"
    if speed > limits.speed:
        text = f"{crowd.name} counts as moving at {natural_speed(speed, 2)}, which {limits.kind} hardly do"
        return f"{text}. Choose its Max Speed, or a Ground Speed of its clips, by hand"
    walk, run = named_gaits(crowd)
    if walk is not None and run is not None and walk[0] > run[0]:
        text = (
            f"{walk[1]} of {crowd.name} is made for {speed_text(walk[0], 2)}, and {run[1]} for {speed_text(run[0], 2)}"
        )
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


def scaled_since(vehicles: Iterable[Object]) -> Iterator[Object]:
    """The vehicles that are larger or smaller than when they were measured. One whose scale is animated is of no
    particular size. Applying a scale to a mesh does not change its size."""
    for ob in vehicles:
        measured = ob.steering.measured_scale
        if measured <= 0.0 or not _differs(mean_scale(ob), measured) or animates(ob, "scale"):
            continue
        axis = "XYZ".index(ob.steering.up_axis[-1])
        if ob.type != "MESH" or _differs(ob.dimensions[axis], ob.steering.height * measured):
            yield ob


def _differs(size: float, reference: float) -> bool:
    return abs(size - reference) > RESCALED * reference


def loose_parts(objects: Sequence[Object]) -> list[Object]:
    """The objects whose boxes overlap that of another with other data, as wheels do with a car. Copies of one model
    that still stand in one place share their data."""
    solid = [ob for ob in objects if ob.type in SOLID]
    if not 1 < len(solid) <= COMPARED:
        return []
    corners = np.stack([box_corners(ob, doubles(ob.matrix_world)) for ob in solid])
    low, high = corners.min(axis=1), corners.max(axis=1)
    data: dict = {}
    made_of = np.array([data.setdefault(ob.data, len(data)) for ob in solid])
    reach = (low[:, None] < high[None]).all(axis=-1)
    touching = reach & reach.T & (made_of[:, None] != made_of[None])
    return [solid[row] for row in np.flatnonzero(touching.any(axis=1)).tolist()]


def off_origin(vehicles: list[Object]) -> dict[str, list[Object]]:
    """The vehicles whose models lie far from their origins, by kind; of what keeps to the ground, seen from above.
    Models that stand or hover above their origin are as meant there."""
    sound: dict[Hashable, bool] = {}
    far_off: dict[str, list[Object]] = {}
    family = Family() if any(ob.type == "EMPTY" for ob in vehicles) else None
    for ob in vehicles:
        if ob.type == "MESH":
            kind, model = "MESH", ob.data
        elif ob.type == "EMPTY" and family is not None:
            kind = "EMPTY" if instanced(ob) is None else "INSTANCE"
            # Members of a crowd share the data of their parts.
            model = instanced(ob) or tuple(part.data for part in family.children(ob))
        else:
            continue
        if model not in sound:
            sound[model] = not _is_far(doubles(ob.bound_box) if kind == "MESH" else _corners(ob, family))
        if not sound[model] and _is_far(_corners(ob, family), level=_up_of(ob)):
            far_off.setdefault(kind, []).append(ob)
    return far_off


def _corners(ob: Object, family: Family | None) -> NDArray[np.float64]:
    """The corners of all boxes of a model in its own space, (m, 3): of itself, its parts and a collection instance."""
    inverted = ob.matrix_world.inverted_safe()
    boxes: dict[bool, list[NDArray[np.float64]]] = {True: [], False: []}
    if ob.type == "MESH":
        boxes[True].append(doubles(ob.bound_box))
    for part in ob.children_recursive if family is None else family.descendants(ob):
        if part.type in BOXED:
            boxes[part.type in SOLID].append(box_corners(part, doubles(inverted @ part.matrix_world)))
    collection = instanced(ob)
    for member in collection.all_objects if collection is not None else ():
        if member.type in BOXED:
            corners = box_corners(member, doubles(member.matrix_world)) - doubles(collection.instance_offset)
            boxes[member.type in SOLID].append(corners)
    # Bones may reach far beyond what they move.
    return np.concatenate(boxes[True] or boxes[False] or [np.zeros((1, 3))])


def _is_far(corners: NDArray[np.float64], *, level: int | None = None) -> bool:
    """Whether the origin is far outside the box round corners (m, 3); `level`: the axis that does not count, 0 to 2."""
    gap = off_box(corners)
    if level is not None:
        gap[level] = 0.0
    return bool((gap * gap).sum() > (OUTSIDE * np.ptp(corners, axis=0).max()) ** 2 > 0.0)


def _up_of(ob: Object) -> int | None:
    """The up axis of a vehicle that keeps to the ground, 0 to 2; None for others."""
    crowd = crowd_of(ob)
    known = known_locomotion(ob, crowd) if crowd is not None else None
    return "XYZ".index(ob.steering.up_axis[-1]) if known is not None and known[1].grounded else None
