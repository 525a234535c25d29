"""Populate fills a crowd: whose members share what they are made of, stay who they are, and are not lost unasked."""

import math
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.building import (
    assert_same,
    bake,
    drive,
    empty,
    frames,
    insert,
    is_baked,
    link,
    part,
    path_curve,
    places,
    put,
    scene_dump,
    select,
    sphere,
    stored_names,
    tag,
    vehicle,
    wedge,
)
from tests.blender.drawing import everything_shown


def populate(*, moves_like: str = "UNCHANGED", **settings):
    """The crowd that is filled then; it is given nothing else."""
    assert bpy.ops.steering.populate(moves_like=moves_like, **settings) == {"FINISHED"}
    return bpy.context.view_layer.objects.active


def refused(match: str, **settings) -> None:
    """Populate refuses with a sentence, and changes nothing."""
    bpy.context.view_layer.update()
    before = scene_dump()
    with pytest.raises(RuntimeError, match=match):
        bpy.ops.steering.populate(**settings)
    assert_same(before, scene_dump())


def members(crowd) -> list:
    """The members of a crowd by their numbers."""
    tagged = [ob for ob in bpy.context.scene.objects if ob.is_property_set("steering") and ob.steering.crowd == crowd]
    return sorted((ob for ob in tagged if ob.steering.member.number), key=lambda ob: ob.steering.member.number)


def locations(crowd) -> np.ndarray:
    return np.array([ob.location for ob in members(crowd)])


def forwards(crowd) -> np.ndarray:
    """Where the +Y side of the members points."""
    bpy.context.view_layer.update()
    return np.array([ob.matrix_world.col[1].xyz.normalized() for ob in members(crowd)])


def nearest(points: np.ndarray) -> float:
    gaps = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    return float(gaps[~np.eye(len(points), dtype=bool)].min())


def ground(size: float = 20.0, **placed):
    """A square to stand on."""
    mesh = bpy.data.meshes.new("Ground")
    half = size / 2.0
    mesh.from_pydata([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)], [], [(0, 1, 2, 3)])
    return put(link(bpy.data.objects.new("Ground", mesh)), **placed)


def cube(name: str = "Box", size: float = 4.0, **placed):
    mesh = bpy.data.meshes.new(name)
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata([tuple(0.5 * size * x for x in corner) for corner in corners], [], faces)
    return put(link(bpy.data.objects.new(name, mesh)), **placed)


def figure(name: str = "Figure"):
    """A character: an armature with a mesh that it deforms, and a hat on its bone."""
    armature = bpy.data.armatures.new(name)
    rig = link(bpy.data.objects.new(name, armature))
    select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.edit_bones.new("Spine")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 1.8)
    bpy.ops.object.mode_set(mode="OBJECT")
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


def test_selected_models_become_a_crowd_of_as_many_as_asked_for() -> None:
    ship = wedge()
    select(ship)
    before = stored_names(ship)
    crowd = populate(count=12)
    assert "CROWD" in crowd.steering.roles
    assert len(members(crowd)) == 12
    assert {ob.data for ob in members(crowd)} == {ship.data}
    assert len({ob.steering.identity for ob in members(crowd)}) == 12
    assert {ob.steering.crowd for ob in members(crowd)} == {crowd}
    assert stored_names(ship) == before == [], "a model is no vehicle"
    assert bpy.context.selected_objects == [crowd]


def test_members_live_in_a_collection_of_their_own() -> None:
    select(wedge())
    crowd = populate(count=3)
    homes = {collection for ob in members(crowd) for collection in ob.users_collection}
    assert [home.name for home in homes] == ["Crowd Members"]
    assert homes == {crowd.steering.populate.collection}
    assert crowd.name not in homes.pop().objects


def test_a_crowd_is_as_large_as_its_members_and_they_start_where_they_are() -> None:
    select(wedge(size=0.7))
    crowd = populate(count=4, random_scale=0.5)
    assert crowd.steering.vehicle.radius == pytest.approx(0.7)
    for ob in members(crowd):
        assert ob.steering.size_factor == pytest.approx(ob.scale.x, rel=1e-5)
        assert ob.steering.start.stored
        assert tuple(ob.steering.start.location) == tuple(ob.location)


