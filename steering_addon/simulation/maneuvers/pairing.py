"""Pairing: who takes whom for a partner, by one rule for all vehicles, whatever crowds and states they are in.

Each vehicle without a partner wants the nearest that is free, with nobody between them. Where two want each other,
they are partners from the next step on. The nearest two of all always do, so that every step pairs some. Equal
distances are decided by rows. Pairs stay until one leaves, or the other is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.vectors import EPSILON, Mask, Rows, Scalars, dot, firsts, magnitude, nobody, picked, which
from ..nearby.neighbors import Near
from ..partners import Partners
from ..world import Agents, World

LOSES = 2.0
"""The distance at which a partner is lost, as a multiple of that at which it is found."""
LOOKED_AT = 4
"""Free bodies, the nearest, of which an agent takes the first with nobody between."""
STALE = 1.5
"""Steps after which a vehicle that did not ask again looks for no partner any more."""


@dataclass(frozen=True)
class Wants:
    """The partners that all b bodies wanted in the last step.

    Attributes:
        wanted: (b,) the row of the body that each wants for its partner, -1 for none.
        has, stands: (b,) as of `Partners`.
        asks: (b,) the bodies that look for a partner, or have one.
        mutual: (b,) the bodies that are wanted by whom they want.
        rank: (b,) of those at one body that does not want them, how many come before each.
        beside: (b,) how many have each body for their partner while that does not want them.
    """

    wanted: Rows
    has: Mask
    stands: Mask
    asks: Mask
    mutual: Mask
    rank: Rows
    beside: Rows

    @classmethod
    def of(cls, world: World) -> Wants:
        bodies, known = world.bodies, world.partners or Partners.blank(world.vehicles)
        count, n = len(bodies.radius), world.vehicles
        asks, has, stands = (np.zeros(count, dtype=np.bool_) for _ in range(3))
        asks[:n] = bodies.present[:n] & (known.asked > world.time - STALE * world.dt)
        wanted = np.full(count, -1)
        wanted[:n] = np.where(asks[:n], known.wanted, -1)
        has[:n], stands[:n] = asks[:n] & known.has, asks[:n] & known.stands
        mutual = (wanted >= 0) & (wanted[wanted] == np.arange(count))
        alone = which((wanted >= 0) & ~mutual)
        target = wanted[alone]
        gap = picked(bodies.position, target) - picked(bodies.position, alone)
        order = np.lexsort((alone, dot(gap, gap), ~has[alone], target))
        rank = np.zeros(count, dtype=np.int64)
        rank[alone[order]] = _places(target[order])
        return cls(wanted, has, stands, asks, mutual, rank, np.bincount(target[has[alone]], minlength=count))

    def room_at(self, body: Rows, most: Rows) -> Rows:
        """For how many more than those whom it has for partners there is room at bodies, (p,).

        One that looks for a partner itself chooses the first.

        Args:
            body: (p,) rows.
            most: (p,) how many there may be.
        """
        return np.where(self.asks[body], np.where(self.has[body], most - 1, 0), most)

    def kept(
        self, world: World, agents: Agents, memory: Partners, most: Rows, distance: Scalars, gives_up: float
    ) -> Mask:
        """Whether the bodies that agents want are their partners now, (n,).

        Args:
            most: (n,) how many may be at one body.
            distance: (n,) metres within which partners are found.
            gives_up: seconds for which one may come no nearer to its partner.
        """
        wanted, row = memory.wanted, np.maximum(memory.wanted, 0)
        offset = picked(world.bodies.position, row) - agents.position
        near = magnitude(offset) <= np.where(memory.has, LOSES, 1.0) * distance
        exists = (wanted >= 0) & world.bodies.present[row] & near & (memory.hindered < gives_up)
        # One that was in another state in the last step begins anew.
        asks = self.asks[agents.rows]
        has_room = self.rank[agents.rows] < self.room_at(row, most)
        kept: Mask = exists & asks & (self.mutual[agents.rows] | has_room)
        return kept

    def chosen(self, world: World, agents: Agents, near: Near, enemy: Rows, most: Rows, distance: Scalars) -> Rows:
        """The row of the body that each agent wants for its partner, (n,), -1 for none.

        Args:
            near: the bodies within the distance of each.
            enemy: (n,) the row of the nearest enemy; all of its crowd are enemies too.
            most, distance: (n,) as of `kept`.
        """
        agent, body, far, rows = _enemies(world, agents, near, enemy, distance)
        free = self.asks[body] & ~self.has[body]
        takes = free | (self.room_at(body, most[agent]) > self.beside[body])
        first, second = np.minimum(agents.rows[agent], body), np.maximum(agents.rows[agent], body)
        order = np.lexsort((second, first, far, self.has[body], agent))
        order = order[takes[order]]
        order = order[_places(agent[order]) < LOOKED_AT]
        clear = np.ones(len(order), dtype=np.bool_)
        among = which(rows[order] >= 0)
        clear[among] = ~_somebody_between(world, agents, near, rows[order[among]])
        order = order[clear]
        order = order[firsts(agent[order])]
        wanted = np.full(len(agents), -1)
        wanted[agent[order]] = body[order]
        if world.ways is None:
            return wanted
        # Not one behind a wall or on another storey.
        way = magnitude(world.bodies_by_way(agents, wanted) - agents.position)
        return np.where((wanted >= 0) & (way <= distance), wanted, -1)


def _enemies(
    world: World, agents: Agents, near: Near, enemy: Rows, distance: Scalars
) -> tuple[Rows, Rows, Scalars, Rows]:
    """The pairs of agents and their enemies nearby: agents, bodies, metres squared, and the rows in `near`; (p,) each.

    An enemy that is no vehicle is not in that list, and has row -1. The other arguments are as of `Wants.chosen`.
    """
    bodies, row = world.bodies, np.maximum(enemy, 0)
    crowd = np.where(enemy >= 0, bodies.crowd[row], -1)[near.agent]
    rows = which(((crowd >= 0) & (bodies.crowd[near.body] == crowd)) | (near.body == enemy[near.agent]))
    perceivable = np.zeros(len(bodies.radius), dtype=np.bool_)
    perceivable[world.perceivable] = True
    gap = picked(bodies.position, row) - agents.position
    apart = dot(gap, gap)
    others = which((enemy >= 0) & ~perceivable[row] & (apart < distance * distance))
    return (
        np.concatenate((near.agent[rows], others)),
        np.concatenate((near.body[rows], enemy[others])),
        np.concatenate((near.looks.distance_squared[rows], apart[others])),
        np.concatenate((rows, np.full(len(others), -1))),
    )


def _places(owner: Rows) -> Rows:
    """The place of each entry in its run of equal owners, (p,), from 0."""
    begins = firsts(owner)
    places: Rows = np.arange(len(owner)) - np.repeat(begins, np.diff(np.append(begins, len(owner))))
    return places


def _somebody_between(world: World, agents: Agents, near: Near, pairs: NDArray[np.int64]) -> Mask:
    """Whether a third body is in the way of two of a pair to each other, (p,).

    Args:
        near: the bodies near each agent.
        pairs: (p,) rows of that list.
    """
    if not len(pairs):
        return nobody(0)
    bodies, by_agent = world.bodies, np.argsort(near.agent, kind="stable")
    begins = np.searchsorted(near.agent[by_agent], np.arange(len(agents) + 1))
    agent = near.agent[pairs]
    sizes = begins[agent + 1] - begins[agent]
    pair = np.repeat(np.arange(len(pairs)), sizes)
    third = by_agent[np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes - begins[agent], sizes)]
    offset, way = picked(near.offset, third), picked(near.offset, pairs)
    length = near.looks.distance_squared[pairs]
    along = dot(offset, picked(way, pair))
    aside = near.looks.distance_squared[third] - along * along / np.maximum(length, EPSILON)[pair]
    both = np.maximum(bodies.radius[agents.rows[agent]], bodies.radius[near.body[pairs]])
    width = both[pair] + bodies.extent[near.body[third]]
    between = (along > 0.0) & (along < length[pair]) & (aside < width * width) & (third != pairs[pair])
    return np.bincount(pair[between], minlength=len(pairs)) > 0
