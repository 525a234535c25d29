"""Makes grounds in Blender, bakes walkers on them, and measures how these stand."""

import math
import random
from collections.abc import Callable, Sequence

import bpy
import numpy as np
from bpy.types import Object

from scripts.user_steps import select

KINDS = ("PERSON", "ANIMAL")
"""What the walkers move like: people, who stay upright, and animals, which lean with the ground."""
PACES = {"WALKER": 1.4, "RUNNER": 6.0, "RACER": 14.0}
"""Metres a second of those that cross stones, who go straight on."""
CAR = 7.0
"""Size of what crosses stones on wheels, 4.2 m long."""
SUSPENSION = 0.12
"""Metres by which its wheels move on their springs."""
EACH = 8
"""Walkers of a kind."""
SEED = 3
Height = Callable[[np.ndarray, np.ndarray], np.ndarray]


def rolling(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The height of rolling hills up to 25 degrees steep, metres."""
    waves = ((0.31, 0.12, 0.0), (-0.14, 0.27, 1.0), (0.22, -0.25, 2.5), (0.05, 0.36, 4.0))
    return sum((0.45 * np.sin(a * x + b * y + c) for a, b, c in waves), np.zeros_like(x))


def hills() -> float:
    """80,000 triangles of a metre."""
    grid("Hills", 200, 1.0, rolling)
    return 12.0


def wave() -> float:
    """A floor over which waves run."""
    ob = grid("Wave", 60, 0.5, lambda x, y: 0.0 * x)
    ripple = ob.modifiers.new("Ripple", "WAVE")
    ripple.height, ripple.width, ripple.narrowness, ripple.speed = 0.4, 4.0, 0.6, 0.05
    ripple.time_offset = -400.0
    return 8.0


def stairs() -> float:
    """Ten steps of 17 by 30 cm, between a floor and a landing."""
    edges = np.repeat(-1.5 + 0.3 * np.arange(11), 2)[:-1]
    steps = np.minimum(np.repeat(np.arange(12), 2)[:-1], 10)
    strip("Stairs", [-12.0, *edges, 12.0], 0.17 * steps, 6.0)
    return 5.0


def bridge() -> float:
    """A deck from bank to bank over a road."""
    grid("Road", 30, 1.0, lambda x, y: 0.0 * x)
    box("Deck", (24.0, 4.0, 0.2), (0.0, 0.0, 3.9))
    return 9.0


def overlapping() -> float:
    """Hills, and a dome that rises out of them."""
    grid("Hills", 60, 1.0, rolling)
    grid("Dome", 24, 0.5, lambda x, y: 1.5 - 0.04 * (x * x + y * y))
    return 10.0


def hole() -> float:
    """A floor with a square hole."""
    grid("Floor", 40, 0.5, rolling, without=2.0)
    return 8.0


def broken() -> float:
    """Hills with faces twice, faces without an area, fins that share an edge with two faces, and loose edges."""
    ob = grid("Hills", 60, 0.5, rolling)
    mesh = ob.data
    points = [tuple(vertex.co) for vertex in mesh.vertices]
    faces = [tuple(polygon.vertices) for polygon in mesh.polygons]
    extra, number = [], len(points)
    for face in faces[::97]:
        a, b, c = (np.array(points[index]) for index in face[:3])
        extra.append(face)
        extra.append((face[0], face[1], number))
        points.append(tuple(0.5 * (a + b)))
        extra.append((face[1], face[2], number + 1))
        points.append((*(0.5 * (b + c))[:2], 0.5 * (b + c)[2] + 0.05))
        number += 2
    fresh = bpy.data.meshes.new("Broken")
    fresh.from_pydata(points, [(0, 5)], [*faces, *extra])
    ob.data = fresh
    return 8.0


def mirrored() -> float:
    """Hills whose object is scaled by -1."""
    ob = grid("Hills", 60, 0.5, rolling)
    ob.scale = (-1.0, -1.0, -1.0)
    return 8.0


def lorry() -> float:
    """The bed of a lorry that sets off, climbs and turns, over a field."""
    grid("Field", 80, 1.0, lambda x, y: 0.0 * x - 1.2)
    bed = grid("Bed", 16, 0.5, lambda x, y: 0.0 * x)
    cab = linked(bpy.data.objects.new("Lorry", None))
    bed.parent = cab
    drive(cab, ((8.0, 1.0, 0.3), 0.2), ((20.0, 8.0, 0.0), 0.7))
    return 3.0


def drive(ob: Object, *ways: tuple[tuple[float, float, float], float]) -> None:
    """Key an object, which starts at the origin, to places and headings in the middle of the scene and at its end."""
    last = bpy.context.scene.frame_end
    for frame, (place, angle) in zip((last, last // 2, 1), (*ways[::-1], ((0.0, 0.0, 0.0), 0.0))):
        ob.location, ob.rotation_euler = place, (0.0, 0.0, angle)
        ob.keyframe_insert("location", frame=frame)
        ob.keyframe_insert("rotation_euler", frame=frame)


def stones() -> float:
    """Stones of up to 8 cm, 1.5 m apart, on cells of 25 cm."""
    grid("Stones", 480, 0.25, lambda x, y: 0.04 * (np.sin(4.2 * x) + np.sin(4.2 * y + 1.0)))
    return 20.0


def moebius() -> float:
    """A band with half a turn, 3 m wide on a circle of 8 m."""
    around, across = 120, 8
    points, faces = [], []
    for k in range(around):
        angle = 2.0 * np.pi * k / around
        out = np.array((np.cos(angle), np.sin(angle), 0.0))
        tilted = np.cos(0.5 * angle) * out + np.sin(0.5 * angle) * np.array((0.0, 0.0, 1.0))
        points += [8.0 * out + (3.0 * j / across - 1.5) * tilted for j in range(across + 1)]
    for k in range(around):
        for j in range(across):
            a, b = k * (across + 1) + j, k * (across + 1) + j + 1
            c, d = a + across + 1, b + across + 1
            if k == around - 1:
                c, d = across - j, across - j - 1
            faces.append((a, c, d, b))
    surface("Band", np.array(points), np.array(faces))
    return 0.0


def ball() -> float:
    """A ball of 5 m."""
    points, faces = round_faces()
    surface("Ball", points, faces)
    return 0.0


def bowl() -> float:
    """The lower part of a ball, from inside."""
    points, faces = round_faces()
    surface("Bowl", points, faces[points[faces].mean(axis=1)[:, 2] < -1.5][:, ::-1])
    return 0.0


def round_faces() -> tuple[np.ndarray, np.ndarray]:
    """The points and triangles of a ball of 5 m."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=6, radius=5.0)
    made = bpy.context.object
    points = np.array([vertex.co for vertex in made.data.vertices])
    faces = np.array([polygon.vertices for polygon in made.data.polygons])
    bpy.data.objects.remove(made)
    return points, faces


GROUNDS = (hills, wave, stairs, bridge, overlapping, hole, broken, mirrored, lorry, stones)
"""Each makes a ground, and gives half the width in metres about the origin on which walkers start."""
CLUNG_TO = {"moebius": moebius, "ball": ball, "bowl": bowl, "swell": wave}
"""Each makes what insects crawl on."""


def grid(name: str, cells: int, size: float, height: Height, without: float = 0.0) -> Object:
    """A square of cells about the origin, without those in a square hole; tagged."""
    line = (np.arange(cells + 1) - 0.5 * cells) * size
    x, y = np.repeat(line, cells + 1), np.tile(line, cells + 1)
    points = np.stack((x, y, height(x, y)), axis=1)
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    faces = np.stack((corner, corner + cells + 1, corner + cells + 2, corner + 1), axis=1)
    middle = points[faces].mean(axis=1)
    return surface(name, points, faces[np.abs(middle[:, :2]).max(axis=1) > without])


def strip(name: str, line: Sequence[float], heights: Sequence[float], half: float) -> Object:
    """A profile along x, drawn out along y."""
    points = np.array([(x, y, z) for x, z in zip(line, heights) for y in (-half, half)])
    row = 2 * np.arange(len(line) - 1)[:, None]
    return surface(name, points, row + np.array((0, 2, 3, 1)))


def box(name: str, size: tuple[float, float, float], place: tuple[float, float, float]) -> Object:
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]) * size + place
    faces = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    return surface(name, corners, faces)


