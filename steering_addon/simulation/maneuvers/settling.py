"""Settling: agents whose place is taken stand where they are, instead of pushing for it."""

from dataclasses import dataclass

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars
from ..memory import Memory, remembered
from ..world import Agents, World

PATIENCE = 1.5
"""Seconds without getting nearer after which an agent settles, besides those it needs to turn round and to stop."""
NEARER = 0.25
"""How much nearer counts as getting nearer, in radii of the agent."""
RESUMES = 0.5
"""How much further away its place may move before an agent goes to it again, as a share of the zone round the place."""


@dataclass(frozen=True)
class Settling(Memory):
    """How agents get on with coming to a place.

    Attributes:
        nearest: (n,) the least distance to the place so far, or where the agent settled, metres.
        time: (n,) how long the agent has not come nearer, seconds.
        settled: (n,) whether it has settled.
    """

    nearest: Scalars = remembered(np.inf)
    time: Scalars = remembered(0.0)
    settled: Mask = remembered(False)

    def after(self, world: World, agents: Agents, target: Rows, distance: Scalars, zone: Scalars) -> "Settling":
        """The memory after a step.

        An agent settles in the zone round its place, or round those who have settled there, if another one is nearer to
        the same place. It continues when it is the nearest itself, or when the place moves away.

        Args:
            target: (n,) what each agent goes to, as a row of World.bodies; -1 for nothing.
            distance: (n,) from the agent to its place, metres.
            zone: (n,) metres round the place, or beyond the furthest agent that has settled there.
        """
        distance = np.where(target >= 0, distance, 0.0)
        throng = _of_target(np.maximum, target, np.where(self.settled, distance, 0.0), 0.0)
        leads = distance <= _of_target(np.minimum, target, distance, np.inf)
        near = (target >= 0) & (distance > agents.radius) & (distance < throng + zone) & ~leads
        stays = self.settled & near & (distance < self.nearest + RESUMES * zone)
        nearer = distance < self.nearest - NEARER * agents.radius
        time = np.where(near, self.time + world.dt, np.maximum(self.time - world.dt, 0.0))
        time = np.where(stays | nearer, 0.0, time)
        turning = np.pi / np.maximum(agents.handling.turn_rate, EPSILON)
        stopping = agents.max_speed / np.maximum(agents.agility, EPSILON)
        settles = near & (time > PATIENCE + np.maximum(turning, stopping))
        kept = stays | (near & ~nearer & ~settles)
        return Settling(np.where(kept, self.nearest, distance), time, stays | settles)


def _of_target(extreme: np.ufunc, target: Rows, value: Scalars, without: float) -> Scalars:
    """The least or greatest value among the agents with the same target, (n,)."""
    of_target = np.full(int(target.max(initial=-1)) + 2, without)
    extreme.at(of_target, target, value)
    return of_target[target]
