"""Bypasses: how a way along a line leads round obstacles that stand on it.

A follower that is pulled back to a line through an obstacle hovers in front of it: the turn aside and the pull back
cancel out. So the line itself is bent. Where it is blocked, it is moved aside by a constant offset, which is chosen
once and remembered. Before and after that, the offset changes smoothly, as a cubic in the distance x ahead:

    followed(x) = line(x) + offset(x)        lead = max(pi v sqrt(h / a), 1.5 h)

At the speed v, a cosine of height h over the first of these takes half the agility a; over the second, the cubic leads
aside at 45 degrees. Steeper, and where the line has a bend, it could lead back. The offset is chosen among several
directions perpendicular to the line, on the ground two. Each is long enough for the blocked part to come free, and the
one with the least change is taken, so that followers pass on the side on which they are.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ..arrays.chance import mix, uniform
from ..arrays.frozen import Columns, replace
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, which
from ..arrays.vectors import Vectors, across, cross, dot, magnitude, truncate, unit, unit_or
from ..avoiding.passing import directions_to_pass
from ..geometry.lines import Followed
from ..geometry.obstacles import EITHER, Obstacles
from ..geometry.shapes import OUTSIDE
from ..intention import EVERY_OBSTACLE
from ..memory import Memory, remembered
from ..world import Agents, World

LOOKS = 0xB1A5
"""Salts the keys from which it is drawn when each agent looks."""
INTERVAL = 0.2
"""Seconds between two looks ahead: the default look-ahead of avoiding obstacles is several times as long."""
POINTS = 40
"""Points of the line that are looked at."""
COARSE = 1.3
"""Largest distance between them, as a share of the room that is needed: no obstacle slips through between two."""
ROOM = 0.15
"""Share of the room by which a bypass keeps further away than it has to, so that it stays free."""
SLOW = 0.3
"""Share of cruise speed: a bypass leads past obstacles that are slower. One that moves faster will be elsewhere."""
FOLLOW = np.pi
"""Lead, in v sqrt(h / a)."""
SLOPE = 1.5
"""Least lead, in heights: how much steeper the cubic is in the middle than on average, for a slope of 45 degrees."""
PUSHES = 10
"""Times that a point is moved aside by the room it lacks."""
OVER = 1.4
"""Factor on these moves: a surface that is met obliquely leaves more to go."""
ROUNDS = 3
"""Times that a bypass is widened because its ends are not free."""
CHANGE, UNDER = 0.5, 0.3
"""Share of the offset itself that counts in the choice besides the change, and the share by which down counts more."""
SUDDEN = 1.0
"""Factor on the change for each share by which the lead is too short."""
STEEPEST = 0.4
"""Least share of the lead in which an offset changes, even if an obstacle is nearer."""
BLOCKED = 5.0
"""Cost of a way that leads through the middle of something far ahead, in distances that are looked ahead."""
TOLERATED = 0.1
"""Share of the reach by which a way may be too near to obstacles before another one is looked for."""
CONSTANCY = 0.5
"""Share of the reach by which another way has to be better, so that an agent does not dither between two."""
HABIT = 1e-3
"""Share by which right counts less: it decides between equal sides."""


@dataclass(frozen=True)
class Bypass(Memory):
    """The offset of the line that each agent follows; distances are metres ahead of the agent, along its way.

    Attributes:
        active: (n,) the agents with an offset.
        start: (n,) where it begins to change.
        begin, end: (n,) between which it is constant.
        close: (n,) where it has ended.
        before, slope: (n, 3) the offset up to `start`, metres, and its change per metre of way.
        offset: (n, 3) between begin and end, metres.
        looked: (n,) the agents that have looked ahead.
    """

    active: Mask = remembered(False)
    start: Scalars = remembered(0.0)
    begin: Scalars = remembered(0.0)
    end: Scalars = remembered(0.0)
    close: Scalars = remembered(0.0)
    before: Vectors = remembered((0.0, 0.0, 0.0))
    slope: Vectors = remembered((0.0, 0.0, 0.0))
    offset: Vectors = remembered((0.0, 0.0, 0.0))
    looked: Mask = remembered(False)

    @classmethod
    def part_of(cls, memory: "Bypass") -> "Bypass":
        """The bypasses within a memory that holds more."""
        return cls(**{f.name: getattr(memory, f.name) for f in fields(cls)})

    def advanced(self, distance: Scalars) -> "Bypass":
        """The same once the agents have come on by (n,) metres along the line; one that is passed ends."""
        close = self.close - distance
        return replace(
            self,
            active=self.active & (close > 0.0),
            start=self.start - distance,
            begin=self.begin - distance,
            end=self.end - distance,
            close=close,
        )

    def at(self, ahead: Scalars) -> tuple[Vectors, Vectors]:
        """The offset at (n, p) metres ahead, and its change per metre, (n, p, 3) each."""
        if not anybody(self.active):
            return np.zeros((*ahead.shape, 3)), np.zeros((*ahead.shape, 3))
        rise, rising = self._eased(ahead, self.start, self.begin)
        fall, falling = self._eased(ahead, self.end, self.close)
        lead = np.maximum(self.begin - self.start, EPSILON)[:, None]
        t = clamp((ahead - self.start[:, None]) / lead, 0.0, 1.0)
        inside = ((t > 0.0) & (t < 1.0))[..., None]
        run = (t * (1.0 - t) * (1.0 - t) * lead)[..., None] * self.slope[:, None]
        turning = ((1.0 - t) * (1.0 - 3.0 * t))[..., None] * self.slope[:, None]
        change = (self.offset - self.before)[:, None]
        offset = self.before[:, None] + change * rise[..., None] + np.where(inside, run, 0.0)
        slope = change * rising[..., None] + np.where(inside, turning, 0.0)
        left = (1.0 - fall)[..., None]
        offset, slope = offset * left, slope * left - offset * falling[..., None]
        on = self.active[:, None, None]
        return np.where(on, offset, 0.0), np.where(on, slope, 0.0)

    @staticmethod
    def _eased(ahead: Scalars, low: Scalars, high: Scalars) -> tuple[Scalars, Scalars]:
        """3 t^2 - 2 t^3 from 0 at `low` to 1 at `high`, (n,) each, and its change per metre; (n, p) each."""
        span = np.maximum(high - low, EPSILON)[:, None]
        t = clamp((ahead - low[:, None]) / span, 0.0, 1.0)
        return t * t * (3.0 - 2.0 * t), 6.0 * t * (1.0 - t) / span

    def nearness(self, ahead: Scalars) -> Scalars:
        """How much of it holds at (n,) metres ahead, from 0 outside to 1 between begin and end; (n,)."""
        if not anybody(self.active):
            return np.zeros(len(self.active))
        rise, _ = self._eased(ahead[:, None], self.start, self.begin)
        fall, _ = self._eased(ahead[:, None], self.end, self.close)
        return np.where(self.active, (rise * (1.0 - fall))[:, 0], 0.0)


def plan_bypass(
    world: World, agents: Agents, line: Followed, along: Scalars, way: Scalars, held: Vectors, memory: Bypass
) -> Bypass:
    """The bypasses after the agents that look in this step have looked ahead.

    Args:
        line: the line of each.
        along: (n,) metres along it.
        way: (n,) 1 along it, -1 against it.
        held: (n, 3) the offset from the line that each keeps while nothing is in its way, metres.
        memory: as of the previous step, advanced.
    """
    obstacles = world.obstacles
    avoided = obstacles.present & (obstacles.side == OUTSIDE)
    looks = np.isfinite(agents.intention.clearance)
    if not anybody(looks) or not anybody(avoided):
        return memory
    # Whether agents head away from an open line before its beginning: they turn round before they bypass.
    direction = agents.level(line.tangent(along) * way[:, None])
    before = dot(agents.position - line.position(along), direction) < 0.0
    begins = np.where(way > 0.0, along, line.length - along) <= line.spacing
    looks &= ~np.asarray(begins & before & (dot(agents.forward, direction) < 0.0) & ~line.closed, dtype=np.bool_)
    interval = max(INTERVAL, world.dt)
    phase = world.time / interval + uniform(mix(agents.keys, LOOKS))
    looks = looks & ((np.floor(phase) != np.floor(phase - world.dt / interval)) | ~memory.looked)
    rows = which(looks)
    if not len(rows):
        return memory
    sight = _Sight.of(obstacles, avoided, agents.take(rows), line.take(rows), along[rows], way[rows])
    seen = which(sight.may_meet())
    known = memory.take(rows)
    bypass = replace(known, looked=np.ones(len(rows), dtype=np.bool_))
    if len(seen):
        bypass = bypass.put(seen, _chosen(sight.take(seen), held[rows[seen]], bypass.take(seen)))
    return memory.put(rows, bypass)


@dataclass(frozen=True)
class _Sight(Columns):
    """m agents that look ahead along lines.

    Attributes:
        obstacles: those to keep out of.
        agents: the agents.
        line: the line of each.
        along, way: (m,) as of `plan_bypass`.
        reach: (m,) the distance that the middle of each keeps from surfaces, metres.
        look: (m,) how far it looks, metres.
        counts: (m, k) the obstacles that are in its way, as they hardly move and it does not stop for them.
    """

    obstacles: Obstacles
    agents: Agents
    line: Followed
    along: Scalars
    way: Scalars
    reach: Scalars
    look: Scalars
    counts: NDArray[np.bool_]

    @classmethod
    def of(
        cls, obstacles: Obstacles, avoided: Mask, agents: Agents, line: Followed, along: Scalars, way: Scalars
    ) -> "_Sight":
        """The obstacles in sight of agents, of those that are `avoided`, (k,)."""
        reach = agents.radius + agents.intention.clearance
        cruise = np.maximum(agents.cruise_speed, EPSILON)
        look = np.maximum(_lead(agents, 4.0 * reach), 2.0 * cruise) + 4.0 * reach
        look = np.minimum(look, (POINTS - 1) * COARSE * reach)
        drift, carrier = magnitude(obstacles.velocity)[avoided], obstacles.carrier[avoided]
        counts = (drift[None] <= SLOW * cruise[:, None]) & (carrier[None] < 0)
        awaits = agents.intention.awaits[:, None]
        counts &= (np.arange(len(avoided))[avoided] != awaits) & (awaits != EVERY_OBSTACLE)
        return cls(obstacles.take(avoided), agents, line, along, way, reach, look, counts)

    def may_meet(self) -> Mask:
        """Whether any obstacle is within sight, (m,)."""
        obstacles = self.obstacles
        offset = self.agents.position[:, None] - obstacles.axis_point_nearest(self.agents.position)
        near = magnitude(offset) - obstacles.radius[None] < (self.look + 4.0 * self.reach)[:, None]
        return np.asarray((near & self.counts).any(axis=1), dtype=np.bool_)

    def ahead(self) -> Scalars:
        """The places that are looked at, (m, p) metres ahead; not beyond the end of an open line."""
        steps = np.arange(POINTS) * (1.0 / (POINTS - 1))
        left = np.where(self.way > 0.0, self.line.length - self.along, self.along)
        look = np.minimum(self.look, np.where(self.line.closed, 0.5 * self.line.length, left))
        return np.maximum(look, 0.0)[:, None] * steps[None]

    def points(self, ahead: Scalars) -> tuple[Vectors, Vectors]:
        """The points of the lines at (m, p) metres ahead, and the unit directions of the way there, (m, p, 3) each. For
        agents on the ground they are at their height."""
        along = self.along[:, None] + self.way[:, None] * ahead
        position = self.agents.position[:, None]
        point = position + self.agents.level(self.line.position(along) - position)
        return point, unit(self.agents.level(self.line.tangent(along) * self.way[:, None, None]))

    def room(self, points: Vectors) -> Scalars:
        """The distances of points (m, p, 3) from the nearest surface that counts, less the reach; (m, p) metres."""
        m, p = points.shape[:2]
        flat = np.ascontiguousarray(points).reshape(-1, 3)
        return self.room_of(np.repeat(np.arange(m), p), flat).reshape(m, p)

    def room_of(self, owner: Rows, points: Vectors) -> Scalars:
        """As `room`, for points (q, 3) on the ways of agents (q,); (q,) metres."""
        room = self.reach[owner] * (1.0 + 2.0 * ROOM)
        place, row = self.obstacles.near(points, room)
        counts = self.counts[owner[place], row]
        place, row = place[counts], row[counts]
        if len(place):
            distance, _ = self.obstacles.surface(points[place], row)
            np.minimum.at(room, place, distance)
        return room - self.reach[owner]


def _lead(agents: Agents, height: Scalars) -> Scalars:
    """The distance within which agents at cruise speed move aside by a height, (n,) metres."""
    turning = FOLLOW * agents.cruise_speed * np.sqrt(height / np.maximum(agents.sideways, EPSILON))
    return np.maximum(turning, SLOPE * height)


def _chosen(sight: _Sight, held: Vectors, memory: Bypass) -> Bypass:
    """The bypasses of agents that have obstacles in sight: the ones they have if these are free, else new ones."""
    ahead = sight.ahead()
    points, tangents = sight.points(ahead)
    offset, _ = memory.at(ahead)
    lane = across(held[:, None], tangents)
    offset = np.where(memory.active[:, None, None], offset, lane)
    room = sight.room(points + offset)
    back, cut_off = _way_back(sight, ahead, points, tangents, offset)
    rows = which((room < -TOLERATED * sight.reach[:, None]).any(axis=1) | cut_off)
    if not len(rows):
        return memory
    again, apart = sight.take(rows), cut_off[rows]
    begun, slope = memory.take(rows).at(np.zeros((len(rows), 1)))
    active = memory.active[rows]
    before = np.where(active[:, None], begun[:, 0], lane[rows, 0])
    slope = np.where(active[:, None], slope[:, 0], 0.0)
    # An agent that is cut off begins where it is, and in its own direction.
    before = np.where(apart[:, None], across(again.agents.position - points[rows, 0], tangents[rows, 0]), before)
    slope = np.where(apart[:, None], _own_slope(again.agents, tangents[rows, 0]), slope)
    planned, cost = _planned(again, ahead[rows], points[rows], tangents[rows], room[rows], before, slope)
    known = memory.take(rows)
    blockage = np.maximum(
        _blockage(again, room[rows], ahead[rows]), np.where(apart, _blockage(again, back[rows], ahead[rows]), 0.0)
    )
    kept = CHANGE * magnitude(known.offset) + blockage - CONSTANCY * again.reach
    changes = which((~active & ~apart) | (cost < kept))
    return memory.put(rows[changes], planned.take(changes))


def _way_back(
    sight: _Sight, ahead: Scalars, points: Vectors, tangents: Vectors, offset: Vectors
) -> tuple[Scalars, Mask]:
    """The room on the straight ways of m agents back to the line that they follow, and whether one is cut off.

    Others push an agent to the far side of what it passes, or it is carried there as it cannot turn as sharply. Returns
    `room`: (m, p) metres; `cut_off`: (m,).

    Args:
        ahead: (m, p) metres ahead of the agents.
        points, tangents: (m, p, 3) of the line there.
        offset: (m, p, 3) of the way that they follow.
    """
    position = sight.agents.position
    gap = magnitude(across(position - points[:, 0], tangents[:, 0]) - offset[:, 0])
    m, p = ahead.shape
    joins = np.minimum(np.count_nonzero(ahead < (SLOPE * gap)[:, None], axis=1), p - 1)
    joined = (points + offset)[np.arange(m), joins]
    shares = np.linspace(0.0, 1.0, p)[None, :, None]
    room = np.full((m, p), np.inf)
    far = which(gap > sight.reach)
    if len(far):
        room[far] = sight.take(far).room(position[far, None] + (joined - position)[far, None] * shares)
    # One that is too near already may be on the right side.
    least = np.minimum(room[:, 0], 0.0) - TOLERATED * sight.reach
    return room, room.min(axis=1) < least


def _own_slope(agents: Agents, tangents: Vectors) -> Vectors:
    """How the offsets of agents change per metre along the line while they go straight on, (m, 3), at most 1 long."""
    forward = agents.level(agents.forward)
    aside = across(forward, tangents) / np.maximum(dot(forward, tangents), EPSILON)[:, None]
    return truncate(aside, np.ones(len(aside)))


def _planned(
    sight: _Sight, ahead: Scalars, points: Vectors, tangents: Vectors, room: Scalars, before: Vectors, slope: Vectors
) -> tuple[Bypass, Scalars]:
    """New bypasses for m agents whose way is blocked, and their costs, (m,) metres.

    Args:
        ahead: (m, p) metres ahead of the agents.
        points, tangents: (m, p, 3) of the line there.
        room: (m, p) metres, negative where it is blocked.
        before, slope: (m, 3) the present offset.
    """
    m, p = ahead.shape
    agents = sight.agents
    lead = _lead(agents, 2.0 * sight.reach)
    first, last = _stretch(room < 0.0, ahead, lead)
    middle = np.asarray((first + last) // 2)
    directions = _directions(sight, points[np.arange(m), middle], tangents[np.arange(m), middle])
    k = directions.shape[1]
    every = np.repeat(np.arange(m), k)
    trials, ahead, points = sight.take(every), ahead[every], points[every]
    toward = np.ascontiguousarray(directions).reshape(-1, 3)
    before, slope, first, last = before[every], slope[every], first[every], last[every]
    bypass, left = Bypass.blank(m * k), np.zeros((m * k, p))
    rows = np.arange(m * k)
    for _ in range(ROUNDS):
        few = trials.take(rows)
        height = _height(few, points[rows] + before[rows][:, None], toward[rows], first[rows], last[rows])
        offset = before[rows] + toward[rows] * height[:, None]
        bent = _bent(few, ahead[rows], first[rows], last[rows], before[rows], slope[rows], offset)
        bypass, left[rows] = bypass.put(rows, bent), few.room(points[rows] + bent.at(ahead[rows])[0])
        # What the agent is in already, it leaves as it can.
        blocked = (left < 0.0) & (ahead >= bypass.start[:, None]) & (ahead <= bypass.close[:, None])
        widens = blocked.any(axis=1)
        begins = np.where(widens, np.minimum(first, np.argmax(blocked, axis=1)), first)
        ends = np.where(widens, np.maximum(last, p - 1 - np.argmax(blocked[:, ::-1], axis=1)), last)
        rows = which((begins != first) | (ends != last))
        if not len(rows):
            break
        first, last = begins, ends
    cost = (_cost(trials, bypass, before) + _blockage(trials, left, ahead)).reshape(m, k)
    cost = np.where(magnitude(directions) < 0.5, np.inf, cost)
    best = np.argmin(cost, axis=1)
    return bypass.take(np.arange(m) * k + best), cost[np.arange(m), best]


def _stretch(blocked: NDArray[np.bool_], ahead: Scalars, lead: Scalars) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and last index of the first blocked stretch, (m,) each; gaps shorter than (m,) metres belong to it."""
    first = np.argmax(blocked, axis=1)
    last = first.copy()
    m = np.arange(len(first))
    for index in range(blocked.shape[1]):
        joins = blocked[:, index] & (index > last) & (ahead[:, index] - ahead[m, last] <= lead)
        last = np.where(joins, index, last)
    return first, last


