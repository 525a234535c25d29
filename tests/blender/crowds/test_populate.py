"""Populate fills a crowd with copies that share data and keep their identity; changes of the user are never lost."""

import math
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert, is_baked
from tests.blender.building import armature, empty, frames, from_library, link, part, path_curve, reopen, wedge
from tests.blender.crowds.populated import (
    cube,
    figure,
    forwards,
    ground,
    locations,
    members,
    nearest,
    populate,
    populate_after,
)
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.seen import stored_names
from tests.blender.steered import bake, clear_bake, press, select, tag, vehicle


def test_selected_models_become_a_crowd_of_the_given_count() -> None:
    ship = wedge()
    before = stored_names(ship)
    crowd = populate_after(ship, count=12)
    assert "CROWD" in crowd.steering.roles
    assert len(members(crowd)) == 12
    assert {ob.data for ob in members(crowd)} == {ship.data}
    assert len({ob.steering.identity for ob in members(crowd)}) == 12
    assert {ob.steering.crowd for ob in members(crowd)} == {crowd}
    assert stored_names(ship) == before == [], "a model is not a vehicle"
    assert bpy.context.selected_objects == [crowd]


def test_the_report_names_the_models_that_remain_in_view(capfd) -> None:
    ship = wedge(name="Ship")
    populate_after(ship, count=3)
    assert "3 added; the model Ship remains beside them" in capfd.readouterr().out
    ship.hide_set(True)
    populate(count=4)
    assert "1 added\n" in capfd.readouterr().out


def test_the_radius_of_a_crowd_is_measured_and_members_start_where_they_are() -> None:
    crowd = populate_after(wedge(size=0.7), count=4, random_scale=0.5)
    assert crowd.steering.vehicle.radius == pytest.approx(0.7)
    for ob in members(crowd):
        assert ob.steering.size_factor == pytest.approx(ob.scale.x, rel=1e-5)
        assert ob.steering.start.stored
        assert tuple(ob.steering.start.location) == tuple(ob.location)


def test_a_crowd_that_has_vehicles_keeps_its_size() -> None:
    large = vehicle(name="Large", size=2.0)
    crowd = large.steering.crowd
    small = wedge("Small", size=0.5)
    populate_after(crowd, small, count=2)
    assert crowd.steering.vehicle.radius == pytest.approx(2.0)
    assert [ob.steering.size_factor for ob in members(crowd)] == pytest.approx([0.25, 0.25])


@pytest.mark.parametrize(
    ("size", "name"),
    [
        ((1.7, 0.35, 1.75), "People"),
        ((0.5, 0.35, 1.75), "People"),
        ((0.7, 2.4, 1.5), "Animals"),
        ((1.0, 3.0, 5.0), "Animals"),
        ((1.1, 5.5, 2.7), "Animals"),
        ((0.2, 1.0, 0.4), "Crowd"),
        ((1.2, 0.5, 0.2), "Crowd"),
    ],
)
def test_a_rigged_character_moves_like_its_proportions_say(size: tuple[float, ...], name: str) -> None:
    def of(model, **options) -> str:
        return press("populate", model, count=2, **options).name.partition(".")[0]

    rigged, plain = cube("Rigged", size=1.0, scale=size), cube("Plain", size=1.0, scale=size)
    rig = armature("Rig")
    rigged.parent = rig
    rigged.modifiers.new("Armature", "ARMATURE").object = rig
    assert of(rigged) == name
    assert of(plain) == "Crowd", "only characters are guessed"
    assert of(rigged, moves_like="BIRD") == "Birds", "unless something else is chosen"


def test_models_are_chosen_in_proportion_to_their_weights() -> None:
    crowd = populate_after(wedge("Crow"), wedge("Gull"), count=5, seed=3)
    sources = {source.object.name: source for source in crowd.steering.populate.sources}
    assert set(sources) == {"Crow", "Gull"}
    sources["Crow"].weight = 0.0
    populate(count=40)
    names = [ob.data.name for ob in members(crowd)]
    assert {"Crow", "Gull"} == set(names[:5])
    assert {"Gull"} == set(names[5:])


def test_a_collection_is_a_source_too() -> None:
    crowd = populate_after(wedge("Crow"))
    flock = bpy.data.collections.new("Models")
    for name in ("Duck", "Swan"):
        ob = bpy.data.objects.new(name, bpy.data.meshes["Crow"])
        flock.objects.link(ob)
    source = crowd.steering.populate.sources[0]
    source.kind, source.collection = "COLLECTION", flock
    populate(count=30)
    assert {ob.name[:4] for ob in members(crowd)[1:]} == {"Duck", "Swan"}


