"""Clips in Blender: found, measured, written as strips with a bake, and removed with it."""

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.building import (
    at_frames,
    bake,
    clear_bake,
    crowd,
    empty,
    frames,
    from_library,
    keys,
    meshed,
    part,
    press,
    reopen,
    select,
    tag,
    vehicle,
    wedge,
)
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.walkers import CYCLE, SPEED, STRIDE, clip, found_walkers, idle, pose_of, stash, walk, walker, walkers
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


def ours(rig) -> list:
    tracks = rig.animation_data.nla_tracks if rig.animation_data else ()
    return [track for track in tracks if track.name.startswith("Steering: ")]


def played(rig) -> np.ndarray:
    """The times that the strip of the walk has on each frame."""
    curve = ours(rig)[1].strips[0].fcurves.find("strip_time")
    return np.array([curve.evaluate(frame) for frame in range(1, 41)])


def times(rig) -> dict[str, list]:
    """The keys of the time of each strip of ours that plays a clip, by track."""
    curves = {track.name: track.strips[0].fcurves.find("strip_time") for track in ours(rig)}
    return {name: [tuple(key.co) for key in curve.keyframe_points] for name, curve in curves.items() if curve}


def without_settings(dump: dict) -> dict:
    """A dump without the settings that a bake stores, such as identities and starts."""
    objects = {
        name: {key: value for key, value in block.items() if key not in ("steering", "stored")}
        for name, block in dump["objects"].items()
    }
    return {**dump, "objects": objects}


def test_clips_are_found_and_measured():
    people, _ = found_walkers()
    stand, move = people.steering.portrayal.clips
    assert (stand.action.name, stand.plays) == ("Idle", "STAND")
    assert (move.action.name, move.plays) == ("Walk", "MOVE")
    assert move.speed == pytest.approx(SPEED, rel=0.05)
    assert move.stride == pytest.approx(STRIDE, rel=0.05)
    assert move.own_slide < 0.03
    assert abs(move.heading) < 0.1


def test_populate_gives_a_new_crowd_the_clips_that_its_model_brings_along():
    frames(1, 10)
    rig = walker("Model")
    stash(rig, idle(rig), walk(rig))
    people = press("populate", rig, count=3, moves_like="PERSON")
    assert [(clip.action.name, clip.plays) for clip in people.steering.portrayal.clips] == [
        ("Idle", "STAND"),
        ("Walk", "MOVE"),
    ]
    model = people.steering.vehicle
    walk_speed = people.steering.portrayal.clips[1].speed
    assert model.max_speed * model.cruise_speed == pytest.approx(walk_speed, rel=1e-3)
    members = [ob for ob in bpy.data.objects if ob.type == "ARMATURE" and ob != rig]
    assert [ob.steering.start_speed for ob in members] == pytest.approx(3 * [model.cruise_speed], rel=1e-3)
    bake()
    assert all(len(ours(ob)) == 2 for ob in members)


def test_fitting_the_speed_leaves_a_start_speed_that_was_set():
    people, rigs = found_walkers(2)
    people.steering.vehicle.max_speed, people.steering.vehicle.cruise_speed = 5.0 * SPEED, 1.0
    rigs[0].steering.start_speed, rigs[1].steering.start_speed = 0.5, 0.7
    assert bpy.ops.steering.clips_find(fit_speed=True) == {"FINISHED"}
    assert people.steering.vehicle.max_speed == pytest.approx(1.3 * SPEED, rel=0.05)
    assert rigs[0].steering.start_speed == pytest.approx(0.5)
    assert rigs[1].steering.start_speed == pytest.approx(0.7), "No faster than at cruise speed."


def test_a_crowd_between_its_walk_and_its_run_is_not_told_to_fit_its_speed(capfd):
    people, (rig,) = walkers(1)
    vehicle = people.steering.vehicle
    vehicle.max_speed, vehicle.cruise_speed = 2.0 * SPEED, 1.0
    bpy.ops.steering.clips_find()
    assert "its clips are made for" in capfd.readouterr().out
    stash(rig, walk(rig, "Run", cycle=CYCLE / 3))
    bpy.ops.steering.clips_find()
    assert [clip.action.name for clip in people.steering.portrayal.clips] == ["Idle", "Walk", "Run"]
    assert "made for" not in capfd.readouterr().out


