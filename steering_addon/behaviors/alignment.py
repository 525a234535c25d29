"""Alignment (paper, Alignment)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import EPSILON, Number, Rows, Vectors, anybody, magnitude, unit
from ..simulation.behavior import Intent, Steering
from ..simulation.declaration import Choice, Unit, acceleration, called, choice, number, share
from ..simulation.maneuvers.neighborhood import Neighborhood, faded
from ..simulation.nearby.neighbors import Neighbors
from ..simulation.world import Agents, World

MATCHES = (
    Choice("VELOCITY", 0, "Heading and Speed", "Go the way the others go on average, as fast as they do"),
    Choice("HEADING", 1, "Heading Only", "Face the way the others face on average, however fast they are"),
)
VELOCITY, HEADING = (c.number for c in MATCHES)


@dataclass(frozen=True)
class Alignment(Neighborhood):
    """Head the same way and as fast as others nearby.

    By choice it is the heading alone that is matched. Does nothing for an agent that sees nobody, or flies as the
    others do on average.
    """

    name = "alignment"
    label = "Match Heading"
    term = "alignment"
    intent = Intent.WITH

    weight: Number = acceleration(6.0, "How hard it steers at most")
    angle: Number = called(
        "Field of View", number(1.5 * np.pi, "Field of view, in which others count", Unit.ANGLE, 0.0, 2.0 * np.pi)
    )
    full_difference: Number = share(
        0.4,
        "Difference from the others, as a share of cruise speed or of facing another way, from which on it steers with "
        "full weight",
    )
    match: Rows = called("Matches", choice("VELOCITY", "What of the others it takes up", MATCHES))

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        neighbors = self.near(world, agents)
        mean = neighbors.average_of(world.bodies.velocity)
        difference = np.where((neighbors.number > 0.0)[:, None], mean - agents.velocity, 0.0)
        full = np.maximum(self.full_difference * agents.cruise_speed, EPSILON)
        difference = difference / full[:, None]
        by_heading = self.match == HEADING
        if anybody(by_heading):
            turn = _turn(neighbors, world, agents) / np.maximum(self.full_difference, EPSILON)[:, None]
            difference = np.where(by_heading[:, None], turn, difference)
        return Steering(faded(difference) * agents.mass[:, None])


def _turn(neighbors: Neighbors, world: World, agents: Agents) -> Vectors:
    """The difference between the way the others face on average, where they face any, and the agent's own, (n, 3)."""
    mean = unit(neighbors.average_of(world.bodies.forward))
    return np.where((magnitude(mean) > 0.5)[:, None], mean - agents.forward, 0.0)