def test_a_crowd_that_has_vehicles_keeps_its_size() -> None:
    large = vehicle(name="Large", size=2.0)
    crowd = large.steering.crowd
    small = wedge("Small", size=0.5)
    select(crowd, small)
    populate(count=2)
    assert crowd.steering.vehicle.radius == pytest.approx(2.0)
    assert [ob.steering.size_factor for ob in members(crowd)] == pytest.approx([0.25, 0.25])


def test_a_populated_crowd_bakes() -> None:
    frames(1, 10)
    select(wedge())
    crowd = populate(count=5)
    bake()
    assert all(is_baked(ob) for ob in members(crowd))


def test_a_new_crowd_lives_like_what_it_is_asked_to() -> None:
    frames(1, 30)
    select(ground(200.0), wedge())
    crowd = populate(moves_like="BIRD", count=12)
    assert crowd.name == "Birds"
    assert crowd.steering.separation.use
    assert len({round(ob.scale.x, 5) for ob in members(crowd)}) > 6, "they differ"
    before = [told(ob) for ob in members(crowd)]
    populate(moves_like="FISH", count=15)
    assert [told(ob) for ob in members(crowd)[:12]] == before
    bake()
    way = [np.linalg.norm(np.diff(places(ob, (1, 30)), axis=0)) for ob in members(crowd)]
    assert min(way) > 0.1


def test_a_bare_populate_leaves_a_crowd_that_moves() -> None:
    frames(1, 30)
    select(wedge())
    assert bpy.ops.steering.populate(count=5) == {"FINISHED"}
    bake()
    crowd = bpy.context.view_layer.objects.active
    assert min(np.linalg.norm(np.diff(places(ob, (1, 30)), axis=0)) for ob in members(crowd)) > 0.1


def test_people_need_no_more_room_than_people_do() -> None:
    tall = cube("Person", size=2.0, scale=(0.9, 0.15, 0.9))
    select(tall)
    crowd = populate(count=9)
    assert 0.5 < nearest(locations(crowd)) < 1.0, "their arms are spread in the model only"


def test_several_models_are_taken_as_often_as_they_weigh() -> None:
    select(wedge("Crow"), wedge("Gull"))
    crowd = populate(count=5, seed=3)
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


def populate_after(*models, **settings):
    select(*models)
    return populate(**{"count": 1, **settings})


def test_models_can_be_added_and_removed() -> None:
    crowd = populate_after(wedge("Crow"))
    select(crowd, wedge("Gull"))
    assert bpy.ops.steering.populate_add() == {"FINISHED"}
    assert [source.object.name for source in crowd.steering.populate.sources] == ["Crow", "Gull"]
    assert bpy.ops.steering.populate_remove(row=0) == {"FINISHED"}
    assert [source.object.name for source in crowd.steering.populate.sources] == ["Gull"]
    with pytest.raises(RuntimeError, match="Model 7 does not exist"):
        bpy.ops.steering.populate_remove(row=7)


def test_a_tagged_model_lends_its_looks_and_not_its_tags_nor_its_bake() -> None:
    frames(1, 10)
    ship = vehicle(identity=77)
    ship.steering.locked = False
    ship.steering.speed_factor = 2.0
    ship.steering.forward_axis = "NEG_Y"
    bake()
    select(ship)
    crowd = populate(count=3)
    assert crowd == ship.steering.crowd
    assert is_baked(ship)
    for ob in members(crowd):
        assert not is_baked(ob)
        assert ob.animation_data is None
        assert ob.steering.speed_factor == 1.0
        assert ob.steering.identity != 77
        assert ob.steering.forward_axis == "NEG_Y"


# ---- hierarchies


def test_a_character_is_copied_with_all_that_hangs_on_it() -> None:
    rig = figure()
    crowd = populate(count=4)
    family = part("blender.hierarchy").Family()
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


