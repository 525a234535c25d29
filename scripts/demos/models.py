"""Low-poly models made in code: aeroplane, hot-air balloon, pylon, trees, hangar, windsock, cloud.

Every model looks along +Y with +Z up, in metres, and is plain mesh data with one material a colour.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import bmesh
import bpy
from mathutils import Matrix, Vector

Point = Sequence[float]
Paint = str | Callable[[int, int], str]

GLASS = "#274156"
TYRE = "#23262b"
STEEL = "#8d99a6"
WOOD = "#7a5230"


# -- colour and mesh ---------------------------------------------------------------------------


def linear(color: str) -> tuple[float, float, float, float]:
    """The linear RGBA of "#rrggbb" or "#rrggbbaa", as Blender's materials want it."""
    channels = [int(color[i : i + 2], 16) / 255 for i in range(1, len(color), 2)]
    rgb = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels[:3]]
    return rgb[0], rgb[1], rgb[2], channels[3] if len(channels) == 4 else 1.0


def paint(color: str) -> bpy.types.Material:
    """The material of a colour, made once: Workbench shows it, and so do the other engines."""
    material = bpy.data.materials.get(color)
    if material is None:
        material = bpy.data.materials.new(color)
        material.diffuse_color = linear(color)
        material.roughness = 0.6
        if material.node_tree is None:
            material.use_nodes = True
        shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
        shader.inputs["Base Color"].default_value = linear(color)
        shader.inputs["Alpha"].default_value = linear(color)[3]
    return material


@dataclass
class Shape:
    """Vertices, faces and the colour of each face, gathered until they become one mesh."""

    vertices: list[Vector] = field(default_factory=list)
    faces: list[tuple[int, ...]] = field(default_factory=list)
    colors: list[str] = field(default_factory=list)

    def face(self, points: Iterable[Point], color: str) -> None:
        """Add one face with corners of its own."""
        first = len(self.vertices)
        self.vertices += [Vector(point) for point in points]
        self.faces.append(tuple(range(first, len(self.vertices))))
        self.colors.append(color)

    def loft(
        self,
        rings: Sequence[Sequence[Point]],
        color: Paint,
        *,
        closed: bool = True,
        caps: tuple[str | None, str | None] = (None, None),
    ) -> None:
        """Skin rings of equally many points; `color` may depend on (ring, side). Caps close the ends."""
        first, count = len(self.vertices), len(rings[0])
        self.vertices += [Vector(point) for ring in rings for point in ring]
        for ring in range(len(rings) - 1):
            for side in range(count if closed else count - 1):
                a = first + ring * count + side
                b = first + ring * count + (side + 1) % count
                self.faces.append((a, b, b + count, a + count))
                self.colors.append(color if isinstance(color, str) else color(ring, side))
        last = first + (len(rings) - 1) * count
        for start, cap, step in ((first, caps[0], -1), (last, caps[1], 1)):
            if cap is not None:
                self.faces.append(tuple(range(start, start + count))[::step])
                self.colors.append(cap)

    def box(self, low: Point, high: Point, color: str) -> None:
        """Add an upright box between two corners."""
        rings = [
            [(low[0], low[1], z), (high[0], low[1], z), (high[0], high[1], z), (low[0], high[1], z)]
            for z in (low[2], high[2])
        ]
        self.loft(rings, color, caps=(color, color))

    def rod(self, start: Point, end: Point, radius: float, color: str, sides: int = 4) -> None:
        """Add a straight rod, for struts and ropes."""
        a, b = Vector(start), Vector(end)
        turn = (b - a).to_track_quat("Z", "Y")
        circle = [turn @ Vector(point) for point in ring(sides, radius)]
        self.loft([[a + p for p in circle], [b + p for p in circle]], color, caps=(color, color))

    def ball(self, center: Point, radii: Point, color: Paint, sides: int = 8, rings: int = 5) -> None:
        """Add an ellipsoid of `rings` bands."""
        hoops = []
        for i in range(rings + 1):
            angle = math.pi * (i / rings - 0.5)
            angle = max(-1.5, min(1.5, angle))
            x, y, z = (
                math.cos(angle) * radii[0],
                math.cos(angle) * radii[1],
                math.sin(angle) * radii[2],
            )
            hoops.append([(center[0] + px * x, center[1] + py * y, center[2] + z) for px, py, _ in ring(sides)])
        ends = (color, color) if isinstance(color, str) else (color(0, 0), color(rings - 1, 0))
        self.loft(hoops, color, caps=ends)

    def mirrored(self, other: Shape) -> None:
        """Add another shape twice: as it is, and mirrored left to right."""
        for flip in (1, -1):
            first = len(self.vertices)
            self.vertices += [Vector((v.x * flip, v.y, v.z)) for v in other.vertices]
            self.faces += [tuple(first + i for i in face[::flip]) for face in other.faces]
            self.colors += other.colors

    def mesh(self, name: str, *, smooth: bool = False) -> bpy.types.Mesh:
        """The shape as a mesh of that name."""
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata([tuple(v) for v in self.vertices], [], self.faces)
        palette = list(dict.fromkeys(self.colors))
        for color in palette:
            mesh.materials.append(paint(color))
        mesh.polygons.foreach_set("material_index", [palette.index(c) for c in self.colors])
        mesh.polygons.foreach_set("use_smooth", [smooth] * len(self.faces))
        solid = bmesh.new()
        solid.from_mesh(mesh)
        if not smooth:
            # Walls that do not hang together may be turned inside out, and then their shadows flicker on them.
            bmesh.ops.remove_doubles(solid, verts=solid.verts, dist=1e-5)
        bmesh.ops.recalc_face_normals(solid, faces=solid.faces)
        solid.to_mesh(mesh)
        solid.free()
        return mesh


