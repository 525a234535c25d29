"""Walkable ground: what bodies of one build can walk, and where the ways over it lead next.

From each node the way to a goal is followed as far as it is in sight: that is its aim. An agent goes straight to the
aim of the node on which it stands, and sees its goal in that direction, as far away as the way is long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.once import once
from ..arrays.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    anybody,
    clamp,
    columns,
    dot,
    magnitude,
    picked,
    unit,
    which,
)
from ..geometry.obstacles import Obstacles
from ..geometry.paths import Spline, spline
from ..links import Links, walked
from .clearance import are_parted, find_clearance
from .fields import FAR, NO_LEAPS, Field, Leaps, Mesh8
from .retreat import CLOSE, HORIZON, find_retreat
from .spans import Build, Spans, grade
from .traffic import Traffic

MARGIN = 1.0
"""Radii beyond the body within which ways keep off walls and borders, where there is room."""
WALL = 0.4
"""How much longer a way right beside a wall counts."""
LENGTHS = (1, 2, 4, 8, 12, 16, 24)
"""Cells along a way that an aim may be ahead."""
ROUND = 12
"""Cells round a place without room up to which a node with room is looked for."""
STRAIGHT = 1.004
"""Ways that are so much longer than a straight line lead straight on: lengths are exact to half a percent."""
QUEUE = 1.5
"""Ways that count so much longer than the straight line to a goal in sight lead through a queue."""
FEW = 16
"""Goals to each of which a field of its own is solved. More of them, such as places of one's own beside a leader, are
reached by the ways to the middles of blocks of cells."""
BLOCK = 8
"""Cells along a side of such a block."""
SPOT = 4
"""Cells along a side of the blocks to which the places of threats are known: so one that moves does not cost a solve on
every step."""
WORSE = (0.25, 0.75)
"""Shares of the gain of the best way out that one gets who runs straight away, from which on and up to which that
counts."""
LANES = (0.0, 0.33, 0.67, 1.0)
"""Shares of the free width of a wide passage at which bodies take it, from its inner side: so a crowd uses all of a
bend, and does not queue for the corner."""
WIDEST = 6
"""Cells, as wide as a body's radius, of the free width that are used. Through what is narrower all go as they come."""
MOST_NUMBERS = 2**24
"""Numbers in all fields that are kept: 128 MB, twice."""
UNKNOWN = -1
LANDS = 4
"""Cells from the end of a link to where one stands who gets on or off there."""


class Crossed(NamedTuple):
    """How bodies get over links: j ways, one or two for each link.

    Attributes:
        link: (j,) rows of links.
        back: (j,) whether it leads from the end of the link to its start.
        line: j lines, from where they get on to where they get off.
        leaps: the same between nodes.
    """

    link: Rows
    back: Mask
    line: tuple[Spline, ...]
    leaps: Leaps


NO_WAYS_OVER = Crossed(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_), (), NO_LEAPS)


class Course(NamedTuple):
    """Where m agents see their goals.

    Attributes:
        place: (m, 3) in the direction in which the way begins, as far away as it is long; the goal itself, to the last
            bit, where it is in sight.
        ahead: (m,) how far the way leads straight on, metres; inf to a goal in sight.
        leads: (m,) whether a way leads to the goal itself, as far as is known.
        over: (m,) the row of the way over a link that begins there, -1 for none.
    """

    place: Vectors
    ahead: Scalars
    leads: Mask
    over: Rows


