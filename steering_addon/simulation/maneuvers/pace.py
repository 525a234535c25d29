"""The pace at which an agent goes to a target: top speed, or the speed that it has (paper, Seek)."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors, magnitude, truncate, unit
from ..declaration import Choice
from ..world import Agents

PACES = (
    Choice("MAX_SPEED", 0, "Top Speed", "As fast as it can"),
    Choice("CURRENT_SPEED", 1, "Own Pace", "At the speed that it has: it only turns, and holds cruise speed"),
)
MAX_SPEED, CURRENT_SPEED = (c.number for c in PACES)


def desired_speed(pace: Rows, agents: Agents) -> Scalars:
    """The length of the desired velocity, (n,) m/s; `pace` (n,) holds numbers of PACES."""
    return np.where(pace == CURRENT_SPEED, agents.speed, agents.max_speed)


def turned_to(offset: Vectors, agents: Agents) -> Vectors:
    """Seek at the agent's own speed and in units of it, (n, 3), cut at length 1; zero for an offset of zero.

    unit(offset) - velocity / speed

    Args:
        offset: (n, 3) from the agents to their targets, metres.
    """
    desired_direction = unit(agents.level(offset))
    heading = agents.velocity / np.maximum(agents.speed, EPSILON)[:, None]
    turn = truncate(desired_direction - heading, 1.0)
    return np.where((magnitude(desired_direction) > 0.5)[:, None], turn, 0.0)
