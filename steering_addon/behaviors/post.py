"""Post: return to where it began (not in the paper)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Mask, Number, Rows
from ..simulation.arrays.vectors import Vectors, magnitude, unit
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import crowd, length
from ..simulation.maneuvers.detours import way_round
from ..simulation.maneuvers.stopping import braking_distance, speed_to_stop
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class Posted(Memory):
    """The post of each agent. `known`: (n,) whether it has one; `place`: (n, 3) metres."""

    known: Mask = remembered(False)
    place: Vectors = remembered((0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Post(Behavior):
    """Return to the place where it was at first, slow down on the way and stop there.

    Each vehicle has a post of its own: where it is when it begins to follow this behavior, or, if it moves then, where
    it can stop. Does nothing more at its post.
    """

    name = "post"
    label = "Return to Post"
    term = OURS
    intent = Intent.GO
    arrives = True
    remembers = Posted

    slowing_distance: Number = length(
        4.0, "Distance from the post at which braking starts", 0.01, room_to_stop=True, label="Brakes Within"
    )
    round_crowd: Rows = crowd("Crowd that it goes round on the way; empty: none", label="Goes Round")

    def steer(self, world: World, agents: Agents, memory: Posted) -> Steering:
        place = self._place(agents, memory)
        direction, distance = way_round(world, agents, place, self.round_crowd)
        speed, response_time = speed_to_stop(agents, direction, distance, self.slowing_distance, world.dt)
        force = agents.steering_to(direction * speed[:, None], response_time)
        known = np.ones(len(agents), dtype=np.bool_)
        arrived = magnitude(agents.level(place - agents.position)) <= agents.radius
        return Steering(force, Posted(known, place), sets_speed=known, arrived=arrived)

    def goal(self, world: World, agents: Agents, memory: Posted) -> Vectors:
        place = self._place(agents, memory)
        direction, distance = way_round(world, agents, place, self.round_crowd)
        return agents.position + direction * distance[:, None]

    def _place(self, agents: Agents, memory: Posted) -> Vectors:
        stops_at = (
            agents.position + agents.level(unit(agents.velocity)) * braking_distance(agents, agents.speed)[:, None]
        )
        return np.where(memory.known[:, None], memory.place, stops_at)
