"""Where lanes end for a while: at signals, and at exits of junctions that nobody could leave.

A lane ends at a signal that holds it, for those who can still stop, until it is green. A signal without a path holds
the lanes of the curve that is nearest to it, those on its side. One also stops before a junction behind which others
stand or creep, unless it finds room there: if those between close up behind the
first one ahead that is slow or shows its brake lights, once that has stopped,

    where that ends - gap - sum(length + gap) of those between - own length  >=  the end of the junction.
"""

import numpy as np

from ..arrays.scalars import Mask, Rows, Scalars, counted, firsts, which
from ..arrays.vectors import Vectors, dot, magnitude, picked
from ..geometry.conflicts import Conflicts
from ..geometry.lines import Lines
from ..geometry.paths import lay_end_to_end, lines_of
from ..world import World
from .braking import CREEP, LIGHTS
from .on_lanes import Approach, OnLanes

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
