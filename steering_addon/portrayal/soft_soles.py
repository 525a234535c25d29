"""Points of soles that the bones above a foot move, too, such as those of a heel at the end of a shin.

A foot that leans against its shin, as on a slope, does not take them along as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..simulation.arrays.vectors import Mask, Rows, Scalars
from .footholds import Stepping
from .planting import Correction, Moved, transposed, turned
from .soles import Points

LEANS = 0.9986
"""The cosine of three degrees, from which on it matters that a foot leans."""


@dataclass(frozen=True)
class Soft:
    """Some points of a sole, and what other bones have of each.

    Attributes:
        rows: (k,) of the points.
        shares: (k,) of the thigh, of the shin, and of all else.
        carried: (..., f, k, 3) alike: where clips have them, times the share.
    """

    rows: Rows
    shares: Sequence[Scalars]
    carried: Sequence[Points]


def leans(correction: Correction) -> Mask:
    """Whether the foot of each body leans on one of the frames, (...)."""
    upright: Mask = np.min(correction.turn[..., 2, 2], axis=-1) >= LEANS
    return ~upright


def as_moved(foot: Stepping, soft: Soft, moves: Sequence[Moved], correction: Correction) -> Stepping:
    """A foot whose points, taken along as a whole by its correction, come to where its bones move them.

    Those of bodies whose foot does not lean stay as they are.

    Args:
        moves: of the thigh, of the shin, and of all else.
        correction: with which the bones move so.
    """
    whole = Moved(correction.turn, correction.centre, correction.centre + correction.shift)
    points, lean = foot.points.copy(order="K"), leans(correction)[..., None, None, None]
    for share, carried, move in zip(soft.shares, soft.carried, moves):
        off = _moved(carried, share, move) - _moved(carried, share, whole)
        points[..., soft.rows, :] += lean * turned(transposed(correction.turn)[..., None, :, :], off)
    return replace(foot, points=points)


def _moved(carried: Points, share: Scalars, move: Moved) -> Points:
    """Shares of points (..., f, k, 3) once they are moved."""
    start, end = (place[..., None, :] * share[:, None] for place in (move.start, move.end))
    return turned(move.turn[..., None, :, :], carried - start) + end
