"""Marks that vehicles did not meet."""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.vectors import Vectors, magnitude
from ..simulation.ground import level, upright
from ..simulation.marks.declaring import Mark
from ..simulation.marks.sharing import middle_of
from ..simulation.snapshot import Snapshot, State

NEARLY = 0.1
"""Metres off a mark, beyond the distance that is near enough, that are not seen."""


class MissedMarks:
    """The marks from which a vehicle, or the middle of a flock, was too far at their time.

    Attributes:
        metres: how far the one was that was the furthest off, by the name of the mark.
    """

    def __init__(self) -> None:
        self.metres: dict[str, float] = {}

    def look(self, state: State, snapshot: Snapshot) -> None:
        """Look at the marks that are to be met on a frame."""
        for mark in snapshot.marks:
            if abs(state.time - mark.time) < 0.5 * snapshot.frame_time:
                off = _off(mark, state, snapshot)
                if off > mark.radius + NEARLY:
                    self.metres[mark.name] = off


def _off(mark: Mark, state: State, snapshot: Snapshot) -> float:
    """How far the furthest of those that should meet a mark is from it, metres."""
    body = mark.body - len(state)
    rows = mark.rows[snapshot.present[mark.rows] & ~state.away[mark.rows] & snapshot.tracked.present[body]]
    places = snapshot.tracked.position[np.full(len(rows), body)]
    if mark.points is not None:
        shared = state.places.get(mark.name)
        if shared is None:
            return 0.0
        rows = rows[shared[rows] >= 0]
        places = mark.points[shared[rows]]
    if not len(rows):
        return 0.0
    way: Vectors = level(places - state.motion.position[rows], upright(len(rows)), snapshot.grounded[rows])
    if mark.together:
        way = middle_of(way)
    return float(magnitude(way).max())
