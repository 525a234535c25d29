"""Clips in Blender: found and measured, and brought along by the model of a crowd."""

from collections.abc import Callable

import bpy
import pytest

from tests.blender.animated import assign
from tests.blender.building import empty, frames
from tests.blender.dumping import refuses
from tests.blender.steered import bake, press, select
from tests.blender.walkers import (
    CYCLE,
    SPEED,
    STRIDE,
    animated_walker,
    found_walkers,
    idle,
    ours,
    stash,
    walk,
    walker,
    walkers,
)
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


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
    rig = animated_walker()
    people = press("populate", rig, count=3, moves_like="PERSON")
    played = [(clip.action.name, clip.plays) for clip in people.steering.portrayal.clips]
    assert played == [("Idle", "STAND"), ("Walk", "MOVE")]
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
    rig = animated_walker()
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
    assign(rig, walk(rig, "Layer0"))


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
    rig = animated_walker()
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
