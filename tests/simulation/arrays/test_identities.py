"""Identities of points: what fits and is free is kept, and none is given twice."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.arrays.identities import MOST, distinct, in_a_row, rows_among

numbers = st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(0, 5), max_size=40)


@given(numbers, st.lists(st.integers(0, MOST) | st.integers(0, 5), max_size=8, unique=True))
def test_each_vehicle_has_an_identity_of_its_own_and_the_first_keeps_its_number(given_numbers, taken) -> None:
    found = distinct(np.array(given_numbers, dtype=np.int64), np.array(taken, dtype=np.int64)).tolist()
    assert len({*found, *taken}) == len(found) + len(taken)
    assert all(0 <= each <= MOST for each in found)
    known = set(taken)
    for number, identity in zip(given_numbers, found):
        if number >= 0 and number not in known:
            known.add(number)
            assert identity == number or number in (each & MOST for each in given_numbers if each < 0)


def test_another_vehicle_at_the_end_changes_no_identity() -> None:
    ids = np.array([4, 4, 9, 4, -7])
    few, more = distinct(ids, np.zeros(0, int)), distinct(np.append(ids, 9), np.zeros(0, int))
    assert np.array_equal(few, more[:-1])


def test_numbers_in_a_row_go_on_after_the_largest_one() -> None:
    assert in_a_row(MOST - 1, 4).tolist() == [MOST - 1, MOST, 0, 1]


@given(numbers, numbers)
def test_each_number_is_found_in_the_first_row_that_has_it(known, wanted) -> None:
    found = rows_among(np.array(known, dtype=np.int64), np.array(wanted, dtype=np.int64)).tolist()
    assert found == [known.index(number) if number in known else -1 for number in wanted]