def ring(sides: int, radius: float = 1.0, z: float = 0.0, turn: float = 0.0) -> list[Point]:
    """A level circle of points, counter-clockwise seen from above."""
    return [
        (
            radius * math.cos(math.tau * (i + turn) / sides),
            radius * math.sin(math.tau * (i + turn) / sides),
            z,
        )
        for i in range(sides)
    ]


def place(
    name: str,
    mesh: bpy.types.Mesh,
    location: Point = (0, 0, 0),
    *,
    heading: float = 0.0,
    scale: float = 1.0,
    collection: bpy.types.Collection | None = None,
) -> bpy.types.Object:
    """Put an object with this mesh into the scene (or a collection of it), turned about the vertical."""
    ob = bpy.data.objects.new(name, mesh)
    ob.matrix_world = Matrix.Translation(location) @ Matrix.Rotation(heading, 4, "Z") @ Matrix.Scale(scale, 4)
    (collection or bpy.context.scene.collection).objects.link(ob)
    return ob


# -- aeroplane ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Livery:
    """The colours of an aeroplane: the top of the wings differs from below, so that a bank reads."""

    body: str
    stripe: str
    trim: str
    belly: str


@dataclass(frozen=True)
class WingPlan:
    """Half a wing seen from above: (distance from the middle, leading edge, chord, height) a section."""

    sections: tuple[tuple[float, float, float, float], ...]
    thickness: float


RACER_WING = WingPlan(
    (
        (0.0, 1.05, 1.70, -0.30),
        (1.2, 1.00, 1.52, -0.24),
        (2.2, 0.92, 1.28, -0.17),
        (3.1, 0.84, 1.05, -0.11),
        (3.5, 0.68, 0.70, -0.08),
    ),
    0.13,
)
DELTA_WING = WingPlan(
    (
        (0.0, 1.25, 1.95, -0.34),
        (1.2, 0.85, 1.58, -0.22),
        (2.2, 0.48, 1.22, -0.11),
        (3.0, 0.16, 0.90, -0.02),
        (3.4, -0.05, 0.62, 0.03),
    ),
    0.12,
)
LOWER_WING = WingPlan(
    (
        (0.0, 0.75, 1.20, -0.48),
        (1.1, 0.75, 1.20, -0.42),
        (2.1, 0.75, 1.20, -0.36),
        (2.7, 0.71, 1.12, -0.32),
        (3.0, 0.52, 0.72, -0.31),
    ),
    0.12,
)
UPPER_WING = WingPlan(
    (
        (0.0, 1.15, 1.10, 1.22),
        (1.1, 1.20, 1.24, 1.24),
        (2.1, 1.20, 1.24, 1.28),
        (2.9, 1.15, 1.14, 1.31),
        (3.3, 0.95, 0.74, 1.33),
    ),
    0.12,
)
FUSELAGE = (  # along, half width, bottom, top
    (2.36, 0.36, -0.40, 0.36),
    (2.14, 0.55, -0.58, 0.54),
    (1.25, 0.60, -0.66, 0.58),
    (0.45, 0.58, -0.66, 0.60),
    (-0.60, 0.50, -0.58, 0.60),
    (-1.80, 0.32, -0.36, 0.48),
    (-2.90, 0.14, -0.10, 0.36),
    (-3.35, 0.05, 0.06, 0.30),
)
FUSELAGE_SIDES = 10


