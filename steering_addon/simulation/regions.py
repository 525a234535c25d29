"""Regions: spheres and boxes that vehicles keep to, turned and stretched as their objects are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .declaration import Choice
from .vectors import EPSILON, Mask, Rows, Scalars, Vectors, clamp, dot, magnitude, unit

SHAPES = (
    Choice("SPHERE", 0, "Sphere", "Round, as wide as the object"),
    Choice("BOX", 1, "Box", "With flat sides, as wide as the object"),
)
SPHERE, BOX = (c.number for c in SHAPES)


@dataclass(frozen=True)
class Regions:
    """Where vehicles may be.

    Attributes:
        centre: (k, 3) metres.
        axes: (k, 3, 3) unit axes of each one as rows.
        half: (k, 3) metres from the centre to the edge along each axis.
        shape: (k,) the number of a choice of SHAPES.
        present: (k,) whether it is there at the moment.
    """

    centre: Vectors
    axes: Vectors
    half: Vectors
    shape: Rows
    present: Mask

    def __len__(self) -> int:
        return len(self.shape)

    def way_in(self, points: Vectors, region: Rows) -> Vectors:
        """From each point to the nearest place inside its region, (n, 3) metres; zero for points inside.

        For a stretched sphere the place is where the line to its centre enters it.

        Args:
            region: (n,) rows, none negative.
        """
        offset = points - self.centre[region]
        axes, half = self.axes[region], self.half[region]
        local = np.stack([dot(offset, axes[:, axis]) for axis in range(3)], axis=-1)
        inside = clamp(local, -half, half)
        share = magnitude(local / np.maximum(half, EPSILON))
        round_inside = local / np.maximum(share, 1.0)[:, None]
        way = np.where((self.shape[region] == SPHERE)[:, None], round_inside, inside) - local
        turned = way[:, :1] * axes[:, 0] + way[:, 1:2] * axes[:, 1] + way[:, 2:] * axes[:, 2]
        return np.asarray(turned, dtype=np.float64)

    def size(self, region: Rows) -> Scalars:
        """(n,) metres from centre to edge along each region's shortest axis."""
        half = self.half[region]
        return np.asarray(np.minimum(np.minimum(half[:, 0], half[:, 1]), half[:, 2]))

    def nearest(self, points: Vectors) -> Rows:
        """The region each point is in or nearest to, (n,); -1 where there is none."""
        here = np.flatnonzero(self.present)
        if not len(here):
            return np.full(len(points), -1, dtype=np.int64)
        distance = np.stack(
            [magnitude(self.way_in(points, np.full(len(points), row))) for row in here.tolist()], axis=-1
        )
        return here[np.argmin(distance, axis=1)]


def regions(centre: Vectors, half: Vectors, shape: Rows, axes: Vectors | None = None) -> Regions:
    """Regions that are all there, upright where no axes are given."""
    centre = np.asarray(centre, dtype=np.float64).reshape(-1, 3)
    k = len(centre)
    return Regions(
        centre,
        np.broadcast_to(np.eye(3), (k, 3, 3)) if axes is None else unit(axes),
        np.broadcast_to(np.asarray(half, dtype=np.float64), (k, 3)),
        np.broadcast_to(np.asarray(shape, dtype=np.int64), (k,)),
        np.ones(k, dtype=np.bool_),
    )
