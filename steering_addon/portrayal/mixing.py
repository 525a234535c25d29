"""What clips that are played together show, from tables of what each has at its phases.

The rows of a table are the phases of a cycle and two more, over its end, as phases may be rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.vectors import Scalars
from .clips import PHASES, Playing

TOGETHER = 16000
"""Numbers that are mixed together: with more, arrays do not fit the fast memory of a processor."""
MOST = 0.5
"""The share of the frames on which a clip is seen, from which on it is mixed in on all."""


def mixed_tables(tables: Sequence[NDArray[np.float64]], playing: Playing) -> NDArray[np.float64]:
    """What clips that are played together have of some numbers, (f, ...), each of these contiguous in memory.

    Args:
        tables: (PHASES + 2, ...) of each clip.
        playing: (clips, f) of one body, or of several one after the other.
    """
    columns = np.stack([table.reshape(len(table), -1).T for table in tables])
    return mixed_columns(columns, playing).T.reshape(-1, *tables[0].shape[1:])


def mixed_columns(columns: Scalars, playing: Playing) -> Scalars:
    """The same for k columns, (clips, k, PHASES + 2) to (k, f)."""
    frames = playing.phase.shape[1]
    mixed = np.repeat(columns[0, :, :1], frames, axis=1)
    varies = np.flatnonzero((columns != columns[0, :, :1]).any(axis=(0, 2)))
    mixed[varies] = 0.0
    place = (playing.phase - np.floor(playing.phase)) * PHASES
    parts = np.array_split(varies, max(len(varies) * frames // TOGETHER, 1))
    for each, table, weight in zip(place, columns, playing.weights()):
        rows = np.flatnonzero(weight)
        seen = slice(None) if len(rows) > MOST * frames else rows
        row = np.floor(each[seen]).astype(np.int64)
        after = (each[seen] - row) * weight[seen]
        before = weight[seen] - after
        for part in parts:
            now = np.take(table[part], row, axis=1, mode="clip") * before
            now += np.take(table[part], row + 1, axis=1, mode="clip") * after
            for column, values in zip(part, now):
                mixed[column, seen] += values
    return mixed
