"""A driver's foot: what reaction time makes of the speed that is allowed ahead.

Whoever drives lifts the foot off the accelerator as soon as the allowed speed falls below its own, brakes for it a
reaction time later, and sets off a reaction time after it may. The time runs from when the brake lights ahead go on, if
these are the first to be seen. The allowed speed leaves room for that (Gipps 1981): in a reaction time the car is to
reach the speed that is allowed now.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import cosine_of_setting
from ..simulation.arrays.vectors import EPSILON, Mask, Rows, Scalars, Vectors, anybody, largest, shared
from ..simulation.declaration import Choice
from ..simulation.maneuvers.braking import COASTS, COMFORT
from ..simulation.terrain import Terrain

EASES = 0.3
"""Metres a second above its own speed that have to be allowed before a driver lets go of the brake."""
STILL = 0.1
"""Metres a second below which a driver who may not go on holds the car."""
HELD = 0.3
"""How far the brake of a car that is held is down."""
FULL_LOCK = 0.95
"""The share of the largest curvature from which on the wheels count as fully turned."""

LOOKS, CLOSER = 6, 4
"""Places ahead at which a driver looks for the end of the ground, and how often it then looks half as far."""
KEPT = 0.5
"""Metres that a driver keeps from the edge of the ground."""
RISES = 0.5
"""Metres that the ground may rise or fall for each metre ahead, besides the grade under the wheels, and be found."""
EDGES = (
    Choice("GO_ON", 0, "Go On", "Drive on at its height; it is named after the bake"),
    Choice("STOP", 1, "Stop", "Brake and stand before the edge"),
)
"""What a driver does at the edge of a surface, with the numbers stored in files."""
GO_ON, STOP = (c.number for c in EDGES)


def room_on_ground(
    terrain: Terrain,
    nose: Vectors,
    heading: Vectors,
    grade: Scalars,
    furthest: Scalars,
    within: float,
    stops: Mask,
    cosine: Scalars | None,
) -> Scalars:
    """The distances straight ahead to KEPT before ground that ends or is too steep, (n,) metres; inf for none.

    Args:
        nose: (n, 3) the front ends of the bodies, at the height of the ground, metres.
        heading: (n, 3) level unit vectors.
        grade: (n,) metres that the ground rises for each metre ahead.
        furthest: (n,) how far the driver looks, metres.
        within: metres above and below the expected height within which the ground is found.
        stops: (n,) those for whom its end counts.
        cosine: (n,) of the steepest slope that each may drive on; None if none of the ground is too steep.
    """

    def ends(ahead: Scalars) -> Mask:
        at = nose + heading * ahead[:, None]
        reach = within + RISES * ahead
        ground = terrain.after.under(at[:, 0], at[:, 1], at[:, 2] + grade * ahead, reach, reach).triangle
        mask: Mask = stops & (ground < 0)
        return mask if cosine is None else mask | (terrain.after.levelness(ground) < cosine)

    far = shared(np.inf, len(furthest))
    for place in range(LOOKS, -1, -1):
        ahead = furthest * (place / LOOKS)
        far = np.where(ends(ahead), ahead, far)
    near = np.maximum(far - furthest / LOOKS, 0.0)
    seen = np.isfinite(far)
    if not anybody(seen):
        return far
    for _ in range(CLOSER):
        middle = np.where(seen, 0.5 * (near + far), 0.0)
        over = ends(middle)
        near, far = np.where(over, near, middle), np.where(seen & over, middle, far)
    return np.where(seen, np.maximum(near - KEPT, 0.0), np.inf)


def steepest_accepted(terrain: Terrain, ground: Rows, max_slope: Scalars) -> Scalars | None:
    """The cosines of the steepest slopes ahead that drivers accept, (n,); None if none of the ground is too steep.

    Who stands on too steep ground may leave it.

    Args:
        ground: (n,) the triangles on which they stand.
        max_slope: (n,) radians.
    """
    limit = cosine_of_setting(max_slope)
    if not terrain.after.steepest < largest(limit):
        return None
    return np.where(terrain.after.levelness(ground) < limit, -1.0, limit)


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
