"""A walking cow, one unit long, whose feet stay where they are while they are on the ground."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from .four_legs import Walk, add_body, add_legs
from .limbs import TURN, add_part, add_vehicle, drive
from .shape import Colors, Paints, Shape, oval

COATS: tuple[Colors, ...] = tuple(
    {
        "coat": coat,
        "patch": patch,
        "legs": legs,
        "nose": "#c99a86",
        "horns": "#e5dcc5",
        "hooves": "#2b2622",
        "eyes": "#15120f",
        "shadow": "#4f6b35",
    }
    for coat, patch, legs in (
        ("#7d3f22", "#f0e9dc", "#e9dfcd"),
        ("#693018", "#f0e9dc", "#74391f"),
        ("#8f5630", "#f0e9dc", "#e4d8c4"),
        ("#33261f", "#f0e9dc", "#3a2c24"),
    )
)
RADIUS = 0.3
STRIDE = 2.0 / 3.0
"""Distance of one cycle, in lengths."""
HIP = 0.33
LEGS = (
    ("Right Front", 0.085, 0.15, "p"),
    ("Left Front", -0.085, 0.15, "(p+0.5)"),
    ("Right Hind", 0.085, -0.35, "(p+0.58)"),
    ("Left Hind", -0.085, -0.35, "(p+0.08)"),
)
"""The legs across move nearly together."""
WALK = Walk(HIP, STRIDE, 0.2, LEGS)


@dataclass(frozen=True)
class Cow:
    """The meshes that cows with one coat share."""

    shadow: bpy.types.Mesh
    body: bpy.types.Mesh
    head: bpy.types.Mesh
    tail: bpy.types.Mesh
    leg: bpy.types.Mesh
    size: float


def cow(coat: Colors, size: float) -> Cow:
    """The meshes of a cow. The vehicle is a shadow at the feet.

    Args:
        size: length in metres.
    """
    paints = Paints("Cow", coat)
    shadow, body, head, tail, leg = Shape(), Shape(), Shape(), Shape(), Shape()
    shadow.face([(x, y - 0.09, 0.008) for x, y in oval(12, 0.13, 0.34)], "shadow")
    _trunk(body)
    _head(head)
    tail.column([(-0.28, 0.022, 0.022, -0.02), (-0.22, 0.012, 0.012, -0.02), (0.0, 0.02, 0.02, 0.0)], "coat", sides=5)
    leg.column([(-HIP, 0.03, 0.034, 0.006), (0.035 - HIP, 0.027, 0.03, 0.0)], lambda _ring, _side: "hooves", sides=6)
    leg.column(
        [(0.03 - HIP, 0.022, 0.024, 0.0), (-0.15, 0.026, 0.03, 0.0), (0.05, 0.05, 0.07, 0.0)],
        lambda ring, _side: "legs" if ring == 0 else "coat",
        sides=6,
    )
    return Cow(
        shadow.mesh("Cow", paints, size),
        body.mesh("Cow Body", paints, size),
        head.mesh("Cow Head", paints, size),
        tail.mesh("Cow Tail", paints, size),
        leg.mesh("Cow Leg", paints, size),
        size,
    )


def _trunk(body: Shape) -> None:
    """The trunk, level along the back, with a pale belly and brisket."""
    sections = [(-0.475, 0.06, 0.05, 0.20), (-0.44, 0.12, -0.04, 0.24), (-0.30, 0.145, -0.09, 0.235)]
    sections += [(-0.08, 0.155, -0.13, 0.225), (0.10, 0.135, -0.12, 0.24), (0.20, 0.09, -0.07, 0.24)]
    body.trunk(sections, lambda _ring, side: "patch" if side in (5, 6, 7) else "coat", sides=12)
    body.ball((0.0, -0.31, -0.10), (0.065, 0.075, 0.055), "nose", sides=6, bands=4)


def _head(head: Shape) -> None:
    """Neck, head, horns, ears and eyes, about the shoulders; the face is pale."""
    head.trunk([(-0.06, 0.085, -0.24, 0.02), (0.06, 0.07, -0.16, 0.03), (0.13, 0.06, -0.10, 0.04)], "coat", sides=8)
    head.trunk(
        [(0.10, 0.055, -0.09, 0.055), (0.16, 0.068, -0.12, 0.055), (0.28, 0.042, -0.155, -0.035)],
        "patch",
        sides=8,
    )
    head.trunk([(0.275, 0.045, -0.165, -0.045), (0.325, 0.036, -0.165, -0.08)], "nose", sides=8)
    for side in (-1, 1):
        head.ball((0.10 * side, 0.10, 0.01), (0.05, 0.016, 0.022), "coat", sides=6, bands=3)
        head.ball((0.06 * side, 0.17, 0.0), (0.012, 0.014, 0.014), "eyes", sides=5, bands=3)
        rings = [(0.035, 0.06, 0.018), (0.085, 0.075, 0.014), (0.115, 0.125, 0.004)]
        head.skin(
            [[(out * side + x, 0.12 + y, high) for x, y in oval(5, wide, wide)] for out, high, wide in rings], "horns"
        )


def add_cow(name: str, parts: Cow, phase: float, collection: bpy.types.Collection) -> bpy.types.Object:
    """Add a cow that takes a step with each leg per cycle."""
    size = parts.size
    ob = add_vehicle(name, parts.shadow, phase, collection)
    body = add_body(name, parts.body, ob, WALK, size, collection)
    head = add_part(f"{name} Head", parts.head, body, (0.0, 0.20 * size, 0.20 * size), collection)
    nod = f"0.5*min(1,2*a)-0.55+0.07*sin(2*{TURN}*p)"
    drive(head, "rotation_euler", 0, nod, ob, states={"a": "Stray"})
    tail = add_part(f"{name} Tail", parts.tail, body, (0.0, -0.47 * size, 0.2 * size), collection)
    drive(tail, "rotation_euler", 1, f"0.12*sin({TURN}*p)", ob)
    add_legs(name, parts.leg, ob, body, WALK, size, collection)
    return ob
