"""Populate fills a crowd with copies that share data and keep their identity; changes of the user are never lost."""

import math
import re
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.building import (
    armature,
    assert_same,
    at_frames,
    bake,
    clear_bake,
    drive,
    empty,
    frames,
    from_library,
    insert,
    is_baked,
    link,
    meshed,
    part,
    path_curve,
    places,
    press,
    put,
    refuses,
    reopen,
    scene_dump,
    select,
    stored_names,
    tag,
    vehicle,
    wedge,
)
from tests.blender.drawing import texts, up_to_date
from tests.blender.walkers import box, idle, stash, walk, walker


def populate(*, moves_like: str = "UNCHANGED", **settings):
    """Populate without a preset; returns the crowd."""
    assert bpy.ops.steering.populate(moves_like=moves_like, **settings) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def populate_after(*models, **settings):
    """Populate with these selected, by one member unless another count is given."""
    select(*models)
    return populate(**{"count": 1, **settings})


def members(crowd) -> list:
    """The members of a crowd, sorted by number."""
    tagged = [ob for ob in bpy.context.scene.objects if ob.is_property_set("steering") and ob.steering.crowd == crowd]
    return sorted((ob for ob in tagged if ob.steering.member.number), key=lambda ob: ob.steering.member.number)


def locations(crowd) -> np.ndarray:
    return np.array([ob.location for ob in members(crowd)])


def forwards(crowd) -> np.ndarray:
    """The directions of the +Y axes of the members."""
    bpy.context.view_layer.update()
    return np.array([ob.matrix_world.col[1].xyz.normalized() for ob in members(crowd)])


def nearest(points: np.ndarray) -> float:
    gaps = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    return float(gaps[~np.eye(len(points), dtype=bool)].min())


def told_by_the_panel() -> str:
    part("blender.status.census").refresh(bpy.context.scene)
    return texts(up_to_date("STEERING_PT_populate"))


def ground(size: float = 20.0, **placed):
    """A square mesh to place members on."""
    half = size / 2.0
    return meshed("Ground", [(x, y, 0) for y in (-half, half) for x in (-half, half)], [(0, 1, 3, 2)], **placed)


def cube(name: str = "Box", size: float = 4.0, **placed):
    half = 0.5 * size
    return put(box(name, (-half, -half, -half), (half, half, half)), **placed)


def figure(name: str = "Figure"):
    """A character: an armature with a mesh that it deforms, and a hat on its bone."""
    rig = armature(name, Spine=((0, 0, 0), (0, 0, 1.8)))
    body = wedge(f"{name} Body", size=0.4)
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    hat = wedge(f"{name} Hat", size=0.2)
    hat.parent, hat.parent_type, hat.parent_bone = rig, "BONE", "Spine"
    follow = hat.constraints.new("COPY_SCALE")
    follow.target = body
    drive(body, "location", "0.1 * x", index=2, x=(rig, "location[2]"))
    select(rig)
    return rig


# ---- making members


def test_selected_models_become_a_crowd_of_the_given_count() -> None:
    ship = wedge()
    select(ship)
    before = stored_names(ship)
    crowd = populate(count=12)
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
        press("populate", model, count=2, **options)
        return re.sub(r"\.\d+$", "", bpy.context.view_layer.objects.active.name)

    rigged, plain = cube("Rigged", size=1.0, scale=size), cube("Plain", size=1.0, scale=size)
    rig = armature("Rig")
    rigged.parent = rig
    rigged.modifiers.new("Armature", "ARMATURE").object = rig
    assert of(rigged) == name
    assert of(plain) == "Crowd", "only characters are guessed"
    assert of(rigged, moves_like="BIRD") == "Birds", "unless something else is chosen"


def test_spread_arms_need_no_room() -> None:
    tall = cube("Person", size=2.0, scale=(0.9, 0.15, 0.9))
    crowd = populate_after(tall, count=9)
    assert 0.5 < nearest(locations(crowd)) < 1.0, "arms are only spread in the model"


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
    with pytest.raises(RuntimeError, match="Model 7 does not exist"):
        bpy.ops.steering.populate_remove(row=7)


