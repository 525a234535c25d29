"""Turning to the outline of a mesh, as one sees it (Reynolds 1988, steering to the silhouette edges of an obstacle)."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Mask, Scalars, Vectors, clamp, dot, firsts, magnitude, unit
from ..geometry.meshes import Mesh, silhouette

PAIRS_AT_ONCE = 200_000
"""Pairs of an eye and a triangle looked at in one go."""


def turns_past_outline(
    mesh: Mesh, eye: Vectors, course: Vectors, side: Vectors, room: Scalars, reach: Scalars, up: Vectors, plane: Mask
) -> tuple[Vectors, Scalars]:
    """Past which edge of its outline each mesh is passed with the least turn.

    Args:
        eye: (m, 3) where the courses start, in the axes of the mesh.
        course: (m, 3) unit directions.
        side: (m, 3) unit directions off the surface where the courses meet it.
        room: (m,) metres from the eye to the plane of the surface there.
        reach: (m,) how near the edge may be passed, metres.
        up: (m, 3) what is up, in the axes of the mesh.
        plane: (m,) who keeps to its own height, where only what of the outline is at that height counts.

    Returns:
        turn: (m, 3) unit directions across the courses to the edges, zero where there is none ahead.
        bend: (m,) how sharply to bend so as to pass them, 1/m; inf where there is none, and for courses that pass the
            mesh beside its outline.
    """
    turn, bend = np.zeros((len(eye), 3)), np.full(len(eye), np.inf)
    at_once = max(PAIRS_AT_ONCE // max(len(mesh), 1), 1)
    within = np.flatnonzero(mesh.hit(eye, course, np.full(len(eye), np.inf))[1] >= 0)
    for start in range(0, len(within), at_once):
        some = within[start : start + at_once]
        turn[some], bend[some] = _turns(
            mesh, eye[some], course[some], side[some], room[some], reach[some], up[some], plane[some]
        )
    return turn, bend


def _turns(
    mesh: Mesh, eye: Vectors, course: Vectors, side: Vectors, room: Scalars, reach: Scalars, up: Vectors, plane: Mask
) -> tuple[Vectors, Scalars]:
    owner, corner, triangle = np.nonzero(silhouette(mesh, eye))
    along, near, level = course[owner], reach[owner], plane[owner]
    first = mesh.corners[corner, triangle] - eye[owner]
    edge = mesh.corners[(corner + 1) % 3, triangle] - eye[owner] - first
    height, rise = dot(first, up[owner]), dot(edge, up[owner])

    # The place of the edge at one's own height, or else the one nearest to the course.
    aside, turned = first - dot(first, along)[:, None] * along, edge - dot(edge, along)[:, None] * along
    nearest = -dot(aside, turned) / np.maximum(dot(turned, turned), EPSILON)
    flat = np.abs(rise) < EPSILON
    own_height = np.where(flat, nearest, -height / np.where(flat, 1.0, rise))
    part = clamp(np.where(level, own_height, nearest), 0.0, 1.0)
    off_height = np.abs(height + part * rise)
    place = first + edge * part[:, None]
    place = place - np.where(level, height + part * rise, 0.0)[:, None] * up[owner]

    ahead = dot(place, along)
    aside = place - ahead[:, None] * along
    gap = magnitude(aside)
    square = ahead * ahead + gap * gap - near * near
    bend = np.where(square > EPSILON, 2.0 * (gap + near) / np.maximum(square, EPSILON), np.inf)
    # Nor may it run into what is before the edge.
    toward, off = -dot(side, course)[owner], dot(side[owner], unit(aside))
    bend = np.maximum(bend, (np.sqrt(toward * toward + off * off) - off) / np.maximum(room[owner], EPSILON))
    bend = np.where((ahead > 0.0) & ~(level & (off_height > near)), bend, np.inf)

    order = np.lexsort((triangle, bend * (gap + near), owner))
    best = order[firsts(owner[order])]
    best = best[np.isfinite(bend[best])]
    all_turns, all_bends = np.zeros((len(eye), 3)), np.full(len(eye), np.inf)
    all_turns[owner[best]], all_bends[owner[best]] = unit(aside[best]), bend[best]
    return all_turns, all_bends
