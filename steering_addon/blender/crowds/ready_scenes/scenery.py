"""Ground, lines and curves for ready scenes."""

import random
from collections.abc import Callable, Sequence

import bpy
import numpy as np
from bpy.types import BezierSplinePoint, Curve, Mesh
from mathutils import Vector

from ....simulation.arrays.scalars import EPSILON
from .models import append

CELLS = 72
HILLS = 9
Heights = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""The heights above the middle of the scene at x and y, metres."""


def hills(half: float, steepest: float, random_numbers: random.Random) -> Heights:
    """Random hills and hollows, as the heights above the middle at places about that, metres. `half`: half the side of
    the land, metres; `steepest`: the grade of the steepest place."""
    bumps = []
    for number in range(HILLS):
        width = half * random_numbers.uniform(0.22, 0.42)
        # The slope of a round hill of this shape is 0.86 of its height over its width at most.
        height = width * random_numbers.uniform(0.5, 1.0) * steepest / 0.86 / 1.4
        x, y = (random_numbers.uniform(-0.95, 0.95) * half for _ in range(2))
        bumps.append((x, y, width, height if number % 3 else -0.6 * height))

    def height_at(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        parts = (h * np.exp(-((x - a) ** 2 + (y - b) ** 2) / w**2) for a, b, w, h in bumps)
        return sum(parts, np.zeros_like(x))

    # Hills that meet are steeper than each of them.
    line = np.linspace(-1.0, 1.0, CELLS + 1) * half
    across, along = np.gradient(height_at(*np.meshgrid(line, line)), line, line)
    grade = max(float(np.sqrt(across**2 + along**2).max()), EPSILON)
    middle, factor = float(height_at(np.zeros(1), np.zeros(1))[0]), min(1.0, steepest / grade)
    return lambda x, y: factor * (height_at(x, y) - middle)


def pasture(name: str, half: float, height: Heights) -> Mesh:
    """A square of grass; `half` is half its side in metres."""
    x, y = grid(half, CELLS)
    return surface(name, np.stack((x, y, height(x, y)), axis=1), faces_of_grid(CELLS), ["Pasture Grass"])


def on_ground(height: Heights, x: float, y: float) -> Vector:
    """A place on the land, about its middle, metres."""
    return Vector((x, y, float(height(np.array([x]), np.array([y]))[0])))


def grid(half: float, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """The x and y of the corners of a square with this number of cells along a side, ((cells + 1) ** 2,) each."""
    line = np.linspace(-1.0, 1.0, cells + 1) * half
    return np.repeat(line, cells + 1), np.tile(line, cells + 1)


def faces_of_grid(cells: int) -> np.ndarray:
    """The corners of the cells of a `grid`, (cells ** 2, 4)."""
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    return np.stack((corner, corner + cells + 1, corner + cells + 2, corner + 1), axis=1)


def surface(
    name: str, points: np.ndarray, faces: np.ndarray, materials: Sequence[str], paint: np.ndarray | None = None
) -> Mesh:
    """A smooth mesh of points (p, 3) and faces (f, 4), with materials of the asset file and their numbers (f,)."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], faces.tolist())
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), dtype=np.bool_))
    for material in append(materials=materials)["materials"]:
        mesh.materials.append(material)
    if paint is not None:
        mesh.polygons.foreach_set("material_index", paint)
    mesh.update()
    return mesh


def point_on(line: np.ndarray, fraction: float) -> tuple[Vector, Vector]:
    """The point of a closed line (k, 2) or (k, 3) after a share of its length, and the unit direction there."""
    steps = np.roll(line, -1, axis=0) - line
    distances = np.concatenate(([0.0], np.cumsum(np.linalg.norm(steps, axis=1))))
    row = min(int(np.searchsorted(distances, fraction % 1.0 * distances[-1], side="right")) - 1, len(line) - 1)
    return Vector(line[row]).to_3d(), Vector(steps[row]).to_3d().normalized()


def length_of(line: np.ndarray) -> float:
    """The length of a closed line (k, 2)."""
    return float(np.hypot(*(np.roll(line, -1, axis=0) - line).T).sum())


def closed_curve(name: str, knots: int) -> tuple[Curve, Sequence[BezierSplinePoint]]:
    """A curve with one closed spline, and its knots, which are yet to be placed."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions, curve.resolution_u = "3D", 16
    spline = curve.splines.new("BEZIER")
    spline.use_cyclic_u = True
    spline.bezier_points.add(knots - 1)
    return curve, spline.bezier_points


def polyline(name: str, points: np.ndarray) -> Curve:
    """A curve through points (k, 3)."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", np.column_stack((points, np.ones(len(points)))).ravel())
    return curve
