"""Crossing: how vehicles get over links, one after another (Reynolds 1999, Locomotion: off the ground, as on it).

    get on -> go along -> get off

Who comes to where its way leads over a link stands there until it has room. Then it walks up to the link and goes along
it from one end to the other in its seconds. On a link nothing steers it and no contact pushes it; it only keeps behind
the one ahead. Two ways over a link take turns: who has waited longest has the next one.

What carries vehicles, such as the floor of a lift, is boarded where it stands still within a step of where a link
begins, and left where it does so at the end. Each has a place of its own on it. If it moves off too soon, who is nearer
to the floor goes on there or waits on it, and who is nearer to that place rides along.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from .arrays.frozen import replace
from .arrays.scalars import EPSILON, Mask, Rows, Scalars, which
from .arrays.vectors import Vectors, columns, cross, magnitude, no_vectors, picked, unit, unit_or
from .by_hand import turned_to
from .decisions import Decisions
from .geometry.paths import Spline, spline
from .ground import upright
from .links import Crossing, walked
from .nearby.contacts import will_touch
from .presence.arrivals import Errand
from .snapshot import Snapshot, State
from .vehicle import Motion, Pose
from .world import World

NEAR = 4.0
"""Radii from a link within which one gets on, or waits for that."""
GENTLY = 0.5
"""The share of its brakes with which one stops who has to wait."""
APART = 1.1
"""Times as far apart as they touch that bodies are on a link."""
ACROSS = 3.0
"""Metres from the middle of what carries vehicles to where they get on or off, at most."""
STILL = 0.02
"""Metres a second below which it stands."""
SEATS = ((0, 0), (2, 0), (1, 2), (-1, 2), (-2, 0), (-1, -2), (1, -2))
"""Places on it, in half widths of a body along x and in as many, times the root of 3/4, along y."""
ROOT = 0.8660254037844386


def those_on_links(state: State) -> Mask:
    """(n,) the vehicles that are on a link; empty before any was."""
    return np.zeros(0, dtype=np.bool_) if state.crossing is None else state.crossing.on


def get_on(
    state: State, snapshot: Snapshot, after: Snapshot, world: World, decided: Decisions
) -> tuple[State, Decisions]:
    """The state in which vehicles have got on links, and the decisions in which others stand and wait for that.
    `snapshot`: the vehicles present, as only they have places on links; `after`: the snapshot of the next frame."""
    if not len(snapshot.links) or world.ways is None:
        return state, decided
    radius = snapshot.vehicle.radius
    goals = Errand.among(decided.memories, len(state)).goal
    crossing = _wanting(state, snapshot, world.ways.before_links(goals), world.dt)
    wants, back, ahead, waits = crossing.wants, crossing.back, crossing.ahead, crossing.waits
    for link in np.unique(wants[wants >= 0]).tolist():
        rows = which(wants == link)
        goes_back = bool(back[rows[np.argmax(waits[rows])]])
        rows = rows[back[rows] == goes_back]
        vehicle = int(rows[np.argmin(ahead[rows])])
        line = world.ways.line_over(vehicle, link, goes_back)
        if line is not None:
            _board(crossing, line, state.motion.position, snapshot, after, vehicle, link, goes_back)
    if (waiting := (wants >= 0) & ~crossing.on).any():
        # Beside whoever gets on before it.
        room, brakes = ahead - 2.0 * APART * radius, GENTLY * snapshot.vehicle.max_force / snapshot.vehicle.mass
        slow = np.where(waiting, np.sqrt(2.0 * brakes * np.maximum(room, 0.0)), np.inf)
        limit = slow if decided.speed_limit is None else np.minimum(decided.speed_limit, slow)
        decided = replace(decided, speed_limit=limit)
    return replace(state, crossing=crossing), decided


def _wanting(
    state: State, snapshot: Snapshot, before_links: Iterable[tuple[Rows, Rows, Mask, Scalars]], dt: float
) -> Crossing:
    """A copy of what is known of links, with who wants to get on which one by now. Who has not asked for its way in
    this step goes on wanting to. `before_links`: as of `Ways`; `dt`: seconds of the step."""
    known, radius = state.crossing or Crossing.blank(len(state)), snapshot.vehicle.radius
    crossing = Crossing(*(column.copy(order="K") for column in vars(known).values()))
    crossing.wants[~snapshot.present | crossing.on | state.all_decided] = -1
    for rows, link, leads_back, distance in before_links:
        is_near = snapshot.present[rows] & (distance <= NEAR * radius[rows])
        crossing.wants[rows] = np.where(is_near, link, -1)
        crossing.back[rows[is_near]], crossing.ahead[rows] = leads_back[is_near], distance
    return replace(crossing, waits=np.where(crossing.wants >= 0, crossing.waits + dt, 0.0))


def _board(
    crossing: Crossing,
    line: Spline,
    position: Vectors,
    snapshot: Snapshot,
    after: Snapshot,
    vehicle: int,
    link: int,
    back: bool,
) -> None:
    """Let a vehicle get on a link that it takes along a line, in the columns of `crossing`, if there is room."""
    target = line.points[0]
    if (carrier := int(snapshot.links.carrier[link])) >= 0:
        aboard = which(crossing.on & snapshot.present & (snapshot.links.carrier[crossing.link] == carrier))
        leaves = (crossing.along[aboard] > 0.0) | ((crossing.link[aboard] == link) & (crossing.back[aboard] != back))
        if leaves.any():
            return
        others = aboard[aboard != vehicle]
        number = _free_seat(crossing, line, position, snapshot, after, vehicle, link, others)
        if number < 0:
            return
        crossing.spot[vehicle] = number
        target = _seat(after, carrier, number, float(snapshot.vehicle.radius[vehicle]))
    elif not _has_room(crossing, line, snapshot, vehicle, link, back):
        return
    crossing.link[vehicle], crossing.back[vehicle], crossing.waits[vehicle] = link, back, 0.0
    crossing.place[vehicle] = position[vehicle]
    crossing.place[vehicle, 2] -= snapshot.lift[vehicle]
    crossing.along[vehicle] = -magnitude(crossing.place[vehicle : vehicle + 1] - target)[0]


def _has_room(crossing: Crossing, line: Spline, snapshot: Snapshot, vehicle: int, link: int, back: bool) -> bool:
    """Whether a vehicle has room on a link behind those that are on it."""
    rows, at_once = which((crossing.link == link) & snapshot.present), int(snapshot.links.model.at_once[link])
    if not len(rows):
        return True
    if (crossing.back[rows] != back).any() or 0 < at_once <= len(rows):
        return False
    hindmost = rows[np.argmin(crossing.along[rows])]
    return bool(crossing.along[hindmost] >= _gap(line, snapshot, np.array([hindmost, vehicle]))[0])


def _free_seat(
    crossing: Crossing,
    line: Spline,
    position: Vectors,
    snapshot: Snapshot,
    after: Snapshot,
    vehicle: int,
    link: int,
    aboard: Rows,
) -> int:
    """The number of a place for a vehicle on the carrier at the beginning of a link; -1 if it has to wait. `aboard`:
    (m,) the rows of those who have places there."""
    count = min(int(snapshot.links.model.at_once[link]) or len(SEATS), len(SEATS))
    free = [number for number in range(count) if number not in crossing.spot[aboard].tolist()]
    if not free or not _calls(snapshot, after, link, line.points[0], vehicle):
        return -1
    # The furthest first, so that nobody has to pass another.
    radius, carrier = snapshot.vehicle.radius, int(snapshot.links.carrier[link])
    seats = [_seat(after, carrier, number, float(radius[vehicle])) for number in free]
    best = int(np.argmax(magnitude(np.array(seats) - line.points[0])))
    # One after another: on the straight ways to their places nobody touches one that boards.
    boards = np.append(aboard[crossing.along[aboard] < 0.0], vehicle)
    ends = [_seat(after, carrier, int(crossing.spot[row]), float(radius[row])) for row in boards[:-1]]
    course = np.array([*ends, seats[best]]) - position[boards]
    velocity = unit(columns(course[:, 0], course[:, 1], 0.0)) * snapshot.vehicle.pace[boards, None]
    offset = picked(position, boards[:-1]) - position[vehicle]
    contact = radius[boards[:-1]] + radius[vehicle]
    touch = (magnitude(offset) < APART * contact) | will_touch(offset, velocity[:-1] - velocity[-1], contact)
    return -1 if touch.any() else free[best]


def _calls(snapshot: Snapshot, after: Snapshot, link: int, end: Vectors, vehicle: int) -> bool:
    """Whether what carries vehicles over a link stands at an end (3,) of it, within a step of the floor."""
    carrier = int(snapshot.links.carrier[link])
    x, y, _ = (after.carriers[carrier] - end).tolist()
    return x * x + y * y <= ACROSS * ACROSS and _halts(snapshot, after, carrier, float(end[2]), vehicle)


def _halts(snapshot: Snapshot, after: Snapshot, carrier: int, height: float, vehicle: int) -> bool:
    """Whether what carries vehicles stands within a step of a floor at a height, metres."""
    moved = magnitude(after.carriers[carrier : carrier + 1] - snapshot.carriers[carrier : carrier + 1])[0]
    on_level = abs(after.carriers[carrier, 2] - height) <= snapshot.handling.step[vehicle]
    return bool(on_level and moved <= STILL * snapshot.frame_time)


def _seat(after: Snapshot, carrier: int, number: int, radius: float) -> Vectors:
    """Where a place is on what carries vehicles, (3,) metres."""
    x, y = SEATS[number]
    width = APART * radius
    return after.carriers[carrier] + np.array((x * width, y * ROOT * width, 0.0))


def _gap(line: Spline, snapshot: Snapshot, rows: Rows) -> Scalars:
    """Metres between the middles of vehicles of rows (m,), one behind the other on a line, (m - 1,).

    Beside or above one another they do not touch: their widths count on the level, and what they need above the ground
    where it climbs.
    """
    x, y, up = (line.points[-1] - line.points[0]).tolist()
    level, straight = np.sqrt(x * x + y * y), max(np.sqrt(x * x + y * y + up * up), EPSILON)
    half = snapshot.vehicle.half_axis
    wide = snapshot.vehicle.radius[rows] + (0.0 if half is None else half[rows])
    tall = snapshot.handling.headroom[rows]
    level, up = max(level / straight, EPSILON), max(abs(up) / straight, EPSILON)
    return APART * np.minimum((wide[1:] + wide[:-1]) / level, np.maximum(tall[1:], tall[:-1]) / up)


def cross_links(state: State, snapshot: Snapshot, after: Snapshot, world: World) -> tuple[State, Mask]:
    """The state after a step with those on links further along them, and who got off in it, (n,). `state`: after the
    step of all others; `snapshot`: the vehicles present at its beginning; `after`: the snapshot of the next frame."""
    crossing, motion, got_off = state.crossing, state.motion, np.zeros(len(state), dtype=np.bool_)
    if crossing is None or not crossing.on.any():
        return state, got_off
    along, position, forward = crossing.along.copy(), motion.position.copy(), motion.forward.copy()
    for line, rows, limit, height in _queues(crossing, snapshot, after, world):
        along[rows] = _advanced(crossing, line, rows, limit, snapshot, world.dt)
        place, course = _place_on(crossing, line, rows, along[rows])
        place[:, 2] = place[:, 2] if np.isnan(height) else height
        place[:, 2] += snapshot.lift[rows]
        max_turn = np.minimum(snapshot.handling.turn_rate[rows] * world.dt, np.pi)
        is_ladder = bool(snapshot.links.model.both_ways[crossing.link[rows[0]]])
        position[rows], forward[rows] = place, _facing(line, course, forward[rows], is_ladder, max_turn)
        got_off[rows] = along[rows] >= line.length
    on = crossing.on & snapshot.present
    velocity = np.where(on[:, None], (position - motion.position) / world.dt, motion.velocity)
    up = np.where(on[:, None], upright(len(state)), motion.up)
    side = cross(forward, up)
    motion = Motion(columns(*position.T), velocity, side, columns(*forward.T), up)
    pose = state.leaning
    if pose is not None:
        axes = ((side, pose.side), (motion.forward, pose.forward), (up, pose.up))
        pose = Pose(*(np.where(on[:, None], new, old) for new, old in axes))
    nothing = no_vectors(len(state))
    after_step = replace(
        state,
        motion=motion,
        leaning=pose,
        raised=np.where(on, 0.0, state.raised) if len(state.raised) else state.raised,
        force=np.where(on[:, None], nothing, state.force),
        smoothed_acceleration=np.where(on[:, None], nothing, state.smoothed_acceleration),
        crossing=replace(crossing, link=np.where(got_off, -1, crossing.link), along=along),
    )
    return after_step, got_off


def _advanced(crossing: Crossing, line: Spline, rows: Rows, limit: float, snapshot: Snapshot, dt: float) -> Scalars:
    """How far vehicles of rows (m,), the foremost first, are along their line after a step, (m,) metres."""
    link, along, pace = crossing.link[rows[0]], crossing.along[rows], snapshot.vehicle.pace[rows]
    seconds = float(snapshot.links.model.seconds[link])
    speed = pace * (line.length / max(walked(line.points), EPSILON))
    if seconds > 0.0 and snapshot.links.carrier[link] < 0:
        speed = np.full(len(rows), line.length / seconds)
    wanted = along + np.where(along < 0.0, pace, speed) * dt
    gaps = np.concatenate(([0.0], np.cumsum(_gap(line, snapshot, rows))))
    # Nobody comes nearer than that to any of those ahead.
    held = np.minimum.accumulate(wanted + gaps) - gaps
    return np.maximum(np.minimum(held, limit), along)


def _place_on(crossing: Crossing, line: Spline, rows: Rows, along: Scalars) -> tuple[Vectors, Vectors]:
    """The places of vehicles on a line, or on their way to its beginning, and the ways that they go; (m, 3) each."""
    begin = picked(crossing.place, rows)
    distance = np.maximum(magnitude(begin - line.points[0]), EPSILON)
    share = np.clip(-along / distance, 0.0, 1.0)[:, None]
    course = np.where(along[:, None] < 0.0, line.points[0] - begin, line.tangent(along))
    return line.position(along) + (begin - line.points[0]) * share, course


def _queues(
    crossing: Crossing, snapshot: Snapshot, after: Snapshot, world: World
) -> Iterator[tuple[Spline, Rows, float, float]]:
    """Each line with the vehicles that go along it, the foremost first, how far they may go, and the height at which
    they do if it is not that of the line, else nan. The line of one that is carried leads from its place there to where
    it gets off."""
    on = which(crossing.on & snapshot.present)
    for link, back in sorted(set(zip(crossing.link[on].tolist(), crossing.back[on].tolist()))):
        rows = on[(crossing.link[on] == link) & (crossing.back[on] == back)]
        rows = rows[np.lexsort((rows, -crossing.along[rows]))]
        line = None if world.ways is None else world.ways.line_over(int(rows[0]), link, back)
        if line is None:
            # One of its ends has left the ground.
            points = snapshot.links.lines[link]
            line = spline(points[::-1] if back else points, False)
        if (carrier := int(snapshot.links.carrier[link])) < 0:
            yield line, rows, np.inf, np.nan
            continue
        end, radius = line.points[-1], snapshot.vehicle.radius[rows]
        seats = np.array([_seat(after, carrier, int(crossing.spot[row]), float(r)) for row, r in zip(rows, radius)])
        free = True
        for k in np.argsort(magnitude(seats - end), kind="stable").tolist():
            row, along, seat = int(rows[k]), float(crossing.along[rows[k]]), seats[k]
            floor = end if along > 0.0 else crossing.place[row]
            between = along != 0.0 and not _halts(snapshot, after, carrier, float(floor[2]), row)
            on_floor = 2.0 * abs(along) > magnitude((floor - seat)[None, :2])[0]
            leaves = along > 0.0 or (free and along == 0.0 and _calls(snapshot, after, link, end, row))
            # The next one follows as soon as it touches nobody.
            free = free and (along > 2.0 * APART * radius[k] or not leaves)
            stays = between and on_floor == (along < 0.0)
            height = float(floor[2] if on_floor else seat[2]) if between else np.nan
            limit = along if stays else np.inf if leaves else 0.0
            yield spline(np.array([seat, end]), False), rows[k : k + 1], limit, height


def _facing(line: Spline, course: Vectors, before: Vectors, is_ladder: bool, max_turn: Scalars) -> Vectors:
    """The headings of vehicles (m,) on a line: along their way, (m, 3), and up and down a ladder to where it leads up.
    `before`: (m, 3) their headings before the step; `is_ladder`: whether who goes down where it is steep climbs, and
    does not jump; `max_turn`: (m,) by which they can turn, radians."""
    end = line.points[-1] - line.points[0]
    level, up = np.sqrt(end[0] * end[0] + end[1] * end[1]), end[2]
    heading = columns(course[:, 0], course[:, 1], 0.0)
    is_steep = magnitude(heading) < np.abs(course[:, 2])
    if abs(up) > level and (up > 0.0 or is_ladder):
        uphill = end if up > 0.0 else -end
        heading = np.where(is_steep[:, None], (uphill[0], uphill[1], 0.0), heading)
    return turned_to(columns(*before.T), unit_or(columns(*heading.T), before), max_turn)
