"""Wander (paper, Wander): long, easy turns, no two agents alike."""

from dataclasses import replace

import numpy as np
import pytest

from scripts.motion_metrics import turns
from steering_addon.behaviors.wander import Wander
from steering_addon.simulation.run import step
from tests.scene import Scene, headings, speeds

FPS = 12


def wanderers(n: int = 12, **parameters) -> Scene:
    return Scene(
        np.arange(n)[:, None] * [[100.0, 0.0, 0.0]],
        speed=4.0,
        behaviors=[(Wander, parameters)],
        fps=FPS,
    )


def steering_over_time(place: Scene, times: np.ndarray) -> np.ndarray:
    """(times, n, 3) the forces at different times for the same positions, newtons."""
    world, agents, [wander] = place.seen()
    return np.array([wander.wandering(replace(world, time=time), agents) for time in times])


def test_it_turns_both_ways_near_its_speed_and_height_and_no_two_agents_wander_alike() -> None:
    stroll = wanderers().run(FPS * 40)
    turn, climb = turns(headings(stroll), FPS)[..., 2], headings(stroll)[..., 2]
    assert (np.percentile(turn, 95, axis=0) > 10.0).all()
    assert (np.percentile(turn, 5, axis=0) < -10.0).all()
    assert np.abs(turn.mean(axis=0)).max() < 12.0
    assert 3.5 < speeds(stroll).min() <= speeds(stroll).max() < 4.5
    assert np.abs(climb).max() < 0.7 and np.abs(climb).mean() > 0.02, "it goes up and down"
    assert np.abs(np.corrcoef(turn.T) - np.eye(turn.shape[1])).max() < 0.6


@pytest.mark.parametrize("strength", [0.5, 2.0, 7.0])
def test_strength_bounds_the_force_and_is_reached(strength: float) -> None:
    place = replace(wanderers(40, strength=strength, leveling=0.0, vertical=1.0), vehicle={"mass": 3.0})
    push = np.linalg.norm(steering_over_time(place, np.arange(0.0, 60.0, 0.5)), axis=-1) / 3.0
    assert push.max() <= strength * (1.0 + 1e-9)
    assert push.max() > 0.99 * strength
    assert 0.5 * strength < push.mean()


def test_the_force_is_across_the_heading() -> None:
    place = replace(wanderers(5, leveling=0.0), forward=[[0.3, 0.8, 0.4]], up=(0.2, 0.1, 1.0))
    force = steering_over_time(place, np.arange(0.0, 5.0, 0.5))
    assert np.abs((force * place.forward).sum(axis=-1)).max() < 1e-9


def test_without_a_vertical_part_it_stays_level() -> None:
    force = steering_over_time(wanderers(5, vertical=0.0), np.arange(0.0, 5.0, 0.5))
    assert (force[..., 2] == 0.0).all()
    assert np.abs(force[..., 0]).max() > 0.5


def test_leveling_ends_a_climb() -> None:
    place = replace(wanderers(1, strength=0.0, leveling=0.8), forward=[[0.0, 0.6, 0.8]])
    climb = headings(place.run(24 * 8))[:, 0, 2]
    assert climb[0] == pytest.approx(0.8)
    assert (np.diff(climb) <= 1e-12).all()
    assert abs(climb[-1]) < 0.05


def test_the_shared_part_is_the_same_for_all_and_the_rest_is_not() -> None:
    times = np.arange(0.0, 10.0, 0.5)
    shared = steering_over_time(wanderers(5, strength=0.0, shared_strength=3.0), times)
    assert np.array_equal(shared, np.broadcast_to(shared[:, :1], shared.shape))
    assert np.abs(shared).max() > 1.0
    individual = steering_over_time(wanderers(5), times)
    both = steering_over_time(wanderers(5, shared_strength=3.0), times)
    assert np.allclose(both, individual + shared)


def test_each_crowd_has_its_own_shared_part() -> None:
    place = wanderers(3, strength=0.0, shared_strength=3.0)
    still = place.snapshot()
    other = replace(still, crowd_keys=still.crowd_keys + np.uint64(1))
    start = replace(place.start(), inputs=still)
    assert not np.allclose(step(start, still).force, step(replace(start, inputs=other), other).force)


@pytest.mark.parametrize("parameter", ["rate", "shared_rate"])
def test_rate_scales_time(parameter: str) -> None:
    values = {"strength": 2.0 * (parameter == "rate"), "shared_strength": 2.0 * (parameter != "rate")}
    times = np.arange(0.0, 5.0, 0.25)
    slow = steering_over_time(wanderers(4, **values, **{parameter: 0.4}), 3.0 * times)
    fast = steering_over_time(wanderers(4, **values, **{parameter: 1.2}), times)
    assert np.allclose(slow, fast, atol=1e-9)
    assert np.ptp(fast, axis=0).max() > 1.0


def test_now_and_then_the_two_sides_of_a_crowd_turn_away_from_each_other() -> None:
    place = Scene(
        [[x, 0.3 * x, 0.1 * x] for x in (-3.0, -2.0, 0.0, 2.0, 3.0)],
        forward=(0.0, 1.0, 0.2),
        speed=4.0,
        behaviors=[(Wander, {"strength": 0.0, "leveling": 0.0, "parting_strength": 2.0, "parting_rate": 0.05})],
    )
    steering = steering_over_time(place, np.arange(0.0, 600.0, 0.5))
    aside = np.abs(steering).max(axis=(1, 2))
    assert 0.01 < (aside > 0.0).mean() < 0.1
    assert aside.max() == pytest.approx(2.0)
    _, agents, _ = place.seen()
    assert np.abs(np.einsum("tnk,nk->tn", steering, agents.forward)).max() < 1e-12, "it keeps its speed"
    parted = steering[aside > 1.9][..., 0]
    assert (parted[:, :2] < -1.8).all() and (parted[:, 3:] > 1.8).all() and (np.abs(parted[:, 2]) < 0.1).all()


def test_who_is_alone_does_not_part() -> None:
    place = wanderers(1, strength=0.0, leveling=0.0, parting_strength=2.0)
    assert not steering_over_time(place, np.arange(0.0, 200.0, 1.0)).any()