def test_models_can_be_added_and_removed() -> None:
    crowd = populate_after(wedge("Crow"))
    press("populate_add", crowd, wedge("Gull"))
    assert [source.object.name for source in crowd.steering.populate.sources] == ["Crow", "Gull"]
    assert bpy.ops.steering.populate_remove(row=0) == {"FINISHED"}
    assert [source.object.name for source in crowd.steering.populate.sources] == ["Gull"]
    refuses("populate_remove", "Model 7 does not exist", row=7)


def test_a_model_that_an_override_of_a_crowd_has_from_its_library_stays(tmp_path: Path) -> None:
    populate_after(wedge("Crow"))
    override = from_library(tmp_path, "objects", "Crowd").override_create()
    bpy.context.scene.collection.objects.link(override)
    refuses("populate_remove", "Model 0 of Crowd comes from the linked file. Remove it there", override, row=0)


def test_a_refusal_stores_no_settings_on_the_crowd() -> None:
    settled = press("crowd_add")
    refuses("populate_remove", "Model 0 does not exist", row=0)
    settled.steering.populate.count = 3
    settled.steering.populate.sources.add()
    refuses("populate", "Crowd has no models")
    unpopulated, floor, ant = press("crowd_add"), ground(4.0), wedge(size=0.1)
    for vertex in ant.data.vertices:
        vertex.co.x += 6.0
    select(unpopulated, ant)
    refuses("populate", "The origin of Ship is 6 m away", count=5, arrangement="SURFACE", place=floor.name)


def test_copies_of_a_tagged_model_have_neither_its_tags_nor_its_bake() -> None:
    frames(1, 10)
    ship = vehicle(identity=77)
    ship.steering.locked = False
    ship.steering.speed_factor = 2.0
    ship.steering.forward_axis = "NEG_Y"
    bake()
    crowd = populate_after(ship, count=3)
    assert crowd == ship.steering.crowd
    assert is_baked(ship)
    for ob in members(crowd):
        assert not is_baked(ob)
        assert ob.animation_data is None
        assert ob.steering.speed_factor == 1.0
        assert ob.steering.identity != 77
        assert ob.steering.forward_axis == "NEG_Y"


@pytest.mark.parametrize("role", ["SURFACE", "OBSTACLE", "PATH"])
def test_what_is_tagged_as_no_model_is_not_copied_but_may_be_the_place(role) -> None:
    balcony = tag(path_curve("Balcony") if role == "PATH" else cube("Balcony", size=1.5), role=role)
    select(balcony)
    refuses("populate", f"Balcony is tagged as {role.title()}, so no member is made of it. Select a model", count=4)
    crowd = populate_after(balcony, wedge())
    assert [ob.name.split()[0] for ob in members(crowd)] == ["Ship"]
    assert crowd.steering.populate.place == (None if role == "OBSTACLE" else balcony)


def test_a_character_is_copied_with_its_descendants() -> None:
    rig = figure()
    crowd = populate(count=4)
    family = part("blender.objects.hierarchy").Family()
    for ob in members(crowd):
        parts = {child.name.rpartition(" ")[0]: child for child in family.descendants(ob)}
        body, hat = parts["Figure Body"], parts["Figure Hat"]
        assert body.modifiers[0].object == ob
        assert (hat.parent_type, hat.parent_bone) == ("BONE", "Spine")
        assert hat.constraints[0].target == body
        assert body.animation_data.drivers[0].driver.variables[0].targets[0].id == ob
        assert ob.data == rig.data
        assert body.data == bpy.data.objects["Figure Body"].data
        assert not body.steering.roles
    assert len(members(crowd)) == 4


def test_properties_constraints_and_animation_of_a_model_are_copied_or_shared() -> None:
    ship, other = wedge("Ship 001"), empty("Beacon")
    ship["serial"] = 7
    ship.constraints.new("DAMPED_TRACK").target = other
    insert(ship, "scale", {1: (1, 1, 1), 20: (2, 2, 2)})
    crowd = populate_after(ship, count=3)
    assert [ob.name for ob in members(crowd)] == ["Ship 0001", "Ship 0002", "Ship 0003"]
    for ob in members(crowd):
        assert ob["serial"] == 7
        assert ob.constraints[0].target == other, "a pointer to an object outside the model is kept"
        assert ob.animation_data.action == ship.animation_data.action


