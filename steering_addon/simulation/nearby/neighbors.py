"""Neighborhoods: who is near whom, found once a step and shared by all behaviors that ask.

Every pair is found once and looked at from both ends. Who sees less than that has a part of the list, and what is known
of the pairs is picked out of it only when somebody asks for it: of most pairs most behaviors want to know little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays.angles import cosine
from ..arrays.once import once
from ..arrays.vectors import (
    Mask,
    Rows,
    Scalars,
    Vectors,
    alike,
    anybody,
    columns,
    firsts,
    no_vectors,
    picked,
    same_for_all,
    which,
)
from ..declaration import Choice
from .pairs import Pairs, Part, pairs_within

NEIGHBORS = (
    Choice("OWN_CROWD", 0, "Own Crowd", "Only vehicles of the same crowd"),
    Choice("EVERYONE", 1, "Everyone", "All vehicles"),
    Choice("CHOSEN_CROWD", 2, "Chosen Crowd", "Only vehicles of one crowd"),
)
OWN_CROWD, EVERYONE, CHOSEN_CROWD = (c.number for c in NEIGHBORS)

ALL_ROUND = 2.0 * np.pi - 1e-6
"""Radians: who sees so much sees everything."""
BEHIND = -2.0
"""A cosine that is exceeded even straight behind."""
FEW = 5
"""Pairs an agent below which it is quicker to add them up one by one than line by line."""
SPARSE = 0.4
"""Share of a list that is perceived below which it is quicker to pick those than to go on with all."""


@dataclass(frozen=True)
class Looks:
    """Pairs from one end: who looks at whom.

    Attributes:
        pairs: the pairs.
        forward: (n, 3) the headings of the agents.
        some: (p,) which of the pairs, rising; None for all.
        back: whether it is the second of each who looks.
        place: (b,) which of the agents each body is; None where they are the same.
        lined_up: whether equal agents are side by side.
    """

    pairs: Pairs | Part
    forward: Vectors
    some: Rows | None = None
    back: bool = False
    place: Rows | None = None
    lined_up: bool = False

    def __len__(self) -> int:
        return len(self.pairs) if self.some is None else len(self.some)

    def take(self, some: Rows) -> Looks:
        """Some of them; `some` rises."""
        some = some if self.some is None else self.some[some]
        return Looks(self.pairs, self.forward, some, self.back, self.place, self.lined_up)

    @once
    def agent(self) -> Rows:
        """(p,) which of the agents looks."""
        looker = self._known(self.pairs.second if self.back else self.pairs.first)
        return looker if self.place is None else self.place[looker]

    @once
    def body(self) -> Rows:
        """(p,) the row in World.bodies of whom it looks at."""
        return self._known(self.pairs.first if self.back else self.pairs.second)

    @once
    def offset(self) -> Vectors:
        """(p, 3) from the agent to the body, metres."""
        offset = self.pairs.offset if self.some is None else picked(self.pairs.offset, self.some)
        return -offset if self.back else offset

    @once
    def distance_squared(self) -> Scalars:
        """(p,) metres squared."""
        return self._known(self.pairs.distance_squared)

    @once
    def distance(self) -> Scalars:
        """(p,) metres, never quite 0."""
        return self._known(self.pairs.distance)

    @once
    def cosine(self) -> Scalars:
        """(p,) the cosine of the angle at which each body is off the heading of its agent; 0 in the same place."""
        cosine = self.along(self.forward)
        cosine /= self.distance
        return cosine

    def along(self, direction: Vectors) -> Scalars:
        """(p,) how far each body is along a direction of its agent, of which there are (n, 3); metres."""
        along, *others = (self._along(direction, axis) for axis in range(3))
        for part in others:
            along += part
        return np.negative(along, out=along) if self.back else along

    def _along(self, direction: Vectors, axis: int) -> Scalars:
        part: Scalars = direction[:, axis][self.agent]
        part *= self._known(self.pairs.offset[:, axis])
        return part

    def _known(self, column: Any) -> Any:
        """What is known of these, of what is known of the pairs."""
        return column if self.some is None else column[self.some]

    def total(self, values: Scalars) -> Scalars:
        """What the pairs of each agent add up to; (p,) to (n,)."""
        count = len(self.forward)
        if not self.lined_up or len(values) <= FEW * count:
            return np.bincount(self.agent, values, minlength=count).astype(np.float64, copy=False)
        total = np.zeros(count)
        begin, _, whose = self._lines
        total[whose] = np.add.reduceat(values, begin)
        return total

    def total_offset(self, weight: Scalars | None) -> Vectors:
        """What the offsets of the pairs of each agent add up to, each times its weight (p,), once for None; (n, 3)."""
        totals = []
        for axis in range(3):
            offset = self._known(self.pairs.offset[:, axis])
            totals.append(self.total(offset if weight is None else offset * weight))
        total = columns(*totals)
        # Few sums are turned round sooner than many offsets.
        return np.negative(total, out=total) if self.back else total

    @once
    def number(self) -> Scalars:
        """(n,) how many pairs each agent is in."""
        count = len(self.forward)
        if not self.lined_up or len(self) <= FEW * count:
            return np.bincount(self.agent, minlength=count).astype(np.float64)
        _, size, whose = self._lines
        number = np.zeros(count)
        number[whose] = size
        return number

    @once
    def _lines(self) -> tuple[Rows, Rows, Rows]:
        """Where equal agents begin, how many they are, and who."""
        begin = firsts(self.agent)
        size = np.empty_like(begin)
        np.subtract(begin[1:], begin[:-1], out=size[:-1])
        size[-1:] = len(self) - begin[-1:]
        return begin, size, self.agent[begin]


@dataclass(frozen=True)
class Near:
    """A list of others near some agents.

    Attributes:
        looks: who looks at whom.
        seen: (p,) whether the agent does perceive it; None where all are.
        mirrored: whether another list holds the same pairs from the other end.
    """

    looks: Looks
    seen: Mask | None = None
    mirrored: bool = False

    def __len__(self) -> int:
        return len(self.looks)

    @property
    def agent(self) -> Rows:
        """(p,) which of the agents looks."""
        return self.looks.agent

    @property
    def body(self) -> Rows:
        """(p,) the row in World.bodies of whom it looks at."""
        return self.looks.body

    @property
    def offset(self) -> Vectors:
        """(p, 3) from the agent to the body, metres."""
        return self.looks.offset

    @property
    def distance(self) -> Scalars:
        """(p,) metres, never quite 0."""
        return self.looks.distance

    def own(self, column: Any) -> Any:
        """The entry of each pair's agent in a column (n,): (p,), or one number where all have the same."""
        return column[0] if same_for_all(column) else column[self.agent]

    def along(self, direction: Vectors) -> Scalars:
        """(p,) how far each body is along a direction of its agent, of which there are (n, 3); metres."""
        return self.looks.along(direction)

    def perceived(self, seen: Mask) -> Near:
        """Those of the list that the agents perceive."""
        seen = seen if self.seen is None else seen & self.seen
        number = np.count_nonzero(seen)
        if number == len(seen):
            return Near(self.looks)
        near = Near(self.looks, seen)
        return near.alone() if number < SPARSE * len(seen) else near

    def alone(self) -> Near:
        """The list without those that are not perceived."""
        return self if self.seen is None else Near(self.looks.take(which(self.seen)))

    def sum_of_offsets(self, weight: Scalars | None = None) -> Vectors:
        """What the offsets of the perceived bodies add up to for each agent, each times its weight (p,); (n, 3)."""
        if self.seen is not None:
            weight = self._counts if weight is None else weight * self._counts
        return self.looks.total_offset(weight)

    def sum_of(self, column: Any) -> Any:
        """What the perceived bodies' entries of a column add up to for each agent; (b,) to (n,), (b, 3) to (n, 3)."""
        if column.ndim == 2:
            return columns(*(self.sum_of(column[:, axis]) for axis in range(3)))
        values = column[self.body]
        return self.looks.total(values if self.seen is None else values * self._counts)

    @once
    def number(self) -> Scalars:
        """(n,) how many each agent perceives."""
        return self.looks.number if self.seen is None else self.looks.total(self._counts)

    @once
    def _counts(self) -> Scalars:
        """(p,) 1 for those that are perceived, else 0."""
        assert self.seen is not None
        return self.seen.astype(np.float64)

    def linked(self) -> tuple[Rows, Rows]:
        """Who perceives whom: which of the agents, and the rows of the bodies."""
        near = self.alone()
        return near.agent, near.body


