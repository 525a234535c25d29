"""A station hall: a floor, walls with doors, dark tunnels behind these, a bench, a board, and stairs to a gallery.

Lengths are in metres, for people of a usual height; `Hall.scale` changes all of them alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import bpy
from bpy.types import Material, Mesh, Object
from mathutils import Matrix, Vector

from ....simulation.roles import Role
from ...objects.hierarchy import Family
from ...read.role_assignment import give_role
from .models import append
from .scene_builder import SceneBuilder

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
    """A door in a wall.

    Attributes:
        name: of its tunnel, and of the Empty behind it if it is an exit.
        out: the unit direction out of the hall.
        half: half its width.
    """

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
