"""Shadow (paper): approaches its quarry, then has its speed and heading."""

import numpy as np
import pytest

from steering_addon.behaviors.shadow import Shadow
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions, velocities

FPS = 12


def shadows(drift: object = (2.0, 1.0, 0.0), start: object = (-20.0, 0.0, 3.0), **values) -> Scene:
    return Scene([start], behaviors=[(Shadow, values)], tracked=leaders([0.0, 0.0, 0.0]), drift=drift, fps=FPS)


@sampled
@pytest.mark.parametrize("start", [(-20.0, 0.0, 3.0), (12.0, 5.0, 0.0), (0.0, -15.0, -5.0)])
def test_it_comes_up_and_then_matches_speed_and_heading(start: tuple) -> None:
    states = shadows(start=start).run(FPS * 15)
    quarry = np.array([2.0, 1.0, 0.0]) * (len(states) - 1) / FPS
    assert np.linalg.norm(positions(states)[-1, 0] - quarry) == pytest.approx(3.0, abs=0.4)
    assert np.allclose(velocities(states)[-FPS:, 0], [2.0, 1.0, 0.0], atol=0.15)


def test_within_the_distance_only_speed_and_heading_count() -> None:
    """The alignment of the paper: the velocity of the quarry minus its own."""
    place = shadows(start=(1.0, -1.0, 0.5))
    assert np.allclose(place.steering()[0], [[2.0 / 0.3, 1.0 / 0.3, 0.0]])


def test_with_a_distance_of_zero_it_joins_the_quarry() -> None:
    states = shadows(distance=0.0).run(FPS * 18)
    quarry = np.array([2.0, 1.0, 0.0]) * (len(states) - 1) / FPS
    assert np.linalg.norm(positions(states)[-1, 0] - quarry) < 0.1


def test_it_waits_next_to_a_standing_quarry() -> None:
    states = shadows(drift=(0.0, 0.0, 0.0)).run(FPS * 12)
    assert np.linalg.norm(velocities(states)[-1, 0]) < 0.05
    assert np.linalg.norm(positions(states)[-1, 0]) == pytest.approx(3.0, abs=0.3)
