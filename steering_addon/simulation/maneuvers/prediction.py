"""The predicted position of a quarry, for pursuit and its relatives (paper, Pursuit)."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors, clamp, dot, magnitude, picked, unit
from ..world import Agents, World

PARALLEL, ACROSS, OPPOSED = 0, 1, 2
INTERCEPTION = (
    (4.0, 1.8, 0.85),  # the quarry is ahead
    (1.0, 0.8, 4.0),  # to the side
    (0.5, 2.0, 2.0),  # behind
)
"""The time to interception in units of distance / max_speed, by where the quarry is and how it heads.

Source: OpenSteer's SimpleVehicle, which switches between the nine numbers. Here they are interpolated, as a step in the
prediction would be a jerk in the path.
"""


def prediction_time(world: World, agents: Agents, quarry: Rows, longest: Scalars) -> Scalars:
    """The time ahead for which the position of each quarry is predicted, (n,) seconds; 0 for a quarry that is reached.

    It grows with the distance, and depends on the relative headings and on whether the quarry is ahead, to the side or
    behind. It is short for a quarry that is behind and heads the same way: the pursuer would run away from it.

    Args:
        quarry: (n,) rows of World.bodies, none negative.
        longest: (n,) the largest time, seconds.
    """
    offset = agents.level(picked(world.bodies.position, quarry) - agents.position)
    ahead = dot(unit(offset), agents.forward)
    # The heading of the motion counts, as a body that is carried may face another way.
    parallel = dot(unit(picked(world.bodies.velocity, quarry)), agents.forward)
    factor = np.zeros(len(agents))
    for share, row in zip((np.maximum(ahead, 0.0), 1.0 - np.abs(ahead), np.maximum(-ahead, 0.0)), INTERCEPTION):
        along = np.maximum(parallel, 0.0) * row[PARALLEL] + np.maximum(-parallel, 0.0) * row[OPPOSED]
        factor += share * (along + (1.0 - np.abs(parallel)) * row[ACROSS])
    direct = magnitude(offset) / np.maximum(agents.max_speed, EPSILON)
    return clamp(direct * factor, 0.0, longest)


def predicted(world: World, quarry: Rows, time: Scalars) -> Vectors:
    """The position of each quarry if it goes straight on for `time` (n,) seconds, (n, 3) metres."""
    return picked(world.bodies.position, quarry) + picked(world.bodies.velocity, quarry) * time[:, None]
