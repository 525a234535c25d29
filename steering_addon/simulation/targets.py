"""Targets: the body that each agent steers by, from a parameter that names one body, several or none."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

from .arrays.chance import mix, uniform
from .arrays.scalars import Mask, Rows, alike, anybody, nobody, put, same_for_all, which
from .behavior import Behavior
from .candidates import FIRST, NEAREST_ONE, NEXT, OWN, Candidates
from .declaration import NEAREST, Kind, Parameter
from .maneuvers.chasing import at_stop
from .memory import Memory, remembered
from .roles import Role
from .world import Agents, World

ARRIVED = 0.25
"""Seconds: an agent has arrived at one of several targets when it is within its radius, and its way in this time, of
touching it."""
BLOCK = 2**20
"""Pairs of an agent and a candidate that are compared together at most."""
PICKED = 0x717C
"""Salt of the random keys by which an agent picks a candidate."""


AnyBehavior = TypeVar("AnyBehavior", bound=Behavior)


@dataclass(frozen=True)
class Round(Memory):
    """The progress of each agent through candidates that it takes one after the other. `stop`: (n,) the index of its
    present candidate."""

    stop: Rows = remembered(0)


def aim(
    behavior: AnyBehavior, world: World, agents: Agents, memories: Mapping[str, Memory], n: int
) -> tuple[AnyBehavior, dict[str, Memory]]:
    """The behavior with a row of World.bodies or World.regions for each agent in each parameter that names one.

    -1 stands for none, for a body that is not present, and for the agent itself. Returns the behavior, and the memories
    that have changed.

    Args:
        memories: the memories of all n vehicles. The progress through candidates has the name
            "<behavior>.<parameter>".
    """
    changes: dict[str, Any] = {}
    learned: dict[str, Memory] = {}
    # mypy does not accept the class of a type variable as hashable.
    kind: Any = type(behavior)
    for name, parameter in _aims(kind):
        if parameter.kind is Kind.REGION:
            changes[name] = _with_region(getattr(behavior, name), world, agents)
            continue
        rows = getattr(behavior, name)
        if parameter.in_order:
            # Of several bodies the behavior itself takes the one that it visits.
            changes[name] = np.where((rows <= NEAREST) | _is_target(rows, world, agents), rows, -1)
            continue
        if anybody(rows == NEAREST) and parameter.role is not None:
            some = which(rows == NEAREST)
            rows = put(rows, some, world.nearest_of(world.bodies.with_role(parameter.role), agents, some))
        if anybody(rows <= FIRST):
            key = f"{behavior.name}.{name}"
            memory = memories.get(key)
            stop = memory.stop if isinstance(memory, Round) else Round.blank(n).stop
            rows, stop = _taken(rows, world, agents, stop, any_near=parameter.stood_on)
            learned[key] = Round(stop)
        changes[name] = np.where((rows <= FIRST) | _is_target(rows, world, agents), rows, -1)
    return (behavior.with_columns(changes) if changes else behavior), learned


def _is_target(rows: Rows, world: World, agents: Agents) -> Mask:
    """Whether each row is that of a body that is present and is not the agent itself, (n,)."""
    return (rows >= 0) & (rows != agents.rows) & world.bodies.present[np.maximum(rows, 0)]


@cache
def _aims(kind: Any) -> tuple[tuple[str, Parameter], ...]:
    """The parameters of a behavior that name bodies and regions."""
    return tuple((n, p) for n, p in kind.parameters().items() if p.kind in (Kind.BODY, Kind.REGION))


def takes_aim(behavior: Behavior) -> bool:
    """Whether a behavior has a parameter that names a body or a region."""
    kind: Any = type(behavior)
    return bool(_aims(kind))


def _with_region(rows: Rows, world: World, agents: Agents) -> Rows:
    """The rows (n,) with the nearest region for NEAREST, and -1 for regions that are not present."""
    if anybody(rows == NEAREST):
        rows = np.where(rows == NEAREST, world.regions.nearest(agents.position), rows)
    if not len(world.regions):
        return alike(-1, len(agents), np.int64)
    if same_for_all(rows):
        return alike(rows[0] if rows[0] >= 0 and world.regions.present[rows[0]] else -1, len(agents), np.int64)
    return np.where((rows >= 0) & world.regions.present[np.maximum(rows, 0)], rows, -1)


def _taken(targets: Rows, world: World, agents: Agents, stop: Rows, *, any_near: bool) -> tuple[Rows, Rows]:
    """The targets (n,) with the candidate that each agent takes instead of its candidates, and the stops of all.
    `any_near`: whether the behavior itself takes the nearest that has room."""
    targets, after = targets.copy(), stop.copy()
    for number, candidates in enumerate(world.candidates):
        rows = np.flatnonzero(targets == FIRST - number)
        if not len(rows) or (any_near and candidates.pick == NEAREST_ONE):
            continue
        if candidates.pick == NEXT:
            vehicles = agents.rows[rows]
            targets[rows], after[vehicles] = _next(candidates, world, agents, rows, after[vehicles])
        elif candidates.pick == OWN:
            targets[rows] = _own(candidates, world, agents, rows)
        else:
            present = candidates.rows[world.bodies.present[candidates.rows]]
            targets[rows] = world.nearest_of(present, agents, rows)
    return targets, after


def _own(candidates: Candidates, world: World, agents: Agents, rows: Rows) -> Rows:
    """The candidate present with the largest random number for each agent of some rows, (m,); -1 for none."""
    present = np.flatnonzero(world.bodies.present[candidates.rows])
    if not len(present):
        return np.full(len(rows), -1)
    best = np.zeros(len(rows), dtype=np.int64)
    block = max(BLOCK // len(present), 1)
    for low in range(0, len(rows), block):
        block_rows = rows[low : low + block]
        number = uniform(mix(mix(agents.keys[block_rows], PICKED)[:, None], candidates.keys[present][None]))
        number[agents.rows[block_rows, None] == candidates.rows[present][None]] = -1.0
        best[low : low + block] = present[np.argmax(number, axis=1)]
    return candidates.rows[best]


def _next(candidates: Candidates, world: World, agents: Agents, rows: Rows, stop: Rows) -> tuple[Rows, Rows]:
    """The candidate whose turn it is for each agent of some rows, (m,), -1 for none; and its index, (m,)."""
    forward, bodies, visitor = nobody(len(rows)), candidates.rows, agents.rows[rows]
    visit = find_visit(world, bodies, visitor, stop, forward, onward=forward, returns=forward)
    bodies_of_all = put(np.full(len(agents), -1), rows, visit.body)
    arrived = at_stop(world, agents, bodies_of_all, agents.radius + ARRIVED * agents.speed)[rows]
    visit = find_visit(world, bodies, visitor, visit.stop, forward, onward=arrived, returns=forward)
    return visit.body, visit.stop


@dataclass(frozen=True)
class Visit:
    """The body that each agent visits.

    Attributes:
        body: (n,) its row in World.bodies, -1 for none.
        stop: (n,) its index among the bodies that the agent visits.
        backward: (n,) whether the agent goes through them backward.
        alone: (n,) whether the agent has no other body to visit.
    """

    body: Rows
    stop: Rows
    backward: Mask
    alone: Mask


def visits(
    world: World, agents: Agents, targets: Rows, role: Role, stop: Rows, backward: Mask, onward: Mask, returns: Mask
) -> Visit:
    """The visit of each agent: its stop, or the next one if that is not present or the agent goes onward.

    Args:
        targets: (n,) a column of a parameter that is `in_order`: the row of a single body, -1 for none, NEAREST for all
            bodies with the role, or FIRST - i for World.candidates[i].
        stop: (n,) the index of the last visit.
        backward: (n,) the direction of the last visit.
        onward: (n,) whether the agent leaves its stop.
        returns: (n,) whether the agent turns back after the last body, instead of beginning again with the first.
    """
    body, stop, backward, alone = np.maximum(targets, -1), stop.copy(), backward.copy(), np.ones(len(targets), bool)
    for rows, bodies in _lists(world, targets, role):
        visit = find_visit(
            world, bodies, agents.rows[rows], stop[rows], backward[rows], onward=onward[rows], returns=returns[rows]
        )
        body[rows], stop[rows], backward[rows], alone[rows] = visit.body, visit.stop, visit.backward, visit.alone
    return Visit(body, stop, backward, alone)


def find_visit(
    world: World, bodies: Rows, visitor: Rows, stop: Rows, backward: Mask, *, onward: Mask, returns: Mask
) -> Visit:
    """As `visits`, of n agents that visit the same bodies. `bodies`: (c,) the rows of the bodies, in their order;
    `visitor`: (n,) the rows of the agents in World.bodies."""
    listed = which(world.bodies.present[bodies])
    if not len(listed):
        nothing = np.full(len(stop), -1)
        return Visit(nothing, stop, backward, alone=nothing < 0)
    # The agent's own index among the bodies; without one, beyond the last.
    index_of = np.full(len(world.bodies.present), len(bodies))
    index_of[bodies] = np.arange(len(bodies))
    itself = index_of[visitor]
    rank_of_itself = np.searchsorted(listed, itself)
    is_listed = np.searchsorted(listed, itself, "right") > rank_of_itself
    count = len(listed) - is_listed
    stop = stop % len(bodies)
    # The numbers of other bodies present before the stop, and up to it.
    before = np.searchsorted(listed, stop) - (is_listed & (itself < stop))
    up_to = np.searchsorted(listed, stop, "right") - (is_listed & (itself <= stop))

    backward = backward & returns
    at_end = np.where(backward, before == 0, up_to == count)
    turns = at_end & returns & (count > 1)
    next_rank = np.where(backward ^ turns, before - 1, np.where(at_end & ~turns, 0, up_to))
    stays = (up_to > before) & ~onward
    rank = np.clip(np.where(stays, before, next_rank), 0, np.maximum(count - 1, 0))
    index = listed[(rank + (is_listed & (rank >= rank_of_itself))) % len(listed)]
    exists = count > 0
    return Visit(
        body=np.where(exists, bodies[index], -1),
        stop=np.where(exists, index, stop),
        backward=np.where(stays, backward, backward ^ turns),
        alone=count <= 1,
    )


def _lists(world: World, targets: Rows, role: Role) -> Iterator[tuple[Rows, Rows]]:
    """The rows of the agents that visit the same bodies, and the rows of these."""
    for code in np.unique(targets[targets <= NEAREST]).tolist():
        rows = which(targets == code)
        if code == NEAREST:
            yield rows, which((world.bodies.roles & int(role)) != 0)
        else:
            yield rows, world.candidates[FIRST - code].rows
