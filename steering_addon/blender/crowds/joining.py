"""Makes objects, or the points of objects, vehicles: their crowd, their size, and the settings of a new crowd."""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

import numpy as np
from bpy.types import Context, Depsgraph, Object

from ...settings.preset import Preset
from ...settings.wheel_finding import wheels_of
from ...simulation.arrays.vectors import magnitude
from ...simulation.roles import Role
from ..animation.custom_properties import reading_drivers
from ..moving import locomotion_of
from ..objects.body_sizes import Body, Front, mean_scale, triangles_of
from ..objects.doubles import axes_of_model, doubles, placed
from ..objects.hierarchy import Family
from ..objects.identity import new_identity, taken_identities
from ..objects.tagged_objects import crowd_of, crowds_of, height_of, in_use, tagged
from ..properties import has_role
from ..read.evaluated_points import evaluated_points
from ..read.forward_axis import front_of
from ..read.role_assignment import current_front, default_crowd, give_role, make_vehicle, new_crowd
from ..refusal import FARTHEST, check_stored, sound_front
from .moves_like import UNCHANGED, Likeness, bring_to_life, fitting_preset, flies, is_settled

SMALLEST = 1e-4
"""The radius in metres below which an object counts as without size, such as a single vertex."""
SAME_MODEL = 0.02
"""Models whose heights differ by no more than this share count as equally tall."""
Measure = Callable[[Body, Front], float]
"""A function that measures the radius of a body in metres."""
Shape = tuple[float, float]
"""The radius and the length of a body in metres; the length of a sphere is 0."""


@dataclass(frozen=True)
class Joined:
    """The result of `join`.

    Attributes:
        members: objects that became a vehicle or moved to another crowd.
        crowd: their crowd; None without such objects.
        preset: the preset that the crowd was given; None if its settings were kept.
    """

    members: Sequence[Object] = ()
    crowd: Object | None = None
    preset: Preset | None = None
    warnings: Sequence[str] = field(default_factory=list)


def join(context: Context, objects: Sequence[Object], like: Likeness, *, separate: bool = False) -> Joined:
    """Make objects vehicles of a crowd, with a size, a start pose and an identity. Existing values are kept.

    The objects join the crowd that is selected with them, even if they belong to another crowd. Without a selected
    crowd, new vehicles join the default crowd of the scene, which is created if needed. A crowd without settings gets
    those of the likeness. Refused if the preset cannot be read, or an object has an invalid point or setting; nothing
    is changed. `separate`: whether to create a new crowd if none is selected.
    """
    in_scene = in_use(context.scene)
    vehicles = tagged(in_scene, Role.VEHICLE)
    objects, crowd = _to_join(context, objects, Role.VEHICLE, separate=separate)
    if not objects:
        return Joined()
    depsgraph, family = context.evaluated_depsgraph_get(), Family()
    check_stored([*objects, *([crowd] if crowd is not None else [])])
    bodies = Body.of_each(objects, depsgraph, family)
    flying = flies(like, crowd)
    fronts = {ob.name: current_front(ob) or front_of(ob, family, bodies[ob.name], flies=flying) for ob in objects}
    preset = None
    if like is not UNCHANGED and (crowd is None or not is_settled(crowd)):
        preset = fitting_preset(like, median_length(bodies[ob.name].length(*fronts[ob.name]) for ob in objects))
    members = [] if crowd is None else [ob for ob, owner in zip(vehicles, crowds_of(vehicles)) if owner == crowd]
    check_stored(members[:1])
    empty = not members and crowd not in crowds_of(tagged(in_scene, Role.POINTS))
    crowd = crowd or new_crowd(context, like.crowd)
    measure = measure_for(crowd, members, preset, depsgraph, family)
    long = empty or crowd.steering.vehicle.length > 0.0
    fitted = cache(partial(shape_of, measure=measure, long=long))
    shapes = {ob.name: fitted(bodies[ob.name], fronts[ob.name]) for ob in objects}
    if empty:
        fit_body(crowd, list(shapes.values()))
    heights = list(dict.fromkeys(ob.steering.height for ob in members))
    _make_identities_distinct(objects)
    for ob in objects:
        # Each setting is set once, and only if it differs: Blender tags the object each time.
        front, body, settings = fronts[ob.name], bodies[ob.name], ob.steering
        settings.forward_axis = front[0]
        if settings.up_axis != front[1]:
            settings.up_axis = front[1]
        make_vehicle(ob, crowd, family)
        settings.height = _known_height(body.unscaled_height(front[1]), heights)
        if settings.origin_height != (origin_height := body.origin_height(front[1])):
            settings.origin_height = origin_height
        fit_size(ob, crowd, shapes[ob.name])
    if empty:
        fit_stride(crowd, [height_of(ob) for ob in objects])
    warnings = [] if preset is None else bring_to_life(context, crowd, objects, preset)
    if preset is not None:
        fit_locomotion(crowd, objects, depsgraph, family)
    if crowd.steering.vehicle.radius <= 0.0 and any(radius > SMALLEST for radius, _ in shapes.values()):
        warnings.append(f"The Radius of {crowd.name} is 0, so its vehicles count as points. Set a radius")
    return Joined(objects, crowd, preset, warnings)


