"""Mixtures of clips that are played together, from tables of the numbers of each at its phases.

The rows of a table are the phases of a cycle and two more, over its end, as phases may be rounded up.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.scalars import Scalars
from .clips import Playing

TOGETHER = 32000
"""Numbers that are mixed together: with more, arrays do not fit the fast memory of a processor."""


def mixed_tables(tables: Sequence[NDArray[np.float64]], playing: Playing) -> NDArray[np.float64]:
    """Mix some numbers of clips that are played together, (f, ...), each of these contiguous in memory. `tables`:
    (PHASES + 2, ...) of each clip; `playing`: (clips, f) of one body, or of several one after the other."""
    columns = np.stack([table.reshape(len(table), -1).T for table in tables])
    return mixed_columns(columns, playing).T.reshape(-1, *tables[0].shape[1:])


def mixed_columns(columns: Scalars, playing: Playing) -> Scalars:
    """Mix k columns of clips, as `mixed_tables` mixes tables: (clips, k, PHASES + 2) to (k, f)."""
    frames = playing.phase.shape[1]
    mixed = np.repeat(columns[0, :, :1], frames, axis=1)
    varies = np.flatnonzero((columns != columns[0, :, :1]).any(axis=(0, 2)))
    tables = columns[:, varies].swapaxes(0, 1).reshape(len(varies), len(columns) * columns.shape[2])
    for chunk in np.array_split(np.arange(len(varies)), max(len(varies) * frames // TOGETHER, 1)):
        table, total = tables[chunk], np.zeros((len(chunk), frames))
        for layer in playing.layers:
            row = layer.clip * columns.shape[2] + layer.row
            values = np.take(table, row, axis=1, mode="clip")
            values *= layer.before
            after = np.take(table, row + 1, axis=1, mode="clip")
            after *= layer.after
            values += after
            total[:, layer.frames] += values
        mixed[varies[chunk]] = total
    return mixed
