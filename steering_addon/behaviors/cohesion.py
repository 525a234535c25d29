"""Cohesion (paper, Cohesion)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.declaration import acceleration
from ..simulation.vectors import EPSILON, Number, Vectors
from ..simulation.world import Agents, World
from .neighborhood import Neighborhood, faded


@dataclass(frozen=True)
class Cohesion(Neighborhood):
    """Stay together with others nearby.

    Steers toward the middle of those it sees, with full weight where that is half the distance away. Does nothing for
    an agent that sees nobody or is in the middle.
    """

    name = "cohesion"
    label = "Stay Together"
    term = "cohesion"

    weight: Number = acceleration(3.0, "How hard it steers at most")

    def steer(self, world: World, agents: Agents) -> Vectors:
        near = self.near(world, agents)
        if not len(near.agent):
            return agents.none()
        to_middle = near.average(near.offset)
        half = np.maximum(self.distance / 2.0, EPSILON)
        return faded(to_middle / half[:, None]) * agents.mass[:, None]
