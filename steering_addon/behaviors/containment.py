"""Containment (paper, Path Following: containment)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import EPSILON, Number, Rows, Vectors, dot, magnitude, unit
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import Choice, acceleration, called, choice, region, seconds, share
from ..simulation.maneuvers.pace import turned_to
from ..simulation.world import Agents, World

AGAINST = 0.3
"""Share of the push along the heading that is kept: containment turns rather than brakes."""

CORE = 0.5
"""Share of the region, about its middle, that the push leads to: not along a wall, nor back to a mere corner."""
LEAST_TURN = 0.2
"""Share of the push across the heading for who heads straight out, where the plain component would be nothing."""
METHODS = (
    Choice("TURN", 0, "Turns Back", "Turn back mostly across the heading (Reynolds: by the normal of the boundary)"),
    Choice("SEEK", 1, "Heads Inside", "Head for a place inside at its own pace (Reynolds: seek with an inside point)"),
)
TURN, SEEK = (c.number for c in METHODS)


@dataclass(frozen=True)
class Containment(Behavior):
    """Stay inside a region.

    Looks at where the agent will be; while that is inside, does nothing. Outside it pushes back in, gently at the edge
    and with full weight deeper, mostly across the heading; by choice it seeks a place inside.
    """

    name = "containment"
    label = "Stay Inside"
    term = "containment"
    intent = Intent.STAY

    weight: Number = acceleration(8.0, "How hard it steers at most")
    region: Rows = region("The sphere, box or closed mesh to stay inside; empty: the nearest region")
    method: Rows = choice("TURN", "How it comes back", METHODS)
    prediction_time: Number = called("Looks Ahead", seconds(1.5, "How far ahead it looks"))
    softness: Number = share(0.35, "How deep outside, as a share of the region's size, it steers with full weight")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        kept = self.region >= 0
        if not kept.any():
            return Steering(agents.none())
        row = np.maximum(self.region, 0)
        future = agents.predicted_position(self.prediction_time)
        way_in = agents.level(world.regions.way_in(future, row))
        if not way_in.any():
            return Steering(agents.none())
        inside = agents.level(world.regions.way_in(future, row, CORE))
        depth = magnitude(way_in) / np.maximum(self.softness * world.regions.size(row), EPSILON)
        turn = _turned_in(unit(inside), agents)
        seeking = self.method == SEEK
        if seeking.any():
            turn = np.where(seeking[:, None], turned_to(future + inside - agents.position, agents), turn)
        push = turn * (np.minimum(depth, 1.0) * agents.mass)[:, None]
        return Steering(np.where(kept[:, None], push, 0.0))


def _turned_in(inward: Vectors, agents: Agents) -> Vectors:
    """The push that turns each agent inward, (n, 3) no longer than 1.

    Who heads nearly straight out is turned all the same, to the right in a dead heat: the plain component across the
    heading is smallest just there, and would let it go on for ever.
    """
    along = dot(inward, agents.forward)
    aside = inward - along[:, None] * agents.forward
    length = magnitude(aside)
    aside = np.where((length < 1e-6)[:, None], agents.side, aside / np.maximum(length, EPSILON)[:, None])
    turning = np.where(along < 0.0, np.maximum(length, LEAST_TURN), length)
    kept = AGAINST * along
    return agents.level(aside * turning[:, None]) + agents.forward * kept[:, None]