@pytest.mark.parametrize(("below", "origin_height"), [(0.03, 0.03), (0.005, 0.0), (-0.03, 0.0)])
def test_a_model_stands_on_the_soles_of_its_walk(below: float, origin_height: float):
    _, rigs = walkers()
    skin = rigs[0].children[0]
    for point in skin.data.vertices:
        point.co.z -= below
    rigs[0].scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    bpy.ops.steering.clips_find()
    assert rigs[0].steering.origin_height == pytest.approx(origin_height, abs=2e-3)


def test_populate_leaves_clips_alone_where_that_is_asked_or_says_what_a_bake_would_refuse(capfd):
    rig = walker("Model")
    stash(rig, idle(rig), walk(rig))
    press("populate", rig, count=2, moves_like="PERSON", find_clips=False)
    assert not bpy.context.object.steering.portrayal.clips
    rig.animation_data.nla_tracks[0].is_solo = True
    select(rig)
    capfd.readouterr()
    assert bpy.ops.steering.populate(count=2, moves_like="PERSON") == {"FINISHED"}
    assert not bpy.context.object.steering.portrayal.clips
    said = capfd.readouterr().out
    assert "plays no clips. Model 0001" in said and "has the NLA track Idle on solo" in said


def assigned(rig):
    """A walk that is the action of the rig, and on no track."""
    rig.animation_data_create()
    part("blender.animation.animation_data").assign_action(rig, walk(rig, "Layer0"))


def stashed(*made: tuple[Callable, str]) -> Callable:
    return lambda rig: stash(rig, *(make(rig, name) for make, name in made))


GESTURES = [(idle, f"Gesture {number}") for number in range(7)]
BROUGHT = {
    "idle and walk": (stashed((idle, "Idle"), (walk, "Walk")), ["Idle", "Walk"], "it plays Idle, Walk"),
    "few actions": (stashed((walk, "Take 1")), ["Take 1"], "it plays Take 1"),
    "its own action": (assigned, ["Layer0"], "it plays Layer0"),
    "none that moves": (
        stashed((idle, "Idle")),
        [],
        "no action of Model walks, runs or flies. Use Add Clip for others",
    ),
    "many without a name": (
        stashed((idle, "Idle"), (walk, "Take 1"), *GESTURES),
        [],
        "no action of Model walks, runs or flies and is named so. Find Clips looks at all",
    ),
}


@pytest.mark.parametrize("case", BROUGHT)
def test_a_tagged_model_plays_what_it_brings_and_stays_as_it_is_or_is_told_why(case: str, capfd):
    bring, names, told = BROUGHT[case]
    rig = walker("Model")
    bring(rig)
    select(rig)
    before, tracks = rig.matrix_world.copy(), len(rig.animation_data.nla_tracks)
    assert bpy.ops.steering.tag(moves_like="PERSON") == {"FINISHED"}
    people = rig.steering.crowd
    assert [clip.action.name for clip in people.steering.portrayal.clips] == names
    assert told in capfd.readouterr().out
    assert rig.matrix_world == before and len(rig.animation_data.nla_tracks) == tracks
    model = people.steering.vehicle
    assert not names or model.cruise_speed * model.max_speed == pytest.approx(SPEED, rel=0.03)
    press("clips_find", people)
    assert len(people.steering.portrayal.clips) == max(len(names), 2 if case == "many without a name" else 1)


def test_clips_are_left_alone_where_that_is_asked_and_in_crowds_that_have_settings():
    rig = walker("Model")
    stash(rig, idle(rig), walk(rig))
    press("tag", rig, moves_like="PERSON", find_clips=False)
    people = rig.steering.crowd
    assert not people.steering.portrayal.clips
    press("tag", walker("Second"), people)
    assert not people.steering.portrayal.clips


