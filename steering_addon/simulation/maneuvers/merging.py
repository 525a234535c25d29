"""Merging: which of two that come into one lane goes first."""

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars
from ..arrays.vectors import Vectors, cross, dot, magnitude, picked
from ..world import Agents, World

ABREAST = 0.02
"""Share of the distance to the left by which one that comes from the right counts as further ahead."""
SOONEST = 2.0
"""Seconds in which the room is made, at least: one that already is beside another falls back no faster and rolls on."""


def is_ahead(world: World, agents: Agents, agent: Rows, body: Rows, offset: Vectors) -> Mask:
    """The pairs in which the body goes first where both ways meet, (p,): it is nearer to that place.

    With d the distances of both to the place and c the cosine between their headings,

        offset . (heading + heading of the other) = (d - d of the other) (1 + c)

    Of two abreast the right one goes first. Of a pair one is ahead for the other or the other way round, never both.

    Args:
        agent, body: (p,) pairs of an agent and a body.
        offset: (p, 3) from the agent to the body, metres.
    """
    course = picked(agents.forward, agent) + picked(world.bodies.forward, body)
    upward = picked(agents.upward, agent)
    return dot(offset, course + ABREAST * cross(course, upward)) > 0.0


def meet_in(aside: Vectors, drift: Vectors, width: Scalars) -> Scalars:
    """The time until others that come nearer to a lane are in it, (p,) seconds; inf for those that do not.

    Args:
        aside, drift: (p, 3) how far each is to the side, metres, and how fast it moves aside, m/s.
        width: (p,) metres to either side.
    """
    distance = magnitude(aside)
    closing = -dot(aside, drift) / np.maximum(distance, EPSILON)
    beyond = np.maximum(distance - width, 0.0)
    return np.where(closing > 0.0, beyond / np.where(closing > 0.0, closing, 1.0), np.inf)


def speed_to_fall_back(others_speed: Scalars, room: Scalars, time: Scalars) -> Scalars:
    """The speed at which an agent has room behind another one when they meet, (p,) m/s; at most that of the other.

    Args:
        others_speed: (p,) along the lane, m/s.
        room: (p,) behind the other now, metres; negative beside it.
        time: (p,) until they meet, seconds.
    """
    return np.maximum(others_speed + np.minimum(room, 0.0) / np.maximum(time, SOONEST), 0.0)
