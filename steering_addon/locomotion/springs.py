"""The springs of a car: its body leans on them as the driver accelerates, and rides on them over rough ground."""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.vectors import EPSILON, Scalars, Vectors
from .banking import GRAVITY

SPRING, SPRING_DAMPING = 9.0, 0.5
"""Of the lean: radians a second, and the share of critical damping."""
RIDE_DAMPING = 0.35
"""The share of critical damping of a body that rides over rough ground: that of a comfortable car."""


def sprung(lean: Scalars, rate: Scalars, rest: Scalars, dt: float) -> tuple[Scalars, Scalars]:
    """The lean of springs and its rate after a step toward where they rest, by implicit Euler; (n,) each."""
    stiffness = dt * SPRING * SPRING
    rate = (rate + stiffness * (rest - lean)) / (1.0 + 2.0 * SPRING_DAMPING * SPRING * dt + stiffness * dt)
    return lean + dt * rate, rate


def ridden(ride: Vectors, rate: Vectors, rise: Vectors, suspension: Scalars, dt: float) -> tuple[Vectors, Vectors]:
    """How a body rides above its wheels after a step in which these rise, and how fast it rises itself.

    With z the height of the body, g that of the wheels and w^2 = gravity / suspension,

        z'' = w^2 (g - z) + 2 damping w (g' - z')

    by the trapezoidal rule, so that a body lags behind curved ground but not behind a slope. Springs under a body at
    rest are pressed in by their suspension, and they give way by no more than that.

    Args:
        ride: (n, 3) metres of the body above its wheels: in the middle, more than that at the front, and at the left.
        rate: (n, 3) m/s, at which the body rises there.
        rise: (n, 3) metres by which the wheels rise there.
        suspension: (n,) metres, 0 for a body without springs.
    """
    springs = suspension > 0.0
    stiffness = (dt * dt * GRAVITY / np.where(springs, np.maximum(suspension, EPSILON), 1.0))[:, None]
    damping = 2.0 * RIDE_DAMPING * np.sqrt(stiffness)
    push = stiffness * (0.5 * rise - ride) + damping * rise
    mean = (2.0 * rate + push / dt) / (2.0 + 0.5 * stiffness + damping)
    ride = ride + dt * mean - rise
    # The largest way of the four springs, as these stand to both sides.
    way = np.abs(ride[:, 0]) + np.abs(ride[:, 1]) + np.abs(ride[:, 2])
    share = np.minimum(suspension / np.maximum(way, EPSILON), 1.0)
    return ride * share[:, None], np.where(springs[:, None], 2.0 * mean - rate, rise / dt)
