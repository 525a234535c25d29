"""A walking sheep, whose feet stay where they are while they are on the ground; numbers are in lengths."""

import bpy

from steering_addon.blender.crowds.ready_scenes.models import SHEEP, VARIANTS

from .four_legs import Walk, add_body, add_legs
from .limbs import TURN, add_part, add_vehicle, drive
from .shape import Colors, Paints, Shape, oval, stored

FLEECES: tuple[Colors, ...] = tuple(
    {"wool": wool, "face": face, "legs": face, "eyes": "#15120f", "shadow": "#4f6b35"}
    for wool, face in (("#e9e2d0", "#3b332d"), ("#ddd2bb", "#2c2724"), ("#efe9dc", "#cdb69b"), ("#6d5f52", "#2c2724"))
)
SIZE = stored(SHEEP.size)
HIP = 0.36
WALK = Walk(SIZE, HIP, SHEEP.stride, 0.22, (0.11, 0.20), (0.11, -0.27), ("p", "(p+0.5)", "(p+0.55)", "(p+0.05)"))


def sheep(number: int) -> bpy.types.Object:
    """The sheep of a fleece, which takes a step with each leg per cycle. The vehicle is a shadow at its feet."""
    paints = Paints("Sheep", FLEECES[number])
    shadow, body, head, leg = Shape(), Shape(), Shape(), Shape()
    shadow.face([(x, y - 0.02, 0.012) for x, y in oval(12, 0.14, 0.30)], "shadow")
    trunk = [(-0.42, 0.06, 0.04, 0.20), (-0.38, 0.15, -0.04, 0.28), (-0.22, 0.20, -0.09, 0.31)]
    trunk += [(0.02, 0.205, -0.10, 0.30), (0.18, 0.17, -0.06, 0.31), (0.27, 0.09, 0.02, 0.27)]
    body.trunk(trunk, "wool", sides=10)
    body.trunk([(-0.47, 0.02, 0.08, 0.15), (-0.40, 0.03, 0.06, 0.20)], "wool", sides=6)
    head.trunk([(-0.09, 0.09, -0.10, 0.11), (0.03, 0.085, -0.07, 0.12), (0.07, 0.06, -0.04, 0.09)], "wool")
    head.trunk([(0.04, 0.056, -0.05, 0.08), (0.14, 0.046, -0.06, 0.045), (0.21, 0.032, -0.055, 0.005)], "face")
    for side in (-1, 1):
        head.ball((0.095 * side, 0.04, 0.045), (0.05, 0.02, 0.016), "face")
        head.ball((0.05 * side, 0.10, 0.04), (0.01, 0.012, 0.012), "eyes", sides=5, bands=3)
    leg.column(
        [(-HIP, 0.026, 0.032, 0.006), (0.03 - HIP, 0.021, 0.023, 0.0), (0.04, 0.034, 0.04, 0.0)], "legs", sides=6
    )
    ob = add_vehicle(f"Sheep {VARIANTS[number]}", shadow.mesh("Sheep", paints, SIZE))
    trunk = add_body(body.mesh("Sheep Body", paints, SIZE), ob, WALK)
    nose = add_part("Head", head.mesh("Sheep Head", paints, SIZE), trunk, (0.0, 0.30 * SIZE, 0.27 * SIZE), ob)
    # It grazes; alarmed, its head goes up before its body is off.
    nod = f"max(0.8*min(1,2*a),0.5*r)-0.6+0.05*sin(2*{TURN}*p)"
    drive(nose, "rotation_euler", 0, nod, ob, states={"a": "Startle", "r": "Regroup"})
    add_legs(leg.mesh("Sheep Leg", paints, SIZE), ob, trunk, WALK)
    return ob
