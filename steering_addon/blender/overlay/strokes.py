"""Lines to be drawn over a scene, as pairs of points (2k, 3), worked out without drawing anything."""

from __future__ import annotations

import numpy as np

from ...simulation.arrays.vectors import across, cross, magnitude, unit
from ...simulation.geometry.meshes import Mesh
from ...simulation.geometry.painted_flows import Current
from ...simulation.geometry.paths import Spline

ROUND = np.linspace(0.0, 2.0 * np.pi, 33)
"""Angles of the points of a circle."""
BARB = 0.25
"""Length of an arrow's barbs, as a share of its own."""
MOST_RINGS = 24
"""Rings and direction marks along a line of a path."""
MOST_TRIANGLES = 2000
"""Triangles of a surface that are drawn."""
MOST_ARROWS = 400
"""Arrows over a painted mesh."""
ARROW, ABOVE, WEAK = 0.5, 0.03, 0.02
"""Their length and height above it, as a share of what each stands for, and the flow from which on there is one."""
SIDES = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
UP = np.array([0.0, 0.0, 1.0])
EDGES = np.array(
    [(a, b) for a in range(8) for b in range(a + 1, 8) if (a ^ b) in (1, 2, 4)],
)
"""The edges of a box by the numbers of their corners, whose bits are the sides they are on."""

Points = np.ndarray


def line(points: Points) -> Points:
    """A line through points (k, 3)."""
    return np.stack((points[:-1], points[1:]), axis=1).reshape(-1, 3)


def ring(centre: Points, one: Points, other: Points, angles: np.ndarray = ROUND) -> Points:
    """An ellipse about a point by two half axes (3,); with fewer angles a part of it."""
    return line(centre + np.cos(angles)[:, None] * one + np.sin(angles)[:, None] * other)


def rings(centres: Points, ones: Points, others: Points) -> Points:
    """Ellipses about points (n, 3) by two half axes (n, 3) each."""
    cosines, sines = np.cos(ROUND)[None, :, None], np.sin(ROUND)[None, :, None]
    points = centres[:, None] + cosines * ones[:, None] + sines * others[:, None]
    return np.stack((points[:, :-1], points[:, 1:]), axis=2).reshape(-1, 3)


def ellipsoid(centre: Points, half: Points) -> Points:
    """A ball stretched along its half axes (3, 3), as three rings."""
    return np.concatenate([ring(centre, half[k], half[k - 1]) for k in range(3)])


def drawn_out(start: Points, end: Points, radius: float) -> Points:
    """A ball drawn out from one point to another, as the simulation has obstacles."""
    axis = end - start
    if not magnitude(axis[None])[0] > 1e-6 * radius:
        return ellipsoid(start, np.eye(3) * radius)
    along = unit(axis[None])[0]
    one, other = (radius * side for side in _sides(along))
    half = np.linspace(0.0, np.pi, 17)
    parts = [ring(place, one, other) for place in (start, end)]
    for side in (one, other):
        parts.append(ring(end, side, radius * along, half))
        parts.append(ring(start, side, -radius * along, half))
        parts.append(np.array([start + side, end + side, start - side, end - side]))
    return np.concatenate(parts)


def box(centre: Points, half: Points) -> Points:
    """The twelve edges of a box by its half axes (3, 3)."""
    signs = np.array([[1.0 if number & bit else -1.0 for bit in (1, 2, 4)] for number in range(8)])
    corners = centre + np.einsum("kb,bc->kc", signs, half)
    return corners[EDGES].reshape(-1, 3)


def surface(mesh: Mesh) -> Points:
    """The edges of a surface, those between triangles once; of a large one those of some triangles."""
    every = max(-(-len(mesh) // MOST_TRIANGLES), 1)
    rows = np.arange(0, len(mesh), every)
    parts = []
    for corner in range(3):
        beyond = mesh.neighbor[corner, rows]
        once = rows[(beyond < 0) | (beyond > rows) | (beyond % every != 0)]
        edges = (mesh.corners[corner, once], mesh.corners[(corner + 1) % 3, once])
        parts.append(np.stack(edges, axis=1).reshape(-1, 3))
    return np.concatenate(parts)


def painted(current: Current) -> Points:
    """Arrows over a painted mesh the way it flows, as long as the flow is strong; over a large one fewer."""
    every = max(-(-len(current.surface) // MOST_ARROWS), 1)
    corners, flow = current.surface.corners[:, ::every], current.flow[:, ::every].mean(axis=0)
    normal = cross(corners[1] - corners[0], corners[2] - corners[0])
    size = np.sqrt(magnitude(normal) * every)[:, None]
    # A little above the surface, which would hide them where it is drawn as well.
    tail = corners.mean(axis=0) + unit(normal) * (ABOVE * size) - 0.5 * ARROW * size * flow
    strong = magnitude(flow) > WEAK
    return arrows(tail[strong], (ARROW * size * flow)[strong], unit(cross(normal, flow))[strong])


def arrows(tail: Points, way: Points, aside: Points) -> Points:
    """Arrows from points (n, 3) along vectors, their barbs in the plane of these and of unit vectors aside."""
    tip = tail + way
    back, wide = way * BARB, aside * (magnitude(way) * BARB * 0.5)[:, None]
    return np.stack((tail, tip, tip, tip - back + wide, tip, tip - back - wide), axis=1).reshape(-1, 3)


def way_marks(spline: Spline, size: float) -> Points:
    """Arrow heads along a line of a curve that show which way it goes."""
    places, tangents, side, _ = _along(spline, 4.0 * size)
    tips, barb = places + tangents * size, side * (0.6 * size)
    back = tips - tangents * (1.2 * size)
    return np.stack((tips, back + barb, tips, back - barb), axis=1).reshape(-1, 3)


def spine(spline: Spline) -> Points:
    """A line of a curve itself."""
    return line(np.concatenate((spline.points, spline.points[:1])) if spline.closed else spline.points)


def tube(spline: Spline, radius: float) -> Points:
    """How far to either side of a line of a curve is still on it: rings across, and lines along."""
    places, _, side, up = _along(spline, 4.0 * radius)
    parts = [rings(places, radius * side, radius * up)]
    fine = np.linspace(0.0, spline.length, min(max(len(spline.points), 2), 256))
    centres, (across_it, above) = spline.position(fine), _frames(spline.tangent(fine))
    for a, b in SIDES:
        parts.append(line(centres + radius * (a * across_it + b * above)))
    return np.concatenate(parts)


def _along(spline: Spline, apart: float) -> tuple[Points, Points, Points, Points]:
    """Places evenly along a line, no closer than so many metres: points, tangents, and what is aside and above."""
    number = int(min(max(spline.length / max(apart, 1e-9), 1.0), MOST_RINGS))
    along = (np.arange(number) + 0.5) * (spline.length / number)
    tangents = spline.tangent(along)
    return (spline.position(along), tangents, *_frames(tangents))


def _frames(tangents: Points) -> tuple[Points, Points]:
    """Unit vectors aside, level where that can be, and above."""
    side = cross(tangents, np.broadcast_to(UP, tangents.shape))
    side = unit(np.where((magnitude(side) < 1e-6)[:, None], (1.0, 0.0, 0.0), side))
    return side, cross(side, tangents)


def _sides(along: Points) -> tuple[Points, Points]:
    """Two unit vectors square to a unit vector and to each other."""
    least = np.eye(3)[np.argmin(np.abs(along))]
    one = unit(across(least[None], along[None]))
    return one[0], cross(along[None], one)[0]
