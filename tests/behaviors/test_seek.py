"""Seek (paper, Seek): passes through its target and turns back."""

import numpy as np
import pytest

from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import Planar
from steering_addon.simulation.maneuvers.chasing import CURRENT_SPEED
from tests.scene import Scene, leaders, positions, speeds


def seekers(**changes) -> Scene:
    given = {"position": [[0.0, 0.0, 0.0]], "behaviors": [(Seek, {})], "tracked": leaders([6.0, 9.0, 3.0])}
    return Scene(**(given | changes))


def test_the_force_is_the_papers() -> None:
    """desired_velocity = normalize (target - position) * max_speed; steering = desired_velocity - velocity.

    In the paper's pseudo-code the sign is wrong."""
    place = seekers(position=[[1.0, 2.0, 3.0], [-4.0, 0.0, 1.0]], speed=[2.0, 0.0], vehicle={"mass": 2.0})
    target, velocity = np.array([6.0, 9.0, 3.0]), place.start().motion.velocity
    for row, force in enumerate(place.steering()[0]):
        offset = target - place.position[row]
        desired_velocity = offset / np.linalg.norm(offset) * 5.0
        assert np.allclose(force, 2.0 * (desired_velocity - velocity[row]) / 0.3)


def test_its_goal_is_its_target() -> None:
    world, agents, [seek] = seekers(position=np.zeros((2, 3)), behaviors=[(Seek, {"target": [-1, 2]})]).seen()
    assert np.isnan(seek.goal(world, agents, None)[0]).all()
    assert seek.goal(world, agents, None)[1].tolist() == [6.0, 9.0, 3.0]
    assert agents.goal_distance.tolist() == [np.inf, pytest.approx(np.sqrt(126.0))]


def test_on_the_ground_the_level_offset_counts() -> None:
    place = seekers(locomotions=[(Planar, {})], tracked=leaders([3.0, 4.0, 100.0]))
    assert np.allclose(place.steering()[0], [[3.0 / 0.3, 4.0 / 0.3, 0.0]])


def test_a_longer_response_time_gives_a_weaker_force_and_none_is_quicker_than_a_step() -> None:
    """Otherwise the force would overshoot and swing."""
    hasty, in_a_step, quick, lazy = (
        seekers(vehicle={"response_time": time}).steering()[0] for time in (0.01, 1.0 / 24.0, 0.3, 0.6)
    )
    assert np.array_equal(hasty, in_a_step) and np.allclose(quick, 2.0 * lazy)


@pytest.mark.parametrize(("speed", "wanted"), [(5.0, 5.0), (2.0, 4.0), (0.0, 4.0)])
def test_at_its_own_pace_the_desired_velocity_is_as_long_as_the_present_one(speed: float, wanted: float) -> None:
    """The paper's other length of desired_velocity: the character's current speed. One that was stopped goes on."""
    place = seekers(speed=speed, behaviors=[(Seek, {"pace": CURRENT_SPEED})])
    target, velocity = np.array([6.0, 9.0, 3.0]), place.start().motion.velocity[0]
    assert np.allclose(place.steering()[0], (target / np.linalg.norm(target) * wanted - velocity) / 0.3)


def test_at_its_own_pace_it_reaches_its_target_at_cruise_speed() -> None:
    states = seekers(behaviors=[(Seek, {"pace": CURRENT_SPEED})], tracked=leaders([6.0, 40.0, 3.0])).run(24 * 15)
    distance = np.linalg.norm(positions(states)[:, 0] - (6.0, 40.0, 3.0), axis=1)
    nearest = int(distance.argmin())
    assert distance[nearest] < 1.0
    assert speeds(states)[nearest, 0] == pytest.approx(4.0, abs=0.2)
    assert speeds(states).max() < 4.2
