"""The guides that lead vehicles by hand: checked, and read frame by frame."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Object

from ...simulation.guides import Guides
from ..objects.doubles import doubles
from ..objects.tagged_objects import full_name
from ..properties import pointed_at
from ..refusal import Refusal
from .checks import check_numbers
from .dependencies import animates, reasons, with_all_behind
from .sources import BodySource, carrier_of, standing
from .vehicles import VehicleSource


@dataclass(frozen=True)
class GuideSource:
    """A guide of a vehicle. `row`: of the vehicle; `body`: the guide, an object or a bone."""

    row: int
    body: BodySource


def guides_of(
    source: VehicleSource,
    rows: Mapping[str, int],
    names: Collection[str],
) -> tuple[GuideSource, ...]:
    """The guides of those vehicles that are led by hand, or may be on some frame. Refused if a guide is missing, or
    depends on a vehicle that the run moves.

    Args:
        source: the vehicles that the run moves; only objects have a guide.
        rows: the rows of these by full name.
        names: the full names of the objects of the scene.
    """
    by_hand = source.stored["by_hand"]
    maybe = ((by_hand > 0.0) | source.animated)[source.object_rows]
    sources = []
    for k in np.flatnonzero(maybe).tolist():
        vehicle, row = source.objects[k], int(source.object_rows[k])
        if by_hand[row] > 0.0 or animates(vehicle, "steering.by_hand"):
            sources.append(GuideSource(row, _checked(vehicle, rows, names)))
    return tuple(sources)


def read_guides(sources: Sequence[GuideSource], by_hand: np.ndarray, depsgraph: Depsgraph, frame: int) -> Guides | None:
    """Where the guides are on a frame; None without any. `by_hand`: (n,) how far each vehicle follows its guide.
    Refused if a guide has an invalid transform."""
    if not sources:
        return None
    matrices = np.array([doubles(standing(each.body, depsgraph)) for each in sources]).reshape(-1, 4, 4)
    check_numbers(matrices, [each.body.ob for each in sources], frame)
    rows = np.array([each.row for each in sources], dtype=np.int64)
    return Guides(rows, by_hand[rows].astype(np.float64), matrices[:, :3, 3])


def _checked(vehicle: Object, rows: Mapping[str, int], names: Collection[str]) -> BodySource:
    """The guide of a vehicle."""
    settings = vehicle.steering
    guide = pointed_at(settings, "guide")
    if guide is None:
        text = f"{vehicle.name} is led by hand but has no guide. Choose a Guide, or set By Hand to 0."
        raise Refusal(text, about=[vehicle])
    if full_name(guide) not in names:
        text = f"{guide.name}, the guide of {vehicle.name}, is no longer in the scene. Choose another object."
        raise Refusal(text, about=[vehicle])
    bone = settings.guide_bone if guide.type == "ARMATURE" else ""
    if bone and bone not in guide.pose.bones:
        text = f"{guide.name}, the guide of {vehicle.name}, has no bone {bone}. Choose another bone."
        raise Refusal(text, about=[vehicle])
    for ob in with_all_behind([guide]):
        carriers = {carrier_of(behind, rows) for behind in (ob, *(other for other, _ in reasons(ob)))} - {-1}
        if carriers:
            raise Refusal(
                f"{guide.name}, the guide of {vehicle.name}, moves with a vehicle that the bake has yet to move. "
                f"Choose another guide.",
                about=[guide],
            )
    return BodySource(guide, -1, bone)
