"""Postures: how agents hold back and head, a little differently each, so that one model does not look like one person.

There are few, so that a crowd shares them; they are spread evenly over what is possible.
"""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.vectors import Rows, Scalars, Vectors

VARIANTS = 16
"""The number of postures of a model."""
SPREAD = (0.8566, 0.7337, 0.6285, 0.5384, 0.4612)
"""Steps, as shares of a turn, by which five numbers of one posture after the other are spread evenly: the powers of the
inverse of the root of x^6 = x + 1."""
ASIDE = 0.5
"""The share of the angle by which a back leans and turns aside at most, and a head leans."""
WHICH = 0x9057


def variants_of(keys: Keys) -> Rows:
    """The number of the posture of each of n agents, (n,)."""
    return np.floor(uniform(mix(keys, WHICH)) * VARIANTS).astype(np.int64)


def postures(most: Scalars, variants: Rows) -> tuple[Vectors, Vectors]:
    """How far backs and heads of n agents are turned, (n, 3) radians: raised, leant to the left, turned to the left.

    Args:
        most: (n,) radians by which a back or a head is raised or lowered at most.
        variants: (n,) numbers of postures.
    """
    part = (variants[:, None] + 0.5) * np.array(SPREAD)
    draw = (2.0 * (part - np.floor(part)) - 1.0) * most[:, None]
    level = np.zeros(len(draw))
    back = np.stack((draw[:, 0], ASIDE * draw[:, 1], ASIDE * draw[:, 2]), axis=1)
    # Where a head faces is what it looks at.
    head = np.stack((draw[:, 3], ASIDE * draw[:, 4], level), axis=1)
    return back, head
