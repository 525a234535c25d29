"""Neighborhoods: which bodies each agent perceives, found once per step and shared by all behaviors.

A body is perceived if it is nearer than a distance, and within a field of view (paper, Separation). Every pair is found
once and used from both ends: a `Pairs` becomes two lists `Looks`, of the first body as the agent and of the second. A
shorter sight is a view of a longer list, either a mask over it or a selection of its rows, and columns are gathered on
first access, because most behaviors need few columns of few pairs.

    Vicinity   all pairs of a step, by distance
    Looks      (agent, body) pairs from one end, with their columns
    Near       Looks and the mask of the pairs that are perceived
    Neighbors  the lists of Near that together hold what a set of agents perceives, with sums and means over them
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays.angles import cosine
from ..arrays.frozen import replace
from ..arrays.once import once
from ..arrays.scalars import Mask, Rows, Scalars, alike, anybody, firsts, same_for_all, which
from ..arrays.vectors import Vectors, columns, no_vectors, picked
from ..declaration import Choice
from .pairs import Pairs, PairSelection, pairs_within

NEIGHBORS = (
    Choice("OWN_CROWD", 0, "Own Crowd", "Only vehicles of the same crowd"),
    Choice("EVERYONE", 1, "Everyone", "All vehicles"),
    Choice("CHOSEN_CROWD", 2, "Chosen Crowd", "Only vehicles of one crowd"),
)
OWN_CROWD, EVERYONE, CHOSEN_CROWD = (c.number for c in NEIGHBORS)

ALL_ROUND = 2.0 * np.pi - 1e-6
"""Radians: a field of view from which on an agent sees all around."""
BEHIND = -2.0
"""Less than any cosine, so that even a body straight behind is in view."""
FEW = 5
"""Pairs per agent up to which bincount is faster than reduceat over the runs of equal agents."""
SPARSE = 0.4
"""Share of a list below which selecting the perceived rows is faster than masking the whole list."""


@dataclass(frozen=True)
class Looks:
    """Pairs of an agent and a body, from one end of a list of pairs.

    Attributes:
        forward: (n, 3) the headings of the agents.
        rows: (p,) the rows of the list that count, ascending; None for all.
        reversed: whether the second body of each pair is the agent.
        agent_of: (b,) the agent that each body is, -1 for none; None if the agents are all bodies.
        grouped: whether equal agents are adjacent.
    """

    pairs: Pairs | PairSelection
    forward: Vectors
    rows: Rows | None = None
    reversed: bool = False
    agent_of: Rows | None = None
    grouped: bool = False

    def __len__(self) -> int:
        return len(self.pairs) if self.rows is None else len(self.rows)

    def take(self, rows: Rows) -> "Looks":
        """The pairs of some rows (m,), ascending."""
        rows = rows if self.rows is None else self.rows[rows]
        return Looks(self.pairs, self.forward, rows, self.reversed, self.agent_of, self.grouped)

    @once
    def agent(self) -> Rows:
        """(p,) rows of agents."""
        body = self._selected(self.pairs.second if self.reversed else self.pairs.first)
        return body if self.agent_of is None else self.agent_of[body]

    @once
    def body(self) -> Rows:
        """(p,) rows in World.bodies."""
        return self._selected(self.pairs.first if self.reversed else self.pairs.second)

    @once
    def offset(self) -> Vectors:
        """(p, 3) from the agent to the body, metres."""
        offset = self.pairs.offset if self.rows is None else picked(self.pairs.offset, self.rows)
        return -offset if self.reversed else offset

    @once
    def distance_squared(self) -> Scalars:
        """(p,) metres squared."""
        return self._selected(self.pairs.distance_squared)

    @once
    def distance(self) -> Scalars:
        """(p,) metres, at least EPSILON."""
        return self._selected(self.pairs.distance)

    @once
    def cosine(self) -> Scalars:
        """(p,) the cosine of the angle between the agent's heading and the body; 0 at the same point."""
        cosine = self.along(self.forward)
        cosine /= self.distance
        return cosine

    def along(self, direction: Vectors) -> Scalars:
        """The component of each offset along a direction of its agent, offset . direction; (n, 3) to (p,) metres."""
        along, *terms = (self._along(direction, axis) for axis in range(3))
        for term in terms:
            along += term
        return np.negative(along, out=along) if self.reversed else along

    def _along(self, direction: Vectors, axis: int) -> Scalars:
        """One term of that product, without the sign; (n, 3) to (p,)."""
        term: Scalars = direction[:, axis][self.agent]
        term *= self._selected(self.pairs.offset[:, axis])
        return term

    def _selected(self, column: Any) -> Any:
        """The entries of a column of the list that count here."""
        return column if self.rows is None else column[self.rows]

    def total(self, values: Scalars) -> Scalars:
        """The sum of the values of each agent's pairs; (p,) to (n,)."""
        count = len(self.forward)
        if not self.grouped or len(values) <= FEW * count:
            return np.bincount(self.agent, values, minlength=count).astype(np.float64, copy=False)
        total = np.zeros(count)
        begin, _, agents = self._runs
        total[agents] = np.add.reduceat(values, begin)
        return total

    def total_offset(self, weight: Scalars | None) -> Vectors:
        """The sum of the offsets of each agent's pairs, times a weight (p,) each unless it is None; (n, 3)."""
        totals = []
        for axis in range(3):
            offset = self._selected(self.pairs.offset[:, axis])
            totals.append(self.total(offset if weight is None else offset * weight))
        total = columns(*totals)
        # Negating n sums is faster than negating p offsets.
        return np.negative(total, out=total) if self.reversed else total

    @once
    def number(self) -> Scalars:
        """(n,) the count of each agent's pairs."""
        count = len(self.forward)
        if not self.grouped or len(self) <= FEW * count:
            return np.bincount(self.agent, minlength=count).astype(np.float64)
        _, size, agents = self._runs
        number = np.zeros(count)
        number[agents] = size
        return number

    @once
    def _runs(self) -> tuple[Rows, Rows, Rows]:
        """The first row, the size and the agent of each run of equal agents, (g,) each."""
        begin = firsts(self.agent)
        size = np.empty_like(begin)
        np.subtract(begin[1:], begin[:-1], out=size[:-1])
        size[-1:] = len(self) - begin[-1:]
        return begin, size, self.agent[begin]


