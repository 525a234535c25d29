"""Evasion (paper, Pursuit)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Number, Rows
from ..simulation.arrays.vectors import magnitude, picked
from ..simulation.behavior import Behavior, Intent, Steering, of_priority
from ..simulation.declaration import body, length, seconds
from ..simulation.maneuvers.chasing import REACTION, comes_near, darting, dodged, predict_position
from ..simulation.world import Agents, World

SHORT_OF_IT = 0.85
"""The share of the way to the agent for which the way of a pursuer is predicted at most: from one that comes straight,
it is then fled straight away, not any way from where the agent stands itself."""


@dataclass(frozen=True)
class Evasion(Behavior):
    """Run from a pursuer by heading away from where it will be.

    Flees the predicted position of the pursuer; the further away the pursuer is, the further ahead it looks. It runs
    out of the way of one that is faster. Walkers run out by the ways over their ground, not into a dead end. Does
    nothing without a pursuer or beyond the distance, which counts from the pursuer's body.
    """

    name = "evasion"
    label = "Run From Chaser"
    term = "evasion"
    intent = Intent.REACT
    runs = True
    runs_from_caller = True
    priority: Rows = of_priority(1)

    pursuer: Rows = body("Pursuer to run from, an object or a crowd; empty: the nearest leader")
    distance: Number = length(10.0, "How near its body has to be; 0: at any distance")
    reaction_time: Number = seconds(1.0, REACTION, label="Reaction")
    prediction_time: Number = seconds(2.0, "How far ahead it looks at most", label="Looks Ahead")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        pursuer = np.maximum(self.pursuer, 0)
        gap = magnitude(agents.level(agents.position - picked(world.bodies.position, pursuer)))
        speed = magnitude(picked(world.bodies.velocity, pursuer))
        time = np.minimum(SHORT_OF_IT * gap / np.maximum(speed, EPSILON), self.prediction_time)
        # A long pursuer is near with its nose, while its middle is still far.
        outside = gap - world.bodies.extent[pursuer]
        threatened = comes_near(world, agents, self.pursuer, outside, self.distance, self.reaction_time)
        speed = darting(agents, agents.max_speed, outside < self.distance)
        place = dodged(world, agents, pursuer, predict_position(world, pursuer, time), speed)
        force = agents.fleeing(world.away_by_way(agents, pursuer, place, threatened), speed)
        force = np.where(threatened[:, None], force, 0.0)
        return Steering(force, sets_speed=threatened, alarmed=threatened, hurries=threatened)
