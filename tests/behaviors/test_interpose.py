"""Interpose (paper): gets between two others and stays between them."""

import numpy as np
import pytest

from steering_addon.behaviors.interpose import Interpose
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions

ONE, OTHER = np.array([10.0, 4.0, 0.0]), np.array([10.0, -8.0, 2.0])

FPS = 12


def blockers(drift: object = (0.0, 0.0, 0.0), start: object = (0.0, 0.0, 0.0), **values) -> Scene:
    given = {"one": 1, "other": 2} | values
    return Scene([start], behaviors=[(Interpose, given)], tracked=leaders(ONE, OTHER), drift=drift, fps=FPS)


@sampled
@pytest.mark.parametrize("between", [0.0, 0.25, 0.5, 1.0])
def test_it_stops_between_two_that_stand(between: float) -> None:
    end = positions(blockers(between=between).run(FPS * 15))[-1, 0]
    assert np.allclose(end, ONE + (OTHER - ONE) * between, atol=0.1)


def test_it_stays_between_two_that_move() -> None:
    track = positions(blockers(drift=(1.0, 2.0, 0.0)).run(FPS * 20))[:, 0]
    middle = (ONE + OTHER) / 2.0 + np.array([1.0, 2.0, 0.0]) * (len(track) - 1) / FPS
    assert np.linalg.norm(track[-1] - middle) < 0.6


def test_it_heads_for_the_predicted_positions_of_the_two() -> None:
    drift = np.array([0.0, 3.0, 0.0])
    world, agents, [interpose] = blockers(drift=drift).seen()
    middle = (ONE + OTHER) / 2.0
    time = np.linalg.norm(middle) / 5.0
    assert np.allclose(interpose.goal(world, agents, None), [middle + drift * time])
    world, agents, [interpose] = blockers(drift=drift, prediction_time=0.5).seen()
    assert np.allclose(interpose.goal(world, agents, None), [middle + drift * 0.5])


@pytest.mark.parametrize("missing", [{"one": -1}, {"other": -1}, {"one": -1, "other": -1}])
def test_it_does_nothing_unless_both_are_present(missing: dict) -> None:
    place = blockers(**missing)
    world, agents, [interpose] = place.seen()
    assert (place.steering()[0] == 0.0).all()
    assert np.isnan(interpose.goal(world, agents, None)).all()
    assert not interpose.steer(world, agents, None).sets_speed.any()