@dataclass(frozen=True)
class Near:
    """A list of pairs of an agent and a body near it.

    Attributes:
        seen: (p,) whether the agent perceives the body; None if all are perceived.
        mirrored: whether another list holds the same pairs from the other end.
    """

    looks: Looks
    seen: Mask | None = None
    mirrored: bool = False

    def __len__(self) -> int:
        return len(self.looks)

    @property
    def agent(self) -> Rows:
        """(p,) rows of agents."""
        return self.looks.agent

    @property
    def body(self) -> Rows:
        """(p,) rows in World.bodies."""
        return self.looks.body

    @property
    def offset(self) -> Vectors:
        """(p, 3) from the agent to the body, metres."""
        return self.looks.offset

    @property
    def distance(self) -> Scalars:
        """(p,) metres, at least EPSILON."""
        return self.looks.distance

    def of_agent(self, column: Any) -> Any:
        """The entry of each pair's agent in a column (n,): (p,), or a single value if it is the same for all."""
        return column[0] if same_for_all(column) else column[self.agent]

    def along(self, direction: Vectors) -> Scalars:
        """The component of each offset along a direction of its agent; (n, 3) to (p,) metres."""
        return self.looks.along(direction)

    def perceived(self, seen: Mask) -> "Near":
        """The list with a further condition (p,) on what is perceived."""
        seen = seen if self.seen is None else seen & self.seen
        number = np.count_nonzero(seen)
        if number == len(seen):
            return Near(self.looks)
        near = Near(self.looks, seen)
        return near.only_perceived() if number < SPARSE * len(seen) else near

    def only_perceived(self) -> "Near":
        """The list without the pairs that are not perceived."""
        return self if self.seen is None else Near(self.looks.take(which(self.seen)))

    def sum_of_offsets(self, weight: Scalars | None = None) -> Vectors:
        """The sum of the offsets of the bodies that each agent perceives, times a weight (p,) if given; (n, 3)."""
        if self.seen is not None:
            weight = self._counts if weight is None else weight * self._counts
        return self.looks.total_offset(weight)

    def sum_of(self, column: Any) -> Any:
        """The sum over the bodies that each agent perceives of a column; (b,) to (n,), (b, 3) to (n, 3)."""
        if column.ndim == 2:
            return columns(*(self.sum_of(column[:, axis]) for axis in range(3)))
        values = column[self.body]
        return self.looks.total(values if self.seen is None else values * self._counts)

    @once
    def number(self) -> Scalars:
        """(n,) the count of bodies that each agent perceives."""
        return self.looks.number if self.seen is None else self.looks.total(self._counts)

    @once
    def _counts(self) -> Scalars:
        """(p,) 1 for a perceived body, else 0."""
        assert self.seen is not None
        return self.seen.astype(np.float64)

    def linked(self) -> tuple[Rows, Rows]:
        """The perceived pairs: (q,) rows of agents and (q,) rows of bodies."""
        near = self.only_perceived()
        return near.agent, near.body


