"""Pace: seeking at the agent's own speed."""

import numpy as np
import pytest

from steering_addon.simulation.maneuvers.pace import CURRENT_SPEED, MAX_SPEED, desired_speed, turned_to
from tests.scene import Scene, about


def test_the_desired_speed_is_the_top_speed_or_that_of_the_agent() -> None:
    _, agents, _ = Scene(np.zeros((2, 3)), speed=[1.0, 2.0], vehicle={"max_speed": 7.0}).seen()
    assert desired_speed(np.array([MAX_SPEED, CURRENT_SPEED]), agents).tolist() == [7.0, 2.0]


@pytest.mark.parametrize("degrees", [0.0, 20.0, 50.0, 59.0, 61.0, 120.0, 180.0])
@pytest.mark.parametrize("speed", [0.4, 3.0])
def test_the_turn_is_the_gap_between_the_directions_and_never_longer_than_one(degrees: float, speed: float) -> None:
    """Whatever the speed and the distance are; 60 degrees apart, the gap is 1."""
    _, agents, _ = Scene([[0.0, 0.0, 0.0]], speed=speed).seen()
    way = about((0.0, 0.0, 1.0), degrees) @ (0.0, 1.0, 0.0)
    for distance in (0.3, 9.0):
        turn = turned_to(distance * way[None], agents)[0]
        gap = way - (0.0, 1.0, 0.0)
        assert turn == pytest.approx(gap / max(np.linalg.norm(gap), 1.0), abs=1e-9)


def test_without_an_offset_it_does_not_turn_and_from_rest_it_turns_to_its_target() -> None:
    _, agents, _ = Scene(np.zeros((2, 3)), speed=[2.0, 0.0]).seen()
    assert turned_to(np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]), agents).tolist() == [[0.0] * 3, [1.0, 0.0, 0.0]]
