"""Overlapping bodies, frame by frame, without a search for neighbors on every frame.

A Verlet list: a search takes pairs up to a margin beyond contact, and holds until a body has moved more than that
relative to the mean motion of all. The margin affects the time only; the pairs are the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.vectors import Mask, Rows, Scalars, Vectors, anybody, everybody, picked, which
from ..simulation.nearby.pairs import pairs_within

LARGE = 2.0
"""Bodies with more than LARGE times the median radius are compared with all others one by one."""
SPREAD = 4.0
"""The margin allows for SPREAD times the median motion; a body that moves further causes an earlier search."""
LEAST = 0.25
"""The least margin, in median radii: bodies that stand or move with the others cause few searches."""
FEW, MANY = 0.5, 2.0
"""Pairs per body below which the margin grows, and above which it shrinks."""
CHANGE = 1.4
"""The factor by which it does: the list grows almost threefold with it."""
FURTHEST = 16.0
"""Frames for which a margin is made at most."""


class Meetings:
    """Finds the overlapping pairs of the bodies of a run, which are the same on every frame."""

    def __init__(self) -> None:
        no_rows: Rows = np.zeros(0, dtype=np.int64)
        self._position: Vectors = np.zeros((0, 3))
        self._radius: Scalars = np.zeros(0)
        self._present: Mask = np.zeros(0, dtype=np.bool_)
        self._rows: Rows = no_rows
        self._first: Rows = no_rows
        self._second: Rows = no_rows
        self._reach_squared: Scalars = np.zeros(0)
        self._margin = 0.0
        self._ahead = 1.0
        self._frames = 0

    def on(self, position: Vectors, radius: Scalars, present: Mask) -> tuple[Rows, Rows, Scalars]:
        """The pairs of bodies that overlap on a frame, each once, and the distances of their middles.

        Args:
            position: (b, 3) metres; frames come in order.
            radius: (b,) metres.
            present: (b,) the bodies that take part.

        Returns:
            (p,) and (p,) rows of bodies, (p,) metres.
        """
        present = present & (radius > 0.0)
        self._frames += 1
        if not self._holds(position, radius, present):
            self._find(position, radius, present)
        gap = _gap_squared(position, self._first, self._second)
        near = which(gap < self._reach_squared)
        first, second, distance = self._first[near], self._second[near], np.sqrt(gap[near])
        overlap = present[first] & present[second] & (distance < radius[first] + radius[second])
        return first[overlap], second[overlap], distance[overlap]

    def _holds(self, position: Vectors, radius: Scalars, present: Mask) -> bool:
        """Whether the pairs of the last search still include every pair that can overlap."""
        if len(position) != len(self._position) or anybody(radius > self._radius) or anybody(present > self._present):
            return False
        return everybody(self._moved_squared(position) <= self._margin * self._margin)

    def _moved_squared(self, position: Vectors) -> Scalars:
        """The squared distance that each present body has moved since the last search, less the mean motion; (m,)."""
        squared = np.zeros(len(self._rows))
        for axis in range(3) if len(self._rows) else ():
            moved = position[:, axis] - self._position[:, axis]
            if len(self._rows) < len(moved):
                moved = moved[self._rows]
            moved -= np.einsum("n->", moved) / len(moved)
            moved *= moved
            squared += moved
        return squared

    def _find(self, position: Vectors, radius: Scalars, present: Mask) -> None:
        """Search for the pairs that may overlap while no body moves further than the margin."""
        self._margin = max(self._ahead * self._stride(position), LEAST * _median(radius[present]))
        self._position, self._radius, self._present, self._frames = position.copy("K"), radius.copy(), present, 0
        self._rows = which(present)
        first, second = _near(picked(position, self._rows), radius[self._rows] + self._margin)
        first, second = self._rows[first], self._rows[second]
        touch: Scalars = radius[first] + radius[second]
        reach = touch + 2.0 * self._margin
        near = which(_gap_squared(position, first, second) <= reach * reach)
        self._first, self._second, touch = first[near], second[near], touch[near]
        self._reach_squared = touch * touch
        if len(near) <= FEW * len(position):
            self._ahead = min(self._ahead * CHANGE, FURTHEST)
        elif len(near) > MANY * len(position):
            self._ahead /= CHANGE

    def _stride(self, position: Vectors) -> float:
        """The distance that bodies have moved per frame since the last search, less the mean motion; metres."""
        if len(position) != len(self._position) or not len(self._rows) or not self._frames:
            return 0.0
        moved = np.sqrt(self._moved_squared(position)) / self._frames
        return min(float(moved.max()), SPREAD * _median(moved))


def _gap_squared(position: Vectors, first: Rows, second: Rows) -> Scalars:
    """The squared distances of pairs of rows (p,) of positions (b, 3); (p,)."""
    squared = np.zeros(len(first))
    for axis in range(3) if len(first) else ():
        gap = position[:, axis][first]
        gap -= position[:, axis][second]
        gap *= gap
        squared += gap
    return squared


def _median(values: Scalars) -> float:
    """The median, or the upper of the two in the middle; 0 for an empty column."""
    half = len(values) // 2
    return float(np.partition(values, half)[half]) if len(values) else 0.0


def _near(position: Vectors, radius: Scalars) -> tuple[Rows, Rows]:
    """Pairs of bodies that may overlap, as (p,) and (p,) rows; a few large bodies do not widen the search for all."""
    no_rows: Rows = np.zeros(0, dtype=np.int64)
    if len(radius) < 2:
        return no_rows, no_rows
    limit = LARGE * _median(radius)
    small: Mask = radius <= limit
    rows = which(small)
    firsts, seconds = [no_rows], [no_rows]
    for pairs in pairs_within(picked(position, rows), 2.0 * float(radius[rows].max())):
        firsts.append(rows[pairs.first])
        seconds.append(rows[pairs.second])
    for large in which(~small).tolist():
        # A pair of large bodies is found from the lower row only.
        partners: NDArray[np.int64] = which(small | (np.arange(len(radius)) > large))
        firsts.append(np.full(len(partners), large))
        seconds.append(partners)
    return np.concatenate(firsts), np.concatenate(seconds)
