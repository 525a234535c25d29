"""The pre-roll belongs to the crowd, and what moves in the scene is carried on backwards in it."""

import bpy
import numpy as np
import pytest

from tests.blender.building import (
    bake,
    baked_frames,
    crowd,
    drive,
    empty,
    frames,
    insert,
    keys,
    leader,
    meshed,
    obstacle,
    part,
    places,
    select,
    sphere,
    tag,
    vehicle,
)

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
    return part("blender.read.lead_in").lead_in(part("blender.read.plan").plan_reading(bpy.context.scene))


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
    snapshots = part("blender.read.lead_in").lead_in(part("blender.read.plan").plan_reading(bpy.context.scene))
    corner = np.array([each.surfaces.layers[-1].points[0] for each in snapshots])
    assert np.allclose(corner, np.arange(-12, 0)[:, None] * FAST + (-9.0, -9.0, 0.0), atol=1e-4)


def test_what_is_keyed_before_the_first_frame_is_read_as_it_is() -> None:
    """From -4 on it comes down, and before that it is carried on."""
    leader(keyed(empty("Hero"), {-4: (0.0, 0.0, 5.0), 1: (0.0, 0.0, 0.0), 21: (10.0, 0.0, 0.0)}))
    path = np.array([each.tracked.position[0] for each in led_in(8)])
    assert np.allclose(path[:, 2], np.arange(8, 0, -1), atol=1e-5)
    assert np.allclose(path[:, 0], 0.0)


def test_what_is_keyed_to_stand_still_does() -> None:
    leader(keyed(empty("Hero"), {-30: (0.0, 0.0, 0.0), 1: (0.0, 0.0, 0.0), 21: (10.0, 0.0, 0.0)}))
    path = np.array([each.tracked.position[0] for each in led_in(12)])
    assert np.allclose(path, 0.0)


def test_what_sets_off_later_than_the_first_frame_stands_still() -> None:
    leader(keyed(empty("Hero"), {8: (0.0, 0.0, 0.0), 21: (10.0, 0.0, 0.0)}))
    assert np.allclose([each.tracked.position[0] for each in led_in(12)], 0.0)


def test_what_a_driver_moves_is_where_the_driver_says() -> None:
    hero = leader(empty("Hero"))
    drive(hero, "location", "frame * frame", index=0)
    path = np.array([each.tracked.position[0, 0] for each in led_in(5)])
    assert np.allclose(path, np.arange(-4, 1) ** 2)


def test_a_leader_on_a_keyed_parent_is_carried_on_with_it() -> None:
    cart, hero = moving(empty("Cart")), empty("Hero", (0.0, 3.0, 0.0))
    hero.parent = cart
    leader(hero)
    path = np.array([each.tracked.position[0] for each in led_in(6)])
    assert np.allclose(path, np.arange(-6, 0)[:, None] * FAST + (0.0, 3.0, 0.0), atol=1e-5)


def test_obstacles_and_regions_are_carried_on_too() -> None:
    obstacle(moving(sphere("Rock")))
    zone = moving(empty("Zone"))
    select(zone)
    bpy.ops.steering.tag(role="REGION")
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
    snapshots = part("blender.read.lead_in").lead_in(part("blender.read.plan").plan_reading(bpy.context.scene))
    assert [each.vehicle.max_speed[0] for each in snapshots] == [5.0] * 6


def test_a_follower_of_a_keyed_leader_is_in_full_flight_on_the_first_frame() -> None:
    """Behind one who is keyed to stand still, it has come to rest too by then."""
    hero = leader(moving(empty("Hero")))
    mine = crowd("Mine", leader_following={})
    mine.steering.vehicle.max_speed, mine.steering.vehicle.max_force = 20.0, 40.0
    mine.steering.preroll = 200
    ship = vehicle(crowd=mine, location=(-40.0, -3.0, 0.0))
    bake()
    assert np.diff(places(ship, [1, 2]), axis=0)[0, 0] > 0.8 * FAST[0]
    keyed(hero, {-300: (0.0, 0.0, 0.0)})
    bake()
    assert np.diff(places(ship, [1, 2]), axis=0)[0, 0] < 0.4 * FAST[0]


def test_crowds_have_prerolls_of_their_own() -> None:
    """Far apart, each moves as it would with the other away; the one without stands where it was put on frame 1."""

    def paths(*prerolls) -> list[np.ndarray]:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        frames(1, 10)
        ships = []
        for k, preroll in enumerate(prerolls):
            mine = crowd(f"Crowd {k}", wander={})
            mine.steering.preroll = preroll
            ships.append(vehicle(crowd=mine, location=(500.0 * k, 0.0, 0.0), identity=k + 1))
        bake()
        return [places(ship, baked_frames()) for ship in ships]

    both, first, none = paths(24, 0), paths(24, 24), paths(0, 0)
    assert np.allclose(both[0], first[0], atol=1e-5)
    assert np.allclose(both[1], none[1], atol=1e-5)
    assert np.allclose(both[1][0], (500.0, 0.0, 0.0))
    assert np.linalg.norm(both[1][1] - both[1][0]) > 0.05, "it is in motion"
    assert np.linalg.norm(both[0][0]) > 1.0


def test_the_preroll_comes_along_when_a_crowd_is_appended(tmp_path) -> None:
    mine = crowd("Mine", wander={})
    mine.steering.preroll = 31
    path = str(tmp_path / "crowd.blend")
    bpy.data.libraries.write(path, {mine}, fake_user=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path) as (source, target):
        target.objects = source.objects
    assert bpy.data.objects["Mine"].steering.preroll == 31


def test_a_range_before_frame_0_is_baked_from_its_first_frame() -> None:
    """The scene itself cannot start before 0; the range of the bake can."""
    scene = bpy.context.scene
    scene.steering.use_frame_range, scene.steering.frame_start, scene.steering.frame_end = True, -47, 5
    assert scene.steering.frame_start == -47
    ship = vehicle(crowd=crowd("Mine", wander={}), location=(1.0, 2.0, 3.0))
    bake()
    baked = [frame for frame, _ in keys(ship)["location", 0]]
    assert (baked[0], baked[-1], len(baked)) == (-47.0, 5.0, 53)
    assert places(ship, [-47])[0] == pytest.approx((1.0, 2.0, 3.0))
