"""Cars that drive both ways along a road over hills, each in its lane, and stop for walkers who cross it."""

import math
import random
from dataclasses import replace

import bpy
import numpy as np
from bpy.types import Context, Curve, Mesh, Object
from mathutils import Vector

from ....locomotion import Wheeled
from ....settings.preset import Preset
from ....simulation.arrays.scalars import smooth_step
from ....simulation.roles import Role
from .models import CAR, PERSON, TRACK, WHEEL, WHEELBASE, append
from .scene_builder import ReadyMember, ReadyScene, SceneBuilder, SceneOptions, fitted_preset
from .scenery import closed_curve, faces_of_grid, grid, length_of, point_on, polyline, surface
from .walkers import without_region

SUSPENSION = 0.028
"""How far a wheel goes on its spring, in lengths of a car."""
ROOM = 4.5
"""Length of the road per car, in lengths of a car."""
SHORTEST = 55.0
"""Least length of the road, in lengths of a car: the bends of a shorter one are too sharp for cars."""
LANE = 0.41
"""Distance of the middle of a lane from the middle of the road, in lengths of a car."""
HALF_ROAD = 0.86
"""Half the width of the road."""
VERGE, SLOPE = 1.2, 3.5
"""Distances from the middle of the road up to which the land is level with it, and from which on it is not."""
BELOW = 0.03
"""How far the land is below the road there."""
MARGIN = 5.0
"""How far the land goes beyond the road."""
STEEPEST = 0.09
"""The grade of the steepest piece of road."""
START = 0.35
"""The start speed, slow enough for a bend."""
ASIDE = ("separation", "unaligned_collision_avoidance", "obstacle_avoidance")
"""The behaviors of the preset that turn aside: whoever keeps a lane brakes instead."""
KNOTS, STEPS, CELLS = 48, 480, 120
DASH = 0.02
"""Half the width of the line in the middle."""
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
BENDS_WITHIN = 24
"""Points of the middle of the road between two directions, of which the difference tells how far it bends."""


def reach(options: SceneOptions) -> float:
    """The distance of a corner of the land from its middle, in metres."""
    return math.sqrt(2.0) * _half_side(options)


def add_traffic(context: Context, options: SceneOptions) -> Object:
    """Add cars with rolling wheels and brake lights on a road, and walkers who cross it; returns the cars' crowd."""
    preset = without_region(fitted_preset("car", options.size))
    in_lanes = {name: values for name, values in preset.behaviors.items() if name not in ASIDE}
    preset = replace(preset, behaviors=in_lanes)
    random_numbers = random.Random(options.seed)
    builder = SceneBuilder.begin(context, "Cars", options)
    line = _road_line(options, STEPS, random.Random(options.seed))
    path = builder.add("Cars Path", _curve(line), options.place, Role.PATH)
    builder.add("Cars Road", _road(options, line), options.place, Role.SURFACE)
    builder.add("Cars Land", _land(options, line), options.place, Role.SURFACE)
    builder.settle(preset, CAR, options.size, path)
    settings = builder.crowd.steering
    settings.vehicle.length = options.size
    settings.locomotion = Wheeled.choice().name
    settings.wheeled.wheelbase = WHEELBASE * options.size
    settings.wheeled.track, settings.wheeled.wheel_radius = TRACK * options.size, WHEEL * options.size
    settings.wheeled.suspension = SUSPENSION * options.size
    settings.brake_for.obstacles = "ALL"
    settings.path_following.lane_offset, settings.path_following.direction = LANE * options.size, "EITHER"
    cars = _cars(options, line, random_numbers)
    for ob in builder.cast(CAR, options.size, "Car {:03}", cars, random_numbers):
        ob.steering.start_speed = START
    # The wheels of all are where the crowd says.
    builder.vary({**preset.variation, "size": 0.0})
    add_crossing(builder, line, HALF_ROAD * options.size, options.size)
    return builder.select()


def _half_side(options: SceneOptions) -> float:
    line = _shape(256) * _scale(options)
    return float(np.abs(line).max()) + MARGIN * options.size


def _shape(points: int) -> np.ndarray:
    """The road as seen from above, (points, 2): an oval with bends to both sides."""
    turn = np.arange(points) * (math.tau / points)
    wide = 1.0 + 0.13 * np.cos(3.0 * turn + 0.4) + 0.08 * np.cos(2.0 * turn)
    return np.stack((1.25 * wide * np.cos(turn), wide * np.sin(turn)), axis=1)


