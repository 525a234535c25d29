"""The stage of an outdoor demo: fields and hills, trees, sky, sun, and cameras that follow the action."""

import itertools
import math
import random
from collections.abc import Callable, Iterable, Sequence

import bpy
import models
import numpy as np
from mathutils import Matrix, Vector

FIELDS = (  # two tones per field: similar for plain fields, different for ploughed ones
    ("#8dab55", "#86a550"),
    ("#a4b85c", "#9db257"),
    ("#7d9f4f", "#779a4b"),
    ("#cdb86a", "#c6b063"),
    ("#b79a62", "#ab8e58"),
    ("#98b465", "#8aa65a"),
    ("#6f9450", "#6a8e4c"),
    ("#d8c682", "#d1be79"),
)
RINGS = tuple(
    zip(
        (340.0, 400.0, 470.0, 550.0, 660.0, 800.0, 1000.0, 1300.0),
        (6.0, 15.0, 24.0, 36.0, 50.0, 66.0, 100.0, 60.0),
    )
)  # of hills: radius, height
SIDES = 64  # of the rings: a multiple of 8, so that they include the corners of the fields
HILLS = ("#8aa95c", "#84a868", "#86ad80", "#90b69a", "#a0c1b2", "#b1ccc6", "#c0d6d8")  # near to far
SKY = ("#f7ead2", "#e6ebe2", "#cce3ec", "#b2d9f0", "#98cdef", "#7fc0ea", "#68b1e3", "#52a3db", "#4294d2")
EVENING = ("#fce3ae", "#fbd7a0", "#f8c79b", "#f0b59c", "#dfa6a4", "#c59cb0", "#a594ba", "#858bbd", "#6a80b8")
CLOUDS = ("#dfe8f0", "#eef3f7", "#ffffff", "#ffffff", "#ffffff")
EVENING_CLOUDS = ("#c98f9e", "#e3a5a3", "#f6bfae", "#fdd2b8", "#ffe2c6")
SKY_EDGES = (-8, 1.5, 3, 5, 7.5, 11, 16, 24, 40, 80)  # degrees above the horizon
GREENS = (("#3f6b3c", "#4b7a43", "#588a4b"), ("#4d7f42", "#5f9149", "#74a455"), ("#35603f", "#417048", "#4c8050"))

SUN = (-0.45, -0.4, 0.8)  # direction towards the sun
FIELD = 36.0
STRIP = 6.0
PLAIN = 216.0  # half the side of the flat ground
SKY_RADIUS = 1800.0


