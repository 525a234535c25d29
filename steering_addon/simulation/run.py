"""The run: from one frame to the next, and from the first to the last.

    plan -> for snapshot in sweep(plan): state = step(state, snapshot) -> write

A step is a pipeline, of which each stage is a module:

    sense -> mind -> goals -> steer -> combine -> ways -> adjust -> meet -> locomotion -> guides -> contacts

A run of the first hundred frames agrees with the first hundred of a longer one: a step knows the frame it starts from
and the one it leads to, nothing beyond.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from .arrays.frozen import replace
from .arrays.vectors import Mask, Rows, anybody
from .by_hand import hands_at, let_go
from .marks.meeting import met
from .moving import moved, standing_up
from .presence.admission import admitted, attending
from .sensing import terrain_at, world_at
from .setting_off import setting_off
from .snapshot import Snapshot, State
from .steering import decisions

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
    start = setting_off(start, snapshots, preroll)
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
        # Mind.
        if moving.minds is not None:
            state, moving = moving.minds.choose(state, moving, world)
        moving = let_go(state, moving, world.dt)
        # Goals, steer, combine, ways, adjust.
        force, decided = decisions(state, moving, world)
        # Meet marks.
        if before.marks:
            meeting = met(state, before, snapshot, moving, world, force)
            state, force, moving = replace(state, places=meeting.places), meeting.force, meeting.snapshot
        # Locomotion, guides and contacts.
        time = began + before.frame_time * ((substep + 1) / before.substeps)
        taking_part = attending(moving, decided.arrivals.gone)
        terrain = terrain_at(before, snapshot, substep, world.obstacles)
        hands = hands_at(before, snapshot, substep)
        state = moved(state, taking_part, world, terrain, hands, force, decided, time)
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
    if state.inputs is None:
        state = standing_up(state, snapshot)
    return replace(state, outside=outside, inputs=inputs)


def _keep_memory() -> None:
    """Have the C library keep memory that arrays give back, instead of returning it to the system each time.

    Fetching it again for every array of a step takes longer than the arithmetic. The GNU library takes the size of what
    is given back as a measure of what is worth keeping, up to 32 MB; others keep it anyway.
    """
    np.empty(WORTH_KEEPING, dtype=np.uint8)
