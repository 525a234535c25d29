"""A sheepdog, 0.95 m long, whose legs are driven by the distance it has run."""

from __future__ import annotations

import bpy
import creatures
import models

HIP = 0.40  # m, height of the joints of the legs above the ground
STRIDE = 1.5  # m, of one cycle at a run
SWING = 0.75  # radians that a leg swings forward and back
LEGS = (  # name, metres to the right and ahead, and phase: hind legs push together, as in a gallop
    ("Right Front", 0.075, 0.27, "p"),
    ("Left Front", -0.075, 0.27, "(p+0.12)"),
    ("Right Hind", 0.08, -0.27, "(p+0.5)"),
    ("Left Hind", -0.08, -0.27, "(p+0.6)"),
)
COAT, WHITE, EYES, NOSE = "#24211f", "#efe9dc", "#c98a2e", "#15120f"


def dog(name: str, location: models.Point, heading: float) -> bpy.types.Object:
    """Add a dog that stands at a place; the vehicle is the shadow at its feet."""
    shadow = models.Shape()
    shadow.face([(0.13 * x, 0.36 * y, 0.012) for x, y, _ in models.ring(12)], "#4f6b35")
    ob = models.place(name, shadow.mesh(f"{name} Shadow"), location, heading=heading)
    ob["steering_phase"] = 0.0
    body = creatures.attach(f"{name} Body", _body(f"{name} Body"), ob, (0.0, 0.0, HIP))
    creatures.drive(body, "location", 2, f"{HIP}+0.035*sin({creatures.TURN}*p)", ob, "steering_phase")
    creatures.drive(body, "rotation_euler", 0, f"0.10*cos({creatures.TURN}*p)", ob, "steering_phase")
    tail = creatures.attach(f"{name} Tail", _tail(f"{name} Tail"), body, (0.0, -0.36, 0.08))
    creatures.drive(tail, "rotation_euler", 2, f"0.5*sin(2*{creatures.TURN}*p)", ob, "steering_phase")
    leg = _leg(f"{name} Leg")
    for title, aside, ahead, phase in LEGS:
        part = creatures.attach(f"{name} {title} Leg", leg, body, (aside, ahead, 0.0))
        creatures.drive(part, "rotation_euler", 0, f"{SWING}*cos({creatures.TURN}*{phase})", ob, "steering_phase")
        creatures.drive(part, "scale", 2, f"1-0.25*max(0,-sin({creatures.TURN}*{phase}))", ob, "steering_phase")
    return ob


def _hoop(y: float, width: float, bottom: float, top: float) -> list[models.Point]:
    middle, half = (bottom + top) / 2.0, (top - bottom) / 2.0
    return [(width * x, y, middle + half * z) for x, z, _ in models.ring(8, turn=0.5)]


def _body(name: str) -> bpy.types.Mesh:
    """Trunk, neck and head, with the origin between the joints of the legs."""
    shape = models.Shape()
    trunk = ((-0.38, 0.05, 0.0, 0.11), (-0.28, 0.11, -0.06, 0.14), (0.0, 0.105, -0.09, 0.13))
    trunk += ((0.22, 0.12, -0.13, 0.15), (0.34, 0.08, -0.06, 0.17))
    shape.loft([_hoop(*ring) for ring in trunk], lambda part, side: WHITE if part == 3 else COAT, caps=(COAT, WHITE))
    neck = ((0.28, 0.085, -0.02, 0.18), (0.40, 0.07, 0.10, 0.28))
    shape.loft([_hoop(*ring) for ring in neck], WHITE, caps=(WHITE, COAT))
    head = ((0.36, 0.07, 0.17, 0.31), (0.46, 0.075, 0.17, 0.31), (0.52, 0.045, 0.18, 0.26), (0.61, 0.03, 0.18, 0.23))
    shape.loft([_hoop(*ring) for ring in head], lambda part, side: WHITE if part == 2 else COAT, caps=(COAT, NOSE))
    for side in (-1.0, 1.0):
        shape.ball((0.055 * side, 0.40, 0.32), (0.02, 0.025, 0.05), COAT, sides=5, rings=3)
        shape.ball((0.05 * side, 0.505, 0.25), (0.012, 0.012, 0.012), EYES, sides=5, rings=3)
    return shape.mesh(name)


def _tail(name: str) -> bpy.types.Mesh:
    shape = models.Shape()
    rings = ((0.0, 0.03, -0.03, 0.03), (-0.18, 0.045, -0.05, 0.05), (-0.34, 0.02, 0.0, 0.05))
    shape.loft([_hoop(*ring) for ring in rings], lambda part, side: WHITE if part else COAT, caps=(COAT, WHITE))
    return shape.mesh(name)


def _leg(name: str) -> bpy.types.Mesh:
    shape = models.Shape()
    sections = ((0.03, 0.045), (-0.18, 0.028), (0.03 - HIP, 0.02), (-HIP, 0.03))
    rings = [[(r * x, 1.2 * r * y, z) for x, y, _ in models.ring(6)] for z, r in reversed(sections)]
    shape.loft(rings, lambda part, side: WHITE if part < 2 else COAT, caps=(WHITE, COAT))
    return shape.mesh(name)
