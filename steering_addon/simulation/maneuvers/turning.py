"""Turning: the speed at which an agent can still turn to a point."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Scalars, Vectors, across, dot, magnitude
from ..world import Agents


def turning_speed(agents: Agents, direction: Vectors, distance: Scalars, share: float) -> Scalars:
    """The speed at which the tightest circle leads to a point, (n,) m/s; a faster agent would circle round it.

    The circle touches the heading and goes through the point: radius = distance / (2 sin(angle off the heading)), with
    the sine of a right angle for a point behind.

    Args:
        direction: (n, 3) unit vectors to the point.
        distance: (n,) metres to the point.
        share: the share of max_force that the turn may take.
    """
    sine = magnitude(across(direction, agents.forward))
    sine = np.where(dot(direction, agents.forward) > 0.0, sine, 1.0)
    radius = distance / (2.0 * np.maximum(sine, EPSILON))
    return np.minimum(agents.turn_rate * radius, np.sqrt(share * agents.agility * radius))
