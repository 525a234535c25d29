"""Journeys: ways on the ground to where walkers want to be, past whatever is between.

Whatever stands there is gone round by the shortest way from corner to corner, however many it takes. What moves, or is
a mesh, is passed by the nearer end as it is at the moment; so is everything by who just goes on and wants to be
nowhere. That is the paper's obstacle avoidance seen from further off: an end is aimed at long before it has to be
dodged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..arrays.vectors import EPSILON, Mask, Rows, Scalars, Vectors, columns, dot, magnitude, picked, unit
from ..geometry.obstacles import MESH, OUTSIDE, Obstacles
from .detours import ways_round
from .footprints import Plane, footprints, radius_class, reached
from .roadmap import Net

TOWARD = 0.7
"""Cosine of the angle to its goal up to which an agent is on its way there."""
MOST = 400
"""Obstacles up to which ways are planned; among more it takes too long to find which corners see each other."""
NETS = 16
"""Nets of corners that are kept for the next step."""


@dataclass(frozen=True)
class Travellers:
    """Who is on its way on the ground.

    Attributes:
        rows: (n,) rows of the vehicles, which what they carry is not in the way of.
        position: (n, 3) metres.
        radius: (n,) metres.
        direction: (n, 3) level unit directions in which they want to go, zero for nowhere.
        goal: (n, 3) where they want to be, metres; nan where they just go on.
        side: (n,) the side on which each is on its way round something already: 1 left, -1 right, 0 none.
        corner: (n, 2) the corner each is on its way to already, metres; nan for none.
    """

    rows: Rows
    position: Vectors
    radius: Scalars
    direction: Vectors
    goal: Vectors
    side: Scalars
    corner: Plane

    def __len__(self) -> int:
        return len(self.rows)


class Courses(NamedTuple):
    """Which way travellers take at the moment.

    Attributes:
        direction: (n, 3) level unit directions; the same to the last bit where nothing is in the way.
        side, corner: as of the travellers.
        further: (n,) how many times as long as the straight line the way to the goal is; 1 where nothing is between.
    """

    direction: Vectors
    side: Scalars
    corner: Plane
    further: Scalars


def courses(obstacles: Obstacles, travellers: Travellers, most: int = MOST) -> Courses:
    """The directions that lead to places which are straight ahead but for what is in the way.

    Args:
        most: how many standing obstacles ways are planned past; among more, all are passed by the nearer end.
    """
    who = travellers
    none = Courses(who.direction, np.zeros(len(who)), np.full((len(who), 2), np.nan), np.ones(len(who)))
    if not len(obstacles):
        return none
    bound = who.goal - who.position
    bound[:, 2] = 0.0
    straight = magnitude(bound)
    planned = dot(unit(bound), who.direction) > TOWARD
    furthest = np.where(planned, straight, np.inf)
    direction, side, corner, further = none.direction.copy(), none.side, none.corner, none.further
    standing = _standing(obstacles)
    if np.count_nonzero(standing) > most:
        standing[:] = False
    if planned.any() and standing.any():
        for some, legs in _first_legs(obstacles.take(standing), who, np.flatnonzero(planned)):
            direction[some] = _turned(picked(direction, some), unit(picked(bound, some)), legs.direction)
            furthest[some], corner[some] = legs.distance, legs.corner
            further[some] = np.maximum(legs.way / np.maximum(straight[some], EPSILON), 1.0)
    for some, things in (
        (np.flatnonzero(planned), obstacles.take(~standing)),
        (np.flatnonzero(~planned), obstacles),
    ):
        if len(some) and len(things):
            position, ahead = picked(who.position, some), picked(direction, some)
            direction[some], side[some] = ways_round(
                things, who.rows[some], position, ahead, furthest[some], who.radius[some], who.side[some]
            )
    return Courses(direction, side, corner, further)


def _standing(obstacles: Obstacles) -> Mask:
    """(k,) which of them keep still, and have a footprint to be gone round."""
    still = ((obstacles.velocity == 0.0) & (obstacles.spin == 0.0)).all(axis=1) & (obstacles.carrier < 0)
    return np.asarray(still & (obstacles.shape != MESH) & (obstacles.side == OUTSIDE), dtype=np.bool_)


def _turned(vectors: Vectors, start: Vectors, end: Vectors) -> Vectors:
    """Level vectors turned about the up axis by as much as from one level unit direction to another, (n, 3) each."""
    c = start[:, 0] * end[:, 0] + start[:, 1] * end[:, 1]
    s = start[:, 0] * end[:, 1] - start[:, 1] * end[:, 0]
    x, y = vectors[:, 0], vectors[:, 1]
    return unit(columns(c * x - s * y, s * x + c * y, vectors[:, 2]))


class _FirstLegs(NamedTuple):
    """What is next on the ways of some travellers.

    Attributes:
        corner: (m, 2) the corners they go to, metres.
        distance: (m,) how far that is, metres.
        direction: (m, 3) level unit directions that just pass what is there.
        way: (m,) how long the whole way is, metres.
    """

    corner: Plane
    distance: Scalars
    direction: Vectors
    way: Scalars


def _first_legs(obstacles: Obstacles, who: Travellers, some: Rows) -> Iterator[tuple[Rows, _FirstLegs]]:
    """The first legs of those travellers who have something between themselves and their goals."""
    radius = radius_class(who.radius[some])
    less = reached(obstacles, who.position[some, 2], radius)
    for group in _alike(np.concatenate((radius[:, None], less), axis=1)):
        rows = some[group]
        there = np.isfinite(less[group[0]])
        if not there.any():
            continue
        net = _net(_Ground.of(obstacles.take(there), less[group[0], there], float(radius[group[0]])))
        points, goals = (net.footprints.outside(place[rows, :2]) for place in (who.position, who.goal))
        hidden = np.flatnonzero(net.footprints.crossed(points, goals))
        rows = rows[hidden]
        if not len(rows):
            continue
        places, which = np.unique(goals[hidden], axis=0, return_inverse=True)
        legs = net.legs(points[hidden], places, which.reshape(-1), who.corner[rows])
        found = np.flatnonzero(legs.corner >= 0)
        rows, at = rows[found], legs.corner[found]
        here, corner = who.position[rows, :2], net.corner[at]
        course = net.footprints.tangents(here, net.row[at])
        distance = magnitude(columns(corner[:, 0] - here[:, 0], corner[:, 1] - here[:, 1], 0.0))
        yield rows, _FirstLegs(corner, distance, columns(course[:, 0], course[:, 1], 0.0), legs.length[found])


def _alike(columns_of: Plane) -> list[Rows]:
    """The rows of a table (n, c) in groups, those together that are the same."""
    if (columns_of == columns_of[0]).all():
        return [np.arange(len(columns_of))]
    _, group = np.unique(columns_of, axis=0, return_inverse=True)
    group = group.reshape(-1)
    return np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])


@dataclass(frozen=True)
class _Ground:
    """What stands in the way of bodies of one size at one height.

    Attributes:
        digest: all that its net follows from.
        obstacles: those that they reach.
        less: (k,) metres by which what is round is narrower for them.
        radius: metres.
    """

    digest: bytes
    obstacles: Obstacles = field(compare=False)
    less: Scalars = field(compare=False)
    radius: float = field(compare=False)

    @classmethod
    def of(cls, obstacles: Obstacles, less: Scalars, radius: float) -> _Ground:
        o = obstacles
        told = (o.start, o.end, o.radius, o.shape, o.axes, o.half, less, np.array([radius]))
        return cls(b"".join(np.ascontiguousarray(column).tobytes() for column in told), obstacles, less, radius)


@lru_cache(maxsize=NETS)
def _net(ground: _Ground) -> Net:
    return Net(footprints(ground.obstacles, ground.less, ground.radius))
