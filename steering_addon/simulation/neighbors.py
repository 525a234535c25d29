"""Neighborhoods: who is near whom, found once a step and shared by all behaviors that ask.

Bodies are put into rows of narrow cells, so that whoever may be near an agent lies in a few unbroken runs of a sorted
list. Every pair is found once and looked at from both ends. All pairs tried one by one is the oracle in the tests.

The lists come in blocks, so that trying the candidates of a large crowd needs no more memory than of a small one.
Single numbers are picked with `x[rows]`: `take` and `repeat` need four times as long in the numpy of Blender 4.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .angles import cosine
from .declaration import Choice
from .vectors import EPSILON, Mask, Rows, Scalars, Vectors, alike, columns, no_vectors, picked, same_for_all

NEIGHBORS = (
    Choice("OWN_CROWD", 0, "Own Crowd", "Only vehicles of the same crowd"),
    Choice("EVERYONE", 1, "Everyone", "All vehicles"),
    Choice("CHOSEN_CROWD", 2, "Chosen Crowd", "Only vehicles of one crowd"),
)
OWN_CROWD, EVERYONE, CHOSEN_CROWD = (c.number for c in NEIGHBORS)

FINE = 4
"""Cells a radius along a row: finer ones let in fewer that are too far, and cost more looking up."""
ROWS = 5
"""Rows of cells in which a point's partners may lie: its own and four of the eight round it."""
DENSE = 16
"""Cells a body up to which a plain table of cells is kept; where bodies are few and far between it is searched for."""
MOST = 2**20
"""Cells along an axis; whoever is further out shares the last one, so that their numbers never overflow."""
BLOCK = 2**17
"""Candidates that are tried together."""
ROUNDING = 1e-6
"""By how much of it the square of a radius is taken too large where points are looked for, to lose none to rounding."""
ALL_ROUND = 2.0 * np.pi - 1e-6
"""Radians: who sees so much sees everything."""
BEHIND = -2.0
"""A cosine that is exceeded even straight behind."""
FEW = 5
"""Pairs an agent below which it is quicker to add them up one by one than line by line."""
SPARSE = 0.4
"""Share of a list that is perceived below which it is quicker to pick those than to go on with all."""


Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """Pairs of bodies nearer to each other than a radius.

    Attributes:
        first, second: (p,) their rows; equal ones of `first` lie together.
        offset: (p, 3) from the first to the second, metres.
        distance_squared: (p,) metres squared.
    """

    first: Rows
    second: Rows
    offset: Vectors
    distance_squared: Scalars

    def __len__(self) -> int:
        return len(self.first)

    def take(self, some: Rows) -> Pairs:
        """Some of the pairs; `some` rises."""
        return Pairs(self.first[some], self.second[some], picked(self.offset, some), self.distance_squared[some])


def pairs_within(points: Vectors, radius: float) -> list[Pairs]:
    """All pairs of points (m, 3) nearer to each other than `radius`, each once, in blocks."""
    if len(points) < 2 or radius <= 0.0:
        return []
    order, begin, length = _runs(points, radius)
    lined_up = picked(points, order)
    most = np.cumsum(length)[ROWS - 1 :: ROWS]
    blocks = np.searchsorted(most, np.arange(BLOCK, int(most[-1]) + BLOCK, BLOCK)).tolist()
    found, low = [], 0
    for block in blocks:
        high = min(max(block, low) + 1, len(points))
        if high > low:
            found.append(_within(lined_up, order, begin[low:high], length[low:high], low, radius))
        low = high
    return [pairs for pairs in found if len(pairs)]


def _within(lined_up: Vectors, order: Rows, begin: Counts, length: Counts, low: int, radius: float) -> Pairs:
    """The pairs among the candidates of some points, whose first is `low`, all in the order of their cells."""
    high = low + len(length)
    candidates = length[:, 0] + length[:, 1] + length[:, 2] + length[:, 3] + length[:, 4]
    second = _expanded(begin, length)
    gaps = []
    for axis in range(3):
        along = lined_up[:, axis]
        gap = along[second]
        gap -= np.repeat(along[low:high], candidates)
        gaps.append(gap)
    distance_squared = gaps[0] * gaps[0]
    for gap in gaps[1:]:
        distance_squared += gap * gap
    near = np.flatnonzero(distance_squared < radius * radius)
    first = np.repeat(order[low:high], candidates)
    offset = columns(gaps[0][near], gaps[1][near], gaps[2][near])
    return Pairs(first[near], order[second[near]], offset, distance_squared[near])


