"""Where heads turn: a while ahead of the body, to where it will face, or to something that is looked at."""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.angles import angle_of
from ..simulation.arrays.vectors import Scalars, Vectors, cross, dot

FURTHEST = 1.2
"""Radians that a head turns to either side at most."""
LETS_GO = 2.4
"""Radians to the side from which on nothing is looked at: it is behind the shoulder. From FURTHEST on, heads turn back
the more, the further it is."""
EASING = 0.25
"""Seconds, to either side, over which the turn of a head that looks at something is a mean."""
SMOOTHING = 0.12
"""Seconds, to either side, over which the turn of a head is a mean."""


def leads(forward: Vectors, up: Vectors, lead: float, frame_time: float) -> Scalars:
    """How far the head of a body is turned to the left on f frames, (f,) radians.

    It faces where the body will face a moment later, however often that has turned round.

    Args:
        forward, up: (f, 3) unit axes of the body.
        lead: seconds.
        frame_time: seconds.
    """
    frames = np.arange(len(forward), dtype=np.float64)
    left = cross(up[:-1], forward[:-1])
    turns = angle_of(dot(forward[1:], left), dot(forward[1:], forward[:-1]))
    heading = np.concatenate(([0.0], np.cumsum(turns)))
    ahead = np.interp(frames + lead / frame_time, frames, heading) - heading
    return _eased(np.clip(ahead, -FURTHEST, FURTHEST), SMOOTHING, frame_time)


def toward(target: Vectors, position: Vectors, forward: Vectors, up: Vectors, frame_time: float) -> Scalars:
    """How far the head of a body is turned to the left on f frames to look at a point, (f,) radians.

    Not further than a neck turns; and straight ahead for what is behind.

    Args:
        target, position: (f, 3) the point and the middle of the body, metres.
        forward, up: (f, 3) unit axes of the body.
        frame_time: seconds.
    """
    offset = target - position
    angle = angle_of(dot(offset, cross(up, forward)), dot(offset, forward))
    looks = np.clip((LETS_GO - np.abs(angle)) / (LETS_GO - FURTHEST), 0.0, 1.0)
    return _eased(np.clip(angle, -FURTHEST, FURTHEST) * looks, EASING, frame_time)


def _eased(angle: Scalars, time: float, frame_time: float) -> Scalars:
    """The running mean of angles (f,) over a time to either side, seconds."""
    count, reach = len(angle), int(np.floor(time / frame_time + 0.5))
    sums = np.concatenate(([0.0], np.cumsum(angle)))
    first = np.maximum(np.arange(count) - reach, 0)
    last = np.minimum(np.arange(count) + reach + 1, count)
    return (sums[last] - sums[first]) / (last - first)
