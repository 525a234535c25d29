"""Low-poly models: faces with named colors that become one mesh.

Models face +Y with +Z up and are one unit long or tall; `Shape.mesh` scales them to the size of the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import bpy
import numpy as np

Point = tuple[float, float, float]
Colors = Mapping[str, str]
"""Colors as "#rrggbb" by the name of the paint."""
Paint = str | Callable[[int, int], str]
"""The name of a paint, or a function that returns it for a (ring, side)."""


def oval(sides: int, width: float, height: float) -> list[tuple[float, float]]:
    """Points (x, y) around an oval, counter-clockwise, with a flat side at either end of the x axis. `sides`: number of
    points; `width`, `height`: half axes."""
    turns = [math.tau * (i + 0.5) / sides for i in range(sides)]
    return [(width * math.cos(turn), height * math.sin(turn)) for turn in turns]


def stored(number: float) -> float:
    """A number as Blender stores it, and so hands it to the operators of ready scenes: with 32 bits."""
    return float(np.float32(number))


class Shape:
    """The corners, faces and face paints of a model."""

    def __init__(self) -> None:
        self.corners: list[Point] = []
        self.faces: list[tuple[int, ...]] = []
        self.paints: list[str] = []

    def face(self, corners: Sequence[Point], paint: str) -> None:
        """Add a face with its own corners."""
        first = len(self.corners)
        self.corners += corners
        self.faces.append(tuple(range(first, len(self.corners))))
        self.paints.append(paint)

    def skin(self, rings: Sequence[Sequence[Point]], paint: Paint, *, close: bool = True, around: bool = True) -> None:
        """Add faces between consecutive rings of points, which all have the same number of points. `close`: whether to
        close both ends, in the paints of the end rings; `around`: whether the rings are closed."""
        first, count = len(self.corners), len(rings[0])
        paint_of = paint if callable(paint) else lambda _ring, _side: paint
        self.corners += [corner for ring in rings for corner in ring]
        for ring in range(len(rings) - 1):
            for side in range(count if around else count - 1):
                a, b = (first + ring * count + s for s in (side, (side + 1) % count))
                self.faces.append((a, b, b + count, a + count))
                self.paints.append(paint_of(ring, side))
        if close:
            last = first + (len(rings) - 1) * count
            self.faces += [tuple(range(first, first + count))[::-1], tuple(range(last, last + count))]
            self.paints += [paint_of(0, 0), paint_of(len(rings) - 2, 0)]

    def trunk(self, sections: Sequence[tuple[float, float, float, float]], paint: Paint, sides: int = 8) -> None:
        """Add a body along Y from sections of (along, half width, bottom, top)."""
        rings = []
        for y, width, bottom, top in sections:
            middle = (bottom + top) / 2
            rings.append([(x, y, middle + z) for x, z in oval(sides, width, (top - bottom) / 2)])
        self.skin(rings, paint)

    def column(self, sections: Sequence[Sequence[float]], paint: Paint, sides: int = 8) -> None:
        """Add a body along Z from sections of (height, half width, half depth, offset along Y and maybe X)."""
        rings = []
        for z, w, d, ahead, *aside in sections:
            rings.append([(x + sum(aside), y + ahead, z) for x, y in oval(sides, w, d)])
        self.skin(rings, paint)

    def ball(self, middle: Point, radii: Point, paint: Paint, sides: int = 6, bands: int = 4) -> None:
        """Add an ellipsoid with half axes `radii`."""
        sections = []
        for i in range(bands + 1):
            angle = 0.95 * math.pi * (i / bands - 0.5)
            wide = math.cos(angle)
            sections.append((math.sin(angle) * radii[2], wide * radii[0], wide * radii[1]))
        x0, y0, z0 = middle
        self.skin([[(x0 + x, y0 + y, z0 + z) for x, y in oval(sides, w, d)] for z, w, d in sections], paint)

    def box(self, low: Point, high: Point, paint: str) -> None:
        """Add a box between two corners."""
        corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
        self.skin([[(x, y, z) for x, y in corners] for z in (low[2], high[2])], paint)

    def mesh(self, name: str, paints: Paints, size: float) -> bpy.types.Mesh:
        """A new mesh of the shape, scaled by `size`."""
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata([(size * x, size * y, size * z) for x, y, z in self.corners], [], self.faces)
        used = list(dict.fromkeys(self.paints))
        for paint in used:
            mesh.materials.append(paints.material(paint))
        mesh.polygons.foreach_set("material_index", [used.index(paint) for paint in self.paints])
        mesh.update()
        return mesh


class Paints:
    """New materials in the colors of one model."""

    def __init__(self, owner: str, colors: Colors) -> None:
        self.owner = owner
        self.colors = colors
        self._made: dict[str, bpy.types.Material] = {}

    def material(self, paint: str) -> bpy.types.Material:
        """The material of a paint, created at the first call."""
        if paint not in self._made:
            self._made[paint] = new_material(f"{self.owner} {paint.title()}", linear(self.colors[paint]))
        return self._made[paint]


def new_material(name: str, color: tuple[float, float, float, float]) -> bpy.types.Material:
    """A material of a color, for Workbench and the other render engines."""
    material = bpy.data.materials.new(name)
    material.diffuse_color = color
    material.roughness = 0.6
    if material.node_tree is None:
        material.use_nodes = True
    shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value, shader.inputs["Alpha"].default_value = color, color[3]
    shader.inputs["Roughness"].default_value = 0.6
    return material


def linear(color: str) -> tuple[float, float, float, float]:
    """The linear RGBA color of "#rrggbb" or "#rrggbbaa", as in Blender's materials."""
    *channels, alpha = [int(f"{color}ff"[i : i + 2], 16) / 255 for i in (1, 3, 5, 7)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return r, g, b, alpha
