"""Which bodies are in each other, frame by frame, without asking every frame who is near whom.

Who is near is found a little further out than touches, and holds until somebody has gone so far that others may have
come near. How far further out is a matter of time only: the pairs are the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.vectors import Mask, Rows, Scalars, Vectors, anybody, everybody, picked, which
from ..simulation.nearby.pairs import pairs_within

LARGE = 2.0
"""Bodies so many times as large as the middle one are compared with all others one by one."""
SPREAD = 4.0
"""The fastest are reckoned with as going this many times as far as the middle one; who goes further is asked sooner."""
LEAST = 0.25
"""Radii of the middle one that anybody may go at least: who stands or flies along with all is not asked again."""
FEW, MANY = 0.5, 2.0
"""Pairs a body below which to look further ahead, and above which less far."""
CHANGE = 1.4
"""By how much: in space a list grows almost threefold with it."""
FURTHEST = 16.0
"""Frames to look ahead at most."""


class Meetings:
    """The bodies of a run, the same ones on every frame."""

    def __init__(self) -> None:
        none: Rows = np.zeros(0, dtype=np.int64)
        self._position: Vectors = np.zeros((0, 3))
        self._radius: Scalars = np.zeros(0)
        self._there: Mask = np.zeros(0, dtype=np.bool_)
        self._rows: Rows = none
        self._first: Rows = none
        self._second: Rows = none
        self._reach_squared: Scalars = np.zeros(0)
        self._room = 0.0
        self._ahead = 1.0
        self._asked = 0

    def on(self, position: Vectors, radius: Scalars, there: Mask) -> tuple[Rows, Rows, Scalars]:
        """The pairs of bodies that touch on a frame, each once, and the distances of their middles; frames in order.

        Args:
            position: (b, 3) metres.
            radius: (b,) metres.
            there: (b,) who takes part.
        """
        there = there & (radius > 0.0)
        self._asked += 1
        if not self._holds(position, radius, there):
            self._find(position, radius, there)
        gap = _gap_squared(position, self._first, self._second)
        near = which(gap < self._reach_squared)
        first, second, distance = self._first[near], self._second[near], np.sqrt(gap[near])
        meet = there[first] & there[second] & (distance < radius[first] + radius[second])
        return first[meet], second[meet], distance[meet]

    def _holds(self, position: Vectors, radius: Scalars, there: Mask) -> bool:
        """Whether nobody else can have come near since the pairs were found."""
        if len(position) != len(self._position) or anybody(radius > self._radius) or anybody(there > self._there):
            return False
        return everybody(self._gone_squared(position) <= self._room * self._room)

    def _gone_squared(self, position: Vectors) -> Scalars:
        """How far each has gone since the pairs were found, beyond what all have gone together; metres squared."""
        squared = np.zeros(len(self._rows))
        for axis in range(3) if len(self._rows) else ():
            gone = position[:, axis] - self._position[:, axis]
            if len(self._rows) < len(gone):
                gone = gone[self._rows]
            gone -= np.einsum("n->", gone) / len(gone)
            gone *= gone
            squared += gone
        return squared

    def _find(self, position: Vectors, radius: Scalars, there: Mask) -> None:
        """Find the pairs that may touch before anybody has gone as far as is likely for some frames."""
        self._room = max(self._ahead * self._stride(position), LEAST * _middle(radius[there]))
        self._position, self._radius, self._there, self._asked = position.copy("K"), radius.copy(), there, 0
        self._rows = which(there)
        first, second = _near(picked(position, self._rows), radius[self._rows] + self._room)
        first, second = self._rows[first], self._rows[second]
        touch: Scalars = radius[first] + radius[second]
        may = touch + 2.0 * self._room
        near = which(_gap_squared(position, first, second) <= may * may)
        self._first, self._second, touch = first[near], second[near], touch[near]
        self._reach_squared = touch * touch
        if len(near) <= FEW * len(position):
            self._ahead = min(self._ahead * CHANGE, FURTHEST)
        elif len(near) > MANY * len(position):
            self._ahead /= CHANGE

    def _stride(self, position: Vectors) -> float:
        """How far one goes from one frame to the next, beyond what all do, as it was since the pairs were found."""
        if len(position) != len(self._position) or not len(self._rows) or not self._asked:
            return 0.0
        gone = np.sqrt(self._gone_squared(position)) / self._asked
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
    """The one that half of the others are larger than; 0 of none."""
    half = len(values) // 2
    return float(np.partition(values, half)[half]) if len(values) else 0.0


def _near(position: Vectors, radius: Scalars) -> tuple[Rows, Rows]:
    """Pairs of bodies that may touch; a few large ones do not widen the search."""
    none: Rows = np.zeros(0, dtype=np.int64)
    if len(radius) < 2:
        return none, none
    usual = LARGE * _middle(radius)
    small: Mask = radius <= usual
    rows = which(small)
    firsts, seconds = [none], [none]
    for pairs in pairs_within(picked(position, rows), 2.0 * float(radius[rows].max())):
        firsts.append(rows[pairs.first])
        seconds.append(rows[pairs.second])
    for large in which(~small).tolist():
        # Another large one is met from the end of the lower row only.
        with_whom: NDArray[np.int64] = which(small | (np.arange(len(radius)) > large))
        firsts.append(np.full(len(with_whom), large))
        seconds.append(with_whom)
    return np.concatenate(firsts), np.concatenate(seconds)