@dataclass(frozen=True)
class Neighbors:
    """Whom some agents perceive.

    The pairs come in several lists, as the agents stand at one end or the other. What each pair weighs is therefore
    said by a function of a list, as in `neighbors.sum_of_offsets(lambda near: 1.0 / near.distance)`.

    Attributes:
        count: how many agents there are.
        lists: the lists; each pair of agent and body is in one of them.
    """

    count: int
    lists: tuple[Near, ...]

    def sum_of_offsets(self, weight: Callable[[Near], Scalars]) -> Vectors:
        """What the offsets of the perceived, each times its `weight` (p,), add up to for each agent; (n, 3)."""
        total: Vectors = self._added(lambda near: near.sum_of_offsets(weight(near)))
        return total

    def _added(self, total_of: Callable[[Near], Any]) -> Any:
        first, *others = self.lists or (self.together(),)
        total = total_of(first)
        for near in others:
            total += total_of(near)
        return total

    @once
    def number(self) -> Scalars:
        """(n,) how many each agent perceives."""
        number = np.zeros(self.count)
        for near in self.lists:
            number += near.number
        return number

    def average_offset(self) -> Vectors:
        """The mean offset of the perceived bodies, (n, 3) metres; 0 for an agent that perceives nobody."""
        mean: Vectors = self._mean(self._added(lambda near: near.sum_of_offsets()))
        return mean

    def average_of(self, column: Any) -> Any:
        """The mean entry of the perceived bodies in a column, (b,) or (b, 3); 0 for an agent that perceives nobody."""
        return self._mean(self._added(lambda near: near.sum_of(column)))

    def _mean(self, total: Any) -> Any:
        number = np.maximum(self.number, 1.0)
        return total / (number[:, None] if total.ndim == 2 else number)

    def where(self, counts: Callable[[Near], Mask]) -> Neighbors:
        """The neighbors that count, by a function that gives a mask (p,) for a list."""
        return Neighbors(self.count, tuple(near.perceived(counts(near)) for near in self.lists))

    def links(self, rows: Rows) -> list[tuple[Rows, Rows]]:
        """Who is in sight of whom, either way, as rows of bodies; `rows` (n,) are those of the agents."""
        return [(rows[agent], body) for agent, body in (near.linked() for near in self.lists if not near.mirrored)]

    def together(self) -> Near:
        """All pairs in one list, each of them perceived; it takes longer than sums do."""
        lists = [near.alone() for near in self.lists]
        none, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
        pairs = Pairs(
            np.concatenate([none, *(near.agent for near in lists)]),
            np.concatenate([none, *(near.body for near in lists)]),
            columns(*(np.concatenate([nothing, *(near.offset[:, axis] for near in lists)]) for axis in range(3))),
            np.concatenate([nothing, *(near.looks.distance_squared for near in lists)]),
        )
        return Near(Looks(pairs, lists[0].looks.forward if lists else no_vectors(self.count)))


