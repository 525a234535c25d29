"""Interpose (paper, after Flocking: other steering behaviors)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars
from ..simulation.arrays.vectors import Vectors, magnitude, picked
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import another_body, body, seconds, share
from ..simulation.maneuvers.chasing import predict_position, velocity_to_keep
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class Interpose(Behavior):
    """Get between two others and stay there.

    Goes to a point between the predicted positions of the two, and then accompanies them. Does nothing unless both are
    present.
    """

    name = "interpose"
    label = "Get Between"
    term = "interpose"
    intent = Intent.REACT

    one: Rows = body("First object; empty: the nearest leader")
    other: Rows = another_body("Second object")
    between: Number = share(0.5, "Position between them: 0 at the first, 1 at the second")
    prediction_time: Number = seconds(5.0, "How far ahead it looks at most", label="Looks Ahead")
    approach_time: Number = seconds(1.0, "Time in which it makes up the remaining distance", 0.05, label="Approach")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        both = self._both()
        # The velocity of the place between the two.
        first, second = (picked(world.bodies.velocity, np.maximum(row, 0)) for row in (self.one, self.other))
        velocity = first + (second - first) * self.between[:, None]
        place = self.goal(world, agents, memory)
        desired_velocity = velocity_to_keep(agents, place, velocity, self.approach_time)
        return Steering(np.where(both[:, None], agents.steering_to(desired_velocity), 0.0), sets_speed=both)

    def goal(self, world: World, agents: Agents, memory: None) -> Vectors:
        place = self._place(world, self._time(world, agents))
        moves = world.bodies.moves(self.one) | world.bodies.moves(self.other)
        return world.by_way(agents, np.where(self._both()[:, None], place, np.nan), moves)

    def _both(self) -> Mask:
        return (self.one >= 0) & (self.other >= 0)

    def _time(self, world: World, agents: Agents) -> Scalars:
        """(n,) seconds that the agents need to get between the present positions of the two."""
        gap = magnitude(agents.level(self._place(world, np.zeros(len(agents))) - agents.position))
        return np.minimum(gap / np.maximum(agents.max_speed, EPSILON), self.prediction_time)

    def _place(self, world: World, time: Scalars) -> Vectors:
        """The point between the two after a time (n,) seconds, (n, 3) metres."""
        first, second = (predict_position(world, np.maximum(row, 0), time) for row in (self.one, self.other))
        return first + (second - first) * self.between[:, None]
