"""A low-poly town: gabled houses, church and clock towers, and the furniture of its squares and streets."""

import math
import random
from collections.abc import Sequence

import bpy
import models
from mathutils import Matrix, Vector

PLASTER = ("#f0dfc0", "#e8c9a0", "#f4ead6", "#dfb993", "#e9d3b8", "#d9c6ac", "#eec7a4")
TILES = ("#b9573a", "#a84b35", "#c46a44", "#9c4a3c", "#b5634a")
SHUTTERS = ("#4e6f73", "#6b7f5a", "#7b4f45", "#4a5a78")
PANE = "#4a5568"
DOOR = "#6a4530"
STONE = ("#d8cbb4", "#c9bba3", "#bcae98")
SLATE = "#4f6474"
COPPER = "#6fa08c"
GOLD = "#f0c04a"
BRICK = ("#b5674a", "#a85c43")


def house(shape: models.Shape, spot: Matrix, size: models.Point, chance: random.Random) -> None:
    """Add a gabled house; `size` is width, depth and height of the eaves. Its door is in the +Y wall."""
    width, depth, height = size[0] / 2, size[1] / 2, size[2]
    wall, roof, shutter = chance.choice(PLASTER), chance.choice(TILES), chance.choice(SHUTTERS)
    ridge = height + 0.62 * depth

    def face(points: Sequence[models.Point], color: str) -> None:
        shape.face([spot @ Vector(point) for point in points], color)

    low = [(-width, -depth), (width, -depth), (width, depth), (-width, depth)]
    for (ax, ay), (bx, by) in zip(low, low[1:] + low[:1]):
        face([(ax, ay, -0.5), (bx, by, -0.5), (bx, by, height), (ax, ay, height)], wall)
    for x in (-width, width):
        face([(x, -depth, height), (x, depth, height), (x, 0.0, ridge)], wall)
        for y, z in ((-0.45 * depth, 0.9), (0.45 * depth, 0.9), (0.0, height - 0.6)):
            out = math.copysign(width + 0.03, x)
            face([(out, y - 0.4, z), (out, y + 0.4, z), (out, y + 0.4, z + 1.35), (out, y - 0.4, z + 1.35)], PANE)
    over, drop = 0.45, 0.25
    for side in (-1, 1):
        eaves, edge = side * (depth + over), height - drop
        wide, top = width + over, ridge + 0.1
        face([(-wide, eaves, edge), (wide, eaves, edge), (wide, 0, top), (-wide, 0, top)], roof)
    _chimney(face, width, depth, ridge, chance)
    floors = max(1, int((height - 2.4) / 2.7) + 1)  # as their windows have to end below the roof
    columns = max(2, round(2 * width / 2.6))
    for side in (-1, 1):
        wall_y = side * (depth + 0.03)
        for column in range(columns):
            x = -width + (column + 0.5) * 2 * width / columns
            for floor in range(floors):
                z = 0.9 + floor * 2.7
                if side > 0 and floor == 0 and column == columns // 2:
                    face(
                        [(x - 0.6, wall_y, 0), (x + 0.6, wall_y, 0), (x + 0.6, wall_y, 2.2), (x - 0.6, wall_y, 2.2)],
                        DOOR,
                    )
                    continue
                _window(face, x, wall_y, z, shutter)


def _window(face, x: float, y: float, z: float, shutter: str) -> None:
    """Add a window with shutters to a wall that faces along Y."""
    for left, right, color in ((-0.42, 0.42, PANE), (-0.78, -0.42, shutter), (0.42, 0.78, shutter)):
        face([(x + left, y, z), (x + right, y, z), (x + right, y, z + 1.35), (x + left, y, z + 1.35)], color)


def _chimney(face, width: float, depth: float, ridge: float, chance: random.Random) -> None:
    """Add a chimney to one side of a roof."""
    x, y = chance.uniform(-0.6, 0.6) * width, chance.choice((-1, 1)) * 0.35 * depth
    corners = [(x - 0.35, y - 0.35), (x + 0.35, y - 0.35), (x + 0.35, y + 0.35), (x - 0.35, y + 0.35)]
    top = ridge + 0.7
    for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1]):
        face([(ax, ay, ridge - 2.0), (bx, by, ridge - 2.0), (bx, by, top), (ax, ay, top)], BRICK[0])
    face([(px, py, top) for px, py in corners], models.TYRE)


def spot(x: float, y: float, heading: float) -> Matrix:
    """The matrix of a place on the ground with this heading."""
    return Matrix.Translation((x, y, 0.0)) @ Matrix.Rotation(heading, 4, "Z")


