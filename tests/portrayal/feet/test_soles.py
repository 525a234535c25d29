"""Soles: which points of a foot are on the ground, how they move, and the height at which they rest."""

import numpy as np
import pytest

from steering_addon.portrayal.feet.soles import (
    APART,
    FOOT,
    TOUCH,
    Sole,
    dwell_height,
    find_feet,
    measure_foot,
    median,
    resting_height,
    runs,
    stances,
    weighted_median,
)
from tests.portrayal.stepping import HEIGHT, sampled


@pytest.mark.parametrize(
    ("touches", "expected"),
    [
        ("....", []),
        ("####", [[0, 1, 2, 3]]),
        (".##.#.", [[1, 2], [4]]),
        ("##..#", [[4, 0, 1]]),
        ("#....", [[0]]),
    ],
)
def test_stances_of_a_cycle_go_over_its_end(touches: str, expected: list[list[int]]) -> None:
    mask = np.array([each == "#" for each in touches])
    assert [rows.tolist() for rows in stances(mask)] == expected
    ends = [each for row, each in runs(np.concatenate((mask, [False])))]
    assert len(ends) == len(runs(mask)) and all(mask[end - 1] for end in ends)


def test_a_sole_is_the_points_that_are_low_before_and_after_a_step_and_moves_as_their_median() -> None:
    heights = np.array(
        [[0.0, 0.001, 0.5, 0.002], [0.3, 0.301, 0.3, 0.302], [0.9, 0.2, 0.2, 0.205], [0.0, 0.4, 0.4, 0.4]]
    )
    both = np.stack((heights, heights[::-1]))
    sole = Sole.of(both, np.array([[1.0], [1.0]]))
    np.testing.assert_array_equal(sole.lowest, both.min(axis=-1))
    # From frame 2 to frame 3 no point is low on both: the one whose heights are the least together counts.
    expected = np.array([[1, 1, 0, 1], [0, 1, 1, 1], [0, 1, 0, 0]], dtype=bool)
    np.testing.assert_array_equal(sole.low, np.stack((expected, expected[::-1])))
    np.testing.assert_array_equal(sole.count[0, :, 0], (3, 3, 1))
    points = np.zeros((2, 4, 4, 3))
    points[0, 1:, :, 0] = (1.0, 2.0, 50.0, 4.0)
    points[0, 2:, :, 1] = (50.0, -1.0, -2.0, -3.0)
    np.testing.assert_allclose(sole.step(points)[0], [(2.0, 0.0), (0.0, -2.0), (0.0, 0.0)])


@pytest.mark.parametrize(("values", "expected"), [([3.0, 1.0, 2.0], 2.0), ([4.0, 1.0, 2.0, 30.0], 3.0), ([5.0], 5.0)])
def test_medians(values: list[float], expected: float) -> None:
    assert median(np.array(values)) == expected
    [foot] = Sole.of(np.zeros((1, 2, len(values))), 1.0).step(
        np.stack((np.zeros((len(values), 3)), np.array(values)[:, None] * (1.0, -2.0, 0.0)))[None]
    )
    np.testing.assert_allclose(foot[0], (expected, -2.0 * expected))


def test_half_of_the_weight_is_below_a_weighted_median() -> None:
    values, weights = np.array((3.0, 1.0, 2.0)), np.array((1.0, 4.0, 2.0))
    assert weighted_median(values, weights) == 1.0
    assert weighted_median(values, np.array((1.0, 2.0, 4.0))) == 2.0
    assert weighted_median(np.array((3.0, 4.0, 1.0, 2.0)), np.array((1.0, 5.0, 1.0, 1.0))) == 4.0


@pytest.mark.parametrize(
    ("heights", "expected"),
    [
        ((0.2, 0.0, 0.2, 0.201, 0.2), 0.2),
        ((0.0, 0.0, 0.9, 0.9, 0.901), 0.0),
        ((0.0, *[0.067] * 10, *[0.111] * 7), 0.067),
    ],
)
def test_a_foot_rests_where_it_mostly_is_but_not_much_above_where_it_is_often(heights, expected: float) -> None:
    assert dwell_height(np.array(heights), 4.0) == pytest.approx(expected, abs=0.001)


def test_a_foot_rests_by_its_lowest_points_over_the_cycle_without_the_first_phase_of_the_next() -> None:
    points = np.zeros((6, 3, 3))
    points[..., 2] = np.array((0.0, 0.1, 0.1, 0.1, 0.1, 0.0))[:, None] + (0.0, 0.5, 0.5)
    assert resting_height(points, 4.0) == pytest.approx(0.1)


def test_a_foot_touches_within_a_part_of_the_height_of_where_it_rests() -> None:
    near = TOUCH * HEIGHT
    points = np.zeros((5, 2, 3))
    points[..., 2] = np.array((0.0, 1.8, 2.0, -1.6, -2.2))[:, None] * near
    foot = measure_foot(points, np.arange(2), HEIGHT, 0.0)
    assert foot.touches.tolist() == [True, False, True, False]
    assert foot.weight[0] > foot.weight[1] > 0.0 and foot.weight[2] == pytest.approx(1.0, abs=0.04)


def test_what_rests_high_above_the_lowest_foot_is_not_a_foot_and_a_single_point_is_not_one() -> None:
    points = sampled().points
    feet = find_feet(points, HEIGHT)
    assert sorted(len(foot.points) for foot in feet) == [12, 12]
    high = points[:, 12:].copy()
    high[..., :2] += 3.0
    for rise, number in ((1.1, 2), (0.9, 3)):
        raised = np.concatenate((points, high + np.array((0.0, 0.0, rise * FOOT * HEIGHT))), axis=1)
        assert len(find_feet(raised, HEIGHT)) == number
    for few, number in ((1, 2), (2, 3)):
        lonely = np.concatenate((points, points[:, :few] + np.array((5.0, 0.0, 0.0))), axis=1)
        assert len(find_feet(lonely, HEIGHT)) == number


@pytest.mark.parametrize(("low", "number"), [(-1.9 * APART * HEIGHT, 2), (0.0, 3)], ids=["hand", "hoof"])
def test_what_is_low_for_a_moment_is_a_foot_only_where_the_others_rest(low: float, number: int) -> None:
    points = sampled().points
    brief = points[:, 12:] + np.array((3.0, 0.0, 0.0))
    brief[..., 2] = low + np.abs(np.arange(len(points)) / (len(points) - 1) - 0.5)[:, None]
    assert len(find_feet(np.concatenate((points, brief), axis=1), HEIGHT)) == number