def test_a_refusal_stores_no_settings_on_the_crowd() -> None:
    assert bpy.ops.steering.crowd_add() == {"FINISHED"}
    settled = bpy.context.view_layer.objects.active
    before = scene_dump()
    with pytest.raises(RuntimeError, match="Model 0 does not exist"):
        bpy.ops.steering.populate_remove(row=0)
    assert_same(before, scene_dump())
    settled.steering.populate.count = 3
    settled.steering.populate.sources.add()
    refuses("populate", "Crowd has no models")
    assert bpy.ops.steering.crowd_add() == {"FINISHED"}
    unpopulated = bpy.context.view_layer.objects.active
    floor, ant = ground(4.0), wedge(size=0.1)
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


# ---- hierarchies


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
    bpy.context.view_layer.update()
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
    bpy.context.view_layer.update()
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


# ---- arrangements


def test_members_on_a_surface_do_not_overlap() -> None:
    floor = ground(location=(0.0, 0.0, 3.0), rotation=(0.3, 0.0, 0.0))
    bpy.context.view_layer.update()
    crowd = populate_after(floor, wedge(size=0.5), count=60)
    assert crowd.steering.populate.arrangement == "SURFACE", "a much larger object is the ground"
    assert crowd.steering.populate.place == floor
    local = np.array([floor.matrix_world.inverted() @ ob.location for ob in members(crowd)])
    assert np.allclose(local[:, 2], 0.0, atol=1e-4)
    assert abs(local[:, :2]).max() <= 10.0 + 1e-4
    assert nearest(locations(crowd)) >= 2.0 * 0.42, (
        "their width, a little less than the diameter of the bounding sphere"
    )
    assert not floor.is_property_set("steering")


@pytest.mark.parametrize("shape", ["ROUND", "BOX", "MESH"])
def test_scattered_members_keep_out_of_obstacles(shape: str) -> None:
    box = tag(cube(size=8.0, location=(2.0, 0.0, 4.0)), role="OBSTACLE")
    box.steering.obstacle_shape = shape
    bpy.context.view_layer.update()
    crowd = populate_after(ground(20.0), wedge(size=0.4), count=60)
    places = locations(crowd)
    assert len(places) == 60
    width = 0.8 * 0.4
    if shape == "ROUND":
        out = np.sqrt(((places - (2.0, 0.0, 4.0)) ** 2).sum(axis=1)) - 4.0 * math.sqrt(3.0)
    else:
        beside = np.maximum(np.abs(places - (2.0, 0.0, 4.0)) - 4.0, 0.0)
        out = np.sqrt((beside**2).sum(axis=1))
    assert out.min() >= width


@pytest.mark.parametrize("made_as", ["OBJECTS", "POINTS"])
def test_a_second_crowd_keeps_out_of_the_long_bodies_of_the_first(made_as: str) -> None:
    """Each within 3 m of a rod of 6 m keeps its radius from all of it, not from its middle alone."""
    floor, rod = ground(24.0), put(box("Rod", (-0.2, -3.0, 0.0), (0.2, 3.0, 0.4)), location=(40.0, 0.0, 0.0))
    rods = populate_after(rod, floor, count=12, made_as=made_as, random_turn=3.0, hide_models=True)
    assert rods.steering.vehicle.length == pytest.approx(6.0)
    others, _ = part("blender.crowds.populating.members").bodies_of_others(bpy.context.scene, None, set())
    crowd = populate_after(wedge(size=0.3, location=(45.0, 0.0, 0.0)), floor, count=80, hide_models=True)
    gap = np.sqrt(((locations(crowd)[:, None] - others) ** 2).sum(axis=2))
    assert len(gap) == 80 and len(others) >= 12 * 20 and gap.min() >= 0.2 + 0.24
    assert nearest(others[12:]) < 0.11, "they are balls in a row from end to end"


def test_an_obstacle_that_is_the_ground_or_carried_by_a_vehicle_takes_no_room() -> None:
    floor = tag(ground(20.0), role="OBSTACLE")
    floor.steering.obstacle_shape = "MESH"
    ship = vehicle(name="Ship", location=(0.0, 0.0, 0.0))
    shield = tag(cube("Shield", size=19.0), role="OBSTACLE")
    shield.parent = ship
    bpy.context.view_layer.update()
    crowd = populate_after(floor, wedge(size=0.4), count=40)
    assert len(members(crowd)) == 40
    assert abs(locations(crowd)).max() > 6.0


