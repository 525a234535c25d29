"""Groups: who hangs together, through others in between; the oracle walks from one to the next."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.nearby.groups import Groups, joined


def walked(count: int, links: list[tuple[int, int]]) -> list[int]:
    lowest = [-1] * count
    for start in range(count):
        reached = [start] if lowest[start] < 0 else []
        for here in reached:
            lowest[here] = start
            for one, other in links:
                for a, b in ((one, other), (other, one)):
                    if a == here and b not in reached:
                        reached.append(b)
    return lowest


@st.composite
def things(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    count = draw(st.integers(1, 12))
    row = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(row, row), max_size=40))


def found(count: int, links: list[tuple[int, int]]) -> np.ndarray:
    """In two lists, as neighbors come in several."""
    rows = np.array(links, dtype=np.int64).reshape(-1, 2)
    half = len(rows) // 2
    return joined(count, [(some[:, 0], some[:, 1]) for some in (rows[:half], rows[half:])], np.arange(count))


@given(things())
def test_a_group_is_all_that_can_be_reached(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    assert found(*drawn).tolist() == walked(*drawn)


def test_a_long_chain_in_any_order_is_one_group() -> None:
    for seed in range(5):
        row = np.random.default_rng(seed).permutation(500)
        links = np.stack((row[:-1], row[1:]), axis=1)
        assert (found(500, links.tolist()) == 0).all()
        assert len(np.unique(found(500, links[links[:, 0] != row[250]].tolist()))) == 2


@given(things(), st.integers(1, 12))
def test_members_know_whether_they_are_together(drawn: tuple[int, list[tuple[int, int]]], most: int) -> None:
    count, links = drawn
    members = np.arange(min(most, count))
    rows = np.array(links, dtype=np.int64).reshape(-1, 2)
    of_them = joined(count, [(rows[:, 0], rows[:, 1])], members)[members]
    wanted = np.array(walked(*drawn))[members]
    assert np.array_equal(of_them[:, None] == of_them, wanted[:, None] == wanted)


def test_without_links_each_is_a_group() -> None:
    assert found(3, []).tolist() == [0, 1, 2]
    assert found(0, []).tolist() == []


def test_a_group_is_known_by_its_middle_its_size_and_its_extent() -> None:
    place = np.array([[0.0, 0.0, 0.0], [5.0, 1.0, 2.0], [2.0, 0.0, 0.0], [1.0, 3.0, 0.0]])
    groups = Groups.by(np.array([0, 1, 0, 0]), place, 2.0 * place)
    assert len(groups) == 2
    assert groups.of.tolist() == [0, 1, 0, 0]
    assert groups.size.tolist() == [3.0, 1.0]
    assert np.allclose(groups.position, [[1.0, 1.0, 0.0], [5.0, 1.0, 2.0]])
    assert np.allclose(groups.velocity, 2.0 * groups.position)
    assert np.allclose(groups.extent, [np.sqrt((2.0 + 2.0 + 4.0) / 3.0), 0.0])


def test_the_largest_come_first_and_of_equal_ones_the_lowest_row() -> None:
    groups = Groups.by(np.array([0, 1, 1, 3, 3, 5]), np.zeros((6, 3)), np.zeros((6, 3)))
    assert groups.largest(3).tolist() == [1, 2, 0]
    assert groups.largest(9).tolist() == [1, 2, 0, 3]
