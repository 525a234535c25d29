"""Populate puts members where there is room for them, on what is selected or chosen as their place."""

import math

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert
from tests.blender.building import at_frames, empty, frames, link, part, path_curve, put, wedge
from tests.blender.crowds.populated import (
    cube,
    figure,
    forwards,
    ground,
    locations,
    members,
    nearest,
    populate,
    populate_after,
)
from tests.blender.drawing import texts, up_to_date
from tests.blender.dumping import refuses
from tests.blender.seen import listed, places
from tests.blender.steered import bake, select, tag, vehicle
from tests.blender.walkers import box, idle, stash, walk, walker
from tests.sampling import sampled


def told_by_the_panel() -> str:
    part("blender.status.census").refresh(bpy.context.scene)
    return texts(up_to_date("STEERING_PT_populate"))


def test_spread_arms_need_no_room() -> None:
    tall = cube("Person", size=2.0, scale=(0.9, 0.15, 0.9))
    crowd = populate_after(tall, count=9)
    assert 0.5 < nearest(locations(crowd)) < 1.0, "arms are only spread in the model"


def test_members_on_a_surface_do_not_overlap() -> None:
    floor = ground(location=(0.0, 0.0, 3.0), rotation=(0.3, 0.0, 0.0))
    crowd = populate_after(floor, wedge(size=0.5), count=60)
    assert crowd.steering.populate.arrangement == "SURFACE", "a much larger object is the ground"
    assert crowd.steering.populate.place == floor
    local = np.array([floor.matrix_world.inverted() @ ob.location for ob in members(crowd)])
    assert np.allclose(local[:, 2], 0.0, atol=1e-4)
    assert abs(local[:, :2]).max() <= 10.0 + 1e-4
    assert nearest(locations(crowd)) >= 2.0 * 0.42, "their width, a little less than that of the bounding sphere"
    assert not floor.is_property_set("steering")


@pytest.mark.parametrize("shape", ["ROUND", "BOX", "MESH"])
def test_scattered_members_keep_out_of_obstacles(shape: str) -> None:
    box = tag(cube(size=8.0, location=(2.0, 0.0, 4.0)), role="OBSTACLE")
    box.steering.obstacle_shape = shape
    crowd = populate_after(ground(20.0), wedge(size=0.4), count=60)
    offsets = locations(crowd) - (2.0, 0.0, 4.0)
    assert len(offsets) == 60
    if shape == "ROUND":
        out = np.linalg.norm(offsets, axis=1) - 4.0 * math.sqrt(3.0)
    else:
        out = np.linalg.norm(np.maximum(np.abs(offsets) - 4.0, 0.0), axis=1)
    assert out.min() >= 0.8 * 0.4


def test_people_do_not_start_below_what_leaves_no_headroom() -> None:
    tag(box("Stage", (-3.0, -3.0, 0.9), (3.0, 3.0, 1.1)), role="SURFACE")
    crowd = populate_after(ground(12.0), walker(), count=30, moves_like="PERSON")
    assert len(members(crowd)) == 30
    assert (np.abs(locations(crowd)[:, :2]).max(axis=1) > 3.0).all()


@pytest.mark.parametrize("made_as", ["OBJECTS", "POINTS"])
def test_a_second_crowd_keeps_out_of_the_long_bodies_of_the_first(made_as: str) -> None:
    """Each within 3 m of a rod of 6 m keeps its radius from all of it, not from its middle alone."""
    floor, rod = ground(24.0), put(box("Rod", (-0.2, -3.0, 0.0), (0.2, 3.0, 0.4)), location=(40.0, 0.0, 0.0))
    rods = populate_after(rod, floor, count=12, made_as=made_as, random_turn=3.0, hide_models=True)
    assert rods.steering.vehicle.length == pytest.approx(6.0)
    others, _ = part("blender.crowds.populating.members").bodies_of_others(bpy.context.scene, None, set())
    crowd = populate_after(wedge(size=0.3, location=(45.0, 0.0, 0.0)), floor, count=80, hide_models=True)
    gap = np.sqrt(((locations(crowd)[:, None] - others) ** 2).sum(axis=2))
    assert len(gap) == 80 and len(others) >= 12 * 20 and gap.min() >= 0.2 + 0.24
    assert nearest(others[12:]) < 0.11, "they are balls in a row from end to end"


def test_an_obstacle_that_is_the_ground_or_carried_by_a_vehicle_takes_no_room() -> None:
    floor = tag(ground(20.0), role="OBSTACLE")
    floor.steering.obstacle_shape = "MESH"
    ship = vehicle(name="Ship", location=(0.0, 0.0, 0.0))
    shield = tag(cube("Shield", size=19.0), role="OBSTACLE")
    shield.parent = ship
    crowd = populate_after(floor, wedge(size=0.4), count=40)
    assert len(members(crowd)) == 40
    assert abs(locations(crowd)).max() > 6.0


