"""The run: from one frame to the next, and from the first to the last.

    plan -> for snapshot in sweep(plan): state = step(state, snapshot) -> write

A step is a pipeline, of which each stage is a module:

    sense -> goals -> steer -> combine -> ways -> adjust -> locomotion -> contacts

A run of the first hundred frames agrees with the first hundred of a longer one: a step knows the frame it starts from
and the one it leads to, nothing beyond.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .arrays.vectors import Mask, Rows, Vectors, anybody, cross, everybody, no_vectors, picked
from .damping import damped
from .decisions import Decisions
from .locomotion import Control, Locomotion
from .memory import Memory
from .nearby.contacts import kept_apart
from .presence.admission import admitted, attending
from .sensing import world_at
from .snapshot import Snapshot, State
from .steering import decisions, taking_part
from .vehicle import Motion
from .world import World

WORTH_KEEPING = 2**25 - 2**16
"""Bytes."""
NONE_WAITS: Mask = np.zeros(0, dtype=np.bool_)


def simulate(
    start: State, snapshots: Iterable[Snapshot], lead_in: Sequence[Snapshot] = (), preroll: Rows | None = None
) -> Iterator[State]:
    """The vehicles frame by frame, one state a snapshot, beginning with where they start.

    Args:
        start: the state before the first snapshot is taken in.
        snapshots: the scene frame by frame.
        lead_in: the scene on the frames before the first, in order: the pre-roll, after which a flock is in flight on
            the first frame.
        preroll: (n,) the number of those frames that each vehicle moves in; it waits at its start until then. By
            default all vehicles move in all of them.
    """
    state = start
    _keep_memory()
    for snapshot in snapshots:
        state = step(state, snapshot) if state.inputs is not None else _led_in(state, (*lead_in, snapshot), preroll)
        yield state


def _led_in(start: State, snapshots: Sequence[Snapshot], preroll: Rows | None) -> State:
    """The state at the last of the snapshots, the first frame of the run."""
    frames = len(snapshots) - 1
    state = replace(_taken_in(start, snapshots[0]), time=start.time - frames * snapshots[0].frame_time)
    for passed, snapshot in enumerate(snapshots[1:]):
        waiting = NONE_WAITS if preroll is None else preroll < frames - passed
        state = step(state, snapshot, waiting)
    return state


def step(state: State, snapshot: Snapshot, waiting: Mask = NONE_WAITS) -> State:
    """The state one frame later, at the frame of `snapshot`; a state without inputs only takes them in.

    Args:
        waiting: (n,) the vehicles that do not set off yet, or empty. Others see them standing at their start.
    """
    if state.inputs is None:
        return _taken_in(state, snapshot)
    before, began = state.inputs, state.time
    for substep in range(before.substeps):
        present = attending(before, state.gone)
        moving = attending(present, waiting)
        # Sense.
        world = world_at(_standing(state, waiting), present, snapshot, substep / before.substeps)
        # Goals, steer, combine, ways, adjust.
        force, decided = decisions(state, moving, world)
        # Locomotion and contacts.
        time = began + before.frame_time * ((substep + 1) / before.substeps)
        state = _moved(state, attending(moving, decided.arrivals.gone), world, force, decided, time)
    return _taken_in(state, snapshot)


def _standing(state: State, waiting: Mask) -> State:
    """The state in which the waiting vehicles, which have the velocity of their start, are at rest."""
    if not anybody(waiting):
        return state
    velocity = np.where(waiting[:, None], 0.0, state.motion.velocity)
    return replace(state, motion=replace(state.motion, velocity=velocity))


def _taken_in(state: State, snapshot: Snapshot) -> State:
    """The state at the frame of a snapshot, with the vehicles present there."""
    outside, inputs = admitted(state, snapshot)
    return replace(state, outside=outside, inputs=inputs)


def _moved(state: State, snapshot: Snapshot, world: World, wanted: Vectors, decided: Decisions, time: float) -> State:
    """The state after a step of the clock to `time`, seconds; absent vehicles stay as they are.

    Args:
        snapshot: the vehicles present.
        wanted: (n, 3) the force decided on, newtons.
    """
    model, before, dt = snapshot.vehicle, state.motion, world.dt
    control = Control(damped(model, state.force, wanted, dt), decided.speed_limit)
    position, velocity, forward = _driven(state, snapshot, control, dt)
    position, velocity = kept_apart(model, snapshot.grounded, snapshot.present, world, position, velocity, forward)
    up, acceleration, bodies = _posed(state, snapshot, velocity, forward, dt)
    motion = Motion(position, velocity, cross(forward, up), forward, up)
    if not everybody(snapshot.present):
        motion = Motion(*_of_those_present(snapshot, motion, before))
        acceleration = taking_part(snapshot.present, acceleration, state.smoothed_acceleration)
        bodies = _kept_of_absent(snapshot, bodies, state.bodies)
    return replace(
        state,
        time=time,
        motion=motion,
        smoothed_acceleration=acceleration,
        bodies=bodies,
        force=control.force,
        memories=decided.memories,
        tallies=decided.tallies,
        taken=decided.taken,
        gone=decided.arrivals.gone,
        arrived=decided.arrivals.arrived,
    )


def _driven(state: State, snapshot: Snapshot, control: Control, dt: float) -> tuple[Vectors, Vectors, Vectors]:
    """The positions, velocities and headings that the bodies make of the control signals, (n, 3) each."""
    parts = []
    for body, rows in snapshot.bodies_alike:
        memory = _memory(state.bodies, body, len(state))
        if rows is None:
            return body.moved(snapshot.vehicle, state.motion, control, memory, dt)
        model, motion = snapshot.vehicle.take(rows), _rows_of(state.motion, rows)
        limit = control.speed_limit
        asked = Control(picked(control.force, rows), None if limit is None else limit[rows])
        parts.append((rows, body.moved(model, motion, asked, None if memory is None else memory.take(rows), dt)))
    position, velocity, forward = (no_vectors(len(state)) for _ in range(3))
    for rows, moved in parts:
        position[rows], velocity[rows], forward[rows] = moved
    return position, velocity, forward


def _posed(
    state: State, snapshot: Snapshot, velocity: Vectors, forward: Vectors, dt: float
) -> tuple[Vectors, Vectors, dict[str, Memory]]:
    """The up axes and the smoothed accelerations, (n, 3) each, and what the bodies remember then."""
    acceleration, before = (velocity - state.motion.velocity) / dt, state.smoothed_acceleration
    up, smoothed = no_vectors(len(state)), no_vectors(len(state))
    bodies = dict(state.bodies)
    for body, rows in snapshot.bodies_alike:
        memory = _memory(bodies, body, len(state))
        if rows is None:
            smoothed = body.smoothed(before, acceleration, dt)
            up, after = body.oriented(velocity, forward, state.motion.up, smoothed, memory, dt)
        else:
            of_rows = body.smoothed(picked(before, rows), picked(acceleration, rows), dt)
            known = None if memory is None else memory.take(rows)
            along, heading, before_up = (picked(v, rows) for v in (velocity, forward, state.motion.up))
            up[rows], after = body.oriented(along, heading, before_up, of_rows, known, dt)
            smoothed[rows] = of_rows
            after = None if memory is None else memory.put(rows, after)
        if after is not None:
            bodies[body.name] = after
    return up, smoothed, bodies


def _memory(bodies: Mapping[str, Memory], body: Locomotion, n: int) -> Any:
    """What a locomotion remembers of all n vehicles, None if it remembers nothing."""
    if body.remembers is None:
        return None
    return bodies.get(body.name) or body.remembers.blank(n)


def _rows_of(motion: Motion, rows: Rows) -> Motion:
    return Motion(*(picked(column, rows) for column in vars(motion).values()))


def _kept_of_absent(snapshot: Snapshot, after: Mapping[str, Memory], before: Mapping[str, Memory]) -> dict[str, Memory]:
    """What the bodies remember, with that of the absent vehicles as it was."""
    absent = ~snapshot.present
    blank = {name: before.get(name) or type(memory).blank(len(absent)) for name, memory in after.items()}
    return {name: memory.put(absent, blank[name].take(absent)) for name, memory in after.items()}


def _of_those_present(snapshot: Snapshot, moved: object, still: object) -> list[Vectors]:
    """The columns of `moved` for the vehicles present and of `still` for the others."""
    return [taking_part(snapshot.present, vars(moved)[name], column) for name, column in vars(still).items()]


def _keep_memory() -> None:
    """Have the C library keep memory that arrays give back, instead of returning it to the system each time.

    Fetching it again for every array of a step takes longer than the arithmetic. The GNU library takes the size of what
    is given back as a measure of what is worth keeping, up to 32 MB; others keep it anyway.
    """
    np.empty(WORTH_KEEPING, dtype=np.uint8)
