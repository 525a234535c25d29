"""A grazing herd of cows, two that have strayed, and three riders of whom one fetches each."""

import math
import random

from bpy.types import Context, Object

from ....behaviors import CATALOGUE
from ....locomotion import OnFoot
from ....simulation.roles import Role
from ..behavior_adding import add_behaviors
from ..state_preset_exchange import add_state
from ..states import triggers_of_state
from .models import COW, RIDER
from .scene_builder import ReadyMember, ReadyScene, SceneBuilder, SceneOptions, fitted_preset, scattered_places
from .scenery import Heights, hills, on_ground, pasture

AVOIDING = "unaligned_collision_avoidance"
STRAYS = 2
FEW = 3
"""Cows in the herd for each that has strayed, at least."""
APART = 1.8
"""Usual distance between cows at the start, in lengths."""
REGION, POSTS, PASTURE = 1.3, 1.6, 3.9
"""Radius of the region in which cows graze, distance of the riders' posts from its middle, and half the side of the
pasture, in radii of the herd at the start."""
STRAYED = (2.3, 2.8)
"""How far from the middle the strays are, in the same radii."""
STEEPEST = 0.14
"""The grade of the steepest place."""
GRAZES = 0.3
"""Speed of a grazing cow, as a share of that at which it runs."""
COW_TURN_RADIUS = 0.35
"""Radius of the tightest circle of a cow, in its lengths: one that is driven turns without delay."""
LENGTH = 0.9
"""Length of a body, in lengths of the model: heads give way."""
HORSE = 1.1
"""Length of a horse, in lengths of a cow, as all other distances."""
SPEED, STRENGTH = 1.6, 1.2
"""Of a rider on the way back: its speed a second, and its acceleration a second squared."""
TURN, TURN_RADIUS = 1.6, 0.45
"""Fastest turn of a horse, radians a second, and the radius of its tightest circle, in its lengths."""
SECONDS = 29.0
"""Until the last rider is back at its post."""
FEARS, BEHIND = 4.0, 2.4
"""Distance at which a stray runs from a rider, and from which a rider drives it."""


def reach(options: SceneOptions) -> float:
    """The distance of a corner of the pasture from its middle, in metres."""
    return math.sqrt(2.0) * PASTURE * _radius(options)


def add_cowboys_and_strays(context: Context, options: SceneOptions) -> Object:
    """Add the herd on its pasture, the strays and the riders; returns the crowd of the cows."""
    random_numbers = random.Random(options.seed)
    builder = SceneBuilder.begin(context, "Cows", options)
    half = PASTURE * _radius(options)
    height = hills(half, STEEPEST, random_numbers)
    builder.add("Cow Pasture", pasture("Cow Pasture", half, height), options.place, Role.SURFACE)
    region = builder.add_region("Cow Region", REGION * _radius(options))
    _graze(options, builder, region, height, random_numbers)
    riders = _riders(options, builder, height)
    stray, _ = add_state(context, builder.crowd, "stray", riders)
    stray.steering.evasion.distance = FEARS * options.size
    fetch, _ = add_state(context, riders, "fetch", builder.crowd)
    fetch.steering.drive.gap, fetch.steering.drive.home_distance = BEHIND * options.size, options.size
    # A scene does not list what was added to it a moment ago.
    context.view_layer.update()
    [missed] = triggers_of_state(fetch, context)
    missed.steering.trigger.distance = 2.0 * reach(options)
    return builder.select()


def _radius(options: SceneOptions) -> float:
    """The radius of the herd at the start, metres."""
    return options.size * APART * options.spacing * max(math.sqrt(options.count), 2.0) * 0.6


def _graze(
    options: SceneOptions, builder: SceneBuilder, region: Object, height: Heights, random_numbers: random.Random
) -> None:
    """Give the crowd its settings, and add the cows, of whom the last ones have strayed."""
    preset = fitted_preset("sheep", options.size)
    crowd, size = builder.crowd, options.size
    builder.settle(preset, COW, size, region)
    settings = crowd.steering
    settings.vehicle.length = LENGTH * size
    settings.vehicle.cruise_speed = GRAZES
    settings.on_foot.turn_radius = COW_TURN_RADIUS * size
    # One that comes home fast would push aside who grazes in its way.
    add_behaviors([kind for kind in CATALOGUE if kind.name == AVOIDING], crowd, builder.context.scene)
    members = []
    for x, y in _places(options, random_numbers):
        phase, heading = random_numbers.uniform(0.0, 1.0), random_numbers.uniform(-math.pi, math.pi)
        members.append(ReadyMember(options.place + on_ground(height, x, y), heading, phase=phase))
    builder.cast(COW, size, "Cow {:03}", members, random_numbers)
    builder.vary(preset.variation)


def _places(options: SceneOptions, random_numbers: random.Random) -> list[tuple[float, float]]:
    """Places of all cows about the middle, metres: the herd, and then the strays, which are on different sides."""
    strays = min(STRAYS, options.count // (1 + FEW))
    spacing = 0.7 * APART * options.size * options.spacing
    herd = scattered_places(random_numbers, options.count - strays, _radius(options), 0.0, spacing)
    places = [(x, y) for x, y, _ in herd]
    turn = random_numbers.uniform(-math.pi, math.pi)
    for _ in range(strays):
        turn += random_numbers.uniform(0.6, 1.2) * math.pi
        gap = random_numbers.uniform(*STRAYED) * _radius(options)
        places.append((gap * math.cos(turn), gap * math.sin(turn)))
    return places


def _riders(options: SceneOptions, herd: SceneBuilder, height: Heights) -> Object:
    random_numbers, size = random.Random(options.seed + 1), HORSE * options.size
    builder = herd.beside("Riders", options.place, size)
    settings = builder.crowd.steering
    settings.locomotion = OnFoot.choice().name
    on_foot, vehicle = settings.on_foot, settings.vehicle
    on_foot.align_to_ground, on_foot.turn_on_the_spot = 0.5, 0.0
    on_foot.turn_radius, on_foot.max_turn_rate = TURN_RADIUS * size, TURN
    vehicle.length, vehicle.keep_apart = LENGTH * size, True
    vehicle.max_speed, vehicle.max_force = SPEED * options.size, STRENGTH * options.size
    builder.measure(RIDER, size)
    add_behaviors([kind for kind in CATALOGUE if kind.name in ("post", AVOIDING)], builder.crowd, herd.context.scene)
    settings.post.round_crowd = herd.crowd
    settings.unaligned_collision_avoidance.neighbors = "EVERYONE"
    start, gap = random_numbers.uniform(-math.pi, math.pi), POSTS * _radius(options)
    members = []
    for turn in (start + math.tau * number / RIDER.variants for number in range(RIDER.variants)):
        position = options.place + on_ground(height, gap * math.cos(turn), gap * math.sin(turn))
        # Each looks past the herd, ready to ride round it either way.
        members.append(ReadyMember(position, turn + 0.2 * math.pi))
    for rider in builder.cast(RIDER, size, "Rider {}", members, random_numbers):
        rider.steering.start_speed = 0.0
    return builder.crowd


COWBOYS_AND_STRAYS = ReadyScene(
    operator="add_cowboys_and_strays",
    label="Cowboys and Strays",
    description="Add a herd of cows, two that have strayed, and three riders who bring them back, ready to bake",
    icon="OUTLINER_OB_ARMATURE",
    counted="Number of cows with the strays; the size of the pasture is adapted to it",
    count=42,
    measure="Length",
    measured="Length of a cow",
    size=COW.size,
    reach=reach,
    add=add_cowboys_and_strays,
    seconds=SECONDS,
)