def test_only_members_that_have_room_are_made_and_the_panel_tells_their_number() -> None:
    crowd = populate_after(ground(4.0), wedge(size=0.5), count=500)
    assert 4 < len(members(crowd)) < 40
    assert crowd.steering.populate.count == 500
    told = f"{len(members(crowd))} of 500 members have been placed"
    assert told in told_by_the_panel()
    populate(count=3)
    assert "have been placed" not in told_by_the_panel()


def test_animals_start_on_the_upper_side_of_a_ball_and_what_crawls_all_round_it() -> None:
    bpy.ops.mesh.primitive_uv_sphere_add(segments=24, ring_count=12, radius=8.0)
    ball, model = bpy.context.object, wedge(size=0.5, location=(40.0, 0.0, 0.0))
    crowd = populate_after(model, count=20, arrangement="SURFACE", place=ball.name, moves_like="ANIMAL")
    on_top = locations(crowd)
    assert len(on_top) == 20 and on_top[:, 2].min() > 8.0 * math.cos(0.75)
    assert listed() == {}
    crowd.steering.locomotion = "CRAWLING"
    assert listed() == {}, "they are on the outside already"
    populate()
    all_round, up = locations(crowd), np.array([ob.matrix_world.col[2].xyz for ob in members(crowd)])
    assert (all_round[:, 2] < -4.0).any()
    assert ((all_round * up).sum(axis=1) > 0.0).all(), "none is inside"
    crowd.steering.locomotion = "ON_FOOT"
    assert "UPSIDE_DOWN" in listed()
    populate()
    assert (locations(crowd) == on_top).all() and listed() == {}


def test_what_crawls_starts_in_no_rock_that_stands_on_its_ground() -> None:
    bpy.ops.mesh.primitive_uv_sphere_add(radius=1.5)
    rock = tag(bpy.context.object, role="SURFACE")
    crowd = populate_after(tag(ground(8.0), role="SURFACE"), wedge(size=0.1), count=60, moves_like="ANIMAL")
    crowd.steering.locomotion = "CRAWLING"
    populate()
    assert len(members(crowd)) == 60
    assert np.linalg.norm(locations(crowd) - rock.location, axis=1).min() > 1.4


@pytest.mark.parametrize("shape", ["SPHERE", "BOX"])
def test_members_in_a_region_are_inside_it(shape: str) -> None:
    region = tag(empty("Sky", location=(5.0, 0.0, 8.0), scale=(6.0, 3.0, 3.0)), role="REGION")
    region.steering.region_shape = shape
    crowd = populate_after(region, wedge(size=0.2), count=80)
    assert crowd.steering.populate.arrangement == "VOLUME"
    local = np.array([region.matrix_world.inverted() @ ob.location for ob in members(crowd)])
    assert len(local) == 80
    assert abs(local).max() <= 1.0 + 1e-4
    assert (np.linalg.norm(local, axis=1).max() <= 1.0 + 1e-4) == (shape == "SPHERE")
    assert nearest(locations(crowd)) >= 0.4 - 1e-4


@sampled
@pytest.mark.parametrize("like", ["FISH", "BIRD", "PERSON"])
def test_what_flies_or_swims_fills_a_box_that_is_selected_with_it_and_stays_inside(like: str) -> None:
    frames(1, 60)
    box = cube("Tank", location=(0.0, 0.0, 2.0))
    crowd = populate_after(wedge(size=0.1), box, moves_like=like, count=10)
    if like == "PERSON":
        assert crowd.steering.populate.arrangement == "SURFACE" and box.steering.roles == {"SURFACE"}
        return
    keeping = crowd.steering.containment
    assert (keeping.region, keeping.firm, box.steering.roles) == (box, True, {"REGION"})
    assert box.steering.region_shape == "BOX"
    assert np.abs(locations(crowd) - (0.0, 0.0, 2.0)).max() <= 2.0
    bake()
    for ob in members(crowd):
        assert np.abs(places(ob, range(1, 61)) - (0.0, 0.0, 2.0)).max() <= 2.0


def test_what_was_found_follows_moves_like_in_the_redo_panel_and_what_was_chosen_stays() -> None:
    box, fish = cube("Tank"), wedge(size=0.1)
    select(fish, box)
    redone = {"moves_like": "FISH", "count": 3, "place": "Tank", "arrangement": "SURFACE", "random_scale": 0.25}
    for found, arrangement, share in (
        ("arrangement=SURFACE random_scale=0.25", "VOLUME", 0.05),
        ("arrangement=GRID random_scale=0.1", "SURFACE", 0.25),
    ):
        crowd = populate(**redone, found=found).steering.populate
        assert (crowd.arrangement, crowd.random_scale) == (arrangement, pytest.approx(share))
        box.steering.roles = set()
        select(fish, box)


