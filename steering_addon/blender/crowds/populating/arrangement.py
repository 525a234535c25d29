"""The arrangements of members: what each needs, and which settings mean something for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ....settings.population import ARRANGEMENTS, CURVE, SURFACE, VOLUME, Population
from ...read.body_sizes import SOLID

if TYPE_CHECKING:
    from bpy.types import Object

NUMBERS = {choice.name: choice.number for choice in ARRANGEMENTS}
NAMES = {choice.number: choice.name for choice in ARRANGEMENTS}
CHOICE = "arrangement"
"""The setting that says which one it is."""
PLACE = "place"
"""The setting that says where, for those that need a place of their own."""
WANTED = {SURFACE: "mesh", VOLUME: "region, Empty or closed mesh", CURVE: "curve"}
"""What these are."""
PUT = {SURFACE: "put on", VOLUME: "put in", CURVE: "put along"}
FITS: dict[int, Callable[[Object], bool]] = {
    SURFACE: lambda ob: ob.type in SOLID,
    VOLUME: lambda ob: ob.type in SOLID or ob.type == "EMPTY",
    CURVE: lambda ob: ob.type == "CURVE",
}
"""Whether an object is what an arrangement needs."""


def shown(arrangement: str) -> list[str]:
    """The settings that mean something for an arrangement, in the order they are shown."""
    number = NUMBERS[arrangement]
    declared = Population.parameters()
    names = [name for name, p in declared.items() if p.only_with is None or number in p.only_with[1]]
    if number in WANTED:
        names.insert(names.index(CHOICE) + 1, PLACE)
    return names
