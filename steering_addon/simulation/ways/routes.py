"""Routes: how far along the ways of a field one sees, which is where one goes next.

From each node the way to a goal is followed as far as it is in sight: that is its aim. An agent goes straight to the
aim of the node on which it stands.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, which
from .fields import Field
from .walkable_grid import WalkableGrid

LENGTHS = (1, 2, 4, 8, 12, 16, 24)
"""Cells along a way that an aim may be ahead."""
STRAIGHT = 1.004
"""Ways that are so much longer than a straight line lead straight on: lengths are exact to half a percent."""
QUEUE = 1.5
"""Ways that count so much longer than the straight line to a goal in sight lead through a queue."""
LANES = (0.0, 0.33, 0.67, 1.0)
"""Shares of the free width of a wide passage at which bodies take it, from its inner side: so a crowd uses all of a
bend, and does not queue for the corner."""
WIDEST = 6
"""Cells, as wide as a body's radius, of the free width that are used. Through what is narrower all go as they come."""
AROUND, TOGETHER = 8, 1024
"""Up to so many cells round the nodes of all who go by ways is looked from as well, until these are so many nodes."""
UNKNOWN = -1
SIGHT = 3.0
"""Metres of way up to which passages too narrow for two are seen."""
FORESEEN = 96
"""Cells of way up to which doors are foreseen."""


class Routes:
    """The ways of a field, with the aims of the nodes from which somebody has asked, and the first nodes too narrow for
    two that their ways come to within SIGHT.

    Args:
        goal: the node to which all of them lead; None if they lead to several.
    """

    def __init__(self, ground: WalkableGrid, field: Field, goal: int | None = None) -> None:
        self.ground, self.field = ground, field
        n = len(ground.spans)
        self.goal = n if goal is None else goal
        self.aim = np.full(n + 1, UNKNOWN, dtype=np.int32)
        self.aside = np.zeros((len(LANES), n + 1), dtype=np.int8)
        self.passage = np.full(n + 1, n, dtype=np.int32)

    def looked(self, nodes: Rows, lane: Rows) -> tuple[NDArray[Any], ...]:
        """The aims of nodes (m,), whether they are the goal itself, how many cells aside, the directions of the ways
        there, (2, m), the leaps that begin there, and the lengths of the ways from there."""
        aim = self.aim[nodes].astype(np.int64)
        seen = aim == len(self.ground.spans)
        aim, field = np.where(seen, self.goal, aim), self.field
        return aim, seen, self.aside[lane, nodes], field.descent(aim), field.leap_from(aim), field.time[aim]

    def lengths(self, nodes: Rows) -> Scalars:
        """How long the ways from nodes (m,) are, metres; inf where none leads."""
        self.field.reach(nodes)
        return np.asarray(self.field.time[nodes])


def aims(asked: Sequence[tuple[Routes, Rows]], lane: Rows) -> tuple[Scalars, Scalars, Scalars, Rows]:
    """Up to where ways are in sight, along x and along y, from the nodes, (m,) together, of routes on one ground, and
    how long they are from there, metres: nan where that is the goal itself. The last is the way over a link that begins
    there, -1 for none. `lane`: (m,)."""
    begins = np.cumsum([0, *(len(nodes) for _, nodes in asked)]).tolist()
    looked = [each.looked(nodes, lane[low:high]) for (each, nodes), low, high in zip(asked, begins, begins[1:])]
    aim, seen, aside, along, over, time = (np.concatenate(column, axis=-1) for column in zip(*looked))
    x, y = _beside(asked[0][0].ground, aim, along, aside.astype(np.int64))
    return x, y, np.where(seen, np.nan, time), np.where(seen, -1, over)


def look_from(looks: Sequence[tuple[Routes, Rows]]) -> None:
    """Find the aims of nodes that routes on one ground do not have, and how far aside of them each lane passes. Where
    few ask, the nodes round all of theirs are looked from as well: together they cost little more than one."""
    if not any((each.aim[few] == UNKNOWN).any() for each, few in looks):
        return
    asked = []
    for each, few in looks:
        unknown = few[each.aim[few] == UNKNOWN]
        each.field.reach(unknown)
        near = each.ground.grid.around(few, AROUND, TOGETHER)
        unknown = np.concatenate((unknown, near[(each.aim[near] == UNKNOWN) & each.field.knows(near)]))
        if len(unknown):
            new = np.unique(unknown)
            each.aim[new] = len(each.ground.spans)
            asked.append((each, new))
    ground = asked[0][0].ground
    if ground.narrow.any() or ground.shared.any():
        _Looks(ground, asked).find_passages([each for each, _ in asked])
    seen = _goals_are_seen(ground, asked)
    hidden = [(each, new[~goal]) for (each, new), goal in zip(asked, seen)]
    asked = [(each, new) for each, new in hidden if len(new)]
    if asked:
        _Looks(ground, asked).find([each for each, _ in asked])


def foresee_doors(asked: Sequence[tuple[Routes, Rows]]) -> tuple[Rows, Scalars]:
    """The doors to which ways of routes on one ground lead, from the nodes of all together, and the metres up to them.
    Who is in a door is past its queue, and comes to none."""
    ground = asked[0][0].ground
    node, cells = _Looks(ground, asked).first(ground.door < len(ground.spans), FORESEEN)
    return np.where(cells > 0, ground.door[node], len(ground.spans)), cells * ground.spans.size


