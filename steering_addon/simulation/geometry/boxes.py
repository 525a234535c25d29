"""Boxes: how far a place is from one, and where a course comes to it.

All is in the box's own axes, about its middle: a pair of a point and a box a row.
"""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Scalars, Vectors, columns, magnitude

SHORT = 0.999
"""Share of its distance to a box by which the box may grow before a place counts as within it."""


def box_surface(local: Vectors, half: Vectors) -> tuple[Scalars, Vectors]:
    """How far places are from the surface of boxes, negative inside, and the way that leads out soonest.

    Args:
        local: (m, 3) the places, metres.
        half: (m, 3) from the middle to each side, metres.

    Returns:
        distance: (m,) metres.
        away: (m, 3) unit directions.
    """
    beyond = np.abs(local) - half
    sign = np.where(local < 0.0, -1.0, 1.0)
    x, y, z = beyond[..., 0], beyond[..., 1], beyond[..., 2]
    deepest = np.maximum(np.maximum(x, y), z)
    outside = np.maximum(beyond, 0.0)
    length = magnitude(outside)
    is_out = deepest > 0.0
    first, second = x == deepest, y == deepest
    sides = columns(first * 1.0, (second & ~first) * 1.0, (~first & ~second) * 1.0)
    away = np.where(is_out[..., None], outside / np.maximum(length, EPSILON)[..., None], sides) * sign
    return np.where(is_out, length, deepest), away


def way_to_sides(local: Vectors, course: Vectors, half: Vectors) -> tuple[Scalars, Vectors]:
    """Where courses that begin in boxes come to their sides from inside; at once for what is beyond them already.

    Returns:
        way: (m,) metres along the course, inf for a course without direction.
        away: (m, 3) unit directions, from the side that is met into the box.
    """
    sign = np.where(course < 0.0, -1.0, 1.0)
    slow = np.abs(course) < EPSILON
    room = half - local * sign
    times = np.where(slow, np.inf, np.maximum(room, 0.0) / np.where(slow, 1.0, np.abs(course)))
    x, y, z = times[..., 0], times[..., 1], times[..., 2]
    way = np.minimum(np.minimum(x, y), z)
    first, second = x == way, y == way
    return way, -columns(first * 1.0, (second & ~first) * 1.0, (~first & ~second) * 1.0) * sign


def way_into(local: Vectors, course: Vectors, half: Vectors) -> Scalars:
    """How far along courses (m, 3) it is into boxes, (m,) metres: 0 from within, inf for who never comes there."""
    slope = 1.0 / np.where(np.abs(course) < EPSILON, EPSILON, course)
    one, two = (-half - local) * slope, (half - local) * slope
    enter, leave = np.minimum(one, two), np.maximum(one, two)
    entered = np.maximum(np.maximum(np.maximum(enter[:, 0], enter[:, 1]), enter[:, 2]), 0.0)
    left = np.minimum(np.minimum(leave[:, 0], leave[:, 1]), leave[:, 2])
    return np.where(entered <= left, entered, np.inf)


def bend_past_box(
    local: Vectors, half: Vectors, course: Vectors, turn: Vectors, reach: Scalars
) -> tuple[Scalars, Scalars]:
    """How sharply courses have to bend so as to pass boxes: no wider a circle keeps clear of them.

    The circle lies in a plane with the course. Of the box, grown by the reach, the slice in that plane counts.

    Args:
        local: (m, 3) where the courses start, outside the boxes.
        half: (m, 3) from the middle to each side, metres.
        course: (m, 3) unit directions.
        turn: (m, c, 3) unit directions square to the course, to bend toward.
        reach: (m,) how near the courses may come.

    Returns:
        bend: (m, c) in 1/m.
        wanting: (m, c) how far the box reaches to the side that is turned to, metres.
    """
    beyond = np.abs(local) - half
    outside = np.maximum(np.maximum(beyond[:, 0], beyond[:, 1]), beyond[:, 2])
    half = half + np.minimum(reach, SHORT * np.maximum(outside, 0.0))[:, None]
    along = np.broadcast_to(course[:, None], turn.shape)
    bend, wanting = np.zeros(turn.shape[:2]), np.zeros(turn.shape[:2])
    for axis in range(3):
        for sign in (-1.0, 1.0):
            side_bend, side_wanting = _bend_past_side(axis, sign, local, half, along, turn)
            bend, wanting = np.maximum(bend, side_bend), np.maximum(wanting, side_wanting)
    return bend, wanting


def _bend_past_side(
    axis: int, sign: float, local: Vectors, half: Vectors, along: Vectors, turn: Vectors
) -> tuple[Scalars, Scalars]:
    """How sharply courses have to bend to pass one side of boxes, (m, c), and how far that reaches to where they turn.

    The plane of the bend cuts the side along a line.

    In that plane places are given by how far they are ahead and to the side that is turned to.
    """
    length = np.sqrt(along[..., axis] * along[..., axis] + turn[..., axis] * turn[..., axis])
    safe = np.maximum(length, EPSILON)
    ahead, aside = sign * along[..., axis] / safe, sign * turn[..., axis] / safe
    height = (sign * local[:, axis] - half[:, axis])[:, None] / safe
    # The line is where `height` has been gone down along its normal (ahead, aside), and on along (-aside, ahead).
    low, high = np.full(height.shape, -np.inf), np.full(height.shape, np.inf)
    for other in {0, 1, 2} - {axis}:
        base = local[:, other, None] - height * (ahead * along[..., other] + aside * turn[..., other])
        slope = ahead * turn[..., other] - aside * along[..., other]
        flat = np.abs(slope) < EPSILON
        room = np.where(flat & (np.abs(base) > half[:, other, None]), -np.inf, np.inf)
        safe_slope = np.where(flat, 1.0, slope)
        one = np.where(flat, -room, (-half[:, other, None] - base) / safe_slope)
        two = np.where(flat, room, (half[:, other, None] - base) / safe_slope)
        low, high = np.maximum(low, np.minimum(one, two)), np.minimum(high, np.maximum(one, two))
    cut = (length > EPSILON) & (low < high) & np.isfinite(low) & np.isfinite(high)

    bend, wanting = np.zeros(height.shape), np.zeros(height.shape)
    for end in (low, high):
        place = np.where(cut, end, 0.0)
        end_ahead, end_aside = -height * ahead - place * aside, -height * aside + place * ahead
        square = end_ahead * end_ahead + end_aside * end_aside
        wanting = np.where(cut, np.maximum(wanting, end_aside), wanting)
        needed = 2.0 * end_aside / np.maximum(square, EPSILON)
        bend = np.where(cut & (end_ahead > 0.0) & (end_aside > 0.0), np.maximum(bend, needed), bend)
    # The widest circle on the free side of the line, and where it touches that.
    facing = cut & (height > EPSILON)
    radius = height / np.maximum(1.0 - aside, EPSILON)
    touch = ahead * radius
    between = facing & (touch > low) & (touch < high) & (-ahead * radius > 0.0)
    return np.where(between, np.maximum(bend, 1.0 / np.maximum(radius, EPSILON)), bend), wanting
