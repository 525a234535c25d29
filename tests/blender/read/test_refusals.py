"""Refusals: a message names the object and the remedy, and nothing is changed."""

import math
import re
from collections.abc import Callable

import bpy
import pytest

from tests.blender.animated import curves, drive, insert, is_baked
from tests.blender.building import armature, empty, frames, from_library, part, path_curve, wedge
from tests.blender.dumping import assert_same, scene_dump
from tests.blender.seen import stored_names
from tests.blender.sharing import shared_out
from tests.blender.steered import bake, crowd, fleet, leader, obstacle, road, select, tag, vehicle
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


def alone_in(collection, ob) -> None:
    """Take an object out of the scene into a collection."""
    collection.objects.link(ob)
    bpy.context.scene.collection.objects.unlink(ob)


def excluded(ob) -> None:
    """Put an object into a collection that the view layer excludes."""
    away = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(away)
    alone_in(away, ob)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True


def let(ob, **settings):
    """The object with these settings of ours."""
    for name, value in settings.items():
        setattr(ob.steering, name, value)
    return ob


def without_points(name: str = "Nothing"):
    curve = path_curve(name)
    curve.data.splines.clear()
    return curve


def chosen(behavior: str, name: str, ob):
    """The object as a target of the flock."""
    setattr(getattr(flock().steering, behavior), name, ob)
    return ob


def on_foot(ship):
    """The ship, whose crowd stands on surfaces now."""
    ship.steering.crowd.steering.locomotion = "ON_FOOT"
    return ship


def unlinked(ob) -> None:
    bpy.context.scene.collection.objects.unlink(ob)


def no_longer_a_crowd(ship) -> None:
    select(flock())
    bpy.ops.steering.untag(role="CROWD")


def backwards(ship) -> None:
    run = bpy.context.scene.steering
    run.use_frame_range, run.frame_start, run.frame_end = True, 10, 5


def in_tweak_mode(ship) -> None:
    insert(ship, "scale", {1: (1.0, 1.0, 1.0)})
    track = ship.animation_data.nla_tracks.new()
    strip = track.strips.new("Strip", 1, bpy.data.actions.new("Spare"))
    track.select = strip.select = True
    ship.animation_data.use_tweak_mode = True


def a_point_nowhere(ship) -> None:
    bpy.data.objects["Road"].data.splines[0].points[1].co = (math.nan, 0.0, 0.0, 1.0)


