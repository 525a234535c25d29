"""Arrival (paper, Arrival)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, anybody
from ..simulation.arrays.vectors import Vectors, magnitude, unit
from ..simulation.behavior import Destination, Intent, Steering
from ..simulation.declaration import body, choice, length, switch
from ..simulation.maneuvers.chasing import AT_OWN_PACE, PACES, are_at, at_pace
from ..simulation.maneuvers.stopping import braking_distance, settle, slower, speed_to_stop
from ..simulation.settling import Settling
from ..simulation.world import Agents, World

STOPPING_TIME = 1.0
"""Seconds in which those that settle beside a place that is taken come to stand, from top speed."""


@dataclass(frozen=True)
class Arrival(Destination):
    """Go to a target, slow down on the way and stop there.

    The speed follows the paper's ramp from slowing_distance down to zero, or the braking distance of the vehicle if
    that is longer. A target to the side is approached no faster than turns allow. Where others are at the target
    already, it stands close by as soon as it gets no nearer, whatever else would move it, unless it has to run from
    something. Does nothing without a target.
    """

    name = "arrival"
    label = "Go To and Stop"
    term = "arrival"
    intent = Intent.GO
    walking = AT_OWN_PACE
    remembers = Settling

    target: Rows = body("Target to arrive at; empty: the nearest leader")
    slowing_distance: Number = length(
        4.0, "Distance from the target at which braking starts", 0.01, room_to_stop=True, label="Brakes Within"
    )
    pace: Rows = choice("MAX_SPEED", "How fast it goes to the target", PACES, label="Speed")
    face_target: Mask = switch(False, "Turn to the target while standing, if the body can", label="Face It")

    def steer(self, world: World, agents: Agents, memory: Settling) -> Steering:
        target_offset = agents.level(self.goal(world, agents, memory) - agents.position)
        distance = magnitude(target_offset)
        clipped_speed, response_time = speed_to_stop(
            agents, unit(target_offset), distance, self.slowing_distance, world.dt
        )
        braking = braking_distance(agents, agents.max_speed)
        memory = settle(world, agents, memory, self.target, distance, np.maximum(self.slowing_distance, braking))
        clipped_speed = np.where(memory.settled, 0.0, clipped_speed)
        clipped_speed, sets_speed = at_pace(self.pace, agents, clipped_speed)
        desired_velocity = (clipped_speed / np.maximum(distance, EPSILON))[:, None] * target_offset
        force = agents.steering_to(desired_velocity, response_time)
        arriving = self.target >= 0
        stands = memory.settled & ~agents.intention.alarmed
        steering = Steering(
            np.where(arriving[:, None], force, 0.0),
            memory,
            speed_limit=np.where(stands, slower(agents, STOPPING_TIME, world.dt), np.inf),
            sets_speed=arriving & sets_speed,
            arrived=are_at(world, agents, self.target, agents.arrival_distance) | (self.departs & memory.settled),
        )
        if not anybody(self.face_target):
            return steering
        return replace(steering, heading=np.where((self.face_target & arriving)[:, None], unit(target_offset), 0.0))

    def goal(self, world: World, agents: Agents, memory: Settling) -> Vectors:
        return world.bodies_by_way(agents, self.target)
