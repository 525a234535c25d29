"""Driving to a place ahead: pure pursuit, by which a driver keeps a lane that no force toward it alone can keep."""

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Scalars, clamp
from ..arrays.vectors import Vectors, dot, magnitude, unit
from ..locomotion import WHEEL_SPEED
from ..world import Agents

PURSUED, NEAREST_PURSUED = (0.3, 0.25), (1.5, 1.0)
"""How far ahead is the place that a driver steers to, on the middle of a road and in a lane beside it: seconds, and at
least that many times the distance from the origin to the rear axle. Steering by less weaves, by more cuts bends, for
which a lane has less room."""
GENTLY = 0.7
"""Share of the sideways acceleration comfortable to a driver with which one who is beside the lane returns to it."""
PEDALS = 0.25
"""Seconds in which a driver takes up the speed that the lane allows."""


def pursued_distance(agents: Agents, in_lane: Mask) -> Scalars:
    """How far ahead is the place that each driver steers to, (n,) metres. `in_lane`: (n,) those who keep to a lane
    beside the middle of their road."""
    seconds, axles = (np.where(in_lane, lane, road) for road, lane in (PURSUED, NEAREST_PURSUED))
    return np.maximum(seconds * agents.speed, axles * np.nan_to_num(agents.handling.axle))


def distance_to_return(agents: Agents, out: Vectors, radius: Scalars) -> Scalars:
    """How far ahead drivers beside their lane steer to, (n,) metres, so that they return to it without braking.

    Pure pursuit of a place at a distance L turns with the curvature 2 (beside + L leaving) / L^2. It returns the L at
    which that is comfortable.

    Args:
        out: (n, 3) from the lane to each driver, metres.
        radius: (n,) metres from the lane at which it counts fully that a driver heads away from it.
    """
    beside = magnitude(out)
    leaving = np.maximum(dot(unit(out), agents.forward), 0.0) * np.minimum(beside / radius, 1.0)
    bend = GENTLY * np.minimum(agents.handling.cornering, agents.agility)
    bend = np.maximum(bend, EPSILON) / np.maximum(agents.speed * agents.speed, WHEEL_SPEED * WHEEL_SPEED)
    return (leaving + np.sqrt(leaving * leaving + 2.0 * bend * beside)) / bend


def drive_to(agents: Agents, place: Vectors, speed: Scalars, response_time: Scalars) -> Vectors:
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
    return (agents.forward * faster[:, None] + left * turning[:, None]) * agents.mass[:, None]
