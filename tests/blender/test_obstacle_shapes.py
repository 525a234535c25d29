"""Obstacles as boxes and rooms, as an animator sets them up."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest

from .building import bake, baked_frames, crowd, frames, insert, link, obstacle, part, places, put, vehicle


def cube(name: str = "Block", location=(0.0, 0.0, 0.0), **placed):
    """A mesh cube, two metres wide."""
    mesh = bpy.data.meshes.new(name)
    points = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(points, [], faces)
    return put(link(bpy.data.objects.new(name, mesh)), location, **placed)


def seen():
    """The obstacles on each frame, as the simulation gets them."""
    plan = part("blender.plan").plan_reading(bpy.context.scene)
    return [s.obstacles for s in part("blender.sweep").sweep(plan, part("blender.reading").Reader(plan))]


def test_a_box_is_as_long_wide_high_and_turned_as_its_object(addon) -> None:
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


def test_an_obstacle_is_round_and_to_be_kept_out_of_unless_it_says_otherwise(addon) -> None:
    vehicle()
    obstacle(cube())
    assert seen()[0].plain.all()


@pytest.mark.parametrize("turned", [False, True])
def test_walkers_in_a_room_stay_in_it(addon, turned: bool) -> None:
    frames(1, 100)
    room = obstacle(cube("Room", rotation=(0.0, 0.0, 0.4), scale=(6.0, 4.0, 3.0)))
    room.steering.obstacle_shape, room.steering.obstacle_side = "BOX", "INSIDE"
    if turned:
        insert(room, "rotation_euler", {1: (0.0, 0.0, 0.4), 100: (0.0, 0.0, 1.0)})
    walkers = crowd(wander={}, obstacle_avoidance={})
    walkers.steering.vehicle.radius, walkers.steering.combining = 0.3, "PRIORITY"
    inside = [vehicle(name=f"W{k}", location=(k - 1.0, 0.0, 0.0), crowd=walkers) for k in range(3)]
    bake()
    way = np.stack([places(ob, baked_frames()) for ob in inside], axis=1)
    turn = np.linspace(0.4, 1.0, 100) if turned else np.full(100, 0.4)
    x = way[..., 0] * np.cos(turn)[:, None] + way[..., 1] * np.sin(turn)[:, None]
    y = way[..., 1] * np.cos(turn)[:, None] - way[..., 0] * np.sin(turn)[:, None]
    assert (np.abs(np.stack((x, y, way[..., 2]), axis=-1)) < np.array([6.0, 4.0, 3.0]) - 0.3).all()
    assert np.linalg.norm(way[-1] - way[0], axis=-1).max() > 1.0
