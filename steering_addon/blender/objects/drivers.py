"""Drivers of datablocks and what they read; and copies of objects that read and point at one another as they do."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from bpy.types import ID, DriverTarget, FCurve, Object

from .node_inputs import inputs_of, set_input

Setting = Callable[["Object", "Object"], None]
"""Makes an object point at another."""


def blocks(ob: Object) -> Iterator[ID]:
    """The object, its data and its shape keys: every datablock of it that can be keyed or driven."""
    yield ob
    if ob.data is not None:
        yield ob.data
        keys = getattr(ob.data, "shape_keys", None)
        if keys is not None:
            yield keys


def drivers_of(*owners: ID | None) -> list[FCurve]:
    """The drivers of datablocks, none of a missing one."""
    return [driver for owner in owners if (data := getattr(owner, "animation_data", None)) for driver in data.drivers]


def read_by(drivers: Iterable[FCurve]) -> Iterator[DriverTarget]:
    """The targets of all variables of drivers."""
    for driver in drivers:
        for variable in driver.driver.variables:
            yield from variable.targets


def read_instead(drivers: Iterable[FCurve], instead: Mapping[ID, ID]) -> None:
    """Let drivers read other datablocks in place of some."""
    for target in read_by(drivers):
        if target.id in instead:
            target.id = instead[target.id]


def copied(ob: Object) -> Object:
    """A copy of an object, in no collection; one of a library override is local."""
    copy = ob.copy()
    # Blender treats copies of overrides as stray and deletes them when the file is opened again.
    return copy.make_local(clear_liboverride=True) if copy.override_library is not None else copy


def with_own_data(parts: Sequence[Object], copies: Sequence[Object]) -> list[ID]:
    """Give copies data of their own where drivers on it may read the parts, and let all drivers read the copies and
    their data in place of these. Returns the new data."""
    instead: dict[ID, ID] = dict(zip(parts, copies))
    new: dict[ID, None] = {}
    for copy in copies:
        data = copy.data
        if drivers_of(data, getattr(data, "shape_keys", None)):
            if data not in instead:
                new[instead.setdefault(data, data.copy())] = None
            copy.data = instead[data]
    read_instead(drivers_of(*copies, *new, *(getattr(data, "shape_keys", None) for data in new)), instead)
    return list(new)


def pointers(ob: Object) -> Iterator[tuple[Object, Setting]]:
    """The objects that an object points at, each with a function that makes a copy of it point at another."""
    if ob.parent is not None:
        yield ob.parent, _set_parent
    for row, modifier in enumerate(ob.modifiers):
        yield from _pointers_of(modifier, lambda ob, row=row: ob.modifiers[row])
        for name, value in inputs_of(modifier).items() if modifier.type == "NODES" else ():
            if isinstance(value, Object):
                yield value, lambda ob, other, row=row, name=name: set_input(ob.modifiers[row], name, other)
    for row, constraint in enumerate(ob.constraints):
        yield from _pointers_of_constraint(constraint, lambda ob, row=row: ob.constraints[row])
    for name, bone in ob.pose.bones.items() if ob.pose else ():
        for row, constraint in enumerate(bone.constraints):
            yield from _pointers_of_constraint(
                constraint, lambda ob, name=name, row=row: ob.pose.bones[name].constraints[row]
            )
    for row, driver in enumerate(drivers_of(ob)):
        for column, variable in enumerate(driver.driver.variables):
            for k, target in enumerate(variable.targets):
                if isinstance(target.id, Object):
                    yield target.id, _driver_target(row, column, k)


def _pointers_of_constraint(constraint, find) -> Iterator[tuple[Object, Setting]]:
    yield from _pointers_of(constraint, find)
    for k, target in enumerate(getattr(constraint, "targets", ())):
        yield from _pointers_of(target, lambda ob, k=k: find(ob).targets[k])


def _pointers_of(struct, find: Callable[[Object], object]) -> Iterator[tuple[Object, Setting]]:
    """The pointers of a modifier or constraint to objects."""
    for name, declared in struct.bl_rna.properties.items():
        if declared.type != "POINTER" or declared.is_readonly:
            continue
        if isinstance(target := getattr(struct, name), Object):
            yield target, lambda ob, other, name=name: setattr(find(ob), name, other)


def _set_parent(ob: Object, other: Object) -> None:
    inverse = ob.matrix_parent_inverse.copy()
    ob.parent = other
    ob.matrix_parent_inverse = inverse


def _driver_target(row: int, column: int, k: int) -> Setting:
    def setting(ob: Object, other: Object) -> None:
        ob.animation_data.drivers[row].driver.variables[column].targets[k].id = other

    return setting