@dataclass(frozen=True)
class Neighbors:
    """The bodies that a set of agents perceives.

    The pairs come in several lists, by the end at which the agent is. A weight is therefore a function of a list, as in
    `neighbors.sum_of_offsets(lambda near: 1.0 / near.distance)`.

    Attributes:
        count: the count of agents, n.
        lists: the lists; each pair of agent and body is in exactly one.
    """

    count: int
    lists: tuple[Near, ...]

    def sum_of_offsets(self, weight: Callable[[Near], Scalars]) -> Vectors:
        """The sum of the offsets of the bodies that each agent perceives, times their `weight` (p,); (n, 3)."""
        return self._added(lambda near: near.sum_of_offsets(weight(near)))

    def _added(self, total_of: Callable[[Near], Any]) -> Any:
        """The sum over the lists of `total_of` each."""
        first, *following = self.lists or (self.together(),)
        total = total_of(first)
        for near in following:
            total += total_of(near)
        return total

    @once
    def number(self) -> Scalars:
        """(n,) the count of bodies that each agent perceives."""
        number = np.zeros(self.count)
        for near in self.lists:
            number += near.number
        return number

    def average_offset(self) -> Vectors:
        """The mean offset of the perceived bodies, (n, 3) metres; 0 for an agent that perceives none."""
        return self._mean(self._added(lambda near: near.sum_of_offsets()))

    def average_of(self, column: Any) -> Any:
        """The mean over the perceived bodies of a column, (b,) to (n,), (b, 3) to (n, 3); 0 if there are none."""
        return self._mean(self._added(lambda near: near.sum_of(column)))

    def _mean(self, total: Any) -> Any:
        number = np.maximum(self.number, 1.0)
        return total / (number[:, None] if total.ndim == 2 else number)

    def where(self, counts: Callable[[Near], Mask]) -> "Neighbors":
        """The neighbors that count, by a function that gives a mask (p,) for a list."""
        return Neighbors(self.count, tuple(near.perceived(counts(near)) for near in self.lists))

    def links(self, rows: Rows) -> list[tuple[Rows, Rows]]:
        """The pairs in sight of each other, from at least one end, as rows of bodies. `rows`: (n,) the rows of the
        agents."""
        return [(rows[agent], body) for agent, body in (near.linked() for near in self.lists if not near.mirrored)]

    def together(self) -> Near:
        """All perceived pairs in one list, which costs more than sums over the lists."""
        lists = [near.only_perceived() for near in self.lists]
        no_rows, no_numbers = np.zeros(0, dtype=np.int64), np.zeros(0)
        pairs = Pairs(
            np.concatenate([no_rows, *(near.agent for near in lists)]),
            np.concatenate([no_rows, *(near.body for near in lists)]),
            columns(*(np.concatenate([no_numbers, *(near.offset[:, axis] for near in lists)]) for axis in range(3))),
            np.concatenate([no_numbers, *(near.looks.distance_squared for near in lists)]),
        )
        return Near(Looks(pairs, lists[0].looks.forward if lists else no_vectors(self.count)))


class Vicinity:
    """The pairs of bodies that are near each other at one moment, for every distance that a step needs.

    Distances within a factor of 2 form a class. The pairs of the largest distance of a class are found when the first
    one is requested; the shorter ones are views of them.
    """

    def __init__(self, position: Vectors, forward: Vectors, rows: Rows, distances: tuple[float, ...]) -> None:
        """
        Args:
            position, forward: (b, 3) of all bodies.
            rows: (m,) the bodies that can be perceived, ascending and distinct.
            distances: every distance that will be requested, metres.
        """
        self.rows = rows
        # Distinct rows in the number of the bodies are all bodies.
        self._points = position if len(rows) == len(position) else picked(position, rows)
        self._forward = forward
        self._reaches = _reaches(distances)
        self._pairs: dict[float, list[Pairs]] = {}
        self._seen: dict[tuple[float, bool, bytes], list[tuple[Near, Near]]] = {}

    def around(self, distance: float, rows: Rows, *, looking: bool = False) -> tuple[Near, ...]:
        """The bodies nearer than a distance to the agents in some rows (n,).

        Args:
            rows: (n,) rows of the agents, ascending and distinct.
            looking: whether the cosine to the heading will be needed. If so the list stays a mask over that of the
                widest distance, so that cosines are computed once for all distances of the class.
        """
        return tuple(near for ends in self._ends(distance, rows, looking) for near in ends if len(near))

    def _ends(self, distance: float, rows: Rows, looking: bool) -> list[tuple[Near, Near]]:
        """The pairs nearer than a distance from both ends, block by block."""
        reach = self._reach(distance)
        key = (distance, looking and distance < reach, b"" if len(rows) == len(self._forward) else rows.tobytes())
        if key not in self._seen:
            if not reach > distance:
                self._seen[key] = [both_ways(pairs, rows, self._forward) for pairs in self.pairs(distance)]
            else:
                wider = zip(self._pairs_within(reach), self._ends(reach, rows, looking))
                self._seen[key] = [
                    _masked(pairs, ends, distance) if looking else self._nearer(pairs, ends, distance, rows)
                    for pairs, ends in wider
                ]
        return self._seen[key]

    def _nearer(self, pairs: Pairs, ends: tuple[Near, Near], distance: float, rows: Rows) -> tuple[Near, Near]:
        """The pairs of a block nearer than a distance, from both ends: a list of their own if they are few."""
        part = pairs.nearer(distance)
        few = len(part) < SPARSE * len(pairs)
        return both_ways(part, rows, self._forward) if few else _masked(pairs, ends, distance)

    def pairs(self, distance: float) -> list[Pairs] | list[PairSelection]:
        """All pairs nearer than a distance, in blocks, as rows of bodies."""
        # Selecting them from longer lists that exist already is faster than another search.
        reach = min((known for known in self._pairs if known >= distance), default=self._reach(distance))
        blocks = self._pairs_within(reach)
        return blocks if not reach > distance else [pairs.nearer(distance) for pairs in blocks]

    def _reach(self, distance: float) -> float:
        """The largest distance of the class of a distance."""
        if distance in self._reaches:
            return self._reaches[distance]
        return min((reach for reach in self._reaches.values() if reach >= distance), default=distance)

    def _pairs_within(self, reach: float) -> list[Pairs]:
        """All pairs nearer than the largest distance of a class, from the cache."""
        if reach not in self._pairs:
            blocks = pairs_within(self._points, reach)
            if len(self.rows) < len(self._forward):
                blocks = [
                    replace(pairs, first=self.rows[pairs.first], second=self.rows[pairs.second]) for pairs in blocks
                ]
            self._pairs[reach] = blocks
        return self._pairs[reach]