def _to_join(
    context: Context, objects: Sequence[Object], role: Role, *, separate: bool
) -> tuple[list[Object], Object | None]:
    """The objects that are new to the crowd that they join, and that crowd; None for a new one, as for `join`."""
    selected = selected_crowd(context)
    accepted = set(in_use(context.scene)) if selected is None else {selected}
    joining = [ob for ob in objects if not (has_role(ob, role) and crowd_of(ob) in accepted)]
    return joining, selected or (None if separate or not joining else default_crowd(context))


def _make_identities_distinct(objects: Iterable[Object]) -> None:
    identities, chance = taken_identities(set(objects)), random.Random(0)
    # By name, as selected objects come in another order once a file is opened again.
    for ob in sorted(objects, key=lambda ob: ob.name):
        identity = ob.steering.identity
        if identity in identities:
            ob.steering.identity = identity = new_identity(identities, chance)
        identities.add(identity)


def shape_of(body: Body, front: Front, measure: Measure, long: bool) -> Shape:
    """The radius and the length in metres of a body: a capsule if it is long, else a sphere of length 0. `long`:
    whether bodies may be capsules."""
    capsule = body.capsule(*front, flat=measure is Body.footprint) if long else None
    return capsule or (measure(body, front), 0.0)


def fit_body(crowd: Object, shapes: Sequence[Shape]) -> None:
    """Give a crowd without members the radius and the length of its largest body, if any has a size."""
    radius = max((radius for radius, _ in shapes), default=0.0)
    if radius > SMALLEST:
        crowd.steering.vehicle.radius = radius
        crowd.steering.vehicle.length = max(radius * length / half for half, length in shapes if half > SMALLEST)


def fit_locomotion(crowd: Object, members: Sequence[Object], depsgraph: Depsgraph, family: Family) -> None:
    """Give the locomotion of a crowd of long bodies the values that suit their size, such as the wheelbase of cars.
    Wheels are measured on the largest member, if it has any; springs suit whose drivers move all wheels."""
    kind, model = locomotion_of(crowd), crowd.steering.vehicle
    if not model.length > 2.0 * model.radius > SMALLEST:
        return
    values = kind.fitting(model.length, 2.0 * model.radius)
    if kind.runs_on_wheels and members:
        largest = max(members, key=lambda ob: ob.steering.size_factor)
        # The surface in metres ahead, to the left and up.
        points, triangles = triangles_of(largest, depsgraph, family)
        scale = magnitude(doubles(largest.evaluated_get(depsgraph).matrix_world)[:3, :3].T)
        wheels = wheels_of(np.einsum("ab,kb->ka", rows_of_axes(largest), points * scale), triangles)
        values |= kind.on_wheels(*wheels) if wheels else {}
    for name, value in values.items():
        setattr(getattr(crowd.steering, kind.name), name, value)
    if members:
        fit_springs(crowd, members)


def fit_springs(crowd: Object, members: Sequence[Object]) -> None:
    """Fit the locomotion of a crowd to the drivers that all its members have, such as those of springs."""
    kind, model = locomotion_of(crowd), crowd.steering.vehicle
    drivers = reading_drivers(members, [output.name for output in kind.outputs])
    read = set.intersection(*(set(drivers.get(ob, ())) for ob in members))
    for name, value in kind.with_drivers(read, model.length).items():
        setattr(getattr(crowd.steering, kind.name), name, value)


def rows_of_axes(ob: Object) -> np.ndarray:
    """The directions ahead, to the left and up of a vehicle in its own space, (3, 3)."""
    side, forward, up = axes_of_model(ob).T
    return np.stack((forward, -side, up))


