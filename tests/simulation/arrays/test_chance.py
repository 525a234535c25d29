"""Chance is a pure function of seed, identity and time (law 5)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.arrays import chance
from steering_addon.simulation.arrays.chance import (
    OCTAVES,
    SIZE,
    gradient_noise,
    keys_of,
    keys_of_vehicles,
    lots,
    mix,
    numbers_of_vehicles,
    shared_key,
    smooth_noise,
    uniform,
)
from tests.sampling import thorough
from tests.simulation.odd_input import BOUNDED

IDENTITIES = np.random.default_rng(0).integers(-(2**62), 2**62, 4000)


def noise(identities: np.ndarray, times: np.ndarray, rate: float = 1.0, channel: int = 0, seed: int = 0) -> np.ndarray:
    """The noise of one channel, (times, identities)."""
    keys = keys_of(seed, identities)
    return np.array([smooth_noise(keys, channel + 1, np.full(len(keys), rate), time)[channel] for time in times])


def test_a_key_depends_on_seed_and_identity_only() -> None:
    keys = keys_of(7, IDENTITIES)
    assert np.array_equal(keys[::-1], keys_of(7, IDENTITIES[::-1]))
    assert np.array_equal(keys[50:60], keys_of(7, IDENTITIES[50:60]))
    assert not np.isin(keys, keys_of(8, IDENTITIES)).any()
    assert len(np.unique(keys)) == len(IDENTITIES)


def test_what_a_crowd_shares_depends_on_its_identity_and_the_seed() -> None:
    keys = {shared_key(identity, seed) for identity in (-5, 0, 7, 2**62) for seed in (-1, 0, 1, 2)}
    assert len(keys) == 16
    assert shared_key(7) == shared_key(7, 0)


def test_keys_are_mixed_as_splitmix64_does() -> None:
    """Its first three numbers from seed 0, as published with it."""
    states = np.arange(3, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    assert [hex(number) for number in mix(states, 0).tolist()] == [
        "0xe220a8397b1dcdaf",
        "0x6e789e6aa1b965f4",
        "0x6c45d188009454f",
    ]


def test_of_a_seed_the_last_64_bits_count() -> None:
    for seed, same in ((2**64 + 7, 7), (-1, 2**64 - 1)):
        assert np.array_equal(keys_of(seed, IDENTITIES), keys_of(same, IDENTITIES))


def test_neighboring_seeds_and_identities_are_uncorrelated() -> None:
    keys = np.concatenate([uniform(keys_of(seed, np.arange(300))) for seed in range(-3, 4)]).reshape(7, 300)
    assert np.abs(np.corrcoef(keys) - np.eye(7)).max() < 0.2
    assert abs(np.corrcoef(keys[:, 1:].ravel(), keys[:, :-1].ravel())[0, 1]) < 0.1


def test_numbers_from_keys_are_uniform() -> None:
    numbers = uniform(keys_of(3, IDENTITIES))
    assert (numbers >= 0.0).all()
    assert (numbers < 1.0).all()
    counts = np.histogram(numbers, bins=10, range=(0.0, 1.0))[0]
    assert np.abs(counts - 400).max() < 100


@BOUNDED
@given(st.integers(-(2**63), 2**64 - 1), st.integers(-(2**63), 2**63 - 1))
def test_any_integer_may_be_a_seed_or_an_identity(seed: int, identity: int) -> None:
    number = uniform(keys_of(seed, np.array([identity], dtype=np.int64)))
    assert 0.0 <= number[0] < 1.0


def test_each_salt_gives_different_keys() -> None:
    keys = keys_of(1, IDENTITIES[:100])
    salted = [mix(keys, salt) for salt in range(50)]
    assert len(np.unique(np.concatenate(salted))) == 5000


@pytest.mark.parametrize("begin", [0.0, -0.5, 20.0 * 3600.0])
def test_noise_is_smooth_at_the_start_before_it_and_after_hours(begin: float) -> None:
    values = noise(IDENTITIES[:20], begin + np.arange(0.0, 1.0, 0.001))
    # Four sines of at most 1.5 turns a second, halved.
    assert np.abs(np.diff(values, axis=0)).max() <= 2.0 * np.pi * 1.5 * 2.0 * 0.001
    assert np.abs(np.diff(values, n=2, axis=0)).max() < (2.0 * np.pi * 1.5) ** 2 * 2.0 * 0.001**2 * 1.1


def test_noise_has_the_documented_size() -> None:
    values = noise(IDENTITIES[:500], np.arange(0.0, 60.0, 0.37))
    assert abs(values.mean()) < 0.02
    assert abs(np.sqrt((values**2).mean()) - np.sqrt(0.5)) < 0.02
    assert np.abs(values).max() <= 2.0


def test_channels_are_uncorrelated() -> None:
    times = np.arange(0.0, 200.0, 1.3)
    first, second = (noise(IDENTITIES[:50], times, channel=channel) for channel in (0, 1))
    assert abs((first * second).mean()) < 0.03


def test_a_channel_does_not_depend_on_how_many_are_requested() -> None:
    keys, rate = keys_of(1, IDENTITIES[:50]), np.full(50, 0.7)
    assert np.array_equal(smooth_noise(keys, 3, rate, 4.0)[:2], smooth_noise(keys, 2, rate, 4.0))


def test_gradient_noise_is_smooth_symmetric_and_independent_per_key() -> None:
    keys, rate = keys_of(3, np.arange(60)), np.full(60, 0.5)
    times = np.arange(-40.0, 40.0, 0.05)
    result = np.array([gradient_noise(keys, 2, rate, time) for time in times])
    assert result.shape == (len(times), 2, 60)
    assert 0.2 < np.sqrt((result**2).mean()) < 0.5
    assert np.abs(result).max() < 1.7
    assert np.abs(result.mean(axis=0)).max() < 0.2
    assert np.abs(np.diff(result, axis=0)).max() < 0.25
    assert np.abs(np.corrcoef(result[:, 0].T) - np.eye(60)).max() < 0.5
    assert np.array_equal(gradient_noise(keys[5:9], 2, rate[5:9], 7.0), gradient_noise(keys, 2, rate, 7.0)[:, 5:9])


@thorough
def test_gradient_noise_has_no_kinks_where_one_slope_gives_way_to_the_next() -> None:
    keys, rate, step = keys_of(3, np.arange(60)), np.full(60, 0.5), 0.001
    result = np.array([gradient_noise(keys, 2, rate, time) for time in np.arange(0.0, 6.0, step)])
    # Between two slopes of at most 1 the second derivative is at most 4 * 15 / 8 + 10 / sqrt(3), the largest first and
    # second derivative of the fade.
    bend = sum(2.0 * size * (2.0 * frequency * 0.5) ** 2 * 13.3 for frequency, size in OCTAVES)
    assert np.abs(np.diff(result, n=2, axis=0)).max() < bend * step**2


def test_channels_of_gradient_noise_have_nothing_in_common() -> None:
    keys, rate = keys_of(3, np.arange(60)), np.full(60, 0.5)
    result = np.array([gradient_noise(keys, 3, rate, time) for time in np.arange(0.0, 60.0, 0.7)])
    together = np.corrcoef(result.transpose(1, 0, 2).reshape(3, -1))
    assert np.abs(together - np.eye(3)).max() < 0.1


def test_the_sines_of_many_small_crowds_are_all_kept() -> None:
    crowds = [keys_of(seed, IDENTITIES[:5]) for seed in range(300)]
    rate = np.ones(5)
    first = [smooth_noise(keys, 2, rate, 0.5) for keys in crowds]
    made = chance._sines_of_few.cache_info().misses
    assert all(np.array_equal(smooth_noise(keys, 2, rate, 0.5), known) for keys, known in zip(crowds, first))
    assert chance._sines_of_few.cache_info().misses == made


def drawn(first: int, count: int, key: int) -> np.ndarray:
    return lots(np.arange(first, first + count), np.full(count, key, dtype=np.uint64))


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_a_share_of_numbers_in_a_row_is_met_to_one_or_two(share: float) -> None:
    taken = [(drawn(SIZE * (7 + key), 80, 977 * key) < share).sum() for key in range(300)]
    assert np.abs(np.array(taken) - share * 80).max() <= 2.0


def test_each_drum_shares_its_lots_out_and_each_has_them_in_another_order() -> None:
    lot = drawn(SIZE * 1000, 10 * SIZE, 5).reshape(10, SIZE)
    order = np.floor(lot * SIZE)
    assert (np.sort(order, axis=1) == np.arange(SIZE)).all()
    assert len(np.unique(order, axis=0)) == 10
    assert (lot >= 0.0).all() and (lot < 1.0).all()


def test_lots_for_two_things_have_nothing_to_do_with_each_other() -> None:
    alike = [np.corrcoef(drawn(SIZE * 4, 320, key), drawn(SIZE * 4, 320, key + 1))[0, 1] for key in range(0, 60, 2)]
    assert np.abs(alike).max() < 0.25
    assert abs(np.mean(alike)) < 0.05


def test_numbers_at_random_are_even_too_and_others_change_nothing() -> None:
    numbers = np.random.default_rng(1).integers(1, 2**31, 4000)
    key = np.full(len(numbers), 9, dtype=np.uint64)
    lot = lots(numbers, key)
    assert np.histogram(lot, 10, (0.0, 1.0))[0] == pytest.approx(400, abs=70)
    np.testing.assert_array_equal(lot[::3], lots(numbers[::3], key[::3]))


def test_a_seed_of_its_own_gives_a_vehicle_another_lot() -> None:
    identity, seeds = np.arange(64, 96), np.zeros(32, dtype=np.int64)
    np.testing.assert_array_equal(numbers_of_vehicles(identity, seeds), identity)
    seeds[3] = 8
    numbers = numbers_of_vehicles(identity, seeds)
    assert (numbers != identity).nonzero()[0].tolist() == [3]
    assert numbers[3] >= 0
    assert (keys_of_vehicles(0, identity, seeds) != keys_of_vehicles(0, identity, seeds * 0)).sum() == 1