def test_what_a_model_brings_along_is_shared_or_its_own() -> None:
    ship, other = wedge("Ship 001"), empty("Beacon")
    ship["serial"] = 7
    ship.constraints.new("DAMPED_TRACK").target = other
    insert(ship, "scale", {1: (1, 1, 1), 20: (2, 2, 2)})
    crowd = populate_after(ship, count=3)
    assert [ob.name for ob in members(crowd)] == ["Ship 0001", "Ship 0002", "Ship 0003"]
    for ob in members(crowd):
        assert ob["serial"] == 7
        assert ob.constraints[0].target == other, "what is not a part of the model stays pointed at"
        assert ob.animation_data.action == ship.animation_data.action


def test_inputs_of_geometry_nodes_point_at_parts_of_the_copy() -> None:
    tree = bpy.data.node_groups.new("Tree", "GeometryNodeTree")
    socket = tree.interface.new_socket("Object", in_out="INPUT", socket_type="NodeSocketObject")
    ship, wing = wedge(), wedge("Wing")
    wing.parent = ship
    modifier = ship.modifiers.new("Nodes", "NODES")
    modifier.node_group = tree
    if hasattr(modifier, "properties"):
        getattr(modifier.properties.inputs, socket.identifier).value = wing
    else:
        modifier[socket.identifier] = wing
    crowd = populate_after(ship, count=3)
    for ob in members(crowd):
        (given,) = part("blender.crowds.populating.models")._inputs(ob.modifiers[0])
        assert given == (socket.identifier, ob.children[0])


def test_a_hidden_model_makes_members_that_are_seen() -> None:
    ship, wing = wedge(), wedge("Wing")
    wing.parent = ship
    select(ship)
    crowd = populate(count=1)
    ship.hide_viewport = ship.hide_render = wing.hide_viewport = wing.hide_render = True
    populate(count=4)
    for ob in members(crowd):
        for copy in (ob, *ob.children):
            assert not (copy.hide_viewport or copy.hide_render)


def test_models_may_be_in_a_collection_that_is_excluded() -> None:
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


def test_an_instance_of_a_collection_is_a_model() -> None:
    home = bpy.data.collections.new("Tree")
    home.objects.link(bpy.data.objects.new("Trunk", bpy.data.meshes.new("Trunk")))
    ob = empty("Tree Instance")
    ob.instance_type, ob.instance_collection = "COLLECTION", home
    crowd = populate_after(ob, count=3)
    assert {member.instance_collection for member in members(crowd)} == {home}


def test_a_model_without_a_size_is_one_too() -> None:
    crowd = populate_after(link(bpy.data.objects.new("Dot", bpy.data.meshes.new("Dot"))), count=4, distance=1.0)
    assert nearest(locations(crowd)) == pytest.approx(1.0)
    assert crowd.steering.vehicle.radius > 0.0


def test_a_model_may_hang_on_something_that_its_members_do_not() -> None:
    shelf, ship = empty("Shelf", location=(0.0, 0.0, 9.0), scale=(2.0, 2.0, 2.0)), wedge()
    ship.parent = shelf
    bpy.context.view_layer.update()
    crowd = populate_after(ship, count=3)
    assert {ob.parent for ob in members(crowd)} == {None}
    assert {tuple(round(x, 5) for x in ob.scale) for ob in members(crowd)} == {(2.0, 2.0, 2.0)}


def test_parts_stand_on_a_member_as_on_its_model() -> None:
    ship, wing = wedge(), wedge("Wing", size=0.1, location=(1.0, 2.0, 3.0), rotation=(0.1, 0.2, 0.3))
    ship.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    wing.parent = ship
    wing.matrix_parent_inverse = ship.matrix_world.inverted()
    bpy.context.view_layer.update()
    wanted = np.array(ship.matrix_world.inverted() @ wing.matrix_world)
    crowd = populate_after(ship, count=3, random_turn=1.0, random_scale=0.3)
    for ob in members(crowd):
        (own,) = ob.children
        assert np.allclose(np.array(ob.matrix_world.inverted() @ own.matrix_world), wanted, atol=1e-5)


