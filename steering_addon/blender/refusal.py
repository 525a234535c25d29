"""Refusals: how the animator learns what cannot be done, in a sentence or two that name the object and the remedy.

Stored values are checked, too: a file, a script or a driver may hold some to which no field of the interface can be
set. A number may be NaN or infinite. A choice may be one that only another version of the extension knows: Blender
reads it as an empty name.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np
from bpy.types import Object, PropertyGroup

from ..behaviors import CATALOGUE

BEHAVIORS = {behavior.name for behavior in CATALOGUE}
FARTHEST = 1e18
"""Distance in metres beyond which a point is nowhere: its square does not fit into a number of 32 bits."""
Front = tuple[str, str]
"""The names of a forward and an up axis."""


class Refusal(ValueError):  # noqa: N818 - not an error of the program
    """The request cannot be carried out. Its text is the message to report; nothing was changed.

    Attributes:
        about: the objects that it names and that the animator has to change.
        remedy: the setting of the scene's simulation that it names; empty if it names none.
    """

    level = "ERROR"

    def __init__(self, text: str, *, about: Sequence[Object] = (), remedy: str = "") -> None:
        # Names in old files need not be UTF-8. Blender's reports must be.
        super().__init__(text.encode("utf-8", "backslashreplace").decode("utf-8"))
        self.about = tuple(about)
        self.remedy = remedy


class Unneeded(Refusal):
    """There is nothing to do, although the animator expected something."""

    level = "WARNING"


class NothingFound(Unneeded):
    """There is nothing of what was searched for, as it should be."""

    level = "INFO"


def choice_in(group: PropertyGroup, name: str) -> str:
    """The choice that a property holds. Refused if this version does not know it."""
    choice: str = getattr(group, name)
    if not choice:
        ob = group.id_data
        text = (
            f"{group.path_from_id(name)} of {ob.name} is a choice that this version does not know. Choose another one."
        )
        raise Refusal(text, about=[ob.original])
    return choice


def sound_front(ob: Object) -> Front:
    """The forward and the up axis of a tagged object. Refused if they are the same axis, or this version does not know
    one of them."""
    forward, up = choice_in(ob.steering, "forward_axis"), choice_in(ob.steering, "up_axis")
    if forward[-1] == up[-1]:
        raise Refusal(f"Forward and Up of {ob.name} are the same axis. Choose another Forward or Up.", about=[ob])
    return forward, up


def check_choices(objects: Iterable[Object]) -> None:
    """Refuse objects with a choice that this version does not know; behaviors that are off do not count."""
    for ob in objects:
        for group, names, _ in _groups(ob.steering if ob.is_property_set("steering") else None):
            for name in names:
                if group.is_property_set(name):
                    choice_in(group, name)


def check_stored(objects: Iterable[Object]) -> None:
    """As `check_choices`; also refuse objects with a number that is not finite."""
    objects = list(objects)
    check_choices(objects)
    for ob in objects:
        for group, _, names in _groups(ob.steering if ob.is_property_set("steering") else None):
            for name in names:
                if group.is_property_set(name) and not np.isfinite(getattr(group, name)).all():
                    _refuse_number(ob, group.path_from_id(name))


def finite_numbers(objects: Sequence[Object], name: str) -> np.ndarray:
    """The numbers that a property of `Object.steering` holds, (n,), within its limits. Refused if one of them is not
    finite."""
    numbers = np.array(list(map(attrgetter(f"steering.{name}"), objects)))
    finite = np.isfinite(numbers)
    if not finite.all():
        _refuse_number(objects[int(np.argmin(finite))], f"steering.{name}")
    if numbers.dtype == np.bool_ or not len(numbers):
        return numbers
    declared = objects[0].steering.bl_rna.properties[name]
    return np.clip(numbers, declared.hard_min, declared.hard_max)


def _refuse_number(ob: Object, path: str) -> None:
    text = f"{path} of {ob.name} is not a finite number. Enter a number, or check its driver."
    raise Refusal(text, about=[ob])


def _groups(group: PropertyGroup | None) -> Iterator[tuple[PropertyGroup, tuple[str, ...], tuple[str, ...]]]:
    """A property group and those stored in it, with the names of their choices and of their numbers."""
    if group is None:
        return
    choices, numbers, inner = _names(type(group))
    yield group, choices, numbers
    for name in inner:
        if group.is_property_set(name):
            below = getattr(group, name)
            # A preset holds the values of what is off, but not of a behavior that is.
            if name not in BEHAVIORS or below.use:
                yield from _groups(below)


@lru_cache(maxsize=128)
def _names(kind: Any) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The names of the choices, of the numbers and of the groups in a type of property group."""
    declared = kind.bl_rna.properties
    return (
        tuple(p.identifier for p in declared if p.type == "ENUM" and not p.is_enum_flag),
        tuple(p.identifier for p in declared if p.type == "FLOAT"),
        tuple(
            p.identifier
            for p in declared
            if p.type == "POINTER" and p.fixed_type.base is not None and p.fixed_type.base.identifier == "PropertyGroup"
        ),
    )
