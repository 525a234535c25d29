"""Flee (paper, Seek)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Number, Rows
from ..simulation.arrays.vectors import magnitude, picked
from ..simulation.behavior import Behavior, Intent, Steering, of_priority
from ..simulation.declaration import body, choice, length, seconds
from ..simulation.maneuvers.chasing import MAX_SPEED, PACES, REACTION, comes_near, darting, desired_speed, dodged
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class Flee(Behavior):
    """Run from a target at top speed while it is near.

    From a target that comes at it faster than it can run, it runs out of the way. Walkers run out by the ways over
    their ground, not into a dead end. At its own pace it only turns away. An agent on top of the target goes forward.
    Does nothing without a target or beyond the distance.
    """

    name = "flee"
    label = "Run From"
    term = "flee"
    intent = Intent.REACT
    runs = True
    runs_from_caller = True
    priority: Rows = of_priority(1)

    target: Rows = body("Target to run from, an object or a crowd; empty: the nearest leader")
    distance: Number = length(10.0, "How near it has to be; 0: at any distance")
    reaction_time: Number = seconds(1.0, REACTION, label="Reaction")
    pace: Rows = choice("MAX_SPEED", "How fast it runs", PACES, label="Speed")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        target, speed = np.maximum(self.target, 0), desired_speed(self.pace, agents)
        position = picked(world.bodies.position, target)
        gap = magnitude(agents.level(agents.position - position))
        threatened = comes_near(world, agents, self.target, gap, self.distance, self.reaction_time)
        speed = darting(agents, speed, (gap < self.distance) & (self.pace == MAX_SPEED))
        place = world.away_by_way(agents, target, dodged(world, agents, target, position, speed), threatened)
        force = agents.fleeing(place, speed)
        at_top_speed = threatened & (self.pace == MAX_SPEED)
        force = np.where(threatened[:, None], force, 0.0)
        return Steering(force, sets_speed=at_top_speed, alarmed=threatened, hurries=at_top_speed)
