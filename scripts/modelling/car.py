"""A car, whose wheels roll and steer, whose body leans and whose brake lights shine; numbers are in lengths."""

import bpy

from steering_addon.blender.crowds.ready_scenes.models import CAR, TRACK, VARIANTS, WHEEL, WHEELBASE
from steering_addon.locomotion.driving import OUTPUTS, TRAVELS

from .limbs import add_part, add_vehicle, drive, give
from .shape import Colors, Paints, Point, Shape, oval, stored

PAINTS: tuple[Colors, ...] = tuple(
    {
        "paint": paint,
        "glass": "#2b3a45",
        "tyres": "#1c1b1a",
        "rims": "#b9bcbf",
        "lamps": "#f4efd8",
        "tail": "#5d1612",
        "shining": "#ff2a12",
        "shadow": "#4b4a46",
    }
    for paint in ("#b8332a", "#2f5d8c", "#e3dfd3", "#33363a", "#d99a2b", "#4d7a57")
)
SIZE = stored(CAR.size)
WIDTH = 0.05
"""Of a wheel."""
FLOOR = 0.06
"""The height of the floor of the body."""
LIT = 0.1
"""The brake from which on its lights shine."""
WHEELS = (
    ("Front Left", -1.0, 1.0, TRAVELS[0]),
    ("Front Right", 1.0, 1.0, TRAVELS[1]),
    ("Rear Left", -1.0, -1.0, TRAVELS[2]),
    ("Rear Right", 1.0, -1.0, TRAVELS[3]),
)
"""The name of each wheel, to which side and how far ahead it is, and what moves it up and down."""


def car(number: int) -> bpy.types.Object:
    """The car of a paint; a bake keys what its drivers read.

    The vehicle is the floor of the body; its origin is on the ground, midway between the axles.
    """
    paints = Paints("Car", PAINTS[number])
    floor, shadow, wheel, lights = Shape(), Shape(), Shape(), Shape()
    floor.face([(x, y, FLOOR) for x, y in oval(14, 0.15, 0.42)], "shadow")
    shadow.face([(x, y, 0.006) for x, y in oval(14, 0.19, 0.46)], "shadow")
    wheel.skin([_circle(x, radius) for x, radius in ((-WIDTH / 2, WHEEL), (WIDTH / 2, WHEEL))], "tyres")
    for x in (-WIDTH / 2 - 0.002, WIDTH / 2 + 0.002):
        # The spokes show that the wheel turns.
        for corner in range(0, 10, 2):
            a, b = (_circle(x, 0.62 * WHEEL)[k] for k in (corner, corner + 1))
            wheel.face([(x, 0.0, 0.0), a, b], "rims")
    for side in (-1.0, 1.0):
        lights.face(_panel(side * 0.10, -0.505, 0.125, 0.036, 0.015), "shining")
    by_wheels = dict(zip("abcd", TRAVELS))
    ob = add_vehicle(f"Car {VARIANTS[number]}", floor.mesh("Car", paints, SIZE))
    for output in OUTPUTS:
        give(ob, output.name)
    shadow = add_part("Shadow", shadow.mesh("Car Shadow", paints, SIZE), ob, (0.0, 0.0, 0.0), ob)
    drive(shadow, "location", 2, "(a+b+c+d)*0.25", ob, by_wheels)
    drive(shadow, "rotation_euler", 0, f"(a+b-c-d)/{2.0 * WHEELBASE * SIZE:.6g}", ob, by_wheels)
    drive(shadow, "rotation_euler", 1, f"(a-b+c-d)/{2.0 * TRACK * SIZE:.6g}", ob, by_wheels)
    body = add_part("Body", _body().mesh("Car Body", paints, SIZE), ob, (0.0, 0.0, 0.0), ob)
    drive(body, "rotation_euler", 0, "p", ob, "steering_pitch")
    drive(body, "rotation_euler", 1, "p", ob, "steering_roll")
    lit = add_part("Brake Lights", lights.mesh("Car Brake Lights", paints, SIZE), body, (0.0, 0.0, 0.0), ob)
    for axis in range(3):
        drive(lit, "scale", axis, f"1 if p>{LIT} else 0.001", ob, "steering_brake")
    rolling = wheel.mesh("Car Wheel", paints, SIZE)
    for title, right, ahead, travel in WHEELS:
        place = 0.5 * TRACK * right * SIZE, 0.5 * WHEELBASE * ahead * SIZE, WHEEL * SIZE
        turning = add_part(f"{title} Wheel", rolling, ob, place, ob)
        drive(turning, "rotation_euler", 0, "-p", ob, "steering_wheel_spin")
        drive(turning, "location", 2, f"{WHEEL * SIZE:.6g}+p", ob, travel)
        if ahead > 0.0:
            drive(turning, "rotation_euler", 2, "p", ob, "steering_wheel_angle")
    return ob


def _body() -> Shape:
    """The body, with the origin on the ground."""
    body = Shape()
    body.trunk([(-0.5, 0.17, 0.07, 0.17), (-0.46, 0.195, 0.05, 0.20), (-0.2, 0.20, 0.045, 0.205)], "paint", sides=10)
    body.trunk([(-0.2, 0.20, 0.045, 0.205), (0.2, 0.20, 0.045, 0.20), (0.44, 0.19, 0.05, 0.165)], "paint", sides=10)
    body.trunk([(0.44, 0.19, 0.05, 0.165), (0.5, 0.15, 0.07, 0.12)], "paint", sides=10)
    body.trunk([(-0.40, 0.15, 0.17, 0.21), (-0.24, 0.155, 0.17, 0.30), (0.02, 0.155, 0.17, 0.31)], "glass", sides=10)
    body.trunk([(0.02, 0.155, 0.17, 0.31), (0.22, 0.15, 0.16, 0.205)], "glass", sides=10)
    body.trunk([(-0.23, 0.12, 0.27, 0.315), (0.01, 0.12, 0.27, 0.322)], "paint", sides=8)
    for side in (-1.0, 1.0):
        body.ball((side * 0.13, 0.475, 0.115), (0.035, 0.02, 0.02), "lamps")
        body.face(_panel(side * 0.10, -0.502, 0.125, 0.038, 0.017), "tail")
    return body


def _circle(x: float, radius: float) -> list[Point]:
    """The corners of a wheel, at x."""
    return [(x, y, z) for y, z in oval(10, radius, radius)]


def _panel(x: float, y: float, z: float, half_width: float, half_height: float) -> list[Point]:
    """A rectangle that faces backwards."""
    corners = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
    return [(x + u * half_width, y, z + v * half_height) for u, v in corners]