@lru_cache(maxsize=16)
def _reaches(distances: tuple[float, ...]) -> Mapping[float, float]:
    """The largest distance of the class of each distance. Cached, as every step requests the same distances."""
    reaches: dict[float, float] = {}
    reach = 0.0
    for distance in sorted(set(distances), reverse=True):
        if distance > 0.0:
            reach = distance if not reaches or distance < reach / 2.0 else reach
            reaches[distance] = reach
    return reaches


def _masked(pairs: Pairs, ends: tuple[Near, Near], distance: float) -> tuple[Near, Near]:
    """The pairs from both ends, with a mask that excludes the pairs beyond a distance."""
    nearer = pairs.distance_squared < distance * distance
    first, second = (Near(n.looks, nearer if n.looks.rows is None else nearer[n.looks.rows], n.mirrored) for n in ends)
    return first, second


def both_ways(pairs: Pairs | PairSelection, rows: Rows, forward: Vectors) -> tuple[Near, Near]:
    """The pairs from the first and from the second end, each where that end is an agent. `rows`: (n,) the bodies that
    are agents, distinct; `forward`: (b, 3) the headings of all bodies."""
    if len(rows) == len(forward):
        return (Near(Looks(pairs, forward, grouped=True)), Near(Looks(pairs, forward, reversed=True), mirrored=True))
    agent_of = np.full(len(forward), -1, dtype=np.int64)
    agent_of[rows] = np.arange(len(rows))
    headings = picked(forward, rows)
    from_first = Looks(pairs, headings, which(agent_of[pairs.first] >= 0), agent_of=agent_of, grouped=True)
    from_second = Looks(pairs, headings, which(agent_of[pairs.second] >= 0), reversed=True, agent_of=agent_of)
    return Near(from_first), Near(from_second)


def edge_of_view(angle: Scalars) -> Scalars | None:
    """The cosine of half of each field of view, (n,) radians to (n,); BEHIND for a view all around. None if all agents
    see all around."""
    return _edge_of_one(float(angle[0]), len(angle)) if same_for_all(angle) else _edges(angle)


@lru_cache(maxsize=64)
def _edge_of_one(angle: float, n: int) -> Scalars | None:
    edge = _edges(np.array([angle]))
    return None if edge is None else alike(edge[0], n)


def _edges(angle: Scalars) -> Scalars | None:
    """As `edge_of_view`, without a cache."""
    edges = np.where(angle < ALL_ROUND, cosine(np.minimum(angle, 2.0 * np.pi) / 2.0), BEHIND)
    return edges if anybody(edges > BEHIND) else None


def perceive(near: Near, distance: Scalars | None, edge: Scalars | None) -> Near:
    """The list limited to what the agents perceive (paper, Separation: a neighborhood of a distance and an angle).

    Args:
        distance: (n,) metres; None if the whole list is near enough.
        edge: (n,) from `edge_of_view`; None if all agents see all around.
    """
    if distance is not None:
        near = near.perceived(near.distance < near.of_agent(distance))
    if edge is not None:
        near = near.perceived(near.looks.cosine >= near.of_agent(edge))
    return near
