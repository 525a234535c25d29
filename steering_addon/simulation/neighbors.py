"""Neighborhoods: who is near whom, found once a step and shared by all behaviors that ask.

Bodies are put into rows of narrow cells, so that whoever may be near an agent lies in a few unbroken runs of a sorted
list. Every pair is found once and used from both ends. All pairs tried one by one is the oracle in the tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .angles import cosine
from .declaration import Choice
from .vectors import EPSILON, Mask, Rows, Scalars, Vectors, dot

NEIGHBORS = (
    Choice("OWN_CROWD", 0, "Own Crowd", "Only vehicles of the same crowd"),
    Choice("EVERYONE", 1, "Everyone", "All vehicles"),
    Choice("CHOSEN_CROWD", 2, "Chosen Crowd", "Only vehicles of one crowd"),
)
OWN_CROWD, EVERYONE, CHOSEN_CROWD = (c.number for c in NEIGHBORS)

FINE = 4
"""Cells a radius along a row: finer ones let in fewer that are too far, and cost more looking up."""
DENSE = 8
"""Cells a body up to which a plain table of cells is kept; where bodies are few and far between it is searched for."""

MOST = 2**20
"""Cells along an axis; whoever is further out shares the last one, so that their numbers never overflow."""


@dataclass(frozen=True)
class Pairs:
    """All pairs of bodies nearer to each other than a radius, each once.

    Attributes:
        count: how many bodies there are.
        reach: metres below which none is missing.
        first, second: (p,) their rows; equal ones of `first` lie together.
        offset: (p, 3) from the first to the second, metres.
        distance_squared: (p,) metres squared.
    """

    count: int
    reach: float
    first: Rows
    second: Rows
    offset: Vectors
    distance_squared: Scalars


def pairs_within(points: Vectors, radius: float) -> Pairs:
    """All pairs of points (m, 3) nearer to each other than `radius`."""
    count = len(points)
    if count < 2 or radius <= 0.0:
        none = np.zeros(0, dtype=np.int64)
        return Pairs(count, radius, none, none, np.zeros((0, 3)), np.zeros(0))
    order, begin, length = _runs(points, radius)
    first, second = _expanded(begin, length)
    lined_up = points.take(order, axis=0)
    x, y, z = (np.ascontiguousarray(lined_up[:, axis]) for axis in range(3))
    dx = x.take(second) - x.take(first)
    dy = y.take(second) - y.take(first)
    dz = z.take(second) - z.take(first)
    distance_squared = dx * dx + dy * dy + dz * dz
    near = np.flatnonzero(distance_squared < radius * radius)
    offset = np.stack((dx.take(near), dy.take(near), dz.take(near)), axis=-1)
    return Pairs(
        count, radius, order.take(first.take(near)), order.take(second.take(near)), offset, distance_squared.take(near)
    )


def _runs(points: Vectors, radius: float) -> tuple[Rows, NDArray[np.int64], NDArray[np.int64]]:
    """The points in order of their cells, and for each the runs of that order that may hold its partners.

    Half of the rows round a point are enough, as each pair is found from one end only.

    Returns:
        order: (m,) rows of points.
        begin, length: (m, 5) runs in that order.
    """
    low = points.min(axis=0)
    cell = np.array([radius / FINE, radius, radius])
    place = np.minimum(np.floor((points - low) / cell), MOST).astype(np.int64)
    # An empty row of cells all round saves asking whether a neighboring row exists.
    place[:, 1:] += 1
    wide, deep = int(place[:, 0].max()) + 1, int(place[:, 1].max()) + 2
    cells = (place[:, 2] * deep + place[:, 1]) * wide + place[:, 0]
    order = np.argsort(cells, kind="stable")
    cells, place = cells.take(order), place.take(order, axis=0)

    row = cells - place[:, 0]
    left = np.maximum(place[:, 0] - FINE, 0)
    right = np.minimum(place[:, 0] + FINE, wide - 1)
    stride = deep * wide
    rows = row[:, None] + np.array([0, wide, stride - wide, stride, stride + wide])[None, :]
    begin = _position(cells, rows + left[:, None], stride)
    end = _position(cells, rows + right[:, None] + 1, stride)
    begin[:, 0] = np.arange(1, len(points) + 1)
    return order, begin, np.maximum(end - begin, 0)


def _position(cells: NDArray[np.int64], wanted: NDArray[np.int64], stride: int) -> NDArray[np.int64]:
    """Where in the sorted list of cells the wanted ones begin."""
    most = int(cells[-1]) + 2 * stride
    if most > DENSE * len(cells) + 4096:
        return np.searchsorted(cells, wanted.ravel()).reshape(wanted.shape)
    begin = np.zeros(most + 1, dtype=np.int64)
    np.cumsum(np.bincount(cells, minlength=most), out=begin[1:])
    return begin.take(wanted)


def _expanded(begin: NDArray[np.int64], length: NDArray[np.int64]) -> tuple[Rows, Rows]:
    """The runs written out: (c,) whose run it is, and each member of it."""
    whose = np.repeat(np.arange(len(begin)), length[:, 0] + length[:, 1] + length[:, 2] + length[:, 3] + length[:, 4])
    flat = length.ravel()
    ends = np.cumsum(flat)
    members = np.repeat(begin.ravel() - (ends - flat), flat)
    members += np.arange(len(members))
    return whose, members


@dataclass(frozen=True)
class Near:
    """Whom some agents perceive: a list of pairs, each seen from the agent's end.

    Attributes:
        count: how many agents there are.
        agent: (p,) which of the agents.
        body: (p,) the row in World.bodies of whom it perceives.
        offset: (p, 3) from the agent to the body, metres.
        distance_squared: (p,) metres squared.
        lined_up: how many of the pairs, from the beginning, have equal agents side by side.
    """

    count: int
    agent: Rows
    body: Rows
    offset: Vectors
    distance_squared: Scalars
    lined_up: int

    @cached_property
    def distance(self) -> Scalars:
        """(p,) metres, never quite 0."""
        return np.maximum(np.sqrt(self.distance_squared), EPSILON)

    def take(self, rows: Rows) -> Near:
        """Some of the pairs; `rows` rise."""
        return Near(
            self.count,
            self.agent.take(rows),
            self.body.take(rows),
            self.offset.take(rows, axis=0),
            self.distance_squared.take(rows),
            int(np.searchsorted(rows, self.lined_up)),
        )

    def sum(self, values: Any) -> Any:
        """What the pairs of each agent add up to; (p,) to (n,) or (p, 3) to (n, 3)."""
        if values.ndim == 2:
            return np.stack(
                [self.sum(np.ascontiguousarray(values[:, axis])) for axis in range(values.shape[1])], axis=-1
            )
        total = np.zeros(self.count)
        if len(values) > self.lined_up:
            total += np.bincount(self.agent[self.lined_up :], values[self.lined_up :], minlength=self.count)
        if self.lined_up:
            begin, whose = self._runs
            total[whose] += np.add.reduceat(values[: self.lined_up], begin)
        return total

    @cached_property
    def number(self) -> Scalars:
        """(n,) how many each agent perceives."""
        return np.bincount(self.agent, minlength=self.count).astype(np.float64)

    def average(self, values: Any) -> Any:
        """The mean over the pairs of each agent; 0 for an agent that perceives nobody."""
        number = np.maximum(self.number, 1.0)
        return self.sum(values) / (number[:, None] if values.ndim == 2 else number)

    @cached_property
    def _runs(self) -> tuple[Rows, Rows]:
        """Where the runs of equal agents begin, and whose they are."""
        agent = self.agent[: self.lined_up]
        begin = np.flatnonzero(np.concatenate(([True], agent[1:] != agent[:-1])))
        return begin, agent.take(begin)


class Vicinity:
    """Who is near whom at one moment, for every distance that is asked for in a step.

    Distances of one class, a factor of 2 wide, share a list of pairs, which is made when it is first asked for.
    """

    def __init__(self, position: Vectors, rows: Rows, distances: tuple[float, ...]) -> None:
        """
        Args:
            position: (b, 3) of all bodies.
            rows: (m,) those that can be perceived.
            distances: all that will be asked for.
        """
        self._points = position.take(rows, axis=0)
        self._rows = rows
        self._count = len(position)
        self._reaches = _classes(distances)
        self._lists: dict[float, Pairs] = {}
        self._seen: dict[tuple[float, bytes], Near] = {}

    def around(self, distance: float, rows: Rows) -> Near:
        """Everybody nearer than a distance to the bodies of some rows, and some further, as these see them."""
        pairs = self.pairs(distance)
        key = (pairs.reach, rows.tobytes())
        if key not in self._seen:
            self._seen[key] = both_ways(pairs, rows)
        return self._seen[key]

    def pairs(self, distance: float) -> Pairs:
        """All pairs nearer than a distance, and some further; rows are those of all bodies."""
        reach = min((r for r in self._reaches if r >= distance), default=distance)
        if reach not in self._lists:
            found = pairs_within(self._points, reach)
            self._lists[reach] = Pairs(
                self._count,
                reach,
                self._rows.take(found.first),
                self._rows.take(found.second),
                found.offset,
                found.distance_squared,
            )
        return self._lists[reach]


def _classes(distances: tuple[float, ...]) -> list[float]:
    """The largest distance of each class."""
    classes: list[float] = []
    for distance in sorted(set(distances), reverse=True):
        if distance > 0.0 and (not classes or distance < classes[-1] / 2.0):
            classes.append(distance)
    return classes


def nobody(count: int) -> Near:
    """Agents that perceive nobody."""
    none = np.zeros(0, dtype=np.int64)
    return Near(count, none, none, np.zeros((0, 3)), np.zeros(0), 0)


def both_ways(pairs: Pairs, rows: Rows) -> Near:
    """The pairs as the bodies of `rows` see them, each from both ends where both ends see."""
    place = np.full(pairs.count, -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    near = Near(
        len(rows),
        np.concatenate((place.take(pairs.first), place.take(pairs.second))),
        np.concatenate((pairs.second, pairs.first)),
        np.concatenate((pairs.offset, -pairs.offset)),
        np.concatenate((pairs.distance_squared, pairs.distance_squared)),
        len(pairs.first),
    )
    if len(rows) == pairs.count:
        return near
    return near.take(np.flatnonzero(near.agent >= 0))


def perceived(near: Near, distance: Scalars, angle: Scalars, forward: Vectors) -> Near:
    """Those whom the agents perceive (paper, Separation: neighborhood of a distance and an angle).

    Args:
        distance: (n,) metres.
        angle: (n,) radians, the whole field of view.
        forward: (n, 3) the agents' headings.
    """
    seen: Mask = near.distance_squared < (distance * distance).take(near.agent)
    narrow = angle < 2.0 * np.pi - 1e-6
    if narrow.any():
        edge = np.where(narrow, cosine(np.minimum(angle, 2.0 * np.pi) / 2.0), -2.0)
        ahead = dot(forward.take(near.agent, axis=0), near.offset)
        seen &= ahead >= edge.take(near.agent) * near.distance
    return near if seen.all() else near.take(np.flatnonzero(seen))
