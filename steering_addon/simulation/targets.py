"""Targets: which body each agent steers by, where a behavior names one, several or none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np

from .arrays.chance import mix, uniform
from .arrays.vectors import Mask, Rows, alike, magnitude, nobody, picked, same_for_all
from .behavior import Behavior
from .candidates import FIRST, NEXT, OWN, Candidates
from .declaration import NEAREST, Kind, Parameter
from .memory import Memory, remembered
from .stops import visited
from .world import Agents, World

ARRIVED = 0.25
"""Seconds at its speed from which on an agent has arrived at a target, beside the bodies and its radius once more."""
BLOCK = 2**20
"""Pairs of agent and candidate that are looked at together."""
PICKED = 0x717C
"""Salts the keys from which each one's own is drawn, apart from other uses of the same luck."""


AnyBehavior = TypeVar("AnyBehavior", bound=Behavior)


@dataclass(frozen=True)
class Round(Memory):
    """How far each agent has come through candidates that it takes one after the other.

    Attributes:
        stop: (n,) the place among the candidates of the one that is next.
    """

    stop: Rows = remembered(0)


def aimed(
    behavior: AnyBehavior, world: World, agents: Agents, memories: Mapping[str, Memory], n: int
) -> tuple[AnyBehavior, dict[str, Memory]]:
    """The behavior with a body for each agent wherever it steers by one, -1 where none is there.

    Args:
        memories: what is remembered of n vehicles; how far each has come through candidates is kept by the names of
            behavior and parameter.

    Returns:
        The behavior, and what of the memories has changed.
    """
    changes: dict[str, Any] = {}
    learned: dict[str, Memory] = {}
    # mypy takes no class of a type variable for hashable.
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
        if (rows == NEAREST).any() and parameter.role is not None:
            rows = np.where(rows == NEAREST, world.bodies.nearest(parameter.role, agents.position, agents.rows), rows)
        if (rows <= FIRST).any():
            place = f"{behavior.name}.{name}"
            known = memories.get(place)
            stop = known.stop if isinstance(known, Round) else Round.blank(n).stop
            rows, stop = _taken(rows, world, agents, stop)
            learned[place] = Round(stop)
        changes[name] = np.where(_is_target(rows, world, agents), rows, -1)
    return (replace(behavior, **changes) if changes else behavior), learned


def _is_target(rows: Rows, world: World, agents: Agents) -> Mask:
    """Whether each row is that of a body that is present and is not the agent itself, (n,)."""
    mask: Mask = (rows >= 0) & (rows != agents.rows) & world.bodies.present[np.maximum(rows, 0)]
    return mask


@cache
def _aims(kind: Any) -> tuple[tuple[str, Parameter], ...]:
    """The parameters by which a behavior names bodies and regions."""
    return tuple((n, p) for n, p in kind.parameters().items() if p.kind in (Kind.BODY, Kind.REGION))


def _with_region(rows: Rows, world: World, agents: Agents) -> Rows:
    if (rows == NEAREST).any():
        rows = np.where(rows == NEAREST, world.regions.nearest(agents.position), rows)
    if not len(world.regions):
        return alike(-1, len(agents), np.int64)
    if same_for_all(rows):
        return alike(rows[0] if rows[0] >= 0 and world.regions.present[rows[0]] else -1, len(agents), np.int64)
    return np.where((rows >= 0) & world.regions.present[np.maximum(rows, 0)], rows, -1)


def _taken(rows: Rows, world: World, agents: Agents, stop: Rows) -> tuple[Rows, Rows]:
    """The rows with candidates replaced by the one that each agent takes, and how far all have come."""
    rows, after = rows.copy(), stop.copy()
    for number, candidates in enumerate(world.candidates):
        here = np.flatnonzero(rows == FIRST - number)
        if not len(here):
            continue
        if candidates.pick == NEXT:
            rows[here], after[agents.rows[here]] = _next(candidates, world, agents, here, after[agents.rows[here]])
        elif candidates.pick == OWN:
            rows[here] = _own(candidates, world, agents, here)
        else:
            there = candidates.rows[world.bodies.present[candidates.rows]]
            rows[here] = world.bodies.nearest_of(there, picked(agents.position, here), agents.rows[here])
    return rows, after


def _own(candidates: Candidates, world: World, agents: Agents, here: Rows) -> Rows:
    """The row of the candidate there that each of some agents likes best, by its own luck with each; -1 for none."""
    there = np.flatnonzero(world.bodies.present[candidates.rows])
    if not len(there):
        return np.full(len(here), -1)
    best = np.zeros(len(here), dtype=np.int64)
    block = max(BLOCK // len(there), 1)
    for low in range(0, len(here), block):
        some = here[low : low + block]
        liking = uniform(mix(mix(agents.keys[some], PICKED)[:, None], candidates.keys[there][None]))
        liking[agents.rows[some, None] == candidates.rows[there][None]] = -1.0
        best[low : low + block] = there[np.argmax(liking, axis=1)]
    return candidates.rows[best]


def _next(candidates: Candidates, world: World, agents: Agents, here: Rows, stop: Rows) -> tuple[Rows, Rows]:
    """The row of the candidate that is next for each of some agents, -1 for none, and its index among them."""
    forward, bodies, visitor = nobody(len(here)), candidates.rows, agents.rows[here]
    visit = visited(world, bodies, visitor, stop, forward, onward=forward, returns=forward)
    arrived = (visit.body >= 0) & _arrived(visit.body, world, agents, here)
    visit = visited(world, bodies, visitor, visit.stop, forward, onward=arrived, returns=forward)
    return visit.body, visit.stop


def _arrived(row: Rows, world: World, agents: Agents, here: Rows) -> Mask:
    """Which of some agents have come to their bodies."""
    offset = picked(world.bodies.position, row) - picked(agents.position, here)
    offset[:, 2] = np.where(agents.vehicle.keep_in_plane[here], 0.0, offset[:, 2])
    touching = agents.radius[here] + world.bodies.radius[row]
    near: Mask = magnitude(offset) < touching + agents.radius[here] + ARRIVED * agents.speed[here]
    return near
