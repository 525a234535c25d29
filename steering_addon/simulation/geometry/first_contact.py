"""Where a straight course first comes near a surface."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors, across, dot, magnitude, picked
from .meshes import Mesh

TRIES = 16
"""Steps in which a course is followed up to a surface; each doubles the digits, but for courses that graze it."""
CLOSE = 1e-9
"""Share of the way at which a surface counts as reached."""
MESH_TRIES = 8
"""Steps in which a course is followed along a mesh that it passes rather than hits."""
MESH_CLOSE = 0.02
"""Share of the reach at which a mesh counts as reached."""
SLOWEST = 0.3
"""Cosine of the angle to the way to what is nearest that a stride reckons with at least."""
STEEPEST = 0.2
"""Share of the reach, before the place where a course hits a mesh, that even a glancing one is told of it."""

Surface = Callable[[Vectors, Rows], tuple[Scalars, Vectors]]
"""From (m, 3) places on (m,) of the courses to how far each is from its surface, (m,), and the unit directions away
from there, (m, 3)."""


def first_touch(
    surface: Surface, points: Vectors, course: Vectors, reach: Scalars, start: Scalars, furthest: Scalars
) -> tuple[Scalars, Vectors]:
    """Where straight courses first come near the surfaces of bodies without hollows, as `Obstacles.touch` has it.

    Newton's method: along a course the distance from such a body falls ever less, so that it never goes too far.

    Args:
        start: (n,) how far along its course each may go at once, metres.
    """
    way = start.copy()
    distance, away = surface(points + course * way[:, None], np.arange(len(points)))
    gap = distance - reach
    missed = dot(away, course) >= 0.0
    for _ in range(TRIES):
        going = np.flatnonzero(~missed & (gap > CLOSE * (1.0 + way)) & (way <= furthest))
        if not len(going):
            break
        along = picked(course, going)
        closing = -dot(picked(away, going), along)
        way[going] += gap[going] / np.where(closing > EPSILON, closing, 1.0)
        distance, out = surface(picked(points, going) + along * way[going, None], going)
        gap[going], away[going] = distance - reach[going], out
        missed[going] = dot(out, along) >= 0.0
    return np.where(missed | (way > furthest), np.inf, way), away


def touch_mesh(
    mesh: Mesh, sign: float, points: Vectors, course: Vectors, reach: Scalars, furthest: Scalars
) -> tuple[Scalars, Vectors]:
    """Where straight courses first come near a mesh, as `Obstacles.touch` has it, in the axes of the mesh.

    What a course hits is found at once. Past what it does not hit it goes in steps as long as there is nothing near.

    Args:
        sign: 1 for who has to keep out of a closed mesh, -1 for who is in it.
    """
    if not len(mesh):
        return np.full(len(points), np.inf), np.zeros((len(points), 3))
    low, high = mesh.bounds
    offset, radius = 0.5 * (low + high) - points, 0.5 * magnitude(high - low) + reach
    furthest = np.minimum(furthest, magnitude(offset) + radius)
    met, triangle = mesh.hit(points, course, furthest + reach / STEEPEST)
    normal = mesh.normal[triangle]
    facing = dot(normal, course)
    away = np.where((facing > 0.0)[:, None], -normal, normal)
    steep = np.maximum(np.abs(facing), STEEPEST)
    way = np.where(triangle >= 0, np.maximum(met - reach / steep, 0.0), np.inf)
    limit = np.minimum(way, furthest)
    gone = np.zeros(len(points))
    ahead = dot(offset, course)
    passing = (ahead + radius > 0.0) & (ahead - radius < furthest)
    going = np.flatnonzero(passing & (magnitude(across(offset, course)) < radius))
    # What is further away than a course leads matters only to who is where it should not be.
    seen = np.where(mesh.inside(points) | (sign < 0.0), np.inf, limit + reach)
    for _ in range(MESH_TRIES if len(going) else 0):
        distance, out = mesh.surface(points[going] + course[going] * gone[going, None], seen[going])
        gap = distance * sign - reach[going]
        near = gap <= MESH_CLOSE * reach[going]
        nearing = -dot(out * sign, course[going])
        found = near & (nearing > 0.0)
        touched = going[found]
        way[touched], away[touched] = gone[touched], (out * sign)[found]
        # As far as the plane of what is nearest; there is nothing else before it but what sticks out.
        stride = gap / np.where(nearing > SLOWEST, nearing, np.where(nearing > 0.0, SLOWEST, 1.0))
        gone[going] += np.maximum(stride, MESH_CLOSE * reach[going])
        going = going[~found & (gone[going] < limit[going])]
        if not len(going):
            break
    return np.where(way > furthest, np.inf, way), away
