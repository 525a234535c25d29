"""Junctions: who goes first where lanes cross or merge.

Every vehicle that gives way arrives at each conflict of its lane ahead (`geometry.conflicts`) in some time, and
leaves it in another. Of two at one conflict, the first of these rules that tells them apart says who goes first:

    who is in it > who can no longer stop before it > who can go on > who would block another one
    > who has waited beyond patience > who has the lower rank > who has come earlier, by the margin
    > who has waited longer > who comes from the right

Who comes from one so close behind that those who wait here block it goes first, but for one that is in before: else a
ring would fill up, and nobody could leave it. Only a wait at this junction counts: arms of a ring that each wait for
the one before it would wait for each other in a circle.

Who comes earlier is asked of where both stop before the junction, which is one time for all its conflicts: if each
conflict was asked on its own, four could wait for each other in a circle. The other one passes after it: where lanes
cross it stops before the conflict until the first has left, where they merge it falls in behind it. One that is through
before the first arrives need not wait, except for one that has waited beyond patience.

A lane also ends for a while at a signal that holds it, for those who can still stop, until it is green. A signal
without a path holds the lanes of the curve that is nearest to it, those on its side. One also stops before a junction
behind which others stand or creep, unless it finds room there: if those between close up behind the first one ahead
that is slow or shows its brake lights, once that has stopped,

    where that ends - gap - sum(length + gap) of those between - own length  >=  the end of the junction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.frozen import replace
from ..arrays.once import once
from ..arrays.scalars import Mask, Rows, Scalars, counted, firsts, least_of_each, nobody, which
from ..arrays.vectors import Vectors, dot, magnitude, picked
from ..geometry.conflicts import Conflicts
from ..geometry.lines import Lines
from ..geometry.paths import lay_end_to_end, lines_of
from ..world import World
from .braking import CREEP, LIGHTS
from .on_lanes import Approach, OnLanes, approaching, who_is_on_lanes

STANDS = 0.1
"""Share of cruise speed below which one that has to wait stands."""
BLOCKED = 1.5
"""Seconds for which one has been slow without having to wait, after which nobody waits for it any longer."""
AT_IT = 1.0
"""Seconds for which two have waited from which on the one that has waited longer goes first."""


@dataclass(frozen=True)
class Junctions:
    """The verdict of the rules of junctions in a step.

    Attributes:
        allowed: (vehicles,) the speed that others leave each, m/s; inf for no limit.
        at_signals: (vehicles,) the same of signals, and of junctions that they could not leave.
        meeting: (p,) pairs of two at one conflict, as the row of one times the vehicles + the row of the other.
        inside: (q,) those of them that are in it together.
        late: (vehicles,) those that can no longer stop for another.
        at_one: (vehicles,) those that are where they stop before a junction, or in it.
    """

    allowed: Scalars
    at_signals: Scalars
    meeting: Rows
    inside: Rows
    late: Mask
    at_one: Mask

    @classmethod
    def of(cls, world: World) -> Junctions:
        """The verdict for a world; computed once for all who ask."""
        return world.once_for_all(cls._found)

    @classmethod
    def _found(cls, world: World) -> Junctions:
        n = world.vehicles
        free, none = np.full(n, np.inf), np.zeros(0, dtype=np.int64)
        nothing = cls(free, free, none, none, nobody(n), nobody(n))
        found = who_is_on_lanes(world)
        if found is None:
            return nothing
        on_lanes, conflicts = found
        approach = approaching(on_lanes, conflicts)
        room = room_before_signals(world, on_lanes, conflicts)
        room = np.minimum(room, room_before_exits(world, on_lanes, conflicts, approach))
        meetings = _Meetings.of(on_lanes, conflicts, approach, room)
        at_signals = np.full(n, np.inf)
        at_signals[on_lanes.row] = on_lanes.speed_within(room)
        at_one = nobody(n).copy()
        at_one[on_lanes.row[approach.who[approach.stop < on_lanes.radius[approach.who]]]] = True
        return cls(meetings.allowed(n), at_signals, *meetings.pairs(n), meetings.late(n), at_one)

    def settle(self, agents: Rows, bodies: Rows) -> Mask:
        """The pairs (p,) of which these rules say who goes first, so that nobody else need brake for the other.
        `agents`, `bodies`: (p,) rows in World.bodies."""
        n = len(self.allowed)
        if not len(self.meeting):
            return nobody(len(agents))
        pair = agents * n + bodies
        return (bodies < n) & np.isin(pair, self.meeting) & ~np.isin(pair, self.inside)


@dataclass(frozen=True)
class _Meetings:
    """Two vehicles at one conflict, p pairs: each is listed from either side.

    Attributes:
        on_lanes, conflicts: the vehicles that give way, and where their lanes conflict.
        approach: the vehicles at conflicts.
        room: (m,) metres up to the next signal, or junction without an exit, that holds each of those on lanes.
        mine, other: (p,) rows of `approach`.
    """

    on_lanes: OnLanes
    conflicts: Conflicts
    approach: Approach
    room: Scalars
    mine: Rows
    other: Rows

    @classmethod
    def of(cls, on_lanes: OnLanes, conflicts: Conflicts, approach: Approach, room: Scalars) -> _Meetings:
        begin = np.searchsorted(approach.conflict, np.arange(len(conflicts) + 1))
        twin = conflicts.twin[approach.conflict]
        mine, number = counted((begin[1:] - begin[:-1])[twin])
        other = number + begin[twin[mine]]
        who, whom = approach.who[mine], approach.who[other]
        # On foot or beside their lanes they keep out of each other's way by themselves.
        free = on_lanes.minds.walks | on_lanes.strays
        counts = which((who != whom) & ~(free[who] & free[whom]))
        return cls(on_lanes, conflicts, approach, room, mine[counts], other[counts])

    def both(self, column: Any) -> tuple[Any, Any]:
        """A column of the approach, (k,), for either side, (p,) each."""
        return column[self.mine], column[self.other]

    def of_both(self, column: Any) -> tuple[Any, Any]:
        """A column of those on lanes, (m,), for either side, (p,) each."""
        return column[self.approach.who[self.mine]], column[self.approach.who[self.other]]

    @once
    def is_in(self) -> tuple[Mask, Mask]:
        """Whether each side is in the conflict, (p,) each."""
        enters, others = self.both(self.approach.enters)
        return enters <= 0.0, others <= 0.0

    @once
    def committed(self) -> tuple[Mask, Mask]:
        """Whether each side can no longer stop before the conflict, or stands where nobody may, (p,) each."""
        who = self.approach.who
        committed: Mask = self.on_lanes.stopping[who] > self.approach.stop + self.on_lanes.minds.gap[who]
        return self.both(committed)

    def pairs(self, n: int) -> tuple[Rows, Rows]:
        """`meeting` and `inside` of `Junctions`."""
        row, others = self.of_both(self.on_lanes.row)
        pair = row * n + others
        return pair, pair[self.is_in[0] & self.is_in[1]]

    def late(self, n: int) -> Mask:
        """`late` of `Junctions`."""
        row, late = self.of_both(self.on_lanes.row)[0], np.zeros(n, dtype=np.bool_)
        enters, is_out = self.both(self.approach.enters)[0], self.both(self.approach.is_out)[1]
        speed, stopping = (self.of_both(column)[0] for column in (self.on_lanes.speed, self.on_lanes.stopping))
        crosses = ~self.conflicts.merges[self.approach.conflict[self.mine]]
        too_fast = (enters > 0.0) & (stopping > enters) & (enters < speed * is_out)
        late[row[self.yields & crosses & too_fast]] = True
        return late

    @once
    def yields(self) -> Mask:
        """The pairs in which this side lets the other go first, (p,). One that is through before the other can be there
        does not. One that waits for a third can be there after that."""
        wants = self._comes_later()
        is_out, arrives = self.both(self.approach.is_out)[0], self.both(self.approach.arrives)[1]
        margin = np.minimum(*self.of_both(self.on_lanes.minds.margin))
        later = which(wants & ~(is_out + margin < arrives) & ~self.conflicts.merges[self.approach.conflict[self.mine]])
        mine, other = self.mine[later], self.other[later]
        stands = self.on_lanes.speed < STANDS * self.on_lanes.minds.cruise_speed
        who = self.approach.who
        junction = who * len(self.conflicts) + self.conflicts.junction[self.approach.conflict]
        numbers, place = np.unique(junction, return_inverse=True)
        free = np.zeros(len(numbers))
        np.maximum.at(free, place[mine], self.approach.is_out[other])
        sets_off = np.where(stands[who], self.approach.arrives, self.on_lanes.minds.margin[who])
        freed = np.where(free > 0.0, free, -np.inf)[place] + sets_off
        arrives = np.maximum(arrives, freed[self.other])
        sees = self.both(self.approach.enters)[0] < self.of_both(self.on_lanes.sight)[0]
        # Nobody slips through before one that has waited for long: the next would, too, and the one after it.
        minds = self.on_lanes.minds
        waited, others = self.both(self.approach.waited)
        patience, their = self.of_both(minds.patience)
        yields = wants & sees & (self.is_in[1] | (others > their) | ~(is_out + margin < arrives))
        # One that has waited for long sets off once those who come can stop for it, after a time to react.
        halts = self.on_lanes.stopping + self.on_lanes.speed * minds.reaction
        surprised = self.both(halts[who] > self.approach.stop + minds.gap[who])[1] & ~self.is_in[0]
        return yields | (surprised & (waited > patience) & self.of_both(stands)[0])

    def _comes_later(self) -> Mask:
        """The pairs in which the turn of this side comes after that of the other, (p,)."""
        minds = self.on_lanes.minds
        waited, others = self.both(self.approach.waited)
        patience, their = self.of_both(minds.patience)
        rank, higher = self.of_both(minds.rank)
        who = self.approach.who
        goes = self.both((minds.stuck[who] < BLOCKED) & (self.approach.enters < self.room[who]))
        row, row_other = self.of_both(self.on_lanes.row)
        margin = np.minimum(*self.of_both(minds.margin))
        comes, first = self.both(self.approach.comes)
        late, earlier = comes > first + margin, first > comes + margin
        longer = (others > waited) | ((others == waited) & (row_other < row))
        has_waited = (waited > patience) | (others > their)
        at_it = (waited > AT_IT) & (others > AT_IT)
        blocks, others_block = self.both(self.approach.blocks)
        arrives, others_arrive = self.both(self.approach.arrives)
        is_in, other_is_in = self.both(self.approach.is_in)
        right = self.conflicts.from_right[self.approach.conflict[self.mine]]
        rules = (
            (self.is_in[1] & ~self.is_in[0], self.is_in[0]),
            (self.committed[1] & ~self.committed[0], self.committed[0] & ~self.committed[1]),
            (goes[1] & ~goes[0], ~goes[1]),
            (
                others_block & ~blocks & (is_in + margin >= others_arrive),
                blocks & ~others_block & (other_is_in + margin >= arrives),
            ),
            (has_waited & longer, has_waited & ~longer),
            (higher < rank, higher > rank),
            (late, earlier),
            (at_it & longer, at_it & ~longer),
            (right, ~right),
        )
        return np.select([mask for pair in rules for mask in pair], [True, False] * len(rules), False)

    def allowed(self, n: int) -> Scalars:
        """The speed that each vehicle is allowed, (n,) m/s."""
        pairs = which(self.yields)
        few = replace(self, mine=self.mine[pairs], other=self.other[pairs])
        merges = self.conflicts.merges[self.approach.conflict[few.mine]]
        enters, is_out = self.approach.enters[few.mine], self.approach.is_out[few.other]
        who = self.approach.who[few.mine]
        # Inside a junction one stops before what is ahead, not before the whole.
        stop = self.approach.stop[few.mine]
        gap = self.on_lanes.minds.gap[who]
        stop = np.where(stop > -gap, stop, enters - gap)
        halt = self.on_lanes.take(who).speed_within(stop)
        margin = self.on_lanes.minds.margin[who]
        # Of two that come together each might plan to pass after the other.
        comes, first = few.both(self.approach.comes)
        after = np.where(comes > first + margin, enters / (is_out + margin), 0.0)
        allowed = np.maximum(halt, np.where(merges, few.behind(), after))
        slowest = least_of_each(len(self.on_lanes), who, allowed)
        result = np.full(n, np.inf)
        result[self.on_lanes.row] = slowest
        return result

    def behind(self) -> Scalars:
        """The speeds at which those on this side fall in behind the others where lanes merge, (p,) m/s."""
        enters, others = self.both(self.approach.enters)
        halves, radii = self.of_both(self.on_lanes.half)[1], self.of_both(self.on_lanes.radius)
        room = enters - others - 2.0 * halves - radii[0] - radii[1] - self.of_both(self.on_lanes.minds.gap)[0]
        drivers = self.on_lanes.take(self.approach.who[self.mine])
        following = drivers.speed_within(room, self.of_both(self.on_lanes.speed)[1])
        return np.where(room > 0.0, following, 0.0)


BESIDE = 6.0
"""Half widths from a lane up to which a signal without a path holds it."""
SHARED = 1.0
"""Half widths up to which curves beside each other are as near."""


def room_before_exits(world: World, on_lanes: OnLanes, conflicts: Conflicts, approach: Approach) -> Scalars:
    """The room ahead of vehicles up to the next junction that they could not leave, (m,) metres; inf for none."""
    room = np.full(len(on_lanes), np.inf)
    bodies, minds = world.bodies, on_lanes.minds
    slowing = -dot(picked(bodies.acceleration, on_lanes.row), picked(bodies.forward, on_lanes.row))
    slow = (on_lanes.speed < CREEP * minds.cruise_speed) | (slowing > LIGHTS * minds.agility)
    slow &= ~minds.walks
    vehicle = approach.who
    end = conflicts.exit[conflicts.junction[approach.conflict]]
    asks = np.isfinite(end) & ~minds.walks[vehicle] & (approach.stop + minds.gap[vehicle] >= on_lanes.stopping[vehicle])
    if not len(which(slow)) or not len(which(asks)):
        return room
    tail, behind = _queues(on_lanes, conflicts, slow)
    rows = which(asks & (approach.stop < tail[vehicle]))
    vehicle, stop = vehicle[rows], approach.stop[rows]
    # As far from the conflict at which one looks as its own place is.
    leaves = approach.enters[rows] + 2.0 * on_lanes.half[vehicle] + (end - conflicts.begin[approach.conflict])[rows]
    held = behind[vehicle] < leaves
    np.minimum.at(room, vehicle[held], np.maximum(stop[held], 0.0))
    return room


def _queues(on_lanes: OnLanes, conflicts: Conflicts, slow: Mask) -> tuple[Scalars, Scalars]:
    """The tail of the first slow vehicle ahead of each, and the place where each stops if all close up behind that.

    Returns:
        tail: (m,) metres from its front, inf for none.
        behind: (m,) metres from its middle to there; inf for none.
    """
    lane, along, vehicle = _along_lanes(on_lanes, conflicts)
    order = np.lexsort((along, lane))
    lane, along, vehicle = lane[order], along[order], vehicle[order]
    half = on_lanes.half + on_lanes.radius
    takes = np.cumsum((2.0 * half + on_lanes.minds.gap)[vehicle])
    number = np.arange(len(lane))
    starts = firsts(lane)
    last = np.append(starts[1:], len(lane))[np.searchsorted(starts, number, side="right") - 1]
    # The next slow one after each, by the number of it.
    candidates = np.where(slow[vehicle], number, len(lane))
    following = np.append(np.minimum.accumulate(candidates[::-1])[::-1][1:], len(lane))
    own = which((on_lanes.lane[vehicle] == lane) & (along == on_lanes.driven[vehicle]) & (following < last))
    ahead, follower = following[own], vehicle[own]
    speed = on_lanes.speed[vehicle[ahead]]
    halts = 0.5 * speed * speed / on_lanes.brakes[vehicle[ahead]]
    ends = along[ahead] + halts - half[vehicle[ahead]] - along[own]
    tail, behind = np.full((2, len(on_lanes)), np.inf)
    tail[follower] = ends - half[follower]
    behind[follower] = ends - (takes[ahead - 1] - takes[own]) - on_lanes.minds.gap[follower] - half[follower]
    return tail, behind


def _along_lanes(on_lanes: OnLanes, conflicts: Conflicts) -> tuple[Rows, Scalars, Rows]:
    """The vehicles along each lane, those of lanes that merge with it among them: lanes, metres along, and rows."""
    lane, along, vehicle = on_lanes.lane, on_lanes.driven, np.arange(len(on_lanes))
    merges = which(conflicts.merges)
    order = np.argsort(lane, kind="stable")
    begin = np.searchsorted(lane[order], np.arange(len(conflicts.count) + 1))
    other = conflicts.other[merges]
    merge, number = counted((begin[1:] - begin[:-1])[other])
    row, others = merges[merge], order[number + begin[other[merge]]]
    length = conflicts.lines.length[conflicts.other[row]]
    past = on_lanes.driven[others] - conflicts.begin[conflicts.twin[row]]
    past = np.where(conflicts.lines.closed[conflicts.other[row]], past - np.floor(past / length) * length, past)
    on_stretch = which((past >= 0.0) & (past <= (conflicts.end - conflicts.begin)[row]))
    row, others, past = row[on_stretch], others[on_stretch], past[on_stretch]
    lane = np.concatenate((lane, conflicts.lane[row]))
    along = np.concatenate((along, conflicts.begin[row] + past))
    vehicle = np.concatenate((vehicle, others))
    # Once more round a closed lane.
    repeats = which(conflicts.lines.closed[lane])
    once_more = along[repeats] + conflicts.lines.length[lane[repeats]]
    return np.append(lane, lane[repeats]), np.append(along, once_more), np.append(vehicle, vehicle[repeats])


def room_before_signals(world: World, on_lanes: OnLanes, conflicts: Conflicts) -> Scalars:
    """The room ahead of vehicles up to the next signal that holds them, (m,) metres; inf for none."""
    red = which(~world.signals.green)
    if not len(red):
        return np.full(len(on_lanes), np.inf)
    held, along = _held(world, red, conflicts)
    lines, lane, gap = conflicts.lines, on_lanes.lane, on_lanes.minds.gap
    stop = np.where(conflicts.way > 0.0, along, lines.length - along)[:, lane]
    before = stop - on_lanes.driven
    turns = np.floor(before / lines.length[lane]) * lines.length[lane]
    before = np.where(lines.closed[lane], before - turns, before) - on_lanes.half - on_lanes.radius - gap
    # One that can no longer stop goes on, and so does one that is past it.
    counts = held[:, lane] & (before + gap >= on_lanes.stopping)
    return np.where(counts, np.maximum(before, 0.0), np.inf).min(axis=0)


def _held(world: World, red: Rows, conflicts: Conflicts) -> tuple[Mask, Scalars]:
    """Whether each signal of some rows (k,) holds each lane, (k, l), and where along that it is, (k, l) metres."""
    lanes, signals = conflicts.lanes, world.signals
    position, path = signals.position[red], signals.path[red]
    away, along = _nearest(conflicts.lines, position)
    opposite, _ = _nearest(lay_end_to_end(tuple(lane.curve.beside(-lane.left) for lane in lanes)), position)
    middle, _ = _nearest(lay_end_to_end(tuple(lane.curve for lane in lanes)), position)
    all_lines, _, _ = lines_of(world.paths)
    nearest = middle if all_lines is None else _nearest(all_lines, position)[0].min(axis=1, keepdims=True)
    wide = np.array([lane.radius for lane in lanes])
    near = (middle <= nearest + SHARED * wide) & (away <= BESIDE * wide)
    own = np.array([[lane.curve in (world.paths[row] if row >= 0 else ()) for lane in lanes] for row in path.tolist()])
    return np.where(path[:, None] >= 0, own, near) & (away <= opposite), along


def _nearest(lines: Lines, points: Vectors) -> tuple[Scalars, Scalars]:
    """How far points (k, 3) are from l lines, and where along these the nearest places are, (k, l) metres each."""
    row = np.tile(np.arange(len(lines)), len(points))
    repeated = np.repeat(points, len(lines), axis=0)
    line = lines.followed(row)
    along = line.nearest(repeated)
    shape = len(points), len(lines)
    return magnitude(repeated - line.position(along)).reshape(shape), along.reshape(shape)
