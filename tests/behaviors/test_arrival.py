"""Arrival (paper, Arrival): seek that slows down and stops at its target."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.docking import Docking
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import SimpleVehicle
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.maneuvers.chasing import CURRENT_SPEED
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions, speeds

MAX_SPEED = 5.0
HERE = (3.0, -2.0, 1.0)


def arriving(
    n: int, slowing_distance: Any, nearest: float, furthest: float, max_turn_rate: float = np.pi, **vehicle
) -> Scene:
    """Vehicles on all sides of a target, near and far, with all headings and speeds."""
    rng = np.random.default_rng(0)
    away, heading = rng.normal(size=(2, n, 3))
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    return Scene(
        HERE + away * rng.uniform(nearest, furthest, (n, 1)),
        forward=heading,
        up=(0.01, 0.02, 1.0),
        speed=rng.uniform(0.0, MAX_SPEED, n),
        behaviors=[(Arrival, {"slowing_distance": slowing_distance})],
        vehicle=vehicle,
        locomotions=[(SimpleVehicle, {"max_turn_rate": max_turn_rate})],
        tracked=leaders(HERE),
    )


def test_the_force_is_the_papers_if_the_braking_distance_is_short() -> None:
    """ramped_speed = max_speed * (distance / slowing_distance), clipped; the rest is seek's."""
    place = arriving(20, 6.0, 0.5, 12.0, max_force=1e4, max_turn_rate=1e4)
    velocity, [force] = place.start().motion.velocity, place.steering()
    for row in range(20):
        target_offset = np.array(HERE) - place.position[row]
        distance = np.linalg.norm(target_offset)
        ramped_speed = MAX_SPEED * (distance / 6.0)
        clipped_speed = min(ramped_speed, MAX_SPEED)
        desired_velocity = (clipped_speed / distance) * target_offset
        assert np.allclose(force[row], (desired_velocity - velocity[row]) / 0.3)


def test_far_away_it_is_seek() -> None:
    place = arriving(20, 2.0, 10.0, 20.0, max_turn_rate=1e4)
    [arrival] = place.steering()
    [seek] = replace(place, behaviors=[(Seek, {})]).steering()
    # Seek has the vehicle's response time, arrival at most a quarter of its ramp's.
    assert np.allclose(arrival * 0.1, seek * 0.3)


def test_it_does_not_overshoot() -> None:
    """A vehicle that starts with room to stop stays within 5 cm once it has been within 2 cm."""
    place = arriving(60, np.repeat([0.5, 2.0, 4.0], 20), 6.0, 20.0)
    distance = np.linalg.norm(positions(place.run(241)) - HERE, axis=2)
    for row in range(60):
        arrival = int(np.argmax(distance[:, row] < 0.02))
        assert arrival > 0
        assert distance[arrival:, row].max() < 0.05


def test_straight_ahead_it_never_passes_the_target() -> None:
    """Even if the slowing distance is short for its strength: the braking distances are 12.5, 1.25 and 0.25 m."""
    place = Scene(
        np.arange(9)[:, None] * [[50.0, 0.0, 0.0]],
        speed=MAX_SPEED,
        behaviors=[(Arrival, {"slowing_distance": np.repeat([0.1, 1.0, 4.0], 3), "target": 9 + np.arange(9)})],
        vehicle={"max_force": np.tile([1.0, 10.0, 50.0], 3)},
        tracked=leaders(*(np.arange(9)[:, None] * [[50.0, 0.0, 0.0]] + [0.0, 18.0, 0.0])),
    )
    states = place.run(361)
    assert positions(states)[:, :, 1].max() <= 18.0 + 0.05
    assert (np.diff(speeds(states), axis=0) <= 0.01).all(), "it only brakes"


def test_braking_starts_at_the_slowing_distance() -> None:
    place = Scene(
        [[0.0, 0.0, 0.0]],
        speed=MAX_SPEED,
        behaviors=[(Arrival, {"slowing_distance": 8.0})],
        tracked=leaders([0.0, 20.0, 0.0]),
    )
    states = place.run(200)
    left, speed = 20.0 - positions(states)[:, 0, 1], speeds(states)[:, 0]
    assert speed[left > 8.0].min() > MAX_SPEED - 1e-9
    assert speed[(left < 6.5) & (left > 1.0)].max() < MAX_SPEED - 0.2
    # The vehicle follows the ramp with a lag of one response time.
    inside = (left < 6.0) & (left > 0.5)
    assert np.abs(speed[inside] - MAX_SPEED * (left[inside] + speed[inside] * 0.3) / 8.0).max() < 0.3


@sampled(one_of=9)
@pytest.mark.parametrize("max_turn_rate", [0.5, 1.0])
@pytest.mark.parametrize("slowing_distance", [1.0, 4.0])
def test_a_vehicle_that_turns_slowly_does_not_circle_its_target(max_turn_rate: float, slowing_distance: float) -> None:
    place = arriving(40, slowing_distance, 0.0, 20.0, max_turn_rate=max_turn_rate)
    states = place.run(24 * 12)
    assert np.linalg.norm(positions(states)[-1] - HERE, axis=1).max() < 0.01 * slowing_distance


def test_on_the_target_and_at_rest_it_does_nothing() -> None:
    place = Scene([HERE], behaviors=[(Arrival, {})], tracked=leaders(HERE))
    assert (place.steering()[0] == 0.0).all()
    assert (positions(place.run(48)) == HERE).all(), "cruise speed does not drive it away"


def test_its_goal_is_its_target() -> None:
    _, agents, _ = Scene([(0.0, 0.0, 0.0)], behaviors=[(Arrival, {})], tracked=leaders((3.0, 4.0, 0.0))).seen()
    assert agents.goal_distance.tolist() == [5.0]


@pytest.mark.parametrize("behavior", [Arrival, Docking])
def test_at_its_own_pace_it_comes_at_cruise_speed_and_stops(behavior: type[Behavior]) -> None:
    place = Scene(
        [(0.0, 0.0, 0.0)],
        forward=(0.0, 1.0, 0.0),
        behaviors=[(behavior, {"pace": CURRENT_SPEED})],
        vehicle={"max_speed": MAX_SPEED, "cruise_speed": 0.3},
        tracked=leaders([0.0, 15.0, 0.0]),
    )
    states = place.run(24 * 16)
    assert speeds(states).max() == pytest.approx(0.3 * MAX_SPEED, rel=0.02)
    assert speeds(states)[-1, 0] < 0.05
    assert positions(states)[-1, 0, 1] == pytest.approx(15.0, abs=0.1)