def test_only_members_that_have_room_are_made_and_the_panel_tells_their_number() -> None:
    crowd = populate_after(ground(4.0), wedge(size=0.5), count=500)
    assert 4 < len(members(crowd)) < 40
    assert crowd.steering.populate.count == 500
    told = f"{len(members(crowd))} of 500 members have been placed"
    assert told in told_by_the_panel()
    populate(count=3)
    assert "have been placed" not in told_by_the_panel()


def ball(radius: float):
    """A closed mesh whose faces point outward."""
    tilt, turn = np.meshgrid(np.linspace(-math.pi / 2, math.pi / 2, 13), np.arange(24) * (math.pi / 12), indexing="ij")
    points = radius * np.stack((np.cos(tilt) * np.cos(turn), np.cos(tilt) * np.sin(turn), np.sin(tilt)), axis=-1)
    faces = [
        (24 * k + j, 24 * k + (j + 1) % 24, 24 * k + 24 + (j + 1) % 24, 24 * k + 24 + j)
        for k in range(12)
        for j in range(24)
    ]
    return meshed("Ball", points.reshape(-1, 3).tolist(), faces)


def found() -> set[str]:
    bpy.context.view_layer.update()
    return {each.kind.name for each in part("blender.status.census").refresh(bpy.context.scene).findings}


def test_animals_start_on_the_upper_side_of_a_ball_and_what_crawls_all_round_it() -> None:
    select(ball(8.0), wedge(size=0.5, location=(40.0, 0.0, 0.0)))
    crowd = populate(count=20, arrangement="SURFACE", place="Ball", moves_like="ANIMAL")
    on_top = locations(crowd)
    assert len(on_top) == 20 and on_top[:, 2].min() > 8.0 * math.cos(0.75)
    assert found() == set()
    crowd.steering.locomotion = "CRAWLING"
    assert found() == set(), "they are on the outside already"
    populate()
    all_round, up = locations(crowd), np.array([ob.matrix_world.col[2].xyz for ob in members(crowd)])
    assert (all_round[:, 2] < -4.0).any()
    assert ((all_round * up).sum(axis=1) > 0.0).all(), "none is inside"
    crowd.steering.locomotion = "ON_FOOT"
    assert "UPSIDE_DOWN" in found()
    populate()
    assert (locations(crowd) == on_top).all() and found() == set()


@pytest.mark.parametrize("shape", ["SPHERE", "BOX"])
def test_members_in_a_region_are_inside_it(shape: str) -> None:
    region = tag(empty("Sky", location=(5.0, 0.0, 8.0), scale=(6.0, 3.0, 3.0)), role="REGION")
    region.steering.region_shape = shape
    bpy.context.view_layer.update()
    crowd = populate_after(region, wedge(size=0.2), count=80)
    assert crowd.steering.populate.arrangement == "VOLUME"
    local = np.array([region.matrix_world.inverted() @ ob.location for ob in members(crowd)])
    assert len(local) == 80
    if shape == "SPHERE":
        assert np.sqrt((local**2).sum(axis=1)).max() <= 1.0 + 1e-4
    else:
        assert abs(local).max() <= 1.0 + 1e-4
        assert np.sqrt((local**2).sum(axis=1)).max() > 1.0
    assert nearest(locations(crowd)) >= 0.4 - 1e-4


@pytest.mark.parametrize("like", ["FISH", "BIRD", "PERSON"])
def test_what_flies_or_swims_fills_a_box_that_is_selected_with_it_and_stays_inside(like: str) -> None:
    frames(1, 60)
    box = cube("Tank", location=(0.0, 0.0, 2.0))
    crowd = populate_after(wedge(size=0.1), box, moves_like=like, count=10)
    if like == "PERSON":
        assert crowd.steering.populate.arrangement == "SURFACE" and box.steering.roles == {"SURFACE"}
        return
    keeping = crowd.steering.containment
    assert (keeping.region, keeping.firm, box.steering.roles) == (box, True, {"REGION"})
    assert box.steering.region_shape == "BOX"
    assert np.abs(locations(crowd) - (0.0, 0.0, 2.0)).max() <= 2.0
    bake()
    for ob in members(crowd):
        assert np.abs(places(ob, range(1, 61)) - (0.0, 0.0, 2.0)).max() <= 2.0


