"""Identities of vehicles that are not objects: numbers that are given with them, made distinct."""

import numpy as np

from .chance import mix
from .scalars import Rows

MOST = 2**31 - 1
"""The largest identity: what is stored holds 32 bits with a sign."""


def in_a_row(first: int, count: int) -> Rows:
    """Identities (count,) from a first one on; after the largest possible one they go on with 0."""
    return (np.arange(count, dtype=np.int64) + first) & MOST


def rows_among(values: Rows, numbers: Rows) -> Rows:
    """The rows of numbers (n,) among known ones (k,), of those that are alike the first; -1 where there are none."""
    if not len(values):
        return np.full(len(numbers), -1, dtype=np.int64)
    order = np.argsort(values, kind="stable")
    row = order[np.minimum(np.searchsorted(values[order], numbers), len(values) - 1)]
    return np.where(values[row] == numbers, row, -1)


def distinct(numbers: Rows, used: Rows) -> Rows:
    """Identities from 0 to MOST, all different, one for each of n numbers.

    A number that fits and is not taken yet stays as it is; of those that are alike only the first does. The others
    become one made of the number and the row, the same each time. `numbers`: (n,); `used`: (k,) the identities of
    others.
    """
    identities: Rows = np.asarray(numbers, dtype=np.int64) & MOST
    rows = np.arange(len(identities), dtype=np.uint64)
    attempt = 0
    while True:
        again = np.isin(identities, used)
        first = np.unique(identities, return_index=True)[1]
        alike = np.ones(len(identities), dtype=np.bool_)
        alike[first] = False
        again |= alike
        if not again.any():
            return identities
        made = mix(mix(identities[again].astype(np.uint64), rows[again] + np.uint64(1)), attempt)
        identities[again] = (made >> np.uint64(33)).astype(np.int64)
        attempt += 1
