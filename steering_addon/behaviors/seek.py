"""Seek (paper, Seek)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import Mask, Number, Scalars, Vectors
from ..simulation.behavior import Behavior, Intent
from ..simulation.declaration import body, called, choice
from ..simulation.maneuvers.pace import MAX_SPEED, PACES, desired_speed
from ..simulation.maneuvers.reaching import reached
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class Seek(Behavior):
    """Go to a target at top speed, pass through it and turn back.

    At its own pace it only turns toward the target. Does nothing without a target. The paper's pseudo-code has the sign
    of the offset wrong; its text and figure 3 do not.
    """

    name = "seek"
    label = "Go To"
    term = "seek"
    intent = Intent.GO

    target: Number = body("What to go to; empty: the nearest leader")
    pace: Number = called("Speed", choice("MAX_SPEED", "How fast it goes there", PACES))

    def steer(self, world: World, agents: Agents) -> Vectors:
        steering = agents.seeking(self.goal(world, agents), desired_speed(self.pace, agents))
        return np.where((self.target >= 0)[:, None], steering, 0.0)

    def goal(self, world: World, agents: Agents) -> Vectors:
        place = world.bodies.position[np.maximum(self.target, 0)]
        return np.where((self.target >= 0)[:, None], place, np.nan)

    def arrived(self, world: World, agents: Agents, within: Scalars) -> Mask:
        return reached(world, agents, self.target, within)

    def sets_speed(self, world: World, agents: Agents) -> Mask:
        return (self.target >= 0) & (self.pace == MAX_SPEED)
