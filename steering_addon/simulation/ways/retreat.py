"""Retreat: where to run from a threat along the ways over ground, and not into a dead end.

What is far from the threat attracts. With T the length of the way from the threat, and |p q| that from p to q,

    V(p) = min over q of |p q| - PULL T(q)

falls where one runs on. Known from games as safety maps.
"""

import numpy as np

from ..arrays.scalars import Rows
from .fields import Field, Mesh8

PULL = 3.0
"""From a dead end that leads e further, at a way d from the threat, agents still take a way out that first leads up to
(PULL - 1) / 2 times (horizon - d - e) back toward the threat."""
HORIZON = 96
"""Cells from the threat up to which ways out are looked for; one that comes so far is safe."""
CLOSE = 12
"""Cells round the threat in which ways count longer, so that none leads past it while there is another."""
BESIDE = 40.0
"""How much longer ways right beside the threat count."""


def find_retreat(grid: Mesh8, threat: Rows) -> Field:
    """The field V of the ways from nodes at which a threat is, up to the horizon."""
    size, n = grid.spans.size, len(grid.spans)
    away = Field(grid, threat, np.zeros(len(threat)))
    horizon = HORIZON * size
    near = away.up_to(horizon + 2.0 * size)
    distance = np.full(n + 1, -np.inf)
    distance[near] = np.minimum(away.time[near], horizon)
    around = np.concatenate((grid.links[:, near], grid.corners[:, near]))
    # All else is nearer to the threat than a neighbor, which attracts more.
    ends = near[distance[around].max(axis=0) <= distance[near]]
    beside = np.clip(1.0 - distance / (CLOSE * size), 0.0, 1.0)
    slowness = np.where(np.isfinite(distance), 1.0 + BESIDE * beside * beside, 1.0)
    return Field(grid, ends, -PULL * distance[ends], slowness, np.isfinite(distance))
