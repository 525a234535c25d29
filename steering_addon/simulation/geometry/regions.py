"""Regions: ellipsoids, boxes and meshes that vehicles keep to.

A region has a centre, unit axes and half sides h. In its axes a point p is inside an ellipsoid if |p / h| <= 1, and
inside a box if |p_k| <= h_k for each k.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.once import once
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, clamp, same_for_all, which
from ..arrays.vectors import Vectors, magnitude, no_vectors, picked, unit
from ..declaration import Choice

SHAPES = (
    Choice("SPHERE", 0, "Sphere", "A sphere or ellipsoid as large as the object"),
    Choice("BOX", 1, "Box", "A box as large as the object"),
    Choice("MESH", 2, "Mesh", "The inside of the object's own surface, with its modifiers; it must be closed"),
)
SPHERE, BOX, MESH = (c.number for c in SHAPES)


@dataclass(frozen=True)
class Regions:
    """k regions.

    Attributes:
        axes: (k, 3, 3) its unit axes as rows.
        half: (k, 3) half sides along the axes, metres.
        shape: (k,) the number of a choice of SHAPES.
        present: (k,) whether it exists at this moment.
        mesh: (k,) the mesh in its own axes about its centre; None for other shapes.
    """

    centre: Vectors
    axes: Vectors
    half: Vectors
    shape: Rows
    present: Mask
    mesh: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.shape)

    def way_in(self, points: Vectors, region: Rows, scale: float | Vectors = 1.0) -> Vectors:
        """The vector from each point to the nearest point inside its region, (n, 3) metres; zero for points inside.

        For an ellipsoid, the point where the line to its centre enters it.

        Args:
            region: (n,) rows, none negative.
            scale: the region is scaled by this about its centre; of a single region (n, 3), along each of its axes.
        """
        if same_for_all(region):
            return self._way_into(int(region[0]), points, scale)
        offset = no_vectors(len(points))
        for row in np.unique(region).tolist():
            rows = which(region == row)
            offset[rows] = self._way_into(row, picked(points, rows), scale)
        return offset

    def _way_into(self, row: int, points: Vectors, scale: float | Vectors) -> Vectors:
        """As `way_in`, for the region of one row."""
        half, local = self.half[row] * scale, self._local(points, row)
        if self.shape[row] == SPHERE:
            share = magnitude(local / np.maximum(half, EPSILON))
            inside = local / np.maximum(share, 1.0)[:, None]
        elif self.shape[row] == MESH:
            distance, away = self.mesh[row].surface(local)
            depth = ((1.0 - scale) * self.half[row]).min(axis=-1)
            inside = local - away * np.maximum(distance + depth, 0.0)[:, None]
        else:
            inside = clamp(local, -half, half)
        return self._global(inside - local, row)

    def _local(self, points: Vectors, row: int) -> Vectors:
        """The offsets of points (n, 3) from the centre of a region, along its axes; (n, 3) metres."""
        offset = points - self.centre[row]
        return offset if self._upright[row] else _along_axes(offset, self.axes[row].T)

    def _global(self, offset: Vectors, row: int) -> Vectors:
        """Offsets along the axes of a region (n, 3) along those of the world, (n, 3)."""
        return offset if self._upright[row] else _along_axes(offset, self.axes[row])

    @once
    def _upright(self) -> list[bool]:
        """Whether the axes of each region are those of the world."""
        return (self.axes == np.eye(3)).all(axis=(1, 2)).tolist()

    def shares(self, points: Vectors, region: int) -> Vectors:
        """Points (n, 3) in coordinates of a region, (n, 3): along each axis from -1 at one side to 1 at the other."""
        return self._local(points, region) / np.maximum(self.half[region], EPSILON)

    def places(self, shares: Vectors, region: int) -> Vectors:
        """The points (n, 3) at coordinates (n, 3) of a region; the inverse of `shares`."""
        return self._global(shares * self.half[region], region) + self.centre[region]

    def size(self, region: Rows) -> Scalars:
        """The least half side of the regions in some rows, (n,) to (n,) metres."""
        return np.asarray(self.half.min(axis=1)[region])

    def nearest(self, points: Vectors) -> Rows:
        """The row of the region that contains each point (n, 3), or is nearest to it, (n,); -1 without regions."""
        rows = which(self.present)
        if not len(rows):
            return np.full(len(points), -1, dtype=np.int64)
        if len(rows) == 1:
            return np.full(len(points), rows[0])
        distance = np.stack([magnitude(self._way_into(row, points, 1.0)) for row in rows.tolist()], axis=-1)
        return rows[np.argmin(distance, axis=1)]


def _along_axes(v: Vectors, axes: Vectors) -> Vectors:
    """The vectors x a + y b + z c from their components (n, 3) along the rows a, b, c of `axes` (3, 3); (n, 3)."""
    memory = np.empty((3, len(v)))
    terms = np.empty((3, len(v)))
    for axis, factors in enumerate(axes.T):
        np.multiply(v.T, factors[:, None], out=terms)
        np.add(terms[0], terms[1], out=memory[axis])
        memory[axis] += terms[2]
    return memory.T


def regions(centre: Vectors, half: Vectors, shape: Rows, axes: Vectors | None = None) -> Regions:
    """Regions from centres (k, 3), half sides (k, 3), shapes (k,) and axes (k, 3, 3), by default those of the world.
    Single values hold for all regions."""
    centre = np.asarray(centre, dtype=np.float64).reshape(-1, 3)
    k = len(centre)
    return Regions(
        centre,
        np.broadcast_to(np.eye(3), (k, 3, 3)) if axes is None else unit(axes),
        np.broadcast_to(np.asarray(half, dtype=np.float64), (k, 3)),
        np.broadcast_to(np.asarray(shape, dtype=np.int64), (k,)),
        np.ones(k, dtype=np.bool_),
        np.full(k, None, dtype=np.object_),
    )
