"""Pairing: who takes whom for a partner, by one rule for all vehicles, whatever crowds and states they are in.

Each vehicle without a partner wants the nearest that is free, with nobody between them. Where two want each other,
they are partners from the next step on. The nearest two of all always do, so that every step pairs some. Equal
distances are decided by rows. Pairs stay until one leaves, or the other is lost.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays.once import once
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, firsts, which
from ..arrays.vectors import Vectors, dot, magnitude, picked
from ..nearby.neighbors import Near
from ..partners import Partners
from ..world import Agents, World

LOSES = 2.0
"""The distance at which a partner is lost, as a multiple of that at which it is found."""
LOOKED_AT = 4
"""Free bodies, the nearest, of which an agent takes the first to which the way is clear."""
STANDS = 0.2
"""Share of cruise speed below which a body stands, so that others go round it."""
ROUND = (2.0, 1.0, 0.5)
"""How far beside the middle of the straight way one goes round, as shares of its length; the last is at 45 degrees."""


@dataclass(frozen=True)
class Between:
    """The bodies that may be between n agents and what is near them. `world`, `agents`: as a behavior is given them;
    `near`: the bodies near each agent."""

    world: World
    agents: Agents
    near: Near

    @once
    def _by_agent(self) -> tuple[Rows, Rows]:
        """The rows of the list in the order of the agents, and (n + 1,) where those of each begin."""
        order = np.argsort(self.near.agent, kind="stable")
        return order, np.searchsorted(self.near.agent[order], np.arange(len(self.agents) + 1))

    def barred(self, agent: Rows, body: Rows, start: Vectors, end: Vectors, *, standing: bool = False) -> Mask:
        """Whether a third body is where an agent or a body would touch it on the way between two places, (p,). `agent`,
        `body`: (p,) a pair of an agent and the row of a body; `start`, `end`: (p, 3) from the agent to the places,
        metres; `standing`: whether only bodies that stand count."""
        order, begins = self._by_agent
        sizes = begins[agent + 1] - begins[agent]
        pair = np.repeat(np.arange(len(agent)), sizes)
        third = order[np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes - begins[agent], sizes)]
        bodies, other = self.world.bodies, self.near.body[third]
        offset, course = picked(self.near.offset, third) - picked(start, pair), end - start
        length = dot(course, course)
        along = dot(offset, picked(course, pair))
        aside = dot(offset, offset) - along * along / np.maximum(length, EPSILON)[pair]
        widest = np.maximum(self.agents.radius[agent], bodies.radius[body])
        width = widest[pair] + bodies.extent[other]
        bars = (along > 0.0) & (along < length[pair]) & (aside < width * width) & (other != body[pair])
        if standing:
            slow = STANDS * self.agents.cruise_speed[agent]
            bars &= magnitude(picked(bodies.velocity, other)) <= slow[pair]
        return np.bincount(pair[bars], minlength=len(agent)) > 0

    def way_round(self, agent: Rows, body: Rows, offset: Vectors) -> Vectors:
        """Where agents go first to come to bodies, (p, 3) metres from them: there, or beside those that stand between.

        Two that come to each other go to the same place. Nan where both sides are barred too. `agent`, `body`: (p,)
        pairs of an agent and the row of a body; `offset`: (p, 3) the offsets between them, metres.
        """
        first = offset.copy(order="K")
        barred = which(self.barred(agent, body, np.zeros_like(offset), offset, standing=True))
        if not len(barred):
            return first
        agent, body, offset = agent[barred], body[barred], picked(offset, barred)
        left = self.agents.take(agent).left_of(offset)
        turn = np.where(self.agents.rows[agent] < body, 1.0, -1.0)
        round_them = np.full(offset.shape, np.nan)
        # The last that is open counts, so that both of a pair choose the same side.
        for side in (turn * share * sign for share in ROUND for sign in (-1.0, 1.0)):
            stop = 0.5 * offset + left * side[:, None]
            leads_there = ~self.barred(agent, body, np.zeros_like(offset), stop, standing=True)
            opens = leads_there & ~self.barred(agent, body, stop, offset, standing=True)
            round_them = np.where(opens[:, None], stop, round_them)
        first[barred] = round_them
        return first


@dataclass(frozen=True)
class Wants:
    """The partners that all b bodies wanted in the last step.

    Attributes:
        wanted: (b,) the row of the body that each wants for its partner, -1 for none.
        has, stands, apart: (b,) as of `Partners`.
        asks: (b,) the bodies that look for a partner, or have one.
        mutual: (b,) the bodies that are wanted by whom they want.
        rank: (b,) of those at one body that does not want them, how many come before each.
        beside: (b,) how many have each body for their partner while that does not want them.
    """

    wanted: Rows
    has: Mask
    stands: Mask
    apart: Scalars
    asks: Mask
    mutual: Mask
    rank: Rows
    beside: Rows

    @classmethod
    def of(cls, world: World) -> "Wants":
        bodies, partners = world.bodies, world.partners or Partners.blank(world.vehicles)
        count, n = len(bodies.radius), world.vehicles
        asks, has, stands = (np.zeros(count, dtype=np.bool_) for _ in range(3))
        asks[:n] = bodies.present[:n] & partners.looking(world.time, world.interval)
        wanted = np.full(count, -1)
        wanted[:n] = np.where(asks[:n], partners.wanted, -1)
        apart = np.zeros(count)
        apart[:n] = np.where(asks[:n], partners.apart, 0.0)
        has[:n], stands[:n] = asks[:n] & partners.has, asks[:n] & partners.stands
        mutual = (wanted >= 0) & (wanted[wanted] == np.arange(count))
        alone = which((wanted >= 0) & ~mutual)
        target = wanted[alone]
        gap = picked(bodies.position, target) - picked(bodies.position, alone)
        order = np.lexsort((alone, dot(gap, gap), ~has[alone], target))
        rank = np.zeros(count, dtype=np.int64)
        rank[alone[order]] = _places(target[order])
        return cls(wanted, has, stands, apart, asks, mutual, rank, np.bincount(target[has[alone]], minlength=count))

    def room_at(self, body: Rows, capacity: Rows) -> Rows:
        """For how many more than those whom it has for partners there is room at bodies, (p,).

        One that looks for a partner itself chooses the first. `body`: (p,) rows; `capacity`: (p,) how many there may
        be.
        """
        return np.where(self.asks[body], np.where(self.has[body], capacity - 1, 0), capacity)

    def kept(
        self, world: World, agents: Agents, memory: Partners, capacity: Rows, distance: Scalars, gives_up: float
    ) -> Mask:
        """Whether the bodies that agents want are their partners now, (n,). `capacity`: (n,) how many may be at one
        body; `distance`: (n,) metres within which partners are found; `gives_up`: seconds for which one may come no
        nearer to its partner."""
        wanted, row = memory.wanted, np.maximum(memory.wanted, 0)
        offset = picked(world.bodies.position, row) - agents.position
        near = magnitude(offset) <= np.where(memory.has, LOSES, 1.0) * distance
        exists = (wanted >= 0) & world.bodies.present[row] & near & (memory.hindered < gives_up)
        # One that was in another state in the last step begins without a partner.
        asks = self.asks[agents.rows]
        has_room = self.rank[agents.rows] < self.room_at(row, capacity)
        return exists & asks & (self.mutual[agents.rows] | has_room)

    def chosen(self, between: Between, enemy: Rows, capacity: Rows, distance: Scalars, goes_round: Mask) -> Rows:
        """The row of the body that each agent wants for its partner, (n,), -1 for none.

        That is the nearest that is free with nobody on the straight way; else the nearest to which a way leads round
        those that stand between.

        Args:
            between: the agents, with the bodies within the distance of each.
            enemy: (n,) the row of the nearest enemy; all of its crowd are enemies too.
            capacity, distance: (n,) as of `kept`.
            goes_round: (n,) who takes ways round others.
        """
        world, agents = between.world, between.agents
        agent, body = _enemies(between, enemy, distance)
        free = self.asks[body] & ~self.has[body]
        takes = which(free | (self.room_at(body, capacity[agent]) > self.beside[body]))
        agent, body = agent[takes], body[takes]
        offset = picked(world.bodies.position, body) - picked(agents.position, agent)
        first, second = np.minimum(agents.rows[agent], body), np.maximum(agents.rows[agent], body)
        order = np.lexsort((second, first, dot(offset, offset), self.has[body], agent))
        order = order[_places(agent[order]) < LOOKED_AT]
        agent, body, offset = agent[order], body[order], picked(offset, order)
        wanted = np.full(len(agents), -1)
        nearest = firsts(agent)
        nearest = nearest[goes_round[agent[nearest]]]
        leads = np.isfinite(between.way_round(agent[nearest], body[nearest], picked(offset, nearest))[:, 0])
        wanted[agent[nearest[leads]]] = body[nearest[leads]]
        clear = which(~between.barred(agent, body, np.zeros_like(offset), offset))
        clear = clear[firsts(agent[clear])]
        wanted[agent[clear]] = body[clear]
        if world.ways is None:
            return wanted
        # Not one behind a wall or on another storey.
        places = world.bodies_by_way(agents, wanted)
        _, leads = world.ways.asked(agents.rows, places)
        return np.where((wanted >= 0) & leads & (magnitude(places - agents.position) <= distance), wanted, -1)


def _enemies(between: Between, enemy: Rows, distance: Scalars) -> tuple[Rows, Rows]:
    """The pairs of an agent and an enemy nearby, (p,) each; the arguments are as of `Wants.chosen`."""
    world, agents, near = between.world, between.agents, between.near
    bodies, row = world.bodies, np.maximum(enemy, 0)
    crowd = np.where(enemy >= 0, bodies.crowd[row], -1)[near.agent]
    rows = which(((crowd >= 0) & (bodies.crowd[near.body] == crowd)) | (near.body == enemy[near.agent]))
    # An enemy that is no vehicle is not among those that are perceived.
    perceivable = np.zeros(len(bodies.radius), dtype=np.bool_)
    perceivable[world.perceivable] = True
    is_near = magnitude(picked(bodies.position, row) - agents.position) < distance
    others = which((enemy >= 0) & ~perceivable[row] & is_near)
    return np.concatenate((near.agent[rows], others)), np.concatenate((near.body[rows], enemy[others]))


def _places(owner: Rows) -> Rows:
    """The place of each entry in its run of equal owners, (p,), from 0."""
    begins = firsts(owner)
    return np.arange(len(owner)) - np.repeat(begins, np.diff(np.append(begins, len(owner))))
