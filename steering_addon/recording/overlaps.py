"""Overlapping bodies, frame by frame, without a search for neighbors on every frame.

Pairs are searched within a margin beyond touching (a Verlet list), and reused until a body has moved so far that
another pair may touch. The margin affects only the speed: the pairs found are the same.
"""

import numpy as np

from ..simulation.arrays.scalars import Mask, Rows, Scalars, anybody, everybody, which
from ..simulation.arrays.vectors import Vectors, magnitude, picked, unit
from ..simulation.geometry.capsules import between_axes
from ..simulation.nearby.pairs import pairs_of_reach

SPREAD = 4.0
"""The fastest body is assumed to move at most this many medians; a faster one leads to an earlier search."""
LEAST = 0.25
"""Least margin, in median radii: bodies that stand or move together need no new search."""
FEW, MANY = 0.5, 2.0
"""Pairs per body below which the margin grows, and above which it shrinks."""
CHANGE = 1.4
"""The factor by which it does: in space the list grows almost threefold with it."""
FURTHEST = 16.0
"""Most frames to look ahead."""


class Overlaps:
    """Finds the overlaps of the bodies of a run, the same bodies on every frame."""

    def __init__(self) -> None:
        none: Rows = np.zeros(0, dtype=np.int64)
        self._position: Vectors = np.zeros((0, 3))
        self._extent: Scalars = np.zeros(0)
        self._present: Mask = np.zeros(0, dtype=np.bool_)
        self._rows: Rows = none
        self._first: Rows = none
        self._second: Rows = none
        self._reach_squared: Scalars = np.zeros(0)
        self._margin = 0.0
        self._ahead = 1.0
        self._frames = 0

    def on(
        self, position: Vectors, radius: Scalars, present: Mask, axis: Vectors | None = None
    ) -> tuple[Rows, Rows, Scalars]:
        """The pairs of bodies that touch on a frame, each once, and the distances of their axes; frames in order.

        Args:
            position: (b, 3) metres.
            radius: (b,) metres.
            present: (b,) which bodies take part.
            axis: (b, 3) from the middle of each capsule to the end of its axis, metres; None if all are spheres.
        """
        present = present & (radius > 0.0)
        self._frames += 1
        # Whatever way a capsule turns, it stays within the sphere about it.
        extent = radius if axis is None else radius + magnitude(axis)
        if not self._holds(position, extent, present):
            self._find(position, extent, present)
        gap = _gap_squared(position, self._first, self._second)
        close = which(gap < self._reach_squared)
        first, second, distance = self._first[close], self._second[close], np.sqrt(gap[close])
        if axis is not None:
            length, direction = magnitude(axis), unit(axis)
            offset = picked(position, second) - picked(position, first)
            ends = picked(direction, first), length[first], picked(direction, second), length[second]
            distance = magnitude(between_axes(offset, *ends))
        meet = present[first] & present[second] & (distance < radius[first] + radius[second])
        return first[meet], second[meet], distance[meet]

    def _holds(self, position: Vectors, extent: Scalars, present: Mask) -> bool:
        """Whether no other pair can touch since the last search."""
        if len(position) != len(self._position) or anybody(extent > self._extent) or anybody(present > self._present):
            return False
        return everybody(self._shift_squared(position) <= self._margin * self._margin)

    def _shift_squared(self, position: Vectors) -> Scalars:
        """The squared distance in metres that each has moved since the last search, relative to the mean of all."""
        squared = np.zeros(len(self._rows))
        for axis in range(3) if len(self._rows) else ():
            gone = position[:, axis] - self._position[:, axis]
            if len(self._rows) < len(gone):
                gone = gone[self._rows]
            gone -= np.einsum("n->", gone) / len(gone)
            gone *= gone
            squared += gone
        return squared

    def _find(self, position: Vectors, extent: Scalars, present: Mask) -> None:
        """Search the pairs that may touch before a body has moved the distance that is likely within some frames."""
        self._margin = max(self._ahead * self._stride(position), LEAST * _middle(extent[present]))
        self._position, self._extent, self._present, self._frames = position.copy("K"), extent.copy(), present, 0
        self._rows = which(present)
        first, second = pairs_of_reach(picked(position, self._rows), extent[self._rows] + self._margin)
        first, second = self._rows[first], self._rows[second]
        touch: Scalars = extent[first] + extent[second]
        self._first, self._second, self._reach_squared = first, second, touch * touch
        if len(first) <= FEW * len(position):
            self._ahead = min(self._ahead * CHANGE, FURTHEST)
        elif len(first) > MANY * len(position):
            self._ahead /= CHANGE

    def _stride(self, position: Vectors) -> float:
        """The distance that a body moves per frame relative to the mean of all, as measured since the last search."""
        if len(position) != len(self._position) or not len(self._rows) or not self._frames:
            return 0.0
        gone = np.sqrt(self._shift_squared(position)) / self._frames
        return min(float(gone.max()), SPREAD * _middle(gone))


def _gap_squared(position: Vectors, first: Rows, second: Rows) -> Scalars:
    """The squared distances of pairs, (p,)."""
    squared = np.zeros(len(first))
    for axis in range(3) if len(first) else ():
        gap = position[:, axis][first]
        gap -= position[:, axis][second]
        gap *= gap
        squared += gap
    return squared


def _middle(values: Scalars) -> float:
    """The upper median; 0 without values."""
    half = len(values) // 2
    return float(np.partition(values, half)[half]) if len(values) else 0.0
