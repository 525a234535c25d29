"""Birds and people for crowds, as low-poly meshes that are shared.

A vehicle is the parent of its parts. Drivers turn the wings of birds by plain custom properties of their vehicle, and
the bones of people play NLA strips, so both also play without the extension.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import bpy
import models
import numpy as np
from mathutils import Matrix, Vector

from scripts.modelling import person as people
from scripts.modelling import strides

TURN = "6.2832"  # radians per cycle, for expressions


def drive(
    ob: bpy.types.Object, channel: str, index: int, expression: str, vehicle: bpy.types.Object, name: str
) -> None:
    """Drive a channel of a part by a custom property of its vehicle, `p` in the expression; its effort is `e`."""
    driver = ob.driver_add(channel, index).driver
    for letter, prop in (("p", name), ("e", "steering_effort")):
        if prop in vehicle:
            variable = driver.variables.new()
            variable.name = letter
            variable.targets[0].id = vehicle
            variable.targets[0].data_path = f'["{prop}"]'
    driver.expression = expression


def attach(name: str, mesh: bpy.types.Mesh, parent: bpy.types.Object, location: models.Point) -> bpy.types.Object:
    """Add a part and parent it; the location is in the parent's space."""
    part = bpy.data.objects.new(name, mesh)
    part.parent, part.location = parent, location
    part.display.show_shadows = False
    parent.users_collection[0].objects.link(part)
    return part


def swing(poses: np.ndarray, parts: np.ndarray, axis: int = 0, about: int = 2) -> np.ndarray:
    """The range of the angle between a part and its vehicle, (n,) radians.

    Args:
        poses: (frames, n, 4, 4) world matrices of the vehicles.
        parts: (frames, n, 4, 4) world matrices of one part each.
        axis: the axis of the part.
        about: the axis of the vehicle that it is measured against, Z by default.
    """
    fixed, moving = poses[..., :3, about], parts[..., :3, axis]
    lengths = np.linalg.norm(fixed, axis=-1) * np.linalg.norm(moving, axis=-1)
    angle = np.arcsin(np.clip((fixed * moving).sum(axis=-1) / lengths, -1.0, 1.0))
    return np.ptp(angle, axis=0)


# -- birds -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plumage:
    """The colours of a bird; wings dark above and pale below make a bank visible."""

    back: str
    belly: str
    wing: str
    edge: str
    lining: str
    beak: str


@dataclass(frozen=True)
class BirdParts:
    """The meshes shared by the birds of one plumage."""

    body: bpy.types.Mesh
    left: bpy.types.Mesh
    right: bpy.types.Mesh


BODY = (  # y, half width, bottom, top: 0.22 m from beak to tail
    (0.086, 0.007, -0.006, 0.008),
    (0.074, 0.017, -0.014, 0.020),
    (0.052, 0.022, -0.022, 0.024),
    (0.018, 0.030, -0.033, 0.025),
    (-0.024, 0.026, -0.026, 0.020),
    (-0.056, 0.014, -0.010, 0.013),
)
WING = (  # x, leading edge, trailing edge, height, thickness: half the span of 0.40 m
    (0.000, 0.036, -0.040, 0.000, 0.007),
    (0.050, 0.050, -0.044, 0.003, 0.006),
    (0.082, 0.052, -0.042, 0.003, 0.005),
    (0.130, 0.026, -0.040, 0.000, 0.004),
    (0.185, -0.030, -0.046, -0.006, 0.001),
)
SHOULDER = (0.014, 0.010, 0.012)


def bird(name: str, plumage: Plumage) -> BirdParts:
    """The parts of a starling: a body, and two wings with their origins at the shoulders."""
    shape = models.Shape()
    hoops = []
    for y, width, bottom, top in BODY:
        middle, height = (bottom + top) / 2, (top - bottom) / 2
        hoops.append([(width * x, y, middle + height * z) for x, z, _ in models.ring(8, 1.0, 0.0, 0.5)])
    shape.loft(hoops, lambda part, side: plumage.belly if 4 <= side <= 6 else plumage.back)
    shape.loft([hoops[0], [(0.0, 0.114, -0.001)] * 8], plumage.beak)
    tail = [(-0.014, -0.050), (-0.030, -0.106), (-0.012, -0.100), (0.012, -0.100), (0.030, -0.106), (0.014, -0.050)]
    for z, color in ((0.006, plumage.wing), (0.001, plumage.lining)):
        shape.face([(x, y, z) for x, y in tail], color)
    for x in (-0.014, 0.014):
        shape.ball((x, 0.071, 0.007), (0.004, 0.004, 0.004), "#11131a", sides=4, rings=2)
    return BirdParts(shape.mesh(name), _wing(f"{name} Left Wing", plumage, -1), _wing(f"{name} Right Wing", plumage, 1))