NO_VEHICLES = r"The scene has no vehicles\. Select the objects that should move and tag them as vehicles\."
GONE = r"is no longer in the scene\. Choose another object\."
RESTORE = r"Restore Crowd brings it back, or move the vehicles to another crowd\."
SAME_AXIS = r"Forward and Up of Ship are the same axis\. Choose another Forward or Up\."
REFUSED: dict[str, tuple[Callable, str]] = {
    "no vehicle at all": (lambda ship: bpy.data.objects.remove(ship), NO_VEHICLES),
    "no vehicle in this scene": (lambda ship: alone_in(bpy.data.scenes.new("Other").collection, ship), NO_VEHICLES),
    "a vehicle in an excluded collection": (
        excluded,
        r"No view layer of the scene has its vehicles: Ship\. Enable their collections in the Outliner\.",
    ),
    "all vehicles locked": (
        lambda ship: let(ship, locked=True),
        r"All vehicles of the scene are locked\. Unlock the ones that should move\.",
    ),
    "a path that is not a curve": (
        lambda ship: let(wedge("Box"), roles={"PATH"}),
        r"Box is tagged as a path but is not a curve\. Remove the tag, or tag a curve\.",
    ),
    "a flow on which nothing is painted": (
        lambda ship: let(wedge("Box"), roles={"FLOW"}),
        r"The flow Box has no active color attribute and no edges without faces\. Paint one, draw edges, or "
        r"choose a Flow Attribute\.",
    ),
    "a flow that is neither curve nor mesh": (
        lambda ship: let(empty("Spot"), roles={"FLOW"}),
        r"Spot is tagged as a flow but is not a curve or mesh\. Remove the tag, or tag a curve\.",
    ),
    "a flow without points": (
        lambda ship: tag(without_points(), role="FLOW"),
        r"The flow Nothing has no points\. Draw it, or remove the tag\.",
    ),
    "a flow parented to a vehicle": (
        lambda ship: setattr(tag(path_curve("Current"), role="FLOW"), "parent", ship),
        r"The flow Current is parented to the vehicle Ship\. Clear the parent\.",
    ),
    "a vehicle that is a flow too": (
        lambda ship: let(ship, roles={"VEHICLE", "FLOW"}),
        r"Ship is both a vehicle and a flow\. Remove one of the tags\.",
    ),
    "a vehicle that is a surface too": (
        lambda ship: let(ship, roles={"VEHICLE", "SURFACE"}),
        r"Ship is both a vehicle and a surface\. Remove one of the tags\.",
    ),
    "a surface that cannot have faces": (
        lambda ship: on_foot(ship) and let(empty("Spot"), roles={"SURFACE"}),
        r"Spot is tagged as a surface but cannot have faces\..*",
    ),
    "a surface parented to a vehicle": (
        lambda ship: setattr(tag(wedge("Deck"), role="SURFACE"), "parent", on_foot(ship)),
        r"The surface Deck is parented to the vehicle Ship\. Clear the parent\.",
    ),
    "a vehicle that is a path too": (
        lambda ship: vehicle(bpy.data.objects["Road"]),
        r"Road is both a vehicle and a path\. Remove one of the tags\.",
    ),
    "a chosen path that is not a curve": (
        lambda ship: chosen("path_following", "path", wedge("Box")),
        r"Box, the Path of Follow Path in Flock, is not a curve\. Choose a curve\.",
    ),
    "a path without points": (
        lambda ship: tag(without_points(), role="PATH"),
        r"The path Nothing has no points\. Draw it, or remove the tag\.",
    ),
    "a chosen path without points": (
        lambda ship: chosen("path_following", "path", without_points()),
        r"The path Nothing has no points\. Draw it, or remove the tag\.",
    ),
    "a path on a vehicle": (
        lambda ship: setattr(bpy.data.objects["Road"], "parent", ship),
        r"The path Road is parented to the vehicle Ship\. Clear the parent\.",
    ),
    "a target removed from the scene": (
        lambda ship: unlinked(chosen("seek", "target", empty("Target"))),
        rf"Target, the Target of Go To in Flock, {GONE}",
    ),
    "a target in an excluded collection": (
        lambda ship: excluded(chosen("seek", "target", empty("Target"))),
        r"Target, the Target of Go To in Flock, is in no view layer of this scene\. Enable its collection in the "
        r"Outliner, or choose another object\.",
    ),
    "a path removed from the scene": (
        lambda ship: unlinked(chosen("path_following", "path", path_curve("Gone"))),
        rf"Gone, the Path of Follow Path in Flock, {GONE}",
    ),
    "a crowd removed from the file": (
        lambda ship: bpy.data.objects.remove(flock()),
        rf"Ship belongs to no crowd\. {RESTORE}",
    ),
    "a crowd removed from the scene": (
        lambda ship: unlinked(flock()),
        rf"The crowd Flock is not in this scene\. {RESTORE}",
    ),
    "a crowd that lost its role": (no_longer_a_crowd, rf"Flock is no longer tagged as a crowd\. {RESTORE}"),
    "top speed zero": (
        lambda ship: setattr(flock().steering.vehicle, "max_speed", 0.0),
        r"The Max Speed of Flock is 0, so its vehicles cannot move\. Set a speed\.",
    ),
    "a frame range that ends before it begins": (
        backwards,
        r"The frame range of Scene ends before it begins\. Set Start to 5 or less\.",
    ),
    "forward and up the same": (lambda ship: let(ship, forward_axis="POS_Y", up_axis="POS_Y"), SAME_AXIS),
    "forward and up opposite": (lambda ship: let(ship, forward_axis="NEG_Z", up_axis="POS_Z"), SAME_AXIS),
    "own keys": (
        lambda ship: insert(ship, "location", {5: (1.0, 2.0, 3.0)}),
        r"Ship has keys on location \(frame 5\) of its own\. Move or remove them, or turn on .*\.",
    ),
    "own keys of one of several": (
        lambda ship: insert(fleet(2)[1], "location", {5: (1.0, 2.0, 3.0)}),
        r"Ship 1 has keys on location .*",
    ),
    "an nla strip in tweak mode": (
        in_tweak_mode,
        r"Ship has an NLA strip in tweak mode\. Exit tweak mode first\.",
    ),
    "a path point with an invalid position": (
        a_point_nowhere,
        r"Road has an invalid transform on frame 1\. Check its keyframes and drivers\.",
    ),
    "a vehicle with an invalid transform": (
        lambda ship: setattr(ship, "location", (math.nan, 0.0, 0.0)),
        r"Ship has an invalid transform at the start\. Check its location and rotation\.",
    ),
}


