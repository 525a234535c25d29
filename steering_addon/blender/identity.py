"""Who a vehicle is: a number given once, that its chance hangs on.

Copies of an object share its number. When they are read, the one whose name comes first keeps it and the others get one
made from the old number and their names: the same one each time until it is stored.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpy.types import Object

MOST = 2**31 - 1
"""The largest number an IntProperty holds."""


def new_identity(taken: Container[int] = (), chance: random.Random | None = None) -> int:
    """A random number that nobody has yet; the same one each time where the chance is given."""
    draw = chance.randint if chance else random.randint
    while (identity := draw(1, MOST)) in taken:
        pass
    return identity


def told_apart(objects: Iterable[Object]) -> dict[str, int]:
    """The identity of each object by its name, no two alike; nothing is written."""
    identities: dict[str, int] = {}
    taken: set[int] = set()
    waiting = []
    for name, own in sorted(((ob.name, ob.steering.identity) for ob in objects), key=lambda named: named[0]):
        if own > 0 and own not in taken:
            identities[name] = own
            taken.add(own)
        else:
            waiting.append((name, own))
    for name, own in waiting:
        identities[name] = _derived(own, name, taken)
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
