"""A herd of sheep on a pasture with hills, round which and over which they graze."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

from ....settings.preset import scaled
from ....simulation.declaration import Kind
from ..behavior_targets import point_at
from ..member_variation import Amounts
from ..preset_exchange import take_up
from ..preset_files import CROWDS
from .pasture import Heights, add_pasture, hills, on_ground
from .scene_builder import SceneBuilder, SceneOptions, scattered
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
STEEPEST = 0.5
"""The grade of the steepest place: they climb all of it."""


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
    half = half_side(options)
    height = hills(half, STEEPEST, random_numbers)
    add_pasture("Sheep Pasture", options.place, half, height, builder.collection)
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
        member.location = options.place + on_ground(height, x, y)
        member.rotation_euler.z = way + random_numbers.uniform(-0.6, 0.6)
        members.append(member)
    return members
