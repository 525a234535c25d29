"""Braking: what behaviors have in common that slow down and do not turn away."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors
from ..world import Agents

COMFORT = 0.5
"""Share of the strongest braking that is counted on; the rest is for surprises."""
MARGIN = 0.1
"""Metres beyond which nothing can matter, lest rounding decides whether somebody is looked at."""


def braking(agents: Agents, allowed: Scalars) -> Vectors:
    """The push back, (n, 3) newtons, on those who are faster than they are allowed to be, (n,) m/s."""
    over = np.minimum(allowed - agents.speed, 0.0)
    return agents.forward * (agents.mass * over / agents.vehicle.response_time)[:, None]


def stopping_distance(agents: Agents) -> Scalars:
    """(n,) metres in which they come to a stop with comfort."""
    return agents.speed * agents.speed / np.maximum(2.0 * COMFORT * agents.agility, EPSILON)


def least(count: int, agent: Rows, values: Scalars) -> Scalars:
    """The least of the values of each agent, (p,) to (count,); inf for an agent that has none."""
    found = np.full(count, np.inf)
    np.minimum.at(found, agent, values)
    return found
