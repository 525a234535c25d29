"""Makes scenes with many of everything, and times them; scripts/load_bench runs this in Blender."""

from __future__ import annotations

import json
import math
import os
import random
import resource
import sys
import time
from collections.abc import Sequence

import bpy
from bpy.types import Object

BIRDS = 200
"""The number of birds among obstacles."""
OF_A_CROWD = 5
"""The number of birds of each of many crowds."""
SEED = 7


def behaviors(count: int) -> None:
    """Vehicles with all behaviors, and one of everything that these need."""
    crowd = birds(count)
    obstacle, leader, resource_, path = bodies(1, 10.0)[0], empty("Leader"), empty("Resource"), curve()
    leader.location.x = OF_A_CROWD
    for ob, role in ((obstacle, "OBSTACLE"), (leader, "LEADER"), (resource_, "RESOURCE"), (path, "PATH")):
        tag([ob], role)
    tag([path], "FLOW")
    for prop in crowd.steering.bl_rna.properties:
        group = getattr(crowd.steering, prop.identifier) if prop.type == "POINTER" else None
        if isinstance(group, bpy.types.PropertyGroup) and hasattr(group, "weight") and hasattr(group, "use"):
            group.use = True


def crowds(count: int) -> None:
    """Crowd after crowd, each tagged on its own."""
    for _ in range(count):
        tag(bodies(OF_A_CROWD, 60.0), "VEHICLE", moves_like="BIRD", new_crowd=True)


def obstacles(count: int) -> None:
    """A flock among obstacles."""
    birds(BIRDS).steering.obstacle_avoidance.use = True
    tag(bodies(count, extent(count)), "OBSTACLE")


def vehicles(count: int) -> None:
    """A flock."""
    birds(count)


SCENES = {make.__name__: make for make in (behaviors, crowds, obstacles, vehicles)}


def birds(count: int) -> Object:
    """Tag bodies as a flock; returns its crowd."""
    tagged = bodies(count, extent(count))
    tag(tagged, "VEHICLE", moves_like="BIRD")
    crowd: Object = tagged[0].steering.crowd
    return crowd


def extent(count: int) -> float:
    """Half the side in metres of the cube that bodies are placed in."""
    return max(20.0, 6.0 * math.cbrt(count))


def bodies(count: int, half: float) -> list[Object]:
    """Small bodies at random places in a cube, from its half side in metres."""
    mesh = bpy.data.meshes.get("Body") or bpy.data.meshes.new("Body")
    if not mesh.vertices:
        corners = [(-0.2, -0.2, 0.0), (0.2, -0.2, 0.0), (0.0, 0.4, 0.0), (0.0, 0.0, 0.1)]
        mesh.from_pydata(corners, [], [(0, 1, 2), (0, 1, 3)])
    made = [linked(bpy.data.objects.new("Body", mesh)) for _ in range(count)]
    for ob in made:
        ob.location = [random.uniform(-half, half) for _ in range(3)]
    return made


def empty(name: str) -> Object:
    return linked(bpy.data.objects.new(name, None))


def curve() -> Object:
    """A winding line of 100 metres."""
    data = bpy.data.curves.new("Path", "CURVE")
    line = data.splines.new("POLY")
    line.points.add(20)
    for index, point in enumerate(line.points):
        point.co = (5.0 * index, math.sin(index) * 5.0, 0.0, 1.0)
    return linked(bpy.data.objects.new("Path", data))


def linked(ob: Object) -> Object:
    bpy.context.scene.collection.objects.link(ob)
    return ob


def tag(objects: Sequence[Object], role: str, **how: object) -> None:
    for ob in bpy.context.selected_objects:
        ob.select_set(False)
    for ob in objects:
        ob.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]
    bpy.ops.steering.tag(role=role, **{"moves_like": "UNCHANGED", **how})


def times_of(scene: str, count: int, frames: int) -> dict[str, float]:
    """The CPU seconds to tag a scene of an empty file, to make it, and to bake it.

    If there are new objects, Blender updates the whole scene before and after an operator. That belongs to making it.
    """
    random.seed(SEED)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, frames
    operator, tagging = bpy.types.STEERING_OT_tag, 0.0
    execute = operator.execute

    def timed(self: bpy.types.Operator, context: bpy.types.Context) -> set[str]:
        nonlocal tagging
        began = time.process_time()
        done = execute(self, context)
        tagging += time.process_time() - began
        return done

    operator.execute = timed
    try:
        start = time.process_time()
        SCENES[scene](count)
        made = time.process_time()
    finally:
        operator.execute = execute
    assert bpy.ops.steering.bake() == {"FINISHED"}
    return {"tag": tagging, "make": made - start - tagging, "bake": time.process_time() - made}


def main() -> None:
    root, scene, count, frames = sys.argv[1:]
    sys.path.insert(0, root)
    import steering_addon

    steering_addon.register()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    times = times_of(scene, int(count), int(frames))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    print(json.dumps({**times, "peak": peak}), flush=True)
    # Blender as a module may hang while Python ends.
    os._exit(0)


if __name__ == "__main__":
    main()
