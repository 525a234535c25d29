"""Journeys: ways on the ground to the goals of walkers, past the obstacles in between.

What stands still is passed by the shortest way from corner to corner (roadmap.py), of a mesh the walls at the height of
the bodies (mesh_walls.py). What moves is passed by the nearer end, as it is at the moment (detours.py), and so is
everything by agents without a goal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..arrays.frozen import Columns
from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors, columns, dot, magnitude, picked, unit
from ..geometry.obstacles import MESH, OUTSIDE, Obstacles
from .detours import ways_round
from .footprints import Plane, footprints, narrowing, radius_class
from .mesh_walls import cut_heights, stand, with_walls
from .roadmap import Net

TOWARD = 0.7
"""Cosine of the angle between wish and goal, 45 degrees, up to which an agent is on its way to the goal. An agent that
wishes to go more sideways than forward is doing something else."""
MOST = 400
"""Maximum number of standing obstacles past which ways are planned. Finding which corners see each other takes a time
that grows with their square: 3 s for 400 boxes, once for each size of body."""
NETS = 128
"""Nets of corners that are kept: one for each size of body, height of cuts and state of the obstacles in a scene. A
town on uneven ground needs dozens in each step; a net of 400 boxes takes 1 MB."""


@dataclass(frozen=True)
class Travellers(Columns):
    """Agents on their way on the ground.

    Attributes:
        rows: (n,) rows of the vehicles; the obstacles they carry are not in their way.
        position: (n, 3) metres.
        radius: (n,) metres.
        direction: (n, 3) level unit directions of their wishes, zero for none.
        goal: (n, 3) metres; nan for none.
        ahead: (n,) how far ways over ground lead straight on to it, metres; inf without such ways.
        side: (n,) the side on which each is already passing an obstacle: 1 left, -1 right, 0 none.
        corner: (n, 2) the corner to which each is already on its way, metres; nan for none.
    """

    rows: Rows
    position: Vectors
    radius: Scalars
    direction: Vectors
    goal: Vectors
    ahead: Scalars
    side: Scalars
    corner: Plane

    def __len__(self) -> int:
        return len(self.rows)


class Courses(NamedTuple):
    """The present courses of travellers.

    Attributes:
        direction: (n, 3) level unit directions; the same to the last bit where nothing is in the way.
        side, corner: as of the travellers.
        further: (n,) length of the way to the goal over that of the straight line; 1 where nothing is in between.
    """

    direction: Vectors
    side: Scalars
    corner: Plane
    further: Scalars


def courses(obstacles: Obstacles, travellers: Travellers, most: int | None = MOST) -> Courses:
    """The courses past obstacles.

    Args:
        most: maximum number of standing obstacles for planning; among more, all are passed by the nearer end. None for
            those on ways over ground, which lead past what stands: they only graze it.
    """
    n = len(travellers)
    none = Courses(travellers.direction, np.zeros(n), np.full((n, 2), np.nan), np.ones(n))
    still = stand(obstacles)
    if (still & (obstacles.shape == MESH) & (obstacles.side == OUTSIDE)).any():
        found = [column.copy() for column in none]
        heights = cut_heights(travellers.position[:, 2], travellers.radius)
        for height in np.unique(heights).tolist():
            rows = np.flatnonzero(heights == height)
            walls = with_walls(obstacles, still, height)
            for column, part in zip(found, _past(walls, travellers.take(rows), most)):
                column[rows] = part
        return Courses(*found)
    return _past(obstacles, travellers, most) if len(obstacles) else none


def _past(obstacles: Obstacles, travellers: Travellers, most: int | None) -> Courses:
    """As `courses`, past the obstacles as they are."""
    n = len(travellers)
    none = Courses(travellers.direction, np.zeros(n), np.full((n, 2), np.nan), np.ones(n))
    bound = travellers.goal - travellers.position
    bound[:, 2] = 0.0
    straight = magnitude(bound)
    planned = dot(unit(bound), travellers.direction) > TOWARD
    furthest = np.where(planned, np.minimum(straight, travellers.ahead), np.inf)
    direction, side, corner, further = none.direction.copy(), none.side, none.corner, none.further
    # Obstacles that stand still and have a footprint.
    still = stand(obstacles)
    standing = np.asarray(still & (obstacles.shape != MESH) & (obstacles.side == OUTSIDE), dtype=np.bool_)
    if most is None or np.count_nonzero(standing) > most:
        standing[:] = False
    if planned.any() and standing.any():
        for rows, legs in _first_legs(obstacles.take(standing), travellers, np.flatnonzero(planned)):
            # Turned about the up axis by the angle between both directions.
            vectors = picked(direction, rows)
            start = unit(picked(bound, rows))
            c = start[:, 0] * legs.direction[:, 0] + start[:, 1] * legs.direction[:, 1]
            s = start[:, 0] * legs.direction[:, 1] - start[:, 1] * legs.direction[:, 0]
            x, y = vectors[:, 0], vectors[:, 1]
            direction[rows] = unit(columns(c * x - s * y, s * x + c * y, vectors[:, 2]))
            furthest[rows], corner[rows] = legs.distance, legs.corner
            further[rows] = np.maximum(legs.way / np.maximum(straight[rows], EPSILON), 1.0)
    on_the_way = np.flatnonzero(planned)
    for rows, passed in ((on_the_way, obstacles.take(~standing)), (np.flatnonzero(~planned), obstacles)):
        if len(rows) and len(passed):
            direction[rows], side[rows] = ways_round(
                passed,
                travellers.rows[rows],
                picked(travellers.position, rows),
                picked(direction, rows),
                furthest[rows],
                travellers.radius[rows],
                travellers.side[rows],
                most is None and rows is on_the_way,
            )
    return Courses(direction, side, corner, further)


class _FirstLegs(NamedTuple):
    """The first legs of the ways of some travellers.

    Attributes:
        corner: (m, 2) the next corners, metres.
        distance: (m,) to the next corners, metres.
        direction: (m, 3) level unit directions that just pass the obstacles at these corners.
        way: (m,) the length of the whole way, metres.
    """

    corner: Plane
    distance: Scalars
    direction: Vectors
    way: Scalars


def _first_legs(obstacles: Obstacles, travellers: Travellers, planned: Rows) -> Iterator[tuple[Rows, _FirstLegs]]:
    """The rows and first legs of planned travellers (p,) with obstacles in between, by size of body and height."""
    radius = radius_class(travellers.radius[planned])
    less = narrowing(obstacles, travellers.position[planned, 2], radius)
    for group in _alike(np.concatenate((radius[:, None], less), axis=1)):
        rows = planned[group]
        reachable = np.isfinite(less[group[0]])
        if not reachable.any():
            continue
        size = float(radius[group[0]])
        net = _net(_Ground.of(obstacles.take(reachable), less[group[0], reachable], size))
        points, goals = (net.footprints.outside(place[rows, :2]) for place in (travellers.position, travellers.goal))
        hidden = np.flatnonzero(net.footprints.crossed(points, goals))
        rows = rows[hidden]
        if not len(rows):
            continue
        places, which = np.unique(goals[hidden], axis=0, return_inverse=True)
        legs = net.legs(points[hidden], places, which.reshape(-1), travellers.corner[rows])
        turning = np.flatnonzero(legs.corner >= 0)
        rows, index = rows[turning], legs.corner[turning]
        position, corner = travellers.position[rows, :2], net.corner[index]
        course = net.footprints.tangents(position, net.row[index])
        distance = magnitude(columns(corner[:, 0] - position[:, 0], corner[:, 1] - position[:, 1], 0.0))
        yield rows, _FirstLegs(corner, distance, columns(course[:, 0], course[:, 1], 0.0), legs.length[turning])


def _alike(columns_of: Plane) -> list[Rows]:
    """The rows of a table (n, c) in groups of equal rows."""
    if (columns_of == columns_of[0]).all():
        return [np.arange(len(columns_of))]
    _, group = np.unique(columns_of, axis=0, return_inverse=True)
    group = group.reshape(-1)
    return np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])


@dataclass(frozen=True)
class _Ground:
    """The obstacles for bodies of one size at one height; the key under which their net is kept.

    Attributes:
        digest: the bytes of the other attributes, which alone are compared.
        obstacles: the k obstacles that the bodies reach.
        less: (k,) metres by which round obstacles are narrower for them.
        radius: metres.
    """

    digest: bytes
    obstacles: Obstacles = field(compare=False)
    less: Scalars = field(compare=False)
    radius: float = field(compare=False)

    @classmethod
    def of(cls, obstacles: Obstacles, less: Scalars, radius: float) -> _Ground:
        o = obstacles
        data = (o.start, o.end, o.radius, o.shape, o.axes, o.half, less, np.array([radius]))
        return cls(b"".join(np.ascontiguousarray(column).tobytes() for column in data), obstacles, less, radius)


@lru_cache(maxsize=NETS)
def _net(ground: _Ground) -> Net:
    return Net(footprints(ground.obstacles, ground.less, ground.radius))