def test_inputs_of_geometry_nodes_point_at_parts_of_the_copy() -> None:
    tree = bpy.data.node_groups.new("Tree", "GeometryNodeTree")
    socket = tree.interface.new_socket("Object", in_out="INPUT", socket_type="NodeSocketObject")
    ship, wing = wedge(), wedge("Wing")
    wing.parent = ship
    modifier = ship.modifiers.new("Nodes", "NODES")
    modifier.node_group = tree
    inputs = part("blender.objects.node_inputs")
    inputs.set_input(modifier, socket.identifier, wing)
    crowd = populate_after(ship, count=3)
    for ob in members(crowd):
        assert inputs.input_of(ob.modifiers[0], "Object") == ob.children[0]


def test_models_may_be_in_an_excluded_collection() -> None:
    ship = wedge(scale=(2.0, 2.0, 2.0), size=0.5)
    crowd = populate_after(ship)
    home = bpy.data.collections.new("Models")
    bpy.context.scene.collection.children.link(home)
    home.objects.link(ship)
    bpy.context.scene.collection.objects.unlink(ship)
    bpy.context.view_layer.layer_collection.children["Models"].exclude = True
    populate(count=6)
    assert len(members(crowd)) == 6
    assert {tuple(ob.scale) for ob in members(crowd)} == {(2.0, 2.0, 2.0)}
    assert all(ob.visible_get() for ob in members(crowd))
    assert nearest(locations(crowd)) > 1.5


def test_a_collection_instance_can_be_a_model() -> None:
    home = bpy.data.collections.new("Tree")
    home.objects.link(bpy.data.objects.new("Trunk", bpy.data.meshes.new("Trunk")))
    ob = empty("Tree Instance")
    ob.instance_type, ob.instance_collection = "COLLECTION", home
    crowd = populate_after(ob, count=3)
    assert {member.instance_collection for member in members(crowd)} == {home}


def test_an_object_without_a_size_can_be_a_model() -> None:
    crowd = populate_after(link(bpy.data.objects.new("Dot", bpy.data.meshes.new("Dot"))), count=4, distance=1.0)
    assert nearest(locations(crowd)) == pytest.approx(1.0)
    assert crowd.steering.vehicle.radius > 0.0


def test_members_do_not_get_the_parent_of_their_model() -> None:
    shelf, ship = empty("Shelf", location=(0.0, 0.0, 9.0), scale=(2.0, 2.0, 2.0)), wedge()
    ship.parent = shelf
    crowd = populate_after(ship, count=3)
    assert {ob.parent for ob in members(crowd)} == {None}
    assert {tuple(round(x, 5) for x in ob.scale) for ob in members(crowd)} == {(2.0, 2.0, 2.0)}


def test_parts_are_placed_on_a_member_as_on_its_model() -> None:
    ship, wing = wedge(), wedge("Wing", size=0.1, location=(1.0, 2.0, 3.0), rotation=(0.1, 0.2, 0.3))
    ship.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    wing.parent = ship
    wing.matrix_parent_inverse = ship.matrix_world.inverted()
    bpy.context.view_layer.update()
    expected = np.array(ship.matrix_world.inverted() @ wing.matrix_world)
    crowd = populate_after(ship, count=3, random_turn=1.0, random_scale=0.3)
    for ob in members(crowd):
        (copy,) = ob.children
        assert np.allclose(np.array(ob.matrix_world.inverted() @ copy.matrix_world), expected, atol=1e-5)


def test_a_character_faces_the_way_the_crowd_does() -> None:
    figure()
    crowd = populate(count=3, random_turn=0.0)
    assert np.allclose(forwards(crowd), (0.0, -1.0, 0.0), atol=1e-6), "its front is -Y and faces +Y"
    crowd.rotation_euler.z = math.pi / 2.0
    bpy.context.view_layer.update()
    populate()
    assert np.allclose(forwards(crowd), (1.0, 0.0, 0.0), atol=1e-6)


def test_selected_parts_of_a_selected_model_are_not_models() -> None:
    rig = figure()
    crowd = populate_after(rig, bpy.data.objects["Figure Body"], count=2)
    assert [source.object for source in crowd.steering.populate.sources] == [rig]


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "ZYX"])
def test_the_rotation_mode_of_a_model_is_kept(mode: str) -> None:
    ship = wedge()
    ship.rotation_mode = mode
    crowd = populate_after(ship, count=3, random_turn=math.pi, seed=1)
    assert {ob.rotation_mode for ob in members(crowd)} == {mode}
    assert len({tuple(np.round(row, 3)) for row in forwards(crowd)}) == 3


