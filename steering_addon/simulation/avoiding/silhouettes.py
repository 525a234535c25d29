"""Turning past the visible outline of a mesh (Reynolds 1988, steering to the silhouette edges of an obstacle)."""

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Scalars, clamp, firsts
from ..arrays.vectors import Vectors, dot, magnitude, unit
from ..geometry.meshes import Mesh, silhouette

PAIRS_AT_ONCE = 200_000
"""Pairs of an eye and a triangle that are tested together at most."""


def turns_past_outline(
    mesh: Mesh, eye: Vectors, course: Vectors, side: Vectors, room: Scalars, reach: Scalars, up: Vectors, plane: Mask
) -> tuple[Vectors, Scalars]:
    """The turn past the edge of the outline that takes the least, for each of m courses toward the mesh.

    All vectors are in the axes of the mesh.

    Args:
        eye: (m, 3) the starts of the courses, metres.
        course: (m, 3) unit directions.
        side: (m, 3) unit normals of the surface at the points where the courses meet it.
        room: (m,) metres from the eye to the plane of the surface at that point.
        reach: (m,) the distance to keep from the edge, metres.
        up: (m, 3) unit vectors away from the ground.
        plane: (m,) whether the agent keeps its height: the part of the outline at that height counts only.

    Returns:
        turn: (m, 3) unit directions, perpendicular to the courses, to the edges; zero for no edge ahead.
        bend: (m,) the curvature that passes them, 1/m; inf for no edge ahead, and for courses that miss the mesh.
    """
    turn, bend = np.zeros((len(eye), 3)), np.full(len(eye), np.inf)
    at_once = max(PAIRS_AT_ONCE // max(len(mesh), 1), 1)
    within = np.flatnonzero(mesh.hit(eye, course, np.full(len(eye), np.inf))[1] >= 0)
    for start in range(0, len(within), at_once):
        rows = within[start : start + at_once]
        turn[rows], bend[rows] = _turns(
            mesh, eye[rows], course[rows], side[rows], room[rows], reach[rows], up[rows], plane[rows]
        )
    return turn, bend


def _turns(
    mesh: Mesh, eye: Vectors, course: Vectors, side: Vectors, room: Scalars, reach: Scalars, up: Vectors, plane: Mask
) -> tuple[Vectors, Scalars]:
    """As `turns_past_outline`, for courses that meet the mesh."""
    owner, corner, triangle = np.nonzero(silhouette(mesh, eye))
    along, near, level = course[owner], reach[owner], plane[owner]
    first = mesh.corners[corner, triangle] - eye[owner]
    edge = mesh.corners[(corner + 1) % 3, triangle] - eye[owner] - first
    height, rise = dot(first, up[owner]), dot(edge, up[owner])

    # The point of the edge at the agent's height, or, for flyers, the point nearest to the course.
    aside, turned = first - dot(first, along)[:, None] * along, edge - dot(edge, along)[:, None] * along
    nearest = -dot(aside, turned) / np.maximum(dot(turned, turned), EPSILON)
    flat = np.abs(rise) < EPSILON
    own_height = np.where(flat, nearest, -height / np.where(flat, 1.0, rise))
    part = clamp(np.where(level, own_height, nearest), 0.0, 1.0)
    off_height = np.abs(height + part * rise)
    point = first + edge * part[:, None]
    point = point - np.where(level, height + part * rise, 0.0)[:, None] * up[owner]

    ahead = dot(point, along)
    aside = point - ahead[:, None] * along
    gap = magnitude(aside)
    square = ahead * ahead + gap * gap - near * near
    bend = np.where(square > EPSILON, 2.0 * (gap + near) / np.maximum(square, EPSILON), np.inf)
    # It must not run into the surface before the edge either.
    toward, off = -dot(side, course)[owner], dot(side[owner], unit(aside))
    bend = np.maximum(bend, (np.sqrt(toward * toward + off * off) - off) / np.maximum(room[owner], EPSILON))
    bend = np.where((ahead > 0.0) & ~(level & (off_height > near)), bend, np.inf)

    order = np.lexsort((triangle, bend * (gap + near), owner))
    best = order[firsts(owner[order])]
    best = best[np.isfinite(bend[best])]
    all_turns, all_bends = np.zeros((len(eye), 3)), np.full(len(eye), np.inf)
    all_turns[owner[best]], all_bends[owner[best]] = unit(aside[best]), bend[best]
    return all_turns, all_bends
