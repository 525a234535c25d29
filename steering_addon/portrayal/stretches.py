"""Stretches of frames in which something holds, of many bodies together.

Masks are (..., f): their last axis is time, the others are bodies. Made flat, all frames of one body follow all those
of another, and no stretch reaches from one into the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import Mask, Rows, Scalars


@dataclass(frozen=True)
class Stretches:
    """k stretches, in the order of bodies and of time.

    Attributes:
        body: (k,) rows.
        first, last: (k,) the first frame of each, and the one after its last.
    """

    body: Rows
    first: Rows
    last: Rows

    def __len__(self) -> int:
        return len(self.body)

    def __getitem__(self, which: Mask | Rows) -> Stretches:
        return Stretches(self.body[which], self.first[which], self.last[which])

    @property
    def length(self) -> Rows:
        return self.last - self.first

    def within(self, frames: int, more: int = 0) -> tuple[Rows, Rows]:
        """Their frames, as rows of a column of all bodies with this number of frames each, and the stretch of each.

        Args:
            more: frames after the last one of each stretch that are among them.
        """
        lengths = self.length + more
        stretch = np.repeat(np.arange(len(self)), lengths)
        begin = self.body * frames + self.first - (np.cumsum(lengths) - lengths)
        return np.arange(len(stretch)) + begin[stretch], stretch


def stretches(mask: Mask) -> Stretches:
    """Those in which a mask (..., f) holds."""
    frames = mask.shape[-1]
    padded = np.zeros((mask.size // max(frames, 1), frames + 2), dtype=np.bool_)
    padded[:, 1:-1] = mask.reshape(len(padded), frames)
    edges = np.flatnonzero(padded[:, 1:] != padded[:, :-1])
    body, frame = edges // (frames + 1), edges % (frames + 1)
    return Stretches(body[::2], frame[::2], frame[1::2])


def marked(pieces: Stretches, shape: tuple[int, ...]) -> Mask:
    """The mask of a shape (..., f) that holds in stretches and nowhere else."""
    mask = np.zeros(shape, dtype=np.bool_)
    mask.reshape(-1)[pieces.within(shape[-1])[0]] = True
    return mask


def medians(values: Scalars, stretch: Rows, count: int) -> Scalars:
    """The medians of the values (m,) of each of `count` stretches; `stretch` (m,) ascends, and has each."""
    order = np.lexsort((values, stretch))
    lengths = np.bincount(stretch, minlength=count)
    begin = np.cumsum(lengths) - lengths
    ordered = values[order]
    return 0.5 * (ordered[begin + (lengths - 1) // 2] + ordered[begin + lengths // 2])
