"""A crowd whose output is a crowd cache is baked into one mesh, which a player shows as keys would have."""

import json
from contextlib import closing

import bpy
import numpy as np
import pytest

from tests.blender.animated import assign, keys
from tests.blender.building import at_frames, empty, frames, in_another_blender, part, wedge
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.seen import baked_frames, world_matrices
from tests.blender.steered import bake, clear_bake, crowd, fleet, leader, obstacle, press, select, vehicle
from tests.blender.walkers import HEIGHT, clip, found_walkers
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

FRAMES = 12
SHOWN = [1, FRAMES // 2, FRAMES]


def ships_and_boats():
    """Vehicles of two crowds that see each other; those of the first differ in looks, size, axes and rotation mode."""
    frames(1, FRAMES)
    bpy.context.scene.steering.keying = "EVERY_FRAME"
    leader(location=(4.0, 30.0, 2.0))
    obstacle(location=(3.0, 8.0, 0.5))
    flock = crowd("Flock", wander={"strength": 2.0}, seek={}, obstacle_avoidance={})
    ships = fleet(5, crowd=flock)
    ships[1].data = ships[0].data
    ships[1].scale = (2.0, 2.0, 2.0)
    ships[2].rotation_mode = "QUATERNION"
    ships[3].steering.forward_axis = "NEG_Y"
    ships[4].parent = empty("Mast")
    boats = [vehicle(name=f"Boat {k}", location=(3.0 * k, 5.0, 1.0), crowd=crowd("Boats", wander={})) for k in range(2)]
    return flock, ships, boats


def cached():
    """The same, baked, the first crowd into a crowd cache."""
    flock, ships, boats = ships_and_boats()
    flock.steering.output = "CACHE"
    bake()
    return flock, ships, boats


def instances(level=0) -> dict[int, np.ndarray]:
    """The matrices (4, 4) of what is instanced on the current frame, by the ids of agents; `level`: 1 for poses."""
    graph = bpy.context.evaluated_depsgraph_get()
    return {i.persistent_id[level]: np.array(i.matrix_world) for i in graph.object_instances if i.is_instance}


def as_keyed(ships) -> dict[int, dict[int, np.ndarray]]:
    """The matrices of baked objects by frame and identity."""
    matrices = {ob.steering.identity: world_matrices(ob, SHOWN) for ob in ships}
    return {frame: {k: of[row] for k, of in matrices.items()} for row, frame in enumerate(SHOWN)}


def assert_plays(expected) -> None:
    for frame, matrices in expected.items():
        bpy.context.scene.frame_set(frame)
        played = instances()
        assert played.keys() == matrices.keys()
        for identity, matrix in matrices.items():
            np.testing.assert_array_equal(played[identity][:3, 3], matrix[:3, 3])
            # Angles of keys are rounded.
            np.testing.assert_allclose(played[identity], matrix, atol=1e-4)


def test_a_cache_plays_what_keys_would_and_other_crowds_keep_their_keys(addon) -> None:
    flock, ships, boats = ships_and_boats()
    bake()
    expected, of_boats, of_ships = as_keyed(ships), [keys(boat) for boat in boats], [keys(ship) for ship in ships]
    flock.steering.output = "CACHE"
    bake()
    assert_plays(expected)
    assert [keys(boat) for boat in boats] == of_boats
    assert not any(keys(ship) for ship in ships)
    shown = set(bpy.context.view_layer.objects)
    assert shown.isdisjoint(ships)
    assert shown.issuperset(boats)
    flock.steering.output = "KEYFRAMES"
    bake()
    assert [keys(ship) for ship in ships] == of_ships, "back to keyframes they come back with keys"
    assert set(bpy.context.view_layer.objects).issuperset(ships)
    assert not instances()
    assert "steering_cached" not in ships[0]


def test_between_frames_agents_are_on_the_straight_way(addon) -> None:
    cached()
    scene, played = bpy.context.scene, []
    for frame, share in ((3, 0.0), (3, 0.25), (4, 0.0)):
        scene.frame_set(frame, subframe=share)
        played.append(instances())
    for before, between, after in ([each[k][:3, 3] for each in played] for k in played[0]):
        np.testing.assert_allclose(between, 0.75 * before + 0.25 * after, atol=1e-6)


def test_baking_again_replaces_and_deleting_restores_everything(addon) -> None:
    flock, ships, _ = ships_and_boats()
    ships[0].hide_set(True)
    hidden_in = bpy.data.collections.new("Harbor")
    bpy.context.scene.collection.children.link(hidden_in)
    hidden_in.objects.link(ships[1])
    flock.steering.output = "CACHE"
    # Stores starts and identities, which stay.
    bake()
    clear_bake()
    select(flock)
    before = scene_dump()
    bake()
    numbers, played = scene_dump(())["count"], instances()
    bake()
    assert scene_dump(())["count"] == numbers
    assert {k: m.tolist() for k, m in instances().items()} == {k: m.tolist() for k, m in played.items()}
    clear_bake()
    select(flock)
    after = scene_dump()
    for dump in (before, after):
        dump["users"].pop("node_groups")
    assert_same(before, after)
    assert ships[0].hide_get()
    assert {each.name for each in ships[1].users_collection} == {"Harbor", "Scene Collection"}


def test_keyed_vehicles_rest_at_their_start_whatever_frame_is_shown(addon) -> None:
    flock, ships, _ = ships_and_boats()
    bake()
    expected = as_keyed(ships)
    bpy.context.scene.frame_set(FRAMES // 2)
    flock.steering.output = "CACHE"
    for _ in range(2):
        bake()
        assert_plays(expected)


@pytest.mark.parametrize("again", [False, True])
def test_a_bake_that_is_stopped_leaves_nothing(addon, again) -> None:
    flock, _, _ = ships_and_boats()
    flock.steering.output = "CACHE"
    if again:
        bake()
    # What was measured of the file is not part of it.
    bpy.context.view_layer.update()
    before = scene_dump()
    plan = part("blender.read.plan").plan_reading(bpy.context.scene)
    pieces = sum(1 for _ in _until_the_end(plan))
    for stop in (1, FRAMES, FRAMES + 2, pieces - 1):
        with closing(part("blender.write.bake").baking(plan)) as baking:
            for _ in range(stop):
                next(baking)
        assert_same(before, scene_dump())


def _until_the_end(plan):
    """The pieces of a bake that is stopped before it is handed over."""
    pieces = list(range(FRAMES))
    with closing(part("blender.write.bake").baking(plan)) as baking:
        for done in baking:
            pieces.append(done)
            if done >= 0.949:
                break
    return pieces[FRAMES:]


def test_one_undo_takes_a_bake_back(addon) -> None:
    flock, ships, _ = ships_and_boats()
    flock.steering.output = "CACHE"
    name = ships[0].name
    bpy.ops.ed.undo_push(message="before")
    bake()
    bpy.ops.ed.undo_push(message="Bake")
    bpy.ops.ed.undo()
    assert bpy.data.objects[name].name in bpy.context.view_layer.objects
    assert not instances()
    bpy.ops.ed.redo()
    assert len(instances()) == len(ships)


def test_the_player_is_active_in_place_of_who_rests_and_others_stay_selected(addon) -> None:
    flock, ships, boats = ships_and_boats()
    flock.steering.output = "CACHE"
    bake(ships[0], boats[0])
    player = bpy.data.objects["Flock Player"]
    assert bpy.context.view_layer.objects.active == player
    assert set(bpy.context.selected_objects) == {boats[0], player}
    boats[0].name = "A boat, which comes before all ships"
    bpy.ops.steering.clear_bake()
    assert bpy.context.view_layer.objects.active in ships


def test_selecting_the_player_bakes_and_deletes_its_whole_crowd(addon) -> None:
    _, ships, boats = cached()
    player = bpy.data.objects["Flock Player"]
    of_boats = [keys(boat) for boat in boats]
    bake(player, selected=True)
    assert len(instances()) == len(ships)
    # Another crowd alone: who rests is seen where it starts, and goes on playing.
    bake(boats[0], selected=True)
    assert len(instances()) == len(ships)
    of_boats[0] = keys(boats[0])
    clear_bake(bpy.data.objects["Flock Player"], selected=True)
    assert not instances()
    assert [keys(boat) for boat in boats] == of_boats


def test_what_plays_a_cache_can_have_no_role(addon) -> None:
    cached()
    player = bpy.data.objects["Flock Player"]
    for role in part("simulation.roles").Role:
        refuses("tag", "Flock Player cannot be", player, role=role.name)
    assert not player.steering.roles


def test_who_has_not_entered_is_not_shown(addon) -> None:
    flock, ships, _ = ships_and_boats()
    ships[2].steering.use_enter_frame, ships[2].steering.enter_frame = True, 6
    flock.steering.output = "CACHE"
    bake()
    for frame in at_frames((5, 6)):
        assert (ships[2].steering.identity in instances()) == (frame == 6)
        assert len(instances()) == len(ships) - (frame < 6)


@pytest.mark.skipif(not hasattr(bpy.types.Object, "evaluated_geometry"), reason="reads instances")
def test_shaders_find_speed_and_variant_on_instances(addon) -> None:
    cached()
    scene, shown = bpy.context.scene, bpy.data.objects["Flock Player"]
    scene.frame_set(4)
    before = instances()
    geometry = shown.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry()
    cloud = geometry.instances_pointcloud()
    told = {name: [each.value for each in cloud.attributes[name].data] for name in ("id", "speed", "variant")}
    assert {"phase", "state"} <= set(cloud.attributes.keys())
    scene.frame_set(5)
    after = instances()
    gone = [np.linalg.norm(after[k][:3, 3] - before[k][:3, 3]) * scene.render.fps for k in told["id"]]
    np.testing.assert_allclose(told["speed"], gone, rtol=1e-3)
    # The second looks like the first.
    assert sorted(told["variant"]) == [0, 0, 1, 2, 3]


def edit(ob, identity: int, **values) -> None:
    """Add an edit of an agent to the mesh of edits."""
    mesh = ob.data
    mesh.vertices.add(1)
    row = len(mesh.vertices) - 1
    mesh.vertices[row].co = part("blender.crowds.crowd_cache").keys_of(np.array([identity]))[0]
    values = {"hidden": False, "frame_offset": 0.0, "speed": 1.0, "variant": -1, "offset": (0.0, 0.0, 0.0)} | values
    for name, value in values.items():
        data = mesh.attributes[name].data[row]
        setattr(data, "vector" if name == "offset" else "value", value)
    mesh.update()
    ob.update_tag()


def test_edits_change_what_is_played_and_no_bake_touches_them(addon) -> None:
    _, ships, _ = cached()
    a, b, c = (ship.steering.identity for ship in ships[:3])
    scene, edits = bpy.context.scene, bpy.data.objects["Flock Edits"]
    played = {}
    for frame in at_frames((4, 7)):
        played[frame] = instances()
    edit(edits, a, hidden=True)
    edit(edits, b, frame_offset=3.0, offset=(0.0, 0.0, 5.0))
    edit(edits, c, variant=0)
    for _ in range(2):
        scene.frame_set(4)
        now = instances()
        assert now.keys() == played[4].keys() - {a}
        np.testing.assert_allclose(now[b][:3, 3], played[7][b][:3, 3] + (0.0, 0.0, 5.0), atol=1e-5)
        np.testing.assert_array_equal(now[c], played[4][c])
        assert shown_meshes()[c] == "Flock Model 0"
        bake()
        assert len(edits.data.vertices) == 3


def shown_meshes() -> dict[int, str]:
    """The names of the objects that are instanced, by the ids of agents."""
    graph = bpy.context.evaluated_depsgraph_get()
    return {i.persistent_id[0]: i.object.name for i in graph.object_instances if i.is_instance}


def shown_models() -> dict[int, tuple[int, np.ndarray]]:
    """The number of the first pose of its model, and the points shown in poses, by the ids of agents."""
    graph = bpy.context.evaluated_depsgraph_get()
    return {
        i.persistent_id[1]: (i.object.data.attributes["model"].data[0].value, corners(i.object.data))
        for i in graph.object_instances
        if i.is_instance
    }


@pytest.mark.parametrize("clock", ["TIME", "DISTANCE"])
def test_each_shows_its_own_model_and_parts_move_by_phase(addon, clock) -> None:
    frames(1, FRAMES)
    flock = crowd("Flock", wander={})
    flock.steering.portrayal.use, flock.steering.portrayal.phase_by = True, clock
    flock.steering.portrayal.cycle_time, flock.steering.portrayal.stride = 1.0, 2.0
    birds = [vehicle(name=f"Bird {k}", location=(4.0 * k, 0.0, 0.0), crowd=flock) for k in range(2)]
    for bird in birds:
        bird["steering_phase"], bird["steering_effort"] = 0.0, float(clock == "DISTANCE")
        wing = wedge("Wing")
        wing.parent = bird
        curve = wing.driver_add("rotation_euler", 1)
        curve.driver.expression = "sin(p*6.283185)*e"
        for letter, name in (("p", "steering_phase"), ("e", "steering_effort")):
            variable = curve.driver.variables.new()
            variable.name, variable.targets[0].id = letter, bird
            variable.targets[0].data_path = f'["{name}"]'
    bake()
    wings = {bird.steering.identity: bird.children[0] for bird in birds}
    expected = {k: world_matrices(wing, baked_frames()) for k, wing in wings.items()}
    flock.steering.output = "CACHE"
    bake()
    own = np.array([v.co for v in birds[0].children[0].data.vertices])
    shown = set()
    for row, frame in enumerate(baked_frames()):
        bpy.context.scene.frame_set(frame)
        matrices, models = instances(1), shown_models()
        for identity, (number, points) in models.items():
            tips = points[len(own) :] @ matrices[identity][:3, :3].T + matrices[identity][:3, 3]
            wanted = own @ expected[identity][row][:3, :3].T + expected[identity][row][:3, 3]
            assert np.abs(tips - wanted).max() < 0.06
            shown.add((number, points.tobytes()))
    assert len(shown) > FRAMES // 2
    poses = part("blender.objects.node_inputs").input_of(bpy.data.objects["Flock Player"].modifiers[0], "Poses")
    assert {number for number, _ in shown} == {0, poses}


def test_legs_walk_in_the_poses_of_their_clips(addon) -> None:
    people, rigs = found_walkers(2)
    # What holds a bone on top of clips.
    held = clip(rigs[1], "Held", {("Foot.L", "location", 1): [(1.0, 0.4)]})
    assign(rigs[1], held)
    people.steering.portrayal.playing.plant_feet = False
    bake()
    seen, wanted = [20, 23, 26, 29], {}
    for frame in at_frames(seen):
        wanted[frame] = {rig.steering.identity: points_in_world([rig, *rig.children]) for rig in rigs}
    people.steering.output = "CACHE"
    bake()
    poses = set()
    for frame in at_frames(seen):
        matrices = instances(1)
        for identity, (number, points) in shown_models().items():
            seen_at = points @ matrices[identity][:3, :3].T + matrices[identity][:3, 3]
            assert np.abs(seen_at - wanted[frame][identity]).max() < HEIGHT / 18.0
            poses.add((number, points.tobytes()))
    assert len(poses) > len(seen) - 1
    # What is shown is that of the clips, until these change.
    census = part("blender.status.census")
    assert not census.refresh(bpy.context.scene).bake.clips
    people.steering.portrayal.playing.fade += 0.5
    assert census.refresh(bpy.context.scene).bake.clips == (people.name,)


def corners(mesh) -> np.ndarray:
    return np.array([v.co for v in mesh.vertices])


def points_in_world(parts) -> np.ndarray:
    """The evaluated vertices of objects, one object after the other."""
    graph = bpy.context.evaluated_depsgraph_get()
    shown = [ob.evaluated_get(graph) for ob in parts if ob.type == "MESH"]
    turned = [(corners(ob.data), np.array(ob.matrix_world)) for ob in shown]
    return np.concatenate([points @ matrix[:3, :3].T + matrix[:3, 3] for points, matrix in turned])


def test_a_cache_is_saved_as_a_library_in_versions_and_comes_back_with_the_next_bake(addon, tmp_path) -> None:
    flock, ships, _ = cached()
    edit(bpy.data.objects["Flock Edits"], ships[0].steering.identity, hidden=True)
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    played = instances()
    for version in ("001", "002"):
        press("save_crowd_library", flock)
        assert not bpy.ops.steering.save_crowd_library.poll()
        assert [each.filepath for each in bpy.data.libraries] == [f"//Flock_Cache_v{version}.blend"]
        bpy.ops.wm.save_mainfile()
        bpy.ops.wm.open_mainfile(filepath=path)
        flock = bpy.data.objects["Flock"]
        assert {k: m.tolist() for k, m in instances().items()} == {k: m.tolist() for k, m in played.items()}
        bake()
        assert not bpy.data.libraries
        assert instances().keys() == played.keys()
    press("save_crowd_library", flock)
    clear_bake()
    assert not bpy.data.libraries
    assert not instances()
    assert "Ship 0" in bpy.context.view_layer.objects


PLAYING = """
    import bpy, json, os, sys
    import numpy as np
    result = {{}}
    def played(names):
        found = {{}}
        for frame in {frames}:
            bpy.context.scene.frame_set(frame)
            graph = bpy.context.evaluated_depsgraph_get()
            found[frame] = {{i.persistent_id[0]: np.array(i.matrix_world).tolist()
                            for i in graph.object_instances if i.is_instance and "Model" in i.object.name}}
        return found
    bpy.ops.wm.open_mainfile(filepath={path!r})
    assert not hasattr(bpy.types.Object, "steering")
    result["opened"] = played(())
    bpy.ops.wm.save_as_mainfile(filepath={resaved!r})
    bpy.ops.wm.open_mainfile(filepath={resaved!r})
    result["saved there"] = played(())
    for link in (False, True):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        with bpy.data.libraries.load({path!r}, link=link) as (_, wanted):
            wanted.collections = ["Flock Cache"]
        collection = wanted.collections[0]
        if link:
            ob = bpy.data.objects.new("Flock", None)
            ob.instance_type, ob.instance_collection = "COLLECTION", collection
            bpy.context.scene.collection.objects.link(ob)
            result["linked"] = played(())
            bpy.data.objects.remove(ob)
            bpy.context.scene.collection.children.link(collection)
            override = collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
            bpy.context.scene.collection.children.unlink(collection)
            result["overridden"] = played(())
        else:
            bpy.context.scene.collection.children.link(collection)
            result["appended"] = played(())
    print("RESULT" + json.dumps(result), flush=True)
    os._exit(0)
"""


def test_a_cache_plays_without_the_extension_saved_appended_linked_and_overridden(addon, tmp_path) -> None:
    cached()
    expected = {}
    for frame in at_frames(SHOWN):
        expected[frame] = instances()
    path = str(tmp_path / "crowd.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    (tmp_path / "user").mkdir()
    again = str(tmp_path / "again.blend")
    printed = in_another_blender(PLAYING, tmp_path / "user", path=path, resaved=again, frames=SHOWN)
    line = next(each for each in printed.splitlines() if each.startswith("RESULT"))
    for way, played in json.loads(line.removeprefix("RESULT")).items():
        for frame, matrices in expected.items():
            found = {int(k): np.array(m) for k, m in played[str(frame)].items()}
            assert found.keys() == matrices.keys(), way
            for identity in matrices:
                np.testing.assert_array_equal(found[identity], matrices[identity], err_msg=way)
