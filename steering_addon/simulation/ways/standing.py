"""Standing: the room that what stands leaves on a grid, found again only round what has changed.

The middle of a cell may be too near to a wall although the body fits beside it in the same cell, as in a door hardly
wider than the body. So such a node is moved within its cell to where it has room: no way is lost between two middles.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, counted, least_of_each, shared, which
from ..arrays.vectors import Vectors, columns, magnitude, no_vectors
from ..geometry.obstacles import Obstacles, obstacles
from ..geometry.stature import Stature
from .spans import Build, Spans

SLACK = 0.03
"""Metres by which a body may be too near to an obstacle: inexact modelling."""
TRIES = 3
"""How often a place within a cell is moved off what is too near."""
WIDTHS = 0.75
"""Cells that a place can be moved within its cell: half its diagonal, and a little more."""
PAIRS = 2**18
"""Pairs of a node and an obstacle whose distances are computed together."""
Places = Sequence[Scalars]
"""Where bodies stand, by x, y and height, metres."""


@dataclass(frozen=True)
class Clearance:
    """The room that bodies have at the N nodes of a grid.

    Attributes:
        room: (N,) metres to the nearest obstacle, up to a limit.
        fits: (N,) whether a body fits somewhere in the cell.
        narrow: (N,) whether it does not fit in the middle of the cell.
        x, y: (N,) where in its cell a body has most room, metres.
    """

    room: Scalars
    fits: Mask
    narrow: Mask
    x: Scalars
    y: Scalars


def find_clearance(
    spans: Spans, obstacles: Obstacles, build: Build, furthest: float, before: Clearance, changed: Mask
) -> Clearance:
    """The room that bodies of a build have among obstacles, up to `furthest` metres.

    Args:
        before: the room among other obstacles.
        changed: (N,) the nodes at which it may differ; the others keep theirs.
    """
    n, radius = len(spans), build.radius
    room, x, y = (
        np.where(changed, new, old) for new, old in ((furthest, before.room), (spans.x, before.x), (spans.y, before.y))
    )
    node, row = _near(spans, obstacles, furthest, build)
    node, row = node[changed[node]], row[changed[node]]
    gap, _ = _distances(obstacles, (x, y, spans.height), node, row, build)
    np.minimum.at(room, node, gap)
    reach, narrow = WIDTHS * spans.size, room < radius
    tight = which((narrow & (room > radius - reach - SLACK))[node] & (gap < radius + 2.0 * reach))
    node, row = node[tight], row[tight]
    x, y = _moved(obstacles, (x, y, spans.height), (spans.x, spans.y), 0.5 * spans.size, node, row, build)
    least = least_of_each(n, node, _distances(obstacles, (x, y, spans.height), node, row, build)[0])
    best = np.where(np.isfinite(least), np.minimum(np.maximum(least, room), radius), room)
    fits = np.where(changed, np.where(np.isfinite(least), least, room) >= radius - SLACK, before.fits)
    return Clearance(best, fits, np.where(changed, narrow, before.narrow), x, y)


def near_any(spans: Spans, obstacles: Obstacles, reach: float, build: Build) -> Mask:
    """The nodes at which bodies of a build may be within reach of obstacles, (N,); reach in metres."""
    near = np.zeros(len(spans), dtype=np.bool_)
    near[_near(spans, obstacles, reach, build)[0]] = True
    return near


def are_parted(spans: Spans, obstacles: Obstacles, clearance: Clearance, build: Build, start: Rows, end: Rows) -> Mask:
    """Whether an obstacle is between the places of two nodes where a body fits, (m,): a wall thinner than a cell."""
    parts = np.zeros(len(start), dtype=np.bool_)
    pairs = which(clearance.narrow[start] & clearance.narrow[end] & clearance.fits[start] & clearance.fits[end])
    if not len(pairs) or not len(obstacles):
        return parts
    first, second = start[pairs], end[pairs]
    ends = [(clearance.x[node], clearance.y[node], spans.height[node]) for node in (first, second)]
    middle = [0.5 * (one + other) for one, other in zip(*ends)]
    low, high = obstacles.bounds
    near = []
    for row in range(len(obstacles)):
        beside = [np.maximum(low[row, axis] - middle[axis], middle[axis] - high[row, axis]) for axis in range(2)]
        near.append(which((np.maximum(*beside) < spans.size) & _meets(build, middle[2], low[row, 2], high[row, 2])))
    place, owner = np.concatenate(near), np.repeat(np.arange(len(near)), [len(few) for few in near])
    # A straight way from place to place may cut a corner that bodies have room to go round.
    middle[:2] = _moved(obstacles, middle, middle, 0.5 * spans.size, place, owner, build)
    halfway = ([0.5 * (one + other) for one, other in zip(end, middle)] for end in ends)
    for points in (middle, *halfway):
        gap, _ = _distances(obstacles, points, place, owner, build)
        parts[pairs[place[gap < build.radius - SLACK]]] = True
    return parts


def _near(spans: Spans, obstacles: Obstacles, reach: float, build: Build) -> tuple[Rows, Rows]:
    """Pairs of a node and an obstacle that may be within reach at the height of a body, (p,) each."""
    none = np.zeros(0, dtype=np.int64)
    if not len(obstacles):
        return none, none
    low, high = obstacles.bounds
    across, along = spans.shape
    edges = []
    for axis, number in ((0, across), (1, along)):
        first = np.floor((low[:, axis] - reach - spans.origin[axis]) / spans.size)
        last = np.floor((high[:, axis] + reach - spans.origin[axis]) / spans.size)
        edges += [np.clip(first, 0, number).astype(np.int64), np.clip(last, -1, number - 1).astype(np.int64)]
    left, right, front, back = edges
    rows = np.where(right >= left, np.maximum(back - front + 1, 0), 0)
    owner, line = counted(rows)
    line = line + front[owner]
    first = spans.begin[line * across + left[owner]]
    place, node = counted(spans.begin[line * across + right[owner] + 1] - first)
    node, owner = node + first[place], owner[place]
    meets = which(_meets(build, spans.height[node], low[owner, 2], high[owner, 2]))
    return node[meets], owner[meets]


def _meets(build: Build, height: Scalars, low: Scalars, high: Scalars) -> Mask:
    """Whether bodies that stand at heights meet what reaches from a low to a high one, (n,), metres."""
    return (low < height + build.headroom) & (high > height)


def _moved(
    obstacles: Obstacles, places: Places, middles: Places, most: float, place: Rows, row: Rows, build: Build
) -> tuple[Scalars, Scalars]:
    """Where bodies have most room up to `most` metres from middles along x and along y; pairs as of `_distances`."""
    n, moved = len(places[0]), (places[0].copy(), places[1].copy())
    for _ in range(TRIES if len(place) else 0):
        gap, away = _distances(obstacles, (*moved, places[2]), place, row, build)
        push = away * np.maximum(build.radius - gap, 0.0)[:, None]
        # The hardest push in each direction counts.
        for axis, along in enumerate(moved):
            forth, back = np.zeros(n), np.zeros(n)
            np.maximum.at(forth, place, push[:, axis])
            np.minimum.at(back, place, push[:, axis])
            np.clip(along + (forth + back), middles[axis] - most, middles[axis] + most, out=along)
    return moved


def _distances(obstacles: Obstacles, places: Places, place: Rows, row: Rows, build: Build) -> tuple[Scalars, Vectors]:
    """How far bodies at places are from obstacles, pair by pair, and the level unit direction away."""
    x, y, height = places
    least, away = np.empty(len(place)), np.empty((len(place), 2))
    for first in range(0, len(place), PAIRS):
        part = slice(first, first + PAIRS)
        at = place[part]
        stature = Stature(*(shared(end, len(at)) for end in (0.0, build.step, build.headroom, build.steepest)))
        least[part], out = obstacles.surface(columns(x[at], y[at], height[at]), row[part], stature)
        away[part] = out[:, :2] / np.maximum(magnitude(columns(out[:, 0], out[:, 1], 0.0)), EPSILON)[:, None]
    return least, away


BETWEEN = 2.0
"""Cells from a node up to which what stands may part it from the next one."""


@dataclass(frozen=True, eq=False)
class Standing:
    """The obstacles that stand on a grid for bodies of one build, with its N nodes.

    Attributes:
        spans: the grid without it.
        reach: metres from a node within which it counts.
        obstacles: what stands.
        clearance: the room at the nodes.
        links: (4, N + 1) the links of the spans without the ones that it cuts.
    """

    spans: Spans
    build: Build
    reach: float
    obstacles: Obstacles
    clearance: Clearance
    links: Rows

    @classmethod
    def nothing(cls, spans: Spans, build: Build, reach: float) -> "Standing":
        """A grid on which nothing stands."""
        n = len(spans)
        free, narrow = np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        clearance = Clearance(np.full(n, reach), free, narrow, spans.x, spans.y)
        return cls(spans, build, reach, obstacles(no_vectors(0), np.zeros(0)), clearance, spans.links)

    def with_obstacles(self, obstacles: Obstacles) -> "Standing":
        """The same grid with other obstacles; to the last bit as if it had been empty."""
        spans, build, n = self.spans, self.build, len(self.spans)
        touched = np.zeros(n + 1, dtype=np.bool_)
        for one, other in ((self.obstacles, obstacles), (obstacles, self.obstacles)):
            changed = one.take(_missing(one, other))
            touched[:n] |= near_any(spans, changed, max(self.reach, BETWEEN * spans.size), build)
        clearance = find_clearance(spans, obstacles, build, self.reach, self.clearance, touched[:n])
        links = self.links.copy()
        for side in range(2):
            start = which((spans.links[side] < n) & (touched | touched[spans.links[side]]))
            end = spans.links[side, start]
            links[side, start], links[side + 2, end] = end, spans.links[side + 2, end]
            cut = are_parted(spans, obstacles, clearance, build, start, end)
            links[side, start[cut]] = links[side + 2, end[cut]] = n
        return Standing(spans, build, self.reach, obstacles, clearance, links)


def _missing(obstacles: Obstacles, others: Obstacles) -> Rows:
    """The rows of the obstacles that are not among others."""
    known = set(map(bytes, others.imprint))
    return which(np.array([bytes(row) not in known for row in obstacles.imprint], dtype=np.bool_))
