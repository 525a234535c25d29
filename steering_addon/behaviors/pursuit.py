"""Pursuit (paper, Pursuit)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.declaration import body, called, seconds
from ..simulation.vectors import Mask, Number, Vectors
from ..simulation.world import Agents, World
from .declaration import Behavior, Intent
from .prediction import predicted, prediction_time


@dataclass(frozen=True)
class Pursuit(Behavior):
    """Chase a quarry by heading for where it will be.

    Seeks the predicted place of the quarry, the further ahead the further away it is. Does nothing without a quarry.
    """

    name = "pursuit"
    label = "Chase"
    term = "pursuit"
    intent = Intent.REACT

    quarry: Number = body("Whom to chase; empty: the nearest leader")
    prediction_time: Number = called("Looks Ahead", seconds(5.0, "How far ahead it looks at most"))

    def steer(self, world: World, agents: Agents) -> Vectors:
        return np.where((self.quarry >= 0)[:, None], agents.seeking(self.goal(world, agents)), 0.0)

    def goal(self, world: World, agents: Agents) -> Vectors:
        quarry = np.maximum(self.quarry, 0)
        place = predicted(world, quarry, prediction_time(world, agents, quarry, self.prediction_time))
        return np.where((self.quarry >= 0)[:, None], place, np.nan)

    def sets_speed(self, world: World, agents: Agents) -> Mask:
        return self.quarry >= 0