@pytest.mark.parametrize(("change", "sentence"), REFUSED.values(), ids=REFUSED)
def test_it_is_refused_by_name_with_the_remedy_and_nothing_changes(ship, change: Callable, sentence: str) -> None:
    change(ship)
    assert_refused(sentence)


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
    linked = from_library(tmp_path, "objects", "Ship")
    bpy.context.scene.collection.objects.link(linked)
    assert_refused(r"Ship is linked and cannot be animated in this file\. Make a library override of it\.")


@pytest.mark.parametrize("linked", [True, False])
def test_vehicles_that_are_only_shown_by_an_instance(ship, linked, tmp_path) -> None:
    fleet = bpy.data.collections.new("Fleet")
    fleet.objects.link(ship)
    if linked:
        fleet.use_fake_user = True
        fleet = from_library(tmp_path, "collections", "Fleet")
    else:
        bpy.context.scene.collection.objects.unlink(ship)
    shown = empty("Ships")
    shown.instance_type, shown.instance_collection = "COLLECTION", fleet
    remedy = "Make a library override" if linked else "Use Make Instances Real"
    assert_refused(rf"Ships is an instance: the vehicles of Fleet do not move in it\. {remedy}\.")


def test_a_crowd_parented_to_a_vehicle_is_accepted(ship) -> None:
    flock().parent = ship
    bake()
    assert is_baked(ship)


@pytest.mark.parametrize(
    ("owner", "path", "index"),
    [
        *(("Flock", "steering.vehicle.mass", -1), ("Flock", "steering.wander.strength", -1)),
        *(("Ship", "steering.speed_factor", -1), ("Ball", "location", 0), ("Leader", "location", 1)),
        *(("Road", "location", 1), ("Mast", "location", 1)),
    ],
)
def test_an_animated_value_that_becomes_nan_during_the_run(ship, owner, path, index) -> None:
    ship.parent = empty("Mast")
    ob = bpy.data.objects[owner]
    if ob.animation_data:
        ob.animation_data_clear()
    nowhere_from(ob, path, index, frame=12)
    assert_refused(
        rf"{owner} has an invalid transform on frame 12\. Check its keyframes and drivers\."
        if path == "location"
        else rf"{re.escape(path)} of {owner} is not a number \(NaN\) on frame 12\. Check its driver\."
    )


def nowhere_from(ob, path: str, index: int, *, frame: int) -> None:
    """Animate a channel to be NaN from a frame on. Blender turns most such results of drivers into 0."""
    insert(ob, path, {1: 1.0, frame: 1.0}, index=index)
    for curve in curves(ob):
        if curve.data_path == path:
            curve.keyframe_points[0].interpolation = "CONSTANT"
            curve.keyframe_points[1].co[1] = math.nan


def test_a_driven_speed_of_zero_is_accepted(ship) -> None:
    drive(flock(), "steering.vehicle.max_speed", "max(frame - 10.0, 0.0)")
    bake()
    assert is_baked(ship)


def test_clearing_without_a_bake(ship) -> None:
    before = scene_dump()
    assert bpy.ops.steering.clear_bake() == {"CANCELLED"}
    assert_same(before, scene_dump())


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


def test_a_constraint_of_a_bone_counts_only_while_it_is_enabled(ship) -> None:
    rig = chosen("seek", "target", armature("Rig", Hand=((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))))
    constraint = rig.pose.bones["Hand"].constraints.new("COPY_LOCATION")
    constraint.target = ship
    with pytest.raises(RuntimeError, match=r"Rig depends on .* the constraint Copy Location of the bone Hand"):
        bake()
    constraint.mute = True
    bake()
