"""The region that Populate and tagging give a new crowd: over the ground for those who walk on it."""

import math

import bpy
import numpy as np
import pytest

from tests.blender.building import part, wedge
from tests.blender.crowds.test_populate import cube, figure, ground, populate
from tests.blender.steered import press, select
from tests.sampling import sampled

SIDE = 20.0


def populated(place, **settings):
    select(figure(), place)
    return populate(**settings)


def room_of(crowd):
    return crowd.steering.containment.region


@sampled
@pytest.mark.parametrize("like", ["PERSON", "ANIMAL"])
@pytest.mark.parametrize("turned", [(0.0, 0.0, 0.7), (math.pi / 2.0, 0.0, 0.0)], ids=["about Z", "Y upward"])
def test_what_walks_on_a_ground_stays_over_it_and_moves_with_it(like: str, turned: tuple[float, ...]) -> None:
    field = ground(SIDE, rotation=turned)
    if turned[0]:
        # As an importer leaves a ground that was modelled with Y upward.
        field.data.transform(field.matrix_basis.to_3x3().inverted().to_4x4())
    bpy.context.view_layer.update()
    crowd = populated(field, moves_like=like, count=5)
    room, vehicle = room_of(crowd), crowd.steering.vehicle
    field.location.x += 3.0
    bpy.context.view_layer.update()
    assert room.steering.region_shape == "BOX" and room.parent == field
    matrix = np.array(room.matrix_world)
    reach = np.abs(matrix[:3, :3]).sum(axis=1)
    # The ends of their bodies stay over it, too.
    half = SIDE / 2.0 - max(vehicle.radius, vehicle.length / 2.0)
    assert half < SIDE / 2.0
    flat = half * (math.cos(turned[2]) + math.sin(turned[2]))
    assert np.allclose(reach[:2], flat, rtol=1e-4)
    assert reach[2] > SIDE
    assert np.allclose(matrix[:2, 3], [3.0, 0.0], atol=1e-4)


def test_what_flies_over_a_ground_or_stands_in_a_grid_has_a_sphere() -> None:
    birds = populated(ground(SIDE), moves_like="BIRD", count=5)
    assert room_of(birds).steering.region_shape == "SPHERE" and room_of(birds).parent is None
    select(figure())
    people = populate(moves_like="PERSON", count=5)
    assert room_of(people).steering.region_shape == "SPHERE" and room_of(people).parent is None


def test_models_that_are_larger_than_an_empty_is_drawn_are_not_far_outside_their_region() -> None:
    select(wedge(size=400.0))
    crowd = populate(moves_like="ANYTHING", count=6)
    bpy.context.view_layer.update()
    room = room_of(crowd)
    reach = room.empty_display_size * room.matrix_world.to_scale()[0]
    assert reach >= 5.0 * crowd.steering.vehicle.max_speed * crowd.steering.vehicle.cruise_speed * 0.999
    told = " ".join(found.text for found in part("blender.status.census").refresh(bpy.context.scene).findings)
    assert "far outside" not in told


@pytest.mark.parametrize(("side", "ahead"), [(4.0, "as the preset"), (16.0, "a share"), (200.0, "12 s")])
def test_walkers_look_as_far_ahead_as_their_ground_has_room(side: float, ahead: str) -> None:
    settings = populated(ground(side), moves_like="PERSON", count=2).steering
    speed = settings.vehicle.max_speed * settings.vehicle.cruise_speed
    expected = {"as the preset": 3.0 * speed, "a share": 0.45 * side, "12 s": 12.0 * speed}[ahead]
    assert settings.containment.prediction_time * speed == pytest.approx(expected, rel=0.2)
    assert settings.containment.release


def test_to_drivers_without_a_road_the_edge_of_their_floor_is_a_wall_before_which_they_turn_or_back_out() -> None:
    crowd = populated(ground(60.0), moves_like="CAR", count=2)
    wheels, body = crowd.steering.wheeled, crowd.steering.vehicle
    assert (wheels.at_edge, wheels.reverse) == ("STOP", "ALLOW")
    # Half a metre from the edge counts as there, and .4 m before that they stop.
    assert room_of(crowd).matrix_world.to_scale()[0] == pytest.approx(30.0 - max(body.radius, 0.5 * body.length) - 0.9)


def tagged(like: str, *objects):
    """A new crowd of objects that were tagged as vehicles."""
    press("tag", *objects, role="VEHICLE", moves_like=like, new_crowd=True)
    return objects[0].steering.crowd


def test_who_is_tagged_in_the_region_of_others_stays_in_that() -> None:
    select(wedge("Fish", (0.0, 0.0, -40.0)), cube("Tank", 10.0))
    fish = populate(moves_like="FISH", count=6)
    shark = tagged("FISH", wedge("Shark", (2.0, 0.0, 1.0), size=0.8))
    assert room_of(shark) == room_of(fish) == bpy.data.objects["Tank"]
    assert shark.steering.containment.firm and not shark.steering.containment.release
    press("preset_apply", bpy.data.objects["Shark"], preset="shark")
    assert shark.steering.containment.firm, "a preset leaves it in the tank"
    flock = tagged("BIRD", *(wedge(f"Bird {k}", (60.0 + k, 0.0, 20.0)) for k in range(4)))
    hawk = tagged("BIRD", wedge("Hawk", (64.0, 4.0, 23.0), size=0.6))
    assert room_of(hawk) == room_of(flock)
    press("preset_apply", bpy.data.objects["Hawk"], preset="pigeon")
    assert hawk.steering.containment.release and not hawk.steering.containment.firm


def test_who_is_elsewhere_or_moves_in_another_way_has_a_region_of_its_own() -> None:
    flock = tagged("BIRD", *(wedge(f"Bird {k}", (float(k), 0.0, 10.0)) for k in range(4)))
    far = tagged("BIRD", wedge("Stray", (500.0, 0.0, 10.0)))
    walks = tagged("PERSON", figure())
    rooms = {room_of(crowd) for crowd in (flock, far, walks)}
    assert None not in rooms and len(rooms) == 3


def test_a_second_herd_shares_the_room_over_the_ground_unless_it_is_too_long_for_that() -> None:
    field = ground(SIDE)
    rooms = []
    for name, size in (("Sheep", 0.5), ("Goat", 0.5), ("Bull", 1.6)):
        select(wedge(name, (0.0, 0.0, -30.0), size=size), field)
        crowd = populate(moves_like="ANIMAL", count=3)
        crowd.name = name
        rooms.append(room_of(crowd))
    assert rooms[0] == rooms[1] != rooms[2]
    assert max(rooms[2].scale[:2]) < max(rooms[0].scale[:2])


def test_a_region_with_holes_keeps_nobody_from_being_tagged() -> None:
    press("tag", ground(SIDE), role="REGION").steering.region_shape = "MESH"
    assert room_of(tagged("BIRD", wedge())) is None
