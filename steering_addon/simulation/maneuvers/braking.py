"""Braking, for behaviors that slow down without turning away."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors
from ..world import Agents

COMFORT = 0.5
"""Share of the strongest braking that they plan with; the rest is a reserve."""
MARGIN = 0.1
"""Metres added to the range of perception, so that rounding does not decide whether a neighbor is considered."""


def braking(agents: Agents, allowed: Scalars) -> Vectors:
    """The force that slows agents down to an allowed speed, (n, 3) newtons; `allowed` is (n,) m/s."""
    over = np.minimum(allowed - agents.speed, 0.0)
    return agents.forward * (agents.mass * over / agents.vehicle.response_time)[:, None]


def stopping_distance(agents: Agents) -> Scalars:
    """(n,) metres in which agents stop with COMFORT of their braking, v^2 / (2 COMFORT agility)."""
    return agents.speed * agents.speed / np.maximum(2.0 * COMFORT * agents.agility, EPSILON)


def least(count: int, agent: Rows, values: Scalars) -> Scalars:
    """The smallest value of each agent, (p,) to (count,), inf for an agent without any; `agent` is (p,)."""
    smallest = np.full(count, np.inf)
    np.minimum.at(smallest, agent, values)
    return smallest
