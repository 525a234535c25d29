"""Marks in Blender: places with timeline markers at which vehicles are, by click and key."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert
from tests.blender.building import empty, frames, meshed, part, wedge
from tests.blender.steered import bake, crowd, obstacle, press, vehicle
from tests.sampling import sampled

fingerprint = part("blender.read.fingerprint").fingerprint
planning = part("blender.read.plan")
FRAME, END, LANDS = 30, 36, 55


def flock(count: int = 6, **behaviors):
    """Vehicles that wander north."""
    birds = crowd("Birds", **(behaviors or {"wander": {}, "cohesion": {"distance": 30.0}}))
    birds.steering.vehicle.max_speed, birds.steering.vehicle.max_force = 8.0, 12.0
    birds.steering.combining = "PRIORITY"
    members = [
        vehicle(wedge(f"Bird {k}", (1.5 * (k % 3), 1.5 * (k // 3), 3.0)), crowd=birds, identity=100 + k)
        for k in range(count)
    ]
    frames(1, END, fps=12)
    return birds, members


def add(*selected, place=(3.0, 15.0, 4.0), frame: int = FRAME, **options):
    """A mark by the operator, with these objects selected."""
    scene = bpy.context.scene
    scene.frame_set(frame)
    scene.cursor.location = place
    return press("mark_add", *selected, **options)


def places(objects, frame: int = FRAME) -> np.ndarray:
    bpy.context.scene.frame_set(frame)
    return np.array([ob.matrix_world.translation for ob in objects])


def frames_of_marks() -> list[int]:
    return [mark.frame for mark in planning.plan_reading(bpy.context.scene).marks]


def test_a_vehicle_is_at_its_mark_at_the_frame_of_the_marker() -> None:
    _, members = flock(3)
    mark = add(members[2])
    assert mark.steering.roles == {"MARK"} and mark.steering.mark.who == members[2]
    marker = bpy.context.scene.timeline_markers[mark.steering.mark.marker]
    assert marker.name == mark.name and marker.frame == FRAME
    bake()
    assert np.linalg.norm(places([members[2]]) - mark.location) < 0.01
    known = fingerprint(bpy.context.scene)
    marker.frame = 33
    assert fingerprint(bpy.context.scene) != known
    assert frames_of_marks() == [33]
    mark.steering.mark.marker = ""
    assert frames_of_marks() == [FRAME]
    mark.steering.active = False
    assert frames_of_marks() == []


def test_the_middle_of_a_flock_is_at_its_mark_and_the_keys_of_its_leader_stay() -> None:
    leader = empty("Goose", (0.0, 0.0, 3.0))
    for frame, y in ((1, 0.0), (END, 16.0)):
        leader.location.y = y
        leader.keyframe_insert("location", frame=frame)
    birds, members = flock(6, leader_following={"leader": leader}, separation={})
    keys = [
        tuple(p.co)
        for c in part("blender.animation.animation_data").channelbag(leader).fcurves
        for p in c.keyframe_points
    ]
    mark = add(birds, place=(2.0, 12.0, 3.5))
    assert mark.steering.mark.who == birds
    bake()
    assert np.linalg.norm(places(members).mean(axis=0) - mark.location) < 0.05
    again = part("blender.animation.animation_data").channelbag(leader).fcurves
    assert [tuple(p.co) for c in again for p in c.keyframe_points] == keys


def letter(name: str = "L") -> object:
    """Two bars, upright."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 0, 8), (0, 0, 8), (1, 0, 0), (5, 0, 0), (5, 0, 1), (1, 0, 1)]
    ob = meshed(name, corners, [(0, 1, 2, 3), (4, 5, 6, 7)])
    ob.location = (-1.0, 14.0, 2.0)
    return ob


def test_each_of_a_crowd_is_at_a_place_of_a_mesh() -> None:
    birds, members = flock(9)
    shape = letter()
    mark = add(birds, shape)
    assert mark.steering.mark.shape == shape and mark.parent == shape
    bake()
    local = places(members) - shape.location
    on = ((local[:, 0] < 1.02) & (local[:, 2] < 8.02)) | ((local[:, 0] < 5.02) & (local[:, 2] < 1.02))
    assert on.all() and local.min() > -0.02 and np.abs(local[:, 1]).max() < 0.02
    gaps = np.linalg.norm(local[:, None] - local[None], axis=2) + 99.0 * np.eye(9)
    assert gaps.min() > 0.7
    mark.steering.mark.spread = "VERTICES"
    bake()
    corners = np.array([shape.matrix_world @ v.co for v in shape.data.vertices])
    nearest = np.linalg.norm(places(members)[:, None] - corners[None], axis=2).min(axis=1)
    assert np.sort(nearest)[:8].max() < 0.02


