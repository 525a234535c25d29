"""People who walk along a closed path in both directions and avoid each other."""

import math
import random
from dataclasses import replace

import numpy as np
from bpy.types import Context, Curve, Object
from mathutils import Vector

from ....settings.preset import Preset
from ....simulation.declaration import Kind
from ....simulation.roles import Role
from ..behavior_adding import behaviors_in, pointers
from .models import PERSON, THINGS, append
from .scene_builder import ReadyMember, ReadyScene, SceneBuilder, SceneOptions, fitted_preset
from .scenery import closed_curve, length_of, point_on

ROOM = 1.1
"""Length of the path per walker, in heights."""
SHORTEST = 22.0
"""Least length of the path in heights: in the sharpest bend of a shorter path the paving would overlap and flicker."""
HALF_WIDTH = 1.0
"""Half the width of the paving, in heights; wider than the radius of the path in the preset."""
ASIDE, BESIDE = (0.1, 0.3), 0.42
"""How far the first of two is from the middle of the path on the first frame, at least and at most, and how far the
second is from the first, in heights."""
CARRYING = 0.4
"""The share of walkers who carry something."""
KNOTS = 12


def reach(options: SceneOptions) -> float:
    """The distance of the outermost paving from the middle of the path, in metres."""
    line = _line(256)
    return _scale(options) * float(np.sqrt((line * line).sum(axis=1)).max()) + HALF_WIDTH * options.size


def add_walkers(context: Context, options: SceneOptions) -> Object:
    """Add walkers who play clips on a new path; returns their crowd."""
    preset = without_region(fitted_preset("pedestrian", options.size))
    random_numbers = random.Random(options.seed)
    builder = SceneBuilder.begin(context, "Walkers", options)
    path = builder.add("Walkers Path", _curve(options), options.place, Role.PATH)
    builder.settle(preset, PERSON, options.size, path)
    builder.cast(PERSON, options.size, "Walker {:03}", _people(options, random_numbers), random_numbers)
    builder.vary(preset.variation)
    return builder.select()


def without_region(preset: Preset) -> Preset:
    """The preset without behaviors that point at a region. The path keeps walkers in their place, and the nearest
    region would be that of another crowd."""
    behaviors = dict(preset.behaviors)
    for name, _ in pointers(behaviors_in(preset), Kind.REGION):
        behaviors.pop(name, None)
    return replace(preset, behaviors=behaviors)


def _curve(options: SceneOptions) -> Curve:
    """The path: a closed curve with paving along it, which follows when the curve is edited."""
    curve, knots = closed_curve("Walkers Path", KNOTS)
    curve.twist_mode, curve.extrude = "Z_UP", HALF_WIDTH * options.size
    curve.materials.append(*append(materials=["Path Paving"])["materials"])
    for knot, (x, y) in zip(knots, _scale(options) * _line(KNOTS)):
        knot.co = (x, y, 0.0)
        knot.handle_left_type = knot.handle_right_type = "AUTO"
        knot.tilt = math.pi / 2
    return curve


def _people(options: SceneOptions, random_numbers: random.Random) -> list[ReadyMember]:
    """How walkers stand along the path, by twos and alternately in both directions, on the right-hand side. So those
    who want company mostly have it from the first frame."""
    line = _scale(options) * _line(512)
    walkers = []
    for number in range(options.count):
        pair, is_second = divmod(number, 2)
        if not is_second:
            fraction = (number + random_numbers.uniform(0.0, 1.0)) / options.count
            offset = random_numbers.uniform(*ASIDE) * options.size
        middle, direction = point_on(line, fraction)
        direction = direction * (1.0 if pair % 2 == 0 else -1.0)
        thing = random_numbers.choice(THINGS) if random_numbers.random() < CARRYING else ""
        shift = (offset + is_second * BESIDE * options.size) * Vector((direction.y, -direction.x, 0.0))
        walkers.append(ReadyMember(options.place + middle + shift, math.atan2(-direction.x, direction.y), thing=thing))
    return walkers


def _line(points: int) -> np.ndarray:
    """The shape of the path, (points, 2): an oval with a dent."""
    turn = np.arange(points) * (math.tau / points)
    wide = 1.0 + 0.16 * np.cos(2.0 * turn + 0.6) + 0.10 * np.cos(3.0 * turn)
    return np.stack((1.2 * wide * np.cos(turn), 0.85 * wide * np.sin(turn)), axis=1)


def _scale(options: SceneOptions) -> float:
    """The factor of the path's shape that makes it long enough for all walkers."""
    return options.size * max(ROOM * options.count * options.spacing, SHORTEST) / length_of(_line(512))


WALKERS = ReadyScene(
    operator="add_walkers",
    label="Walkers on a Path",
    description="Add people who walk along a closed path in both directions, ready to bake",
    icon="CURVE_PATH",
    counted="Number of people; the length of the path is adapted to it",
    count=24,
    measure="Height",
    measured="Height of a person",
    size=PERSON.size,
    reach=reach,
    add=add_walkers,
)
