"""Shapes of the overlay as line segments: pairs of points (2k, 3) in world space, in metres."""

import numpy as np

from ...simulation.arrays.vectors import across, cross, magnitude, unit
from ...simulation.geometry.flows import Current
from ...simulation.geometry.meshes import Mesh
from ...simulation.geometry.paths import Spline

CIRCLE = np.linspace(0.0, 2.0 * np.pi, 33)
"""Angles of the vertices of a circle, in radians."""
BARB = 0.25
"""Length of an arrow's barbs, as a fraction of the arrow's."""
MOST_RINGS = 24
"""Largest number of rings or direction marks along a spline."""
MOST_TRIANGLES = 2000
"""Largest number of triangles drawn of a surface."""
MOST_ARROWS = 400
"""Largest number of arrows over a painted mesh."""
ARROW, ABOVE, WEAK = 0.5, 0.03, 0.02
"""Length of the arrows and their height above the mesh, relative to the size of the area that each one represents, and
the flow below which none is drawn."""
SIDES = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
UP = np.array([0.0, 0.0, 1.0])
EDGES = np.array([(a, b) for a in range(8) for b in range(a + 1, 8) if (a ^ b) in (1, 2, 4)])
"""(12, 2) the edges of a box by the numbers of their corners; each bit of a number is a side of the box."""

Points = np.ndarray


def line(points: Points) -> Points:
    """A polyline through points (k, 3)."""
    return np.stack((points[:-1], points[1:]), axis=1).reshape(-1, 3)


def ring(center: Points, first: Points, second: Points, angles: np.ndarray = CIRCLE) -> Points:
    """An ellipse around a point by its two half axes (3,), or the arc of it at the given angles."""
    return line(center + np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * second)


def rings(centers: Points, first: Points, second: Points) -> Points:
    """Ellipses around points (n, 3) by their two half axes (n, 3)."""
    return stadiums(centers, np.zeros_like(centers), first, second)


def stadiums(centers: Points, axes: Points, first: Points, second: Points) -> Points:
    """The outlines of capsules, of points (n, 3), by half axes (n, 3); rings where these are 0. `first`, `second`: (n,
    3) the radius across the axis and along it."""
    cosines, sines = np.cos(CIRCLE)[None, :, None], np.sin(CIRCLE)[None, :, None]
    ends = np.where(sines >= 0.0, 1.0, -1.0) * axes[:, None]
    points = centers[:, None] + ends + cosines * first[:, None] + sines * second[:, None]
    points[:, -1] = points[:, 0]
    return np.stack((points[:, :-1], points[:, 1:]), axis=2).reshape(-1, 3)


def ellipsoid(center: Points, half: Points) -> Points:
    """An ellipsoid by its half axes (3, 3), as three rings."""
    return np.concatenate([ring(center, half[k], half[k - 1]) for k in range(3)])


def capsule(start: Points, end: Points, radius: float) -> Points:
    """A capsule: the points within the radius of a line segment, the shape of round obstacles."""
    axis = end - start
    if not magnitude(axis[None])[0] > 1e-6 * radius:
        return ellipsoid(start, np.eye(3) * radius)
    along = unit(axis[None])[0]
    first, second = (radius * side for side in _perpendiculars(along))
    half_turn = np.linspace(0.0, np.pi, 17)
    parts = [ring(point, first, second) for point in (start, end)]
    for side in (first, second):
        parts.append(ring(end, side, radius * along, half_turn))
        parts.append(ring(start, side, -radius * along, half_turn))
        parts.append(np.array([start + side, end + side, start - side, end - side]))
    return np.concatenate(parts)


def box(center: Points, half: Points) -> Points:
    """The edges of a box by its half axes (3, 3)."""
    signs = np.array([[1.0 if number & bit else -1.0 for bit in (1, 2, 4)] for number in range(8)])
    corners = center + np.einsum("kb,bc->kc", signs, half)
    return corners[EDGES].reshape(-1, 3)


