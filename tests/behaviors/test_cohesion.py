"""Cohesion (paper, Cohesion): toward the middle of those nearby."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.simulation.neighbors import EVERYONE
from tests.behaviors.situations import crowded
from tests.scene import Scene, locked, positions


def drawn(place: Scene, **values: object) -> np.ndarray:
    return replace(place, behaviors=[(Cohesion, values)]).steering()[0]


def plain_loop(place: Scene, distance: float, angle: float) -> np.ndarray:
    """Subtracting our character position from the average position of the nearby characters.

    In units of half the distance, and cut at length 1.
    """
    mass = np.broadcast_to(place.vehicle.get("mass", 1.0), len(place))
    forces = np.zeros((len(place), 3))
    for i in range(len(place)):
        nearby = []
        for j in range(len(place)):
            offset = place.position[j] - place.position[i]
            r = np.linalg.norm(offset)
            if i != j and r < distance:
                off_axis = np.arccos(np.clip(offset @ place.forward[i] / r, -1.0, 1.0))
                if off_axis <= angle / 2.0:
                    nearby.append(place.position[j])
        if nearby:
            steering = (np.mean(nearby, axis=0) - place.position[i]) / (distance / 2.0)
            forces[i] = steering / max(1.0, np.linalg.norm(steering)) * mass[i]
    return forces


@pytest.mark.parametrize("angle", [1.0, np.pi, 2.0 * np.pi])
@pytest.mark.parametrize("distance", [0.5, 3.0, 9.0])
def test_the_force_points_to_the_average_position_of_those_nearby(distance: float, angle: float) -> None:
    place = crowded(60)
    found = drawn(place, distance=distance, angle=angle)
    wanted = plain_loop(place, distance, angle)
    assert np.abs(found - wanted).max() < 1e-9
    assert (wanted != 0.0).any()


def test_it_fades_to_nothing_in_the_middle_and_is_full_half_the_distance_away() -> None:
    def pull(gap: float) -> float:
        return float(drawn(Scene([[0.0, 0.0, 0.0], [gap, 0.0, 0.0]]), distance=4.0)[0, 0])

    assert pull(0.0) == 0.0
    assert pull(0.5) == pytest.approx(0.25)
    assert pull(2.0) == pytest.approx(1.0)
    assert pull(3.9) == pytest.approx(1.0), "cut at full weight"
    assert pull(4.0) == 0.0, "out of sight"
    around = drawn(Scene([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]))
    assert np.allclose(around[0], 0.0)


def test_alone_it_does_nothing() -> None:
    assert (drawn(Scene([[5.0, 0.0, 0.0]])) == 0.0).all()
    two_and_one = drawn(Scene([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [50.0, 0.0, 0.0]]))
    assert (two_and_one[2] == 0.0).all()
    assert (two_and_one[0] != 0.0).any()


def test_one_more_far_away_changes_nothing_for_the_others() -> None:
    place = crowded(30)
    more = Scene([*place.position, [900.0, 0.0, 0.0]], forward=[*place.forward, [0.0, 1.0, 0.0]])
    assert np.abs(drawn(more)[:30] - drawn(replace(place, vehicle={}))).max() < 1e-12


def test_locked_vehicles_are_stayed_with() -> None:
    place = Scene([[0.0, 0.0, 0.0]], tracked=locked([1.0, 0.0, 0.0], crowd=3))
    assert (drawn(place) == 0.0).all(), "another crowd"
    assert drawn(place, neighbors=EVERYONE)[0, 0] > 0.0


def test_a_crowd_draws_together() -> None:
    place = replace(
        crowded(20, size=4.0),
        behaviors=[(Cohesion, {"distance": 20.0})],
        vehicle={"cruise_speed": 0.0, "speed_time": 0.5},
        speed=0.0,
    )
    found = positions(place.run(24 * 8))
    size = np.linalg.norm(found - found.mean(axis=1, keepdims=True), axis=-1).mean(axis=1)
    assert size[0] > 2.0
    assert size[-48:].mean() < 0.6 * size[0]
