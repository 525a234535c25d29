"""Between: whether bodies bar the straight way to a place nearby, and the way round them."""

from dataclasses import dataclass

import numpy as np

from ..arrays.once import once
from ..arrays.scalars import EPSILON, Mask, Rows, which
from ..arrays.vectors import Vectors, dot, magnitude, picked
from ..nearby.neighbors import Near
from ..world import Agents, World

STANDS = 0.2
"""Share of cruise speed below which a body stands, so that others go round it."""
ROUND = (2.0, 1.0, 0.5)
"""How far beside the middle of the straight way one goes round, as shares of its length; the last is at 45 degrees."""


@dataclass(frozen=True)
class Between:
    """The bodies that may be between n agents and what is near them.

    Attributes:
        world, agents: as a behavior is given them.
        near: the bodies near each agent.
    """

    world: World
    agents: Agents
    near: Near

    @once
    def _by_agent(self) -> tuple[Rows, Rows]:
        """The rows of the list in the order of the agents, and (n + 1,) where those of each begin."""
        order = np.argsort(self.near.agent, kind="stable")
        return order, np.searchsorted(self.near.agent[order], np.arange(len(self.agents) + 1))

    def barred(self, agent: Rows, body: Rows, start: Vectors, end: Vectors, *, standing: bool = False) -> Mask:
        """Whether a third body is where an agent or a body would touch it on the way between two places, (p,).

        Args:
            agent, body: (p,) a pair of an agent and the row of a body.
            start, end: (p, 3) from the agent to the places, metres.
            standing: whether only bodies that stand count.
        """
        order, begins = self._by_agent
        sizes = begins[agent + 1] - begins[agent]
        pair = np.repeat(np.arange(len(agent)), sizes)
        third = order[np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes - begins[agent], sizes)]
        bodies, other = self.world.bodies, self.near.body[third]
        offset, way = picked(self.near.offset, third) - picked(start, pair), end - start
        length = dot(way, way)
        along = dot(offset, picked(way, pair))
        aside = dot(offset, offset) - along * along / np.maximum(length, EPSILON)[pair]
        widest = np.maximum(self.agents.radius[agent], bodies.radius[body])
        width = widest[pair] + bodies.extent[other]
        bars = (along > 0.0) & (along < length[pair]) & (aside < width * width) & (other != body[pair])
        if standing:
            slow = STANDS * self.agents.cruise_speed[agent]
            bars &= magnitude(picked(bodies.velocity, other)) <= slow[pair]
        return np.bincount(pair[bars], minlength=len(agent)) > 0

    def way_round(self, agent: Rows, body: Rows, way: Vectors) -> Vectors:
        """Where agents go first to come to bodies, (p, 3) metres from them: there, or beside those that stand between.

        Two that come to each other go to the same place. Nan where both sides are barred too.

        Args:
            agent, body: (p,) pairs of an agent and the row of a body.
            way: (p, 3) the offsets between them, metres.
        """
        first = way.copy(order="K")
        barred = which(self.barred(agent, body, np.zeros_like(way), way, standing=True))
        if not len(barred):
            return first
        agent, body, way = agent[barred], body[barred], picked(way, barred)
        left = self.agents.take(agent).left_of(way)
        turn = np.where(self.agents.rows[agent] < body, 1.0, -1.0)
        round_them = np.full(way.shape, np.nan)
        # The last that is open counts, so that both of a pair choose the same side.
        for side in (turn * share * sign for share in ROUND for sign in (-1.0, 1.0)):
            place = 0.5 * way + left * side[:, None]
            there = ~self.barred(agent, body, np.zeros_like(way), place, standing=True)
            opens = there & ~self.barred(agent, body, place, way, standing=True)
            round_them = np.where(opens[:, None], place, round_them)
        first[barred] = round_them
        return first
