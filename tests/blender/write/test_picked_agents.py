"""A few agents of a crowd cache become keyed objects that move as they did, and go back."""

import bpy
import numpy as np
import pytest

from tests.blender.building import (
    assert_same,
    bake,
    clear_bake,
    curves,
    keys,
    keys_on_every_frame,
    part,
    scene_dump,
    select,
    world_matrices,
)
from tests.blender.walkers import found_walkers
from tests.blender.write.test_crowd_cache import FRAMES, edit, instances, ships_and_boats
from tests.blender.write.test_points_bake import LAST, gnats
from tests.sampling import in_every_blender

pytestmark = in_every_blender


def make(*identities) -> list:
    """Make objects of agents of the crowd in focus; returns them in this order."""
    with keys_on_every_frame(bpy.context.scene):
        assert bpy.ops.steering.make_objects(ids=",".join(map(str, identities))) == {"FINISHED"}
    standing = {ob.steering.identity: ob for ob in bpy.context.selected_objects}
    return [standing[identity] for identity in identities]


def played(last: int) -> dict[int, dict[int, np.ndarray]]:
    """The matrices of instances by frame and identity."""
    found = {}
    for frame in range(1, last + 1):
        bpy.context.scene.frame_set(frame)
        found[frame] = instances()
    return found


def assert_moves_as(ob, identity: int, before) -> None:
    frames = sorted(before)
    matrices = world_matrices(ob, frames)
    wanted = np.array([before[frame][identity] for frame in frames])
    np.testing.assert_allclose(matrices[:, :3, 3], wanted[:, :3, 3], atol=1e-5)
    # Of the last frame, Blender 5.2 mixes quaternions in single precision.
    np.testing.assert_allclose(matrices[:, :3, :3], wanted[:, :3, :3], atol=1e-4)


def swarm(**attributes):
    """Baked points, whose player is selected; returns their object and the identities."""
    ob = gnats(variant=[0, 1, 1, 0, 1, 5], scale=[1.0, 1.0, 1.0, 1.0, 1.0, 3.0], **attributes)
    bake()
    select(bpy.data.objects["Gnats Player"])
    return ob, sorted(instances())


def test_points_become_objects_of_their_models_that_move_alike_and_go_back(addon) -> None:
    _, identities = swarm()
    before, whole = played(LAST), scene_dump()
    few = identities[1], identities[5]
    made = make(*few)
    assert [ob.name for ob in made] == [f"B {identity}" for identity in few]
    assert [each.name for each in made[0].users_collection] == ["Gnats Picked"]
    for ob, identity in zip(made, few):
        assert_moves_as(ob, identity, before)
        assert ob.data == bpy.data.objects["B"].data
        assert ob.steering.locked
    assert instances().keys() == set(identities) - set(few)
    census = part("blender.status.census").refresh(bpy.context.scene)
    owner = made[0].steering.crowd
    assert not census.bake.outdated
    assert census.bake.vehicles == census.members(owner).vehicles == census.members(owner).free + 2 == len(identities)
    assert bpy.ops.steering.give_back() == {"FINISHED"}
    bpy.context.scene.frame_set(LAST)
    assert instances().keys() == set(identities)
    select(bpy.data.objects["Gnats Player"])
    assert_same(whole, scene_dump())


def test_a_new_bake_keeps_the_keys_of_those_that_are_out_and_does_not_fly_them_twice(addon) -> None:
    ob, identities = swarm()
    (made,) = make(identities[2])
    before = keys(made)
    bake()
    assert keys(made) == before
    assert instances().keys() == set(identities) - {identities[2]}
    # The others are who they were.
    assert len(part("blender.read.plan").plan_reading(bpy.context.scene)) == len(identities) - 1
    clear_bake()
    assert keys(made) == before
    bake()
    assert instances().keys() == set(identities) - {identities[2]}
    select(made)
    assert bpy.ops.steering.give_back() == {"FINISHED"}
    bake()
    assert instances().keys() == set(identities)
    assert not [each for each in ob.users_scene[0].objects if "steering_picked" in each]


