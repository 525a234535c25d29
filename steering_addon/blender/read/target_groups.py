"""Several objects as one target: a collection, the vehicles of a crowd, or all of a role."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from bpy.types import Collection, Object, PropertyGroup

from ...simulation.arrays.chance import mix
from ...simulation.behavior import Behavior
from ...simulation.candidates import NEAREST_ONE, NEXT, PICKS, Candidates
from ...simulation.declaration import Kind, Parameter
from ...simulation.roles import Role
from ..objects.hierarchy import ancestors
from ..objects.tagged_objects import crowd_of, full_name, tagged
from ..properties import has_role, pointed_at
from ..property_groups import choice_of, collection_of
from ..refusal import Refusal
from .sources import behaviors_of
from .vehicles import VehicleSource, rows_of_points

PICK_NUMBERS = {choice.name: choice.number for choice in PICKS}


@dataclass(frozen=True)
class Several:
    """Objects of which each vehicle of a crowd takes one as a target of a behavior.

    Attributes:
        crowd: the crowd.
        behavior, parameter: the names of the target's behavior and parameter.
        objects: in the order of their names.
        pick: the number of a choice of PICKS.
        points: the objects of which each point is one, too.
    """

    crowd: Object
    behavior: str
    parameter: str
    objects: tuple[Object, ...]
    pick: int
    points: tuple[Object, ...] = ()

    def candidates(self, rows: dict[str, int], source: VehicleSource) -> Candidates:
        """The objects as the simulation knows them; `rows` gives the rows of bodies by name."""
        names = [full_name(ob) for ob in self.objects]
        keys = [np.array([crc32(name.encode()) for name in names], dtype=np.uint64)]
        of_them = [np.array([rows[name] for name in names], dtype=np.int64)]
        for ob in self.points:
            of_them.append(rows_of_points(source, [ob]))
            keys.append(mix(np.arange(len(of_them[-1]), dtype=np.uint64), crc32(full_name(ob).encode())))
        return Candidates(np.concatenate(of_them), np.concatenate(keys), self.pick)


def several_of(crowd: Object, behaviors: Iterable[type[Behavior]], objects: list[Object]) -> Iterator[Several]:
    """Each target of a crowd's behaviors that is one of several objects of the scene. Refused if a group of objects
    that a target names is empty."""
    for behavior in behaviors:
        group = getattr(crowd.steering, behavior.name)
        for name, parameter in behavior.parameters().items():
            if parameter.kind is not Kind.BODY:
                continue
            target = f"the {name.replace('_', ' ').title()} of {behavior.label} in {crowd.name}"
            members, points = _members(group, name, parameter, objects, target)
            if members or points:
                pick = pick_of(group, name, parameter)
                yield Several(crowd, behavior.name, name, tuple(members), pick, tuple(points))


def pick_of(group: PropertyGroup, name: str, parameter: Parameter) -> int:
    """How a target is chosen from several objects, as the number of a choice of PICKS."""
    return NEXT if parameter.in_order else PICK_NUMBERS[getattr(group, choice_of(name))]


def named(group: PropertyGroup, name: str) -> bool:
    """Whether a pointer is set, or for a target a collection instead."""
    collection = collection_of(name)
    in_its_place = collection in group.bl_rna.properties and pointed_at(group, collection) is not None
    return in_its_place or pointed_at(group, name) is not None


def is_several(group: PropertyGroup, name: str, parameter: Parameter) -> bool:
    """Whether a target may stand for several objects."""
    pointed = pointed_at(group, name)
    if pointed is not None:
        return has_role(pointed, Role.CROWD)
    return pointed_at(group, collection_of(name)) is not None or parameter.role is not None


def stood_on(
    holders: Iterable[Object], several: Iterable[Several], watched: Sequence[Object], roles: dict[Role, list[Object]]
) -> list[Object]:
    """The objects on which vehicles may come down.

    Args:
        holders: the crowds and states.
        several: the targets that name several objects.
        watched: what triggers watch for: a state without a target is about what called.
    """
    found: list[Object] = []
    for holder in holders:
        for behavior in behaviors_of(holder):
            group = getattr(holder.steering, behavior.name)
            for name, parameter in behavior.parameters().items():
                if parameter.kind is not Kind.BODY or not parameter.stood_on:
                    continue
                target = pointed_at(group, name)
                if target is not None:
                    found.append(target)
                elif not named(group, name) and parameter.role is not None:
                    found += watched if has_role(holder, Role.STATE) else roles[parameter.role]
                found += [
                    ob
                    for each in several
                    if (each.crowd, each.behavior, each.parameter) == (holder, behavior.name, name)
                    for ob in each.objects
                ]
    return found


def _members(
    group: PropertyGroup, name: str, parameter: Parameter, objects: list[Object], target: str
) -> tuple[list[Object], list[Object]]:
    """The objects that a target stands for, and those of which it stands for each point; none if it is a single object
    or the nearest with a role."""
    pointed, collection = pointed_at(group, name), pointed_at(group, collection_of(name))
    if pointed is not None:
        return _vehicles_of(pointed, objects, target) if has_role(pointed, Role.CROWD) else ([], [])
    if collection is not None:
        return _objects_of(collection, objects, target), []
    nearest = pick_of(group, name, parameter) == NEAREST_ONE
    return ([] if nearest or parameter.role is None else tagged(objects, parameter.role)), []


def _vehicles_of(crowd: Object, objects: list[Object], target: str) -> tuple[list[Object], list[Object]]:
    members, points = (
        [ob for ob in tagged(objects, role) if crowd_of(ob) == crowd] for role in (Role.VEHICLE, Role.POINTS)
    )
    if not members and not points:
        raise Refusal(f"The crowd {crowd.name}, {target}, has no vehicles. Tag some, or choose another crowd.")
    return members, points


def _objects_of(collection: Collection, objects: list[Object], target: str) -> list[Object]:
    """The objects of a collection that are targets: not crowds, and not children of others in it."""
    within = {full_name(ob) for ob in collection.all_objects}
    whole = [ob for ob in objects if full_name(ob) in within and not has_role(ob, Role.CROWD)]
    members = [ob for ob in whole if not any(full_name(above) in within for above in ancestors(ob))]
    if not members:
        raise Refusal(
            f"The collection {collection.name}, {target}, has no object in the scene. Add one, or choose another."
        )
    return members
