"""Stances of feet and other stretches of frames, of many bodies together, and values that are held in them.

Masks are (..., f): their last axis is time, the others are bodies. Made flat, all frames of one body follow all those
of another, and no stretch reaches from one into the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...simulation.arrays.scalars import Mask, Rows, Scalars, smooth_step
from .rotations import from_along, seen_along

SHORTEST = 2
"""Steps between frames that a stance has at least."""


@dataclass(frozen=True)
class Stretches:
    """k stretches of frames, in the order of bodies and of time. `body`: (k,) rows; `first`, `last`: (k,) the first
    frame of each, and the one after its last."""

    body: Rows
    first: Rows
    last: Rows

    @classmethod
    def of(cls, mask: Mask) -> "Stretches":
        """The stretches in which a mask (..., f) holds."""
        frames = mask.shape[-1]
        padded = np.zeros((mask.size // max(frames, 1), frames + 2), dtype=np.bool_)
        padded[:, 1:-1] = mask.reshape(len(padded), frames)
        edges = np.flatnonzero(padded[:, 1:] != padded[:, :-1])
        body, frame = edges // (frames + 1), edges % (frames + 1)
        return cls(body[::2], frame[::2], frame[1::2])

    def __len__(self) -> int:
        return len(self.body)

    def __getitem__(self, rows: Mask | Rows) -> "Stretches":
        return Stretches(self.body[rows], self.first[rows], self.last[rows])

    @property
    def length(self) -> Rows:
        return self.last - self.first

    def within(self, frames: int, extra: int = 0) -> tuple[Rows, Rows]:
        """Their frames, as rows of a column of all bodies with this number of frames each, and the stretch of each.
        `extra`: frames after the last one of each stretch that are among them."""
        lengths = self.length + extra
        stretch = np.repeat(np.arange(len(self)), lengths)
        begin = self.body * frames + self.first - (np.cumsum(lengths) - lengths)
        return np.arange(len(stretch)) + begin[stretch], stretch

    def mask(self, shape: tuple[int, ...]) -> Mask:
        """The mask of a shape (..., f) that holds in these stretches and nowhere else."""
        mask = np.zeros(shape, dtype=np.bool_)
        mask.reshape(-1)[self.within(shape[-1])[0]] = True
        return mask


def medians(values: Scalars, stretch: Rows, count: int) -> Scalars:
    """The medians of the values (m,) of each of `count` stretches; `stretch` (m,) ascends, and has each."""
    order = np.lexsort((values, stretch))
    lengths = np.bincount(stretch, minlength=count)
    begin = np.cumsum(lengths) - lengths
    ordered = values[order]
    return 0.5 * (ordered[begin + (lengths - 1) // 2] + ordered[begin + lengths // 2])


def smooth(fraction: Scalars) -> Scalars:
    """A smooth step from 0 to 1."""
    return smooth_step(np.clip(fraction, 0.0, 1.0))


@dataclass(frozen=True)
class Glide:
    """The m frames of some bodies on which values are not known, and how they are found from those that are.

    Attributes:
        between: (m,) rows of columns of all frames of all bodies.
        first, last: (m,) the rows of the known values before and after; both the same where there is one only, and
            where none of a body are known, the row itself.
        fraction: (m,) the share of the way from one to the other, smooth.
    """

    between: Rows
    first: Rows
    last: Rows
    fraction: Scalars

    @classmethod
    def of(cls, known: Mask) -> "Glide":
        """The glides between values that are known where this mask (..., f) holds."""
        frames = known.shape[-1]
        rows = np.arange(frames)
        before = np.maximum.accumulate(np.where(known, rows, -1), axis=-1)
        after = np.minimum.accumulate(np.where(known, rows, frames)[..., ::-1], axis=-1)[..., ::-1]
        between = np.flatnonzero(~known)
        row, before, after = between % frames, before.reshape(-1)[between], after.reshape(-1)[between]
        first, last = np.where(before < 0, after, before), np.where(after >= frames, before, after)
        unknown = first >= frames
        first[unknown] = last[unknown] = row[unknown]
        fraction = np.clip(row - first, 0, last - first) / np.maximum(last - first, 1)
        begin = between - row
        return cls(between, begin + first, begin + last, smooth(fraction))

    def over(self, values: Scalars) -> Scalars:
        """Values (..., f, k), and smooth steps between those that are known; of a body without any, they stay."""
        # With each column contiguous in memory, as vectors are.
        memory = np.empty((values.shape[-1], *values.shape[:-1]))
        for column, held in enumerate(memory):
            held[:] = values[..., column]
            flat = held.reshape(-1)
            flat[self.between] = flat[self.first] * (1.0 - self.fraction) + flat[self.last] * self.fraction
        return np.moveaxis(memory, 0, -1)


class Stances:
    """The stances of a foot of each body.

    Attributes:
        stretches: those that last for a moment at least.
        known: (..., f) whether it is in one.
        grazes: (..., f) whether it stands until the next frame, for too short a time to be held.
        rows: (m,) of the frames of all stances, in columns of all frames of all bodies.
        stance: (m,) the row of the stance of each.
        middle: (s,) the rows of the frames in the middle of each stance.
    """

    def __init__(self, on_ground: Mask) -> None:
        """`on_ground` (..., f - 1) is whether the foot stands between two frames."""
        of_any_length = Stretches.of(on_ground)
        self.stretches = of_any_length[of_any_length.length >= SHORTEST]
        shape = (*on_ground.shape[:-1], on_ground.shape[-1] + 1)
        self.rows, self.stance = self.stretches.within(shape[-1], 1)
        self.middle = self.stretches.body * shape[-1] + (self.stretches.first + self.stretches.last) // 2
        self.known: Mask = np.zeros(shape, dtype=np.bool_)
        self.known.reshape(-1)[self.rows] = True
        self.grazes = ~self.known
        self.grazes[..., :-1] &= on_ground
        self.grazes[..., -1] = False
        self.glide = Glide.of(self.known)

    def holding_shift(self, values: Scalars, ahead: Scalars | None = None) -> Scalars:
        """The shift of a foot, (..., f, k), that keeps it in place in each stance, and glides from one to the next.
        `values` (..., f, k) are where it is; with `ahead`, (..., f, 2) unit vectors, on the level."""
        columns: Sequence[Scalars] = [column.reshape(-1)[self.rows] for column in np.moveaxis(values, -1, 0)]
        if ahead is not None:
            ahead = ahead.reshape(-1, 2)[self.middle][self.stance]
            columns = seen_along(ahead, *columns)
        # Where it mostly is: the middle of a step, and where the body stands if it stops or starts in the stance.
        columns = [medians(column, self.stance, len(self.stretches))[self.stance] - column for column in columns]
        memory = np.zeros((values.shape[-1], *values.shape[:-1]))
        for added, column in zip(memory, columns if ahead is None else from_along(ahead, *columns)):
            added.reshape(-1)[self.rows] = column
        return self.glide.over(np.moveaxis(memory, 0, -1))