def mesh_edges(mesh: Mesh) -> Points:
    """The edges of a mesh, each once; of a large mesh only the edges of every n-th triangle."""
    step = max(-(-len(mesh) // MOST_TRIANGLES), 1)
    rows = np.arange(0, len(mesh), step)
    parts = []
    for corner in range(3):
        neighbor = mesh.neighbor[corner, rows]
        # Of two triangles that are both drawn, the first draws their common edge.
        unique = rows[(neighbor < 0) | (neighbor > rows) | (neighbor % step != 0)]
        edges = (mesh.corners[corner, unique], mesh.corners[(corner + 1) % 3, unique])
        parts.append(np.stack(edges, axis=1).reshape(-1, 3))
    return np.concatenate(parts)


def flow_arrows(current: Current) -> Points:
    """Arrows over a painted mesh in the direction of the flow, with a length in proportion to its strength. On a large
    mesh only every n-th triangle has an arrow."""
    step = max(-(-len(current.surface) // MOST_ARROWS), 1)
    corners, flow = current.surface.corners[:, ::step], current.flow[:, ::step].mean(axis=0)
    normal = cross(corners[1] - corners[0], corners[2] - corners[0])
    size = np.sqrt(magnitude(normal) * step)[:, None]
    # Slightly above the surface, which would otherwise hide the arrows.
    tail = corners.mean(axis=0) + unit(normal) * (ABOVE * size) - 0.5 * ARROW * size * flow
    strong = magnitude(flow) > WEAK
    return arrows(tail[strong], (ARROW * size * flow)[strong], unit(cross(normal, flow))[strong])


def arrows(tail: Points, vector: Points, aside: Points | None = None) -> Points:
    """Arrows from points (n, 3) along vectors (n, 3), with barbs toward the unit vectors aside (n, 3); by default to
    their sides."""
    tip = tail + vector
    aside = _side_and_up(unit(vector))[0] if aside is None else aside
    back, side = vector * BARB, aside * (magnitude(vector) * BARB * 0.5)[:, None]
    return np.stack((tail, tip, tip, tip - back + side, tip, tip - back - side), axis=1).reshape(-1, 3)


def direction_marks(spline: Spline, size: float) -> Points:
    """Arrow heads along a spline that show its direction."""
    positions, tangents, side, _ = _samples(spline, 4.0 * size)
    tips, barb = positions + tangents * size, side * (0.6 * size)
    back = tips - tangents * (1.2 * size)
    return np.stack((tips, back + barb, tips, back - barb), axis=1).reshape(-1, 3)


def center_line(spline: Spline) -> Points:
    """The spline itself."""
    return line(np.concatenate((spline.points, spline.points[:1])) if spline.closed else spline.points)


def tube(spline: Spline, radius: float) -> Points:
    """A tube of the radius around a spline: rings, and lines along it."""
    positions, _, side, up = _samples(spline, 4.0 * radius)
    parts = [rings(positions, radius * side, radius * up)]
    distances = np.linspace(0.0, spline.length, min(max(len(spline.points), 2), 256))
    centers, (side, up) = spline.position(distances), _side_and_up(spline.tangent(distances))
    for a, b in SIDES:
        parts.append(line(centers + radius * (a * side + b * up)))
    return np.concatenate(parts)


def _samples(spline: Spline, spacing: float) -> tuple[Points, Points, Points, Points]:
    """Position, tangent, side and up, (n, 3) each, evenly spaced along a spline, at least `spacing` metres apart."""
    number = int(min(max(spline.length / max(spacing, 1e-9), 1.0), MOST_RINGS))
    distances = (np.arange(number) + 0.5) * (spline.length / number)
    tangents = spline.tangent(distances)
    return (spline.position(distances), tangents, *_side_and_up(tangents))


def _side_and_up(tangents: Points) -> tuple[Points, Points]:
    """Unit vectors to the side, level unless the tangent is vertical, and up."""
    side = cross(tangents, np.broadcast_to(UP, tangents.shape))
    side = unit(np.where((magnitude(side) < 1e-6)[:, None], (1.0, 0.0, 0.0), side))
    return side, cross(side, tangents)


def _perpendiculars(along: Points) -> tuple[Points, Points]:
    """Two unit vectors (3,) perpendicular to a unit vector and to each other."""
    axis = np.eye(3)[np.argmin(np.abs(along))]
    first = unit(across(axis[None], along[None]))
    return first[0], cross(along[None], first)[0]
