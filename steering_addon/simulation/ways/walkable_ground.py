"""Walkable ground: where bodies of one build see their goals along the ways over it, and where they run from threats.

An agent sees its goal in the direction of the aim of the node on which it stands, as far away as the way is long. Why
ground ends is told by that for a body without one limit, for each limit in turn: where that body would go on, the limit
is why this one cannot.
"""

from collections.abc import Callable
from math import pi
from typing import NamedTuple, Self

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, distinct_rows, which
from ..arrays.vectors import Vectors, columns, dot, magnitude, picked, unit
from ..geometry.surfaces import Surfaces
from ..lane_use import OPPOSITE, Passing
from ..links import Links
from .fields import FAR, Field, Mesh8
from .routes import LANES, LENGTHS, Routes, aims, look_from
from .spans import SIDES, Build, find_spans, grade
from .standing import Standing
from .traffic import NO_STREAMS, Streams, Traffic
from .walkable_grid import WalkableGrid

FEW = 16
"""Goals to each of which a field of its own is solved. More of them, such as places of one's own beside a leader, are
reached by the ways to the middles of blocks of cells."""
WORSE = (0.25, 0.75)
"""Shares of the gain of the best way out that one gets who runs straight away, from which on and up to which that
counts."""
MOST_NUMBERS = 2**24
"""Numbers in all fields that are kept: 128 MB, twice."""
PULL = 3.0
"""From a dead end that leads e further, at a way d from the threat, agents still take a way out that first leads up to
(PULL - 1) / 2 times (horizon - d - e) back toward the threat."""
HORIZON = 96
"""Cells from the threat up to which ways out are looked for; one that comes so far is safe."""
CLOSE = 12
"""Cells round the threat in which ways count longer, so that none leads past it while there is another."""
BESIDE = 40.0
"""How much longer ways right beside the threat count."""


class Course(NamedTuple):
    """Where m agents see their goals.

    Attributes:
        place: (m, 3) in the direction in which the way begins, as far away as it is long; the goal itself, to the last
            bit, where it is in sight.
        ahead: (m,) how far the way leads straight on, metres; inf to a goal in sight.
        leads: (m,) whether a way leads to the goal itself, as far as is known.
        over: (m,) the row of the way over a link that begins there, -1 for none.
        passage: (m,) the first node too narrow for two on the way; that of no node for none.
        inside: (m,) whether it begins there.
        asking: the routes to what is not in sight, each with the rows of those that ask and their nodes, (k,).
    """

    place: Vectors
    ahead: Scalars
    leads: Mask
    over: Rows
    passage: Rows
    inside: Mask
    asking: tuple[tuple[Routes, Rows, Rows], ...] = ()