def test_what_was_found_follows_moves_like_in_the_redo_panel_and_what_was_chosen_stays() -> None:
    box, fish = cube("Tank"), wedge(size=0.1)
    select(fish, box)
    redone = {"moves_like": "FISH", "count": 3, "place": "Tank", "arrangement": "SURFACE", "random_scale": 0.25}
    for found, arrangement, share in (
        ("arrangement=SURFACE random_scale=0.25", "VOLUME", 0.05),
        ("arrangement=GRID random_scale=0.1", "SURFACE", 0.25),
    ):
        crowd = populate(**redone, found=found).steering.populate
        assert (crowd.arrangement, crowd.random_scale) == (arrangement, pytest.approx(share))
        box.steering.roles = set()
        select(fish, box)


@pytest.mark.parametrize("form", ["a slab", "a ground that is tagged", "too small for them"])
def test_what_flies_or_swims_is_put_on_other_places(form: str) -> None:
    box = cube("Place", size=8.0, scale=(1.0, 1.0, 0.05 if form == "a slab" else 0.15))
    if form == "a ground that is tagged":
        tag(box, role="SURFACE")
    crowd = populate_after(wedge(size=1.0 if form == "too small for them" else 0.1), box, moves_like="FISH", count=3)
    assert crowd.steering.populate.arrangement == "SURFACE"


def test_sizes_vary_as_the_panel_shows_and_count_for_the_room_of_members() -> None:
    crowd = populate_after(figure(), ground(6.0), moves_like="PERSON", count=12)
    share = crowd.steering.populate.random_scale
    scales = np.array([ob.scale[0] for ob in members(crowd)])
    assert share == pytest.approx(0.05)
    assert 0.01 < np.abs(scales - 1.0).max() <= share
    radii = [crowd.steering.vehicle.radius * ob.steering.size_factor for ob in members(crowd)]
    assert (3.0 - np.abs(locations(crowd)[:, :2]).max(axis=1) > radii).all()
    assert not part("blender.status.census").refresh(bpy.context.scene).findings


def test_a_model_whose_scale_is_keyed_keeps_its_size_in_silence_unless_another_is_asked_for(capfd) -> None:
    ship = wedge()
    insert(ship, "scale", {1: (1.0, 1.0, 1.0), 9: (2.0, 2.0, 2.0)})
    crowd = populate_after(ship, moves_like="BIRD", count=6)
    assert crowd.steering.populate.random_scale == 0.0
    assert {ob.steering.size_factor for ob in members(crowd)} == {1.0}
    assert "Warning" not in capfd.readouterr().out


def test_members_along_a_curve_are_on_it_and_face_along_it() -> None:
    road = path_curve(points=((0, 0, 0), (40, 0, 0)))
    crowd = populate_after(road, wedge(size=0.3), count=20, random_turn=0.0)
    assert crowd.steering.populate.arrangement == "CURVE"
    assert np.allclose(np.diff(locations(crowd)[:, 0]), 2.0, atol=1e-4)
    assert np.allclose(forwards(crowd), (1.0, 0.0, 0.0), atol=1e-5)
    populate(evenly=False)
    assert np.ptp(np.diff(np.sort(locations(crowd)[:, 0]))) > 0.1
    assert nearest(locations(crowd)) >= 2.0 * 0.24


def test_members_along_a_curve_that_they_follow_either_way_set_out_both_ways() -> None:
    select(path_curve(points=((0, 0, 0), (2, 0, 0))), wedge(size=0.004))
    crowd = populate(count=60, moves_like="INSECT", random_turn=0.0)
    assert crowd.steering.path_following.direction == "EITHER"
    assert 0.3 < (forwards(crowd)[:, 0] > 0.0).mean() < 0.7
    before = forwards(crowd)
    crowd.steering.path_following.direction = "FORWARD"
    populate(seed=4)
    assert (before[:, 0] < 0.0).any() and (forwards(crowd)[:, 0] > 0.0).all()


@pytest.mark.parametrize(("like", "roles"), [("PERSON", {"PATH"}), ("CAR", {"PATH"}), ("BIRD", set())])
def test_a_curve_becomes_the_path_of_new_members_that_follow_paths(like: str, roles: set[str]) -> None:
    road = path_curve(points=((0, 0, 0), (40, 0, 0)))
    populate_after(wedge(size=0.3), road, count=3, moves_like=like)
    assert (set(road.steering.roles) if road.is_property_set("steering") else set()) == roles