def _wing(shape: Shape, plan: WingPlan, livery: Livery) -> None:
    """Add both halves of a wing: sunburst on top, one broad band below."""

    def color(panel: int, side: int) -> str:
        if side in (0, 5):
            return livery.stripe if panel >= 2 else livery.body
        if side < 3:
            return (livery.body, livery.stripe, livery.body, livery.trim)[panel]
        return (livery.belly, livery.belly, livery.trim, livery.belly)[panel]

    half = Shape()
    half.loft([_airfoil(*section, plan.thickness) for section in plan.sections], color)
    tip = _airfoil(*plan.sections[-1], plan.thickness)
    half.face(tip, livery.trim)
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
    """Add the body from cowling to tail, a stripe along its flanks and a pale belly."""
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
    for y, width, height in (
        (0.95, 0.10, 0.02),
        (0.55, 0.40, 0.34),
        (0.05, 0.46, 0.50),
        (-0.55, 0.40, 0.42),
        (-1.35, 0.12, 0.04),
    ):
        arches.append(
            [(width * math.cos(a), y, 0.50 + height * math.sin(a)) for a in (math.pi * i / 6 for i in range(7))]
        )
    shape.loft(arches, lambda part, side: "#5f8aa8" if side in (1, 2) and part < 3 else GLASS, closed=False)
    shape.ball((0, -0.30, 0.60), (0.20, 0.22, 0.24), livery.stripe, sides=6, rings=3)


def _open_cockpit(shape: Shape, livery: Livery) -> None:
    """Add a dark opening with a pilot in helmet, goggles and scarf behind a windscreen."""
    shape.face([(0.34 * x, -0.62 + 0.42 * y, 0.615) for x, y, _ in ring(8)], TYRE)
    shape.ball((0, -0.66, 0.86), (0.19, 0.21, 0.23), WOOD, sides=6, rings=4)
    shape.box((-0.15, -0.50, 0.86), (0.15, -0.43, 0.95), GLASS)
    shape.ball((0, -0.68, 0.66), (0.22, 0.22, 0.09), "#f4efe1", sides=6, rings=2)
    shape.face([(0.06, -0.86, 0.70), (-0.08, -0.84, 0.72), (-0.12, -1.65, 0.82), (0.14, -1.55, 0.74)], "#f4efe1")
    shape.face([(-0.34, -0.05, 0.56), (0.34, -0.05, 0.56), (0.22, -0.18, 0.88), (-0.22, -0.18, 0.88)], "#9cc3d8")
    shape.face([(0, -1.05, 0.86), (-0.22, -1.1, 0.56), (0, -1.95, 0.48), (0.22, -1.1, 0.56)], livery.body)


def _undercarriage(shape: Shape, livery: Livery) -> None:
    """Add two faired wheels and a tail wheel."""
    half = Shape()
    half.loft(
        [
            [(0.30, 1.05, -0.55), (0.42, 0.80, -0.55), (0.30, 0.75, -0.60)],
            [(0.95, 1.02, -1.12), (1.02, 0.85, -1.10), (0.95, 0.82, -1.15)],
        ],
        livery.body,
    )
    hoops = [
        [(0.98 + w * px, y, z + h * pz) for px, pz, _ in ring(6)]
        for y, w, h, z in ((1.42, 0.04, 0.05, -1.24), (1.12, 0.13, 0.20, -1.20), (0.40, 0.03, 0.06, -1.16))
    ]
    half.loft(hoops, lambda part, side: (livery.stripe, livery.body)[part], caps=(livery.stripe, livery.body))
    half.loft(
        [[(x, 1.05 + 0.19 * py, -1.32 + 0.19 * pz) for py, pz, _ in ring(8)] for x in (0.94, 1.04)],
        TYRE,
        caps=(TYRE, TYRE),
    )
    shape.mirrored(half)
    shape.rod((0, -2.9, -0.05), (0, -3.1, -0.34), 0.035, STEEL)