class WalkableGround(WalkableGrid):
    """A walkable grid with the ways over it, which are kept. `before`: the same ground with other obstacles, whose
    fields hold up to where it differs."""

    def __init__(self, standing: Standing, before: "WalkableGround | None" = None) -> None:
        super().__init__(standing)
        self._routes: dict[tuple[int, bytes], Routes] = {}
        self._fields: dict[tuple[int, bytes], Field] = {}
        self._opposed: dict[tuple[int, int, bytes], bool] = {}
        if before is not None:
            self._fields = {key: routes.field for key, routes in before._routes.items() if key[0] >= 0}
            self._touched = self.touched_since(before)

    def with_links(self, links: Links, pace: float) -> Self:
        ground = super().with_links(links, pace)
        ground._routes, ground._fields, ground._opposed = {}, {}, {}
        return ground

    def course(
        self, feet: Vectors, goals: Vectors, heights: Scalars, lane: Rows, traffic: Traffic, moves: Mask, nose: Scalars
    ) -> Course:
        """Where agents that stand on (m, 3) see their goals, (m, 3) metres.

        Args:
            heights: (m,) of their middles, at which they see what is not in sight.
            lane: (m,) the number of the lane of each, from 0 to below that of LANES.
            traffic: what holds them up.
            moves: (m,) whose goals move. A field of its own would have to be solved for each on every step: those in
                sight are gone to straight, others by the ways to the middles of blocks of cells.
            nose: (m,) metres from their middles to the ends of their axes.
        """
        place, ahead, reached = goals.copy(), np.full(len(goals), np.inf), np.ones(len(goals), dtype=np.bool_)
        over = np.full(len(goals), -1, dtype=np.int64)
        start = self.nodes_at(feet, self.build.step + grade(self.build) * self.spans.size)
        passage, inside = np.full(len(goals), len(self.spans)), np.zeros(len(goals), dtype=np.bool_)
        rows = which((start < len(self.spans)) & ~self.open_to(goals, traffic))
        if not len(rows):
            return Course(place, ahead, reached, over, passage, inside)
        start, feet = start[rows], feet[rows]
        end, leads, reached[rows], seen_at_once = self._ends(start, goals[rows], moves[rows])
        nodes = sorted(set(end[~seen_at_once].tolist()))
        if not nodes:
            return Course(place, ahead, reached, over, passage, inside)
        asking = [which((end == node) & ~seen_at_once) for node in nodes]
        asked = [(self._routes_to(node, traffic), start[few]) for node, few in zip(nodes, asking)]
        look_from(asked)
        some = np.concatenate(asking)
        at, here, own = rows[some], feet[some], lane[rows[some]]
        if anybody(nose > 0.0):
            nosed = zip(asked, asking)
            own = np.concatenate(
                [self._lane_for_nose(*each, feet[few], lane[rows[few]], nose[rows[few]]) for each, few in nosed]
            )
        aim_x, aim_y, length, over[at] = aims(asked, own)
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
        passage[at] = np.concatenate([routes.passage[nodes] for routes, nodes in asked])
        inside[at] = passage[at] == start[some]
        known = leads[some] & seen
        place[at] = np.where(known[:, None], goals[at], along)
        ahead[at] = np.where(known, np.inf, straight)
        asking_for = tuple((routes, rows[few], nodes) for (routes, nodes), few in zip(asked, asking))
        return Course(place, ahead, reached, over, passage, inside, asking_for)

    def open_to(self, places: Vectors, traffic: Traffic) -> Mask:
        """Whether straight lines lead to places from all over the ground, and nobody makes them slower, (c,)."""
        is_open = self.is_open and not traffic.digest
        return self.spans.covers(places[:, 0], places[:, 1], 0) if is_open else np.zeros(len(places), dtype=np.bool_)

    def _lane_for_nose(self, routes: Routes, start: Rows, feet: Vectors, lane: Rows, nose: Scalars) -> Rows:
        """The lanes of agents (m,), of long bodies the next further out on which they do not head into a wall: on the
        inner side of a bend their noses would be in it where their middles still have room."""
        outer, left = lane.copy(), which(nose > 0.0)
        while len(left):
            aim_x, aim_y, length, _ = aims([(routes, start[left])], outer[left])
            way = columns(aim_x - feet[left, 0], aim_y - feet[left, 1], 0.0)
            free = np.isnan(length) | self.sees_along(start[left], unit(way), magnitude(way) + nose[left])[0]
            last = outer[left] == len(LANES) - 1
            outer[left[~free & last]] = lane[left[~free & last]]
            left = left[~free & ~last]
            outer[left] += 1
        return outer

    def lengths(self, feet: Vectors, places: Vectors, traffic: Traffic) -> Vectors:
        """How long the ways from (m, 3) to places (c, 3) are, metres of free way, (m, c). inf where none leads, and
        where even the straight line is no shorter than the way to another place."""
        metres = np.full((len(feet), len(places)), np.inf)
        start = self.nodes_at(feet, self.build.step + grade(self.build) * self.spans.size)
        ends = self.nodes_at(places, np.inf)
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
        start = self.nodes_at(feet, self.build.step + grade(self.build) * size)
        gap = magnitude(threats - feet)
        # An agent that sees the open up to the horizon runs straight.
        rows = which((start < len(self.spans)) & (gap < HORIZON * size))
        rows = rows[~self.sees_along(start[rows], picked(away, rows), HORIZON * size - gap[rows])[0]]
        if not len(rows):
            return direction, ahead
        (low, high), reach = WORSE, LENGTHS[-1] * size
        spot = self._spots[self._ends(start[rows], threats[rows], np.ones(len(rows), dtype=np.bool_))[0]]
        for block in np.unique(spot).tolist():
            at = rows[spot == block]
            straight, nodes = picked(away, at), start[at]
            routes = self._routes_from(block)
            look_from(looks := [(routes, nodes)])
            aim_x, aim_y, left, _ = aims(looks, lane[at])
            way = columns(aim_x - feet[at, 0], aim_y - feet[at, 1], 0.0)
            length = magnitude(way)
            seen, end = self.sees_along(nodes, straight, np.full(len(at), reach))
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

    def _ends(self, start: Rows, goals: Vectors, moves: Mask) -> tuple[Rows, Mask, Mask, Mask]:
        """The nodes to which ways lead from nodes (m,), whether these are those of their goals, whether bodies have
        room there, and who sees one move. Where no way leads to a goal, it is the node nearest to it to which one
        does."""
        places, of_goal = distinct_rows(goals)
        nodes = self.nodes_at(places, np.inf)
        end, has_room = nodes[of_goal], ~self.too_narrow(places, nodes)[of_goal]
        part = self.part[start]
        leads = self.part[end] == part
        for owner, parts in self._beyond.items() if len(self.crossed.link) else ():
            leads |= (part == owner) & np.isin(self.part[end], parts)
        for owner, goal in sorted(set(zip(part[~leads].tolist(), of_goal[~leads].tolist()))):
            within = which(np.isin(self.part[:-1], self._beyond.get(owner, [owner])))
            offset = columns(self.x[within], self.y[within], self.spans.height[within]) - places[goal]
            end[~leads & (part == owner) & (of_goal == goal)] = within[np.argmin(magnitude(offset))]
        seen = start == end
        others = which(leads & ~seen & (moves | (len(places) > FEW)))
        seen[others] = self.see(start[others], end[others])
        hidden = others[~seen[others]]
        end[hidden] = self._blocks[end[hidden]]
        return end, leads, leads & has_room, leads & moves & seen

    def streams(self, passing: Passing) -> Streams:
        """The streams of agents that let nobody pass at passages on this ground."""
        known = which(~passing.lets & np.isfinite(passing.place[:, 0]))
        if not len(known):
            return NO_STREAMS
        passage = self.passage[self.nodes_at(picked(passing.place, known), self.build.headroom)]
        on = which(passage < len(self.spans))
        return Streams.of(passage[on], picked(passing.through, known[on]))

    def _held(self, node: int, streams: Streams) -> list[tuple[int, float]]:
        """The passages through which the way to a node leads against a stream, with the metres that they count more."""
        held = []
        for passage, through, metres in zip(streams.passage.tolist(), streams.through, streams.metres.tolist()):
            key = node, passage, through.tobytes()
            if key not in self._opposed:
                nodes = which(self.passage[:-1] == passage)
                field = self._routes_to(node, None).field
                field.reach(nodes)
                along = field.descent(nodes)
                self._opposed[key] = float((through[0] * along[0] + through[1] * along[1]).min(initial=0.0)) < -OPPOSITE
            if self._opposed[key]:
                held.append((passage, metres))
        return held

    def _slowed(self, slowness: Scalars | float, held: list[tuple[int, float]]) -> Scalars:
        """The slowness, (N + 1,), that counts such passages longer."""
        slowed = slowness * np.ones(len(self.spans) + 1)
        for passage, metres in held:
            nodes = which(self.passage[:-1] == passage)
            slowed[nodes] += metres / self.depth(nodes)
        return slowed

    def _routes_to(self, node: int, traffic: Traffic | None) -> Routes:
        """The ways to a node; without traffic those on which nobody is."""
        held = [] if traffic is None else self._held(node, traffic.streams)
        digest = b"" if traffic is None else traffic.digest
        key = node, digest + str(held).encode() if held else digest

        def solved() -> Routes:
            known = self._fields.pop(key, None)
            slowness = traffic.slowness if traffic is not None and traffic.digest else 1.0
            if held:
                slowness = self._slowed(slowness, held)
            again = None if known is None else known.again(self.grid, self.clear, self._touched)
            return Routes(self, again or Field.to(self.grid, node, self.clear, slowness, self.crossed.leaps), node)

        return self._kept(key, solved)

    def _routes_from(self, spot: int) -> Routes:
        """The ways out, from a threat that is in a block of nodes."""
        return self._kept((~spot, b""), lambda: Routes(self, find_retreat(self.grid, which(self._spots == spot))))

    def _kept(self, key: tuple[int, bytes], solved: Callable[[], Routes]) -> Routes:
        routes = self._routes.get(key)
        if routes is None:
            if (len(self._routes) + 1) * len(self.spans) > MOST_NUMBERS:
                self._routes.clear()
            routes = self._routes[key] = solved()
        return routes