def test_warnings_come_last_as_the_status_bar_shows_only_the_last_report(capfd) -> None:
    road, rig = path_curve(points=((0, 0, 0), (4, 0, 0))), walker()
    stash(rig, idle(rig), walk(rig))
    populate_after(rig, road, count=30, moves_like="PERSON")
    *_, told, last = capfd.readouterr().out.strip().splitlines()
    assert told.startswith("Info: People has") and told.endswith("; they play Idle, Walk")
    assert last.startswith("Warning: Road only has room for")


def test_members_in_formation_are_placed_relative_to_the_crowd_and_face_its_way() -> None:
    crowd = populate_after(wedge(size=0.3), arrangement="WEDGE", count=7, distance=2.0, random_turn=0.0)
    crowd.location, crowd.rotation_euler.z = (10.0, 0.0, 4.0), -math.pi / 2.0
    bpy.context.view_layer.update()
    populate()
    where = locations(crowd)
    assert np.allclose(where[0], (10.0, 0.0, 4.0), atol=1e-5)
    assert (where[1:, 0] < 9.9).all(), "the others are behind, and the crowd faces +X"
    assert np.allclose(forwards(crowd), (1.0, 0.0, 0.0), atol=1e-5)
    assert nearest(where) >= 2.0 - 1e-4


# ---- populating again


@pytest.fixture
def crowd():
    """Twenty members scattered on a ground."""
    return populate_after(ground(), wedge(size=0.3), count=20, random_scale=0.2)


def state_of(ob) -> tuple:
    return (ob.name, ob.steering.identity, tuple(ob.location), tuple(ob.rotation_euler), tuple(ob.scale))


def test_a_larger_count_keeps_existing_members(crowd) -> None:
    members(crowd)[3].steering.speed_factor = 1.7
    assert bpy.ops.steering.vary(speed=0.0, size=0.1) == {"FINISHED"}
    before = [state_of(ob) for ob in members(crowd)]
    crowd.steering.populate.count = 35
    populate()
    after = members(crowd)
    assert len(after) == 35
    assert [state_of(ob) for ob in after[:20]] == before
    assert after[3].steering.speed_factor == pytest.approx(1.7)
    assert nearest(locations(crowd)) > 0.4


def test_populating_again_changes_nothing(crowd) -> None:
    populate()
    before = scene_dump()
    populate()
    assert_same(before, scene_dump())


def test_a_smaller_count_removes_the_last_members_and_a_larger_one_restores_them(crowd) -> None:
    before = [state_of(ob) for ob in members(crowd)]
    objects = len(bpy.data.objects)
    populate(count=8)
    assert [state_of(ob) for ob in members(crowd)] == before[:8]
    assert len(bpy.data.objects) == objects - 12
    populate(count=20)
    assert [state_of(ob) for ob in members(crowd)] == before


def test_removed_members_leave_nothing_behind() -> None:
    figure()
    crowd = populate(count=6)
    frames(1, 5)
    bake()
    populate(count=0)
    assert members(crowd) == []
    assert len(bpy.data.objects) == 4, "the model and the crowd"
    assert len(bpy.data.actions) == 0
    populate(count=2)
    assert len(members(crowd)) == 2


def test_parts_of_members_stay_theirs_when_a_bake_that_hid_them_is_deleted() -> None:
    """Populate would take such a member for the user's and neither move nor remove it."""
    body = wedge(size=0.3)
    wedge("Fin", size=0.1).parent = body
    crowd = populate_after(body, count=4, arrangement="ONE_PLACE")
    bake()
    assert any(is_baked(ob) for member in members(crowd) for ob in member.children)
    clear_bake()
    populate_after(crowd, count=2)
    assert len(members(crowd)) == 2


def test_an_untagged_member_is_the_users_also_if_it_was_baked(crowd) -> None:
    bake()
    released = members(crowd)[-1]
    press("untag", released, role="VEHICLE")
    clear_bake()
    assert "steering" not in stored_names(released)


def test_another_arrangement_moves_members_but_keeps_their_identity(crowd) -> None:
    before = [(ob.name, ob.steering.identity) for ob in members(crowd)]
    where = locations(crowd)
    populate(seed=5)
    assert [(ob.name, ob.steering.identity) for ob in members(crowd)] == before
    assert not (locations(crowd) == where)[:, :2].any()
    populate(arrangement="GRID")
    assert [(ob.name, ob.steering.identity) for ob in members(crowd)] == before
    for ob in members(crowd):
        assert tuple(ob.steering.start.location) == tuple(ob.location)