def _wing(name: str, plumage: Plumage, side: int) -> bpy.types.Mesh:
    """A wing along +X (side 1) or -X (side -1): dark above, pale below, with darker flight feathers."""
    hoops = []
    for x, lead, trail, z, thick in WING:
        split = lead + 0.55 * (trail - lead)
        hoops.append(
            [
                (side * x, lead, z),
                (side * x, split, z + thick),
                (side * x, trail, z),
                (side * x, split, z - 0.4 * thick),
            ]
        )

    def color(panel: int, edge: int) -> str:
        if edge < 2:
            return plumage.edge if edge == 1 or panel == 3 else plumage.wing
        return plumage.edge if edge == 2 and panel > 1 else plumage.lining

    shape = models.Shape()
    shape.loft(hoops, color)
    return shape.mesh(name)


def hatch(
    name: str, parts: BirdParts, location: models.Point, scale: float, collection: bpy.types.Collection
) -> bpy.types.Object:
    """Add a bird to a collection; the custom property `steering_phase`, in beats, drives its wings."""
    ob = models.place(name, parts.body, location, scale=scale, collection=collection)
    ob.display.show_shadows = False
    ob["steering_phase"], ob["steering_effort"] = 0.0, 1.0
    # The downstroke is faster than the upstroke, and without effort the wings are held still.
    beat = f"0.12+e*(0.72*sin({TURN}*p)+0.16*sin(2*{TURN}*p)+0.1)"
    fold = f"0.1+e*0.3*max(0,cos({TURN}*p))"
    for side, mesh in ((-1, parts.left), (1, parts.right)):
        x, y, z = SHOULDER
        wing = attach(f"{name} {'Right' if side > 0 else 'Left'} Wing", mesh, ob, (side * x, y, z))
        drive(wing, "rotation_euler", 1, f"{-side}*({beat})", ob, "steering_phase")
        drive(wing, "rotation_euler", 2, f"{-side}*({fold})", ob, "steering_phase")
    return ob


# -- people ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outfit:
    """A person's clothes and colours."""

    top: str
    legs: str
    shoes: str
    skin: str
    hair: str
    coat: str = ""  # colour of a coat or skirt to the knees
    hat: str = ""
    bag: str = ""
    scarf: str = ""


@dataclass(frozen=True)
class PersonParts:
    """The meshes shared by the people in one outfit: a skin with a vertex group for each bone, and a shadow."""

    shadow: bpy.types.Mesh
    skin: bpy.types.Mesh


TALL = 1.75
"""Metres; the armature and its clips are those of the people of Add > Steering, at this height."""
HIP, KNEE, ANKLE, SHOULDERS = (
    TALL * height for height in (strides.HIP, strides.KNEE, strides.ANKLE, strides.SHOULDERS)
)
HEEL, BALL = TALL * strides.HEEL, TALL * strides.BALL
SWING = 0.40  # radians: the least range of a walking leg


def person(name: str, outfit: Outfit) -> PersonParts:
    """The meshes of a person 1.75 m tall: a skin, and a shadow on the ground."""
    skin = _Skin()
    body = models.Shape()
    trunk = [  # height, half width, half depth
        (HIP - 0.08, 0.155, 0.105),
        (HIP + 0.10, 0.150, 0.105),
        (1.10, 0.145, 0.100),
        (1.32, 0.172, 0.112),
        (1.44, 0.145, 0.095),
        (1.49, 0.065, 0.065),
    ]
    body.loft(_hoops(trunk), lambda part, side: outfit.legs if part == 0 else outfit.top, caps=(outfit.legs, None))
    skin.add(body, lambda z: {"Hips": 1.0 - _above(z, 1.0, 1.15), "Chest": _above(z, 1.0, 1.15)})
    if outfit.coat:
        flare = models.Shape()
        hoops = [(0.58, 0.235, 0.265), (0.80, 0.195, 0.180), (1.08, 0.152, 0.107)]
        flare.loft(_hoops(hoops), outfit.coat, caps=(outfit.coat, None))
        skin.add(flare, "Hips")
    _head(skin, outfit)
    if outfit.scarf:
        scarf = models.Shape()
        scarf.loft(_hoops([(1.43, 0.105, 0.105), (1.47, 0.125, 0.12), (1.53, 0.085, 0.085)]), outfit.scarf)
        scarf.box((0.02, 0.09, 1.16), (0.09, 0.13, 1.46), outfit.scarf)
        skin.add(scarf, "Chest")
    if outfit.bag:
        bag = models.Shape()
        bag.box((-0.13, -0.27, 1.02), (0.13, -0.09, 1.42), outfit.bag)
        bag.box((-0.09, -0.31, 1.05), (0.09, -0.26, 1.22), outfit.bag)
        skin.add(bag, "Chest")
    for letter, side in strides.SIDES.items():
        _limbs(skin, outfit, letter, side)
    shadow = models.Shape()
    shadow.face([(0.34 * x, 0.30 * y, 0.015) for x, y, _ in models.ring(12)], "#20283844")
    return PersonParts(shadow.mesh(f"{name} Shadow"), skin.mesh(f"{name} Skin"))