def test_an_instance_of_a_rigged_model_is_told_how_to_play_clips(capfd):
    rig = walker("Model")
    hero = bpy.data.collections.new("Hero")
    hero.objects.link(rig)
    ob = empty("Hero")
    ob.instance_type, ob.instance_collection = "COLLECTION", hero
    press("tag", ob, moves_like="PERSON")
    told = "Hero shows Model as an instance, which plays no clips. Tag Model itself"
    assert told in capfd.readouterr().out
    refuses("clips_find", told, ob.steering.crowd)


def test_a_model_imported_after_another_one_stands_in_all_its_ways():
    people, [rig] = walkers(stashed=False)
    bpy.data.batch_remove(list(bpy.data.actions))
    idles = [idle(rig, f"Armature|{name}.001") for name in ("Idle", "Idle_2", "Eating")]
    stash(rig, *idles, walk(rig, "Armature|Walk.001"))
    for _ in range(2):
        assert bpy.ops.steering.clips_find() == {"FINISHED"}
        names = [clip.action.name for clip in people.steering.portrayal.clips]
        assert names == [f"Armature|{name}.001" for name in ("Idle", "Eating", "Idle_2", "Walk")]


def test_a_bake_writes_strips_below_the_animators_that_keep_step():
    people, [rig] = found_walkers()
    layer = rig.animation_data.nla_tracks.new()
    layer.name = "Layer"
    layer.strips.new("Nod", 5, clip(rig, "Nod", {("Body", "scale", 0): [(0.0, 1.0), (10.0, 1.1)]}))
    bake()
    names = [track.name for track in rig.animation_data.nla_tracks if not track.mute]
    assert names == ["Steering: Idle", "Steering: Walk", "Layer"]
    strip = ours(rig)[1].strips[0]
    assert (strip.frame_start, strip.frame_end) == (1.0, 40.0)
    assert (strip.extrapolation, strip.blend_type) == ("HOLD", "REPLACE")
    time = strip.fcurves.find("strip_time").evaluate
    gone = np.array([bpy.context.scene.frame_set(frame) or rig.matrix_world.translation.y for frame in (20, 40)])
    cycles = (time(40) - time(20)) / CYCLE
    assert cycles == pytest.approx(abs(np.diff(gone)[0]) / STRIDE, rel=0.1)
    assert people.steering.portrayal.clips[1].action.name == "Walk"


def assert_plays_the_walk_itself(rig) -> None:
    """Check that the pose is that of the walk at the phase keyed, on frames and between."""
    curve = ours(rig)[1].strips[0].fcurves.find("strip_time")
    assert min(ours(rig)[1].strips[0].fcurves.find("influence").evaluate(f) for f in (20.0, 30.5)) > 0.8
    for track in ours(rig)[:1]:
        rig.animation_data.nla_tracks.remove(track)
    strip = ours(rig)[0].strips[0]
    strip.use_animated_influence = False
    strip.influence = 1.0
    plain = walker("Plain")
    plain.animation_data_create()
    part("blender.animation.animation_data").assign_action(
        plain,
        bpy.data.actions["Walk"],
        part("blender.animation.animation_data").slot_for(bpy.data.actions["Walk"], plain),
    )
    for frame in (20.0, 25.25, 30.5):
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        played = pose_of(rig)
        at = 1.0 + curve.evaluate(frame) % CYCLE
        bpy.context.scene.frame_set(int(at), subframe=at - int(at))
        np.testing.assert_allclose(played, pose_of(plain), atol=2e-6)


@pytest.mark.parametrize("dense", [False, True], ids=["few keys", "keys on all frames"])
def test_what_is_played_is_the_clip_itself_between_frames_too(dense: bool):
    """This clip does not begin on frame 0."""
    channelbags = part("blender.animation.animation_data").channelbags
    _, [rig] = found_walkers()
    for curve in channelbags(bpy.data.actions["Walk"])[0].fcurves if dense else ():
        values = {frame: curve.evaluate(frame) for frame in range(1, 2 + CYCLE)}
        for frame, value in values.items():
            curve.keyframe_points.insert(frame, value).interpolation = "LINEAR"
    bake()
    [copy] = channelbags(ours(rig)[1].strips[0].action)
    samples = {len(curve.sampled_points) for curve in copy.fcurves if "Foot" in curve.data_path}
    assert samples == {(CYCLE + 1) * dense}
    assert_plays_the_walk_itself(rig)


