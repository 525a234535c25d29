"""Who of a crowd is there on the frame its scene stands on, as far as that is known.

While a preview is on it says so; of a vehicle that plays a bake the bake does, and of others when they are to enter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...simulation.arrays.chance import keys_of_vehicles
from ...simulation.presence.attendance import Attendance, enter_frames
from ..absentees import absentees
from ..crowds.entry_settings import own_enter_frame
from ..properties import settings_of
from ..property_groups import values_of
from ..read.plan import frame_range

if TYPE_CHECKING:
    from bpy.types import Object, Scene

    from ..write.ownership import BakeRecord


@dataclass(frozen=True)
class Whereabouts:
    """Who of some vehicles is there.

    Attributes:
        there: how many.
        left: how many have been there and come no more.
        enters: the frame on which the next of the others enters; inf where nobody does, or where that is not known.
    """

    there: int = 0
    left: int = 0
    enters: float = np.inf


def whereabouts(crowd: Object, vehicles: Sequence[tuple[Object, BakeRecord | None]], scene: Scene) -> Whereabouts:
    """Who of a crowd's vehicles is there, each with the record of the bake it plays."""
    first, last = frame_range(scene)
    frame = min(max(scene.frame_current, first), max(first, last))
    enters = _entering(crowd, [ob for ob, _ in vehicles], scene)
    spans = np.array([_span(at, record) for at, (_, record) in zip(enters.tolist(), vehicles)]).reshape(-1, 2)
    outside, left = frame < spans[:, 0], frame > spans[:, 1]
    if (absent := absentees(scene)) is not None:
        spans[:, 0] = enters
        outside, left = absent.among([ob for ob, _ in vehicles])
    coming = spans[outside & (spans[:, 0] > frame), 0]
    return Whereabouts(
        there=int(np.count_nonzero(~outside & ~left)),
        left=int(np.count_nonzero(left)),
        enters=float(coming.min(initial=np.inf)),
    )


def _entering(crowd: Object, vehicles: Sequence[Object], scene: Scene) -> np.ndarray:
    """The frames on which vehicles are to enter, (k,); -inf where they are there from the start."""
    own = np.array([own_enter_frame(ob) for ob in vehicles])
    if not crowd.steering.is_property_set("attendance") or not crowd.steering.attendance.use_enter_frame:
        return np.where(np.isnan(own), -np.inf, own)
    stored = settings_of(scene)
    identities, seeds = (
        np.array([getattr(ob.steering, name) for ob in vehicles], dtype=np.int64) for name in ("identity", "seed")
    )
    attendance = Attendance.of(len(vehicles), **values_of(Attendance, crowd.steering.attendance))
    shared = enter_frames(attendance, keys_of_vehicles(stored.seed if stored else 0, identities, seeds))
    return np.where(np.isnan(own), shared, own)


def _span(enters: float, record: BakeRecord | None) -> tuple[float, float]:
    """The first and the last frame on which a vehicle is there."""
    if record is None:
        return enters, np.inf
    if record.there is None:
        return -np.inf, np.inf
    first, last = record.there
    # One that never came in would have, had there been room.
    return record.there if first <= last else (np.inf, np.inf)
