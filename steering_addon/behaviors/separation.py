"""Separation (paper, Separation)."""

from __future__ import annotations

from dataclasses import dataclass

from ..simulation.arrays.vectors import Number, Scalars, Vectors
from ..simulation.behavior import Intent, Steering
from ..simulation.declaration import acceleration, called, length
from ..simulation.maneuvers.neighborhood import Neighborhood, faded
from ..simulation.nearby.neighbors import Near, Neighbors
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class Separation(Neighborhood):
    """Keep some distance from others nearby.

    The push rises from zero at the distance. The paper's 1 / r grows without bound; here the sum of the pushes is cut
    at full weight. Does nothing without neighbors within the distance.
    """

    name = "separation"
    label = "Keep Apart"
    term = "separation"
    intent = Intent.WITH

    weight: Number = acceleration(8.0, "Strongest push away from others")
    distance: Number = called("Sees Up To", length(1.5, "How far away other vehicles still count"))

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        return Steering(pushed_apart(self.near(world, agents), self.distance) * agents.mass[:, None])


def pushed_apart(neighbors: Neighbors, distance: Scalars) -> Vectors:
    """The sum of the pushes away from all neighbors, cut at length 1; (n, 3).

    A neighbor r metres away in the unit direction e pushes by -(distance / r - 1) e.
    """

    def push(near: Near) -> Scalars:
        return (1.0 - near.of_agent(distance) / near.distance) / near.distance

    return faded(neighbors.sum_of_offsets(push))
