"""A station hall: people walk through it, some read the board, and all leave by exits at random, some upstairs."""

import math
import random
from dataclasses import replace

import bpy
from bpy.types import Collection, Context, Object
from mathutils import Vector

from ....behaviors import CATALOGUE
from ..behavior_adding import add_behaviors
from .hall import BEHIND, HALF_DEPTH, HALF_WIDTH, Hall, build
from .models import PERSON, THINGS
from .scene_builder import ReadyMember, ReadyScene, SceneBuilder, SceneOptions, fitted_preset
from .walkers import CARRYING, without_region

COUNT = 80
NOT_ON_ERRANDS = ("path_following", "keep_company")
"""The behaviors of the preset that do not suit people who have places of their own to go to."""
SMALLEST = 0.7
"""Of a hall, as a share of that for 80 people."""
SHARE, STAY, SPREAD = 0.3, 3.8, 0.35
"""The share of the people who read the board, for how many seconds, and by how much of that it varies."""
PACE, CRUISE = 0.8, 0.9
"""Their top speed, as a share of that of their preset, at which they walk to a goal; and their cruise speed."""
READS_WITHIN = 2.0
"""Distance from the board within which they stop, for people of a usual height as all lengths here."""
TURN_RADIUS = 2.0
"""Of the tightest circle at top speed: there is less room between walls than in a street."""
INSIDE = 0.3
"""The share of the people who are in the hall on the first frame; the others enter."""
COMES_FOR = 30.0
"""Seconds in which the others enter."""
CROSSES = 10.0
"""Seconds in which the last who enters is well inside."""
SLOTS, SLOT, ROWS, ENTERS = 8, 1.0, 2, 1.6
"""Where they enter: places side by side, how far apart, rows of these, and how far the first is behind the wall."""
APART = 1.2
"""Least distance between people on the first frame."""
OFF_BOARD, OFF_WALLS = 5.0, 1.2
"""How far they are from the back wall and from the others on the first frame."""
CLEARANCE, PUSHES = 0.1, 0.9
"""How far they keep from walls, and at what distance these push them aside: where they stand close to a wall they can
turn round."""
LOOKS = 0.8
"""By how much they turn from the way to the board on the first frame, at most, radians."""


def hall_of(options: SceneOptions) -> Hall:
    """The hall, whose floor is as large as its people need."""
    side = max(math.sqrt(options.count / COUNT), SMALLEST) * options.spacing
    return Hall(HALF_WIDTH * side, HALF_DEPTH * side, options.size / PERSON.size)


def add_station_hall(context: Context, options: SceneOptions) -> Object:
    """Add the hall with its people; returns their crowd."""
    preset = without_region(fitted_preset("passers_by", options.size))
    errands = {name: values for name, values in preset.behaviors.items() if name not in NOT_ON_ERRANDS}
    preset = replace(preset, behaviors=errands)
    hall, chance = hall_of(options), random.Random(options.seed)
    builder = SceneBuilder.begin(context, "Station Hall", options)
    build(hall, builder)
    builder.settle(preset, PERSON, options.size)
    settings = builder.crowd.steering
    settings.vehicle.max_speed *= PACE
    settings.vehicle.cruise_speed = CRUISE
    settings.on_foot.turn_radius = TURN_RADIUS * hall.scale
    settings.attendance.use_enter_frame = False
    settings.attendance.arrival_distance = READS_WITHIN * hall.scale
    people = _people(hall, options, chance)
    members = builder.cast(PERSON, options.size, "Traveler {:03}", people, chance, in_a_row=True)
    # The others enter one after the other, after the first frame.
    late, scene = members[_inside(options) :], context.scene
    span = COMES_FOR * (scene.render.fps / scene.render.fps_base)
    for number, walker in enumerate(late):
        delay = span * (number + chance.random()) / len(late)
        walker.steering.use_enter_frame, walker.steering.enter_frame = True, scene.frame_start + 1 + int(delay)
    builder.vary(preset.variation)
    _give_goals(hall, builder)
    return builder.select()