def _struts(shape: Shape, livery: Livery) -> None:
    """Add what holds the upper wing of a biplane: two pairs of struts, a cabane and bracing wires."""
    half = Shape()
    half.rod((2.1, 0.50, -0.34), (2.1, 0.95, 1.26), 0.05, livery.trim)
    half.rod((2.1, -0.15, -0.34), (2.1, 0.30, 1.26), 0.05, livery.trim)
    half.rod((0.35, 0.85, 0.48), (0.55, 1.02, 1.22), 0.04, livery.trim)
    half.rod((0.35, 0.20, 0.52), (0.55, 0.40, 1.22), 0.04, livery.trim)
    half.rod((0.55, 0.65, 1.22), (2.1, 0.20, -0.34), 0.015, STEEL, 3)
    half.rod((0.45, 0.20, -0.46), (2.1, 0.65, 1.26), 0.015, STEEL, 3)
    shape.mirrored(half)


def aeroplane(name: str, livery: Livery, kind: str = "RACER") -> bpy.types.Mesh:
    """An aerobatic aeroplane of 7 m span: a 'RACER', a 'DELTA' with swept wings, or a 'BIPLANE'."""
    shape = Shape()
    _fuselage(shape, livery)
    _tail(shape, livery)
    _undercarriage(shape, livery)
    if kind == "BIPLANE":
        _wing(shape, LOWER_WING, livery)
        _wing(shape, UPPER_WING, livery)
        _struts(shape, livery)
        _open_cockpit(shape, livery)
    else:
        _wing(shape, {"RACER": RACER_WING, "DELTA": DELTA_WING}[kind], livery)
        _canopy(shape, livery)
    return shape.mesh(name)


def propeller(name: str, spinner: str, blades: int = 3) -> bpy.types.Mesh:
    """A spinner with blades in the faint disc of their speed; it turns about its own Y axis."""
    shape = Shape()
    nose = [(0.0, 0.34), (0.24, 0.27), (0.46, 0.14), (0.58, 0.02)]  # along, radius
    shape.loft([[(r * px, y, r * pz) for px, pz, _ in ring(8)] for y, r in nose], spinner, caps=(TYRE, spinner))
    for blade in range(blades):
        turn = Matrix.Rotation(math.tau * blade / blades, 3, "Y")
        sections = ((0.20, 0.07, 0.10), (0.55, 0.11, 0.05), (0.92, 0.10, 0.02), (1.05, 0.05, 0.01))
        hoops = [
            [
                turn @ Vector((-w, 0.16 - t, z)),
                turn @ Vector((w, 0.16 - 0.3 * t, z)),
                turn @ Vector((w, 0.16 + t, z)),
                turn @ Vector((-w, 0.16 + 0.3 * t, z)),
            ]
            for z, w, t in sections
        ]
        shape.loft(hoops, lambda part, side: "#e8b83a" if part == 2 else TYRE, caps=(None, "#e8b83a"))
    shape.face([(px * 1.06, 0.14, pz * 1.06) for px, pz, _ in ring(20)], "#dfe9ee38")
    return shape.mesh(name)


# -- balloon and pylon -------------------------------------------------------------------------

ENVELOPE = (  # height above the middle of the envelope, radius
    (-7.4, 1.1),
    (-6.0, 2.5),
    (-4.0, 4.3),
    (-1.8, 5.7),
    (0.6, 6.4),
    (2.8, 6.2),
    (4.8, 5.0),
    (6.2, 3.2),
    (6.9, 1.5),
    (7.1, 0.3),
)


def balloon(name: str, gores: Sequence[str], band: Sequence[str]) -> bpy.types.Mesh:
    """A hot-air balloon 13 m wide: sixteen swelling gores in turn of colour, a band, a wicker basket."""
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
    for x, color_ in ((-0.35, "#2f5d73"), (0.35, "#b8452f")):  # the two who ride
        shape.rod((x, 0, top - 0.3), (x, 0, top + 0.5), 0.24, color_, 6)
        shape.ball((x, 0, top + 0.68), (0.19, 0.19, 0.22), "#e0ac84", sides=6, rings=4)
    return shape.mesh(name)


def pylon(name: str, height: float = 24.0, red: str = "#e03a2c", white: str = "#f8f4ea") -> bpy.types.Mesh:
    """An air-race pylon: a tall cone in red and white bands on a round foot."""
    bands, sides = 8, 12
    shape = Shape()
    hoops = [
        ring(sides, 1.5 - 1.15 * level / bands, 0.6 + (height - 0.6) * level / bands) for level in range(bands + 1)
    ]
    shape.loft(hoops, lambda part, side: (red, white)[part % 2], caps=(red, red))
    shape.loft([ring(sides, 1.9, 0.0), ring(sides, 1.8, 0.6)], "#3c4650", caps=("#3c4650", "#3c4650"))
    return shape.mesh(name)


