"""Marks that vehicles did not meet."""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.vectors import Rows, Vectors, magnitude
from ..simulation.ground import level, upright
from ..simulation.marks.declaring import Mark
from ..simulation.marks.sharing import middle_of
from ..simulation.snapshot import Snapshot, State

NEARLY = 0.1
"""Metres off a mark, beyond the distance that is near enough, that are not seen."""


class MissedMarks:
    """The marks from which a vehicle, or the middle of a flock, was too far at their time, but for exact ones.

    Attributes:
        metres: how far the one was that was the furthest off, by the name of the mark.
    """

    def __init__(self) -> None:
        self.metres: dict[str, float] = {}

    def look(self, state: State, snapshot: Snapshot) -> None:
        """Look at the marks that are to be met on a frame."""
        for mark in (each for each in snapshot.marks if not each.exact):
            if abs(state.time - mark.time) < 0.5 * snapshot.frame_time:
                _, way = way_left(mark, state, snapshot)
                off = float(magnitude(way).max(initial=0.0))
                if off > mark.radius + NEARLY:
                    self.metres[mark.name] = off


def way_left(mark: Mark, state: State, snapshot: Snapshot) -> tuple[Rows, Vectors]:
    """The vehicles that should be at a mark by now, (m,), and what is left of the way there, (m, 3) metres.

    Where their middle meets it, it is the same for all.
    """
    body = mark.body - len(state)
    rows: Rows = mark.rows[snapshot.present[mark.rows] & ~state.away[mark.rows] & snapshot.tracked.present[body]]
    places = snapshot.tracked.position[np.full(len(rows), body)]
    if mark.points is not None:
        shared = state.places.get(mark.name)
        rows = rows[shared[rows] >= 0] if shared is not None else rows[:0]
        places = mark.points[shared[rows]] if shared is not None else places[:0]
    if not len(rows):
        return rows, np.zeros((0, 3))
    way: Vectors = level(places - state.motion.position[rows], upright(len(rows)), snapshot.grounded[rows])
    return rows, np.broadcast_to(middle_of(way), way.shape) if mark.together else way