def fit_size(ob: Object, crowd: Object, shape: Shape) -> None:
    """Set how much larger and longer than its crowd's a vehicle's body is. A body without a size is left alone, and so
    is one of a crowd of points, which have none."""
    model, (radius, length) = crowd.steering.vehicle, shape
    if radius <= SMALLEST or model.radius <= 0.0:
        return
    if ob.steering.size_factor != (size := float(np.float32(radius / model.radius))):
        ob.steering.size_factor = size
    ob.steering.measured_scale = mean_scale(ob)
    if model.length > 0.0:
        ob.steering.length_factor = length / radius * model.radius / model.length


def _known_height(height: float, known: list[float]) -> float:
    """The known height that is nearly the same, or else this one, which becomes known. Parts moved by drivers make
    copies of one model differ a little, and their strides must not."""
    for other in known:
        if abs(height - other) <= SAME_MODEL * other:
            return other
    known.append(height)
    return height


def fit_stride(crowd: Object, heights: Sequence[float]) -> None:
    """Let the stride of a crowd be that of a body of the median of the heights, in metres."""
    height = median_length(heights)
    if height and crowd.library is None:
        crowd.steering.portrayal.stride_height = height


def selected_crowd(context: Context) -> Object | None:
    """The crowd among the selected objects; the active object comes first."""
    active = context.view_layer.objects.active
    selected = [*([active] if active in context.selected_objects[:] else []), *context.selected_objects]
    return next((ob for ob in selected if has_role(ob, Role.CROWD)), None)


def median_length(lengths: Iterable[float]) -> float:
    """The median of the lengths of bodies in metres; 0 if none has a size."""
    measured = [length for length in lengths if length > SMALLEST]
    return float(np.median(measured)) if measured else 0.0


def measure_for(
    crowd: Object | None, members: Sequence[Object], preset: Preset | None, depsgraph: Depsgraph, family: Family
) -> Measure:
    """The measure of sizes in a crowd: the one that fits its members, or else the footprint on the ground."""
    if preset is not None:
        return Body.footprint if preset.moves.grounded else Body.radius
    if not members or (crowd is not None and crowd.steering.vehicle.length > 0.0):
        return Body.footprint if crowd is not None and locomotion_of(crowd).grounded else Body.radius
    body = Body.of(members[0], depsgraph, family)
    radius, front = crowd.steering.vehicle.radius * members[0].steering.size_factor, sound_front(members[0])

    def deviation(measure: Measure) -> float:
        return abs(math.log(max(measure(body, front), SMALLEST) / max(radius, SMALLEST)))

    return min((Body.radius, Body.footprint), key=deviation)


def join_points(context: Context, objects: Sequence[Object], like: Likeness, *, separate: bool = False) -> Joined:
    """Make each point of some objects a vehicle of a crowd, which is chosen as in `join`. Refused if the preset cannot
    be read, or an object has an invalid setting; nothing is changed. `like`: gives a crowd without settings its own;
    `separate`: whether to create a new crowd if none is selected."""
    objects, crowd = _to_join(context, objects, Role.POINTS, separate=separate)
    if not objects:
        return Joined()
    check_stored([*objects, *([crowd] if crowd is not None else [])])
    preset = None if like is UNCHANGED or (crowd is not None and is_settled(crowd)) else fitting_preset(like, 0.0)
    places = _places(context, objects)
    crowd = crowd or new_crowd(context, like.crowd)
    _make_identities_distinct(objects)
    for ob in objects:
        give_role(ob, Role.POINTS, Family())
        ob.steering.crowd = crowd
    warnings = [] if preset is None else bring_to_life(context, crowd, (), preset, places=places)
    return Joined(objects, crowd, preset, warnings)


def _places(context: Context, objects: Sequence[Object]) -> np.ndarray:
    """Where the points of objects are, (n, 3) metres; of objects without any, where these are."""
    depsgraph = context.evaluated_depsgraph_get()
    places = []
    for ob in objects:
        points = evaluated_points(ob, depsgraph)
        positions = points.columns["position"] if len(points) else np.zeros((1, 3))
        places.append(placed(positions, points.to_world))
    finite = np.concatenate(places)
    finite = finite[(np.abs(finite) < FARTHEST).all(axis=1)]
    return finite if len(finite) else np.zeros((1, 3))
