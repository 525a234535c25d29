"""Refusals: a message names the object and the remedy, and nothing is changed."""

import math
import re

import bpy
import pytest

from tests.blender.building import (
    assert_same,
    bake,
    crowd,
    curves,
    drive,
    empty,
    fleet,
    frames,
    insert,
    is_baked,
    leader,
    obstacle,
    part,
    path_curve,
    road,
    scene_dump,
    select,
    stored_names,
    tag,
    vehicle,
    wedge,
)
from tests.blender.sharing import shared_out
from tests.sampling import in_every_blender

TEMPORARY = ("Steering Bake in Progress", "Path Being Read")


@pytest.fixture
def ship():
    """A vehicle "Ship" of a crowd "Flock" that uses many behaviors, in a scene with everything that a run reads."""
    frames(1, 20)
    insert(leader(location=(4.0, 30.0, 2.0)), "location", {1: (4.0, 30.0, 2.0), 20: (0.0, 30.0, 2.0)})
    obstacle(location=(3.0, 8.0, 0.5))
    road()
    flock = crowd("Flock", wander={}, seek={}, obstacle_avoidance={}, path_following={})
    ob = vehicle(crowd=flock)
    frames(1, 20)
    return ob


def assert_refused(sentence: str, **settings) -> None:
    """The bake is refused with this message, and the file is unchanged."""
    bpy.context.view_layer.update()
    before = scene_dump()
    with pytest.raises(RuntimeError) as refused:
        bake(**settings)
    told = str(refused.value).removeprefix("Error: ").strip()
    assert re.fullmatch(sentence, told), told
    assert "\n" not in told
    assert_same(before, scene_dump())
    assert_nothing_left_behind()


def assert_nothing_left_behind() -> None:
    names = {block.name for blocks in (bpy.data.scenes, bpy.data.objects, bpy.data.curves) for block in blocks}
    assert not {name for name in names if name.startswith(TEMPORARY)}


def flock():
    return bpy.data.objects["Flock"]


def test_no_vehicle_at_all() -> None:
    wedge("Just A Thing")
    assert_refused(r"The scene has no vehicles\. Select the objects that should move and tag them as vehicles\.")


def test_no_vehicle_in_this_scene(ship) -> None:
    other = bpy.data.scenes.new("Other")
    other.collection.objects.link(ship)
    bpy.context.scene.collection.objects.unlink(ship)
    assert_refused(r"The scene has no vehicles\. .*")


def test_a_vehicle_in_an_excluded_collection_is_not_in_the_scene(ship) -> None:
    away = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(away)
    away.objects.link(ship)
    bpy.context.scene.collection.objects.unlink(ship)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True
    assert_refused(r"The scene has no vehicles\. .*")


def test_all_vehicles_locked(ship) -> None:
    ship.steering.locked = True
    assert_refused(r"All vehicles of the scene are locked\. Unlock the ones that should move\.")


def test_no_suitable_object_selected(ship) -> None:
    select(flock())
    sentence = r"None of the selected objects is a vehicle that can move\. Select vehicles that are not locked\."
    assert_refused(sentence, selected=True)
    select()
    assert_refused(sentence, selected=True)
    ship.steering.locked = True
    vehicle(name="Other")
    select(ship)
    assert_refused(sentence, selected=True)


def test_a_path_that_is_not_a_curve(ship) -> None:
    box = wedge("Box")
    box.steering.roles = {"PATH"}
    assert_refused(r"Box is tagged as a path but is not a curve\. Remove the tag, or tag a curve\.")


def test_a_flow_on_which_nothing_is_painted(ship) -> None:
    box = wedge("Box")
    box.steering.roles = {"FLOW"}
    assert_refused(
        r"The flow Box has no active color attribute and no edges without faces\. Paint one, draw edges, or "
        r"choose a Flow Attribute\."
    )


def test_a_flow_that_is_neither_curve_nor_mesh(ship) -> None:
    spot = empty("Spot")
    spot.steering.roles = {"FLOW"}
    assert_refused(r"Spot is tagged as a flow but is not a curve or mesh\. Remove the tag, or tag a curve\.")


