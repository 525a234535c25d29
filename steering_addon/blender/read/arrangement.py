"""The arrangements of members: the place that each needs, and the settings that apply to it."""

from collections.abc import Callable

from bpy.types import Object

from ...settings.population import ARRANGEMENTS, CURVE, SURFACE, VOLUME, Population
from ..objects.body_sizes import SOLID

NUMBERS = {choice.name: choice.number for choice in ARRANGEMENTS}
LABELS = {choice.number: choice.label for choice in ARRANGEMENTS}
CHOICE = "arrangement"
"""The setting that holds the arrangement."""
PLACE = "place"
"""The setting that holds the mesh, volume or curve, for arrangements that need one."""
WANTED = {SURFACE: "mesh", VOLUME: "region, Empty or closed mesh", CURVE: "curve"}
"""The kind of place of each arrangement that needs one."""
FITS: dict[int, Callable[[Object], bool]] = {
    SURFACE: lambda ob: ob.type in SOLID,
    VOLUME: lambda ob: ob.type in SOLID or ob.type == "EMPTY",
    CURVE: lambda ob: ob.type == "CURVE",
}
"""Whether an object is the kind of place that an arrangement needs."""


def shown(arrangement: str) -> list[str]:
    """The settings that apply to an arrangement, in the order of the panel; of an unknown one those of all."""
    number = NUMBERS.get(arrangement)
    declared = Population.parameters()
    names = [name for name, p in declared.items() if p.only_with is None or number in p.only_with[1]]
    if number in WANTED:
        names.insert(names.index(CHOICE) + 1, PLACE)
    return names
