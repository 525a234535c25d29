"""Animals on four legs, whose feet stay where they are while they are on the ground; numbers are in lengths."""

from collections.abc import Sequence
from dataclasses import dataclass

import bpy

from steering_addon.blender.crowds.ready_scenes.models import COW, RIDER, SHEEP, VARIANTS, WOLF

from .limbs import TURN, add_part, add_vehicle, drive
from .shape import Colors, Paints, Point, Shape, oval, stored


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


def walking(
    name: str, kind: str, paints: Paints, walk: Walk, shadow: Sequence[Point], body: Shape, leg: Shape
) -> tuple[bpy.types.Object, bpy.types.Object]:
    """A vehicle, which is a shadow at its feet, and the body above it, which is as high as the straight leg allows.

    A foot on the ground moves back at the speed of the vehicle. `kind`: what the meshes of body and legs are named for.
    """
    ground, size = Shape(), walk.size
    ground.face(shadow, "shadow")
    ob = add_vehicle(name, ground.mesh(name.split()[0], paints, size))
    trunk = add_part("Body", body.mesh(f"{kind} Body", paints, size), ob, (0.0, 0.0, walk.hip * size), ob)
    height = f"{walk.hip * size:.6g}*sqrt(1-pow({walk.reach:.4g}*(1-4*fmod(p,0.5)),2))"
    drive(trunk, "location", 2, height, ob)
    mesh = leg.mesh(f"{kind} Leg", paints, size)
    places = [(end, side) for end in ("Front", "Hind") for side in ("Right", "Left")]
    for (end, side), phase in zip(places, walk.phases):
        aside, ahead = walk.front if end == "Front" else walk.hind
        aside = aside if side == "Right" else -aside
        part, forward = f"fmod({phase},1)", f"cos({TURN}*{phase})"
        limb = add_part(f"{side} {end} Leg", mesh, trunk, (aside * size, ahead * size, 0.0), ob)
        drive(limb, "rotation_euler", 0, f"asin({walk.reach:.4g}*((1-4*{part}) if {part}<0.5 else {forward}))", ob)
        drive(limb, "scale", 2, f"1-{walk.lift}*max(0,-sin({TURN}*{phase}))", ob)
    return ob, trunk


FLEECES: tuple[Colors, ...] = tuple(
    {"wool": wool, "face": face, "legs": face, "eyes": "#15120f", "shadow": "#4f6b35"}
    for wool, face in (("#e9e2d0", "#3b332d"), ("#ddd2bb", "#2c2724"), ("#efe9dc", "#cdb69b"), ("#6d5f52", "#2c2724"))
)
SHEEP_WALK = Walk(
    stored(SHEEP.size), 0.36, SHEEP.stride, 0.22, (0.11, 0.20), (0.11, -0.27), ("p", "(p+0.5)", "(p+0.55)", "(p+0.05)")
)


def sheep(number: int) -> bpy.types.Object:
    """The sheep of a fleece, which takes a step with each leg per cycle."""
    paints = Paints("Sheep", FLEECES[number])
    body, head, leg, (hip, size) = Shape(), Shape(), Shape(), (SHEEP_WALK.hip, SHEEP_WALK.size)
    shadow = [(x, y - 0.02, 0.012) for x, y in oval(12, 0.14, 0.30)]
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
        [(-hip, 0.026, 0.032, 0.006), (0.03 - hip, 0.021, 0.023, 0.0), (0.04, 0.034, 0.04, 0.0)], "legs", sides=6
    )
    ob, trunk = walking(f"Sheep {VARIANTS[number]}", "Sheep", paints, SHEEP_WALK, shadow, body, leg)
    nose = add_part("Head", head.mesh("Sheep Head", paints, size), trunk, (0.0, 0.30 * size, 0.27 * size), ob)
    # It grazes; alarmed, its head goes up before its body is off.
    nod = f"max(0.8*min(1,2*a),0.5*r)-0.6+0.05*sin(2*{TURN}*p)"
    drive(nose, "rotation_euler", 0, nod, ob, states={"a": "Startle", "r": "Regroup"})
    return ob


WOLF_COAT = {
    "coat": "#55534f",
    "pale": "#a79f92",
    "legs": "#77716a",
    "nose": "#15120f",
    "eyes": "#d1a13a",
    "shadow": "#4f6b35",
}
WOLF_WALK = Walk(
    stored(WOLF.size), 0.42, WOLF.stride, 0.3, (0.075, 0.27), (0.08, -0.28), ("p", "(p+0.5)", "(p+0.5)", "p")
)


