"""Low-poly aircraft: aeroplanes with their propellers, and a hot-air balloon.

They face +Y with +Z up, in metres.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import bpy
from mathutils import Matrix, Vector
from models import GLASS, STEEL, TYRE, WOOD, Point, Shape, ring


@dataclass(frozen=True)
class Livery:
    """The colours of an aeroplane; wings that differ above and below make a bank visible."""

    body: str
    stripe: str
    trim: str
    belly: str


WINGS = {
    "RACER": (
        (0.0, 1.05, 1.70, -0.30),
        (1.2, 1.00, 1.52, -0.24),
        (2.2, 0.92, 1.28, -0.17),
        (3.1, 0.84, 1.05, -0.11),
        (3.5, 0.68, 0.70, -0.08),
    ),
    "DELTA": (
        (0.0, 1.25, 1.95, -0.34),
        (1.2, 0.85, 1.58, -0.22),
        (2.2, 0.48, 1.22, -0.11),
        (3.0, 0.16, 0.90, -0.02),
        (3.4, -0.05, 0.62, 0.03),
    ),
    "LOWER": (
        (0.0, 0.75, 1.20, -0.48),
        (1.1, 0.75, 1.20, -0.42),
        (2.1, 0.75, 1.20, -0.36),
        (2.7, 0.71, 1.12, -0.32),
        (3.0, 0.52, 0.72, -0.31),
    ),
    "UPPER": (
        (0.0, 1.15, 1.10, 1.22),
        (1.1, 1.20, 1.24, 1.24),
        (2.1, 1.20, 1.24, 1.28),
        (2.9, 1.15, 1.14, 1.31),
        (3.3, 0.95, 0.74, 1.33),
    ),
}
"""Sections of half a wing: the distance from the middle, leading edge, chord and height."""
THICK = {"RACER": 0.13}
"""The thickness of a wing as a share of its chord, where it is not 0.12."""
FUSELAGE = tuple(
    zip(
        (2.36, 2.14, 1.25, 0.45, -0.60, -1.80, -2.90, -3.35),
        (0.36, 0.55, 0.60, 0.58, 0.50, 0.32, 0.14, 0.05),
        (-0.40, -0.58, -0.66, -0.66, -0.58, -0.36, -0.10, 0.06),
        (0.36, 0.54, 0.58, 0.60, 0.60, 0.48, 0.36, 0.30),
    )
)  # y, half width, bottom, top
FUSELAGE_SIDES = 10


def _wing(shape: Shape, kind: str, livery: Livery) -> None:
    """Add both halves of a wing: a sunburst above, one broad band below."""

    def color(panel: int, side: int) -> str:
        if side in (0, 5):
            return livery.stripe if panel >= 2 else livery.body
        if side < 3:
            return (livery.body, livery.stripe, livery.body, livery.trim)[panel]
        return (livery.belly, livery.belly, livery.trim, livery.belly)[panel]

    half = Shape()
    rings = [_airfoil(*section, THICK.get(kind, 0.12)) for section in WINGS[kind]]
    half.loft(rings, color)
    half.face(rings[-1], livery.trim)
    shape.mirrored(half)


def _airfoil(x: float, lead: float, chord: float, z: float, thickness: float) -> list[Point]:
    """Six points around a wing section: nose, over the top to the trailing edge, back below."""
    high, low = thickness * chord * 0.62, thickness * chord * 0.38
    return [
        (x, lead, z),
        (x, lead - 0.18 * chord, z + high),
        (x, lead - 0.66 * chord, z + 0.7 * high),
        (x, lead - chord, z),
        (x, lead - 0.66 * chord, z - low),
        (x, lead - 0.18 * chord, z - low),
    ]


def _tail(shape: Shape, livery: Livery) -> None:
    """Add tailplane, fin and rudder."""
    half = Shape()
    sections = [(0.0, -2.45, 0.95, 0.22), (0.75, -2.62, 0.78, 0.23), (1.3, -2.82, 0.52, 0.24)]
    rings = [_airfoil(*section, 0.10) for section in sections]
    half.loft(rings, lambda panel, side: livery.trim if panel else livery.body)
    half.face(rings[-1], livery.trim)
    shape.mirrored(half)

    fin = [(0.25, -2.30, 1.10), (0.80, -2.62, 0.86), (1.42, -3.02, 0.52)]  # height, lead, chord
    hoops = [
        [
            (0.0, lead, z),
            (0.06, lead - 0.3 * chord, z),
            (0.05, lead - 0.6 * chord, z),
            (0.0, lead - chord, z),
            (-0.05, lead - 0.6 * chord, z),
            (-0.06, lead - 0.3 * chord, z),
        ]
        for z, lead, chord in fin
    ]
    shape.loft(
        hoops,
        lambda panel, side: livery.trim if side in (2, 3) else (livery.body, livery.stripe)[panel],
        caps=(None, livery.stripe),
    )


def _fuselage(shape: Shape, livery: Livery) -> None:
    """Add the body from cowling to tail, with a stripe along its flanks and a pale belly."""
    hoops = []
    for y, width, bottom, top in FUSELAGE:
        middle, height = (bottom + top) / 2, (top - bottom) / 2
        hoops.append([(width * px, y, middle + height * pz) for px, pz, _ in ring(FUSELAGE_SIDES, 1.0, 0.0, 0.5)])

    def color(part: int, side: int) -> str:
        if part == 0:
            return livery.trim
        if side in (9, 4):
            return livery.stripe
        return livery.belly if 5 <= side <= 8 else livery.body

    shape.loft(hoops, color, caps=(TYRE, livery.trim))


def _canopy(shape: Shape, livery: Livery) -> None:
    """Add a glass bubble with a frame."""
    arches = []
    turns = [math.pi * i / 6 for i in range(7)]
    bows = ((0.95, 0.10, 0.02), (0.55, 0.40, 0.34), (0.05, 0.46, 0.50), (-0.55, 0.40, 0.42), (-1.35, 0.12, 0.04))
    for y, width, height in bows:
        arches.append([(width * math.cos(a), y, 0.50 + height * math.sin(a)) for a in turns])
    shape.loft(arches, lambda part, side: "#5f8aa8" if side in (1, 2) and part < 3 else GLASS, closed=False)
    shape.ball((0, -0.30, 0.60), (0.20, 0.22, 0.24), livery.stripe, sides=6, bands=3)


def _open_cockpit(shape: Shape, livery: Livery) -> None:
    """Add a dark opening with a windscreen and a pilot in helmet, goggles and scarf."""
    shape.face([(0.34 * x, -0.62 + 0.42 * y, 0.615) for x, y, _ in ring(8)], TYRE)
    shape.ball((0, -0.66, 0.86), (0.19, 0.21, 0.23), WOOD, sides=6, bands=4)
    shape.box((-0.15, -0.50, 0.86), (0.15, -0.43, 0.95), GLASS)
    shape.ball((0, -0.68, 0.66), (0.22, 0.22, 0.09), "#f4efe1", sides=6, bands=2)
    shape.face([(0.06, -0.86, 0.70), (-0.08, -0.84, 0.72), (-0.12, -1.65, 0.82), (0.14, -1.55, 0.74)], "#f4efe1")
    shape.face([(-0.34, -0.05, 0.56), (0.34, -0.05, 0.56), (0.22, -0.18, 0.88), (-0.22, -0.18, 0.88)], "#9cc3d8")
    shape.face([(0, -1.05, 0.86), (-0.22, -1.1, 0.56), (0, -1.95, 0.48), (0.22, -1.1, 0.56)], livery.body)


def _undercarriage(shape: Shape, livery: Livery) -> None:
    """Add two faired wheels and a tail wheel."""
    half = Shape()
    top = [(0.30, 1.05, -0.55), (0.42, 0.80, -0.55), (0.30, 0.75, -0.60)]
    half.loft([top, [(0.95, 1.02, -1.12), (1.02, 0.85, -1.10), (0.95, 0.82, -1.15)]], livery.body)
    hoops = [
        [(0.98 + w * px, y, z + h * pz) for px, pz, _ in ring(6)]
        for y, w, h, z in ((1.42, 0.04, 0.05, -1.24), (1.12, 0.13, 0.20, -1.20), (0.40, 0.03, 0.06, -1.16))
    ]
    half.loft(hoops, lambda part, side: (livery.stripe, livery.body)[part], caps=(livery.stripe, livery.body))
    tyre = [[(x, 1.05 + 0.19 * py, -1.32 + 0.19 * pz) for py, pz, _ in ring(8)] for x in (0.94, 1.04)]
    half.loft(tyre, TYRE, caps=(TYRE, TYRE))
    shape.mirrored(half)
    shape.rod((0, -2.9, -0.05), (0, -3.1, -0.34), 0.035, STEEL)


def _struts(shape: Shape, livery: Livery) -> None:
    """Add the supports of a biplane's upper wing: two pairs of struts, a cabane and bracing wires."""
    half = Shape()
    half.rod((2.1, 0.50, -0.34), (2.1, 0.95, 1.26), 0.05, livery.trim)
    half.rod((2.1, -0.15, -0.34), (2.1, 0.30, 1.26), 0.05, livery.trim)
    half.rod((0.35, 0.85, 0.48), (0.55, 1.02, 1.22), 0.04, livery.trim)
    half.rod((0.35, 0.20, 0.52), (0.55, 0.40, 1.22), 0.04, livery.trim)
    half.rod((0.55, 0.65, 1.22), (2.1, 0.20, -0.34), 0.015, STEEL, 3)
    half.rod((0.45, 0.20, -0.46), (2.1, 0.65, 1.26), 0.015, STEEL, 3)
    shape.mirrored(half)