def test_a_flow_without_points(ship) -> None:
    curve = tag(path_curve("Nothing"), role="FLOW")
    curve.data.splines.clear()
    assert_refused(r"The flow Nothing has no points\. Draw it, or remove the tag\.")


def test_a_flow_parented_to_a_vehicle(ship) -> None:
    curve = tag(path_curve("Current"), role="FLOW")
    curve.parent = ship
    assert_refused(r"The flow Current is parented to the vehicle Ship\. Clear the parent\.")


def test_a_vehicle_that_is_a_flow_too(ship) -> None:
    ship.steering.roles = {"VEHICLE", "FLOW"}
    assert_refused(r"Ship is both a vehicle and a flow\. Remove one of the tags\.")


def test_a_chosen_path_that_is_not_a_curve(ship) -> None:
    flock().steering.path_following.path = wedge("Box")
    assert_refused(r"Box, the Path of Follow Path in Flock, is not a curve\. Choose a curve\.")


@pytest.mark.parametrize("chosen", [False, True])
def test_a_path_without_points(ship, chosen) -> None:
    curve = path_curve("Nothing")
    curve.data.splines.clear()
    if chosen:
        flock().steering.path_following.path = curve
    else:
        tag(curve, role="PATH")
    assert_refused(r"The path Nothing has no points\. Draw it, or remove the tag\.")


def test_a_target_removed_from_the_scene(ship) -> None:
    target = empty("Target")
    flock().steering.seek.target = target
    bpy.context.scene.collection.objects.unlink(target)
    assert_refused(r"Target, the Target of Go To in Flock, is no longer in the scene\. Choose another object\.")


def test_a_target_in_an_excluded_collection(ship) -> None:
    target = empty("Target")
    away = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(away)
    away.objects.link(target)
    bpy.context.scene.collection.objects.unlink(target)
    flock().steering.seek.target = target
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True
    assert_refused(r"Target, the Target of Go To in Flock, is no longer in the scene\. Choose another object\.")


def test_a_path_removed_from_the_scene(ship) -> None:
    curve = path_curve("Gone")
    flock().steering.path_following.path = curve
    bpy.context.scene.collection.objects.unlink(curve)
    assert_refused(r"Gone, the Path of Follow Path in Flock, is no longer in the scene\. Choose another object\.")


def test_the_target_of_a_behavior_that_is_off_does_not_matter(ship) -> None:
    target = empty("Target")
    flock().steering.seek.target = target
    bpy.context.scene.collection.objects.unlink(target)
    flock().steering.seek.use = False
    bake()


def test_a_target_removed_from_the_file_counts_as_left_empty(ship) -> None:
    target = empty("Target", (0.0, -50.0, 0.0))
    flock().steering.seek.target = target
    bpy.data.objects.remove(target)
    bake()
    assert is_baked(ship)


def test_a_crowd_removed_from_the_file(ship) -> None:
    bpy.data.objects.remove(flock())
    assert_refused(r"Ship belongs to no crowd\. Restore Crowd brings it back, or move the vehicles to another crowd\.")


def test_a_crowd_removed_from_the_scene(ship) -> None:
    bpy.context.scene.collection.objects.unlink(flock())
    assert_refused(r"The crowd Flock is not in this scene\. Restore Crowd brings it back, or move .* crowd\.")


def test_a_crowd_that_lost_its_role(ship) -> None:
    tagged = flock()
    select(tagged)
    bpy.ops.steering.untag(role="CROWD")
    assert_refused(r"Flock is no longer tagged as a crowd\. Restore Crowd brings it back, or move .* crowd\.")


