"""Keys where they are needed: fewer keys, by which vehicles keep to their motion as closely as the report says."""

import re

import bpy
import numpy as np

from tests.blender.animated import curves, keys
from tests.blender.building import empty, frames
from tests.blender.dumping import assert_same, scene_dump, without_bake_ids
from tests.blender.steered import bake, clear_bake, crowd, fleet
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

QUARTERS = np.arange(1.0, 40.1, 0.25)
MODES = ("QUATERNION", "XYZ", "AXIS_ANGLE")


def shown(ships: list) -> tuple[np.ndarray, np.ndarray]:
    """Where ships are, (q, n, 3), and how they are turned, (q, n, 3, 3), on all quarters of frames."""
    scene, matrices = bpy.context.scene, []
    for quarter in QUARTERS.tolist():
        scene.frame_set(int(quarter), subframe=quarter % 1.0)
        matrices.append([np.array(ship.matrix_world, dtype=np.float64) for ship in ships])
    all_matrices = np.array(matrices)
    turns = all_matrices[..., :3, :3]
    return all_matrices[..., :3, 3], turns / np.linalg.norm(turns, axis=-2, keepdims=True)


def roaming() -> list:
    """Ships in each rotation mode, the first in a scaled parent."""
    frames(1, 40)
    ships = fleet(3, crowd=crowd(wander={"strength": 4.0}))
    for ship, mode in zip(ships, MODES):
        ship.rotation_mode = mode
    ships[0].parent = empty("Parent", (1.0, 2.0, 0.0), scale=(0.1, 0.1, 0.1))
    return ships


def test_vehicles_keep_to_their_motion_by_a_part_of_the_keys_as_closely_as_is_told(capfd) -> None:
    ships = roaming()
    bake()
    places, turns = shown(ships)
    every = sum(len(curve) for ship in ships for curve in keys(ship).values())
    scene = bpy.context.scene
    scene.steering.keying, scene.steering.key_tolerance = "WHERE_NEEDED", 0.002
    capfd.readouterr()
    bake()
    share, metres, degrees, between = map(
        float,
        re.search(r"(\S+)% of the keys, (\S+) mm and (\S+)° off at most \((\S+) mm", capfd.readouterr().out).groups(),
    )
    kept_places, kept_turns = shown(ships)
    off = 1e3 * np.linalg.norm(kept_places - places, axis=-1)
    turned = np.degrees(np.linalg.norm(kept_turns - turns, axis=(-2, -1)) / np.sqrt(2.0))
    assert 0.1 < off[::4].max() < 1.05 * metres < 2.2
    assert 0.01 < turned[::4].max() < 1.05 * degrees < 0.12
    assert 0.5 * between < off.max() < 1.1 * between
    made = [curve for ship in ships for curve in curves(ship)]
    count = sum(len(curve.keyframe_points) for curve in made)
    assert count < 0.6 * every and abs(100.0 * count / every - share) < 1.0
    assert all(key.type == "GENERATED" for curve in made for key in curve.keyframe_points)
    assert {curve.range()[0] for curve in made} == {1.0} and {curve.range()[1] for curve in made} == {40.0}


def test_small_bodies_keep_within_a_hundredth_of_their_radius_and_what_carries_a_camera_has_all_keys(capfd) -> None:
    ships, scene = roaming(), bpy.context.scene
    ships[0].steering.crowd.steering.vehicle.radius, scene.steering.keying = 0.02, "WHERE_NEEDED"
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.collection.objects.link(camera)
    camera.parent = ships[2]
    capfd.readouterr()
    bake()
    assert float(re.search(r"(\S+) mm and", capfd.readouterr().out).group(1)) <= 0.2
    assert {len(curve) for curve in keys(ships[2]).values()} == {40}
    assert max(len(curve) for curve in keys(ships[1]).values()) < 40


def test_a_key_set_between_goes_with_the_next_bake_but_stays_without_it() -> None:
    ships = roaming()
    bpy.context.scene.steering.keying = "WHERE_NEEDED"
    bake()
    once = without_bake_ids(scene_dump())
    ship, scene = ships[1], bpy.context.scene
    frame = next(f for f in range(2, 40) if all(f not in dict(curve) for curve in keys(ship).values()))
    ship.location.x += 1.0
    ship.keyframe_insert("location", frame=frame)
    scene.frame_set(1)
    bake()
    assert_same(once, without_bake_ids(scene_dump()))
    ship.keyframe_insert("location", frame=frame)
    clear_bake()
    assert {path: [at for at, _ in curve] for path, curve in keys(ship).items()} == {
        ("location", index): [float(frame)] for index in range(3)
    }


def test_an_action_that_holds_only_a_bake_gets_the_keys_of_the_next_one() -> None:
    """Else Blender takes minutes to copy, rename and remove the actions of thousands of vehicles."""
    ships = roaming()
    settings, bpy.context.scene.steering.keying = ships[0].steering.crowd.steering.vehicle, "WHERE_NEEDED"
    settings.max_speed = 10.0
    bake()
    once, actions = without_bake_ids(scene_dump()), [ship.animation_data.action.session_uid for ship in ships]
    curves(ships[0])[0].mute = True
    for settings.max_speed in (20.0, 10.0):
        bake()
    stay = [ship.animation_data.action.session_uid == uid for ship, uid in zip(ships, actions)]
    assert stay == [False, True, True], "A curve that was set up by hand is made again."
    assert_same(once, without_bake_ids(scene_dump()))
