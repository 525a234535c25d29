"""A herd of sheep that grazes on a pasture with hills, alone or until a wolf comes by."""

import math
import random
from typing import Any

import numpy as np
from bpy.types import Context, Object
from mathutils import Vector

from ....behaviors import CATALOGUE
from ....locomotion import OnFoot
from ....simulation.roles import Role
from ..behavior_adding import add_behaviors
from ..state_preset_exchange import add_state
from ..states import new_trigger
from .models import SHEEP, WOLF
from .scene_builder import ReadyMember, ReadyScene, SceneBuilder, SceneOptions, fitted_preset, scattered_places
from .scenery import Heights, hills, on_ground, pasture, polyline

APART = 2.0
"""Usual distance between sheep at the start, in lengths."""
PASTURE = 3.4
"""Half the side of the pasture as a multiple of the radius of the herd at the start, with room to roam."""
ROOM = 0.82
"""The radius of the region they stay in, as a share of half the side."""
STEEPEST = 0.5
"""The grade of the steepest place: they climb all of it."""
LENGTH = 1.1
"""Length of the wolf, in lengths of a sheep, as all other distances."""
SPEED, STRENGTH = 2.1, 3.0
"""Of the wolf as it trots: its speed a second, and its acceleration a second squared."""
FEARS = 6.5
"""Distance at which a sheep is alarmed by the wolf."""
SPREADS_WITHIN = 5.0
"""Distance within which sheep that startle carry others along."""
RUNS_FOR = 2.0
"""Seconds for which a sheep runs on when the wolf is no longer near."""
GATHERS_FOR = 18.0
"""Seconds for which it then goes back to the others."""
ALERT = (0.4, 0.8)
"""Seconds in which sheep that run turn, and change their speed: they graze more slowly."""
KEEPS_INSIDE = (3.0, 1.5)
"""Weight of staying in the region for a sheep that runs, and how many seconds before its border it turns aside."""
UPHILL = 0.4
"""How much they slow down uphill, as a share of what people do."""
LEADS_PAST = 0.85
"""How near the wolf's path comes to the middle of the herd at the start, in radii of the herd."""
COMES_FROM, GOES_TO = 0.7, 0.93
"""How far from the middle its path begins and ends, as a share of half the side of the pasture."""
BEND = 0.3
"""How much its path bends away from the middle on the way there, as the same share."""
KNOTS = 32


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
    spacing = APART * options.size * options.spacing
    places = scattered_places(random_numbers, options.count, herd_radius(options), 0.0, 0.7 * spacing)
    heading = random_numbers.uniform(-math.pi, math.pi)
    members = []
    for x, y, _ in places:
        phase, toward = random_numbers.uniform(0.0, 1.0), heading + random_numbers.uniform(-0.6, 0.6)
        members.append(ReadyMember(options.place + on_ground(height, x, y), toward, phase=phase))
    builder.cast(SHEEP, options.size, "Sheep {:03}", members, random_numbers)
    builder.vary(preset.variation)
    return builder, height


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


def add_herd_and_wolf(context: Context, options: SceneOptions) -> Object:
    """Add the herd on its pasture, and a wolf whose path leads past it; returns the crowd of the sheep."""
    builder, height = graze(context, options)
    builder.crowd.steering.on_foot.slowed_uphill = UPHILL
    wolf = _wolf(options, height, builder)
    state, _ = add_state(context, builder.crowd, "startle")
    state.steering.state.reach = SPREADS_WITHIN * options.size
    state.steering.state.lasts = RUNS_FOR
    for vehicle in (state.steering.vehicle, state.steering.state.then.steering.vehicle):
        vehicle.response_time, vehicle.speed_time = ALERT
    state.steering.containment.own = True
    state.steering.containment.weight, state.steering.containment.prediction_time = KEEPS_INSIDE
    regroup = state.steering.state.then.steering
    regroup.state.lasts, regroup.cohesion.weight = GATHERS_FOR, 2.0
    # They see the whole herd, however far they have run apart.
    regroup.cohesion.distance = 3.0 * herd_radius(options)
    trigger = new_trigger(context, state, "NEAR", wolf)
    trigger.steering.trigger.distance = FEARS * options.size
    return builder.select()


def _line(options: SceneOptions, height: Heights) -> np.ndarray:
    """The wolf's path about the middle of the scene, (k, 3) metres: a bow past the herd, over the hills."""
    progress = np.linspace(-COMES_FROM, GOES_TO, KNOTS)
    offset = LEADS_PAST * herd_radius(options) + BEND * half_side(options) * progress * progress
    turn = random.Random(options.seed + 1).uniform(-math.pi, math.pi)
    x, y = half_side(options) * progress, -offset
    x, y = x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)
    return np.stack((x, y, height(x, y)), axis=1)


def _wolf(options: SceneOptions, height: Heights, herd: SceneBuilder) -> Object:
    size, line = LENGTH * options.size, _line(options, height)
    builder = herd.beside("Wolves", options.place, size)
    path = builder.add("Wolf Path", polyline("Wolf Path", line), options.place, Role.PATH)
    settings = builder.crowd.steering
    settings.locomotion = OnFoot.choice().name
    settings.on_foot.align_to_ground, settings.on_foot.turn_radius = 0.7, 0.6 * size
    settings.on_foot.slowed_uphill = UPHILL
    vehicle = settings.vehicle
    vehicle.max_speed, vehicle.max_force, vehicle.cruise_speed = SPEED * options.size, STRENGTH * options.size, 1.0
    builder.measure(WOLF, size)
    add_behaviors([kind for kind in CATALOGUE if kind.name == "path_following"], builder.crowd, herd.context.scene)
    settings.path_following.path, settings.path_following.radius = path, 0.8 * size
    direction = line[1] - line[0]
    start = ReadyMember(options.place + Vector(line[0]), math.atan2(-direction[0], direction[1]))
    [wolf] = builder.cast(WOLF, size, "Wolf", [start], random.Random(options.seed + 1))
    return wolf


HERD_AND_WOLF = ReadyScene(
    operator="add_herd_and_wolf",
    label="Herd and Wolf",
    description="Add a herd of sheep that grazes, runs from a wolf that comes by, and gathers again, ready to bake",
    icon="PMARKER_ACT",
    add=add_herd_and_wolf,
    **OF_SHEEP,
)