class Vicinity:
    """Who is near whom at one moment, for every distance that is asked for in a step.

    Distances of one class, a factor of 2 wide, are looked for together, when the first of them is asked for.
    """

    def __init__(self, position: Vectors, forward: Vectors, rows: Rows, distances: tuple[float, ...]) -> None:
        """
        Args:
            position, forward: (b, 3) of all bodies.
            rows: (m,) those that can be perceived, rising.
            distances: all that will be asked for.
        """
        self.rows = rows
        # Rows rise and none comes twice, so that as many as there are bodies are all of them.
        self._points = position if len(rows) == len(position) else picked(position, rows)
        self._forward = forward
        self._reaches = _reaches(distances)
        self._pairs: dict[float, list[Pairs]] = {}
        self._seen: dict[tuple[float, bool, bytes], list[tuple[Near, Near]]] = {}

    def around(self, distance: float, rows: Rows, *, looking: bool = False) -> tuple[Near, ...]:
        """Everybody nearer than a distance to the bodies of some rows, as these see them.

        Args:
            looking: whether it matters how far ahead they are. This is worked out for all of the widest distance, as
                somebody who sees further is going to ask it too.
        """
        return tuple(near for ends in self._ends(distance, rows, looking) for near in ends if len(near))

    def _ends(self, distance: float, rows: Rows, looking: bool) -> list[tuple[Near, Near]]:
        """The pairs nearer than a distance from both ends, in blocks."""
        reach = self._reach(distance)
        key = (distance, looking and distance < reach, b"" if len(rows) == len(self._forward) else rows.tobytes())
        if key not in self._seen:
            if reach == distance:
                self._seen[key] = [both_ways(pairs, rows, self._forward) for pairs in self.pairs(distance)]
            else:
                wider = zip(self._found(reach), self._ends(reach, rows, looking))
                self._seen[key] = [
                    _unseen(pairs, ends, distance) if looking else self._nearer(pairs, ends, distance, rows)
                    for pairs, ends in wider
                ]
        return self._seen[key]

    def _nearer(self, pairs: Pairs, ends: tuple[Near, Near], distance: float, rows: Rows) -> tuple[Near, Near]:
        """Those of a block that are nearer than a distance: a list of their own where they are few."""
        part = pairs.nearer(distance)
        few = len(part) < SPARSE * len(pairs)
        return both_ways(part, rows, self._forward) if few else _unseen(pairs, ends, distance)

    def pairs(self, distance: float) -> list[Pairs] | list[Part]:
        """All pairs nearer than a distance, in blocks; rows are those of all bodies."""
        # To pick them out of longer lists that are there already is quicker than to look anew.
        reach = min((found for found in self._pairs if found >= distance), default=self._reach(distance))
        found = self._found(reach)
        return found if reach == distance else [pairs.nearer(distance) for pairs in found]

    def _reach(self, distance: float) -> float:
        """The largest distance of the class that a distance belongs to."""
        if distance in self._reaches:
            return self._reaches[distance]
        return min((reach for reach in self._reaches.values() if reach >= distance), default=distance)

    def _found(self, reach: float) -> list[Pairs]:
        if reach not in self._pairs:
            found = pairs_within(self._points, reach)
            if len(self.rows) < len(self._forward):
                found = [
                    replace(pairs, first=self.rows[pairs.first], second=self.rows[pairs.second]) for pairs in found
                ]
            self._pairs[reach] = found
        return self._pairs[reach]


