"""Stopping at signals: a lane ends at the one that holds it, for those who can still stop, until it is green.

A signal without a path holds the lanes of the curve that is nearest to it, those on its side.
"""

from __future__ import annotations

import numpy as np

from ..arrays.scalars import Mask, Rows, Scalars, which
from ..arrays.vectors import Vectors, magnitude
from ..geometry.conflicts import Conflicts
from ..geometry.lines import Lines
from ..geometry.paths import lay_end_to_end, lines_of
from ..world import World
from .on_lanes import OnLanes

BESIDE = 6.0
"""Half widths from a lane up to which a signal without a path holds it."""
SHARED = 1.0
"""Half widths up to which curves beside each other are as near."""


def room_before_signals(world: World, on_lanes: OnLanes, conflicts: Conflicts) -> Scalars:
    """The room ahead of vehicles up to the next signal that holds them, (m,) metres; inf for none."""
    red = which(~world.signals.green)
    if not len(red):
        return np.full(len(on_lanes), np.inf)
    held, along = _held(world, red, conflicts)
    lines, lane, gap = conflicts.lines, on_lanes.lane, on_lanes.minds.gap
    stop = np.where(conflicts.way > 0.0, along, lines.length - along)[:, lane]
    before = stop - on_lanes.driven
    turns = np.floor(before / lines.length[lane]) * lines.length[lane]
    before = np.where(lines.closed[lane], before - turns, before) - on_lanes.half - on_lanes.radius - gap
    # One that can no longer stop goes on, and so does one that is past it.
    counts = held[:, lane] & (before + gap >= on_lanes.stopping)
    return np.where(counts, np.maximum(before, 0.0), np.inf).min(axis=0)


def _held(world: World, red: Rows, conflicts: Conflicts) -> tuple[Mask, Scalars]:
    """Whether each signal of some rows (k,) holds each lane, (k, l), and where along that it is, (k, l) metres."""
    lanes, signals = conflicts.lanes, world.signals
    position, path = signals.position[red], signals.path[red]
    away, along = _nearest(conflicts.lines, position)
    opposite, _ = _nearest(lay_end_to_end(tuple(lane.curve.beside(-lane.left) for lane in lanes)), position)
    middle, _ = _nearest(lay_end_to_end(tuple(lane.curve for lane in lanes)), position)
    every, _, _ = lines_of(world.paths)
    nearest = middle if every is None else _nearest(every, position)[0].min(axis=1, keepdims=True)
    wide = np.array([lane.radius for lane in lanes])
    near = (middle <= nearest + SHARED * wide) & (away <= BESIDE * wide)
    own = np.array([[lane.curve in (world.paths[row] if row >= 0 else ()) for lane in lanes] for row in path.tolist()])
    return np.where(path[:, None] >= 0, own, near) & (away <= opposite), along


def _nearest(lines: Lines, points: Vectors) -> tuple[Scalars, Scalars]:
    """How far points (k, 3) are from l lines, and where along these the nearest places are, (k, l) metres each."""
    row = np.tile(np.arange(len(lines)), len(points))
    repeated = np.repeat(points, len(lines), axis=0)
    line = lines.followed(row)
    along = line.nearest(repeated)
    shape = len(points), len(lines)
    return magnitude(repeated - line.position(along)).reshape(shape), along.reshape(shape)
