"""Crossing: how vehicles get over links, one after another (Reynolds 1999, Locomotion: off the ground, as on it).

    get on -> go along -> get off

Who comes to where its way leads over a link stands there until it has room. Then it walks up to the link and goes along
it from one end to the other in its seconds. On a link nothing steers it and no contact pushes it; it only keeps behind
the one ahead. Two ways over a link take turns: who has waited longest has the next one.

What carries vehicles, such as the floor of a lift, is boarded where it stands still within a step of where a link
begins, and left where it does so at the end. Each has a place of its own on it.
"""

from collections.abc import Iterator

import numpy as np

from .arrays.frozen import replace
from .arrays.scalars import EPSILON, Mask, Rows, Scalars, which
from .arrays.vectors import Vectors, columns, cross, magnitude, no_vectors, picked, unit
from .by_hand import turned_to
from .decisions import Decisions
from .geometry.paths import Spline, spline
from .ground import upright
from .links import Crossing, walked
from .nearby.contacts import will_touch
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
    `snapshot`: the vehicles present that are on no link; `after`: the snapshot of the next frame."""
    if not len(snapshot.links) or world.ways is None:
        return state, decided
    n, radius, position = len(state), snapshot.vehicle.radius, state.motion.position
    known = state.crossing or Crossing.blank(n)
    wants, back, ahead = np.full(n, -1), np.zeros(n, dtype=np.bool_), np.zeros(n)
    for rows, link_ahead, leads_back, distance in world.ways.before_links():
        near = snapshot.present[rows] & (distance <= NEAR * radius[rows])
        rows = rows[near]
        wants[rows], back[rows], ahead[rows] = link_ahead[near], leads_back[near], distance[near]
    waits = np.where(wants >= 0, known.waits + world.dt, 0.0)
    link, goes_back, along = known.link.copy(), known.back.copy(), known.along.copy()
    place, spot = known.place.copy(order="K"), known.spot.copy()
    for row in np.unique(wants[wants >= 0]).tolist():
        here, on = which(wants == row), which(link == row)
        turn = bool(back[here[np.argmax(waits[here])]])
        here = here[back[here] == turn]
        first = int(here[np.argmin(ahead[here])])
        line = world.ways.line_over(first, row, turn)
        if line is None:
            continue
        target = line.points[0]
        if (carrier := int(snapshot.links.carrier[row])) >= 0:
            aboard = which((link >= 0) & (snapshot.links.carrier[link] == carrier))
            leaves = (along[aboard] > 0.0) | ((link[aboard] == row) & (goes_back[aboard] != turn))
            if leaves.any():
                continue
            others = aboard[aboard != first]
            number = _free_seat(line, snapshot, after, first, others, along, spot, position, row)
            if number < 0:
                continue
            spot[first], target = number, _seat(after, carrier, number, float(radius[first]))
        elif not _has_room(line, snapshot, first, on, along, goes_back[on] == turn, row):
            continue
        link[first], goes_back[first], place[first], waits[first] = row, turn, position[first], 0.0
        place[first, 2] -= snapshot.lift[first]
        along[first] = -magnitude(place[first : first + 1] - target)[0]
    if (waiting := (wants >= 0) & (link < 0)).any():
        # Beside whoever gets on before it.
        way, brakes = ahead - 2.0 * APART * radius, GENTLY * snapshot.vehicle.max_force / snapshot.vehicle.mass
        slow = np.where(waiting, np.sqrt(2.0 * brakes * np.maximum(way, 0.0)), np.inf)
        limit = slow if decided.speed_limit is None else np.minimum(decided.speed_limit, slow)
        decided = replace(decided, speed_limit=limit)
    return replace(state, crossing=Crossing(link, goes_back, along, place, waits, spot)), decided


def _has_room(
    line: Spline, snapshot: Snapshot, vehicle: int, on: Rows, along: Scalars, same_way: Mask, link: int
) -> bool:
    """Whether a vehicle has room on a link where others, of rows (m,), are `along` it, (n,) metres."""
    most = int(snapshot.links.model.at_once[link])
    if not len(on):
        return True
    if not same_way.all() or 0 < most <= len(on):
        return False
    last = on[np.argmin(along[on])]
    return bool(along[last] >= _gap(line, snapshot, np.array([last, vehicle]))[0])


def _free_seat(
    line: Spline,
    snapshot: Snapshot,
    after: Snapshot,
    vehicle: int,
    aboard: Rows,
    along: Scalars,
    spot: Rows,
    position: Vectors,
    link: int,
) -> int:
    """The number of a place for a vehicle on what stands where a link begins; -1 if it has to wait. `aboard`: (m,) rows
    of those who have places there, with `along` and `spot` of all, (n,)."""
    most = min(int(snapshot.links.model.at_once[link]) or len(SEATS), len(SEATS))
    free = [number for number in range(most) if number not in spot[aboard].tolist()]
    if not free or not _calls(snapshot, after, link, line.points[0], vehicle):
        return -1
    # The furthest first, so that nobody has to pass another.
    radius, carrier = snapshot.vehicle.radius, int(snapshot.links.carrier[link])
    seats = [_seat(after, carrier, number, float(radius[vehicle])) for number in free]
    best = int(np.argmax(magnitude(np.array(seats) - line.points[0])))
    # One after another: on the straight ways to their places nobody touches one that boards.
    boards = np.append(aboard[along[aboard] < 0.0], vehicle)
    ends = [_seat(after, carrier, int(spot[row]), float(radius[row])) for row in boards[:-1]]
    way = np.array([*ends, seats[best]]) - position[boards]
    velocity = unit(columns(way[:, 0], way[:, 1], 0.0)) * snapshot.vehicle.pace[boards, None]
    offset = picked(position, boards[:-1]) - position[vehicle]
    contact = radius[boards[:-1]] + radius[vehicle]
    touch = (magnitude(offset) < APART * contact) | will_touch(offset, velocity[:-1] - velocity[-1], contact)
    return -1 if touch.any() else free[best]


def _calls(snapshot: Snapshot, after: Snapshot, link: int, end: Vectors, vehicle: int) -> bool:
    """Whether what carries vehicles over a link stands at an end (3,) of it, within a step of the floor."""
    carrier = snapshot.links.carrier[link]
    moved = magnitude(after.carriers[carrier : carrier + 1] - snapshot.carriers[carrier : carrier + 1])[0]
    x, y, z = (after.carriers[carrier] - end).tolist()
    on_level = abs(z) <= snapshot.handling.step[vehicle] and x * x + y * y <= ACROSS * ACROSS
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
    known, model = state.crossing, snapshot.vehicle
    got_off = np.zeros(len(state), dtype=np.bool_)
    if known is None or not known.on.any():
        return state, got_off
    pace = model.pace
    link, along, motion = known.link.copy(), known.along.copy(), state.motion
    position, forward = motion.position.copy(), motion.forward.copy()
    for line, rows, limit in _queues(known, snapshot, after, world):
        first = rows[0]
        seconds, carried = float(snapshot.links.model.seconds[link[first]]), snapshot.links.carrier[link[first]] >= 0
        speed = pace[rows] * (line.length / max(walked(line.points), EPSILON))
        if seconds > 0.0 and not carried:
            speed = np.full(len(rows), line.length / seconds)
        speed = np.where(along[rows] < 0.0, pace[rows], speed)
        wanted = along[rows] + speed * world.dt
        gaps = np.concatenate(([0.0], np.cumsum(_gap(line, snapshot, rows))))
        # Nobody comes nearer than that to any of those ahead.
        held = np.minimum.accumulate(wanted + gaps) - gaps
        along[rows] = np.maximum(np.minimum(held, limit), along[rows])
        feet, way = line.position(along[rows]), line.tangent(along[rows])
        begin = picked(known.place, rows)
        far = np.maximum(magnitude(begin - line.points[0]), EPSILON)
        share = np.clip(-along[rows] / far, 0.0, 1.0)[:, None]
        position[rows] = feet + (begin - line.points[0]) * share
        position[rows, 2] += snapshot.lift[rows]
        is_ladder = bool(snapshot.links.model.both_ways[link[first]])
        most = np.minimum(snapshot.handling.turn_rate[rows] * world.dt, np.pi)
        way = np.where(along[rows, None] < 0.0, line.points[0] - begin, way)
        forward[rows] = _facing(line, way, forward[rows], is_ladder, most)
        got_off[rows] = along[rows] >= line.length
    on = known.on & snapshot.present
    velocity = np.where(on[:, None], (position - motion.position) / world.dt, motion.velocity)
    up = np.where(on[:, None], upright(len(state)), motion.up)
    side = cross(forward, up)
    moved = Motion(columns(*position.T), velocity, side, columns(*forward.T), up)
    pose = state.leaning
    if pose is not None:
        shown = ((side, pose.side), (moved.forward, pose.forward), (up, pose.up))
        pose = Pose(*(np.where(on[:, None], new, old) for new, old in shown))
    nothing = no_vectors(len(state))
    link[got_off] = -1
    crossed = replace(known, link=link, along=along)
    return (
        replace(
            state,
            motion=moved,
            leaning=pose,
            raised=np.where(on, 0.0, state.raised) if len(state.raised) else state.raised,
            force=np.where(on[:, None], nothing, state.force),
            smoothed_acceleration=np.where(on[:, None], nothing, state.smoothed_acceleration),
            crossing=crossed,
        ),
        got_off,
    )


def _queues(known: Crossing, snapshot: Snapshot, after: Snapshot, world: World) -> Iterator[tuple[Spline, Rows, float]]:
    """Each line with the vehicles that go along it, the foremost first, and how far they may go.

    The line of one that is carried leads from its place there to where it gets off.
    """
    on = which(known.on & snapshot.present)
    for link, back in sorted(set(zip(known.link[on].tolist(), known.back[on].tolist()))):
        rows = on[(known.link[on] == link) & (known.back[on] == back)]
        rows = rows[np.lexsort((rows, -known.along[rows]))]
        line = None if world.ways is None else world.ways.line_over(int(rows[0]), link, back)
        if line is None:
            # One of its ends has left the ground.
            points = snapshot.links.lines[link]
            line = spline(points[::-1] if back else points, False)
        if (carrier := int(snapshot.links.carrier[link])) < 0:
            yield line, rows, np.inf
            continue
        end, radius = line.points[-1], snapshot.vehicle.radius[rows]
        seats = np.array([_seat(after, carrier, int(known.spot[row]), float(r)) for row, r in zip(rows, radius)])
        free = True
        for k in np.argsort(magnitude(seats - end), kind="stable").tolist():
            along = float(known.along[rows[k]])
            leaves = along > 0.0 or (free and along == 0.0 and _calls(snapshot, after, link, end, int(rows[k])))
            # The next one follows as soon as it touches nobody.
            free = free and (along > 2.0 * APART * radius[k] or not leaves)
            yield spline(np.array([seats[k], end]), False), rows[k : k + 1], np.inf if leaves else 0.0


def _facing(line: Spline, way: Vectors, before: Vectors, is_ladder: bool, most: Scalars) -> Vectors:
    """The headings of vehicles (m,) on a line: along their way, (m, 3), and up and down a ladder to where it leads up.

    Args:
        before: (m, 3) their headings before the step.
        is_ladder: whether who goes down where it is steep climbs, and does not jump.
        most: (m,) by which they can turn, radians.
    """
    end = line.points[-1] - line.points[0]
    level, up = np.sqrt(end[0] * end[0] + end[1] * end[1]), end[2]
    course = columns(way[:, 0], way[:, 1], 0.0)
    is_steep = magnitude(course) < np.abs(way[:, 2])
    if abs(up) > level and (up > 0.0 or is_ladder):
        uphill = end if up > 0.0 else -end
        course = np.where(is_steep[:, None], (uphill[0], uphill[1], 0.0), course)
    course = unit(columns(*course.T))
    course = np.where((magnitude(course) < 0.5)[:, None], before, course)
    return turned_to(columns(*before.T), course, most)