def _head(skin: _Skin, outfit: Outfit) -> None:
    neck, head = models.Shape(), models.Shape()
    neck.loft(_hoops([(1.46, 0.055, 0.055), (1.56, 0.055, 0.055)]), outfit.skin)
    skin.add(neck, lambda z: {"Chest": 1.0 - _above(z, 1.47, 1.55), "Head": _above(z, 1.47, 1.55)})
    head.ball((0.0, 0.012, 1.655), (0.100, 0.112, 0.132), outfit.skin, sides=8, rings=6)
    head.ball((0.0, 0.125, 1.64), (0.018, 0.024, 0.026), outfit.skin, sides=4, rings=2)
    for x in (-0.042, 0.042):
        head.ball((x, 0.108, 1.675), (0.013, 0.012, 0.018), "#1b1d24", sides=5, rings=3)
    crown = [(1.63, 0.108, 0.098), (1.71, 0.115, 0.112), (1.77, 0.085, 0.085), (1.80, 0.03, 0.03)]
    head.loft(_hoops(crown, -0.022), outfit.hair, caps=(outfit.hair, outfit.hair))
    if outfit.hat:
        head.loft(_hoops([(1.715, 0.19, 0.19), (1.735, 0.18, 0.18)]), outfit.hat, caps=(outfit.hat, outfit.hat))
        head.loft(_hoops([(1.73, 0.118, 0.122), (1.84, 0.10, 0.10)]), outfit.hat, caps=(None, outfit.hat))
    skin.add(head, "Head")


def _limbs(skin: _Skin, outfit: Outfit, letter: str, side: float) -> None:
    """Add a leg and an arm."""
    leg, arm = (side * TALL * aside for aside in (strides.HIP_ASIDE, strides.SHOULDER_ASIDE))
    for bone, sections, color in (
        ("Thigh", [(KNEE - 0.02, 0.062, 0.068), (HIP, 0.085, 0.095)], outfit.legs),
        ("Shin", [(0.17, 0.047, 0.052), (KNEE + 0.02, 0.062, 0.066)], outfit.legs),
        ("Foot", [(0.05, 0.040, 0.050), (0.185, 0.044, 0.049)], outfit.shoes),
    ):
        part = models.Shape()
        part.loft(_hoops(sections), color, caps=(color, color))
        skin.add(part, f"{bone}.{letter}", (leg, 0.0, 0.0))
    for bone, back, front, high in (("Foot", HEEL, BALL, 0.078), ("Toes", BALL, BALL + 0.078, 0.060)):
        part = models.Shape()
        part.box((-0.05, back, 0.0), (0.05, front, high), outfit.shoes)
        skin.add(part, f"{bone}.{letter}", (leg, 0.0, 0.0))
    upper, fore, bend = models.Shape(), models.Shape(), models.Shape()
    upper.loft(_hoops([(-0.28, 0.046, 0.050), (0.03, 0.060, 0.064)]), outfit.top, caps=(outfit.top, outfit.top))
    skin.add(upper, f"Upper Arm.{letter}", (arm, 0.0, SHOULDERS))
    bend.loft(_hoops([(-0.22, 0.036, 0.040), (0.02, 0.045, 0.050)]), outfit.top, caps=(outfit.top, outfit.top))
    bend.ball((0.0, 0.0, -0.27), (0.036, 0.044, 0.062), outfit.skin, sides=6, rings=3)
    _add(fore, bend, Matrix.Rotation(0.35, 3, "X"), Vector((0.0, 0.0, -0.27)))
    skin.add(fore, f"Forearm.{letter}", (arm, 0.0, SHOULDERS))


