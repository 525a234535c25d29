"""Sparse keys: the few frames on which keys suffice to keep to a motion that is known on every frame."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.vectors import magnitude

FURTHEST_APART = 12
"""Frames between two keys at most, so that there is something to move where the motion is straight."""


def sparse_keys(places: NDArray[np.float64], slopes: NDArray[np.float64], precision: float) -> list[int]:
    """The rows of the keys of a smooth curve that keeps to some places, the first and the last among them.

    Between keys the curve is the cubic that has the place and the slope of the motion at both ends. A key is added
    where it is furthest off, until it is off nowhere.

    Args:
        places: (f, 3) on f >= 2 frames.
        slopes: (f, 3) how fast the motion is on each, per frame.
        precision: how far off the curve may be.
    """
    last = len(places) - 1
    spans = -(-last // FURTHEST_APART)
    keys = sorted({round(last * span / spans) for span in range(spans + 1)})
    while True:
        off = _off(places, slopes, keys)
        worst = int(np.argmax(off))
        if off[worst] <= precision or worst in keys:
            return keys
        keys = sorted((*keys, worst))


def _off(places: NDArray[np.float64], slopes: NDArray[np.float64], keys: list[int]) -> NDArray[np.float64]:
    """How far off the curve with these keys is on each frame, (f,)."""
    off = np.zeros(len(places))
    for begin, end in pairwise(keys):
        frames, length = np.arange(begin, end + 1), end - begin
        s = ((frames - begin) / length)[:, None]
        r = 1.0 - s
        leaving = places[begin] * ((1.0 + 2.0 * s) * r * r) + slopes[begin] * (length * s * r * r)
        coming = places[end] * ((1.0 + 2.0 * r) * s * s) - slopes[end] * (length * r * s * s)
        off[frames] = magnitude(leaving + coming - places[frames])
    return off
