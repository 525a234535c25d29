"""A fish in three parts, whose tail follows the sway of its rear; numbers are in lengths from nose to tail."""

import bpy

from steering_addon.blender.crowds.ready_scenes.models import FISH, VARIANTS

from .limbs import TURN, add_part, add_vehicle, drive
from .shape import Colors, Paints, Shape, stored

SCALES: tuple[Colors, ...] = (
    {"back": "#1f5f7a", "flank": "#7fc4cf", "belly": "#f2f4ea", "fin": "#f2a23a", "eye": "#12181f"},
    {"back": "#2a4f86", "flank": "#8fb4da", "belly": "#f4f1e6", "fin": "#f2c04a", "eye": "#12181f"},
)
SIZE = stored(FISH.size)
FRONT = (  # along, half width, bottom, top
    (0.500, 0.012, -0.020, 0.012),
    (0.430, 0.046, -0.070, 0.065),
    (0.300, 0.080, -0.130, 0.130),
    (0.120, 0.090, -0.165, 0.160),
    (-0.050, 0.078, -0.140, 0.130),
)
REAR = (  # from the hinge
    (0.025, 0.074, -0.136, 0.126),
    (-0.100, 0.050, -0.090, 0.084),
    (-0.200, 0.028, -0.052, 0.050),
    (-0.270, 0.016, -0.040, 0.040),
)
HINGE, TAIL_HINGE = -0.05, -0.25
"""Position along the front at which the rear turns, and along the rear at which the tail turns."""


def fish(number: int) -> bpy.types.Object:
    """The fish of a color, which sways its tail once per cycle, as widely as its effort says, and coasts in between."""

    def paint(_part: int, side: int) -> str:
        return "back" if 1 <= side <= 2 else "belly" if 5 <= side <= 6 else "flank"

    paints = Paints("Fish", SCALES[number])
    front, rear, tail = Shape(), Shape(), Shape()
    front.trunk(FRONT, paint)
    front.face([(0.0, 0.17, 0.150), (0.0, 0.02, 0.275), (0.0, -0.13, 0.235), (0.0, -0.05, 0.120)], "fin")
    for side in (-1, 1):
        x = side * 0.078
        front.face([(x, 0.20, -0.03), (x, 0.16, -0.09), (2.4 * x, 0.02, -0.15), (2.2 * x, 0.04, -0.06)], "fin")
        front.ball((side * 0.056, 0.37, 0.035), (0.018, 0.026, 0.028), "eye")
    rear.trunk(REAR, paint)
    rear.face([(0.0, -0.02, -0.11), (0.0, -0.10, -0.19), (0.0, -0.17, -0.15), (0.0, -0.15, -0.06)], "fin")
    upper = [(0.03, 0.036), (-0.06, 0.075), (-0.21, 0.185)]
    lower = [(y, -z) for y, z in reversed(upper)]
    tail.face([(0.0, y, z) for y, z in (*upper, (-0.13, 0.0), *lower)], "fin")
    ob = add_vehicle(f"Fish {VARIANTS[number]}", front.mesh("Fish", paints, SIZE), beats=True)
    hinge = add_part("Rear", rear.mesh("Fish Rear", paints, SIZE), ob, (0.0, HINGE * SIZE, 0.0), ob)
    end = add_part("Tail", tail.mesh("Fish Tail", paints, SIZE), hinge, (0.0, TAIL_HINGE * SIZE, 0.0), ob)
    drive(hinge, "rotation_euler", 2, f"0.28*(0.12+0.88*e)*sin({TURN}*p)", ob)
    drive(end, "rotation_euler", 2, f"0.5*(0.12+0.88*e)*sin({TURN}*p-1.1)", ob)
    return ob
