"""Passing round obstacles: the point of an obstacle that is hardest to pass, and the side to turn to."""

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp
from ..arrays.vectors import Vectors, across, dot, magnitude, no_vectors, unit, unit_or
from ..geometry.obstacles import LEFT, OVER, RIGHT, UNDER
from ..ground import left_of
from ..world import Agents

BESIDE = 4.0
"""Distance from the surface, in multiples of the distance to keep, within which a place is beside an obstacle."""
DECIDED = 0.25
"""Distance of that place from the course through the middle, in the same multiples, that decides on a side."""
LED = 3.0
"""How much more a turn to that side may take than one to the other, where it is harder than the agent can turn."""
STANDING = 0.05
"""Share of max_speed below which an agent stands or is about to."""
PLACES = 4
"""Points of an axis that are tried between the point nearest to a course and the end that is reached first."""


def most_pressing(
    start: Vectors, end: Vectors, points: Vectors, course: Vectors, reach: Scalars
) -> tuple[Scalars, Vectors]:
    """The point of each obstacle's axis that takes the tightest turn to pass, or the point nearest to the course.

    They differ for a pylon that leans along the course: the agent meets another point first. Returns `way`: (n, k)
    metres along the course, negative behind its start; `aside`: (n, k, 3) from the course to the point, perpendicular
    to the course, metres.

    Args:
        start, end: (n, k, 3) or (1, k, 3) the ends of the axes, metres.
        points: (n, 3) the starts of the courses, metres.
        course: (n, k, 3) unit directions.
        reach: (n, k) the distance to keep from the axis, metres.
    """
    axis, offset = end - start, start - points[:, None, :]
    # The point of each axis that is nearest to a course, from 0 at its start to 1 at its end.
    lateral_axis = axis - dot(axis, course)[..., None] * course
    lateral = offset - dot(offset, course)[..., None] * course
    steepness = dot(lateral_axis, lateral_axis)
    part = np.where(steepness > EPSILON, -dot(lateral, lateral_axis) / np.maximum(steepness, EPSILON), 0.0)
    part = clamp(part, 0.0, 1.0)
    # For an axis along the course it is the nearer end.
    nearer = np.where(dot(axis, course) >= 0.0, 0.0, 1.0)
    part = np.where(steepness > EPSILON, part, nearer)
    way, aside = _place(axis, offset, course, part)
    if not axis.any():
        return way, aside
    first = np.where(dot(axis, course) >= 0.0, 0.0, 1.0)
    most = _tightness(way, aside, reach)
    for step in range(1, PLACES + 1):
        next_way, next_aside = _place(axis, offset, course, part + (first - part) * (step / PLACES))
        tightness = _tightness(next_way, next_aside, reach)
        tighter = tightness > most
        way, most = np.where(tighter, next_way, way), np.where(tighter, tightness, most)
        aside = np.where(tighter[..., None], next_aside, aside)
    return way, aside


def _place(axis: Vectors, offset: Vectors, course: Vectors, part: Scalars) -> tuple[Scalars, Vectors]:
    """`way` and `aside`, as of `most_pressing`, of the point of each axis at `part`, (n, k)."""
    point = offset + np.multiply(part[..., None], axis)
    way = dot(point, course)
    return way, point - way[..., None] * course


def _tightness(way: Scalars, aside: Vectors, reach: Scalars) -> Scalars:
    """Half the curvature of the circle that just passes each point, 1/m; -1 for points that are not in the way."""
    missing = reach - magnitude(aside)
    room = way * way + dot(aside, aside) - reach * reach
    bend = np.where(room > EPSILON, missing / np.maximum(room, EPSILON), 1.0 / EPSILON)
    return np.where((missing > 0.0) & (way > 0.0), bend, -1.0)


def led_past(agents: Agents, rows: Rows, course: Vectors, offset: Vectors, radius: Scalars, reach: Scalars) -> Vectors:
    """The unit directions, perpendicular to the courses, to the side on which agents are led past obstacles, (m, 3).

    Zero for agents that are led past no obstacle, or past another one.

    Args:
        rows: (m,) of the agents.
        course: (m, 3) unit directions.
        offset: (m, 3) from each agent to the middle of the obstacle, metres.
        radius: (m,) of a ball around the obstacle, metres.
        reach: (m,) the distance to keep from it, metres.
    """
    if not agents.intention.passing_places.size or not anybody(np.isfinite(agents.intention.passing_places[:, 0, 0])):
        return no_vectors(len(rows))
    places = agents.intention.passing_places[rows] - (agents.position[rows] + offset)[:, None]
    abreast = np.argmin(np.nan_to_num(magnitude(places), nan=np.inf), axis=1)
    beside = places[np.arange(len(rows)), abreast]
    near = magnitude(np.nan_to_num(beside, nan=np.inf)) < radius + BESIDE * reach
    # Where a course leads off the way, what is beside the obstacle on the way may be on its other side for the course.
    way = agents.intention.passing_places[rows, 0] - agents.position[rows]
    beside = np.where((dot(way, course) < 0.0)[:, None], way, beside)
    aside = across(np.where(near[:, None], beside, 0.0), course)
    return np.where((magnitude(aside) > DECIDED * reach)[:, None], unit(aside), 0.0)


def turns_first(agents: Agents) -> Mask:
    """The agents that stand, (n,), and turn before they set off: any turn is possible for them, unless they drive."""
    return (agents.speed < STANDING * agents.max_speed) & np.isnan(agents.handling.axle)


def directions_to_pass(
    obstacle_side: Rows, aside: Vectors, course: Vectors, own_side: Vectors, upward: Vectors
) -> Vectors:
    """The unit directions, perpendicular to the courses, that pass obstacles on the sides they ask for, (n, 3).

    Args:
        obstacle_side: (n,) the pass_side of the obstacle that each agent passes.
        aside: (n, 3) from the course to the obstacle, perpendicular to the course.
        course: (n, 3) unit directions.
        own_side: (n, 3) the side axes of the vehicles, taken if neither side is nearer.
        upward: (n, 3) unit vectors away from the ground.
    """
    over = unit_or(across(upward, course), own_side)
    right = left_of(-course, upward)
    right = np.where((magnitude(right) < 1e-6)[:, None], own_side, unit(right))
    away = -unit(aside)
    away = np.where((magnitude(aside) < 1e-9)[:, None], right, away)
    chosen = [obstacle_side == LEFT, obstacle_side == RIGHT, obstacle_side == OVER, obstacle_side == UNDER]
    return np.select([c[:, None] for c in chosen], [-right, right, over, -over], away)
