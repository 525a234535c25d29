"""Where another will be: the prediction that pursuit and its relatives share (paper, Pursuit)."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors, clamp, dot, magnitude, picked, unit
from ..world import Agents, World

PARALLEL, ACROSS, OPPOSED = 0, 1, 2
INTERCEPTION = (
    (4.0, 1.8, 0.85),  # the quarry is ahead
    (1.0, 0.8, 4.0),  # aside
    (0.5, 2.0, 2.0),  # behind
)
"""The time to interception in units of the way to the quarry at top speed, by where the quarry is and how it heads.

Source: OpenSteer's SimpleVehicle, which steps from one to the next; here what lies between is between, as a step in the
prediction would be a jerk in the path.
"""


def prediction_time(world: World, agents: Agents, quarry: Rows, longest: Scalars) -> Scalars:
    """How far ahead in time to look for each quarry, (n,) seconds; nothing for one that is there.

    Long for one far away; by relative headings and by whether it is ahead, aside or behind. Short for one that is
    behind and heads the same way, or the pursuer would run away from it.

    Args:
        quarry: (n,) rows of bodies, none negative.
        longest: (n,) seconds.
    """
    offset = agents.level(picked(world.bodies.position, quarry) - agents.position)
    ahead = dot(unit(offset), agents.forward)
    # Headings of motion: what is carried sideways goes where it is carried, whichever way it faces.
    parallel = dot(unit(picked(world.bodies.velocity, quarry)), agents.forward)
    factor = np.zeros(len(agents))
    for place, row in zip((np.maximum(ahead, 0.0), 1.0 - np.abs(ahead), np.maximum(-ahead, 0.0)), INTERCEPTION):
        along = np.maximum(parallel, 0.0) * row[PARALLEL] + np.maximum(-parallel, 0.0) * row[OPPOSED]
        factor += place * (along + (1.0 - np.abs(parallel)) * row[ACROSS])
    direct = magnitude(offset) / np.maximum(agents.max_speed, EPSILON)
    return clamp(direct * factor, 0.0, longest)


def predicted(world: World, quarry: Rows, time: Scalars) -> Vectors:
    """Where each quarry will be if it goes straight on, (n, 3); `time` (n,) seconds from now."""
    return picked(world.bodies.position, quarry) + picked(world.bodies.velocity, quarry) * time[:, None]
