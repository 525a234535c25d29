"""Journeys: ways on the ground to the goals of walkers, past the obstacles in between.

What stands still is passed by the shortest way from corner to corner, of a mesh the walls at the height of the bodies
(mesh_walls.py). What moves is passed by the nearer end, as it is at the moment (detours.py), and so is everything by
agents without a goal.

Between two points among convex footprints the shortest way is straight except for turns at corners, and each of its
legs just grazes the footprints at its ends, unless it begins or ends within the wide outline of one. So the corners
that see each other make a net, and the distances d of all its corners to a goal are the fixed point of

    d(corner) = |corner - goal|                                            where it sees the goal
    d(corner) = min over its neighbors of |corner - neighbor| + d(neighbor)   elsewhere

which is reached by passing distances from neighbor to neighbor, for all corners and several goals together.

Ways over ground (over_ground.py) need a floor, and cells on it. A net needs neither: it turns and moves with the scene
to the last digits, as every behavior does, is as exact on 5 km as in a room, and serves bodies of any size at any
height. A plane with cells in its place was measured: 40 goals that move among 30 boxes of a yard took three times as
long for each step (33 ms beside 11), 40 sizes of bodies twice (44 beside 23), and the first step 0.8 s beside 0.04 s;
on 5 km its cells would be 10 m wide.

Sources: Lozano-Perez and Wesley 1979 (grown obstacles, ways from corner to corner), Bellman 1958 (all distances to a
goal, from neighbor to neighbor). The paper leaves such plans to the level above steering.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.frozen import replace
from ..arrays.once import Key
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, distinct_rows, firsts, nobody, which
from ..arrays.vectors import Vectors, columns, dot, from_above, in_space, magnitude, picked, unit
from ..geometry.obstacles import Obstacles
from ..geometry.shapes import MESH, OUTSIDE
from .detours import CONSTANCY, Travellers, ways_round
from .footprints import Footprints, Plane, footprints, narrowing, radius_class
from .mesh_walls import cut_heights, walls_at, with_walls

BLOCK = 2**21
"""Numbers in one array: 16 MB."""
CACHED = 2**18
"""Numbers that fit the processor's second-level cache: 2 MB."""
KEPT = 2**22
"""Maximum number of distances to goals that are kept for the next step: 32 MB."""
NEAR = 0.05
"""Metres from a corner within which an agent has reached it: the step of a walker, 1.3 m/s at 24 frames a second."""
ON_THE_WAY = 1e-6
"""Metres by which a way may seem longer that leads by a corner on it: rounding."""
MORE = 4
"""How many times more corners are looked at where all that are more promising are out of sight."""


class Legs(NamedTuple):
    """The first legs of the ways of n agents.

    Attributes:
        corner: (n,) the corner they go to, -1 for none: straight to the goal, or no way exists.
        length: (n,) length of the whole way, metres; inf if no way exists.
    """

    corner: Rows
    length: Scalars


