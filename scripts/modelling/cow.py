"""A walking cow, whose feet stay where they are while they are on the ground; numbers are in lengths."""

import bpy

from steering_addon.blender.crowds.ready_scenes.models import COW, VARIANTS

from .four_legs import Walk, add_body, add_legs
from .limbs import TURN, add_part, add_vehicle, drive
from .shape import Colors, Paints, Shape, oval, stored

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
SIZE = stored(COW.size)
HIP = 0.33
WALK = Walk(SIZE, HIP, COW.stride, 0.2, (0.085, 0.15), (0.085, -0.35), ("p", "(p+0.5)", "(p+0.58)", "(p+0.08)"))


def cow(number: int) -> bpy.types.Object:
    """The cow of a coat, which takes a step with each leg per cycle. The vehicle is a shadow at its feet."""
    paints = Paints("Cow", COATS[number])
    shadow, body, head, tail, leg = Shape(), Shape(), Shape(), Shape(), Shape()
    shadow.face([(x, y - 0.09, 0.008) for x, y in oval(12, 0.13, 0.34)], "shadow")
    _trunk(body)
    _head(head)
    tail.column([(-0.28, 0.022, 0.022, -0.02), (-0.22, 0.012, 0.012, -0.02), (0.0, 0.02, 0.02, 0.0)], "coat", sides=5)
    leg.column([(-HIP, 0.03, 0.034, 0.006), (0.035 - HIP, 0.027, 0.03, 0.0)], lambda _ring, _side: "hooves", sides=6)
    shank = [(0.03 - HIP, 0.022, 0.024, 0.0), (-0.15, 0.026, 0.03, 0.0), (0.05, 0.05, 0.07, 0.0)]
    leg.column(shank, lambda ring, _side: "legs" if ring == 0 else "coat", sides=6)
    ob = add_vehicle(f"Cow {VARIANTS[number]}", shadow.mesh("Cow", paints, SIZE))
    trunk = add_body(body.mesh("Cow Body", paints, SIZE), ob, WALK)
    nose = add_part("Head", head.mesh("Cow Head", paints, SIZE), trunk, (0.0, 0.20 * SIZE, 0.20 * SIZE), ob)
    nod = f"0.5*min(1,2*a)-0.55+0.07*sin(2*{TURN}*p)"
    drive(nose, "rotation_euler", 0, nod, ob, states={"a": "Stray"})
    rear = add_part("Tail", tail.mesh("Cow Tail", paints, SIZE), trunk, (0.0, -0.47 * SIZE, 0.2 * SIZE), ob)
    drive(rear, "rotation_euler", 1, f"0.12*sin({TURN}*p)", ob)
    add_legs(leg.mesh("Cow Leg", paints, SIZE), ob, trunk, WALK)
    return ob


def _trunk(body: Shape) -> None:
    """The trunk, level along the back, with a pale belly and brisket."""
    sections = [(-0.475, 0.06, 0.05, 0.20), (-0.44, 0.12, -0.04, 0.24), (-0.30, 0.145, -0.09, 0.235)]
    sections += [(-0.08, 0.155, -0.13, 0.225), (0.10, 0.135, -0.12, 0.24), (0.20, 0.09, -0.07, 0.24)]
    body.trunk(sections, lambda _ring, side: "patch" if side in (5, 6, 7) else "coat", sides=12)
    body.ball((0.0, -0.31, -0.10), (0.065, 0.075, 0.055), "nose", sides=6, bands=4)


def _head(head: Shape) -> None:
    """Neck, head, horns, ears and eyes, about the shoulders; the face is pale."""
    head.trunk([(-0.06, 0.085, -0.24, 0.02), (0.06, 0.07, -0.16, 0.03), (0.13, 0.06, -0.10, 0.04)], "coat", sides=8)
    head.trunk([(0.10, 0.055, -0.09, 0.055), (0.16, 0.068, -0.12, 0.055), (0.28, 0.042, -0.155, -0.035)], "patch")
    head.trunk([(0.275, 0.045, -0.165, -0.045), (0.325, 0.036, -0.165, -0.08)], "nose", sides=8)
    for side in (-1, 1):
        head.ball((0.10 * side, 0.10, 0.01), (0.05, 0.016, 0.022), "coat", sides=6, bands=3)
        head.ball((0.06 * side, 0.17, 0.0), (0.012, 0.014, 0.014), "eyes", sides=5, bands=3)
        horn = ((0.035, 0.06, 0.018), (0.085, 0.075, 0.014), (0.115, 0.125, 0.004))
        head.column([(high, wide, wide, 0.12, out * side) for out, high, wide in horn], "horns", sides=5)
