"""Marks that vehicles did not meet."""

from ..simulation.arrays.vectors import magnitude
from ..simulation.marks.missing import is_due, way_left
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
        for mark in snapshot.marks:
            if not mark.exact and is_due(mark, state, snapshot):
                off = float(magnitude(way_left(mark, state, snapshot)[1]).max(initial=0.0))
                if off > mark.radius + NEARLY:
                    self.metres[mark.name] = off
