"""Joining settings: states that want the same with other numbers are evaluated together.

Evaluating two groups of vehicles takes nearly twice as long as one of both: most of a step is independent of their
number. A state that changes only numbers, or only the body, needs no group of its own: its numbers are columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..arrays.vectors import Mask, Rows
from ..declaration import Kind
from ..snapshot import Settings

NUMBERS = (Kind.NUMBER, Kind.INTEGER)
"""The sorts of parameters that may differ among agents that are evaluated together."""
MOST_COMPARED = 32
"""The number of other settings that settings remember having been compared with."""
Differences: TypeAlias = Mapping[int, Sequence[str]]


def joined(
    declared: Sequence[Settings], settings: Sequence[Settings], row: Rows, among: Sequence[int]
) -> tuple[tuple[Settings, ...], Rows]:
    """The settings of the vehicles of a crowd, and the row that each follows, with as few rows in use as possible.

    Args:
        declared: the settings by row, the same objects in every step.
        settings: the same, about what called the vehicles.
        row: (n,) the row that each vehicle follows.
        among: the rows of the crowd and its states that are in use.
    """
    joined, leaders = list(settings), [among[0]]
    for each in among[1:]:
        for leader in leaders:
            changes = _differences(declared[leader], declared[each])
            if changes is not None:
                follow = row == each
                row = np.where(follow, leader, row)
                joined[leader] = _mixed(joined[leader], settings[each], changes, follow)
                break
        else:
            leaders.append(each)
    return tuple(joined), row


def _differences(settings: Settings, others: Settings) -> Differences | None:
    """The names of the numbers that differ, by the place of their behavior; None if more than numbers does."""
    known = settings.compared.get(id(others))
    if known is None or known[0] is not others:
        if len(settings.compared) >= MOST_COMPARED:
            # Animated settings are others in each step.
            settings.compared.clear()
        known = settings.compared[id(others)] = others, _compared(settings, others)
    return known[1]


def _compared(settings: Settings, others: Settings) -> Differences | None:
    if settings.combining != others.combining or len(settings.behaviors) != len(others.behaviors):
        return None
    differences: dict[int, list[str]] = {}
    for place, (behavior, other) in enumerate(zip(settings.behaviors, others.behaviors)):
        if type(behavior) is not type(other):
            return None
        for name, parameter in behavior.parameters().items():
            if not _is_same(getattr(behavior, name), getattr(other, name)):
                if parameter.kind not in NUMBERS:
                    return None
                differences.setdefault(place, []).append(name)
    return differences


def _is_same(column: Any, other: Any) -> bool:
    """Whether two columns have the same value for each agent; one entry holds for all."""
    return column is other or bool((column == other).all())


def _mixed(settings: Settings, others: Settings, differences: Differences, follow: Mask) -> Settings:
    """The settings, with the numbers of others where they differ for the agents that follow those, (n,)."""
    behaviors = list(settings.behaviors)
    for place, names in differences.items():
        mine, theirs = behaviors[place], others.behaviors[place]
        columns = {name: np.where(follow, getattr(theirs, name), getattr(mine, name)) for name in names}
        behaviors[place] = mine.with_columns(columns)
    return Settings(tuple(behaviors), settings.combining)
