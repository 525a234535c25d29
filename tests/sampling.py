"""What the usual run leaves out, so that it takes minutes: `scripts/test -- --thorough` runs everything.

Which cases of a `sampled` test it has is decided by their factors: the test itself, and its parameters. Tests of a file
with the same parameters are one group. Of groups with three factors or more, the cases of a file together cover each
pair of values of two factors; of the many combinations of three they leave most out. Of a group with fewer factors, and
of tests that name their share, it has a part of the cases, beginning with those that have another value of each
parameter. Neither names nor values count, only their places in the lists of parameters.

A test in Blender runs in the newest but one. What tries Blender itself is `in_every_blender`: it runs in the oldest and
in the newest, as what has come or gone differs between those two. Of two cases, each of these runs one; of more cases,
each Blender runs a part. The tests of a file that all take the same way through Blender, as bakes of other scenes do,
are shared out likewise.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import combinations

import pytest

sampled = pytest.mark.sampled
"""For slow tests of one rule in many places. `@sampled(one_of=9)` is for films of a second or more: a ninth."""
thorough = pytest.mark.thorough
"""For a slow test of what cheaper ones try in part: only the thorough run has it."""
in_every_blender = pytest.mark.in_every_blender
"""For what may differ between versions of Blender: keys and actions, handlers, drawing, files, undo, registration.
`@in_every_blender(a_part=True)` is for a test that itself tries a part of its cases in each: it runs in all of them.
`in_every_blender(shared=True)` is for a whole file whose tests are shared out as the cases of one test are."""
SIXTH = 6
FACTORS = 3
"""Of a group with fewer factors, pairs of values are all cases that there are."""
MANY = 3
"""Cases of a test from which on Blenders share them out."""
NONE = -1
"""The place of a factor that a test does not have."""
Case = tuple[int, ...]
"""The number of a test in its group, and the place of the value of each parameter, or NONE."""
Group = dict[pytest.Item, dict[str, Hashable]]
"""The value of each factor in each test: the test itself without a name, and its parameters."""


def in_this_run(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests that the usual run has, in their order."""
    left_out = {item for item in items if item.get_closest_marker("thorough") is not None}
    groups: dict[tuple[str, ...], Group] = defaultdict(dict)
    shares: dict[tuple[str, ...], int] = {}
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark is None:
            continue
        test, values = _test(item), item.callspec.params  # type: ignore[attr-defined]
        group = (test,) if "one_of" in mark.kwargs else (item.nodeid.partition("::")[0], *values)
        shares[group] = mark.kwargs.get("one_of", 0)
        groups[group][item] = {"": test, **{name: id(value) for name, value in values.items()}}
    files: dict[str, Group] = defaultdict(dict)
    for group, cases in groups.items():
        placed = _placed(cases)
        if shares[group] or _factors(placed) < FACTORS:
            chosen = a_part(placed, shares[group] or SIXTH)
            left_out.update(item for item, case in zip(cases, placed) if case not in chosen)
        else:
            files[group[0]].update(cases)
    for cases in files.values():
        placed = _placed(cases)
        chosen = covering(placed)
        left_out.update(item for item, case in zip(cases, placed) if case not in chosen)
    return [item for item in items if item not in left_out]


def _placed(cases: Group) -> list[Case]:
    """The places of the values of each factor, in the order in which they come."""
    names = {name: None for factors in cases.values() for name in factors}
    places: dict[str, dict[Hashable, int]] = {name: {} for name in names}
    return [
        tuple(places[name].setdefault(factors[name], len(places[name])) if name in factors else NONE for name in names)
        for factors in cases.values()
    ]


def _factors(cases: Iterable[Case]) -> int:
    """The number of factors that have several values."""
    return sum(len(set(places)) > 1 for places in zip(*cases))


def covering(cases: Iterable[Case]) -> set[Case]:
    """Cases with each pair of values of two factors that any case has."""
    ordered = _diagonally(cases)
    chosen: set[Case] = set()
    left = [set(combinations([at for at in enumerate(case) if at[1] != NONE], 2)) for case in ordered]
    covered: set[object] = set()
    # The case with the most new pairs is next. As pairs are only ever covered, none has more than when last counted.
    waiting = [(-len(pairs), rank) for rank, pairs in enumerate(left)]
    heapify(waiting)
    while waiting:
        _, rank = heappop(waiting)
        left[rank] -= covered
        if not left[rank]:
            continue
        if waiting and (-len(left[rank]), rank) > waiting[0]:
            heappush(waiting, (-len(left[rank]), rank))
            continue
        chosen.add(ordered[rank])
        covered |= left[rank]
    return chosen


def a_part(cases: Iterable[Case], one_of: int) -> set[Case]:
    """One of so many cases, at least one, beginning with those that differ in each factor."""
    ordered = _diagonally(cases)
    return set(ordered[: -(-len(ordered) // one_of)])


def _diagonally(cases: Iterable[Case]) -> list[Case]:
    """Cases in an order in which those near to each other have other values of each factor."""
    cases = list(cases)
    factors = [sorted(set(places)) for places in zip(*cases)]
    fewest = min((len(places) for places in factors if len(places) > 1), default=1)
    return sorted(cases, key=lambda case: (sum(case) % fewest, case))


def in_this_blender(items: Sequence[pytest.Item], turn: int, blenders: int) -> list[pytest.Item]:
    """The tests of the usual run that one of several Blenders, oldest first, has, in their order; together all."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[_shared_out(item)].append(item)
    chosen: set[pytest.Item] = set()
    for of_test in cases.values():
        mark = of_test[0].get_closest_marker("in_every_blender")
        if mark is None:
            chosen.update(of_test if turn == max(blenders - 2, 0) else ())
        elif mark.kwargs.get("a_part", False):
            chosen.update(of_test)
        elif len(of_test) >= MANY:
            chosen.update(of_test[turn::blenders])
        elif turn in (0, blenders - 1):
            ends = min(blenders, 2, len(of_test))
            chosen.update(of_test[min(turn, ends - 1) :: ends])
    return [item for item in items if item in chosen]


def _shared_out(item: pytest.Item) -> str:
    """The name of its test, or of its file if the Blenders share out all tests of that like cases."""
    mark = item.get_closest_marker("in_every_blender")
    shared = mark is not None and mark.kwargs.get("shared", False)
    return item.nodeid.partition("::")[0] if shared else _test(item)


def _test(item: pytest.Item) -> str:
    """The test without its case."""
    return item.nodeid.partition("[")[0]
