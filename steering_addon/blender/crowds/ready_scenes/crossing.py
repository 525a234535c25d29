"""A zebra crossing on a road, and walkers who go back and forth across it."""

import math
import random
from dataclasses import replace

import bpy
import numpy as np
from bpy.types import Context, Mesh, Object
from mathutils import Vector

from ....settings.preset import Preset
from ....simulation.roles import Role
from .models import PERSON, append, appended
from .scene_builder import SceneBuilder, fitted_preset
from .scenery import polyline
from .walkers import without_region

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


def add_crossing(
    context: Context, cars: SceneBuilder, line: np.ndarray, half_road: float, size: float, seed: int
) -> Object:
    """Add a crossing where a closed road is straightest; returns the crowd of its walkers.

    Args:
        line: (k, 3) the middle of the road about the middle of the scene, metres.
        half_road: half the width of the road, metres.
        size: length of a car, metres.
    """
    height = HEIGHT * size
    preset = _trusting(without_region(fitted_preset("pedestrian", height)))
    middle, ahead, right = _straightest(line)
    place = cars.place + middle
    builder = cars.beside("Crossing", place, size)
    builder.add("Crossing Stripes", _stripes(line, half_road, size), place)
    # The walkers' feet leave the straight path for the ground.
    ends = np.array([right * end * size for end in (-HALF_PATH, HALF_PATH)])
    path = builder.add("Crossing Path", polyline("Crossing Path", ends), place, Role.PATH)
    builder.settle(preset, PERSON, height, path)
    with appended(PERSON, height, len(STARTS)) as cast:
        members = []
        for number, start in enumerate(STARTS):
            heading, aside = (-right, -0.25) if number % 2 else (right, 0.25)
            walker = cast.add(f"Walker {number + 1:03}", number, builder.collection)
            walker.location = place - heading * start * size + ahead * (aside * HALF_STRIPES * size)
            walker.rotation_euler.z = math.atan2(-heading.x, heading.y)
            members.append(walker)
        builder.enlist(members, random.Random(seed), height)
        cast.give_clips(builder.crowd, members[0], context.scene)
    return builder.crowd


def _trusting(preset: Preset) -> Preset:
    """The preset of walkers who look at each other only, and trust that cars stop."""
    waits = "obstacle_avoidance", "give_way"
    behaviors = {name: dict(values) for name, values in preset.behaviors.items() if name not in waits}
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


def _stripes(line: np.ndarray, half_road: float, size: float) -> Mesh:
    """The stripes, which lie along the road and follow its grade."""
    middle, ahead, right = _straightest(line)
    row = int(np.linalg.norm(line - np.array(middle), axis=1).argmin())
    step = Vector(line[(row + 1) % len(line)] - line[row - 1])
    grade = step.z / math.hypot(step.x, step.y)
    width = 2.0 * half_road / (2 * STRIPES - 1)
    points = []
    for stripe in range(STRIPES):
        left = -half_road + 2.0 * stripe * width
        # Counter-clockwise as seen from above.
        for along, aside in ((-1.0, left), (-1.0, left + width), (1.0, left + width), (1.0, left)):
            far = along * HALF_STRIPES * size
            points.append(tuple(ahead * far + right * aside + Vector((0.0, 0.0, grade * far + ABOVE * size))))
    mesh = bpy.data.meshes.new("Crossing Stripes")
    mesh.from_pydata(points, [], np.arange(4 * STRIPES).reshape(-1, 4).tolist())
    mesh.materials.append(*append(materials=["Crossing Stripes"])["materials"])
    mesh.update()
    return mesh