def test_deleting_a_bake_removes_strips_and_copies_and_nothing_else():
    _, rigs = found_walkers(2)
    rigs[0].pose.bones["Body"].location.x = 0.25
    bpy.context.view_layer.update()
    before = scene_dump()
    bake()
    assert len({strip.action for rig in rigs for track in ours(rig) for strip in track.strips}) == 2
    clear_bake()
    assert_same(without_settings(before), without_settings(scene_dump()))


def test_the_copy_of_a_clip_keys_once_what_does_not_move():
    _, [rig] = found_walkers()
    channelbags = part("blender.animation.animation_data").channelbags
    [bag] = channelbags(bpy.data.actions["Idle"])
    aside = bag.fcurves.new('pose.bones["Body"].location', index=0)
    for frame in (1.0, 25.0, 49.0):
        aside.keyframe_points.insert(frame, 0.1)
    bake()
    [copy] = channelbags(ours(rig)[0].strips[0].action)
    curves = {curve.array_index: curve for curve in copy.fcurves if "Body" in curve.data_path}
    assert [tuple(key.co) for key in curves[0].keyframe_points] == [(0.0, pytest.approx(0.1))]
    assert len(curves[1].keyframe_points) == 3


def test_a_clip_with_a_ground_speed_plays_slower():
    people, [rig] = found_walkers()
    bake()
    time = played(rig)
    people.steering.portrayal.clips[1].ground_speed = 2.0 * SPEED
    bake()
    slower = played(rig)
    assert slower[-1] - slower[10] < 0.85 * (time[-1] - time[10])


def floor_below() -> None:
    """A level floor below all, to stand on."""
    tag(meshed("Floor", [(x, y, 0.0) for x in (-50.0, 50.0) for y in (-50.0, 50.0)], [(0, 1, 3, 2)]), role="SURFACE")


def test_vehicles_whose_feet_slide_are_selected_with_the_worst_named():
    people, rigs = found_walkers(3)
    bpy.ops.steering.bake()
    slides_of = part("blender.status.sliding").slides_of
    before = {each.vehicle: each.metres for each in slides_of(rigs, bpy.context.scene)}
    assert set(before) == set(rigs) and max(before.values()) < 0.05
    # It walks faster than its feet: each stance slides by the same share of a stance.
    strip_time = ours(rigs[1])[-1].strips[0].fcurves.find("strip_time")
    for key in strip_time.keyframe_points:
        key.co.y *= 0.5
    press("select_sliding", people, distance=0.1)
    assert bpy.context.selected_objects == [rigs[1]]
    after = {each.vehicle: each.metres for each in slides_of(rigs, bpy.context.scene)}
    # A stance takes twice its time: half of the way, which is a stride, is not covered by the step.
    assert 0.45 * STRIDE < after.pop(rigs[1]) < 0.6 * STRIDE
    assert all(after[rig] == before[rig] for rig in after)
    floor_below()
    on_floor = {each.vehicle: each.metres for each in slides_of(rigs, bpy.context.scene)}
    assert on_floor == pytest.approx(before | {rigs[1]: on_floor[rigs[1]]}, abs=1e-4)
    assert on_floor[rigs[1]] > 0.45 * STRIDE
    [told] = part("blender.operators.findings").sliding_warnings(slides_of(rigs, bpy.context.scene))
    assert told.startswith(f"{rigs[1].name} slides on") and f"{100.0 * on_floor[rigs[1]]:.0f} cm from frame" in told
    clear_bake(people)
    refuses("select_sliding", "No vehicle of People plays clips")


