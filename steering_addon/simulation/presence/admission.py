"""Who takes part at a frame: vehicles come in when it is their time, and who has left is gone.

Who has not entered yet, or has left, takes no part: nobody perceives it, runs into it or steers by it, and it stands
where it starts, or where it arrived.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays.vectors import Mask, Rows, Scalars, Vectors, magnitude, picked
from ..roles import Role
from ..snapshot import Snapshot, State


def admitted(state: State, snapshot: Snapshot) -> tuple[Mask, Snapshot]:
    """Who is still outside at a frame, (n,), and the snapshot of it, in which only those who are there take part.

    Those whose frame has come enter in the order of their rows. Who waits for room stays outside while there is
    somebody in its place; on the first frame nobody waits.
    """
    if snapshot.due is None:
        return state.outside, attending(snapshot, state.gone)
    if state.inputs is None:
        outside: Mask = ~snapshot.due
        return outside, attending(snapshot, state.gone, outside)
    outside = state.outside.copy()
    due = np.flatnonzero(outside & snapshot.due)
    if len(due):
        wait = snapshot.attendance is not None and snapshot.attendance.wait_for_room[due]
        outside[due[~wait]] = False
        outside[_with_room(due[wait], state.motion.position, attending(snapshot, state.gone, outside))] = False
    return outside, attending(snapshot, state.gone, outside)


def attending(snapshot: Snapshot, *away: Mask) -> Snapshot:
    """The snapshot in which those who are away take no part.

    Args:
        away: (n,) each; an empty one is of nobody.
    """
    present = snapshot.present
    for mask in away:
        if len(mask) and mask.any():
            present = present & ~mask
    return snapshot if present is snapshot.present else replace(snapshot, present=present)


def _with_room(waiting: Rows, position: Vectors, snapshot: Snapshot) -> Rows:
    """Which of those who wait have room where they stand, each beside those who enter before it."""
    tracked = snapshot.tracked
    others = tracked.present & ((tracked.roles & int(Role.VEHICLE)) != 0) & (tracked.carrier < 0)
    inside = np.flatnonzero(snapshot.present)
    place = np.concatenate((picked(position, inside), tracked.position[others]))
    radius = np.concatenate((snapshot.vehicle.radius[inside], tracked.radius[others]))
    entered: list[int] = []
    for row in waiting.tolist():
        room = snapshot.vehicle.radius[row]
        if not _touches(position[row], room, place, radius) and not _touches(
            position[row], room, position[entered], snapshot.vehicle.radius[entered]
        ):
            entered.append(row)
    return np.array(entered, dtype=np.int64)


def _touches(point: Vectors, room: float, place: Vectors, radius: Scalars) -> bool:
    """Whether a body at a point overlaps one of those at the places."""
    return bool((magnitude(place - point) < radius + room).any())
