"""Nested boxes: a descent misses no triangle."""

from itertools import pairwise

import numpy as np
import pytest

from steering_addon.simulation.geometry.bounding_volumes import (
    BITS,
    FAN,
    FEW,
    Boxes,
    descend,
    lower,
    morton_numbers,
    nested_boxes,
)


def triangles(n: int) -> np.ndarray:
    """The corners (3, n, 3) of small triangles, more of them side by side than above each other."""
    rng = np.random.default_rng(4)
    middle = rng.uniform(0.0, 20.0, (n, 3)) * (1.0, 0.3, 0.1)
    return np.stack([middle + rng.uniform(-0.3, 0.3, (n, 3)) for _ in range(3)])


@pytest.mark.parametrize("n", [1, 3, 24, 25, 301])
def test_a_descent_finds_all_triangles_whose_boxes_are_kept(n: int) -> None:
    corners = triangles(n)
    points = np.random.default_rng(5).uniform(-1.0, 21.0, (17, 3)) * (1.0, 0.3, 0.1)

    def within_two_metres(boxes: Boxes, owner: np.ndarray, box: np.ndarray) -> np.ndarray:
        gaps = [
            np.maximum(np.maximum(low[box] - p[owner], p[owner] - high[box]), 0.0)
            for low, high, p in zip(boxes.low, boxes.high, points.T)
        ]
        return gaps[0] * gaps[0] + gaps[1] * gaps[1] + gaps[2] * gaps[2] <= 4.0

    owner, triangle = descend(nested_boxes(corners), len(points), within_two_metres)
    low, high = corners.min(axis=0), corners.max(axis=0)
    gap = np.maximum(np.maximum(low[None] - points[:, None], points[:, None] - high[None]), 0.0)
    expected = np.argwhere((gap * gap).sum(axis=-1) <= 4.0)
    assert np.array_equal(np.stack((owner, triangle), axis=1), expected)


def test_each_box_holds_its_smaller_boxes_and_the_middle_of_a_triangle() -> None:
    corners = triangles(FEW * 9)
    levels = nested_boxes(corners)
    assert levels[0].low.shape[1] <= FEW + 3 < levels[-1].low.shape[1]
    middles = {tuple(np.round(m, 9)) for m in corners.mean(axis=0)}
    for boxes in levels:
        filled = ~np.isnan(boxes.low[0])
        assert (boxes.low <= boxes.sample)[:, filled].all() and (boxes.sample <= boxes.high)[:, filled].all()
        assert {tuple(np.round(p, 9)) for p in boxes.sample.T} <= middles
    for larger, smaller in pairwise(levels):
        parent = np.arange(smaller.low.shape[1]) // FAN
        filled = ~np.isnan(smaller.low[0])
        assert (larger.low[:, parent] <= smaller.low)[:, filled].all()
        assert (larger.high[:, parent] >= smaller.high)[:, filled].all()


def test_the_place_in_a_larger_box_is_the_nearest_to_its_middle_of_those_in_its_smaller_ones() -> None:
    for larger, smaller in pairwise(nested_boxes(triangles(FEW * FAN))):
        choices = smaller.sample.T.reshape(-1, FAN, 3)
        off = np.linalg.norm(choices - ((larger.low + larger.high) / 2.0).T[: len(choices), None], axis=2)
        chosen = np.linalg.norm(larger.sample - (larger.low + larger.high) / 2.0, axis=0)
        assert np.allclose(chosen[: len(choices)], off.min(axis=1))


def test_places_are_numbered_by_the_digits_of_their_coordinates_in_turn() -> None:
    last = (1 << BITS) - 1
    places = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 0, 0], [5, 3, 6], [last, last, last]])
    numbers = morton_numbers(0.25 * places + [3.0, -8.0, 100.0])
    assert numbers.tolist() == [0, 1, 2, 4, 8, 0b101_110_011, (1 << 3 * BITS) - 1]


def test_without_boxes_or_points_the_result_is_empty() -> None:
    def everything(boxes: Boxes, owner: np.ndarray, box: np.ndarray) -> np.ndarray:
        return np.ones(np.broadcast_shapes(owner.shape, box.shape), dtype=bool)

    assert all(len(rows) == 0 for rows in descend(nested_boxes(np.zeros((3, 0, 3))), 4, everything))
    assert all(len(rows) == 0 for rows in descend(nested_boxes(triangles(5)), 0, everything))


def test_bounds_are_lowered_to_the_minimum_of_their_pairs_and_never_raised() -> None:
    bound = np.array([3.0, 1.0, 5.0, 2.0])
    lower(bound, np.array([0, 0, 2, 2, 2]), np.array([4.0, 2.5, 9.0, 4.0, 6.0]))
    assert bound.tolist() == [2.5, 1.0, 4.0, 2.0]
    lower(bound, np.arange(4)[:, None], np.array([[2.0, 7.0], [3.0, 1.5], [4.5, 5.0], [8.0, 0.5]]))
    assert bound.tolist() == [2.0, 1.0, 4.0, 0.5]