@pytest.mark.parametrize("work", ["lock", "move", "turn", "key", "parent", "burden"])
def test_members_changed_by_the_user_are_neither_moved_nor_removed(crowd, work: str) -> None:
    ob = members(crowd)[15]
    if work == "lock":
        ob.steering.locked = True
    elif work == "move":
        ob.location.x += 0.5
    elif work == "turn":
        ob.rotation_euler.z += 0.5
    elif work == "key":
        insert(ob, "location", {1: (0, 0, 0), 5: (1, 0, 0)})
    elif work == "parent":
        ob.parent = empty("Carrier")
    else:
        empty("Camera").parent = ob
    before = state_of(ob)
    populate(count=10, seed=9)
    assert state_of(ob) == before
    assert [member.steering.member.number for member in members(crowd)] == [*range(1, 11), 16]
    locations_of_all = np.array([member.matrix_world.translation for member in members(crowd)])
    assert nearest(locations_of_all) > 0.3


def test_populating_during_a_preview_moves_no_member(crowd) -> None:
    frames(1, 20)
    before = [state_of(ob) for ob in members(crowd)]
    press("preview", crowd)
    bpy.context.scene.frame_set(10)
    populate(count=30)
    bpy.context.scene.frame_set(12)
    assert [state_of(ob) for ob in members(crowd)[:20]] == before
    assert len(members(crowd)) == 30
    populate(count=5)
    bpy.context.scene.frame_set(14)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    assert [state_of(ob) for ob in members(crowd)] == before[:5]


def test_a_copy_of_a_member_made_by_the_user_is_left_unchanged(crowd) -> None:
    copy = members(crowd)[2].copy()
    members(crowd)[0].users_collection[0].objects.link(copy)
    copy.name = "Zebra"
    before = [state_of(ob) for ob in members(crowd) if ob != copy]
    populate(count=20)
    assert [state_of(ob) for ob in members(crowd) if ob != copy] == before
    assert copy.name == "Zebra"


def test_a_copied_crowd_gets_its_own_collection(crowd) -> None:
    copy = crowd.copy()
    bpy.context.scene.collection.objects.link(copy)
    copy.name = "Second"
    populate_after(copy, count=5)
    assert {home.name for ob in members(copy) for home in ob.users_collection} == {"Second Members"}
    assert len(members(copy)) == 5
    assert len(members(crowd)) == 20


# ---- refusals


@pytest.mark.parametrize(
    ("arrangement", "place", "told"),
    [
        ("SURFACE", "", "The arrangement On a Surface has no place. Choose a mesh"),
        ("CURVE", "", "The arrangement Along a Curve has no place. Choose a curve"),
        ("CURVE", "Ground", "Ground cannot be the place of the members. Choose a curve"),
        ("SURFACE", "Moon", r"Moon not found in the scene\. Choose another place"),
        ("SURFACE", "Empty Mesh", "Empty Mesh has no faces. Choose another mesh"),
        ("CURVE", "Dot", "Dot has no length. Edit the curve"),
        ("VOLUME", "Ground", "Ground has no inside. Choose a region, an Empty or a closed mesh"),
    ],
)
def test_a_place_that_is_missing_or_does_not_suit_is_refused(arrangement: str, place: str, told: str) -> None:
    ground()
    link(bpy.data.objects.new("Empty Mesh", bpy.data.meshes.new("Nothing")))
    path_curve("Dot", points=((1, 2, 3),))
    refuses("populate", told, wedge(), arrangement=arrangement, **({"place": place} if place else {}))


def test_a_member_is_no_place_for_its_crowd_whether_it_is_named_or_selected(crowd) -> None:
    flat, *others = members(crowd)
    flat.scale = 50.0, 50.0, 0.01
    bpy.context.view_layer.update()
    told = f"{flat.name} is a member of {crowd.name}. Choose another place"
    refuses("populate", told, crowd, arrangement="SURFACE", place=flat.name)
    bpy.data.objects.remove(bpy.data.objects["Ground"])
    select(*others, flat, crowd)
    with pytest.raises(RuntimeError, match="On a Surface has no place"):
        populate(count=5)


def test_an_excluded_collection_of_members_is_refused(crowd) -> None:
    bpy.context.view_layer.layer_collection.children["Crowd Members"].exclude = True
    select(crowd)
    refuses(
        "populate", "The collection Crowd Members is excluded from the view layer. Enable it in the Outliner", count=30
    )


