"""Boxes: how far a point is from one, and where a course meets it.

Everything is in the axes of the box, relative to its middle: row i is a pair of a point and a box with half sides h.

    signed distance    |max(|p| - h, 0)| outside,  max_k(|p_k| - h_k) inside
    slabs              the course p + t d is inside for max_k t_enter,k <= t <= min_k t_leave,k,
                       t = (-+h_k - p_k) / d_k
    bend               a circle that leaves p along the course and turns toward a side passes a point that is
                       a ahead and s to that side if its curvature is 2 s / (a^2 + s^2)
"""

import numpy as np

from ..arrays.scalars import EPSILON, Scalars
from ..arrays.vectors import Vectors, columns, magnitude

SHORT = 0.999
"""Share of a point's distance to a box by which the box may grow at most, so that the point stays outside."""


def box_surface(local: Vectors, half: Vectors) -> tuple[Scalars, Vectors]:
    """The signed distance of points to the surface of boxes, and the shortest direction out. Returns `distance`: (m,)
    metres, negative inside; `away`: (m, 3) unit directions.

    Args:
        local: (m, 3) points, metres.
        half: (m, 3) half sides, metres.
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
    """The distance along courses that begin inside boxes to the first side they meet from inside.

    Args:
        local: (m, 3) where the courses begin, metres.
        course: (m, 3) directions.
        half: (m, 3) half sides, metres.

    Returns:
        way: (m,) metres along the course, 0 if it begins beyond the side already, inf if it has no direction.
        away: (m, 3) unit directions from that side into the box.
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
    """The distance along courses at which they enter boxes; (m, 3) each to (m,) metres. It is 0 for a course that
    begins inside and inf for one that misses the box."""
    slope = 1.0 / np.where(np.abs(course) < EPSILON, EPSILON, course)
    low, high = (-half - local) * slope, (half - local) * slope
    enter, leave = np.minimum(low, high), np.maximum(low, high)
    enters = np.maximum(np.maximum(np.maximum(enter[:, 0], enter[:, 1]), enter[:, 2]), 0.0)
    exits = np.minimum(np.minimum(leave[:, 0], leave[:, 1]), leave[:, 2])
    return np.where(enters <= exits, enters, np.inf)


def bend_past_box(
    local: Vectors, half: Vectors, course: Vectors, turn: Vectors, reach: Scalars
) -> tuple[Scalars, Scalars]:
    """The least curvature with which courses pass boxes at a distance: the widest circle that stays clear.

    The circle lies in the plane of the course and the turn. Only the slice of the box, grown by the reach, in that
    plane counts.

    Args:
        local: (m, 3) where the courses begin, outside the boxes, metres.
        half: (m, 3) half sides, metres.
        course: (m, 3) unit directions.
        turn: (m, c, 3) unit directions perpendicular to the course, to bend toward.
        reach: (m,) the distance to keep, metres.

    Returns:
        bend: (m, c) curvature, 1/m; 0 if the course passes anyway.
        extent: (m, c) how far the box extends to the side of the turn, metres.
    """
    beyond = np.abs(local) - half
    outside = np.maximum(np.maximum(beyond[:, 0], beyond[:, 1]), beyond[:, 2])
    half = half + np.minimum(reach, SHORT * np.maximum(outside, 0.0))[:, None]
    along = np.broadcast_to(course[:, None], turn.shape)
    bend, extent = np.zeros(turn.shape[:2]), np.zeros(turn.shape[:2])
    for axis in range(3):
        for sign in (-1.0, 1.0):
            side_bend, side_extent = _bend_past_side(axis, sign, local, half, along, turn)
            bend, extent = np.maximum(bend, side_bend), np.maximum(extent, side_extent)
    return bend, extent


def _bend_past_side(
    axis: int, sign: float, local: Vectors, half: Vectors, along: Vectors, turn: Vectors
) -> tuple[Scalars, Scalars]:
    """As `bend_past_box`, for one of the six sides, the one in direction `sign` of `axis`.

    The plane of the bend cuts the side in a segment. A point of that plane is given by its coordinates along the course
    ("ahead") and along the turn ("aside"), from where the course begins.
    """
    length = np.sqrt(along[..., axis] * along[..., axis] + turn[..., axis] * turn[..., axis])
    safe = np.maximum(length, EPSILON)
    ahead, aside = sign * along[..., axis] / safe, sign * turn[..., axis] / safe
    height = (sign * local[:, axis] - half[:, axis])[:, None] / safe
    # The line is at -height along its normal (ahead, aside) and runs along (-aside, ahead); [low, high] is its segment.
    low, high = np.full(height.shape, -np.inf), np.full(height.shape, np.inf)
    cut = length > EPSILON
    for other in {0, 1, 2} - {axis}:
        base = local[:, other, None] - height * (ahead * along[..., other] + aside * turn[..., other])
        slope = ahead * turn[..., other] - aside * along[..., other]
        flat = np.abs(slope) < EPSILON
        cut &= ~flat | (np.abs(base) <= half[:, other, None])
        safe_slope = np.where(flat, 1.0, slope)
        near = np.where(flat, -np.inf, (-half[:, other, None] - base) / safe_slope)
        far = np.where(flat, np.inf, (half[:, other, None] - base) / safe_slope)
        low, high = np.maximum(low, np.minimum(near, far)), np.minimum(high, np.maximum(near, far))
    cut &= (low < high) & np.isfinite(low) & np.isfinite(high)

    bend, extent = np.zeros(height.shape), np.zeros(height.shape)
    for end in (low, high):
        along_line = np.where(cut, end, 0.0)
        end_ahead, end_aside = -height * ahead - along_line * aside, -height * aside + along_line * ahead
        square = end_ahead * end_ahead + end_aside * end_aside
        extent = np.where(cut, np.maximum(extent, end_aside), extent)
        needed = 2.0 * end_aside / np.maximum(square, EPSILON)
        bend = np.where(cut & (end_ahead > 0.0) & (end_aside > 0.0), np.maximum(bend, needed), bend)
    # The circle that touches the line between its ends: its centre (0, r) is r = height + r aside away from the line.
    facing = cut & (height > EPSILON)
    radius = height / np.maximum(1.0 - aside, EPSILON)
    touch = ahead * radius
    between = facing & (touch > low) & (touch < high) & (-ahead * radius > 0.0)
    return np.where(between, np.maximum(bend, 1.0 / np.maximum(radius, EPSILON)), bend), extent
