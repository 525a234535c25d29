"""Reaching a target: whether an agent has arrived at it."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Mask, Rows, Scalars, clamp, dot, magnitude, picked
from ..world import Agents, World


def reached(world: World, agents: Agents, target: Rows, within: Scalars) -> Mask:
    """Whether the agents have reached their targets during the last step, (n,); a swept test.

    Args:
        target: (n,) rows of World.bodies, -1 for none.
        within: (n,) the distance from the middle of the target that counts as reached, metres; 0 if the bodies have to
            touch.
    """
    row = np.maximum(target, 0)
    offset = agents.level(picked(world.bodies.position, row) - agents.position)
    covered = agents.level(agents.velocity - picked(world.bodies.velocity, row)) * world.dt
    # The share of the last step, relative to the target and back in time, at which the agent was nearest to it.
    back = clamp(-dot(offset, covered) / np.maximum(dot(covered, covered), EPSILON), 0.0, 1.0)
    near = np.where(within > 0.0, within, agents.radius + world.bodies.radius[row])
    touched: Mask = magnitude(offset + covered * back[:, None]) <= near
    return (target >= 0) & touched
