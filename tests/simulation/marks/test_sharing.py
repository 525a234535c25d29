"""Sharing out the places of a shape among vehicles."""

from itertools import permutations

import numpy as np
import pytest

from steering_addon.simulation.marks.sharing import climbs, shared_out, spread


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


def test_places_are_spread_evenly_over_faces_whatever_their_size() -> None:
    # A large triangle and a small one of a square.
    points = np.array([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [9.0, 9.0, 0.0], [0.0, 9.0, 0.0], [4.0, 0.0, 0.0]])
    triangles = np.array([[0, 4, 3], [4, 2, 3], [4, 1, 2]])
    places = spread(points, triangles, 36).on(points, triangles)
    assert places.min() >= 0.0 and places.max() <= 9.0
    gap = np.linalg.norm(places[:, None] - places[None], axis=2) + 9.0 * np.eye(36)
    assert gap.min() > 0.8
    quarter = (places[:, :2] > 4.5).astype(int) @ [1, 2]
    assert np.bincount(quarter).min() >= 6
    assert len(spread(points, triangles, 2000).triangle) == 2000
    assert len(spread(points, triangles[:0], 5).triangle) == 0
    assert len(spread(points[[0, 0, 0]], np.array([[0, 1, 2]]), 5).triangle) == 0


def test_what_climbs_slowly_gets_the_place_that_is_less_high() -> None:
    position = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 3.0]])
    points = np.array([[0.0, 9.0, 9.0], [4.0, 9.0, 5.0]])
    assert shared_out(position, points).tolist() == [0, 1]
    once, slow = np.ones(2), np.full(2, 4.0)
    assert shared_out(position, points, slow, once).tolist() == [1, 0]
    # The dive counts for as much as ever.
    assert shared_out(position, points, once, slow).tolist() == [0, 1]


def test_places_shared_out_by_height_ask_for_the_least_climb() -> None:
    position, points = np.array([[0.0, 0.0, 3.0], [1.0, 0.0, 1.0]]), np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 5.0]])
    assert climbs(position, points).tolist() == [1.0, 2.0]
    assert climbs(position, points[:1]).tolist() == [1.0, -1.0]