class _Skin:
    """Parts of a body that become one mesh, each moved by bones."""

    def __init__(self) -> None:
        self._shape = models.Shape()
        self._weights: list[dict[str, float]] = []

    def add(
        self,
        part: models.Shape,
        bones: str | Callable[[float], dict[str, float]],
        place: models.Point = (0.0, 0.0, 0.0),
    ) -> None:
        """Add a part at a place, moved by a bone, or by shares of bones that depend on the height."""
        _add(self._shape, part, Matrix.Identity(3), Vector(place))
        for vertex in part.vertices:
            self._weights.append({bones: 1.0} if isinstance(bones, str) else bones(vertex.z + place[2]))

    def mesh(self, name: str) -> bpy.types.Mesh:
        mesh = self._shape.mesh(name)
        # Groups are made through an object, and kept by the mesh.
        holder = bpy.data.objects.new(name, mesh)
        groups = {bone: holder.vertex_groups.new(name=bone) for bone, *_ in people.BONES}
        for row, weights in enumerate(self._weights):
            for bone, share in weights.items():
                if share > 0.0:
                    groups[bone].add([row], share, "REPLACE")
        bpy.data.objects.remove(holder)
        return mesh


def _above(height: float, start: float, end: float) -> float:
    """From 0 at one height to 1 at another."""
    return min(max((height - start) / (end - start), 0.0), 1.0)


def _hoops(sections: Sequence[tuple[float, float, float]], forward: float = 0.0) -> list[list[models.Point]]:
    """Level eight-sided hoops from (height, half width, half depth), lowest first."""
    return [[(w * x, d * y + forward, z) for x, y, _ in models.ring(8, 1.0, 0.0, 0.5)] for z, w, d in sections]


def _add(shape: models.Shape, other: models.Shape, turn: Matrix, offset: Vector) -> None:
    """Add another shape, rotated and then moved."""
    first = len(shape.vertices)
    shape.vertices += [turn @ v + offset for v in other.vertices]
    shape.faces += [tuple(first + i for i in face) for face in other.faces]
    shape.colors += other.colors


def bring(
    name: str,
    parts: PersonParts,
    armature: bpy.types.Armature,
    location: models.Point,
    heading: float,
    scale: float,
    collection: bpy.types.Collection,
) -> bpy.types.Object:
    """Add a person to a collection: the armature moves, the skin and the shadow are its children."""
    ob = bpy.data.objects.new(name, armature)
    ob.location, ob.scale = location, (scale, scale, scale)
    ob.rotation_euler.z = heading
    collection.objects.link(ob)
    for mesh in (parts.skin, parts.shadow):
        part = attach(mesh.name, mesh, ob, (0.0, 0.0, 0.0))
        if mesh == parts.skin:
            part.modifiers.new("Armature", "ARMATURE").object = ob
    return ob


def wardrobe(seed: int, count: int) -> list[Outfit]:
    """Different outfits: coats, skirts, hats, bags and scarves in a few strong colours."""
    chance = random.Random(seed)
    tops = [
        "#d9483b",
        "#e9a92c",
        "#2f7f86",
        "#33507f",
        "#f3ead7",
        "#7a4a78",
        "#4f8a4c",
        "#e27f8d",
        "#3a3f4c",
        "#5fa4cf",
    ]
    legs = ["#2c3648", "#5a4636", "#3d4552", "#8a8371", "#263b57", "#6b3f3a"]
    skins = ["#f0c7a1", "#dba67c", "#b97d54", "#8a5a3c", "#f3d3b3"]
    hairs = ["#2b221e", "#5b3a22", "#a86b32", "#d8b46a", "#7d7a78", "#1d1b22"]
    outfits = []
    for i in range(count):
        top = tops[i % len(tops)]
        outfits.append(
            Outfit(
                top,
                chance.choice(legs),
                chance.choice(("#2a2320", "#f2efe8", "#6b4327")),
                chance.choice(skins),
                chance.choice(hairs),
                coat=(top, chance.choice(tops), "", "")[i % 4],
                hat=chance.choice(tops) if i % 5 == 2 else "",
                bag=chance.choice(tops) if i % 4 == 3 else "",
                scarf=chance.choice(tops) if i % 3 == 1 else "",
            )
        )
    return outfits
