"""Guides: what leads vehicles by hand, and what is remembered of that."""

from dataclasses import dataclass

from .arrays.scalars import Mask, Rows, Scalars
from .arrays.vectors import Vectors
from .memory import Memory, remembered


@dataclass(frozen=True)
class Guides:
    """The guides that lead m vehicles by hand. `rows`: (m,) the vehicles, rising; `share`: (m,) how far each follows
    its guide, 0 to 1; `place`: (m, 3) where the guides are, metres."""

    rows: Rows
    share: Scalars
    place: Vectors


@dataclass(frozen=True)
class Guidance(Memory):
    """The memory of each vehicle with a guide.

    Attributes:
        follows: whether it followed its guide in the last step.
        fast: whether its guide may have made it faster than its top speed, and it has not braked down to that since.
        age: since it has followed its guide, seconds.
        lasts: how long it takes until it is on its guide, seconds.
        gap, drift: its place and its velocity relative to its guide when that took over, metres and m/s.
    """

    follows: Mask = remembered(False)
    fast: Mask = remembered(False)
    age: Scalars = remembered(0.0)
    lasts: Scalars = remembered(0.0)
    gap: Vectors = remembered((0.0, 0.0, 0.0))
    drift: Vectors = remembered((0.0, 0.0, 0.0))
