"""Signals: what holds the vehicles of a lane while it is not green."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays.frozen import Columns
from .arrays.scalars import Mask, Rows
from .arrays.vectors import Vectors, no_vectors


@dataclass(frozen=True)
class Signals(Columns):
    """The k signals of a scene.

    Attributes:
        position: (k, 3) metres.
        green: (k,) whether vehicles may go on; those that take no part at a frame are green.
        path: (k,) the row of the path that each holds, -1 for the lane near which it stands.
    """

    position: Vectors
    green: Mask
    path: Rows

    def __len__(self) -> int:
        return len(self.green)


NO_SIGNALS = Signals(no_vectors(0), np.zeros(0, dtype=np.bool_), np.zeros(0, dtype=np.int64))