TOWERS = {  # kind: (height, radius, colour from this height up)
    "SPIRE": (
        (0.0, 2.75, STONE[2]),
        (1.2, 2.5, STONE[0]),
        (12.0, 2.35, STONE[1]),
        (12.5, 2.35, STONE[0]),
        (20.4, 2.3, STONE[2]),
        (20.8, 2.6, SLATE),
        (27.0, 1.15, "#5b7283"),
        (35.0, 0.05, SLATE),
    ),
    "CAMPANILE": (
        (0.0, 2.9, BRICK[1]),
        (1.4, 2.6, BRICK[0]),
        (17.5, 2.55, STONE[0]),
        (18.0, 2.75, BRICK[0]),
        (22.5, 2.6, STONE[0]),
        (23.0, 2.9, TILES[1]),
        (29.0, 0.05, TILES[1]),
    ),
    "ONION": (
        (0.0, 2.7, STONE[2]),
        (1.0, 2.45, PLASTER[2]),
        (16.0, 2.4, STONE[1]),
        (16.4, 2.6, COPPER),
        (18.0, 2.75, COPPER),
        (19.6, 2.5, COPPER),
        (21.2, 1.5, "#82b29c"),
        (22.6, 0.85, COPPER),
        (23.6, 0.95, COPPER),
        (27.5, 0.05, COPPER),
    ),
    "CLOCK": (
        (0.0, 2.85, STONE[2]),
        (1.2, 2.6, PLASTER[0]),
        (16.0, 2.6, STONE[1]),
        (16.5, 2.8, PLASTER[2]),
        (21.0, 2.8, STONE[1]),
        (21.5, 2.95, SLATE),
        (25.0, 1.2, SLATE),
        (26.4, 1.1, GOLD),
        (27.6, 0.05, GOLD),
    ),
}
SIDES = {"SPIRE": 8, "CAMPANILE": 4, "ONION": 8, "CLOCK": 4}
BELFRIES = {"SPIRE": 15.5, "CAMPANILE": 19.0, "ONION": 12.0, "CLOCK": 11.5}
"""Heights, before a tower is scaled."""


