"""Columns of scalars: limits, quotients, masks, and columns that are stored once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.arrays.scalars import (
    alike,
    anybody,
    clamp,
    everybody,
    largest,
    ratio,
    same_for_all,
    shared,
    smallest,
    which,
)
from tests.simulation.odd_input import BOUNDED, numbers, scalars


@BOUNDED
@given(scalars(4), numbers(-1.0, 0.0), numbers(0.0, 1.0))
def test_clamping_equals_plain_min_and_max(x: np.ndarray, low: float, high: float) -> None:
    assert np.array_equal(clamp(x, low, high), [min(max(value, low), high) for value in x])


@BOUNDED
@given(scalars(4), scalars(4))
def test_a_ratio_to_zero_is_zero(over: np.ndarray, under: np.ndarray) -> None:
    expected = [0.0 if abs(below) < 1e-12 else above / below for above, below in zip(over, under, strict=True)]
    assert np.array_equal(ratio(over, under), expected)


@BOUNDED
@given(st.lists(st.booleans(), max_size=9))
def test_masks_are_counted_as_by_plain_python(values: list[bool]) -> None:
    mask = np.array(values, dtype=np.bool_)
    assert anybody(mask) is any(values)
    assert everybody(mask) is all(values)
    assert which(mask).tolist() == [row for row, value in enumerate(values) if value]


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("value", [True, False])
def test_a_shared_column_equals_one_written_out(n: int, value: bool) -> None:
    column = shared(value, n, np.bool_)
    assert column.tolist() == [value] * n
    assert (anybody(column), everybody(column)) == (any([value] * n), all([value] * n))
    assert not column.flags.writeable


@pytest.mark.parametrize(("values", "same"), [([], False), ([3.0], True), ([3.0, 3.0], True), ([3.0, 3.0, 4.0], False)])
def test_a_column_is_the_same_for_all_if_it_holds_a_single_value_at_least_once(values: list[float], same: bool) -> None:
    assert same_for_all(np.array(values)) == same
    assert same_for_all(alike(2.0, len(values))) == bool(values)
    assert (smallest(np.array(values)), largest(np.array(values))) == (
        (min(values), max(values)) if values else (np.inf, 0.0)
    )


def test_a_negative_column_stored_once_has_its_value_as_the_smallest_and_the_largest_number() -> None:
    """One that is written out starts from 0."""
    assert (smallest(alike(-2.0, 3)), largest(alike(-2.0, 3))) == (-2.0, -2.0)
    assert (smallest(np.array([1.0, -2.0, 5.0])), largest(np.array([1.0, -2.0, 5.0]))) == (-2.0, 5.0)