def _directions(sight: _Sight, points: Vectors, tangents: Vectors) -> Vectors:
    """The unit directions in which a bypass may lie, (m, k, 3); zero for none. `points`, `tangents`: (m, 3) of the line
    in the middle of the blocked stretch."""
    agents, m = sight.agents, np.arange(len(tangents))
    side = unit_or(across(agents.side, tangents), unit(across(agents.up, tangents)))
    up = cross(side, tangents)
    right = unit(-agents.left_of(tangents))
    ground = agents.grounded[:, None]
    half = np.sqrt(0.5)
    diagonal = [(half, half), (-half, half), (half, -half), (-half, -half)]
    turns = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0), *diagonal]
    directions = np.stack([side * x + up * z for x, z in turns], axis=1)
    level = np.stack([right, -right, *([np.zeros_like(right)] * (len(turns) - 2))], axis=1)
    directions = np.where(ground[..., None], level, directions)
    # The obstacle that blocks the way may ask for a side.
    obstacles = sight.obstacles
    gap = magnitude(points[:, None] - obstacles.axis_point_nearest(points)) - obstacles.radius[None]
    row = np.argmin(np.where(sight.counts, gap, np.inf), axis=1)
    aside = across(obstacles.middle[row] - points, tangents)
    asked = agents.level(directions_to_pass(obstacles.pass_side[row], aside, tangents, agents.side, agents.upward))
    asks = (obstacles.pass_side[row] != EITHER) & sight.counts[m, row] & (magnitude(asked) > 0.5)
    only = np.zeros_like(directions)
    only[:, 0] = unit(asked)
    return np.where(asks[:, None, None], only, directions)


