"""How far the legs of bodies reach, and when they let go of feet that they cannot hold any longer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import Mask, Scalars, Vectors, magnitude
from .stretches import stretches

HOLDS, PULLED = 0.98, 0.1
"""Shares of a leg's length: a foot that it holds is at most so far from its hip, unless it is by less than this farther
than in its clips, which may have straight legs."""


@dataclass(frozen=True)
class Reach:
    """The leg between the hips and a foot of each body on f frames, in the space of the model.

    Attributes:
        hip, ankle: (..., f, 3) metres.
        length: (..., f) metres of the stretched leg, or one number.
    """

    hip: Vectors
    ankle: Vectors
    length: Scalars | float

    def strained(self, shift: Vectors) -> Mask:
        """Where, (..., f), a leg is pulled straight by a foot that is moved by `shift` (..., f, 3) metres."""
        line = self.ankle - self.hip
        held = magnitude(line + shift)
        far: Mask = (held > HOLDS * self.length) & (held - magnitude(line) > PULLED * self.length)
        return far


def let_go(drags: Mask, stance: Mask, strained: Mask) -> Mask:
    """When legs let go of feet between frames, (..., f - 1): from where they are strained to the ends of stances.

    Args:
        drags: (..., f - 1) whether a foot sets off although it is held.
        stance: (..., f - 1) whether it stands as its clips have it.
        strained: (..., f) whether its leg is.
    """
    steps = stance.shape[-1]
    ends = stretches(drags)
    swings = np.ones((*stance.shape[:-1], steps + 1), dtype=np.bool_)
    swings[..., :-1] = ~stance
    ends = ends[swings.reshape(-1)[ends.body * (steps + 1) + ends.last]]
    rows, end = ends.within(steps)
    far = strained[..., 1:].reshape(-1)[rows]
    count = np.cumsum(far)
    before = np.concatenate(([0], count))[np.cumsum(ends.length) - ends.length]
    lets_go: Mask = np.zeros(stance.shape, dtype=np.bool_)
    lets_go.reshape(-1)[rows[count > before[end]]] = True
    return lets_go
