"""Turning: the speed from which a point can still be reached."""

import numpy as np
import pytest

from steering_addon.locomotion import SimpleVehicle
from steering_addon.simulation.maneuvers.turning import turning_speed
from tests.scene import Scene, about


@pytest.mark.parametrize("degrees", [10.0, 45.0, 80.0, 100.0, 170.0])
@pytest.mark.parametrize("slow", [True, False])
def test_the_tightest_circle_at_that_speed_goes_through_the_point_or_through_one_beside(degrees, slow) -> None:
    """By the force or by the limit on the turn, whichever is wider; a point behind counts as one beside."""
    rate = 0.2 if slow else 50.0
    moves = [(SimpleVehicle, {"max_turn_rate": rate})]
    _, agents, _ = Scene([[0.0, 0.0, 0.0]], vehicle={"max_force": 6.0, "mass": 2.0}, locomotions=moves).seen()
    way = about((0.0, 0.0, 1.0), degrees) @ (0.0, 1.0, 0.0)
    speed = float(turning_speed(agents, way[None], np.array([4.0]), 0.5)[0])
    radius = speed / rate if slow else speed**2 / (0.5 * 3.0)
    place = 4.0 * (about((0.0, 0.0, 1.0), min(degrees, 90.0)) @ (0.0, 1.0, 0.0))
    assert np.linalg.norm(place - (-radius, 0.0, 0.0)) == pytest.approx(radius)


def test_straight_ahead_any_speed_will_do() -> None:
    _, agents, _ = Scene([[0.0, 0.0, 0.0]]).seen()
    assert turning_speed(agents, agents.forward, np.array([4.0]), 0.5)[0] > 1e3
