"""Detours on the ground: an agent with an obstacle between itself and its goal passes it by the nearer end.

This is the paper's obstacle avoidance from further away: the agent aims at an end long before it would have to dodge.

    length of a way = |point to tangent| + |tangent to tangent| + |tangent to goal|

The end with the shorter way is taken; `journeys` plans past several obstacles.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.frozen import Columns
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, which
from ..arrays.vectors import Vectors, columns, dot, magnitude, picked, unit
from ..geometry.obstacles import Obstacles
from ..geometry.shapes import BOX, OUTSIDE
from ..geometry.stature import Stature

LOOK = 12.0
"""Metres up to which obstacles count. Seen from further away, an end 2 m aside turns the course by less than
atan(2 / 12) = 9 degrees, and deciding later lengthens the way by less than 1 / cos(9 degrees) - 1 = 1.4 %."""
MARGIN = 0.02
"""Metres between body and obstacle where it passes an end. A step s along an arc of radius r cuts in by s^2 / (8 r):
2 cm suffice for r = 0.5 m up to s = 0.28 m, or 6.8 m/s at 24 frames a second. More would close narrow gaps."""
CONSTANCY = 0.3
"""Metres by which the other way round must be shorter before an agent changes sides. A step aside by d changes the
difference of the two ways by up to 2 d; this is 2 times 0.15 m, the default clearance from others."""
SLACK = 0.05
"""Metres by which an end may be too near to another obstacle and still count as passable: MARGIN, so that a gap exactly
as wide as the body is accepted, and 3 cm for inexact modelling."""

GRAZES = 0.5
"""1 - cosine of the turn, 60 degrees, up to which one that only grazes an obstacle is turned."""


@dataclass(frozen=True)
class Travellers(Columns):
    """Agents on their way on the ground.

    Attributes:
        rows: (n,) rows of the vehicles; the obstacles they carry are not in their way.
        stature: (n,) how tall obstacles meet them.
        direction: (n, 3) level unit directions of their wishes, zero for none.
        goal: (n, 3) metres; nan for none.
        ahead: (n,) how far ways over ground lead straight on to it, metres; inf without such ways.
        side: (n,) the side on which each is already passing an obstacle: 1 left, -1 right, 0 none.
        corner: (n, 2) the corner to which each is already on its way, metres; nan for none.
    """

    rows: Rows
    position: Vectors
    radius: Scalars
    stature: Stature
    direction: Vectors
    goal: Vectors
    ahead: Scalars
    side: Scalars
    corner: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)


def ways_round(obstacles: Obstacles, travellers: Travellers, mapped: bool = False) -> tuple[Vectors, Scalars]:
    """The present directions round the first obstacle between travellers and their goals, `ahead` of them.

    Args:
        mapped: whether they are on ways known to lead past what stands: they only graze that, on the side on which it
            turns them less.

    Returns:
        direction: (n, 3) level unit directions; the same to the last bit where nothing is in the way.
        side: (n,) the sides, as of the travellers.
    """
    direction, none = travellers.direction, np.zeros(len(travellers))
    if not len(obstacles):
        return direction, none
    agent, row = _first_in_the_way(obstacles, travellers)
    if not len(agent):
        return direction, none
    start, ahead = picked(travellers.position, agent), picked(direction, agent)
    grow, stature = travellers.radius[agent] + MARGIN, travellers.stature.take(agent)
    posts = outlines(obstacles, row, np.minimum(grow, np.maximum(obstacles.surface(start, row, stature)[0], 0.0)))
    # A wall that is only grazed has no shorter way round.
    passes = which(~(obstacles.are_mapped[row] & mapped))
    few, stature, passed = Outlines(*(column[passes] for column in posts)), stature.take(passes), row[passes]
    look = np.minimum(travellers.ahead[agent[passes]], LOOK + 2.0 * obstacles.radius[passed])
    goal = picked(start, passes) + picked(ahead, passes) * look[:, None]
    cost, ways = [], []
    for side in (1.0, -1.0):
        onward = posts.tangents(start, ahead, side)
        turn = 1.0 - dot(onward.direction, ahead)
        length = np.where(turn < GRAZES, turn, np.inf)
        if len(passes):
            touched, back = picked(onward.touched, passes), few.tangents(goal, -picked(ahead, passes), -side)
            further = onward.length[passes] + magnitude(touched - back.touched) + back.length
            barred = _barred(obstacles, touched, goal, (grow - SLACK)[passes], stature, passed)
            changes = CONSTANCY * (travellers.side[agent[passes]] * side < 0.0)
            length[passes] = np.where(barred, np.inf, further + changes)
        cost.append(length)
        ways.append(onward.direction)
    left = cost[0] < cost[1]
    passable = np.isfinite(np.minimum(cost[0], cost[1]))
    course, taken = direction.copy(), none
    course[agent[passable]] = np.where(left[:, None], ways[0], ways[1])[passable]
    taken[agent[passable]] = np.where(left, 1.0, -1.0)[passable]
    return course, taken


def _first_in_the_way(obstacles: Obstacles, travellers: Travellers) -> tuple[Rows, Rows]:
    """The travellers with an obstacle ahead, (m,) increasing, and the row of the first obstacle of each, (m,)."""
    furthest = np.minimum(travellers.ahead, LOOK)
    agent, row = obstacles.near(travellers.position, furthest + travellers.radius, travellers.stature)
    possible = (obstacles.side[row] == OUTSIDE) & (obstacles.carrier[row] != travellers.rows[agent])
    possible &= magnitude(travellers.direction)[agent] > 0.5
    agent, row = agent[possible], row[possible]
    few = travellers.take(agent)
    way, _ = obstacles.touch(few.position, few.direction, few.radius, row, furthest[agent], few.stature)
    met = way < furthest[agent]
    agent, row, way = agent[met], row[met], way[met]
    order = np.lexsort((way, agent))
    agent, row = agent[order], row[order]
    first = np.flatnonzero(np.concatenate((np.ones(min(len(agent), 1), dtype=np.bool_), agent[1:] != agent[:-1])))
    return agent[first], row[first]


class Tangents(NamedTuple):
    """Straight ways that touch outlines on one side. `direction`: (m, 3) level unit directions; `length`: (m,) from the
    start to the point of contact, metres; `touched`: (m, 3) the point of contact, at the height of the start."""

    direction: Vectors
    length: Scalars
    touched: Vectors


class Outlines(NamedTuple):
    """Obstacles as seen from above: each is the convex hull of a few discs. `post`: (m, c, 2) the middles of the discs,
    metres; `reach`: (m,) their radius, metres."""

    post: NDArray[np.float64]
    reach: Scalars

    def tangents(self, points: Vectors, ahead: Vectors, side: float) -> Tangents:
        """The tangents from points to one side.

        Args:
            ahead: (m, 3) level unit directions; left and right are as seen along them.
            side: 1 to pass on the left, -1 on the right.
        """
        x, y = (self.post[..., axis] - points[:, None, axis] for axis in range(2))
        distance = np.maximum(np.sqrt(x * x + y * y), EPSILON)
        # From inside a disc, at right angles to its middle.
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
    """The outlines of the obstacles of rows (m,), grown by (m,) metres so that the middle of a body may touch them."""
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
    """1 - cos(angle) of ways (m, c, 2) from straight ahead (m, 3), (m, c): positive to the left, negative to right."""
    x, y = way[..., 0], way[..., 1]
    along = x * ahead[:, None, 0] + y * ahead[:, None, 1]
    aside = ahead[:, None, 0] * y - ahead[:, None, 1] * x
    bend = 1.0 - along / np.maximum(np.sqrt(x * x + y * y), EPSILON)
    return np.where(aside >= 0.0, bend, -bend)


def _barred(
    obstacles: Obstacles, places: Vectors, goal: Vectors, reach: Scalars, stature: Stature, passed: Rows
) -> Mask:
    """The places, (m,), that are too near to another obstacle than the one passed there, or lead into one right after.
    `places`, `goal`: (m, 3) metres; `reach`: (m,) metres; `passed`: (m,) the row of the obstacle that is passed at each
    place."""
    barred = np.zeros(len(places), dtype=np.bool_)
    place, row = obstacles.near(places, 2.0 * reach, stature)
    others = (row != passed[place]) & (obstacles.side[row] == OUTSIDE)
    place, row = place[others], row[others]
    if len(place):
        at, room, stature = picked(places, place), reach[place], stature.take(place)
        distance, _ = obstacles.surface(at, row, stature)
        way, _ = obstacles.touch(at, unit(picked(goal, place) - at), room, row, room, stature)
        barred[place[(distance < room) | (way < room)]] = True
    return barred
