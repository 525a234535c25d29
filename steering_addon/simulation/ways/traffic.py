"""Traffic: how much slower ways are where others get on slowly.

About every second the slowness of the ground follows from how fast those on it got on. So a queue counts by the time
that it takes, and people take another door, or the outer side of a bend, as soon as that is quicker.

People also see what they come to: who is bound for a door gets on as fast as it lets all through that are as near to
it. So a crowd that sets off takes each its door at once, before anybody queues.

A passage too narrow for two counts longer for those who go against a stream that holds it, by the time in which that
gets through. So each of several doors comes to belong to one direction.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from ..arrays.once import once
from ..arrays.scalars import Rows, Scalars, clamp, distinct_rows, totals, which
from ..arrays.vectors import Vectors, no_vectors
from .spans import Spans

AVERAGED = 1.5
"""Seconds over which traffic is averaged: about three steps of a walker."""
RENEWED = 1.0
"""Seconds from one look at it to the next, on grounds of up to MANY nodes; on larger ones, where ways are longer and
take longer to solve again, as many times more."""
MANY = 20_000
DENSE = (0.12, 0.40)
"""Shares of the ground that bodies cover, from which on and up to which others make a way slower: people a metre and
half a metre apart."""
SPREAD = 3
"""Cells over which it is spread: it is the density round a body that holds it up."""
SLOWNESS = (1.0, 1.5, 2.25, 3.5, 5.0, 8.0, 12.0, 18.0, 27.0)
"""The steps that slowness is rounded down to, so that ways are not solved again for every little change."""
FLOWS = 0.25
"""Share of the ground in a door that the bodies cover which get through without slowing down."""
ABREAST = 1.0
"""Metres further from and nearer to a door within which others are as near to it."""
EACH = 1.5
"""Metres of free way for which one of a stream holds up those who go against it: about a second."""


class Streams(NamedTuple):
    """Streams that hold passages too narrow for two. `passage`: (k,) the number of each passage; `through`: (k, 3) the
    level unit directions in which they go through; `metres`: (k,) of free way that it takes until they are through."""

    passage: Rows
    through: Vectors
    metres: Scalars

    @classmethod
    def of(cls, passage: Rows, through: Vectors) -> "Streams":
        """The streams of agents (m,) that come to passages, or are in one, and let nobody pass."""
        ends, of = distinct_rows(np.concatenate((passage[:, None], through), axis=1))
        metres = EACH * totals(of, np.ones(len(of)), len(ends))
        return cls(ends[:, 0].astype(np.int64), ends[:, 1:], metres)


NO_STREAMS = Streams(np.zeros(0, dtype=np.int64), no_vectors(0), np.zeros(0))


class Queues(NamedTuple):
    """Doors to which agents come.

    Attributes:
        door: (m,) the number of the door of each.
        before: (m,) metres of way to it.
        width: (m,) metres that it is wide; inf for none.
    """

    door: Rows
    before: Scalars
    width: Scalars

    def share(self, area: Scalars) -> Scalars:
        """The share of their own speed at which agents get on whose bodies cover an area, (m,) square metres."""
        # One column for all doors: no way to one is as long as that.
        place = self.before + self.door * 1e6
        line = np.sort(place)
        near = np.searchsorted(line, place + ABREAST, side="right") - np.searchsorted(line, place - ABREAST)
        length = ABREAST + np.minimum(self.before, ABREAST)
        return np.minimum(FLOWS * self.width * length / (near * area), 1.0)


@dataclass(frozen=True)
class Traffic:
    """The traffic on the N nodes of a grid.

    Attributes:
        visited: (k,) the nodes where bodies have been, ascending.
        cover: (k,) square metres of bodies, of late.
        pace: (k,) the same, times the share of their own speed that they had.
        slowness: (N + 1,) how much slower a way is than a free one, as of the last look; index N stands for none.
        look: the number of that look.
        streams: as of the last look.
    """

    visited: Rows
    cover: Scalars
    pace: Scalars
    slowness: Scalars
    look: int
    streams: Streams = NO_STREAMS

    @classmethod
    def none_yet(cls, spans: Spans) -> "Traffic":
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.ones(len(spans) + 1), -1)

    @once
    def digest(self) -> bytes:
        """Tells one slowness from another; empty where no way is slower than a free one."""
        return blake2b(self.slowness.tobytes(), digest_size=16).digest() if (self.slowness > 1.0).any() else b""

    def after(
        self,
        spans: Spans,
        nodes: Rows,
        radius: Scalars,
        speed: Scalars,
        own_speed: Scalars,
        queues: Callable[[], Queues],
        streams: Callable[[], Streams],
        time: float,
        dt: float,
        looks: bool,
    ) -> "Traffic":
        """The traffic a step later.

        Args:
            nodes, radius: (m,) where bodies are, and how large, metres.
            speed, own_speed: (m,) what they have, and what they have where nobody holds them up, m/s.
            queues: gives the doors that they come to.
            streams: gives those that hold passages.
            looks: whether all have asked for their ways in this step; a look that is due waits for such a one.
        """
        n, part, on = len(spans), min(dt / AVERAGED, 1.0), which(nodes < len(spans))
        area = np.pi * radius * radius
        share = clamp(speed / np.maximum(own_speed, 1e-6), 0.0, 1.0)
        visited = np.union1d(self.visited, nodes[on])
        known, here = np.searchsorted(visited, self.visited), np.searchsorted(visited, nodes[on])

        def averaged(before: Scalars, now: Scalars) -> Scalars:
            known_before = totals(known, before, len(visited))
            return known_before + part * (totals(here, now[on], len(visited)) - known_before)

        cover, pace = averaged(self.cover, area), averaged(self.pace, area * share)
        look = int(np.floor(time / (RENEWED * max(n / MANY, 1.0))))
        if look == self.look or not looks:
            return Traffic(visited, cover, pace, self.slowness, self.look, self.streams)
        _, expected = _held_up(spans, nodes[on], area[on], (area * queues().share(area))[on])
        slowness = np.maximum(_slowness(spans, visited, cover, pace), expected)
        steps = np.array(SLOWNESS)
        return Traffic(visited, cover, pace, steps[np.searchsorted(steps, slowness, side="right") - 1], look, streams())


def _slowness(spans: Spans, visited: Rows, cover: Scalars, pace: Scalars) -> Scalars:
    covered, held_up = _held_up(spans, visited, cover, pace)
    low, high = DENSE
    dense = clamp((covered / (spans.size * spans.size) - low) / (high - low), 0.0, 1.0)
    return 1.0 + dense * (held_up - 1.0)


def _held_up(spans: Spans, nodes: Rows, cover: Scalars, pace: Scalars) -> tuple[Scalars, Scalars]:
    """The area that bodies at nodes (k,) cover round each node, square metres, and their slowness, (N + 1,) each.
    `cover`, `pace`: (k,) the areas, and these times the share of their own speed with which they get on."""
    n, (covered, held_up) = len(spans), (np.zeros(len(spans) + 1), np.ones(len(spans) + 1))
    near = np.unique(nodes)
    for sides in ((0, 2), (1, 3)) * SPREAD:
        near = np.unique(np.append(near, spans.links[sides, near[:, None]]))
    near = near[near < n]
    number = np.full(n + 1, len(near))
    number[near] = np.arange(len(near))
    links, nodes = number[spans.links[:, near]], number[nodes]
    covered[near], paced = (_spread(links, totals(nodes, column, len(near))) for column in (cover, pace))
    held_up[near] = clamp(covered[near] / np.maximum(paced, 1e-12), 1.0, SLOWNESS[-1])
    return covered, held_up


def _spread(links: Rows, values: Scalars) -> Scalars:
    """The mean of values (k,) over a few cells round each node; `links` (4, k), k for none."""
    for _ in range(SPREAD):
        for side in range(2):
            one, other = links[side::2]
            neighbors, padded = 1.0 + (one < len(values)) + (other < len(values)), np.append(values, 0.0)
            values = (values + padded[one] + padded[other]) / neighbors
    return values