def test_a_character_faces_the_way_the_crowd_does() -> None:
    figure()
    crowd = populate(count=3, random_turn=0.0)
    assert np.allclose(forwards(crowd), (0.0, -1.0, 0.0), atol=1e-6), "its front is -Y, and looks to +Y"
    crowd.rotation_euler.z = math.pi / 2.0
    bpy.context.view_layer.update()
    populate()
    assert np.allclose(forwards(crowd), (1.0, 0.0, 0.0), atol=1e-6)


def test_selected_parts_of_a_selected_model_are_no_models_of_their_own() -> None:
    rig = figure()
    select(rig, bpy.data.objects["Figure Body"])
    crowd = populate(count=2)
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


def test_library_overrides_are_copied_and_outlive_the_file(tmp_path: Path) -> None:
    figure()
    home = bpy.data.collections.new("Character")
    for ob in bpy.data.objects:
        bpy.context.scene.collection.objects.unlink(ob)
        home.objects.link(ob)
    bpy.context.scene.collection.children.link(home)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.collections = ["Character"]
    linked = bpy.data.collections["Character"]
    bpy.context.scene.collection.children.link(linked)
    bpy.context.view_layer.update()
    select(next(ob for ob in linked.objects if ob.type == "ARMATURE"))
    refused("Figure is linked and cannot be copied for each member: make a library override of it")
    bpy.context.scene.collection.children.unlink(linked)
    own = linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    rig = next(ob for ob in own.all_objects if ob.type == "ARMATURE")
    select(rig)
    crowd = populate(count=3, random_turn=1.0)
    where = locations(crowd)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    crowd = bpy.data.objects["Crowd"]
    assert (locations(crowd) == where).all()
    for ob in members(crowd):
        assert ob.data.library is not None, "its data is shared with the library"
        assert ob.override_library is None, "Blender may delete overrides that it does not know"
        body = next(child for child in ob.children if child.modifiers)
        assert body.modifiers[0].object == ob
    select(crowd)
    populate(count=5)
    assert (locations(crowd)[:3] == where).all()


# ---- where they stand


def test_on_a_surface_they_stand_on_it_without_overlapping() -> None:
    floor = ground(location=(0.0, 0.0, 3.0), rotation=(0.3, 0.0, 0.0))
    bpy.context.view_layer.update()
    select(floor, wedge(size=0.5))
    crowd = populate(count=60)
    assert crowd.steering.populate.arrangement == "SURFACE", "what is so much larger is what they stand on"
    assert crowd.steering.populate.place == floor
    local = np.array([floor.matrix_world.inverted() @ ob.location for ob in members(crowd)])
    assert np.allclose(local[:, 2], 0.0, atol=1e-4)
    assert abs(local[:, :2]).max() <= 10.0 + 1e-4
    assert nearest(locations(crowd)) >= 2.0 * 0.42, "as wide as they are: a little less than the sphere around them"
    assert not floor.is_property_set("steering")


def test_scattered_members_leave_the_model_its_room() -> None:
    ship = wedge(size=2.0, location=(3.0, 2.0, 0.0))
    select(ground(40.0), ship)
    crowd = populate(count=60)
    assert np.sqrt(((locations(crowd) - (3.0, 2.0, 0.0)) ** 2).sum(axis=1)).min() > 3.0


def test_as_many_as_find_room_are_made() -> None:
    select(ground(4.0), wedge(size=0.5))
    crowd = populate(count=500)
    assert 4 < len(members(crowd)) < 40
    assert crowd.steering.populate.count == 500


def test_with_the_slope_they_lean_as_far_as_asked() -> None:
    floor = ground(rotation=(math.pi / 4.0, 0.0, 0.0))
    bpy.context.view_layer.update()
    select(floor, wedge(size=0.3))
    crowd = populate(count=5, random_turn=math.pi)
    for align, up in ((0.0, (0.0, 0.0, 1.0)), (1.0, (0.0, -math.sqrt(0.5), math.sqrt(0.5)))):
        populate(lean=align)
        bpy.context.view_layer.update()
        for ob in members(crowd):
            assert tuple(ob.matrix_world.col[2].xyz.normalized()) == pytest.approx(up, abs=1e-4)


