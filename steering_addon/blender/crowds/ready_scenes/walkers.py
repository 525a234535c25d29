"""People who walk along a closed path both ways, round one another."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Vector

from ....simulation.roles import Role
from ...hierarchy import Family
from ...role_assignment import give_role
from ..member_variation import Amounts
from ..moves_like import settle_in
from .gathering import Gathering, Wish
from .person import OUTFITS, RADIUS, STRIDE, bring, person
from .shape import Paints

if TYPE_CHECKING:
    from bpy.types import Collection, Context, Object
COUNT, SIZE = 24, 1.75
PREROLL = 48
ROOM = 1.1
"""Length of the path for each walker, in heights."""
SHORTEST = 22.0
"""Of a path, in heights: in the sharpest bend of a shorter one the paving would lie on itself and flicker."""
LANE, HALF_WIDTH = 0.8, 1.0
"""How far from the middle they may stray and how far the paving goes, in heights."""
KNOTS = 12
PAVING = {"paving": "#d8ccb0"}


def reach(wish: Wish) -> float:
    """How far the path goes from its middle, in metres."""
    line = _line(256)
    return _scale(wish) * float(np.sqrt((line * line).sum(axis=1)).max()) + HALF_WIDTH * wish.size


def add_walkers(context: Context, wish: Wish) -> Object:
    """The crowd of new walkers, whose legs take steps."""
    chance = random.Random(wish.seed)
    gathering = Gathering.begin(context, "Walkers", wish.place)
    gathering.crowd.empty_display_size = 0.5 * wish.size
    path = _path(wish, gathering.collection)
    _settle(gathering.crowd, path, wish.size)
    members = _people(wish, chance, gathering.collection)
    gathering.enlist(context, members, chance)
    gathering.differ(context, Amounts(speed=0.1, size=0.05), wish.seed)
    settle_in(context, gathering.crowd, PREROLL)
    gathering.show(context)
    return gathering.crowd


def _settle(crowd: Object, path: Object, size: float) -> None:
    """How walkers of that height walk: at their ease, on the right side of an oncoming one."""
    own = crowd.steering
    tall = size / SIZE
    vehicle = own.vehicle
    vehicle.radius = RADIUS * size
    vehicle.mass, vehicle.max_force = 1.0, 2.0 * tall
    vehicle.max_speed, vehicle.cruise_speed = 1.9 * tall, 0.7
    vehicle.keep_in_plane, vehicle.keep_apart, vehicle.bank = True, True, 0.0
    following = own.path_following
    following.use, following.path, following.direction, following.radius = True, path, "EITHER", LANE * size
    apart = own.separation
    apart.use, apart.distance, apart.angle, apart.weight = True, 1.4 * tall, math.tau, 0.8 * tall
    avoidance = own.unaligned_collision_avoidance
    avoidance.use, avoidance.method, avoidance.weight = True, "VELOCITY", 2.0 * tall
    avoidance.distance, avoidance.look_ahead_time, avoidance.clearance = 6.0 * tall, 4.0, 0.2 * tall
    for behavior in (apart, avoidance):
        behavior.neighbors = "EVERYONE"
    own.wander.use, own.wander.strength, own.wander.rate = True, 0.1 * tall, 0.2
    own.combining = "ALLOCATION"
    own.portrayal.use, own.portrayal.phase_by, own.portrayal.stride = True, "DISTANCE", STRIDE * size


def _path(wish: Wish, collection: Collection) -> Object:
    """The middle of a paved way: a closed curve that may be drawn anew, the paving follows."""
    curve = bpy.data.curves.new("Walkers Path", "CURVE")
    curve.dimensions, curve.twist_mode = "3D", "Z_UP"
    curve.resolution_u = 16
    curve.extrude = HALF_WIDTH * wish.size
    curve.materials.append(Paints("Path", PAVING).material("paving"))
    spline = curve.splines.new("BEZIER")
    spline.use_cyclic_u = True
    spline.bezier_points.add(KNOTS - 1)
    for knot, (x, y) in zip(spline.bezier_points, _scale(wish) * _line(KNOTS)):
        knot.co = (x, y, 0.0)
        knot.handle_left_type = knot.handle_right_type = "AUTO"
        knot.tilt = math.pi / 2
    path = bpy.data.objects.new("Walkers Path", curve)
    path.location = wish.place
    collection.objects.link(path)
    give_role(path, Role.PATH, Family())
    return path


def _people(wish: Wish, chance: random.Random, collection: Collection) -> list[Object]:
    """Walkers spread along the path, one in two on the way back, each on the right-hand side."""
    line = _scale(wish) * _line(512)
    steps = np.roll(line, -1, axis=0) - line
    along = np.concatenate(([0.0], np.cumsum(np.hypot(*steps.T))))
    kinds = [person(outfit, wish.size) for outfit in OUTFITS[: wish.count]]
    people = []
    for number in range(wish.count):
        metre = along[-1] * (number + chance.uniform(-0.3, 0.3)) / wish.count % along[-1]
        knot = min(int(np.searchsorted(along, metre, side="right")) - 1, len(line) - 1)
        way = Vector(steps[knot]).normalized() * (1.0 if number % 2 == 0 else -1.0)
        aside = chance.uniform(0.15, 0.45) * wish.size
        walker = bring(f"Walker {number + 1:03}", kinds[number % len(kinds)], chance.uniform(0.0, 1.0), collection)
        walker.location = wish.place + Vector((*line[knot], 0.0)) + aside * Vector((way.y, -way.x, 0.0))
        walker.rotation_euler.z = math.atan2(-way.x, way.y)
        people.append(walker)
    return people


def _line(points: int) -> np.ndarray:
    """The shape of the path, (points, 2): a round with a dent."""
    turn = np.arange(points) * (math.tau / points)
    wide = 1.0 + 0.16 * np.cos(2.0 * turn + 0.6) + 0.10 * np.cos(3.0 * turn)
    return np.stack((1.2 * wide * np.cos(turn), 0.85 * wide * np.sin(turn)), axis=1)


def _scale(wish: Wish) -> float:
    """The size of the path: so that its length has room for everybody."""
    line = _line(512)
    length = float(np.hypot(*(np.roll(line, -1, axis=0) - line).T).sum())
    return wish.size * max(ROOM * wish.count * wish.spacing, SHORTEST) / length
