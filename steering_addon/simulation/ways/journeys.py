"""Journeys: ways on the ground to the goals of walkers, past the obstacles in between.

What stands still is passed by the shortest way from corner to corner (roadmap.py), of a mesh the walls at the height of
the bodies (mesh_walls.py). What moves is passed by the nearer end, as it is at the moment (detours.py), and so is
everything by agents without a goal.

Ways over ground (over_ground.py) need a floor, and cells on it. A net needs neither: it turns and moves with the scene
to the last digits, as every behavior does, is as exact on 5 km as in a room, and serves bodies of any size at any
height. A plane with cells in its place was measured: 40 goals that move among 30 boxes of a yard took three times as
long for each step (33 ms beside 11), 40 sizes of bodies twice (44 beside 23), and the first step 0.8 s beside 0.04 s;
on 5 km its cells would be 10 m wide.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..arrays.frozen import replace
from ..arrays.once import Key
from ..arrays.scalars import EPSILON, Rows, Scalars, distinct_rows, nobody, which
from ..arrays.vectors import Vectors, columns, dot, from_above, in_space, magnitude, picked, unit
from ..geometry.obstacles import Obstacles
from ..geometry.shapes import MESH, OUTSIDE
from .detours import Travellers, ways_round
from .footprints import Plane, footprints, narrowing, radius_class
from .mesh_walls import cut_heights, stand, with_walls
from .roadmap import Net
from .standing import imprint

TOWARD = 0.7
"""Cosine of the angle between wish and goal, 45 degrees, up to which an agent is on its way to the goal. An agent that
wishes to go more sideways than forward is doing something else."""
MOST = 400
"""Maximum number of standing obstacles past which ways are planned. Finding which corners see each other takes a time
that grows with their square: 3 s for 400 boxes, once for each size of body."""
NETS = 128
"""Nets of corners that are kept: one for each size of body, height of cuts and state of the obstacles in a scene. A
town on uneven ground needs dozens in each step; a net of 400 boxes takes 1 MB."""


class Courses(NamedTuple):
    """The present courses of travellers.

    Attributes:
        direction: (n, 3) level unit directions; the same to the last bit where nothing is in the way.
        side, corner: as of the travellers.
        further: (n,) length of the way to the goal over that of the straight line; 1 where nothing is in between.
        ahead: (n,) how far the way leads straight on, metres; inf for those that are not on their way to a goal.
    """

    direction: Vectors
    side: Scalars
    corner: Plane
    further: Scalars
    ahead: Scalars


def courses(obstacles: Obstacles, travellers: Travellers, most: int | None = MOST) -> Courses:
    """The courses past obstacles.

    Args:
        most: maximum number of standing obstacles for planning; among more, all are passed by the nearer end. None for
            those on ways over ground, which lead past what stands: they only graze it.
    """
    still = stand(obstacles)
    if not (still & (obstacles.shape == MESH) & (obstacles.side == OUTSIDE)).any():
        return _past(obstacles, travellers, most)
    found = _past(obstacles.take(slice(0, 0)), travellers, most)
    heights = cut_heights(travellers.position[:, 2], travellers.radius)
    for height in np.unique(heights).tolist():
        rows = which(heights == height)
        few = travellers.take(rows)
        walls = with_walls(obstacles, still, few.position[:, 2], few.radius, few.stature)
        for column, part in zip(found, _past(walls, few, most)):
            column[rows] = part
    return found


def _past(obstacles: Obstacles, travellers: Travellers, most: int | None) -> Courses:
    """As `courses`, past the obstacles as they are."""
    n = len(travellers)
    bound = travellers.goal - travellers.position
    bound[:, 2] = 0.0
    on_the_way = dot(unit(bound), travellers.direction) > TOWARD
    ahead = np.where(on_the_way, np.minimum(magnitude(bound), travellers.ahead), np.inf)
    found = Courses(travellers.direction.copy(), np.zeros(n), np.full((n, 2), np.nan), np.ones(n), ahead)
    # Obstacles that stand still and have a footprint.
    standing = stand(obstacles) & (obstacles.shape != MESH) & (obstacles.side == OUTSIDE)
    if most is None or np.count_nonzero(standing) > most:
        standing = nobody(len(obstacles))
    if on_the_way.any() and standing.any():
        _head_for_corners(obstacles.take(standing), travellers, which(on_the_way), bound, found)
    for some, passed in ((on_the_way, obstacles.take(~standing)), (~on_the_way, obstacles)):
        rows = which(some)
        if len(rows) and len(passed):
            few = replace(travellers.take(rows), direction=picked(found.direction, rows), ahead=ahead[rows])
            found.direction[rows], found.side[rows] = ways_round(passed, few, most is None and some is on_the_way)
    return found


def _head_for_corners(
    obstacles: Obstacles, travellers: Travellers, planned: Rows, bound: Vectors, found: Courses
) -> None:
    """Turn the courses of planned travellers (p,) past obstacles in between, by size of body and height.

    Args:
        bound: (n, 3) level to the goals, metres.
        found: the courses; all but the sides change.
    """
    radius = radius_class(travellers.radius[planned])
    less = narrowing(obstacles, travellers.position[planned, 2], travellers.stature.take(planned), radius)
    stands, (_, alike) = imprint(obstacles), distinct_rows(np.concatenate((radius[:, None], less), axis=1))
    for group in np.split(np.argsort(alike, kind="stable"), np.cumsum(np.bincount(alike))[:-1]):
        rows = planned[group]
        parts = obstacles, less[group[0]].copy(), float(radius[group[0]])
        if not np.isfinite(parts[1]).any():
            continue
        net = _net(Key.of(parts, stands, *parts[1:]))
        points, goals = (net.footprints.outside(place[rows, :2]) for place in (travellers.position, travellers.goal))
        hidden = which(net.footprints.crossed(points, goals))
        if not len(hidden):
            continue
        rows = rows[hidden]
        legs = net.legs(points[hidden], *distinct_rows(goals[hidden]), travellers.corner[rows])
        leads = which(legs.corner >= 0)
        rows, index = rows[leads], legs.corner[leads]
        position, straight = from_above(picked(travellers.position, rows)), magnitude(bound[rows])
        to_corner = net.corner[index] - position
        start, course = from_above(unit(picked(bound, rows))), net.footprints.tangents(position, net.row[index])
        # They just pass the obstacle there, and are off that course by the angle between the wish and the goal.
        cosine, sine = dot(in_space(start), in_space(course)), start[:, 0] * course[:, 1] - start[:, 1] * course[:, 0]
        found.direction[rows] = unit(rotated(picked(found.direction, rows), cosine, sine))
        found.corner[rows], found.ahead[rows] = net.corner[index], magnitude(in_space(to_corner))
        found.further[rows] = np.maximum(legs.length[leads] / np.maximum(straight, EPSILON), 1.0)


def rotated(vectors: Vectors, cosine: Scalars, sine: Scalars) -> Vectors:
    """The vectors, (n, 3), turned about the up axis by angles of these cosines and sines, (n,)."""
    x, y = vectors[:, 0], vectors[:, 1]
    return columns(cosine * x - sine * y, np.asarray(sine * x + cosine * y), vectors[:, 2])


@lru_cache(maxsize=NETS)
def _net(key: Key[tuple[Obstacles, Scalars, float]]) -> Net:
    """The net of bodies of one radius among obstacles that are narrower by (k,) metres for them, inf out of reach."""
    obstacles, less, radius = key.parts
    reached = np.isfinite(less)
    return Net(footprints(obstacles.take(reached), less[reached], radius))