def surface(name: str, points: np.ndarray, faces: np.ndarray) -> Object:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], faces.tolist())
    ob = linked(bpy.data.objects.new(name, mesh))
    tag([ob], "SURFACE")
    return ob


def placed(name: str, mesh: bpy.types.Mesh, places: Sequence[tuple], moves_like: str) -> list[Object]:
    """A new crowd at places, each a location and Euler angles, whose origins are where they stand."""
    made = []
    for location, turn in places:
        ob = linked(bpy.data.objects.new(name, mesh))
        ob.location, ob.rotation_euler = location, turn
        made.append(ob)
    tag(made, "VEHICLE", moves_like=moves_like, new_crowd=True)
    for ob in made:
        ob.steering.origin_height = 0.0
    return made


def walkers(half: float) -> None:
    """Crowds of each kind on the highest surface, in a square about the origin."""
    rng = random.Random(SEED)
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    mesh = body()
    for kind in KINDS:
        places: list[tuple] = []
        while len(places) < EACH:
            x, y = (rng.uniform(-half, half) for _ in range(2))
            hit, place, normal, *_ = bpy.context.scene.ray_cast(graph, (x, y, 30.0), (0.0, 0.0, -1.0))
            if hit and abs(normal.z) >= math.cos(0.5) and all((other - place).length >= 1.2 for other, _ in places):
                places.append((place, (0.0, 0.0, rng.uniform(-math.pi, math.pi))))
        placed(kind.title(), mesh, places, kind)


