"""Stops: bodies that agents visit one after the other, in the order of their names.

An agent never visits itself, and passes over bodies that are not present.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .arrays.vectors import Mask, Rows, which
from .candidates import FIRST
from .declaration import NEAREST
from .roles import Role
from .world import Agents, World


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
        visit = visited(
            world, bodies, agents.rows[rows], stop[rows], backward[rows], onward=onward[rows], returns=returns[rows]
        )
        body[rows], stop[rows], backward[rows], alone[rows] = visit.body, visit.stop, visit.backward, visit.alone
    return Visit(body, stop, backward, alone)


def visited(
    world: World, bodies: Rows, visitor: Rows, stop: Rows, backward: Mask, *, onward: Mask, returns: Mask
) -> Visit:
    """As `visits`, of n agents that visit the same bodies.

    Args:
        bodies: (c,) the rows of the bodies, in their order.
        visitor: (n,) the rows of the agents in World.bodies.
    """
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
