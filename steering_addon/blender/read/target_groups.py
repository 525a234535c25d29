"""The targets of behaviors: several objects as one, a collection or all of a role, and what is wrong with them."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
from bpy.types import Collection, Object, PropertyGroup, Scene

from ...simulation.arrays.chance import mix
from ...simulation.behavior import Behavior
from ...simulation.candidates import NEAREST_ONE, NEXT, PICKS, Candidates
from ...simulation.declaration import NEAREST, POINTERS, Kind, Parameter
from ...simulation.roles import DESCRIPTIONS, Role
from ..objects.hierarchy import ancestors
from ..objects.tagged_objects import by_role, crowd_of, full_name, members_in, tagged, why_outside
from ..properties import has_role, pointed_at, settings_of
from ..property_groups import TYPES, choice_of, collection_of, meaningful
from ..refusal import Refusal
from .sources import behaviors_of, may_be_active, pointers_of
from .vehicles import VehicleSource, rows_of_points

OPTIONAL = (Role.REGION,)
"""Roles that behaviors can do without: where nothing bounds them, vehicles may go anywhere."""
SWITCHED = (Kind.BODY, Kind.PATH, Kind.REGION)
"""Kinds of targets that count on those frames only on which they take part."""
PICK_NUMBERS = {choice.name: choice.number for choice in PICKS}


@dataclass(frozen=True)
class Offered:
    """The objects that a scene offers as targets.

    Attributes:
        roles: what takes part of each role; nothing, zero or no entry if none does.
        idle: the name of an idle object by role, at least for roles of which none takes part.
        aside: the name of an object by role that would take part if its collection were not excluded.
        outside: why targets are not in use, and the remedy, by their full names.
    """

    roles: Mapping[Role, Any]
    idle: Mapping[Role, str]
    aside: Mapping[Role, str] = field(default_factory=dict)
    outside: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, roles: Mapping[Role, Iterable[Object]], aside: Iterable[Object] = ()) -> "Offered":
        """The tagged objects of a scene, by role: those count that take part, or may on some frame. `aside`: the
        objects of the scene that are not in use."""
        there = {role: any(map(may_be_active, objects)) for role, objects in roles.items()}
        missing = (role for role in roles if not there[role])
        idle = {role: ob.name for role in missing for ob in roles[role] if is_idle(ob)}
        return cls(there, idle, names_by_role(filter(may_be_active, aside)))

    def remedy(self, role: Role) -> str:
        """A clause that says how one comes to have an object of a role, of which none takes part."""
        if role in self.idle:
            return f"turn on Takes Part of {self.idle[role]}"
        return f"enable the collection of {self.aside[role]} in the Outliner" if role in self.aside else "tag one"


def names_by_role(objects: Iterable[Object]) -> dict[Role, str]:
    """The name of one object of each role that some of the objects have."""
    return {role: found[0].name for role, found in by_role(objects).items() if found}


def is_idle(ob: Object) -> bool:
    """Whether a tagged object takes no part, and could if its switch were turned on; that of a linked one cannot be."""
    return ob.library is None and not may_be_active(ob)


def means_cause(holder: Object, parameter: Parameter) -> bool:
    """Whether a target left empty stands for whatever called, as in a state for the nearest of a role."""
    nearest = parameter.kind is Kind.BODY and parameter.default == NEAREST and not parameter.in_order
    return nearest and has_role(holder, Role.STATE)


def awaited(behavior: type[Behavior], holder: Object, offered: Offered) -> Parameter | None:
    """The parameter of a behavior of a crowd or state that no object of the scene fits; None if it can work."""
    group = getattr(holder.steering, behavior.name)
    for name in meaningful(behavior, group):
        parameter = behavior.parameters()[name]
        if parameter.kind in POINTERS and _is_awaited(holder, group, name, parameter, offered):
            return parameter
    return None


def waits_unasked(behavior: type[Behavior], holder: Object, offered: Offered) -> bool:
    """Whether a behavior waits for a target that is optional or came with a preset."""
    awaiting = awaited(behavior, holder, offered)
    return awaiting is not None and (awaiting.role in OPTIONAL or behavior.name in holder.steering.unasked.split())


def _is_awaited(holder: Object, group: PropertyGroup, name: str, parameter: Parameter, offered: Offered) -> bool:
    """Whether a parameter stands for the nearest object of a role that no object of the scene has."""
    nearest = parameter.default == NEAREST and not is_named(group, name) and not means_cause(holder, parameter)
    return nearest and not offered.roles.get(parameter.role)


def target_problem(behavior: type[Behavior], holder: Object, offered: Offered) -> str:
    """Why the targets of a behavior let it do nothing, as a sentence without final stop; empty if they are in order.
    `holder`: its crowd or state."""
    group = getattr(holder.steering, behavior.name)
    for name in meaningful(behavior, group):
        parameter = behavior.parameters()[name]
        if parameter.kind not in POINTERS:
            continue
        target, field = pointed_at(group, name), parameter.called(name)
        if target is None:
            if _is_awaited(holder, group, name, parameter, offered):
                waits = f"It waits for a {DESCRIPTIONS[parameter.role][0]}"
                return f"{waits}: {offered.remedy(parameter.role)}, or choose its {field}"
            # A crowd that no choice asks for may be left out.
            if parameter.kind is Kind.CROWD and parameter.only_with:
                return f"It waits for a {field}: choose one"
        elif full_name(target) in offered.outside:
            return f"{target.name} {offered.outside[full_name(target)]}"
        elif parameter.kind is Kind.CROWD and not has_role(target, Role.CROWD):
            return f"{target.name} is not a crowd: choose one"
        elif target.type != TYPES.get(parameter.kind, target.type):
            return f"{target.name} is not a {TYPES[parameter.kind].lower()}: choose one"
        elif parameter.kind in SWITCHED and not has_role(target, Role.CROWD) and not _may_take_part(target):
            return f"{target.name} takes no part: turn on its Takes Part, or choose another {field}"
    return ""


def _may_take_part(target: Object) -> bool:
    return settings_of(target) is None or may_be_active(target)


def idle_behaviors(holder: Object, offered: Offered) -> Iterator[tuple[type[Behavior], str]]:
    """The behaviors in use of a crowd or state that do nothing for want of a target, each with why, but for those that
    wait unasked."""
    for behavior in behaviors_of(holder):
        if not waits_unasked(behavior, holder, offered) and (problem := target_problem(behavior, holder, offered)):
            yield behavior, problem


def target_warnings(holders: Iterable[Object], offered: Offered) -> Iterator[str]:
    """A warning for each behavior in use of crowds and states that does nothing for want of a target, and for each
    target that is not what it is used as."""
    for holder in holders:
        for behavior, problem in idle_behaviors(holder, offered):
            yield f"{behavior.label} of {holder.name} has no effect. {problem}."
        for pointer in pointers_of(holder):
            role = pointer.behavior.parameters()[pointer.parameter].role
            if role is Role.RESOURCE and not has_role(pointer.ob, role):
                yield f"{pointer.told(holder)}, is not tagged as a resource, so it never runs out. Tag it as one."


def outside_scene(crowds: Iterable[Object], scene: Scene, objects: Container[Object]) -> dict[str, str]:
    """Why targets of crowds are not among objects of a scene, and the remedy, by their full names. A crowd stands for
    its vehicles and is left out."""
    return {
        full_name(pointer.ob): why_outside(pointer.ob, scene)
        for crowd in crowds
        for pointer in pointers_of(crowd)
        if pointer.ob not in objects and not (pointer.kind is Kind.CROWD and has_role(pointer.ob, Role.CROWD))
    }


@dataclass(frozen=True)
class Several:
    """Objects of which each vehicle of a crowd takes one as a target of a behavior. `behavior`, `parameter`: the names
    of the target's behavior and parameter; `objects`: in the order of their names; `pick`: the number of a choice of
    PICKS."""

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
        rows_of_all = [np.array([rows[name] for name in names], dtype=np.int64)]
        for ob in self.points:
            rows_of_all.append(rows_of_points(source, [ob]))
            keys.append(mix(np.arange(len(rows_of_all[-1]), dtype=np.uint64), crc32(full_name(ob).encode())))
        return Candidates(np.concatenate(rows_of_all), np.concatenate(keys), self.pick)


def several_of(
    crowd: Object, behaviors: Iterable[type[Behavior]], scene: Scene, objects: list[Object]
) -> Iterator[Several]:
    """Each target of a crowd's behaviors that is one of several objects in use of a scene. Refused if a group of
    objects that a target names is empty."""
    for behavior in behaviors:
        group = getattr(crowd.steering, behavior.name)
        for name, parameter in behavior.parameters().items():
            if parameter.kind is not Kind.BODY:
                continue
            target = f"the {parameter.called(name)} of {behavior.label} in {crowd.name}"
            members, points = _members(group, name, parameter, scene, objects, target)
            if members or points:
                pick = pick_of(group, name, parameter)
                yield Several(crowd, behavior.name, name, tuple(members), pick, tuple(points))


def pick_of(group: PropertyGroup, name: str, parameter: Parameter) -> int:
    """How a target is chosen from several objects, as the number of a choice of PICKS."""
    return NEXT if parameter.in_order else PICK_NUMBERS[getattr(group, choice_of(name))]


def is_named(group: PropertyGroup, name: str) -> bool:
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
    """The objects on which vehicles may come down. `holders`: the crowds and states; `several`: the targets with
    several objects; `watched`: by triggers, for states without a target."""
    objects: list[Object] = []
    for holder in holders:
        for behavior in behaviors_of(holder):
            group = getattr(holder.steering, behavior.name)
            for name, parameter in behavior.parameters().items():
                if parameter.kind is not Kind.BODY or not parameter.stood_on:
                    continue
                target = pointed_at(group, name)
                if target is not None:
                    objects.append(target)
                elif not is_named(group, name) and parameter.role is not None:
                    objects += watched if has_role(holder, Role.STATE) else roles[parameter.role]
                objects += [
                    ob
                    for goal in several
                    if (goal.crowd, goal.behavior, goal.parameter) == (holder, behavior.name, name)
                    for ob in goal.objects
                ]
    return objects


def _members(
    group: PropertyGroup, name: str, parameter: Parameter, scene: Scene, objects: list[Object], target: str
) -> tuple[list[Object], list[Object]]:
    """The objects of a target, and the objects whose points are; none for a single object or the nearest of a role."""
    pointed, collection = pointed_at(group, name), pointed_at(group, collection_of(name))
    if pointed is not None:
        if not has_role(pointed, Role.CROWD):
            return [], []
        members, points = (
            [ob for ob in tagged(objects, role) if crowd_of(ob) == pointed] for role in (Role.VEHICLE, Role.POINTS)
        )
        if not members and not points:
            aside = any(crowd_of(ob) == pointed for ob in members_in(scene.objects))
            remedy = "Enable their collection in the Outliner" if aside else "Tag some"
            why = "has its vehicles in no view layer of this scene" if aside else "has no vehicles"
            raise Refusal(f"The crowd {pointed.name}, {target}, {why}. {remedy}, or choose another crowd.")
        return members, points
    if collection is not None:
        return _objects_of(collection, scene, objects, target), []
    nearest = pick_of(group, name, parameter) == NEAREST_ONE
    return ([] if nearest or parameter.role is None else tagged(objects, parameter.role)), []


def _objects_of(collection: Collection, scene: Scene, objects: list[Object], target: str) -> list[Object]:
    """The objects of a collection that are targets: not crowds, and not children of others in it."""
    names = {full_name(ob) for ob in collection.all_objects}
    inside = [ob for ob in objects if full_name(ob) in names and not has_role(ob, Role.CROWD)]
    members = [ob for ob in inside if not any(full_name(ancestor) in names for ancestor in ancestors(ob))]
    if not members:
        aside = any(scene in ob.users_scene for ob in collection.all_objects)
        remedy = "Enable it in the Outliner" if aside else "Add one"
        raise Refusal(f"The collection {collection.name}, {target}, has no object in use. {remedy}, or choose another.")
    return members