def insects() -> None:
    """A crowd that crawls on all faces of the surface."""
    rng = random.Random(SEED)
    [ground] = [ob for ob in bpy.context.scene.objects if ob.type == "MESH"]
    places: list[tuple] = []
    while len(places) < EACH:
        face = ground.data.polygons[rng.randrange(len(ground.data.polygons))]
        if all((other - face.center).length >= 1.2 for other, _ in places):
            places.append((face.center.copy(), face.normal.to_track_quat("Z", "Y").to_euler()))
    placed("Insect", body(), places, "INSECT")


def racers() -> None:
    """Those that cross stones, each pace in a crowd of its own; cars straight on, with wheel travel keyed."""
    from steering_addon.behaviors import CATALOGUE

    for row, (name, pace) in enumerate(PACES.items()):
        is_car = name == "RACER"
        size = CAR if is_car else 1.0
        places = [
            ((-55.0, 12.0 * row - 18.0 + 1.3 * k * max(0.5 * size, 1.0), 0.0), (0.0, 0.0, -0.5 * math.pi + 0.02 * k))
            for k in range(EACH)
        ]
        made = placed(name.title(), body(size), places, "CAR" if is_car else "PERSON")
        crowd = made[0].steering.crowd.steering
        crowd.vehicle.max_speed, crowd.vehicle.cruise_speed = pace / 0.9, 0.9
        crowd.vehicle.max_force = max(crowd.vehicle.max_force, pace)
        if is_car:
            crowd.portrayal.use, crowd.wheeled.suspension = True, SUSPENSION
            for behavior in CATALOGUE:
                getattr(crowd, behavior.name).use = False
        for ob in made:
            ob.steering.start_speed = pace


def body(size: float = 1.0) -> bpy.types.Mesh:
    """A model that faces along Y, 60 cm long at size 1."""
    mesh = bpy.data.meshes.new("Body")
    corners = [(-0.2, -0.2, 0.0), (0.2, -0.2, 0.0), (0.0, 0.4, 0.0), (0.0, 0.0, 0.9)]
    mesh.from_pydata((np.array(corners) * size).tolist(), [], [(0, 1, 2), (0, 1, 3)])
    return mesh


def linked(ob: Object) -> Object:
    bpy.context.scene.collection.objects.link(ob)
    return ob


def tag(objects: Sequence[Object], role: str, **how: object) -> None:
    select(objects)
    bpy.ops.steering.tag(role=role, **{"moves_like": "UNCHANGED", **how})


def populate(name: str) -> None:
    """Make the ground of a name, and put on it whatever moves there."""
    if name in CLUNG_TO:
        CLUNG_TO[name]()
        insects()
        return
    half = next(make for make in GROUNDS if make.__name__ == name)()
    if name == "stones":
        racers()
    else:
        walkers(half)
