"""A station hall: people walk through it, some read the board, and all leave by exits at random, some upstairs.

The hall has a floor, walls with doors, dark tunnels behind these, a bench, a board, and stairs to a gallery. Lengths
are in metres, for people of a usual height; `Hall.scale` changes all of them alike.
"""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import bpy
from bpy.types import Collection, Context, Material, Mesh, Object
from mathutils import Matrix, Vector

from ....behaviors import CATALOGUE
from ....simulation.roles import Role
from ...animation.frame_rate import frame_range
from ...objects.hierarchy import Family
from ...read.role_assignment import give_role
from ..behavior_adding import add_behaviors
from .models import PERSON, THINGS, append
from .scene_builder import ReadyMember, ReadyScene, SceneBuilder, SceneOptions, fitted_preset
from .walkers import CARRYING, without_region

PAINTS = ("Floor", "Walls", "Tunnel", "Sign", "Frame", "Wood", "Board", "Letters")
Box = tuple[tuple[float, float, float], tuple[float, float, float], str]
"""The lowest and the highest corner, and the paint."""
SIDES = ((0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7), (3, 2, 1, 0), (4, 5, 6, 7))
"""The corners of the sides of a box."""
HALF_WIDTH, HALF_DEPTH = 11.0, 8.0
"""Of a hall for 80 people."""
THICK, HIGH = 0.3, 1.1
"""Walls are cut off at this height, so that one can look in."""
ENTRANCE, DOOR = 4.5, 1.7
"""Half the widths of the entrance and of an exit."""
TUNNEL, TUNNEL_HIGH = 3.4, 2.7
"""Length and height of the tunnel behind a door."""
BEHIND = 4.4
"""How far behind the wall people are bound for, who leave by a door."""
DOORS = (1.5, -4.5)
"""Where the doors in each side wall are, off its middle, in the hall for 80 people."""
BOARD_HALF = 4.8
"""Half the width of the board."""
SPOTS = 6
"""Places side by side along the board, each of which is read by some."""
OFF_WALL = 0.45
"""How far the board hangs off the back wall, as the middle of a bench."""
CORNER = 2.2
"""How far the middle of the bench is off the side wall."""
STAIRS = (0.4, 3.6)
"""From where to where the way to the stairs leads through the back wall, off the side wall."""
STEPS, TREAD, GALLERY = 18, 0.29, 3.2
"""The steps of the stairs, how deep each is, and how high the gallery is that they lead to."""
GALLERY_WIDE, RAIL = 3.0, 1.0
"""Width of the stairs and the gallery, and height of the rail."""


@dataclass(frozen=True)
class Door:
    """A door in a wall. `name`: of its tunnel, and of the Empty behind it if it is an exit; `out`: the unit direction
    out of the hall; `half`: half its width."""

    name: str
    place: tuple[float, float]
    out: tuple[float, float]
    half: float = DOOR
    height: float = 0.0


