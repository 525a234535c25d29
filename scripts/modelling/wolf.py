"""A trotting wolf, whose feet stay where they are on the ground; numbers are in lengths from nose to hindquarters."""

import bpy

from steering_addon.blender.crowds.ready_scenes.models import WOLF

from .four_legs import Walk, add_body, add_legs
from .limbs import TURN, add_part, add_vehicle, drive
from .shape import Paints, Shape, oval, stored

COAT = {
    "coat": "#55534f",
    "pale": "#a79f92",
    "legs": "#77716a",
    "nose": "#15120f",
    "eyes": "#d1a13a",
    "shadow": "#4f6b35",
}
SIZE = stored(WOLF.size)
HIP = 0.42
WALK = Walk(SIZE, HIP, WOLF.stride, 0.3, (0.075, 0.27), (0.08, -0.28), ("p", "(p+0.5)", "(p+0.5)", "p"))


def wolf() -> bpy.types.Object:
    """A wolf that takes a step with each leg per cycle. The vehicle is a shadow at the feet."""
    paints = Paints("Wolf", COAT)
    shadow, body, tail, leg = Shape(), Shape(), Shape(), Shape()
    shadow.face([(x, y, 0.012) for x, y in oval(12, 0.13, 0.36)], "shadow")
    _trunk(body)
    _head(body)
    brush = [(-0.36, 0.02, -0.19, -0.13), (-0.22, 0.05, -0.15, -0.03), (0.0, 0.03, -0.03, 0.03)]
    tail.trunk(brush, lambda ring, _side: "pale" if ring == 0 else "coat")
    paw = [(-HIP, 0.03, 0.045, 0.012), (0.035 - HIP, 0.022, 0.024, 0.0)]
    leg.column([*paw, (-0.18, 0.028, 0.034, 0.0), (0.04, 0.045, 0.06, 0.0)], "legs", sides=6)
    ob = add_vehicle("Wolf A", shadow.mesh("Wolf", paints, SIZE))
    trunk = add_body(body.mesh("Wolf Body", paints, SIZE), ob, WALK)
    rear = add_part("Tail", tail.mesh("Wolf Tail", paints, SIZE), trunk, (0.0, -0.37 * SIZE, 0.08 * SIZE), ob)
    drive(rear, "rotation_euler", 2, f"0.2*sin({TURN}*p)", ob)
    add_legs(leg.mesh("Wolf Leg", paints, SIZE), ob, trunk, WALK)
    return ob


def _trunk(body: Shape) -> None:
    """The trunk, deepest at the chest, with a pale belly."""
    sections = [(-0.40, 0.04, 0.0, 0.10), (-0.30, 0.105, -0.06, 0.14), (-0.06, 0.10, -0.07, 0.13)]
    sections += [(0.18, 0.125, -0.14, 0.16), (0.31, 0.085, -0.08, 0.17)]
    body.trunk(sections, lambda _ring, side: "pale" if side in (4, 5, 6) else "coat", sides=10)


def _head(body: Shape) -> None:
    """Neck, head, muzzle, ears and eyes; the head is carried low."""
    body.trunk([(0.22, 0.095, -0.07, 0.18), (0.34, 0.085, 0.0, 0.23), (0.43, 0.07, 0.09, 0.25)], "coat")
    body.trunk([(0.37, 0.065, 0.10, 0.26), (0.44, 0.085, 0.09, 0.25), (0.49, 0.05, 0.09, 0.20)], "coat")
    body.trunk([(0.46, 0.045, 0.09, 0.18), (0.56, 0.032, 0.09, 0.145), (0.585, 0.028, 0.095, 0.14)], "pale")
    body.ball((0.0, 0.59, 0.135), (0.018, 0.014, 0.014), "nose", sides=5, bands=3)
    for side in (-1, 1):
        ear = ((0.22, 0.032, 0.022), (0.28, 0.024, 0.016), (0.33, 0.004, 0.004))
        body.column([(*section, 0.41, 0.052 * side) for section in ear], "coat", sides=5)
        body.ball((0.045 * side, 0.485, 0.185), (0.011, 0.011, 0.011), "eyes", sides=5, bands=3)
