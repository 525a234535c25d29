"""Makes a course in Blender, bakes rigged characters on it and saves it.

`straight` and `circle` are paths, `tight` is one with a radius of a metre, `wander` is a level ground, `starts` the
same with stops, `slope` and `steep` are hills of 15 and 25 degrees, `stairs` has steps of 17 by 30 cm and landings, and
`lorry` is a bed that drives and turns.
"""

import math
from functools import partial
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Object

from scripts.ground_scenes import drive, grid, linked, strip, tag
from scripts.rigged_files import opened
from scripts.user_steps import adjust, select

HEIGHTS = {"Cow": 1.5, "Horse": 1.7, "Wolf": 0.8, "Husky": 0.6}
"""Metres of models whose files have another unit."""
PERSON = 1.75
COUNT, FRAMES = 20, 250
SPACE = 2.2
"""Body lengths between members, at least."""


def ground(slope: float, half: float) -> Object:
    """A ground that goes up and down with this slope in degrees, and is level where `slope` is 0."""
    rise = math.tan(math.radians(slope))
    cells = max(int(half), 8)
    step = 2.0 * half / cells
    # Ridges every 16 cells: there is no direction in which it only climbs.
    return grid("Ground", cells, step, lambda x, y: rise * np.abs((x / step) % 16.0 - 8.0) * step)


def stairs(half: float) -> Object:
    """Flights of eight steps of 17 by 30 cm, up and down, with landings of two metres."""
    line, heights = [-half], [0.0]
    x, z, up = -half + 2.0, 0.0, 1.0
    while x < half:
        for _ in range(8):
            line += [x, x]
            heights += [z, z + 0.17 * up]
            x, z = x + 0.3, z + 0.17 * up
        line.append(x)
        heights.append(z)
        x, up = x + 2.0, -up
    return strip("Stairs", [*line, half + 6.0], [*heights, z], half)


def lorry(half: float) -> Object:
    """The bed of a lorry that sets off, climbs and turns, as fast as a cyclist."""
    bed = grid("Bed", 16, half / 8.0, lambda x, y: 0.0 * x)
    drive(bed, ((15.0, 2.0, 0.5), 0.2), ((45.0, 20.0, 0.0), 0.9))
    bpy.context.scene.frame_set(1)
    return bed


def circles(radius: float, count: int, room: float) -> Object:
    turn = 2.0 * math.pi * np.arange(64) / 64
    middles = [k * (2.0 * radius + room) for k in range(count)]
    lines = [[(x + radius * math.cos(a), radius * math.sin(a), 0.0) for a in turn] for x in middles]
    return curve(lines, cyclic=True)


def lanes(count: int, room: float) -> Object:
    return curve([[(k * room, y, 0.0) for y in (-5.0, 400.0)] for k in range(count)], cyclic=False)


GROUNDS = {
    "wander": partial(ground, 0.0),
    "starts": partial(ground, 0.0),
    "slope": partial(ground, 15.0),
    "steep": partial(ground, 25.0),
    "stairs": stairs,
    "lorry": lorry,
}
PATHS = {"straight": lanes, "circle": partial(circles, 5.0), "tight": partial(circles, 1.0)}


def curve(lines: list[list[tuple[float, float, float]]], *, cyclic: bool) -> Object:
    data = bpy.data.curves.new("Path", "CURVE")
    data.dimensions = "3D"
    for points in lines:
        spline = data.splines.new("POLY")
        spline.points.add(len(points) - 1)
        for knot, point in zip(spline.points, points):
            knot.co = (*point, 1.0)
        spline.use_cyclic_u = cyclic
    ob = linked(bpy.data.objects.new("Path", data))
    tag([ob], "PATH")
    return ob


def model(file: Path) -> Object:
    """The character of a file, at its size."""
    carrier = opened(file)[0][1]
    bpy.context.view_layer.update()
    high = [part.matrix_world @ vertex.co for part in _meshes(carrier) for vertex in part.data.vertices]
    height = max(place.z for place in high) - min(place.z for place in high)
    carrier.scale = carrier.scale * (HEIGHTS.get(file.stem, PERSON) / height)
    bpy.context.view_layer.update()
    return carrier


def _meshes(carrier: Object) -> list[Object]:
    return [part for part in carrier.children_recursive if part.type == "MESH" and part.find_armature() is not None]


def populate(ob: Object, course: str) -> None:
    """Make a crowd of the character on its course."""
    parts = [part.matrix_world @ vertex.co for part in _meshes(ob) for vertex in part.data.vertices]
    room = SPACE * max(float(np.ptp([place[axis] for place in parts])) for axis in (0, 1))
    is_path = course in PATHS
    place = PATHS[course](COUNT, room) if is_path else GROUNDS[course](max(12.0, room * math.sqrt(COUNT)))
    select([place, ob])
    bpy.ops.steering.populate(count=COUNT, seed=0)
    crowd = bpy.context.view_layer.objects.active
    if is_path:
        adjust(crowd, path_following={"path": place, "radius": 0.05})
        crowd.steering.containment.use = crowd.steering.wander.use = False
    if course in ("starts", "lorry"):
        adjust(crowd, rest={"going_time": 3.0, "resting_time": 2.0})


def bake(file: Path, course: str, scene_file: Path) -> None:
    """Bake a crowd of the character of a file on a course, and save the scene."""
    ob = model(file)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    populate(ob, course)
    for part in (ob, *ob.children_recursive):
        bpy.data.objects.remove(part)
    bpy.ops.steering.bake()
    bpy.ops.wm.save_as_mainfile(filepath=str(scene_file))
