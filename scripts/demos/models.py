"""Low-poly meshes made in code: how shapes and materials are made, and the outdoor scenery.

Every model faces +Y with +Z up, in metres, and is plain mesh data with one material per colour.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Vector

from scripts.modelling import shape as modelling
from scripts.modelling.shape import Paint, linear, new_material

Point = Sequence[float]

GLASS = "#274156"
TYRE = "#23262b"
STEEL = "#8d99a6"
WOOD = "#7a5230"


def paint(color: str) -> bpy.types.Material:
    """The material of a colour, made on first use, for Workbench and the other render engines."""
    return bpy.data.materials.get(color) or new_material(color, linear(color))


def recolor(obs: Iterable[bpy.types.Object], colors: Mapping[str, str]) -> None:
    """Give the materials of objects and their parts, which nothing else uses, colors by the paint that they name."""
    parts = {part for ob in obs for part in (ob, *ob.children_recursive) if part.type == "MESH"}
    for material in {material for part in parts for material in part.data.materials}:
        for name, color in colors.items():
            if name in material.name:
                material.diffuse_color = linear(color)
                shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
                shader.inputs["Base Color"].default_value = linear(color)


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


class Shape(modelling.Shape):
    """A mesh under construction, in metres, whose paints are colours."""

    def loft(
        self,
        rings: Sequence[Sequence[Point]],
        color: Paint,
        *,
        closed: bool = True,
        caps: tuple[str | None, str | None] = (None, None),
    ) -> None:
        """Skin rings of equal length, and close the ends in the colours of `caps`."""
        first, count = len(self.corners), len(rings[0])
        self.skin(rings, color, close=False, around=closed)
        last = first + (len(rings) - 1) * count
        for start, cap, step in ((first, caps[0], -1), (last, caps[1], 1)):
            if cap is not None:
                self.faces.append(tuple(range(start, start + count))[::step])
                self.paints.append(cap)

    def rod(self, start: Point, end: Point, radius: float, color: str, sides: int = 4) -> None:
        """Add a straight rod."""
        a, b = Vector(start), Vector(end)
        turn = (b - a).to_track_quat("Z", "Y")
        circle = [turn @ Vector(point) for point in ring(sides, radius)]
        self.loft([[a + p for p in circle], [b + p for p in circle]], color, caps=(color, color))

    def mirrored(self, other: Shape) -> None:
        """Add another shape twice: unchanged, and mirrored in X."""
        for flip in (1, -1):
            first = len(self.corners)
            self.corners += [(x * flip, y, z) for x, y, z in other.corners]
            self.faces += [tuple(first + i for i in face[::flip]) for face in other.faces]
            self.paints += other.paints

    def mesh(self, name: str, *, smooth: bool = False) -> bpy.types.Mesh:
        """Make a mesh of this name from the shape."""
        mesh = super().mesh(name, SimpleNamespace(material=paint), 1.0)
        mesh.polygons.foreach_set("use_smooth", [smooth] * len(self.faces))
        solid = bmesh.new()
        solid.from_mesh(mesh)
        if not smooth:
            # Normals of unconnected faces may be recalculated inwards, and then shadows flicker on them.
            bmesh.ops.remove_doubles(solid, verts=solid.verts, dist=1e-5)
        bmesh.ops.recalc_face_normals(solid, faces=solid.faces)
        solid.to_mesh(mesh)
        solid.free()
        return mesh


def ring(sides: int, radius: float = 1.0, z: float = 0.0, turn: float = 0.0) -> list[Point]:
    """A horizontal circle of points, counter-clockwise seen from above."""
    angles = (math.tau * (i + turn) / sides for i in range(sides))
    return [(radius * math.cos(angle), radius * math.sin(angle), z) for angle in angles]


def place(
    name: str,
    mesh: bpy.types.Mesh,
    location: Point = (0, 0, 0),
    *,
    heading: float = 0.0,
    scale: float = 1.0,
    collection: bpy.types.Collection | None = None,
) -> bpy.types.Object:
    """Add an object with this mesh to the scene or a collection, rotated about Z by `heading`."""
    ob = bpy.data.objects.new(name, mesh)
    ob.matrix_world = Matrix.Translation(location) @ Matrix.Rotation(heading, 4, "Z") @ Matrix.Scale(scale, 4)
    (collection or bpy.context.scene.collection).objects.link(ob)
    return ob


def pylon(name: str, height: float = 24.0, red: str = "#e03a2c", white: str = "#f8f4ea") -> bpy.types.Mesh:
    """An air-race pylon: a tall cone with red and white bands on a round foot."""
    bands, sides = 8, 12
    shape = Shape()
    hoops = [
        ring(sides, 1.5 - 1.15 * level / bands, 0.6 + (height - 0.6) * level / bands) for level in range(bands + 1)
    ]
    shape.loft(hoops, lambda part, side: (red, white)[part % 2], caps=(red, red))
    shape.loft([ring(sides, 1.9, 0.0), ring(sides, 1.8, 0.6)], "#3c4650", caps=("#3c4650", "#3c4650"))
    return shape.mesh(name)


def conifer(name: str, greens: Sequence[str], seed: int) -> bpy.types.Mesh:
    """A spruce, 7 m high: three cones on a trunk."""
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
    """A round tree, 6 m high: a few balls of leaves on a trunk, lighter at the top."""
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
            bands=4,
        )
    return shape.mesh(name)


def cloud(name: str, colors: Sequence[str], seed: int) -> bpy.types.Mesh:
    """A flat-bottomed cloud, 50 m long, of overlapping balls in five colours from bottom to top."""
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
            bands=5,
        )
    shape.corners = [(x, y, max(z, -1.0)) for x, y, z in shape.corners]
    return shape.mesh(name)


def hangar(name: str, wall: str = "#d9d2c0", roof: str = "#b5483a") -> bpy.types.Mesh:
    """A hangar, 16 m wide, with a round roof; its door faces +Y."""
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
    """A pole, 7 m high, with a striped sock that points to +Y."""
    shape = Shape()
    shape.rod((0, 0, 0), (0, 0, 7.0), 0.09, "#f6f3ea", 5)
    hoops = [
        [(r * px, y, 6.6 - 0.12 * y + r * pz) for px, pz, _ in ring(8)]
        for y, r in ((0.1, 0.55), (0.9, 0.50), (1.7, 0.44), (2.5, 0.38), (3.3, 0.32))
    ]
    shape.loft(hoops, lambda part, side: ("#ee6b26", "#f6f3ea")[part % 2])
    return shape.mesh(name)
