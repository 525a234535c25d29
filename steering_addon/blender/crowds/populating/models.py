"""Models that members are copies of: an object with all that hangs on it.

Copies share the model's data, such as its mesh, and its own animation. What in a model points at another part of it
points in a copy at the copy's part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ....simulation.arrays.vectors import across, magnitude, unit
from ....simulation.roles import Role
from ...hierarchy import Family
from ...properties import has_role, settings_of
from ...read.body_sizes import UPRIGHT, Body, points_of
from ...read.local_space import AXIS_NAMES, model_axes
from ...refusal import Refusal
from ...write.staging import clear_all
from ..forward_axis import front_of

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object

Setting = Callable[["Object", "Object"], None]
"""Lets a part point at another."""
NUMBERED = re.compile(r"[ ._]\d{3,}$")
"""The number of a copy, as Blender and the ready scenes write it."""


@dataclass(frozen=True)
class Model:
    """An object with all that hangs on it.

    Attributes:
        parts: the object itself, then what hangs on it.
        names: what copies of them are called, before their number.
        links: which part points at which other part, and how that is set.
    """

    parts: list[Object]
    names: list[str]
    links: list[tuple[int, int, Setting]]

    @classmethod
    def of(cls, ob: Object, family: Family) -> Model:
        """The model that an object is."""
        parts = [ob, *family.descendants(ob)]
        return cls.made_of(parts, [NUMBERED.sub("", part.name) for part in parts])

    @classmethod
    def made_of(cls, parts: list[Object], names: list[str]) -> Model:
        """The model of these parts, the one that the others hang on first."""
        places = {part: place for place, part in enumerate(parts)}
        links = [
            (place, places[target], setting)
            for place, part in enumerate(parts)
            for target, setting in _pointers(part)
            if target in places
        ]
        return cls(parts, names, links)

    def copied(self, number: int, collection: bpy.types.Collection) -> list[Object]:
        """A copy of all parts, named by the number."""
        copies = [_copy(part, f"{name} {number:04}") for part, name in zip(self.parts, self.names)]
        for place, target, setting in self.links:
            setting(copies[place], copies[target])
        for copy in copies:
            collection.objects.link(copy)
        return copies


@dataclass(frozen=True)
class Source:
    """A model as members are made of it.

    Attributes:
        model: what is copied.
        weight: how often it is taken beside others.
        front: the names of its forward and up axis.
        scale: (3,) of its own.
        body: to be measured.
    """

    model: Model
    weight: float
    front: tuple[str, str]
    scale: np.ndarray
    body: Body

    @classmethod
    def of(cls, ob: Object, weight: float, family: Family, depsgraph: Depsgraph) -> Source:
        """An object as a source, measured as it stands."""
        # One that is in no view layer is not worked out, but mostly stands on nothing.
        free = ob.parent is None and not ob.constraints
        world = ob.matrix_basis if free else ob.matrix_world
        body = Body(points_of(ob, depsgraph, family), np.array(world)[:3, :3])
        stored = settings_of(ob)
        tagged = stored is not None and stored.roles
        front = (stored.forward_axis, stored.up_axis) if tagged else front_of(ob, family, body)
        return cls(Model.of(ob, family), weight, front, np.array(ob.scale if free else world.to_scale()), body)

    def room(self, *, on_ground: bool) -> float:
        """The radius in metres that one of them needs for itself: beside it, or all round.

        Who stands upright may have arms spread, which take no room.
        """
        if not on_ground:
            return self.body.radius()
        points = np.einsum("ab,kb->ka", self.body.matrix, self.body.points)
        up = self.body.matrix @ model_axes(*(AXIS_NAMES[axis] for axis in self.front))[:, 2]
        beside = float(magnitude(across(points, unit(up))).max())
        _, depth, height = np.ptp(points, axis=0)
        return min(beside, self.body.footprint()) if height > UPRIGHT * depth else beside


def usable(objects: Sequence[Object], crowd: Object | None, others: Collection[Object | None]) -> list[Object]:
    """Those of the objects that members can be made of, each with what hangs on it once.

    Args:
        others: what they are not made of.

    Raises:
        Refusal: one of them is linked.
    """
    chosen = set(objects)
    found = []
    for ob in objects:
        if ob == crowd or ob in others or has_role(ob, Role.CROWD) or any(above in chosen for above in _above(ob)):
            continue
        if ob.library is not None:
            raise Refusal(f"{ob.name} is linked and cannot be copied for each member: make a library override of it.")
        found.append(ob)
    return found


def roots(collection: bpy.types.Collection) -> list[Object]:
    """The objects of a collection that hang on none of it, by name."""
    inside = set(collection.all_objects)
    return sorted((ob for ob in inside if ob.parent not in inside), key=lambda ob: ob.name)


def plain(copies: list[Object]) -> None:
    """Take off fresh copies what belonged to the one they were copied from: its tags, its bake, its parent."""
    clear_all(copies)
    root = copies[0]
    root.parent = None
    for name in ("hide_viewport", "hide_render"):
        if getattr(root, name):
            for copy in copies:
                setattr(copy, name, False)
    for copy in copies:
        copy.property_unset("steering")


def _copy(part: Object, name: str) -> Object:
    copy = part.copy()
    if copy.override_library is not None:
        # Blender takes the copies of overridden parts for stray ones and deletes them when the file is opened again.
        copy = copy.make_local(clear_liboverride=True)
    copy.name = name
    return copy


def _above(ob: Object) -> Iterator[Object]:
    while (ob := ob.parent) is not None:
        yield ob


# ---- what points at what


def _pointers(part: Object) -> Iterator[tuple[Object, Setting]]:
    """The objects that a part points at, and how a copy of the part is made to point at another."""
    if part.parent is not None:
        yield part.parent, _set_parent
    for row, modifier in enumerate(part.modifiers):
        yield from _pointers_of(modifier, lambda ob, row=row: ob.modifiers[row])
        for name, value in _inputs(modifier):
            if isinstance(value, bpy.types.Object):
                yield value, _set_input(row, name)
    for row, constraint in enumerate(part.constraints):
        yield from _pointers_of_constraint(constraint, lambda ob, row=row: ob.constraints[row])
    for name, bone in part.pose.bones.items() if part.pose else ():
        for row, constraint in enumerate(bone.constraints):
            yield from _pointers_of_constraint(
                constraint, lambda ob, name=name, row=row: ob.pose.bones[name].constraints[row]
            )
    for row, driver in enumerate(part.animation_data.drivers if part.animation_data else ()):
        for column, variable in enumerate(driver.driver.variables):
            for k, target in enumerate(variable.targets):
                if isinstance(target.id, bpy.types.Object):
                    yield target.id, _driver_target(row, column, k)


def _pointers_of_constraint(constraint, find) -> Iterator[tuple[Object, Setting]]:
    yield from _pointers_of(constraint, find)
    for k, target in enumerate(getattr(constraint, "targets", ())):
        yield from _pointers_of(target, lambda ob, k=k: find(ob).targets[k])


def _pointers_of(struct, find: Callable[[Object], object]) -> Iterator[tuple[Object, Setting]]:
    """The settings of a modifier or constraint that point at objects."""
    for name, declared in struct.bl_rna.properties.items():
        if declared.type != "POINTER" or declared.is_readonly:
            continue
        if isinstance(target := getattr(struct, name), bpy.types.Object):
            yield target, lambda ob, other, name=name: setattr(find(ob), name, other)


def _set_parent(ob: Object, other: Object) -> None:
    between = ob.matrix_parent_inverse.copy()
    ob.parent = other
    ob.matrix_parent_inverse = between


def _inputs(modifier) -> list[tuple[str, object]]:
    """The names and values of what geometry nodes are given; from 5.2 on they are declared properties."""
    if modifier.type != "NODES" or modifier.node_group is None:
        return []
    if not hasattr(modifier, "properties"):
        return list(modifier.items())
    inputs = modifier.properties.inputs
    sockets = [(name, getattr(inputs, name)) for name, _ in inputs.bl_rna.properties.items() if name != "rna_type"]
    return [(name, socket.value) for name, socket in sockets if hasattr(socket, "value")]


def _set_input(row: int, name: str) -> Setting:
    def setting(ob: Object, other: Object) -> None:
        modifier = ob.modifiers[row]
        if hasattr(modifier, "properties"):
            getattr(modifier.properties.inputs, name).value = other
        else:
            modifier[name] = other

    return setting


def _driver_target(row: int, column: int, k: int) -> Setting:
    def setting(ob: Object, other: Object) -> None:
        ob.animation_data.drivers[row].driver.variables[column].targets[k].id = other

    return setting
