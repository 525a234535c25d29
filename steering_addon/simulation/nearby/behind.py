"""Behind: how far vehicles may back out before they touch another one."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import Rows, Scalars, dot, magnitude, picked
from ..world import World

BESIDE = 0.5
"""Metres beside its way at which a vehicle counts as behind: looking that backs out swings to looking side."""


def room_behind(world: World, rows: Rows) -> Scalars:
    """The distances straight back to the nearest other vehicle, (m,) metres; inf for none.

    Args:
        rows: (m,) those of the vehicles that look back.
    """
    bodies, others = world.bodies, world.perceivable
    if not len(others):
        return np.full(len(rows), np.inf)
    looking, other = (grid.ravel() for grid in np.meshgrid(rows, others, indexing="ij"))
    half = np.zeros(len(bodies.radius)) if bodies.half_axis is None else bodies.half_axis
    forward, offset = picked(bodies.forward, looking), picked(bodies.position, other) - picked(bodies.position, looking)
    along = dot(offset, forward)
    aside = magnitude(offset - forward * along[:, None])
    cosine = np.minimum(np.abs(dot(forward, picked(bodies.forward, other))), 1.0)
    touching = bodies.radius[looking] + bodies.radius[other]
    beside = touching + half[other] * np.sqrt(1.0 - cosine * cosine) + BESIDE
    room = np.maximum(-along - touching - half[looking] - half[other] * cosine, 0.0)
    counts = (looking != other) & (along < 0.0) & (aside < beside)
    nearest: Scalars = np.where(counts, room, np.inf).reshape(len(rows), len(others)).min(axis=1)
    return nearest
