"""The run: from one frame to the next, and from the first to the last.

    plan -> for snapshot in sweep(plan): state = step(state, snapshot) -> write

A run of the first hundred frames agrees with the first hundred of a longer one: a step knows the frame it starts from
and the one it leads to, nothing beyond.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from .arrays.vectors import Mask, Rows, Scalars, Vectors, anybody, cross, everybody, shared, squared, which
from .geometry.obstacles import Obstacles
from .geometry.regions import Regions
from .nearby.contacts import kept_apart, reach_of_contacts
from .nearby.neighbors import Vicinity
from .presence.admission import admitted, attending
from .roles import Role
from .snapshot import Snapshot, State, Tracked
from .steering import decisions, taking_part
from .vehicle import Lean, Motion
from .world import Bodies, World

WORTH_KEEPING = 2**25 - 2**16
"""Bytes."""


def simulate(start: State, snapshots: Iterable[Snapshot], preroll: int = 0) -> Iterator[State]:
    """The vehicles frame by frame, one state a snapshot, beginning with where they start.

    Args:
        start: where they start, before any snapshot came in.
        snapshots: the scene frame by frame.
        preroll: frames run before the first, with the scene held still, so that a flock is in flight when it is seen.
    """
    state = start
    _keep_memory()
    for snapshot in snapshots:
        if state.inputs is None:
            state = replace(_taken_in(state, snapshot), time=state.time - preroll * snapshot.frame_time)
            for _ in range(preroll):
                state = step(state, snapshot)
            yield state
        else:
            state = step(state, snapshot)
            yield state


def _keep_memory() -> None:
    """Have the C library keep memory that arrays give back, instead of returning it to the system at once.

    Fetching it anew for every array of a step takes longer than the arithmetic. The GNU library takes the size of what
    is given back as a measure of what is worth keeping, up to 32 MB; others keep it anyway.
    """
    np.empty(WORTH_KEEPING, dtype=np.uint8)


def step(state: State, snapshot: Snapshot) -> State:
    """One frame on, to the frame of `snapshot`; a state without inputs only takes them in."""
    if state.inputs is None:
        return _taken_in(state, snapshot)
    before = state.inputs
    dt = before.frame_time / before.substeps
    began = state.time
    for substep in range(before.substeps):
        here = attending(before, state.gone)
        world = world_at(state, here, snapshot, substep / before.substeps)
        state = _moved(state, here, world, dt, began + before.frame_time * ((substep + 1) / before.substeps))
    return _taken_in(state, snapshot)


def _taken_in(state: State, snapshot: Snapshot) -> State:
    """The state at the frame of a snapshot, with those who take part there."""
    outside, inputs = admitted(state, snapshot)
    return replace(state, outside=outside, inputs=inputs)


def world_at(state: State, before: Snapshot, after: Snapshot, part: float) -> World:
    """What there is to see at a part of the way between two frames."""
    motion = state.motion
    bodies = _bodies(state, before)
    away = state.away
    if len(before.tracked.roles):
        bodies = _joined(
            bodies,
            replace(before.tracked, present=_with_carrier(before.tracked.present, before.tracked.carrier, away)),
            before.tracked.amount - state.taken if len(state.taken) else before.tracked.amount,
            *_tracked_at(motion, before.tracked, after.tracked, part, before.frame_time),
        )
    seen = which(bodies.present & ((bodies.roles & int(Role.VEHICLE)) != 0))
    followed = [s for row, s in enumerate(before.settings) if (before.settings_row == row).any()]
    distances = tuple(behavior.reach_hint() for settings in followed for behavior in settings.behaviors)
    dt = before.frame_time / before.substeps
    contacts = reach_of_contacts(before.vehicle, bodies.radius, dt)
    vicinity = Vicinity(bodies.position, bodies.forward, seen, (*distances, contacts))
    obstacles = _obstacles_at(motion, before.obstacles, after.obstacles, part, before.frame_time)
    if len(obstacles):
        obstacles = replace(obstacles, present=_with_carrier(obstacles.present, obstacles.carrier, away))
    regions = _regions_at(before.regions, after.regions, part)
    return World(
        state.time,
        dt,
        bodies,
        obstacles,
        before.paths,
        regions,
        before.flows,
        vicinity,
        before.candidates,
        before.frame_time,
        len(state),
        state.tallies,
    )


def _bodies(state: State, snapshot: Snapshot) -> Bodies:
    """The vehicles as others see them."""
    motion = state.motion
    return Bodies(
        position=motion.position,
        velocity=motion.velocity,
        acceleration=state.smoothed_acceleration,
        forward=motion.forward,
        radius=snapshot.vehicle.radius,
        roles=snapshot.roles,
        present=snapshot.present,
        crowd=snapshot.crowd,
        left=shared(np.inf, len(snapshot.present)),
    )


def _joined(
    bodies: Bodies, tracked: Tracked, left: Scalars, position: Vectors, velocity: Vectors, forward: Vectors
) -> Bodies:
    """The bodies, and after them the tracked ones where these are now and as far as something is left of them."""
    return Bodies(
        position=np.concatenate((bodies.position.T, position.T), axis=1).T,
        velocity=np.concatenate((bodies.velocity.T, velocity.T), axis=1).T,
        acceleration=np.concatenate((bodies.acceleration.T, np.zeros((3, len(velocity)))), axis=1).T,
        forward=np.concatenate((bodies.forward.T, forward.T), axis=1).T,
        radius=np.concatenate((bodies.radius, tracked.radius)),
        roles=np.concatenate((bodies.roles, tracked.roles)),
        present=np.concatenate((bodies.present, tracked.present & (left > 0.0))),
        crowd=np.concatenate((bodies.crowd, tracked.crowd)),
        left=np.concatenate((bodies.left, left)),
    )


def _moved(state: State, snapshot: Snapshot, world: World, dt: float, time: float) -> State:
    """All decide, then all move; `time` is what the clock says then."""
    wanted, decided = decisions(state, snapshot, world)
    gone, arrived = decided.arrivals.gone, decided.arrivals.arrived
    snapshot = attending(snapshot, gone)
    was = state.motion
    body = snapshot.locomotion
    force = body.applied(snapshot.vehicle, state.force, wanted, dt)
    position, velocity, forward = body.moved(snapshot.vehicle, was, force, dt, decided.speed_limit)
    position, velocity = kept_apart(snapshot.vehicle, snapshot.present, world, position, velocity)
    acceleration = (velocity - was.velocity) / dt
    lean = Lean(state.roll_rate, state.smoothed_acceleration)
    up, lean = body.oriented(snapshot.vehicle, forward, was.up, lean, acceleration, dt)
    now: Iterable[Vectors] = (
        position,
        velocity,
        cross(forward, up),
        forward,
        up,
        lean.roll_rate,
        lean.smoothed_acceleration,
    )
    if not everybody(snapshot.present):
        still = (
            was.position,
            was.velocity,
            was.side,
            was.forward,
            was.up,
            state.roll_rate,
            state.smoothed_acceleration,
        )
        now = (taking_part(snapshot.present, *either) for either in zip(now, still))
    position, velocity, side, forward, up, roll_rate, smoothed = now
    return replace(
        state,
        time=time,
        motion=Motion(position, velocity, side, forward, up),
        roll_rate=roll_rate,
        smoothed_acceleration=smoothed,
        force=force,
        memories=decided.memories,
        tallies=decided.tallies,
        taken=decided.taken,
        gone=gone,
        arrived=arrived,
    )


def _regions_at(before: Regions, after: Regions, part: float) -> Regions:
    """The regions at a part of the way between two frames; they turn at the frames."""
    if not len(before):
        return before
    return replace(
        before,
        centre=before.centre + (after.centre - before.centre) * part,
        half=before.half + (after.half - before.half) * part,
    )


def _carried(motion: Motion, local: Vectors, carrier: Rows) -> Vectors:
    """Offsets in the local space of their carriers, turned into world space."""
    row = np.maximum(carrier, 0)
    return motion.side[row] * local[:, :1] + motion.forward[row] * local[:, 1:2] + motion.up[row] * local[:, 2:]


def _with_carrier(present: Mask, carrier: Rows, away: Mask) -> Mask:
    """Which things are there: what is fixed to somebody who is away is away too."""
    if not anybody(away):
        return present
    return present & ~((carrier >= 0) & away[np.maximum(carrier, 0)])


def _placed(motion: Motion, points: Vectors, carrier: Rows) -> Vectors:
    """Points in world space, those of carried things given in the local space of their carriers."""
    fixed: Mask = carrier >= 0
    if not fixed.any():
        return points
    return np.where(fixed[:, None], motion.position[np.maximum(carrier, 0)] + _carried(motion, points, carrier), points)


def _velocity(motion: Motion, before: Vectors, after: Vectors, carrier: Rows, frame_time: float) -> Vectors:
    own = (after - before) / frame_time
    fixed: Mask = carrier >= 0
    if not fixed.any():
        return own
    return np.where(fixed[:, None], motion.velocity[np.maximum(carrier, 0)], own)


def _tracked_at(
    motion: Motion, before: Tracked, after: Tracked, part: float, frame_time: float
) -> tuple[Vectors, Vectors, Vectors]:
    """Positions, velocities and headings of the tracked bodies at a part of the way between two frames."""
    position = before.position + (after.position - before.position) * part
    carrier = before.carrier
    forward = before.forward
    if (carrier >= 0).any():
        forward = np.where((carrier >= 0)[:, None], _carried(motion, forward, carrier), forward)
    velocity = _velocity(motion, before.position, after.position, carrier, frame_time)
    return _placed(motion, position, carrier), velocity, forward


def _obstacles_at(motion: Motion, before: Obstacles, after: Obstacles, part: float, frame_time: float) -> Obstacles:
    """The obstacles in world space at a part of the way between two frames."""
    if not len(before):
        return before
    start = before.start + (after.start - before.start) * part
    end = before.end + (after.end - before.end) * part
    middle_before, middle_after = (before.start + before.end) / 2.0, (after.start + after.end) / 2.0
    there = replace(
        before,
        start=_placed(motion, start, before.carrier),
        end=_placed(motion, end, before.carrier),
        velocity=_velocity(motion, middle_before, middle_after, before.carrier, frame_time),
    )
    return there if before.plain.all() else _turned(there, motion, before, after, part, frame_time)


def _turned(
    there: Obstacles, motion: Motion, before: Obstacles, after: Obstacles, part: float, frame_time: float
) -> Obstacles:
    """The obstacles as large as they are and turned as they are at a part of the way between two frames."""
    axes = squared(before.axes + (after.axes - before.axes) * part)
    x, y, z = (cross(before.axes[:, axis], after.axes[:, axis]) for axis in range(3))
    spin = (x + y + z) / (2.0 * frame_time)
    fixed: Mask = before.carrier >= 0
    if fixed.any():
        carried = np.stack([_carried(motion, axes[:, axis], before.carrier) for axis in range(3)], axis=1)
        axes = np.where(fixed[:, None, None], carried, axes)
    return replace(
        there,
        axes=axes,
        half=before.half + (after.half - before.half) * part,
        radius=before.radius + (after.radius - before.radius) * part,
        spin=np.where(fixed[:, None], 0.0, spin),
    )