class Net:
    """The corners past which ways lead, and the pairs of them that see each other.

    Attributes:
        footprints: the obstacles.
        row: (v,) index of each corner among those of the footprints; corners within another footprint are left out.
        corner: (v, 2) metres.
    """

    def __init__(self, footprints: Footprints) -> None:
        self.footprints = footprints
        self.row = which(~footprints.crossed(footprints.corner, footprints.corner))
        self.corner, self._before, self._after = (
            places[self.row] for places in (footprints.corner, footprints.before, footprints.after)
        )
        self._owner = footprints.owner[self.row]
        self._from, self._to = self._edges()
        self._length = _distance(self.corner[self._from], self.corner[self._to])
        self._begin = firsts(self._from)
        self._lengths: dict[bytes, Scalars] = {}

    def _edges(self) -> tuple[Rows, Rows]:
        """The pairs of corners, (e,) and (e,), between which a way may lead: both directions, sorted by the first."""
        v = len(self.corner)
        size = max(BLOCK // max(v, 1), 1)
        pairs, within = [np.zeros((2, 0), dtype=np.int64)], self.footprints.within(self.corner)
        for low in range(0, v, size):
            first, second = np.nonzero(np.arange(low, min(low + size, v))[:, None] < np.arange(v)[None])
            first += low
            grazing = self._grazed(first, self.corner[second]) | within[second, self._owner[first]]
            first, second = first[grazing], second[grazing]
            grazing = self._grazed(second, self.corner[first]) | within[first, self._owner[second]]
            first, second = first[grazing], second[grazing]
            free = ~self.footprints.crossed(self.corner[first], self.corner[second])
            pairs.append(np.stack((first[free], second[free])))
        first, second = np.concatenate(pairs, axis=1)
        start, end = np.concatenate((first, second)), np.concatenate((second, first))
        order = np.lexsort((end, start))
        return start[order], end[order]

    def _grazed(self, corner: Rows, places: Plane) -> Mask:
        """The mask, (m,), of lines from corners (m,) to points (m, 2) that have the corners' footprints on one side."""
        at = self.corner[corner]
        way = places - at
        sides = []
        for beside in (self._before, self._after):
            along = beside[corner] - at
            sides.append(way[:, 0] * along[:, 1] - way[:, 1] * along[:, 0])
        # A line along a side has rounding errors to the left or right of it.
        flat = EPSILON + 1e-9 * (np.abs(way[:, 0]) + np.abs(way[:, 1]))
        return (np.minimum(*sides) >= -flat) | (np.maximum(*sides) <= flat)

    def lengths(self, goals: Plane) -> NDArray[np.float64]:
        """The lengths of the ways from every corner to goals (g, 2) outside all footprints, (g, v) metres. They are inf
        where no way exists."""
        keys = [goal.tobytes() for goal in goals]
        missing = [row for row, key in enumerate(keys) if key not in self._lengths]
        if (len(self._lengths) + len(missing)) * len(self.corner) > KEPT:
            self._lengths.clear()
            missing = list(range(len(keys)))
        size = max(CACHED // max(len(self._to), 1), 16)
        for low in range(0, len(missing), size):
            rows = missing[low : low + size]
            for row, length in zip(rows, self._passed_on(goals[rows])):
                self._lengths[keys[row]] = length
        return np.array([self._lengths[key] for key in keys]).reshape(len(goals), -1)

    def _passed_on(self, goals: Plane) -> NDArray[np.float64]:
        """The lengths of the ways to goals (g, 2), (g, v) metres, passed on from the corners that see the goals."""
        g, v = len(goals), len(self.corner)
        goal, corner = (part.ravel() for part in np.indices((g, v)))
        grazing = self._grazed(corner, goals[goal]) | self.footprints.within(goals)[goal, self._owner[corner]]
        goal, corner = goal[grazing], corner[grazing]
        free = ~self.footprints.crossed(self.corner[corner], goals[goal])
        goal, corner = goal[free], corner[free]
        length = np.full((g, v), np.inf)
        length[goal, corner] = _distance(self.corner[corner], goals[goal])
        # Corners first, goals second: numbers that are added and compared are neighbors in memory.
        near, far = length.T.copy(), self._length[:, None]
        start = self._from[self._begin]
        while len(start):
            shortest = np.minimum.reduceat(near[self._to] + far, self._begin, axis=0)
            if not (shortest < near[start]).any():
                break
            near[start] = np.minimum(near[start], shortest)
        return near.T

    def legs(self, points: Plane, goals: Plane, goal: Rows, before: Plane) -> Legs:
        """The first legs of the shortest ways, for agents that do not see their goals.

        Args:
            points: (n, 2) their positions, metres, outside all footprints.
            goals: (g, 2) metres, outside all footprints.
            goal: (n,) the row of the goal of each.
            before: (n, 2) the corners they have been going to, nan for none.
        """
        length = self.lengths(goals)
        legs = Legs(np.full(len(points), -1, dtype=np.int64), np.full(len(points), np.inf))
        size = max(BLOCK // max(len(self.corner), 1), 1)
        for low in range(0, len(points) if len(self.corner) else 0, size):
            part = slice(low, low + size)
            legs.corner[part], legs.length[part] = self._chosen(points[part], length[goal[part]], before[part])
        return legs

    def _chosen(self, points: Plane, length: NDArray[np.float64], before: Plane) -> Legs:
        """As `legs`, given the lengths (n, v) of the ways from every corner."""
        every = np.arange(len(points))
        reach = _distance(points[:, None], self.corner[None])
        # An agent that has reached a corner continues to the next.
        cost = np.where(reach > NEAR, reach, np.inf) + length
        kept = self._row_of(before)
        price = np.where((self.corner[kept] == before).all(axis=1), cost[every, kept], np.inf)
        rows = which(np.isfinite(price))
        price[rows[self.footprints.crossed(points[rows], self.corner[kept[rows]])]] = np.inf
        better = self._seen_first(points, np.where(cost < price[:, None], cost, np.inf))
        cheaper, onward = cost[every, better], _distance(self.corner[kept], self.corner[better])
        changes = (cheaper < price - CONSTANCY) | (reach[every, kept] <= CONSTANCY)
        # The way by the present corner leads on to the other one.
        changes |= onward + length[every, better] <= length[every, kept] + ON_THE_WAY
        changes &= better >= 0
        corner = np.where(changes, better, np.where(np.isfinite(price), kept, -1))
        return Legs(corner, np.where(changes, cheaper, price))

    def _row_of(self, places: Plane) -> Rows:
        """The corners at places (n, 2), (n,); any for those that are none."""
        order = np.lexsort((self.corner[:, 1], self.corner[:, 0]))
        found = np.searchsorted(_sortable(self.corner[order]), _sortable(places))
        return np.asarray(order[np.minimum(found, len(order) - 1)])

    def _seen_first(self, points: Plane, cost: NDArray[np.float64]) -> Rows:
        """The cheapest corners that are seen from points (n, 2), -1 for none.

        Args:
            cost: (n, v) length of the way by each corner, metres; inf for those that are not asked about.
        """
        cheapest, number = np.full(len(points), -1, dtype=np.int64), 1
        row, corner = np.nonzero(np.isfinite(cost))
        order = np.lexsort((cost[row, corner], row))
        row, corner = row[order], corner[order]
        while len(row):
            rank = np.arange(len(row)) - np.searchsorted(row, row)
            tried = which(rank < number)
            seen = tried[~self.footprints.crossed(points[row[tried]], self.corner[corner[tried]])]
            first = seen[firsts(row[seen])]
            cheapest[row[first]] = corner[first]
            left = (rank >= number) & (cheapest[row] < 0)
            row, corner, number = row[left], corner[left], MORE * number
        return cheapest


def _sortable(places: Plane) -> NDArray[np.complex128]:
    """Places, (n, 2), as numbers that are sorted by x, then by y."""
    return places[:, 0] + 1j * places[:, 1]


def _distance(start: Plane, end: Plane) -> NDArray[np.float64]:
    x, y = (np.ascontiguousarray(start[..., k]) - np.ascontiguousarray(end[..., k]) for k in range(2))
    return np.sqrt(x * x + y * y)


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
    heights = cut_heights(travellers.position[:, 2], travellers.radius)
    levels = np.unique(heights).tolist()
    if len(levels) < 2 or not (obstacles.stand & (obstacles.shape == MESH) & (obstacles.side == OUTSIDE)).any():
        walls = walls_at(obstacles, travellers.position, travellers.radius, travellers.stature)
        return _past(walls, travellers, most)
    found = _past(obstacles.take(nobody(len(obstacles))), travellers, most)
    for height in levels:
        rows = which(heights == height)
        few = travellers.take(rows)
        walls = with_walls(obstacles, few.position[:, 2], few.radius, few.stature)
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
    standing = obstacles.stand & (obstacles.shape != MESH) & (obstacles.side == OUTSIDE)
    if most is None or np.count_nonzero(standing) > most:
        standing = nobody(len(obstacles))
    if on_the_way.any() and standing.any():
        _head_for_corners(obstacles.take(standing), travellers, which(on_the_way), bound, found)
    left = obstacles.take(~standing) if standing.any() else obstacles
    for some, passed in ((on_the_way, left), (~on_the_way, obstacles)):
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
    stands, (_, alike) = obstacles.imprint, distinct_rows(np.concatenate((radius[:, None], less), axis=1))
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