@pytest.mark.parametrize("lose", ["from the file", "from the scene", "the role"])
def test_tagging_again_repairs_a_vehicle_without_a_crowd(ship, lose) -> None:
    if lose == "from the file":
        bpy.data.objects.remove(flock())
    elif lose == "from the scene":
        bpy.context.scene.collection.objects.unlink(flock())
    else:
        flock().steering.roles = set()
    identity = ship.steering.identity
    tag(ship, role="VEHICLE")
    bake()
    assert is_baked(ship)
    assert identity > 0


def test_linked_vehicles(ship, tmp_path) -> None:
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Ship"]
    bpy.context.scene.collection.objects.link(bpy.data.objects["Ship"])
    assert_refused(r"Ship is linked and cannot be animated in this file\. Make a library override of it\.")


@pytest.mark.parametrize("linked", [True, False])
def test_vehicles_that_are_only_shown_by_an_instance(ship, linked, tmp_path) -> None:
    fleet = bpy.data.collections.new("Fleet")
    fleet.objects.link(ship)
    if linked:
        path = str(tmp_path / "fleet.blend")
        bpy.data.libraries.write(path, {fleet})
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        with bpy.data.libraries.load(path, link=True) as (_, wanted):
            wanted.collections = ["Fleet"]
        (fleet,) = wanted.collections
    else:
        bpy.context.scene.collection.objects.unlink(ship)
    shown = empty("Ships")
    shown.instance_type, shown.instance_collection = "COLLECTION", fleet
    remedy = "Make a library override" if linked else "Use Make Instances Real"
    assert_refused(rf"Ships is an instance: the vehicles of Fleet do not move in it\. {remedy}\.")


def test_top_speed_zero(ship) -> None:
    flock().steering.vehicle.max_speed = 0.0
    assert_refused(r"The Max Speed of Flock is 0, so its vehicles cannot move\. Set a speed\.")


def test_a_frame_range_that_ends_before_it_begins(ship) -> None:
    run = bpy.context.scene.steering
    run.use_frame_range, run.frame_start, run.frame_end = True, 10, 5
    assert_refused(r"The frame range of Scene ends before it begins\. Set Start to 5 or less\.")


@pytest.mark.parametrize(("forward", "up"), [("POS_Y", "POS_Y"), ("NEG_Z", "POS_Z"), ("POS_X", "NEG_X")])
def test_forward_and_up_on_the_same_axis(ship, forward, up) -> None:
    ship.steering.forward_axis, ship.steering.up_axis = forward, up
    assert_refused(r"Forward and Up of Ship are the same axis\. Choose another Forward or Up\.")


def test_a_vehicle_that_is_a_path_too() -> None:
    curve = road()
    vehicle(curve)
    assert_refused(r"Road is both a vehicle and a path\. Remove one of the tags\.")


def test_own_keys(ship) -> None:
    insert(ship, "location", {5: (1.0, 2.0, 3.0)})
    assert_refused(r"Ship has keys on location \(frame 5\) of its own\. Move or remove them, or turn on .*\.")


def test_a_path_on_a_vehicle(ship) -> None:
    bpy.data.objects["Road"].parent = ship
    assert_refused(r"The path Road is parented to the vehicle Ship\. Clear the parent\.")


def test_a_crowd_parented_to_a_vehicle_is_accepted(ship) -> None:
    flock().parent = ship
    bake()
    assert is_baked(ship)


def test_one_vehicle_that_cannot_move_stops_the_bake(ship) -> None:
    ships = [ship, *fleet(2)]
    insert(ships[2], "location", {5: (1.0, 2.0, 3.0)})
    assert_refused(r"Ship 1 has keys on location .*")


