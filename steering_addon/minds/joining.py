"""Joining settings: states that share behaviors with each other or with their crowd are evaluated together.

Evaluating two groups of vehicles takes nearly twice as long as one of both: most of a step is independent of their
number. A state that changes only numbers, or only the body, needs no group of its own: its numbers are columns. Where a
state has a behavior more or less, that behavior alone is evaluated for a part of the group, if all it does is steer.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from ..simulation.arrays.scalars import Mask, Rows
from ..simulation.behavior import Adjustment, Behavior
from ..simulation.combining import MATTERS
from ..simulation.declaration import Kind
from ..simulation.snapshot import Settings

NUMBERS = (Kind.NUMBER, Kind.INTEGER)
"""The sorts of parameters that may differ among agents that are evaluated together."""
MOST_COMPARED = 32
"""The number of other settings that settings remember having been compared with."""
MORE_THAN_FORCES = ("goal", "intention")
"""The methods by which a behavior tells the other behaviors about its agents."""
Differences: TypeAlias = Mapping[str, Sequence[str]]


def join_settings(
    declared: Sequence[Settings], settings: Sequence[Settings], row: Rows, among: Sequence[int]
) -> tuple[tuple[Settings, ...], Rows]:
    """The settings of the vehicles of a crowd, and the row that each follows, with as few rows in use as possible.

    Args:
        declared: the settings by row, the same objects in every step.
        settings: the same, about what called the vehicles.
        row: (n,) the row that each vehicle follows.
        among: the rows of the crowd and its states that are in use.
    """
    together = list(settings)
    groups: list[list[int]] = []
    for candidate in among:
        for group in groups:
            differences = [_find_differences(declared[member], declared[candidate]) for member in group]
            if all(changes is not None for changes in differences):
                leader = group[0]
                follow = row == candidate
                row = np.where(follow, leader, row)
                together[leader] = _mix(together[leader], settings[candidate], _unite(differences), follow)
                group.append(candidate)
                break
        else:
            groups.append([candidate])
    return tuple(together), row


def _unite(differences: Sequence[Differences | None]) -> Differences:
    """The names of the numbers that differ in any of several comparisons."""
    names: dict[str, list[str]] = {}
    for changes in differences:
        for behavior, numbers in (changes or {}).items():
            names[behavior] = [*dict.fromkeys((*names.get(behavior, ()), *numbers))]
    return names


def _find_differences(settings: Settings, others: Settings) -> Differences | None:
    """The names of the numbers that differ, by the name of their behavior; None if they cannot be joined."""
    known = settings.compared.get(id(others))
    if known is None or known[0] is not others:
        if len(settings.compared) >= MOST_COMPARED:
            # Animated settings are others in each step.
            settings.compared.clear()
        known = settings.compared[id(others)] = others, _compare(settings, others)
    return known[1]


def _compare(settings: Settings, others: Settings) -> Differences | None:
    ours, theirs = ({b.name: b for b in side.behaviors} for side in (settings, others))
    shared = ours.keys() & theirs.keys()
    lone = [b for b in (*settings.behaviors, *others.behaviors) if b.name not in shared]
    if settings.combining != others.combining or bool(lone) > bool(shared):
        return None
    if not all(_only_steers(type(behavior)) for behavior in lone):
        return None
    if lone and "probability" in MATTERS[settings.combining]:
        # Which behavior is drawn depends on how many there are.
        return None
    differences: dict[str, list[str]] = {}
    for name in shared:
        for parameter_name, parameter in ours[name].parameters().items():
            column, other = (getattr(side[name], parameter_name) for side in (ours, theirs))
            # One entry holds for all agents.
            if column is not other and not (column == other).all():
                if parameter.kind not in NUMBERS:
                    return None
                differences.setdefault(name, []).append(parameter_name)
    return differences


def _only_steers(kind: type[Behavior]) -> bool:
    """Whether others need not know of a behavior: it leads nowhere, avoids nothing and corrects nothing."""
    tells = any(getattr(kind, name) is not getattr(Behavior, name) for name in MORE_THAN_FORCES)
    return not (tells or kind.arrives or kind.avoids or issubclass(kind, Adjustment))


def _mix(settings: Settings, others: Settings, changed: Differences, follow: Mask) -> Settings:
    """The settings, with the behaviors and the changed numbers of others for the agents that follow those, (n,)."""
    behaviors, has = list(settings.behaviors), list(settings.masks())
    theirs = {behavior.name: behavior for behavior in others.behaviors}
    for index, behavior in enumerate(behaviors):
        other = theirs.get(behavior.name)
        if other is None:
            has[index] = ~follow if (known := has[index]) is None else known & ~follow
            continue
        has[index] = None if (known := has[index]) is None else known | follow
        if names := changed.get(behavior.name):
            columns = {name: np.where(follow, getattr(other, name), getattr(behavior, name)) for name in names}
            behaviors[index] = behavior.with_columns(columns)
    # What only the others have comes after what it comes after among them.
    after = 0
    for behavior in others.behaviors:
        index = next((k for k, known in enumerate(behaviors) if known.name == behavior.name), -1)
        if index < 0:
            behaviors.insert(after, behavior)
            has.insert(after, follow)
            index = after
        after = index + 1
    return Settings(tuple(behaviors), settings.combining, tuple(has))