def build(seed: int = 1, sky: Sequence[str] = SKY, clouds: Sequence[str] = CLOUDS) -> None:
    """Add ground, hills, sky, clouds and sun to the scene. `sky`: colours from the horizon up; `clouds`: colours from
    bottom to top."""
    _ground(seed)
    _hills(seed)
    dome("Sky", sky, SKY_EDGES, SKY_RADIUS)
    chance = random.Random(seed)
    for i in range(9):
        angle = math.tau * (i + chance.uniform(-0.3, 0.3)) / 9
        distance = chance.uniform(600, 1000)
        models.place(
            f"Cloud {i + 1}",
            models.cloud(f"Cloud {i + 1}", clouds, seed + i),
            (distance * math.cos(angle), distance * math.sin(angle), chance.uniform(110, 240)),
            heading=angle + math.pi / 2 + chance.uniform(-0.4, 0.4),
            scale=chance.uniform(1.4, 2.6),
        ).display.show_shadows = False
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy = 4.0
    sun.rotation_euler = Vector(SUN).to_track_quat("Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(sun)


def trees(seed: int) -> tuple[list[bpy.types.Mesh], bpy.types.Collection]:
    """Five kinds of trees, and a collection for them."""
    kinds = [models.conifer(f"Spruce {i + 1}", GREENS[i], seed + i) for i in (0, 2)]
    kinds += [models.broadleaf(f"Tree {i + 1}", GREENS[i], seed + 7 + i) for i in (0, 1, 2)]
    grove = bpy.data.collections.new("Trees")
    bpy.context.scene.collection.children.link(grove)
    return kinds, grove


def plant(room: Callable[[float, float], float], count: int, seed: int = 1) -> None:
    """Place trees in groves, more than 18 m from the action.

    Only trees near the action cast shadows, because every shadow adds render time. `room`: maps x, y to the distance
    from the action, metres; `count`: number of trees.
    """
    chance, kinds, grove = random.Random(seed), *trees(seed)
    planted = 0
    while planted < count:
        x, y = chance.uniform(-PLAIN, PLAIN), chance.uniform(-PLAIN, PLAIN)
        kind = chance.randrange(len(kinds))
        for _ in range(chance.choice((1, 2, 4, 7))):
            px, py = x + chance.gauss(0, 6), y + chance.gauss(0, 6)
            distance = room(px, py)
            if distance > 18 and planted < count:
                tree = models.place(
                    "Tree",
                    kinds[kind if chance.random() < 0.8 else chance.randrange(len(kinds))],
                    (px, py, 0),
                    heading=chance.uniform(0, math.tau),
                    scale=chance.uniform(0.7, 1.25),
                    collection=grove,
                )
                tree.display.show_shadows = distance < 45
                planted += 1


def airstrip(location: Sequence[float], heading: float) -> None:
    """Add a grass-edged runway, 130 m long, with two hangars and a windsock."""
    shape = models.Shape()
    for half, length, z, color in ((9.0, 68.0, 0.06, "#93ac60"), (5.5, 65.0, 0.14, "#8c9095")):
        shape.face([(-half, -length, z), (half, -length, z), (half, length, z), (-half, length, z)], color)
    for y in range(-54, 55, 12):
        shape.face([(-0.3, y - 3, 0.22), (0.3, y - 3, 0.22), (0.3, y + 3, 0.22), (-0.3, y + 3, 0.22)], "#f4f2ea")
    for y in (-62.0, 56.0):
        for x in (-4.2, -2.6, -1.0, 1.0, 2.6, 4.2):
            corners = ((x - 0.5, y), (x + 0.5, y), (x + 0.5, y + 6), (x - 0.5, y + 6))
            shape.face([(*corner, 0.22) for corner in corners], "#f4f2ea")
    turn = Matrix.Translation(location) @ Matrix.Rotation(heading, 4, "Z")
    models.place("Airstrip", shape.mesh("Airstrip"), location, heading=heading)
    models.place("Hangar", models.hangar("Hangar"), turn @ Vector((26, -20, 0)), heading=heading + math.pi / 2)
    second = models.hangar("Hangar 2", roof="#48708c")
    models.place("Hangar 2", second, turn @ Vector((26, -40, 0)), heading=heading + math.pi / 2)
    models.place("Windsock", models.windsock("Windsock"), turn @ Vector((-13, 2, 0)), heading=heading + 0.7)


def unit(ways: np.ndarray) -> np.ndarray:
    """The directions (..., 3) of ways."""
    return np.asarray(ways / np.maximum(np.linalg.norm(ways, axis=-1, keepdims=True), 1e-9))


def points_of(curve: bpy.types.Object) -> np.ndarray:
    """The points of a curve in the world, (k, 3) metres."""
    bpy.context.view_layer.update()
    points = np.array([curve.matrix_world @ v.co for v in curve.to_mesh().vertices])
    curve.to_mesh_clear()
    return points


def shoot(name: str, lens: float, frame: int, eyes: np.ndarray, looks: np.ndarray, *, near: float = 0.3) -> None:
    """Film from a frame on with an upright camera, keyed on every frame of the scene, that sees as far as the sky.
    `eyes`: (frames, 3) positions; `looks`: (frames, 3) points to look at; `near`: metres within which it sees
    nothing."""
    scene, ob = bpy.context.scene, bpy.data.objects.new(name, bpy.data.cameras.new(name))
    ob.data.lens, ob.data.clip_start, ob.data.clip_end = lens, near, 2.2 * SKY_RADIUS
    ob.rotation_mode = "QUATERNION"
    scene.collection.objects.link(ob)
    last = None
    for row, (eye, look) in enumerate(zip(eyes, looks)):
        turn = (Vector(look) - Vector(eye)).to_track_quat("-Z", "Y")
        if last is not None:
            turn.make_compatible(last)
        ob.location, ob.rotation_quaternion, last = eye, turn, turn
        ob.keyframe_insert("location", frame=scene.frame_start + row)
        ob.keyframe_insert("rotation_quaternion", frame=scene.frame_start + row)
    scene.timeline_markers.new(name, frame=frame).camera = ob
    scene.camera = scene.camera or ob


def curve(name: str, points: Iterable[Sequence[float]], *, closed: bool = False) -> bpy.types.Object:
    """A smooth curve through points, as a path."""
    points = list(points)
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    data.resolution_u = 24
    line = data.splines.new("BEZIER")
    line.bezier_points.add(len(points) - 1)
    for knot, point in zip(line.bezier_points, points):
        knot.co = point
        knot.handle_left_type = knot.handle_right_type = "AUTO"
    line.use_cyclic_u = closed
    ob = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(ob)
    return ob


def smooth(track: np.ndarray, frames: float) -> np.ndarray:
    """Smooth a track, (n, 3), with a Gaussian of this standard deviation in frames; the ends are extended straight."""
    reach = int(3 * frames)
    weight = np.exp(-0.5 * (np.arange(-reach, reach + 1) / frames) ** 2)
    weight /= weight.sum()
    before = 2 * track[:1] - track[reach:0:-1]
    after = 2 * track[-1:] - track[-2 : -reach - 2 : -1]
    padded = np.concatenate((before, track, after))
    return np.stack([np.convolve(column, weight, "valid") for column in padded.T], axis=1)


def _ground(seed: int) -> None:
    """A patchwork of fields with gently bent borders, some of them ploughed in strips."""
    lines = np.arange(-PLAIN, PLAIN + 0.1, STRIP)
    shape = models.Shape()
    for y in lines:
        for x in lines:
            calm = min(1.0, 4.0 - 4.0 * max(abs(x), abs(y)) / PLAIN)  # the outer border is straight
            shape.corners.append((x + calm * _bend(y, x), y + calm * _bend(x, y), 0.0))
    count, per = len(lines), int(FIELD / STRIP)
    fields = _fields(count // per + 1, random.Random(seed))
    for j, i in itertools.product(range(count - 1), repeat=2):
        corner = j * count + i
        shape.faces.append((corner, corner + 1, corner + count + 1, corner + count))
        tones, across = fields[j // per][i // per]
        shape.paints.append(tones[(j if across else i) % 2])
    models.place("Fields", shape.mesh("Fields")).display.show_shadows = False


def _bend(along: float, across: float) -> float:
    """Offset of a field's border from a straight line."""
    return 5.0 * math.sin(along / 41.0 + 1.3) + 4.0 * math.sin(across / 57.0)


def _fields(side: int, chance: random.Random) -> list[list[tuple[tuple[str, str], bool]]]:
    """The two tones of each field, different from its neighbours', and whether it is ploughed across."""
    fields: list[list[tuple[tuple[str, str], bool]]] = []
    for j in range(side):
        row: list[tuple[tuple[str, str], bool]] = []
        for i in range(side):
            neighbors = [row[i - 1][0]] if i else []
            neighbors += [fields[j - 1][i][0]] if j else []
            row.append((chance.choice([tones for tones in FIELDS if tones not in neighbors]), chance.random() < 0.5))
        fields.append(row)
    return fields


def _hills(seed: int) -> None:
    """Rings of hills from the edge of the fields outward, paler with distance."""
    chance = random.Random(seed)
    waves = [(chance.randint(2, 9), chance.uniform(0, math.tau), chance.uniform(0.6, 1.0)) for _ in range(5)]
    hoops = [_field_edge()]
    for level, (radius, height) in enumerate(RINGS):
        hoop = []
        for i in range(SIDES):
            angle = math.tau * (i + 0.5 * ((level + 1) % 2)) / SIDES
            rise = 0.55 + 0.14 * sum(size * math.sin(count * angle + phase + level) for count, phase, size in waves)
            reach = radius * chance.uniform(0.97, 1.03)
            hoop.append(
                (reach * math.cos(angle), reach * math.sin(angle), max(0.5, height * rise + chance.uniform(-1, 1)))
            )
        hoops.append(hoop)
    shape = models.Shape()
    for level, (near, far) in enumerate(itertools.pairwise(hoops)):
        for i in range(SIDES):
            a, b, c, d = near[i], near[(i + 1) % SIDES], far[(i + 1) % SIDES], far[i]
            for corners in ((a, b, d), (b, c, d)) if level % 2 else ((a, b, c), (a, c, d)):
                shape.face(corners, HILLS[min(level + (chance.random() < 0.25), len(HILLS) - 1)])
    models.place("Hills", shape.mesh("Hills")).display.show_shadows = False


def _field_edge() -> list[models.Point]:
    """The square border of the fields, sampled at the angles of the innermost ring of hills."""
    edge = []
    for i in range(SIDES):
        x, y = math.cos(math.tau * i / SIDES), math.sin(math.tau * i / SIDES)
        scale = PLAIN / max(abs(x), abs(y))
        edge.append((x * scale, y * scale, 0.0))
    return edge


def dome(name: str, colors: Sequence[str], edges: Sequence[float], radius: float) -> None:
    """A dome of color bands between edges in degrees; evenly lit, as all its normals point to the sun."""
    shape = models.Shape()
    hoops = [
        models.ring(48, radius * math.cos(angle), radius * math.sin(angle))
        for angle in (math.radians(edge) for edge in _between(edges, len(colors)))
    ]
    shape.loft(hoops, lambda part, side: colors[part], caps=(colors[0], colors[-1]))
    mesh = shape.mesh(name, smooth=True)
    mesh.flip_normals()
    mesh.normals_split_custom_set([Vector(SUN).normalized()] * len(mesh.loops))
    models.place(name, mesh).display.show_shadows = False


def blended(colors: Sequence[str], steps: int) -> tuple[str, ...]:
    """Interpolate the colours of a sky: `steps` bands for each colour."""
    channels = np.array([[int(color[i : i + 2], 16) for i in (1, 3, 5)] for color in colors])
    fine = [np.interp(_between(range(len(colors)), steps * len(colors) - 1), range(len(colors)), c) for c in channels.T]
    return tuple(f"#{r:02x}{g:02x}{b:02x}" for r, g, b in np.round(fine).astype(int).T)


def _between(values: Sequence[float], parts: int) -> np.ndarray:
    """The values at the ends of `parts` equal parts of a sequence, interpolated, (parts + 1,)."""
    return np.interp(np.linspace(0.0, len(values) - 1.0, parts + 1), range(len(values)), values)
