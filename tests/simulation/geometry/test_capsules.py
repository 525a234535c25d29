"""Capsules: the nearest points of their axes, against a plain search."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.geometry.capsules import MOST_PROBES, between_axes, half_axis, probes
from tests.scene import about, turned
from tests.simulation.odd_input import BOUNDED


def segments_apart(a0, a1, b0, b1) -> float:
    """The distance of two segments, by the cases of a textbook: crossing in the middle, or an end of one of them."""

    def point_apart(point, start, end) -> float:
        way = end - start
        square = way @ way
        part = 0.0 if square == 0.0 else min(max((point - start) @ way / square, 0.0), 1.0)
        return float(np.linalg.norm(point - start - part * way))

    ends = [point_apart(a0, b0, b1), point_apart(a1, b0, b1), point_apart(b0, a0, a1), point_apart(b1, a0, a1)]
    u, v, w = a1 - a0, b1 - b0, a0 - b0
    normal = np.cross(u, v)
    square = normal @ normal
    if square > 1e-9 * max(u @ u, 1e-30) * max(v @ v, 1e-30):
        s, t = np.cross(v, w) @ normal / square, np.cross(u, w) @ normal / square
        if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
            ends.append(abs(float(w @ normal)) / float(np.sqrt(square)))
    return min(ends)


def random_pairs(seed: int, n: int = 40) -> tuple[np.ndarray, ...]:
    """Offsets, axes and half lengths; some are spheres, some parallel, some at one place."""
    rng = np.random.default_rng(seed)
    first, second = (v / np.linalg.norm(v, axis=1)[:, None] for v in rng.normal(size=(2, n, 3)))
    second[::5] = first[::5] * rng.choice([-1.0, 1.0], len(first[::5]))[:, None]
    h, k = rng.uniform(0.0, 3.0, (2, n)) * (rng.random((2, n)) < 0.8)
    offset = rng.normal(size=(n, 3)) * rng.choice([0.0, 0.3, 3.0], (n, 1), p=[0.1, 0.3, 0.6])
    return offset, first, h, second, k


@BOUNDED
@given(st.integers(0, 10**6))
def test_the_offset_between_axes_is_as_long_as_the_distance_of_the_segments(seed: int) -> None:
    offset, first, h, second, k = random_pairs(seed)
    distance = np.linalg.norm(between_axes(offset, first, h, second, k), axis=1)
    expected = [
        segments_apart(-h[p] * first[p], h[p] * first[p], o - k[p] * second[p], o + k[p] * second[p])
        for p, o in enumerate(offset)
    ]
    assert distance == pytest.approx(expected, abs=1e-9)


@BOUNDED
@given(st.integers(0, 10**6))
def test_seen_from_the_other_body_the_distance_is_the_same(seed: int) -> None:
    offset, first, h, second, k = random_pairs(seed)
    forth, back = between_axes(offset, first, h, second, k), between_axes(-offset, second, k, first, h)
    assert np.linalg.norm(forth, axis=1) == pytest.approx(np.linalg.norm(back, axis=1), abs=1e-9)


def test_turning_both_turns_the_offset() -> None:
    offset, first, h, second, k = random_pairs(3)
    turn = about((1.0, 2.0, 3.0), 50.0)
    straight = between_axes(offset, first, h, second, k)
    result = between_axes(turned(offset, turn), turned(first, turn), h, turned(second, turn), k)
    unique = np.abs(np.einsum("pi,pi->p", first, second)) < 0.999
    assert result[unique] == pytest.approx(turned(straight, turn)[unique], abs=1e-9)


def test_axes_of_no_length_leave_the_offset_as_it_is_to_the_last_bit() -> None:
    offset, first, _, second, _ = random_pairs(4)
    none = np.zeros(len(offset))
    assert (between_axes(offset, first, none, second, none) == offset).all()


def test_a_body_no_longer_than_it_is_wide_is_a_sphere() -> None:
    assert half_axis(np.array([0.9, 0.9, 0.9]), np.array([4.3, 1.8, 0.0])) == pytest.approx([1.25, 0.0, 0.0])


def test_probes_are_at_most_half_a_radius_apart_and_reach_both_ends() -> None:
    for half in (0.0, 0.3, 1.25, 8.0):
        shares = np.array(sorted([0.0, *probes(np.array([half]), np.array([0.9]))]))
        assert half == 0.0 or (shares[0], shares[-1]) == (-1.0, 1.0)
        assert np.diff(shares * half).max(initial=0.0) <= 0.45 + 1e-9
    assert len(probes(np.array([1000.0]), np.array([0.1]))) == 2 * MOST_PROBES
