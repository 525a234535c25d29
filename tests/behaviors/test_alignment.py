"""Alignment (paper, Alignment): the average velocity of the others is the desired velocity."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.alignment import HEADING, Alignment
from tests.behaviors.situations import crowded, loop_over, nearby
from tests.scene import Scene

CRUISE = 4.0
"""m/s, of the default vehicle."""


def aligned(place: Scene, **values: object) -> np.ndarray:
    return replace(place, behaviors=[(Alignment, values)]).steering()[0]


def plain_loop(place: Scene, distance: float, angle: float, full_difference: float) -> np.ndarray:
    """Averaging the velocity of the nearby characters; the steering vector is the difference to the current velocity.

    In units of a share of cruise speed, and cut at length 1.
    """
    velocity = place.start().motion.velocity

    def steering_of(i: int) -> Any:
        near = nearby(place, i, distance, angle)
        return (velocity[near].mean(axis=0) - velocity[i]) / (full_difference * CRUISE) if near else np.zeros(3)

    return loop_over(place, steering_of)


@pytest.mark.parametrize("full_difference", [0.1, 0.4, 1.0])
@pytest.mark.parametrize("angle", [1.0, 1.5 * np.pi, 2.0 * np.pi])
@pytest.mark.parametrize("distance", [0.5, 3.0])
def test_the_force_is_the_difference_to_the_average_velocity(
    distance: float, angle: float, full_difference: float
) -> None:
    place = crowded(60)
    forces = aligned(place, distance=distance, angle=angle, full_difference=full_difference)
    wanted = plain_loop(place, distance, angle, full_difference)
    assert np.abs(forces - wanted).max() < 1e-9
    assert (wanted != 0.0).any()


def heading_loop(place: Scene, distance: float, angle: float, full_difference: float) -> np.ndarray:
    """Averaging the unit forward vectors of the neighbors; the steering is the difference to the agent's own.

    The average is normalized; the difference is in shares of a unit heading, and cut at length 1.
    """

    def steering_of(i: int) -> Any:
        near = nearby(place, i, distance, angle)
        if not near:
            return np.zeros(3)
        mean = place.forward[near].mean(axis=0)
        return (mean / np.linalg.norm(mean) - place.forward[i]) / full_difference

    return loop_over(place, steering_of)


@pytest.mark.parametrize("full_difference", [0.4, 1.0])
@pytest.mark.parametrize("angle", [1.0, 2.0 * np.pi])
def test_by_heading_the_force_is_the_difference_to_the_average_heading(angle: float, full_difference: float) -> None:
    place = crowded(60)
    forces = aligned(place, match=HEADING, distance=3.0, angle=angle, full_difference=full_difference)
    wanted = heading_loop(place, 3.0, angle, full_difference)
    assert np.abs(forces - wanted).max() < 1e-9
    assert (wanted != 0.0).any()


def test_by_heading_it_does_nothing_without_neighbors_or_if_they_face_the_same_way() -> None:
    alone = Scene([[0.0, 0.0, 0.0]], speed=3.0)
    abreast = Scene([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], speed=[3.0, 5.0])
    facing_nowhere = Scene(
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], forward=[[0, 1, 0], [1, 0, 0], [-1, 0, 0]], speed=3.0
    )
    assert (aligned(alone, match=HEADING) == 0.0).all()
    assert (aligned(abreast, match=HEADING, angle=2.0 * np.pi) == 0.0).all()
    assert (aligned(facing_nowhere, match=HEADING, angle=2.0 * np.pi)[0] == 0.0).all()
