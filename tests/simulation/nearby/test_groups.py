"""Groups: connected components; the oracle walks from thing to thing along the links."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.nearby.groups import Groups, find_roots


def walked(count: int, links: list[tuple[int, int]]) -> list[int]:
    """The lowest row of the group of each thing, by walking along the links."""
    lowest = [-1] * count
    for start in range(count):
        reached = [start] if lowest[start] < 0 else []
        for row in reached:
            lowest[row] = start
            for first, second in links:
                for a, b in ((first, second), (second, first)):
                    if a == row and b not in reached:
                        reached.append(b)
    return lowest


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """A count of things and links between them."""
    count = draw(st.integers(1, 12))
    row = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(row, row), max_size=40))


def roots(count: int, links: list[tuple[int, int]]) -> np.ndarray:
    """The roots of all things, with the links in two lists, as neighbors come in several."""
    rows = np.array(links, dtype=np.int64).reshape(-1, 2)
    half = len(rows) // 2
    return find_roots(count, [(part[:, 0], part[:, 1]) for part in (rows[:half], rows[half:])], np.arange(count))


@given(graphs())
def test_a_group_is_everything_that_can_be_reached(graph: tuple[int, list[tuple[int, int]]]) -> None:
    assert roots(*graph).tolist() == walked(*graph)


def test_a_long_chain_in_any_order_is_one_group() -> None:
    for seed in range(5):
        row = np.random.default_rng(seed).permutation(500)
        links = np.stack((row[:-1], row[1:]), axis=1)
        assert (roots(500, links.tolist()) == 0).all()
        assert len(np.unique(roots(500, links[links[:, 0] != row[250]].tolist()))) == 2


@given(graphs(), st.integers(1, 12))
def test_members_have_the_same_root_if_they_are_in_the_same_group(
    graph: tuple[int, list[tuple[int, int]]], most: int
) -> None:
    count, links = graph
    members = np.arange(min(most, count))
    rows = np.array(links, dtype=np.int64).reshape(-1, 2)
    root = find_roots(count, [(rows[:, 0], rows[:, 1])], members)[members]
    expected = np.array(walked(*graph))[members]
    assert np.array_equal(root[:, None] == root, expected[:, None] == expected)


def test_without_links_each_thing_is_a_group() -> None:
    assert roots(3, []).tolist() == [0, 1, 2]
    assert roots(0, []).tolist() == []


def test_a_group_has_the_mean_the_size_and_the_extent_of_its_members() -> None:
    position = np.array([[0.0, 0.0, 0.0], [5.0, 1.0, 2.0], [2.0, 0.0, 0.0], [1.0, 3.0, 0.0]])
    groups = Groups.by(np.array([0, 1, 0, 0]), position, 2.0 * position)
    assert len(groups) == 2
    assert groups.of.tolist() == [0, 1, 0, 0]
    assert groups.size.tolist() == [3.0, 1.0]
    assert np.allclose(groups.position, [[1.0, 1.0, 0.0], [5.0, 1.0, 2.0]])
    assert np.allclose(groups.velocity, 2.0 * groups.position)
    assert np.allclose(groups.extent, [np.sqrt((2.0 + 2.0 + 4.0) / 3.0), 0.0])


def test_the_largest_groups_come_first_and_equal_ones_in_order_of_rows() -> None:
    groups = Groups.by(np.array([0, 1, 1, 3, 3, 5]), np.zeros((6, 3)), np.zeros((6, 3)))
    assert groups.largest(3).tolist() == [1, 2, 0]
    assert groups.largest(9).tolist() == [1, 2, 0, 3]
