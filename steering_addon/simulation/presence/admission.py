"""Which vehicles take part at a frame: they enter when they are due, and are absent after they have left.

A vehicle that has not entered yet, or has left, takes no part. It is not perceived, hit or aimed at, and it stands at
its start, or where it arrived.
"""

import numpy as np

from ..arrays.frozen import replace
from ..arrays.vectors import Mask, Rows, magnitude, picked
from ..geometry.capsules import between_axes
from ..roles import Role
from ..snapshot import Snapshot, State
from ..vehicle import Motion


def admit(state: State, snapshot: Snapshot) -> tuple[Mask, Snapshot]:
    """The vehicles that are still outside at a frame, and its snapshot with only the others present.

    Vehicles that are due enter in the order of their rows. One that waits for room stays outside while another body
    overlaps its start; on the first frame none waits.

    Returns:
        (n,) whether a vehicle is outside, and the snapshot.
    """
    if snapshot.due is None:
        return state.outside, only_present(snapshot, state.gone)
    if state.inputs is None:
        outside: Mask = ~snapshot.due
        return outside, only_present(snapshot, state.gone, outside)
    outside = state.outside.copy()
    due = np.flatnonzero(outside & snapshot.due)
    if len(due):
        wait = snapshot.attendance is not None and snapshot.attendance.wait_for_room[due]
        outside[due[~wait]] = False
        outside[_with_room(due[wait], state.motion, only_present(snapshot, state.gone, outside))] = False
    return outside, only_present(snapshot, state.gone, outside)


def only_present(snapshot: Snapshot, *absent: Mask) -> Snapshot:
    """The snapshot without the vehicles that are absent.

    Args:
        absent: masks (n,); an empty one holds for no vehicle.
    """
    present = snapshot.present
    for mask in absent:
        if len(mask) and mask.any():
            present = present & ~mask
    return snapshot if present is snapshot.present else replace(snapshot, present=present)


def _with_room(waiting: Rows, motion: Motion, snapshot: Snapshot) -> Rows:
    """The waiting vehicles that have room at their start, each with those before it already inside; rows, ascending.

    Args:
        waiting: (w,) rows of vehicles.
        motion: where they stand.
        snapshot: with the vehicles inside present.
    """
    tracked = snapshot.tracked
    others = tracked.present & ((tracked.roles & int(Role.VEHICLE)) != 0) & (tracked.carrier < 0)
    position = np.concatenate((motion.position, tracked.position))
    forward = np.concatenate((motion.forward, tracked.forward))
    radius, half = np.concatenate((snapshot.vehicle.radius, tracked.radius)), snapshot.half_axes
    occupied = np.flatnonzero(np.concatenate((snapshot.present, others)))
    entered: list[int] = []
    for row in waiting.tolist():
        rows = np.concatenate((occupied, np.array(entered, dtype=np.int64)))
        offset = picked(position, rows) - position[row]
        if half is not None:
            own_axis, own_half = np.broadcast_to(forward[row], offset.shape), np.full(len(rows), half[row])
            offset = between_axes(offset, own_axis, own_half, picked(forward, rows), half[rows])
        if not (magnitude(offset) < radius[rows] + radius[row]).any():
            entered.append(row)
    return np.array(entered, dtype=np.int64)
