"""Terrain: the surfaces that vehicles stand on, at the beginning and at the end of a step."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from .arrays.frozen import Columns
from .arrays.scalars import Rows, Scalars, shared
from .arrays.vectors import Vectors, columns, magnitude, unit
from .geometry.floors import NO_TRIANGLE, Footing
from .geometry.obstacles import Obstacles
from .geometry.surfaces import NO_SURFACES, Surfaces

FINDS_GROUND = (0.5, 2.0)
"""Metres above and below its start within which a body finds the ground it starts on, the nearer ground first."""
A_LITTLE = 0.1
"""Metres ahead of a body to the place that tells how what it stands on turns."""


@dataclass(frozen=True)
class Terrain(Columns):
    """The ground of vehicles during a step. `before`, `after`: the surfaces at the beginning and at the end of the
    step; `lift`: (n,) metres from the place where each vehicle stands up to its origin; `obstacles`: what stands on it,
    in world space, at the beginning of the step."""

    before: Surfaces
    after: Surfaces
    lift: Scalars
    obstacles: Obstacles | None = None

    def feet(self, position: Vectors) -> Vectors:
        """The places where vehicles with their origins at positions (n, 3) stand, (n, 3) metres."""
        return columns(position[:, 0], position[:, 1], position[:, 2] - self.lift)

    def first_footing(self, x: Scalars, y: Scalars, height: Scalars) -> Footing:
        """The footing below each start position, given by x, y and height, (n,) metres each."""
        n = len(x)
        near, far = (self.after.under(x, y, height, shared(reach, n), shared(reach, n)) for reach in FINDS_GROUND)
        return near.otherwise(far)

    def known(self, triangle: Rows) -> Rows:
        """Rows of triangles at the beginning of the step, as at its end: -1 for all if faces have come or gone."""
        if self.after is self.before or self.after.has_triangles_of(self.before):
            return triangle
        return np.full_like(triangle, NO_TRIANGLE)


def no_terrain(n: int) -> Terrain:
    """The terrain of n vehicles that stand on no surface."""
    return Terrain(NO_SURFACES, NO_SURFACES, np.zeros(n))


def carried(terrain: Terrain, position: Vectors, forward: Vectors, triangle: Rows) -> tuple[Vectors, Vectors]:
    """Where what they stand on takes bodies during a step: their positions and level headings, (n, 3) each.

    Args:
        position, forward: (n, 3) of bodies that face level.
        triangle: (n,) of the surfaces before, on which they stand; -1 for none.
    """
    before, after = terrain.before, terrain.after
    if after is before or not after.has_triangles_of(before):
        return position, forward
    stands = triangle >= 0
    ahead = position + forward * A_LITTLE
    starts, ends = (
        [surfaces.place(triangle, *before.shares(triangle, point[:, 0], point[:, 1])) for point in (position, ahead)]
        for surfaces in (before, after)
    )
    carried_position = np.where(stands[:, None], position + (ends[0] - starts[0]), position)
    heading = ends[1] - ends[0]
    heading = unit(columns(heading[:, 0], heading[:, 1], 0.0))
    turned = stands & (magnitude(heading) > 0.5) & (starts[0] != ends[0]).any(axis=1)
    return carried_position, np.where(turned[:, None], heading, forward)


class Misplaced(Enum):
    """A fault; each value is a name in the program only."""

    OFF_GROUND = "off_ground"
    TOO_STEEP = "too_steep"
    BOXED_IN = "boxed_in"
    AT_BORDER = "at_border"
    WHEELS_HANG = "wheels_hang"
    UPSIDE_DOWN = "upside_down"
