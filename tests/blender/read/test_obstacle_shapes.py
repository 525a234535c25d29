"""Obstacles as boxes and rooms, as an animator sets them up."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from tests.blender.animated import insert
from tests.blender.building import frames, link, part, put
from tests.blender.seen import snapshots
from tests.blender.steered import bake, crowd, obstacle, vehicle
from tests.blender.walkers import box


def cube(name: str = "Block", location=(0.0, 0.0, 0.0), **placed):
    """A mesh cube, two metres wide."""
    return put(box(name, (-1, -1, -1), (1, 1, 1)), location, **placed)


def seen():
    """The obstacles on each frame, as the simulation gets them."""
    return [snapshot.obstacles for snapshot in snapshots()]


def test_an_obstacle_that_turns_and_stops_is_turned_on_each_frame(addon) -> None:
    frames(1, 6)
    vehicle()
    turns = (0.0, 0.5, 0.5, 0.5, 0.0, 0.0)
    ob = obstacle(cube())
    ob.steering.obstacle_shape = "BOX"
    insert(ob, "rotation_euler", {1 + k: (0.0, 0.0, turn) for k, turn in enumerate(turns)})
    for turn, is_present in zip(turns, seen(), strict=True):
        np.testing.assert_allclose(is_present.axes[0, 0], (math.cos(turn), math.sin(turn), 0.0), atol=1e-6)


def test_a_box_has_the_dimensions_and_rotation_of_its_object(addon) -> None:
    frames(1, 3)
    vehicle()
    ob = obstacle(cube(location=(1.0, 2.0, 3.0), rotation=(0.0, 0.0, 0.5), scale=(1.0, 2.0, 3.0)))
    ob.steering.obstacle_shape = "BOX"
    insert(ob, "scale", {1: (1.0, 2.0, 3.0), 3: (3.0, 2.0, 3.0)})
    first, _, last = seen()
    np.testing.assert_allclose(first.start, [[1.0, 2.0, 3.0]], atol=1e-6)
    np.testing.assert_allclose(first.half, [[1.0, 2.0, 3.0]], atol=1e-6)
    np.testing.assert_allclose(first.axes[0, 0], (math.cos(0.5), math.sin(0.5), 0.0), atol=1e-6)
    np.testing.assert_allclose(last.half, [[3.0, 2.0, 3.0]], atol=1e-6)


def test_an_obstacle_of_older_files_without_a_chosen_shape_stays_round(addon) -> None:
    vehicle()
    obstacle(cube()).steering.property_unset("obstacle_shape")
    first = seen()[0]
    assert first.plain.all()
    low, high = first.bounds
    np.testing.assert_allclose(high - low, [[2.0, 2.0, 2.0]], atol=1e-6, err_msg="the object, without the round ends")


def tree_of(ob):
    """Blender's own look-up for the surface of an object."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    places = [evaluated.matrix_world @ vertex.co for vertex in mesh.vertices]
    mesh.calc_loop_triangles()
    tree = BVHTree.FromPolygons(places, [tuple(face.vertices) for face in mesh.loop_triangles])
    evaluated.to_mesh_clear()
    return tree


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_mesh_is_read_as_blender_shows_it(addon, mirrored: bool) -> None:
    frames(1, 1)
    vehicle()
    ob = obstacle(cube(location=(1.0, 2.0, 3.0), rotation=(0.3, 0.2, 0.5), scale=(-1.0 if mirrored else 1.0, 2.0, 0.7)))
    ob.modifiers.new("Round", "SUBSURF").levels = 3
    ob.steering.obstacle_shape = "MESH"
    thing = seen()[0]
    assert thing.mesh[0].closed and len(thing.mesh[0]) > 100
    bpy.context.view_layer.update()
    tree = tree_of(ob)
    points = np.random.default_rng(1).uniform(-2.0, 6.0, (60, 3))
    rows = np.zeros(60, dtype=np.int64)
    distance, _ = thing.surface(points, rows)
    course = np.array(ob.location) - points
    course /= np.linalg.norm(course, axis=1, keepdims=True)
    way, _ = thing.touch(points, course, np.zeros(60), rows)
    for n, point in enumerate(points):
        _, normal, _, far = tree.find_nearest(point)
        assert abs(distance[n]) == pytest.approx(far, abs=1e-4)
        outside = (Vector(point) - tree.find_nearest(point)[0]).dot(normal) * (-1.0 if mirrored else 1.0) > 0.0
        assert (distance[n] > 0.0) == outside
        hit = tree.ray_cast(point, course[n])[3]
        if outside:
            assert way[n] == pytest.approx(hit, abs=1e-3)
    assert (distance > 0.0).sum() > 20


def test_a_mesh_that_changes_its_shape_is_read_on_each_frame(addon) -> None:
    frames(1, 3)
    vehicle()
    ob = obstacle(cube())
    ob.steering.obstacle_shape = "MESH"
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Tall")
    for place in key.data:
        place.co.z *= 5.0
    insert(ob.data.shape_keys, 'key_blocks["Tall"].value', {1: 0.0, 3: 1.0})
    tops = [s.start[0, 2] + s.mesh[0].bounds[1][2] for s in seen()]
    np.testing.assert_allclose(tops, (1.0, 3.0, 5.0), atol=1e-4)


def test_a_mesh_that_only_moves_is_made_once(addon) -> None:
    frames(1, 5)
    vehicle()
    ob = obstacle(cube())
    ob.steering.obstacle_shape = "MESH"
    insert(ob, "location", {1: (0.0, 0.0, 0.0), 5: (4.0, 0.0, 0.0)})
    insert(ob, "rotation_euler", {1: (0.0, 0.0, 0.0), 5: (0.0, 0.0, 2.0)})
    on_frames = seen()
    assert all(s.mesh[0] is on_frames[0].mesh[0] for s in on_frames)
    np.testing.assert_allclose([s.start[0, 0] for s in on_frames], range(5), atol=1e-5)


def test_an_object_without_faces_is_not_avoided_as_a_mesh(addon) -> None:
    vehicle()
    obstacle(link(bpy.data.objects.new("Nothing", None))).steering.obstacle_shape = "MESH"
    assert not seen()[0].present.any()
    bake()


def test_standing_obstacles_are_placed_once_and_moving_ones_on_each_frame(monkeypatch) -> None:
    solids, number = part("blender.read.solids"), []
    placed = solids._Hull.placed

    def counted(solid, *given):
        number.append(solid)
        return placed(solid, *given)

    monkeypatch.setattr(solids._Hull, "placed", counted)
    frames(1, 6)
    for x in (5.0, 9.0):
        obstacle(cube(location=(x, 0.0, 0.0))).steering.obstacle_shape = "ROUND"
    mover = obstacle(cube("Mover"))
    mover.steering.obstacle_shape = "ROUND"
    insert(mover, "location", {1: (0.0, 0.0, 0.0), 6: (0.0, 5.0, 0.0)})
    vehicle(crowd=crowd(obstacle_avoidance={}))
    assert len(seen()) == 6
    assert len(number) == 2 + 6
