"""What crawls, on surfaces as Blender has them: on every key on the nearest place, upright to the normal."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from tests.blender.building import bake, baked_frames, crowd, empty, frames, meshed, tag, vehicle
from tests.locomotion.round_grounds import globe

LAST = 24


def ball(name: str = "Planet", radius: float = 4.0, **placed):
    """A sphere, its faces turned outward."""
    points, triangles = globe(radius)
    return meshed(name, points.tolist(), triangles.tolist(), **placed)


def still(ob) -> None:
    pass


def turning_and_uneven(ob) -> None:
    ob.scale = (1.2, -0.9, 0.8)
    for frame, angle in ((1, 0.0), (LAST, 0.5)):
        ob.rotation_euler = (angle, 0.3 * angle, 0.0)
        ob.keyframe_insert("rotation_euler", frame=frame)


def waving(ob) -> None:
    ob.modifiers.new("Waves", "WAVE").height = 0.3


def nearest(surface, place: Vector) -> tuple[float, Vector]:
    """The distance of a place from an evaluated surface, and the unit normal there, in world space."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = surface.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    points = [evaluated.matrix_world @ vertex.co for vertex in mesh.vertices]
    tree = BVHTree.FromPolygons(points, [tuple(t.vertices) for t in mesh.loop_triangles], all_triangles=True)
    evaluated.to_mesh_clear()
    _, normal, _, distance = tree.find_nearest(place)
    return distance, normal


def ants(count: int = 6, **settings):
    group = crowd(wander={}, seek={"weight": 0.0})
    group.steering.locomotion = "CRAWLING"
    for name, value in settings.items():
        setattr(group.steering.crawling, name, value)
    made = []
    for k in range(count):
        # Round the ball, a little off it, upright to it.
        out = Vector((math.sin(2.4 * k), math.cos(2.4 * k), -1.0 + 2.0 * (k + 0.5) / count)).normalized()
        ob = vehicle(name=f"Ant {k}", location=4.1 * out, crowd=group, start_speed=0.8)
        ob.rotation_euler = out.to_track_quat("Z", "Y").to_euler()
        ob.steering.origin_height = 0.0
        made.append(ob)
    return made


@pytest.mark.parametrize("change", [still, turning_and_uneven, waving])
def test_on_every_key_it_is_on_the_surface_and_upright_to_it(change) -> None:
    frames(1, LAST)
    surface = tag(ball(), role="SURFACE")
    change(surface)
    objects = ants()
    eye = empty("Eye", location=(0.0, 0.3, 0.5))
    eye.parent = objects[0]
    bake()
    places = []
    for frame in baked_frames()[:: 3 if change is still else 6]:
        bpy.context.scene.frame_set(int(frame))
        for ob in objects:
            pose = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
            distance, normal = nearest(surface, pose.translation)
            assert distance < 1e-3
            assert abs(pose.col[2].xyz.normalized() @ normal) > 0.97
        places.append([ob.matrix_world.translation.copy() for ob in objects])
        assert (eye.matrix_world.translation - objects[0].matrix_world @ Vector((0.0, 0.3, 0.5))).length < 1e-5
    assert np.ptp(np.array(places), axis=0).max() > 0.4