@dataclass(frozen=True)
class Hall:
    """A hall about its middle. `half_width`, `half_depth`: half the inner sides; `scale`: factor of all lengths."""

    half_width: float
    half_depth: float
    scale: float

    @property
    def exits(self) -> tuple[Door, ...]:
        """Two in each side wall, and one at the end of the gallery."""
        spots = [(side, y * self.half_depth / HALF_DEPTH) for side in (-1.0, 1.0) for y in DOORS]
        doors = [
            Door(f"Station Exit {number}", (side * self.half_width, y), (side, 0.0))
            for number, (side, y) in enumerate(spots, 1)
        ]
        middle, half = self.half_depth + THICK + 0.5 * GALLERY_WIDE, 0.5 * GALLERY_WIDE - THICK
        return (*doors, Door("Station Exit 5", (self.half_width, middle), (1.0, 0.0), half, GALLERY))

    @property
    def board(self) -> tuple[float, float]:
        """The place below the middle of the board."""
        return 0.0, self.half_depth - OFF_WALL

    @property
    def spots(self) -> list[tuple[float, float]]:
        """The places below the board that people look at, side by side."""
        x, y = self.board
        step = 2.0 * BOARD_HALF / SPOTS
        return [(x + (spot + 0.5) * step - BOARD_HALF, y) for spot in range(SPOTS)]

    @property
    def entrance(self) -> Door:
        """A wide door in the front wall."""
        return Door("Entrance", (0.0, -self.half_depth), (0.0, -1.0), min(ENTRANCE, self.half_width - 1.0))

    @property
    def bench(self) -> tuple[float, float]:
        """The place of the bench, along the back wall."""
        return self.half_width - CORNER, self.half_depth - OFF_WALL

    @property
    def reach(self) -> float:
        """The distance of the outermost corner from the middle, in metres."""
        return self.scale * (max(self.half_width, self.half_depth) + TUNNEL + 2.0 * THICK)

    def at(self, middle: Vector, x: float, y: float, z: float = 0.0) -> Vector:
        """A place in the hall, in metres of the scene."""
        return middle + self.scale * Vector((x, y, z))

    def walls(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """The walls as boxes, from the corner (x, y) to the opposite one."""
        x, y, t = self.half_width, self.half_depth, THICK
        begins, ends = STAIRS
        back = [((-x - t, y), (begins - x, y + t)), ((ends - x, y), (x + t, y + t))]
        gap = self.entrance.half
        front = [((-x - t, -y - t), (-gap, -y)), ((gap, -y - t), (x + t, -y))]
        middles = sorted(door.place[1] for door in self.exits if door.out[0] > 0.0 and not door.height)
        edges = [-y, *(middle + half for middle in middles for half in (-DOOR, DOOR)), y]
        spans = list(zip(edges[::2], edges[1::2]))
        sides = [((s * x, a), (s * (x + t), b)) for s in (-1.0, 1.0) for a, b in spans]
        return [*back, *front, *sides]

    def gallery(self) -> list[Box]:
        """A landing behind the back wall, the stairs along it, the gallery that they lead to, and its rail."""
        x, y = self.half_width, self.half_depth + THICK
        begin, deep = STAIRS[1] - x, y + GALLERY_WIDE
        end, rise = begin + STEPS * TREAD, GALLERY / STEPS
        landing = (STAIRS[0] - THICK - x, y - THICK, -0.1), (begin, deep, 0.0), "Floor"
        steps: list[Box] = [
            ((begin + k * TREAD, y, max(k - 1, 0) * rise), (begin + (k + 1) * TREAD, deep, (k + 1) * rise), "Walls")
            for k in range(STEPS)
        ]
        deck = (end, y, GALLERY - 0.2), (x + THICK, deep, GALLERY), "Floor"
        rail = (end, y - 0.05, GALLERY + RAIL - 0.06), (x, y, GALLERY + RAIL), "Frame"
        posts = [
            ((at - 0.03, y - 0.05, GALLERY - 0.2), (at + 0.03, y, GALLERY + RAIL), "Frame")
            for at in (end + 0.05, 0.5 * (end + x), x - 0.05)
        ]
        return [landing, *steps, deck, rail, *posts]


def build(hall: Hall, builder: SceneBuilder) -> None:
    """Add floor, walls, tunnels, bench, board and gallery; walls and bench are obstacles, people stand on the rest."""
    blocks = append(meshes=("Station Bench", "Station Board"), materials=[f"Station {paint}" for paint in PAINTS])
    paints, (bench, board) = dict(zip(PAINTS, blocks["materials"])), blocks["meshes"]
    for mesh in (bench, board):
        mesh.transform(Matrix.Scale(hall.scale, 4))

    def add(name: str, mesh: Mesh, x: float, y: float, z: float = 0.0, role: Role | None = None) -> Object:
        return builder.add(name, mesh, hall.at(builder.place, x, y, z), role)

    def add_ground(name: str, boxes: Sequence[Box], x: float = 0.0, y: float = 0.0, z: float = 0.0) -> None:
        add(name, _boxes(name, boxes, hall.scale, paints), x, y, z, Role.SURFACE)

    def add_obstacle(name: str, mesh: Mesh, shape: str, x: float, y: float) -> None:
        ob = add(name, mesh, x, y)
        give_role(ob, Role.OBSTACLE, Family())
        ob.steering.obstacle_shape = shape

    x, y = hall.half_width + THICK, hall.half_depth + THICK
    floor = (-x, -y, -0.1), (x, y, 0.0), "Floor"
    add_ground("Station Floor", [floor])
    add_ground("Station Gallery", hall.gallery())
    for number, (start, end) in enumerate(hall.walls(), 1):
        x, y = (0.5 * (a + b) for a, b in zip(start, end))
        half_x, half_y = (0.5 * abs(b - a) for a, b in zip(start, end))
        box = (-half_x, -half_y, 0.0), (half_x, half_y, HIGH), "Walls"
        name = f"Station Wall {number}"
        add_obstacle(name, _boxes(name, [box], hall.scale, paints), "BOX", x, y)
    add_obstacle("Station Bench", bench, "MESH", *hall.bench)
    for door in (*hall.exits, hall.entrance):
        add_ground(f"{door.name} Tunnel", _tunnel(door), *door.place, door.height)
    add("Station Board", board, *hall.board)


def _tunnel(door: Door) -> list[Box]:
    """A tunnel behind a door, with a sign over its mouth; the origin is in the door."""
    (x, y), t, deep, wide, sign = door.out, THICK, THICK + TUNNEL, door.half + THICK, 0.8 * DOOR

    def box(outward: Sequence[float], sideward: Sequence[float], up: Sequence[float], paint: str) -> Box:
        corners = [(a * x - b * y, a * y + b * x) for a, b in zip(outward, sideward)]
        low, high = (tuple(choose(axis) for axis in zip(*corners)) for choose in (min, max))
        return (*low, up[0]), (*high, up[1]), paint

    return [
        box((t, deep), (-wide, wide), (-0.1, 0.0), "Tunnel"),
        box((t, deep), (-wide, -door.half), (0.0, TUNNEL_HIGH), "Tunnel"),
        box((t, deep), (door.half, wide), (0.0, TUNNEL_HIGH), "Tunnel"),
        box((deep, deep + t), (-wide, wide), (0.0, TUNNEL_HIGH), "Tunnel"),
        box((t, deep + t), (-wide, wide), (TUNNEL_HIGH, TUNNEL_HIGH + 0.15), "Walls"),
        box((t - 0.12, t), (-sign, sign), (TUNNEL_HIGH - 0.45, TUNNEL_HIGH + 0.05), "Sign"),
    ]


def _boxes(name: str, boxes: Sequence[Box], scale: float, paints: Mapping[str, Material]) -> Mesh:
    points = [
        (scale * x, scale * y, scale * z)
        for (west, south, low), (east, north, high), _ in boxes
        for z in (low, high)
        for x, y in ((west, south), (east, south), (east, north), (west, north))
    ]
    faces = [tuple(8 * number + corner for corner in side) for number in range(len(boxes)) for side in SIDES]
    names = list(dict.fromkeys(paint for *_, paint in boxes))
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    for paint in names:
        mesh.materials.append(paints[paint])
    mesh.polygons.foreach_set("material_index", [names.index(paint) for *_, paint in boxes for _ in SIDES])
    mesh.update()
    return mesh


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
    late, (first, _) = members[_inside(options) :], frame_range(context.scene)
    span = COMES_FOR * (context.scene.render.fps / context.scene.render.fps_base)
    for number, walker in enumerate(late):
        delay = span * (number + chance.random()) / len(late)
        walker.steering.use_enter_frame, walker.steering.enter_frame = True, first + 1 + int(delay)
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
