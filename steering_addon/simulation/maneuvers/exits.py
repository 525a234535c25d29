"""Exits: nobody drives into a junction that it could not leave, as others stand or creep behind it.

One stops before a junction as before a signal, unless it finds room behind it: if those between close up behind the
first one ahead that is slow or shows its brake lights, once that has stopped,

    where that ends - gap - sum(length + gap) of those between - own length  >=  the end of the junction.
"""

from __future__ import annotations

import numpy as np

from ..arrays.scalars import Mask, Rows, Scalars, counted, firsts, which
from ..arrays.vectors import dot, picked
from ..geometry.conflicts import Conflicts
from ..world import World
from .braking import CREEP, LIGHTS
from .on_lanes import Approach, OnLanes


def room_before_exits(world: World, on_lanes: OnLanes, conflicts: Conflicts, approach: Approach) -> Scalars:
    """The room ahead of vehicles up to the next junction that they could not leave, (m,) metres; inf for none."""
    room = np.full(len(on_lanes), np.inf)
    bodies, minds = world.bodies, on_lanes.minds
    slowing = -dot(picked(bodies.acceleration, on_lanes.row), picked(bodies.forward, on_lanes.row))
    slow = (on_lanes.speed < CREEP * minds.cruise_speed) | (slowing > LIGHTS * minds.agility)
    slow &= ~minds.walks
    who = approach.who
    end = conflicts.exit[conflicts.junction[approach.conflict]]
    asks = np.isfinite(end) & ~minds.walks[who] & (approach.stop + minds.gap[who] >= on_lanes.stopping[who])
    if not len(which(slow)) or not len(which(asks)):
        return room
    tail, behind = _queues(on_lanes, conflicts, slow)
    few = which(asks & (approach.stop < tail[who]))
    who, stop = who[few], approach.stop[few]
    # As far from the conflict at which one looks as its own place is.
    leaves = approach.enters[few] + 2.0 * on_lanes.half[who] + (end - conflicts.begin[approach.conflict])[few]
    held = behind[who] < leaves
    np.minimum.at(room, who[held], np.maximum(stop[held], 0.0))
    return room


def _queues(on_lanes: OnLanes, conflicts: Conflicts, slow: Mask) -> tuple[Scalars, Scalars]:
    """Where the first one ahead of each that is slow will end, and where each comes to stand if all close up behind it.

    Returns:
        tail: (m,) metres from its front, inf for none.
        behind: (m,) metres from its middle to there; inf for none.
    """
    lane, along, who = _along_lanes(on_lanes, conflicts)
    order = np.lexsort((along, lane))
    lane, along, who = lane[order], along[order], who[order]
    half = on_lanes.half + on_lanes.radius
    takes = np.cumsum((2.0 * half + on_lanes.minds.gap)[who])
    number = np.arange(len(lane))
    starts = firsts(lane)
    last = np.append(starts[1:], len(lane))[np.searchsorted(starts, number, side="right") - 1]
    # The next slow one after each, by the number of it.
    candidates = np.where(slow[who], number, len(lane))
    following = np.append(np.minimum.accumulate(candidates[::-1])[::-1][1:], len(lane))
    own = which((on_lanes.lane[who] == lane) & (along == on_lanes.driven[who]) & (following < last))
    ahead, mine = following[own], who[own]
    speed = on_lanes.speed[who[ahead]]
    halts = 0.5 * speed * speed / on_lanes.brakes[who[ahead]]
    ends = along[ahead] + halts - half[who[ahead]] - along[own]
    tail, behind = np.full((2, len(on_lanes)), np.inf)
    tail[mine] = ends - half[mine]
    behind[mine] = ends - (takes[ahead - 1] - takes[own]) - on_lanes.minds.gap[mine] - half[mine]
    return tail, behind


def _along_lanes(on_lanes: OnLanes, conflicts: Conflicts) -> tuple[Rows, Scalars, Rows]:
    """The vehicles along each lane, those of lanes that merge with it among them: lanes, metres along, and rows."""
    lane, along, who = on_lanes.lane, on_lanes.driven, np.arange(len(on_lanes))
    merges = which(conflicts.merges)
    order = np.argsort(lane, kind="stable")
    begin = np.searchsorted(lane[order], np.arange(len(conflicts.count) + 1))
    other = conflicts.other[merges]
    place, number = counted((begin[1:] - begin[:-1])[other])
    row, others = merges[place], order[number + begin[other[place]]]
    length = conflicts.lines.length[conflicts.other[row]]
    past = on_lanes.driven[others] - conflicts.begin[conflicts.twin[row]]
    past = np.where(conflicts.lines.closed[conflicts.other[row]], past - np.floor(past / length) * length, past)
    there = which((past >= 0.0) & (past <= (conflicts.end - conflicts.begin)[row]))
    row, others, past = row[there], others[there], past[there]
    lane = np.concatenate((lane, conflicts.lane[row]))
    along = np.concatenate((along, conflicts.begin[row] + past))
    who = np.concatenate((who, others))
    # Once more round a closed lane.
    again = which(conflicts.lines.closed[lane])
    once_more = along[again] + conflicts.lines.length[lane[again]]
    return np.append(lane, lane[again]), np.append(along, once_more), np.append(who, who[again])
