"""Which vehicles have an origin far outside their model: they turn about it, and their body reaches from it."""

from collections.abc import Hashable, Iterable

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...simulation.locomotion import Locomotion
from ..moving import BY_CHOICE
from ..objects.body_sizes import SOLID, box_corners
from ..objects.doubles import doubles
from ..objects.hierarchy import Family, instanced
from ..objects.tagged_objects import crowd_of

BOXED = {*SOLID, "ARMATURE"}
"""Types of parts that the box round a model holds."""
OUTSIDE = 0.5
"""Least distance of an origin from the box round a model for it to be far outside, as a share of the box's longest
side: less than that is within what the ways of two models differ by."""


REMEDIES = {
    "MESH": "Use Object > Set Origin, untag, and tag again",
    "EMPTY": "Turn on Options > Affect Only > Parents, move it to its parts, untag, and tag again",
    "INSTANCE": "Set the offset of the collection in Properties > Collection > Instancing, untag, and tag again",
}
"""What to do about a model of a kind that lies far from its origin."""


def off_origin(vehicles: list[Object]) -> dict[str, list[Object]]:
    """The vehicles whose models lie far from their origins, by kind; of what keeps to the ground, seen from above.

    Models that stand or hover above their origin are as meant there.
    """
    sound: dict[Hashable, bool] = {}
    far: dict[str, list[Object]] = {}
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
            far.setdefault(kind, []).append(ob)
    return far


def _corners(ob: Object, family: Family | None) -> NDArray[np.float64]:
    """The corners of the boxes round an object, its parts and what it shows of a collection, in its space, (m, 3)."""
    inverted = ob.matrix_world.inverted_safe()
    boxes: dict[bool, list[NDArray[np.float64]]] = {True: [], False: []}
    if ob.type == "MESH":
        boxes[True].append(doubles(ob.bound_box))
    for part in ob.children_recursive if family is None else family.descendants(ob):
        if part.type in BOXED:
            boxes[part.type in SOLID].append(box_corners(part, doubles(inverted @ part.matrix_world)))
    collection = instanced(ob)
    for shown in collection.all_objects if collection is not None else ():
        if shown.type in BOXED:
            placed = box_corners(shown, doubles(shown.matrix_world)) - doubles(collection.instance_offset)
            boxes[shown.type in SOLID].append(placed)
    # Bones may reach far beyond what they move.
    return np.concatenate(boxes[True] or boxes[False] or [np.zeros((1, 3))])


def _is_far(corners: NDArray[np.float64], *, level: int | None = None) -> bool:
    """Whether the origin is far outside the box round corners (m, 3).

    Args:
        level: the axis that does not count, 0 to 2.
    """
    low, high = corners.min(axis=0), corners.max(axis=0)
    gap = np.maximum(np.maximum(low, -high), 0.0)
    if level is not None:
        gap[level] = 0.0
    return bool((gap * gap).sum() > (OUTSIDE * (high - low).max()) ** 2 > 0.0)


def _up_of(ob: Object) -> int | None:
    """The up axis of a vehicle that keeps to the ground, 0 to 2; None for others."""
    crowd = crowd_of(ob)
    settings: Iterable[str] = (ob.steering.own_locomotion, crowd.steering.locomotion if crowd is not None else "")
    kind: type[Locomotion] | None = next((BY_CHOICE[name] for name in settings if name in BY_CHOICE), None)
    return "XYZ".index(ob.steering.up_axis[-1]) if kind is not None and kind.grounded else None
