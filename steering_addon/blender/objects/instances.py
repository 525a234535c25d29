"""Empties that show an instance of vehicles, as a linked collection comes in: those are not objects of the scene."""

from collections.abc import Iterable, Iterator

from bpy.types import Collection, Object

from ...simulation.roles import Role
from ..properties import has_role
from .hierarchy import instanced


def instances_of_vehicles(objects: Iterable[Object]) -> Iterator[tuple[Object, str, str]]:
    """The Empties that show vehicles, each with what is wrong and the remedy, as texts without a final stop."""
    counted: dict[Collection, bool] = {}
    for ob in objects:
        collection = instanced(ob)
        if collection is None:
            continue
        if collection not in counted:
            counted[collection] = any(has_role(each, Role.VEHICLE) for each in collection.all_objects)
        if counted[collection]:
            remedy = "Make a library override" if collection.library is not None else "Use Make Instances Real"
            yield ob, f"{ob.name} is an instance: the vehicles of {collection.name} do not move in it", remedy
