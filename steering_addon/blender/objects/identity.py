"""Identities: a number that a vehicle or a crowd is given once, and that its random key depends on.

New ones come from a seed and the order in which they are given: the same steps give the same ones in any file, so that
a seed always gives the same motion.

Copies of an object share its number, and so may what is appended from another file. When they are read, the first by
name keeps it; the others get a number made from the old one and their names, the same each time until it is stored.
"""

import hashlib
import random
from collections.abc import Container, Iterable

import bpy
from bpy.types import Object

from ...simulation.arrays.identities import MOST
from ...simulation.arrays.lots import SIZE


def taken_identities(but: Container[Object] = ()) -> set[int]:
    """The identities of the objects of all scenes, without some objects; and 0, which is none."""
    # Not of all in the file: what is deleted stays there as long as something else points at it.
    objects = {ob for scene in bpy.data.scenes for ob in scene.objects if ob not in but}
    return {0, *(ob.steering.identity for ob in objects if ob.is_property_set("steering"))}


def new_identity(taken: Container[int], chance: random.Random) -> int:
    """The next number of `chance`, made from a seed, that is not taken yet."""
    while (identity := chance.randint(1, MOST)) in taken:
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
