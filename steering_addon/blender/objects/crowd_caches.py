"""Crowd caches: which collections hold one, of which crowd, and which objects are played by one instead of keys; and
picked agents: the few of a crowd that objects stand for, while a cache shows all others.

The record is a custom property of the collection, and each vehicle in the cache has a mark, so that a file can be read
without the extension.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Collection, Object

from ...simulation.roles import Role
from ..properties import has_role, settings_of
from .tagged_objects import crowd_of

RECORD = "steering_cache"
"""The custom property of a collection that is a crowd cache. Stored in files: never changes."""
MARK = "steering_cached"
"""The custom property of a vehicle whose motion is in a crowd cache: the id of that and the frames. Never changes."""
PICKED = "steering_picked"
"""The custom property of an object that stands for an agent, and of its parts: the identity of the object whose point
the agent is; 0 if it had been a vehicle before. Stored in files: never changes."""


@dataclass(frozen=True)
class CachedVehicle:
    """The mark of a vehicle. `first`, `last`: the frames that were baked."""

    cache: str
    run: str
    first: float
    last: float


def mark(ob: Object, cache: str, first: float, last: float) -> None:
    """Note on a vehicle that a cache holds its motion."""
    ob[MARK] = f"{cache} {first:g} {last:g}"


def cached_as(ob: Object) -> CachedVehicle | None:
    """The cache that holds the motion of an object, if one does."""
    try:
        cache, first, last = ob[MARK].split()
        return CachedVehicle(cache, cache.partition(":")[0], float(first), float(last))
    except (KeyError, AttributeError, ValueError):
        return None


def caches() -> Iterator[Collection]:
    """The crowd caches of the file that can be changed."""
    return (c for c in bpy.data.collections if c.library is None and hasattr(c.get(RECORD), "keys"))


def cache_id(collection: Collection) -> str:
    """The id of a cache; "" if its record is damaged."""
    return str(collection[RECORD].get("id", ""))


def clips_in(collection: Collection) -> str:
    """The hash of the clips that a cache shows; "" for none."""
    return str(collection[RECORD].get("clips", ""))


def crowd_of_cache(collection: Collection) -> Object | None:
    """The crowd that a cache holds."""
    crowd = collection[RECORD].get("crowd")
    return crowd if isinstance(crowd, bpy.types.Object) and has_role(crowd, Role.CROWD) else None


def cache_of(crowd: Object) -> Collection | None:
    """The cache of a crowd."""
    return next((cache for cache in caches() if cache[RECORD].get("crowd") == crowd), None)


def crowd_of_player(ob: Object) -> Object | None:
    """The crowd that an object plays from a cache."""
    return next((crowd_of_cache(cache) for cache in caches() if ob in set(cache.all_objects)), None)


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
    of_crowds: dict[Object | None, list[int]] = {}
    for ob in objects:
        if is_picked(ob):
            of_crowds.setdefault(crowd_of(ob), []).append(ob.steering.identity)
    return {crowd: np.array(identities, dtype=np.int64) for crowd, identities in of_crowds.items()}