def aeroplane(name: str, livery: Livery, kind: str = "RACER") -> bpy.types.Mesh:
    """An aerobatic aeroplane, 7 m wide; `kind` is 'RACER', 'DELTA' (swept wings) or 'BIPLANE'."""
    shape = Shape()
    _fuselage(shape, livery)
    _tail(shape, livery)
    _undercarriage(shape, livery)
    if kind == "BIPLANE":
        _wing(shape, "LOWER", livery)
        _wing(shape, "UPPER", livery)
        _struts(shape, livery)
        _open_cockpit(shape, livery)
    else:
        _wing(shape, kind, livery)
        _canopy(shape, livery)
    return shape.mesh(name)


def propeller(name: str, spinner: str, blades: int = 3) -> bpy.types.Mesh:
    """A spinner with blades and a faint disc for motion blur; it turns about its Y axis."""
    shape = Shape()
    nose = [(0.0, 0.34), (0.24, 0.27), (0.46, 0.14), (0.58, 0.02)]  # y, radius
    shape.loft([[(r * px, y, r * pz) for px, pz, _ in ring(8)] for y, r in nose], spinner, caps=(TYRE, spinner))
    for blade in range(blades):
        turn = Matrix.Rotation(math.tau * blade / blades, 3, "Y")
        sections = ((0.20, 0.07, 0.10), (0.55, 0.11, 0.05), (0.92, 0.10, 0.02), (1.05, 0.05, 0.01))
        corners = ((-1.0, -1.0), (1.0, -0.3), (1.0, 1.0), (-1.0, 0.3))
        hoops = [[turn @ Vector((u * w, 0.16 + v * t, z)) for u, v in corners] for z, w, t in sections]
        shape.loft(hoops, lambda part, side: "#e8b83a" if part == 2 else TYRE, caps=(None, "#e8b83a"))
    shape.face([(px * 1.06, 0.14, pz * 1.06) for px, pz, _ in ring(20)], "#dfe9ee38")
    return shape.mesh(name)


