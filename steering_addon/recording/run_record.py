"""The record of a run: what happened to each of its vehicles, in columns by identity, and their changes of state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import Mask, Rows, Scalars
from ..simulation.mindset import Mindset
from ..simulation.snapshot import State
from .mishaps import KINDS, Mishaps

Span = tuple[float, float]
"""The first and the last of some frames."""


@dataclass(frozen=True)
class RunRecord:
    """The mishaps and states of n vehicles in a run.

    Attributes:
        identity: (n,) rising.
        mishaps: by kind the frame (n,) on which a vehicle ran into something or got stuck, nan for never; kinds that
            never happened are left out.
        stuck: (n, 2) the first and the last frame on which a vehicle was stuck, nan for never.
        present: (n, 2) the first and the last frame on which it was present, infinite before the first or after the
            last frame of the run; in reverse order if it never was.
        histories: (n,) texts that tell which states it took up, and why; "" for none.
        unreached: (n,) the names of goals to which no way led in the end; "" for none.
        owner: (n,) the identities of the objects whose points vehicles are, 0 for those that are objects; empty if all
            are.
    """

    identity: Rows
    mishaps: Mapping[str, Scalars]
    stuck: Scalars
    present: Scalars
    histories: tuple[str, ...]
    unreached: tuple[str, ...]
    owner: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def rows_of(self, owner: int) -> Rows:
        """The rows of the vehicles that are points of an object."""
        return np.flatnonzero(self.owner == owner)

    def row_of(self, identity: int) -> int | None:
        """The row of a vehicle; None if it took no part."""
        return self._rows.get(identity)

    @once
    def _rows(self) -> dict[int, int]:
        return {identity: row for row, identity in enumerate(self.identity.tolist())}


class ChangeOfMind(NamedTuple):
    """A vehicle takes up a state of its crowd, or goes back to none. `mode`: the state, 0 for none; `by`, `body`,
    `source`: why, as in `simulation.mindset.Mindset`; `weighed`: the value of each mode at that moment."""

    mode: int
    by: int
    body: int
    source: int
    weighed: tuple[float, ...]


def changes(before: Mindset | None, after: Mindset | None) -> Mapping[int, ChangeOfMind]:
    """The vehicles that are in another state on a frame than on the frame before, by their rows, and why. A state that
    lasts for less than a frame is left out, unless the one before it comes again."""
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


class RunRecorder:
    """Takes down what happens to n vehicles, frame after frame.

    Attributes:
        mishaps: of all vehicles so far; others may note more kinds.
        changes: the states that vehicles took up, by their row, each with the row of the frame.
    """

    def __init__(self, frames: Scalars, n: int) -> None:
        """`frames`: (f,) their numbers."""
        self.mishaps = Mishaps(n)
        self._frames = frames
        self._away: Mask = np.zeros((len(frames), n), dtype=np.bool_)
        self.changes: dict[int, list[tuple[int, ChangeOfMind]]] = {}
        self._before: Mindset | None = None

    def look(self, row: int, state: State) -> None:
        """Take down the frame of this row; frames come in order."""
        self.mishaps.look(row, state)
        self._away[row] = state.away
        for k, change in changes(self._before, state.mindset).items():
            self.changes.setdefault(k, []).append((row, change))
        self._before = state.mindset

    def record(
        self, identity: Rows, owner: Rows, histories: Mapping[int, str], unreached: Mapping[int, str]
    ) -> RunRecord:
        """The record of the whole run; what tells in words, as of `RunRecord`, is by the row of the vehicle."""
        happened = {kind: self.mishaps.frames[kind] for kind in KINDS if self.mishaps.number(kind)}
        stuck = np.stack((self.mishaps.stuck_from, self.mishaps.stuck_until), axis=1)
        return RunRecord(
            identity=identity,
            mishaps={kind: self._numbers(rows) for kind, rows in happened.items()},
            stuck=self._numbers(stuck),
            present=frames_present(self._away, self._frames),
            histories=_texts(histories, len(identity)),
            unreached=_texts(unreached, len(identity)),
            owner=owner,
        )

    def _numbers(self, rows: Rows) -> Scalars:
        """The numbers of frames from their rows; nan for -1."""
        return np.where(rows >= 0, self._frames[rows], np.nan)


def _texts(told: Mapping[int, str], n: int) -> tuple[str, ...]:
    """Texts that are told by row, for all n rows; "" for none."""
    texts = [""] * n
    for row, text in told.items():
        texts[row] = text
    return tuple(texts)


def frames_present(away: Mask, frames: Scalars) -> Scalars:
    """The first and the last frame on which each vehicle is present, (n, 2), as `RunRecord.present`. `away`: (f, n)
    whether it has not entered yet or has left; `frames`: (f,) their numbers."""
    first, last = np.argmin(away, axis=0), len(frames) - 1 - np.argmin(away[::-1], axis=0)
    present = np.stack((np.where(away[0], frames[first], -np.inf), np.where(away[-1], frames[last], np.inf)), axis=1)
    present[away.all(axis=0)] = frames[-1] + 1.0, frames[-1]
    return present
