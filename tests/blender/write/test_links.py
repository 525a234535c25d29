"""Links in Blender: ladders, jumps and escalators, by the operator, in a bake, in a preview and in the file."""

import bpy
import numpy as np

from tests.blender.building import at_frames, empty, frames, meshed, part, path_curve, wedge
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.seen import places, told
from tests.blender.steered import bake, clear_bake, crowd, leader, press, tag, vehicle
from tests.blender.walkers import found_walkers, idle
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

LAST = 108
EAST = (0.0, 0.0, -np.pi / 2.0)
LADDER = [(1.8, 0.0, 0.0), (1.8, 0.0, 3.0), (2.3, 0.0, 3.0)]


def floor(name: str, left: float, right: float, height: float = 0.0):
    corners = [(left, -4, height), (right, -4, height), (right, 4, height), (left, 4, height)]
    return tag(meshed(name, corners, [(0, 1, 2, 3)]), role="SURFACE")


def people(count: int = 2, target=(6.0, 1.0, 3.0)):
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


def test_people_climb_a_tagged_curve_and_untagged_it_is_a_curve_again() -> None:
    _, members = people()
    curve = ladder()
    before = scene_dump()
    bake()
    assert all(places(ob, [LAST])[0, 2] > 2.9 for ob in members)
    climbs = [np.flatnonzero(places(ob, range(1, LAST))[:, 2] > 0.3)[0] for ob in members]
    assert abs(climbs[0] - climbs[1]) > 12
    clear_bake()
    assert_same(before, scene_dump())
    press("untag", curve, role="LINK")
    assert not curve.is_property_set("steering")
    frames(1, 45)
    bake()
    assert all(places(ob, [45])[0, 2] < 0.1 for ob in members)


def test_an_empty_leads_to_its_other_end_and_a_moved_end_counts_as_a_change() -> None:
    fingerprint = part("blender.read.fingerprint").fingerprint
    _, members = people(1)
    foot, top = tag(empty("Foot", (1.7, 0.0, 0.0)), role="LINK"), empty("Top", (2.3, 0.0, 3.0))
    refuses("bake", r"The link Foot leads nowhere\. Choose the object at its Other End")
    foot.steering.link.to = top
    bake()
    assert places(members[0], [LAST])[0, 2] > 2.9
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


def test_a_lift_carries_people_up_and_a_preview_of_it_is_the_bake() -> None:
    _, members = people(3)
    bottom, top = tag(empty("Bottom", (0.8, 0.0, 0.0)), role="LINK"), empty("Top", (3.4, 0.0, 3.0))
    cabin = empty("Cabin", (2.0, 0.0, 0.0))
    for frame, height in ((1, 0.0), (50, 0.0), (75, 3.0)):
        cabin.location.z = height
        cabin.keyframe_insert("location", frame=frame)
    bottom.steering.link.to, bottom.steering.link.carrier = top, cabin
    bake()
    assert all(places(ob, [LAST])[0, 2] > 2.9 for ob in members)
    for _ in at_frames((55, 62, 70)):
        height = cabin.matrix_world.translation.z
        assert all(abs(ob.matrix_world.translation.z - height) < 1e-4 for ob in members)
    bpy.data.objects.remove(cabin)
    assert bottom.steering.link.carrier is None
