"""Where a straight course first comes within a distance of a surface.

Along a course p + t d, the gap g(t) = distance(p + t d) - reach closes at the rate -away . d. For a convex body g is
convex in t, so that Newton's method t += g / (-away . d) never overshoots: `first_touch`. A mesh need not be convex:
`touch_mesh` casts a ray, and marches with steps of at most the gap along the part of the course that hits nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays.frozen import Columns
from ..arrays.scalars import EPSILON, Rows, Scalars, which
from ..arrays.vectors import Vectors, across, dot, magnitude, picked
from .meshes import Mesh

TRIES = 16
"""Newton steps at most; each doubles the correct digits, except for a course that grazes the surface."""
CLOSE = 1e-9
"""Gap at which a surface counts as reached, relative to 1 m plus the distance along the course."""
MESH_TRIES = 8
"""Steps at most along a mesh that a course passes without hitting it."""
MESH_CLOSE = 0.02
"""Gap at which a mesh counts as reached, as a share of the reach."""
SLOWEST = 0.3
"""The least closing rate (cosine) that a step along a mesh assumes, which bounds its length."""
STEEPEST = 0.2
"""The least sine of the angle between course and mesh that is assumed: a hit at t touches at t - reach / sine."""

Surface = Callable[[Vectors, Rows], tuple[Scalars, Vectors]]
"""From points (m, 3) and the rows (m,) of their courses to the signed distances from the surface of each course, (m,),
and the unit directions away from it, (m, 3)."""


@dataclass(frozen=True)
class StraightCourses(Columns):
    """Straight courses, with how near to them and how far along them something counts.

    Attributes:
        points: (n, 3) where they begin, metres.
        along: (n, 3) unit directions.
        reach: (n,) the distance that counts as near, metres.
        furthest: (n,) distances along them at which the search ends, metres.
        lowest: (n,) the height that what counts of a mesh exceeds, metres; None for all.
    """

    points: Vectors
    along: Vectors
    reach: Scalars
    furthest: Scalars
    lowest: Scalars | None = None

    def at(self, way: Scalars) -> Vectors:
        """The places at distances along them, (n,) to (n, 3)."""
        return self.points + self.along * way[:, None]


def first_touch(surface: Surface, courses: StraightCourses, start: Scalars) -> tuple[Scalars, Vectors]:
    """The distances at which courses first come near convex bodies, inf if they do not, and the unit directions away
    from these there, by Newton's method. `surface`: the distance from the body of each course; `start`: (n,) distances
    at which the search begins, not beyond the result."""
    way = start.copy()
    distance, away = surface(courses.at(way), np.arange(len(way)))
    gap = distance - courses.reach
    missed = dot(away, courses.along) >= 0.0
    for _ in range(TRIES):
        open_rows = which(~missed & (gap > CLOSE * (1.0 + way)) & (way <= courses.furthest))
        if not len(open_rows):
            break
        still = courses.take(open_rows)
        closing = -dot(picked(away, open_rows), still.along)
        way[open_rows] += gap[open_rows] / np.where(closing > EPSILON, closing, 1.0)
        distance, out = surface(still.at(way[open_rows]), open_rows)
        gap[open_rows], away[open_rows] = distance - still.reach, out
        missed[open_rows] = dot(out, still.along) >= 0.0
    return np.where(missed | (way > courses.furthest), np.inf, way), away


def touch_mesh(mesh: Mesh, sign: float, courses: StraightCourses) -> tuple[Scalars, Vectors]:
    """As `first_touch`, of a mesh in its axes. A hit is found directly. Up to it, or to the end, the course advances
    step by step while nothing is near. `sign`: 1 if agents keep out of the mesh, -1 if they are in it and keep off its
    walls."""
    points, course, reach = courses.points, courses.along, courses.reach
    if not len(mesh):
        return np.full(len(points), np.inf), np.zeros((len(points), 3))
    low, high = mesh.bounds
    offset, radius = 0.5 * (low + high) - points, 0.5 * magnitude(high - low) + reach
    furthest = np.minimum(courses.furthest, magnitude(offset) + radius)
    hit_distance, triangle = mesh.hit(points, course, furthest + reach / STEEPEST)
    normal = mesh.normal[triangle]
    facing = dot(normal, course)
    away = np.where((facing > 0.0)[:, None], -normal, normal)
    steep = np.maximum(np.abs(facing), STEEPEST)
    way = np.where(triangle >= 0, np.maximum(hit_distance - reach / steep, 0.0), np.inf)
    limit = np.minimum(way, furthest)
    travelled = np.zeros(len(points))
    ahead = dot(offset, course)
    passing = (ahead + radius > 0.0) & (ahead - radius < furthest)
    open_rows = which(passing & (magnitude(across(offset, course)) < radius))
    # Surfaces beyond the end of a course matter only to an agent that is on the wrong side.
    sight = np.where(mesh.inside(points) | (sign < 0.0), np.inf, limit + reach)
    for _ in range(MESH_TRIES if len(open_rows) else 0):
        still = courses.take(open_rows)
        distance, out = mesh.surface(still.at(travelled[open_rows]), sight[open_rows], still.lowest)
        gap = distance * sign - still.reach
        close = gap <= MESH_CLOSE * still.reach
        closing = -dot(out * sign, still.along)
        touches = close & (closing > 0.0)
        touched = open_rows[touches]
        way[touched], away[touched] = travelled[touched], (out * sign)[touches]
        # Up to the plane through the nearest point; only a part that sticks out of it could be nearer.
        stride = gap / np.where(closing > SLOWEST, closing, np.where(closing > 0.0, SLOWEST, 1.0))
        travelled[open_rows] += np.maximum(stride, MESH_CLOSE * still.reach)
        open_rows = open_rows[~touches & (travelled[open_rows] < limit[open_rows])]
        if not len(open_rows):
            break
    return np.where(way > furthest, np.inf, way), away
