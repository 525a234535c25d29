"""What members were put on is what they walk on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....locomotion import CATALOGUE
from ....settings.population import SURFACE, Population
from ....simulation.roles import Role
from ...hierarchy import Family
from ...moving import locomotion_of
from ...properties import has_role
from ...role_assignment import give_role
from ...suitability import suits

if TYPE_CHECKING:
    from bpy.types import Object


def laid_out(population: Population, crowd: Object | None) -> Population:
    """How members of a crowd are laid out: what clings to a surface leans fully with it."""
    if crowd is None or population.arrangement != SURFACE or not locomotion_of(crowd).clings:
        return population
    return replace(population, lean=1.0)


def stand_on(place: Object, crowd: Object) -> None:
    """Make the place of members a surface if they keep to the ground, and have them move on foot there.

    A place that is a surface already is left alone, with the locomotion that the crowd has been given since.
    """
    if not locomotion_of(crowd).grounded or has_role(place, Role.SURFACE):
        return
    if place.library is not None or not place.is_editable or not suits(place, Role.SURFACE):
        return
    give_role(place, Role.SURFACE, Family())
    if not locomotion_of(crowd).stands:
        crowd.steering.locomotion = next(kind.choice().name for kind in CATALOGUE if kind.stands)
