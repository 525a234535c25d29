"""Lots: shares of vehicles in a row, independence, and that others change nothing."""

import numpy as np
import pytest

from steering_addon.simulation.arrays.chance import SIZE, keys_of_vehicles, lots, numbers_of_vehicles


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
