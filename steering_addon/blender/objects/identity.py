"""Identities: a number that a vehicle is given once, and that its random key depends on.

Copies of an object share its number. When they are read, the first by name keeps it; the others get a number made from
the old one and their names, the same each time until it is stored.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from ...simulation.arrays.lots import SIZE

if TYPE_CHECKING:
    from bpy.types import Object

MOST = 2**31 - 1
"""The largest number an IntProperty holds."""


def new_identity(taken: Container[int] = (), chance: random.Random | None = None) -> int:
    """A random number that is not taken yet; reproducible if `chance` is given."""
    draw = chance.randint if chance else random.randint
    while (identity := draw(1, MOST)) in taken:
        pass
    return identity


def identities_in_a_row(count: int, taken: Container[int], chance: random.Random) -> range:
    """Numbers that follow each other and are not taken yet, for vehicles that draw lots as evenly as they can."""
    while True:
        first = chance.randint(1, (MOST - count) // SIZE) * SIZE
        row = range(first, first + count)
        if not any(number in taken for number in row):
            return row


def distinct_identities(objects: Iterable[Object]) -> dict[str, int]:
    """The identity of each object by name, no two alike; nothing is written."""
    identities: dict[str, int] = {}
    taken: set[int] = set()
    waiting = []
    for name, stored in sorted(((ob.name, ob.steering.identity) for ob in objects), key=lambda named: named[0]):
        if stored > 0 and stored not in taken:
            identities[name] = stored
            taken.add(stored)
        else:
            waiting.append((name, stored))
    for name, stored in waiting:
        identities[name] = _derived(stored, name, taken)
        taken.add(identities[name])
    return identities


def _derived(shared: int, name: str, taken: set[int]) -> int:
    attempt = 0
    while True:
        digest = hashlib.sha256(f"{shared}/{name}/{attempt}".encode()).digest()
        identity = int.from_bytes(digest[:4], "little") % MOST + 1
        if identity not in taken:
            return identity
        attempt += 1
