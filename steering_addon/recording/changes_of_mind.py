"""Changes of mind: which states vehicles take up in the course of a run, and why."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..simulation.snapshot import State


class Change(NamedTuple):
    """A vehicle takes up a state of its crowd, or goes back to none.

    Attributes:
        row: of the frame on which it is first seen in it.
        mode: the state, 0 for none.
        by, body, source: why, as in `simulation.minds.mindset.Mindset`.
    """

    row: int
    mode: int
    by: int
    body: int
    source: int


class ChangesOfMind:
    """The changes of n vehicles, taken down frame after frame; a state that lasts for less than a frame is left out."""

    def __init__(self, n: int) -> None:
        self.of: dict[int, list[Change]] = {}
        """The changes of each vehicle that has had any, by its row."""
        self._mode = np.zeros(n, dtype=np.int64)
        self._turns = np.zeros(n, dtype=np.int64)

    def look(self, row: int, state: State) -> None:
        """Take down who has changed by a frame, the one of this row."""
        mindset = state.mindset
        if mindset is None:
            return
        changed = (mindset.turns != self._turns) & ((mindset.mode != 0) | (self._mode != 0))
        for k in np.flatnonzero(changed).tolist():
            why = (int(column[k]) for column in (mindset.mode, mindset.by, mindset.body, mindset.source))
            self.of.setdefault(k, []).append(Change(row, *why))
        self._mode, self._turns = mindset.mode, mindset.turns
