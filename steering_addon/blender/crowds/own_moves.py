"""Giving a vehicle a locomotion of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..moving import BY_CHOICE, locomotion_of
from ..objects.tagged_objects import crowd_of
from ..property_groups import stored_value, values_of

if TYPE_CHECKING:
    from bpy.types import Object

    from ...simulation.locomotion import Locomotion


def move_as(vehicle: Object, choice: str) -> None:
    """Let a vehicle move by the locomotion of a choice, or as its crowd does.

    Settings that it has never had begin as those of its crowd, where that moves alike.
    """
    settings, moves, crowd = vehicle.steering, BY_CHOICE.get(choice), crowd_of(vehicle)
    if moves is not None and not settings.is_property_set(moves.name) and _has_set(crowd, moves):
        group = getattr(settings, moves.name)
        for name, value in values_of(moves, getattr(crowd.steering, moves.name)).items():
            setattr(group, name, stored_value(moves.parameters()[name], value))
    settings.own_locomotion = choice


def _has_set(crowd: Object | None, moves: type[Locomotion]) -> bool:
    """Whether a crowd moves in this way, with settings of its own."""
    return crowd is not None and locomotion_of(crowd) is moves and crowd.steering.is_property_set(moves.name)