class WalkableGround:
    """What bodies of one build can walk, with the N nodes of a grid; index N stands for none."""

    def __init__(self, spans: Spans, obstacles: Obstacles, build: Build) -> None:
        n = len(spans)
        limit = build.radius * (1.0 + MARGIN)
        clearance = find_clearance(spans, obstacles, build, limit)
        links = spans.links.copy()
        for side in range(2):
            start = which(links[side, :n] < n)
            cut = start[are_parted(spans, obstacles, clearance, build, start, links[side, start])]
            links[side + 2, links[side, cut]] = n
            links[side, cut] = n
        room = np.minimum(clearance.room, _room_to_borders(spans, limit) + 0.5 * build.radius)
        near = np.clip((build.radius - room) / (MARGIN * build.radius) + 1.0, 0.0, 1.0)
        passable = np.append(clearance.fits, False)
        self.spans, self.build = spans, build
        self.grid = Mesh8.of(spans, links, passable, np.append(1.0 + WALL * near * near, np.inf))
        self.clear = passable & ~np.append(clearance.narrow, True)
        self.x, self.y = np.append(clearance.x, np.nan), np.append(clearance.y, np.nan)
        self.crossed = NO_WAYS_OVER
        self._routes: dict[tuple[int, bytes], _Routes] = {}

    def with_links(self, links: Links, pace: float) -> WalkableGround:
        """The same ground with links, over which bodies go whose usual speed is `pace`, m/s."""
        ground = copy(self)
        for name in ("is_open", "_beyond"):
            vars(ground).pop(name, None)
        ground._routes = {}
        nodes = self.ends_of(links)
        joined = which(links.present & (nodes < len(self.spans)).all(axis=0) & (nodes[0] != nodes[1]))
        link = np.concatenate((joined, joined[links.model.both_ways[joined]]))
        back = np.arange(len(link)) >= len(joined)
        start, end = (np.where(back, nodes[1 - k, link], nodes[k, link]) for k in range(2))
        lines, metres = [], []
        for row, first, last, turned in zip(link.tolist(), start.tolist(), end.tolist(), back.tolist()):
            points = links.lines[row][::-1] if turned else links.lines[row]
            ends = (self._landing(first, points[0]), points, self._landing(last, points[-1]))
            whole, seconds = np.concatenate(ends), float(links.model.seconds[row])
            lines.append(spline(whole, False))
            metres.append(max(seconds * pace if seconds > 0.0 else walked(whole), self.spans.size))
        ground.crossed = Crossed(link, back, tuple(lines), Leaps(start, end, np.array(metres)))
        return ground

    def ends_of(self, links: Links) -> Rows:
        """The nodes at which links begin and end, (2, k); N where there is no ground to stand on."""
        n = len(self.spans)
        places = np.array([(line[0], line[-1]) for line in links.lines]).reshape(-1, 3)
        nodes = self._nodes(places, self.build.step + grade(self.build) * self.spans.size)
        x, y, reach = self.x[nodes] - places[:, 0], self.y[nodes] - places[:, 1], LANDS * self.spans.size
        return np.where(x * x + y * y <= reach * reach, nodes, n).reshape(-1, 2).T

    def _landing(self, node: int, end: Vectors) -> Vectors:
        """Where bodies stand who get on or off a link at its end (3,), (1, 3): there if they have room, or close by."""
        x, y, half = self.x[node], self.y[node], 0.5 * self.spans.size
        if self.clear[node] and abs(end[0] - x) <= half and abs(end[1] - y) <= half:
            x, y = end[0], end[1]
        return np.array([[x, y, self.spans.height[node]]])

    def parts_from(self, parts: Rows) -> Rows:
        """The parts that can be reached from parts (m,), these included."""
        return np.unique([end for part in np.unique(parts).tolist() for end in self._beyond.get(part, [part])])

    @once
    def _beyond(self) -> dict[int, list[int]]:
        """The parts that can be reached over links from those from which links lead on, with these."""
        steps = {(self.part[a], self.part[b]) for a, b in zip(*self.crossed.leaps[:2])}
        beyond = {int(first): [int(first)] for first, _ in steps}
        for reached in beyond.values():
            for part in reached:
                reached += sorted({int(b) for a, b in steps if a == part} - set(reached))
        return beyond

    @once
    def is_open(self) -> bool:
        """Whether every line on it can be walked: one storey that fills its rectangle, and nothing on it."""
        if len(self.crossed.link):
            return False
        n, (across, along) = len(self.spans), self.spans.shape
        missing = np.count_nonzero(self.grid.links[:, :n] == n)
        return n == across * along and missing == 2 * (across + along) and bool(self.clear[:n].all())

    @once
    def part(self) -> Rows:
        """(N + 1,) the same number for all nodes that ways connect; N for those where no body fits."""
        return self._labelled(self.grid.links)

    @once
    def _blocks(self) -> Rows:
        """As `_blocks_of`, for the goals of many."""
        return self._blocks_of(BLOCK)

    @once
    def _spots(self) -> Rows:
        """As `_blocks_of`, for threats."""
        return self._blocks_of(SPOT)

    def _blocks_of(self, side: int) -> Rows:
        """(N + 1,) a node in the same block of cells, the same for all that ways in the block connect."""
        n, (across, _) = len(self.spans), self.spans.shape
        cell = np.repeat(np.arange(len(self.spans.begin) - 1), np.diff(self.spans.begin))
        block = np.append(cell // across // side * across + cell % across // side, -1)
        links = self.grid.links
        return self._labelled(np.where(block[links] == block, links, n))

    def _labelled(self, links: Rows) -> Rows:
        """The least of the nodes that links (4, N + 1) connect, for each, (N + 1,)."""
        n = len(self.spans)
        label = np.where(self.grid.passable, np.arange(n + 1), n)
        while True:
            least = np.minimum(label, label[links].min(axis=0))
            least = np.where(self.grid.passable, np.minimum(least, least[least]), n)
            if (least == label).all():
                return label
            label = least

    def course(
        self, feet: Vectors, goals: Vectors, heights: Scalars, lane: Rows, traffic: Traffic, moves: Mask
    ) -> Course:
        """Where agents that stand on (m, 3) see their goals, (m, 3) metres.

        Args:
            heights: (m,) of their middles, at which they see what is not in sight.
            lane: (m,) the number of the lane of each, from 0 to below that of LANES.
            traffic: what holds them up.
            moves: (m,) whose goals move. A field of its own would have to be solved for each on every step: those in
                sight are gone to straight, others by the ways to the middles of blocks of cells.
        """
        place, ahead, reached = goals.copy(), np.full(len(goals), np.inf), np.ones(len(goals), dtype=np.bool_)
        over = np.full(len(goals), -1, dtype=np.int64)
        start = self._nodes(feet, self.build.step + grade(self.build) * self.spans.size)
        rows = which(start < len(self.spans)) if not self.is_open else which(start < 0)
        if not len(rows):
            return Course(place, ahead, reached, over)
        start, feet = start[rows], feet[rows]
        end, leads, seen_at_once = self._ends(start, goals[rows], moves[rows])
        reached[rows] = leads
        nodes = np.unique(end[~seen_at_once]).tolist()
        asking = [which((end == node) & ~seen_at_once) for node in nodes]
        every = [self._routes_to(node, traffic) for node in nodes]
        _look_from(every, [start[some] for some in asking])
        for routes, some in zip(every, asking):
            at, here = rows[some], feet[some]
            aim_x, aim_y, length, over[at] = routes.aims(start[some], lane[at])
            seen = np.isnan(length)
            to_x, to_y = aim_x - here[:, 0], aim_y - here[:, 1]
            shown = straight = np.sqrt(to_x * to_x + to_y * to_y)
            if len(at_foot := which((over[at] >= 0) & (straight < 0.5 * self.spans.size))):
                shown = straight.copy()
                # From where a link begins its goal is still far away.
                to_x[at_foot], to_y[at_foot], shown[at_foot] = 1.0, 0.0, 1.0
            whole = straight + np.where(seen, 0.0, length)
            share = whole / np.maximum(shown, EPSILON)
            along = columns(here[:, 0] + to_x * share, here[:, 1] + to_y * share, heights[at])
            known = leads[some] & seen
            place[at] = np.where(known[:, None], goals[at], along)
            ahead[at] = np.where(known, np.inf, straight)
        return Course(place, ahead, reached, over)

    def lengths(self, feet: Vectors, places: Vectors, traffic: Traffic) -> Vectors:
        """How long the ways from (m, 3) to places (c, 3) are, metres of free way, (m, c).

        inf where none leads, and where even the straight line is no shorter than the way to another place.
        """
        metres = np.full((len(feet), len(places)), np.inf)
        start = self._nodes(feet, self.build.step + grade(self.build) * self.spans.size)
        ends = self._nodes(places, np.inf)
        straight = np.stack([magnitude(place - feet) for place in places], axis=1)
        straight[start == len(self.spans)] = np.inf
        # The nearest first: most others need not be looked at then.
        near = straight <= straight.min(axis=1)[:, None]
        for _ in range(2):
            near &= np.isfinite(straight)
            for k in which((ends < len(self.spans)) & near.any(axis=0)).tolist():
                rows = which(near[:, k])
                metres[rows, k] = self._routes_to(int(ends[k]), traffic).lengths(start[rows])
            near = straight < metres.min(axis=1)[:, None]
        return metres

    def course_away(self, feet: Vectors, threats: Vectors, away: Vectors, lane: Rows) -> tuple[Vectors, Scalars]:
        """Where agents that stand on (m, 3) run from threats at (m, 3) metres.

        Args:
            away: (m, 3) the level unit directions straight away.
            lane: (m,) as of `course`.

        Returns:
            direction: (m, 3) level unit directions; those straight away, to the last bit, where nothing is in the way.
            ahead: (m,) how far the way leads straight on, metres; inf where it leads straight away.
        """
        direction, ahead, size = away.copy(), np.full(len(away), np.inf), self.spans.size
        start = self._nodes(feet, self.build.step + grade(self.build) * size)
        gap = magnitude(threats - feet)
        # An agent that sees the open up to the horizon runs straight.
        rows = which((start < len(self.spans)) & (gap < HORIZON * size))
        rows = rows[~self._sees_along(start[rows], picked(away, rows), HORIZON * size - gap[rows])[0]]
        if not len(rows):
            return direction, ahead
        (low, high), reach = WORSE, LENGTHS[-1] * size
        spot = self._spots[self._ends(start[rows], threats[rows], np.ones(len(rows), dtype=np.bool_))[0]]
        for block in np.unique(spot).tolist():
            at = rows[spot == block]
            straight, nodes = picked(away, at), start[at]
            routes = self._routes_from(block)
            _look_from([routes], [nodes])
            aim_x, aim_y, left, _ = routes.aims(nodes, lane[at])
            way = columns(aim_x - feet[at, 0], aim_y - feet[at, 1], 0.0)
            length = magnitude(way)
            seen, end = self._sees_along(nodes, straight, np.full(len(at), reach))
            here, there = (np.minimum(routes.lengths(place), FAR) for place in (nodes, end))
            gain = np.where(seen, here - there, 0.0) / reach
            # There is no way on from a refuge, nor for whom no way leads from the threat.
            share = np.where(np.isfinite(left) & (length > size), clamp((gain - low) / (high - low), 0.0, 1.0), 1.0)
            best = straight * share[:, None] + unit(way) * (1.0 - share)[:, None]
            # Nobody runs into the arms of a threat.
            toward = np.where(gap[at] < CLOSE * size, np.minimum(dot(best, straight), 0.0), 0.0)
            best = unit(best - straight * toward[:, None])
            turns = which((share < 1.0) & (best != 0.0).any(axis=1))
            direction[at[turns]], ahead[at[turns]] = best[turns], length[turns]
        return direction, ahead

    def _sees_along(self, start: Rows, direction: Vectors, length: Scalars) -> tuple[Mask, Rows]:
        """As `Mesh8.sees`, from nodes (m,) so many metres in level unit directions (m, 3)."""
        x, y = self.x[start], self.y[start]
        return self.grid.sees(start, x, y, x + direction[:, 0] * length, y + direction[:, 1] * length, self.clear)

    def _nodes(self, places: Vectors, furthest: float) -> Rows:
        """The passable nodes nearest to places, (m,); N for none nearby.

        Args:
            furthest: how far above or below a node may be, metres.
        """
        spans, n = self.spans, len(self.spans)
        x, y, z = places.T
        node = spans.at(x, y, z, furthest)
        lost = which(~self.grid.passable[node])
        for ring in range(1, ROUND + 1):
            if not len(lost):
                break
            cells = _ring(ring)
            of = np.repeat(lost, len(cells))
            across, along = np.tile(np.array(cells).T * spans.size, len(lost))
            near = spans.at(x[of] + across, y[of] + along, z[of], furthest)
            inside = np.minimum(near, n - 1)
            offset = columns(self.x[inside] - x[of], self.y[inside] - y[of], spans.height[inside] - z[of])
            off = np.where(self.grid.passable[near], magnitude(offset), np.inf).reshape(len(lost), -1)
            nearest = np.argmin(off, axis=1)
            found = np.isfinite(off[np.arange(len(lost)), nearest])
            node[lost] = np.where(found, near.reshape(off.shape)[np.arange(len(lost)), nearest], n)
            lost = lost[~found]
        return node

    def _ends(self, start: Rows, goals: Vectors, moves: Mask) -> tuple[Rows, Mask, Mask]:
        """The nodes to which ways lead from nodes (m,), whether these are those of their goals, and who sees one move.

        Where no way leads to a goal, it is the node nearest to it to which one does.
        """
        places, of_goal = _distinct(goals)
        end = self._nodes(places, np.inf)[of_goal]
        part = self.part[start]
        leads = self.part[end] == part
        for owner, parts in self._beyond.items() if len(self.crossed.link) else ():
            leads |= (part == owner) & np.isin(self.part[end], parts)
        for owner, goal in sorted(set(zip(part[~leads].tolist(), of_goal[~leads].tolist()))):
            nodes = which(np.isin(self.part[:-1], self._beyond.get(owner, [owner])))
            offset = columns(self.x[nodes], self.y[nodes], self.spans.height[nodes]) - places[goal]
            end[~leads & (part == owner) & (of_goal == goal)] = nodes[np.argmin(magnitude(offset))]
        seen = start == end
        others = which(leads & ~seen & (moves | (len(places) > FEW)))
        seen[others] = self.see(start[others], end[others])
        hidden = others[~seen[others]]
        end[hidden] = self._blocks[end[hidden]]
        return end, leads, leads & moves & seen

    def see(self, start: Rows, end: Rows) -> Mask:
        """Whether nodes (m,) see other nodes, (m,)."""
        x, y = self.x, self.y
        seen, last = self.grid.sees(start, x[start], y[start], x[end], y[end], self.clear)
        return seen & (last == end)

    def _routes_to(self, node: int, traffic: Traffic) -> _Routes:
        def solved() -> _Routes:
            slowness = traffic.slowness if traffic.digest else 1.0
            return _Routes(self, Field.to(self.grid, node, self.clear, slowness, self.crossed.leaps), node)

        return self._kept((node, traffic.digest), solved)

    def _routes_from(self, spot: int) -> _Routes:
        """The ways out, from a threat that is in a block of nodes."""
        return self._kept((~spot, b""), lambda: _Routes(self, find_retreat(self.grid, which(self._spots == spot))))

    def _kept(self, key: tuple[int, bytes], solved: Callable[[], _Routes]) -> _Routes:
        routes = self._routes.get(key)
        if routes is None:
            if (len(self._routes) + 1) * len(self.spans) > MOST_NUMBERS:
                self._routes.clear()
            routes = self._routes[key] = solved()
        return routes


class _Routes:
    """The ways of a field, with the aims of the nodes from which somebody has asked.

    Args:
        goal: the node to which all of them lead; None if they lead to several.
    """

    def __init__(self, ground: WalkableGround, field: Field, goal: int | None = None) -> None:
        self.ground, self.field = ground, field
        n = len(ground.spans)
        self.goal = n if goal is None else goal
        self.aim = np.full(n + 1, UNKNOWN, dtype=np.int32)
        self.aside = np.zeros((len(LANES), n + 1), dtype=np.int8)

    def aims(self, nodes: Rows, lane: Rows) -> tuple[Scalars, Scalars, Scalars, Rows]:
        """Up to where ways from nodes (m,) are in sight, along x and along y, and how long they are from there, metres.

        The length is nan where that is the goal itself. The last is the way over a link that begins there, -1 for none.
        """
        ground, aim = self.ground, self.aim[nodes].astype(np.int64)
        seen = aim == len(ground.spans)
        aim = np.where(seen, self.goal, aim)
        aside = self.aside[lane, nodes].astype(np.int64)
        x, y = _beside(ground, aim, self.field.descent(aim), aside)
        over = np.where(seen, -1, self.field.leap_from(aim))
        return x, y, np.where(seen, np.nan, self.field.time[aim]), over

    def lengths(self, nodes: Rows) -> Scalars:
        """How long the ways from nodes (m,) are, metres; inf where none leads."""
        self.field.reach(nodes)
        return np.asarray(self.field.time[nodes])


def _look_from(routes: Sequence[_Routes], nodes: Sequence[Rows]) -> None:
    """Find the aims of nodes that routes on one ground do not have, and how far aside of them each lane passes."""
    asked = []
    for few, each in zip(nodes, routes):
        unknown = each.aim[few] == UNKNOWN
        if unknown.any():
            new = np.unique(few[unknown])
            each.field.reach(new)
            each.aim[new] = len(each.ground.spans)
            asked.append((each, new))
    if not asked:
        return
    ground = asked[0][0].ground
    seen = _goals_are_seen(ground, asked)
    hidden = [(each, new[~goal]) for (each, new), goal in zip(asked, seen)]
    asked = [(each, new) for each, new in hidden if len(new)]
    if asked:
        _Looks(ground, asked).find([each for each, _ in asked])


def _goals_are_seen(ground: WalkableGround, asked: Sequence[tuple[_Routes, Rows]]) -> list[Mask]:
    """Whether their goals are in sight of the nodes of routes, or so far straight ahead that the rest will show."""
    spans, nodes = ground.spans, np.concatenate([new for _, new in asked])
    goal = np.concatenate([np.full(len(new), each.goal) for each, new in asked])
    time = np.concatenate([each.field.time[new] for each, new in asked])
    x, y = ground.x[nodes], ground.y[nodes]
    to_x, to_y = ground.x[goal] - x, ground.y[goal] - y
    straight = np.sqrt(to_x * to_x + to_y * to_y)
    furthest = LENGTHS[-1] * spans.size
    share = np.minimum(furthest / np.maximum(straight, EPSILON), 1.0)
    # Routes to several goals are looked at along their ways only.
    seen = goal < len(spans)
    alone = which(seen)
    end_x, end_y = (x + share * to_x)[alone], (y + share * to_y)[alone]
    seen[alone], last = ground.grid.sees(nodes[alone], x[alone], y[alone], end_x, end_y, ground.clear)
    at_goal = seen.copy()
    at_goal[alone] = last == goal[alone]
    leads_on = time <= STRAIGHT * straight + 0.2 * spans.size
    # A goal in sight behind a queue may be reached sooner by another way.
    quick = time <= QUEUE * straight + 2.0 * spans.size
    if len(ground.crossed.link):
        # Over a link it may be nearer than straight on.
        quick &= STRAIGHT * time >= straight - 0.2 * spans.size
        leads_on &= STRAIGHT * time >= straight - 0.2 * spans.size
    seen &= np.where(straight <= furthest, at_goal & quick, leads_on)
    return np.split(seen, np.cumsum([len(new) for _, new in asked])[:-1])


class _Looks:
    """How far nodes (m,) see along the ways of routes on one ground, the nodes of all routes together."""

    def __init__(self, ground: WalkableGround, asked: Sequence[tuple[_Routes, Rows]]) -> None:
        self._ground, self._fields = ground, [each.field for each, _ in asked]
        self._start = np.concatenate([new for _, new in asked])
        self._of = np.repeat(np.arange(len(asked)), [len(new) for _, new in asked])

    def find(self, routes: Sequence[_Routes]) -> None:
        """Find the aims and the lanes of the nodes."""
        start, ground = self._start, self._ground
        traced = self._traced()
        seen = ground.see(np.tile(start, len(LENGTHS)), traced.ravel()).reshape(traced.shape)
        # What is next is in sight whatever the walk from cell to cell says.
        seen[0] = True
        furthest = len(LENGTHS) - 1 - np.argmax(seen[::-1], axis=0)
        aim = traced[furthest, np.arange(len(start))]
        asides = self._asides(aim, np.array(LENGTHS)[furthest])
        for k, each in enumerate(routes):
            own = self._of == k
            each.aim[start[own]], each.aside[:, start[own]] = aim[own], asides[:, own]

    def _asked(self, ask: Callable[[Field, Rows], Any], nodes: Rows, of: Rows) -> Any:
        """A column of the fields at their nodes, (k,); `of` (k,) is the field of each, non-decreasing."""
        ends = np.searchsorted(of, np.arange(len(self._fields) + 1)).tolist()
        every = [ask(each, nodes[low:high]) for each, low, high in zip(self._fields, ends, ends[1:])]
        return np.concatenate(every, axis=-1)

    def _traced(self) -> NDArray[np.int64]:
        """The nodes to which ways lead after each of LENGTHS cells, (k, m)."""
        size, links, node, of = self._ground.spans.size, self._ground.grid.links, self._start, self._of
        x, y, traced = np.zeros(len(node)), np.zeros(len(node)), []
        time = self._asked(_times, node, of)
        for length in range(1, LENGTHS[-1] + 1):
            along_x, along_y = self._asked(Field.descent, node, of)
            before, time_before = node, time
            x, y = x + along_x * size, y + along_y * size
            node, x = _shifted(links, node, x, 0, size)
            node, y = _shifted(links, node, y, 1, size)
            time = self._asked(_times, node, of)
            # A step never leads to where the way is longer.
            stays = time > time_before
            if anybody(stays):
                node, time = np.where(stays, before, node), np.where(stays, time_before, time)
                x, y = np.where(stays, 0.0, x), np.where(stays, 0.0, y)
            if length in LENGTHS:
                traced.append(node)
        return np.array(traced)

    def _asides(self, aim: Rows, length: Rows) -> NDArray[np.int64]:
        """The lanes of the nodes, cells to the left of their aims, (lanes, m), spread over the free width there.

        Args:
            aim: (m,) nodes.
            length: (m,) cells to the aims, for half of which lanes may lead aside.
        """
        reach = np.concatenate((np.arange(1, WIDEST + 1), -np.arange(1, WIDEST + 1)))
        every = len(self._ground.spans) + 1
        aims, which_aim = np.unique(self._of * every + aim, return_inverse=True)
        which_aim, of, aims = which_aim.reshape(-1), aims // every, aims % every
        along = self._asked(Field.descent, aims, of)
        many = np.repeat(aims, len(reach))
        free = self._sees_beside(many, many, np.repeat(along, len(reach), axis=1), np.tile(reach, len(aims)))
        # Up to the first place on either side that is not free.
        far = np.count_nonzero(np.logical_and.accumulate(free.reshape(len(aims), 2, WIDEST), axis=2), axis=2)
        left, right = far[which_aim].T
        sign = np.where(left >= right, 1, -1)
        inner = np.minimum(left, right)
        # In the open there is no passage.
        wide = (inner < WIDEST) & (left + right >= WIDEST)
        inner, width = np.where(wide, inner, 0), np.where(wide, WIDEST, 0)
        asides = np.floor(np.array(LANES)[:, None] * width + 0.5).astype(np.int64) - inner
        asides = sign * np.clip(asides, -length // 2, length // 2)
        # Nodes that do not see that place take half as much.
        tried = np.stack((asides, np.trunc(0.5 * asides).astype(np.int64))).reshape(-1)
        asked = which(tried != 0)
        seen = np.zeros(len(tried), dtype=np.bool_)
        of_node = asked % len(aim)
        along = along[:, which_aim[of_node]]
        seen[asked] = self._sees_beside(self._start[of_node], aim[of_node], along, tried[asked])
        whole, half = np.where(seen, tried, 0).reshape(2, len(LANES), -1)
        return np.where(whole != 0, whole, half)

    def _sees_beside(self, start: Rows, aim: Rows, along: NDArray[np.float64], aside: Rows) -> Mask:
        """Whether nodes (m,) see the places so many cells to the left of aims, (m,), as of `_beside`."""
        ground = self._ground
        x, y = _beside(ground, aim, along, aside)
        return ground.grid.sees(start, ground.x[start], ground.y[start], x, y, ground.clear)[0]


def _beside(ground: WalkableGround, aim: Rows, along: NDArray[np.float64], aside: Rows) -> tuple[Scalars, Scalars]:
    """The places so many cells to the left of aims (m,), seen along ways in directions (2, m)."""
    off = aside * ground.spans.size
    return ground.x[aim] - along[1] * off, ground.y[aim] + along[0] * off


def _times(field: Field, nodes: Rows) -> Scalars:
    """The lengths of ways from nodes (m,) as far as they are known, metres."""
    return np.asarray(field.time[nodes])


def _ring(reach: int) -> list[tuple[int, int]]:
    """The columns and rows from a cell to those that are so many cells away."""
    across = range(-reach, reach + 1)
    return [(i, j) for i in across for j in across if max(abs(i), abs(j)) == reach]


def _shifted(links: Rows, node: Rows, off: Scalars, axis: int, size: float) -> tuple[Rows, Scalars]:
    """The nodes and the offsets from them along an axis, (m,) each, where an offset leads into the next cell."""
    beyond = np.abs(off) > 0.5 * size
    if not anybody(beyond):
        return node, off
    n = links.shape[1] - 1
    side = np.where(off > 0.0, axis, axis + 2)
    other = np.where(beyond, links[side, node], n)
    goes = other < n
    held = clamp(off, -0.5 * size, 0.5 * size)
    return np.where(goes, other, node), np.where(goes, off - np.where(off > 0.0, size, -size), held)


def _distinct(places: Vectors) -> tuple[Vectors, Rows]:
    """The distinct places among (m, 3), and which of them each is, (m,)."""
    if (places == places[0]).all():
        return places[:1], np.zeros(len(places), dtype=np.int64)
    distinct, which_of = np.unique(places, axis=0, return_inverse=True)
    return distinct, which_of.reshape(-1)


def _room_to_borders(spans: Spans, furthest: float) -> Scalars:
    """How far nodes are from where the ground ends, (N,) metres, up to a limit; half a cell at a border."""
    n, size = len(spans), spans.size
    room = np.where((spans.links == n).any(axis=0), 0.5 * size, furthest)
    for _ in range(int(furthest / size) + 1):
        near = room[spans.links]
        room = np.minimum(room, np.where(spans.links < n, near, furthest).min(axis=0) + size)
    return np.minimum(room[:n], furthest)