def test_changed_clips_put_a_bake_out_of_date_until_the_next_bake():
    people, [ob] = found_walkers()
    count = part("blender.status.census").count

    def outdated():
        state = count(bpy.context.scene).bake
        assert not state.outdated, "Nothing that the run is made from has changed."
        return state.clips

    bpy.ops.steering.bake()
    portrayal = people.steering.portrayal
    assert outdated() == ()
    # Drawing the panel makes the group, with its defaults.
    assert portrayal.playing.fade and outdated() == ()
    portrayal.playing.fade = 0.5
    assert outdated() == (people.name,)
    bpy.ops.steering.bake()
    assert outdated() == ()
    clip = next(clip for clip in portrayal.clips if clip.plays == "MOVE")
    clip.ground_speed = 1.1
    assert outdated() == (people.name,)
    clip.ground_speed = 0.0
    assert outdated() == ()
    [bag] = part("blender.animation.animation_data").channelbags(clip.action)
    key = bag.fcurves[0].keyframe_points[1]
    key.co.y += 0.1
    assert outdated() == (people.name,)
    bpy.ops.steering.bake()
    assert outdated() == ()
    bpy.ops.steering.clip_remove(row=0)
    assert outdated() == (people.name,)
    bpy.ops.steering.bake()
    assert outdated() == ()
    ob.steering.locked = True
    portrayal.playing.fade = 0.3
    assert count(bpy.context.scene).bake.clips == (), "A locked vehicle keeps its strips."


def test_an_action_that_poses_the_model_is_refused_by_name_and_set_aside_on_request():
    _, [rig] = found_walkers(stashed=False)
    data = part("blender.animation.animation_data")
    wave = clip(rig, "Wave", {(bone, "location", k): [(1.0, 0.0), (9.0, 0.1)] for bone in ("Body", "Foot.L", "Foot.R")
                              for k in range(3)})  # fmt: skip
    data.assign_action(rig, wave, data.slot_for(wave, rig))
    before = scene_dump()
    refuses("bake", r"Walker 0 plays Wave, which poses its bones.*Replace Own Keys")
    assert_same(without_settings(before), without_settings(scene_dump()))
    bake(replace_own_keys=True)
    assert rig.animation_data.action != wave
    assert len(ours(rig)) == 2
    clear_bake()
    assert rig.animation_data.action == wave
    assert_same(without_settings(before), without_settings(scene_dump()))


def test_a_rig_below_its_vehicle_gets_strips_and_its_action_back():
    people, [rig] = walkers()
    carrier = empty("Carrier")
    press("untag", rig, role="VEHICLE")
    rig.parent = carrier
    vehicle(carrier, crowd=people, identity=77, start_speed=1.0)
    carrier.steering.forward_axis = "NEG_Y"
    data = part("blender.animation.animation_data")
    action = bpy.data.actions["Walk"]
    data.assign_action(rig, action, data.slot_for(action, rig))
    press("clips_find", people)
    before = scene_dump()
    bake()
    assert rig.animation_data.action is None
    assert [track.name for track in ours(rig)] == ["Steering: Idle", "Steering: Walk"]
    clear_bake()
    assert_same(without_settings(before), without_settings(scene_dump()))


def test_an_edited_strip_stays_and_is_named():
    _, [rig] = found_walkers()
    bake()
    strip = ours(rig)[1].strips[0]
    strip.fcurves.find("influence").keyframe_points[0].type = "KEYFRAME"
    bake()
    assert sorted(track.name for track in ours(rig)) == ["Steering: Idle", "Steering: Walk"]
    clear_bake()
    assert [track.name for track in ours(rig)] == ["Steering: Walk"]
    assert "steering_clips" not in rig


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda rig: setattr(rig.animation_data.nla_tracks[0], "is_solo", True), "on solo"),
        (lambda rig: setattr(rig.animation_data, "use_nla", False), "switched off"),
    ],
    ids=["solo", "nla off"],
)
def test_what_keeps_strips_from_playing_is_refused(spoil, message):
    _, [rig] = found_walkers()
    spoil(rig)
    refuses("bake", message)
    assert not ours(rig)