def test_edits_count_and_hidden_agents_are_refused(addon) -> None:
    _, identities = swarm()
    a, b = identities[:2]
    edits = bpy.data.objects["Gnats Edits"]
    edit(edits, a, frame_offset=2.5, speed=0.5, offset=(0.0, 0.0, 5.0))
    edit(edits, b, hidden=True)
    before, whole = played(LAST), scene_dump()
    (made,) = make(a)
    assert_moves_as(made, a, before)
    for ids, text in ((f"{b}", "hidden by an edit"), ("5", "has no agent 5"), ("x", "x is no id"), ("", "No agent")):
        count = len(bpy.data.objects)
        select(bpy.data.objects["Gnats Player"])
        with pytest.raises(RuntimeError, match=text):
            bpy.ops.steering.make_objects(ids=ids)
        assert len(bpy.data.objects) == count
    assert bpy.ops.steering.give_back(ids=f"{a}") == {"FINISHED"}
    bpy.context.scene.frame_set(LAST)
    select(bpy.data.objects["Gnats Player"])
    assert_same(whole, scene_dump())


def test_keys_edited_by_hand_are_kept_unless_told_otherwise(addon) -> None:
    _, identities = swarm()
    first, second = make(*identities[:2])
    curves(first)[0].keyframe_points[3].co.y += 1.0
    select(first)
    with pytest.raises(RuntimeError, match=f"Keys of {first.name} were edited by hand"):
        bpy.ops.steering.give_back()
    select(first, second)
    assert bpy.ops.steering.give_back() == {"FINISHED"}
    assert set(identities) - instances().keys() == {identities[0]}
    select(first)
    assert bpy.ops.steering.give_back(edited="REMOVE") == {"FINISHED"}
    assert instances().keys() == set(identities)


def test_vehicles_come_out_of_rest_with_keys_and_rest_again(addon) -> None:
    flock, ships, _ = ships_and_boats()
    flock.steering.output = "CACHE"
    bake()
    select(bpy.data.objects["Flock Player"])
    before, whole = played(FRAMES), scene_dump()
    ids = [ship.steering.identity for ship in ships]
    assert make(*ids) == ships
    for ship, identity in zip(ships, ids):
        assert_moves_as(ship, identity, before)
    assert not instances()
    assert set(ships) <= set(bpy.context.view_layer.objects)
    assert bpy.ops.steering.give_back() == {"FINISHED"}
    bpy.context.scene.frame_set(FRAMES)
    select(bpy.data.objects["Flock Player"])
    assert_same(whole, scene_dump())


def test_a_walker_plays_its_clips_as_the_cache_shows_it(addon) -> None:
    people, rigs = found_walkers(2)
    bake()
    # Keyed as such, with its feet held.
    wanted = [tip_of(rigs[0], frame) for frame in (8, 20, 30)]
    people.steering.output = "CACHE"
    bake()
    select(next(ob for ob in bpy.context.view_layer.objects if ob.name.endswith("Player")))
    make(rigs[0].steering.identity)
    found = [tip_of(rigs[0], frame) for frame in (8, 20, 30)]
    np.testing.assert_allclose(found, wanted, atol=0.02)


def tip_of(rig, frame: int) -> np.ndarray:
    """Where the feet of a rig are on a frame."""
    bpy.context.scene.frame_set(frame)
    posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([posed.matrix_world @ posed.pose.bones[name].head for name in ("Foot.L", "Foot.R")])


def test_making_and_giving_back_are_one_undo_step_each_and_a_saved_file_keeps_them(addon, tmp_path) -> None:
    _, identities = swarm()
    bpy.ops.ed.undo_push(message="before")
    (made,) = make(identities[0])
    name = made.name
    bpy.ops.ed.undo_push(message="Make Objects")
    bpy.ops.ed.undo()
    assert name not in bpy.data.objects
    assert instances().keys() == set(identities)
    bpy.ops.ed.redo()
    assert instances().keys() == set(identities[1:])
    path = str(tmp_path / "few.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert instances().keys() == set(identities[1:])
    select(bpy.data.objects[name])
    assert bpy.ops.steering.give_back() == {"FINISHED"}
    assert instances().keys() == set(identities)


def test_what_is_parented_to_an_object_that_would_go_is_named(addon) -> None:
    _, identities = swarm()
    (made,) = make(identities[0])
    hat = bpy.data.objects.new("Hat", None)
    bpy.context.scene.collection.objects.link(hat)
    hat.parent = made
    select(made)
    with pytest.raises(RuntimeError, match="Hat is parented to"):
        bpy.ops.steering.give_back()
    assert made.steering.locked
