"""A rider on a horse, whose hooves stay where they are when down; numbers are in lengths of the horse."""

import bpy

from steering_addon.blender.crowds.ready_scenes.models import RIDER, VARIANTS

from .four_legs import Walk, add_body, add_legs
from .limbs import TURN, add_part, add_vehicle, drive
from .shape import Colors, Paints, Shape, oval, stored

OUTFITS: tuple[Colors, ...] = tuple(
    {
        "coat": coat,
        "mane": mane,
        "hooves": "#2b2622",
        "saddle": "#4a2b19",
        "shirt": shirt,
        "trousers": trousers,
        "hat": hat,
        "skin": skin,
        "boots": "#2a201a",
        "eyes": "#15120f",
        "shadow": "#4f6b35",
    }
    for coat, mane, shirt, trousers, hat, skin in (
        ("#7a4526", "#221a16", "#b33a2c", "#37475f", "#c8ab7a", "#e3b58c"),
        ("#a9a39a", "#6d6862", "#2f6f86", "#4d4038", "#3b2c22", "#b97d54"),
        ("#4a2c1c", "#1d1613", "#d9b24a", "#33507f", "#e6ddca", "#f0c7a1"),
    )
)
SIZE = stored(RIDER.size)
HIP = 0.45
WALK = Walk(SIZE, HIP, RIDER.stride, 0.28, (0.065, 0.19), (0.07, -0.31), ("p", "(p+0.5)", "(p+0.5)", "p"))
SEAT = 0.155
"""Height of the saddle above the joints of the legs."""


def rider(number: int) -> bpy.types.Object:
    """The rider of an outfit, whose horse takes a step with each leg per cycle. The vehicle is a shadow at its feet."""
    paints = Paints("Rider", OUTFITS[number])
    shadow, body, tail, leg, person = Shape(), Shape(), Shape(), Shape(), Shape()
    shadow.face([(x, y - 0.06, 0.008) for x, y in oval(12, 0.12, 0.34)], "shadow")
    _trunk(body)
    _head(body)
    tail.trunk([(-0.11, 0.015, -0.34, -0.26), (-0.09, 0.035, -0.24, -0.08), (0.0, 0.02, -0.03, 0.03)], "mane", sides=6)
    leg.column([(-HIP, 0.032, 0.04, 0.01), (0.045 - HIP, 0.026, 0.03, 0.0)], "hooves", sides=6)
    shank = [(0.04 - HIP, 0.018, 0.022, 0.0), (-0.21, 0.022, 0.028, 0.0)]
    leg.column([*shank, (-0.1, 0.036, 0.05, 0.0), (0.05, 0.05, 0.075, 0.0)], "coat", sides=6)
    _person(person)
    ob = add_vehicle(f"Rider {VARIANTS[number]}", shadow.mesh("Rider", paints, SIZE))
    trunk = add_body(body.mesh("Horse Body", paints, SIZE), ob, WALK)
    rear = add_part("Tail", tail.mesh("Horse Tail", paints, SIZE), trunk, (0.0, -0.4 * SIZE, 0.1 * SIZE), ob)
    drive(rear, "rotation_euler", 1, f"0.1*sin({TURN}*p)", ob)
    sitter = person.mesh("Rider Person", paints, SIZE)
    sitter = add_part("Person", sitter, trunk, (0.0, -0.02 * SIZE, SEAT * SIZE), ob)
    drive(sitter, "rotation_euler", 0, f"-0.06+0.05*cos(2*{TURN}*p)", ob)
    add_legs(leg.mesh("Horse Leg", paints, SIZE), ob, trunk, WALK)
    return ob


def _trunk(body: Shape) -> None:
    """The trunk of the horse, with the saddle."""
    sections = [(-0.42, 0.04, 0.02, 0.12), (-0.37, 0.105, -0.06, 0.165), (-0.22, 0.115, -0.075, 0.16)]
    sections += [(0.0, 0.115, -0.10, 0.145), (0.16, 0.105, -0.10, 0.17), (0.27, 0.06, -0.03, 0.15)]
    body.trunk(sections, "coat", sides=10)
    body.trunk([(-0.13, 0.07, 0.11, 0.195), (-0.09, 0.09, 0.09, 0.165), (0.06, 0.085, 0.09, 0.165)], "saddle", sides=8)
    body.trunk([(0.05, 0.025, 0.13, 0.21), (0.08, 0.02, 0.13, 0.20)], "saddle", sides=6)