def test_a_crowd_whose_models_have_no_armature_is_refused():
    people, [rig] = found_walkers()
    press("untag", rig, role="VEHICLE")
    ship = vehicle(name="Ship", crowd=people)
    refuses("bake", "Ship has no armature or shape keys to play the clips of People")
    refuses("clips_find", "Ship has no armature", people)
    assert ship.animation_data is None


def test_clips_are_added_and_removed_by_hand():
    people, _ = walkers()
    assert bpy.ops.steering.clip_add(action="Walk") == {"FINISHED"}
    [entry] = people.steering.portrayal.clips
    assert entry.plays == "MOVE"
    assert entry.speed == pytest.approx(SPEED, rel=0.05)
    refuses("clip_add", "already a clip", action="Walk")
    refuses("clip_add", "No action is named Fly", action="Fly")
    assert bpy.ops.steering.clip_remove(row=0) == {"FINISHED"}
    assert not people.steering.portrayal.clips
    assert bpy.data.actions["Walk"]


def test_a_locked_vehicle_keeps_its_strips():
    _, [rig, other] = found_walkers(2)
    bake()
    rig.steering.locked = True
    before = [track.name for track in ours(rig)]
    clear_bake()
    assert [track.name for track in ours(rig)] == before
    assert not ours(other)


def test_a_library_override_plays_clips_that_stay_linked_and_survives_saving(tmp_path: Path):
    rig = walker("Linked")
    stash(rig, idle(rig), walk(rig))
    rig.location = (0.0, 0.0, 0.0)
    linked = from_library(tmp_path, "objects", "Linked")
    bpy.context.scene.collection.objects.link(linked)
    linked.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    rig = next(ob for ob in bpy.data.objects if ob.type == "ARMATURE" and ob.override_library is not None)
    frames(1, 20)
    people = crowd("People", seek={"target": empty("Goal", location=(0.0, -30.0, 0.0))})
    people.steering.vehicle.max_speed, people.steering.vehicle.cruise_speed = SPEED, 1.0
    vehicle(rig, crowd=people, identity=11, start_speed=1.0)
    press("clips_find", people)
    bake()
    keyed = times(rig)
    ends = {name: (keys[0][0], keys[-1][0]) for name, keys in keyed.items()}
    assert ends == dict.fromkeys(("Steering: Idle", "Steering: Walk"), (1.0, 20.0))
    bpy.context.scene.frame_set(15)
    pose, name = pose_of(rig), rig.name
    reopen(tmp_path / "baked.blend")
    rig = next(ob for ob in bpy.data.objects if ob.name == name and ob.override_library is not None)
    assert times(rig) == keyed
    np.testing.assert_allclose(pose_of(rig), pose, atol=1e-6)
    clear_bake()
    assert not ours(rig) and "steering_clips" not in rig
    assert not any("steering_clip" in action for action in bpy.data.actions)


def keyed_walk(rig, more: dict) -> None:
    """A walk with other keys on channels of the body, by (bone, channel, index), added to each key of those it has."""
    action = walk(rig)
    bag = part("blender.animation.animation_data").channelbags(action)[0]
    for (bone, channel, index), (start, end) in more.items():
        path = f'pose.bones["{bone}"].{channel}'
        curve = bag.fcurves.find(path, index=index) or bag.fcurves.new(path, index=index)
        if not len(curve.keyframe_points):
            for frame in (1.0, 1.0 + CYCLE):
                curve.keyframe_points.insert(frame, 0.0)
        for key in curve.keyframe_points:
            key.co.y += start + (end - start) * (key.co.x - 1.0) / CYCLE
            key.interpolation = "LINEAR"
        curve.update()


