"""Running: who runs leans into its turns, as far as its balance asks.

    tangent of the lean = speed * turn / gravity

Walkers stay upright. Between a brisk walk and a run, bodies lean more and more.
"""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.scalars import Scalars, anybody, clamp
from .banking import GRAVITY
from .walking import brisk_walk

RUNS = 1.5, 2.0
"""Multiples of a brisk walk from which on bodies lean, and lean fully: people at 2 and at 2.6 m/s."""
STEEPEST = 0.58
"""The tangent of the steepest lean, 30 degrees."""
LEANS = 0.25
"""Seconds in which a lean follows a turn."""


def leaned_into_turns(
    before: Scalars, share: Scalars, speed: Scalars, turning: Scalars, radius: Scalars, dt: float
) -> Scalars:
    """The tangents of the angles by which bodies lean to the left after a step, (n,).

    Args:
        before: (n,) those before it.
        share: (n,) how far they lean as they run.
        speed, turning: (n,) m/s and rad/s to the left.
        radius: (n,) metres, their size.
    """
    walk = brisk_walk(radius)
    start, full = (multiple * walk for multiple in RUNS)
    runs = clamp((speed - start) / np.maximum(full - start, 1e-9), 0.0, 1.0)
    if not (anybody(runs > 0.0) or anybody(before != 0.0)):
        return before
    wanted = clamp(share * runs * speed * turning / GRAVITY, -STEEPEST, STEEPEST)
    after = before + (wanted - before) * (dt / (LEANS + dt))
    return np.where((wanted == 0.0) & (np.abs(after) < 1e-4), 0.0, after)
