"""Passing round obstacles: what of them a course comes nearest to, and to which side to turn."""

from __future__ import annotations

import numpy as np

from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors, across, clamp, dot, magnitude, unit
from ..geometry.obstacles import LEFT, OVER, RIGHT, UNDER, Obstacles
from ..ground import left_of

PLACES = 4
"""Places on an axis looked at between the one nearest to a course and the end that is reached first."""


def most_pressing(obstacles: Obstacles, points: Vectors, course: Vectors, reach: Scalars) -> tuple[Scalars, Vectors]:
    """The place on each obstacle's axis that takes the tightest turn to pass; without one, the nearest to the course.

    What is met first of a pylon that leans along the course is not what the course comes nearest to.

    Args:
        points: (n, 3) where each course starts.
        course: (n, k, 3) unit directions.
        reach: (n, k) how near a course may come to the axis.

    Returns:
        way: (n, k) metres along the course, negative for what lies behind.
        aside: (n, k, 3) from there to the place on the axis, square to the course.
    """
    part = _part_nearest_to_course(obstacles, points, course)
    way, aside = _place(obstacles, points, course, part)
    if not (obstacles.start != obstacles.end).any():
        return way, aside
    first = np.where(dot((obstacles.end - obstacles.start)[None], course) >= 0.0, 0.0, 1.0)
    most = _tightness(way, aside, reach)
    for step in range(1, PLACES + 1):
        other_way, other_aside = _place(obstacles, points, course, part + (first - part) * (step / PLACES))
        tightness = _tightness(other_way, other_aside, reach)
        tighter = tightness > most
        way, most = np.where(tighter, other_way, way), np.where(tighter, tightness, most)
        aside = np.where(tighter[..., None], other_aside, aside)
    return way, aside


def _part_nearest_to_course(obstacles: Obstacles, points: Vectors, course: Vectors) -> Scalars:
    """How far along each axis, from 0 to 1, a course comes nearest to it, (n, k)."""
    axis = obstacles.end - obstacles.start
    offset = obstacles.start[None] - points[:, None, :]
    lateral_axis = axis[None] - dot(axis[None], course)[..., None] * course
    lateral = offset - dot(offset, course)[..., None] * course
    steepness = dot(lateral_axis, lateral_axis)
    part = np.where(steepness > EPSILON, -dot(lateral, lateral_axis) / np.maximum(steepness, EPSILON), 0.0)
    part = clamp(part, 0.0, 1.0)
    # An axis along the course: its nearer end counts.
    nearer = np.where(dot(axis[None], course) >= 0.0, 0.0, 1.0)
    return np.where(steepness > EPSILON, part, nearer)


def _place(obstacles: Obstacles, points: Vectors, course: Vectors, part: Scalars) -> tuple[Scalars, Vectors]:
    """The way along each course to the place on an axis, and how far aside that is."""
    axis = obstacles.end - obstacles.start
    offset = obstacles.start[None] - points[:, None, :]
    place = offset + np.multiply(part[..., None], axis[None])
    way = dot(place, course)
    return way, place - way[..., None] * course


def _tightness(way: Scalars, aside: Vectors, reach: Scalars) -> Scalars:
    """What the circle that just passes a place is to be bent, in halves of 1/m; -1 for what is not in the way."""
    wanting = reach - magnitude(aside)
    room = way * way + dot(aside, aside) - reach * reach
    bend = np.where(room > EPSILON, wanting / np.maximum(room, EPSILON), 1.0 / EPSILON)
    return np.where((wanting > 0.0) & (way > 0.0), bend, -1.0)


def directions_to_pass(
    obstacle_side: Rows, aside: Vectors, course: Vectors, own_side: Vectors, upward: Vectors
) -> Vectors:
    """Which way to turn, square to the course, so as to pass on the side each obstacle asks for.

    Args:
        obstacle_side: (n,) pass_side of the obstacle in question.
        aside: (n, 3) from the course to the obstacle, square to the course.
        course: (n, 3) unit directions.
        own_side: (n, 3) the vehicles' side axes, which settle a dead heat.
        upward: (n, 3) unit vectors away from the ground.
    """
    over = unit(across(upward, course))
    over = np.where((magnitude(over) < 0.5)[:, None], own_side, over)
    right = left_of(-course, upward)
    right = np.where((magnitude(right) < 1e-6)[:, None], own_side, unit(right))
    away = -unit(aside)
    away = np.where((magnitude(aside) < 1e-9)[:, None], right, away)
    chosen = [obstacle_side == LEFT, obstacle_side == RIGHT, obstacle_side == OVER, obstacle_side == UNDER]
    return np.select([c[:, None] for c in chosen], [-right, right, over, -over], away)
