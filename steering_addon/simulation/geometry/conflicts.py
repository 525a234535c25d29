"""Conflicts: the stretches of lanes on which what goes along one may touch what goes along another.

Two lanes of the half widths r and s conflict at a and b metres along them where

    |first(a) - second(b)| < r + s + CLEAR

Each such area is a stretch of either lane. Where lanes cross, both stretches are short. Where they come together, they
are long, and go the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..arrays.frozen import Columns
from ..arrays.once import once
from ..arrays.scalars import Mask, Rows, Scalars, counted, firsts, totals, which
from ..arrays.vectors import Vectors, dot, picked
from ..ground import left_of, upright
from ..nearby.pairs import pairs_of_reach
from .lines import Lines
from .paths import Spline, lay_end_to_end

CLEAR = 0.3
"""Metres of room between two that pass each other on neighboring lanes."""
FINE = 0.5
"""Half widths of the narrowest lane from one sample to the next; of a lane narrower than CLEAR, half of that instead:
what goes past each other keeps that apart, and a lane without a width would have samples without number."""
MOST = 300_000
"""Samples of all lanes. Where lanes are so long that there would be more, the samples are farther apart."""
NEXT_TO = 8.0
"""Half widths along one curve within which its lanes are beside each other and do not meet again."""
DRIFT = 0.05
"""Share of the length of a curve by which positions on its lanes may differ that are beside each other."""
MERGES = 0.9
"""Cosine between two lanes from which on they merge rather than cross."""
SPLITS = 3
"""Times that pairs of samples are split along either lane: what hangs together along both is one area."""


@dataclass(frozen=True)
class Lane:
    """A lane beside a curve.

    Attributes:
        curve: the middle of the road.
        left: metres to the left of it.
        way: 1 along the curve, -1 against it.
        radius: half the width of what goes along it, metres.
        extent: half the length of that, metres.
    """

    curve: Spline
    left: float
    way: float
    radius: float
    extent: float


@dataclass(frozen=True, eq=False)
class Conflicts(Columns):
    """The conflicts of l lanes, c of them; each is listed for either lane, by lane, then by where it begins.

    Attributes:
        way: (l,) 1 along the curve of each lane, -1 against it.
        first, count: (l,) the first conflict of each lane, and their number.
        lane, other: (c,) the lane, and the one with which it conflicts.
        twin: (c,) the same conflict as listed for the other lane.
        begin, end: (c,) metres along the lane as it is driven.
        stop: (c,) where one stops before it: before those that follow so closely that nobody stands between.
        junction: (c,) one number for all conflicts with one stop.
        merges: (c,) whether both go on the same way.
        from_right: (c,) whether the other lane comes from the right.
    """

    lanes: tuple[Lane, ...]
    lines: Lines
    way: Scalars
    first: Rows
    count: Rows
    lane: Rows
    other: Rows
    twin: Rows
    begin: Scalars
    end: Scalars
    stop: Scalars
    junction: Rows
    merges: Mask
    from_right: Mask

    def __len__(self) -> int:
        return len(self.lane)

    @once
    def exit(self) -> Scalars:
        """Where the last crossing of each junction ends, metres along the lane; -inf where lanes only merge."""
        end = np.full(int(self.junction.max(initial=-1)) + 1, -np.inf)
        np.maximum.at(end, self.junction, np.where(self.merges, -np.inf, self.end))
        return end

    @once
    def since_last(self) -> tuple[Scalars, Scalars]:
        """Metres from the beginning, and from the end, of the conflict before each on its lane; inf where none is. A
        stretch that two lanes share from where they begin is a road that forks: nobody comes into it from beside."""
        forks = self.merges & (np.maximum(self.begin, self.begin[self.twin]) <= 0.0)
        same_lane = np.append(False, (self.lane[1:] == self.lane[:-1]) & ~forks[:-1])
        begin, end = (np.where(same_lane, self.begin - np.roll(side, 1), np.inf) for side in (self.begin, self.end))
        return begin, end


@lru_cache(maxsize=8)
def conflicts_of(lanes: tuple[Lane, ...]) -> Conflicts:
    """The conflicts of lanes with each other, and of a lane that crosses itself with itself."""
    lines = lay_end_to_end(tuple(lane.curve.beside(lane.left) for lane in lanes))
    return _Samples.of(lanes, lines).conflicts()


@dataclass(frozen=True)
class _Samples:
    """Points along l lanes, s of them.

    Attributes:
        lane: (s,) the lane of each.
        number: (s,) which one of its lane it is.
        along: (s,) metres along the line.
        step: metres from one to the next.
    """

    lanes: tuple[Lane, ...]
    lines: Lines
    lane: Rows
    number: Rows
    along: Scalars
    step: float

    @classmethod
    def of(cls, lanes: tuple[Lane, ...], lines: Lines) -> _Samples:
        half_width = max(min(lane.radius for lane in lanes), 0.5 * CLEAR)
        step = max(FINE * half_width, float(lines.length.max()) * len(lanes) / MOST)
        count = np.ceil(lines.length / step).astype(np.int64) + 1
        lane, number = counted(count)
        return cls(lanes, lines, lane, number, np.minimum(number * step, lines.length[lane]), step)

    @once
    def way(self) -> Scalars:
        """(l,) 1 along each line, -1 against it."""
        return np.array([lane.way for lane in self.lanes])

    def driven(self, lane: Rows, along: Scalars) -> Scalars:
        """How far along lanes, as they are driven, places on their lines are; (p,) metres, and back again."""
        return np.where(self.way[lane] > 0.0, along, self.lines.length[lane] - along)

    def conflicts(self) -> Conflicts:
        first, second = self._pairs()
        pairs = len(first)
        first, second = np.concatenate((first, second)), np.concatenate((second, first))
        area = self._areas(first, second)
        starts = firsts(area[order := np.argsort(area, kind="stable")])
        number = len(starts)
        twin = np.empty(number, dtype=np.int64)
        twin[area] = np.roll(area, pairs)
        ways = (self._directions(self.lane[some], self.along[some]) for some in (first, second))
        merges = totals(area, dot(*ways), number) > MERGES * np.bincount(area, minlength=number)
        lane = self.lane[first[order[starts]]]
        begin, end = self._stretch(first[order], starts)
        ahead = self._directions(lane, self.driven(lane, begin))
        turn = dot(left_of(ahead, upright(number)), picked(ahead, twin))
        from_right = np.where(turn == 0.0, np.arange(number) < twin, turn > 0.0)
        order = np.lexsort((begin, lane))
        new_row = np.empty(number, dtype=np.int64)
        new_row[order] = np.arange(number)
        lane, begin, end, merges, twin = lane[order], begin[order], end[order], merges[order], new_row[twin[order]]
        count = np.bincount(lane, minlength=len(self.lanes))
        stop, junction = self._stops(lane, begin, np.where(merges, begin, end))
        columns = lane, lane[twin], twin, begin, end, stop, junction, merges, from_right[order]
        return Conflicts(self.lanes, self.lines, self.way, np.cumsum(count) - count, count, *columns)

    def _pairs(self) -> tuple[Rows, Rows]:
        """The pairs of samples at which lanes conflict, (p,) rows each, each once."""
        # With samples far apart, two of lanes that cross are up to .71 of a step from each other.
        reach = np.array([max(lane.radius, 0.5 * self.step) for lane in self.lanes])
        points = self.lines.followed(self.lane).position(self.along)
        first, second = pairs_of_reach(points, (reach + 0.5 * CLEAR)[self.lane])
        apart = which(~self._beside(first, second, reach[self.lane[first]] + reach[self.lane[second]]))
        return first[apart], second[apart]

    def _beside(self, first: Rows, second: Rows, wide: Scalars) -> Mask:
        """Whether samples (p,) are beside each other on lanes of one curve."""
        curves = {id(lane.curve): row for row, lane in enumerate(self.lanes)}
        curve = np.array([curves[id(lane.curve)] for lane in self.lanes])
        share = self.along / self.lines.length[self.lane]
        apart = np.abs(share[first] - share[second])
        apart = np.where(self.lines.closed[self.lane[first]], np.minimum(apart, 1.0 - apart), apart)
        apart = apart * self.lines.length[self.lane[first]]
        same_lane = self.lane[first] == self.lane[second]
        near = apart < NEXT_TO * wide + np.where(same_lane, 0.0, DRIFT * self.lines.length[self.lane[first]])
        return near & (curve[self.lane[first]] == curve[self.lane[second]])

    def _areas(self, first: Rows, second: Rows) -> Rows:
        """The number of the area of each pair of samples, (p,), from 0 on."""
        area = self.lane[first] * len(self.lanes) + self.lane[second]
        for some in (first, second) * SPLITS:
            order = np.lexsort((self.number[some], area))
            number, group, row = self.number[some][order], area[order], some[order]
            starts = firsts(group)
            begins = np.ones(len(order), dtype=np.bool_)
            begins[1:] = (group[1:] != group[:-1]) | (number[1:] > number[:-1] + 1)
            run = np.cumsum(begins) - 1
            # What reaches over the joint of a closed line hangs together.
            ends = np.append(starts[1:], len(order))[: len(starts)] - 1
            over = self.is_last[row[ends]] & (number[starts] == 0)
            names = np.arange(len(run))
            names[run[ends[over]]] = run[starts[over]]
            area = np.empty_like(area)
            area[order] = np.unique(names[run], return_inverse=True)[1]
        return area

    @once
    def is_last(self) -> Mask:
        """(s,) those that are the last of a closed line."""
        return np.append(self.number[1:] == 0, True) & self.lines.closed[self.lane]

    def _stretch(self, rows: Rows, starts: Rows) -> tuple[Scalars, Scalars]:
        """Where the stretches begin and end that samples (p,) of areas make; `starts` are the first of each area."""
        lane, along = self.lane[rows], self.along[rows]
        if not len(starts):
            return along, along
        number = np.diff(np.append(starts, len(rows)))
        over = np.maximum.reduceat(self.is_last[rows].astype(np.int64), starts) > 0
        over &= np.minimum.reduceat(self.number[rows], starts) == 0
        length = self.lines.length[lane]
        beyond = np.repeat(over, number) & (along > 0.5 * length)
        driven = self.driven(lane, np.where(beyond, along - length, along))
        half = 0.5 * self.step
        return np.minimum.reduceat(driven, starts) - half, np.maximum.reduceat(driven, starts) + half

    def _directions(self, lane: Rows, along: Scalars) -> Vectors:
        """The directions in which lanes are driven at places on their lines, (p, 3)."""
        return self.lines.followed(lane).tangent(along) * self.way[lane][:, None]

    def _stops(self, lane: Rows, begin: Scalars, end: Scalars) -> tuple[Scalars, Rows]:
        """`stop` and `junction` of c conflicts; the columns are sorted as those of `Conflicts`."""
        extent, starts, reaches = [road.extent for road in self.lanes], [], -np.inf
        for row, number in enumerate(lane.tolist()):
            first = row == 0 or number != lane[row - 1]
            if first or begin[row] >= reaches + 2.0 * extent[number] + CLEAR:
                starts.append(row)
            reaches = end[row] if first else max(reaches, end[row])
        junction = np.searchsorted(starts, np.arange(len(lane)), side="right") - 1
        return begin[np.array(starts, dtype=np.int64)[junction]], junction