@pytest.mark.parametrize("shape", ["SPHERE", "BOX"])
def test_in_a_region_they_are_inside_it(shape: str) -> None:
    region = tag(empty("Sky", location=(5.0, 0.0, 8.0), scale=(6.0, 3.0, 3.0)), role="REGION")
    region.steering.region_shape = shape
    bpy.context.view_layer.update()
    select(region, wedge(size=0.2))
    crowd = populate(count=80)
    assert crowd.steering.populate.arrangement == "VOLUME"
    local = np.array([region.matrix_world.inverted() @ ob.location for ob in members(crowd)])
    assert len(local) == 80
    if shape == "SPHERE":
        assert np.sqrt((local**2).sum(axis=1)).max() <= 1.0 + 1e-4
    else:
        assert abs(local).max() <= 1.0 + 1e-4
        assert np.sqrt((local**2).sum(axis=1)).max() > 1.0
    assert nearest(locations(crowd)) >= 0.4 - 1e-4


def test_in_a_closed_mesh_they_are_inside_it_and_an_open_one_is_refused() -> None:
    box, ship = cube(size=6.0, location=(0.0, 0.0, 5.0), rotation=(0.5, 0.5, 0.0)), wedge(size=0.2)
    bpy.context.view_layer.update()
    crowd = populate_after(ship, arrangement="VOLUME", place="Box", count=40)
    local = np.array([box.matrix_world.inverted() @ ob.location for ob in members(crowd)])
    assert len(local) == 40
    assert abs(local).max() <= 3.0 + 1e-4
    ground()
    refused("Ground is not closed, so that it has no inside: close it, or tag it as a region", place="Ground")


def test_along_a_curve_they_stand_on_it_and_face_along_it() -> None:
    road = path_curve(points=((0, 0, 0), (40, 0, 0)))
    select(road, wedge(size=0.3))
    crowd = populate(count=20, random_turn=0.0)
    assert crowd.steering.populate.arrangement == "CURVE"
    assert np.allclose(np.diff(locations(crowd)[:, 0]), 2.0, atol=1e-4)
    assert np.allclose(forwards(crowd), (1.0, 0.0, 0.0), atol=1e-5)
    populate(evenly=False)
    assert np.ptp(np.diff(np.sort(locations(crowd)[:, 0]))) > 0.1
    assert nearest(locations(crowd)) >= 2.0 * 0.24


def test_in_formation_they_stand_about_the_crowd_and_face_as_it_does() -> None:
    crowd = populate_after(wedge(size=0.3), arrangement="WEDGE", count=7, distance=2.0, random_turn=0.0)
    crowd.location, crowd.rotation_euler.z = (10.0, 0.0, 4.0), -math.pi / 2.0
    bpy.context.view_layer.update()
    populate()
    where = locations(crowd)
    assert np.allclose(where[0], (10.0, 0.0, 4.0), atol=1e-5)
    assert (where[1:, 0] < 9.9).all(), "the others are behind, and it looks to +X"
    assert np.allclose(forwards(crowd), (1.0, 0.0, 0.0), atol=1e-5)
    assert nearest(where) >= 2.0 - 1e-4


def test_bodies_in_formation_never_overlap() -> None:
    crowd = populate_after(wedge(size=1.5), arrangement="GRID", count=30, distance=0.1, random_scale=0.5)
    assert nearest(locations(crowd)) > 2.0 * 1.5 * 0.75


def test_members_are_turned_and_sized_within_what_is_asked() -> None:
    crowd = populate_after(wedge(), count=50, random_turn=0.5, random_scale=0.3, seed=2)
    turns = np.array([ob.rotation_euler.z for ob in members(crowd)])
    scales = np.array([ob.scale.x for ob in members(crowd)])
    assert abs(turns).max() <= 0.5 + 1e-5
    assert np.ptp(turns) > 0.5
    assert 0.7 <= scales.min() < 0.85 < 1.15 < scales.max() <= 1.3


