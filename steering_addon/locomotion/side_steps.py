"""Side steps: people who hardly walk step aside and back, while they turn to where they go.

    |aside|, back <= share (pace - speed)

The speed is that of the gait along the heading. Within those limits the velocity of a walker follows its wish as that
of a point does, so that it can take up what the choice of a velocity tries. Animals turn by walking round instead.
"""

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Scalars, clamp
from ..simulation.arrays.vectors import Vectors, dot, magnitude, paired, truncate
from ..simulation.handling import side_step
from ..simulation.vehicle import VehicleModel


def along_and_aside(velocity: Vectors, heading: Vectors) -> tuple[Scalars, Scalars]:
    """The parts of velocities along headings and to the left of them, (n, 2) each to (n,) m/s."""
    return dot(velocity, heading), heading[:, 0] * velocity[:, 1] - heading[:, 1] * velocity[:, 0]


def joined(heading: Vectors, along: Scalars, aside: Scalars) -> Vectors:
    """The velocities, (n, 2) m/s, of parts along headings (n, 2) and to the left of them."""
    x, y = heading[:, 0], heading[:, 1]
    return paired(x * along - y * aside, y * along + x * aside)


def off_heading(share: Scalars, pace: Scalars, velocity: Vectors, heading: Vectors) -> Vectors:
    """The part of velocities, (n, 2) m/s, that steps aside or back, within the limits.

    Args:
        share, pace: (n,) as of `side_step`, m/s.
        heading: (n, 2) unit vectors.
    """
    along, aside = along_and_aside(velocity, heading)
    most = side_step(share, pace, along)
    return joined(heading, clamp(along, -most, 0.0), clamp(aside, -most, most))


def stepped(
    model: VehicleModel,
    share: Scalars,
    gait: Vectors,
    forward: Vectors,
    before: Vectors,
    wish: Vectors,
    slowest: Scalars,
    fastest: Scalars,
    dt: float,
) -> Vectors:
    """The velocities after a step, (n, 2) m/s, of walkers that step aside where their gaits leave room for it.

    Args:
        share: (n,) as of `side_step`.
        gait: (n, 2) what their gaits come to, m/s along their headings.
        forward: (n, 2) unit headings after the step.
        before, wish: (n, 2) before the step and within the response time, m/s.
        slowest, fastest: (n,) m/s below which they stand if asked for nothing, and that they may walk ahead.
    """
    stops = ~wish.any(axis=1) & (magnitude(before) < slowest)
    change = (wish - before) * np.where(stops, 1.0, np.minimum(dt / model.response_time, 1.0))[:, None]
    free = before + truncate(change, model.max_force / model.mass * dt)
    along, aside = along_and_aside(free, forward)
    speed, pace = magnitude(gait), model.pace
    part = np.maximum(1.0 - speed / np.maximum(pace, EPSILON), 0.0)
    along = speed + (np.minimum(np.maximum(along, -share * pace), np.maximum(fastest, 0.0)) - speed) * part
    most = side_step(share, pace, along)
    steps = (part > 0.0) & (share > 0.0)
    return np.where(steps[:, None], joined(forward, along, clamp(aside, -most, most)), gait)
