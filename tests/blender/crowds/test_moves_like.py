"""Tagging leaves a crowd that lives: it moves like what was asked for, and nothing settled is touched."""

import bpy
import numpy as np
import pytest

from tests.blender.building import (
    assert_same,
    bake,
    baked_frames,
    crowd,
    empty,
    frames,
    part,
    path_curve,
    places,
    scene_dump,
    select,
    sphere,
    stored,
    vehicle,
    wedge,
    world_matrices,
)
from tests.blender.drawing import shown

LIKENESSES = ("ANYTHING", "BIRD", "FISH", "ANIMAL", "PERSON", "CAR")
ON_GROUND = ("ANIMAL", "PERSON", "CAR")


def ships(number: int, size: float = 0.5, spacing: float = 6.0) -> list:
    """Models in rows, three times as far apart as they are long."""
    side = int(np.ceil(np.sqrt(number)))
    return [
        wedge(f"Model {k:02}", (spacing * size * (k % side), spacing * size * (k // side), 0.0), size)
        for k in range(number)
    ]


def tagged(*objects, **settings):
    """The crowd of objects that were tagged as vehicles."""
    select(*objects)
    assert bpy.ops.steering.tag(role="VEHICLE", **settings) == {"FINISHED"}
    return objects[0].steering.crowd


def used(ob) -> set[str]:
    names = [b.name for b in part("behaviors").CATALOGUE]
    return {name for name in names if ob.steering.is_property_set(name) and getattr(ob.steering, name).use}


def with_role(role: str) -> list:
    return [ob for ob in bpy.data.objects if ob.is_property_set("steering") and role in ob.steering.roles]


# ---- a crowd that lives


@pytest.mark.parametrize("like", [None, *LIKENESSES])
def test_a_tagged_crowd_moves_and_turns_and_keeps_to_its_place(like) -> None:
    frames(1, 120)
    models = ships(9)
    own = tagged(*models, **({} if like is None else {"moves_like": like}))
    assert used(own)
    bake()
    cruise = own.steering.vehicle.max_speed * own.steering.vehicle.cruise_speed
    path = np.array([places(ob, range(1, 121, 7)) for ob in models])
    legs = np.diff(path, axis=1)
    assert np.median(np.linalg.norm(legs, axis=-1)) > 0.4 * cruise * 7 / 24, "it bakes no stillness"
    straight = np.linalg.norm(path[:, -1] - path[:, 0], axis=-1) / np.linalg.norm(legs, axis=-1).sum(axis=1)
    assert straight.min() < 0.9998, "nor all straight lines"
    (room,) = with_role("REGION")
    away = np.linalg.norm(path - np.array(room.location), axis=-1)
    assert np.median(away) < 1.5 * room.empty_display_size


def test_each_likeness_has_its_number_for_good() -> None:
    items = bpy.ops.steering.tag.get_rna_type().properties["moves_like"].enum_items
    assert {item.identifier: item.value for item in items} == {
        "ANYTHING": 0,
        "BIRD": 1,
        "FISH": 2,
        "ANIMAL": 3,
        "PERSON": 4,
        "CAR": 5,
        "UNCHANGED": 6,
    }


@pytest.mark.parametrize("factor", [0.05, 20.0])
@pytest.mark.parametrize("like", LIKENESSES)
def test_speed_and_agility_go_with_the_size_of_the_body(like, factor) -> None:
    """Within one preset; where there are several for the sizes of birds, the fitting one is taken."""
    length = 1.6 * 0.5 * factor
    preset = part("blender.crowds.moves_like").fitting(part("blender.crowds.moves_like").likeness(like), length)
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
    ],
)
def test_of_several_presets_the_one_for_that_size_is_taken(like, length, preset) -> None:
    moves_like = part("blender.crowds.moves_like")
    assert moves_like.fitting(moves_like.likeness(like), length).label == preset


def test_its_members_differ_a_little() -> None:
    models = ships(30)
    tagged(*models, moves_like="BIRD")
    speeds = np.array([ob.steering.speed_factor for ob in models])
    scales = np.array([ob.scale[0] for ob in models])
    assert 0.03 < np.abs(speeds - 1.0).max() <= 0.1 + 1e-6
    assert 0.01 < np.abs(scales - 1.0).max() <= 0.05 + 1e-6
    assert np.allclose([ob.steering.size_factor for ob in models], scales, rtol=1e-5)


def test_one_alone_is_as_it_is_and_starts_where_it_was_put() -> None:
    frames(1, 5)
    (model,) = ships(1)
    model.location = (3.0, 4.0, 5.0)
    tagged(model, moves_like="BIRD")
    assert tuple(model.scale) == (1.0, 1.0, 1.0)
    assert bpy.context.scene.steering.preroll == 0
    bake()
    assert places(model, [1])[0] == pytest.approx((3.0, 4.0, 5.0))


@pytest.mark.parametrize("like", ON_GROUND)
def test_what_walks_or_drives_keeps_to_its_height(like) -> None:
    frames(1, 30)
    models = ships(4)
    tagged(*models, moves_like=like)
    bake()
    assert np.ptp([places(ob, baked_frames())[:, 2] for ob in models]) < 1e-5


def test_they_are_in_flight_at_the_first_frame_where_the_preset_says_so() -> None:
    tagged(*ships(4), moves_like="BIRD")
    assert bpy.context.scene.steering.preroll == 48


def test_a_preroll_is_not_set_for_vehicles_of_others() -> None:
    vehicle(crowd=crowd("Mine", wander={}))
    tagged(*ships(4), moves_like="BIRD", new_crowd=True)
    assert bpy.context.scene.steering.preroll == 0


# ---- room


def test_a_region_that_is_there_is_enough() -> None:
    own = empty("Meadow")
    select(own)
    bpy.ops.steering.tag(role="REGION")
    tagged(*ships(4), moves_like="FISH")
    assert with_role("REGION") == [own]


def test_the_region_of_another_crowd_is_its_own() -> None:
    birds = tagged(*ships(3), moves_like="BIRD")
    far = [wedge(f"Far {k}", (500.0 + 3.0 * k, 0.0, 0.0)) for k in range(3)]
    fish = tagged(*far, moves_like="FISH", new_crowd=True)
    assert fish.steering.containment.region != birds.steering.containment.region
    assert fish.steering.containment.region.location.x == pytest.approx(503.0)


def test_who_follows_a_path_needs_no_region() -> None:
    select(path_curve())
    bpy.ops.steering.tag(role="PATH")
    tagged(*ships(4), moves_like="CAR")
    assert with_role("REGION") == []


# ---- what is settled stays


def test_a_crowd_with_behaviors_is_left_as_it_is() -> None:
    own = crowd(seek={"weight": 3.0})
    vehicle(crowd=own)
    known = stored(own.steering)
    scale = [tuple(ob.scale) for ob in ships(3)]
    joined = tagged(*[bpy.data.objects[f"Model 0{k}"] for k in range(3)], moves_like="BIRD")
    assert joined == own
    assert stored(own.steering) == known
    assert [tuple(bpy.data.objects[f"Model 0{k}"].scale) for k in range(3)] == scale
    assert with_role("REGION") == []


@pytest.mark.parametrize("settle", ["max_speed", "combining", "a member"])
def test_a_crowd_that_somebody_has_settled_is_left_as_it_is(settle) -> None:
    own = crowd()
    if settle == "max_speed":
        own.steering.vehicle.max_speed = 20.0
    elif settle == "combining":
        own.steering.combining = "WEIGHTED_SUM"
    else:
        vehicle(crowd=own)
    tagged(*ships(2))
    assert used(own) == set()


def test_a_crowd_of_its_own_on_request() -> None:
    birds = tagged(*ships(3), moves_like="BIRD")
    fish = tagged(wedge("One"), wedge("Two"), moves_like="FISH", new_crowd=True)
    assert fish != birds
    assert (birds.name, fish.name) == ("Birds", "Fish")
    assert bpy.context.scene.steering.crowd == birds


def test_unchanged_gives_no_behaviors() -> None:
    own = tagged(*ships(3), moves_like="UNCHANGED")
    assert used(own) == set()
    assert with_role("REGION") == []


def test_untagging_gives_the_size_back() -> None:
    models = ships(5)
    tagged(*models)
    assert any(tuple(ob.scale) != (1.0, 1.0, 1.0) for ob in models)
    select(*models)
    assert bpy.ops.steering.untag(role="VEHICLE") == {"FINISHED"}
    assert np.allclose([tuple(ob.scale) for ob in models], 1.0, rtol=1e-6)


def test_a_preset_that_cannot_be_read_changes_nothing(monkeypatch, tmp_path) -> None:
    none = part("blender.crowds.preset_files").Shelf(tmp_path, "steering/nowhere", str)
    monkeypatch.setattr(part("blender.crowds.moves_like"), "CROWDS", none)
    select(*ships(3))
    before = scene_dump()
    with pytest.raises(RuntimeError, match="There is no preset anything"):
        bpy.ops.steering.tag(role="VEHICLE")
    assert_same(before, scene_dump())


def test_tagging_is_undone_as_one_step() -> None:
    select(*ships(3))
    bpy.ops.ed.undo_push(message="Before")
    before = scene_dump()
    assert bpy.ops.steering.tag(role="VEHICLE", moves_like="BIRD") == {"FINISHED"}
    bpy.ops.ed.undo_push(message="Tagged")
    bpy.ops.ed.undo()
    assert_same(before, scene_dump())


# ---- the menu that asks


def test_the_menu_asks_what_they_move_like() -> None:
    select(*ships(2))
    asked = [entry[2] for entry in shown("STEERING_MT_moves_like") if entry[0] == "operator"]
    assert asked == ["Anything", "Bird", "Fish", "Animal", "Person", "Car", "As the Crowd Is"]


def test_where_a_crowd_is_settled_the_menu_offers_to_join_it_or_to_make_another() -> None:
    tagged(*ships(2), moves_like="FISH")
    select(wedge("Third"))
    asked = [entry[-1] for entry in shown("STEERING_MT_moves_like")]
    assert asked == ["Join Fish", "New Crowd Like", "Anything", "Bird", "Fish", "Animal", "Person", "Car"]


# ---- size


def person():
    """A body 1.75 m tall with its arms spread, its origin between the feet."""
    mesh = bpy.data.meshes.new("Body")
    corners = [(x, y, z) for x in (-0.85, 0.85) for y in (-0.15, 0.15) for z in (0.0, 1.75)]
    mesh.from_pydata(corners, [], [])
    ob = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(ob)
    return ob


def test_a_person_is_as_large_as_tall_and_takes_room_for_a_person() -> None:
    own = tagged(person(), moves_like="PERSON").steering.vehicle
    assert own.max_speed == pytest.approx(1.9, rel=1e-4)
    assert 0.2 < own.radius < 0.5


def test_a_person_takes_room_for_a_person_where_the_preset_came_first_too() -> None:
    own = crowd()
    bpy.ops.steering.preset_apply(preset="pedestrian")
    body = person()
    select(body, own)
    assert bpy.ops.steering.tag(role="VEHICLE") == {"FINISHED"}
    assert 0.2 < own.steering.vehicle.radius < 0.5


@pytest.mark.parametrize("like", ["PERSON", "BIRD"])
def test_who_joins_is_measured_as_the_others_were(like) -> None:
    first = person()
    radius = tagged(first, moves_like=like).steering.vehicle.radius
    second = person()
    assert tagged(second).steering.vehicle.radius == radius
    assert second.steering.size_factor == pytest.approx(1.0)


# ---- which side is the front


def body(points) -> np.ndarray:
    return np.array(points, dtype=float)


NOSE = [(0.0, 1.0, 0.0), (-0.4, -0.6, 0.0), (0.4, -0.6, 0.0), (0.0, -0.6, 0.3)]
CUBOID = [(x, y, z) for x in (-2.0, 2.0) for y in (-0.8, 0.8) for z in (0.0, 1.4)]
BIRD = [
    *((0.0, y, 0.0) for y in (-0.5, -0.1, 0.1, 0.5)),
    (-0.9, 0.1, 0.0),
    (0.9, 0.1, 0.0),
    (-0.5, 0.2, 0.0),
    (0.5, 0.2, 0.0),
]


@pytest.mark.parametrize("quarter", range(4))
def test_a_point_goes_ahead(quarter) -> None:
    points = body(NOSE)
    for _ in range(quarter):
        points = np.stack((-points[:, 1], points[:, 0], points[:, 2]), axis=1)
    assert part("blender.crowds.forward_axis").by_shape(points) == ("POS_Y", "NEG_X", "NEG_Y", "POS_X")[quarter]


def test_what_is_long_goes_lengthwise() -> None:
    assert part("blender.crowds.forward_axis").by_shape(body(CUBOID)) == "POS_X"
    assert part("blender.crowds.forward_axis").by_shape(body(CUBOID)[:, [1, 0, 2]]) == "POS_Y"


def test_wings_are_no_length() -> None:
    assert part("blender.crowds.forward_axis").by_shape(body(BIRD))[-1] == "Y"
    assert part("blender.crowds.forward_axis").by_shape(body(BIRD)[:, [1, 0, 2]])[-1] == "X"


def test_spread_arms_are_no_length() -> None:
    spread = body([(x, y, z) for x in (-0.85, 0.85) for y in (-0.15, 0.15) for z in (0.0, 1.75)])
    assert part("blender.crowds.forward_axis").by_shape(spread) == "POS_Y"


def test_a_ball_and_a_point_go_along_y() -> None:
    assert part("blender.crowds.forward_axis").by_shape(body([(0, 0, 0)])) == "POS_Y"
    assert tagged(sphere("Ball")).name
    assert bpy.data.objects["Ball"].steering.forward_axis == "POS_Y"


@pytest.mark.parametrize(
    ("name", "place", "front"),
    [
        ("Head", (0.0, -1.0, 0.5), "NEG_Y"),
        ("left_Eye.001", (0.9, 0.1, 0.0), "POS_X"),
        ("Tail", (-0.9, 0.0, 0.0), "POS_X"),
        ("RearWheel", (0.0, -0.8, 0.0), "POS_Y"),
        ("Headless", (0.0, -1.0, 0.0), "POS_Y"),
        ("Head", (0.0, 0.0, 2.0), "POS_Y"),
    ],
)
def test_parts_tell_by_their_names(name, place, front) -> None:
    root, child = empty("Root"), sphere(name, place, radius=0.1)
    child.parent = root
    bpy.context.view_layer.update()
    tagged(root)
    assert root.steering.forward_axis == front


@pytest.mark.parametrize("scene", ["flock", "school", "walkers"])
def test_the_models_that_ship_face_the_way_that_is_guessed(scene) -> None:
    getattr(bpy.ops.steering, f"add_{scene}")(count=1)
    bpy.context.view_layer.update()
    (model,) = with_role("VEHICLE")
    family, shapes = part("blender.hierarchy").Family(), part("blender.read.body_sizes")
    measured = shapes.Body.of(model, bpy.context.evaluated_depsgraph_get(), family)
    assert part("blender.crowds.forward_axis").front_of(model, family, measured) == ("POS_Y", "POS_Z")


def test_it_goes_where_its_front_is() -> None:
    frames(1, 12)
    mesh = bpy.data.meshes.new("Bus")
    mesh.from_pydata(CUBOID, [], [])
    bus = bpy.data.objects.new("Bus", mesh)
    bpy.context.scene.collection.objects.link(bus)
    tagged(bus, moves_like="CAR")
    bake()
    turn = world_matrices(bus, [6])[0]
    way = places(bus, [7])[0] - places(bus, [5])[0]
    assert turn[:3, 0] @ way > 0.95 * np.linalg.norm(way)
