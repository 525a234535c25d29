"""The stage of an underwater demo: sand, rocks with corals, weed, water that brightens upwards, and sun rays."""

import itertools
import math
import random

import models
import stage
from mathutils import Matrix, Vector

WATER = ("#10506f", "#15638a", "#1f7ba3", "#3394b7", "#4fadc6", "#77c6d2", "#a3dcdc", "#cdefe6")  # from the horizon up
WATER_EDGES = (-30, -2, 3, 8, 14, 22, 34, 52, 88)  # degrees above the horizon
RADIUS = 70.0  # m, of the dome of water
FLOOR = tuple(
    zip(
        (1.2, 2.8, 5.0, 8.0, 12.0, 18.0, 28.0, 44.0, 71.0),
        (0.1, 0.15, 0.25, 0.4, 0.7, 1.3, 2.4, 4.0, 5.0),
    )
)  # rings of sand: radius, rise
SAND = ("#d9c79a", "#d0c197", "#bfbb98", "#a4b09a", "#83a29c", "#5d8f9c", "#3a7793", "#22648a")  # near to far
SIDES = 56
ROCK = ("#5b6672", "#6a7580", "#77838c", "#86919a")
CORALS = ("#e0566a", "#f08a4b", "#b25bc0", "#f3c14f", "#e8e1d2", "#4fb3a5")
WEED = ("#2f7d4f", "#3f8f4d", "#5a9e4a", "#2c6e5c")
ROCKS = (  # location, size; the larger ones are behind the action
    ((-3.4, 3.6), 1.5),
    ((2.8, 4.4), 1.9),
    ((0.2, 2.6), 0.8),
    ((-7.0, 6.0), 2.4),
    ((7.4, 6.2), 2.2),
    ((4.9, -2.6), 0.7),
    ((-5.2, -2.4), 0.8),
    ((-1.2, -2.0), 0.45),
    ((11.5, 1.2), 1.6),
    ((-11.8, 2.0), 1.7),
    ((0.5, 9.0), 2.8),
)
RAY = "#e9fff00f"


def build(seed: int = 3) -> None:
    """Add water, sand, rocks, corals, weed and sun rays to the scene."""
    chance = random.Random(seed)
    stage.dome("Water", stage.blended(WATER, 4), WATER_EDGES, RADIUS)
    _floor(chance)
    for number, (place, size) in enumerate(ROCKS, 1):
        _rock(number, place, size, chance)
    weeds = [_weed(f"Weed {number + 1}", WEED[number], chance) for number in range(len(WEED))]
    for number in range(46):
        angle, distance = chance.uniform(0.0, math.tau), chance.uniform(2.2, 11.0)
        x, y = distance * math.cos(angle), distance * math.sin(angle)
        if y < -3.0 and abs(x) < 3.0:
            continue  # in front of the camera
        ob = models.place(
            f"Weed {number + 1:02}",
            weeds[number % len(weeds)],
            (x, y, _height(x, y) - 0.05),
            heading=chance.uniform(0.0, math.tau),
            scale=chance.uniform(0.5, 1.2),
        )
        ob.display.show_shadows = False
    _rays(chance)


def _height(x: float, y: float) -> float:
    """Height of the sand: gentle ripples and low dunes."""
    return 0.12 * math.sin(0.9 * x + 0.4 * y) + 0.10 * math.sin(1.1 * y - 0.5 * x + 2.0)


def _floor(chance: random.Random) -> None:
    """Rings of sand that rise and fade into the water with distance."""
    hoops = []
    for level, (radius, rise) in enumerate(FLOOR):
        hoop = []
        for side in range(SIDES):
            angle = math.tau * (side + 0.5 * (level % 2)) / SIDES
            x, y = radius * math.cos(angle), radius * math.sin(angle)
            rough = chance.uniform(-0.04, 0.04) * min(radius, 1.0 + radius / 8.0)
            hoop.append((x, y, _height(x, y) + rise - 0.1 + rough))
        hoops.append(hoop)
    shape = models.Shape()
    shape.face(hoops[0], SAND[0])
    for level, (near, far) in enumerate(itertools.pairwise(hoops)):
        for side in range(SIDES):
            after = (side + 1) % SIDES
            color = SAND[min(level + (chance.random() < 0.2), len(SAND) - 1)]
            shape.face((near[side], near[after], far[after]), color)
            shape.face((near[side], far[after], far[side]), color)
    models.place("Sand", shape.mesh("Sand")).display.show_shadows = False


