"""The place of members: they walk on it, follow it or stay in it; and remedies where it has no room for all."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from bpy.types import Depsgraph, Object

from ....locomotion import CATALOGUE
from ....settings.population import CURVE, OVER_ALL, SURFACE, Population
from ....settings.preset import Preset
from ....settings.preset_values import complete, in_columns
from ....simulation.arrays.vectors import magnitude
from ....simulation.declaration import Kind
from ....simulation.locomotion import Locomotion
from ....simulation.roles import Role
from ...moving import CLINGING, locomotion_of
from ...objects.body_sizes import SOLID, off_box, triangles_of
from ...objects.focus import suits
from ...objects.hierarchy import Family
from ...properties import has_role
from ...read.ground import MemberGround
from ...read.locomotions import LocomotionSettings
from ...read.role_assignment import give_role
from ...read.solids import fitting_region, inside_of
from ...read.sources import behaviors_of
from ...units import length_text, natural_length
from ..behavior_adding import behaviors_in, pointers
from ..improbable import ANYTHING, scaling
from .models import Source

ON_SURFACES = next(kind for kind in CATALOGUE if kind.stands)
"""How members move on a place that they make a surface of, if they stood on none before."""
FAR = 1.0
"""Least distance of an origin from its mesh, in diagonals of the box around that, that makes it the reason."""


def lay_out(population: Population, moves: Locomotion) -> Population:
    """How members of a crowd are laid out: what clings to a surface leans fully with it, and what drives along a curve
    faces along that. Who started turned would first swing over into the lane of those who come the other way."""
    if population.arrangement == SURFACE and moves.clings:
        return replace(population, lean=1.0)
    drives = population.arrangement == CURVE and np.isfinite(moves.handling().axle[0])
    return replace(population, random_turn=0.0) if drives else population


def moves_there(place: Object | None, crowd: Object | None, preset: Preset | None, depsgraph: Depsgraph) -> Locomotion:
    """How the members of a crowd will move once they stand on a place, in columns of one entry. Writes nothing. Refused
    if a setting of the crowd is not a number.

    Args:
        crowd: None for a new crowd.
        preset: what the crowd will be given; None if it keeps its settings.
    """
    if preset is not None:
        kind, values = preset.moves, preset.locomotion[preset.moves.name]
    else:
        kind, values = (CATALOGUE[0] if crowd is None else locomotion_of(crowd)), None
    if place is not None and not kind.stands and _becomes_surface(place, kind):
        kind, values = ON_SURFACES, None
    if values is not None:
        return in_columns(kind, values)
    if crowd is None:
        return kind.of(1)
    return LocomotionSettings(crowd, kind).read(depsgraph, depsgraph.scene.frame_current)


def stand_on(place: Object, crowd: Object) -> None:
    """Make the place of members a surface if they keep to the ground, and have them move on foot there. A place that is
    a surface already is left alone, with the locomotion that the crowd has been given since."""
    if not _becomes_surface(place, locomotion_of(crowd)):
        return
    give_role(place, Role.SURFACE, Family())
    if not locomotion_of(crowd).stands:
        crowd.steering.locomotion = ON_SURFACES.choice().name


def follow(curve: Object, preset: Preset) -> None:
    """Make the curve of a new crowd a path, if its preset follows paths."""
    is_new = suits(curve, Role.PATH) and not has_role(curve, Role.PATH)
    if is_new and curve.library is None and curve.is_editable and pointers(behaviors_in(preset), Kind.PATH):
        give_role(curve, Role.PATH, Family())


def set_out_both_ways(crowd: Object | None, preset: Preset | None) -> bool:
    """Whether members along a curve set out in both directions, by a preset or else by the settings of their crowd."""
    if preset is not None:
        values_by_kind = ((kind, complete(kind, preset.behaviors[kind.name])) for kind in behaviors_in(preset))
        return any(kind.goes_both_ways(values.__getitem__) for kind, values in values_by_kind)
    kinds = () if crowd is None else behaviors_of(crowd)
    return any(kind.goes_both_ways(partial(getattr, getattr(crowd.steering, kind.name))) for kind in kinds)


def has_room_inside(place: Object, size: float, depsgraph: Depsgraph) -> bool:
    """Whether flyers or swimmers of this size, metres, belong inside the selected place, not on it."""
    if place.type != "MESH" or has_role(place, Role.SURFACE) or not min(place.dimensions) > size:
        return False
    return bool(inside_of(*triangles_of(place, depsgraph, None)))


def stay_in(place: Object, preset: Preset, depsgraph: Depsgraph) -> Object | None:
    """The region of a preset that needs one: the place that members of a new crowd fill, which becomes a region."""
    if not pointers(behaviors_in(preset), Kind.REGION):
        return None
    if not has_role(place, Role.REGION):
        if place.library is not None or not place.is_editable:
            return None
        shape = fitting_region(place, depsgraph)
        give_role(place, Role.REGION, Family())
        place.steering.region_shape = shape
    return place


def _becomes_surface(place: Object, kind: type[Locomotion]) -> bool:
    """Whether members that move in this way make a surface of their place."""
    if not kind.grounded or has_role(place, Role.SURFACE):
        return False
    return place.library is None and place.is_editable and suits(place, Role.SURFACE)


def tell_remedy(ground: MemberGround, sources: Sequence[Source]) -> str:
    """A remedy that makes room for more members, with a special reason if there is one; without final stop."""
    for source in sources:
        if text := _why_far(source):
            return text
        if (size := float(source.body.extent().max())) > ANYTHING.size:
            text = f"{source.model.parts[0].name} counts as {natural_length(size)} large"
            return f"{text}. {scaling(size)}, or make the place larger"
    if ground.population.arrangement == SURFACE and ground.population.spread != OVER_ALL:
        return "Members of a group start where a way leads to its middle. Move that, or scatter them Over All of It"
    if not ground.proposals.is_in_part:
        return "Make it larger"
    return (
        "Members start where it faces up and is not too steep for them. "
        f"Make it larger, or set the Locomotion of the crowd to {CLINGING}, which holds on to any side"
    )


def _why_far(source: Source) -> str:
    """How far the origin of a model is from its mesh, and the remedy; empty if it is near or in it."""
    points = np.einsum("ab,kb->ka", source.body.matrix, source.body.points)
    gap, size = magnitude(np.stack((off_box(points), np.ptp(points, axis=0)))).tolist()
    if gap <= FAR * size:
        return ""
    root = source.model.parts[0]
    text = f"The origin of {root.name} is {length_text(gap, 2)} away from its mesh"
    if root.type in SOLID:
        return f"{text}: Object > Set Origin moves it there"
    return f"{text}: move its parts to it"
