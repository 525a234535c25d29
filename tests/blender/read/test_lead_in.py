"""The pre-roll belongs to the crowd, and what moves in the scene is carried on backwards in it."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import drive, insert
from tests.blender.building import empty, frames, meshed, part, sphere
from tests.blender.steered import crowd, leader, obstacle, press, tag, vehicle

FAST = (0.5, 0.0, 0.0)
"""Metres a frame at which things move in these tests."""


@pytest.fixture(autouse=True)
def _range() -> None:
    frames(1, 20)


def led_in(preroll: int, **behaviors) -> tuple:
    """The scene in the pre-roll of one vehicle."""
    mine = crowd("Mine", **(behaviors or {"seek": {}}))
    mine.steering.preroll = preroll
    vehicle(crowd=mine)
    return part("blender.read.sweep").lead_in(part("blender.read.plan").plan_reading(bpy.context.scene))


def keyed(ob, values: dict, kind: str = "LINEAR"):
    """Key the location of an object."""
    insert(ob, "location", values)
    for curve in part("blender.animation.animation_data").channelbag(ob).fcurves:
        for point in curve.keyframe_points:
            point.interpolation = kind
    return ob


def moving(ob):
    return keyed(ob, {1: (0.0, 0.0, 0.0), 21: (10.0, 0.0, 0.0)})


def test_a_keyed_leader_is_carried_on_backwards() -> None:
    leader(moving(empty("Hero")))
    snapshots = led_in(12)
    assert len(snapshots) == 12
    path = np.array([each.tracked.position[0] for each in snapshots])
    assert np.allclose(path, np.arange(-12, 0)[:, None] * FAST, atol=1e-5)


def test_a_surface_is_carried_on_backwards_as_it_is() -> None:
    frames(1, 20)
    deck = meshed("Deck", [(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], [(0, 1, 2, 3)])
    tag(moving(deck), role="SURFACE")
    mine = crowd("Mine", seek={})
    mine.steering.locomotion = "ON_FOOT"
    mine.steering.preroll = 12
    vehicle(crowd=mine)
    snapshots = part("blender.read.sweep").lead_in(part("blender.read.plan").plan_reading(bpy.context.scene))
    corner = np.array([each.surfaces.layers[-1].points[0] for each in snapshots])
    assert np.allclose(corner, np.arange(-12, 0)[:, None] * FAST + (-9.0, -9.0, 0.0), atol=1e-4)


@pytest.mark.parametrize(
    ("keys", "heights"),
    [
        ({-4: (0.0, 0.0, 5.0), 1: (0.0, 0.0, 0.0)}, np.arange(8, 0, -1)),
        ({-30: (0.0, 0.0, 0.0), 1: (0.0, 0.0, 0.0)}, 0.0),
        ({8: (0.0, 0.0, 0.0)}, 0.0),
    ],
    ids=["comes down from -4 on", "stands still", "sets off later"],
)
def test_what_is_keyed_before_the_first_frame_is_read_as_it_is_and_carried_on_before(keys, heights) -> None:
    leader(keyed(empty("Hero"), {**keys, 21: (10.0, 0.0, 0.0)}))
    path = np.array([each.tracked.position[0] for each in led_in(8)])
    assert np.allclose(path[:, 2], heights, atol=1e-5)
    assert np.allclose(path[:, :2], 0.0)


def test_what_a_driver_moves_is_where_the_driver_says() -> None:
    hero = leader(empty("Hero"))
    drive(hero, "location", "frame * frame", index=0)
    path = np.array([each.tracked.position[0, 0] for each in led_in(5)])
    assert np.allclose(path, np.arange(-4, 1) ** 2)


def test_obstacles_and_regions_are_carried_on_too() -> None:
    obstacle(moving(sphere("Rock")))
    zone = moving(empty("Zone"))
    press("tag", zone, role="REGION")
    snapshots = led_in(6, obstacle_avoidance={}, containment={})
    for name, column in (("obstacles", "start"), ("obstacles", "end"), ("regions", "centre")):
        path = np.array([getattr(getattr(each, name), column)[0] for each in snapshots])
        assert np.allclose(np.diff(path, axis=0), FAST, atol=1e-5), (name, column)
        assert path[-1, 0] == pytest.approx(-0.5, abs=1e-3)


def test_keyed_settings_hold() -> None:
    mine = crowd("Mine", seek={})
    mine.steering.preroll = 6
    insert(mine, "steering.vehicle.max_speed", {1: 5.0, 11: 9.0})
    vehicle(crowd=mine)
    snapshots = part("blender.read.sweep").lead_in(part("blender.read.plan").plan_reading(bpy.context.scene))
    assert [each.vehicle.max_speed[0] for each in snapshots] == [5.0] * 6
