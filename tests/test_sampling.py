"""The usual run has a part of the slow cases, the same part every time, and something of every test that is sampled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sampling import in_this_run, sampled, thorough

PLAIN, ALL_LEFT_OUT, A_THIRD = None, thorough.mark, sampled.mark


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
def test_of_each_sampled_test_the_usual_run_has_a_third_and_at_least_one(count: int) -> None:
    assert len(in_this_run(cases(count, A_THIRD))) == -(-count // 3)


def test_for_each_value_of_a_parameter_there_are_some_cases() -> None:
    chosen: list[Any] = in_this_run(cases(7, sampled(each="kind").mark, ("seek", "flee")))
    assert sorted(case.callspec.params["kind"] for case in chosen) == ["flee"] * 3 + ["seek"] * 3


def test_all_but_thorough_tests_are_in_the_usual_run_in_their_order() -> None:
    plain, slow = cases(5, PLAIN), cases(2, ALL_LEFT_OUT)
    assert names(in_this_run([*slow, *plain])) == names(plain)


def test_which_cases_it_has_does_not_depend_on_their_order() -> None:
    items = cases(9, A_THIRD)
    assert set(names(in_this_run(items))) == set(names(in_this_run(items[::-1])))


def test_tests_of_the_same_cases_have_the_same_ones() -> None:
    first, second = cases(9, A_THIRD), cases(9, A_THIRD, test="test_other")
    chosen = names(in_this_run([*first, *second]))
    assert chosen == [*chosen[:3], *(name.replace("law", "other") for name in chosen[:3])]
