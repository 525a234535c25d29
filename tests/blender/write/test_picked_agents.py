"""A few agents of a crowd cache become keyed objects that move as they did, and go back."""

import bpy
import numpy as np

from tests.blender.animated import curves, keys
from tests.blender.building import at_frames, frames, link, part, reopen, wedge
from tests.blender.crowds.test_long_bodies import tagged
from tests.blender.crowds.test_wheel_drivers import with_wheels
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.seen import world_matrices
from tests.blender.steered import bake, clear_bake, keys_on_every_frame, press, select
from tests.blender.walkers import found_walkers
from tests.blender.write.test_crowd_cache import FRAMES, edit, instances, ships_and_boats
from tests.blender.write.test_points_bake import LAST, drawn, gnats
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


def make(*identities) -> list:
    """Make objects of agents of the crowd in focus; returns them in this order."""
    with keys_on_every_frame(bpy.context.scene):
        assert bpy.ops.steering.make_objects(ids=",".join(map(str, identities))) == {"FINISHED"}
    standing = {ob.steering.identity: ob for ob in bpy.context.selected_objects}
    return [standing[identity] for identity in identities]


def played(last: int) -> dict[int, dict[int, np.ndarray]]:
    """The matrices of instances by frame and identity."""
    found = {}
    for frame in at_frames(range(1, last + 1)):
        found[frame] = instances()
    return found


def assert_moves_as(ob, identity: int, before) -> None:
    matrices = world_matrices(ob, sorted(before))
    wanted = np.array([before[frame][identity] for frame in sorted(before)])
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
    press("give_back", made)
    bake()
    assert instances().keys() == set(identities)
    assert not [each for each in ob.users_scene[0].objects if "steering_picked" in each]


def test_a_preview_shows_those_who_are_out_once(addon) -> None:
    _, identities = swarm()
    (made,) = make(identities[2])
    assert bpy.ops.steering.preview() == {"FINISHED"}
    bpy.context.scene.frame_set(9)
    matrices = np.concatenate(list(drawn().values()))
    # What is hidden in a preview has no size.
    assert (np.abs(matrices[:, :3, :3]).max(axis=(1, 2)) > 0.0).sum() == len(identities) - 1
    assert made.visible_get()
    assert bpy.ops.steering.preview() == {"FINISHED"}


def test_edits_count_and_hidden_agents_are_refused(addon) -> None:
    _, identities = swarm()
    a, b = identities[:2]
    edits = bpy.data.objects["Gnats Edits"]
    edit(edits, a, frame_offset=2.5, speed=0.5, offset=(0.0, 0.0, 5.0))
    edit(edits, b, hidden=True)
    before, whole = played(LAST), scene_dump()
    # What is exported is what is shown.
    cache = part("blender.objects.crowd_caches").cache_of(bpy.data.objects["Gnats"])
    exported = part("blender.write.usd_points").cached_points(cache, bpy.data.objects["Gnats"])
    places = [before[frame][a][:3, 3] for frame in sorted(before)]
    np.testing.assert_allclose(exported.position[:, identities.index(a)], places, atol=1e-5)
    assert [(row < 0).all() for row in exported.shown.T] == [identity == b for identity in identities]
    (made,) = make(a)
    assert_moves_as(made, a, before)
    for ids, text in ((f"{b}", "hidden by an edit"), ("5", "has no agent 5"), ("x", "x is no id"), ("", "No agent")):
        count = len(bpy.data.objects)
        refuses("make_objects", text, bpy.data.objects["Gnats Player"], ids=ids)
        assert len(bpy.data.objects) == count
    assert bpy.ops.steering.give_back(ids=f"{a}") == {"FINISHED"}
    bpy.context.scene.frame_set(LAST)
    select(bpy.data.objects["Gnats Player"])
    assert_same(whole, scene_dump())


def test_keys_edited_by_hand_are_kept_unless_told_otherwise(addon) -> None:
    _, identities = swarm()
    first, second = make(*identities[:2])
    curves(first)[0].keyframe_points[3].co.y += 1.0
    refuses("give_back", f"Keys of {first.name} were edited by hand", first)
    press("give_back", first, second)
    assert set(identities) - instances().keys() == {identities[0]}
    press("give_back", first, edited="REMOVE")
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
    player = next(ob for ob in bpy.context.view_layer.objects if ob.name.endswith("Player"))
    select(player)
    whole = scene_dump()
    # Blender tells of bones at rest what it has evaluated last.
    for ob in whole["objects"].values():
        ob.pop("bones", None)
    make(rigs[0].steering.identity)
    found = [tip_of(rigs[0], frame) for frame in (8, 20, 30)]
    np.testing.assert_allclose(found, wanted, atol=0.02)
    assert bpy.ops.steering.give_back() == {"FINISHED"}
    bpy.context.scene.frame_set(30)
    select(player)
    after = scene_dump()
    for ob in after["objects"].values():
        ob.pop("bones", None)
    assert_same(whole, after)


def tip_of(rig, frame: int) -> np.ndarray:
    """Where the feet of a rig are on a frame."""
    bpy.context.scene.frame_set(frame)
    posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([posed.matrix_world @ posed.pose.bones[name].head for name in ("Foot.L", "Foot.R")])


def test_parts_of_a_car_move_as_with_a_keyed_bake(addon) -> None:
    frames(1, 30)
    body, _ = with_wheels()
    owner = tagged(body)
    owner.steering.wander.use = True
    press("drive_wheels", body)
    bake()
    wanted = keys(body)
    angle = wanted['["steering_wheel_angle"]', 0]
    assert np.ptp([value for _, value in angle]) > 0.01
    owner.steering.output = "CACHE"
    bake()
    select(bpy.data.objects[f"{owner.name} Player"])
    assert make(body.steering.identity) == [body]
    found = keys(body)
    assert found.keys() == wanted.keys()
    read = [path for path, _ in wanted if not path.startswith('["') or "wheel" in path or "travel" in path]
    for path in [*read, *(f'["steering_{name}"]' for name in ("speed", "distance", "phase"))]:
        for channel in (each for each in wanted if each[0] == path):
            np.testing.assert_allclose(found[channel], wanted[channel], atol=2e-3, err_msg=path)


def test_populating_again_flies_no_one_twice_and_what_was_deleted_by_hand_comes_back(addon) -> None:
    frames(1, 6)
    owner = press("populate", wedge("Arrow", size=0.1), count=7, made_as="POINTS", moves_like="BIRD")
    bake()
    select(bpy.data.objects[f"{owner.name} Player"])
    identities = sorted(instances())
    kept, deleted = make(*identities[:2])
    bpy.data.objects.remove(deleted)
    assert instances().keys() == set(identities[2:])
    press("give_back", owner, ids=str(identities[1]))
    assert instances().keys() == set(identities[1:])
    assert bpy.ops.steering.populate(count=9) == {"FINISHED"}
    bake()
    assert len(instances()) == 8
    assert instances().keys() >= set(identities[1:])
    assert kept.steering.locked


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
    reopen(tmp_path / "few.blend")
    assert instances().keys() == set(identities[1:])
    press("give_back", bpy.data.objects[name])
    assert instances().keys() == set(identities)


def test_what_is_parented_to_an_object_that_would_go_is_named(addon) -> None:
    _, identities = swarm()
    (made,) = make(identities[0])
    hat = link(bpy.data.objects.new("Hat", None))
    hat.parent = made
    refuses("give_back", "Hat is parented to", made)
    assert made.steering.locked
