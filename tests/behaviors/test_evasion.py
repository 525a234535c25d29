"""Evasion (paper, Pursuit): flees the predicted position of the pursuer."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.evasion import SHORT_OF_IT, Evasion
from steering_addon.behaviors.flee import Flee
from tests.scene import Scene, leaders


def hunted(drift: object = (0.0, 0.0, 0.0), **values) -> Scene:
    return Scene(
        [[0.0, 0.0, 0.0]], behaviors=[(Evasion, values)], tracked=leaders([0.0, -6.0, 0.0]), drift=drift, speed=2
    )


def test_from_a_pursuer_at_rest_it_flees() -> None:
    place = hunted()
    assert np.array_equal(place.steering()[0], replace(place, behaviors=[(Flee, {})]).steering()[0])


def test_it_heads_away_from_where_the_pursuer_will_be() -> None:
    """By the definition: flee the position of a linear predictor, for nearly the time the pursuer needs to reach the
    agent."""
    place = hunted(drift=(3.0, 0.0, 0.0))
    menace = np.array([0.0, -6.0, 0.0]) + SHORT_OF_IT * 2.0 * np.array([3.0, 0.0, 0.0])
    away = -menace / np.linalg.norm(menace)
    assert np.allclose(place.steering()[0], (away * 5.0 - [0.0, 2.0, 0.0]) / 0.3)


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0])
def test_from_a_pursuer_that_comes_straight_it_runs_straight_away(speed: float) -> None:
    """Also from one that is right behind, at any speed."""
    for gap in (0.7, 3.0, 6.0):
        place = replace(hunted(drift=(0.0, speed, 0.0)), tracked=leaders([0.0, -gap, 0.0]))
        assert np.allclose(place.steering()[0], [0.0, (5.0 - 2.0) / 0.3, 0.0])


@pytest.mark.parametrize("turns", [-1.0, 1.0])
def test_from_a_faster_one_that_turns_it_runs_out_of_its_bend(turns: float) -> None:
    """To the left of one that turns to the right, and the other way round."""
    world, agents, [evasion] = hunted(drift=(0.0, 20.0, 0.0)).seen()
    acceleration = np.array([[0.0, 0.0, 0.0], [20.0 * turns, 0.0, 0.0]])
    world = replace(world, bodies=replace(world.bodies, acceleration=acceleration))
    assert evasion.steer(world, agents, None).force[0, 0] * turns < -10.0


def test_it_does_nothing_beyond_its_distance_or_without_a_pursuer() -> None:
    """The distance counts from the body of the pursuer, not from its middle."""
    body = hunted().seen()[0].bodies.extent[-1]
    assert body > 0.2
    for place in (hunted(distance=5.9 - body), hunted(pursuer=-1)):
        world, agents, [evasion] = place.seen()
        assert (place.steering()[0] == 0.0).all()
        assert not evasion.steer(world, agents, None).sets_speed.any()
    assert (hunted(distance=6.1 - body).steering()[0] != 0.0).any()
    assert (hunted(distance=0.0).steering()[0] != 0.0).any()