def test_a_mirrored_model_stays_mirrored() -> None:
    ship = wedge(scale=(-1.0, 2.0, 1.0))
    crowd = populate_after(ship, count=2)
    assert [tuple(ob.scale) for ob in members(crowd)] == [(-1.0, 2.0, 1.0)] * 2
    assert forwards(crowd)[:, 1].min() > 0.9


def test_copies_of_library_overrides_survive_saving(tmp_path: Path) -> None:
    figure()
    home = bpy.data.collections.new("Character")
    for ob in bpy.data.objects:
        bpy.context.scene.collection.objects.unlink(ob)
        home.objects.link(ob)
    bpy.context.scene.collection.children.link(home)
    linked = from_library(tmp_path, "collections", "Character")
    bpy.context.scene.collection.children.link(linked)
    select(next(ob for ob in linked.objects if ob.type == "ARMATURE"))
    refuses("populate", "Figure is linked and cannot be copied for each member. Make a library override of it")
    bpy.context.scene.collection.children.unlink(linked)
    override = linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    rig = next(ob for ob in override.all_objects if ob.type == "ARMATURE")
    crowd = populate_after(rig, count=3, random_turn=1.0)
    where = locations(crowd)
    reopen(tmp_path / "shot.blend")
    crowd = bpy.data.objects["Crowd"]
    assert (locations(crowd) == where).all()
    for ob in members(crowd):
        assert ob.data.library is not None, "its data is shared with the library"
        assert ob.override_library is None, "Blender may delete unknown overrides"
        body = next(child for child in ob.children if child.modifiers)
        assert body.modifiers[0].object == ob
    populate_after(crowd, count=5)
    assert (locations(crowd)[:3] == where).all()


def test_models_are_unchanged_byte_for_byte() -> None:
    figure()
    select(ground(), bpy.data.objects["Figure"])
    before = scene_dump(["objects"])["objects"]
    populate(count=5)
    after = scene_dump(["objects"])["objects"]
    assert_same(before, {name: after[name] for name in before})


def test_models_are_hidden_on_request_and_their_later_copies_are_seen() -> None:
    model, prop = cube("Cow", size=1.0), cube("Bell", size=0.2)
    prop.parent, prop.hide_viewport, prop.hide_render = model, True, True
    crowd = populate_after(model, count=2, hide_models=True)
    assert model.hide_get() and model.hide_render and not model.hide_viewport
    populate_after(crowd, count=3)
    for ob in members(crowd):
        assert ob.visible_get() and not ob.hide_render
        (part_of_it,) = ob.children
        assert part_of_it.hide_viewport and part_of_it.hide_render, "what was hidden before stays so"


NAMED_AFTER = (
    (("RootNode", "AnimalArmature"), ("Deer",), "Deer"),
    (("Rig",), ("1H_Sword", "Knight_Arm", "Knight_Body", "2H_Sword", "Knight_Head"), "Knight"),
    (("Armature.001",), ("Cube.003",), "Armature"),
    (("Anna",), ("Body",), "Anna"),
    (("GLTF_SceneRootNode",), ("Fox_low",), "Fox"),
    (("RootNode", "RobotArmature"), ("Arm.L", "Arm.R", "Foot.L", "Hand.R"), "Robot"),
    (("Sketchfab_model", "wolf.fbx", "RootNode"), ("Object_0", "Object_1"), "wolf"),
    (("character", "root"), ("leg-left", "leg-right", "torso", "antenna"), "character"),
)


def test_a_mesh_without_a_telling_name_gives_members_that_of_its_data() -> None:
    bird = wedge("Object_0")
    bird.data.name = "Parrot"
    assert members(populate_after(bird))[0].name == "Parrot 0001"


@pytest.mark.parametrize(("carriers", "meshes", "name"), NAMED_AFTER)
def test_members_are_named_after_what_says_what_their_model_is(carriers, meshes, name) -> None:
    above = None
    for each in carriers:
        ob = empty(each)
        ob.parent, above = above, ob
    for each in meshes:
        cube(each, size=1.0).parent = above
    crowd = populate_after(bpy.data.objects[carriers[0]], count=2)
    assert [ob.name for ob in members(crowd)] == [f"{name} 0001", f"{name} 0002"]


def test_a_member_whose_model_keys_hold_in_place_is_the_same_after_its_bake_is_deleted() -> None:
    frames(1, 3)
    ship = wedge()
    insert(ship, "location", {1: (0.0, 0.0, 0.0), 20: (0.0, 0.0, 0.0)})
    crowd = populate_after(ship, count=2)
    assert [ob.animation_data for ob in members(crowd)] == [None, None]
    bake()
    clear_bake()
    assert [ob.animation_data for ob in members(crowd)] == [None, None]
