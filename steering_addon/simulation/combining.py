"""How the steering forces of several behaviors become one (paper, Combining Behaviors)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .declaration import Choice
from .vectors import Rows, Vectors


@dataclass(frozen=True)
class Component:
    """What one behavior contributes.

    Attributes:
        force: (n, 3) its steering force times its weight, newtons; zero where it has nothing to correct.
        priority: (n,) lower numbers come first; equal ones count together.
    """

    force: Vectors
    priority: Rows


COMBININGS = (
    Choice("WEIGHTED_SUM", 0, "Blend", "All behaviors at once, added up by weight (Reynolds: weighted sum)"),
    Choice(
        "PRIORITY",
        1,
        "First That Applies",
        "Only those of the lowest priority number that have something to correct (Reynolds: priority)",
    ),
)
"""The ways to combine. The numbers are stored in files and never change meaning."""


def weighted_sum(components: Sequence[Component], cruise: Vectors) -> Vectors:
    """All forces added up, the hold on cruise speed among them; (n, 3) newtons."""
    force = cruise.copy()
    for component in components:
        force += component.force
    return force


def by_priority(components: Sequence[Component], cruise: Vectors) -> Vectors:
    """For each agent the forces of the first priority at which any is not zero; (n, 3) newtons.

    Behaviors of one priority are added up. The hold on cruise speed goes with the last priority there is.
    """
    force = np.zeros_like(cruise)
    chosen = np.zeros(len(cruise), dtype=np.bool_)
    levels = np.unique(np.concatenate([c.priority for c in components])) if components else np.zeros(0, np.int64)
    for level in levels:
        here = np.zeros_like(cruise)
        last = np.ones(len(cruise), dtype=np.bool_)
        for component in components:
            here += np.where((component.priority == level)[:, None], component.force, 0.0)
            last &= component.priority <= level
        applies = ~chosen & (here != 0.0).any(axis=1)
        here += np.where(last[:, None], cruise, 0.0)
        force = np.where(applies[:, None], here, force)
        chosen |= applies
    return np.where(chosen[:, None], force, cruise)


COMBINE: dict[int, Callable[[Sequence[Component], Vectors], Vectors]] = {
    choice.number: function for choice, function in zip(COMBININGS, (weighted_sum, by_priority), strict=True)
}
"""The function of each way to combine, by its stored number."""
