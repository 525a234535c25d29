"""Vehicles whose crowd is not in their scene: its Empty was deleted, untagged or excluded, or belongs to another scene.

Bakes and previews leave such vehicles as they are, and others react to them. An object that is deleted in the viewport
stays in the file while vehicles point at it, so the crowd can be restored with its settings.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bpy.types import Object

from ...simulation.roles import Role
from ..objects.tagged_objects import list_names
from ..properties import has_role, pointed_at
from ..refusal import Refusal
from .checks import check_vehicle

REMEDY = "Restore Crowd brings it back, or move the vehicles to another crowd"


@dataclass(frozen=True)
class LostCrowd:
    """A crowd that is not in the scene of its vehicles.

    Attributes:
        crowd: the object that the vehicles point at; None if it is no longer in the file.
        vehicles: those in the scene, by name; at least one.
    """

    crowd: Object | None
    vehicles: tuple[Object, ...]

    @property
    def names(self) -> str:
        """The names of the first vehicles, and the number of the others."""
        return list_names([ob.name for ob in self.vehicles])

    @property
    def reason(self) -> str:
        """The problem, as a sentence without final stop."""
        return reason(self.crowd) or f"{self.names} {'belongs' if len(self.vehicles) == 1 else 'belong'} to no crowd"


def reason(crowd: Object | None) -> str:
    """The problem of a crowd that is not in the scene of its vehicles; empty if there is no such object."""
    if crowd is None:
        return ""
    if not has_role(crowd, Role.CROWD):
        return f"{crowd.name} is no longer tagged as a crowd"
    return f"The crowd {crowd.name} is not in this scene"


def lost_crowds(vehicles: Iterable[Object], crowds: Iterable[Object]) -> list[LostCrowd]:
    """The crowds of vehicles that are not among the crowds of the scene, by name; first those without any crowd."""
    present, members = set(crowds), {}
    for ob in vehicles:
        crowd = pointed_at(ob.steering, "crowd")
        if crowd not in present:
            members.setdefault(crowd, []).append(ob)
    order = sorted(members, key=lambda crowd: "" if crowd is None else crowd.name_full)
    return [LostCrowd(crowd, tuple(members[crowd])) for crowd in order]


def check_lost(lost: Sequence[LostCrowd], moving: Iterable[Object]) -> list[Object]:
    """The vehicles to move that have a crowd. Refused if there are none."""
    without = {ob for each in lost for ob in each.vehicles}
    kept = [ob for ob in moving if ob not in without]
    if not kept:
        for each in lost:
            check_vehicle(each.vehicles[0])
        raise Refusal(f"{lost[0].reason}. {REMEDY}.")
    return kept


def lost_warnings(lost: Iterable[LostCrowd]) -> Iterator[str]:
    """A warning for each lost crowd, with the vehicles that stay unbaked."""
    for each in lost:
        unbaked = f" Not baked: {each.names}." if each.crowd is not None else " Not baked."
        yield f"{each.reason}.{unbaked} {REMEDY}."
