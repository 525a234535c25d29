"""Currents painted on a mesh: each point of its surface has a direction, which nearby vehicles follow.

The paper (Flow Field Following) has an artist paint such a map from points to directions. Between the corners of a
triangle the flow is interpolated with barycentric coordinates.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import EPSILON, Rows, Scalars
from ..arrays.vectors import Vectors, cross, dot
from .meshes import Mesh, mesh


@dataclass(frozen=True)
class Current:
    """A painted mesh in world space.

    Attributes:
        surface: the mesh.
        flow: (3, f, 3) the flow at the corners of each triangle, of length 1 at most, in the order of the mesh.
    """

    surface: Mesh
    flow: NDArray[np.float64]

    def sampled(self, points: Vectors, reach: Scalars) -> tuple[Scalars, Vectors]:
        """The flow at the nearest point of the surface.

        Args:
            points: (n, 3) metres.
            reach: (n,) metres.

        Returns:
            distance: (n,) metres to the surface, inf if it is out of reach.
            flow: (n, 3) of length 1 at most, zero if it is out of reach.
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
    """A current on points (v, 3) and triangles (f, 3) of their rows, with the flow at each corner, (f, 3, 3)."""
    surface = mesh(points, triangles)
    sorted_flow = np.asarray(flow, dtype=np.float64).reshape(-1, 3, 3)[surface.order]
    length = np.sqrt(dot(sorted_flow, sorted_flow))
    sorted_flow = sorted_flow / np.maximum(length, 1.0)[..., None]
    return Current(surface, np.ascontiguousarray(np.swapaxes(sorted_flow, 0, 1)))


def _shares(corners: NDArray[np.float64], places: Vectors) -> tuple[Scalars, Scalars, Scalars]:
    """The barycentric coordinates of points (m, 3) on triangles with corners (3, m, 3); (m,) for each corner."""
    a, b, c = corners
    normal = cross(b - a, c - a)
    square = dot(normal, normal)
    safe = np.maximum(square, EPSILON * EPSILON)
    second = dot(cross(places - a, c - a), normal) / safe
    third = dot(cross(b - a, places - a), normal) / safe
    return 1.0 - second - third, second, third
