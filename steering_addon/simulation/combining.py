"""How the steering forces of several behaviors become one (paper, Combining Behaviors).

With forces f_i (already multiplied by their weights w_i), a hold on cruise speed c and the limit F = max_force:

    weighted sum       c + sum_i f_i
    normalized sum     c + F (max_i s_i) (sum_i s_i w_i f_i/|f_i|) / sum_i s_i w_i,  s_i = min(|f_i| / (FIRM F), 1)
    one by chance      c + f_k,  k drawn with probability p_k / sum_i p_i       over the i with f_i != 0
    priority           the sum of the first level with a force != 0;  c belongs to the last level.
                       Below FIRM F, it leaves a share 1 - |f| / (FIRM F) to the levels after it
    allocation         level by level, each cut to what the levels before it leave of F (Reynolds 1987)

Each way is a function `Combine` of the components. `dither(way)` drops components at random before another way, which
makes the paper's prioritized dithering out of `by_priority`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .arrays.frozen import replace
from .arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, everybody, ratio, same_for_all, shared
from .arrays.vectors import Vectors, across, dot, magnitude, no_vectors, truncate, unit
from .decisions import Decisions
from .declaration import Choice
from .memory import Memory, remembered
from .world import Agents

ENOUGH = 1.0 - 1e-12
"""A lack beyond it is a rounding error, and so is what it leaves of max_force."""
BLENDED = "blended"
"""Under what the mean is remembered; no behavior has this name."""


@dataclass(frozen=True)
class Component:
    """The contribution of one behavior.

    Attributes:
        force: (n, 3) its steering force times its weight, newtons; zero where it has nothing to correct.
        priority: (n,) lower numbers come first; components with the same number are combined with each other.
        weight: (n,) its weight, at least 0.
        probability: (n,) how probably it is considered or drawn, 0 to 1.
        draw: (n,) a random number in [0, 1), new in each step.
    """

    force: Vectors
    priority: Rows
    weight: Scalars
    probability: Scalars
    draw: Scalars

    def spread(self, rows: Rows, n: int, first: int, latest: int | None) -> "Component":
        """The component of n agents that is without force for those outside a part.

        Args:
            first: the lowest priority of all components.
            latest: the highest of those that all agents have; None if it differs between agents.
        """
        force, weight = no_vectors(n), np.zeros(n)
        force[rows], weight[rows] = self.force, self.weight
        if latest is not None and same_for_all(self.priority) and self.priority[0] <= latest:
            priority = shared(int(self.priority[0]), n, np.int64)
        else:
            priority = np.full(n, first)
            priority[rows] = self.priority
        nothing = np.zeros(n)
        return Component(force, priority, weight, nothing, nothing)

    def only(self, mask: Mask) -> "Component":
        """The component without force or probability for the agents outside the mask (n,)."""
        if everybody(mask):
            return self
        force, probability = np.where(mask[:, None], self.force, 0.0), np.where(mask, self.probability, 0.0)
        return replace(self, force=force, probability=probability)


def of_all(components: Mapping[str, tuple[Component, Rows | None]], n: int) -> dict[str, Component]:
    """The components of n agents, by behavior, from those of behaviors that all or only a part of them have.

    Agents without a behavior get zero force, at a priority that never delays their others. `components`: each with the
    rows of its agents, None for all of them.
    """
    if all(rows is None for _, rows in components.values()):
        return {name: component for name, (component, _) in components.items()}
    priorities = [component.priority for component, rows in components.values() if rows is None]
    latest = max((int(p[0]) for p in priorities), default=None) if all(map(same_for_all, priorities)) else None
    first = min(int(component.priority.min()) for component, _ in components.values())
    return {
        name: component if rows is None else component.spread(rows, n, first, latest)
        for name, (component, rows) in components.items()
    }


Combine = Callable[[Sequence[Component], Vectors, Scalars], Vectors]
"""A way to combine: from the components, the force that holds cruise speed (n, 3) and max_force (n,) to the force of
each agent (n, 3); all in newtons."""

COMBININGS = (
    Choice("WEIGHTED_SUM", 0, "Blend", "Add up all behaviors by weight (Reynolds: weighted sum)"),
    Choice(
        "PRIORITY",
        1,
        "First That Applies",
        "Use only the behaviors of the lowest priority number that have something to correct (Reynolds: priority)",
    ),
    Choice(
        "ALLOCATION",
        2,
        "Share by Priority",
        "Give each behavior, by priority, what the earlier ones leave of the force "
        "(Reynolds: prioritized acceleration allocation)",
    ),
    Choice(
        "NORMALIZED_SUM",
        3,
        "Blend Directions",
        "Average the directions of all behaviors by weight and steer with full force, unless all ask for very little "
        "(Reynolds: weighted sum, of normalized components)",
    ),
    Choice(
        "ONE",
        4,
        "One at a Time",
        "Draw one of the behaviors that apply on each step, by its probability; momentum blends them "
        "(Reynolds: one component each frame)",
    ),
    Choice(
        "DITHERING",
        5,
        "First by Chance",
        "As First That Applies, but consider each behavior only with its probability (Reynolds: prioritized dithering)",
    ),
)
"""The ways to combine. The numbers are stored in files and never change meaning."""
ONE = next(choice.number for choice in COMBININGS if choice.name == "ONE")
MATTERS: dict[int, tuple[str, ...]] = {
    0: ("weight",),
    1: ("weight", "priority"),
    2: ("weight", "priority"),
    3: ("weight",),
    4: ("weight", "probability"),
    5: ("weight", "priority", "probability"),
}
"""The parameters of a behavior that each way uses, by its stored number."""


FIRM = 0.1
"""Share of max_force from which a force holds its own against later ones. A breath of avoidance to the one side would
otherwise forbid all turns to the other, and hold a vehicle at rest, which it does not get going, where it is."""


def weighted_sum(components: Sequence[Component], cruise: Vectors, max_force: Scalars) -> Vectors:
    """The sum of all forces, c + sum f_i; (n, 3) newtons."""
    force = cruise.copy(order="K")
    for component in components:
        force += component.force
    return force


def normalized_sum(components: Sequence[Component], cruise: Vectors, max_force: Scalars) -> Vectors:
    """The directions of the forces averaged by weight, at full force, plus the hold on cruise speed; (n, 3) newtons.

    However far a behavior is off its goal, it counts by its weight only. Below FIRM F it counts the less, the weaker it
    is: a breath of wander would otherwise hold up what follows a path.
    """
    total = np.zeros_like(cruise)
    weights, firmest = np.zeros(len(cruise)), np.zeros(len(cruise))
    for component in components:
        firm = np.minimum(ratio(magnitude(component.force), FIRM * max_force), 1.0)
        weight = firm * component.weight
        total += unit(component.force) * weight[:, None]
        weights += weight
        firmest = np.maximum(firmest, firm)
    return cruise + total * ratio(firmest * max_force, weights)[:, None]


def one_by_chance(components: Sequence[Component], cruise: Vectors, max_force: Scalars) -> Vectors:
    """The force of one behavior for each agent, plus the hold on cruise speed; (n, 3) newtons.

    A behavior is drawn in proportion to its probability from those that have something to correct: a walker that stands
    would hardly be got going if most draws left it alone. The random number is the draw of the first component.
    """
    force = cruise.copy(order="K")
    if not components:
        return force
    probabilities = [np.where((c.force != 0.0).any(axis=1), c.probability, 0.0) for c in components]
    total = np.zeros(len(cruise))
    for probability in probabilities:
        total += probability
    draw = components[0].draw * total
    below = np.zeros(len(cruise))
    for component, probability in zip(components, probabilities):
        above = below + probability
        chosen = (draw >= below) & (draw < above)
        force += np.where(chosen[:, None], component.force, 0.0)
        below = above
    return force


def by_priority(components: Sequence[Component], cruise: Vectors, max_force: Scalars) -> Vectors:
    """For each agent the force of the first priority level with a non-zero force.

    One below FIRM F leaves a share to the levels after it, so that a vehicle changes between levels gradually. The hold
    on cruise speed belongs to the agent's last level, and is the force if no level applies.
    """
    force = np.zeros_like(cruise)
    remaining, held = np.ones(len(cruise)), np.zeros(len(cruise), dtype=np.bool_)
    for level, last in _levels(components, max_force):
        applies = (remaining > 0.0) & (level != 0.0).any(axis=1)
        spent = np.minimum(ratio(magnitude(level), FIRM * max_force), 1.0)
        if anybody(last):
            level = level + np.where(last[:, None], cruise, 0.0)
            held |= applies & last
        force = np.where(applies[:, None], _filled(force, level, remaining, max_force), force)
        remaining = np.where(applies, remaining * (1.0 - spent), remaining)
    unspent = ~held & (remaining > 0.0)
    return np.where(unspent[:, None], _filled(force, cruise, remaining, max_force), force)


def _filled(force: Vectors, level: Vectors, remaining: Scalars, max_force: Scalars) -> Vectors:
    """A force with the share that it has left, (n,), of a later level; (n, 3) newtons. All of it where nothing came."""
    partly = force + truncate(level, max_force) * remaining[:, None]
    return np.where((remaining == 1.0)[:, None], level, partly)


def by_allocation(components: Sequence[Component], cruise: Vectors, max_force: Scalars) -> Vectors:
    """For each agent the forces in order of priority, until together they spend max_force.

    The magnitude of earlier forces decides what is left for later ones (Reynolds 1987). A later force may not undo an
    earlier one: its part against the direction of the force so far is dropped. The hold on cruise speed belongs to the
    agent's last level.
    """
    force = np.zeros_like(cruise)
    finished = np.zeros(len(cruise), dtype=np.bool_)
    for level, last in _levels(components, max_force):
        holds_speed = last & ~finished
        if anybody(holds_speed):
            level = level + np.where(holds_speed[:, None], cruise, 0.0)
            finished |= last
        # An agent without a force at this level keeps its bits, whatever priorities other agents have.
        force = np.where((level != 0.0).any(axis=1)[:, None], _allocated(force, level, max_force), force)
    return np.where(finished[:, None], force, truncate(cruise, max_force))


def dither(combine: Combine) -> Combine:
    """The same way to combine, but each agent considers each component only with its probability (dithering)."""

    def dithered(components: Sequence[Component], cruise: Vectors, max_force: Scalars) -> Vectors:
        return combine([c.only(c.draw < c.probability) for c in components], cruise, max_force)

    return dithered


def _levels(components: Sequence[Component], max_force: Scalars) -> Iterator[tuple[Vectors, Mask]]:
    """The combined force of each priority, lowest number first, (n, 3), and the agents without a later one, (n,)."""
    if components and all(same_for_all(c.priority) for c in components):
        yield from _levels_of_all(components, max_force)
        return
    for priority in np.unique(np.concatenate([c.priority for c in components])) if components else ():
        level = [c.only(c.priority == priority) for c in components]
        last = np.ones(len(max_force), dtype=np.bool_)
        for component in components:
            last &= component.priority <= priority
        yield weighted_sum(level, np.zeros_like(components[0].force), max_force), last


def _levels_of_all(components: Sequence[Component], max_force: Scalars) -> Iterator[tuple[Vectors, Mask]]:
    """As `_levels`, of components whose priorities are the same for all agents: nothing has to be masked."""
    priorities = [int(c.priority[0]) for c in components]
    highest = max(priorities)
    for priority in sorted(set(priorities)):
        level = [c for c, number in zip(components, priorities) if number == priority]
        last: Mask = shared(priority == highest, len(max_force), np.bool_)
        yield weighted_sum(level, np.zeros_like(components[0].force), max_force), last


def _allocated(spent: Vectors, force: Vectors, max_force: Scalars) -> Vectors:
    """The force spent so far plus what it leaves of another one, (n, 3) each; at most max_force (n,).

    With d = spent/|spent|, the part min(f . d, 0) d is dropped and the remainder cut to sqrt(F^2 - |spent|^2). If
    |spent| is below FIRM F, less is dropped, the weaker it is.
    """
    firm = np.minimum(ratio(magnitude(spent), FIRM * max_force), 1.0)
    direction = unit(spent)
    force = force - (firm * np.minimum(dot(force, direction), 0.0))[:, None] * direction
    remaining = np.sqrt(np.maximum(max_force * max_force - dot(spent, spent), 0.0))
    return truncate(spent + truncate(force, remaining), max_force)


COMBINE: dict[int, Combine] = dict(
    enumerate((weighted_sum, by_priority, by_allocation, normalized_sum, one_by_chance, dither(by_priority)))
)
"""The function of each way to combine, by its stored number."""


def left_out(
    combine: Combine, components: Sequence[Component], cruise: Vectors, combined: Vectors, max_force: Scalars
) -> Vectors:
    """The excess of the components beyond what strength leaves of them, (n, 3) newtons. Without its limit they come to
    what they do at a share of their size at which together they fit within max_force. `combined`: (n, 3) what they come
    to with it, newtons."""
    size = magnitude(cruise)
    for component in components:
        size = size + magnitude(component.force)
    fits = (size <= max_force) | (max_force <= 0.0)
    if everybody(fits):
        return no_vectors(len(fits))
    share = np.where(fits, 1.0, max_force / np.maximum(size, EPSILON))[:, None]
    small = [replace(component, force=component.force * share) for component in components]
    beyond = combine(small, cruise * share, max_force) / share - combined
    return np.where(fits[:, None], 0.0, beyond)


def keep_urgent(force: Vectors, urgent: Vectors, max_force: Scalars) -> Vectors:
    """The combined force with what is urgent, (n, 3) newtons: what keeps out of an obstacle is not weighed up.

    Behaviors that are averaged outvote the one that turns aside, and those that take turns leave it out for many steps,
    so that a body runs into what it sees. With the combined force f, the urgent part u = |u| d and the limit F, what
    leads along d by less than u is made up for:

        f . d < |u|  becomes  u + (f - (f . d) d), of which the second part is cut to sqrt(F^2 - |u|^2)

    Below FIRM F, it becomes so only in part, |u| / (FIRM F): where a push from an obstacle sets in, it would otherwise
    forbid every move against it, and hold a vehicle in the open.

    Args:
        force: (n, 3) what all behaviors come to, newtons.
        urgent: (n, 3) newtons, zero for nothing.
    """
    if not urgent.any():
        return force
    urgent = truncate(urgent, max_force)
    direction, needed = unit(urgent), magnitude(urgent)
    short = dot(truncate(force, max_force), direction) < needed * ENOUGH
    if not anybody(short):
        return force
    remaining = np.sqrt(np.where(needed < ENOUGH * max_force, max_force * max_force - needed * needed, 0.0))
    made_up = urgent + truncate(across(force, direction), remaining)
    firm = np.minimum(ratio(needed, FIRM * max_force), 1.0)
    made_up = np.where((firm < 1.0)[:, None], force + (made_up - force) * firm[:, None], made_up)
    return np.where(short[:, None], made_up, force)


@dataclass(frozen=True)
class Blended(Memory):
    """The mean of the forces on each agent, which feet obey where each step applies another behavior. `force`: (n, 3)
    newtons."""

    force: Vectors = remembered((0.0, 0.0, 0.0))


def blend(combining: int, agents: Agents, force: Vectors, decided: Decisions, dt: float) -> tuple[Vectors, Decisions]:
    """The forces, (n, 3) newtons, that agents obey where one behavior at a time is drawn, and what they remember.

    The momentum of a body blends what is drawn, but not across the heading of what walks on a circle: a breath of force
    turns it by as much as all its strength. It obeys the mean, over its response time if the circle leaves nothing of
    its strength. `combining`: the number of the way to combine; `force`: (n, 3) newtons, of what is drawn in this step.
    """
    if combining != ONE:
        return force, decided
    sideways = agents.sideways / np.maximum(agents.agility, EPSILON)
    time = agents.vehicle.response_time * (1.0 - sideways)
    if not anybody(time > 0.0):
        return force, decided
    before = decided.memory(BLENDED, Blended, agents).force
    force = before + (truncate(force, agents.max_force) - before) * (dt / (dt + time))[:, None]
    return force, decided.remembering(BLENDED, agents, Blended(force))
