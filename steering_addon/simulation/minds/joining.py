"""Joining settings: states that want the same with other numbers are evaluated together.

Evaluating two groups of vehicles takes nearly twice as long as one of both: most of a step is independent of their
number. A state that changes only numbers, or only the body, needs no group of its own: its numbers are columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays.vectors import Mask, Rows
from ..behavior import Behavior
from ..declaration import Kind
from ..snapshot import Settings

NUMBERS = (Kind.NUMBER, Kind.INTEGER)
"""The sorts of parameters that may differ among agents that are evaluated together."""


def joined(settings: Sequence[Settings], row: Rows, among: Sequence[int]) -> tuple[tuple[Settings, ...], Rows]:
    """The settings of the vehicles of a crowd, and the row that each follows, with as few rows in use as possible.

    Args:
        settings: by row.
        row: (n,) the row that each vehicle follows.
        among: the rows of the crowd and its states that are in use.
    """
    joined, leaders = list(settings), [among[0]]
    for each in among[1:]:
        leader = next((other for other in leaders if _want_the_same(settings[other], settings[each])), None)
        if leader is None:
            leaders.append(each)
            continue
        follow = row == each
        row = np.where(follow, leader, row)
        pairs = zip(joined[leader].behaviors, settings[each].behaviors)
        behaviors = tuple(_mixed(behavior, other, follow) for behavior, other in pairs)
        joined[leader] = Settings(behaviors, joined[leader].combining)
    return tuple(joined), row


def _want_the_same(settings: Settings, others: Settings) -> bool:
    """Whether two settings differ in numbers at most."""
    if settings is others:
        return True
    if settings.combining != others.combining or len(settings.behaviors) != len(others.behaviors):
        return False
    return all(map(_is_same_but_numbers, settings.behaviors, others.behaviors))


def _is_same_but_numbers(behavior: Behavior, other: Behavior) -> bool:
    if behavior is other:
        return True
    if type(behavior) is not type(other):
        return False
    return all(
        parameter.kind in NUMBERS or _is_same(getattr(behavior, name), getattr(other, name))
        for name, parameter in behavior.parameters().items()
    )


def _is_same(column: Any, other: Any) -> bool:
    """Whether two columns have the same value for each agent; one entry holds for all."""
    return column is other or bool((column == other).all())


def _mixed(behavior: Behavior, other: Behavior, follow: Mask) -> Behavior:
    """The behavior, with the numbers of another for the agents that follow that, (n,)."""
    if behavior is other:
        return behavior
    columns = {}
    for name, parameter in behavior.parameters().items():
        mine, theirs = getattr(behavior, name), getattr(other, name)
        if parameter.kind in NUMBERS and not _is_same(mine, theirs):
            columns[name] = np.where(follow, theirs, mine)
    return behavior.with_columns(columns) if columns else behavior
