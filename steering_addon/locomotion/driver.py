"""A driver's foot: what reaction time makes of the speed that is allowed ahead.

Whoever drives lifts the foot off the accelerator as soon as the allowed speed falls below its own, brakes for it a
reaction time later, and sets off a reaction time after it may. The time runs from when the brake lights ahead go on, if
these are the first to be seen. The allowed speed leaves room for that (Gipps 1981): in a reaction time the car is to
reach the speed that is allowed now.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import EPSILON, Mask, Scalars
from ..simulation.declaration import Choice
from ..simulation.maneuvers.braking import COASTS, COMFORT

EASES = 0.3
"""Metres a second above its own speed that have to be allowed before a driver lets go of the brake."""
STILL = 0.1
"""Metres a second below which a driver who may not go on holds the car."""
HELD = 0.3
"""How far the brake of a car that is held is down."""
FULL_LOCK = 0.95
"""The share of the largest curvature from which on the wheels count as fully turned."""

EDGES = (
    Choice("GO_ON", 0, "Go On", "Drive on at its height; it is named after the bake"),
    Choice("STOP", 1, "Stop", "Brake and stand before the edge"),
)
"""What a driver does at the edge of a surface, with the numbers stored in files."""
GO_ON, STOP = (c.number for c in EDGES)


@dataclass(frozen=True)
class Foot:
    """Where the feet of n drivers are.

    Attributes:
        braking: (n,) whether each is on the brake for what is ahead.
        reacting: (n,) seconds for which something has called for the other pedal, or warned of it.
    """

    braking: Mask
    reacting: Scalars

    def moved(
        self,
        wanted: Scalars,
        speed: Scalars,
        allowed: Scalars,
        warned: Mask,
        strongest: Scalars,
        pedal_time: Scalars,
        reaction_time: Scalars,
        dt: float,
    ) -> tuple[Scalars, Foot]:
        """The forward acceleration, (n,) m/s2, and the feet after a step.

        Args:
            wanted: (n,) the acceleration wanted on a free road, m/s2.
            speed, allowed: (n,) m/s; `allowed` is inf on a free road.
            warned: (n,) who sees another brake ahead.
            strongest: (n,) the strongest braking, m/s2.
            pedal_time, reaction_time: (n,) seconds.
            dt: seconds.
        """
        pedals = np.maximum(pedal_time, dt)
        excess = speed - allowed
        # As gently as reaches the allowed speed in time: what is left over of a moment's reaction is not an emergency.
        gently = np.minimum(np.maximum(excess, 0.0) / pedals, COMFORT * strongest)
        needed = np.maximum(gently, excess / np.maximum(reaction_time, pedals))
        waits = (speed < STILL) & (allowed < STILL)
        calls = (needed > COASTS * strongest) | waits
        over = allowed > speed + EASES
        reacting = np.where(np.where(self.braking, over, calls | warned), self.reacting + dt, 0.0)
        changes = (reacting > reaction_time) & (self.braking | calls)
        braking = self.braking ^ changes
        reacting = np.where(changes, 0.0, reacting)
        eased = np.minimum(wanted, np.where(excess > 0.0, -np.minimum(gently, COASTS * strongest), -excess / pedals))
        braked = np.minimum(wanted, np.where(excess > 0.0, -needed, 0.0))
        braked = np.where(waits, -speed / dt, braked)
        return np.where(braking, braked, eased), Foot(braking, reacting)

    def pressed(self, acceleration: Scalars, strongest: Scalars, full: Scalars, speed: Scalars) -> Scalars:
        """How far each brake is down, (n,) 0 to 1: what slows the car more than the engine does, and what holds it.

        Args:
            acceleration: (n,) forward, m/s2.
            strongest, full: (n,) the strongest braking, and that at which the brake counts as fully down, m/s2.
            speed: (n,) m/s.
        """
        braked = np.minimum(-acceleration / np.maximum(full, EPSILON), 1.0)
        slows = np.where(-acceleration > COASTS * strongest * (1.0 + EPSILON), braked, 0.0)
        return np.where(self.braking & (speed < STILL), np.maximum(slows, HELD), slows)
