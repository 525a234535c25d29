"""Borders of a surface, and the places that are near them."""

from dataclasses import dataclass

import numpy as np

from ..arrays.once import once
from ..arrays.scalars import Mask, Rows, counted
from ..arrays.vectors import Vectors, magnitude

WIDER = 1.25
"""Borders are looked for this much further than asked, so that a slightly larger reach needs no new search."""
SPACING = 0.2
"""The distance of samples on a border over the width of a cell."""


@dataclass(frozen=True)
class Borders:
    """The straight pieces of the borders of a surface. `start`, `end`: (k, 3) metres."""

    start: Vectors
    end: Vectors

    def __len__(self) -> int:
        return len(self.start)

    @once
    def _cells(self) -> "dict[str, _Cells]":
        """The last findings of `near`."""
        return {}

    def near(self, points: Vectors, reach: float) -> Mask:
        """The points (n, 3) that may be within reach of a border, metres; none is left out."""
        if not len(self):
            return np.zeros(len(points), dtype=np.bool_)
        known = self._cells.get("last")
        if known is None or not reach <= known.reach <= 2.0 * WIDER * reach:
            known = self._cells["last"] = _Cells.of(self, WIDER * reach)
        return known.have(points)


@dataclass(frozen=True)
class _Cells:
    """The cells of a grid in space that are near borders.

    Attributes:
        reach: metres within which they are near.
        low: (3,) the corner of the grid, metres.
        size: the width of a cell, metres.
        shape: the cells along each axis.
        number: (c,) the numbers of the cells that are near, rising.
    """

    reach: float
    low: Vectors
    size: float
    shape: tuple[int, int, int]
    number: Rows

    @classmethod
    def of(cls, ends: Borders, reach: float) -> "_Cells":
        vector = ends.end - ends.start
        widest = float((np.maximum(ends.start, ends.end) - np.minimum(ends.start, ends.end).min(axis=0)).max())
        # A sample is nearer than half a spacing to each place of a border. Many cells make large numbers.
        size = max(reach / (1.0 - 0.5 * SPACING), widest / 2.0**17, 1e-9)
        pieces = np.floor(magnitude(vector) / (SPACING * size)).astype(np.int64) + 1
        row, piece = counted(pieces)
        fraction = (piece + 0.5) / pieces[row]
        samples = ends.start[row] + vector[row] * fraction[:, None]
        low = samples.min(axis=0) - 2.0 * size
        cell = np.floor((samples - low) / size).astype(np.int64)
        x, y, z = (int(count) + 3 for count in cell.max(axis=0))
        cell = np.unique((cell[:, 0] * y + cell[:, 1]) * z + cell[:, 2])
        around = [(i * y + j) * z + k for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]
        number = np.unique(np.concatenate([cell + step for step in around]))
        return cls(reach, low, size, (x, y, z), number)

    def have(self, points: Vectors) -> Mask:
        """Whether points (n, 3) are in one of the cells."""
        i, j, k = (np.floor((points[:, axis] - self.low[axis]) / self.size) for axis in range(3))
        x, y, z = self.shape
        inside = (i >= 0) & (i < x) & (j >= 0) & (j < y) & (k >= 0) & (k < z)
        number = np.where(inside, (i * y + j) * z + k, -1.0).astype(np.int64)
        row = np.minimum(np.searchsorted(self.number, number), len(self.number) - 1)
        return self.number[row] == number
