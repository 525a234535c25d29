"""Face: turn to something while standing (not in the paper)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Rows
from ..simulation.arrays.vectors import picked, unit
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import body
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class Face(Behavior):
    """Turn to something while standing, as fast as the body turns on the spot.

    It applies no force: other behaviors, or a low cruise speed, say when the vehicle stands. A body that cannot turn on
    the spot does not: a car, an animal whose Pivot is 0, a bird that never hovers. Only a body that is free
    in space turns up and down, too. Does nothing without a target, or while the vehicle moves.
    """

    name = "face"
    label = "Face"
    term = OURS
    intent = Intent.REACT

    target: Rows = body("What to turn to; empty: the nearest leader")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        offset = agents.level(picked(world.bodies.position, np.maximum(self.target, 0)) - agents.position)
        return Steering(heading=np.where((self.target >= 0)[:, None], unit(offset), 0.0))
