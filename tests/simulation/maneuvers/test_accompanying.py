"""Accompanying: keeping a place that moves."""

import numpy as np
import pytest

from steering_addon.locomotion import Planar
from steering_addon.simulation.maneuvers.accompanying import velocity_to_keep
from tests.scene import Scene


def test_the_distance_shrinks_to_nothing_in_the_time_if_the_place_moves_on() -> None:
    _, agents, _ = Scene([[1.0, 2.0, 3.0]], vehicle={"max_speed": 50.0}).seen()
    target, velocity = np.array([[4.0, -1.0, 5.0]]), np.array([[1.0, 2.0, -0.5]])
    wanted = velocity_to_keep(agents, target, velocity, np.array([2.5]))
    assert np.allclose(agents.position + 2.5 * wanted, target + 2.5 * velocity)


def test_it_is_no_faster_than_the_top_speed_and_level_on_the_ground() -> None:
    _, agents, _ = Scene([[0.0, 0.0, 0.0]], vehicle={"max_speed": 2.0}, locomotions=[(Planar, {})]).seen()
    wanted = velocity_to_keep(agents, np.array([[30.0, 40.0, 9.0]]), np.array([[0.0, 0.0, 3.0]]), np.array([1.0]))
    assert wanted[0] == pytest.approx([1.2, 1.6, 0.0])