# ---- populating again


@pytest.fixture
def crowd():
    """Twenty members scattered on a ground."""
    select(ground(), wedge(size=0.3))
    return populate(count=20, random_scale=0.2)


def told(ob) -> tuple:
    return (ob.name, ob.steering.identity, tuple(ob.location), tuple(ob.rotation_euler), tuple(ob.scale))


def test_with_a_larger_count_those_who_are_there_stay_who_and_where_they_are(crowd) -> None:
    members(crowd)[3].steering.speed_factor = 1.7
    assert bpy.ops.steering.vary(speed=0.0, size=0.1) == {"FINISHED"}
    before = [told(ob) for ob in members(crowd)]
    crowd.steering.populate.count = 35
    populate()
    after = members(crowd)
    assert len(after) == 35
    assert [told(ob) for ob in after[:20]] == before
    assert after[3].steering.speed_factor == pytest.approx(1.7)
    assert nearest(locations(crowd)) > 0.4


def test_populating_twice_is_populating_once(crowd) -> None:
    populate()
    before = scene_dump()
    populate()
    assert_same(before, scene_dump())


def test_with_a_smaller_count_the_last_ones_go_and_come_back_as_who_they_were(crowd) -> None:
    before = [told(ob) for ob in members(crowd)]
    objects = len(bpy.data.objects)
    populate(count=8)
    assert [told(ob) for ob in members(crowd)] == before[:8]
    assert len(bpy.data.objects) == objects - 12
    populate(count=20)
    assert [told(ob) for ob in members(crowd)] == before


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


def test_deleted_members_come_back(crowd) -> None:
    before = [told(ob) for ob in members(crowd)]
    bpy.data.objects.remove(members(crowd)[6])
    populate()
    after = [told(ob) for ob in members(crowd)]
    assert [row[:2] for row in after] == [row[:2] for row in before]
    assert after[:6] == before[:6]


def test_with_other_places_those_who_are_there_stay_who_they_are(crowd) -> None:
    before = [(ob.name, ob.steering.identity) for ob in members(crowd)]
    where = locations(crowd)
    populate(seed=5)
    assert [(ob.name, ob.steering.identity) for ob in members(crowd)] == before
    assert not (locations(crowd) == where)[:, :2].any()
    populate(arrangement="GRID")
    assert [(ob.name, ob.steering.identity) for ob in members(crowd)] == before
    for ob in members(crowd):
        assert tuple(ob.steering.start.location) == tuple(ob.location)


def test_a_ground_that_moved_takes_its_members_along(crowd) -> None:
    bpy.data.objects["Ground"].location.z = 5.0
    bpy.context.view_layer.update()
    populate()
    assert np.allclose(locations(crowd)[:, 2], 5.0)


@pytest.mark.parametrize("work", ["lock", "move", "turn", "key", "parent", "burden"])
def test_who_was_worked_on_is_neither_moved_nor_lost(crowd, work: str) -> None:
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
    before = told(ob)
    populate(count=10, seed=9)
    assert told(ob) == before
    assert [member.steering.member.number for member in members(crowd)] == [*range(1, 11), 16]
    places_of_all = np.array([member.matrix_world.translation for member in members(crowd)])
    assert nearest(places_of_all) > 0.3


def test_a_baked_member_starts_elsewhere_with_its_next_bake(crowd) -> None:
    frames(1, 10)
    bake()
    populate(seed=3)
    assert all(is_baked(ob) for ob in members(crowd)), "it plays its keys until then"
    starts = np.array([ob.steering.start.location for ob in members(crowd)])
    bake()
    bpy.context.scene.frame_set(1)
    assert np.allclose([places(ob, [1])[0] for ob in members(crowd)], starts, atol=1e-4)