def wolf() -> bpy.types.Object:
    """A wolf that takes a step with each leg per cycle."""
    paints = Paints("Wolf", WOLF_COAT)
    body, tail, leg, (hip, size) = Shape(), Shape(), Shape(), (WOLF_WALK.hip, WOLF_WALK.size)
    shadow = [(x, y, 0.012) for x, y in oval(12, 0.13, 0.36)]
    _wolf_body(body)
    brush = [(-0.36, 0.02, -0.19, -0.13), (-0.22, 0.05, -0.15, -0.03), (0.0, 0.03, -0.03, 0.03)]
    tail.trunk(brush, lambda ring, _side: "pale" if ring == 0 else "coat")
    paw = [(-hip, 0.03, 0.045, 0.012), (0.035 - hip, 0.022, 0.024, 0.0)]
    leg.column([*paw, (-0.18, 0.028, 0.034, 0.0), (0.04, 0.045, 0.06, 0.0)], "legs", sides=6)
    ob, trunk = walking("Wolf A", "Wolf", paints, WOLF_WALK, shadow, body, leg)
    rear = add_part("Tail", tail.mesh("Wolf Tail", paints, size), trunk, (0.0, -0.37 * size, 0.08 * size), ob)
    drive(rear, "rotation_euler", 2, f"0.2*sin({TURN}*p)", ob)
    return ob


def _wolf_body(body: Shape) -> None:
    """The trunk, deepest at the chest, with a pale belly; neck, head, muzzle, ears and eyes, which are carried low."""
    sections = [(-0.40, 0.04, 0.0, 0.10), (-0.30, 0.105, -0.06, 0.14), (-0.06, 0.10, -0.07, 0.13)]
    sections += [(0.18, 0.125, -0.14, 0.16), (0.31, 0.085, -0.08, 0.17)]
    body.trunk(sections, lambda _ring, side: "pale" if side in (4, 5, 6) else "coat", sides=10)
    body.trunk([(0.22, 0.095, -0.07, 0.18), (0.34, 0.085, 0.0, 0.23), (0.43, 0.07, 0.09, 0.25)], "coat")
    body.trunk([(0.37, 0.065, 0.10, 0.26), (0.44, 0.085, 0.09, 0.25), (0.49, 0.05, 0.09, 0.20)], "coat")
    body.trunk([(0.46, 0.045, 0.09, 0.18), (0.56, 0.032, 0.09, 0.145), (0.585, 0.028, 0.095, 0.14)], "pale")
    body.ball((0.0, 0.59, 0.135), (0.018, 0.014, 0.014), "nose", sides=5, bands=3)
    for side in (-1, 1):
        ear = ((0.22, 0.032, 0.022), (0.28, 0.024, 0.016), (0.33, 0.004, 0.004))
        body.column([(*section, 0.41, 0.052 * side) for section in ear], "coat", sides=5)
        body.ball((0.045 * side, 0.485, 0.185), (0.011, 0.011, 0.011), "eyes", sides=5, bands=3)


