"""Detours: the way round a crowd instead of through it."""

import numpy as np

from ..arrays.scalars import EPSILON, Rows, Scalars, alike, anybody, clamp
from ..arrays.vectors import Vectors, across, dot, magnitude, no_vectors, unit
from ..world import Agents, World

FEWEST = 3
"""Members that make a group to go round."""
STRAYS = 2.0
"""Distance from the middle beyond which a member does not count, in median distances: it has left the others."""
EDGE = 1.5
"""Radius of a group in median distances from its middle; that of an evenly filled circle is 1.41."""


def way_round(
    world: World, agents: Agents, aim: Vectors, crowd: Rows, *, moves: bool = False
) -> tuple[Vectors, Scalars]:
    """The direction in which each agent goes to a point without going through a crowd, and how far it is that way.

    The way touches the circle round the crowd's members; it does not keep further from their middle than the agent and
    the point are.

    Args:
        crowd: (n,) the crowd that each goes round, -1 for none.
        moves: whether the points move.

    Returns:
        direction: (n, 3) unit vectors; zero at the point.
        distance: (n,) metres.
    """
    # A behavior that steers there has also said that it leads there.
    asked = agents.rows.tobytes(), aim.tobytes(), crowd.tobytes(), moves
    known = world.once_for_all(_ways_round)
    if asked not in known:
        known[asked] = _way_round(world, agents, aim, crowd, moves)
    return known[asked]


def _ways_round(world: World) -> dict[tuple[bytes, bytes, bytes, bool], tuple[Vectors, Scalars]]:
    """The results of `way_round` in a world."""
    return {}


def _way_round(world: World, agents: Agents, aim: Vectors, crowd: Rows, moves: bool) -> tuple[Vectors, Scalars]:
    """As `way_round`."""
    offset = agents.level(world.by_way(agents, aim, np.full(len(aim), moves)) - agents.position)
    distance = magnitude(offset)
    direction = unit(offset)
    if not anybody(crowd >= 0):
        return direction, distance
    middle, radius = circle(world, crowd)
    to_middle = agents.level(middle - agents.position)
    gap = magnitude(to_middle)
    radius = np.minimum(np.minimum(radius + agents.extent, gap), magnitude(to_middle - offset))
    along = dot(to_middle, direction)
    aside = across(to_middle, direction)
    crosses = (radius > EPSILON) & (along > 0.0) & (along < distance) & (magnitude(aside) < radius)
    inward = unit(to_middle)
    beside = across(offset, inward)
    # One straight behind the middle is passed on the right.
    beside = np.where((magnitude(beside) > EPSILON)[:, None], beside, agents.level(across(agents.side, inward)))
    sine = clamp(radius / np.maximum(gap, EPSILON), 0.0, 1.0)
    cosine = np.sqrt(1.0 - sine * sine)
    tangent = inward * cosine[:, None] + unit(beside) * sine[:, None]
    touch = gap * cosine
    beyond = magnitude(offset - tangent * touch[:, None])
    return np.where(crosses[:, None], tangent, direction), np.where(crosses, touch + beyond, distance)


def circle(world: World, crowd: Rows) -> tuple[Vectors, Scalars]:
    """The middle of the members of crowds (n,) that keep together, (n, 3) metres, and their radius, (n,); 0 for few."""
    middle, radius = no_vectors(len(crowd)), alike(0.0, len(crowd), np.float64).copy()
    bodies = world.bodies
    for number in np.unique(crowd[crowd >= 0]).tolist():
        position = bodies.position[bodies.present & (bodies.crowd == number)]
        if len(position) < FEWEST:
            continue
        gap = magnitude(position - _mean(position))
        position = position[gap <= STRAYS * _median(gap)]
        mean = _mean(position)
        middle[crowd == number], radius[crowd == number] = mean, EDGE * _median(magnitude(position - mean))
    return middle, radius


def _mean(points: Vectors) -> Vectors:
    """The middle of points (k, 3), (3,), added in ascending order: the same in whichever order they come."""
    return np.sort(points, axis=0).cumsum(axis=0)[-1] / len(points)


def _median(values: Scalars) -> float:
    """The lower median of values (k,)."""
    return float(np.sort(values)[(len(values) - 1) // 2])