def _head(body: Shape) -> None:
    """Neck with mane, head, ears and eyes; the head is carried high."""
    neck = [(0.10, 0.075, 0.14, 0.25), (0.20, 0.055, 0.10, 0.31), (0.31, 0.045, 0.075, 0.37), (0.37, 0.035, 0.05, 0.40)]
    body.column(neck, "coat")
    mane = [
        (0.16, 0.016, 0.035, 0.15),
        (0.27, 0.018, 0.04, 0.235),
        (0.37, 0.018, 0.04, 0.325),
        (0.43, 0.01, 0.02, 0.37),
    ]
    body.column(mane, "mane", sides=6)
    body.trunk([(0.35, 0.04, 0.27, 0.40), (0.42, 0.05, 0.255, 0.395), (0.50, 0.036, 0.21, 0.315)], "coat", sides=8)
    body.trunk([(0.495, 0.037, 0.21, 0.315), (0.56, 0.032, 0.175, 0.26), (0.58, 0.024, 0.185, 0.24)], "coat", sides=8)
    for side in (-1, 1):
        ear = ((0.37, 0.015), (0.42, 0.013), (0.455, 0.003))
        body.column([(high, wide, wide, 0.375, 0.025 * side) for high, wide in ear], "coat", sides=5)
        body.ball((0.045 * side, 0.44, 0.345), (0.009, 0.012, 0.012), "eyes", sides=5, bands=3)


def _person(person: Shape) -> None:
    """A person with a hat who sits at the origin and holds the reins."""
    person.column([(-0.02, 0.07, 0.06, 0.0), (0.05, 0.065, 0.05, 0.0), (0.08, 0.06, 0.046, 0.0)], "trousers")
    person.column([(0.06, 0.062, 0.048, 0.0), (0.19, 0.078, 0.05, 0.0), (0.245, 0.05, 0.038, 0.0)], "shirt")
    person.column([(0.23, 0.022, 0.022, 0.0), (0.28, 0.022, 0.022, 0.005)], "skin", sides=6)
    person.ball((0.0, 0.008, 0.315), (0.04, 0.045, 0.052), "skin", sides=8, bands=5)
    person.column([(0.333, 0.075, 0.088, 0.006), (0.343, 0.078, 0.092, 0.006)], "hat", sides=10)
    person.column([(0.343, 0.043, 0.052, 0.004), (0.395, 0.034, 0.044, 0.004)], "hat", sides=8)
    for side in (-1, 1):
        thigh = [(0.045, 0.0, 0.03, 0.042), (0.115, 0.075, -0.06, 0.034), (0.122, 0.06, -0.11, 0.026)]
        _limb(person, side, thigh, "trousers")
        _limb(person, side, [(0.122, 0.055, -0.10, 0.03), (0.125, 0.045, -0.2, 0.024)], "boots")
        person.ball((0.125 * side, 0.075, -0.215), (0.02, 0.05, 0.02), "boots", sides=6, bands=3)
        _limb(person, side, [(0.075, 0.0, 0.22, 0.026), (0.1, 0.03, 0.12, 0.022)], "shirt")
        _limb(person, side, [(0.1, 0.03, 0.125, 0.021), (0.06, 0.12, 0.085, 0.016)], "shirt")
        person.ball((0.05 * side, 0.135, 0.08), (0.016, 0.02, 0.016), "skin", sides=5, bands=3)


def _limb(person: Shape, side: int, joints: list[tuple[float, float, float, float]], paint: str) -> None:
    """A limb through joints of (out, ahead, height, half width)."""
    person.column([(high, r, r, ahead, out * side) for out, ahead, high, r in joints], paint, sides=6)
