"""Sine and cosine: as accurate as the system's, and the same bytes everywhere (test_same_bytes.py)."""

import math

import numpy as np
import pytest

from steering_addon.simulation.arrays.angles import (
    cosine,
    cosine_and_sine,
    cosine_of_setting,
    sine,
    sine_of_turns,
    tangent_of_setting,
)

ANGLES = np.concatenate(
    (
        np.linspace(-10.0, 10.0, 20001),
        np.linspace(-30000.0, 30000.0, 20001),
        np.linspace(-1e-8, 1e-8, 101),
        np.arange(-40, 41) * (math.pi / 4.0),
    )
)


@pytest.mark.parametrize(("ours", "theirs"), [(sine, math.sin), (cosine, math.cos)])
def test_the_error_is_one_unit_in_the_last_place_at_most(ours, theirs) -> None:
    expected = np.array([theirs(angle) for angle in ANGLES])
    assert np.abs(ours(ANGLES) - expected).max() < 2.5e-16


def test_the_sine_of_turns_is_that_of_the_angle_modulo_a_turn() -> None:
    turns = np.concatenate((np.linspace(-3.0, 3.0, 4801), 1e6 + np.linspace(0.0, 1.0, 1025)))
    expected = np.array([math.sin(2.0 * math.pi * (turn - round(turn))) for turn in turns])
    assert np.abs(sine_of_turns(turns) - expected).max() < 2e-11


def test_cosine_and_sine_together_equal_each_alone() -> None:
    cosines, sines = cosine_and_sine(ANGLES)
    assert np.array_equal(cosines, cosine(ANGLES))
    assert np.array_equal(sines, sine(ANGLES))


@pytest.mark.parametrize("angle", [np.full(5, 0.7), np.broadcast_to(0.7, 5), np.linspace(-1.5, 1.5, 5), np.zeros(0)])
def test_a_setting_has_the_same_cosine_and_tangent_shared_or_not(angle: np.ndarray) -> None:
    cosines, sines = cosine_and_sine(angle)
    assert np.array_equal(cosine_of_setting(angle), cosines)
    assert np.array_equal(tangent_of_setting(angle), sines / cosines)


def test_the_sine_of_an_angle_does_not_depend_on_its_row() -> None:
    backwards = sine(ANGLES[::-1].copy())[::-1]
    singly = np.concatenate([sine(ANGLES[i : i + 1]) for i in range(0, len(ANGLES), 997)])
    assert sine(ANGLES).tobytes() == backwards.tobytes()
    assert sine(ANGLES)[::997].tobytes() == singly.tobytes()