@pytest.mark.parametrize(
    ("owner", "path", "index", "sentence"),
    [
        (
            "Flock",
            "steering.vehicle.mass",
            -1,
            r"steering\.vehicle\.mass of Flock is not a number \(NaN\) on frame 12\. Check its driver\.",
        ),
        (
            "Flock",
            "steering.wander.strength",
            -1,
            r"steering\.wander\.strength of Flock is not a number \(NaN\) on frame 12\. Check its driver\.",
        ),
        (
            "Ship",
            "steering.speed_factor",
            -1,
            r"steering\.speed_factor of Ship is not a number \(NaN\) on frame 12\. Check its driver\.",
        ),
        ("Ball", "location", 0, r"Ball has an invalid transform on frame 12\. Check its keyframes and drivers\."),
        ("Leader", "location", 1, r"Leader has an invalid transform on frame 12\. Check its keyframes and drivers\."),
        ("Road", "location", 1, r"Road has an invalid transform on frame 12\. Check its keyframes and drivers\."),
        ("Mast", "location", 1, r"Mast has an invalid transform on frame 12\. Check its keyframes and drivers\."),
    ],
)
def test_an_animated_value_that_becomes_nan_during_the_run(ship, owner, path, index, sentence) -> None:
    ship.parent = empty("Mast")
    ob = bpy.data.objects[owner]
    if ob.animation_data:
        ob.animation_data_clear()
    nowhere_from(ob, path, index, frame=12)
    assert_refused(sentence)


def nowhere_from(ob, path: str, index: int, *, frame: int) -> None:
    """Animate a channel to be NaN from a frame on. Blender turns most such results of drivers into 0."""
    insert(ob, path, {1: 1.0, frame: 1.0}, index=index)
    for curve in curves(ob):
        if curve.data_path == path:
            curve.keyframe_points[0].interpolation = "CONSTANT"
            curve.keyframe_points[1].co[1] = math.nan


def test_a_path_point_with_an_invalid_position(ship) -> None:
    curve = bpy.data.objects["Road"].data
    curve.splines[0].points[1].co = (float("nan"), 0.0, 0.0, 1.0)
    assert_refused(r"Road has an invalid transform on frame 1\. Check its keyframes and drivers\.")


def test_a_vehicle_with_an_invalid_transform(ship) -> None:
    ship.location = (float("nan"), 0.0, 0.0)
    assert_refused(r"Ship has an invalid transform at the start\. Check its location and rotation\.")


def test_a_driven_speed_of_zero_is_accepted(ship) -> None:
    drive(flock(), "steering.vehicle.max_speed", "max(frame - 10.0, 0.0)")
    bake()
    assert is_baked(ship)


def test_clearing_without_a_bake(ship) -> None:
    before = scene_dump()
    assert bpy.ops.steering.clear_bake() == {"CANCELLED"}
    assert_same(before, scene_dump())


def test_an_nla_strip_in_tweak_mode(ship) -> None:
    insert(ship, "scale", {1: (1.0, 1.0, 1.0)})
    track = ship.animation_data.nla_tracks.new()
    strip = track.strips.new("Strip", 1, bpy.data.actions.new("Spare"))
    track.select = strip.select = True
    ship.animation_data.use_tweak_mode = True
    assert_refused(r"Ship has an NLA strip in tweak mode\. Exit tweak mode first\.")


def targets() -> list[tuple[str, str]]:
    """Each target of each behavior, as the names of the behavior and of the pointer."""
    return [
        (behavior.name, name)
        for behavior in part("behaviors").CATALOGUE
        for name, parameter in behavior.parameters().items()
        if parameter.kind in part("simulation.declaration").POINTERS
    ]


@in_every_blender(a_part=True)
def test_nothing_is_written_onto_an_untagged_object_that_a_behavior_points_at(ship) -> None:
    frames(1, 4)
    flock = ship.steering.crowd
    made = (empty("Bystander"), wedge("Nothing"), path_curve("Nowhere"))
    refused = 0
    for behavior, pointer in shared_out(targets()):
        group = getattr(flock.steering, behavior)
        used, group.use = group.use, True
        for ob in made:
            setattr(group, pointer, ob)
            bpy.context.view_layer.update()
            before = scene_dump()
            try:
                bake()
            except RuntimeError:
                refused += 1
                assert_same(before, scene_dump())
            else:
                bpy.ops.steering.clear_bake()
            assert not [each.name for each in made if stored_names(each)], (behavior, pointer, ob.name)
        setattr(group, pointer, None)
        group.use = used
    assert refused > 0