@lru_cache(maxsize=16)
def _reaches(distances: tuple[float, ...]) -> Mapping[float, float]:
    """The largest distance of the class that each distance belongs to; the same are asked for step by step."""
    reaches: dict[float, float] = {}
    reach = 0.0
    for distance in sorted(set(distances), reverse=True):
        if distance > 0.0:
            reach = distance if not reaches or distance < reach / 2.0 else reach
            reaches[distance] = reach
    return reaches


def _unseen(pairs: Pairs, ends: tuple[Near, Near], distance: float) -> tuple[Near, Near]:
    """The pairs from both ends, those that are further away than a distance unseen."""
    nearer = pairs.distance_squared < distance * distance
    one, other = (Near(n.looks, nearer if n.looks.some is None else nearer[n.looks.some], n.mirrored) for n in ends)
    return one, other


def both_ways(pairs: Pairs | Part, rows: Rows, forward: Vectors) -> tuple[Near, Near]:
    """The pairs as the bodies of `rows` see them from either end; `forward` (b, 3) are the headings of all bodies."""
    if len(rows) == len(forward):
        return (
            Near(Looks(pairs, forward, lined_up=True)),
            Near(Looks(pairs, forward, back=True), mirrored=True),
        )
    place = np.full(len(forward), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    headings = picked(forward, rows)
    looks = Looks(pairs, headings, which(place[pairs.first] >= 0), place=place, lined_up=True)
    looks_back = Looks(pairs, headings, which(place[pairs.second] >= 0), back=True, place=place)
    return Near(looks), Near(looks_back)


def edge_of_view(angle: Scalars) -> Scalars | None:
    """The cosine of half of each field of view, (n,) radians to (n,); less than any where it goes all round.

    None where it goes all round for all.
    """
    return _edge_of_one(float(angle[0]), len(angle)) if same_for_all(angle) else _edges(angle)


@lru_cache(maxsize=64)
def _edge_of_one(angle: float, n: int) -> Scalars | None:
    edge = _edges(np.array([angle]))
    return None if edge is None else alike(edge[0], n)


def _edges(angle: Scalars) -> Scalars | None:
    edges = np.where(angle < ALL_ROUND, cosine(np.minimum(angle, 2.0 * np.pi) / 2.0), BEHIND)
    return edges if anybody(edges > BEHIND) else None


def perceived(near: Near, distance: Scalars | None, edge: Scalars | None) -> Near:
    """Those whom the agents perceive (paper, Separation: neighborhood of a distance and an angle).

    Args:
        distance: (n,) metres; None where all of the list are near enough.
        edge: (n,) the edge of view of each agent; None where all see all round.
    """
    if distance is not None:
        near = near.perceived(near.distance < near.own(distance))
    if edge is not None:
        near = near.perceived(near.looks.cosine >= near.own(edge))
    return near