def test_a_shape_that_moves_and_deforms_is_met_where_it_is_and_a_hidden_one_counts() -> None:
    birds, members = flock(4)
    shape = letter()
    add(birds, shape)
    shape.keyframe_insert("location", frame=1)
    shape.location.x += 3.0
    shape.keyframe_insert("location", frame=END)
    shape.shape_key_add(name="Basis")
    key = shape.shape_key_add(name="Taller")
    for point in key.data:
        point.co.z *= 1.2
    key.value = 1.0
    shape.hide_viewport = True
    bake()
    shape.hide_viewport = False
    local = places(members) - np.array(shape.matrix_world.translation)
    assert np.abs(local[:, 1]).max() < 0.02 and local[:, 2].max() > 7.0
    assert (local[:, 0] > -0.02).all() and (local[:, 0] < 5.02).all()


def test_it_crosses_along_the_y_axis_of_the_mark() -> None:
    _, members = flock(1)
    mark = add(members[0], place=(4.0, 12.0, 3.0))
    mark.rotation_euler.z = np.radians(-60.0)
    mark.steering.mark.aims, mark.steering.mark.speed = True, 5.0
    bake()
    way = places(members) - places(members, FRAME - 1)
    assert way[0] * 12.0 == pytest.approx([5.0 * np.sin(np.pi / 3.0), 2.5, 0.0], abs=0.15)


def test_what_is_out_of_reach_says_by_how_much_before_the_bake() -> None:
    _, members = flock(1)
    add(members[0], place=(0.0, 200.0, 3.0))
    [said] = [text for text in planning.plan_reading(bpy.context.scene).warnings if "Mark" in text]
    assert said == "Bird 0 cannot be at Mark in time: 200 m in 2.42 s take 82.8 m/s, 75 m/s more than its top speed."
    members[0].location.y = 195.0
    assert not any("Mark" in text for text in planning.plan_reading(bpy.context.scene).warnings)
    members[0].location.y = 0.0
    mark = add(members[0], frame=END + 10)
    assert any(
        f"{mark.name} is at frame {END + 10}" in text for text in planning.plan_reading(bpy.context.scene).warnings
    )
    bpy.context.scene.timeline_markers.new(mark.name, frame=20)
    bpy.context.scene.timeline_markers.new(mark.name, frame=15)
    assert any("has 3 markers" in text for text in planning.plan_reading(bpy.context.scene).warnings)


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ("no vehicle", "is for no vehicle and no crowd"),
        ("marker", "The timeline has no marker Mark"),
        ("shape", "is no longer in the scene"),
    ],
)
def test_a_mark_that_cannot_be_met_is_refused_by_name(trouble: str, said: str) -> None:
    birds, members = flock(2)
    shape = letter()
    mark = add(birds, shape) if trouble == "shape" else add(members[0])
    if trouble == "no vehicle":
        bpy.data.objects.remove(members[0])
    elif trouble == "marker":
        bpy.context.scene.timeline_markers.clear()
    else:
        bpy.context.scene.collection.objects.unlink(shape)
    with pytest.raises(RuntimeError, match=said):
        bake()
    mark.steering.active = False
    bake()


def test_the_preview_follows_a_marker_that_is_moved_renamed_or_removed() -> None:
    live = part("blender.preview.live")
    _, members = flock(1)
    mark = add(members[0])
    scene = bpy.context.scene
    bpy.ops.steering.preview()

    def off(frame: int) -> float:
        scene.frame_set(frame)
        shown = members[0].evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation
        return (shown - mark.location).length

    assert off(FRAME) < 0.01
    marker = scene.timeline_markers[mark.steering.mark.marker]
    marker.frame = 33
    assert off(33) < 0.01 < off(FRAME)
    marker.name = "Elsewhere"
    off(33)
    assert "no marker" in live.report(scene)


