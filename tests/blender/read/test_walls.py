"""Walls as Blender has them: any curve that a crowd is told to follow as one."""

from __future__ import annotations

import numpy as np

from tests.blender.building import bake, baked_frames, crowd, frames, path_curve, places, vehicle


def test_vehicles_follow_a_chosen_curve_each_on_its_side() -> None:
    frames(1, 120)
    wall = path_curve("Wall", ((0.0, -10.0, 2.0), (0.0, 90.0, 2.0)))
    walkers = crowd(wall_following={"wall": wall, "offset": 2.0})
    left, right = (vehicle(name=f"{x}", location=(x, 0.0, 0.0), crowd=walkers, start_speed=0.5) for x in (-4.0, 0.5))
    bake()
    for ship, x in ((left, -2.0), (right, 2.0)):
        end = places(ship, baked_frames())[-20:]
        assert np.abs(end[:, 0] - x).max() < 0.05
        assert np.abs(end[:, 2]).max() < 1e-3, "the wall stands upright, so its height makes no difference"
        assert end[-1, 1] > 10.0
