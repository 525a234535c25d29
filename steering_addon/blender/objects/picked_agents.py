"""Picked agents: the few of a crowd that objects stand for, while a crowd cache shows all others."""

from collections.abc import Iterable

import numpy as np
from bpy.types import Object

from ..properties import settings_of
from .tagged_objects import crowd_of

PICKED = "steering_picked"
"""The custom property of such an object, and of its parts: the identity of the object whose point the agent is; 0 if it
had been a vehicle before. Stored in files: never changes."""


def is_picked(ob: Object) -> bool:
    """Whether an object stands for an agent, rather than being a part of one that does."""
    stored = settings_of(ob) if PICKED in ob else None
    return stored is not None and len(stored.roles) > 0


def is_made(ob: Object) -> bool:
    """Whether an object was made for an agent that is a point, or a part of one."""
    return points_identity(ob) > 0


def points_identity(ob: Object) -> int:
    """The identity of the object whose point an agent is, by what was made for it; 0 for other objects."""
    identity = ob.get(PICKED, 0)
    return identity if isinstance(identity, int) else 0


def standing_for(crowd: Object, objects: Iterable[Object]) -> list[Object]:
    """The objects that stand for agents of a crowd."""
    return [ob for ob in objects if is_picked(ob) and crowd_of(ob) == crowd]


def picked_identities(objects: Iterable[Object]) -> dict[Object | None, np.ndarray]:
    """The identities of the agents for which some of the objects stand, by their crowd."""
    found: dict[Object | None, list[int]] = {}
    for ob in objects:
        if is_picked(ob):
            found.setdefault(crowd_of(ob), []).append(ob.steering.identity)
    return {crowd: np.array(identities, dtype=np.int64) for crowd, identities in found.items()}
