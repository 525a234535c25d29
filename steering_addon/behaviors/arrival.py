"""Arrival (paper, Arrival)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.declaration import body, length
from ..simulation.vectors import EPSILON, Mask, Number, Vectors, magnitude
from ..simulation.world import Agents, World
from .declaration import Behavior

BRAKING = 0.8
"""Share of max_force that slowing down counts on; the rest is left for staying on course."""


@dataclass(frozen=True)
class Arrival(Behavior):
    """Go to a target, slow down on the way and stop there.

    Does nothing without a target. The paper's ramp from slowing_distance down to zero, and where that is shorter than
    the vehicle's own way to a stop, the speed from which it still can.
    """

    name = "arrival"
    label = "Go To and Stop"
    term = "arrival"

    target: Number = body("What to arrive at; empty: the nearest leader")
    slowing_distance: Number = length(4.0, "Distance from the target at which braking starts", 0.01)

    def steer(self, world: World, agents: Agents) -> Vectors:
        target_offset = agents.level(self.goal(world, agents) - agents.position)
        distance = magnitude(target_offset)
        ramped_speed = agents.max_speed * (distance / self.slowing_distance)
        stopping_speed = np.sqrt(2.0 * BRAKING * agents.agility * distance)
        clipped_speed = np.minimum(np.minimum(ramped_speed, stopping_speed), agents.max_speed)
        desired_velocity = (clipped_speed / np.maximum(distance, EPSILON))[:, None] * target_offset

        # Four response times to the ramp's own time: critically damped, no swinging about the target.
        ramp_time = self.slowing_distance / np.maximum(agents.max_speed, EPSILON)
        response_time = np.maximum(np.minimum(agents.vehicle.response_time, ramp_time / 4.0), world.dt)
        steering = agents.steering_to(desired_velocity, response_time)
        return np.where((self.target >= 0)[:, None], steering, 0.0)

    def goal(self, world: World, agents: Agents) -> Vectors:
        place = world.bodies.position[np.maximum(self.target, 0)]
        return np.where((self.target >= 0)[:, None], place, np.nan)

    def sets_speed(self, world: World, agents: Agents) -> Mask:
        return self.target >= 0