def tower(name: str, kind: str, height: float) -> bpy.types.Mesh:
    """A slim tower of about 2.5 m radius; `kind` is 'SPIRE', 'CAMPANILE', 'ONION' or 'CLOCK'."""
    sides, profile = SIDES[kind], TOWERS[kind]
    scale = height / profile[-1][0]
    shape = models.Shape()
    hoops = [models.ring(sides, radius, z * scale, 0.5) for z, radius, _ in profile]
    shape.loft(hoops, lambda part, side: profile[part][2], caps=(profile[0][2], profile[-1][2]))
    belfry = BELFRIES[kind] * scale
    for side in range(0, sides, sides // 4):
        turn = Matrix.Rotation(math.tau * (side + (1.0 if sides == 4 else 0.0)) / sides, 4, "Z")
        distance = 2.72 * math.cos(math.pi / sides) if sides == 4 else 2.4 * math.cos(math.pi / sides)
        for z, half, rise in ((belfry, 0.55, 3.0), (belfry - 6.5, 0.25, 1.6)):
            top = rise + 0.5 * half
            arch = [(-half, 0), (half, 0), (half, rise), (0.6 * half, top), (-0.6 * half, top), (-half, rise)]
            shape.face([turn @ Vector((distance, x, z + up)) for x, up in arch], PANE)
        if kind == "CLOCK":
            _clock(shape, turn, 2.06, 18.7 * scale)
    return shape.mesh(name)


def _clock(shape: models.Shape, turn: Matrix, wall: float, height: float) -> None:
    """Add a clock face with two hands to a wall at x = `wall`, which faces +X before the turn."""
    for radius, color, out in ((1.35, SLATE, 0.0), (1.15, "#fdf6e3", 0.03)):
        shape.face([turn @ Vector((wall + out, radius * x, height + radius * y)) for x, y, _ in models.ring(16)], color)
    for dx, dy, thick in ((0.0, 0.95, 0.07), (0.6, 0.2, 0.09)):
        aside = Vector((-dy, dx)).normalized() * thick
        corners = [aside, Vector((dx, dy)), -aside]
        shape.face([turn @ Vector((wall + 0.06, x, height + y)) for x, y in corners], "#2b2f3a")


def fountain(name: str) -> bpy.types.Mesh:
    """A round fountain, 4.4 m wide: a basin, a pillar with a bowl, and a jet."""
    shape = models.Shape()
    basin = [models.ring(12, radius, z) for radius, z in ((2.2, -0.1), (2.2, 0.55), (1.9, 0.55), (1.9, 0.38))]
    shape.loft(basin, lambda part, side: STONE[(part + side) % 2], caps=(None, "#6fb4cf"))
    shape.loft([models.ring(8, 0.42, 0.3), models.ring(8, 0.24, 0.6), models.ring(8, 0.22, 1.4)], STONE[0])
    shape.loft([models.ring(10, 0.25, 1.35), models.ring(10, 0.95, 1.75)], STONE[1], caps=(None, "#86c5dc"))
    shape.loft([models.ring(6, 0.20, 1.7), models.ring(6, 0.11, 2.5), models.ring(6, 0.30, 2.75)], "#d9f0f7")
    for i in range(8):
        x, y, _ = models.ring(8)[i]
        shape.rod((0.9 * x, 0.9 * y, 1.72), (1.25 * x, 1.25 * y, 0.4), 0.045, "#d9f0f7", 3)
    return shape.mesh(name)


def planter(name: str, blossom: str, seed: int) -> bpy.types.Mesh:
    """A round pot with a clipped flowering bush, 1.1 m wide."""
    chance = random.Random(seed)
    shape = models.Shape()
    shape.loft([models.ring(8, 0.38), models.ring(8, 0.55, 0.55)], "#b9653f", caps=("#b9653f", "#5a4630"))
    shape.ball(
        (0, 0, 0.85), (0.55, 0.55, 0.48), lambda part, side: ("#4b7a43", "#588a4b", "#6a9c58")[min(part, 2)], 8, 5
    )
    for _ in range(24):
        angle, rise = chance.uniform(0, math.tau), chance.uniform(0.0, 1.3)
        x, y, z = math.cos(angle) * math.cos(rise), math.sin(angle) * math.cos(rise), math.sin(rise)
        shape.ball((0.53 * x, 0.53 * y, 0.85 + 0.46 * z), (0.075, 0.075, 0.065), blossom, sides=5, bands=3)
    return shape.mesh(name)


def stall(name: str, stripes: tuple[str, str], seed: int) -> bpy.types.Mesh:
    """A market stall, 3 m wide, with a striped awning and crates of fruit; its counter faces +Y."""
    chance = random.Random(seed)
    shape = models.Shape()
    shape.box((-1.4, -0.5, 0.0), (1.4, 0.6, 0.85), "#9a6b42")
    shape.box((-1.5, -0.6, 0.85), (1.5, 0.7, 0.92), "#c08a58")
    for x in (-1.4, 1.4):
        for y, top in ((-0.7, 2.5), (0.85, 2.05)):
            shape.rod((x, y, 0), (x, y, top), 0.045, models.WOOD)
    count = 8
    for i in range(count):
        left, right = (-1.6 + 3.2 * (i + k) / count for k in (0, 1))
        color = stripes[i % 2]
        shape.face([(left, -0.85, 2.6), (right, -0.85, 2.6), (right, 1.15, 2.0), (left, 1.15, 2.0)], color)
        shape.face([(left, 1.15, 2.0), (right, 1.15, 2.0), ((left + right) / 2, 1.15, 1.72)], color)
    for i in range(4):
        x, fruit = -1.05 + 0.7 * i, chance.choice(("#e2552e", "#f2b52e", "#8fb545", "#c93c4c", "#e58a2e"))
        shape.box((x - 0.29, -0.25, 0.92), (x + 0.29, 0.5, 1.06), "#a9743f")
        for j in range(6):
            place = (x - 0.16 + 0.16 * (j % 3), 0.0 + 0.24 * (j // 3), 1.1)
            shape.ball(place, (0.1, 0.1, 0.1), fruit, sides=5, bands=3)
    return shape.mesh(name)


def lamp(name: str) -> bpy.types.Mesh:
    """A street lamp, 3.6 m high."""
    shape = models.Shape()
    shape.loft([models.ring(6, 0.16), models.ring(6, 0.08, 0.5), models.ring(6, 0.05, 3.0)], "#33404a")
    shape.loft([models.ring(6, 0.10, 3.0), models.ring(6, 0.20, 3.4)], "#fff0c2", caps=("#33404a", None))
    shape.loft([models.ring(6, 0.24, 3.4), models.ring(6, 0.03, 3.65)], "#33404a", caps=("#33404a", "#33404a"))
    return shape.mesh(name)


def bench(name: str) -> bpy.types.Mesh:
    """A bench, 1.8 m wide, that faces +Y."""
    shape = models.Shape()
    for y in (-0.15, 0.05, 0.25):
        shape.box((-0.9, y - 0.07, 0.42), (0.9, y + 0.07, 0.47), "#a9743f")
    for z in (0.62, 0.82):
        shape.box((-0.9, -0.30, z - 0.06), (0.9, -0.25, z + 0.06), "#a9743f")
    for x in (-0.75, 0.75):
        shape.box((x - 0.04, -0.28, 0.0), (x + 0.04, 0.3, 0.42), "#33404a")
        shape.box((x - 0.04, -0.30, 0.42), (x + 0.04, -0.25, 0.9), "#33404a")
    return shape.mesh(name)
