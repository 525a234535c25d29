"""Containment (paper, Path Following: containment)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import EPSILON, Mask, Number, Rows, Vectors, dot, magnitude, unit
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import Choice, acceleration, called, choice, region, seconds, share, switch
from ..simulation.maneuvers.pace import turned_to
from ..simulation.world import Agents, World

AGAINST = 0.3
"""Share of the force along the heading that is kept: containment turns rather than brakes."""

CORE = 0.5
"""Share of the region, about its middle, that the force leads to: not along a wall, and not into a corner."""
LEAST_TURN = 0.2
"""Least force across the heading, as a share: for an agent that heads straight out the component is 0."""
METHODS = (
    Choice(
        "TURN",
        0,
        "Turns Back",
        "Turn back, mostly by a force across the heading (Reynolds: by the normal of the boundary)",
    ),
    Choice("SEEK", 1, "Heads Inside", "Head for a point inside at its own pace (Reynolds: seek with an inside point)"),
)
TURN, SEEK = (c.number for c in METHODS)


@dataclass(frozen=True)
class Containment(Behavior):
    """Stay inside a region.

    If the predicted position of the agent is outside, it steers back, gently at the edge and with full weight further
    out, mostly across the heading; optionally it seeks a point inside. Does nothing while the predicted position is
    inside, or without a region.
    """

    name = "containment"
    label = "Stay Inside"
    term = "containment"
    intent = Intent.STAY

    weight: Number = acceleration(8.0, "Strongest steering")
    region: Rows = region("The sphere, box or closed mesh to stay inside; empty: the nearest region")
    method: Rows = choice("TURN", "How it returns", METHODS)
    prediction_time: Number = called("Looks Ahead", seconds(1.5, "How far ahead it looks"))
    softness: Number = share(0.35, "How far outside it steers with full weight, as a share of the region's size")

    release: Mask = called(
        "Let Go", switch(False, "Let vehicles leave while a path or a target outside the region leads them away")
    )

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        row = np.maximum(self.region, 0)
        kept = (self.region >= 0) & ~(self.release & _led_away(world, agents, row))
        if not kept.any():
            return Steering(agents.none())
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


def _led_away(world: World, agents: Agents, region: Rows) -> Mask:
    """Whether a behavior leads the agents to a place outside their regions, (n,)."""
    if not len(world.regions):
        return np.zeros(len(agents), dtype=np.bool_)
    known = np.isfinite(agents.goal[:, 0])
    goal = np.where(known[:, None], agents.goal, agents.position)
    outside: Mask = (agents.level(world.regions.way_in(goal, region)) != 0.0).any(axis=1)
    return known & outside


def _turned_in(inward: Vectors, agents: Agents) -> Vectors:
    """The steering that turns each agent inward, (n, 3), at most 1 long; `inward` is (n, 3) unit directions.

    The component of `inward` across the heading vanishes for an agent that heads straight out. It is turned by
    LEAST_TURN at least, to the right if neither side is nearer, or it would never turn back.
    """
    along = dot(inward, agents.forward)
    aside = inward - along[:, None] * agents.forward
    length = magnitude(aside)
    aside = np.where((length < 1e-6)[:, None], agents.side, aside / np.maximum(length, EPSILON)[:, None])
    turning = np.where(along < 0.0, np.maximum(length, LEAST_TURN), length)
    kept = AGAINST * along
    return agents.level(aside * turning[:, None]) + agents.forward * kept[:, None]
