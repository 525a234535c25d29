"""Drivers of datablocks, and what they read."""

from collections.abc import Iterable, Iterator, Mapping

from bpy.types import ID, DriverTarget, FCurve, Object


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
    animations = (getattr(owner, "animation_data", None) for owner in owners)
    return [driver for animation in animations if animation is not None for driver in animation.drivers]


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
