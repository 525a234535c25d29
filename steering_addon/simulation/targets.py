"""Targets: the body that each agent steers by, from a parameter that names one body, several or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np

from .arrays.chance import mix, uniform
from .arrays.vectors import Mask, Rows, alike, anybody, magnitude, nobody, picked, same_for_all
from .behavior import Behavior
from .candidates import FIRST, NEXT, OWN, Candidates
from .declaration import NEAREST, Kind, Parameter
from .memory import Memory, remembered
from .stops import visited
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
    """The progress of each agent through candidates that it takes one after the other.

    Attributes:
        stop: (n,) the index of its present candidate.
    """

    stop: Rows = remembered(0)


def aimed(
    behavior: AnyBehavior, world: World, agents: Agents, memories: Mapping[str, Memory], n: int
) -> tuple[AnyBehavior, dict[str, Memory]]:
    """The behavior with a row of World.bodies or World.regions for each agent in each parameter that names one.

    -1 stands for none, for a body that is not present, and for the agent itself.

    Args:
        memories: the memories of all n vehicles. The progress through candidates has the name
            "<behavior>.<parameter>".

    Returns:
        The behavior, and the memories that have changed.
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
            rows = np.where(rows == NEAREST, world.bodies.nearest(parameter.role, agents.position, agents.rows), rows)
        if anybody(rows <= FIRST):
            key = f"{behavior.name}.{name}"
            memory = memories.get(key)
            stop = memory.stop if isinstance(memory, Round) else Round.blank(n).stop
            rows, stop = _taken(rows, world, agents, stop)
            learned[key] = Round(stop)
        changes[name] = np.where(_is_target(rows, world, agents), rows, -1)
    return (behavior.with_columns(changes) if changes else behavior), learned


def _is_target(rows: Rows, world: World, agents: Agents) -> Mask:
    """Whether each row is that of a body that is present and is not the agent itself, (n,)."""
    mask: Mask = (rows >= 0) & (rows != agents.rows) & world.bodies.present[np.maximum(rows, 0)]
    return mask


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


def _taken(targets: Rows, world: World, agents: Agents, stop: Rows) -> tuple[Rows, Rows]:
    """The targets (n,) with the candidate that each agent takes instead of its candidates, and the stops of all."""
    targets, after = targets.copy(), stop.copy()
    for number, candidates in enumerate(world.candidates):
        rows = np.flatnonzero(targets == FIRST - number)
        if not len(rows):
            continue
        if candidates.pick == NEXT:
            vehicles = agents.rows[rows]
            targets[rows], after[vehicles] = _next(candidates, world, agents, rows, after[vehicles])
        elif candidates.pick == OWN:
            targets[rows] = _own(candidates, world, agents, rows)
        else:
            present = candidates.rows[world.bodies.present[candidates.rows]]
            targets[rows] = world.bodies.nearest_of(present, picked(agents.position, rows), agents.rows[rows])
    return targets, after


def _own(candidates: Candidates, world: World, agents: Agents, rows: Rows) -> Rows:
    """The candidate present with the largest random number for each agent of some rows, (m,); -1 for none."""
    present = np.flatnonzero(world.bodies.present[candidates.rows])
    if not len(present):
        return np.full(len(rows), -1)
    best = np.zeros(len(rows), dtype=np.int64)
    block = max(BLOCK // len(present), 1)
    for low in range(0, len(rows), block):
        part = rows[low : low + block]
        number = uniform(mix(mix(agents.keys[part], PICKED)[:, None], candidates.keys[present][None]))
        number[agents.rows[part, None] == candidates.rows[present][None]] = -1.0
        best[low : low + block] = present[np.argmax(number, axis=1)]
    return candidates.rows[best]


def _next(candidates: Candidates, world: World, agents: Agents, rows: Rows, stop: Rows) -> tuple[Rows, Rows]:
    """The candidate whose turn it is for each agent of some rows, (m,), -1 for none; and its index, (m,)."""
    forward, bodies, visitor = nobody(len(rows)), candidates.rows, agents.rows[rows]
    visit = visited(world, bodies, visitor, stop, forward, onward=forward, returns=forward)
    arrived = (visit.body >= 0) & _arrived(visit.body, world, agents, rows)
    visit = visited(world, bodies, visitor, visit.stop, forward, onward=arrived, returns=forward)
    return visit.body, visit.stop


def _arrived(body: Rows, world: World, agents: Agents, rows: Rows) -> Mask:
    """Whether the agents of some rows (m,) have arrived at their bodies, (m,)."""
    offset = agents.level_of(picked(world.bodies.position, body) - picked(agents.position, rows), rows)
    touching = agents.radius[rows] + world.bodies.radius[body]
    near: Mask = magnitude(offset) < touching + agents.radius[rows] + ARRIVED * agents.speed[rows]
    return near