def test_a_preview_moves_nobody_and_takes_newcomers_in(crowd) -> None:
    frames(1, 20)
    before = [told(ob) for ob in members(crowd)]
    select(crowd)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    bpy.context.scene.frame_set(10)
    populate(count=30)
    bpy.context.scene.frame_set(12)
    assert [told(ob) for ob in members(crowd)[:20]] == before
    assert len(members(crowd)) == 30
    populate(count=5)
    bpy.context.scene.frame_set(14)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    assert [told(ob) for ob in members(crowd)] == before[:5]


def test_a_copy_of_a_member_is_the_animators(crowd) -> None:
    copy = members(crowd)[2].copy()
    crowd.steering.populate.collection.objects.link(copy)
    copy.name = "Zebra"
    before = [told(ob) for ob in members(crowd) if ob != copy]
    populate(count=20)
    assert [told(ob) for ob in members(crowd) if ob != copy] == before
    assert copy.name == "Zebra"


def test_a_copied_crowd_fills_a_collection_of_its_own(crowd) -> None:
    copy = crowd.copy()
    bpy.context.scene.collection.objects.link(copy)
    copy.name = "Second"
    select(copy)
    populate(count=5)
    assert copy.steering.populate.collection.name == "Second Members"
    assert len(members(copy)) == 5
    assert len(members(crowd)) == 20


def test_what_a_crowd_remembers_outlives_the_file(crowd, tmp_path: Path) -> None:
    before = [told(ob) for ob in members(crowd)]
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    crowd = bpy.data.objects["Crowd"]
    select(crowd)
    populate(count=25)
    assert [told(ob) for ob in members(crowd)[:20]] == before


def test_populating_is_one_step_back() -> None:
    select(ground(), wedge())
    bpy.ops.ed.undo_push(message="before")
    populate(count=9)
    bpy.ops.ed.undo_push(message="after")
    assert len(bpy.data.objects) == 12
    bpy.ops.ed.undo()
    assert len(bpy.data.objects) == 2


# ---- refusals


def test_a_crowd_without_models_is_refused() -> None:
    crowd = empty("Flock")
    tag(crowd, role="CROWD")
    refused("Flock has nothing to be filled with: select the models, or add some under Populate")


def test_an_arrangement_without_its_place_is_refused() -> None:
    select(wedge())
    refused("Nothing is no place for members to be put on: choose a mesh", arrangement="SURFACE")
    select(wedge())
    refused("Nothing is no place for members to be put along: choose a curve", arrangement="CURVE")


def test_the_wrong_place_is_refused_by_name() -> None:
    ship = wedge()
    ground()
    select(ship)
    refused("Ground is no place for members to be put along: choose a curve", arrangement="CURVE", place="Ground")
    refused(r"Moon not found in the scene\. Choose another place", arrangement="SURFACE", place="Moon")


def test_a_mesh_without_faces_is_refused() -> None:
    link(bpy.data.objects.new("Nothing There", bpy.data.meshes.new("Nothing")))
    select(wedge())
    refused("Nothing There has no faces: choose a mesh that has some", arrangement="SURFACE", place="Nothing There")


def test_a_curve_without_length_is_refused() -> None:
    path_curve("Dot", points=((1, 2, 3),))
    select(wedge())
    refused("Dot has no length to stand along", arrangement="CURVE", place="Dot")


def test_members_out_of_sight_are_refused(crowd) -> None:
    bpy.context.view_layer.layer_collection.children["Crowd Members"].exclude = True
    select(crowd)
    refused("Crowd Members, where the members live, is not in the view layer: tick it in the Outliner", count=30)


def test_without_anything_selected_the_button_says_why() -> None:
    wedge()
    select()
    assert not bpy.ops.steering.populate.poll()


def test_the_panel_lists_models_and_only_settings_that_mean_something(crowd) -> None:
    shown = part("blender.crowds.populating.arrangement").shown
    assert {"lean", "height", "place", "distance"} <= set(shown("SURFACE"))
    assert {"columns", "layers"} & set(shown("SURFACE")) == set()
    assert {"columns", "layers", "distance"} <= set(shown("GRID"))
    assert {"place", "distance"} & set(shown("ONE_PLACE")) == set()
    for choice in part("settings.population").ARRANGEMENTS:
        crowd.steering.populate.arrangement = choice.name
        drawn = [entry[1] for entry in everything_shown()["STEERING_PT_populate"] if entry[0] == "prop"]
        assert [name for name in drawn if name in shown(choice.name)] == shown(choice.name)