def _rock(number: int, place: tuple[float, float], size: float, chance: random.Random) -> None:
    """A rock of a few lumps with corals."""
    shape = models.Shape()
    tops = []
    for _ in range(3):
        x, y = chance.uniform(-0.6, 0.6) * size, chance.uniform(-0.5, 0.5) * size
        high = size * chance.uniform(0.35, 0.75)
        radii = (size * chance.uniform(0.5, 0.8), size * chance.uniform(0.45, 0.7), high)
        shape.ball((x, y, 0.15 * high), radii, lambda part, _side: ROCK[min(part, 3)], sides=7, bands=5)
        tops.append((Vector((x, y, 0.15 * high)), radii))
    shape.corners = [[at + chance.uniform(-0.06, 0.06) * size for at in corner] for corner in shape.corners]
    for _ in range(5):
        middle, radii = chance.choice(tops)
        around, above = chance.uniform(0.0, math.tau), chance.uniform(0.35, 1.3)
        out = Vector((math.cos(around) * math.cos(above), math.sin(around) * math.cos(above), math.sin(above)))
        root = middle + Vector(a * b for a, b in zip(out, radii))
        _coral(shape, root, out, 0.28 * size**0.5, chance)
    models.place(f"Rock {number}", shape.mesh(f"Rock {number}"), (*place, _height(*place)))


def _coral(shape: models.Shape, root: Vector, out: Vector, size: float, chance: random.Random) -> None:
    """A coral on a rock: either round or branched."""
    color = chance.choice(CORALS)
    if chance.random() < 0.4:
        shape.ball(root, (0.6 * size, 0.6 * size, 0.45 * size), color, sides=6, bands=4)
        return
    turn = (0.4 * out + Vector((0.0, 0.0, 1.0))).to_track_quat("Z", "Y")
    for branch in range(5):
        lean = Matrix.Rotation(math.tau * branch / 5, 3, "Z") @ Vector((chance.uniform(0.2, 0.6), 0.0, 1.0))
        tip = root + turn @ (lean * size * chance.uniform(0.7, 1.2))
        shape.rod(root - 0.05 * out, tip, 0.10 * size, color, sides=5)


def _weed(name: str, color: str, chance: random.Random):
    """A tuft of long, bent leaves."""
    shape = models.Shape()
    for _ in range(7):
        around, lean = chance.uniform(0.0, math.tau), chance.uniform(0.1, 0.45)
        way, high = Vector((math.cos(around), math.sin(around), 0.0)), chance.uniform(0.7, 1.6)
        aside = way.cross((0.0, 0.0, 1.0))
        spine = [(way * lean * t * t + Vector((0.0, 0.0, t))) * high for t in (0.0, 0.35, 0.7, 1.0)]
        wide = [0.045, 0.06, 0.045, 0.004]
        hoops = [[point - aside * w, point + aside * w] for point, w in zip(spine, wide)]
        shape.loft(hoops, color, closed=False)
    return shape.mesh(name)


def _rays(chance: random.Random) -> None:
    """Slanting rays from the surface, thin enough for the fish to show through."""
    slant = Vector((stage.SUN[0], 0.25, stage.SUN[2])).normalized()
    for number in range(7):
        foot = Vector((chance.uniform(-9.0, 9.0), chance.uniform(3.0, 9.0), -0.5))
        wide = chance.uniform(0.25, 0.9)
        top, side = foot + slant * 24.0, Vector((1.0, 0.0, 0.0))
        shape = models.Shape()
        shape.face((foot - side * wide, foot + side * wide, top + side * 2.2 * wide, top - side * 2.2 * wide), RAY)
        models.place(f"Ray {number + 1}", shape.mesh(f"Ray {number + 1}")).display.show_shadows = False
