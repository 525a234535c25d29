"""Containment (paper, Path Following: containment)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.declaration import acceleration, region, seconds, share
from ..simulation.vectors import EPSILON, Number, Vectors, dot, magnitude, unit
from ..simulation.world import Agents, World
from .declaration import Behavior

AGAINST = 0.3
"""Share of the push along the heading that is kept: containment turns rather than brakes."""


@dataclass(frozen=True)
class Containment(Behavior):
    """Stay inside a region.

    Looks at where the agent will be; while that is inside, does nothing. Outside it pushes back in, gently at the edge
    and with full weight deeper, mostly across the heading.
    """

    name = "containment"
    label = "Stay Inside"
    term = "containment"

    weight: Number = acceleration(8.0, "How hard it steers at most")
    region: Number = region("The sphere or box to stay inside; empty: the nearest region")
    prediction_time: Number = seconds(1.5, "How far ahead it looks")
    softness: Number = share(0.35, "How deep outside, as a share of the region's size, it steers with full weight")

    def steer(self, world: World, agents: Agents) -> Vectors:
        kept = self.region >= 0
        if not kept.any():
            return agents.none()
        row = np.maximum(self.region, 0)
        way_in = agents.level(world.regions.way_in(agents.predicted_position(self.prediction_time), row))
        depth = magnitude(way_in) / np.maximum(self.softness * world.regions.size(row), EPSILON)
        inward = unit(way_in)
        inward = inward - (1.0 - AGAINST) * dot(inward, agents.forward)[:, None] * agents.forward
        push = inward * (np.minimum(depth, 1.0) * agents.mass)[:, None]
        return np.where(kept[:, None], push, 0.0)
