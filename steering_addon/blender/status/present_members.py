"""The members of a crowd that are present on the current frame, and the states that they are in, as far as it is known.

While a preview is on, it tells. Otherwise the record of its bake says when a vehicle is present and what it took up,
or, without a bake, its frame to enter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...portrayal.driver_properties import STATE
from ...simulation.arrays.chance import keys_of_vehicles
from ...simulation.presence.attendance import Attendance, enter_frames
from ..animation.bake_record import BakeRecord
from ..animation.custom_properties import path_of
from ..animation.frame_rate import frame_range
from ..animation.ownership import CurrentAnimation
from ..animation.run_records import Outcomes, TakenUp, outcome_of
from ..preview.published import published_frame
from ..properties import scene_setting
from ..property_groups import values_of
from ..read.sources import ALWAYS, own_enter_frame
from ..refusal import Refusal


@dataclass(frozen=True)
class Presence:
    """The presence of some vehicles on a frame. `enters`: the frame on which the next of the others enters; inf if none
    does, or if it is not known."""

    present: int = 0
    left: int = 0
    enters: float = np.inf


def presence_of(
    crowd: Object, vehicles: Sequence[tuple[Object, BakeRecord | None, int]], scene: Scene, outcomes: Outcomes
) -> Presence:
    """The presence of a crowd's vehicles, given each object with the record of the bake it plays and their number."""
    first, last = frame_range(scene)
    frame = min(max(scene.frame_current, first), max(first, last))
    numbers = [number for *_, number in vehicles]
    enters = _entering(crowd, [ob for ob, *_ in vehicles], scene)
    of_each: list[Sequence[float]] = []
    for due, (ob, bake, number) in zip(enters.tolist(), vehicles):
        alike = bake is None or outcomes.points(ob, bake) is None
        of_each += [_span(due, ob, bake, outcomes)] * number if alike else outcomes.present(ob, bake).tolist()
    spans = np.array(of_each).reshape(-1, 2)
    outside, left = frame < spans[:, 0], frame > spans[:, 1]
    if (previewed := published_frame(scene)) is not None:
        masks = previewed.absent([ob for ob, *_ in vehicles])
        if len(masks[0]) == len(spans):
            spans[:, 0] = np.repeat(enters, numbers)
            outside, left = masks
    coming = spans[outside & (spans[:, 0] > frame), 0]
    return Presence(
        present=int(np.count_nonzero(~outside & ~left)),
        left=int(np.count_nonzero(left)),
        enters=float(coming.min(initial=np.inf)),
    )


def _entering(crowd: Object, vehicles: Sequence[Object], scene: Scene) -> np.ndarray:
    """The frames on which vehicles are to enter, (k,); -inf if they are present from the start."""
    fixed = np.array([own_enter_frame(ob) for ob in vehicles])
    if not crowd.steering.is_property_set("attendance") or not crowd.steering.attendance.use_enter_frame:
        return np.where(np.isnan(fixed), -np.inf, fixed)
    identities, seeds = (
        np.array([getattr(ob.steering, name) for ob in vehicles], dtype=np.int64) for name in ("identity", "seed")
    )
    try:
        attendance = Attendance.of(len(vehicles), **values_of(Attendance, crowd.steering.attendance))
    except Refusal:
        # Panels are drawn whatever a file holds, and a bake says what is wrong.
        return np.where(np.isnan(fixed), -np.inf, fixed)
    shared = enter_frames(attendance, keys_of_vehicles(scene_setting(scene, "seed"), identities, seeds))
    return np.where(np.isnan(fixed), shared, fixed)


def _span(enters: float, ob: Object, bake: BakeRecord | None, outcomes: Outcomes) -> tuple[float, float]:
    """The first and the last frame on which a vehicle is present."""
    if bake is None:
        return enters, np.inf
    first, last = outcomes.of(ob, bake).present_frames or ALWAYS
    # A vehicle that never entered waited for room.
    return (first, last) if first <= last else (np.inf, np.inf)


def tells_state(record: BakeRecord | None) -> bool:
    """Whether a bake tells in which state its vehicle is."""
    return record is not None and path_of(STATE) in record.channels


def present_state(scene: Scene, ob: Object, *, baked: bool, depsgraph: Depsgraph | None = None) -> int | None:
    """The number of the state that a vehicle is in, 0 for none; None if it is not known.

    Args:
        baked: whether its bake tells the state (`tells_state`).
        depsgraph: for whose frame a bake is asked; that of the scene if None.
    """
    if (previewed := published_frame(scene)) is not None and (number := previewed.state_number(ob)) is not None:
        return number
    if not baked:
        return None
    number = (ob if depsgraph is None else ob.evaluated_get(depsgraph)).get(STATE)
    if number is None:
        # Of a library override Blender saves the keys, not the property.
        curve = CurrentAnimation(ob).curves(path_of(STATE)).get(0)
        frame = (scene if depsgraph is None else depsgraph.scene).frame_current_final
        number = None if curve is None else round(curve.evaluate(frame))
    return number if isinstance(number, int) else None


def states_now(scene: Scene, ob: Object, baked: bool) -> list[int | None]:
    """The numbers of the states of a vehicle, or of those that are points of an object, as of `present_state`."""
    previewed = published_frame(scene)
    if previewed is not None and previewed.numbers is not None and len(rows := previewed.rows_of(ob)) > 1:
        return [int(number) for number in previewed.numbers[rows]]
    return [present_state(scene, ob, baked=baked)]


def history_of(scene: Scene, ob: Object) -> tuple[TakenUp, ...]:
    """The states that a vehicle takes up, with the reasons; those of a preview until the current frame."""
    if (previewed := published_frame(scene)) is not None and (history := previewed.history(ob)) is not None:
        return history
    return outcome_of(ob).states
