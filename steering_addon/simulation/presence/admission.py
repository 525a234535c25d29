"""The entry of vehicles: they enter when they are due, and are absent after they have left.

A vehicle that has not entered yet, or has left, takes no part. It is not perceived, hit or aimed at, and it stands at
its start, or where it arrived.
"""

import numpy as np

from ..arrays.frozen import replace
from ..arrays.scalars import Mask, Rows, all_of, anybody, nobody, put
from ..arrays.vectors import dot, magnitude, no_vectors, picked, truncate
from ..geometry.capsules import between_axes
from ..lane_use import Routed
from ..maneuvers.braking import COMFORT, CREEP, speed_within
from ..memory import memory_among
from ..roles import Role
from ..snapshot import Snapshot, State
from ..vehicle import Motion

BEHIND = 1.0
"""Seconds behind the one ahead at which a driver enters, at least."""


def admit(state: State, snapshot: Snapshot, ended: Mask) -> tuple[State, Snapshot]:
    """The state at a frame with those who have entered by then, and its snapshot with only these present.

    Vehicles that are due enter in the order of their rows. One that waits for room stays outside while another body
    overlaps its start; a driver enters only as fast as lets it stop behind others. On the first frame none waits.
    `ended`: (n,) those that have come to where they leave to enter again, or empty.
    """
    if snapshot.due is None and not anybody(state.outside) and not anybody(ended):
        return state, only_present(snapshot, state.gone)
    due = all_of(len(state)) if snapshot.due is None else snapshot.due
    if state.inputs is None:
        return replace(state, outside=~due), only_present(snapshot, state.gone, ~due)
    outside, velocity = state.outside.copy() if len(state.outside) else nobody(len(state)), state.motion.velocity
    if anybody(ended):
        outside, due = outside | ended, due & ~ended
    rows = np.flatnonzero(outside & due)
    if len(rows):
        waits = all_of(len(rows))
        wait = waits if snapshot.attendance is None else snapshot.attendance.wait_for_room[rows]
        outside[rows[~wait]] = False
        speeds = _with_room(rows[wait], state.motion, only_present(snapshot, state.gone, outside))
        entered = np.array([*speeds], dtype=np.int64)
        outside[entered] = False
        velocity = put(velocity, entered, truncate(picked(velocity, entered), np.array([*speeds.values()])))
    motion = replace(state.motion, velocity=velocity)
    return replace(state, outside=outside, motion=motion), only_present(snapshot, state.gone, outside)


def those_at_the_end(state: State) -> Mask:
    """(n,) the vehicles that leave at the end of their paths, to enter again at the start; empty without paths."""
    routed = memory_among(Routed, state.memories.values())
    return state.gone[:0] if routed is None else routed.ended


def only_present(snapshot: Snapshot, *absent: Mask) -> Snapshot:
    """The snapshot without the vehicles that are absent. `absent`: masks (n,); an empty one holds for no vehicle."""
    present = snapshot.present
    for mask in absent:
        if len(mask) and mask.any():
            present = present & ~mask
    return snapshot if present is snapshot.present else replace(snapshot, present=present)


def _with_room(waiting: Rows, motion: Motion, snapshot: Snapshot) -> dict[int, float]:
    """The entry speeds of waiting vehicles that have room at their start, m/s, by their rows, ascending.

    Each has it with those before it already inside. `waiting`: (w,) rows of vehicles; `snapshot`: with the vehicles
    inside present.
    """
    tracked = snapshot.tracked
    others = tracked.present & ((tracked.roles & int(Role.VEHICLE)) != 0) & (tracked.carrier < 0)
    position = np.concatenate((motion.position, tracked.position))
    forward = np.concatenate((motion.forward, tracked.forward))
    # Bodies that are not simulated count as standing.
    velocity = np.concatenate((motion.velocity, no_vectors(len(tracked.radius))))
    speed, brakes = magnitude(motion.velocity), COMFORT * snapshot.vehicle.max_force / snapshot.vehicle.mass
    radius, half = np.concatenate((snapshot.vehicle.radius, tracked.radius)), snapshot.half_axes
    occupied = np.flatnonzero(np.concatenate((snapshot.present, others)))
    entered: dict[int, float] = {}
    for row in waiting.tolist():
        rows = np.concatenate((occupied, np.array([*entered], dtype=np.int64)))
        offset = picked(position, rows) - position[row]
        heading = np.broadcast_to(forward[row], offset.shape)
        if half is not None:
            offset = between_axes(offset, heading, np.full(len(rows), half[row]), picked(forward, rows), half[rows])
        touching = radius[rows] + radius[row]
        if (magnitude(offset) < touching).any():
            continue
        fastest = np.inf
        if np.isfinite(snapshot.handling.axle[row]):
            ahead, along = dot(offset, heading), dot(picked(velocity, rows), heading)
            in_way = (ahead > 0.0) & (magnitude(offset - ahead[:, None] * heading) < touching)
            # One that comes towards it needs room to stop, too.
            against = np.minimum(along, 0.0)
            room = ahead - touching - against * against / (2.0 * brakes[row])
            stops = speed_within(brakes[row], BEHIND, room, np.maximum(along, 0.0))
            fastest = float(stops[in_way].min(initial=np.inf))
            if fastest < CREEP * speed[row]:
                continue
        entered[row] = fastest
    return entered
