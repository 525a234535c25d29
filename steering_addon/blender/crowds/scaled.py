"""Which vehicles were scaled after they were measured: their bodies count as large as before."""

from collections.abc import Iterable, Iterator

from bpy.types import Object

from ..objects.body_sizes import mean_scale
from ..read.dependencies import animates

LEAST = 0.1
"""The least change of a size that is told, as a share of it: less is hardly seen."""


def scaled_since(vehicles: Iterable[Object]) -> Iterator[Object]:
    """The vehicles that are larger or smaller than when they were measured.

    One whose scale is animated is of no particular size. Applying a scale to a mesh does not change its size.
    """
    for ob in vehicles:
        measured = ob.steering.measured_scale
        if measured <= 0.0 or not _differs(mean_scale(ob), measured) or animates(ob, "scale"):
            continue
        axis = "XYZ".index(ob.steering.up_axis[-1])
        if ob.type == "MESH" and not _differs(ob.dimensions[axis], ob.steering.height * measured):
            continue
        yield ob


def _differs(size: float, other: float) -> bool:
    return abs(size - other) > LEAST * other
