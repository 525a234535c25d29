"""Prediction: how far ahead a pursuer looks."""

import numpy as np
import pytest

from steering_addon.simulation.maneuvers.prediction import INTERCEPTION, predicted, prediction_time
from tests.scene import Scene, flat_or_free, leaders

PLACES = ((0.0, 6.0, 0.0), (6.0, 0.0, 0.0), (0.0, -6.0, 0.0))
"""Ahead of a pursuer at the origin, beside it and behind it."""
WAYS = ((0.0, 2.0, 0.0), (2.0, 0.0, 0.0), (0.0, -2.0, 0.0))
"""Parallel to its heading, across it and opposed."""


def seen(place, drift, flat=False):
    moves = {"vehicle": {"max_speed": 3.0}, "locomotions": flat_or_free(flat)}
    scene = Scene([[0.0, 0.0, 0.0]], tracked=leaders(place), drift=drift, **moves)
    return scene.moved((5.0, -3.0, 2.0)).seen()[:2]


def time(place, drift, longest: float = 99.0, flat: bool = False) -> float:
    return float(prediction_time(*seen(place, drift, flat), np.array([1]), np.array([longest]))[0])


@pytest.mark.parametrize("where", range(3))
@pytest.mark.parametrize("way", range(3))
def test_in_the_nine_situations_it_is_the_distance_over_top_speed_times_the_number_of_the_table(where, way) -> None:
    expected = 6.0 / 3.0 * INTERCEPTION[where][way]
    assert time(PLACES[where], WAYS[way]) == pytest.approx(expected)
    assert time(PLACES[where], WAYS[way], longest=0.4) == min(expected, 0.4)


def test_between_them_it_changes_gradually() -> None:
    def between(first, second, share):
        return np.array(first) * np.sqrt(1.0 - share**2) + np.array(second) * share

    for places in ((PLACES[0], PLACES[1]), (PLACES[2], PLACES[1])):
        for ways in ((WAYS[0], WAYS[1]), (WAYS[2], WAYS[1])):
            for share in (0.1, 0.5, 0.9):
                corners = [[time(place, way) for way in ways] for place in places]
                # The cosines of the angles are the shares: of the first place and of the first way.
                a, b = np.sqrt(1.0 - share**2), np.sqrt(1.0 - share**2)
                expected = a * (b * corners[0][0] + (1 - b) * corners[0][1])
                expected += (1 - a) * (b * corners[1][0] + (1 - b) * corners[1][1])
                assert time(between(*places, share), between(*ways, share)) == pytest.approx(expected)


def test_for_pursuers_on_the_ground_the_height_does_not_count() -> None:
    assert time((0.0, 6.0, 5.0), WAYS[0], flat=True) == pytest.approx(time((0.0, 6.0, 0.0), WAYS[0]))


def test_the_quarry_is_expected_to_go_straight_on() -> None:
    world, _ = seen((1.0, 2.0, 3.0), (2.0, 0.0, -1.0))
    assert np.allclose(predicted(world, np.array([1, 1]), np.array([0.0, 2.0])), [[6.0, -1.0, 5.0], [10.0, -1.0, 3.0]])


def test_the_nine_numbers_are_those_of_opensteer() -> None:
    """Of its steerForPursuit: ahead, aside and behind, each parallel, perpendicular and anti-parallel."""
    assert INTERCEPTION == ((4.0, 1.8, 0.85), (1.0, 0.8, 4.0), (0.5, 2.0, 2.0))


def test_the_nearer_the_quarry_the_shorter_is_the_time_down_to_nothing() -> None:
    assert [time((0.0, y, 0.0), WAYS[0]) for y in (0.03, 0.0)] == [pytest.approx(0.03 / 3.0 * 4.0), 0.0]
