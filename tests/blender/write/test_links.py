"""Links, signals and junctions: by the operator, keyed, in a bake, in a preview, in the file, and in what is told."""

import bpy
import numpy as np
import pytest

from tests.blender.building import at_frames, empty, frames, meshed, part, path_curve, wedge
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.seen import places, read_at, told
from tests.blender.steered import bake, clear_bake, crowd, leader, press, tag, vehicle
from tests.blender.walkers import found_walkers, idle
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

LAST = 90
EAST = (0.0, 0.0, -np.pi / 2.0)
LADDER = [(1.8, 0.0, 0.0), (1.8, 0.0, 3.0), (2.3, 0.0, 3.0)]


def floor(name: str, left: float, right: float, height: float = 0.0):
    corners = [(left, -4, height), (right, -4, height), (right, 4, height), (left, 4, height)]
    return tag(meshed(name, corners, [(0, 1, 2, 3)]), role="SURFACE")


def people(count: int, target=(6.0, 1.0, 3.0)):
    """Walkers below a loft on which their goal is."""
    frames(1, LAST, fps=12)
    floor("Floor", -8, 8)
    floor("Loft", 2, 8, 3.0)
    folk = crowd("Folk", seek={})
    folk.steering.locomotion = "ON_FOOT"
    settings = folk.steering.vehicle
    settings.max_speed, settings.cruise_speed, settings.radius, settings.max_force = 1.75, 0.8, 0.25, 4.0
    folk.steering.seek.target = leader(empty("Goal", target))
    members = [
        vehicle(wedge(f"Person {k}", (-1.0 - k, 0.3 * k, 0.0), rotation=EAST), crowd=folk, identity=100 + k)
        for k in range(count)
    ]
    return folk, members


def ladder(points=LADDER):
    made = tag(path_curve("Ladder", points), role="LINK")
    made.steering.link.seconds = 3.0
    return made


def test_one_climbs_a_tagged_curve_and_untagged_it_is_a_curve_again() -> None:
    _, [member] = people(1)
    curve = ladder()
    before = scene_dump()
    bake()
    assert places(member, [LAST])[0, 2] > 2.9
    clear_bake()
    assert_same(before, scene_dump())
    press("untag", curve, role="LINK")
    assert not curve.is_property_set("steering")
    assert not len(read_at(1)[0].links)


def test_an_empty_leads_to_its_other_end_and_a_moved_end_counts_as_a_change() -> None:
    fingerprint = part("blender.read.fingerprint").fingerprint
    people(1)
    foot, top = tag(empty("Foot", (1.7, 0.0, 0.0)), role="LINK"), empty("Top", (2.3, 0.0, 3.0))
    refuses("bake", r"The link Foot leads nowhere\. Choose the object at its Other End")
    foot.steering.link.to = top
    [line] = read_at(1)[0].links.lines
    np.testing.assert_allclose(line, [foot.location, top.location], atol=1e-6)
    known = fingerprint(bpy.context.scene)
    top.location.y = 1.0
    assert fingerprint(bpy.context.scene) != known


def test_what_cannot_be_a_link_is_refused() -> None:
    people(1)
    ring = tag(path_curve("Ring", cyclic=True), role="LINK")
    refuses("bake", r"The link Ring has no two ends\. Draw it")
    bpy.data.objects.remove(ring)
    refuses("tag", r"Box cannot be a link\. Select a curve", wedge("Box"), role="LINK")


def test_a_link_with_an_end_on_no_ground_is_named() -> None:
    people(1)
    curve = ladder([(1.8, 0.0, 0.0), (1.8, 0.0, 5.0)])
    assert told("LOOSE_LINK") == [
        "Ladder has an end on no surface, so nobody takes it. Move that to where one can stand"
    ]
    curve.data.splines[0].points[1].co.z = 3.0
    curve.data.splines[0].points[1].co.x = 2.2
    assert told("LOOSE_LINK") == []