def _runs(points: Vectors, radius: float) -> tuple[Rows, Counts, Counts]:
    """The points in order of their cells, and for each the runs of that order that may hold its partners.

    Half of the rows round a point are enough, as each pair is found from one end only. Of a row that lies further off,
    a shorter part is within the radius.

    Returns:
        order: (m,) rows of points.
        begin, length: (m, 5) runs in that order.
    """
    offset = points - points.min(axis=0)
    cell = np.array([radius / FINE, radius, radius])
    along, row_y, row_z = np.minimum(np.floor(offset / cell), MOST).T.astype(np.int64)
    wide, deep = int(along.max()) + 1, int(row_y.max()) + 3
    # An empty row of cells all round saves asking whether a neighboring row exists.
    rows = (row_z * deep + row_y + 1) * wide
    cells = rows + along
    # Numbers of 16 bits are sorted by counting.
    order = np.argsort(cells.astype(np.uint16) if cells.max() < 2**16 else cells, kind="stable")
    rows, row_y, row_z = rows[order], row_y[order], row_z[order]
    cells = cells[order]
    x, y, z = picked(offset, order).T

    stride = deep * wide
    reach, any_reach = _reaches(y - row_y * radius, z - row_z * radius, radius)
    ends = np.empty((2, ROWS, len(points)))
    ends[0], ends[1] = x - reach, x + reach
    ends /= cell[0]
    places = np.minimum(np.maximum(ends, 0.0), wide - 1.0).astype(np.int64)
    places[1] += 1
    places += rows + np.array([[0], [wide], [stride - wide], [stride], [stride + wide]])
    begin, end = _position(cells, places, int(cells[-1]) + 2 * stride)
    begin[0] = np.arange(1, len(points) + 1)
    length = np.maximum(end - begin, 0) * any_reach
    return order, np.ascontiguousarray(begin.T), np.ascontiguousarray(length.T)


def _reaches(beyond_y: Scalars, beyond_z: Scalars, radius: float) -> tuple[Scalars, NDArray[np.bool_]]:
    """How far each point's partners in the rows round it may be along them, (5, m), and whether there may be any.

    Args:
        beyond_y, beyond_z: (m,) how far each point is beyond the lower edge of its row.
    """
    # Whoever is out of all bounds is far from the rows below.
    low, back = np.minimum(beyond_y, radius), np.minimum(beyond_z, radius)
    high, front = radius - low, radius - back
    square = radius * radius * (1.0 + ROUNDING)
    squares = np.empty((ROWS, len(low)))
    squares[0] = square
    squares[1] = square - high * high
    squares[3] = square - front * front
    squares[2] = squares[3] - low * low
    squares[4] = squares[3] - high * high
    return np.sqrt(np.maximum(squares, 0.0)), squares > 0.0


