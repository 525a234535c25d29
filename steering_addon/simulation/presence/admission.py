"""Which vehicles take part at a frame: they enter when they are due, and are absent after they have left.

A vehicle that has not entered yet, or has left, takes no part. It is not perceived, hit or aimed at, and it stands at
its start, or where it arrived.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arrays.vectors import Mask, Rows, Scalars, Vectors, magnitude, picked
from ..roles import Role
from ..snapshot import Snapshot, State


def admitted(state: State, snapshot: Snapshot) -> tuple[Mask, Snapshot]:
    """The vehicles that are still outside at a frame, and its snapshot with only the others present.

    Vehicles that are due enter in the order of their rows. One that waits for room stays outside while another body
    overlaps its start; on the first frame none waits.

    Returns:
        (n,) whether a vehicle is outside, and the snapshot.
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


def attending(snapshot: Snapshot, *absent: Mask) -> Snapshot:
    """The snapshot without the vehicles that are absent.

    Args:
        absent: masks (n,); an empty one holds for no vehicle.
    """
    present = snapshot.present
    for mask in absent:
        if len(mask) and mask.any():
            present = present & ~mask
    return snapshot if present is snapshot.present else replace(snapshot, present=present)


def _with_room(waiting: Rows, position: Vectors, snapshot: Snapshot) -> Rows:
    """The waiting vehicles that have room at their start, each with those before it already inside; rows, ascending.

    Args:
        waiting: (w,) rows of vehicles.
        position: (n, 3) metres.
        snapshot: with the vehicles inside present.
    """
    tracked = snapshot.tracked
    others = tracked.present & ((tracked.roles & int(Role.VEHICLE)) != 0) & (tracked.carrier < 0)
    inside = np.flatnonzero(snapshot.present)
    occupied = np.concatenate((picked(position, inside), tracked.position[others]))
    radius = np.concatenate((snapshot.vehicle.radius[inside], tracked.radius[others]))
    entered: list[int] = []
    for row in waiting.tolist():
        own_radius = snapshot.vehicle.radius[row]
        if not _overlaps(position[row], own_radius, occupied, radius) and not _overlaps(
            position[row], own_radius, position[entered], snapshot.vehicle.radius[entered]
        ):
            entered.append(row)
    return np.array(entered, dtype=np.int64)


def _overlaps(point: Vectors, own_radius: float, points: Vectors, radius: Scalars) -> bool:
    """Whether a body at a point (3,) overlaps one of the bodies at points (b, 3) with radii (b,)."""
    return bool((magnitude(points - point) < radius + own_radius).any())
