"""Clips of wings, tails and fins: they beat by effort while the body moves, and in a glide the model is as at rest."""

import bpy
import numpy as np
import pytest

from tests.blender.building import at_frames, empty, frames, part
from tests.blender.steered import bake, clear_bake, crowd, press, select, vehicle
from tests.blender.walkers import clip, idle, ours, pose_of, stash, walk, walker

CYCLE = 12.0


def flap(rig, name: str = "Fly"):
    """Both feet serve as wings: up and down by half a metre."""
    points = [(1.0, 0.0), (1.0 + CYCLE / 4, 0.5), (1.0 + 3 * CYCLE / 4, -0.5), (1.0 + CYCLE, 0.0)]
    return clip(rig, name, {(bone, "location", 1): points for bone in ("Foot.L", "Foot.R")})


def birds(number: int = 2, *, perch: bool = False, **settings):
    """Birds that fly to a goal far away."""
    frames(1, 60)
    goal = empty("Goal", location=(0.0, -500.0, 30.0))
    flock = crowd("Birds", seek={"target": goal})
    model = flock.steering.vehicle
    model.max_speed, model.cruise_speed, model.max_force = 9.0, 1.0, 40.0
    flock.steering.locomotion = "FLYING"
    rigs = []
    for k in range(number):
        rig = walker(f"Bird {k}", location=(3.0 * k, 0.0, 30.0))
        rig.data = rigs[0].data if rigs else rig.data
        rigs.append(vehicle(rig, crowd=flock, identity=21 + k, start_speed=1.0))
    select(flock)
    action = flap(rigs[0])
    assert bpy.ops.steering.clip_add(action=action.name, plays="BEAT") == {"FINISHED"}
    if perch:
        assert bpy.ops.steering.clip_add(action=idle(rigs[0]).name, plays="STAND") == {"FINISHED"}
    for name, value in settings.items():
        setattr(flock.steering.portrayal, name, value)
    return flock, rigs


def wing(rig) -> np.ndarray:
    """How far a wing is moved up on each frame, (f,)."""
    places = []
    for _ in at_frames(range(1, 61)):
        places.append(pose_of(rig)[list(rig.pose.bones.keys()).index("Foot.L")][2, 3] - 0.1)
    return np.array(places)


def test_wings_beat_in_the_time_of_the_clip_each_bird_at_its_own_phase() -> None:
    _, rigs = birds(variation=0.0)
    bake()
    swings = [wing(rig) for rig in rigs]
    for swing in swings:
        assert swing.max() > 0.4 and swing.min() < -0.4
        crossings = np.count_nonzero((swing[1:] > 0.0) != (swing[:-1] > 0.0))
        assert crossings == pytest.approx(2 * 59 / CYCLE, abs=2), "it flies evenly: the usual rate"
    assert np.abs(swings[0] - swings[1]).max() > 0.1
    clear_bake()
    assert not ours(rigs[0])


def test_in_a_glide_the_wings_are_as_at_rest_and_a_preview_shows_the_same() -> None:
    flock, [rig] = birds(1, glide_share=0.7, glide_time=1.0)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    previewed = wing(rig)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    bake(flock)
    swing = wing(rig)
    np.testing.assert_allclose(previewed, swing, atol=1e-4)
    still = np.abs(swing) < 1e-3
    assert 0.2 < still.mean() < 0.9
    assert np.abs(swing[~still]).max() > 0.3


def test_a_bake_tells_of_no_feet_that_slide_where_nobody_walks(capfd, monkeypatch) -> None:
    _, rigs = birds()
    monkeypatch.setattr(part("blender.operators.findings"), "SLIDES", -1.0)
    bpy.ops.steering.bake()
    assert "on feet that stand" not in capfd.readouterr().out
    rigs[0].steering.own_locomotion = "ON_FOOT"
    bpy.ops.steering.bake()
    assert f"{rigs[0].name} slides on feet that stand" in capfd.readouterr().out


def test_what_flies_or_swims_is_given_the_clip_of_its_beats_when_it_is_tagged_and_what_walks_is_not() -> None:
    for like, expected in (("BIRD", [("Flying", "BEAT")]), ("PERSON", [("Idle", "STAND"), ("Walk", "MOVE")])):
        rig = walker("Model")
        stash(rig, flap(rig, "Flying"), flap(rig, "Flying_Attack"), idle(rig), walk(rig))
        press("tag", rig, moves_like=like, new_crowd=True)
        clips = rig.steering.crowd.steering.portrayal.clips
        assert [(each.action.name, each.plays) for each in clips] == expected
        bpy.data.batch_remove([*bpy.data.actions, rig])


def test_find_clips_gives_a_fish_its_tail_and_leaves_its_speed_alone() -> None:
    flock, [rig] = birds(1)
    flock.steering.portrayal.clips.clear()
    flock.steering.locomotion = "SWIMMING"
    flap(rig, "Fish|Swimming_Normal")
    select(flock)
    speed = flock.steering.vehicle.max_speed
    assert bpy.ops.steering.clips_find() == {"FINISHED"}
    assert [each.plays for each in flock.steering.portrayal.clips] == ["BEAT"]
    assert flock.steering.vehicle.max_speed == speed
