"""Obstacles that push away every agent nearby, wherever it is going (Reynolds 1988, force field)."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Scalars, Vectors, clamp, columns, picked, totals
from ..geometry.obstacles import Obstacles
from ..world import Agents


def pushed_away(obstacles: Obstacles, agents: Agents, clearance: Scalars, distance: Scalars) -> Vectors:
    """The sum of the pushes of all surfaces near each agent, (n, 3), unitless.

    A surface with a gap g beyond radius + clearance pushes by (1 - g / distance)^2, between 0 and 1.

    Args:
        clearance: (n,) metres to keep in addition to the agent's radius.
        distance: (n,) metres beyond which a surface has no effect.
    """
    room = agents.radius + clearance
    owner, row = obstacles.near(agents.position, room + distance)
    foreign = obstacles.carrier[row] != agents.rows[owner]
    owner, row = owner[foreign], row[foreign]
    gap, away = obstacles.surface(picked(agents.position, owner), row)
    depth = clamp(1.0 - (gap - room[owner]) / np.maximum(distance[owner], EPSILON), 0.0, 1.0)
    push = away * (depth * depth)[:, None]
    return columns(*(totals(owner, push[:, axis], len(agents)) for axis in range(3)))