def _goals_are_seen(ground: WalkableGrid, asked: Sequence[tuple[Routes, Rows]]) -> list[Mask]:
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

    def __init__(self, ground: WalkableGrid, asked: Sequence[tuple[Routes, Rows]]) -> None:
        self._ground, self._fields = ground, [each.field for each, _ in asked]
        self._start = np.concatenate([new for _, new in asked])
        self._of = np.repeat(np.arange(len(asked)), [len(new) for _, new in asked])
        self._ends = self._where_fields_end(self._of)

    def find(self, routes: Sequence[Routes]) -> None:
        """Find the aims and the lanes of the nodes."""
        start, ground = self._start, self._ground
        # The nodes to which ways lead after each of LENGTHS cells, (k, m).
        traced = np.array([node for k, node in enumerate(self._walked(LENGTHS[-1])) if k in LENGTHS])
        seen = ground.see(np.tile(start, len(LENGTHS)), traced.ravel()).reshape(traced.shape)
        # What is next is in sight whatever the walk from cell to cell says.
        seen[0] = True
        furthest = len(LENGTHS) - 1 - np.argmax(seen[::-1], axis=0)
        aim = traced[furthest, np.arange(len(start))]
        asides = self._asides(aim, np.array(LENGTHS)[furthest])
        for k, each in enumerate(routes):
            own = self._of == k
            each.aim[start[own]], each.aside[:, start[own]] = aim[own], asides[:, own]

    def find_passages(self, routes: Sequence[Routes]) -> None:
        """Find the first nodes too narrow for two to which ways lead from the nodes, or else those to be shared."""
        most, n = int(SIGHT / self._ground.spans.size), len(self._ground.spans)
        first, _ = self.first(self._ground.narrow, most)
        first = np.where(first < n, first, self.first(self._ground.shared, most)[0])
        for k, each in enumerate(routes):
            own = self._of == k
            each.passage[self._start[own]] = first[own]

    def first(self, some: Mask, most: int) -> tuple[Rows, Rows]:
        """The first of some nodes, (N + 1,), within so many cells of the ways from the nodes, (m,), and how many cells
        these are; N for none."""
        n = len(self._ground.spans)
        first, cells = np.full((2, len(self._start)), n)
        for k, node in enumerate(self._walked(most)):
            found = (first == n) & some[node]
            first, cells = np.where(found, node, first), np.where(found, k, cells)
            if (first < n).all():
                break
        return first, cells

    def _where_fields_end(self, of: Rows) -> list[int]:
        """Where the nodes of each field end and those of the next begin; `of` (k,) is the field of each, ascending."""
        return np.searchsorted(of, np.arange(len(self._fields) + 1)).tolist()

    def _asked(self, ask: Callable[[Field, Rows], Any], nodes: Rows, ends: list[int]) -> Any:
        """A column of the fields at their nodes, (k,); `ends` is as of `_where_fields_end`."""
        every = [ask(each, nodes[low:high]) for each, low, high in zip(self._fields, ends, ends[1:])]
        return np.concatenate(every, axis=-1)

    def _walked(self, most: int) -> Iterator[Rows]:
        """The nodes themselves and those to which ways lead, cell by cell, (m,) each."""
        size, links, node, ends = self._ground.spans.size, self._ground.grid.links, self._start, self._ends
        x, y = np.zeros(len(node)), np.zeros(len(node))
        time = self._asked(_times, node, ends)
        yield node
        for _ in range(most):
            along_x, along_y = self._asked(Field.descent, node, ends)
            before, time_before = node, time
            x, y = x + along_x * size, y + along_y * size
            node, x = _shifted(links, node, x, 0, size)
            node, y = _shifted(links, node, y, 1, size)
            time = self._asked(_times, node, ends)
            # A step never leads to where the way is longer.
            stays = time > time_before
            if anybody(stays):
                node, time = np.where(stays, before, node), np.where(stays, time_before, time)
                x, y = np.where(stays, 0.0, x), np.where(stays, 0.0, y)
            yield node

    def _asides(self, aim: Rows, length: Rows) -> NDArray[np.int64]:
        """The lanes of the nodes, cells to the left of their aims, (lanes, m), spread over the free width there. `aim`:
        (m,) nodes; `length`: (m,) cells to the aims, for half of which lanes may lead aside."""
        reach = np.concatenate((np.arange(1, WIDEST + 1), -np.arange(1, WIDEST + 1)))
        every = len(self._ground.spans) + 1
        aims, which_aim = np.unique(self._of * every + aim, return_inverse=True)
        which_aim, of, aims = which_aim.reshape(-1), aims // every, aims % every
        along = self._asked(Field.descent, aims, self._where_fields_end(of))
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
        asides = sign * np.clip(asides, -(length // 2), length // 2)
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


def _beside(ground: WalkableGrid, aim: Rows, along: NDArray[np.float64], aside: Rows) -> tuple[Scalars, Scalars]:
    """The places so many cells to the left of aims (m,), seen along ways in directions (2, m)."""
    off = aside * ground.spans.size
    return ground.x[aim] - along[1] * off, ground.y[aim] + along[0] * off


def _times(field: Field, nodes: Rows) -> Scalars:
    """The lengths of ways from nodes (m,) as far as they are known, metres."""
    return np.asarray(field.time[nodes])


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
