"""Picked agents: the few of a crowd that objects stand for, while a crowd cache shows all others."""

from collections.abc import Iterable

import numpy as np
from bpy.types import Object

from ..properties import settings_of
from .tagged_objects import crowd_of

PICKED = "steering_picked"
"""The custom property of such an object, and of its parts: whether it was made for that, or had been a vehicle before.
Stored in files: never changes."""
MADE, VEHICLE = "MADE", "VEHICLE"


def is_picked(ob: "Object") -> bool:
    """Whether an object stands for an agent, rather than being a part of one that does."""
    stored = settings_of(ob) if PICKED in ob else None
    return stored is not None and len(stored.roles) > 0


def is_made(ob: "Object") -> bool:
    """Whether an object was made for an agent that is a point, or a part of one."""
    return ob.get(PICKED) == MADE


def picked_identities(objects: "Iterable[Object]") -> "dict[Object | None, np.ndarray]":
    """The identities of the agents for which some of the objects stand, by their crowd."""
    found: dict[Object | None, list[int]] = {}
    for ob in objects:
        if is_picked(ob):
            found.setdefault(crowd_of(ob), []).append(ob.steering.identity)
    return {crowd: np.array(identities, dtype=np.int64) for crowd, identities in found.items()}
