"""Alignment (paper, Alignment)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.declaration import Unit, acceleration, called, number, share
from ..simulation.vectors import EPSILON, Number, Vectors
from ..simulation.world import Agents, World
from .declaration import Intent
from .neighborhood import Neighborhood, faded


@dataclass(frozen=True)
class Alignment(Neighborhood):
    """Head the same way and as fast as others nearby.

    Does nothing for an agent that sees nobody, or flies as the others do on average.
    """

    name = "alignment"
    label = "Match Heading"
    term = "alignment"
    intent = Intent.WITH

    weight: Number = acceleration(6.0, "How hard it steers at most")
    angle: Number = called(
        "Field of View", number(1.5 * np.pi, "Field of view, in which others count", Unit.ANGLE, 0.0, 2.0 * np.pi)
    )
    full_difference: Number = share(
        0.4, "Difference from the others, as a share of cruise speed, from which on it steers with full weight"
    )

    def steer(self, world: World, agents: Agents) -> Vectors:
        neighbors = self.near(world, agents)
        mean = neighbors.average_of(world.bodies.velocity)
        difference = np.where((neighbors.number > 0.0)[:, None], mean - agents.velocity, 0.0)
        full = np.maximum(self.full_difference * agents.cruise_speed, EPSILON)
        return faded(difference / full[:, None]) * agents.mass[:, None]
