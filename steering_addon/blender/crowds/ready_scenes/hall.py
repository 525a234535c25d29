"""A station hall: a floor, walls with doors, dark tunnels behind these, benches and a board. Lengths are in metres.

They are those for people of a usual height; `Hall.scale` changes all of them alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
from mathutils import Vector

from ....simulation.roles import Role
from ...objects.hierarchy import Family
from ...read.role_assignment import give_role
from .shape import Paints, Shape

if TYPE_CHECKING:
    from bpy.types import Collection, Object

COLORS = {
    "floor": "#cdc5b4",
    "walls": "#9a8f80",
    "tunnel": "#4c4a50",
    "frame": "#33383f",
    "board": "#171b22",
    "letters": "#f2b632",
    "sign": "#2b6ea3",
    "wood": "#8a5a33",
}
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
BOARD_HALF, BOARD_LOW, BOARD_HIGH = 4.8, 2.2, 3.7
"""Half the width of the board, and the heights of its edges."""
SPOTS = 6
"""Places side by side along the board, each of which is read by some."""
LINES = 7
"""Lines of letters on the board."""
OFF_WALL = 0.45
"""How far the board hangs off the back wall, as the middle of a bench."""
BENCH_HALF, BENCH_DEPTH, SEAT, BACK = 0.9, 0.22, 0.45, 0.85
"""Half the length and the depth of a bench, and the heights of its seat and its back."""
CORNER = 2.2
"""How far the middle of a bench is off the side wall."""


@dataclass(frozen=True)
class Door:
    """A door in a wall.

    Attributes:
        name: of its tunnel, and of the Empty behind it if it is an exit.
        place: where it is in the wall.
        out: the unit direction out of the hall.
        half: half its width.
    """

    name: str
    place: tuple[float, float]
    out: tuple[float, float]
    half: float = DOOR


@dataclass(frozen=True)
class Hall:
    """A hall about its middle.

    Attributes:
        half_width, half_depth: half the inner sides.
        scale: factor of all lengths.
    """

    half_width: float
    half_depth: float
    scale: float

    @property
    def exits(self) -> tuple[Door, ...]:
        """Two in each side wall."""
        places = [(side, along * self.half_depth / HALF_DEPTH) for side in (-1.0, 1.0) for along in DOORS]
        return tuple(
            Door(f"Station Exit {number}", (side * self.half_width, along), (side, 0.0))
            for number, (side, along) in enumerate(places, 1)
        )

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
    def benches(self) -> tuple[tuple[float, float], ...]:
        """The places of the benches, along the back wall."""
        return tuple((side * (self.half_width - CORNER), self.half_depth - OFF_WALL) for side in (-1.0, 1.0))

    @property
    def reach(self) -> float:
        """The distance of the outermost corner from the middle, in metres."""
        return self.scale * (max(self.half_width, self.half_depth) + TUNNEL + THICK)

    def at(self, middle: Vector, x: float, y: float, z: float = 0.0) -> Vector:
        """A place in the hall, in metres of the scene."""
        return middle + self.scale * Vector((x, y, z))

    def walls(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """The walls as boxes, from the corner (x, y) to the opposite one."""
        x, y, t = self.half_width, self.half_depth, THICK
        back = ((-x - t, y), (x + t, y + t))
        gap = self.entrance.half
        front = [((-x - t, -y - t), (-gap, -y)), ((gap, -y - t), (x + t, -y))]
        middles = sorted(door.place[1] for door in self.exits if door.out[0] > 0.0)
        edges = [-y, *(along + half for along in middles for half in (-DOOR, DOOR)), y]
        spans = list(zip(edges[::2], edges[1::2]))
        sides = [((s * x, a), (s * (x + t), b)) for s in (-1.0, 1.0) for a, b in spans]
        return [back, *front, *sides]


def build(hall: Hall, middle: Vector, collection: Collection) -> Object:
    """Add floor, walls, tunnels, benches and board; walls and benches are obstacles. Returns the floor."""
    paints = Paints("Station", COLORS)
    floor = _add(_floor(hall), "Station Floor", hall.scale, paints, middle, collection)
    for number, (low, high) in enumerate(hall.walls(), 1):
        corner, opposite = (min(low[0], high[0]), min(low[1], high[1])), (max(low[0], high[0]), max(low[1], high[1]))
        centre = ((corner[0] + opposite[0]) / 2.0, (corner[1] + opposite[1]) / 2.0)
        shape, half = Shape(), ((opposite[0] - corner[0]) / 2.0, (opposite[1] - corner[1]) / 2.0)
        _box(shape, (-half[0], -half[1], 0.0), (half[0], half[1], HIGH), "walls")
        _block(_add(shape, f"Station Wall {number}", hall.scale, paints, hall.at(middle, *centre), collection))
    for number, place in enumerate(hall.benches, 1):
        _block(_add(_bench(), f"Station Bench {number}", hall.scale, paints, hall.at(middle, *place), collection))
    for door in (*hall.exits, hall.entrance):
        _add(_tunnel(door), f"{door.name} Tunnel", hall.scale, paints, hall.at(middle, *door.place), collection)
    _add(_board(), "Station Board", hall.scale, paints, hall.at(middle, *hall.board), collection)
    return floor


def _add(shape: Shape, name: str, scale: float, paints: Paints, place: Vector, collection: Collection) -> Object:
    ob = bpy.data.objects.new(name, shape.mesh(name, paints, scale))
    ob.location = place
    collection.objects.link(ob)
    return ob


def _block(ob: Object) -> None:
    """Make a box an obstacle."""
    give_role(ob, Role.OBSTACLE, Family())
    ob.steering.obstacle_shape = "BOX"


def _floor(hall: Hall) -> Shape:
    shape = Shape()
    x, y = hall.half_width + THICK, hall.half_depth + THICK
    _box(shape, (-x, -y, -0.1), (x, y, 0.0), "floor")
    return shape


def _tunnel(door: Door) -> Shape:
    """A tunnel behind a door, with a sign over its mouth; the origin is in the door."""
    shape, (x, y) = Shape(), door.out
    deep, wide, t = THICK + TUNNEL, door.half + THICK, THICK

    def box(along: Sequence[float], aside: Sequence[float], up: Sequence[float], paint: str) -> None:
        corners = [(a * x - b * y, a * y + b * x) for a, b in zip(along, aside)]
        low = (min(c[0] for c in corners), min(c[1] for c in corners), up[0])
        high = (max(c[0] for c in corners), max(c[1] for c in corners), up[1])
        _box(shape, low, high, paint)

    box((t, deep), (-wide, wide), (-0.1, 0.0), "tunnel")
    box((t, deep), (-wide, -door.half), (0.0, TUNNEL_HIGH), "tunnel")
    box((t, deep), (door.half, wide), (0.0, TUNNEL_HIGH), "tunnel")
    box((deep, deep + t), (-wide, wide), (0.0, TUNNEL_HIGH), "tunnel")
    box((t, deep + t), (-wide, wide), (TUNNEL_HIGH, TUNNEL_HIGH + 0.15), "walls")
    sign = 0.8 * DOOR
    box((t - 0.12, t), (-sign, sign), (TUNNEL_HIGH - 0.45, TUNNEL_HIGH + 0.05), "sign")
    return shape


def _bench() -> Shape:
    """A bench that looks into the hall, with its back to the wall."""
    shape, (x, y) = Shape(), (BENCH_HALF, BENCH_DEPTH)
    for side in (-1.0, 1.0):
        middle = side * (x - 0.15)
        _box(shape, (middle - 0.05, 0.05 - y, 0.0), (middle + 0.05, y, SEAT - 0.05), "frame")
    _box(shape, (-x, -y, SEAT - 0.05), (x, y, SEAT), "wood")
    _box(shape, (-x, y - 0.05, SEAT + 0.1), (x, y, BACK), "wood")
    return shape


def _board() -> Shape:
    """The board on two posts, which faces the hall; the origin is below its middle."""
    shape = Shape()
    for x in (-BOARD_HALF + 0.2, BOARD_HALF - 0.2):
        _box(shape, (x - 0.06, 0.05, 0.0), (x + 0.06, 0.17, BOARD_HIGH), "frame")
    _box(shape, (-BOARD_HALF, -0.06, BOARD_LOW), (BOARD_HALF, 0.05, BOARD_HIGH), "board")
    step, wide = (BOARD_HIGH - BOARD_LOW - 0.2) / LINES, 2.0 * BOARD_HALF / SPOTS
    for line in range(LINES * SPOTS):
        top, column = BOARD_HIGH - 0.1 - line % LINES * step, line // LINES * wide - BOARD_HALF
        for left, right in ((0.05, 0.2), (0.25, 0.6 + 0.07 * (line * 5 % 4)), (0.87, 0.95)):
            corners = [(left, top - 0.65 * step), (right, top - 0.65 * step), (right, top), (left, top)]
            shape.face([(column + wide * u, -0.065, v) for u, v in corners], "letters")
    return shape


def _box(shape: Shape, low: tuple[float, float, float], high: tuple[float, float, float], paint: str) -> None:
    """Add a box between two corners."""
    rings = [
        [(low[0], low[1], z), (high[0], low[1], z), (high[0], high[1], z), (low[0], high[1], z)]
        for z in (low[2], high[2])
    ]
    shape.skin(rings, paint)