def _position(cells: NDArray[np.int64], wanted: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Where in the sorted list of cells the wanted ones, which are below `most`, begin."""
    if most > DENSE * len(cells) + 4096:
        return np.searchsorted(cells, wanted.ravel()).reshape(wanted.shape)
    begin = np.zeros(most + 1, dtype=np.int64)
    np.cumsum(np.bincount(cells, minlength=most), out=begin[1:])
    return begin[wanted]


def _expanded(begin: Counts, length: Counts) -> Rows:
    """The runs written out: (c,) the members of one after the other."""
    filled = np.flatnonzero(length)
    size, start = length.ravel()[filled], begin.ravel()[filled]
    ends = np.cumsum(size)
    total = int(ends[-1]) if len(ends) else 0
    members = np.arange(total)
    members += np.repeat(start - (ends - size), size)
    return members


@dataclass(frozen=True)
class Lookers:
    """Who looks in each pair of a list.

    Attributes:
        count: how many agents there are.
        agent: (p,) which of the agents.
        lined_up: whether equal ones are side by side.
    """

    count: int
    agent: Rows
    lined_up: bool

    def total(self, values: Scalars) -> Scalars:
        """What the pairs of each agent add up to; (p,) to (n,)."""
        if not self.lined_up or len(values) <= FEW * self.count:
            return np.bincount(self.agent, values, minlength=self.count).astype(np.float64, copy=False)
        total = np.zeros(self.count)
        begin, _, whose = self._lines
        total[whose] = np.add.reduceat(values, begin)
        return total

    def own(self, column: Any) -> Any:
        """The entry of each pair's agent in a column; (n,) to (p,)."""
        if not self.lined_up:
            return column[self.agent]
        _, size, whose = self._lines
        return np.repeat(column[whose], size)

    @cached_property
    def number(self) -> Scalars:
        """(n,) how many pairs each agent is in."""
        if not self.lined_up:
            return np.bincount(self.agent, minlength=self.count).astype(np.float64)
        _, size, whose = self._lines
        number = np.zeros(self.count)
        number[whose] = size
        return number

    @cached_property
    def _lines(self) -> tuple[Rows, Rows, Rows]:
        """Where equal agents begin, how many they are, and who."""
        begin = np.flatnonzero(np.concatenate(([len(self.agent) > 0], self.agent[1:] != self.agent[:-1])))
        return begin, np.diff(begin, append=len(self.agent)), self.agent[begin]


@dataclass(frozen=True)
class Near:
    """A list of others near some agents: pairs, seen from the agents' end.

    Attributes:
        lookers: who looks.
        body: (p,) the row in World.bodies of whom it looks at.
        offset: (p, 3) from the agent to the body, metres.
        distance: (p,) metres, never quite 0.
        seen: (p,) whether the agent does perceive it; None where all are.
        mirrored: whether another list holds the same pairs from the other end.
    """

    lookers: Lookers
    body: Rows
    offset: Vectors
    distance: Scalars
    seen: Mask | None = None
    mirrored: bool = False

    @property
    def agent(self) -> Rows:
        """(p,) which of the agents looks."""
        return self.lookers.agent

    def own(self, column: Any) -> Any:
        """The entry of each pair's agent in a column (n,): (p,), or one number where all have the same."""
        return column[0] if same_for_all(column) else self.lookers.own(column)

    def ahead(self, forward: Vectors) -> Scalars:
        """(p,) how far each body is along the heading of its agent, of which there are (n, 3); metres."""
        ahead = self.lookers.own(forward[:, 0])
        ahead *= self.offset[:, 0]
        for axis in (1, 2):
            part = self.lookers.own(forward[:, axis])
            part *= self.offset[:, axis]
            ahead += part
        return ahead

    def perceived(self, seen: Mask) -> Near:
        """Those of the list that the agents perceive."""
        seen = seen if self.seen is None else seen & self.seen
        number = np.count_nonzero(seen)
        if number == len(seen):
            return replace(self, seen=None)
        near = replace(self, seen=seen)
        return near.alone() if number < SPARSE * len(seen) else near

    def alone(self) -> Near:
        """The list without those that are not perceived."""
        if self.seen is None:
            return self
        some = np.flatnonzero(self.seen)
        lookers = replace(self.lookers, agent=self.agent[some])
        return Near(lookers, self.body[some], picked(self.offset, some), self.distance[some])

    def sum(self, values: Any) -> Any:
        """What the perceived pairs of each agent add up to; (p,) to (n,), (p, 3) to (n, 3)."""
        if values.ndim == 2:
            return columns(*(self.sum(values[:, axis]) for axis in range(3)))
        return self.lookers.total(values if self.seen is None else values * self._counts)

    def sum_of(self, column: Any) -> Any:
        """What the perceived bodies' entries of a column add up to for each agent; (b,) to (n,), (b, 3) to (n, 3)."""
        if column.ndim == 2:
            return columns(*(self.sum_of(column[:, axis]) for axis in range(3)))
        return self.sum(column[self.body])

    @cached_property
    def number(self) -> Scalars:
        """(n,) how many each agent perceives."""
        return self.lookers.number if self.seen is None else self.lookers.total(self._counts)

    @cached_property
    def _counts(self) -> Scalars:
        """(p,) 1 for those that are perceived, else 0."""
        assert self.seen is not None
        return self.seen.astype(np.float64)

    def linked(self) -> tuple[Rows, Rows]:
        """Who perceives whom: which of the agents, and the rows of the bodies."""
        if self.seen is None:
            return self.agent, self.body
        some = np.flatnonzero(self.seen)
        return self.agent[some], self.body[some]


@dataclass(frozen=True)
class Neighbors:
    """Whom some agents perceive.

    The pairs come in several lists, as the agents stand at one end or the other. What is wanted of each pair is
    therefore asked for by a function of a list, as in `neighbors.sum(lambda near: near.offset)`.

    Attributes:
        count: how many agents there are.
        lists: the lists; each pair of agent and body is in one of them.
    """

    count: int
    lists: tuple[Near, ...]

    def sum(self, of: Callable[[Near], Any]) -> Any:
        """What `of` gives for each pair, (p,) or (p, 3), added up for each agent, (n,) or (n, 3)."""
        return self._added(lambda near: near.sum(of(near)))

    def _added(self, total_of: Callable[[Near], Any]) -> Any:
        first, *others = self.lists or (self.together(),)
        total = total_of(first)
        for near in others:
            total += total_of(near)
        return total

    @cached_property
    def number(self) -> Scalars:
        """(n,) how many each agent perceives."""
        number = np.zeros(self.count)
        for near in self.lists:
            number += near.number
        return number

    def average(self, of: Callable[[Near], Any]) -> Any:
        """The mean over the pairs of each agent; 0 for an agent that perceives nobody."""
        return self._mean(self.sum(of))

    def average_of(self, column: Any) -> Any:
        """The mean entry of the perceived bodies in a column, (b,) or (b, 3); 0 for an agent that perceives nobody."""
        return self._mean(self._added(lambda near: near.sum_of(column)))

    def _mean(self, total: Any) -> Any:
        number = np.maximum(self.number, 1.0)
        return total / (number[:, None] if total.ndim == 2 else number)

    def links(self, rows: Rows) -> list[tuple[Rows, Rows]]:
        """Who is in sight of whom, either way, as rows of bodies; `rows` (n,) are those of the agents."""
        mutual = all(near.seen is None for near in self.lists)
        lists = [near for near in self.lists if not (mutual and near.mirrored)]
        return [(rows[agent], body) for agent, body in map(Near.linked, lists)]

    def together(self) -> Near:
        """All pairs in one list, each of them perceived; it takes longer than sums do."""
        lists = [near.alone() for near in self.lists]
        none = np.zeros(0, dtype=np.int64)
        return Near(
            Lookers(self.count, np.concatenate([none, *(near.agent for near in lists)]), lined_up=False),
            np.concatenate([none, *(near.body for near in lists)]),
            np.concatenate([no_vectors(0), *(near.offset for near in lists)]),
            np.concatenate([np.zeros(0), *(near.distance for near in lists)]),
        )


class Vicinity:
    """Who is near whom at one moment, for every distance that is asked for in a step.

    Distances of one class, a factor of 2 wide, are looked for together, when the first of them is asked for.
    """

    def __init__(self, position: Vectors, rows: Rows, distances: tuple[float, ...]) -> None:
        """
        Args:
            position: (b, 3) of all bodies.
            rows: (m,) those that can be perceived, rising.
            distances: all that will be asked for.
        """
        self.rows = rows
        # Rows rise and none comes twice, so that as many as there are bodies are all of them.
        self._points = position if len(rows) == len(position) else picked(position, rows)
        self._count = len(position)
        self._reaches = _classes(distances)
        self._pairs: dict[float, list[Pairs]] = {}
        self._seen: dict[tuple[float, bytes], tuple[Near, ...]] = {}

    def around(self, distance: float, rows: Rows) -> tuple[Near, ...]:
        """Everybody nearer than a distance to the bodies of some rows, as these see them."""
        key = (distance, rows.tobytes())
        if key not in self._seen:
            lists = (near for pairs in self.pairs(distance) for near in both_ways(pairs, rows, self._count))
            self._seen[key] = tuple(near for near in lists if len(near.body))
        return self._seen[key]

    def pairs(self, distance: float) -> list[Pairs]:
        """All pairs nearer than a distance, in blocks; rows are those of all bodies."""
        if distance not in self._pairs:
            reach = min((r for r in self._reaches if r >= distance), default=distance)
            self._pairs[distance] = self._found(reach) if reach == distance else _nearer(self.pairs(reach), distance)
        return self._pairs[distance]

    def _found(self, reach: float) -> list[Pairs]:
        found = pairs_within(self._points, reach)
        if len(self.rows) == self._count:
            return found
        return [replace(pairs, first=self.rows[pairs.first], second=self.rows[pairs.second]) for pairs in found]


def _nearer(found: list[Pairs], distance: float) -> list[Pairs]:
    """Those of the pairs that are nearer than a distance."""
    nearer = (pairs.take(np.flatnonzero(pairs.distance_squared < distance * distance)) for pairs in found)
    return [pairs for pairs in nearer if len(pairs)]


def _classes(distances: tuple[float, ...]) -> list[float]:
    """The largest distance of each class."""
    classes: list[float] = []
    for distance in sorted(set(distances), reverse=True):
        if distance > 0.0 and (not classes or distance < classes[-1] / 2.0):
            classes.append(distance)
    return classes


def both_ways(pairs: Pairs, rows: Rows, bodies: int) -> tuple[Near, Near]:
    """The pairs as the bodies of `rows` see them from either end; `bodies` is how many there are in all."""
    distance = np.maximum(np.sqrt(pairs.distance_squared), EPSILON)
    first = Near(Lookers(len(rows), pairs.first, lined_up=True), pairs.second, pairs.offset, distance)
    second = Near(Lookers(len(rows), pairs.second, lined_up=False), pairs.first, -pairs.offset, distance)
    if len(rows) == bodies:
        return first, replace(second, mirrored=True)
    place = np.full(bodies, -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    return _as_agents(first, place), _as_agents(second, place)


def _as_agents(near: Near, place: Rows) -> Near:
    """A list whose lookers are rows of bodies with their places among the agents; others than these do not look."""
    near = replace(near, lookers=replace(near.lookers, agent=place[near.agent]))
    looks = near.agent >= 0
    return near if looks.all() else replace(near, seen=looks).alone()


def edge_of_view(angle: Scalars) -> Scalars | None:
    """The cosine of half of each field of view, (n,) radians to (n,); less than any where it goes all round.

    None where it goes all round for all.
    """
    if same_for_all(angle):
        edge = _edge_for_all(float(angle[0]))
        return alike(edge, len(angle)) if edge > BEHIND else None
    edges = _edges(angle)
    return edges if (edges > BEHIND).any() else None


@lru_cache(maxsize=16)
def _edge_for_all(angle: float) -> float:
    return float(_edges(np.array([angle]))[0])


def _edges(angle: Scalars) -> Scalars:
    return np.where(angle < ALL_ROUND, cosine(np.minimum(angle, 2.0 * np.pi) / 2.0), BEHIND)


def perceived(near: Near, distance: Scalars | None, edge: Scalars | None, forward: Vectors) -> Near:
    """Those whom the agents perceive (paper, Separation: neighborhood of a distance and an angle).

    Args:
        distance: (n,) metres; None where all of the list are near enough.
        edge: (n,) the edge of view of each agent; None where all see all round.
        forward: (n, 3) the agents' headings.
    """
    if distance is not None:
        near = near.perceived(near.distance < near.own(distance))
    if edge is not None:
        near = near.perceived(near.ahead(forward) >= near.own(edge) * near.distance)
    return near
