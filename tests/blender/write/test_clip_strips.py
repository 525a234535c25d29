"""Strips that play clips: written with a bake, in step with the motion, and removed with it."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from tests.blender.animated import assign, bags, curves_in, keys
from tests.blender.building import at_frames, empty, frames, from_library, meshed, part, reopen, wedge
from tests.blender.dumping import assert_same, refuses, scene_dump, without_settings
from tests.blender.steered import bake, clear_bake, crowd, press, tag, vehicle
from tests.blender.walkers import (
    CYCLE,
    SPEED,
    STRIDE,
    animated_walker,
    clip,
    found_walkers,
    ours,
    pose_of,
    stash,
    walk,
    walker,
    walkers,
)
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


def played(rig) -> np.ndarray:
    """The times that the strip of the walk has on each frame."""
    curve = ours(rig)[1].strips[0].fcurves.find("strip_time")
    return np.array([curve.evaluate(frame) for frame in range(1, 41)])


def times(rig) -> dict[str, list]:
    """The keys of the time of each strip of ours that plays a clip, by track."""
    curves = {track.name: track.strips[0].fcurves.find("strip_time") for track in ours(rig)}
    return {name: [tuple(key.co) for key in curve.keyframe_points] for name, curve in curves.items() if curve}


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
    assign(plain, bpy.data.actions["Walk"])
    for frame in (20.0, 25.25, 30.5):
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        played = pose_of(rig)
        at = 1.0 + curve.evaluate(frame) % CYCLE
        bpy.context.scene.frame_set(int(at), subframe=at - int(at))
        np.testing.assert_allclose(played, pose_of(plain), atol=2e-6)


@pytest.mark.parametrize("dense", [False, True], ids=["few keys", "keys on all frames"])
def test_what_is_played_is_the_clip_itself_between_frames_too(dense: bool):
    """This clip does not begin on frame 0."""
    _, [rig] = found_walkers()
    for curve in curves_in(bpy.data.actions["Walk"]) if dense else ():
        values = {frame: curve.evaluate(frame) for frame in range(1, 2 + CYCLE)}
        for frame, value in values.items():
            curve.keyframe_points.insert(frame, value).interpolation = "LINEAR"
    bake()
    copy = curves_in(ours(rig)[1].strips[0].action)
    samples = {len(curve.sampled_points) for curve in copy if "Foot" in curve.data_path}
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
    [bag] = bags(bpy.data.actions["Idle"])
    aside = bag.fcurves.new('pose.bones["Body"].location', index=0)
    for frame in (1.0, 25.0, 49.0):
        aside.keyframe_points.insert(frame, 0.1)
    bake()
    copy = curves_in(ours(rig)[0].strips[0].action)
    curves = {curve.array_index: curve for curve in copy if "Body" in curve.data_path}
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
    portrayal = people.steering.portrayal
    clip = portrayal.clips[1]

    def outdated() -> list[str]:
        state = part("blender.status.census").count(bpy.context.scene).bake
        assert not state.outdated, "Nothing that the run is made from has changed."
        return list(state.clips)

    bpy.ops.steering.bake()
    # Drawing the panel makes the group, with its defaults.
    assert outdated() == [] and portrayal.playing.fade and outdated() == []
    for speed, told in ((1.1, [people.name]), (0.0, [])):
        clip.ground_speed = speed
        assert outdated() == told
    for change in (
        lambda: setattr(portrayal.playing, "fade", 0.5),
        lambda: setattr(curves_in(clip.action)[0].keyframe_points[1].co, "y", 9.0),
        lambda: bpy.ops.steering.clip_remove(row=0),
    ):
        change()
        assert outdated() == [people.name]
        bpy.ops.steering.bake()
        assert outdated() == []
    ob.steering.locked = True
    portrayal.playing.fade = 0.3
    assert outdated() == [], "A locked vehicle keeps its strips."


def test_an_action_that_poses_the_model_is_refused_by_name_and_set_aside_on_request():
    _, [rig] = found_walkers(stashed=False)
    channels = [(bone, "location", k) for bone in ("Body", "Foot.L", "Foot.R") for k in range(3)]
    wave = clip(rig, "Wave", {channel: [(1.0, 0.0), (9.0, 0.1)] for channel in channels})
    assign(rig, wave)
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
    assign(rig, bpy.data.actions["Walk"])
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


def test_a_locked_vehicle_keeps_its_strips():
    _, [rig, other] = found_walkers(2)
    bake()
    rig.steering.locked = True
    before = [track.name for track in ours(rig)]
    clear_bake()
    assert [track.name for track in ours(rig)] == before
    assert not ours(other)


def test_a_library_override_plays_clips_that_stay_linked_and_survives_saving(tmp_path: Path):
    animated_walker("Linked")
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


def with_keyed_walk(more: dict):
    """A crowd whose walk has other keys on channels of the body, by (bone, channel, index), added to those it has."""
    people, [rig] = walkers(stashed=False)
    bpy.data.actions.remove(bpy.data.actions["Walk"])
    action = walk(rig)
    [bag] = bags(action)
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
    return people, rig


def test_root_motion_is_taken_out_of_what_is_played_and_counted_in_its_speed() -> None:
    # All bones go ahead by half of a stride in a cycle. The local z of a bone that points up is the model's -y.
    ahead = {(bone, "location", 2): (0.0, 0.5 * STRIDE) for bone in ("Body", "Foot.L", "Foot.R")}
    people, rig = with_keyed_walk(ahead)
    stash(rig, bpy.data.actions["Idle"], bpy.data.actions["Walk"])
    press("clips_find", people)
    [clip] = [clip for clip in people.steering.portrayal.clips if clip.plays == "MOVE"]
    # Feet that move back as before over ground that half of the way is made on.
    assert clip.speed == pytest.approx(SPEED, rel=0.03)
    bake()
    # In the space of the armature the body stays where it is, and feet go no further than their steps.
    body, *feet = np.ptp([pose_of(rig)[:, 1, 3] for _ in at_frames(range(1, 41))], axis=0)
    assert body < 0.01 and max(feet) < 1.6 * STRIDE


def test_a_loop_that_does_not_close_is_told_and_closed_in_what_is_played() -> None:
    people, rig = with_keyed_walk({("Body", "location", 1): (0.0, 0.06)})
    stash(rig, bpy.data.actions["Idle"], bpy.data.actions["Walk"])
    press("clips_find", people)
    [clip] = [clip for clip in people.steering.portrayal.clips if clip.plays == "MOVE"]
    assert clip.closes == pytest.approx(0.06, abs=0.005)
    bake()
    copy = next(strip.action for track in ours(rig) for strip in track.strips if "Walk" in track.name)
    for curve in curves_in(copy):
        assert curve.evaluate(copy.frame_range[0]) == pytest.approx(curve.evaluate(copy.frame_range[1]), abs=1e-5)
    heights = [pose_of(rig)[0, 2, 3] for _ in at_frames(range(1, 41))]
    assert np.abs(np.diff(heights)).max() < 0.01, "It would jump by 6 cm at the end of each cycle."


def test_a_walk_that_hardly_closes_is_done_once_until_it_is_said_to_move(capfd) -> None:
    people, _ = with_keyed_walk({("Body", "location", 1): (0.0, 0.4)})
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
    assert f"Walk: {clip.speed:.3g} m/s" in capfd.readouterr().out


@pytest.mark.parametrize("left", ["", "an action of its own", "a track that hides clips"])
def test_what_is_parented_to_a_bone_is_read_as_without_the_clips_of_an_earlier_bake(left: str) -> None:
    rig = found_walkers(2)[1][0]
    if left == "an action of its own":
        assign(rig, bpy.data.actions["Walk"])
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
