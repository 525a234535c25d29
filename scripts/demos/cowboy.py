"""A cowboy in the saddle of a rigged horse, whose back carries both."""

import math

import bpy
import models
import rigged
from mathutils import Matrix

LENGTH = 2.42
"""Metres of the horse that the saddle fits."""
BONE = "Torso2"
SEAT = (0.0, -0.06, 1.56)
"""Where the cowboy sits, metres about the horse that faces -Y."""
BARREL, BACK = 1.17, ((-0.36, 1.525), (-0.2, 1.475), (-0.05, 1.455), (0.1, 1.495), (0.24, 1.515))
"""Height of the middle of the trunk, and of the back at places along it."""
HALF_WIDTH = 0.262
DOWN = 1.9
"""Radians from the back to the edge of the blanket on either side."""


def saddle(blanket: str, leather: str) -> bpy.types.Mesh:
    """A saddle on a blanket, in the axes and the size of the horse."""
    shape = models.Shape()
    rings = []
    for y, top in BACK:
        high = top + 0.012 - BARREL
        turns = [DOWN * (k / 6.0 - 1.0) for k in range(13)]
        outer = [(HALF_WIDTH * math.sin(a), y, BARREL + high * math.cos(a)) for a in turns]
        rings.append(outer + [(0.9 * x, y, BARREL + 0.9 * (z - BARREL)) for x, y, z in reversed(outer)])
    shape.loft(rings, blanket, caps=(blanket, blanket))
    seat = ((-0.33, 0.05, 1.60, 1.70), (-0.27, 0.13, 1.44, 1.62), (-0.1, 0.18, 1.42, 1.53))
    seat += ((0.06, 0.18, 1.42, 1.54), (0.17, 0.16, 1.46, 1.64), (0.2, 0.12, 1.52, 1.65))
    hoops = [
        [(wide * x, y, (low + high) / 2 + (high - low) / 2 * z) for x, z, _ in models.ring(10)]
        for y, wide, low, high in seat
    ]
    shape.loft(hoops, leather, caps=(leather, leather))
    return shape.mesh("Saddle")


def mount(horse: bpy.types.Object, person: bpy.types.Mesh, tack: bpy.types.Mesh) -> None:
    """Put a saddle and a person on the back of a horse. `person`: who faces +Y, sitting on the origin."""
    rig = rigged.rig_of(horse)
    for name, mesh, place in (
        ("Saddle", tack, Matrix.Identity(4)),
        ("Cowboy", person, Matrix.Translation(SEAT) @ Matrix.Rotation(math.pi, 4, "Z")),
    ):
        ob = bpy.data.objects.new(f"{horse.name} {name}", mesh)
        horse.users_collection[0].objects.link(ob)
        ob.parent, ob.parent_type, ob.parent_bone = rig, "BONE", BONE
        bone = rig.data.bones[BONE]
        # Bones carry objects at their tails.
        tail = rig.matrix_basis @ bone.matrix_local @ Matrix.Translation((0.0, bone.length, 0.0))
        size = Matrix.Scale(1.0 / horse.scale.z, 4)
        ob.matrix_parent_inverse = tail.inverted() @ size
        ob.matrix_basis = place
