"""Separation (paper, Separation)."""

from __future__ import annotations

from dataclasses import dataclass

from ..simulation.declaration import acceleration, length
from ..simulation.neighbors import Near
from ..simulation.vectors import Number, Scalars, Vectors
from ..simulation.world import Agents, World
from .neighborhood import Neighborhood, faded


@dataclass(frozen=True)
class Separation(Neighborhood):
    """Keep some distance from others nearby.

    Does nothing beyond the distance, where the push begins at zero. The paper's 1 / r grows without bound; here the sum
    of the pushes is cut at full weight.
    """

    name = "separation"
    label = "Keep Apart"
    term = "separation"

    weight: Number = acceleration(8.0, "How hard it pushes away at most")
    distance: Number = length(1.5, "How far away others still count")

    def steer(self, world: World, agents: Agents) -> Vectors:
        return pushed_apart(self.near(world, agents), self.distance, agents) * agents.mass[:, None]


def pushed_apart(near: Near, distance: Scalars, agents: Agents) -> Vectors:
    """The sum of pushes away from everybody near, cut at length 1; (n, 3)."""
    if not len(near.agent):
        return agents.none()
    push = (distance.take(near.agent) / near.distance - 1.0) / near.distance
    return faded(near.sum(near.offset * -push[:, None]))
