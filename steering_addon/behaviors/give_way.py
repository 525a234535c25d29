"""Give way: keep to the rules of the road where lanes cross or merge (not in the paper)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Number, Rows, anybody
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import Choice, choice, length, seconds
from ..simulation.lane_use import Yielding
from ..simulation.maneuvers.braking import CREEP, brake
from ..simulation.maneuvers.junctions import STANDS, Junctions
from ..simulation.world import Agents, World

RANKS = (
    Choice("FIRST", 0, "First", "Go before all others, as on a main road"),
    Choice("EQUAL", 1, "In Turn", "Go before those that come later, or at the same time from the left"),
    Choice("LAST", 2, "Last", "Wait for a gap, as at a stop sign, or on foot at a kerb"),
)
"""When a vehicle goes, with the numbers stored in files."""


@dataclass(frozen=True)
class GiveWay(Behavior):
    """Wait where its path meets another until it is its turn, and at signals until they are green.

    Where the paths of two cross or merge, who comes later, or from the left, slows down and stops before the place. In
    a merging lane it falls in behind the other. All who have this behavior know of each other, and Brake For leaves
    them to it. Who no longer can stop goes first, and after a long wait everyone does. Does nothing for those that
    follow no path, or a path that meets no other and has no signal.
    """

    name = "give_way"
    label = "Give Way"
    term = OURS
    intent = Intent.REACT
    remembers = Yielding

    rank: Rows = choice("EQUAL", "When it goes where two meet", RANKS, animatable=False, label="Goes")
    distance: Number = length(
        40.0, "How far ahead of it others count; at least the distance to stop in", label="Sees Up To"
    )
    gap: Number = length(1.0, "Room before the lane of the others where it stops")
    margin: Number = seconds(0.5, "Time by which it passes before another or after it", label="Apart")
    patience: Number = seconds(3.0, "Time after which one that has waited goes before all others")

    def steer(self, world: World, agents: Agents, memory: Yielding) -> Steering:
        junctions = Junctions.of(world)
        by_others, at_signals = junctions.allowed[agents.rows], junctions.at_signals[agents.rows]
        allowed = np.minimum(by_others, at_signals)
        slow = agents.speed < STANDS * agents.cruise_speed
        creeps = CREEP * agents.cruise_speed
        waits = slow & ((by_others < creeps) | (memory.waited > 0.0))
        # Its turn lasts until it is through: it would lose that with the first step.
        keeps = (memory.waited > self.patience) & junctions.at_one[agents.rows]
        after = Yielding(
            asked=np.where(self.weight != 0.0, world.time, -np.inf),
            rank=self.rank,
            agility=agents.agility,
            cruise_speed=agents.cruise_speed,
            reaction=agents.handling.reaction,
            walks=np.isfinite(agents.handling.step),
            sight=self.distance,
            gap=self.gap,
            margin=self.margin,
            patience=self.patience,
            waited=np.where(waits | keeps, memory.waited + world.dt, 0.0),
            late=junctions.late[agents.rows],
            stuck=np.where(slow & (allowed >= creeps), memory.stuck + world.dt, 0.0),
        )
        if not anybody(allowed < np.inf):
            return Steering(memory=after)
        return Steering(brake(agents, allowed), after, speed_limit=allowed)