def test_a_member_without_a_front_is_refused_before_it_would_be_moved(crowd) -> None:
    members(crowd)[2].steering.up_axis = "POS_Y"
    refuses("populate", "Forward and Up of .* are the same axis", crowd, count=30, arrangement="GRID")


def test_the_panel_shows_only_settings_that_apply(crowd) -> None:
    shown = part("blender.read.arrangement").shown
    assert {"lean", "height", "place", "distance"} <= set(shown("SURFACE"))
    assert {"columns", "layers"} & set(shown("SURFACE")) == set()
    assert {"columns", "layers", "distance"} <= set(shown("GRID"))
    assert {"place", "distance"} & set(shown("ONE_PLACE")) == set()
    for choice in part("settings.population").ARRANGEMENTS:
        crowd.steering.populate.arrangement = choice.name
        drawn = [entry[1] for entry in up_to_date("STEERING_PT_populate") if entry[0] == "prop"]
        assert [name for name in drawn if name in shown(choice.name)] == shown(choice.name)


def test_models_are_unchanged_byte_for_byte() -> None:
    figure()
    floor = ground()
    select(floor, bpy.data.objects["Figure"])
    names = ["Figure", "Figure Body", "Figure Hat", "Ground"]
    before = {name: scene_dump(["objects"])["objects"][name] for name in names}
    populate(count=5)
    after = scene_dump(["objects"])["objects"]
    assert_same(before, {name: after[name] for name in names})


# ---- a stream of walkers


def stream(count: int = 6, **settings):
    """A crowd in one place at (0, 2, 0) whose vehicles go straight on to +Y."""
    frames(1, 80)
    bpy.context.scene.cursor.location = (0.0, 2.0, 0.0)
    return populate_after(wedge(size=0.3), count=count, arrangement="ONE_PLACE", random_turn=0.0, **settings)


def test_members_in_one_place_enter_one_after_another() -> None:
    crowd = stream()
    assert np.allclose(locations(crowd), (0.0, 2.0, 0.0))
    attendance = crowd.steering.attendance
    assert (attendance.use_enter_frame, attendance.enter_frame, attendance.enter_frame + attendance.enter_span) == (
        True,
        2,
        80,
    )
    frames(1, 140)  # The last members may have to wait for room.
    bake()
    counts = []
    for frame in at_frames(range(1, 141)):
        seen = [ob for ob in members(crowd) if not ob.hide_viewport]
        counts.append(len(seen))
        for ob in seen:
            assert all(other == ob or (other.location - ob.location).length > 0.4 for other in seen), frame
    assert counts[0] == 0 and counts[-1] == 6 and max(np.diff(counts)) == 1


def test_overlapping_members_are_reported(capfd) -> None:
    crowd = stream()
    assert "The members enter one after another, from frame 2 to 80" in capfd.readouterr().out
    crowd.steering.attendance.use_enter_frame = False
    populate()
    assert "overlap. Enable Enter Later" in capfd.readouterr().out


@pytest.mark.parametrize("spread", ["CURSOR", "MODEL"])
def test_a_group_on_a_large_ground_is_together_and_stays_where_it_is_as_it_grows(spread) -> None:
    plane, model = ground(size=80.0), wedge("Deer", (20.0, -10.0, 0.0), size=1.0)
    bpy.context.scene.cursor.location = (-15.0, 25.0, -30.0)
    crowd = populate_after(model, plane, count=14, spread=spread)
    before = [tuple(ob.location) for ob in members(crowd)]
    middle = (-15.0, 25.0) if spread == "CURSOR" else (20.0, -10.0)
    assert len(before) == 14 and nearest(locations(crowd)) > 1.0
    assert np.linalg.norm(locations(crowd)[:, :2] - middle, axis=1).max() < 15.0
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    crowd = populate(count=30)
    assert [tuple(ob.location) for ob in members(crowd)][:14] == before
    assert np.linalg.norm(locations(crowd)[:, :2] - middle, axis=1).max() < 20.0
    assert populate(spread="ALL") == crowd
    assert np.linalg.norm(locations(crowd)[:, :2] - middle, axis=1).max() > 35.0


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
    select(bird)
    assert members(populate(count=1))[0].name == "Parrot 0001"


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
