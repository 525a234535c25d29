"""Arrival (paper, Arrival)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import (
    EPSILON,
    Mask,
    Number,
    Rows,
    Scalars,
    Vectors,
    across,
    anybody,
    dot,
    magnitude,
    unit,
)
from ..simulation.behavior import Intent, Steering
from ..simulation.declaration import body, called, length, room_to_stop, switch
from ..simulation.destination import Destination
from ..simulation.maneuvers.reaching import reached
from ..simulation.maneuvers.settling import Settling
from ..simulation.world import Agents, World

BRAKING = 0.8
"""Share of max_force that is planned for slowing down; the rest keeps it on course."""
QUICKEST = 0.1
"""Seconds, or a step if that is longer: the vehicle model takes any quicker braking for a wish to turn round."""


@dataclass(frozen=True)
class Arrival(Destination):
    """Go to a target, slow down on the way and stop there.

    The speed follows the paper's ramp from slowing_distance down to zero, or the braking distance of the vehicle if
    that is longer. A target to the side is approached no faster than turns allow. Where others are at the target
    already, it stands close by as soon as it gets no nearer. Does nothing without a target.
    """

    name = "arrival"
    label = "Go To and Stop"
    term = "arrival"
    intent = Intent.GO
    remembers = Settling

    target: Rows = body("Target to arrive at; empty: the nearest leader")
    slowing_distance: Number = called(
        "Brakes Within", room_to_stop(length(4.0, "Distance from the target at which braking starts", 0.01))
    )
    face_target: Mask = called("Face It", switch(False, "Turn to the target while standing, if the body can"))

    def steer(self, world: World, agents: Agents, memory: Settling) -> Steering:
        target_offset = agents.level(self.goal(world, agents, memory) - agents.position)
        distance = magnitude(target_offset)
        # ramp_time >= 4 response_time is critical damping: it does not swing about the target.
        ramp_time = self.slowing_distance / np.maximum(agents.max_speed, EPSILON)
        ramp_time = np.maximum(ramp_time, 4.0 * max(QUICKEST, world.dt))
        response_time = np.minimum(agents.vehicle.response_time, ramp_time / 4.0)

        ramped_speed = distance / ramp_time
        stopping_speed = np.sqrt(2.0 * BRAKING * agents.agility * distance)
        turning_speed = self._turning_speed(agents, unit(target_offset), distance)
        clipped_speed = np.minimum(np.minimum(ramped_speed, stopping_speed), turning_speed)
        clipped_speed = np.minimum(clipped_speed, agents.max_speed)
        braking = agents.max_speed * agents.max_speed / (2.0 * BRAKING * np.maximum(agents.agility, EPSILON))
        memory = memory.after(world, agents, self.target, distance, np.maximum(self.slowing_distance, braking))
        clipped_speed = np.where(memory.settled, 0.0, clipped_speed)
        desired_velocity = (clipped_speed / np.maximum(distance, EPSILON))[:, None] * target_offset
        force = agents.steering_to(desired_velocity, response_time)
        arriving = self.target >= 0
        return Steering(
            np.where(arriving[:, None], force, 0.0),
            memory,
            heading=self._facing(target_offset, agents) if anybody(self.face_target) else None,
            sets_speed=arriving,
            arrived=reached(world, agents, self.target, agents.arrival_distance) | (self.goes_on & memory.settled),
        )

    def _facing(self, offset: Vectors, agents: Agents) -> Vectors:
        """The unit directions to the targets that the agents turn to, (n, 3), zero for none."""
        faces = self.face_target & (self.target >= 0)
        return np.where(faces[:, None], unit(agents.flat(offset)), 0.0)

    def _turning_speed(self, agents: Agents, direction: Vectors, distance: Scalars) -> Scalars:
        """The speed at which the tightest circle leads to the target, (n,) m/s; a faster agent would circle it."""
        off_course = np.where(dot(direction, agents.forward) > 0.0, magnitude(across(direction, agents.forward)), 1.0)
        return agents.turn_rate * distance / (2.0 * np.maximum(off_course, EPSILON))

    def goal(self, world: World, agents: Agents, memory: Settling) -> Vectors:
        position = world.bodies.position[np.maximum(self.target, 0)]
        return np.where((self.target >= 0)[:, None], position, np.nan)
