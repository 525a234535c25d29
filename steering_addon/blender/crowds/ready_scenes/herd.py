"""A herd of sheep on a pasture with hills, round which and over which they graze."""

import math
import random
from typing import Any

from bpy.types import Collection, Context, Object

from ....simulation.roles import Role
from ..member_variation import Amounts
from .models import SHEEP, appended
from .scene_builder import ReadyScene, SceneBuilder, SceneOptions, fitted_preset, scattered
from .scenery import Heights, hills, on_ground, pasture

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


def herd_radius(options: SceneOptions) -> float:
    """The radius of the herd at the start, metres."""
    return options.size * APART * options.spacing * max(math.sqrt(options.count), 2.0) * 0.62


def half_side(options: SceneOptions) -> float:
    """Half the side of the pasture, metres."""
    return PASTURE * herd_radius(options)


def add_herd(context: Context, options: SceneOptions) -> Object:
    """Add a herd of sheep with moving legs on a new surface; returns their crowd."""
    builder, _ = graze(context, options)
    return builder.select()


def graze(context: Context, options: SceneOptions) -> tuple[SceneBuilder, Heights]:
    """Add the herd and its pasture without selecting it; returns its builder, and the heights of the pasture."""
    preset = fitted_preset("sheep", options.size)
    random_numbers = random.Random(options.seed)
    builder = SceneBuilder.begin(context, "Sheep", options)
    half = half_side(options)
    height = hills(half, STEEPEST, random_numbers)
    builder.add("Sheep Pasture", pasture("Sheep Pasture", half, height), options.place, Role.SURFACE)
    region = builder.add_region("Sheep Region", ROOM * half)
    builder.settle(preset, SHEEP, options.size, region)
    builder.enlist(_flock(options, height, random_numbers, builder.collection), random_numbers, options.size)
    builder.vary(Amounts(**preset.variation), options.seed)
    return builder, height


def _flock(
    options: SceneOptions, height: Heights, random_numbers: random.Random, collection: Collection
) -> list[Object]:
    """Add sheep that stand on the pasture and head about the same way."""
    apart = APART * options.size * options.spacing
    places = scattered(random_numbers, options.count, herd_radius(options), 0.0, 0.7 * apart)
    heading = random_numbers.uniform(-math.pi, math.pi)
    members = []
    with appended(SHEEP, options.size, options.count) as cast:
        for number, (x, y, _) in enumerate(places):
            member = cast.add(f"Sheep {number + 1:03}", number, collection, random_numbers.uniform(0.0, 1.0))
            member.location = options.place + on_ground(height, x, y)
            member.rotation_euler.z = heading + random_numbers.uniform(-0.6, 0.6)
            members.append(member)
    return members


OF_SHEEP: dict[str, Any] = {
    "counted": "Number of sheep; the size of the pasture is adapted to it",
    "count": 24,
    "measure": "Length",
    "measured": "Length of a sheep",
    "size": SHEEP.size,
    "reach": reach,
}
"""The options of scenes with a herd of sheep."""
HERD = ReadyScene(
    operator="add_herd",
    label="Herd on a Hill",
    description="Add a herd of sheep that grazes on hills, ready to bake",
    icon="MESH_GRID",
    add=add_herd,
    **OF_SHEEP,
)
