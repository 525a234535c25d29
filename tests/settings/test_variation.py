"""Variation: each vehicle has its own random factors within the amount, independent of other vehicles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.settings.population import SALTS, factors
from steering_addon.simulation.arrays.chance import keys_of

MANY = np.arange(1, 4001)


@given(st.integers(-(2**31), 2**31), st.sampled_from(sorted(SALTS)), st.floats(0.0, 1.0))
def test_factors_stay_within_the_amount(seed: int, what: str, amount: float) -> None:
    drawn = factors(keys_of(seed, MANY[:50]), what, amount)
    assert (drawn >= 1.0 - amount).all()
    assert (drawn <= 1.0 + amount).all()


def test_an_amount_of_zero_varies_nothing() -> None:
    assert (factors(keys_of(3, MANY), "speed", 0.0) == 1.0).all()


@pytest.mark.parametrize("what", SALTS)
def test_factors_are_uniform_around_one(what: str) -> None:
    drawn = factors(keys_of(0, MANY), what, 0.2)
    counts, _ = np.histogram(drawn, bins=8, range=(0.8, 1.2))
    assert abs(counts - len(MANY) / 8).max() < 5.0 * np.sqrt(len(MANY) / 8)


def test_another_vehicle_leaves_the_factors_of_the_others_unchanged() -> None:
    whole = factors(keys_of(7, MANY), "speed", 0.1)
    subset = factors(keys_of(7, MANY[::3][::-1]), "speed", 0.1)
    assert (subset == whole[::3][::-1]).all()


def test_properties_vary_independently() -> None:
    drawn = [factors(keys_of(0, MANY), what, 1.0) for what in SALTS]
    drawn.append(factors(keys_of(1, MANY), "speed", 1.0))
    correlation = np.corrcoef(drawn) - np.eye(len(drawn))
    assert np.abs(correlation).max() < 0.06
