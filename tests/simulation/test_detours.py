"""Ways round obstacles on the ground."""

import numpy as np
import pytest

from steering_addon.simulation.detours import MARGIN, outlines, ways_round
from steering_addon.simulation.obstacles import Obstacles, boxes, obstacles
from tests.scene import about, turned


def way(
    things: Obstacles, point=(0.0, -8.0, 0.0), goal=(0.0, 8.0, 0.0), before: float = 0.0
) -> tuple[np.ndarray, float]:
    """The direction and the side for somebody of half a metre who goes 16 m along y."""
    point, goal = np.array([[0.0, -8.0, 0.0]]), np.array([[0.0, 8.0, 0.0]])
    distance = np.linalg.norm(goal - point, axis=1)
    direction = (goal - point) / distance[:, None]
    found, side = ways_round(things, np.array([0]), point, direction, distance, np.array([0.5]), np.array([before]))
    return found[0], float(side[0])


def test_where_nothing_is_in_the_way_the_direction_is_the_same() -> None:
    beside = boxes([[3.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]])
    assert way(beside)[0].tolist() == [0.0, 1.0, 0.0]
    assert way(obstacles(np.zeros((0, 3)), np.zeros(0)))[0].tolist() == [0.0, 1.0, 0.0]
    behind_the_goal = boxes([[0.0, 11.0, 0.0]], [[1.0, 1.0, 1.0]])
    assert way(behind_the_goal)[0].tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("shift", [-0.8, 0.8])
def test_it_goes_by_the_nearer_end(shift: float) -> None:
    found, side = way(boxes([[shift, 0.0, 0.0]], [[2.0, 0.5, 1.0]]))
    assert np.sign(found[0]) == -np.sign(shift)
    assert side == -np.sign(found[0])
    corner = np.array([-np.sign(shift) * (1.2 + 0.5 + MARGIN), -0.5 - 0.5 - MARGIN + 8.0, 0.0])
    assert found == pytest.approx(corner / np.linalg.norm(corner), abs=0.02)


def test_who_is_on_its_way_round_keeps_to_it() -> None:
    wall = boxes([[0.05, 0.0, 0.0]], [[2.0, 0.5, 1.0]])
    assert way(wall)[1] == 1.0
    assert way(wall, before=-1.0)[1] == -1.0


def test_a_side_that_is_walled_up_is_not_taken() -> None:
    walls = boxes([[0.5, 0.0, 0.0], [-4.5, 0.0, 0.0]], [[2.0, 0.5, 1.0], [3.0, 0.5, 1.0]])
    assert way(walls)[0][0] > 0.0


def test_what_stands_higher_or_lower_is_not_in_the_way() -> None:
    assert way(boxes([[0.0, 0.0, 5.0]], [[2.0, 0.5, 1.0]]))[0].tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("degrees", [0.0, 33.0, 137.0])
def test_outlines_keep_the_radius_off_what_they_surround(degrees: float) -> None:
    """Along their sides nobody comes nearer than the radius, and at their corners not much further off."""
    axes = about((0.0, 0.0, 1.0), degrees).T[None]
    box = boxes([[1.0, 2.0, 0.0]], [[2.0, 0.5, 1.0]], axes)
    ball = obstacles([[1.0, 2.0, 0.0]], 1.5)
    ahead = turned([[0.0, 1.0, 0.0]], about((0.0, 0.0, 1.0), degrees))
    for things in (box, ball):
        corners = outlines(things, np.array([0]), np.array([0.5]), ahead)[0]
        places = np.concatenate((corners, np.zeros((len(corners), 1))), axis=1)
        off = things.clearance(places)[:, 0]
        assert off.min() >= 0.5 - 1e-9
        assert off.max() < 0.75