def _height(
    trials: _Sight, points: Vectors, toward: Vectors, first: NDArray[np.int64], last: NDArray[np.int64]
) -> Scalars:
    """How far the blocked stretches have to be moved in unit directions (t, 3) to be free, (t,) metres."""
    index = np.arange(points.shape[1])[None]
    height = np.zeros(points.shape[:2])
    trial, place = np.nonzero((index >= first[:, None]) & (index <= last[:, None]))
    for _ in range(PUSHES):
        reach, pushed = trials.reach[trial], height[trial, place]
        moved = points[trial, place] + toward[trial] * pushed[:, None]
        room = trials.room_of(trial, moved) - ROOM * reach
        short = room < 0.0
        trial, place = trial[short], place[short]
        if not len(trial):
            break
        height[trial, place] = pushed[short] - OVER * room[short] + 0.02 * reach[short]
    return np.max(height, axis=1)


def _bent(
    trials: _Sight,
    ahead: Scalars,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    before: Vectors,
    slope: Vectors,
    offset: Vectors,
) -> Bypass:
    """The bypasses (t,) that are constant over some stretches."""
    t = np.arange(len(first))
    step = ahead[:, 1] - ahead[:, 0]
    begin = np.maximum(ahead[t, first] - step, 0.0)
    end = ahead[t, last] + step
    lead = np.maximum(_lead(trials.agents, magnitude(offset - before)), step)
    back = np.maximum(_lead(trials.agents, magnitude(offset)), step)
    start = np.maximum(begin - lead, 0.0)
    begin = np.maximum(begin, start + STEEPEST * lead)
    end = np.maximum(end, begin)
    active = np.ones(len(first), dtype=np.bool_)
    return Bypass(active, start, begin, end, end + back, before, slope, offset, active)


