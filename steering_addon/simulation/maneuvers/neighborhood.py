"""The neighborhood of an agent, for behaviors that look at other vehicles."""

from dataclasses import dataclass

import numpy as np

from ..arrays.scalars import Number, Rows
from ..arrays.vectors import Vectors, truncate
from ..behavior import Behavior
from ..declaration import Unit, choice, crowd, length, number
from ..nearby.neighbors import CHOSEN_CROWD, NEIGHBORS, Neighbors
from ..world import Agents, World


@dataclass(frozen=True)
class Neighborhood(Behavior):
    """A behavior that looks at other vehicles nearby (paper, figure 13)."""

    sees = "distance"

    distance: Number = length(3.0, "How far away other vehicles still count", label="Sees Up To")
    angle: Number = number(
        2.0 * np.pi, "Field of view in which other vehicles count", Unit.ANGLE, 0.0, 2.0 * np.pi, label="Field of View"
    )
    neighbors: Rows = choice("OWN_CROWD", "Which vehicles count", NEIGHBORS, animatable=False, label="Who Counts")
    crowd: Rows = crowd("The crowd whose vehicles count", only_with=("neighbors", CHOSEN_CROWD))

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
