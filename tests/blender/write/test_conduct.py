"""The effect of behaviors that do not depend on targets alone, as seen in the keys of a bake."""

import bpy
import numpy as np
import pytest

from tests.blender.building import (
    bake,
    baked_frames,
    crowd,
    empty,
    fleet,
    frames,
    insert,
    leader,
    obstacle,
    places,
    tag,
    vehicle,
)
from tests.sampling import thorough


@thorough
def test_vehicles_stop_and_go() -> None:
    frames(1, 200)
    ships = fleet(4, crowd=crowd(rest={"going_time": 2.0, "resting_time": 2.0}, wander={}))
    bake()
    for ship in ships:
        speed = np.linalg.norm(np.diff(places(ship, baked_frames()), axis=0), axis=1) * 24.0
        assert (speed < 1e-4).sum() > 10
        assert (speed > 3.0).sum() > 10


@thorough
def test_a_vehicle_circles_a_leader() -> None:
    frames(1, 240)
    leader(location=(0.0, 8.0, 0.0))
    ship = vehicle(crowd=crowd(orbit={"distance": 5.0, "spread": 0.0}))
    bake()
    way = places(ship, range(140, 241)) - (0.0, 8.0, 0.0)
    assert np.abs(np.linalg.norm(way, axis=1) - 5.0).max() < 0.5
    assert (np.cross(way[:-1], way[1:])[:, 2] > 0.0).all()


@thorough
def test_vehicles_queue_behind_a_standing_one() -> None:
    frames(1, 200)
    goal = leader(location=(0.0, 100.0, 0.0))
    lane = crowd(seek={"target": goal}, keep_distance={})
    ships = [vehicle(name=f"Car {k}", crowd=lane, location=(0.0, -5.0 * k, 0.0)) for k in range(4)]
    ahead = vehicle(name="Broken Down", crowd=lane, location=(0.0, 15.0, 0.0))
    ahead.steering.locked = True
    bake()
    along = [float(places(ship, [200])[0][1]) for ship in ships]
    assert along == sorted(along, reverse=True)
    assert 15.0 > along[0] > 8.0
    assert min(np.diff(along[::-1])) > 0.5


def test_a_vehicle_brakes_for_an_obstruction() -> None:
    frames(1, 120)
    goal = leader(location=(0.0, 100.0, 0.0))
    obstacle(location=(0.0, 20.0, 0.0))
    ship = vehicle(crowd=crowd(seek={"target": goal}, brake_for={}))
    bake()
    way = places(ship, baked_frames())
    assert np.abs(way[:, 0]).max() < 1e-4
    assert 10.0 < way[-1, 1] < 19.5
    assert np.linalg.norm(way[-1] - way[-2]) < 0.01


def resource(amount: float, **placed):
    ob = tag(empty(**{"name": "Food", **placed}), role="RESOURCE")
    ob.steering.amount = amount
    return ob


def test_vehicles_feed_on_a_resource_until_it_is_eaten_up() -> None:
    frames(1, 240)
    food = resource(2.0, location=(0.0, 6.0, 0.0))
    ship = vehicle(crowd=crowd(forage={"meal": 0.0}))
    bake()
    away = np.linalg.norm(places(ship, baked_frames()) - (0.0, 6.0, 0.0), axis=1)
    near = np.flatnonzero(away < 1.0)
    assert 40 < len(near) < 120, "two seconds, and coming and going"
    assert away[-1] > 3.0
    food.steering.amount = 100.0
    bake()
    assert np.linalg.norm(places(ship, [240])[0] - (0.0, 6.0, 0.0)) < 1.0


def test_a_resource_can_be_keyed() -> None:
    frames(1, 120)
    food = resource(0.0, location=(0.0, 9.0, 0.0))
    insert(food, "steering.amount", {1: 0.0, 59: 0.0, 60: 50.0})
    ship = vehicle(crowd=crowd(forage={"distance": 0.0, "strength": 0.0}), start_speed=0.0)
    bake()
    speed = np.linalg.norm(np.diff(places(ship, baked_frames()), axis=0), axis=1)
    way = places(ship, baked_frames())
    assert np.linalg.norm(way[55] - (0.0, 9.0, 0.0)) > 1.5 or speed[55] > 0.05, "there is nothing to stop for"
    assert np.linalg.norm(way[-1] - (0.0, 9.0, 0.0)) < np.linalg.norm(way[60] - (0.0, 9.0, 0.0))


@thorough
def test_vehicles_explore_a_region() -> None:
    frames(1, 360)
    tag(empty(name="Field", location=(0.0, 0.0, 0.0), scale=(10.0, 10.0, 10.0)), role="REGION")
    herd = crowd(explore={"view_distance": 3.0})
    herd.steering.locomotion = "PLANAR"
    ships = fleet(4, crowd=herd, spacing=1.0)
    bake()
    way = np.concatenate([places(ship, range(1, 361, 6)) for ship in ships])
    quarters = {(x > 0.0, y > 0.0) for x, y in way[:, :2] if np.hypot(x, y) > 5.0}
    assert len(quarters) == 4
    assert np.linalg.norm(way, axis=1).max() < 13.0


@pytest.mark.parametrize("fps", [24, 60])
def test_a_vehicle_docks_on_its_frame(fps: int) -> None:
    """The frame is the scene's own, whatever its rate and first frame."""
    frames(-20, 200)
    bpy.context.scene.render.fps = fps
    dock = leader(location=(0.0, 9.0, 0.0))
    herd = crowd(docking={"target": dock, "timing": "AT_FRAME", "arrival_frame": 150.0})
    ship = vehicle(crowd=herd)
    bake()
    away = np.linalg.norm(places(ship, range(-20, 201)) - (0.0, 9.0, 0.0), axis=1)
    assert away[170] < 0.3
    assert away[170 - fps // 2] > 0.2
    assert away[85] > 2.0