def _scale(options: SceneOptions) -> float:
    """The factor of the shape that makes the road long enough."""
    return options.size * max(ROOM * options.count * options.spacing, SHORTEST) / length_of(_shape(512))


def _road_line(options: SceneOptions, points: int, random_numbers: random.Random) -> np.ndarray:
    """The middle of the road about the middle of the scene, (points, 3) metres."""
    flat = _shape(points) * _scale(options)
    turn = np.arange(points) * (math.tau / points)
    waves = [(k, random_numbers.uniform(0.4, 1.0) / k, random_numbers.uniform(0.0, math.tau)) for k in (1, 2, 3, 5)]
    height = sum((amplitude * np.sin(k * turn + phase) for k, amplitude, phase in waves), np.zeros(points))
    lengths = np.hypot(*(np.roll(flat, -1, axis=0) - flat).T)
    steepest = float(np.abs((np.roll(height, -1) - height) / lengths).max())
    height = height * (STEEPEST / steepest)
    return np.column_stack((flat, height - height.min()))


def _curve(line: np.ndarray) -> Curve:
    """The path: a closed curve in the middle of the road."""
    curve, knots = closed_curve("Cars Path", KNOTS)
    positions = line[:: STEPS // KNOTS]
    # Automatic handles are longer: the curve would bend most between the knots, and cars would brake for each.
    thirds = (np.roll(positions, -1, axis=0) - np.roll(positions, 1, axis=0)) / 6.0
    for knot, position, third in zip(knots, positions, thirds):
        knot.handle_left_type = knot.handle_right_type = "ALIGNED"
        knot.co, knot.handle_left, knot.handle_right = position, position - third, position + third
    return curve


def _road(options: SceneOptions, line: np.ndarray) -> Mesh:
    """The road, with a dashed line in the middle."""
    size, steps = options.size, len(line)
    tangents = np.roll(line, -1, axis=0) - np.roll(line, 1, axis=0)
    normals = np.stack((-tangents[:, 1], tangents[:, 0], np.zeros(steps)), axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    offsets = size * np.array((HALF_ROAD, DASH, -DASH, -HALF_ROAD))
    points = (line[:, None] + normals[:, None] * offsets[None, :, None]).reshape(-1, 3)
    row = np.arange(steps)[:, None] * 4 + np.arange(3)
    after = (row + 4) % (4 * steps)
    faces = np.stack((row + 1, row, after, after + 1), axis=-1).reshape(-1, 4)[:, ::-1]
    paint = np.zeros((steps, 3), dtype=np.int32)
    paint[:, 1] = np.arange(steps) // 2 % 2
    return surface("Cars Road", points, faces, ["Cars Road Road", "Cars Road Line"], paint.ravel())


def _land(options: SceneOptions, line: np.ndarray) -> Mesh:
    """The land: hills that come down or up to the road."""
    size, (x, y) = options.size, grid(_half_side(options), CELLS)
    # In rows, as one matrix of all takes far more memory, and three times as long.
    rows = [_road_nearby(size, line, *row) for row in zip(np.split(x, CELLS + 1), np.split(y, CELLS + 1))]
    distance, level, land = np.concatenate(rows, axis=1)
    hills = 0.5 * size * (np.sin(x / (3.1 * size)) + np.sin(y / (2.7 * size) + 1.0))
    blend = smooth_step(np.clip((distance - VERGE * size) / ((SLOPE - VERGE) * size), 0.0, 1.0))
    height = level + (land + hills - level) * blend
    return surface("Cars Land", np.column_stack((x, y, height)), faces_of_grid(CELLS), ["Cars Land Land"])


def _road_nearby(
    size: float, line: np.ndarray, x: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How far places are from the road, the height of level land there, and of what is about it, (n,) metres each."""
    east, north = x[:, None] - line[:, 0], y[:, None] - line[:, 1]
    squared = east * east + north * north
    nearest = squared.argmin(axis=1)
    # Far from the road the land is at the mean height of what is about it, so that it has no creases.
    weights = 1.0 / (squared + (2.0 * size) * (2.0 * size))
    land = (weights * line[:, 2]).sum(axis=1) / weights.sum(axis=1)
    return np.sqrt(squared[np.arange(len(x)), nearest]), line[nearest, 2] - BELOW * size, land


def _cars(options: SceneOptions, line: np.ndarray, random_numbers: random.Random) -> list[ReadyMember]:
    """How cars stand along the road, alternately in both directions, each in its lane."""
    cars = []
    for number in range(options.count):
        middle, direction = point_on(line, (number + random_numbers.uniform(-0.25, 0.25)) / options.count)
        direction = direction * (1.0 if number % 2 == 0 else -1.0)
        right = Vector((direction.y, -direction.x, 0.0)).normalized()
        position = options.place + middle + LANE * options.size * right
        cars.append(ReadyMember(position, math.atan2(-direction.x, direction.y)))
    return cars


TRAFFIC = ReadyScene(
    operator="add_traffic",
    label="Traffic",
    description="Add cars that drive both ways along a road over hills and stop for people who cross it, ready to bake",
    icon="AUTO",
    counted="Number of cars; the length of the road is adapted to it",
    count=12,
    measure="Length",
    measured="Length of a car",
    size=CAR.size,
    reach=reach,
    add=add_traffic,
)


def add_crossing(cars: SceneBuilder, line: np.ndarray, half_road: float, size: float) -> Object:
    """Add a crossing where a closed road is straightest; returns the crowd of its walkers. `line`: (k, 3) the middle of
    the road about the middle of the scene, metres; `half_road`: half the width of the road, metres; `size`: length of a
    car, metres."""
    height = HEIGHT * size
    preset = _without_cars(without_region(fitted_preset("pedestrian", height)))
    middle, direction, right = _straightest(line)
    place = cars.place + middle
    builder = cars.beside("Crossing", place, size)
    builder.add("Crossing Stripes", _stripes(line, half_road, size), place)
    # The walkers' feet leave the straight path for the ground.
    ends = np.array([right * end * size for end in (-HALF_PATH, HALF_PATH)])
    path = builder.add("Crossing Path", polyline("Crossing Path", ends), place, Role.PATH)
    builder.settle(preset, PERSON, height, path)
    walkers = []
    for number, start in enumerate(STARTS):
        heading, offset = (-right, -0.25) if number % 2 else (right, 0.25)
        position = place - heading * start * size + direction * (offset * HALF_STRIPES * size)
        walkers.append(ReadyMember(position, math.atan2(-heading.x, heading.y)))
    builder.cast(PERSON, height, "Walker {:03}", walkers, random.Random(cars.seed))
    return builder.crowd


def _without_cars(preset: Preset) -> Preset:
    """The preset of walkers who look at each other only, and trust that cars stop."""
    left_out = "obstacle_avoidance", "give_way"
    behaviors = {name: dict(values) for name, values in preset.behaviors.items() if name not in left_out}
    for values in behaviors.values():
        if "neighbors" in values:
            values["neighbors"] = "OWN_CROWD"
    return replace(preset, behaviors=behaviors)


def _straightest(line: np.ndarray) -> tuple[Vector, Vector, Vector]:
    """The point of a closed line where it bends least, and the level unit directions ahead and to the right there."""
    directions = np.roll(line, -BENDS_WITHIN // 4, axis=0) - np.roll(line, BENDS_WITHIN // 4, axis=0)
    directions = directions[:, :2] / np.linalg.norm(directions[:, :2], axis=1, keepdims=True)
    before, after = np.roll(directions, BENDS_WITHIN // 2, axis=0), np.roll(directions, -BENDS_WITHIN // 2, axis=0)
    row = int(np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]).argmin())
    x, y = directions[row]
    return Vector(line[row]), Vector((x, y, 0.0)), Vector((y, -x, 0.0))


def _stripes(line: np.ndarray, half_road: float, size: float) -> Mesh:
    """The stripes, which lie along the road and follow its grade."""
    middle, direction, right = _straightest(line)
    row = int(np.linalg.norm(line - np.array(middle), axis=1).argmin())
    step = Vector(line[(row + 1) % len(line)] - line[row - 1])
    grade = step.z / math.hypot(step.x, step.y)
    width = 2.0 * half_road / (2 * STRIPES - 1)
    points = []
    for stripe in range(STRIPES):
        edge = -half_road + 2.0 * stripe * width
        # Counter-clockwise as seen from above.
        for end, offset in ((-1.0, edge), (-1.0, edge + width), (1.0, edge + width), (1.0, edge)):
            distance = end * HALF_STRIPES * size
            points.append(
                tuple(direction * distance + right * offset + Vector((0.0, 0.0, grade * distance + ABOVE * size)))
            )
    mesh = bpy.data.meshes.new("Crossing Stripes")
    mesh.from_pydata(points, [], np.arange(4 * STRIPES).reshape(-1, 4).tolist())
    mesh.materials.append(*append(materials=["Crossing Stripes"])["materials"])
    mesh.update()
    return mesh
