"""The shape that an object is given when it becomes an obstacle or a region, by what is seen of it."""

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...simulation.arrays.vectors import cross, dot, magnitude
from ...simulation.geometry.fitting import FULL, Fit, fit
from ...simulation.geometry.meshes import mesh
from ...simulation.geometry.obstacles import OBSTACLE_SHAPES
from ...simulation.geometry.regions import SHAPES as REGION_SHAPES
from ...simulation.roles import Role
from ..objects.body_sizes import points_of, triangles_of
from ..objects.doubles import doubles
from ..objects.hierarchy import Family
from ..objects.tagged_objects import in_use, tagged
from .solids import SHAPE_NUMBERS, box_of, sizes_of

SHAPES = {number: name for name, number in SHAPE_NUMBERS.items()}
SHAPE_LABELS = {choice.name: choice.label for choice in (*OBSTACLE_SHAPES, *REGION_SHAPES)}
PERSON = 1.5
"""Metres: what is lower people pass round, while vehicles are not known."""
ON_BALL = 0.1
"""How far the points of a ball, in units of its radius, are from the round surface in its box at most."""
BELOW_RIM = np.array((0.0, 0.0, 0.8))
WALLS = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, -1)], dtype=np.float64)
"""A place in a tank, in units of its half sides, and the directions in which it has a wall there."""


def passers_height(scene: Scene) -> float:
    """The height of the lowest vehicle of a scene, to which a gap may be a way; of a person if there is none."""
    heights = [
        ob.steering.height * abs(ob.matrix_world.col["XYZ".index(ob.steering.up_axis[-1])].length)
        for ob in tagged(in_use(scene), Role.VEHICLE)
    ]
    return min((height for height in heights if height > 0.0), default=PERSON / scene.unit_settings.scale_length)


def fit_of(ob: Object, depsgraph: Depsgraph, family: Family, height: float) -> Fit:
    """How shapes fit an object with its children, for those of a height. Refused if a point of it is nowhere."""
    matrix = doubles(ob.evaluated_get(depsgraph).matrix_world)
    size = sizes_of(matrix)
    points, triangles = triangles_of(ob, depsgraph, family)
    up = int(np.argmax(np.abs(matrix[2, :3]) / size))
    return fit(points_of(ob, depsgraph, family) * size, points * size, triangles, up, height)


def fitting_shape(ob: Object, depsgraph: Depsgraph, family: Family, height: float) -> str:
    """The stored name of the shape that an object has. Raises Refusal as `fit_of`."""
    found = fit_of(ob, depsgraph, family, height)
    if ob.type == "EMPTY" and ob.empty_display_type == "CUBE" and not found.has_faces:
        return "BOX"
    return SHAPES[found.shape]


def fitting_region(ob: Object, depsgraph: Depsgraph) -> str:
    """The stored name of the shape of region that an object has; of one without an inside a box round it. Refused if a
    point of it is nowhere."""
    points, triangles = triangles_of(ob, depsgraph, None)
    if not len(triangles):
        return "BOX" if ob.type != "EMPTY" or ob.empty_display_type == "CUBE" else "SPHERE"
    return inside_of(points, triangles) or "BOX"


def inside_of(points: np.ndarray, triangles: np.ndarray) -> str:
    """The stored name of the shape of the inside of a surface, points (m, 3) and triangles (f, 3); "" without one.

    It is a box for a tank with walls of glass too, which may have no lid.
    """
    middle, half = box_of(points[triangles.reshape(-1)])
    surface = mesh((points - middle) / np.maximum(half, 1e-9), triangles)
    walls, _ = surface.hit(np.tile(BELOW_RIM, (len(WALLS), 1)), WALLS, np.full(len(WALLS), np.inf))
    if np.isfinite(walls).all() and not surface.inside(BELOW_RIM[None]).any():
        return "BOX"
    if not surface.closed:
        return ""
    a, b, c = surface.corners
    volume = abs(float(np.cumsum(dot(a, cross(b, c)))[-1])) / 6.0
    if volume >= FULL * 8.0:
        return "BOX"
    off = np.abs(magnitude(surface.corners.reshape(-1, 3)) - 1.0)
    return "SPHERE" if off.max() <= ON_BALL and volume > np.pi else "MESH"
