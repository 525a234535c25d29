"""Going along with something that moves: what shadow, interpose and leader following have in common."""

from __future__ import annotations

from ..arrays.vectors import Scalars, Vectors, truncate
from ..world import Agents


def velocity_to_keep(agents: Agents, place: Vectors, velocity: Vectors, time: Scalars) -> Vectors:
    """The velocity that closes in on a moving place and then goes along with it, (n, 3), no faster than top speed.

    Args:
        place, velocity: (n, 3) of the place.
        time: (n,) seconds in which the distance is made up.
    """
    offset = agents.level(place - agents.position)
    return truncate(agents.level(velocity) + offset / time[:, None], agents.max_speed)
