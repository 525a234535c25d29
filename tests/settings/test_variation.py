"""Variation: each vehicle differs by its own chance, within the amount, whoever else there is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.settings.variation import SALTS, factors
from steering_addon.simulation.arrays.chance import keys_of

MANY = np.arange(1, 4001)


@given(st.integers(-(2**31), 2**31), st.sampled_from(sorted(SALTS)), st.floats(0.0, 1.0))
def test_factors_stay_within_the_amount(seed: int, what: str, amount: float) -> None:
    found = factors(keys_of(seed, MANY[:50]), what, amount)
    assert (found >= 1.0 - amount).all()
    assert (found <= 1.0 + amount).all()


def test_nothing_varies_by_nothing() -> None:
    assert (factors(keys_of(3, MANY), "speed", 0.0) == 1.0).all()


@pytest.mark.parametrize("what", SALTS)
def test_factors_are_spread_evenly_about_one(what: str) -> None:
    found = factors(keys_of(0, MANY), what, 0.2)
    counts, _ = np.histogram(found, bins=8, range=(0.8, 1.2))
    assert abs(counts - len(MANY) / 8).max() < 5.0 * np.sqrt(len(MANY) / 8)


def test_a_vehicle_more_leaves_the_others_theirs() -> None:
    whole = factors(keys_of(7, MANY), "speed", 0.1)
    some = factors(keys_of(7, MANY[::3][::-1]), "speed", 0.1)
    assert (some == whole[::3][::-1]).all()


def test_what_varies_varies_by_a_chance_of_its_own() -> None:
    found = [factors(keys_of(0, MANY), what, 1.0) for what in SALTS]
    found.append(factors(keys_of(1, MANY), "speed", 1.0))
    alike = np.corrcoef(found) - np.eye(len(found))
    assert np.abs(alike).max() < 0.06
