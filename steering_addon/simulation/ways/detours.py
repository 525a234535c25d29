"""Ways round obstacles on the ground: who has one between itself and its goal goes by the nearer end.

That is the paper's obstacle avoidance seen from further off: an end is aimed at long before it has to be dodged.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.vectors import EPSILON, Mask, Rows, Scalars, Vectors, columns, magnitude, picked, unit
from ..geometry.obstacles import BOX, OUTSIDE, Obstacles

LOOK = 12.0
"""Metres from which on obstacles are seen."""
MARGIN = 0.02
"""Metres at which ends are passed beside the radius: gaps may be hardly wider than who goes through."""
CONSTANCY = 0.3
"""Metres that the other way has to be shorter for who is on its way round already."""
SLACK = 0.05
"""Metres: an end that is so much too near to another obstacle can still be passed."""


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
    here, ahead = picked(points, agent), picked(direction, agent)
    goal = here + ahead * np.minimum(distance[agent], LOOK + 2.0 * obstacles.radius[row])[:, None]
    grow = radius[agent] + MARGIN
    posts = outlines(obstacles, row, np.minimum(grow, np.maximum(obstacles.surface(here, row)[0], 0.0)))
    cost, ways = [], []
    for side in (1.0, -1.0):
        there, back = posts.tangents(here, ahead, side), posts.tangents(goal, -ahead, -side)
        length = there.length + magnitude(there.touched - back.touched) + back.length
        barred = _barred(obstacles, there.touched, goal, grow - SLACK, row)
        cost.append(np.where(barred, np.inf, length + CONSTANCY * (before[agent] * side < 0.0)))
        ways.append(there.direction)
    left = cost[0] < cost[1]
    goes = np.isfinite(np.minimum(cost[0], cost[1]))
    found, taken = direction.copy(), none
    found[agent[goes]] = np.where(left[:, None], ways[0], ways[1])[goes]
    taken[agent[goes]] = np.where(left, 1.0, -1.0)[goes]
    return found, taken


def _first_in_the_way(
    obstacles: Obstacles, own: Rows, points: Vectors, direction: Vectors, distance: Scalars, radius: Scalars
) -> tuple[Rows, Rows]:
    """Who has an obstacle ahead, rising, and which it comes to first."""
    furthest = np.minimum(distance, LOOK)
    agent, row = obstacles.near(points, furthest)
    possible = (obstacles.side[row] == OUTSIDE) & (obstacles.carrier[row] != own[agent])
    possible &= magnitude(direction)[agent] > 0.5
    agent, row = agent[possible], row[possible]
    way, _ = obstacles.touch(picked(points, agent), picked(direction, agent), radius[agent], row, furthest[agent])
    met = way < furthest[agent]
    agent, row, way = agent[met], row[met], way[met]
    order = np.lexsort((way, agent))
    agent, row = agent[order], row[order]
    first = np.flatnonzero(np.concatenate((np.ones(min(len(agent), 1), dtype=np.bool_), agent[1:] != agent[:-1])))
    return agent[first], row[first]


class Tangents(NamedTuple):
    """Straight ways that pass outlines on one side as closely as they can.

    Attributes:
        direction: (m, 3) level unit directions.
        length: (m,) how far it is to where they touch, metres.
        touched: (m, 3) that place, at the height of the start.
    """

    direction: Vectors
    length: Scalars
    touched: Vectors


class Outlines(NamedTuple):
    """Obstacles as seen from above: each is what a cord holds that is drawn about a few round posts.

    Attributes:
        post: (m, c, 2) the middles of the posts.
        reach: (m,) their radius, metres.
    """

    post: NDArray[np.float64]
    reach: Scalars

    def tangents(self, points: Vectors, ahead: Vectors, side: float) -> Tangents:
        """The ways from places (m, 3) that pass on the left (1) or the right (-1) of who looks ahead (m, 3)."""
        x, y = (self.post[..., axis] - points[:, None, axis] for axis in range(2))
        distance = np.maximum(np.sqrt(x * x + y * y), EPSILON)
        # Who is nearer than the radius goes square to the middle.
        reach = np.minimum(self.reach[:, None], distance)
        length = np.sqrt(distance * distance - reach * reach)
        square = distance * distance
        way = np.stack(((x * length - y * reach * side) / square, (y * length + x * reach * side) / square), axis=-1)
        every = np.arange(len(points))
        post = np.argmax(side * _turns(way, ahead), axis=1)
        direction = unit(columns(way[every, post, 0], way[every, post, 1], 0.0))
        length = length[every, post]
        return Tangents(direction, length, points + direction * length[:, None])


def outlines(obstacles: Obstacles, row: Rows, grow: Scalars) -> Outlines:
    """The outlines of obstacles, one each, grown by (m,) metres so that who has a radius can pass along them."""
    post = np.stack((obstacles.start[row, :2], obstacles.end[row, :2]), axis=1)
    reach = obstacles.radius[row] + grow
    boxes = np.flatnonzero(obstacles.shape[row] == BOX)
    if len(boxes):
        box = row[boxes]
        signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
        corner = np.repeat(obstacles.start[box][:, None, :], len(signs), axis=1)
        for axis in range(3):
            offset = signs[None, :, axis] * obstacles.half[box][:, None, axis]
            corner = corner + offset[..., None] * obstacles.axes[box][:, None, axis]
        post = np.repeat(post, len(signs) // 2, axis=1)
        post[boxes], reach[boxes] = corner[..., :2], grow[boxes]
    return Outlines(post, reach)


def _turns(way: NDArray[np.float64], ahead: Vectors) -> NDArray[np.float64]:
    """How far to the left of straight ahead each way (m, c, 2) leads, (m, c) numbers that rise with the angle."""
    x, y = way[..., 0], way[..., 1]
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
        at, room = picked(places, place), reach[place]
        distance, _ = obstacles.surface(at, row)
        way, _ = obstacles.touch(at, unit(picked(goal, place) - at), room, row, room)
        barred[place[(distance < room) | (way < room)]] = True
    return barred
