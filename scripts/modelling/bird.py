"""A bird with swept wings and a forked tail; numbers are in lengths from beak to tail."""

import bpy

from steering_addon.blender.crowds.ready_scenes.models import BIRD, VARIANTS
from steering_addon.blender.crowds.wheel_drivers import give
from steering_addon.portrayal.driver_properties import FOLDED

from .limbs import TURN, add_part, add_vehicle, drive
from .shape import Colors, Paints, Shape, stored

PLUMAGES: tuple[Colors, ...] = tuple(
    dict(zip(("back", "belly", "wing", "edge", "lining", "beak"), colors))
    for colors in (
        ("#2b3f63", "#e9dcc6", "#22324f", "#161f33", "#c9b8a4", "#f0b030"),
        ("#33566b", "#f0e2cc", "#294656", "#1a2c38", "#d3c3ac", "#e89a32"),
        ("#4a4463", "#ecd9cc", "#3a354f", "#242034", "#cdb6ab", "#f0b030"),
    )
)
"""Dark above and pale below, which makes banking visible."""
SIZE = stored(BIRD.size)
BODY = (  # along, half width, bottom, top
    (0.50, 0.006, -0.012, 0.004),
    (0.41, 0.030, -0.030, 0.030),
    (0.34, 0.078, -0.058, 0.085),
    (0.22, 0.096, -0.088, 0.102),
    (0.05, 0.125, -0.125, 0.108),
    (-0.12, 0.105, -0.100, 0.088),
    (-0.30, 0.045, -0.026, 0.048),
)
WING = (  # out, leading edge, trailing edge, height, thickness
    (0.00, 0.15, -0.17, 0.00, 0.030),
    (0.24, 0.22, -0.19, 0.01, 0.026),
    (0.40, 0.23, -0.18, 0.01, 0.022),
    (0.64, 0.09, -0.17, 0.00, 0.016),
    (0.92, -0.20, -0.24, -0.03, 0.004),
)
SHOULDER = (0.05, 0.05, 0.05)
TAIL = ((-0.05, -0.25), (-0.14, -0.56), (-0.045, -0.45), (0.045, -0.45), (0.14, -0.56), (0.05, -0.25))


def bird(number: int) -> bpy.types.Object:
    """The bird of a plumage, which beats its wings once per cycle, as widely as its effort says, and glides without."""
    paints = Paints("Bird", PLUMAGES[number])
    ob = add_vehicle(f"Bird {VARIANTS[number]}", _body().mesh("Bird", paints, SIZE), beats=True)
    give(ob, FOLDED)
    # The downstroke is faster than the upstroke, in which the wings are folded.
    beat = f"0.12+e*(0.75*sin({TURN}*p)+0.15*sin(2*{TURN}*p)+0.08)"
    fold = f"0.08+e*0.28*max(0,cos({TURN}*p))"
    x, y, z = (SIZE * coordinate for coordinate in SHOULDER)
    for side, title in ((-1, "Left Wing"), (1, "Right Wing")):
        wing = add_part(title, _wing(side).mesh(f"Bird {title}", paints, SIZE), ob, (side * x, y, z), ob)
        drive(wing, "rotation_euler", 1, f"{-side}*({beat}-0.2*w)", ob)
        drive(wing, "rotation_euler", 2, f"{-side}*({fold}+1.42*w)", ob)
        drive(wing, "rotation_euler", 0, "-0.25*w", ob)
    return ob


def _body() -> Shape:
    body = Shape()
    body.trunk(BODY, lambda part, side: "beak" if part == 0 else "belly" if 4 <= side <= 7 else "back")
    above, below = ([(x, y, z) for x, y in TAIL] for z in (0.028, 0.004))
    body.face(above, "wing")
    body.face(below, "lining")
    body.skin([below, above], "wing", close=False)
    for x in (-0.062, 0.062):
        body.ball((x, 0.33, 0.035), (0.018, 0.018, 0.018), "edge")
    return body


def _wing(side: int) -> Shape:
    """A wing from its shoulder out along +X (side 1) or -X (side -1)."""
    rings = []
    for out, lead, trail, z, thick in WING:
        middle = lead + 0.45 * (trail - lead)
        ring = [(lead, z), (middle, z + thick), (trail, z), (middle, z - 0.5 * thick)]
        rings.append([(side * out, y, height) for y, height in ring])

    def paint(part: int, edge: int) -> str:
        if edge == 1 or part == 3:
            return "edge"
        return "wing" if edge == 0 else "lining"

    shape = Shape()
    shape.skin(rings, paint)
    return shape
