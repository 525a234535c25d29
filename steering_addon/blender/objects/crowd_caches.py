"""Crowd caches: which collections hold one, of which crowd, and which objects are played by one instead of keys.

The record is a custom property of the collection, and each vehicle in the cache has a mark, so that a file can be read
without the extension.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
from bpy.types import Collection, Object

from ...simulation.roles import Role
from ..properties import has_role

RECORD = "steering_cache"
"""The custom property of a collection that is a crowd cache. Stored in files: never changes."""
MARK = "steering_cached"
"""The custom property of a vehicle whose motion is in a crowd cache: the id of that and the frames. Never changes."""


@dataclass(frozen=True)
class CachedVehicle:
    """The mark of a vehicle.

    Attributes:
        cache: the id of the cache.
        run: the id of the bake.
        first, last: the frames that were baked.
    """

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
    return (each for each in bpy.data.collections if each.library is None and hasattr(each.get(RECORD), "keys"))


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
    return next((each for each in caches() if each[RECORD].get("crowd") == crowd), None)


def crowd_of_player(ob: Object) -> Object | None:
    """The crowd that an object plays from a cache."""
    return next((crowd_of_cache(each) for each in caches() if ob in set(each.all_objects)), None)