def find_retreat(grid: Mesh8, threat: Rows) -> Field:
    """The field V of the ways from nodes at which a threat is, up to the horizon: where it falls, one runs on.

    What is far from the threat attracts. With T the length of the way from the threat, and |p q| that from p to q,

        V(p) = min over q of |p q| - PULL T(q)

    It leads into no dead end. Known from games as safety maps.
    """
    size, n = grid.spans.size, len(grid.spans)
    away = Field(grid, threat, np.zeros(len(threat)))
    horizon = HORIZON * size
    near = away.up_to(horizon + 2.0 * size)
    distance = np.full(n + 1, -np.inf)
    distance[near] = np.minimum(away.time[near], horizon)
    around = np.concatenate((grid.links[:, near], grid.corners[:, near]))
    # All else is nearer to the threat than a neighbor, which attracts more.
    ends = near[distance[around].max(axis=0) <= distance[near]]
    beside = np.clip(1.0 - distance / (CLOSE * size), 0.0, 1.0)
    slowness = np.where(np.isfinite(distance), 1.0 + BESIDE * beside * beside, 1.0)
    return Field(grid, ends, -PULL * distance[ends], slowness, np.isfinite(distance))


STEEPEST = 0.45 * pi
"""Slope of the steepest ground that counts as ground to be climbed, radians."""
AS_A_STEP = 0.5
"""Share of the headroom up to which a riser or a gap counts as a step too high or wide, and not as a wall or an end."""
BORDER, OBSTACLE, STEEP, LOW, HIGH, WIDE = range(6)
"""Reasons why the ground ends: nothing lies beyond, an obstacle, a slope, a low ceiling, a high step, or a wide gap."""


