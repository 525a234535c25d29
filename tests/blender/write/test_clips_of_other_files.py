"""Clips as files have them that other people made: with slots for several objects, pushed down to tracks."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import SLOTTED
from tests.blender.building import at_frames, frames, part
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.steered import bake, clear_bake, select
from tests.blender.walkers import clip, found_walkers, pose_of, stash, walkers
from tests.sampling import in_every_blender

pytestmark = in_every_blender


def clips_of(people) -> list[tuple[str, str]]:
    return [(each.action.name, each.plays) for each in people.steering.portrayal.clips]


def posed_by_bake(rig, moments=(7, 13, 20)) -> np.ndarray:
    poses = []
    for _ in at_frames(moments):
        poses.append(pose_of(rig))
    return np.stack(poses)


@pytest.mark.skipif(not SLOTTED, reason="In this Blender, actions have no slots.")
def test_a_copy_plays_the_slot_of_an_action_that_poses_it():
    people, [rig] = walkers()
    rig.name = "Walker 0001"
    data = part("blender.animation.animation_data")
    for action in bpy.data.actions[:]:
        # As in a file in which a ball was animated before the one who kicks it.
        [slot] = action.slots
        later, ball = action.copy(), action.slots.new("OBJECT", "Ball")
        data.channelbag_in(action, ball, ensure=True).fcurves.new("location", index=2)
        kicker = action.slots.new("OBJECT", "Kicker")
        for curve in data.channelbag_in(later, later.slots[0]).fcurves:
            made = data.channelbag_in(action, kicker, ensure=True).fcurves.new(curve.data_path, index=curve.array_index)
            for key in curve.keyframe_points:
                made.keyframe_points.insert(*key.co).interpolation = "LINEAR"
        action.slots.remove(slot)
        bpy.data.actions.remove(later)
    bpy.ops.steering.clips_find()
    assert clips_of(people) == [("Idle", "STAND"), ("Walk", "MOVE")]


def test_clips_that_were_pushed_down_are_muted_while_a_bake_plays_them():
    people, [rig] = found_walkers()
    theirs = [track.name for track in rig.animation_data.nla_tracks]
    for track in rig.animation_data.nla_tracks:
        track.mute = False
    select(people)
    before = scene_dump(("objects", "actions"))
    bake()
    bpy.context.scene.frame_set(20)
    bake()
    clear_bake()
    bpy.context.scene.frame_set(1)
    after = scene_dump(("objects", "actions"))
    assert_same(before["objects"][rig.name]["animation"], after["objects"][rig.name]["animation"])
    assert not any(track.mute for track in rig.animation_data.nla_tracks)
    bake()
    posed = posed_by_bake(rig)
    for name in theirs:
        rig.animation_data.nla_tracks.remove(rig.animation_data.nla_tracks[name])
    np.testing.assert_allclose(posed, posed_by_bake(rig), atol=1e-6)


def dancing(rig):
    """The track of a dance that poses the whole rig."""
    dance = clip(rig, "Dance", {(bone, "location", k): [(1.0, 0.0), (9.0, 0.1)] for bone in ("Body", "Foot.L", "Foot.R")
                                for k in range(3)})  # fmt: skip
    stash(rig, dance)
    track = rig.animation_data.nla_tracks["Dance"]
    track.mute = False
    return track


def test_a_new_crowd_finds_clips_below_a_track_that_only_hides_them_while_the_scene_lasts_not_the_run():
    people, [rig] = walkers()
    dancing(rig).strips[0].extrapolation = "NOTHING"
    frames(1, 9)
    settings = bpy.context.scene.steering
    settings.use_frame_range, settings.frame_end = True, 40
    names, _ = part("blender.crowds.adding_clips").add_to_new_crowd(people, [rig], bpy.context.scene)
    assert "Walk" in names
    bake()


def test_another_track_that_hides_clips_is_refused_by_name_unless_it_may_be_muted():
    _, [rig] = found_walkers()
    track = dancing(rig)
    refuses("bake", r"Walker 0 has the NLA track Dance, which poses its bones.*Mute it")
    assert not track.mute
    bake(replace_own_keys=True)
    assert track.mute
    clear_bake()
    assert not track.mute
    # What is added by hand for a moment plays on top.
    strip = track.strips[0]
    strip.extrapolation, strip.blend_in = "NOTHING", 2.0
    bake()
    assert not track.mute


def test_a_track_that_also_holds_a_strip_without_an_action_is_not_one_of_clips():
    _, [rig] = found_walkers()
    track = rig.animation_data.nla_tracks["Walk"]
    track.mute = False
    other = track.strips.new("Other", int(track.strips[-1].frame_end) + 20, track.strips[0].action)
    track.strips[0].extrapolation, other.action = "HOLD_FORWARD", None
    refuses("bake", r"has the NLA track Walk, which poses its bones.*Mute it")
