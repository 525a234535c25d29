"""Two hundred birds follow a white one through the towers of a town in the evening; their wings beat by their phase.

The scene is made through the extension's public operators and properties alone, baked, saved, and opened again with
the extension switched off: what is measured and filmed is what plays without it.
"""

from __future__ import annotations

import itertools
import math
import random
import time
from dataclasses import dataclass
from pathlib import Path

import bpy
import creatures
import extension
import film
import metrics
import models
import numpy as np
import stage
import town
from mathutils import Vector

FRAMES = 240
FPS = 24
PREROLL = 48  # frames in which the flock finds its order before it is seen
BIRDS = 200
SIZE = 1.6  # of a starling, for the film
RADIUS = 0.3  # m, of a body with half-closed wings
CRUISE, TOP_SPEED = 10.0, 13.0  # m/s
STRENGTH = 20.0  # m/s2
BEATS = 4.0  # wing beats a second

STARLINGS = (
    creatures.Plumage("#2f3a5c", "#55506e", "#26304f", "#191f36", "#c79a8e", "#f2b632"),
    creatures.Plumage("#34506a", "#6a5a6c", "#2a4059", "#1c2a3e", "#d6aa94", "#f2b632"),
    creatures.Plumage("#46405f", "#73606c", "#38344f", "#232036", "#cf9f8c", "#e9a52c"),
)
DOVE = creatures.Plumage("#fdfaf2", "#f1ebe2", "#fffdf8", "#dcd8dc", "#fff4e2", "#ee9a4a")
LEADER_SIZE = 2.4
WAY = (  # of the leader, half a second apart: the half width of its figure of eight is 40 m
    (-38.0, -6.0, 17.0),
    (-34.5, -9.4, 17.2),
    (-30.2, -11.6, 17.4),
    (-25.6, -12.2, 17.6),
    (-21.0, -11.4, 17.8),
    (-16.6, -9.6, 18.0),
    (-12.4, -7.2, 18.3),
    (-8.3, -4.5, 18.6),
    (-4.2, -1.8, 18.9),
    (0.0, 0.8, 19.2),
    (4.2, 3.3, 19.6),
    (8.6, 5.7, 20.0),
    (13.0, 8.0, 20.4),
    (17.6, 10.0, 20.7),
    (22.4, 11.3, 20.9),
    (27.3, 11.6, 20.9),
    (32.0, 10.4, 20.7),
    (36.0, 7.6, 20.3),
    (38.8, 3.6, 19.7),
    (39.9, -1.2, 19.0),
    (39.0, -6.0, 18.3),
    (36.2, -10.0, 17.7),
    (32.2, -12.8, 17.2),
    (27.4, -14.0, 16.9),
    (22.5, -13.7, 16.7),
)
TOWERS = (  # kind, place, height
    ("CAMPANILE", (-22.0, -2.0), 28.0),
    ("SPIRE", (2.5, -5.5), 36.0),
    ("ONION", (13.0, 14.5), 29.0),
    ("SPIRE", (25.5, -1.5), 33.0),
    ("CLOCK", (35.0, -21.0), 29.0),
)
KEPT_IN = ((0.0, 0.0, 21.0), (60.0, 40.0, 9.0))  # middle and half lengths of the region
ROOFS = 11.5  # m: none of the houses is higher


@dataclass(frozen=True)
class Cast:
    """The objects of the scene that take part in the steering."""

    birds: list[bpy.types.Object]
    leader: bpy.types.Object
    towers: list[bpy.types.Object]
    region: bpy.types.Object


# -- the scene ---------------------------------------------------------------------------------


def build(scene: bpy.types.Scene) -> Cast:
    """Model everything and put it in its place, as an animator would before any steering."""
    scene.frame_start, scene.frame_end = 1, FRAMES
    film.look(scene, stage.SUN, fps=FPS)
    stage.build(seed=9, sky=stage.EVENING)
    _town()
    towers = []
    for i, (kind, (x, y), height) in enumerate(TOWERS):
        name = f"Tower {i + 1}"
        towers.append(models.place(name, town.tower(name, kind, height), (x, y, 0.0), heading=0.2 * i))
    region = bpy.data.objects.new("Sky over the Town", None)
    region.empty_display_type = "CUBE"
    region.location, region.scale = KEPT_IN
    scene.collection.objects.link(region)
    return Cast(_flock(scene), _leader(scene), towers, region)


