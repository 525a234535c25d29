"""Companions: who goes with whom, in groups of two and three.

Groups form of those that are near each other: as in a market, two groups join if each is the nearest that suits the
other. So who is far away changes nothing. Once formed, a group stays until a member leaves, or is left far behind.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.chance import Keys
from ..arrays.scalars import Mask, Rows, Scalars, everybody, firsts, which
from ..arrays.vectors import Vectors, dot, magnitude, picked, unit
from ..nearby.neighbors import Near
from ..world import Agents, World

LARGEST = 3
"""The most members of a group."""
SAME_WAY = 0.5
"""The cosine of the angle between two headings from which on both go the same way."""
OTHER_WAY = 0.0
"""The cosine of the angle between their ways to their goals below which companions part."""
AT_GOAL = 4.0
"""Radii of an agent from its goal within which it is nearly there, and the way to it says nothing."""

Members = NDArray[np.int64]
"""(n, 2) the rows in World.bodies of each agent's companions, the higher first; -1 for none."""


@dataclass(frozen=True)
class Companions:
    """The companions of n agents. `world`, `agents`: as the behavior was given them; `members`: of their groups,
    besides themselves; `agent_of`: (b,) the agent that each body is, -1 for none."""

    world: World
    agents: Agents
    members: Members
    agent_of: Rows

    @classmethod
    def of(cls, world: World, agents: Agents, members: Members) -> "Companions":
        agent_of = np.full(len(world.bodies.position), -1)
        agent_of[agents.rows] = np.arange(len(agents))
        return cls(world, agents, members, agent_of)

    @property
    def exist(self) -> NDArray[np.bool_]:
        """(n, 2) which of the members there are."""
        return self.members >= 0

    @property
    def size(self) -> Rows:
        """(n,) the number of members of each agent's group, with itself."""
        return 1 + self.exist[:, 0].astype(np.int64) + self.exist[:, 1]

    @property
    def root(self) -> Rows:
        """(n,) the highest row in World.bodies of each group."""
        return np.maximum(self.agents.rows, self.members[:, 0])

    def column(self, values: Scalars) -> Scalars:
        """The values of the members in a column of bodies, (b,) to (n, 2); 0 where there is none."""
        return np.where(self.exist, values[self.members], 0.0)

    def vectors(self, values: Vectors) -> Vectors:
        """The level vectors of the members in vectors of bodies, (b, 3) to (n, 2, 3); 0 where there is none."""
        return np.where(self.exist[..., None], self.agents.level(values[self.members]), 0.0)

    def offsets(self) -> Vectors:
        """The level offsets to the members, (n, 2, 3) metres; 0 where there is none."""
        offset = self.world.bodies.position[self.members] - self.agents.position[:, None, :]
        return np.where(self.exist[..., None], self.agents.level(offset), 0.0)

    @property
    def agent(self) -> Rows:
        """(n, 2) which agents the members are, -1 for a member in another state, which is not among them."""
        return np.where(self.exist, self.agent_of[self.members], -1)

    @property
    def known(self) -> NDArray[np.bool_]:
        """(n, 2) which members are agents."""
        return self.agent >= 0

    def of_agents(self, values: Scalars | Mask) -> Scalars:
        """The values of the members in a column of agents, (n,) to (n, 2); 0 where there is none. A member in another
        state has the value of its companion."""
        return np.where(self.exist, np.where(self.known, values[self.agent], values[:, None]), 0.0)

    def numbers(self) -> Rows:
        """(n, 2) the numbers by which the members draw lots; -1 for a member in another state."""
        return np.where(self.known, self.agents.numbers[self.agent], -1)

    def keys(self) -> Keys:
        """(n,) a random key that the members of a pair share."""
        return self.agents.keys ^ self.agents.keys[self.agent_of[self.members[:, 0]]]

    def paired(self) -> Mask:
        """(n,) whose group is a pair of agents that still are such."""
        return (self.size == 2) & (self.agent_of[self.members[:, 0]] >= 0)

    def only(self, mask: NDArray[np.bool_]) -> "Companions":
        """The companions in a mask, (n, 2)."""
        if everybody(mask | ~self.exist):
            return self
        return self._with(np.where(mask, self.members, -1))

    def ways(self) -> Vectors:
        """The level unit vectors to the goals of the agents, (n, 3); 0 without a goal, and for those nearly there."""
        agents = self.agents
        distance = agents.goal_distance
        away = np.isfinite(distance) & (distance > AT_GOAL * agents.radius)
        return unit(agents.level(np.where(away[:, None], agents.goal - agents.position, 0.0)))

    def kept(self, furthest: Scalars) -> "Companions":
        """The companions without those that are gone, go elsewhere, have others now, or are far from their group.
        `furthest`: (n,) metres from the middle of the group."""
        offset = self.offsets()
        middle = (offset[:, 0] + offset[:, 1]) / self.size[:, None]
        far = np.stack([magnitude(offset[:, k] - middle) > furthest for k in range(2)], axis=1)
        agrees = (self.members[self.agent] == self.agents.rows[:, None, None]).any(axis=2) | ~self.known
        near = ~far & (magnitude(middle) <= furthest)[:, None]
        ways = self.ways()
        parts = np.stack([dot(ways, picked(ways, self.agent[:, k])) < OTHER_WAY for k in range(2)], axis=1) & self.known
        return self.only(self.exist & self.world.bodies.present[self.members] & near & agrees & ~parts)

    def joined(self, near: Near, agent: Rows, seeks: Mask, ready: Mask) -> "Companions":
        """The companions after groups have joined that are each other's nearest suitable group.

        Args:
            near: the bodies that seeking agents perceive.
            agent: (p,) the agent of each pair.
            seeks: (n,) the agents that look for company; the members of a group agree.
            ready: (n,) the agents that others may join, and that may join others.
        """
        agents, root, size = self.agents, self.root, self.size
        other = self.agent_of[near.body]
        suits = (other >= 0) & seeks[other] & (root[agent] != root[other]) & (size[agent] + size[other] <= LARGEST)
        suits &= ready[agent] & ready[other]
        suits &= dot(picked(agents.forward, agent), picked(agents.forward, other)) > SAME_WAY
        ways = self.ways()
        suits &= dot(picked(ways, agent), picked(ways, other)) >= OTHER_WAY
        agent, other, far = agent[suits], other[suits], near.looks.distance_squared[suits]
        if not len(agent):
            return self
        order = np.lexsort((agents.numbers[agent], agents.numbers[other], far, root[agent]))
        agent, other = agent[order], other[order]
        begins = firsts(root[agent])
        nearest = np.full(len(self.agent_of), -1)
        nearest[root[agent[begins]]] = root[other[begins]]
        chosen = nearest[root]
        mutual = which((chosen >= 0) & (nearest[chosen] == root))
        of_chosen = self.agent_of[chosen[mutual]]
        added = np.concatenate((self.members[mutual], self.members[of_chosen], agents.rows[of_chosen, None]), axis=1)
        members = self.members.copy()
        members[mutual] = -np.sort(-added, axis=1)[:, : LARGEST - 1]
        return self._with(members)

    def _with(self, members: Members) -> "Companions":
        """The companions with other members (n, 2), in any order."""
        return Companions(self.world, self.agents, -np.sort(-members, axis=1), self.agent_of)