def test_rigs_play_the_clip_of_a_link_on_it_only() -> None:
    people, (rig,) = found_walkers(1, distance=8.0)
    people.steering.vehicle.max_speed = 1.5
    frames(1, LAST, fps=12)
    floor("Floor", -8, 8)
    floor("Loft", 2, 8, 3.0)
    rig.location, rig.rotation_euler.z = (-1.0, 0.0, 0.0), np.pi / 2.0
    people.steering.seek.target.location = (6.0, 0.0, 3.0)
    press("set_start", rig)
    entry = people.steering.portrayal.clips.add()
    entry.name, entry.action, entry.plays = "Climb", idle(rig, "Climb"), "STAND"
    press("clips_measure", people)
    curve = ladder()
    curve.steering.link.clip, curve.steering.link.cycle = entry.action, 0.5
    bake()
    track = next(track for track in rig.animation_data.nla_tracks if track.name == "Steering: Climb")
    strip = track.strips[0]
    heights = places(rig, range(1, LAST + 1))[:, 2]
    climbs = (heights > 1.0) & (heights < 2.9)
    influence, time = (
        np.array([strip.fcurves.find(name).evaluate(frame) for frame in range(1, LAST + 1)])
        for name in ("influence", "strip_time")
    )
    assert climbs.any() and (influence[climbs] > 0.99).all()
    assert (influence[heights < 0.001][5:] < 0.01).all() and (influence[-10:] < 0.01).all()
    # Half a metre a cycle of 48 frames.
    rate = np.diff(time)[climbs[1:]] / np.diff(heights)[climbs[1:]]
    assert abs(np.median(rate) - 96.0) < 1.0


def test_a_lift_carries_one_up() -> None:
    _, [member] = people(1)
    bottom, top = tag(empty("Bottom", (0.8, 0.0, 0.0)), role="LINK"), empty("Top", (3.4, 0.0, 3.0))
    cabin = empty("Cabin", (2.0, 0.0, 0.0))
    for frame, height in ((1, 0.0), (50, 0.0), (75, 3.0)):
        cabin.location.z = height
        cabin.keyframe_insert("location", frame=frame)
    bottom.steering.link.to, bottom.steering.link.carrier = top, cabin
    bake()
    assert places(member, [LAST])[0, 2] > 2.9
    for _ in at_frames((55, 62, 70)):
        assert abs(member.matrix_world.translation.z - cabin.matrix_world.translation.z) < 1e-4
    bpy.data.objects.remove(cabin)
    assert bottom.steering.link.carrier is None


GREEN, UNTIL = 60, 75
NORTH = (0.0, 0.0, 0.0)
ROADS = {"East": [(-60.0, 0.0, 0.0), (60.0, 0.0, 0.0)], "North": [(0.0, -60.0, 0.0), (0.0, 60.0, 0.0)]}


def drivers(east: float = -25.0, north: float = -30.0, last: int = UNTIL):
    """A crowd on each of two roads that cross, with a vehicle some metres before the crossing."""
    frames(1, last, fps=12)
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
    assert places(car, [UNTIL])[0, 0] > -5.0
    assert places(other, [UNTIL])[0, 1] > 10.0
    clear_bake()
    assert_same(before, scene_dump())
    press("untag", light, role="SIGNAL")
    assert not len(read_at(1)[0].signals)


def test_a_signal_holds_the_path_that_it_is_given_and_a_key_counts_as_a_change() -> None:
    fingerprint = part("blender.read.fingerprint").fingerprint
    car, other = drivers(north=-25.0, last=GREEN - 1)
    light = signal(place=(-6.0, -0.5, 0.0))
    light.steering.signal_path = bpy.data.objects["North"]
    known = fingerprint(bpy.context.scene)
    bake()
    assert places(car, [GREEN - 1])[0, 0] > 0.0
    assert places(other, [GREEN - 1])[0, 1] == pytest.approx(-1.8, abs=0.3)
    light.steering.green = True
    light.keyframe_insert("steering.green", frame=15)
    assert fingerprint(bpy.context.scene) != known


def test_one_that_is_too_late_to_stop_is_named_after_a_bake(capfd) -> None:
    car, _ = drivers(east=-4.6, north=-4.0, last=24)
    bake()
    assert "Car East could not stop any more where paths meet, from frame" in capfd.readouterr().out
    assert bpy.ops.steering.select_contacts(kind="LATE") == {"FINISHED"}
    assert bpy.context.selected_objects == [car]


def test_only_empties_become_signals() -> None:
    refuses("tag", "Select an Empty", wedge("Rock", (0.0, 0.0, 0.0)), role="SIGNAL")
