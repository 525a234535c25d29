"""The walkable grid: where bodies of one build can stand among what stands there, and what joins these places."""

from copy import copy
from typing import NamedTuple, Self

import numpy as np

from ..arrays.once import once
from ..arrays.scalars import Mask, Rows, Scalars, which
from ..arrays.vectors import Vectors, columns, dot, magnitude, paired, picked, unit
from ..geometry.paths import Spline, spline
from ..links import Links, walked
from .fields import NO_LEAPS, Leaps, Mesh8
from .spans import SIDES, Build, Spans, grade
from .standing import Standing

MARGIN = 1.0
"""Radii beyond the body within which ways keep off walls and borders, where there is room."""
WALL = 0.4
"""How much longer a way right beside a wall counts."""
ROUND = 12
"""Cells round a place without room up to which a node with room is looked for."""
_CELLS = np.indices((2 * ROUND + 1, 2 * ROUND + 1)).reshape(2, -1) - ROUND
RINGS = [_CELLS[:, np.abs(_CELLS).max(axis=0) == reach] for reach in range(1, ROUND + 1)]
"""The columns and rows from a cell to those that are 1, 2, ... cells away."""
BLOCK = 8
"""Cells along a side of the blocks to whose middles the ways to many goals lead."""
SPOT = 4
"""Cells along a side of the blocks to which the places of threats are known: so one that moves does not cost a solve on
every step."""
CORNERS = ((1, 1), (-1, 1))
"""Columns and rows to the cells to the north-east and north-west."""
DOOR = 8.0
"""Radii of the width for their middles up to which a place is a door, at which a crowd queues."""
ABREAST = 2.4
"""Radii of the width for their middles from which on two fit side by side without a touch."""
SHARED = 6.0
"""Radii of the width for their middles up to which streams that meet share a way, each on one side."""
CLOSE_TO = 2
"""Cells from a place at which bodies are still there, where it is itself too narrow for them."""
LANDS = 4
"""Cells from the end of a link within which bodies stand that get on or off there."""


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


