"""Regions: spheres, boxes and meshes that vehicles keep to, turned and stretched as their objects are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    clamp,
    columns,
    magnitude,
    no_vectors,
    picked,
    same_for_all,
    unit,
)
from ..declaration import Choice
from .meshes import Mesh

SHAPES = (
    Choice("SPHERE", 0, "Sphere", "Round, as wide as the object"),
    Choice("BOX", 1, "Box", "With flat sides, as wide as the object"),
    Choice("MESH", 2, "Mesh", "The inside of the object's own surface, with its modifiers, which has no holes"),
)
SPHERE, BOX, MESH = (c.number for c in SHAPES)


@dataclass(frozen=True)
class Regions:
    """Where vehicles may be.

    Attributes:
        centre: (k, 3) metres.
        axes: (k, 3, 3) unit axes of each one as rows.
        half: (k, 3) metres from the centre to the edge along each axis.
        shape: (k,) the number of a choice of SHAPES.
        present: (k,) whether it is there at the moment.
        mesh: (k,) the meshes, in their axes about their centres; None for what is none.
    """

    centre: Vectors
    axes: Vectors
    half: Vectors
    shape: Rows
    present: Mask
    mesh: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.shape)

    def way_in(self, points: Vectors, region: Rows, part: float = 1.0) -> Vectors:
        """From each point to the nearest place inside its region, (n, 3) metres; zero for points inside.

        For a stretched sphere the place is where the line to its centre enters it.

        Args:
            region: (n,) rows, none negative.
            part: the share of the region, about its middle, that counts as inside.
        """
        if same_for_all(region):
            return self._way_into(int(region[0]), points, part)
        way = no_vectors(len(points))
        for row in np.unique(region).tolist():
            here = np.flatnonzero(region == row)
            way[here] = self._way_into(row, picked(points, here), part)
        return way

    def _way_into(self, row: int, points: Vectors, part: float) -> Vectors:
        """From each point to the nearest place inside one region, (n, 3) metres."""
        offset = points - self.centre[row]
        axes, half = self.axes[row], self.half[row] * part
        local = _turned(offset, axes.T)
        if self.shape[row] == SPHERE:
            share = magnitude(local / np.maximum(half, EPSILON))
            inside = local / np.maximum(share, 1.0)[:, None]
        elif self.shape[row] == MESH:
            inside = _way_into_mesh(self.mesh[row], local, (1.0 - part) * float(self.half[row].min()))
        else:
            inside = clamp(local, -half, half)
        return _turned(inside - local, axes)

    def shares(self, points: Vectors, region: int) -> Vectors:
        """Where points are in a region, (n, 3): from -1 to 1 along each of its axes while they are in its box."""
        return _turned(points - self.centre[region], self.axes[region].T) / np.maximum(self.half[region], EPSILON)

    def places(self, shares: Vectors, region: int) -> Vectors:
        """The points at some shares of a region, (n, 3) metres; the way back from `shares`."""
        return _turned(shares * self.half[region], self.axes[region]) + self.centre[region]

    def size(self, region: Rows) -> Scalars:
        """(n,) metres from centre to edge along each region's shortest axis."""
        return np.asarray(self.half.min(axis=1)[region])

    def nearest(self, points: Vectors) -> Rows:
        """The region each point is in or nearest to, (n,); -1 where there is none."""
        here = np.flatnonzero(self.present)
        if not len(here):
            return np.full(len(points), -1, dtype=np.int64)
        if len(here) == 1:
            return np.full(len(points), here[0])
        distance = np.stack([magnitude(self._way_into(row, points, 1.0)) for row in here.tolist()], axis=-1)
        return here[np.argmin(distance, axis=1)]


def _way_into_mesh(mesh: Mesh, points: Vectors, depth: float) -> Vectors:
    """The nearest places inside a mesh, or as deep below its surface, of points outside; the points that are inside."""
    distance, away = mesh.surface(points)
    return np.where((distance > 0.0)[:, None], points - away * (distance + depth)[:, None], points)


def _turned(v: Vectors, axes: Vectors) -> Vectors:
    """The vectors (n, 3) whose components are given along the rows of `axes` (3, 3), put together."""
    x, y, z = v.T
    return columns(*(x * a + y * b + z * c for a, b, c in axes.T.tolist()))


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
        np.full(k, None, dtype=np.object_),
    )
