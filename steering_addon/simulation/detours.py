"""Ways round obstacles on the ground: who has one between itself and its goal goes by the nearer corner.

That is the paper's obstacle avoidance seen from further off: a corner is aimed at long before it has to be dodged.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .angles import cosine, sine
from .obstacles import BOX, OUTSIDE, Obstacles
from .vectors import EPSILON, Mask, Rows, Scalars, Vectors, columns, magnitude, picked, unit

LOOK = 12.0
"""Metres from which on obstacles are seen."""
MARGIN = 0.02
"""Metres at which corners are passed beside the radius: gaps may be hardly wider than who goes through."""
CONSTANCY = 0.3
"""Metres that the other way has to be shorter for who is on its way round already."""
SLACK = 0.05
"""Metres: a corner that is so much too near to another obstacle can still be passed."""
ROUND_CORNERS = 8
"""Corners of the outline of a round obstacle."""


def ways_round(
    obstacles: Obstacles,
    own: Rows,
    points: Vectors,
    direction: Vectors,
    distance: Scalars,
    radius: Scalars,
    before: Scalars,
) -> tuple[Vectors, Scalars]:
    """The directions to take at the moment so as to get to places that are straight ahead but for what stands there.

    Args:
        own: (n,) rows of the vehicles, which what they carry is not in the way of.
        points: (n, 3) where they are, metres.
        direction: (n, 3) level unit directions to where they want to be, zero for nowhere.
        distance: (n,) how far that is, metres; inf where they just go on.
        radius: (n,) metres.
        before: (n,) the side on which each is on its way round already: 1 left, -1 right, 0 none.

    Returns:
        direction: (n, 3) level unit directions; the same to the last bit where nothing is in the way.
        side: (n,) the sides, as of `before`.
    """
    none = np.zeros(len(points))
    if not len(obstacles):
        return direction, none
    agent, row = _first_in_the_way(obstacles, own, points, direction, distance, radius)
    if not len(agent):
        return direction, none
    grow = radius[agent] + MARGIN
    here, ahead = picked(points, agent), picked(direction, agent)
    goal = here + ahead * np.minimum(distance[agent], LOOK + 2.0 * obstacles.radius[row])[:, None]
    corners = outlines(obstacles, row, grow, ahead)
    turn = _turns(corners - here[:, None, :2], ahead)
    every = np.arange(len(agent))
    cost, aim = [], []
    sides = ((np.argmax(turn, axis=1), before[agent] < 0.0), (np.argmin(turn, axis=1), before[agent] > 0.0))
    for corner, constant in sides:
        place = columns(corners[every, corner, 0], corners[every, corner, 1], here[:, 2])
        length = magnitude(place - here) + magnitude(goal - place) + CONSTANCY * constant
        cost.append(np.where(_barred(obstacles, place, goal, grow - SLACK, row), np.inf, length))
        aim.append(place - here)
    left = cost[0] < cost[1]
    way = np.where(left[:, None], aim[0], aim[1])
    goes = np.isfinite(np.minimum(cost[0], cost[1])) & (magnitude(way) > SLACK)
    found, side = direction.copy(), none
    found[agent[goes]] = unit(way)[goes]
    side[agent[goes]] = np.where(left, 1.0, -1.0)[goes]
    return found, side


def _first_in_the_way(
    obstacles: Obstacles, own: Rows, points: Vectors, direction: Vectors, distance: Scalars, radius: Scalars
) -> tuple[Rows, Rows]:
    """Who has an obstacle ahead, rising, and which it comes to first."""
    agent, row = obstacles.near(points, np.minimum(distance, LOOK))
    possible = (obstacles.side[row] == OUTSIDE) & (obstacles.carrier[row] != own[agent])
    possible &= magnitude(direction)[agent] > 0.5
    agent, row = agent[possible], row[possible]
    way, _ = obstacles.touch(picked(points, agent), picked(direction, agent), radius[agent], row)
    met = way < np.minimum(distance, LOOK)[agent]
    agent, row, way = agent[met], row[met], way[met]
    order = np.lexsort((way, agent))
    agent, row = agent[order], row[order]
    first = np.flatnonzero(np.concatenate((np.ones(min(len(agent), 1), dtype=np.bool_), agent[1:] != agent[:-1])))
    return agent[first], row[first]


def outlines(obstacles: Obstacles, row: Rows, grow: Scalars, ahead: Vectors) -> NDArray[np.float64]:
    """Corners (m, c, 2) round obstacles as seen from above, so far off that who has a radius can pass by them.

    Args:
        row: (m,) which obstacles.
        grow: (m,) metres.
        ahead: (m, 3) level unit directions that the outlines of round ones are drawn by.
    """
    turns = (np.arange(ROUND_CORNERS) + 0.5) * (2.0 * np.pi / ROUND_CORNERS)
    wide = (obstacles.radius[row] + grow) / float(cosine(np.array([np.pi / ROUND_CORNERS]))[0])
    along, aside = cosine(turns)[None] * wide[:, None], sine(turns)[None] * wide[:, None]
    x, y = ahead[:, 0, None], ahead[:, 1, None]
    ring = np.stack((x * along - y * aside, y * along + x * aside), axis=-1)
    ends = (obstacles.start[row], obstacles.end[row])
    found = np.concatenate([end[:, None, :2] + ring for end in ends], axis=1)
    boxes = np.flatnonzero(obstacles.shape[row] == BOX)
    if len(boxes):
        box = row[boxes]
        half = obstacles.half[box] + grow[boxes, None]
        middle, axes = obstacles.start[box], obstacles.axes[box]
        signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
        corner = np.repeat(middle[:, None, :], len(signs), axis=1)
        for axis in range(3):
            corner = corner + (signs[None, :, axis] * half[:, None, axis])[..., None] * axes[:, None, axis]
        found[boxes] = np.tile(corner[..., :2], (1, found.shape[1] // len(signs), 1))
    return found


def _turns(offset: NDArray[np.float64], ahead: Vectors) -> NDArray[np.float64]:
    """How far to the left of straight ahead each place lies, (m, c) numbers that rise with the angle."""
    x, y = offset[..., 0], offset[..., 1]
    along = x * ahead[:, None, 0] + y * ahead[:, None, 1]
    aside = ahead[:, None, 0] * y - ahead[:, None, 1] * x
    bend = 1.0 - along / np.maximum(np.sqrt(x * x + y * y), EPSILON)
    return np.where(aside >= 0.0, bend, -bend)


def _barred(obstacles: Obstacles, places: Vectors, goal: Vectors, reach: Scalars, own: Rows) -> Mask:
    """Which places (m, 3) are too near to another obstacle than their own, or lead into one at the next step."""
    barred = np.zeros(len(places), dtype=np.bool_)
    place, row = obstacles.near(places, 2.0 * reach)
    others = (row != own[place]) & (obstacles.side[row] == OUTSIDE)
    place, row = place[others], row[others]
    if len(place):
        at = picked(places, place)
        distance, _ = obstacles.surface(at, row)
        way, _ = obstacles.touch(at, unit(picked(goal, place) - at), reach[place], row)
        barred[place[(distance < reach[place]) | (way < reach[place])]] = True
    return barred
