"""Chains of edges and the way they go."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.blender.building import part
from tests.simulation.odd_input import BOUNDED


def runs(*edges: tuple[int, int], against: object = ()) -> list[list[int]]:
    """The vertices of each chain, with None at the end of those that are closed."""
    marked = np.isin(np.arange(len(edges)), list(against))  # type: ignore[call-overload]
    result = part("blender.read.flow_meshes").chains(np.array(edges, dtype=np.int64).reshape(-1, 2), marked)
    return [[*chain.vertices.tolist(), *[-1] * chain.closed] for chain in result]


@pytest.mark.parametrize("edges", [[(0, 1), (1, 2), (2, 3)], [(3, 2), (0, 1), (2, 1)], [(2, 1), (1, 0), (3, 2)]])
def test_a_chain_runs_as_it_was_drawn_in_any_order_of_its_edges(edges: list[tuple[int, int]]) -> None:
    assert runs(*edges) == [[0, 1, 2, 3]]


def test_extending_or_subdividing_a_chain_keeps_its_direction() -> None:
    drawn_on = [(0, 1), (1, 2), (2, 3)]
    assert runs((0, 4), *drawn_on) == [[4, 0, 1, 2, 3]], "before its start, of a chain of four"
    assert runs((0, 4), (4, 5), (5, 6), (6, 7), *drawn_on) == [[7, 6, 5, 4, 0, 1, 2, 3]]
    assert runs((0, 5), (5, 4), (4, 3), (3, 1), (1, 8), (8, 7), (7, 2)) == [[0, 5, 4, 3, 1, 8, 7, 2]], "subdivided"


def test_chains_end_at_forks_and_each_branch_is_a_chain() -> None:
    assert sorted(runs((0, 1), (1, 2), (2, 3), (3, 4), (2, 5), (5, 6))) == [[0, 1, 2], [2, 3, 4], [2, 5, 6]]


def test_a_ring_runs_from_its_first_vertex_to_its_second_the_shorter_way() -> None:
    assert runs((2, 1), (1, 0), (2, 3), (3, 0)) == [[0, 1, 2, 3, -1]]
    assert runs((0, 4), (4, 1), (1, 3), (3, 2), (2, 5), (5, 0)) == [[0, 4, 1, 3, 2, 5, -1]]
    assert runs((0, 5), (5, 2), (2, 3), (3, 1), (1, 4), (4, 0)) == [[0, 4, 1, 3, 2, 5, -1]]


def test_one_marked_edge_reverses_its_whole_chain_and_no_other() -> None:
    assert runs((0, 1), (1, 2), (4, 5), against=[1]) == [[2, 1, 0], [4, 5]]
    assert runs((0, 1), (1, 2), (2, 3), (3, 0), against=[2]) == [[0, 3, 2, 1, -1]]


def test_a_loop_on_a_stem_is_a_separate_ring() -> None:
    assert sorted(runs((0, 1), (1, 2), (2, 3), (3, 1))) == [[0, 1], [1, 2, 3, -1]]


def test_nothing_and_edges_of_one_point_make_no_chains() -> None:
    assert runs() == []
    assert runs((3, 3)) == []


@BOUNDED
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=25), st.data())
def test_each_edge_is_in_one_chain_and_joins_its_neighbors_there(
    drawn: list[tuple[int, int]], data: st.DataObject
) -> None:
    edges = np.array(drawn, dtype=np.int64).reshape(-1, 2)
    against = np.array([data.draw(st.booleans()) for _ in drawn], dtype=np.bool_)
    result = part("blender.read.flow_meshes").chains(edges, against)
    rows = [row for chain in result for row in chain.edges.tolist()]
    assert sorted(rows) == [row for row, (a, b) in enumerate(drawn) if a != b]
    for chain in result:
        after = np.roll(chain.vertices, -1)[: len(chain.edges)]
        for a, b, row in zip(chain.vertices.tolist(), after.tolist(), chain.edges.tolist(), strict=False):
            assert {a, b} == set(drawn[row])


@BOUNDED
@given(st.permutations(range(6)), st.permutations(range(5)), st.lists(st.booleans(), min_size=5, max_size=5))
def test_the_order_of_stored_edges_does_not_matter(names: list[int], order: list[int], turned: list[bool]) -> None:
    line = list(itertools.pairwise(names))
    stored = [line[row][::-1] if turned[row] else line[row] for row in order]
    assert runs(*line) == runs(*stored)
    assert runs(*line, (names[-1], names[0])) == runs((names[0], names[-1]), *stored)
