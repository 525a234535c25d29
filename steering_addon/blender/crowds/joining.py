"""Objects become vehicles: which crowd they join, how large they are there, and what the crowd starts to live with."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ...settings.preset import Preset
from ...settings.preset_values import complete
from ...simulation.roles import Role
from ...simulation.vehicle import VehicleModel
from ..hierarchy import Family
from ..identity import new_identity
from ..properties import has_role, settings_of
from ..read.body_sizes import Body
from ..role_assignment import default_crowd, make_vehicle, new_crowd
from ..tagged_objects import crowd_of, in_use, tagged
from .forward_axis import front_of
from .moves_like import UNCHANGED, Likeness, bring_to_life, fitting, is_settled

if TYPE_CHECKING:
    from bpy.types import Context, Depsgraph, Object

SMALLEST = 1e-4
"""A radius in metres below which an object has no size to speak of, such as a lone vertex."""
Measure = Callable[[Body], float]
"""How the radius of a body is had, in metres."""


@dataclass(frozen=True)
class Joined:
    """What came of it.

    Attributes:
        members: who became a vehicle, or went to another crowd.
        crowd: where they are now; None where nobody had to.
        preset: what the crowd was brought to life with; None where it was left as it is.
        warnings: what was left alone, by name.
    """

    members: Sequence[Object] = ()
    crowd: Object | None = None
    preset: Preset | None = None
    warnings: Sequence[str] = field(default_factory=list)


def join(context: Context, objects: Sequence[Object], like: Likeness, *, apart: bool = False) -> Joined:
    """Give objects a crowd, a size, a start and an identity; those that have them keep them.

    A crowd that is selected along with them is the one they join, even from another; else it is the scene's default,
    which is made where there is none. A crowd that nobody has settled starts to live like something.

    Args:
        apart: whether they get a crowd of their own, unless one is selected.

    Raises:
        Refusal: what they are to live with cannot be read; nothing is changed.
    """
    there = in_use(context.scene)
    members = tagged(there, Role.VEHICLE)
    chosen = selected_crowd(context)
    fits = set(there) if chosen is None else {chosen}
    known = set(members)
    objects = [ob for ob in objects if not (ob in known and crowd_of(ob) in fits)]
    if not objects:
        return Joined()
    crowd = chosen or (None if apart else default_crowd(context))
    depsgraph, family = context.evaluated_depsgraph_get(), Family()
    bodies = {ob.name: Body.of(ob, depsgraph, family) for ob in objects}
    preset = None
    if like is not UNCHANGED and (crowd is None or not is_settled(crowd)):
        preset = fitting(like, _length(objects, bodies, family))
    crowd = crowd or new_crowd(context, like.crowd)
    already = [ob for ob in members if crowd_of(ob) == crowd]
    measure = measure_for(crowd, already, preset, depsgraph, family)
    sizes = {ob.name: measure(bodies[ob.name]) for ob in objects}
    if not already and max(sizes.values()) > SMALLEST:
        crowd.steering.vehicle.radius = max(sizes.values())
    taken = {0, *(ob.steering.identity for ob in members if ob not in set(objects))}
    for ob in objects:
        if ob.steering.identity in taken:
            ob.steering.identity = new_identity(taken)
        taken.add(ob.steering.identity)
        make_vehicle(ob, crowd, family, bodies[ob.name])
        if sizes[ob.name] > SMALLEST:
            ob.steering.size_factor = sizes[ob.name] / crowd.steering.vehicle.radius
    warnings = [] if preset is None else bring_to_life(context, crowd, objects, preset)
    # Blender notices by itself what is typed into a field only.
    for ob in (crowd, *objects):
        ob.update_tag()
    return Joined(objects, crowd, preset, warnings)


def selected_crowd(context: Context) -> Object | None:
    """The crowd among the selected objects, the active one first."""
    active = context.view_layer.objects.active
    selected = [*([active] if active in context.selected_objects[:] else []), *context.selected_objects]
    return next((ob for ob in selected if has_role(ob, Role.CROWD)), None)


def _length(objects: Sequence[Object], bodies: dict[str, Body], family: Family) -> float:
    """How long the bodies are, the middle one of them; 0 without a size."""
    lengths = []
    for ob in objects:
        tagged_before = settings_of(ob) and ob.steering.roles
        front = (
            (ob.steering.forward_axis, ob.steering.up_axis) if tagged_before else front_of(ob, family, bodies[ob.name])
        )
        lengths.append(bodies[ob.name].length(*front))
    known = [length for length in lengths if length > SMALLEST]
    return float(np.median(known)) if known else 0.0


def measure_for(
    crowd: Object | None, already: Sequence[Object], preset: Preset | None, depsgraph: Depsgraph, family: Family
) -> Measure:
    """How the sizes of a crowd are measured: as those of its members were, else by whether it keeps to the ground."""
    if preset is not None:
        return Body.footprint if complete(VehicleModel, preset.vehicle)["keep_in_plane"] else Body.radius
    if not already:
        return Body.footprint if crowd is not None and crowd.steering.vehicle.keep_in_plane else Body.radius
    body = Body.of(already[0], depsgraph, family)
    radius = crowd.steering.vehicle.radius * already[0].steering.size_factor

    def off(measure: Measure) -> float:
        return abs(math.log(max(measure(body), SMALLEST) / max(radius, SMALLEST)))

    return min((Body.radius, Body.footprint), key=off)