def test_root_motion_is_taken_out_of_what_is_played_and_counted_in_its_speed() -> None:
    people, [rig] = walkers(stashed=False)
    bpy.data.actions.remove(bpy.data.actions["Walk"])
    # All bones go ahead by half of a stride in a cycle. The local z of a bone that points up is the model's -y.
    keyed_walk(rig, {(bone, "location", 2): (0.0, 0.5 * STRIDE) for bone in ("Body", "Foot.L", "Foot.R")})
    stash(rig, bpy.data.actions["Idle"], bpy.data.actions["Walk"])
    press("clips_find", people)
    [clip] = [clip for clip in people.steering.portrayal.clips if clip.plays == "MOVE"]
    # Feet that move back as before over ground that half of the way is made on.
    assert clip.speed == pytest.approx(SPEED, rel=0.03)
    bake()
    scene, ways = bpy.context.scene, []
    for frame in range(1, 41):
        scene.frame_set(frame)
        ways.append(pose_of(rig)[:, 1, 3])
    # In the space of the armature the body stays where it is, and feet go no further than their steps.
    body, *feet = np.ptp(np.array(ways), axis=0)
    assert body < 0.01 and max(feet) < 1.6 * STRIDE


def test_a_loop_that_does_not_close_is_told_and_closed_in_what_is_played() -> None:
    people, [rig] = walkers(stashed=False)
    bpy.data.actions.remove(bpy.data.actions["Walk"])
    keyed_walk(rig, {("Body", "location", 1): (0.0, 0.06)})
    stash(rig, bpy.data.actions["Idle"], bpy.data.actions["Walk"])
    press("clips_find", people)
    [clip] = [clip for clip in people.steering.portrayal.clips if clip.plays == "MOVE"]
    assert clip.closes == pytest.approx(0.06, abs=0.005)
    bake()
    copy = next(strip.action for track in ours(rig) for strip in track.strips if "Walk" in track.name)
    for curve in part("blender.animation.animation_data").channelbags(copy)[0].fcurves:
        assert curve.evaluate(copy.frame_range[0]) == pytest.approx(curve.evaluate(copy.frame_range[1]), abs=1e-5)
    heights = []
    for _ in at_frames(range(1, 41)):
        heights.append(pose_of(rig)[0, 2, 3])
    assert np.abs(np.diff(heights)).max() < 0.01, "It would jump by 6 cm at the end of each cycle."


def test_a_walk_that_hardly_closes_is_done_once_until_it_is_said_to_move(capfd) -> None:
    people, [rig] = walkers(stashed=False)
    bpy.data.actions.remove(bpy.data.actions["Walk"])
    keyed_walk(rig, {("Body", "location", 1): (0.0, 0.4)})
    bpy.data.actions["Walk"].name = "Walker|Walk"
    press("clip_add", people, action="Walker|Walk")
    [clip] = people.steering.portrayal.clips
    assert clip.plays == "DO"
    said = capfd.readouterr().out
    assert "Walk: 1.0 s, done once, as its last pose is 40 cm from the first. If it repeats" in said
    assert "Walker|" not in said
    clip.plays = "MOVE"
    assert bpy.ops.steering.clips_measure() == {"FINISHED"}
    assert clip.speed == pytest.approx(SPEED, rel=0.03)
    assert f"Walk: {clip.speed:.2f} m/s" in capfd.readouterr().out


@pytest.mark.parametrize("left", ["", "an action of its own", "a track that hides clips"])
def test_what_is_parented_to_a_bone_is_read_as_without_the_clips_of_an_earlier_bake(left: str) -> None:
    rig, action = found_walkers(2)[1][0], bpy.data.actions["Walk"]
    if left == "an action of its own":
        data = part("blender.animation.animation_data")
        data.assign_action(rig, action, data.slot_for(action, rig))
    elif left:
        rig.animation_data.nla_tracks["Walk"].mute = False
    lamp = empty("Lamp")
    lamp.parent, lamp.parent_type, lamp.parent_bone = rig, "BONE", "Foot.L"
    moth = vehicle(wedge("Moth", location=(3.0, 3.0, 3.0)), crowd=crowd("Moths", seek={"target": lamp}))
    before = without_settings(scene_dump())["objects"]
    bake()
    once = keys(moth)
    for _ in at_frames((1, 17)):
        bake()
        assert keys(moth) == once
    clear_bake()
    bpy.context.scene.frame_set(1)
    assert_same(before, without_settings(scene_dump())["objects"])
