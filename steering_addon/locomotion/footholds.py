"""Footholds: whether walkers can stand and set off where they are placed."""

import numpy as np

from ..simulation.arrays.angles import cosine_and_sine, cosine_of_setting
from ..simulation.arrays.scalars import Mask, Rows, Scalars, largest, shared, which
from ..simulation.arrays.vectors import Vectors, columns, paired
from ..simulation.terrain import Misplaced, Terrain
from .walkable import Walkable, along_ground

AROUND = tuple(zip(*(column.tolist() for column in cosine_and_sine(np.arange(8.0) * (np.pi / 4.0)))))
"""The cosines and sines of the directions in which a walker may set off."""
HANGS = -0.5
"""The height of the up axis, a unit vector, below which a body hangs rather than stands."""
SHARES = (0.5, 1.0)
"""The shares of its way at which it looks at the ground."""


def misplaced_walkers(
    walkable: Walkable, terrain: Terrain, feet: Vectors, up: Vectors, radius: Scalars, distance: Scalars
) -> dict[Misplaced, Mask]:
    """The walkers that start off the ground, upside down, on too steep ground, boxed in, or on the border; (n,) each.

    A walker is boxed in if it cannot go on in any direction, and on the border if its body reaches over it.

    Args:
        feet: (n, 3) where they are placed, metres.
        up: (n, 3) their up axes as they are placed.
        radius: (n,) of the bodies, metres.
        distance: (n,) how far they must be able to go, metres.
    """
    x, y, z = feet.T
    footing = terrain.first_footing(x, y, z)
    stands = footing.triangle >= 0
    hangs = is_upside_down(up)
    steep = stands & ~hangs & walkable.is_too_steep(footing.triangle)
    boxed, border = np.zeros(len(x), dtype=np.bool_), np.zeros(len(x), dtype=np.bool_)
    gentle = float(cosine_of_setting(walkable.max_slope).max(initial=0.0))
    is_open = terrain.after.open_to(x, y, gentle, largest(np.maximum(radius, distance)))
    rows = which(stands & ~hangs & ~steep & ~is_open)
    if len(rows):
        stood = columns(x[rows], y[rows], footing.height[rows])
        normal = terrain.after.normal_at(footing.triangle[rows], footing.u[rows], footing.v[rows])
        subset = walkable.take(rows)
        boxed[rows] = _is_boxed_in(subset, stood, normal, distance[rows])
        over = [_ahead(subset, stood, normal, direction, radius[rows]) < 0 for direction in _around(len(rows))]
        border[rows] = subset.refuses_edges & np.any(over, axis=0)
    return {
        Misplaced.OFF_GROUND: ~stands,
        Misplaced.UPSIDE_DOWN: hangs & stands,
        Misplaced.TOO_STEEP: steep,
        Misplaced.BOXED_IN: boxed,
        Misplaced.AT_BORDER: border & ~boxed,
    }


def is_upside_down(up: Vectors) -> Mask:
    """Whether bodies with these up axes, (n, 3), hang rather than stand, (n,)."""
    return up[:, 2] < HANGS


def _is_boxed_in(walkable: Walkable, feet: Vectors, normal: Vectors, distance: Scalars) -> Mask:
    free = np.zeros(len(feet), dtype=np.bool_)
    limit = cosine_of_setting(walkable.max_slope)
    for direction in _around(len(feet)):
        is_free = np.ones(len(feet), dtype=np.bool_)
        for share in SHARES:
            ahead = _ahead(walkable, feet, normal, direction, share * distance)
            is_free &= np.where(ahead < 0, ~walkable.refuses_edges, walkable.surfaces.levelness(ahead) >= limit)
        free |= is_free
    return ~free


def _around(n: int) -> list[Vectors]:
    """Unit vectors all round as seen from above, (n, 2) each."""
    return [paired(shared(cosine, n), shared(sine, n)) for cosine, sine in AROUND]


def _ahead(walkable: Walkable, feet: Vectors, normal: Vectors, direction: Vectors, distance: Scalars) -> Rows:
    """The ground trodden after a way, (n,); -1 for nothing."""
    return walkable.footing(feet, along_ground(normal, direction, distance), normal).triangle
