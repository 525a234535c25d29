"""Pairs within a radius: the fast search equals trying all pairs one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.nearby import pairs
from steering_addon.simulation.nearby.pairs import Pairs, pairs_of_reach, pairs_within
from tests.sampling import sampled
from tests.simulation.all_pairs import PLACES, all_pairs, joined
from tests.simulation.odd_input import BOUNDED


def assert_all_pairs(points: np.ndarray, radius: float) -> Pairs:
    """The pairs of the fast search, after comparing them with all pairs."""
    result = joined(pairs_within(points, radius))
    named = [tuple(sorted(pair)) for pair in zip(result.first.tolist(), result.second.tolist())]
    assert len(set(named)) == len(named), "each pair once"
    assert set(named) == all_pairs(points, radius)
    assert np.array_equal(result.offset, points[result.second] - points[result.first])
    assert np.allclose(result.distance_squared, (result.offset**2).sum(axis=1), rtol=1e-12, atol=0.0)
    begins = np.flatnonzero(np.diff(result.first, prepend=-1))
    assert len(set(result.first[begins])) == len(begins), "equal rows are adjacent"
    return result


@sampled
@pytest.mark.parametrize("radius", [0.05, 0.31, 1.0, 3.0, 40.0])
@pytest.mark.parametrize("place", PLACES)
def test_pairs_within_a_radius_are_those_of_all_pairs(place: str, radius: float) -> None:
    assert_all_pairs(PLACES[place], radius)


@BOUNDED
@given(
    st.lists(st.tuples(*[st.floats(-20.0, 20.0, allow_nan=False)] * 3), max_size=25),
    st.floats(0.01, 50.0),
    st.sampled_from([1e-3, 1.0, 50.0]),
)
def test_pairs_of_any_points_are_those_of_all_pairs(points: list, radius: float, scale: float) -> None:
    """In the same order, whether they are few enough to be tried with all or not."""
    places = np.array(points, dtype=float).reshape(-1, 3) * scale
    few = assert_all_pairs(places, radius)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "FEW", 0)
        many = assert_all_pairs(places, radius)
    for name in vars(few):
        assert np.array_equal(getattr(few, name), getattr(many, name))


def test_searching_cells_and_looking_them_up_give_the_same_pairs() -> None:
    """A single point far away makes the table of cells too large to keep."""
    crowded = PLACES["even"]
    strayed = np.concatenate((crowded, [[1e6, -1e6, 1e6]]))
    few = assert_all_pairs(strayed, 1.0)
    many = assert_all_pairs(crowded, 1.0)
    assert len(few.first) == len(many.first)


@pytest.mark.parametrize("place", PLACES)
def test_both_ways_of_repeating_give_the_same_pairs(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    repeated, indexed = (joined(_repeating(place, quick, monkeypatch)) for quick in (True, False))
    for name in vars(repeated):
        assert np.array_equal(getattr(repeated, name), getattr(indexed, name))


def _repeating(place: str, quick: bool, monkeypatch: pytest.MonkeyPatch) -> list[Pairs]:
    monkeypatch.setattr(pairs, "QUICK_REPEAT", quick)
    return pairs_within(PLACES[place], 1.0)


def test_a_radius_of_zero_gives_no_pairs() -> None:
    assert not pairs_within(PLACES["in one place"], 0.0)


@pytest.mark.parametrize("radius", [float("nan"), -1.0, 5e-324])
def test_a_radius_of_nan_or_below_zero_gives_no_pairs(radius: float) -> None:
    assert not pairs_within(PLACES["even"], radius)


@pytest.mark.parametrize("radius", [1e-100, 1e-9, 1e100, np.inf])
@pytest.mark.parametrize("far", [1.0, 1e38])
def test_points_far_apart_in_any_radius_overflow_no_cell(
    radius: float, far: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairs, "FEW", 0)
    points = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [far, -far, far], [-far, far, 0.5 * far]])
    assert len(joined(pairs_within(points, radius))) == (6 if radius > 4.0 * far else 1)


@pytest.mark.parametrize("candidates", [1, 7, 100])
@pytest.mark.parametrize("place", ["even", "in one place", "in clusters", "two"])
def test_small_blocks_hold_the_same_pairs(place: str, candidates: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = joined(pairs_within(PLACES[place], 1.0))
    monkeypatch.setattr(pairs, "BLOCK", candidates)
    blocks = pairs_within(PLACES[place], 1.0)
    assert len(blocks) > 1 or len(whole) < 2
    parts = joined(blocks)
    for name in vars(whole):
        assert np.array_equal(getattr(parts, name), getattr(whole, name))
    assert all(len(block) for block in blocks)


@sampled
@pytest.mark.parametrize("far", [0, 1, 5])
@pytest.mark.parametrize("few", [0, 2, 64])
@pytest.mark.parametrize("place", PLACES)
def test_pairs_of_reach_are_those_nearer_than_the_sum_of_theirs(
    place: str, few: int, far: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether those with a long reach are few enough to be tried with all or not."""
    monkeypatch.setattr(pairs, "FEW", few)
    points = PLACES[place]
    reach = np.random.default_rng(5).uniform(0.2, 0.7, len(points))
    reach[:far] = 20.0
    found = [tuple(sorted(pair)) for pair in zip(*(rows.tolist() for rows in pairs_of_reach(points, reach)))]
    first, second = np.triu_indices(len(points), 1)
    near = ((points[first] - points[second]) ** 2).sum(axis=1) < (reach[first] + reach[second]) ** 2
    assert sorted(found) == list(zip(first[near].tolist(), second[near].tolist()))


@pytest.mark.parametrize("radius", [0.1, 0.7, 1.0, 2.0])
def test_a_selection_of_pairs_has_the_columns_of_the_list(radius: float) -> None:
    (whole,) = pairs_within(PLACES["even"], 1.0)
    part = whole.nearer(radius)
    rows = np.flatnonzero(np.linalg.norm(whole.offset, axis=1) < radius)
    assert len(part) == len(rows)
    for name in ("first", "second", "offset", "distance_squared", "distance"):
        assert np.array_equal(getattr(part, name), getattr(whole, name)[rows])
