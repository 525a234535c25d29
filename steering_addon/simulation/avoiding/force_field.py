"""Obstacles that push away whoever comes near, wherever that one is going (Reynolds 1988, force field)."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Scalars, Vectors, clamp, columns, picked, totals
from ..geometry.obstacles import Obstacles
from ..world import Agents


def pushed_away(obstacles: Obstacles, agents: Agents, clearance: Scalars, distance: Scalars) -> Vectors:
    """The push of the surfaces near each agent, (n, 3): 1 where one is too near, none from the distance on.

    Args:
        clearance: (n,) metres to keep besides one's own radius.
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
