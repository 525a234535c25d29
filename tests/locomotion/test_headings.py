"""Headings and their turns, and who stands and turns on the spot."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.locomotion.headings import (
    EASING,
    Turn,
    face,
    rests,
    sine_between,
    turn_by,
    turn_left,
    turn_rate_between,
    turn_to,
)
from steering_addon.simulation.locomotion import Control
from steering_addon.simulation.vehicle import Motion, VehicleModel

DT = 1.0 / 24.0
RESTS = {
    # situation: speed, force, limit, strongest force, whether it rests; at most 2 m/s, of 2 kg, in .6 s
    "as slow as a fiftieth of its speed": (0.039, 0.0, np.inf, 8.0, True),
    "faster": (0.041, 0.0, np.inf, 8.0, False),
    "faster than it stops in a step": (0.03, 0.0, np.inf, 1.0, False),
    "hardly asked to go": (0.0, 0.33, np.inf, 8.0, True),
    "asked to go": (0.0, 0.34, np.inf, 8.0, False),
    "asked to go on": (0.03, 0.3, np.inf, 8.0, False),
    "asked to stop": (0.03, -0.3, np.inf, 8.0, True),
    "held back": (0.0, 0.34, 0.05, 8.0, True),
}


def standing(speed: float, strongest: float = 8.0, n: int = 1) -> tuple[VehicleModel, Motion]:
    model = VehicleModel.of(n, mass=2.0, max_force=strongest, max_speed=2.0, response_time=0.6)
    ahead, left, up = (np.tile(axis, (n, 1)) for axis in np.eye(3))
    return model, Motion(0.0 * ahead, speed * ahead, -left, ahead, up)


@pytest.mark.parametrize(("speed", "force", "limit", "strongest", "rest"), RESTS.values(), ids=RESTS)
def test_a_body_stands_that_is_slow_and_is_not_asked_to_go(speed, force, limit, strongest, rest) -> None:
    model, motion = standing(speed, strongest)
    asks = [np.array([limit])] if np.isfinite(limit) else [None, np.array([np.inf])]
    for each in asks:
        assert rests(model, motion, Control(np.array([(force, 0.0, 0.0)]), each), DT).item() is rest


def test_who_stands_turns_where_it_is_and_others_go_on() -> None:
    """Asked to face up to its left; the second is not asked, the third cannot turn, and the last one moves."""
    model, motion = standing(0.01, n=4)
    motion.velocity[3] = 1.0, 0.0, 0.0
    asked = np.array([(0.0, 0.6, 0.8), (0.0, 0.0, 0.0), (0.0, 0.6, 0.8), (0.0, 0.6, 0.8)])
    rate, control = np.array([2.0, 2.0, 0.0, 2.0]), Control(np.zeros((4, 3)), None, heading=asked)
    after: Any = motion.position + 7.0, motion.velocity + 8.0, motion.forward + 9.0
    for level, toward in ((False, (0.0, 0.6, 0.8)), (True, (0.0, 1.0, 0.0))):
        place, velocity, forward = face(model, motion, control, after, rate, DT, on_the_level=level)
        assert (place[0] == 0.0).all() and (velocity[0] == 0.0).all()
        np.testing.assert_allclose(
            forward[0], np.cos(2.0 * DT) * motion.forward[0] + np.sin(2.0 * DT) * np.array(toward)
        )
        assert all((new[1:] == old[1:]).all() for new, old in zip((place, velocity, forward), after))
    assert face(model, motion, replace(control, heading=None), after, rate, DT) is after


def test_at_rest_a_body_turns_the_short_way_as_fast_as_it_can_and_ends_gradually() -> None:
    """Straight back, it turns to its right."""
    angle, rate = np.linspace(-np.pi, np.pi, 49), 2.0
    forward = np.tile((1.0, 0.0, 0.0), (len(angle), 1))
    heading = np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=1)
    heading[[0, -1]] = -forward[0]
    eased = np.minimum(rate, 2.0 * np.sin(0.5 * np.abs(angle)) / EASING) * DT
    for axes in (2, 3):
        turned = turn_to(forward[:, :axes], heading[:, :axes], np.full(len(angle), rate), DT)
        expected = np.where(np.abs(angle) < 3.14, np.sign(angle), -1.0) * eased
        np.testing.assert_allclose(np.arctan2(turned[:, 1], turned[:, 0]), expected, atol=1e-12)


def test_turns_as_seen_from_above_are_the_rotations_by_their_angles() -> None:
    start, by = (each.ravel() for each in np.meshgrid(np.arange(12) * 0.5, (-2.5, -0.1, 0.0, 1.0, 3.0)))
    heading, other = (np.stack((np.cos(angle), np.sin(angle)), axis=1) for angle in (start, start + by))
    np.testing.assert_allclose(turn_by(heading, np.cos(by), np.sin(by)), other, atol=1e-12)
    np.testing.assert_allclose(sine_between(heading, other), np.sin(by), atol=1e-12)
    np.testing.assert_allclose(turn_rate_between(heading, other, 1.0), 2.0 * np.sin(0.5 * by), atol=1e-12)
    ahead, left = (np.pad(axis, ((0, 0), (0, 1))) for axis in (heading, heading[:, ::-1] * (-1.0, 1.0)))
    np.testing.assert_allclose(turn_left(ahead, left, by)[:, :2], other, atol=1e-12)
    turn, most = Turn.between(heading, other), np.full(len(by), 0.5)
    to = start + np.clip(by, -0.5, 0.5)
    np.testing.assert_allclose(turn.by(most), np.stack((np.cos(to), np.sin(to)), axis=1), atol=1e-12)
    np.testing.assert_allclose(turn.cosine_left(most), np.cos(np.maximum(np.abs(by) - 0.5, 0.0)), atol=1e-12)
