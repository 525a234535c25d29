"""Reaching a target: when an agent has come to it."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Mask, Rows, Scalars, clamp, dot, magnitude, picked
from ..world import Agents, World


def reached(world: World, agents: Agents, target: Rows, within: Scalars) -> Mask:
    """Which agents have come to their targets, (n,), be it between this step and the one before.

    Args:
        target: (n,) rows of bodies, -1 for none.
        within: (n,) how near the middle of the target, metres; 0 for as soon as the bodies touch.
    """
    row = np.maximum(target, 0)
    offset = agents.level(picked(world.bodies.position, row) - agents.position)
    came = agents.level(agents.velocity - picked(world.bodies.velocity, row)) * world.dt
    # The point of the way since the step before, as the target sees it, that was nearest.
    back = clamp(-dot(offset, came) / np.maximum(dot(came, came), EPSILON), 0.0, 1.0)
    near = np.where(within > 0.0, within, agents.radius + world.bodies.radius[row])
    there: Mask = magnitude(offset + came * back[:, None]) <= near
    return (target >= 0) & there
