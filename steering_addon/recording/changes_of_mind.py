"""Changes of mind: which states vehicles take up in the course of a run, and why."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..simulation.mindset import Mindset
from ..simulation.snapshot import State


class ChangeOfMind(NamedTuple):
    """A vehicle takes up a state of its crowd, or goes back to none.

    Attributes:
        mode: the state, 0 for none.
        by, body, source: why, as in `simulation.mindset.Mindset`.
        weighed: the value of each mode at that moment.
    """

    mode: int
    by: int
    body: int
    source: int
    weighed: tuple[float, ...]


def changes(before: Mindset | None, after: Mindset | None) -> Mapping[int, ChangeOfMind]:
    """The vehicles that are in another state on a frame than on the frame before, by their rows, and why.

    A state that lasts for less than a frame is left out, unless the one before it comes again.
    """
    if after is None:
        return {}
    blank = np.zeros(len(after.mode), dtype=np.int64)
    mode, turns = (blank, blank) if before is None else (before.mode, before.turns)
    changed = (after.turns != turns) & ((after.mode != 0) | (mode != 0))
    return {
        row: ChangeOfMind(
            int(after.mode[row]),
            int(after.by[row]),
            int(after.body[row]),
            int(after.source[row]),
            tuple(after.weighed[row].tolist()),
        )
        for row in np.flatnonzero(changed).tolist()
    }


class ChangesOfMind:
    """The changes of vehicles, taken down frame after frame."""

    def __init__(self) -> None:
        self.of: dict[int, list[tuple[int, ChangeOfMind]]] = {}
        """The changes of each vehicle that has had any, by its row, each with the row of the frame."""
        self._before: Mindset | None = None

    def look(self, row: int, state: State) -> None:
        """Take down who has changed by a frame, the one of this row."""
        for k, change in changes(self._before, state.mindset).items():
            self.of.setdefault(k, []).append((row, change))
        self._before = state.mindset