def _town() -> None:
    """Houses round the squares of the towers, in blocks along bent streets."""
    chance = random.Random(5)
    shape = models.Shape()
    shape.face([(88 * x, 78 * y, 0.05) for x, y, _ in models.ring(40)], "#cdbf9f")
    towers = np.array([place for _, place, _ in TOWERS])
    for i, j in itertools.product(range(-6, 7), range(-6, 7)):
        x = 13.0 * i + 2.5 * math.sin(j * 0.9) + chance.uniform(-0.8, 0.8)
        y = 12.0 * j + 2.5 * math.sin(i * 0.8) + chance.uniform(-0.8, 0.8)
        room = np.hypot(*(towers - (x, y)).T).min()
        if math.hypot(x / 84, y / 74) > 1.0 or room < 7.5:
            continue
        heading = (math.pi / 2) * chance.randrange(4) + 0.12 * math.sin(i + j)
        size = (chance.uniform(7.0, 9.0), chance.uniform(6.0, 7.5), chance.uniform(4.2, 7.2))
        town.house(shape, town.spot(x, y, heading), size, chance)
    models.place("Town", shape.mesh("Town"))

    def room(x: float, y: float) -> float:
        return 24.0 if math.hypot(x, y) > 98.0 else 0.0

    stage.plant(room, 110, seed=6)


def _flock(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The birds in a loose cloud behind the leader, all flying the same way."""
    chance = random.Random(2)
    flock = bpy.data.collections.new("Flock")
    scene.collection.children.link(flock)
    parts = [creatures.bird(f"Starling {i + 1}", plumage) for i, plumage in enumerate(STARLINGS)]
    start, way = Vector(WAY[0]), (Vector(WAY[1]) - Vector(WAY[0])).normalized()
    birds = []
    for i in range(BIRDS):
        while True:
            off = Vector([chance.uniform(-1.0, 1.0) for _ in range(3)])
            if off.length < 1.0:
                break
        place = start - 12.0 * way + Vector((off.x * 9.0, off.y * 7.0, off.z * 4.0))
        ob = creatures.hatch(f"Bird {i + 1:03}", parts[i % len(parts)], place, SIZE, flock)
        ob.rotation_euler = way.to_track_quat("Y", "Z").to_euler()
        birds.append(ob)
    return birds


def _leader(scene: bpy.types.Scene) -> bpy.types.Object:
    """The white bird, keyed by hand: it leans into its turns, and its wings beat on steadily."""
    ob = creatures.hatch("White Leader", creatures.bird("Dove", DOVE), WAY[0], LEADER_SIZE, scene.collection)
    ob.rotation_mode = "QUATERNION"
    points = np.array(WAY)
    ways, bends = np.gradient(points, axis=0), np.gradient(np.gradient(points, axis=0), axis=0)
    for i, (point, way, bend) in enumerate(zip(points, ways, bends)):
        frame = 1 + (i - 4) * FPS // 2
        up = Vector((0, 0, 9.81)) + Vector(bend) * 4.0
        side = Vector(way).cross(up).normalized()
        forward = Vector(way).normalized()
        turn = np.array([side, forward, side.cross(forward)]).T
        ob.rotation_quaternion = metrics.quaternion(turn)
        ob.location = point
        ob.keyframe_insert("location", frame=frame)
        ob.keyframe_insert("rotation_quaternion", frame=frame)
    for frame in (1 - PREROLL, FRAMES):
        ob["steering_phase"] = (frame - 1) / FPS * 0.75 * BEATS + 20.0
        ob.keyframe_insert('["steering_phase"]', frame=frame)
    return ob
