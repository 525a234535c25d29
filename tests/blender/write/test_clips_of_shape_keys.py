"""Clips of models that shape keys animate, as birds from the web are: each member plays them in its own phase."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import SLOTTED, drive, insert
from tests.blender.building import at_frames, empty, frames, from_library, link, part
from tests.blender.dumping import assert_same, refuses, scene_dump, without_bake_ids, without_run_records
from tests.blender.seen import told
from tests.blender.shaped import SPREAD, bird, key_clip, play, points_on, winged, wings
from tests.blender.steered import bake, clear_bake, press, select
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

FILM = range(1, 41)


def flock(number: int = 4, **settings):
    """Birds that share the mesh of their model and fly to a goal far away; the crowd, and they."""
    frames(1, FILM[-1])
    model = bird(location=(0.0, 0.0, 30.0))
    press("populate", model, count=number, moves_like="BIRD", seed=2)
    birds = [ob for ob in bpy.data.objects if "VEHICLE" in ob.steering.roles]
    people = birds[0].steering.crowd
    for name, value in {"glide_share": 0.0, **settings}.items():
        setattr(people.steering.portrayal, name, value)
    select(people)
    return people, birds, model


def whole() -> dict:
    return without_run_records(without_bake_ids(scene_dump()))


def test_birds_beat_each_in_its_own_phase_up_to_the_last_frame() -> None:
    people, birds, model = flock()
    assert [(clip.action.name, clip.plays) for clip in people.steering.portrayal.clips] == [("KeyAction", "BEAT")]
    bake()
    beats = wings(birds, FILM)
    for beat in (beats, beats[-20:]):
        assert (beat.max(axis=0) > 0.3 * SPREAD).all() and (beat.min(axis=0) < -0.3 * SPREAD).all()
    for row in range(1, len(birds)):
        assert np.abs(beats[:, row] - beats[:, 0]).max() > 0.2 * SPREAD
    assert len({ob.data for ob in birds}) == len(birds) and model.data not in {ob.data for ob in birds}


def test_what_exceeds_own_shapes_shares_them() -> None:
    people, birds, _ = flock(7, own_shapes=3)
    bake()
    assert len({ob.data for ob in birds}) == 3
    assert (wings(birds, FILM).max(axis=0) > 0.3 * SPREAD).all()
    people.steering.portrayal.own_shapes = 10
    bake(people)
    assert len({ob.data for ob in birds}) == 7
    clear_bake()
    assert len(bpy.data.meshes) == len(bpy.data.shape_keys) == 1


def test_the_bake_of_some_leaves_those_that_share_their_shapes_as_they_are() -> None:
    people, birds, model = flock(3, own_shapes=1)
    bake()
    flown = wings(birds[1:], FILM)
    for ob in birds[1:]:
        ob.steering.locked = True
    people.steering.portrayal.variation = 0.9
    bake(people)
    np.testing.assert_array_equal(wings(birds[1:], FILM), flown)
    assert birds[0].data not in (birds[1].data, model.data)
    for ob in birds[1:]:
        ob.steering.locked = False
    clear_bake(birds[1], selected=True)
    assert birds[1].data == model.data
    np.testing.assert_array_equal(wings(birds[2:], FILM), flown[:, 1:])
    clear_bake()
    assert len(bpy.data.meshes) == 1


def test_a_preview_shows_the_poses_of_the_bake_and_leaves_none() -> None:
    people, birds, _ = flock()
    before = whole()
    assert bpy.ops.steering.preview() == {"FINISHED"}
    previewed = wings(birds, FILM)
    bpy.context.scene.frame_set(1)
    assert_same(before, whole())
    assert bpy.ops.steering.preview() == {"FINISHED"}
    real = wings(birds, FILM)
    assert (real == real[:, :1]).all() and np.abs(previewed - real).max() > 0.3 * SPREAD
    bake(people)
    np.testing.assert_allclose(previewed, wings(birds, FILM), atol=1e-4)
    # Over the bake, too.
    bpy.context.scene.frame_set(1)
    press("preview", people)
    np.testing.assert_allclose(previewed, wings(birds, FILM), atol=1e-4)


def test_find_clips_says_that_a_flock_has_its_beat_and_select_sliding_that_shape_keys_are_not_measured(capfd) -> None:
    flock(1)
    assert bpy.ops.steering.clips_find() == {"FINISHED"}
    assert "has the clips to begin with" in capfd.readouterr().out
    bake()
    refuses("select_sliding", "moved by shape keys")


def test_the_pose_of_a_model_with_modifiers_and_a_parent_is_played_too() -> None:
    _, birds, model = flock(2)
    for ob in birds:
        ob.modifiers.new("Solid", "SOLIDIFY")
    bake()
    assert (np.ptp(wings(birds, FILM), axis=0) > 0.5 * SPREAD).all()
    clear_bake()
    root = empty("Root", location=(0.0, 0.0, 30.0))
    model.parent = root
    press("tag", root, role="VEHICLE", moves_like="BIRD", new_crowd=True)
    bake(root.steering.crowd)
    assert model.data.get("steering_shapes_of") is not None
    assert np.ptp(wings([model], FILM)) > 0.5 * SPREAD


@pytest.mark.parametrize("slots", [False, pytest.param(True, marks=pytest.mark.skipif(not SLOTTED, reason="4.2"))])
def test_all_meshes_of_a_model_that_shape_keys_move_play_together(slots: bool) -> None:
    frames(1, FILM[-1])
    press("populate", winged(slots=slots), count=2, moves_like="BIRD", seed=2)
    roots = [ob for ob in bpy.data.objects if "VEHICLE" in ob.steering.roles]
    people = roots[0].steering.crowd
    people.steering.portrayal.glide_share = 0.0
    select(people)
    bpy.context.scene.frame_set(1)
    before = whole()

    def tips() -> np.ndarray:
        heights = []
        for _ in at_frames(FILM):
            heights.append([[points_on(wing)[2, 2] for wing in root.children] for root in roots])
        bpy.context.scene.frame_set(1)
        return np.array(heights)

    assert bpy.ops.steering.preview() == {"FINISHED"}
    previewed = tips()
    assert bpy.ops.steering.preview() == {"FINISHED"}
    bake(people)
    baked = tips()
    np.testing.assert_allclose(previewed, baked, atol=1e-4)
    np.testing.assert_allclose(baked[..., 0], -baked[..., 1], atol=1e-4)
    assert (np.ptp(baked, axis=0) > SPREAD).all() and np.abs(baked[:, 0] - baked[:, 1]).max() > 0.1 * SPREAD
    clear_bake()
    assert_same(before, whole())


def test_others_that_show_the_mesh_and_their_keys_stay_as_they_are() -> None:
    _, _, model = flock(2)
    before = wings([model], FILM)
    bake()
    np.testing.assert_array_equal(wings([model], FILM), before)
    assert model.data.shape_keys.animation_data.action.name == "KeyAction"


@pytest.mark.parametrize("why", ["driver", "pin", "action"])
def test_what_would_hide_the_clips_is_refused_by_name(why: str) -> None:
    _, birds, model = flock(2)
    if why == "driver":
        drive(model.data.shape_keys, 'key_blocks["Up"].value', "0.5")
    elif why == "pin":
        birds[0].show_only_shape_key = True
    else:
        play(model, key_clip(model, "Glide", {"Up": [(1.0, 0.2), (9.0, 0.3)], "Down": [(1.0, 0.0)]}))
    bpy.context.scene.frame_set(1)
    before = whole()
    refuses("bake", r"Up|pin|Glide")
    assert_same(before, whole())


def test_a_member_that_is_appended_to_another_file_flies_and_gets_its_mesh_back_there(tmp_path) -> None:
    _, birds, _ = flock(2)
    bake()
    flown = wings(birds[:1], FILM)
    ob = link(from_library(tmp_path, "objects", "Bird 0001", linked=False))
    np.testing.assert_array_equal(wings([ob], FILM), flown)
    clear_bake(ob)
    assert ob.data.get("steering_shapes_of") is None and ob.data.name == "Bird"


def test_meshes_of_the_poses_of_shape_keys_leave_the_model_as_it_was() -> None:
    people, birds, model = flock(2)
    mesh, before = model.data, whole()
    press("pose_meshes", people, tolerance=0.1)
    [poses] = [each for each in bpy.data.collections if "steering_poses" in each]
    tips = [ob.data.vertices[2].co.z for ob in poses.objects]
    assert max(tips) > 0.7 * SPREAD and min(tips) < -0.7 * SPREAD
    assert birds[0].data == mesh and before["shape_keys"] == whole()["shape_keys"]


def test_members_that_share_one_pose_are_named_with_the_cure() -> None:
    people, birds, _ = flock(2)
    assert not told("POSED_ALIKE")
    people.steering.portrayal.clips.clear()
    assert told("POSED_ALIKE") == [
        "Bird 0001 and Bird 0002 have the same pose on each frame, as they share shape keys. "
        "Find Clips lets each play in its own phase"
    ]
    birds[1].steering.locked = True
    assert not told("POSED_ALIKE")


def test_an_action_that_only_moves_muted_keys_is_refused_by_name() -> None:
    people, _, model = flock(1)
    for block in model.data.shape_keys.key_blocks[1:]:
        block.mute = True
    people.steering.portrayal.clips.clear()
    refuses("clip_add", "KeyAction moves no shape key of Bird 0001", action="KeyAction")


def test_shape_keys_that_only_drivers_or_nothing_moves_are_left_alone() -> None:
    frames(1, 20)
    model = bird()
    model.data.shape_keys.animation_data_clear()
    bpy.data.batch_remove(list(bpy.data.actions))
    insert(model.data.shape_keys, 'key_blocks["Up"].value', {1: 0.5})
    press("populate", model, count=2, moves_like="BIRD")
    bake()
    assert len(bpy.data.meshes) == 1


def test_keys_of_a_mesh_without_vertices_have_no_points(addon) -> None:
    ob = bpy.data.objects.new("Nothing", bpy.data.meshes.new("Nothing"))
    link(ob)
    keys = [ob.shape_key_add(name=name) for name in ("Basis", "Up")]
    assert [len(part("blender.clips.shapes").key_points(key)) for key in keys] == [0, 0]
