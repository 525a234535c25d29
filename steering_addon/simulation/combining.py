"""How the steering forces of several behaviors become one (paper, Combining Behaviors)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .arrays.vectors import Mask, Rows, Scalars, Vectors, dot, ratio, truncate, unit
from .declaration import Choice


@dataclass(frozen=True)
class Component:
    """What one behavior contributes.

    Attributes:
        force: (n, 3) its steering force times its weight, newtons; zero where it has nothing to correct.
        priority: (n,) lower numbers come first; equal ones count together.
        weight: (n,) how much it counts.
        probability: (n,) how likely it is considered, where chance decides.
        luck: (n,) a number from [0, 1) that chance has drawn for it in this step.
    """

    force: Vectors
    priority: Rows
    weight: Scalars
    probability: Scalars
    luck: Scalars


COMBININGS = (
    Choice("WEIGHTED_SUM", 0, "Blend", "All behaviors at once, added up by weight (Reynolds: weighted sum)"),
    Choice(
        "PRIORITY",
        1,
        "First That Applies",
        "Only those of the lowest priority number that have something to correct (Reynolds: priority)",
    ),
    Choice(
        "ALLOCATION",
        2,
        "Share by Priority",
        "By priority, each gets what the earlier leave of the force (Reynolds: prioritized acceleration allocation)",
    ),
    Choice(
        "NORMALIZED_SUM",
        3,
        "Blend Directions",
        "All behaviors at once, of each only the direction, averaged by weight and taken with full force "
        "(Reynolds: weighted sum, of normalized components)",
    ),
    Choice(
        "ONE",
        4,
        "One at a Time",
        "On each step one behavior by chance, as probable as it says; momentum blends them "
        "(Reynolds: one component each frame)",
    ),
    Choice(
        "DITHERING",
        5,
        "First by Chance",
        "As First That Applies, but each is considered only with its probability (Reynolds: prioritized dithering)",
    ),
)
"""The ways to combine. The numbers are stored in files and never change meaning."""
MATTERS: dict[int, tuple[str, ...]] = {
    0: ("weight",),
    1: ("weight", "priority"),
    2: ("weight", "priority"),
    3: ("weight",),
    4: ("weight", "probability"),
    5: ("weight", "priority", "probability"),
}
"""What of a behavior matters to each of them."""


def weighted_sum(components: Sequence[Component], cruise: Vectors, strongest: Scalars) -> Vectors:
    """All forces added up, the hold on cruise speed among them; (n, 3) newtons."""
    force = cruise.copy(order="K")
    for component in components:
        force += component.force
    return force


def by_priority(components: Sequence[Component], cruise: Vectors, strongest: Scalars) -> Vectors:
    """For each agent the forces of the first priority at which any is not zero; (n, 3) newtons.

    Behaviors of one priority are added up. The hold on cruise speed goes with the last priority there is.
    """
    force = np.zeros_like(cruise)
    chosen = np.zeros(len(cruise), dtype=np.bool_)
    for here, last in _levels(components):
        applies = ~chosen & (here != 0.0).any(axis=1)
        here = here + np.where(last[:, None], cruise, 0.0)
        force = np.where(applies[:, None], here, force)
        chosen |= applies
    return np.where(chosen[:, None], force, cruise)


def by_allocation(components: Sequence[Component], cruise: Vectors, strongest: Scalars) -> Vectors:
    """For each agent the forces in order of priority, until together they spend its strength; (n, 3) newtons.

    Earlier behaviors decide by their magnitude what is left for later ones (Reynolds 1987), and later ones may not undo
    what earlier ones do: of theirs only what does not work against it counts. Behaviors of one priority are added up,
    the hold on cruise speed with the last.

    Args:
        strongest: (n,) max_force, newtons.
    """
    force = np.zeros_like(cruise)
    held = np.zeros(len(cruise), dtype=np.bool_)
    for here, last in _levels(components):
        here = here + np.where((last & ~held)[:, None], cruise, 0.0)
        held |= last
        # Whoever has nothing here is left to the last bit as it is, whatever priorities others have.
        force = np.where((here != 0.0).any(axis=1)[:, None], _added(force, here, strongest), force)
    return np.where(held[:, None], force, truncate(cruise, strongest))


def normalized_sum(components: Sequence[Component], cruise: Vectors, strongest: Scalars) -> Vectors:
    """The directions of the forces averaged by weight, with full force; and the hold on cruise speed; (n, 3) newtons.

    None is louder than its weight, however far off its goal is. Those with nothing to correct do not count.
    """
    total = np.zeros_like(cruise)
    weights = np.zeros(len(cruise))
    for component in components:
        counts = np.where((component.force != 0.0).any(axis=1), component.weight, 0.0)
        total += unit(component.force) * counts[:, None]
        weights += counts
    return cruise + total * ratio(strongest, weights)[:, None]


def one_by_chance(components: Sequence[Component], cruise: Vectors, strongest: Scalars) -> Vectors:
    """For each agent the force of one behavior, and the hold on cruise speed; (n, 3) newtons.

    It is drawn by the probabilities, in proportion; the luck of the first decides.
    """
    force = cruise.copy(order="K")
    if not components:
        return force
    whole = np.zeros(len(cruise))
    for component in components:
        whole += component.probability
    draw = components[0].luck * whole
    below = np.zeros(len(cruise))
    for component in components:
        above = below + component.probability
        chosen = (draw >= below) & (draw < above)
        force += np.where(chosen[:, None], component.force, 0.0)
        below = above
    return force


def by_dithering(components: Sequence[Component], cruise: Vectors, strongest: Scalars) -> Vectors:
    """By priority, of those only that chance lets each agent consider; (n, 3) newtons."""
    considered = [replace(c, force=np.where((c.luck < c.probability)[:, None], c.force, 0.0)) for c in components]
    return by_priority(considered, cruise, strongest)


def _levels(components: Sequence[Component]) -> Iterator[tuple[Vectors, Mask]]:
    """What there is at each priority, the first first: the forces added up, and for whom no later one follows."""
    if not components:
        return
    for level in np.unique(np.concatenate([c.priority for c in components])):
        here = np.zeros_like(components[0].force)
        last = np.ones(len(here), dtype=np.bool_)
        for component in components:
            here += np.where((component.priority == level)[:, None], component.force, 0.0)
            last &= component.priority <= level
        yield here, last


def _added(spent: Vectors, more: Vectors, strongest: Scalars) -> Vectors:
    """What was spent and what of the rest does not undo it, together no more than the strongest."""
    direction = unit(spent)
    more = more - np.minimum(dot(more, direction), 0.0)[:, None] * direction
    left = np.sqrt(np.maximum(strongest * strongest - dot(spent, spent), 0.0))
    return truncate(spent + truncate(more, left), strongest)


COMBINE: dict[int, Callable[[Sequence[Component], Vectors, Scalars], Vectors]] = {
    choice.number: function
    for choice, function in zip(
        COMBININGS,
        (weighted_sum, by_priority, by_allocation, normalized_sum, one_by_chance, by_dithering),
        strict=True,
    )
}
"""The function of each way to combine, by its stored number."""
