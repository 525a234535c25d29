"""Separation (paper, Separation)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Number, Scalars, largest, totals
from ..simulation.arrays.vectors import Vectors, columns, dot, magnitude
from ..simulation.behavior import Intent, Steering
from ..simulation.declaration import acceleration, length
from ..simulation.maneuvers.lanes import Lanes, drives_along_paths
from ..simulation.maneuvers.neighborhood import Neighborhood, fade, without_companions
from ..simulation.nearby.neighbors import Near, Neighbors
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class Separation(Neighborhood):
    """Keep some distance from others nearby.

    The push rises from zero at the distance. The paper's 1 / r grows without bound; here the sum of the pushes is cut
    at full weight. Drivers that follow a curve keep their lane, and apart from those in it by their pedals. Does
    nothing without neighbors within the distance.
    """

    name = "separation"
    label = "Keep Apart"
    term = "separation"
    intent = Intent.WITH
    keeps_order = True

    weight: Number = acceleration(8.0, "Strongest push away from others")
    distance: Number = length(1.5, "How far away other vehicles still count", label="Sees Up To")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        lanes = Lanes.of(world, agents) if drives_along_paths(world, agents) else None
        if world.bodies.half_axis is not None:
            push = self._between_axes(world, agents, lanes)
        else:
            push = pushed_apart(self._sharing(world, agents, lanes, self.near(world, agents)), self.distance)
        if lanes is not None:
            along = dot(push, agents.forward)[:, None] * agents.forward
            push = np.where(lanes.driven[:, None], along, push)
        return Steering(push * agents.mass[:, None])

    def _sharing(self, world: World, agents: Agents, lanes: Lanes | None, near: Neighbors) -> Neighbors:
        """The neighbors without companions, and without those in other lanes than a driver's."""
        near = without_companions(agents, near)
        if lanes is None:
            return near
        nothing = np.zeros(len(agents))
        return near.where(lambda pairs: ~lanes.elsewhere(world, pairs, nothing, nothing))

    def _between_axes(self, world: World, agents: Agents, lanes: Lanes | None) -> Vectors:
        """As `pushed_apart`, with distances measured between the axes of long bodies."""
        bodies = world.bodies
        half = bodies.extent - bodies.radius
        reach = self.distance + half[agents.rows] + largest(half)
        perceived = world.neighbors(agents, reach, self.angle, self.neighbors, self.crowd)
        near = self._sharing(world, agents, lanes, perceived).together()
        apart = bodies.between(near.offset, agents.rows[near.agent], near.body)
        distance = np.maximum(magnitude(apart), EPSILON)
        limit = self.distance[near.agent]
        weight = np.where(distance < limit, (1.0 - limit / distance) / distance, 0.0)
        return fade(columns(*(totals(near.agent, apart[:, axis] * weight, len(agents)) for axis in range(3))))


def pushed_apart(neighbors: Neighbors, distance: Scalars) -> Vectors:
    """The sum of the pushes away from all neighbors, cut at length 1; (n, 3).

    A neighbor r metres away in the unit direction e pushes by -(distance / r - 1) e.
    """

    def push(near: Near) -> Scalars:
        return (1.0 - near.of_agent(distance) / near.distance) / near.distance

    return fade(neighbors.sum_of_offsets(push))