# -- what stands about -------------------------------------------------------------------------


def conifer(name: str, greens: Sequence[str], seed: int) -> bpy.types.Mesh:
    """A spruce of 7 m: three skirts on a trunk."""
    chance = random.Random(seed)
    shape = Shape()
    shape.loft([ring(5, 0.28, -0.3), ring(5, 0.2, 1.4)], "#5b4430", caps=("#5b4430", "#5b4430"))
    for level, (low, high, radius) in enumerate(((1.0, 3.9, 1.9), (2.7, 5.5, 1.45), (4.3, 7.2, 0.95))):
        skirt = [
            (x * k, y * k, z + chance.uniform(-0.15, 0.15))
            for x, y, z in ring(7, radius, low, chance.random())
            for k in (chance.uniform(0.88, 1.1),)
        ]
        shape.loft([skirt, ring(7, 0.04, high)], greens[level % len(greens)], caps=(greens[0], greens[-1]))
    return shape.mesh(name)


def broadleaf(name: str, greens: Sequence[str], seed: int) -> bpy.types.Mesh:
    """A round tree of 6 m: a few lumps of leaves on a trunk, lighter above."""
    chance = random.Random(seed)
    shape = Shape()
    shape.loft([ring(5, 0.32, -0.3), ring(5, 0.22, 2.2)], "#6a4b33", caps=("#6a4b33", "#6a4b33"))
    for _ in range(3):
        center = (chance.uniform(-0.8, 0.8), chance.uniform(-0.8, 0.8), chance.uniform(3.0, 4.4))
        size = chance.uniform(1.3, 1.9)
        shape.ball(
            center,
            (size, size * chance.uniform(0.85, 1.1), size * 0.9),
            lambda part, side: greens[min(part, len(greens) - 1)],
            sides=7,
            rings=4,
        )
    return shape.mesh(name)


def cloud(name: str, colors: Sequence[str], seed: int) -> bpy.types.Mesh:
    """A flat-bottomed cloud, 50 m long, of overlapping lumps in five colours from below to above."""
    chance = random.Random(seed)
    shape = Shape()
    for i in range(6):
        along = (i - 2.5) * 8.5
        size = 10.5 - 1.3 * abs(i - 2.5) + chance.uniform(-1.5, 2.0)
        shape.ball(
            (along, chance.uniform(-4, 4), size * 0.35),
            (size, size * 0.8, size * 0.62),
            lambda part, side: colors[part],
            sides=9,
            rings=5,
        )
    for vertex in shape.vertices:
        vertex.z = max(vertex.z, -1.0)
    return shape.mesh(name)


def hangar(name: str, wall: str = "#d9d2c0", roof: str = "#b5483a") -> bpy.types.Mesh:
    """A hangar 16 m wide with a round roof; the door looks along +Y."""
    shape = Shape()
    arch = [(8 * math.cos(a), 3.2 + 4.2 * math.sin(a)) for a in (math.pi * i / 8 for i in range(9))]
    outline = [(8.0, 0.0), *arch, (-8.0, 0.0)]
    back, front = ([(x, y, z) for x, z in outline] for y in (-7.0, 7.0))
    shape.loft(
        [front, back],
        lambda part, side: wall if side in (0, len(outline) - 2) else roof,
        closed=False,
    )
    shape.face(front[::-1], wall)
    shape.face(back, wall)
    shape.face([(-5.8, 7.05, 0), (5.8, 7.05, 0), (5.8, 7.05, 4.6), (-5.8, 7.05, 4.6)][::-1], "#55606b")
    for x in (-2.9, 0.0, 2.9):
        shape.face([(x - 0.08, 7.1, 0), (x + 0.08, 7.1, 0), (x + 0.08, 7.1, 4.6), (x - 0.08, 7.1, 4.6)][::-1], wall)
    return shape.mesh(name)


def windsock(name: str) -> bpy.types.Mesh:
    """A pole of 7 m with a striped sock that blows along +Y."""
    shape = Shape()
    shape.rod((0, 0, 0), (0, 0, 7.0), 0.09, "#f6f3ea", 5)
    hoops = [
        [(r * px, y, 6.6 - 0.12 * y + r * pz) for px, pz, _ in ring(8)]
        for y, r in ((0.1, 0.55), (0.9, 0.50), (1.7, 0.44), (2.5, 0.38), (3.3, 0.32))
    ]
    shape.loft(hoops, lambda part, side: ("#ee6b26", "#f6f3ea")[part % 2])
    return shape.mesh(name)