def _cost(trials: _Sight, bypass: Bypass, before: Vectors) -> Scalars:
    """The costs of bypasses, (t,) metres: the change of the offset, the more so a sudden one, and the offset itself."""
    agents = trials.agents
    change = bypass.offset - before
    lead = np.maximum(bypass.begin - bypass.start, EPSILON)
    sudden = np.maximum(_lead(agents, magnitude(change)) / lead - 1.0, 0.0)
    cost = magnitude(change) * (1.0 + SUDDEN * sudden) + CHANGE * magnitude(bypass.offset)
    down = clamp(-dot(unit(change), agents.up), 0.0, 1.0)
    right = dot(unit(change), agents.side)
    return cost * (1.0 + UNDER * np.where(agents.grounded, 0.0, down) - HABIT * right)


def _blockage(sight: _Sight, room: Scalars, ahead: Scalars) -> Scalars:
    """The costs of a way that is not free, (m,) metres: the more, the deeper in an obstacle and the sooner. `room`: (m,
    p) metres at the places that are looked at, `ahead`."""
    depth = clamp(-room / np.maximum(sight.reach, EPSILON)[:, None], 0.0, 1.0)
    soon = 2.0 - ahead / np.maximum(sight.look, EPSILON)[:, None]
    return BLOCKED * sight.look * np.max(depth * soon, axis=1)
