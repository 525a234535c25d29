"""A herd of sheep on a pasture with hills, round which and over which they graze."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Vector

from ....settings.preset import scaled
from ....simulation.declaration import Kind
from ....simulation.roles import Role
from ...hierarchy import Family
from ...role_assignment import give_role
from ..behavior_targets import point_at
from ..member_variation import Amounts
from ..preset_exchange import CROWDS, take_up
from .scene_builder import SceneBuilder, SceneOptions, scattered
from .shape import Paints
from .sheep import FLEECES, RADIUS, STRIDE, add_sheep, sheep

if TYPE_CHECKING:
    from bpy.types import Collection, Context, Object

COUNT, SIZE = 24, 1.2
PRESET = "sheep"
APART = 2.0
"""Usual distance between sheep at the start, in lengths."""
PASTURE = 3.4
"""Half the side of the pasture as a multiple of the radius of the herd at the start, with room to roam."""
ROOM = 0.82
"""The radius of the region they stay in, as a share of half the side."""
CELLS = 72
HILLS = 9
STEEPEST = 0.5
"""The grade of the steepest place: they climb all of it."""
GRASS = {"grass": "#7d9a4e"}


Heights = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""The heights above the middle of the scene at x and y, metres."""


def reach(options: SceneOptions) -> float:
    """The distance of a corner of the pasture from its middle, in metres."""
    return math.sqrt(2.0) * half_side(options)


def add_herd(context: Context, options: SceneOptions) -> Object:
    """Add a herd of sheep with moving legs on a new surface; returns their crowd.

    Raises:
        Refusal: their preset cannot be read.
    """
    builder, _ = graze(context, options)
    builder.select(context)
    return builder.crowd


def graze(context: Context, options: SceneOptions) -> tuple[SceneBuilder, Heights]:
    """Add the herd and its pasture without selecting it; returns its builder, and the heights of the pasture.

    Raises:
        Refusal: their preset cannot be read.
    """
    preset = CROWDS.find(PRESET).load()
    preset = scaled(preset, options.size / preset.body_length)
    random_numbers = random.Random(options.seed)
    builder = SceneBuilder.begin(context, "Sheep", options.place)
    crowd = builder.crowd
    crowd.empty_display_size = 0.5 * options.size
    height = _hills(options, random_numbers)
    _pasture(options, height, builder.collection)
    region = builder.add_region("Sheep Region", ROOM * half_side(options))
    take_up(preset, crowd, context.scene)
    point_at(crowd, preset, Kind.REGION, region)
    crowd.steering.vehicle.radius = RADIUS * options.size
    crowd.steering.portrayal.use, crowd.steering.portrayal.stride = True, STRIDE * options.size
    members = _flock(options, height, random_numbers, builder.collection)
    builder.enlist(context, members, random_numbers, options.size)
    builder.vary_members(context, Amounts(**preset.variation), options.seed)
    return builder, height


def herd_radius(options: SceneOptions) -> float:
    """The radius of the herd at the start, metres."""
    return options.size * APART * options.spacing * max(math.sqrt(options.count), 2.0) * 0.62


def half_side(options: SceneOptions) -> float:
    """Half the side of the pasture, metres."""
    return PASTURE * herd_radius(options)


def _hills(options: SceneOptions, random_numbers: random.Random) -> Heights:
    """The height of the pasture above the middle of the scene at places about that, metres."""
    half = half_side(options)
    hills = []
    for number in range(HILLS):
        width = half * random_numbers.uniform(0.22, 0.42)
        # The slope of a round hill of this shape is 0.86 of its height over its width at most.
        height = width * random_numbers.uniform(0.5, 1.0) * STEEPEST / 0.86 / 1.4
        x, y = (random_numbers.uniform(-0.95, 0.95) * half for _ in range(2))
        hills.append((x, y, width, height if number % 3 else -0.6 * height))

    def height_at(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        bumps = (h * np.exp(-((x - a) ** 2 + (y - b) ** 2) / w**2) for a, b, w, h in hills)
        return sum(bumps, np.zeros_like(x))

    middle = float(height_at(np.zeros(1), np.zeros(1))[0])
    return lambda x, y: height_at(x, y) - middle


def _pasture(options: SceneOptions, height: Heights, collection: Collection) -> Object:
    """Add the pasture, a surface, with its middle at the crowd."""
    line = np.linspace(-1.0, 1.0, CELLS + 1) * half_side(options)
    x, y = np.repeat(line, CELLS + 1), np.tile(line, CELLS + 1)
    points = np.stack((x, y, height(x, y)), axis=1)
    corner = (np.arange(CELLS)[:, None] * (CELLS + 1) + np.arange(CELLS)).ravel()
    faces = np.stack((corner, corner + CELLS + 1, corner + CELLS + 2, corner + 1), axis=1)
    mesh = bpy.data.meshes.new("Sheep Pasture")
    mesh.from_pydata(points.tolist(), [], faces.tolist())
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), dtype=np.bool_))
    mesh.materials.append(Paints("Pasture", GRASS).material("grass"))
    mesh.update()
    pasture = bpy.data.objects.new("Sheep Pasture", mesh)
    pasture.location = options.place
    collection.objects.link(pasture)
    give_role(pasture, Role.SURFACE, Family())
    return pasture


def _flock(
    options: SceneOptions,
    height: Heights,
    random_numbers: random.Random,
    collection: Collection,
) -> list[Object]:
    """Add sheep that stand on the pasture and head about the same way."""
    models = [sheep(fleece, options.size) for fleece in FLEECES[: options.count]]
    apart = APART * options.size * options.spacing
    places = scattered(random_numbers, options.count, herd_radius(options), 0.0, 0.7 * apart)
    way = random_numbers.uniform(-math.pi, math.pi)
    members = []
    for number, (x, y, _) in enumerate(places):
        model = models[number % len(models)]
        member = add_sheep(f"Sheep {number + 1:03}", model, random_numbers.uniform(0.0, 1.0), collection)
        z = float(height(np.array([x]), np.array([y]))[0])
        member.location = options.place + Vector((x, y, z))
        member.rotation_euler.z = way + random_numbers.uniform(-0.6, 0.6)
        members.append(member)
    return members
