"""Tagging gives objects roles, a crowd, a size, a start and an identity; untagging removes them."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert, is_baked, keys
from tests.blender.building import empty, frames, from_library, link, part, path_curve, sphere, wedge
from tests.blender.dumping import assert_same, refuses, scene_dump, stored
from tests.blender.seen import stored_names
from tests.blender.steered import bake, crowd, fleet, press, select, tag, vehicle
from tests.sampling import sampled

ROLES = ("VEHICLE", "OBSTACLE", "PATH", "LEADER", "CROWD", "FLOW", "RESOURCE")


def fitting(role: str):
    """A new object that can have the role."""
    return {"PATH": path_curve, "FLOW": path_curve, "CROWD": empty}.get(role, wedge)()


def untag(*objects, role: str) -> None:
    press("untag", *objects, role=role)


def test_an_object_can_have_several_roles_and_lose_one_of_them() -> None:
    ob = wedge()
    for role in ("VEHICLE", "OBSTACLE", "LEADER"):
        tag(ob, role=role)
    assert ob.steering.roles == {"VEHICLE", "OBSTACLE", "LEADER"}
    untag(ob, role="OBSTACLE")
    assert ob.steering.roles == {"VEHICLE", "LEADER"}


@pytest.mark.parametrize("role", [role for role in ROLES if role != "VEHICLE"])
def test_untagging_restores_the_file(role) -> None:
    ob = fitting(role)
    select(ob)
    before = scene_dump()
    tag(ob, role=role)
    assert ob.steering.roles == {role}
    assert stored_names(ob) == ["steering"]
    untag(ob, role=role)
    assert_same(before, scene_dump())


def test_untagging_restores_a_vehicle() -> None:
    ob = wedge(location=(1.0, 2.0, 3.0))
    crowd()
    select(ob)
    before = scene_dump()
    tag(ob, role="VEHICLE")
    assert ob.steering.roles == {"VEHICLE"}
    untag(ob, role="VEHICLE")
    assert_same(before["objects"]["Ship"], scene_dump()["objects"]["Ship"])
    assert_same(before["users"], scene_dump()["users"])


def test_untagging_a_baked_vehicle_keeps_its_keyframes_and_its_record_of_the_bake() -> None:
    frames(1, 10)
    ob = vehicle(location=(1.0, 2.0, 3.0), crowd=crowd(wander={}))
    bake()
    known = keys(ob)
    untag(ob, role="VEHICLE")
    assert keys(ob) == known
    bpy.context.scene.frame_set(5)
    assert bpy.ops.steering.clear_bake() == {"FINISHED"}
    assert tuple(ob.location) == (1.0, 2.0, 3.0)
    assert not is_baked(ob)
    assert stored_names(ob) == []


LIKENESSES = ("ANYTHING", "BIRD", "FISH", "ANIMAL", "PERSON", "CAR", "INSECT", "UNCHANGED")


def everyday_models() -> list:
    """Models as users have them: turned, scaled, with a modifier, keys, a constraint and parts; one is a rig."""
    models = [wedge(f"Model {k}", (2.0 * k, 0.3 * k, 0.1), rotation=(0.1 * k, 0.2, 0.3)) for k in range(4)]
    models[0].scale = (1.1, -0.7, 2.3)
    models[1].modifiers.new("Bevel", "BEVEL").width = 0.01
    insert(models[2], "scale", {1: (1.0, 1.0, 1.0), 20: (2.0, 2.0, 2.0)})
    models[3].constraints.new("LIMIT_SCALE").use_max_x = True
    sphere("Wheel", (0.2, 0.0, 0.0), radius=0.1).parent = models[3]
    skin = wedge("Skin")
    skin.parent = rig()
    skin.modifiers.new("Armature", "ARMATURE").object = skin.parent
    return [*models, skin.parent]


def without_steering(dump: dict) -> dict:
    """What a dump says of objects and their data, apart from the settings of this extension."""
    kinds = ("objects", "meshes", "curves", "armatures", "actions")
    return {
        kind: {
            name: {**{k: v for k, v in block.items() if k != "steering"}, "stored": set(block["stored"]) - {"steering"}}
            for name, block in dump[kind].items()
        }
        for kind in kinds
    }


@sampled
@pytest.mark.parametrize("new_crowd", [False, True])
@pytest.mark.parametrize("like", LIKENESSES)
def test_tagging_vehicles_changes_nothing_of_the_objects(like, new_crowd) -> None:
    assert_tagging_changes_no_object(everyday_models(), role="VEHICLE", moves_like=like, new_crowd=new_crowd)


def assert_tagging_changes_no_object(objects: list, **settings) -> None:
    """Tagging leaves every object, its matrices to the last bit, its data and its parts as they were."""
    select(*objects)
    everything = bpy.data.objects[:]

    def state() -> tuple:
        matrices = {ob.name: np.array((ob.matrix_world, ob.matrix_basis)).tobytes() for ob in everything}
        return matrices, without_steering(scene_dump())

    before = state()
    assert bpy.ops.steering.tag(**settings) == {"FINISHED"}
    bpy.context.view_layer.update()
    matrices, dump = state()
    assert matrices == before[0]
    for kind, known in before[1].items():
        assert_same(known, {name: block for name, block in dump[kind].items() if name in known})


def test_tagging_twice_changes_nothing() -> None:
    ob = vehicle(crowd=crowd())
    select(ob)
    ob.steering.size_factor = 3.0
    ob.location = (9.0, 9.0, 9.0)
    before = scene_dump()
    tag(ob, role="VEHICLE")
    assert_same(before, scene_dump())


def test_only_the_root_of_a_selected_model_becomes_a_vehicle() -> None:
    bird, wing, feather, other = wedge("Bird"), wedge("Wing"), wedge("Feather"), wedge("Other")
    wing.parent = bird
    feather.parent = wing
    tag(wing, bird, feather, other, role="VEHICLE")
    assert [ob.name for ob in (bird, wing, feather, other) if stored_names(ob)] == ["Bird", "Other"]


@pytest.mark.parametrize(
    ("role", "made", "sentence"),
    [
        ("PATH", wedge, r"Ship cannot be a path\. Select a curve, such as Add > Curve > Path\."),
        (
            "FLOW",
            empty,
            r"Empty cannot be a flow\. Select a curve, such as Add > Curve > Path, or a mesh that .* edges\.",
        ),
        ("CROWD", wedge, r"Ship cannot be a crowd\. Select an Empty, or use Add Crowd\."),
        ("VEHICLE", crowd, r"Crowd cannot be a vehicle\. Select the objects to move\."),
    ],
)
def test_an_object_that_cannot_have_the_role_is_refused_by_name_or_skipped_with_a_warning(
    role, made, sentence, capfd
) -> None:
    refuses("tag", sentence, made(), role=role)
    if role == "PATH":
        box, curve = wedge("Box"), path_curve()
        tag(box, curve, role="PATH")
        assert curve.steering.roles == {"PATH"}
        assert stored_names(box) == []
        assert "Skipped objects that cannot be a path: Box" in capfd.readouterr().out


def test_untagging_an_untagged_object_is_refused() -> None:
    refuses("untag", r"None of the selected objects is tagged as an obstacle\. Select tagged", wedge(), role="OBSTACLE")


@pytest.mark.parametrize("role", ["VEHICLE", "OBSTACLE", "LEADER"])
def test_linked_objects_are_refused_by_name(role, tmp_path) -> None:
    wedge("Linked")
    linked = link(from_library(tmp_path, "objects", "Linked"))
    bpy.context.view_layer.update()
    select(linked, wedge("Local"))
    refuses("tag", r"Linked is linked and cannot be edited\. Make a library override", role=role)


def test_tagging_the_first_vehicle_creates_a_crowd_that_later_ones_join() -> None:
    first = vehicle(name="One")
    assert first.steering.crowd.steering.roles == {"CROWD"}
    assert bpy.context.scene.steering.crowd == first.steering.crowd
    assert vehicle(name="Other").steering.crowd == first.steering.crowd
    assert (
        sum(part("blender.properties").has_role(ob, part("simulation.roles").Role.CROWD) for ob in bpy.data.objects)
        == 1
    )


@pytest.mark.parametrize("first", ["vehicle", "crowd"])
def test_new_vehicles_join_the_selected_crowd(first) -> None:
    crowd("Default")
    chosen = crowd("Chosen")
    ob = wedge()
    press("tag", *((ob, chosen) if first == "vehicle" else (chosen, ob)), role="VEHICLE")
    assert ob.steering.crowd == chosen


@pytest.mark.parametrize("lose", ["deleted", "removed from the scene", "untagged"])
def test_a_missing_default_crowd_is_created_again(lose) -> None:
    old = crowd("Old")
    if lose == "deleted":
        bpy.data.objects.remove(old)
    elif lose == "removed from the scene":
        bpy.context.scene.collection.objects.unlink(old)
    else:
        untag(old, role="CROWD")
    ob = vehicle()
    assert ob.steering.crowd.name != "Old"
    assert bpy.context.scene.steering.crowd == ob.steering.crowd


def test_each_scene_has_its_own_default_crowd() -> None:
    first = vehicle(name="One")
    bpy.context.window.scene = bpy.data.scenes.new("Second")
    second = vehicle(name="Other")
    assert second.steering.crowd != first.steering.crowd
    assert second.steering.crowd.name in bpy.context.scene.objects


def test_a_new_crowd_is_at_the_cursor_selected_and_active() -> None:
    bpy.context.scene.cursor.location = (1.0, 2.0, 3.0)
    ob = crowd()
    assert ob.type == "EMPTY"
    assert tuple(ob.location) == (1.0, 2.0, 3.0)
    assert bpy.context.selected_objects == [ob]
    assert bpy.context.view_layer.objects.active == ob


def test_behaviors_are_added_to_and_removed_from_the_crowd_of_the_active_vehicle() -> None:
    ob = vehicle()
    select(ob)
    before = stored(ob.steering.crowd.steering)
    for behavior in part("behaviors").CATALOGUE:
        assert bpy.ops.steering.behavior_add(behavior=behavior.name) == {"FINISHED"}
        assert getattr(ob.steering.crowd.steering, behavior.name).use
    for behavior in part("behaviors").CATALOGUE:
        assert bpy.ops.steering.behavior_remove(behavior=behavior.name) == {"FINISHED"}
    assert stored(ob.steering.crowd.steering) == before


def test_the_first_of_several_copies_by_name_keeps_the_identity_and_the_others_get_stable_ones() -> None:
    ob = vehicle(name="M", identity=77)
    for name in ("Z", "A", "K"):
        copy = ob.copy()
        copy.name = name
        bpy.context.scene.collection.objects.link(copy)
    distinct = part("blender.objects.identity").distinct_identities
    ships = [bpy.data.objects[name] for name in "MZAK"]
    identities = distinct(ships)
    assert identities["A"] == 77
    assert len(set(identities.values())) == 4
    assert distinct(reversed(ships)) == identities
    assert {ship.steering.identity for ship in ships} == {77}
    kept = distinct(ships, {bpy.data.objects["Z"]: 77})
    assert kept["Z"] == 77 and len(set(kept.values())) == 4


def test_what_is_both_vehicle_and_crowd_has_one_identity_before_it_is_stored_and_after() -> None:
    cow = vehicle(name="Cow", identity=77)
    leader = bpy.data.objects.new("Leader", None)
    bpy.context.scene.collection.objects.link(leader)
    tag(leader, role="VEHICLE")
    tag(leader, role="CROWD")
    cow.steering.crowd, leader.steering.identity = leader, 77

    def identities() -> tuple[list[int], list[int]]:
        plan = part("blender.read.plan").plan_reading(bpy.context.scene)
        (of_crowd,) = [crowd.identity for crowd in plan.crowds if crowd.ob == leader]
        of_vehicles = plan.vehicles.identity.tolist()
        assert of_vehicles[plan.vehicles.source.objects.index(leader)] == of_crowd != 77
        plan.vehicles.source.store(plan.vehicles.identity)
        return of_vehicles, [crowd.identity for crowd in plan.crowds]

    assert identities() == identities()


def test_size_factors_are_relative_to_the_radius_of_the_crowd() -> None:
    small, large = wedge("Small", size=0.5), wedge("Large", size=2.0)
    tag(small, large, role="VEHICLE")
    assert small.steering.crowd.steering.vehicle.radius == pytest.approx(2.0)
    assert small.steering.size_factor == pytest.approx(0.25)
    third = vehicle(name="Third", size=4.0)
    assert third.steering.size_factor == pytest.approx(2.0)


def test_children_and_scale_count_for_the_size_but_not_children_that_are_tagged() -> None:
    body = empty("Root", (5.0, 5.0, 5.0), scale=(2.0, 2.0, 2.0))
    body.empty_display_size = 0.1
    mesh, other = sphere("Body", (0.0, 3.0, 0.0), radius=1.0), sphere("Child", (0.0, 9.0, 0.0), radius=1.0)
    mesh.parent = other.parent = body
    tag(other, role="OBSTACLE")
    bpy.context.view_layer.update()
    assert vehicle(body).steering.crowd.steering.vehicle.radius == pytest.approx(8.0, rel=1e-3)


def test_an_object_without_a_size_leaves_the_radius_unchanged() -> None:
    mesh = bpy.data.meshes.new("Point")
    ob = link(bpy.data.objects.new("Point", mesh))
    assert vehicle(ob).steering.crowd.steering.vehicle.radius == pytest.approx(0.5)
    assert ob.steering.size_factor == 1.0


def rig():
    armature = bpy.data.armatures.new("Rig")
    ob = link(bpy.data.objects.new("Rig", armature))
    return ob


def test_characters_face_negative_y_and_a_wedge_faces_along_its_point() -> None:
    pointed = vehicle(name="Pointed")
    assert pointed.steering.forward_axis == "POS_Y"
    armature = vehicle(rig())
    assert armature.steering.forward_axis == "NEG_Y"
    root = empty("Root")
    rig().parent = root
    assert vehicle(root).steering.forward_axis == "NEG_Y"
    skin = wedge("Skin")
    skin.modifiers.new("Armature", "ARMATURE").object = rig()
    assert vehicle(skin).steering.forward_axis == "NEG_Y"


@pytest.mark.filterwarnings("error")
def test_a_flat_text_is_not_taken_for_a_cone() -> None:
    curve = bpy.data.curves.new("Title", "FONT")
    curve.body = "Title"
    title = link(bpy.data.objects.new("Title", curve))
    tag(title, role="VEHICLE", moves_like="BIRD")
    assert title.steering.forward_axis == "POS_X"


@pytest.mark.parametrize(
    ("scale", "axis"), [((1.5, 0.5, 0.5), "POS_X"), ((0.5, 1.5, 0.5), "NEG_Y"), ((2, 2, 2), "NEG_Y")]
)
def test_an_object_faces_along_its_length_as_it_is_scaled(scale: tuple[float, ...], axis: str) -> None:
    assert vehicle(sphere("Egg", scale=scale)).steering.forward_axis == axis


def test_a_forward_axis_set_by_the_user_is_kept() -> None:
    ob = vehicle()
    ob.steering.forward_axis = "POS_X"
    tag(ob, role="OBSTACLE")
    assert ob.steering.forward_axis == "POS_X"


@pytest.mark.parametrize(("axis", "flipped"), [("POS_X", "NEG_X"), ("NEG_Y", "POS_Y"), ("POS_Z", "NEG_Z")])
def test_flip_front_turns_the_front_of_all_selected_vehicles_or_of_a_crowd_and_moves_no_object(axis, flipped) -> None:
    ships = fleet(3)
    for ship in ships:
        ship.steering.forward_axis = axis
    select(*ships[:2])
    before = without_steering(scene_dump())
    assert bpy.ops.steering.flip_front() == {"FINISHED"}
    assert [ship.steering.forward_axis for ship in ships] == [flipped, flipped, axis]
    for kind, known in before.items():
        assert_same(known, without_steering(scene_dump())[kind])
    bpy.ops.steering.flip_front()
    assert {ship.steering.forward_axis for ship in ships} == {axis}
    press("flip_front", ships[0].steering.crowd)
    assert {ship.steering.forward_axis for ship in ships} == {flipped}


@pytest.mark.parametrize("mode", ["XYZ", "QUATERNION", "AXIS_ANGLE"])
def test_tagging_stores_the_local_channels_of_a_vehicle_as_its_start(mode) -> None:
    ob = wedge(location=(1.0, 2.0, 3.0))
    ob.rotation_mode = mode
    channel = part("blender.animation.rotation_channels").data_path(mode)
    setattr(ob, channel, (0.5, 0.5, 0.5, 0.5)[: len(getattr(ob, channel))])
    ob.parent = empty("Parent", (7.0, 7.0, 7.0))
    vehicle(ob)
    start = ob.steering.start
    assert start.stored
    assert tuple(start.location) == (1.0, 2.0, 3.0)
    assert start.rotation_mode == mode
    np.testing.assert_array_equal(start.rotation[: len(getattr(ob, channel))], getattr(ob, channel))


@pytest.mark.parametrize(
    "operator",
    [
        *("tag", "untag", "set_start", "flip_front", "behavior_add", "behavior_remove", "populate", "vary"),
        *("preset_apply", "crowd_assign"),
    ],
)
def test_operators_are_disabled_without_a_selection(operator) -> None:
    select()
    assert not getattr(bpy.ops.steering, operator).poll()
    with pytest.raises(RuntimeError, match=r"Select|Make a crowd or one of its vehicles the active object"):
        getattr(bpy.ops.steering, operator)()


@pytest.mark.parametrize("operator", ["tag", "untag", "crowd_add", "flip_front", "bake", "clear_bake"])
def test_operators_are_disabled_in_edit_mode_and_say_why(operator) -> None:
    ob = wedge()
    select(ob)
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Only available in Object Mode"):
        getattr(bpy.ops.steering, operator)()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.steering.tag.poll()


STEPS = {
    "tag": lambda: bpy.ops.steering.tag(role="VEHICLE", moves_like="BIRD"),
    "populate": lambda: bpy.ops.steering.populate(count=3),
    "add_herd": lambda: bpy.ops.steering.add_herd(count=4),
    "untag": lambda: bpy.ops.steering.untag(role="VEHICLE"),
    "crowd_add": lambda: bpy.ops.steering.crowd_add(),
    "set_start": lambda: bpy.ops.steering.set_start(),
    "flip_front": lambda: bpy.ops.steering.flip_front(),
    "behavior_add": lambda: bpy.ops.steering.behavior_add(behavior="seek"),
    "behavior_remove": lambda: bpy.ops.steering.behavior_remove(behavior="wander"),
    "preset_apply": lambda: bpy.ops.steering.preset_apply(preset="starling"),
    "vary": lambda: bpy.ops.steering.vary(),
    "crowd_assign": lambda: bpy.ops.steering.crowd_assign(),
    "crowd_select": lambda: bpy.ops.steering.crowd_select(),
    "bake": lambda: bpy.ops.steering.bake(),
    "clear_bake": lambda: bpy.ops.steering.clear_bake(),
}


@pytest.mark.parametrize("step", STEPS)
def test_every_operator_is_one_undo_step(step) -> None:
    frames(1, 5)
    if step in ("tag", "populate"):
        select(wedge())
    else:
        ships = fleet(2, crowd=crowd(wander={}))
        ships[0].steering.crowd.steering.portrayal.use = True
        if step == "clear_bake":
            bake()
        else:
            ships[0].location = (5.0, 5.0, 5.0)
        select(ships[0])
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Before")
    before = scene_dump()
    assert STEPS[step]() == {"FINISHED"}
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="After")
    after = scene_dump()
    assert before != after
    bpy.ops.ed.undo()
    assert_same(before, scene_dump())
    bpy.ops.ed.redo()
    assert_same(after, scene_dump())


def test_every_operator_registers_an_undo_step() -> None:
    for name in STEPS:
        assert {"REGISTER", "UNDO"} <= getattr(bpy.types, f"STEERING_OT_{name}").bl_options
