"""The springs of a car, on which its body leans."""

from __future__ import annotations

from ..simulation.arrays.vectors import Scalars

SPRING, SPRING_DAMPING = 9.0, 0.5
"""Of the springs: radians a second, and the share of critical damping."""


def sprung(lean: Scalars, rate: Scalars, rest: Scalars, dt: float) -> tuple[Scalars, Scalars]:
    """The lean of springs and its rate after a step toward where they rest, by implicit Euler; (n,) each."""
    stiffness = dt * SPRING * SPRING
    rate = (rate + stiffness * (rest - lean)) / (1.0 + 2.0 * SPRING_DAMPING * SPRING * dt + stiffness * dt)
    return lean + dt * rate, rate
