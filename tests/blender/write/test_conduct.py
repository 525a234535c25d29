"""The effect of behaviors that do not depend on targets alone, as seen in the keys of a bake."""

import numpy as np

from tests.blender.building import bake, baked_frames, crowd, empty, frames, insert, places, tag, vehicle


def resource(amount: float, **placed):
    ob = tag(empty(**{"name": "Food", **placed}), role="RESOURCE")
    ob.steering.amount = amount
    return ob


def test_a_resource_can_be_keyed() -> None:
    frames(1, 60, fps=12)
    food = resource(0.0, location=(0.0, 9.0, 0.0))
    insert(food, "steering.amount", {1: 0.0, 29: 0.0, 30: 50.0})
    ship = vehicle(crowd=crowd(forage={"distance": 0.0, "strength": 0.0}), start_speed=0.0)
    bake()
    speed = np.linalg.norm(np.diff(places(ship, baked_frames()), axis=0), axis=1)
    way = places(ship, baked_frames())
    assert np.linalg.norm(way[27] - (0.0, 9.0, 0.0)) > 1.5 or speed[27] > 0.1, "there is nothing to stop for"
    assert np.linalg.norm(way[-1] - (0.0, 9.0, 0.0)) < np.linalg.norm(way[30] - (0.0, 9.0, 0.0))
