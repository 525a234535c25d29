"""Seek (paper, Seek)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Rows
from ..simulation.arrays.vectors import Vectors
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import body, choice
from ..simulation.maneuvers.chasing import AT_OWN_PACE, MAX_SPEED, PACES, are_at, desired_speed
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
    walking = AT_OWN_PACE
    arrives = True

    target: Rows = body("Target to go to; empty: the nearest leader")
    pace: Rows = choice("MAX_SPEED", "How fast it goes to the target", PACES, label="Speed")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        seeking = self.target >= 0
        force = agents.seeking(self.goal(world, agents, memory), desired_speed(self.pace, agents))
        return Steering(
            np.where(seeking[:, None], force, 0.0),
            sets_speed=seeking & (self.pace == MAX_SPEED),
            arrived=are_at(world, agents, self.target, agents.arrival_distance),
        )

    def goal(self, world: World, agents: Agents, memory: None) -> Vectors:
        return world.bodies_by_way(agents, self.target)
