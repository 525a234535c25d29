"""The neighborhood of an agent, for behaviors that look at other vehicles."""

from dataclasses import dataclass

import numpy as np

from ..arrays.scalars import Number, Rows
from ..arrays.vectors import Vectors, truncate
from ..behavior import Behavior
from ..declaration import Unit, called, choice, crowd, length, number, only_with
from ..nearby.neighbors import CHOSEN_CROWD, NEIGHBORS, Neighbors
from ..world import Agents, World


@dataclass(frozen=True)
class Neighborhood(Behavior):
    """A behavior that looks at other vehicles nearby (paper, figure 13)."""

    sees = "distance"

    distance: Number = called("Sees Up To", length(3.0, "How far away other vehicles still count"))
    angle: Number = called(
        "Field of View",
        number(2.0 * np.pi, "Field of view in which other vehicles count", Unit.ANGLE, 0.0, 2.0 * np.pi),
    )
    neighbors: Rows = called("Who Counts", choice("OWN_CROWD", "Which vehicles count", NEIGHBORS, animatable=False))
    crowd: Rows = only_with("neighbors", CHOSEN_CROWD, crowd("The crowd whose vehicles count"))

    def near(self, world: World, agents: Agents) -> Neighbors:
        """The vehicles that the agents perceive."""
        return world.neighbors(agents, self.distance, self.angle, self.neighbors, self.crowd)


def without_companions(agents: Agents, near: Neighbors) -> Neighbors:
    """The neighbors without those with whom the agents go."""
    if not agents.intention.companions.size:
        return near
    return near.where(lambda pairs: ~agents.accompany(pairs.agent, pairs.body))


def fade(steering: Vectors) -> Vectors:
    """Steering (n, 3) cut at length 1, so that it fades to 0: unit vectors would make a flock a jittering lattice."""
    return truncate(steering, 1.0)