class WalkableGrid:
    """The ground that bodies of one build can walk, with the N nodes of a grid; index N stands for none."""

    def __init__(self, standing: Standing) -> None:
        spans, build, clearance = standing.spans, standing.build, standing.clearance
        room = np.minimum(clearance.room, _room_to_borders(spans, standing.reach) + 0.5 * build.radius)
        near = np.clip((build.radius - room) / (MARGIN * build.radius) + 1.0, 0.0, 1.0)
        passable = np.append(clearance.fits, False)
        self.spans, self.build = spans, build
        self.grid = Mesh8.of(spans, standing.links, passable, np.append(1.0 + WALL * near * near, np.inf))
        self.clear = passable & ~np.append(clearance.narrow, True)
        self.x, self.y = np.append(clearance.x, np.nan), np.append(clearance.y, np.nan)
        self._free = np.append(clearance.room > 0.0, False)
        self.crossed = NO_WAYS_OVER
        self._spare = np.append(np.clip(clearance.room - build.radius, 0.0, 0.5 * spans.size), 0.0)

    @classmethod
    def empty(cls, spans: Spans, build: Build) -> Standing:
        """Such a grid where nothing stands on it."""
        return Standing.nothing(spans, build, build.radius * (1.0 + MARGIN))

    def with_links(self, links: Links, pace: float) -> Self:
        """The same ground with links, over which bodies go whose usual speed is `pace`, m/s."""
        ground = copy(self)
        for name in ("is_open", "_beyond"):
            vars(ground).pop(name, None)
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

    def touched_since(self, other: "WalkableGrid") -> Rows:
        """The nodes at which a grid of the same spans differs, and their neighbors, (m,)."""
        one, two = self.grid, other.grid
        differ = (self.clear != other.clear) | (one.weight != two.weight)
        rows = which(differ | (one.links != two.links).any(axis=0) | (one.corners != two.corners).any(axis=0))
        near = [links[:, rows].ravel() for grid in (one, two) for links in (grid.links, grid.corners)]
        return np.unique(np.concatenate((rows, *near)))

    def ends_of(self, links: Links) -> Rows:
        """The nodes at which links begin and end, (2, k); N where there is no ground to stand on."""
        n = len(self.spans)
        places = np.array([(line[0], line[-1]) for line in links.lines]).reshape(-1, 3)
        nodes = self.nodes_at(places, self.build.step + grade(self.build) * self.spans.size)
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
        """Whether every line on it can be walked: one storey that fills a rectangle of cells, and nothing on it."""
        n, spans = len(self.spans), self.spans
        if len(self.crossed.link) or not self.clear[:n].all():
            return False
        across, along = (int((at.max() - at.min()) / spans.size + 1.5) for at in (spans.x, spans.y))
        return n == across * along and np.count_nonzero(self.grid.links[:, :n] == n) == 2 * (across + along)

    @once
    def width(self) -> tuple[Scalars, Vectors, Vectors]:
        """How wide the ground is for the middles of bodies, up to that of doors, (N + 1,) metres, the level unit
        directions through there, and the middles between what is on either side, (N + 1, 3) metres."""
        n, widest, size = len(self.spans), DOOR * self.build.radius, self.spans.size
        least, along, middle = np.full(n + 1, widest), np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
        height = np.append(self.spans.height, np.nan)
        place = columns(self.x, self.y, height)
        off = place - columns(np.append(self.spans.x, np.nan), np.append(self.spans.y, np.nan), height)
        for side in range(4):
            links = (self.grid.links if side < 2 else self.grid.corners)[side % 2 :: 2]
            across = (*SIDES[:2], *CORNERS)[side]
            through = unit(np.array([(-across[1], across[0], 0.0)], dtype=np.float64))
            ends = [_followed(np.where(link < n, link, np.arange(n + 1)), int(widest / size) + 1) for link in links]
            # Where ground leads on to both sides it is wider.
            ended = (links[0][ends[0]] == n) | (links[1][ends[1]] == n)
            rows = which(self.grid.passable & ended & (side < 2 or self._leads_on(side)))
            one, other = (end[rows] for end in ends)
            # A body that had to move along the passage to fit would have less room beside it within.
            room = [self._spare[end] - np.abs(dot(picked(off, end), through)) for end in (one, other)]
            width = magnitude(picked(place, one) - picked(place, other)) + room[0] + room[1]
            narrower = which(width < least[rows])
            rows, one, other = rows[narrower], one[narrower], other[narrower]
            least[rows], along[rows] = width[narrower], through
            middle[rows] = 0.5 * (picked(place, one) + picked(place, other))
        return least, along, middle

    def _leads_on(self, diagonal: int) -> Mask:
        """Whether each node is passed square to links to a corner, 2 or 3, (N + 1,): not in the corner of a room."""
        links = self.grid.corners[(diagonal + 1) % 2 :: 2]
        return np.asarray((links < len(self.spans)).all(axis=0))

    @once
    def narrow(self) -> Mask:
        """The nodes where bodies do not fit side by side, (N + 1,): streams that meet take turns."""
        return self.width[0] < ABREAST * self.build.radius

    @once
    def shared(self) -> Mask:
        """The nodes where streams that meet pass each other, each on its side, (N + 1,)."""
        return ~self.narrow & (self.width[0] < SHARED * self.build.radius)

    @once
    def passage(self) -> Rows:
        """(N + 1,) the same number for all nodes of one passage too narrow for two; N for the others."""
        return self._joined(self.narrow)

    @once
    def stretch_middle(self) -> Vectors:
        """(N + 1, 3) the middle of the straight stretch of a passage in which each node is, metres."""
        along, links = self.width[1], self.grid.links
        straight = np.stack([(picked(along, link) == along).all(axis=1) for link in links])
        of = self._labelled(np.where(self.narrow[links] & self.narrow & straight, links, len(self.spans)))
        number, middle = np.maximum(np.bincount(of, minlength=len(of)), 1), self.width[2]
        return columns(*(np.bincount(of, middle[:, axis], len(of))[of] / number[of] for axis in range(3)))

    @once
    def door(self) -> Rows:
        """(N + 1,) the same number for all nodes of one door; N for the others."""
        return self._joined(self.width[0] < DOOR * self.build.radius)

    @once
    def door_width(self) -> Scalars:
        """(N + 1,) how wide the doors of such numbers are where they are narrowest, metres; inf for no door."""
        least = np.full(len(self.spans) + 1, np.inf)
        np.minimum.at(least, self.door, self.width[0] + 2.0 * self.build.radius)
        least[-1] = np.inf
        return least

    def _joined(self, some: Mask) -> Rows:
        """(N + 1,) the same number for those of some nodes that links connect; N for the others."""
        n = len(self.spans)
        return np.where(some, self._labelled(np.where(some[self.grid.links] & some, self.grid.links, n)), n)

    def depth(self, nodes: Rows) -> float:
        """How long the passage of nodes (m,) is, metres."""
        along = self.width[1][nodes[0]]
        place = self.spans.x[nodes] * along[0] + self.spans.y[nodes] * along[1]
        return float(place.max() - place.min()) + self.spans.size

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
        n, node = len(self.spans), np.arange(len(self.spans) + 1)
        # Row by row: nodes of a row that follow each other are one from the start.
        begins = links[2] != node - 1
        row, first = np.cumsum(begins) - 1, which(begins)
        one, other = np.tile(row, 2), row[links[:2]].ravel()
        differ = (one[1:] != one[:-1]) | (other[1:] != other[:-1])
        pairs = which(np.append(True, differ) & (links[:2].ravel() < n))
        one, other = one[pairs], other[pairs]
        label = np.arange(len(first))
        while (label[one] != label[other]).any():
            np.minimum.at(label, one, label[other])
            np.minimum.at(label, other, label[one])
            label = label[label]
        return np.where(self.grid.passable, first[label[row]], n)

    def sees_along(self, start: Rows, direction: Vectors, length: Scalars) -> tuple[Mask, Rows]:
        """As `Mesh8.sees`, from nodes (m,) so many metres in level unit directions (m, 3)."""
        x, y = self.x[start], self.y[start]
        return self.grid.sees(start, x, y, x + direction[:, 0] * length, y + direction[:, 1] * length, self.clear)

    def nodes_at(self, places: Vectors, furthest: float) -> Rows:
        """The passable nodes nearest to places, (m,); N for none nearby. `furthest`: how far above or below a node may
        be, metres."""
        spans, n = self.spans, len(self.spans)
        x, y, z = places.T
        node = spans.at(x, y, z, furthest)
        lost = which(~self.grid.passable[node] & spans.covers(x, y, ROUND + 1))
        for cells in RINGS:
            if not len(lost):
                break
            of = np.repeat(lost, cells.shape[1])
            across, along = np.tile(cells * spans.size, len(lost))
            near = spans.at(x[of] + across, y[of] + along, z[of], furthest)
            inside = np.minimum(near, n - 1)
            offset = columns(self.x[inside] - x[of], self.y[inside] - y[of], spans.height[inside] - z[of])
            off = np.where(self.grid.passable[near], magnitude(offset), np.inf).reshape(len(lost), -1)
            nearest = np.argmin(off, axis=1)
            found = np.isfinite(off[np.arange(len(lost)), nearest])
            node[lost] = np.where(found, near.reshape(off.shape)[np.arange(len(lost)), nearest], n)
            lost = lost[~found]
        return node

    def too_narrow(self, places: Vectors, nodes: Rows) -> Mask:
        """Whether places are in no obstacle, but bodies only have room far from them, at their nodes of `nodes_at`,
        (m,)."""
        x, y, z = places.T
        away = paired(self.x[nodes] - x, self.y[nodes] - y)
        return self._free[self.spans.at(x, y, z)] & (magnitude(away) > CLOSE_TO * self.spans.size)

    def see(self, start: Rows, end: Rows) -> Mask:
        """Whether nodes (m,) see other nodes, (m,)."""
        x, y = self.x, self.y
        seen, last = self.grid.sees(start, x[start], y[start], x[end], y[end], self.clear)
        return seen & (last == end)


def _room_to_borders(spans: Spans, furthest: float) -> Scalars:
    """How far nodes are from where the ground ends, (N,) metres, up to a limit; half a cell at a border."""
    n, size = len(spans), spans.size
    room = np.where((spans.links == n).any(axis=0), 0.5 * size, furthest)
    for _ in range(int(furthest / size) + 1):
        near = room[spans.links]
        room = np.minimum(room, np.where(spans.links < n, near, furthest).min(axis=0) + size)
    return np.minimum(room[:n], furthest)


def _followed(link: Rows, times: int) -> Rows:
    """The ends of so many links, one after the other, from each node. `link`: (m,) where that of each leads."""
    end = np.arange(len(link))
    for bit in range(times.bit_length()):
        end = link[end] if times >> bit & 1 else end
        link = link[link]
    return end