ENVELOPE = tuple(
    zip(
        (-7.4, -6.0, -4.0, -1.8, 0.6, 2.8, 4.8, 6.2, 6.9, 7.1),
        (1.1, 2.5, 4.3, 5.7, 6.4, 6.2, 5.0, 3.2, 1.5, 0.3),
    )
)  # height above the middle of the envelope, radius


def balloon(name: str, gores: Sequence[str], band: Sequence[str]) -> bpy.types.Mesh:
    """A hot-air balloon, 13 m wide: sixteen bulging gores in alternating colours, a band and a wicker basket."""
    count, split = 16, 2
    shape = Shape()
    hoops = []
    for z, radius in ENVELOPE:
        circle = ring(count * split)
        swell = [1.0 if i % split else 0.955 for i in range(count * split)]
        hoops.append([(x * radius * s, y * radius * s, z) for (x, y, _), s in zip(circle, swell)])

    def color(part: int, side: int) -> str:
        gore = side // split
        if part in (3, 4):
            return band[(gore + part) % len(band)]
        return gores[(gore + (part > 4)) % len(gores)]

    shape.loft(hoops, color, caps=(TYRE, gores[0]))
    shape.loft([ring(count, 1.1, -7.4), ring(count, 0.85, -8.1)], gores[1], caps=(gores[1], TYRE))

    bottom, top = -11.4, -10.1
    corner = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    hoops = [
        [(x * w, y * w, z) for x, y in corner] for z, w in ((bottom, 0.78), ((bottom + top) / 2, 0.86), (top, 0.92))
    ]
    shape.loft(hoops, lambda part, side: (WOOD, "#a9743f")[part], caps=(WOOD, TYRE))
    shape.loft(
        [[(x * w, y * w, z) for x, y in corner] for z, w in ((top - 0.02, 1.0), (top + 0.16, 1.0))],
        "#5b3a20",
        caps=("#5b3a20", "#5b3a20"),
    )
    shape.box((-0.22, -0.22, -9.1), (0.22, 0.22, -8.8), STEEL)
    for x, y in corner:
        shape.rod((0.9 * x, 0.9 * y, top), (0.75 * x, 0.75 * y, -8.0), 0.045, "#5b3a20")
        shape.rod((0.9 * x, 0.9 * y, top), (0.2 * x, 0.2 * y, -8.95), 0.045, STEEL)
    for x, color_ in ((-0.35, "#2f5d73"), (0.35, "#b8452f")):  # two passengers
        shape.rod((x, 0, top - 0.3), (x, 0, top + 0.5), 0.24, color_, 6)
        shape.ball((x, 0, top + 0.68), (0.19, 0.19, 0.22), "#e0ac84", sides=6, bands=4)
    return shape.mesh(name)
