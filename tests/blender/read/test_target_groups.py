"""Targets that stand for several objects: a collection, a crowd, all of a role."""

import bpy
import pytest

from tests.blender.building import empty, frames, part
from tests.blender.dumping import refuses
from tests.blender.steered import crowd, fleet, leader, vehicle

NEAREST, _, NEXT = (choice.number for choice in part("simulation.candidates").PICKS)


def collection(*objects, name: str = "Doors"):
    made = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(made)
    for ob in objects:
        made.objects.link(ob)
    return made


def doors() -> list:
    """Three Empties, made in another order than that of their names."""
    return [empty(f"Door {k}", (3.0 * k, 9.0, 0.0)) for k in (2, 0, 1)]


def candidates() -> list[tuple[list[str], int]]:
    """The names of the bodies of which each vehicle takes one, and how it does, for each target that names several."""
    bpy.context.view_layer.update()
    plan = part("blender.read.plan").plan_reading(bpy.context.scene)
    rows = part("blender.read.surroundings").rows_of_bodies(plan.vehicles.source, plan.bodies)
    names = {row: name for name, row in rows.items()}
    return [([names[row] for row in each.rows.tolist()], each.pick) for each in plan.candidates]


def walkers(n: int = 1, **behaviors):
    frames(1, 20)
    herd = crowd("Herd", **behaviors)
    return fleet(n, crowd=herd), herd


def test_a_collection_stands_for_its_objects_by_name_unless_an_object_is_named() -> None:
    things = doors()
    _, herd = walkers(arrival={"target_collection": collection(*things)})
    assert candidates() == [(["Door 0", "Door 1", "Door 2"], NEAREST)]
    herd.steering.arrival.target_choice = "NEXT"
    assert candidates() == [(["Door 0", "Door 1", "Door 2"], NEXT)]
    herd.steering.arrival.target = things[0]
    assert candidates() == []


def test_a_crowd_stands_for_its_vehicles() -> None:
    sheep = fleet(3, crowd=crowd("Sheep"))
    vehicle(name="Wolf", crowd=crowd("Wolves", pursuit={"quarry": sheep[0].steering.crowd}))
    assert candidates() == [(["Ship 0", "Ship 1", "Ship 2"], NEAREST)]


def test_parts_of_objects_of_a_collection_do_not_count_for_themselves() -> None:
    carriage, wheel = empty("Carriage"), empty("A Wheel")
    wheel.parent = carriage
    walkers(arrival={"target_collection": collection(carriage, wheel)})
    assert candidates() == [(["Carriage"], NEAREST)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: {"target_collection": collection()}, "The collection Doors, the Target of Go To and Stop in Herd"),
        (lambda: {"target": crowd("Empty")}, "The crowd Empty, the Target of Go To and Stop in Herd, has no veh"),
    ],
)
def test_an_empty_group_of_targets_is_refused_by_name(make, message) -> None:
    ships, _ = walkers(2, arrival=make())
    refuses("bake", message)
    assert ships[0].animation_data is None


def test_a_patrol_goes_to_all_leaders_by_name_unless_others_are_chosen_and_has_no_choice_of_one() -> None:
    _, herd = walkers(patrol={})
    patrol, census = herd.steering.patrol, part("blender.status.census").count(bpy.context.scene)
    kind = next(kind for kind in part("behaviors").CATALOGUE if kind.name == "patrol")
    why_idle = part("blender.status.inactivity").why_idle
    assert why_idle(kind, herd, census) == "It waits for a Leader: tag one, or choose its Targets"
    for name in "CAB":
        leader(name=name)
    assert candidates() == [(["A", "B", "C"], NEXT)]
    patrol.targets_collection = collection(*doors())
    assert candidates() == [(["Door 0", "Door 1", "Door 2"], NEXT)]
    assert why_idle(kind, herd, census) == ""
    assert {"targets", "targets_bone", "targets_collection"} <= set(patrol.bl_rna.properties.keys())
    assert "targets_choice" not in patrol.bl_rna.properties
