"""Which cases the usual run has follows from the places of values among the parameters, and covers their pairs.

Of the Blenders, the newest but one has all tests but those that try Blender itself.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from sys import intern
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import FACTORS, in_every_blender, in_this_blender, in_this_run, sampled, thorough

PLAIN, SAMPLED, IN_EVERY = None, sampled.mark, in_every_blender.mark
A_PART, SHARED = in_every_blender(a_part=True).mark, in_every_blender(shared=True).mark
BLENDERS = 3
SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=4)
"""How many values each parameter of a test has."""


@dataclass(eq=False)
class Case:
    """A test as pytest has it: equal to itself only."""

    nodeid: str
    get_closest_marker: Callable[[str], pytest.Mark | None]
    callspec: SimpleNamespace


def cases(sizes: Sequence[int], mark: pytest.Mark | None, test: str = "test_law", of: str = "") -> list[Any]:
    """The cases of a test with so many values of each parameter, named after these."""
    marks = {} if mark is None else {mark.name: mark}
    lists = [[intern(f"{of}{name}{k}") for k in range(size)] for name, size in enumerate(sizes)]
    return [
        Case(
            nodeid=f"test_it.py::{test}[{'-'.join(values)}]",
            get_closest_marker=marks.get,
            callspec=SimpleNamespace(params={f"p{name}": value for name, value in enumerate(values)}),
        )
        for values in product(*lists)
    ]


def names(items: Sequence[Any]) -> list[str]:
    return [item.nodeid for item in items]


def pairs(items: Sequence[Any]) -> set[Any]:
    """The pairs of values of two factors, of which one is the test."""
    return {
        pair
        for item in items
        for pair in combinations([item.nodeid.partition("[")[0], *item.callspec.params.items()], 2)
    }


def sampled_tests(sizes: Sequence[int], count: int, of: str = "") -> list[Any]:
    return [case for number in range(count) for case in cases(sizes, SAMPLED, f"test_{of}{number}", of)]


@given(SIZES, st.integers(1, 4))
def test_the_usual_run_has_every_pair_of_values_of_two_factors_and_few_cases_more(sizes: list[int], count: int) -> None:
    tests = sampled_tests(sizes, count)
    chosen = in_this_run(tests)
    if sum(size > 1 for size in (*sizes, count)) < FACTORS:
        assert len(chosen) == -(-len(tests) // 6)
        return
    assert pairs(chosen) == pairs(tests)
    most, second = sorted((*sizes, count))[:-3:-1]
    assert most * second <= len(chosen) <= 2 * most * second


def test_a_pair_of_values_is_covered_once_in_a_file_whatever_other_parameters_its_tests_have() -> None:
    tests = [case for of in ("test_a", "test_b") for case in cases((30, 6), SAMPLED, of)]
    tests += cases((30, 6, 2), SAMPLED, "test_c")
    few = cases((12,), SAMPLED, "test_d")
    chosen = in_this_run([*tests, *few])
    assert pairs(chosen[:-2]) == pairs(tests) and chosen[-2:] == few[:2]
    assert 30 * 6 <= len(chosen) < 1.2 * 30 * 6


@given(SIZES, st.integers(1, 4))
def test_other_names_of_tests_and_values_change_nothing(sizes: list[int], count: int) -> None:
    tests, renamed = sampled_tests(sizes, count), sampled_tests(sizes, count, of="other")
    chosen, others = set(in_this_run(tests)), set(in_this_run(renamed))
    assert [case in chosen for case in tests] == [case in others for case in renamed]


@given(SIZES)
def test_of_a_test_that_names_its_share_there_are_so_many_and_always_the_first(sizes: list[int]) -> None:
    tests = cases(sizes, sampled(one_of=9).mark)
    chosen = in_this_run(tests)
    assert len(chosen) == -(-len(tests) // 9)
    assert chosen[0] is tests[0]


def test_a_part_begins_with_other_values_of_each_parameter() -> None:
    chosen: list[Any] = in_this_run(cases((4, 4), sampled(one_of=4).mark))
    assert [len({case.callspec.params[name] for case in chosen}) for name in ("p0", "p1")] == [4, 4]


def test_all_but_thorough_tests_are_in_the_usual_run_in_their_order() -> None:
    plain, slow = cases((5,), PLAIN), cases((2,), thorough.mark, "test_slow")
    assert names(in_this_run([*slow, *plain])) == names(plain)


def in_each_blender(items: Sequence[Any]) -> Iterator[list[str]]:
    return (names(in_this_blender(items, turn, BLENDERS)) for turn in range(BLENDERS))


def test_a_plain_test_runs_in_the_newest_blender_but_one() -> None:
    tests = cases((5,), PLAIN)
    assert [*in_each_blender(tests)] == [[], names(tests), []]
    assert in_this_blender(tests, 0, 1) == tests


def test_what_tries_blender_itself_runs_in_the_oldest_and_the_newest() -> None:
    tests = cases((1,), IN_EVERY)
    assert [*in_each_blender(tests)] == [names(tests), [], names(tests)]


def test_of_two_cases_that_try_blender_itself_the_oldest_and_the_newest_have_one_each() -> None:
    tests = cases((2,), IN_EVERY)
    assert [*in_each_blender(tests)] == [names(tests[:1]), [], names(tests[1:])]
    assert in_this_blender(tests, 0, 1) == tests


def test_the_tests_of_a_file_may_be_shared_out_like_cases() -> None:
    tests = [case for number in range(6) for case in cases((1 + number % 2,), SHARED, f"test_{number}")]
    assert [*in_each_blender(tests)] == [names(tests[turn::BLENDERS]) for turn in range(BLENDERS)]


def test_what_tries_a_part_in_each_blender_runs_in_every_one() -> None:
    tests = cases((4,), A_PART)
    assert [*in_each_blender(tests)] == [names(tests)] * BLENDERS


def test_of_many_cases_that_try_blender_itself_each_blender_has_a_part() -> None:
    tests = cases((30,), IN_EVERY)
    shares = [*in_each_blender(tests)]
    assert sorted(name for share in shares for name in share) == sorted(names(tests))
    assert [len(share) for share in shares] == [10] * BLENDERS