@pytest.mark.parametrize("form", ["a slab", "a ground that is tagged", "too small for them"])
def test_what_flies_or_swims_is_put_on_other_places(form: str) -> None:
    box = cube("Place", size=8.0, scale=(1.0, 1.0, 0.05 if form == "a slab" else 0.15))
    if form == "a ground that is tagged":
        tag(box, role="SURFACE")
    crowd = populate_after(wedge(size=1.0 if form == "too small for them" else 0.1), box, moves_like="FISH", count=3)
    assert crowd.steering.populate.arrangement == "SURFACE"


def test_sizes_vary_as_the_panel_shows_and_count_for_the_room_of_members() -> None:
    crowd = populate_after(figure(), ground(6.0), moves_like="PERSON", count=12)
    share = crowd.steering.populate.random_scale
    scales = np.array([ob.scale[0] for ob in members(crowd)])
    assert share == pytest.approx(0.05)
    assert 0.01 < np.abs(scales - 1.0).max() <= share
    radii = [crowd.steering.vehicle.radius * ob.steering.size_factor for ob in members(crowd)]
    assert (3.0 - np.abs(locations(crowd)[:, :2]).max(axis=1) > radii).all()
    assert listed() == {}


def test_a_model_whose_scale_is_keyed_keeps_its_size_in_silence_unless_another_is_asked_for(capfd) -> None:
    ship = wedge()
    insert(ship, "scale", {1: (1.0, 1.0, 1.0), 9: (2.0, 2.0, 2.0)})
    crowd = populate_after(ship, moves_like="BIRD", count=6)
    assert crowd.steering.populate.random_scale == 0.0
    assert {ob.steering.size_factor for ob in members(crowd)} == {1.0}
    assert "Warning" not in capfd.readouterr().out


def test_members_along_a_curve_are_on_it_and_face_along_it() -> None:
    road = path_curve(points=((0, 0, 0), (40, 0, 0)))
    crowd = populate_after(road, wedge(size=0.3), count=20, random_turn=0.0)
    assert crowd.steering.populate.arrangement == "CURVE"
    assert np.allclose(np.diff(locations(crowd)[:, 0]), 2.0, atol=1e-4)
    assert np.allclose(forwards(crowd), (1.0, 0.0, 0.0), atol=1e-5)
    populate(evenly=False)
    assert np.ptp(np.diff(np.sort(locations(crowd)[:, 0]))) > 0.1
    assert nearest(locations(crowd)) >= 2.0 * 0.24
    street = path_curve("Street", points=((0, 50, 0), (40, 50, 0)))
    cars = populate_after(street, wedge("Car", size=3.0), count=3, moves_like="CAR", random_turn=0.3)
    assert np.allclose(np.abs(forwards(cars)), (1.0, 0.0, 0.0), atol=1e-5), "who drives sets out along its lane"


def test_members_along_a_curve_that_they_follow_either_way_set_out_both_ways() -> None:
    road, ant = path_curve(points=((0, 0, 0), (2, 0, 0))), wedge(size=0.004)
    crowd = populate_after(road, ant, count=60, moves_like="INSECT", random_turn=0.0)
    assert crowd.steering.path_following.direction == "EITHER"
    assert 0.3 < (forwards(crowd)[:, 0] > 0.0).mean() < 0.7
    before = forwards(crowd)
    crowd.steering.path_following.direction = "FORWARD"
    populate(seed=4)
    assert (before[:, 0] < 0.0).any() and (forwards(crowd)[:, 0] > 0.0).all()


@pytest.mark.parametrize(("like", "roles"), [("PERSON", {"PATH"}), ("CAR", {"PATH"}), ("BIRD", set())])
def test_a_curve_becomes_the_path_of_new_members_that_follow_paths(like: str, roles: set[str]) -> None:
    road = path_curve(points=((0, 0, 0), (40, 0, 0)))
    populate_after(wedge(size=0.3), road, count=3, moves_like=like)
    assert (set(road.steering.roles) if road.is_property_set("steering") else set()) == roles


def test_warnings_come_last_as_the_status_bar_shows_only_the_last_report(capfd) -> None:
    road, rig = path_curve(points=((0, 0, 0), (4, 0, 0))), walker()
    stash(rig, idle(rig), walk(rig))
    populate_after(rig, road, count=30, moves_like="PERSON")
    *_, told, last = capfd.readouterr().out.strip().splitlines()
    assert told.startswith("Info: People has") and told.endswith("; they play Idle, Walk")
    assert last.startswith("Warning: Road only has room for")


