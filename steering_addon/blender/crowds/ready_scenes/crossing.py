"""A zebra crossing on a road, and walkers who go back and forth across it."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Vector

from ....settings.preset import Preset, scaled
from ....simulation.declaration import Kind
from ....simulation.roles import Role
from ...objects.hierarchy import Family
from ...read.role_assignment import give_role, new_crowd
from ..behavior_targets import point_at
from ..preset_exchange import take_up
from ..preset_files import CROWDS
from .person import OUTFITS, RADIUS, add_person, people
from .person_clips import give_clips
from .scene_builder import SceneBuilder
from .shape import Paints
from .walkers import without_region

if TYPE_CHECKING:
    from bpy.types import Collection, Context, Object

PRESET = "pedestrian"
WALKERS = 2
HEIGHT = 0.41
"""Height of a walker, in lengths of a car."""
HALF_PATH = 4.5
"""Half the length of the walkers' path."""
STARTS = (1.9, 3.4)
"""How far from the middle of the road walkers start."""
STRIPES, HALF_STRIPES = 8, 0.4
"""Number of stripes, and half their length along the road."""
ABOVE = 0.004
"""How far the stripes are above the road."""
STEPS = 24
COLORS = {"stripes": "#e8e6df"}


def add_crossing(
    context: Context, builder: SceneBuilder, line: np.ndarray, half_road: float, size: float, seed: int
) -> Object:
    """Add a crossing where a closed road is straightest; returns the crowd of its walkers.

    Args:
        line: (k, 3) the middle of the road about the middle of the scene, metres.
        half_road: half the width of the road, metres.
        size: length of a car, metres.

    Raises:
        Refusal: the preset of the walkers cannot be read.
    """
    height = HEIGHT * size
    preset = CROWDS.find(PRESET).load()
    preset = _trusting(without_region(scaled(preset, height / preset.body_length)))
    place = Vector(builder.crowd.location)
    middle, ahead, right = _straightest(line)
    crowd = new_crowd(context, "Crossing", builder.collection)
    crowd.location, crowd.empty_display_size = place + middle, 0.5 * size
    _stripes(place, line, half_road, size, builder.collection)
    path = _path(place + middle, right, size, builder.collection)
    take_up(preset, crowd, context.scene)
    point_at(crowd, preset, Kind.PATH, path)
    settings = crowd.steering
    settings.vehicle.radius = RADIUS * height
    settings.portrayal.use = False
    members = []
    for number, (start, model) in enumerate(zip(STARTS, people(OUTFITS[:WALKERS], height))):
        way = right if number % 2 == 0 else -right
        walker = add_person(f"Walker {number + 1:03}", model, builder.collection)
        aside = (0.25 if number % 2 == 0 else -0.25) * HALF_STRIPES * size
        walker.location = place + middle - way * start * size + ahead * aside
        walker.rotation_euler.z = math.atan2(-way.x, way.y)
        members.append(walker)
    SceneBuilder(builder.collection, crowd).enlist(context, members, random.Random(seed), height)
    give_clips(crowd, members[0], context.scene, height)
    return crowd


def _trusting(preset: Preset) -> Preset:
    """The preset of walkers who look at each other only, and trust that cars stop."""
    behaviors = {name: dict(values) for name, values in preset.behaviors.items() if name != "obstacle_avoidance"}
    for values in behaviors.values():
        if "neighbors" in values:
            values["neighbors"] = "OWN_CROWD"
    return replace(preset, behaviors=behaviors)


def _straightest(line: np.ndarray) -> tuple[Vector, Vector, Vector]:
    """The point of a closed line where it bends least, and the level unit directions ahead and to the right there."""
    ways = np.roll(line, -STEPS // 4, axis=0) - np.roll(line, STEPS // 4, axis=0)
    ways = ways[:, :2] / np.linalg.norm(ways[:, :2], axis=1, keepdims=True)
    before, after = np.roll(ways, STEPS // 2, axis=0), np.roll(ways, -STEPS // 2, axis=0)
    row = int(np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]).argmin())
    x, y = ways[row]
    return Vector(line[row]), Vector((x, y, 0.0)), Vector((y, -x, 0.0))


def _path(middle: Vector, right: Vector, size: float, collection: Collection) -> Object:
    """Add the path: a straight curve across the road, which the walkers' feet leave for the ground."""
    curve = bpy.data.curves.new("Crossing Path", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    for point, end in zip(spline.points, (-HALF_PATH, HALF_PATH)):
        point.co = (*(right * end * size), 1.0)
    path = bpy.data.objects.new("Crossing Path", curve)
    path.location = middle
    collection.objects.link(path)
    give_role(path, Role.PATH, Family())
    return path


def _stripes(place: Vector, line: np.ndarray, half_road: float, size: float, collection: Collection) -> Object:
    """Add the stripes, which lie along the road and follow its grade."""
    middle, ahead, right = _straightest(line)
    row = int(np.linalg.norm(line - np.array(middle), axis=1).argmin())
    way = Vector(line[(row + 1) % len(line)] - line[row - 1])
    grade = way.z / math.hypot(way.x, way.y)
    width = 2.0 * half_road / (2 * STRIPES - 1)
    points, faces = [], []
    for stripe in range(STRIPES):
        left = -half_road + 2.0 * stripe * width
        for along, aside in ((-1.0, left), (-1.0, left + width), (1.0, left + width), (1.0, left)):
            far = along * HALF_STRIPES * size
            points.append(tuple(ahead * far + right * aside + Vector((0.0, 0.0, grade * far + ABOVE * size))))
        # Counter-clockwise as seen from above.
        faces.append(tuple(4 * stripe + corner for corner in (0, 1, 2, 3)))
    mesh = bpy.data.meshes.new("Crossing Stripes")
    mesh.from_pydata(points, [], faces)
    mesh.materials.append(Paints("Crossing", COLORS).material("stripes"))
    mesh.update()
    stripes = bpy.data.objects.new("Crossing Stripes", mesh)
    stripes.location = place + middle
    collection.objects.link(stripes)
    return stripes
