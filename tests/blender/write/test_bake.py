"""A bake is the simulation's motion in keys, the same each time it is made from the same scene."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import curves, insert, is_baked, keys
from tests.blender.building import at_frames, empty, frames, part, wedge
from tests.blender.dumping import difference, scene_dump
from tests.blender.seen import baked_frames, flight, places, stored_names, world_matrices
from tests.blender.steered import bake, clear_bake, crowd, fleet, leader, obstacle, road, vehicle
from tests.sampling import in_every_blender, sampled


def varied_scene() -> list:
    """Five vehicles of two crowds, with everything they may meet."""
    frames(1, 16)
    leader(location=(4.0, 30.0, 2.0))
    obstacle(location=(3.0, 8.0, 0.5), radius=1.5)
    road()
    flock = crowd("Flock", wander={}, seek={"weight": 0.5}, obstacle_avoidance={})
    drivers = crowd("Drivers", path_following={}, obstacle_avoidance={})
    return [
        *fleet(3, crowd=flock),
        vehicle(name="Car", location=(1.0, -2.0, 0.0), crowd=drivers, identity=5),
        vehicle(name="Van", location=(-1.0, 2.0, 0.0), crowd=drivers, identity=77),
    ]


def all_keys(ships) -> dict:
    return {ship.name: keys(ship) for ship in ships}


def test_baked_vehicles_stand_where_the_simulation_puts_them() -> None:
    varied_scene()
    names, positions, bases = flight()
    bake()
    assert np.ptp(positions, axis=0).max() > 1.0
    for n, name in enumerate(names):
        matrices = world_matrices(bpy.data.objects[name], baked_frames())
        np.testing.assert_allclose(matrices[:, :3, 3], positions[:, n], atol=1e-4)
        np.testing.assert_allclose(matrices[:, :3, :3], bases[:, n], atol=1e-4)


@in_every_blender
def test_a_bake_has_a_linear_generated_key_on_every_frame_of_location_and_rotation_and_nothing_else() -> None:
    ships = varied_scene()
    bake()
    for ship in ships:
        assert sorted(keys(ship)) == [(path, k) for path in ("location", "rotation_euler") for k in range(3)]
        for curve in curves(ship):
            assert [point.co[0] for point in curve.keyframe_points] == list(baked_frames())
            assert {point.type for point in curve.keyframe_points} == {"GENERATED"}
            assert {point.interpolation for point in curve.keyframe_points} == {"LINEAR"}


@in_every_blender
def test_the_current_frame_makes_no_difference_and_stays() -> None:
    ships = varied_scene()
    bake()
    known = all_keys(ships)
    for frame in (7, 200, -50):
        bpy.context.scene.frame_set(frame, subframe=0.25)
        bake()
        assert all_keys(ships) == known
        assert bpy.context.scene.frame_current_final == frame + 0.25
    bpy.ops.steering.clear_bake()
    bpy.context.scene.frame_set(13)
    bake()
    assert all_keys(ships) == known


def test_keys_after_the_range_do_not_affect_the_start() -> None:
    """On the first frame such keys hold the vehicle where their first one does."""
    ship = fleet(1, crowd=crowd("Flock", wander={}))[0]
    frames(1, 12)
    insert(ship, "location", {40: (5.0, 6.0, 7.0), 60: (50.0, 0.0, 0.0)})
    for frame in at_frames((1, 50, 90)):
        bake()
        np.testing.assert_allclose(places(ship, [1])[0], (5.0, 6.0, 7.0), atol=1e-5)
        bpy.context.scene.frame_set(frame)
        bpy.ops.steering.clear_bake()


def test_the_scenes_frame_range_is_baked_unless_the_run_has_its_own_and_one_frame_is_the_start() -> None:
    ship = vehicle(location=(1.0, 2.0, 3.0), crowd=crowd(wander={}))
    frames(5, 12)
    bake()
    assert [frame for frame, _ in keys(ship)["location", 0]] == list(range(5, 13))
    run = bpy.context.scene.steering
    run.use_frame_range, run.frame_start, run.frame_end = True, -3, 4
    bake()
    assert [frame for frame, _ in keys(ship)["location", 0]] == list(range(-3, 5))
    run.frame_start = 4
    clear_bake()
    bake()
    assert [keys(ship)["location", k] for k in range(3)] == [[(4.0, 1.0)], [(4.0, 2.0)], [(4.0, 3.0)]]


@pytest.mark.parametrize(("fps", "base"), [(24, 1.0), (60, 1.0), (30, 1.001), (12, 2.0)])
def test_durations_are_the_same_at_any_frame_rate(fps, base) -> None:
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = fps, base
    frames(1, 25)
    ship = vehicle(crowd=crowd(), start_speed=0.8)  # Cruise speed, 4 m/s.
    bake()
    np.testing.assert_allclose(places(ship, [25])[0], (0.0, 4.0 * 24 * base / fps, 0.0), rtol=1e-5, atol=1e-6)


def test_a_preroll_runs_before_the_first_frame_and_writes_nothing_there() -> None:
    frames(1, 25)
    ship = vehicle(crowd=crowd(), start_speed=0.8)
    ship.steering.crowd.steering.preroll = 24
    bake()
    np.testing.assert_allclose(places(ship, [1])[0], (0.0, 4.0, 0.0), atol=1e-4)
    assert keys(ship)["location", 1][0][0] == 1.0


@pytest.mark.parametrize(
    ("fps", "wanted", "steps"), [(24, 1, 1), (24, 4, 4), (10, 1, 2), (10, 2, 2), (10, 3, 3), (1, 5, 20), (1, 3, 21)]
)
def test_steps_are_no_longer_than_a_twentieth_of_a_second_and_no_more_than_that_takes(fps, wanted, steps) -> None:
    scene = bpy.context.scene
    scene.render.fps, scene.steering.substeps = fps, wanted
    assert part("blender.animation.frame_rate").substeps_of(scene) == steps


@pytest.mark.parametrize(
    ("fps", "substeps", "seconds", "steps"),
    [(24, 1, 0.08, 2), (25, 1, 0.08, 2), (60, 1, 0.08, 5), (24, 4, 0.08, 8), (12, 1, 0.08, 2), (24, 1, 0.0, 1)],
)
def test_vehicles_decide_as_often_as_is_set_at_any_frame_rate(fps, substeps, seconds, steps) -> None:
    scene = bpy.context.scene
    scene.render.fps, scene.steering.substeps, scene.steering.decision_time = fps, substeps, seconds
    assert part("blender.animation.frame_rate").decides_every(scene) == steps


def test_another_seed_of_the_scene_or_of_a_vehicle_gives_other_random_numbers() -> None:
    frames(1, 30)
    single, other = fleet(2, crowd=crowd(wander={}), spacing=20.0)
    bake()
    known = all_keys([single, other])
    single.steering.seed = 3
    bake()
    assert keys(single) != known["Ship 0"]
    assert keys(other) == known["Ship 1"]
    bpy.context.scene.steering.seed = 9
    bake()
    assert keys(other) != known["Ship 1"]
    single.steering.seed = bpy.context.scene.steering.seed = 0
    bake()
    assert all_keys([single, other]) == known


@sampled
@pytest.mark.parametrize("order", [(2, 0, 1), (1, 2, 0), (2, 1, 0)])
def test_the_order_of_making_objects_does_not_matter(order) -> None:
    def made(order) -> dict:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        frames(1, 20)
        flock = crowd("Flock", wander={}, seek={}, obstacle_avoidance={})
        for k in order:
            vehicle(name=f"Ship {k}", location=(2.0 * k, 0.0, 0.0), crowd=flock, identity=100 - k)
            leader(name=f"Leader {k}", location=(0.0, 20.0 * k, 0.0))
            obstacle(name=f"Ball {k}", location=(2.0 * k, 5.0, 0.0))
        bake()
        return all_keys([bpy.data.objects[f"Ship {k}"] for k in range(3)])

    assert made(order) == made((0, 1, 2))


@in_every_blender
def test_vehicles_move_in_their_scene_only() -> None:
    ships = varied_scene()
    other = bpy.data.scenes.new("Other")
    for ob in (ships[0], bpy.data.objects["Flock"]):
        other.collection.objects.link(ob)
    bake()
    known = all_keys(ships)
    assert all(is_baked(ship) for ship in ships)
    other.collection.objects.link(wedge("Stranger"))
    bake()
    assert all_keys(ships) == known


@in_every_blender
def test_other_objects_have_no_steering_data_after_a_bake() -> None:
    ships = varied_scene()
    bystander = empty("Bystander")
    child = wedge("Child")
    child.parent = ships[0]
    target = empty("Target", (0.0, 9.0, 0.0))
    insert(target, "location", {1: (0.0, 9.0, 0.0), 20: (5.0, 9.0, 0.0)})
    bpy.data.objects["Flock"].steering.seek.target = target
    before = scene_dump()
    bake()
    for ob in (bystander, child, target):
        assert stored_names(ob) == []
    touched = {line.split("/")[2] for line in difference(before, scene_dump()) if line.startswith("/objects/")}
    assert touched == {ship.name for ship in ships}
