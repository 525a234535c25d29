"""Where heads turn: a while ahead of the body, to where it will face, as those of people and animals do."""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.angles import angle_of
from ..simulation.arrays.vectors import Scalars, Vectors, cross, dot

FURTHEST = 1.2
"""Radians that a head turns to either side at most."""
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
    reach = int(np.floor(SMOOTHING / frame_time + 0.5))
    behind = np.concatenate(([0.0], np.cumsum(np.clip(ahead, -FURTHEST, FURTHEST))))
    first = np.maximum(np.arange(len(frames)) - reach, 0)
    last = np.minimum(np.arange(len(frames)) + reach + 1, len(frames))
    return (behind[last] - behind[first]) / (last - first)
