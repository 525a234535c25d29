"""Lots: random numbers that are shared out evenly among vehicles whose numbers follow each other.

If each of 80 vehicles throws dice, 24 take part for a share of .3, give or take 4. If they draw lots, it is 24, give
or take 1. Vehicles are sorted into drums of SIZE by their numbers n, and each drum draws without replacement:

    lot = (rank of n among the hashes of all SIZE numbers of its drum + offset of the drum) / SIZE

The offsets of drums in a row are multiples of the golden ratio, which spread evenly. As a lot depends on the numbers
of a drum and not on which of them exist, another vehicle changes nothing for the others. Numbers at random give
independent lots.
"""

from functools import lru_cache

import numpy as np

from .chance import GOLDEN, Keys, mix, uniform
from .scalars import Rows, Scalars

SIZE = 16
"""Numbers that draw together, from a multiple of this on."""


def lots(numbers: Rows, keys: Keys) -> Scalars:
    """A number in [0, 1) for each vehicle, always the same one.

    Args:
        numbers: (n,) at least 0, distinct among vehicles with the same key.
        keys: (n,) the random keys of what is drawn for, shared by those that draw together.
    """
    return _lots(np.ascontiguousarray(numbers, dtype=np.int64).tobytes(), np.ascontiguousarray(keys).tobytes())


@lru_cache(maxsize=64)
def _lots(numbers: bytes, keys: bytes) -> Scalars:
    """As `lots`, from a cache, as the same vehicles ask in every step."""
    number, key = np.frombuffer(numbers, dtype=np.uint64), np.frombuffer(keys, dtype=np.uint64)
    drum = number // np.uint64(SIZE)
    drawn = mix(mix(key, 1)[:, None], drum[:, None] * np.uint64(SIZE) + np.arange(SIZE, dtype=np.uint64))
    value = np.take_along_axis(drawn, (number % np.uint64(SIZE)).astype(np.int64)[:, None], axis=1)
    rank = np.count_nonzero(drawn < value, axis=1)
    with np.errstate(over="ignore"):
        offset = uniform(drum * np.uint64(GOLDEN) + mix(key, 2))
    lot: Scalars = (rank + offset) / SIZE
    lot.flags.writeable = False
    return lot
