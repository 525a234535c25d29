"""Patrols between the objects of a collection, the vehicles of a crowd and all leaders."""

import bpy
import numpy as np

from tests.blender.building import empty, frames, part
from tests.blender.seen import baked_frames, places
from tests.blender.steered import bake, crowd, fleet, leader, vehicle

LAST = 100
CORNERS = ((0.0, 2.0, 0.0), (2.0, 2.0, 0.0), (2.0, 0.0, 0.0))


def collection(*objects):
    group = bpy.data.collections.new("Posts")
    bpy.context.scene.collection.children.link(group)
    for ob in objects:
        group.objects.link(ob)
    return group


def posts() -> list:
    """Three Empties, made in another order than that of their names."""
    made = {k: empty(name=f"Post {k}", location=CORNERS[k]) for k in (2, 0, 1)}
    return [made[k] for k in range(3)]


def guard(**values):
    frames(1, LAST, fps=12)
    patrol = {"wait_time": 0.2, "wait_spread": 0.0, **values}
    return vehicle(name="Guard", crowd=crowd("Guards", patrol=patrol))


def visited(ship, objects) -> list[int]:
    """The indices of the objects at which a baked vehicle has stood, one after the other."""
    path = places(ship, baked_frames())
    distance = np.stack([np.linalg.norm(path - places(ob, baked_frames()), axis=1) for ob in objects], axis=1)
    stood = distance.argmin(axis=1)[distance.min(axis=1) < 0.15].tolist()
    return [stop for k, stop in enumerate(stood) if k == 0 or stood[k - 1] != stop]


def test_it_patrols_between_three_empties_of_a_collection() -> None:
    objects = posts()
    ship = guard(targets_collection=collection(*objects), order="ROUND")
    bake()
    assert visited(ship, objects)[:4] == [0, 1, 2, 0]


def test_without_targets_it_visits_all_leaders_by_name() -> None:
    ship = guard()
    heads = [leader(name=name, location=CORNERS[k]) for k, name in enumerate(("C", "A", "B"))]
    bake()
    assert visited(ship, heads)[:4] == [1, 2, 0, 1]


def test_a_crowd_is_visited_vehicle_by_vehicle() -> None:
    ship = guard()
    sheep = fleet(2, crowd=crowd("Sheep"), spacing=3.0)
    for ob in sheep:
        ob.steering.locked = True
        ob.location.y = 3.0
    ship.steering.crowd.steering.patrol.targets = sheep[0].steering.crowd
    bake()
    assert visited(ship, sheep)[:3] == [0, 1, 0]


def test_it_says_what_it_waits_for() -> None:
    ship = guard()
    census = part("blender.status.census").count(bpy.context.scene)
    patrol = next(kind for kind in part("behaviors").CATALOGUE if kind.name == "patrol")
    why_idle = part("blender.status.inactivity").why_idle
    assert why_idle(patrol, ship.steering.crowd, census) == "It waits for a Leader: tag one, or choose targets"
    ship.steering.crowd.steering.patrol.targets_collection = collection(*posts())
    assert why_idle(patrol, ship.steering.crowd, census) == ""


def test_it_has_no_choice_of_one_of_its_targets() -> None:
    properties = guard().steering.crowd.steering.patrol.bl_rna.properties
    assert {"targets", "targets_bone", "targets_collection"} <= set(properties.keys())
    assert "targets_choice" not in properties
