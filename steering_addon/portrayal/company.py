"""Company: the vehicles that stand near another that stands, and face it, as people do who talk."""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.vectors import Mask, Scalars, Vectors, dot, magnitude

REACH = 3.0
"""How far apart two in company stand at most, as a multiple of the sum of their radii."""
STILL = 0.3
"""Radii a second up to which an agent stands."""
FACES, HEARS = 0.5, -0.2
"""The cosines of the angles to the other: between it and one's own front, and between oneself and its front."""


def in_company(position: Vectors, forward: Vectors, velocity: Vectors, radius: Scalars) -> Mask:
    """Whether each of n agents stands near another who stands, faces it and is not behind its back, (n,).

    Args:
        position, forward, velocity: (n, 3) metres, unit axes and m/s.
        radius: (n,) metres.
    """
    accompanied = np.zeros(len(position), dtype=np.bool_)
    rows = np.flatnonzero(magnitude(velocity) <= STILL * radius)
    if len(rows) < 2:
        return accompanied
    offset = position[rows][None] - position[rows][:, None]
    distance = magnitude(offset)
    near = (distance <= REACH * (radius[rows][:, None] + radius[rows][None])) & (distance > 0.0)
    ahead = dot(offset, forward[rows][:, None]) > FACES * distance
    heard = -dot(offset, forward[rows][None]) > HEARS * distance
    accompanied[rows] = (near & ahead & heard).any(axis=1)
    return accompanied
