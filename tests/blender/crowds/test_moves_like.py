"""Tagging gives a new crowd settings that make it move; crowds with settings are kept."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert
from tests.blender.building import empty, frames, link, meshed, part, path_curve, sphere, wedge
from tests.blender.drawing import shown
from tests.blender.dumping import refuses, stored
from tests.blender.seen import places, used, with_role, world_matrices
from tests.blender.steered import bake, crowd, press, select, vehicle
from tests.sampling import sampled

LIKENESSES = ("ANYTHING", "BIRD", "FISH", "ANIMAL", "PERSON", "CAR", "INSECT")


def ships(number: int, size: float = 0.5, spacing: float = 6.0) -> list:
    """Models in rows, spaced by three times their length."""
    side = int(np.ceil(np.sqrt(number)))
    return [
        wedge(f"Model {k:02}", (spacing * size * (k % side), spacing * size * (k // side), 0.0), size)
        for k in range(number)
    ]


def tagged(*objects, **settings):
    """Tag objects as vehicles; returns their crowd."""
    press("tag", *objects, role="VEHICLE", **settings)
    return objects[0].steering.crowd


@pytest.mark.parametrize("factor", [0.05, 20.0])
@pytest.mark.parametrize("like", LIKENESSES)
def test_speed_and_force_scale_with_the_size_of_the_body(like, factor) -> None:
    """The scaled values of the nearest preset are applied."""
    length = 1.6 * 0.5 * factor
    preset = part("blender.crowds.moves_like").fitting_preset(part("blender.crowds.moves_like").likeness(like), length)
    model = tagged(*ships(2, 0.5 * factor), moves_like=like).steering.vehicle
    assert preset.body_length == pytest.approx(length)
    assert model.max_speed == pytest.approx(preset.vehicle["max_speed"], rel=1e-4)
    assert model.max_force == pytest.approx(preset.vehicle["max_force"], rel=1e-4)


@pytest.mark.parametrize(
    ("like", "length", "preset"),
    [
        ("BIRD", 0.2, "Starlings"),
        ("BIRD", 0.35, "Pigeons"),
        ("BIRD", 1.2, "Flock"),
        ("FISH", 0.2, "Small Fish"),
        ("FISH", 2.0, "School"),
        ("PERSON", 1.8, "Pedestrians"),
        ("PERSON", 1.1, "Children"),
        ("CAR", 0.1, "Cars"),
        ("INSECT", 0.1, "Ants"),
    ],
)
def test_the_preset_nearest_in_size_is_used(like, length, preset) -> None:
    moves_like = part("blender.crowds.moves_like")
    assert moves_like.fitting_preset(moves_like.likeness(like), length).label == preset


def test_members_vary_a_little_in_speed_and_keep_their_size() -> None:
    models = ships(30)
    tagged(*models, moves_like="BIRD")
    speeds = np.array([ob.steering.speed_factor for ob in models])
    assert 0.03 < np.abs(speeds - 1.0).max() <= 0.1 + 1e-6
    assert {tuple(ob.scale) for ob in models} == {(1.0, 1.0, 1.0)}
    assert [ob.steering.size_factor for ob in models] == pytest.approx([1.0] * 30)


@sampled
@pytest.mark.parametrize("like", LIKENESSES)
def test_what_is_tagged_is_in_motion_on_the_first_frame_where_it_was(like) -> None:
    """No preset has a pre-roll of its own accord."""
    frames(1, 3)
    models = ships(4)
    start = [tuple(model.location) for model in models]
    tagged(*models, moves_like=like)
    assert models[0].steering.crowd.steering.preroll == 0
    bake()
    for model, place in zip(models, start):
        first, second, _ = places(model, [1, 2, 3])
        assert first == pytest.approx(place, abs=1e-5)
        mover = model.steering.crowd.steering.vehicle
        assert np.linalg.norm(second - first) > 0.8 * min(0.7, mover.cruise_speed) * mover.max_speed / 24.0


def test_vehicles_start_no_faster_than_at_cruise_speed_unless_they_are_told_to() -> None:
    models = ships(3)
    models[2].steering.start_speed = 0.5
    herd = tagged(*models, moves_like="ANIMAL")

    def starts() -> list[float]:
        factors = [ob.steering.variation.start_speed or 1.0 for ob in models]
        return [ob.steering.start_speed / factor for ob, factor in zip(models, factors)]

    assert starts() == pytest.approx([herd.steering.vehicle.cruise_speed] * 2 + [0.5], abs=1e-3)
    assert bpy.ops.steering.preset_apply(preset="starling", vary=True) == {"FINISHED"}
    assert starts() == pytest.approx([0.7, 0.7, 0.5], abs=1e-3)
    assert bpy.ops.steering.preset_apply(preset="shark") == {"FINISHED"}
    assert starts() == pytest.approx([0.18, 0.18, 0.5], abs=1e-3)


def test_vehicles_on_a_path_get_no_region() -> None:
    press("tag", path_curve(), role="PATH")
    tagged(*ships(4), moves_like="CAR")
    assert with_role("REGION") == []


def test_the_report_names_cameras_and_lights_that_were_selected_with_the_models(capfd) -> None:
    camera = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    light = link(bpy.data.objects.new("Light", bpy.data.lights.new("Light", "SUN")))
    tagged(*ships(3), camera, light, moves_like="FISH")
    assert "5 vehicles joined Fish, Camera and Light too; preset" in capfd.readouterr().out


@pytest.mark.parametrize(("system", "pace"), [("METRIC", "1.6 m/s"), ("IMPERIAL", "5.2 ft/s")])
def test_the_report_says_how_fast_they_are(capfd, system: str, pace: str) -> None:
    """Speeds grow with the bodies: a whale is fast."""
    bpy.context.scene.unit_settings.system = system
    tagged(*ships(3), moves_like="FISH")
    assert f", cruises at {pace}" in capfd.readouterr().out


@pytest.mark.parametrize("settle", ["a behavior", "max_speed", "combining", "a member"])
def test_a_crowd_with_any_settings_or_members_keeps_its_settings(settle) -> None:
    settled = crowd(**({"seek": {"weight": 3.0}} if settle == "a behavior" else {}))
    if settle == "max_speed":
        settled.steering.vehicle.max_speed = 20.0
    elif settle == "combining":
        settled.steering.combining = "WEIGHTED_SUM"
    else:
        vehicle(crowd=settled)
    known, models = stored(settled.steering), ships(2)
    assert tagged(*models, moves_like="BIRD") == settled
    assert settle in ("max_speed", "combining") or stored(settled.steering) == known
    assert {tuple(ob.scale) for ob in models} == {(1.0, 1.0, 1.0)}
    assert used(settled) == ({"seek"} if settle == "a behavior" else set())
    assert with_role("REGION") == []


def test_a_new_crowd_is_created_on_request() -> None:
    birds = tagged(*ships(3), moves_like="BIRD")
    fish = tagged(wedge("One"), wedge("Two"), moves_like="FISH", new_crowd=True)
    assert fish != birds
    assert (birds.name, fish.name) == ("Birds", "Fish")
    assert bpy.context.scene.steering.crowd == birds


def test_unchanged_gives_no_behaviors() -> None:
    tagged_crowd = tagged(*ships(3), moves_like="UNCHANGED")
    assert used(tagged_crowd) == set()
    assert with_role("REGION") == []


def test_untagging_takes_back_the_size_that_vary_gave() -> None:
    models = ships(5)
    tagged(*models)
    assert bpy.ops.steering.vary(size=0.3) == {"FINISHED"}
    assert any(tuple(ob.scale) != (1.0, 1.0, 1.0) for ob in models)
    press("untag", *models, role="VEHICLE")
    assert np.allclose([tuple(ob.scale) for ob in models], 1.0, rtol=1e-6)


def test_a_preset_that_cannot_be_read_changes_nothing(monkeypatch, tmp_path) -> None:
    none = part("blender.crowds.preset_files").Shelf("crowd", tmp_path, "steering/nowhere")
    monkeypatch.setattr(part("blender.crowds.moves_like"), "CROWDS", none)
    refuses("tag", "There is no preset anything", *ships(3), role="VEHICLE")


def test_the_menu_offers_to_join_a_crowd_with_settings_or_to_create_one() -> None:
    tagged(*ships(2), moves_like="FISH")
    select(wedge("Third"))
    asked = [entry[-1] for entry in shown("STEERING_MT_moves_like")]
    assert asked == ["Join Fish", "New Crowd Like", "Anything", "Bird", "Fish", "Animal", "Person", "Car", "Insect"]


def person():
    """A body 1.75 m tall with its arms spread, its origin between the feet."""
    ob = meshed("Body", PERSON)
    return ob


def test_a_person_with_spread_arms_has_the_speed_and_radius_of_a_person() -> None:
    model = tagged(person(), moves_like="PERSON").steering.vehicle
    assert model.max_speed == pytest.approx(1.9, rel=1e-4)
    assert 0.2 < model.radius < 0.5


@pytest.mark.parametrize("like", ["PERSON", "BIRD"])
def test_new_members_are_measured_like_existing_members(like) -> None:
    first = person()
    radius = tagged(first, moves_like=like).steering.vehicle.radius
    second = person()
    assert tagged(second).steering.vehicle.radius == radius
    assert second.steering.size_factor == pytest.approx(1.0)


NOSE = [(0.0, 1.0, 0.0), (-0.4, -0.6, 0.0), (0.4, -0.6, 0.0), (0.0, -0.6, 0.3)]
CUBOID = [(x, y, z) for x in (-2.0, 2.0) for y in (-0.8, 0.8) for z in (0.0, 1.4)]
BIRD = [
    *((0.0, y, 0.0) for y in (-0.5, -0.1, 0.1, 0.5)),
    (-0.9, 0.1, 0.0),
    (0.9, 0.1, 0.0),
    (-0.5, 0.2, 0.0),
    (0.5, 0.2, 0.0),
]


PERSON = [(x, y, z) for x in (-0.85, 0.85) for y in (-0.15, 0.15) for z in (0.0, 1.75)]
MAN = [(x, y, z) for x in (-0.35, 0.35) for y in (-0.15, 0.15) for z in (0.0, 0.9, 1.75)]
CASE = [(x, y, z) for x in (0.35, 0.5) for y in (-0.33, 0.33) for z in (0.2, 0.7)]
CAT = [(x, y, z) for x in (-0.3, 0.3) for y in (-1.0, -0.4, 0.2) for z in (0.0, 0.8)]
TAIL = [(x, y, z) for x in (-0.02, 0.02) for y in (0.3, 0.6, 0.9) for z in (0.75, 0.79)]
SHAPES = {
    "a nose": (NOSE, "POS_Y"),
    "a nose to the left": ([(-y, x, z) for x, y, z in NOSE], "NEG_X"),
    "a nose behind": ([(-x, -y, z) for x, y, z in NOSE], "NEG_Y"),
    "a nose to the right": ([(y, -x, z) for x, y, z in NOSE], "POS_X"),
    "long": (CUBOID, "POS_X"),
    "long the other way": ([(y, x, z) for x, y, z in CUBOID], "NEG_Y"),
    "wings, which are no length": (BIRD, "Y"),
    "wings the other way": ([(y, x, z) for x, y, z in BIRD], "X"),
    "spread arms, which are no length": (PERSON, "NEG_Y"),
    "a man": ([(y, x, z) for x, y, z in MAN], "X"),
    "a suitcase, which does not turn him round": (MAN + CASE, "NEG_Y"),
    "a thin tail, which is no nose": (CAT + TAIL, "NEG_Y"),
    "a point": ([(0.0, 0.0, 0.0)], "NEG_Y"),
}
"""Points of bodies, and which way they face, or along which axis."""


@pytest.mark.parametrize(("points", "expected"), SHAPES.values(), ids=SHAPES)
def test_the_shape_of_a_body_tells_which_way_it_faces(points, expected: str) -> None:
    assert part("blender.read.forward_axis").by_shape(np.array(points, dtype=float)).endswith(expected)


def front(ob) -> tuple[str, str]:
    return ob.steering.forward_axis, ob.steering.up_axis


@sampled
@pytest.mark.parametrize("like", LIKENESSES)
@pytest.mark.parametrize("name", ["monkey", "cube", "uv_sphere", "ico_sphere", "cylinder", "torus"])
def test_blenders_own_meshes_face_negative_y(name, like) -> None:
    getattr(bpy.ops.mesh, f"primitive_{name}_add")()
    ob = bpy.context.object
    tagged(ob, moves_like=like)
    assert front(ob) == ("NEG_Y", "POS_Z")


@pytest.mark.parametrize(("like", "expected"), [("FISH", "POS_Z"), ("BIRD", "POS_Z"), ("PERSON", "NEG_Y")])
@pytest.mark.parametrize("was_obstacle", [False, True])
def test_a_cone_swims_with_its_tip_ahead_and_stands_on_the_ground(like, expected, was_obstacle) -> None:
    """The front of an obstacle is guessed once it becomes a vehicle."""
    bpy.ops.mesh.primitive_cone_add()
    cone = bpy.context.object
    if was_obstacle:
        press("tag", cone, role="OBSTACLE")
    tagged(cone, moves_like=like)
    assert cone.steering.forward_axis == expected


def test_eyes_painted_by_a_material_are_ahead() -> None:
    bpy.ops.mesh.primitive_uv_sphere_add()
    ball = bpy.context.object
    for name in ("Skin", "Ball Eyes"):
        ball.data.materials.append(bpy.data.materials.new(name))
    for face in ball.data.polygons:
        face.material_index = int(face.center.x < -0.9)
    tagged(ball)
    assert front(ball) == ("NEG_X", "POS_Z")


def test_cameras_and_lights_face_where_they_look() -> None:
    for data in (bpy.data.cameras.new("Camera"), bpy.data.lights.new("Spot", "SPOT")):
        ob = link(bpy.data.objects.new(data.name, data))
        tagged(ob, moves_like="BIRD")
        assert front(ob) == ("NEG_Z", "POS_Y")


def test_an_empty_faces_y_unless_its_arrow_points_elsewhere() -> None:
    plain, arrow = empty("Plain"), empty("Arrow")
    arrow.empty_display_type = "SINGLE_ARROW"
    tagged(plain, arrow)
    assert front(plain) == ("POS_Y", "POS_Z")
    assert front(arrow) == ("POS_Z", "POS_Y")


def test_the_tracking_axis_and_the_forward_axis_of_follow_path_are_the_front() -> None:
    tracks, follows = sphere("Ball"), sphere("Other")
    tracks.track_axis, tracks.up_axis = "NEG_X", "Y"
    constraint = follows.constraints.new("FOLLOW_PATH")
    constraint.use_curve_follow, constraint.forward_axis, constraint.up_axis = True, "TRACK_NEGATIVE_X", "UP_Z"
    tagged(tracks, follows)
    assert front(tracks) == ("NEG_X", "POS_Y")
    assert front(follows) == ("NEG_X", "POS_Z")


@pytest.mark.parametrize(
    ("turn", "expected"), [((0.0, 0.0, 0.0), "POS_X"), ((0.0, 0.0, np.pi / 2), "NEG_Y"), ((0.0, 0.0, np.pi), "NEG_X")]
)
@pytest.mark.parametrize("role", ["VEHICLE", "LEADER"])
def test_a_keyed_object_faces_where_it_goes(role, turn, expected) -> None:
    ob = sphere("Ball", rotation=turn)
    insert(ob, "location", {1: (0.0, 0.0, 0.0), 20: (9.0, 0.0, 0.0)})
    press("tag", ob, role=role)
    assert ob.steering.forward_axis == expected


def test_a_keyed_object_that_goes_back_and_forth_says_nothing_of_its_front() -> None:
    ob = sphere("Ball")
    insert(ob, "location", {1: (0.0, 0.0, 0.0), 20: (9.0, 0.0, 0.0), 40: (0.0, 0.0, 0.0)})
    tagged(ob)
    assert front(ob) == ("NEG_Y", "POS_Z")


@pytest.mark.parametrize("like", ["BIRD", "PERSON"])
def test_a_model_turned_upright_as_fbx_files_are_stands_and_faces_the_viewer(like) -> None:
    frames(1, 3)
    mesh = bpy.data.meshes.new("Statue")
    # The same statue as it is imported from a file in which +Y is up.
    upright = [(x, y, z) for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (0.0, 1.8)]
    mesh.from_pydata([(x, z, -y) for x, y, z in upright], [], [])
    statue = bpy.data.objects.new("Statue", mesh)
    statue.rotation_euler.x = np.pi / 2
    bpy.context.scene.collection.objects.link(statue)
    bpy.context.view_layer.update()
    tagged(statue, moves_like=like)
    assert front(statue) == ("POS_Z", "POS_Y")
    bake()
    matrix = world_matrices(statue, [3])[0]
    assert matrix[2, 1] > 0.8, "it stands"


@pytest.mark.parametrize(
    ("name", "place", "front"),
    [
        ("Head", (0.0, -1.0, 0.5), "NEG_Y"),
        ("left_Eye.001", (0.9, 0.1, 0.0), "POS_X"),
        ("Tail", (-0.9, 0.0, 0.0), "POS_X"),
        ("RearWheel", (0.0, -0.8, 0.0), "POS_Y"),
        ("Headless", (0.0, 1.0, 0.0), "NEG_Y"),
        ("Head", (0.0, 0.0, 2.0), "NEG_Y"),
    ],
)
def test_names_of_parts_decide_the_forward_axis(name, place, front) -> None:
    root, child = empty("Root"), sphere(name, place, radius=0.1)
    child.parent = root
    bpy.context.view_layer.update()
    tagged(root)
    assert root.steering.forward_axis == front


@pytest.mark.parametrize(("across", "along"), [("X", "Y"), ("Y", "X")])
@pytest.mark.parametrize("names", [("Wing.L", "Wing.R"), ("leftWing", "rightWing"), ("Wings",)])
def test_wings_reach_out_to_both_sides_of_the_forward_axis(names, across, along) -> None:
    root = sphere("Gull", (0.0, 0.0, 0.0), radius=0.2)
    for k, name in enumerate(names):
        ends = [(-1.0, 1.0)] if len(names) == 1 else [(-1.0, -0.2), (0.2, 1.0)]
        corners = [(x, y, 0.0) for x in ends[k] for y in (-0.1, 0.2)]
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata([corner if across == "X" else (corner[1], corner[0], 0.0) for corner in corners], [], [])
        link(bpy.data.objects.new(name, mesh)).parent = root
    bpy.context.view_layer.update()
    tagged(root, moves_like="BIRD")
    assert root.steering.forward_axis[-1] == along
