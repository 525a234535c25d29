"""Which vehicles have an origin far outside their model: they turn about it, and their body reaches from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..doubles import doubles
from ..moving import BY_CHOICE
from ..tagged_objects import crowds_of

if TYPE_CHECKING:
    from bpy.types import ID, Object
    from numpy.typing import NDArray

    from ...simulation.locomotion import Locomotion

OUTSIDE = 0.5
"""Least distance of an origin from the box round a model for it to be far outside, as a share of the box's longest
side: less than that is within what the ways of two models differ by."""


def off_origin(vehicles: list[Object]) -> Iterator[Object]:
    """The vehicles whose models lie far from their origins; of what keeps to the ground, seen from above.

    Models that stand or hover above their origin are as meant there.
    """
    sound: dict[ID, bool] = {}
    for ob, crowd in zip(vehicles, crowds_of(vehicles)):
        if ob.type != "MESH":
            continue
        mesh = ob.data
        if mesh not in sound:
            sound[mesh] = not _is_far(doubles(ob.bound_box))
        if not sound[mesh] and _is_far(_corners(ob), level=_up_of(ob, crowd)):
            yield ob


def _corners(ob: Object) -> NDArray[np.float64]:
    """The corners of the boxes round an object and its parts, in its space, (m, 3)."""
    inverted = ob.matrix_world.inverted_safe()
    boxes = [doubles(ob.bound_box)]
    for part in ob.children_recursive:
        matrix = doubles(inverted @ part.matrix_world)
        boxes.append(doubles(part.bound_box) @ matrix[:3, :3].T + matrix[:3, 3])
    return np.concatenate(boxes)


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


def _up_of(ob: Object, crowd: Object | None) -> int | None:
    """The up axis of a vehicle that keeps to the ground, 0 to 2; None for others."""
    settings: Iterable[str] = (ob.steering.own_locomotion, crowd.steering.locomotion if crowd is not None else "")
    kind: type[Locomotion] | None = next((BY_CHOICE[name] for name in settings if name in BY_CHOICE), None)
    return "XYZ".index(ob.steering.up_axis[-1]) if kind is not None and kind.grounded else None
