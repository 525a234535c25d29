"""The laws of the fold: how what several behaviors say of their agents becomes one."""

from dataclasses import fields

import numpy as np
import pytest

from steering_addon.simulation.intention import Intention, is_said, neutral, nothing_said

N = 4
TOP = np.full(N, 10.0)
WHATEVER_ITS_WEIGHT = ("interval", "arrived")
"""What counts of behaviors without weight as well."""
SAID = {
    "clearance": (np.array([0.5, np.nan, 0.1, 0.3]), np.array([0.2, 0.4, np.nan, 0.6])),
    "in_lane": (np.array([True, False, False, True]), np.array([False, False, True, True])),
    "awaits": (np.array([3, -1, -2, 0]), np.array([-1, 5, 6, -3])),
    "passing_places": (np.full((N, 8, 3), np.nan), np.ones((N, 8, 3))),
    "companions": (np.array([[1], [0], [-1], [2]]), np.array([[2, -1], [3, 2], [-1, -1], [0, 1]])),
    "interval": (np.array([0.1, np.nan, 0.0, 0.3]), np.array([np.nan, np.nan, 0.2, 0.4])),
    "beside": (np.array([7, -1, 3, -1]), np.array([1, 2, -1, -1])),
    "beside_place": (np.array([[1.0, 2.0, 3.0]] + 3 * [[np.nan] * 3]), np.ones((N, 3))),
    "speed_limit": (np.array([5.0, np.inf, 20.0, 0.0]), np.array([3.0, 8.0, np.inf, 4.0])),
    "heading": (np.array([[0.0, 1.0, 0.0], [0.0] * 3, [0.0] * 3, [1.0, 0.0, 0.0]]), np.tile([0.0, 0.0, 1.0], (N, 1))),
    "up": (np.array([[0.0, 1.0, 0.0], [0.0] * 3, [0.0] * 3, [1.0, 0.0, 0.0]]), np.tile([0.0, 0.0, 1.0], (N, 1))),
    "in_formation": (np.array([True, False, False, True]), np.array([False, False, True, True])),
    "hurries": (np.array([True, False, False, True]), np.array([False, False, True, True])),
    "lands": (np.array([[1.0, 2.0, 3.0]] + 3 * [[np.nan] * 3]), np.ones((N, 3))),
    "comes_down": (np.array([[1.0, 2.0, 3.0]] + 3 * [[np.nan] * 3]), np.ones((N, 3))),
    "perch": (np.array([[1.0, 2.0, 3.0]] + 3 * [[np.nan] * 3]), np.ones((N, 3))),
    "sets_speed": (np.array([True, False, False, True]), np.array([False, False, True, True])),
    "alarmed": (np.array([True, False, False, True]), np.array([False, False, True, True])),
    "warned": (np.array([True, False, False, True]), np.array([False, False, True, True])),
    "arrived": (np.array([True, False, False, True]), np.array([False, False, True, True])),
    "goal_distance": (np.array([5.0, np.inf, 20.0, 3.0]), np.array([3.0, 8.0, np.inf, 4.0])),
    "confined": (np.array([2, -1, 0, -1]), np.array([1, 3, -1, -1])),
    "leads_on": (np.array([True, False, False, True]), np.array([False, False, True, True])),
    "meets": (np.array([2, -1, 0, -1]), np.array([1, 3, -1, -1])),
    "urgent": (np.arange(12.0).reshape(N, 3), np.ones((N, 3))),
}
"""What two behaviors say, column by column."""
BOTH = {
    "clearance": [0.5, 0.4, 0.1, 0.6],
    "in_lane": [True, False, True, True],
    "awaits": [3, 5, 6, -3],
    "passing_places": np.ones((N, 8, 3)),
    "companions": [[1, 2, -1], [0, 3, 2], [-1, -1, -1], [2, 0, 1]],
    "interval": [0.1, np.nan, 0.2, 0.4],
    "beside": [7, 2, 3, -1],
    "beside_place": [[1.0, 2.0, 3.0]] + 3 * [[1.0] * 3],
    "speed_limit": [3.0, 8.0, np.inf, 0.0],
    "heading": [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
    "up": [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
    "in_formation": [True, False, True, True],
    "hurries": [True, False, True, True],
    "lands": [[1.0, 2.0, 3.0]] + 3 * [[1.0] * 3],
    "comes_down": [[1.0, 2.0, 3.0]] + 3 * [[1.0] * 3],
    "perch": [[1.0, 2.0, 3.0]] + 3 * [[1.0] * 3],
    "sets_speed": [True, False, True, True],
    "alarmed": [True, False, True, True],
    "warned": [True, False, True, True],
    "arrived": [True, False, True, True],
    "goal_distance": [3.0, 8.0, 20.0, 3.0],
    "confined": [1, 3, 0, -1],
    "leads_on": [True, False, True, True],
    "meets": [1, 3, 0, -1],
    "urgent": np.arange(12.0).reshape(N, 3) + 1.0,
}
"""What is known then."""

every = pytest.mark.parametrize("name", [field.name for field in fields(Intention)])


def told(name: str, *weights: np.ndarray) -> Intention:
    """What is known once one behavior for each weight (n,) has said its column."""
    known = nothing_said(N)
    for said, weight in zip(SAID[name], weights):
        known = known.adding(Intention(**{name: said}), weight, TOP)
    return known


def same(first: Intention, other: Intention) -> bool:
    pairs = ((getattr(first, name), getattr(other, name)) for name in SAID)
    return all(np.array_equal(one, two, one.dtype == float) for one, two in pairs)


@every
def test_two_behaviors_are_told_by_the_rule_of_the_column_and_by_no_other(name: str) -> None:
    known = told(name, np.ones(N), np.ones(N))
    assert np.array_equal(getattr(known, name), BOTH[name], equal_nan=known.__dict__[name].dtype == float)
    assert same(known, nothing_said(N).adding(known, np.ones(N), TOP)), "what is known may be said in one breath"
    others = (column for other, column in vars(known).items() if other != name)
    assert not any(map(is_said, others))


@every
def test_a_behavior_without_weight_says_nothing(name: str) -> None:
    silent = getattr(told(name, np.zeros(N)), name)
    unsaid = np.full((N, 1), -1) if name == "companions" else neutral(name, N)
    expected = SAID[name][0] if name in WHATEVER_ITS_WEIGHT else unsaid
    assert np.array_equal(silent, expected, equal_nan=silent.dtype == float)


@pytest.mark.parametrize("name", sorted(SAID.keys() - {"companions"}))
def test_what_is_said_of_a_part_is_said_of_no_other_agent(name: str) -> None:
    part = np.array([1, 3])
    said = Intention(**{name: SAID[name][0][part]})
    known = told(name, np.ones(N)).adding(said, np.ones(2), TOP, part)
    alone = told(name, np.ones(N)).take(part).adding(said, np.ones(2), TOP[part])
    assert same(known.take(part), alone)
    assert same(known.take(np.array([0, 2])), told(name, np.ones(N)).take(np.array([0, 2])))


def test_a_weight_below_1_brings_a_limit_and_what_is_urgent_into_force_by_that_share_only() -> None:
    weight = np.array([1.0, 0.5, 0.25, 2.0])
    said = Intention(speed_limit=np.full(N, 2.0), urgent=np.full((N, 3), 8.0))
    known = nothing_said(N).adding(said, weight, TOP)
    assert known.speed_limit.tolist() == [2.0, 6.0, 8.0, 2.0]
    assert known.urgent[:, 0].tolist() == [8.0, 4.0, 2.0, 8.0]
    assert known.top_speed(np.full(N, 5.0)).tolist() == [2.0, 5.0, 5.0, 2.0]
