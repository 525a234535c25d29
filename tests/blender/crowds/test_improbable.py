"""Improbable sizes of crowds and loose parts, and why crowds do not walk, are told in the report and in To Look At."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.animated import bags
from tests.blender.building import link, sphere, wedge
from tests.blender.dumping import refuses
from tests.blender.seen import listed
from tests.blender.steered import press, select
from tests.blender.walkers import CYCLE, SPEED, box, clip, idle, stash, walk, walker


def populated(*models, **options):
    return press("populate", *models, count=2, **options)


def walker_that_plays(*make):
    rig = walker()
    stash(rig, *(each(rig) for each in make))
    return rig


def long_walk(rig):
    """The feet are ten times as far before and behind the body, and lifted as high."""
    channels = {}
    for bone, late in (("Foot.L", 0), ("Foot.R", CYCLE // 2)):
        way = np.interp((np.arange(CYCLE + 1) + late) % CYCLE, (0, CYCLE / 2, CYCLE), (-6.0, 6.0, -6.0))
        lift = np.maximum(np.sin(2.0 * np.pi * (np.arange(CYCLE + 1) + late) / CYCLE), 0.0)
        channels[bone, "location", 2] = list(zip(1.0 + np.arange(CYCLE + 1), way))
        channels[bone, "location", 1] = list(zip(1.0 + np.arange(CYCLE + 1), lift))
    return clip(rig, "Walk", channels)


def test_a_plain_walker_has_nothing_improbable_but_a_walk_above_the_run_is_named() -> None:
    people = populated(walker_that_plays(idle, walk))
    assert set(listed()) == {"FEET_SLIDE"}
    assert people.steering.portrayal.no_walk == ""
    for entry, name in zip(people.steering.portrayal.clips, ("Run", "Walk")):
        entry.action.name, entry.plays, entry.ground_speed = name, "MOVE", {"Run": 1.0, "Walk": 3.0}[name]
    assert "a walk is hardly faster than a run" in listed()["IMPROBABLE"]


def test_a_walk_at_the_speed_of_a_car_is_never_sure_and_not_chosen(capfd) -> None:
    rig = walker_that_plays(idle, long_walk)
    people = populated(rig, random_scale=0.0)
    assert "its feet would hold at 24 m/s. Use Add Clip, and set a ground speed" in listed()["NO_WALK"]
    assert listed()["NO_WALK"] in capfd.readouterr().out
    assert bpy.ops.steering.clip_add(action="Walk") == {"FINISHED"}
    [added] = [each for each in people.steering.portrayal.clips if each.action.name == "Walk"]
    assert added.speed > 20.0
    assert added.sure < 0.25
    assert "NO_WALK" not in listed()


@pytest.mark.parametrize(
    ("size", "like", "text"),
    [
        ((180.0, 30.0, 60.0), "BIRD", "Scale the model by .01"),
        ((5.0, 4.5, 1.0), "BIRD", "which birds hardly are"),
        ((0.5, 0.4, 5.0), "PERSON", "which people hardly are"),
        ((300.0, 200.0, 100.0), "ANYTHING", "Scale the model by .01"),
        ((0.9, 0.8, 0.3), "BIRD", ""),
        ((0.5, 0.4, 1.8), "PERSON", ""),
        ((2.0, 5.0, 1.5), "CAR", ""),
    ],
)
def test_a_size_that_a_kind_hardly_has_is_named_with_its_cure(size, like: str, text: str, capfd) -> None:
    half = 0.5 * np.array(size)
    populated(box("Model", -half, half), moves_like=like)
    out = capfd.readouterr().out
    assert ("hardly are" in out) == bool(text)
    assert text in out


def test_a_crowd_that_is_too_fast_for_its_kind_is_named() -> None:
    people = populated(walker())
    assert "IMPROBABLE" not in listed()
    people.steering.vehicle.max_speed, people.steering.vehicle.cruise_speed = 30.0, 1.0
    assert listed()["IMPROBABLE"].startswith(f"{people.name} counts as moving at 30 m/s, which people hardly do")


def scale_in_metres(model) -> None:
    select(model)
    model.scale = (0.01, 0.01, 0.01)
    assert bpy.ops.object.transform_apply(location=False, rotation=False) == {"FINISHED"}


def test_the_remedy_for_tagged_models_in_centimetres_mends_it() -> None:
    """A crowd keeps a speed that was fitted to giants."""
    model = wedge("Man", size=180.0)
    press("tag", model, role="VEHICLE", moves_like="PERSON")
    assert "apply the scale, then untag, tag again and apply its preset again" in listed()["IMPROBABLE"]
    scale_in_metres(model)
    press("untag", model, role="VEHICLE")
    press("tag", model, role="VEHICLE", moves_like="PERSON")
    press("preset_apply", model, preset="pedestrian")
    assert "IMPROBABLE" not in listed()


def test_the_remedy_for_copies_of_a_model_in_centimetres_mends_it() -> None:
    """Blender applies no scale to a mesh that copies share."""
    model = wedge("Man", size=180.0)
    populated(model, moves_like="PERSON")
    told = "apply the scale, once its members and crowd are deleted, then populate again"
    assert told in listed()["IMPROBABLE"]
    select(*(ob for ob in bpy.data.objects if ob != model))
    bpy.ops.object.delete()
    scale_in_metres(model)
    populated(model, moves_like="PERSON")
    assert "IMPROBABLE" not in listed()


def test_points_of_a_model_with_a_walk_are_named_as_they_play_none(capfd) -> None:
    rig = walker_that_plays(idle, walk)
    people = populated(rig, made_as="POINTS")
    assert "are points, which play no clips" in listed()["NO_WALK"]
    assert listed()["NO_WALK"] in capfd.readouterr().out
    refuses("clips_find", "are points, which play no clips", people)
    press("populate", people, made_as="OBJECTS")
    press("clips_find", people)
    assert "NO_WALK" not in listed()


def test_a_rig_without_actions_is_named_as_it_glides(capfd) -> None:
    people = populated(walker())
    assert "brings no action, and glides in its rest pose" in listed()["NO_WALK"]
    assert listed()["NO_WALK"] in capfd.readouterr().out
    rig = next(ob for ob in bpy.data.objects if ob.name.startswith("Walker 0"))
    walk(rig)
    press("clips_find", people)
    assert "NO_WALK" not in listed()


def test_a_rig_that_drivers_move_does_not_glide() -> None:
    rig = walker()
    rig.pose.bones["Foot.L"].driver_add("location", 1).driver.expression = "frame / 100"
    populated(rig)
    assert "NO_WALK" not in listed()


@pytest.mark.parametrize(("quarters", "front"), [(1, "POS_X"), (2, "POS_Y"), (3, "NEG_X")])
def test_a_rig_faces_where_its_walk_goes(quarters: int, front: str) -> None:
    rig = walker_that_plays(idle, walk)
    turn = Matrix.Rotation(0.5 * np.pi * quarters, 4, "Z")
    rig.data.transform(turn)
    bpy.data.objects["Walker Skin"].data.transform(turn)
    people = populated(rig)
    assert {ob.steering.forward_axis for ob in bpy.data.objects if ob.steering.crowd == people} == {front}
    assert people.steering.portrayal.clips["Walk"].speed == pytest.approx(SPEED, rel=0.2)


def test_what_walks_backwards_is_turned_round_by_flip_front_which_finds_its_clips(capfd) -> None:
    rig = walker_that_plays(idle, walk)
    rig.steering.forward_axis, rig.steering.up_axis = "POS_Y", "POS_Z"
    people = populated(rig)
    assert "it goes backwards" in listed()["NO_WALK"]
    assert listed()["NO_WALK"].endswith("press Flip Front")
    press("flip_front", people)
    assert f"{people.name} plays Idle, Walk" in capfd.readouterr().out
    assert "NO_WALK" not in listed()
    assert people.steering.vehicle.cruise_speed * people.steering.vehicle.max_speed == pytest.approx(
        people.steering.portrayal.clips["Walk"].speed, rel=1e-3
    )


@pytest.mark.parametrize("speed", [0.2, 9.0])
@pytest.mark.parametrize(
    "press", [lambda: bpy.ops.steering.fit_speed(), lambda: bpy.ops.steering.clips_find(fit_speed=True)]
)
def test_fit_speed_works_on_clips_that_are_there(speed: float, press, capfd) -> None:
    people = populated(walker_that_plays(idle, walk))
    vehicle = people.steering.vehicle
    vehicle.max_speed, vehicle.cruise_speed = speed, 0.9
    made_for = people.steering.portrayal.clips["Walk"].speed
    capfd.readouterr()
    assert press() == {"FINISHED"}
    assert vehicle.max_speed * vehicle.cruise_speed == pytest.approx(made_for, rel=1e-3)
    assert vehicle.max_speed <= 1.3 * made_for * 1.001
    assert made_for == pytest.approx(SPEED, rel=0.2)
    out = capfd.readouterr().out
    assert "Warning" not in out
    assert f"{people.name} moves at {made_for:.3g} m/s, as Walk" in out


def test_origins_stand_where_clips_do_not_where_the_rest_pose_is() -> None:
    """The rest pose is half a metre below the ground, and all clips lift it by that."""
    rig = walker()
    stash(rig, *(_lifted(make(rig)) for make in (idle, walk)))
    for vertex in bpy.data.objects["Walker Skin"].data.vertices:
        vertex.co.z -= 0.5
    populated(rig)
    members = [ob for ob in bpy.data.objects if ob.name.startswith("Walker 0")]
    assert [ob.steering.origin_height for ob in members] == [0.0, 0.0]


def _lifted(action):
    [bag] = bags(action)
    for bone in ("Body", "Foot.L", "Foot.R"):
        path = f'pose.bones["{bone}"].location'
        curve = bag.fcurves.find(path, index=1) or bag.fcurves.new(path, index=1)
        if not len(curve.keyframe_points):
            for frame in action.frame_range:
                curve.keyframe_points.insert(frame, 0.0)
        for key in curve.keyframe_points:
            key.co.y += 0.5
        curve.update()
    return action


ASKED = "If they are parts of one model, parent them to one and tag only that"


def car() -> list:
    """A body and two wheels that reach into it, not parented to each other."""
    body = sphere("Body", radius=1.0, scale=(1.0, 2.0, 0.5))
    wheels = [sphere(f"Wheel {row}", (side, 1.0, -0.4), radius=0.4) for row, side in enumerate((-0.9, 0.9))]
    wheels[1].data = wheels[0].data
    return [body, *wheels]


def told(capfd, *objects) -> str:
    press("tag", *objects, role="VEHICLE", moves_like="CAR")
    return capfd.readouterr().out


@pytest.mark.parametrize("are", ["parts", "parts of one object", "copies in one place", "copies nearby", "apart"])
def test_only_parts_that_reach_into_each_other_are_named_when_they_are_tagged(are: str, capfd) -> None:
    """Copies have been duplicated, and are about to be moved."""
    body, *wheels = objects = car()
    if are == "parts of one object":
        for wheel in wheels:
            wheel.parent = body
    elif are == "apart":
        objects = [body, wedge("Bus", (3.0, 0.0, 0.0))]
    elif are != "parts":
        ship = wedge()
        objects = [ship, link(ship.copy())]
        objects[1].location.x = 0.1 if are == "copies nearby" else 0.0
    out = told(capfd, *objects)
    said = f"Body and 2 more reach into each other, and each goes its own way. {ASKED}"
    assert said in out if are == "parts" else ASKED not in out
