"""Identities: a number that a vehicle or a crowd is given once, and that its random key depends on.

New ones come from a seed and the order in which they are given: the same steps give the same ones in any file, so that
a seed always gives the same motion.

Copies of an object share its number, and so may what is appended from another file. When they are read, the first by
name keeps it; the others get a number made from the old one and their names, the same each time until it is stored.
"""

import hashlib
import random
from collections.abc import Container, Iterable, Mapping

import bpy
from bpy.types import Object

from ...minds.declaring import distinct_numbers
from ...simulation.arrays.chance import SIZE
from ...simulation.arrays.identities import MOST
from ..properties import pointed_in
from .tagged_objects import crowd_of, full_name


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


def distinct_identities(objects: Iterable[Object], known: Mapping[Object, int] | None = None) -> dict[str, int]:
    """The identity of each object by name, no two alike; nothing is written. `known`: those that some keep."""
    known = known or {}
    ordered = sorted(objects, key=lambda ob: ob.name)
    identities = {ob.name: known[ob] for ob in ordered if ob in known}
    taken = set(identities.values())
    waiting = []
    for name, stored in ((ob.name, ob.steering.identity) for ob in ordered if ob not in known):
        if stored > 0 and stored not in taken:
            identities[name] = stored
            taken.add(stored)
        else:
            waiting.append((name, stored))
    for name, stored in waiting:
        identities[name] = _derive(stored, name, taken)
        taken.add(identities[name])
    return identities


def _derive(shared: int, name: str, taken: set[int]) -> int:
    attempt = 0
    while True:
        digest = hashlib.sha256(f"{shared}/{name}/{attempt}".encode()).digest()
        identity = int.from_bytes(digest[:4], "little") % MOST + 1
        if identity not in taken:
            return identity
        attempt += 1


def state_numbers(states: Iterable[Object]) -> dict[Object, int]:
    """The number of each state among those of its crowd. Copies share one: the first by name keeps it."""
    return _distinct([(crowd_of(ob), ob) for ob in states], "state")


def trigger_numbers(triggers: Iterable[Object]) -> dict[Object, int]:
    """The number of each trigger among those that call the same crowd, in the same way."""
    return _distinct([(called_crowd(ob), ob) for ob in triggers], "trigger")


def next_number(numbers: Mapping[Object, int]) -> int:
    """A number for a new state or trigger, from those of the others."""
    return 1 + max(numbers.values(), default=0)


def called_crowd(trigger: Object) -> Object | None:
    """The crowd of the state that a trigger calls into."""
    state = pointed_in(trigger, "trigger", "to")
    return crowd_of(state) if state is not None else None


def _distinct(objects: Iterable[tuple[Object | None, Object]], group: str) -> dict[Object, int]:
    """The distinct numbers of objects among those of a crowd, by what is stored in a group of theirs."""
    of_crowds: dict[Object | None, list[Object]] = {}
    for crowd, ob in sorted(objects, key=lambda pair: full_name(pair[1])):
        of_crowds.setdefault(crowd, []).append(ob)

    def stored(ob: Object) -> int:
        return int(getattr(ob.steering, group).number) if ob.steering.is_property_set(group) else 0

    return {
        ob: number for mates in of_crowds.values() for ob, number in zip(mates, distinct_numbers(map(stored, mates)))
    }
