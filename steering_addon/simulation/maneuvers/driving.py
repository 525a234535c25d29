"""Along lines of paths: where agents are on them, each at its nearest point, and how drivers steer to a place ahead.

Pure pursuit keeps a lane that no force toward it alone can keep.
"""

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Scalars, anybody, clamp, everybody, which
from ..arrays.vectors import Vectors, dot, magnitude, unit
from ..geometry.lines import Followed
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
LOST = 3.0
"""Distance from its point of the path, in radii, beyond which a follower searches the whole path again."""


def pursued_distance(agents: Agents, in_lane: Mask) -> Scalars:
    """How far ahead is the place that each driver steers to, (n,) metres. `in_lane`: (n,) those who keep to a lane
    beside the middle of their road."""
    seconds, axles = (np.where(in_lane, lane, road) for road, lane in (PURSUED, NEAREST_PURSUED))
    return np.maximum(seconds * agents.speed, axles * np.nan_to_num(agents.handling.axle))


def distance_to_return(agents: Agents, out: Vectors, radius: Scalars) -> Scalars:
    """How far ahead drivers beside their lane steer to, (n,) metres, so that they return to it without braking.

    Pure pursuit of a place at a distance L turns with the curvature 2 (beside + L leaving) / L^2. It returns the L at
    which that is comfortable. `out`: (n, 3) from the lane to each driver, metres; `radius`: (n,) metres from the lane
    at which it counts fully that a driver heads away from it.
    """
    beside = magnitude(out)
    leaving = np.maximum(dot(unit(out), agents.forward), 0.0) * np.minimum(beside / radius, 1.0)
    bend = GENTLY * np.minimum(agents.handling.cornering, agents.agility)
    bend = np.maximum(bend, EPSILON) / np.maximum(agents.speed * agents.speed, WHEEL_SPEED * WHEEL_SPEED)
    return (leaving + np.sqrt(leaving * leaving + 2.0 * bend * beside)) / bend


def drive_to(agents: Agents, place: Vectors, speed: Scalars, response_time: Scalars) -> Vectors:
    """The force by which drivers steer to a place ahead, (n, 3) newtons.

    From the rear axle, the circle through a place that is `offset` away and to whose direction the car is tangent has
    the curvature 2 aside / offset^2 (Coulter 1992). `place`: (n, 3) metres, of `pursued_distance` ahead; `speed`: (n,)
    the desired speed, m/s; `response_time`: (n,) seconds in which the speed is taken up, at most.
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
    limit = np.sqrt(np.maximum(agents.agility * agents.agility - turning * turning, 0.0))
    faster = clamp((speed - agents.speed) / np.minimum(response_time, PEDALS), -limit, limit)
    return (agents.forward * faster[:, None] + left * turning[:, None]) * agents.mass[:, None]


def locate(line: Followed, agents: Agents, points: Vectors, along: Scalars, radius: Scalars, dt: float) -> Scalars:
    """The positions of points along the lines, (m,) metres; near the last ones unless an agent lost its line. `points`:
    (m, 3) the positions of the agents, less the offset of the line where a bypass leads past an obstacle."""
    step = 2.0 * agents.speed * dt + 2.0 * line.spacing
    along = line.nearest_within(points, along, step, ups_of_walkers(agents))
    lost = which(distance_from_line(line, agents, points, along) > LOST * radius)
    if len(lost):
        along[lost] = line.take(lost).nearest(points[lost], ups_of_walkers(agents.take(lost)))
    return along


def ups_of_walkers(agents: Agents) -> Vectors | None:
    """The up of agents on the ground, (m, 3), from where they see a line: it lies draped on what they walk on. Zero for
    others, which see it in space; None if all do."""
    if not anybody(agents.grounded):
        return None
    return agents.upward if everybody(agents.grounded) else agents.upward * agents.grounded[:, None]


def distance_from_line(line: Followed, agents: Agents, points: Vectors, along: Scalars) -> Scalars:
    """The distances of points from positions along the lines, (m,) metres, level for agents on the ground."""
    return magnitude(agents.level(points - line.position(along)))
