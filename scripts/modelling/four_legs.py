"""The walk of an animal on four legs, whose feet stay where they are while they are on the ground."""

from dataclasses import dataclass

import bpy

from .limbs import TURN, add_part, drive


@dataclass(frozen=True)
class Walk:
    """How the legs move, in lengths of the animal.

    Attributes:
        size: length in metres.
        hip: height of the joints of the legs above the ground.
        stride: distance of one cycle.
        lift: the share by which a leg is shorter in the middle of its swing.
        front, hind: how far the legs are from the middle, and ahead.
        phases: of the right and the left leg in front, and behind; those of legs across are mostly nearly the same.
    """

    size: float
    hip: float
    stride: float
    lift: float
    front: tuple[float, float]
    hind: tuple[float, float]
    phases: tuple[str, str, str, str]

    @property
    def reach(self) -> float:
        """Distance of a foot ahead of its joint when it touches the ground, in lengths of the leg."""
        return self.stride / 4.0 / self.hip


def add_body(mesh: bpy.types.Mesh, ob: bpy.types.Object, walk: Walk) -> bpy.types.Object:
    """Add the body of a vehicle, which is as high as the straight leg allows."""
    body = add_part("Body", mesh, ob, (0.0, 0.0, walk.hip * walk.size), ob)
    height = f"{walk.hip * walk.size:.6g}*sqrt(1-pow({walk.reach:.4g}*(1-4*fmod(p,0.5)),2))"
    drive(body, "location", 2, height, ob)
    return body


def add_legs(mesh: bpy.types.Mesh, ob: bpy.types.Object, body: bpy.types.Object, walk: Walk) -> None:
    """Add the legs below a body: a foot on the ground moves back at the speed of the vehicle `ob`."""
    places = [(end, side) for end in ("Front", "Hind") for side in ("Right", "Left")]
    for (end, side), phase in zip(places, walk.phases):
        aside, ahead = walk.front if end == "Front" else walk.hind
        aside = aside if side == "Right" else -aside
        part, forward = f"fmod({phase},1)", f"cos({TURN}*{phase})"
        leg = add_part(f"{side} {end} Leg", mesh, body, (aside * walk.size, ahead * walk.size, 0.0), ob)
        drive(leg, "rotation_euler", 0, f"asin({walk.reach:.4g}*((1-4*{part}) if {part}<0.5 else {forward}))", ob)
        drive(leg, "scale", 2, f"1-{walk.lift}*max(0,-sin({TURN}*{phase}))", ob)