def _give_goals(hall: Hall, builder: SceneBuilder) -> None:
    """Send the crowd to the board, a share of it, and then to the exits."""
    crowd, middle = builder.crowd, builder.crowd.location
    board, exits = (bpy.data.collections.new(name) for name in ("Station Board", "Station Exits"))
    for targets in (board, exits):
        builder.collection.children.link(targets)
    for number, spot in enumerate(hall.spots, 1):
        _empty(f"Board {number}", hall.at(middle, *spot), board, 0.2 * hall.scale)
    for door in hall.exits:
        x, y = (at + BEHIND * out for at, out in zip(door.place, door.out))
        _empty(door.name, hall.at(middle, x, y, door.height), exits, 0.4 * hall.scale)
    add_behaviors([kind for kind in CATALOGUE if kind.name in ("seek", "arrival")], crowd, builder.context.scene)
    visit, leave = crowd.steering.arrival, crowd.steering.seek
    visit.target_collection, visit.target_choice, visit.face_target = board, "RANDOM", True
    visit.stay_time, visit.stay_spread, visit.share_going = STAY, SPREAD, SHARE
    visit.slowing_distance = 2.0 * READS_WITHIN * hall.scale
    leave.target_collection, leave.target_choice = exits, "RANDOM"
    visit.pace = leave.pace = "MAX_SPEED"
    walls = crowd.steering.obstacle_avoidance
    walls.method, walls.clearance, walls.field_distance = "FIELD", CLEARANCE * hall.scale, PUSHES * hall.scale


def _empty(name: str, position: Vector, collection: Collection, size: float) -> Object:
    ob = bpy.data.objects.new(name, None)
    ob.empty_display_type, ob.empty_display_size, ob.location = "PLAIN_AXES", size, position
    collection.objects.link(ob)
    return ob


def _inside(options: SceneOptions) -> int:
    """How many are in the hall on the first frame."""
    return math.ceil(INSIDE * options.count)


def _people(hall: Hall, options: SceneOptions, chance: random.Random) -> list[ReadyMember]:
    """How the people stand: first those who are in the hall, then those who enter."""
    inside = _inside(options)
    places = [*_scattered(hall, inside, chance), *_entering(hall, options.count - inside, chance)]
    people = []
    for number, (x, y) in enumerate(places):
        thing = chance.choice(THINGS) if chance.random() < CARRYING else ""
        turn = math.atan2(hall.board[0] - x, hall.board[1] - y) if number < inside else 0.0
        heading = -turn + (chance.uniform(-LOOKS, LOOKS) if number < inside else 0.0)
        people.append(ReadyMember(hall.at(options.place, x, y), heading, thing=thing))
    return people


def _scattered(hall: Hall, count: int, chance: random.Random) -> list[tuple[float, float]]:
    """Random places in the hall, apart from each other where there is room."""
    x, low, high = hall.half_width - OFF_WALLS, OFF_WALLS - hall.half_depth, hall.half_depth - OFF_BOARD
    places: list[tuple[float, float]] = []
    spacing = APART
    while len(places) < count:
        candidates = [(chance.uniform(-x, x), chance.uniform(low, high)) for _ in range(8)]
        fitting = [place for place in candidates if all(math.dist(place, neighbor) > spacing for neighbor in places)]
        places += fitting[:1]
        spacing *= 1.0 if fitting else 0.98
    return places


def _entering(hall: Hall, count: int, chance: random.Random) -> list[tuple[float, float]]:
    """Places before the entrance, where people stand who have not entered yet."""
    step = min(SLOT, 2.0 * (hall.entrance.half - 1.0) / (SLOTS - 1))
    slots = [
        ((slot - (SLOTS - 1) / 2.0) * step, -hall.half_depth - ENTERS - row * SLOT)
        for row in range(ROWS)
        for slot in range(SLOTS)
    ]
    return [slots[number % len(slots)] for number in chance.sample(range(count), count)]


STATION_HALL = ReadyScene(
    operator="add_station_hall",
    label="Station Hall",
    description="Add people who walk through a station hall: "
    "some read the board, and all leave by exits, one of them upstairs, ready to bake",
    icon="HOME",
    counted="Number of people; the size of the hall is adapted to it",
    count=COUNT,
    measure="Height",
    measured="Height of a person",
    size=PERSON.size,
    reach=lambda options: hall_of(options).reach,
    add=add_station_hall,
    seconds=COMES_FOR + CROSSES,
)
