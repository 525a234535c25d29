"""The usual run has a part of the slow cases, the same part every time, and something of every test that is sampled.

The Blenders share the tests out among them, but for those that try Blender itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import in_every_blender, in_this_blender, in_this_run, sampled, thorough

PLAIN, ALL_LEFT_OUT, A_SIXTH, IN_EVERY = None, thorough.mark, sampled.mark, in_every_blender.mark
A_PART = in_every_blender(a_part=True).mark
BLENDERS = 3


@dataclass(eq=False)
class Case:
    """A test as pytest has it: equal to itself only."""

    nodeid: str
    get_closest_marker: Callable[[str], pytest.Mark | None]
    callspec: SimpleNamespace


def cases(count: int, mark: pytest.Mark | None, kinds: tuple[str, ...] = ("",), test: str = "test_law") -> list[Any]:
    marks = {} if mark is None else {mark.name: mark}
    return [
        Case(
            nodeid=f"{test}[{kind}-{number}]",
            get_closest_marker=marks.get,
            callspec=SimpleNamespace(params={"kind": kind}),
        )
        for kind in kinds
        for number in range(count)
    ]


def names(items: Sequence[Any]) -> list[str]:
    return [item.nodeid for item in items]


@given(st.integers(1, 40))
def test_of_each_sampled_test_the_usual_run_has_a_sixth_and_at_least_one(count: int) -> None:
    assert len(in_this_run(cases(count, A_SIXTH))) == -(-count // 6)


def test_of_long_cases_it_has_fewer() -> None:
    assert len(in_this_run(cases(33, sampled(one_of=9).mark))) == 4
    assert len(in_this_run(cases(8, sampled(one_of=9).mark))) == 1


def test_it_begins_with_the_cases_that_a_test_names() -> None:
    assert names(in_this_run(cases(6, sampled(first="-4").mark))) == ["test_law[-4]"]
    chosen = names(in_this_run(cases(18, sampled(first="-4").mark)))
    assert len(chosen) == 3 and "test_law[-4]" in chosen


def test_for_each_value_of_a_parameter_there_are_some_cases() -> None:
    chosen: list[Any] = in_this_run(cases(13, sampled(each="kind").mark, ("seek", "flee")))
    assert sorted(case.callspec.params["kind"] for case in chosen) == ["flee"] * 3 + ["seek"] * 3


def test_all_but_thorough_tests_are_in_the_usual_run_in_their_order() -> None:
    plain, slow = cases(5, PLAIN), cases(2, ALL_LEFT_OUT)
    assert names(in_this_run([*slow, *plain])) == names(plain)


def test_which_cases_it_has_does_not_depend_on_their_order() -> None:
    items = cases(9, A_SIXTH)
    assert set(names(in_this_run(items))) == set(names(in_this_run(items[::-1])))


def test_tests_of_the_same_cases_have_the_same_ones() -> None:
    first, second = cases(18, A_SIXTH), cases(18, A_SIXTH, test="test_other")
    chosen = names(in_this_run([*first, *second]))
    assert chosen == [*chosen[:3], *(name.replace("law", "other") for name in chosen[:3])]


def in_each_blender(items: Sequence[Any]) -> list[list[str]]:
    return [names(in_this_blender(items, turn, BLENDERS)) for turn in range(BLENDERS)]


def test_a_plain_test_runs_in_one_blender_and_each_blender_has_some() -> None:
    tests = [case for number in range(60) for case in cases(2, PLAIN, test=f"test_{number}")]
    each = in_each_blender(tests)
    assert sorted(name for chosen in each for name in chosen) == sorted(names(tests))
    assert min(map(len, each)) > 10


def test_what_tries_blender_itself_runs_in_the_oldest_and_the_newest_and_a_part_of_it_between() -> None:
    marked = [case for number in range(30) for case in cases(2, IN_EVERY, test=f"test_{number}")]
    oldest, between, newest = in_each_blender(marked)
    assert oldest == newest == names(marked)
    assert 10 < len(between) < 30


def test_what_tries_a_part_in_each_blender_runs_in_every_one() -> None:
    marked = [case for number in range(30) for case in cases(1, A_PART, test=f"test_{number}")]
    assert in_each_blender(marked) == [names(marked)] * BLENDERS


def test_of_many_cases_that_try_blender_itself_each_blender_has_a_part() -> None:
    marked = cases(30, IN_EVERY)
    each = in_each_blender(marked)
    assert sorted(name for chosen in each for name in chosen) == sorted(names(marked))
    assert min(map(len, each)) > 4
