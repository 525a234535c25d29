"""Driving to a place ahead: pure pursuit, by which a driver keeps a lane that no force toward it alone can keep."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Scalars, Vectors, clamp, dot
from ..locomotion import WHEEL_SPEED
from ..world import Agents

PURSUED, NEAREST_PURSUED = 0.25, 1.0
"""How far ahead on its lane is the place that a driver steers to: seconds, and at least that many times the distance
from the origin to the rear axle. Steering by less weaves, by more cuts bends."""
PEDALS = 0.25
"""Seconds in which a driver takes up the speed that the lane allows."""


def pursued_distance(agents: Agents) -> Scalars:
    """How far ahead on its lane is the place that each driver steers to, (n,) metres."""
    return np.maximum(PURSUED * agents.speed, NEAREST_PURSUED * np.nan_to_num(agents.handling.axle))


def driven_to(agents: Agents, place: Vectors, speed: Scalars, response_time: Scalars) -> Vectors:
    """The force by which drivers steer to a place ahead, (n, 3) newtons.

    From the rear axle, the circle through a place that is `offset` away and to whose direction the car is tangent has
    the curvature 2 aside / offset^2 (Coulter 1992).

    Args:
        place: (n, 3) metres, of `pursued_distance` ahead.
        speed: (n,) the desired speed, m/s.
        response_time: (n,) seconds in which the speed is taken up, at most.
    """
    axle = np.nan_to_num(agents.handling.axle)
    left = agents.left_of(agents.forward)
    offset = agents.level(place - agents.position) + agents.forward * axle[:, None]
    aside, square = dot(offset, left), np.maximum(dot(offset, offset), EPSILON)
    # What lies behind asks for more than the smallest circle.
    sharp = np.where(aside < 0.0, -1.0, 1.0) / np.maximum(axle, EPSILON)
    curvature = np.where(dot(offset, agents.forward) < 0.0, sharp, 2.0 * aside / square)
    turning = curvature * np.maximum(agents.speed * agents.speed, WHEEL_SPEED * WHEEL_SPEED)
    # However hard it brakes, it steers: cut to max_force, the sum would leave less of both.
    turning = clamp(turning, -agents.agility, agents.agility)
    most = np.sqrt(np.maximum(agents.agility * agents.agility - turning * turning, 0.0))
    faster = clamp((speed - agents.speed) / np.minimum(response_time, PEDALS), -most, most)
    force: Vectors = (agents.forward * faster[:, None] + left * turning[:, None]) * agents.mass[:, None]
    return force
