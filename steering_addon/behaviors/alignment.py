"""Alignment (paper, Alignment)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Number, Rows, anybody
from ..simulation.arrays.vectors import Vectors, magnitude, unit
from ..simulation.behavior import Intent, Steering
from ..simulation.declaration import Choice, Unit, acceleration, choice, number, share
from ..simulation.maneuvers.neighborhood import Neighborhood, fade
from ..simulation.nearby.neighbors import Neighbors
from ..simulation.world import Agents, World

MATCHES = (
    Choice("VELOCITY", 0, "Heading and Speed", "Take the average velocity of the others"),
    Choice("HEADING", 1, "Heading Only", "Face the way that the others face on average, at any speed"),
)
VELOCITY, HEADING = (c.number for c in MATCHES)


@dataclass(frozen=True)
class Alignment(Neighborhood):
    """Head the same way and as fast as others nearby.

    Optionally it matches the heading only. Does nothing for an agent without neighbors, or with their average velocity.
    """

    name = "alignment"
    label = "Match Heading"
    term = "alignment"
    intent = Intent.WITH
    keeps_order = True

    weight: Number = acceleration(6.0, "Strongest steering")
    angle: Number = number(
        1.5 * np.pi, "Field of view, in which others count", Unit.ANGLE, 0.0, 2.0 * np.pi, label="Field of View"
    )
    full_difference: Number = share(
        0.4,
        "Difference from the others above which it steers with full weight, as a share of cruise speed or of a "
        "unit heading",
        label="Fullest At",
    )
    match: Rows = choice("VELOCITY", "Which property of the others it takes on", MATCHES, label="Matches")

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
        return Steering(fade(difference) * agents.mass[:, None])


def _turn(neighbors: Neighbors, world: World, agents: Agents) -> Vectors:
    """unit(mean heading of the neighbors) - heading of the agent, (n, 3); zero without a mean heading."""
    mean = unit(neighbors.average_of(world.bodies.forward))
    return np.where((magnitude(mean) > 0.5)[:, None], mean - agents.forward, 0.0)