@sampled(one_of=2)
@pytest.mark.parametrize("carried", [False, True])
def test_an_exact_mark_is_met_to_the_point_though_another_stands_there(capfd, carried: bool) -> None:
    birds, members = flock(2, wander={})
    at, end = 60, 72
    frames(1, end, fps=24)
    if carried:
        members[0].parent = empty("Carrier")
        members[0].parent.rotation_euler = (0.1, 0.2, 0.0)
        members[0].parent.scale *= 2.0
        members[0].matrix_parent_inverse = members[0].parent.matrix_basis.inverted()
    birds.steering.vehicle.keep_apart, birds.steering.vehicle.radius = True, 0.08
    mark = add(members[0], place=(1.0, 14.0, 3.5), frame=at)
    members[1].location, members[1].scale, members[1].steering.locked = (1.0, 14.28, 3.5), (0.2, 0.2, 0.2), True
    bake()
    off = np.linalg.norm(places(members[:1], at) - mark.location)
    others = [places(members[:1], frame) for frame in (1, end)]
    assert 0.05 < off < 0.3 and "was missed" in (told := capfd.readouterr().out) and "no obstacle between" in told
    mark.steering.mark.exact, mark.steering.mark.lead = True, 2.0
    bake()
    assert np.linalg.norm(places(members[:1], at) - mark.location) < 1e-5
    assert np.abs(places(members[:1], 1) - others[0]).max() < 1e-6
    assert "was missed" not in capfd.readouterr().out
    over = (24, 40, at, end)
    baked = [places(members[:1], frame) for frame in over]
    bpy.ops.steering.preview()
    bpy.context.scene.frame_set(end)
    for frame, expected in zip(over, baked):
        bpy.context.scene.frame_set(frame)
        shown = members[0].evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation
        assert np.abs(np.array(shown) - expected).max() < 1e-5, frame
    bpy.ops.steering.preview()
    mark.steering.mark.lead = 0.2
    bake()
    assert np.linalg.norm(places(members[:1], at) - mark.location) > 0.05
    assert "of which Exact corrects 2 cm in the time it has" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("spread", "shape", "told"), [("VERTICES", "triangle", True), ("FACES", "triangle", False), ("FACES", "edge", True)]
)
def test_a_shape_with_too_few_places_is_told(spread: str, shape: str, told: bool, capfd) -> None:
    _, members = flock(6)
    mesh = bpy.data.meshes.new("Shape")
    corners = [(0.0, 0.0, 0.0), (6.0, 0.0, 0.0), (0.0, 6.0, 0.0)]
    mesh.from_pydata(corners, [(0, 1)] if shape == "edge" else [], [] if shape == "edge" else [(0, 1, 2)])
    outline = bpy.data.objects.new("Shape", mesh)
    bpy.context.collection.objects.link(outline)
    outline.location = (0.0, 15.0, 4.0)
    mark = add(members[0].steering.crowd, outline, of_crowd=True)
    mark.steering.mark.spread = spread
    capfd.readouterr()
    bake()
    said = capfd.readouterr().out
    assert ("have no place of" in said) == told
    if told:
        few = "only 3 vertices for 6 vehicles, so 3" if spread == "VERTICES" else "no faces, so 6"
        assert f"Shape has {few} of Birds have no place of {mark.name}" in said


@sampled
@pytest.mark.parametrize("called", (False, True))
def test_three_clicks_land_one_on_a_roof_until_a_state_calls_it(called: bool) -> None:
    """The roof, the bird, Land Here."""
    birds, members = flock(3)
    frames(1, LANDS + 6)
    birds.steering.locomotion = "FLYING"
    roof = meshed("Roof", [(x, y, 0.0) for x, y in ((-2, -2), (2, -2), (2, 2), (-2, 2))], [(0, 1, 2, 3)])
    roof.location = (2.0, 12.0, 4.0)
    obstacle(roof)
    mark = add(members[1], roof, frame=LANDS, lands=True)
    assert mark.steering.mark.who == members[1] and mark.steering.mark.shape == roof
    if called:
        press("state_add", birds, preset="startle")
        insert(bpy.context.object, "steering.state.cue", {1: 0.0, LANDS + 1: 0.0, LANDS + 2: 1.0})
    bake()
    lift = planning.plan_reading(bpy.context.scene).vehicles.source.lift(np.zeros(3))[1]
    place = places(members, LANDS)
    assert abs(place[1, 2] - lift - 4.0) < 1e-4 and np.abs(place[1, :2] - (2.0, 12.0)).max() <= 2.0
    assert np.linalg.norm(place - places(members, LANDS - 1), axis=1)[[0, 2]].min() > 0.05
    moved = np.linalg.norm(places(members, LANDS + 6)[1] - place[1])
    assert moved > 0.2 if called else moved < 1e-6


def test_what_a_mark_to_land_on_cannot_do_is_told_before_the_bake() -> None:
    birds, _ = flock(3)
    add(birds, lands=True, of_crowd=True)
    birds.steering.locomotion = "FLYING"
    [said] = [text for text in planning.plan_reading(bpy.context.scene).warnings if "Mark" in text]
    assert said == ("Mark has one place to stand on for 3 vehicles of Birds. Choose a Shape, such as a roof or a wire.")
    birds.steering.locomotion = "PLANAR"
    [said] = [text for text in planning.plan_reading(bpy.context.scene).warnings if "Mark" in text]
    assert said == "Birds keeps to the ground and does not land on Mark: it only comes there."
