"""Hide (paper, after Flocking: other steering behaviors)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Number, Rows
from ..simulation.arrays.vectors import Vectors, dot, magnitude, picked, unit_or
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import body, length, seconds
from ..simulation.geometry.obstacles import Obstacles
from ..simulation.geometry.shapes import BOX, OUTSIDE
from ..simulation.maneuvers.chasing import velocity_to_keep
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World

BETTER = 0.7
"""Factor by which another hiding place has to be nearer before an agent gives its present one up."""


@dataclass(frozen=True)
class Hiding(Memory):
    """The hiding place of each agent. `obstacle`: (n,) the row of the obstacle that it hides behind, -1 for none."""

    obstacle: Rows = remembered(-1)


@dataclass(frozen=True)
class Hide(Behavior):
    """Get behind an obstacle, out of the sight of an opponent.

    Goes to the nearest place behind an obstacle, and goes round the obstacle as the opponent does. Does nothing without
    an opponent, beyond the distance, or without an obstacle.
    """

    name = "hide"
    label = "Hide From"
    term = "hide"
    intent = Intent.REACT
    runs = True
    remembers = Hiding

    opponent: Rows = body("Opponent to hide from; empty: the nearest leader")
    distance: Number = length(20.0, "How near the opponent has to be; 0: at any distance")
    clearance: Number = length(0.5, "Room between the body and the obstacle it hides behind")
    approach_time: Number = seconds(1.0, "Time in which it makes up the remaining distance", 0.05, label="Approach")

    def steer(self, world: World, agents: Agents, memory: Hiding) -> Steering:
        row, place = self._hiding_place(world, agents, memory)
        hiding = row >= 0
        still = agents.none()
        velocity = velocity_to_keep(agents, np.where(hiding[:, None], place, 0.0), still, self.approach_time)
        force = np.where(hiding[:, None], agents.steering_to(velocity), 0.0)
        return Steering(force, Hiding(row), sets_speed=hiding, alarmed=hiding, hurries=hiding)

    def goal(self, world: World, agents: Agents, memory: Hiding) -> Vectors:
        row, place = self._hiding_place(world, agents, memory)
        return np.where((row >= 0)[:, None], place, np.nan)

    def _hiding_place(self, world: World, agents: Agents, memory: Hiding) -> tuple[Rows, Vectors]:
        """The obstacle that each agent hides behind, (n,), -1 for none, and the place behind it, (n, 3) metres."""
        best, place = np.full(len(agents), -1, dtype=np.int64), agents.none()
        least = np.full(len(agents), np.inf)
        opponent = picked(world.bodies.position, np.maximum(self.opponent, 0))
        near = magnitude(agents.level(opponent - agents.position)) < self.distance
        afraid = (self.opponent >= 0) & (near | (self.distance == 0.0))
        solid = world.obstacles.present & (world.obstacles.side == OUTSIDE)
        for row in np.flatnonzero(solid).tolist():
            behind = self._behind(world.obstacles, row, agents, opponent)
            way = magnitude(agents.level(behind - agents.position)) * np.where(memory.obstacle == row, BETTER, 1.0)
            nearer = afraid & (way < least)
            best, least = np.where(nearer, row, best), np.where(nearer, way, least)
            place = np.where(nearer[:, None], behind, place)
        return best, world.by_way(agents, np.where((best >= 0)[:, None], place, np.nan))

    def _behind(self, obstacles: Obstacles, row: int, agents: Agents, opponent: Vectors) -> Vectors:
        """The place of each agent behind one obstacle, (n, 3) metres; at its own height, if the obstacle is as high."""
        middle = obstacles.axis_point(agents.position, np.full(len(agents), row))
        away = unit_or(agents.level(middle - opponent), agents.forward)
        depth = np.full(len(agents), obstacles.radius[row])
        if obstacles.shape[row] == BOX:
            # The extent of the box in that direction.
            x, y, z = (np.abs(dot(away, obstacles.axes[row, axis])) * obstacles.half[row, axis] for axis in range(3))
            depth = x + y + z
        return middle + away * (depth + agents.radius + self.clearance)[:, None]