def test_models_stay_byte_for_byte_as_they_are() -> None:
    figure()
    floor = ground()
    select(floor, bpy.data.objects["Figure"])
    names = ["Figure", "Figure Body", "Figure Hat", "Ground"]
    before = {name: scene_dump(["objects"])["objects"][name] for name in names}
    populate(count=5)
    after = scene_dump(["objects"])["objects"]
    assert_same(before, {name: after[name] for name in names})


def test_many_members_have_all_their_room() -> None:
    select(ground(200.0), sphere(radius=0.5))
    crowd = populate(count=1000)
    assert len(members(crowd)) == 1000
    assert nearest(locations(crowd)) >= 1.0 - 1e-4


# ---- a stream of walkers


def stream(count: int = 6, **settings):
    """A crowd in one place at (0, 2, 0) whose vehicles go straight on to +Y."""
    frames(1, 80)
    bpy.context.scene.cursor.location = (0.0, 2.0, 0.0)
    select(wedge(size=0.3))
    return populate(count=count, arrangement="ONE_PLACE", random_turn=0.0, **settings)


def test_in_one_place_they_stand_where_the_crowd_is_and_come_in_one_after_another() -> None:
    crowd = stream()
    assert np.allclose(locations(crowd), (0.0, 2.0, 0.0))
    own = crowd.steering.attendance
    assert (own.use_enter_frame, own.enter_frame, own.enter_frame + own.enter_span) == (True, 2, 80)
    frames(1, 140)  # Who comes last may have to wait for room.
    bake()
    there = []
    for frame in range(1, 141):
        bpy.context.scene.frame_set(frame)
        seen = [ob for ob in members(crowd) if not ob.hide_viewport]
        there.append(len(seen))
        for ob in seen:
            assert all(other == ob or (other.location - ob.location).length > 0.4 for other in seen), frame
    assert there[0] == 0 and there[-1] == 6 and max(np.diff(there)) == 1


def test_when_they_enter_is_the_animators_to_say() -> None:
    crowd = stream()
    own = crowd.steering.attendance
    own.enter_frame, own.enter_span = 20, 30
    populate(count=9)
    assert (len(members(crowd)), own.use_enter_frame, own.enter_frame, own.enter_span) == (9, True, 20, 30)
    assert np.allclose(locations(crowd), (0.0, 2.0, 0.0))
    own.use_enter_frame = False
    populate(count=10)
    assert not own.use_enter_frame


def test_who_would_stand_in_one_another_is_told_of(capfd) -> None:
    crowd = stream()
    assert "enter one after another, from frame 2 to 80" in capfd.readouterr().out
    crowd.steering.attendance.use_enter_frame = False
    populate()
    assert "stand in one another: switch on Enter Later" in capfd.readouterr().out


def test_one_alone_needs_nobody_to_make_room() -> None:
    assert not stream(count=1).steering.attendance.use_enter_frame


def test_a_preset_for_passers_by_has_them_leave_at_the_end_of_the_path() -> None:
    tag(path_curve(points=[(0.0, 2.0, 0.0), (0.0, 6.0, 0.0)]), role="PATH")
    crowd = stream(count=3, moves_like="PERSON")
    select(crowd)
    assert bpy.ops.steering.preset_apply(preset="passers_by") == {"FINISHED"}
    own = crowd.steering.attendance
    assert own.use_enter_frame and own.on_arrival == "LEAVE"
    own.enter_span = 20
    bpy.context.scene.frame_end = 300
    bake()
    bpy.context.scene.frame_set(300)
    assert all(ob.hide_viewport for ob in members(crowd))
    assert all(ob.location.y > 5.0 for ob in members(crowd))
