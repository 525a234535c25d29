"""Landing: come down on a roof, a wire or a branch, and stand there (not in the paper)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Number, Rows
from ..simulation.arrays.vectors import Vectors
from ..simulation.behavior import OURS, Destination, Intent, Steering
from ..simulation.declaration import body, length
from ..simulation.intention import Intention
from ..simulation.maneuvers.coming_down import Coming, come_down, origins_on
from ..simulation.maneuvers.perching import Places
from ..simulation.world import Agents, World


@dataclass(frozen=True)
class Landing(Destination):
    """Come down on a roof, a wire or a branch, each on a place of its own, and stand there.

    It slows down, flares and drops the last of the way from above. On a wire it faces across, elsewhere the way it
    came. Places go along with what they are on. Where it gets full they stand closer, side by side at last, and those
    for whom there is no place left fly on over it. Does nothing without a target, and nothing for what keeps to the
    ground.
    """

    name = "landing"
    label = "Land"
    term = OURS
    intent = Intent.GO
    comes_to_caller = True
    remembers = Coming
    refers_to_up = True

    target: Rows = body("What to land on; empty: the nearest leader", stood_on=True)
    slowing_distance: Number = length(
        8.0, "Distance from its place at which it begins to slow down", 0.01, room_to_stop=True, label="Slows Within"
    )
    apart: Number = length(
        1.2, "Distance between two that stand where there is room; never less than their bodies are wide", at_rest=True
    )

    def steer(self, world: World, agents: Agents, memory: Coming) -> Steering:
        target = np.where(agents.grounded | (self.weight == 0.0), -1, self.target)
        descent = come_down(world, agents, target, memory, self.apart, self.slowing_distance)
        return Steering(
            descent.force,
            descent.memory,
            sets_speed=descent.goes,
            arrived=descent.memory.stands,
            lands=descent.place,
            comes_down=descent.comes_down,
            perch=descent.perch,
            heading=descent.heading,
        )

    def goal(self, world: World, agents: Agents, memory: Coming) -> Vectors:
        places = Places.of(world, agents, np.where(agents.grounded, -1, self.target))
        row = places.rows_of(memory.place)
        if not len(places.number):
            return np.full((len(agents), 3), np.nan)
        return np.where((row >= 0)[:, None], origins_on(world, agents, places, np.maximum(row, 0)), np.nan)

    def intention(self, world: World, agents: Agents, memory: Coming) -> Intention:
        # Until its way is free, one keeps clear of what it lands on.
        return Intention(lands=np.where(memory.barred[:, None], np.nan, self.goal(world, agents, memory)))
