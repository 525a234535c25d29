"""Separation (paper, Separation): one over r, fading to zero at its distance."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.separation import Separation
from tests.behaviors.situations import crowded, loop_over, nearby
from tests.scene import Scene


def apart(place: Scene, **values: object) -> np.ndarray:
    return replace(place, behaviors=[(Separation, values)]).steering()[0]


def plain_loop(place: Scene, distance: float, angle: float) -> np.ndarray:
    """The position offsets to each nearby character, turned away, normalized and scaled, summed together.

    Scaled by R / r - 1, which fades to zero at R, instead of the paper's 1 / r; the sum is cut at length 1.
    """

    def steering_of(i: int) -> Any:
        push = np.zeros(3)
        for j in nearby(place, i, distance, angle):
            offset = place.position[j] - place.position[i]
            r = np.linalg.norm(offset)
            push += -offset / r * (distance / r - 1.0)
        return push

    return loop_over(place, steering_of)


@pytest.mark.parametrize("angle", [1.0, np.pi, 2.0 * np.pi])
@pytest.mark.parametrize("distance", [0.5, 1.5, 4.0])
def test_the_force_is_the_sum_of_repulsions_from_each_nearby_character(distance: float, angle: float) -> None:
    place = crowded(60)
    forces = apart(place, distance=distance, angle=angle)
    wanted = plain_loop(place, distance, angle)
    assert np.abs(forces - wanted).max() < 1e-9
    assert (wanted != 0.0).any()


def test_vehicles_in_one_place_get_no_force() -> None:
    assert (apart(Scene(np.zeros((3, 3)))) == 0.0).all()
