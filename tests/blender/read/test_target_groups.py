"""Targets that stand for several objects: a collection, a crowd, all of a role."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert
from tests.blender.building import empty, frames
from tests.blender.dumping import refuses
from tests.blender.seen import places
from tests.blender.steered import bake, crowd, fleet, leader, vehicle


def collection(*objects, name: str = "Doors"):
    made = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(made)
    for ob in objects:
        made.objects.link(ob)
    return made


def doors() -> list:
    at = ((9.0, 9.0, 0.0), (-9.0, 9.0, 0.0), (0.0, 14.0, 0.0))
    return [empty(name=f"Door {k}", location=place) for k, place in enumerate(at)]


def away(ship, things, frame: int) -> np.ndarray:
    """Metres from a vehicle to each thing."""
    return np.linalg.norm(places(ship, [frame])[0] - [places(ob, [frame])[0] for ob in things], axis=1)


def walkers(n: int = 6, **settings):
    herd = crowd(arrival=settings)
    return fleet(n, crowd=herd), herd


def test_each_goes_to_the_nearest_of_a_collection() -> None:
    frames(1, 36, fps=12)
    things = doors()
    left = vehicle(name="Left", crowd=crowd("A", arrival={"target_collection": collection(*things)}))
    left.location = (-9.0, 5.0, 0.0)
    bake()
    assert away(left, things, 36).argmin() == 1
    assert away(left, things, 36).min() < 0.5


def test_a_crowd_stands_for_its_vehicles() -> None:
    frames(1, 60, fps=12)
    goal = leader(location=(0.0, 90.0, 0.0))
    sheep = fleet(3, crowd=crowd("Sheep", arrival={"target": goal}), spacing=6.0)
    wolf = vehicle(
        name="Wolf", crowd=crowd("Wolves", pursuit={"quarry": sheep[0].steering.crowd}), location=(2.0, -9.0, 0.0)
    )
    wolf.steering.speed_factor = 1.5
    bake()
    closest = min(away(wolf, sheep, frame).min() for frame in range(10, 61, 2))
    assert closest < 2.0


def test_a_moving_child_of_another_object_in_a_collection_is_read() -> None:
    """Parts of others do not count for themselves."""
    frames(1, 50, fps=12)
    carriage = empty(name="Carriage")
    insert(carriage, "location", {1: (0.0, 10.0, 0.0), 50: (7.0, 10.0, 0.0)})
    wheel = empty(name="A Wheel", location=(0.0, -9.0, 0.0))
    wheel.parent = carriage
    ships, _ = walkers(1, target_collection=collection(carriage, wheel), target_choice="NEXT")
    bake()
    assert away(ships[0], [carriage], 50).min() < 2.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: {"target_collection": collection()}, "The collection Doors, the Target of Go To and Stop in Crowd"),
        (lambda: {"target": crowd("Empty")}, "The crowd Empty, the Target of Go To and Stop in Crowd, has no veh"),
    ],
)
def test_an_empty_group_of_targets_is_refused_by_name(make, message) -> None:
    frames(1, 20)
    values = make()
    ships, _ = walkers(2, **values)
    refuses("bake", message)
    assert ships[0].animation_data is None


def test_a_named_object_counts_before_the_collection() -> None:
    frames(1, 50, fps=12)
    things = doors()
    ships, herd = walkers(1, target_collection=collection(*things[:2]), target_choice="NEXT")
    herd.steering.arrival.target = things[2]
    bake()
    assert away(ships[0], things, 50).argmin() == 2
