"""How far vehicles are from a mark at its time, and the marks that they did not meet."""

import numpy as np

from ..arrays.scalars import Rows
from ..arrays.vectors import Vectors, magnitude
from ..ground import level, upright
from ..snapshot import Snapshot, State
from .declaring import Mark
from .landing import landed_of
from .sharing import middle_of

NEARLY = 0.1
"""Metres off a mark, beyond the distance that is near enough, that are not seen."""


def is_due(mark: Mark, state: State, snapshot: Snapshot) -> bool:
    """Whether a mark is to be met on the frame of a state, which the snapshot is of."""
    return abs(state.time - mark.time) < 0.5 * snapshot.frame_time


def way_left(mark: Mark, state: State, snapshot: Snapshot) -> tuple[Rows, Vectors]:
    """The vehicles that should be at a mark by now, (m,), and what is left of the way there, (m, 3) metres. Where their
    middle meets it, it is the same for all."""
    body = mark.body - len(state)
    rows: Rows = mark.rows[snapshot.present[mark.rows] & ~state.away[mark.rows] & snapshot.tracked.present[body]]
    flying = rows[~snapshot.grounded[rows]]
    if mark.ground >= 0 and len(flying):
        return _way_to_ground(mark, state, snapshot, flying)
    places = snapshot.tracked.position[np.full(len(rows), body)]
    if mark.points is not None:
        shared = state.places.get(mark.name)
        rows = rows[shared[rows] >= 0] if shared is not None else rows[:0]
        places = mark.points[shared[rows]] if shared is not None else places[:0]
    if not len(rows):
        return rows, np.zeros((0, 3))
    offset: Vectors = level(places - state.motion.position[rows], upright(len(rows)), snapshot.grounded[rows])
    return rows, np.broadcast_to(middle_of(offset), offset.shape) if mark.together else offset


def _way_to_ground(mark: Mark, state: State, snapshot: Snapshot, rows: Rows) -> tuple[Rows, Vectors]:
    """The vehicles of some rows that should stand on what a mark is on, and what is left of their way: none if they do.
    Where these have no places, the way to the middle of that."""
    landed = landed_of(state).take(rows)
    stands = landed.stands & (landed.mark == next(k for k, other in enumerate(snapshot.marks) if other is mark))
    ground = snapshot.tracked.position[np.full(len(rows), mark.ground - len(state))]
    offset = ground - state.motion.position[rows]
    return rows, np.where(stands[:, None], 0.0, offset)


class MissedMarks:
    """The marks from which a vehicle, or the middle of a flock, was too far at their time, but for exact ones.
    `metres`: how far the one was that was the furthest off, by the name of the mark."""

    def __init__(self) -> None:
        self.metres: dict[str, float] = {}

    def look(self, state: State, snapshot: Snapshot) -> None:
        """Look at the marks that are to be met on a frame."""
        for mark in snapshot.marks:
            if not mark.exact and is_due(mark, state, snapshot):
                off = float(magnitude(way_left(mark, state, snapshot)[1]).max(initial=0.0))
                if off > mark.radius + NEARLY:
                    self.metres[mark.name] = off
