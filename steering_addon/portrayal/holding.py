"""Values that are held while something lasts, and glide from one such stretch of frames to the next in between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import Mask, Rows, Scalars
from .stretches import Stretches, medians, stretches

SHORTEST = 2
"""Steps between frames that a stance has at least."""


@dataclass(frozen=True)
class Glide:
    """The m frames of some bodies on which values are not known, and how they are found from those that are.

    Attributes:
        between: (m,) rows of columns of all frames of all bodies.
        first, last: (m,) the rows of the known values before and after; both the same where there is one only, and
            where none of a body are known, the row itself.
        part: (m,) the share of the way from one to the other, smooth.
    """

    between: Rows
    first: Rows
    last: Rows
    part: Scalars

    @classmethod
    def of(cls, known: Mask) -> Glide:
        """That of values which are known where this mask (..., f) holds."""
        frames = known.shape[-1]
        rows = np.arange(frames)
        before = np.maximum.accumulate(np.where(known, rows, -1), axis=-1)
        after = np.minimum.accumulate(np.where(known, rows, frames)[..., ::-1], axis=-1)[..., ::-1]
        between = np.flatnonzero(~known)
        row, before, after = between % frames, before.reshape(-1)[between], after.reshape(-1)[between]
        first, last = np.where(before < 0, after, before), np.where(after >= frames, before, after)
        unknown = first >= frames
        first[unknown] = last[unknown] = row[unknown]
        part = np.clip(row - first, 0, last - first) / np.maximum(last - first, 1)
        begin = between - row
        return cls(between, begin + first, begin + last, part * part * (3.0 - 2.0 * part))

    def over(self, values: Scalars) -> Scalars:
        """Values (..., f, k), and smooth steps between those that are known; of a body without any, they stay."""
        # With each column contiguous in memory, as vectors are.
        memory = np.empty((values.shape[-1], *values.shape[:-1]))
        for column, each in enumerate(memory):
            each[:] = values[..., column]
            flat = each.reshape(-1)
            flat[self.between] = flat[self.first] * (1.0 - self.part) + flat[self.last] * self.part
        return np.moveaxis(memory, 0, -1)


class Hold:
    """The stances of a foot of each body.

    Attributes:
        stances: those that last for a moment at least.
        known: (..., f) whether it is in one.
        rows: (m,) of the frames of all stances, in columns of all frames of all bodies.
        stance: (m,) the row of the stance of each.
        glide: between stances.
    """

    def __init__(self, on_ground: Mask) -> None:
        """`on_ground` (..., f - 1) is whether the foot stands between two frames."""
        of_any_length = stretches(on_ground)
        self.stances: Stretches = of_any_length[of_any_length.length >= SHORTEST]
        shape = (*on_ground.shape[:-1], on_ground.shape[-1] + 1)
        self.rows, self.stance = self.stances.within(shape[-1], 1)
        self.known: Mask = np.zeros(shape, dtype=np.bool_)
        self.known.reshape(-1)[self.rows] = True
        self.glide = Glide.of(self.known)

    def added(self, values: Scalars) -> Scalars:
        """What to add to a foot, (..., f, k), so that it stays in each stance, and glides from one to the next.

        `values` (..., f, k) are where it is.
        """
        memory = np.zeros((values.shape[-1], *values.shape[:-1]))
        # Where it mostly is: the middle of a step, and where the body stands if it stops or starts in the stance.
        for column, each in enumerate(memory):
            places = values[..., column].reshape(-1)[self.rows]
            each.reshape(-1)[self.rows] = medians(places, self.stance, len(self.stances))[self.stance] - places
        return self.glide.over(np.moveaxis(memory, 0, -1))
