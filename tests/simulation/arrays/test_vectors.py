"""The operations on vectors."""

import numpy as np
import pytest
from hypothesis import given

from steering_addon.simulation.arrays.vectors import (
    across,
    cross,
    dot,
    in_columns,
    level_side,
    magnitude,
    no_vectors,
    picked,
    squared,
    truncate,
    unit,
)
from tests.simulation.odd_input import BOUNDED, scalars, vectors


def test_the_side_axis_is_to_the_right_of_forward() -> None:
    """X right, Y forward, Z up (law 7)."""
    x, y, z = np.eye(3)
    assert np.array_equal(cross(y, z), x)
    assert np.array_equal(cross(x, y), z)
    assert np.array_equal(cross(z, x), y)


def test_products_and_lengths_equal_those_of_numpy() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 5, 4, 3))
    assert np.allclose(dot(a, b), (a * b).sum(axis=-1), rtol=1e-14)
    assert np.allclose(cross(a, b), np.cross(a, b), rtol=1e-14)
    assert np.allclose(magnitude(a), np.linalg.norm(a, axis=-1), rtol=1e-14)


@BOUNDED
@given(vectors(4, largest=1e300))
def test_a_direction_has_length_one_or_zero(v: np.ndarray) -> None:
    length = magnitude(unit(v))
    zero = (v == 0.0).all(axis=-1)
    assert (length[zero] == 0.0).all()
    assert (np.abs(length[~zero] - 1.0) < 1e-12).all()


@BOUNDED
@given(vectors(4), scalars(4, least=0.0))
def test_a_truncated_vector_is_short_enough_and_points_the_same_way(v: np.ndarray, longest: np.ndarray) -> None:
    short = truncate(v, longest)
    # The square of a length below 1e-150 underflows.
    assert (magnitude(short) <= np.maximum(longest, 1e-150) * (1.0 + 1e-9)).all()
    kept = magnitude(v) <= longest
    assert np.array_equal(short[kept], v[kept])
    assert (np.sign(short) * np.sign(v) >= 0.0).all()


@BOUNDED
@given(vectors(4, largest=1e6), vectors(4, largest=1e6))
def test_the_component_across_is_perpendicular_and_the_remainder_is_along(v: np.ndarray, direction: np.ndarray) -> None:
    direction = unit(direction)
    square = across(v, direction)
    assert (np.abs(dot(square, direction)) <= 1e-9 * (1.0 + magnitude(v))).all()
    assert (magnitude(cross(v - square, direction)) <= 1e-9 * (1.0 + magnitude(v))).all()


def test_vectors_of_single_precision_have_directions() -> None:
    single = np.array([[0.0, 0.0, 0.0], [0.0, -3.0, 4.0], [1e-38, 0.0, 0.0]], dtype=np.float32)
    result = unit(single)
    assert result.dtype == np.float64
    assert np.allclose(result, [[0.0, 0.0, 0.0], [0.0, -0.6, 0.8], [1.0, 0.0, 0.0]])


@pytest.mark.parametrize("seed", range(4))
def test_squared_axes_are_right_angled_the_first_keeps_its_direction_and_square_ones_stay(seed: int) -> None:
    axes = np.eye(3)[[1, 2, 0]][None] + 0.1 * np.random.default_rng(seed).normal(size=(1, 3, 3))
    made = squared(axes)
    assert np.allclose(made[0] @ made[0].T, np.eye(3))
    assert np.linalg.det(made[0]) == pytest.approx(1.0)
    assert np.allclose(made[0, 0], axes[0, 0] / np.linalg.norm(axes[0, 0]))
    assert np.allclose(squared(made), made)


@pytest.mark.parametrize("n", [5, 255, 256, 257, 700])
def test_picked_vectors_are_those_of_the_rows_or_of_the_mask(n: int) -> None:
    rng = np.random.default_rng(n)
    v, rows = rng.normal(size=(900, 3)), rng.integers(0, 900, n)
    assert (picked(v, rows) == v[rows]).all() and picked(v, rows).shape == (n, 3)
    mask = np.arange(900) < n
    assert (picked(v, mask) == v[:n]).all() and picked(v, mask).shape == (n, 3)
    assert (picked(v[:200], mask[:200]) == v[: min(n, 200)]).all()


@BOUNDED
@given(vectors(8))
def test_the_level_side_is_horizontal_of_length_one_and_to_the_right_of_the_heading(v: np.ndarray) -> None:
    forward = np.concatenate((unit(v), [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]))
    side, flatness = level_side(forward)
    expected = np.cross(forward, (0.0, 0.0, 1.0))
    assert flatness == pytest.approx(np.linalg.norm(expected, axis=1), abs=1e-12)
    steep = flatness <= 1e-6
    assert np.allclose(side[~steep], expected[~steep] / flatness[~steep, None], atol=1e-9)
    assert (side[-2:] == 0.0).all() and (side[:, 2] == 0.0).all()


def test_a_copy_in_columns_has_the_same_vectors_one_component_after_the_other() -> None:
    v = np.random.default_rng(1).normal(size=(7, 3))
    copy = in_columns(v)
    assert (copy == v).all() and copy.T.flags.c_contiguous and not np.shares_memory(copy, v)
    assert (no_vectors(4) == np.zeros((4, 3))).all() and no_vectors(4).shape == (4, 3)
