"""Drivers that turn, steer and spring the wheels of cars: wheels that are objects of their own, parented to the car.

They drive the delta transform of each wheel, so that what the animator set stays as it is, and read custom properties
of the car that a bake keys. They play without the extension. Without any, wheels stay up as a body sinks.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, FCurve, Object

from ...locomotion.driving import ANGLE, OUTPUTS, SPIN, TRAVELS
from ...settings.wheel_finding import ground_of, wheels_among, without_strays
from ...simulation.arrays.vectors import Vectors, cross, unit
from ..animation.custom_properties import DESCRIPTIONS, path_of, reading_drivers
from ..moving import known_locomotion
from ..objects.body_sizes import SOLID, triangles_of
from ..objects.doubles import doubles, placed
from ..objects.focus import check_editable
from ..objects.hierarchy import Family
from ..read.local_space import parent_part
from ..refusal import Refusal
from .joining import rows_of_axes

BESIDE_AXLE = 0.1
"""How far the origin of a wheel may be off its axle, in its radii."""
ALONG = 1e-3
"""1 - cosine of the angle between an axis of a wheel and that of the car below which they are the same."""
LEAST = 1e-6
"""A number below this, relative to what it is compared with, is rounding."""
EULER, QUATERNION, PLACE = "delta_rotation_euler", "delta_rotation_quaternion", "delta_location"
"""The channels that are driven."""
AT_REST = {EULER: (0.0, 0.0, 0.0), QUATERNION: (1.0, 0.0, 0.0, 0.0), PLACE: (0.0, 0.0, 0.0)}
TURN, SINK = "a", "t"
"""The letters of the angle of the front wheels and of the travel of a wheel in expressions."""


@dataclass(frozen=True)
class Wheel:
    """A wheel of a car.

    Attributes:
        middle: (3,) ahead, to the left and up of the car's origin, metres.
        origin: (3,) as `middle`.
        axle, up: (3,) the car's left and up axes as its own channels see them: so long that they move it by a metre.
    """

    ob: Object
    middle: np.ndarray
    radius: float
    origin: np.ndarray
    axle: np.ndarray
    up: np.ndarray


Driven = dict[tuple[str, int], tuple[str, dict[str, str]]]
"""The expression of the driver of each channel, and what it reads, by the letter in the expression."""


def wheels_of_car(car: Object, depsgraph: Depsgraph, family: Family) -> list[Wheel]:
    """The wheels of a car that are objects of their own: the parts furthest up that are wheels as a whole."""
    matrix = doubles(car.evaluated_get(depsgraph).matrix_world)
    # From the world to what is ahead, to the left and up of the car.
    to_car, car_origin = unit(np.einsum("ij,kj->ki", matrix[:3, :3], rows_of_axes(car))), matrix[:3, 3]
    parts = list(family.descendants(car))
    points = {part: _points(part, to_car, car_origin, depsgraph) for part in (car, *parts)}
    points_below = {part: np.concatenate([points[ob] for ob in (part, *family.descendants(part))]) for part in parts}
    solid = [part for part in parts if len(points_below[part])]
    if not solid:
        return []
    ground = ground_of(np.concatenate([corners[:, 2] for corners in points.values()]))
    are_wheels = wheels_among([points_below[part] for part in solid], ground).tolist()
    wheels = {part for part, is_wheel in zip(solid, are_wheels) if is_wheel}
    topmost = [part for part in solid if part in wheels and part.parent not in wheels]
    return [_wheel(part, points_below[part], to_car, car_origin, depsgraph) for part in topmost]


def drivers_of(car: Object, wheels: Sequence[Wheel], reading: Mapping[str, Sequence[FCurve]]) -> dict[Object, Driven]:
    """The drivers of the wheels of a car; `reading`: those that read keyed properties of the car, by property. Refused
    if it has no two wheels on each of two axles, or one that cannot be driven."""
    if not wheels:
        raise Refusal(f"{car.name} has no wheels that are objects of their own. Separate them, and parent them to it.")
    distances = np.array([wheel.middle[0] for wheel in wheels])
    is_left = np.array([wheel.middle[1] > 0.0 for wheel in wheels])
    front = distances > distances.max() - max(wheel.radius for wheel in wheels)
    if front.all() or not all((axle & side).any() for axle in (front, ~front) for side in (is_left, ~is_left)):
        raise Refusal(f"{car.name} has no wheels on both sides of two axles. Parent all its wheels to it.")
    driven = {}
    for wheel, in_front, on_left in zip(wheels, front.tolist(), is_left.tolist()):
        _check(wheel, [driver for drivers in reading.values() for driver in drivers if driver.id_data == wheel.ob])
        travel = TRAVELS[2 * (not in_front) + (not on_left)]
        driven[wheel.ob] = _turns(wheel, steers=in_front) | _moves(wheel, travel)
    return driven


def drive_wheels(car: Object, driven: Mapping[Object, Driven]) -> None:
    """Add drivers, in place of those on the same channels; the properties that they read are 0 until a bake."""
    for output in OUTPUTS:
        if output.name not in car:
            give(car, output.name)
    # Blender would give up on drivers of properties that it has not seen yet.
    car.update_tag()
    for ob, channels in driven.items():
        for (path, index), (expression, read) in channels.items():
            ob.driver_remove(path, index)
            drive_by(ob, path, index, expression, car, read)


def give(ob: Object, name: str, value: float = 0.0) -> None:
    """Give an object a property that a bake keys, with its value until then."""
    ob[name] = value
    ob.id_properties_ui(name).update(description=DESCRIPTIONS[name])


def drive_by(
    ob: Object,
    channel: str,
    index: int,
    expression: str,
    owner: Object,
    read: Mapping[str, str],
    fallback: Container[str] = (),
) -> None:
    """Drive a channel by properties of another object, by their letters in the expression; `fallback`: the letters of
    properties that are 0 where they are missing."""
    driver = ob.driver_add(channel, index).driver
    for letter, name in read.items():
        variable = driver.variables.new()
        variable.name = letter
        target = variable.targets[0]
        target.id, target.data_path = owner, path_of(name)
        target.use_fallback_value = letter in fallback
    driver.expression = expression


def undriven(vehicles: Iterable[Object], crowds: Iterable[Object | None]) -> dict[str, list[Object]]:
    """The vehicles without drivers that a setting of theirs needs, by the label of that setting; `crowds`: the crowd of
    each vehicle."""
    needing: dict[tuple[str, Sequence[str]], list[Object]] = {}
    for ob, crowd in zip(vehicles, crowds):
        locomotion = known_locomotion(ob, crowd) if crowd is not None and not ob.steering.locked else None
        if locomotion is None:
            continue
        holder, kind = locomotion
        # Reading a group that was never set writes it into the file.
        if not kind.needs_drivers or not holder.steering.is_property_set(kind.name):
            continue
        settings = getattr(holder.steering, kind.name)
        for parameter, outputs in kind.needs_drivers.items():
            if getattr(settings, parameter) > 0.0:
                needing.setdefault((kind.parameters()[parameter].called(parameter), outputs), []).append(ob)
    missing: dict[str, list[Object]] = {}
    for (label, outputs), obs in needing.items():
        drivers = reading_drivers(obs, outputs)
        missing.setdefault(label, []).extend(ob for ob in obs if not drivers[ob].keys() >= set(outputs))
    return missing


def _points(part: Object, to_car: Vectors, car_origin: np.ndarray, depsgraph: Depsgraph) -> Vectors:
    """The points of a part without those parented to it, (p, 3) as seen from the car."""
    if part.type not in SOLID:
        return np.zeros((0, 3))
    local, triangles = triangles_of(part, depsgraph, None)
    local = local[np.unique(triangles)] if len(triangles) else local
    world = placed(local, doubles(part.evaluated_get(depsgraph).matrix_world))
    return np.einsum("ij,pj->pi", to_car, world - car_origin)


def _wheel(ob: Object, points: Vectors, to_car: Vectors, car_origin: np.ndarray, depsgraph: Depsgraph) -> Wheel:
    points = without_strays(points)
    low, high = points.min(axis=0), points.max(axis=0)
    inverse = np.linalg.inv(parent_part(ob, depsgraph)[:3, :3])
    return Wheel(
        ob,
        middle=0.5 * (low + high),
        radius=0.5 * float(high[2] - low[2]),
        origin=to_car @ (doubles(ob.evaluated_get(depsgraph).matrix_world)[:3, 3] - car_origin),
        axle=inverse @ to_car[1],
        up=inverse @ to_car[2],
    )


def _check(wheel: Wheel, reading: Sequence[FCurve]) -> None:
    """Refuse a wheel that cannot be driven. `reading` are its drivers that read what a bake keys on its car."""
    ob = wheel.ob
    check_editable([ob])
    off = (wheel.origin - wheel.middle)[[0, 2]]
    if np.hypot(*off) > BESIDE_AXLE * wheel.radius:
        text = f"{ob.name} turns about an origin off its axle. Use Object > Set Origin > Origin to Geometry."
        raise Refusal(text, about=[ob])
    driven = {driver.data_path for driver in reading}
    if any(path not in driven and not np.allclose(getattr(ob, path), at_rest) for path, at_rest in AT_REST.items()):
        text = f"{ob.name} has a delta transform, which drivers would replace. Clear it in Properties > Object."
        raise Refusal(text, about=[ob])
    foreign = [driver for driver in reading if driver.data_path not in (EULER, QUATERNION, PLACE)]
    if foreign:
        text = f"{ob.name} has a driver on {foreign[0].data_path} that turns it already. Remove it."
        raise Refusal(text, about=[ob])


def _turns(wheel: Wheel, *, steers: bool) -> Driven:
    """The drivers of the turn of a wheel: it spins about its axle, and front ones are turned about the up axis."""
    axle, up = unit(wheel.axle), unit(wheel.up)
    mode = wheel.ob.rotation_mode
    if mode == "QUATERNION":
        return _turns_by_quaternion(axle, up, steers=steers)
    spun, steered = int(np.abs(axle).argmax()), int(np.abs(up).argmax())
    straight = min(abs(axle[spun]), abs(up[steered])) > 1.0 - ALONG
    # The first letter of an order of angles is what is turned first.
    in_order = mode != "AXIS_ANGLE" and (not steers or mode.find("XYZ"[spun]) < mode.find("XYZ"[steered]))
    if not straight or not in_order:
        text = f"{wheel.ob.name} cannot be turned by angles in its rotation mode. Set the mode to Quaternion."
        raise Refusal(text, about=[wheel.ob])
    turns = {(EULER, spun): (_signed(axle[spun], "s"), {"s": SPIN})}
    if steers:
        turns[EULER, steered] = _signed(up[steered], TURN), {TURN: ANGLE}
    return turns


def _signed(component: float, letter: str) -> str:
    return letter if component > 0.0 else f"-{letter}"


def _turns_by_quaternion(axle: np.ndarray, up: np.ndarray, *, steers: bool) -> Driven:
    """A turn a about the up axis u after one s about the axle l: cos(a/2) cos(s/2), and as vector

    cos(a/2) sin(s/2) l + sin(a/2) cos(s/2) u + sin(a/2) sin(s/2) u x l
    """
    if not steers:
        read = {"s": SPIN}
        vector = {(QUATERNION, k + 1): (f"{component:.6g}*sin(s/2)", read) for k, component in enumerate(axle)}
        return {(QUATERNION, 0): ("cos(s/2)", read), **vector}
    read = {TURN: ANGLE, "s": SPIN}
    turns = {(QUATERNION, 0): ("cos(a/2)*cos(s/2)", read)}
    for k, (axle_part, up_part, cross_part) in enumerate(zip(axle, up, cross(up, axle))):
        terms = f"{axle_part:.6g}*cos(a/2)*sin(s/2)+{up_part:.6g}*sin(a/2)*cos(s/2)+{cross_part:.6g}*sin(a/2)*sin(s/2)"
        turns[QUATERNION, k + 1] = terms.replace("+-", "-"), read
    return turns


def _moves(wheel: Wheel, travel: str) -> Driven:
    """The drivers that move a wheel up and down, by metres."""
    return {
        (PLACE, k): (f"{component:.6g}*{SINK}", {SINK: travel})
        for k, component in enumerate(wheel.up)
        if abs(component) > LEAST * float(np.abs(wheel.up).max())
    }
