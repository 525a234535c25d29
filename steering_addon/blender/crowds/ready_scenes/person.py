"""A walking person, one unit tall, whose feet do not slide while they are on the ground."""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from .limbs import TURN, add_part, add_vehicle, drive
from .shape import Colors, Paints, Shape, oval

OUTFITS: tuple[Colors, ...] = tuple(
    {"top": top, "legs": legs, "skin": skin, "hair": hair, "shoes": "#2a2624", "eyes": "#2a2624", "shadow": "#96896e"}
    for top, legs, skin, hair in (
        ("#d9483b", "#2c3648", "#f0c7a1", "#2b221e"),
        ("#e9a92c", "#4d4038", "#b97d54", "#1d1b22"),
        ("#2f7f86", "#3d4552", "#dba67c", "#5b3a22"),
        ("#f0e8d8", "#33507f", "#8a5a3c", "#1d1b22"),
        ("#7a4a78", "#5f5a4e", "#f3d3b3", "#a86b32"),
        ("#4f8a4c", "#263b57", "#e3b58c", "#7d7a78"),
    )
)
RADIUS = 0.16
STRIDE = 0.8
"""Distance of one cycle of two steps, in heights."""
HIP, KNEE, ANKLE, SHOULDERS = 0.50, 0.265, 0.04, 0.80
"""Heights of the joints above the ground."""
LEG = HIP - ANKLE
REACH = STRIDE / 4 / LEG
"""Distance of a foot ahead of the hip when it touches the ground, in lengths of the leg."""
BEND, TOES, OVER = 0.95, 0.6, 0.65
"""Forward swing of a leg: bend of the knee and of the toes, which first drop and then lift, in radians; overshoot of
the thigh beyond its angle at touchdown, as a share."""


@dataclass(frozen=True)
class Person:
    """The meshes that people in one outfit share."""

    shadow: bpy.types.Mesh
    body: bpy.types.Mesh
    thigh: bpy.types.Mesh
    shin: bpy.types.Mesh
    foot: bpy.types.Mesh
    arm: bpy.types.Mesh
    size: float


def person(outfit: Colors, size: float) -> Person:
    """The meshes of a person. The vehicle is a shadow at the feet.

    Args:
        size: height in metres.
    """
    paints = Paints("Walker", outfit)
    shadow, thigh, shin, foot, arm = Shape(), Shape(), Shape(), Shape(), Shape()
    shadow.face([(x, y, 0.004) for x, y in oval(12, 0.15, 0.14)], "shadow")
    thigh.column([(KNEE - HIP - 0.01, 0.036, 0.039, 0.0), (0.0, 0.048, 0.054, 0.0)], "legs")
    shin.column([(0.035 - KNEE, 0.026, 0.029, 0.0), (0.012, 0.036, 0.038, 0.0)], "legs")
    foot.column([(-ANKLE, 0.030, 0.066, 0.030), (0.030 - ANKLE, 0.029, 0.058, 0.025)], "shoes", sides=6)
    foot.column([(0.025 - ANKLE, 0.028, 0.034, 0.002), (0.012, 0.022, 0.025, 0.0)], "shoes", sides=6)
    arm.column([(-0.155, 0.026, 0.028, 0.010), (0.018, 0.035, 0.037, 0.0)], "top")
    arm.column([(-0.285, 0.021, 0.023, 0.055), (-0.145, 0.025, 0.027, 0.010)], "top")
    arm.ball((0.0, 0.062, -0.312), (0.020, 0.026, 0.036), "skin")
    return Person(
        shadow.mesh("Walker", paints, size),
        _body().mesh("Walker Body", paints, size),
        thigh.mesh("Walker Thigh", paints, size),
        shin.mesh("Walker Shin", paints, size),
        foot.mesh("Walker Foot", paints, size),
        arm.mesh("Walker Arm", paints, size),
        size,
    )


def _body() -> Shape:
    """Trunk and head, with the origin at the hips."""
    body = Shape()
    body.column([(-0.045, 0.088, 0.060, 0.0), (0.06, 0.085, 0.060, 0.0), (0.13, 0.081, 0.057, 0.0)], "legs")
    chest = [
        (0.12, 0.084, 0.060, 0.0),
        (0.24, 0.098, 0.064, 0.004),
        (0.31, 0.086, 0.055, 0.0),
        (0.345, 0.04, 0.04, 0.0),
    ]
    body.column(chest, "top")
    body.column([(0.33, 0.030, 0.030, 0.0), (0.39, 0.030, 0.030, 0.004)], "skin")
    body.ball((0.0, 0.006, 0.435), (0.056, 0.063, 0.074), "skin", sides=8, bands=6)
    body.ball((0.0, 0.072, 0.425), (0.011, 0.016, 0.015), "skin")
    for x in (-0.025, 0.025):
        body.ball((x, 0.060, 0.447), (0.008, 0.008, 0.010), "eyes")
    crown = [(0.405, 0.054, 0.042, -0.026), (0.45, 0.064, 0.060, -0.017), (0.48, 0.060, 0.064, -0.003)]
    body.column([*crown, (0.516, 0.026, 0.030, -0.002)], "hair")
    return body


def add_person(name: str, parts: Person, phase: float, collection: bpy.types.Collection) -> bpy.types.Object:
    """Add a person who takes two steps per cycle."""
    size = parts.size
    ob = add_vehicle(name, parts.shadow, phase, collection)
    # A foot on the ground lies flat and moves back at walking speed; the hip is as high as the straight leg allows.
    body = add_part(f"{name} Body", parts.body, ob, (0.0, 0.0, HIP * size), collection)
    ankle, leg = f"{ANKLE * size:.6g}", f"{LEG * size:.6g}"
    drive(body, "location", 2, f"{ankle}+{leg}*sqrt(1-pow({REACH:.4g}*(1-4*fmod(p,0.5)),2))", ob)
    twist = f"0.09*cos({TURN}*p)"
    drive(body, "rotation_euler", 2, twist, ob)
    for side, title, phase_of_side in ((1, "Right", "p"), (-1, "Left", "(p+0.5)")):
        part = f"fmod({phase_of_side},1)"
        lifted = f"max(0,-sin({TURN}*{phase_of_side}))"
        forward = f"cos({TURN}*{phase_of_side})"
        swing = f"asin({REACH:.4g}*((1-4*{part}) if {part}<0.5 else {forward}+{OVER}*max(0,{forward})*{lifted}))"
        thigh = add_part(f"{name} {title} Thigh", parts.thigh, body, (0.048 * side * size, 0.0, 0.0), collection)
        drive(thigh, "rotation_euler", 2, f"-{twist}", ob)
        drive(thigh, "rotation_euler", 0, swing, ob)
        shin = add_part(f"{name} {title} Shin", parts.shin, thigh, (0.0, 0.0, (KNEE - HIP) * size), collection)
        drive(shin, "rotation_euler", 0, f"-{BEND}*{lifted}", ob)
        foot = add_part(f"{name} {title} Foot", parts.foot, shin, (0.0, 0.0, (ANKLE - KNEE) * size), collection)
        drive(foot, "rotation_euler", 0, f"({BEND}+{TOES}*{forward})*{lifted}-{swing}", ob)
        arm = add_part(
            f"{name} {title} Arm", parts.arm, body, (0.112 * side * size, 0.0, (SHOULDERS - HIP) * size), collection
        )
        drive(arm, "rotation_euler", 0, f"0.04-0.42*cos({TURN}*{phase_of_side})", ob)
        arm.rotation_euler.y = -0.06 * side
    return ob
