"""A preview shows the poses that a bake will write, and leaves none of them in the file."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import assign, bags
from tests.blender.building import at_frames, empty, wedge
from tests.blender.clips.test_control_legs import controlled_walk
from tests.blender.seen import places
from tests.blender.steered import bake, crowd, select, vehicle
from tests.blender.walkers import found_walkers, pose_of
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

SHOWN = (1, 2, 9, 20, 14)


def channels(rig) -> list:
    return [(tuple(bone.location), tuple(bone.rotation_quaternion), tuple(bone.scale)) for bone in rig.pose.bones]


def poses(rigs, frames=SHOWN) -> np.ndarray:
    result = []
    for _ in at_frames(frames):
        result.append([pose_of(rig) for rig in rigs])
    return np.array(result)


@pytest.mark.parametrize("active", [False, True], ids=["no action", "an action left active"])
def test_a_preview_shows_the_poses_of_the_bake(active: bool) -> None:
    people, rigs = found_walkers(2)
    if active:
        for rig in rigs:
            assign(rig, bpy.data.actions["Walk"])
        bpy.context.view_layer.update()
    stood = [channels(rig) for rig in rigs] if not active else None
    assert bpy.ops.steering.preview() == {"FINISHED"}
    previewed = poses(rigs)
    assert stood is None or stood == [channels(rig) for rig in rigs]
    assert bpy.ops.steering.preview() == {"FINISHED"}
    assert not any(track.name.startswith("Steering") for rig in rigs for track in rig.animation_data.nla_tracks)
    real = poses(rigs)
    assert np.abs(previewed - real).max() > 0.05
    bake(people)
    np.testing.assert_allclose(previewed, poses(rigs), atol=1e-5)


@pytest.mark.parametrize("change", ["front", "frame rate"])
def test_a_preview_plays_clips_that_are_to_be_measured_again(change: str) -> None:
    people, rigs = found_walkers(2)
    select(people)
    if change == "front":
        walk = people.steering.portrayal.clips["Walk"]
        assert abs(walk.heading) < 0.1
        assert bpy.ops.steering.flip_front() == {"FINISHED"}
        assert abs(walk.heading) > 3.0
    else:
        bpy.context.scene.render.fps = 30
    before = [clip.measured for clip in people.steering.portrayal.clips]
    real = poses(rigs)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    previewed = poses(rigs)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    assert [clip.measured for clip in people.steering.portrayal.clips] == before
    assert np.abs(previewed - real).max() > 0.05
    bake()
    np.testing.assert_allclose(previewed, poses(rigs), atol=1e-5)


def test_a_preview_reads_what_is_parented_to_a_bone_as_the_bake_does() -> None:
    rig, frames = found_walkers(2)[1][0], range(1, 15)
    lamp = empty("Lamp")
    lamp.parent, lamp.parent_type, lamp.parent_bone = rig, "BONE", "Foot.L"
    moth = vehicle(wedge("Moth", location=(3.0, 3.0, 3.0)), crowd=crowd("Moths", seek={"target": lamp}))
    bake()
    baked = places(moth, frames)
    bpy.context.scene.frame_set(1)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    np.testing.assert_allclose(places(moth, frames), baked, atol=1e-5)


def test_a_preview_shows_what_clips_do_between_their_frames() -> None:
    people, rigs = found_walkers(2)
    [bag] = bags(bpy.data.actions["Walk"])
    curve = bag.fcurves.new('pose.bones["Body"].location', index=0)
    for half in range(2, 51):
        curve.keyframe_points.insert(half / 2.0, 0.05 * (half % 2)).interpolation = "LINEAR"
    bpy.ops.steering.clips_find()
    bpy.ops.steering.preview()
    previewed = poses(rigs)
    bpy.ops.steering.preview()
    bake(people)
    assert np.ptp(previewed[:, :, 0, 0, 3]) > 0.02
    np.testing.assert_allclose(previewed, poses(rigs), atol=1e-5)


def test_a_preview_shows_legs_that_constraints_pose() -> None:
    rig, people = controlled_walk()
    people.steering.portrayal.playing.plant_feet = False
    assert bpy.ops.steering.preview() == {"FINISHED"}
    previewed = poses([rig])
    assert bpy.ops.steering.preview() == {"FINISHED"}
    assert np.abs(previewed - poses([rig])).max() > 0.05
    bake(people)
    np.testing.assert_allclose(previewed, poses([rig]), atol=1e-4)


def test_a_preview_shows_bones_that_drivers_of_the_rig_pose() -> None:
    people, rigs = found_walkers(2)
    for rig in rigs:
        driver = rig.driver_add('pose.bones["Body"].scale', 1).driver
        variable = driver.variables.new()
        variable.name = "up"
        variable.targets[0].id, variable.targets[0].data_path = rig, 'pose.bones["Foot.L"].location[1]'
        driver.expression = "1 + 3 * up"
    bpy.context.scene.frame_set(14)
    stood, real = [channels(rig) for rig in rigs], poses(rigs)
    bpy.ops.steering.preview()
    previewed = poses(rigs)
    assert stood == [channels(rig) for rig in rigs]
    bpy.ops.steering.preview()
    np.testing.assert_array_equal(real, poses(rigs))
    assert stood == [channels(rig) for rig in rigs]
    bake(people)
    np.testing.assert_allclose(previewed, poses(rigs), atol=1e-5)
    assert np.ptp(np.linalg.norm(previewed[:, :, 0, :3, 1], axis=2)) > 0.05
