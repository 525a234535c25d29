"""How vehicles move: the locomotion that the settings of their crowd name, or their own."""

from bpy.types import Object

from ..locomotion import CATALOGUE
from ..simulation.locomotion import Locomotion
from .refusal import choice_in

BY_CHOICE: dict[str, type[Locomotion]] = {kind.choice().name: kind for kind in CATALOGUE}
"""Every locomotion by the name under which its choice is stored."""
CLINGING = " or ".join(kind.label for kind in CATALOGUE if kind.clings)
"""The locomotions that hold on to any side of a surface, for messages."""


def locomotion_of(crowd: Object) -> type[Locomotion]:
    """The locomotion of a crowd. Writes nothing."""
    return BY_CHOICE[choice_in(crowd.steering, "locomotion")]


def own_locomotion_of(vehicle: Object) -> type[Locomotion] | None:
    """The locomotion that a vehicle has for itself, None if it moves as its crowd does. Writes nothing."""
    # To read settings that a model does not have would give them to it.
    known = vehicle.is_property_set("steering")
    return BY_CHOICE.get(choice_in(vehicle.steering, "own_locomotion")) if known else None


def known_locomotion(vehicle: Object, crowd: Object) -> tuple[Object, type[Locomotion]] | None:
    """The vehicle or crowd whose settings move a vehicle, and the locomotion; None for one unknown to this version.
    Writes nothing."""
    for holder, choice in ((vehicle, vehicle.steering.own_locomotion), (crowd, crowd.steering.locomotion)):
        if choice in BY_CHOICE:
            return holder, BY_CHOICE[choice]
    return None


def moves_by(vehicle: Object, crowd: Object) -> type[Locomotion]:
    """The locomotion of a vehicle of a crowd, its own or that of the crowd. Writes nothing."""
    return own_locomotion_of(vehicle) or locomotion_of(crowd)
