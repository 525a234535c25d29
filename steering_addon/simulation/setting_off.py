"""Where vehicles set off in the pre-roll: about the one along with whom they go.

They are placed about their leader as he is on the first frame. On the frame on which they set off he is elsewhere, on
his way there. They set off about him as they were placed, nearer to their places beside him by what they can make up in
as long a time, and at his velocity. A flock that had to turn round, catch up or fall back first would not go at his
speed on the first frame.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arrays.frozen import replace
from .arrays.vectors import Mask, Rows, Scalars, Vectors, anybody, cross, dot, magnitude, picked, truncate, unit
from .ground import level
from .sensing import upward_of, world_at
from .snapshot import Snapshot, State
from .steering import accompanied
from .vehicle import Motion

ASTRIDE = 0.5
"""Least length of the part of the up axis across the new heading for which that axis is kept."""


def setting_off(start: State, snapshots: Sequence[Snapshot], preroll: Rows | None) -> State:
    """The start of a run with a pre-roll, with those who go along with a body that moves in it where they set off.

    Args:
        start: the state as placed for the first frame.
        snapshots: the scene in the pre-roll, followed by that on the first frame.
        preroll: (n,) the number of frames before the first in which each moves; None for all.
    """
    first, n, last = snapshots[-1], len(start), len(snapshots) - 1
    if not last or not len(first.tracked.radius):
        return start
    body, _ = accompanied(start, first, world_at(start, first, first, 0.0))
    row = np.maximum(body - n, 0)
    frames = np.full(n, last) if preroll is None else np.minimum(preroll, last)
    places = np.stack([each.tracked.position for each in snapshots])
    shift = level(places[last - frames, row] - places[last, row], upward_of(start, first), first.grounded)
    # What a vehicle carries goes where that goes.
    along: Mask = (body >= n) & (first.tracked.carrier[row] < 0) & (magnitude(shift) > 0.0)
    if not anybody(along):
        return start
    motion = start.motion
    state = replace(start, motion=replace(motion, position=motion.position + np.where(along[:, None], shift, 0.0)))
    for number in np.unique(frames[along]).tolist():
        those = along & (frames == number)
        before, after = snapshots[last - number], snapshots[last - number + 1]
        state = _beside(state, before, after, body, those, number * first.frame_time)
    return state


def _beside(state: State, before: Snapshot, after: Snapshot, body: Rows, those: Mask, seconds: float) -> State:
    """The state with some vehicles nearer to their places beside the bodies that they go along with.

    Args:
        before, after: the scene on the frame on which they set off, and on the next.
        body: (n,) rows of World.bodies.
        those: (n,) the vehicles that set off.
        seconds: the time in which they can make up the way that they are nearer.
    """
    world = world_at(state, before, after, 0.0)
    beside, place = accompanied(state, before, world)
    upward, motion, top_speed = upward_of(state, before), state.motion, before.vehicle.max_speed
    velocity = level(picked(world.bodies.velocity, np.maximum(body, 0)), upward, before.grounded)
    made_up: Scalars = seconds * np.maximum(top_speed - magnitude(velocity), 0.0)
    way = level(place - motion.position, upward, before.grounded)
    way = np.where((beside == body)[:, None], truncate(way, made_up), 0.0)
    moved = replace(_heading(motion, truncate(velocity, top_speed)), position=motion.position + way)
    columns = {name: np.where(those[:, None], column, getattr(motion, name)) for name, column in vars(moved).items()}
    return replace(state, motion=Motion(**columns))


def _heading(motion: Motion, velocity: Vectors) -> Motion:
    """The motion at another velocity, turned with it; where that is zero it is turned no other way."""
    forward = np.where((magnitude(velocity) > 0.0)[:, None], unit(velocity), motion.forward)
    across = motion.up - dot(motion.up, forward)[:, None] * forward
    # If the new heading is that of the up axis before, it is nearly at right angles to the side axis.
    other = cross(motion.side, forward)
    up = unit(np.where((magnitude(across) >= ASTRIDE)[:, None], across, other))
    return replace(motion, velocity=velocity, forward=forward, up=up, side=cross(forward, up))