def test_members_in_formation_are_placed_relative_to_the_crowd_and_face_its_way() -> None:
    crowd = populate_after(wedge(size=0.3), arrangement="WEDGE", count=7, distance=2.0, random_turn=0.0)
    crowd.location, crowd.rotation_euler.z = (10.0, 0.0, 4.0), -math.pi / 2.0
    bpy.context.view_layer.update()
    populate()
    where = locations(crowd)
    assert np.allclose(where[0], (10.0, 0.0, 4.0), atol=1e-5)
    assert (where[1:, 0] < 9.9).all(), "the others are behind, and the crowd faces +X"
    assert np.allclose(forwards(crowd), (1.0, 0.0, 0.0), atol=1e-5)
    assert nearest(where) >= 2.0 - 1e-4


@pytest.mark.parametrize(
    ("arrangement", "place", "told"),
    [
        ("SURFACE", "", "The arrangement On a Surface has no place. Choose a mesh"),
        ("CURVE", "", "The arrangement Along a Curve has no place. Choose a curve"),
        ("CURVE", "Ground", "Ground cannot be the place of the members. Choose a curve"),
        ("SURFACE", "Moon", r"Moon not found in the scene\. Choose another place"),
        ("SURFACE", "Empty Mesh", "Empty Mesh has no faces. Choose another mesh"),
        ("CURVE", "Dot", "Dot has no length. Edit the curve"),
        ("VOLUME", "Ground", "Ground has no inside. Choose a region, an Empty or a closed mesh"),
    ],
)
def test_a_place_that_is_missing_or_does_not_suit_is_refused(arrangement: str, place: str, told: str) -> None:
    ground()
    link(bpy.data.objects.new("Empty Mesh", bpy.data.meshes.new("Nothing")))
    path_curve("Dot", points=((1, 2, 3),))
    refuses("populate", told, wedge(), arrangement=arrangement, **({"place": place} if place else {}))


def stream(count: int = 6, **settings):
    """A crowd in one place at (0, 2, 0) whose vehicles go straight on to +Y."""
    frames(1, 80)
    bpy.context.scene.cursor.location = (0.0, 2.0, 0.0)
    return populate_after(wedge(size=0.3), count=count, arrangement="ONE_PLACE", random_turn=0.0, **settings)


def test_members_in_one_place_enter_one_after_another() -> None:
    crowd = stream()
    assert np.allclose(locations(crowd), (0.0, 2.0, 0.0))
    attendance = crowd.steering.attendance
    assert (attendance.use_enter_frame, attendance.enter_frame, attendance.enter_span) == (True, 2, 78)
    frames(1, 140)  # The last members may have to wait for room.
    bake()
    counts = []
    for frame in at_frames(range(1, 141)):
        seen = [ob for ob in members(crowd) if not ob.hide_viewport]
        counts.append(len(seen))
        for ob in seen:
            assert all(other == ob or (other.location - ob.location).length > 0.4 for other in seen), frame
    assert counts[0] == 0 and counts[-1] == 6 and max(np.diff(counts)) == 1


def test_overlapping_members_are_reported(capfd) -> None:
    crowd = stream()
    assert "The members enter one after another, from frame 2 to 80" in capfd.readouterr().out
    crowd.steering.attendance.use_enter_frame = False
    populate()
    assert "overlap. Enable Enter Later" in capfd.readouterr().out


@pytest.mark.parametrize("spread", ["CURSOR", "MODEL"])
def test_a_group_on_a_large_ground_is_together_and_stays_where_it_is_as_it_grows(spread) -> None:
    plane, model = ground(size=80.0), wedge("Deer", (20.0, -10.0, 0.0), size=1.0)
    bpy.context.scene.cursor.location = (-15.0, 25.0, -30.0)
    crowd = populate_after(model, plane, count=14, spread=spread)
    before = [tuple(ob.location) for ob in members(crowd)]
    middle = (-15.0, 25.0) if spread == "CURSOR" else (20.0, -10.0)
    assert len(before) == 14 and nearest(locations(crowd)) > 1.0
    assert np.linalg.norm(locations(crowd)[:, :2] - middle, axis=1).max() < 15.0
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    crowd = populate(count=30)
    assert [tuple(ob.location) for ob in members(crowd)][:14] == before
    assert np.linalg.norm(locations(crowd)[:, :2] - middle, axis=1).max() < 20.0
    assert populate(spread="ALL") == crowd
    assert np.linalg.norm(locations(crowd)[:, :2] - middle, axis=1).max() > 35.0
