"""Currents painted on a mesh: each place of its surface has a direction, and what is near goes its way.

Such a map from places to directions an artist paints without a program (paper, Flow Field Following).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors, cross, dot
from .meshes import Mesh, mesh


@dataclass(frozen=True)
class Current:
    """A painted mesh in world space.

    Attributes:
        surface: the mesh.
        flow: (3, f, 3) the flow at the corners of each triangle as the mesh has them, no longer than 1.
    """

    surface: Mesh
    flow: NDArray[np.float64]

    def sampled(self, points: Vectors, reach: Scalars) -> tuple[Scalars, Vectors]:
        """The flow at the nearest place of the surface to each point.

        Returns:
            distance: (n,) metres to it, inf where it is out of reach.
            flow: (n, 3) no longer than 1, zero where it is out of reach.
        """
        distance, place, triangle = self.surface.nearest(points, reach)
        flow = np.zeros((len(points), 3))
        near = np.flatnonzero(triangle >= 0)
        if len(near):
            row = triangle[near]
            share = _shares(self.surface.corners[:, row], place[near])
            a, b, c = (self.flow[corner, row] * share[corner][:, None] for corner in range(3))
            flow[near] = a + b + c
        return distance, flow


def current(points: Vectors, triangles: Rows, flow: Vectors) -> Current:
    """A current on triangles (f, 3), rows of points (v, 3), with the flow at each corner of each of them, (f, 3, 3)."""
    surface = mesh(points, triangles)
    sorted_flow = np.asarray(flow, dtype=np.float64).reshape(-1, 3, 3)[surface.order]
    length = np.sqrt(dot(sorted_flow, sorted_flow))
    sorted_flow = sorted_flow / np.maximum(length, 1.0)[..., None]
    return Current(surface, np.ascontiguousarray(np.swapaxes(sorted_flow, 0, 1)))


def _shares(corners: NDArray[np.float64], places: Vectors) -> tuple[Scalars, Scalars, Scalars]:
    """How much each corner of triangles counts at places on them, (m,) each, 1 together."""
    a, b, c = corners
    normal = cross(b - a, c - a)
    square = dot(normal, normal)
    safe = np.maximum(square, EPSILON * EPSILON)
    second = dot(cross(places - a, c - a), normal) / safe
    third = dot(cross(b - a, places - a), normal) / safe
    return 1.0 - second - third, second, third
