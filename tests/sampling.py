"""What the usual run leaves out, so that it takes minutes: `scripts/test -- --thorough` runs everything.

A test with slow cases that try one rule in several places is `sampled`: the usual run has a sixth of them. A slow test
of what cheaper ones try in part is `thorough`. Each test in Blender runs in one of the Blenders, chosen by its name.
What tries Blender itself is `in_every_blender`: it runs in the oldest and in the newest Blender, as what has come or
gone differs between those two, and a part of it in those between; of tests with many cases each Blender runs a part.
"""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence

import pytest

sampled = pytest.mark.sampled
"""`@sampled` has a sixth of all cases run, at least one; `@sampled(each="kind")` a sixth for each value of `kind`.
`@sampled(one_of=9)` is for cases that take a second or more: a ninth of them. `@sampled(first="fish")` begins with the
cases that have this in their names: those that take far less, or whose runs another test has anyway."""
thorough = pytest.mark.thorough
in_every_blender = pytest.mark.in_every_blender
"""For what may differ between versions of Blender: keys and actions, handlers, drawing, files, undo, registration.
`@in_every_blender(a_part=True)` is for a test that itself tries a part of its cases in each: it runs in all of them."""
SIXTH = 6
MANY = 3
"""Cases of a test from which on Blenders share them out."""


def in_this_run(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests that the usual run has, in their order; which cases it has depends on their names only."""
    cases = defaultdict(list)
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark is not None:
            cases[_group(item, mark)].append(item)
    left_out = {item for item in items if item.get_closest_marker("thorough") is not None}
    for (_, _, one_of), group in cases.items():
        group.sort(key=_rank)
        left_out.update(group[-(-len(group) // one_of) :])
    return [item for item in items if item not in left_out]


def in_this_blender(items: Sequence[pytest.Item], turn: int, blenders: int) -> list[pytest.Item]:
    """The tests of the usual run that one of several Blenders, oldest first, has, in their order; together they have
    all. Those between the oldest and the newest have fewer of what runs in these two, and twice as much of the rest.
    """
    cases = Counter(_test(item) for item in items)
    oldest_or_newest = turn in (0, blenders - 1)
    parts = max(2 * blenders - 2, 1)

    def has(item: pytest.Item) -> bool:
        # By the name alone, as some Blenders have cases that others lack.
        number = zlib.crc32(item.nodeid.encode())
        mark = item.get_closest_marker("in_every_blender")
        if mark is None:
            # The last bits of such numbers are much alike for names that are.
            return (number // blenders % parts + 1) // 2 == turn
        if mark.kwargs.get("a_part", False) or (oldest_or_newest and cases[_test(item)] < MANY):
            return True
        return number % blenders == turn

    return [item for item in items if has(item)]


def _rank(item: pytest.Item) -> tuple[bool, int]:
    """What the cases of a test are sorted by, of which the first ones are chosen."""
    case, mark = item.nodeid.partition("[")[2], item.get_closest_marker("sampled")
    first = "" if mark is None else mark.kwargs.get("first", "")
    # By their cases only, so that tests which share runs have the same ones.
    return first not in case, zlib.crc32(case.encode())


def _test(item: pytest.Item) -> str:
    """The test without its case."""
    return item.nodeid.partition("[")[0]


def _group(item: pytest.Item, mark: pytest.Mark) -> tuple[str, str, int]:
    """The test without its case, the value of the parameter that counts, and of how many cases one is tried."""
    each = mark.kwargs.get("each")
    value = item.callspec.params[each] if each else ""  # type: ignore[attr-defined]
    return _test(item), repr(value), mark.kwargs.get("one_of", SIXTH)
