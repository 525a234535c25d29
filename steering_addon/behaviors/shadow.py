"""Shadow (paper, after Flocking: other steering behaviors)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Number, Rows
from ..simulation.arrays.vectors import magnitude, picked
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import body, length, seconds
from ..simulation.maneuvers.chasing import velocity_to_keep
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class Shadow(Behavior):
    """Come up to a quarry and then go along with it, at its speed and heading.

    Within the distance it matches speed and heading only, and neither closes in nor draws back. Does nothing without a
    quarry.
    """

    name = "shadow"
    label = "Go Along With"
    term = "shadow"
    intent = Intent.REACT

    quarry: Rows = body("Quarry to accompany, an object or a crowd; empty: the nearest leader")
    distance: Number = length(3.0, "Distance up to which it closes in")
    approach_time: Number = seconds(2.0, "Time in which it makes up the remaining distance", 0.05, label="Approach")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        quarry = np.maximum(self.quarry, 0)
        velocity = picked(world.bodies.velocity, quarry)
        # The nearest place within the distance.
        offset = agents.level(picked(world.bodies.position, quarry) - agents.position)
        gap = magnitude(offset)
        short = np.maximum(gap - self.distance, 0.0) / np.maximum(gap, EPSILON)
        target = agents.position + offset * short[:, None]
        desired_velocity = velocity_to_keep(agents, target, velocity, self.approach_time)
        shadowing = self.quarry >= 0
        force = agents.steering_to(desired_velocity)
        return Steering(
            np.where(shadowing[:, None], force, 0.0),
            sets_speed=shadowing,
            beside=self.quarry,
            beside_place=np.where(shadowing[:, None], target, np.nan),
        )