def find_missing(ground: WalkableGround, surfaces: Surfaces) -> tuple[Rows, Rows, Rows]:
    """The nodes and the sides, as of SIDES, at which the ground that bodies can walk ends, and why, (m,) each.
    `surfaces`: what the ground was made of, without what moves."""
    spans, build, n = ground.spans, ground.build, len(ground.spans)
    sides, nodes = np.nonzero((ground.grid.links[:, :n] == n) & ground.grid.passable[:n])
    why = np.where(spans.links[sides, nodes] < n, OBSTACLE, BORDER)
    for reason, relaxed in _relaxed(build):
        asked = which(why == BORDER)
        other = find_spans(surfaces, relaxed) if len(asked) else None
        if other is None or other.size != spans.size:
            continue
        at = nodes[asked]
        same = other.at(spans.x[at], spans.y[at], spans.height[at], build.step)
        leads = other.links[sides[asked], same] < len(other)
        why[asked[leads & (same < len(other))]] = reason
    return nodes, sides, why


def _relaxed(build: Build) -> tuple[tuple[int, Build], ...]:
    """Reasons why the ground ends, each with the build of a body that it would not stop."""
    return (
        (LOW, build._replace(headroom=0.0)),
        (HIGH, build._replace(step=max(AS_A_STEP * build.headroom, build.step))),
        (WIDE, build._replace(gap=max(AS_A_STEP * build.headroom, build.gap))),
        # A body that climbs any slope climbs risers, too.
        (STEEP, build._replace(steepest=max(STEEPEST, build.steepest))),
    )


def sides_of(ground: WalkableGround, nodes: Rows, sides: Rows) -> Vectors:
    """The sides of the cells of nodes (m,), pairs of points (2m, 3), metres."""
    spans = ground.spans
    to_x, to_y = 0.5 * spans.size * np.array(SIDES, dtype=np.float64)[sides].T
    x, y, z = spans.x[nodes] + to_x, spans.y[nodes] + to_y, spans.height[nodes]
    return np.stack((columns(x - to_y, y + to_x, z), columns(x + to_y, y - to_x, z)), axis=1).reshape(-1, 3)
