"""Accompanying a moving target, as shadow, interpose, hide and leader following do."""

from __future__ import annotations

from ..arrays.vectors import Scalars, Vectors, truncate
from ..world import Agents


def velocity_to_keep(agents: Agents, target: Vectors, velocity: Vectors, time: Scalars) -> Vectors:
    """The velocity that closes in on a moving point and then accompanies it, (n, 3) m/s, no faster than top speed.

    velocity + (target - position) / time, truncated.

    Args:
        target, velocity: (n, 3) the position and velocity of the point, metres, m/s.
        time: (n,) seconds in which the distance is made up.
    """
    offset = agents.level(target - agents.position)
    return truncate(agents.level(velocity) + offset / time[:, None], agents.max_speed)