COW_COATS: tuple[Colors, ...] = tuple(
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
COW_WALK = Walk(
    stored(COW.size), 0.33, COW.stride, 0.2, (0.085, 0.15), (0.085, -0.35), ("p", "(p+0.5)", "(p+0.58)", "(p+0.08)")
)


def cow(number: int) -> bpy.types.Object:
    """The cow of a coat, which takes a step with each leg per cycle."""
    paints = Paints("Cow", COW_COATS[number])
    body, head, tail, leg, (hip, size) = Shape(), Shape(), Shape(), Shape(), (COW_WALK.hip, COW_WALK.size)
    shadow = [(x, y - 0.09, 0.008) for x, y in oval(12, 0.13, 0.34)]
    # Level along the back, with a pale belly and brisket.
    sections = [(-0.475, 0.06, 0.05, 0.20), (-0.44, 0.12, -0.04, 0.24), (-0.30, 0.145, -0.09, 0.235)]
    sections += [(-0.08, 0.155, -0.13, 0.225), (0.10, 0.135, -0.12, 0.24), (0.20, 0.09, -0.07, 0.24)]
    body.trunk(sections, lambda _ring, side: "patch" if side in (5, 6, 7) else "coat", sides=12)
    body.ball((0.0, -0.31, -0.10), (0.065, 0.075, 0.055), "nose", sides=6, bands=4)
    _cow_head(head)
    tail.column([(-0.28, 0.022, 0.022, -0.02), (-0.22, 0.012, 0.012, -0.02), (0.0, 0.02, 0.02, 0.0)], "coat", sides=5)
    leg.column([(-hip, 0.03, 0.034, 0.006), (0.035 - hip, 0.027, 0.03, 0.0)], lambda _ring, _side: "hooves", sides=6)
    shank = [(0.03 - hip, 0.022, 0.024, 0.0), (-0.15, 0.026, 0.03, 0.0), (0.05, 0.05, 0.07, 0.0)]
    leg.column(shank, lambda ring, _side: "legs" if ring == 0 else "coat", sides=6)
    ob, trunk = walking(f"Cow {VARIANTS[number]}", "Cow", paints, COW_WALK, shadow, body, leg)
    nose = add_part("Head", head.mesh("Cow Head", paints, size), trunk, (0.0, 0.20 * size, 0.20 * size), ob)
    nod = f"0.5*min(1,2*a)-0.55+0.07*sin(2*{TURN}*p)"
    drive(nose, "rotation_euler", 0, nod, ob, states={"a": "Stray"})
    rear = add_part("Tail", tail.mesh("Cow Tail", paints, size), trunk, (0.0, -0.47 * size, 0.2 * size), ob)
    drive(rear, "rotation_euler", 1, f"0.12*sin({TURN}*p)", ob)
    return ob


def _cow_head(head: Shape) -> None:
    """Neck, head, horns, ears and eyes, about the shoulders; the face is pale."""
    head.trunk([(-0.06, 0.085, -0.24, 0.02), (0.06, 0.07, -0.16, 0.03), (0.13, 0.06, -0.10, 0.04)], "coat", sides=8)
    head.trunk([(0.10, 0.055, -0.09, 0.055), (0.16, 0.068, -0.12, 0.055), (0.28, 0.042, -0.155, -0.035)], "patch")
    head.trunk([(0.275, 0.045, -0.165, -0.045), (0.325, 0.036, -0.165, -0.08)], "nose", sides=8)
    for side in (-1, 1):
        head.ball((0.10 * side, 0.10, 0.01), (0.05, 0.016, 0.022), "coat", sides=6, bands=3)
        head.ball((0.06 * side, 0.17, 0.0), (0.012, 0.014, 0.014), "eyes", sides=5, bands=3)
        horn = ((0.035, 0.06, 0.018), (0.085, 0.075, 0.014), (0.115, 0.125, 0.004))
        head.column([(high, wide, wide, 0.12, out * side) for out, high, wide in horn], "horns", sides=5)


RIDERS: tuple[Colors, ...] = tuple(
    {
        "coat": coat,
        "mane": mane,
        "hooves": "#2b2622",
        "saddle": "#4a2b19",
        "shirt": shirt,
        "trousers": trousers,
        "hat": hat,
        "skin": skin,
        "boots": "#2a201a",
        "eyes": "#15120f",
        "shadow": "#4f6b35",
    }
    for coat, mane, shirt, trousers, hat, skin in (
        ("#7a4526", "#221a16", "#b33a2c", "#37475f", "#c8ab7a", "#e3b58c"),
        ("#a9a39a", "#6d6862", "#2f6f86", "#4d4038", "#3b2c22", "#b97d54"),
        ("#4a2c1c", "#1d1613", "#d9b24a", "#33507f", "#e6ddca", "#f0c7a1"),
    )
)
HORSE_WALK = Walk(
    stored(RIDER.size), 0.45, RIDER.stride, 0.28, (0.065, 0.19), (0.07, -0.31), ("p", "(p+0.5)", "(p+0.5)", "p")
)
SEAT = 0.155
"""Height of the saddle above the joints of the legs."""


def rider(number: int) -> bpy.types.Object:
    """The rider of an outfit, whose horse takes a step with each leg per cycle."""
    paints = Paints("Rider", RIDERS[number])
    body, tail, leg, person, (hip, size) = Shape(), Shape(), Shape(), Shape(), (HORSE_WALK.hip, HORSE_WALK.size)
    shadow = [(x, y - 0.06, 0.008) for x, y in oval(12, 0.12, 0.34)]
    _horse_body(body)
    tail.trunk([(-0.11, 0.015, -0.34, -0.26), (-0.09, 0.035, -0.24, -0.08), (0.0, 0.02, -0.03, 0.03)], "mane", sides=6)
    leg.column([(-hip, 0.032, 0.04, 0.01), (0.045 - hip, 0.026, 0.03, 0.0)], "hooves", sides=6)
    shank = [(0.04 - hip, 0.018, 0.022, 0.0), (-0.21, 0.022, 0.028, 0.0)]
    leg.column([*shank, (-0.1, 0.036, 0.05, 0.0), (0.05, 0.05, 0.075, 0.0)], "coat", sides=6)
    _person(person)
    ob, trunk = walking(f"Rider {VARIANTS[number]}", "Horse", paints, HORSE_WALK, shadow, body, leg)
    rear = add_part("Tail", tail.mesh("Horse Tail", paints, size), trunk, (0.0, -0.4 * size, 0.1 * size), ob)
    drive(rear, "rotation_euler", 1, f"0.1*sin({TURN}*p)", ob)
    sitter = person.mesh("Rider Person", paints, size)
    sitter = add_part("Person", sitter, trunk, (0.0, -0.02 * size, SEAT * size), ob)
    drive(sitter, "rotation_euler", 0, f"-0.06+0.05*cos(2*{TURN}*p)", ob)
    return ob


def _horse_body(body: Shape) -> None:
    """The trunk with the saddle, neck with mane, head, ears and eyes; the head is carried high."""
    sections = [(-0.42, 0.04, 0.02, 0.12), (-0.37, 0.105, -0.06, 0.165), (-0.22, 0.115, -0.075, 0.16)]
    sections += [(0.0, 0.115, -0.10, 0.145), (0.16, 0.105, -0.10, 0.17), (0.27, 0.06, -0.03, 0.15)]
    body.trunk(sections, "coat", sides=10)
    body.trunk([(-0.13, 0.07, 0.11, 0.195), (-0.09, 0.09, 0.09, 0.165), (0.06, 0.085, 0.09, 0.165)], "saddle", sides=8)
    body.trunk([(0.05, 0.025, 0.13, 0.21), (0.08, 0.02, 0.13, 0.20)], "saddle", sides=6)
    neck = [(0.10, 0.075, 0.14, 0.25), (0.20, 0.055, 0.10, 0.31), (0.31, 0.045, 0.075, 0.37), (0.37, 0.035, 0.05, 0.40)]
    body.column(neck, "coat")
    mane = [
        (0.16, 0.016, 0.035, 0.15),
        (0.27, 0.018, 0.04, 0.235),
        (0.37, 0.018, 0.04, 0.325),
        (0.43, 0.01, 0.02, 0.37),
    ]
    body.column(mane, "mane", sides=6)
    body.trunk([(0.35, 0.04, 0.27, 0.40), (0.42, 0.05, 0.255, 0.395), (0.50, 0.036, 0.21, 0.315)], "coat", sides=8)
    body.trunk([(0.495, 0.037, 0.21, 0.315), (0.56, 0.032, 0.175, 0.26), (0.58, 0.024, 0.185, 0.24)], "coat", sides=8)
    for side in (-1, 1):
        ear = ((0.37, 0.015), (0.42, 0.013), (0.455, 0.003))
        body.column([(high, wide, wide, 0.375, 0.025 * side) for high, wide in ear], "coat", sides=5)
        body.ball((0.045 * side, 0.44, 0.345), (0.009, 0.012, 0.012), "eyes", sides=5, bands=3)


def _person(person: Shape) -> None:
    """A person with a hat who sits at the origin and holds the reins."""
    person.column([(-0.02, 0.07, 0.06, 0.0), (0.05, 0.065, 0.05, 0.0), (0.08, 0.06, 0.046, 0.0)], "trousers")
    person.column([(0.06, 0.062, 0.048, 0.0), (0.19, 0.078, 0.05, 0.0), (0.245, 0.05, 0.038, 0.0)], "shirt")
    person.column([(0.23, 0.022, 0.022, 0.0), (0.28, 0.022, 0.022, 0.005)], "skin", sides=6)
    person.ball((0.0, 0.008, 0.315), (0.04, 0.045, 0.052), "skin", sides=8, bands=5)
    person.column([(0.333, 0.075, 0.088, 0.006), (0.343, 0.078, 0.092, 0.006)], "hat", sides=10)
    person.column([(0.343, 0.043, 0.052, 0.004), (0.395, 0.034, 0.044, 0.004)], "hat", sides=8)
    for side in (-1, 1):
        thigh = [(0.045, 0.0, 0.03, 0.042), (0.115, 0.075, -0.06, 0.034), (0.122, 0.06, -0.11, 0.026)]
        _limb(person, side, thigh, "trousers")
        _limb(person, side, [(0.122, 0.055, -0.10, 0.03), (0.125, 0.045, -0.2, 0.024)], "boots")
        person.ball((0.125 * side, 0.075, -0.215), (0.02, 0.05, 0.02), "boots", sides=6, bands=3)
        _limb(person, side, [(0.075, 0.0, 0.22, 0.026), (0.1, 0.03, 0.12, 0.022)], "shirt")
        _limb(person, side, [(0.1, 0.03, 0.125, 0.021), (0.06, 0.12, 0.085, 0.016)], "shirt")
        person.ball((0.05 * side, 0.135, 0.08), (0.016, 0.02, 0.016), "skin", sides=5, bands=3)


def _limb(person: Shape, side: int, joints: list[tuple[float, float, float, float]], paint: str) -> None:
    """A limb through joints of (out, ahead, height, half width)."""
    person.column([(high, r, r, ahead, out * side) for out, ahead, high, r in joints], paint, sides=6)
