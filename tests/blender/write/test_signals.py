"""Signals and junctions in Blender: by the operator, keyed, in a bake, and in what is told afterwards."""

import bpy
import numpy as np
import pytest

from tests.blender.building import empty, frames, part, path_curve, wedge
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.seen import places
from tests.blender.steered import bake, clear_bake, crowd, press, tag, vehicle
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

LAST, GREEN = 75, 60
EAST, NORTH = (0.0, 0.0, -np.pi / 2.0), (0.0, 0.0, 0.0)
ROADS = {"East": [(-60.0, 0.0, 0.0), (60.0, 0.0, 0.0)], "North": [(0.0, -60.0, 0.0), (0.0, 60.0, 0.0)]}


def drivers(east: float = -25.0, north: float = -30.0):
    """A crowd on each of two roads that cross, with a vehicle some metres before the crossing."""
    frames(1, LAST, fps=12)
    members = []
    for number, (name, points) in enumerate(ROADS.items()):
        road = tag(path_curve(name, points), role="PATH")
        drive = crowd(f"Cars {name}", path_following={"path": road}, give_way={})
        drive.steering.locomotion = "PLANAR"
        settings = drive.steering.vehicle
        settings.max_speed, settings.cruise_speed, settings.radius, settings.max_force = 8.0, 1.0, 0.5, 4.0
        place, turn = ((east, 0.0, 0.0), EAST) if name == "East" else ((0.0, north, 0.0), NORTH)
        car = vehicle(wedge(f"Car {name}", place, rotation=turn), crowd=drive, identity=100 + number)
        car.steering.start_speed = 1.0
        members.append(car)
    return members


def signal(name: str = "Light", place=(-6.0, -0.5, 0.0)):
    """A signal that turns green on a frame."""
    light = tag(empty(name, place), role="SIGNAL")
    for frame, green in ((1, False), (GREEN - 1, False), (GREEN, True)):
        light.steering.green = green
        light.keyframe_insert("steering.green", frame=frame)
    bpy.context.scene.frame_set(1)
    return light


def test_a_tagged_empty_holds_its_lane_until_its_key_turns_green() -> None:
    car, other = drivers()
    light = signal()
    before = scene_dump()
    bake()
    held = places(car, range(52, GREEN))[:, 0]
    assert -7.5 < held.max() < -7.0 and np.ptp(held) < 0.05
    assert places(car, [LAST])[0, 0] > -5.0
    assert places(other, [LAST])[0, 1] > 10.0
    clear_bake()
    assert_same(before, scene_dump())
    press("untag", light, role="SIGNAL")
    bake()
    assert places(car, [GREEN])[0, 0] > -5.0


def test_a_signal_holds_the_path_that_it_is_given_and_a_key_counts_as_a_change() -> None:
    fingerprint = part("blender.read.fingerprint").fingerprint
    car, other = drivers(north=-25.0)
    light = signal(place=(-6.0, -0.5, 0.0))
    light.steering.signal_path = bpy.data.objects["North"]
    known = fingerprint(bpy.context.scene)
    bake()
    assert places(car, [GREEN])[0, 0] > 0.0
    assert places(other, [GREEN - 1])[0, 1] == pytest.approx(-1.8, abs=0.3)
    light.steering.green = True
    light.keyframe_insert("steering.green", frame=15)
    assert fingerprint(bpy.context.scene) != known


def test_one_that_is_too_late_to_stop_is_named_after_a_bake(capfd) -> None:
    car, _ = drivers(east=-4.6, north=-4.0)
    bake()
    assert "Car East could not stop any more where paths meet, from frame" in capfd.readouterr().out
    assert bpy.ops.steering.select_contacts(kind="LATE") == {"FINISHED"}
    assert bpy.context.selected_objects == [car]


def test_only_empties_become_signals() -> None:
    refuses("tag", "Select an Empty", wedge("Rock", (0.0, 0.0, 0.0)), role="SIGNAL")
