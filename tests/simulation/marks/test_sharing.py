"""Sharing out the places of a shape among vehicles."""

from itertools import permutations

import numpy as np
import pytest

from steering_addon.simulation.marks.sharing import shared_out


def ways(position: np.ndarray, points: np.ndarray, place: np.ndarray) -> float:
    """The sum of the squares of the ways of the vehicles that have a place."""
    have = place >= 0
    return float(((position[have] - points[place[have]]) ** 2).sum())


@pytest.mark.parametrize("seed", range(4))
def test_swaps_come_near_the_best_of_all_ways_to_share(seed: int) -> None:
    chance = np.random.default_rng(seed)
    position, points = chance.uniform(0.0, 9.0, (6, 3)), chance.uniform(0.0, 9.0, (6, 3))
    best = min(ways(position, points, np.array(each)) for each in permutations(range(6)))
    assert ways(position, points, shared_out(position, points)) <= 1.25 * best


def test_no_swap_of_two_is_left_that_pays() -> None:
    chance = np.random.default_rng(7)
    position, points = chance.uniform(0.0, 30.0, (80, 3)), chance.uniform(0.0, 30.0, (80, 3))
    place = shared_out(position, points)
    assert sorted(place) == list(range(80))
    gap = ((position[:, None] - points[place][None]) ** 2).sum(axis=2)
    gain = np.diag(gap)[:, None] + np.diag(gap)[None] - gap - gap.T
    assert gain.max() < 1e-6


def test_with_fewer_places_the_nearest_vehicles_get_them_and_with_more_some_stay_empty() -> None:
    position = np.column_stack((np.arange(10.0), np.zeros(10), np.zeros(10)))
    few = np.array([[1.0, 5.0, 0.0], [3.0, 5.0, 0.0], [2.0, 5.0, 0.0]])
    place = shared_out(position, few)
    assert sorted(np.flatnonzero(place >= 0)) == [1, 2, 3]
    assert place[[1, 2, 3]].tolist() == [0, 2, 1]
    many = np.column_stack((np.linspace(0.0, 9.0, 91), np.full(91, 5.0), np.zeros(91)))
    place = shared_out(position, many)
    assert len(set(place.tolist())) == 10
    assert np.abs(many[place, 0] - position[:, 0]).max() < 0.6
    assert shared_out(position, few[:0]).tolist() == [-1] * 10
    assert shared_out(position[:0], few).tolist() == []


def test_places_at_the_same_point_are_shared_out_too() -> None:
    place = shared_out(np.zeros((4, 3)), np.zeros((4, 3)))
    assert sorted(place.tolist()) == [0, 1, 2, 3]
