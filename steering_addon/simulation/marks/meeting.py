"""Meeting marks: the least push with which vehicles are at a place at a time, solved again on each step.

With k whole steps of h seconds left, d the way to the mark and v the velocity, a vehicle that coasts misses by
m = d - v k h. The accelerations a_1 ... a_k that make up for that with the least sum of squares begin with

    a_1 = m k / (h^2 k (k + 1) (2 k + 1) / 6),

as the vehicle moves by whole steps: what is pushed early counts for longer. With a velocity u to be had there, they
begin with a_1 = alpha + beta k, where with S_1 = k (k + 1) / 2, S_2 = k (k + 1) (2 k + 1) / 6, D = k S_2 - S_1^2

    alpha = (S_2 (u - v) / h - S_1 m / h^2) / D,    beta = (k m / h^2 - S_1 (u - v) / h) / D.

Who walks over surfaces goes to a mark that is not in sight on the way to it, at the even speed that brings it there in
time. It sees the mark straight ahead, as far away as the way is long, and sets off as early as that asks for.

What the behaviors of the vehicle ask for in this step is taken into account, and only as much of it acts as leaves room
for the push: it comes last, whatever the crowd does to combine behaviors, and nothing of it is lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays.frozen import replace
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp
from ..arrays.vectors import Vectors, columns, dot, magnitude, picked, truncate, unit
from ..decisions import Decisions
from ..ground import aside_to, level, of_rows
from ..snapshot import Snapshot, State
from ..ways.over_ground import Ways
from ..world import World
from .declaring import Mark
from .landing import land_on_marks, on_own_marks, sets_off, stays
from .reaching import BEGINS, RESPONSE, ClimbSpeeds, climb_speeds, climb_stretch, lead_in_arcs, level_part, way_of_turn
from .sharing import climbs, middle_of, shared_out

EASILY = 0.25
"""The share of its strength from which on a push begins before the lead."""
UNHURRIED = 0.9
"""The share of cruise speed, and of the fastest climb, at which a vehicle sets off for a mark that is far away."""
EASY, HARD = 0.8, 0.95
"""The shares of its fastest at which a vehicle that climbs begins to leave out what its behaviors ask for, and does so
wholly. Toward the end no vehicle climbs faster than the one, or is faster than the other, if it need not."""
EARLIEST = 3.0
"""Leads before the mark in which a push may begin for another reason than the distance."""
SHARED = 2.0
"""Leads before the mark at which the places of a shape are shared out at the latest."""
WHOLE = 1e-6
"""Frames by which a moment may be off a whole frame."""
BEHIND, BACK = 0.3, 0.5
"""The cosine to the way back from which on, and the share of its speed that it would go back from which on, a vehicle
goes all round instead of back."""
ROUNDS = 3
"""In which a flock finds how much of what its members want leaves room for the push."""


@dataclass(frozen=True)
class _Approach:
    """The task of vehicles that are to meet a mark.

    Attributes:
        rows: (m,) the vehicles.
        steps: whole steps left.
        way, velocity: (m, 3) to the mark, and relative to it, metres and m/s.
        hidden: (m,) whether the mark is not in sight: the way begins in that direction, and is as long.
        change: (m, 3) the change of velocity until then, m/s; None if any is right.
        wanted: (m, 3) the acceleration that behaviors ask for, m/s2.
        cruise: (m,) cruise speed, m/s.
        bodies: what they can do at the climb that is needed.
        under_way: (m,) whether they have set off already.
    """

    rows: Rows
    steps: float
    way: Vectors
    velocity: Vectors
    hidden: Mask
    change: Vectors | None
    wanted: Vectors
    cruise: Scalars
    bodies: ClimbSpeeds
    under_way: Mask


def meet_marks(
    state: State, before: Snapshot, after: Snapshot, present: Snapshot, world: World, force: Vectors, decided: Decisions
) -> tuple[Vectors, Snapshot, Mapping[str, Rows], Decisions]:
    """The forces with which vehicles meet their marks.

    Args:
        before, after: the snapshots of the frames about the step.
        present: `before` with the vehicles that take part.
        force: (n, 3) what their behaviors come to, newtons.
        decided: what else these decide.

    Returns:
        The force that acts, (n, 3) newtons; the snapshot in which the pushed vehicles apply it without delay; by the
        name of a mark the place of its shape that each vehicle meets, (n,), -1 for none, without a shape 0 for those
        that were pushed; and what they decide, with how those come down that land on marks.
    """
    by, standing, alone = np.full(len(force), -1, dtype=np.int64), [], on_own_marks(state, before.marks)
    pushed, places = np.zeros(len(force), dtype=np.bool_), dict(state.places)
    order = sorted(range(len(before.marks)), key=lambda number: (before.marks[number].time, before.marks[number].name))
    forces = force.copy(order="K")
    for number in order:
        mark = before.marks[number]
        left_to_others = pushed | alone if len(mark.rows) > 1 else pushed
        rows = mark.rows[present.present[mark.rows] & ~left_to_others[mark.rows]]
        if not len(rows) or not world.bodies.present[mark.body]:
            continue
        steps = np.floor((mark.time - world.time) / world.dt + 0.5)
        if mark.ground >= 0:
            flying, rows = rows[~present.grounded[rows]], rows[present.grounded[rows]]
            if steps < 1.0:
                standing.append(number)
            elif world.bodies.present[mark.ground]:
                on = flying[sets_off(mark, number, state, present, world, flying)]
                by[on], pushed[on] = number, True
            if not len(rows):
                continue
        if steps < 1.0:
            if mark.name in places:
                rows = rows[places[mark.name][rows] >= 0]
                forces[rows] = picked(forces, rows) * _released(mark, world)
            continue
        rows, place, motion = _places(mark, after.marks[number], places, state, before, world, rows)
        if not len(rows):
            continue
        approach = _approach(mark, state, present, world, forces, rows, steps, place, motion)
        if mark.points is not None or mark.name in places:
            # Places of a shape are shared out when it is time: what cannot stop sets off then.
            known = mark.points is None or approach.bodies.radius > 0.0
            approach = replace(approach, under_way=known & (places[mark.name][rows] >= 0))
        due, acceleration = _together(mark, approach, world.dt) if mark.together else _each(mark, approach, world.dt)
        on = rows[due]
        pushed[on] = True
        if mark.points is None and len(on):
            places[mark.name] = places.get(mark.name, np.full(len(state), -1, dtype=np.int64)).copy()
            places[mark.name][on] = 0
        forces[on] = picked(acceleration, due) * present.vehicle.mass[on, None]
    if any(mark.ground >= 0 for mark in before.marks):
        _keep_standing(standing, state, present, world, by, pushed)
        forces, decided = land_on_marks(state, present, world, before.marks, by, forces, decided)
    return forces, _without_delay(present, pushed), places, decided


def _keep_standing(
    numbers: Sequence[int], state: State, snapshot: Snapshot, world: World, by: Rows, pushed: Mask
) -> None:
    """Note who stands on marks that are past, and leaves for no later one, in `by` and `pushed`."""
    for number in numbers:
        mark = snapshot.marks[number]
        rows = mark.rows[snapshot.present[mark.rows] & ~pushed[mark.rows]]
        on = rows[stays(mark, number, state, snapshot, world, rows) & world.bodies.present[mark.ground]]
        by[on], pushed[on] = number, True


def _released(mark: Mark, world: World) -> float:
    """The share of what behaviors ask for that acts again some time after a mark."""
    if mark.release <= 0.0:
        return 1.0
    s = min((world.time - mark.time + world.dt) / mark.release, 1.0)
    return s * s * (3.0 - 2.0 * s)


def _without_delay(snapshot: Snapshot, pushed: Mask) -> Snapshot:
    """The snapshot in which pushed vehicles have no damping."""
    model = snapshot.vehicle
    if not anybody(pushed & (model.damping > 0.0)):
        return snapshot
    return replace(snapshot, vehicle=model.with_columns({"damping": np.where(pushed, 0.0, model.damping)}))


def _places(
    mark: Mark, later: Mark, shared: dict[str, Rows], state: State, snapshot: Snapshot, world: World, rows: Rows
) -> tuple[Rows, Vectors, Vectors]:
    """The vehicles of some rows that have a place to meet, (m,), these places and how fast they move, (m, 3) each.
    Places of a shape are shared out once, when it is time; `shared` is changed then."""
    if mark.points is None or later.points is None:
        body = np.full(len(rows), mark.body)
        return rows, picked(world.bodies.position, body), picked(world.bodies.velocity, body)
    if not len(mark.points) or len(mark.points) != len(later.points):
        return rows[:0], np.zeros((0, 3)), np.zeros((0, 3))
    frame_time = snapshot.frame_time
    fraction = world.time / frame_time - np.floor(world.time / frame_time + WHOLE)
    motion = (later.points - mark.points) / frame_time
    points = mark.points + motion * (fraction * frame_time)
    if mark.name not in shared:
        position = picked(state.motion.position, rows)
        velocity = picked(state.motion.velocity, rows)
        if not _is_time_to_share(mark, world, snapshot, rows, position, velocity, points):
            return rows[:0], points[:0], motion[:0]
        shares = np.full(len(state), -1, dtype=np.int64)
        times = climb_stretch(snapshot.handling.take(rows), snapshot.vehicle.max_speed[rows], _cruise(snapshot, rows))
        shares[rows] = shared_out(position, points, *times)
        shared[mark.name] = shares
    place = shared[mark.name][rows]
    have = place >= 0
    return rows[have], picked(points, place[have]), picked(motion, place[have])


def _is_time_to_share(
    mark: Mark, world: World, snapshot: Snapshot, rows: Rows, position: Vectors, velocity: Vectors, points: Vectors
) -> bool:
    time_left = mark.time - world.time
    if time_left <= SHARED * mark.lead:
        return True
    rise = climbs(position, points)
    way = np.broadcast_to(middle_of(points) - middle_of(position), position.shape)
    up, down = (_bodies(snapshot, rows, np.full(len(rows), climb / time_left)) for climb in (rise.max(), rise.min()))
    limited = anybody(up.limited | down.limited)
    fastest = min(float(np.minimum(speeds.fastest, _cruise(snapshot, rows)).min()) for speeds in (up, down))
    furthest = float((magnitude(way) + way_of_turn(way, velocity, up)).max())
    longest = max(rise.max() / up.rate.min(), -rise.min() / down.rate.min()) + BEGINS if limited else 0.0
    return furthest > UNHURRIED * fastest * time_left or longest > UNHURRIED * time_left


def _cruise(snapshot: Snapshot, rows: Rows) -> Scalars:
    return (snapshot.vehicle.cruise_speed * snapshot.vehicle.max_speed)[rows]


def _bodies(snapshot: Snapshot, rows: Rows, climb: Scalars) -> ClimbSpeeds:
    """The speeds that vehicles of some rows can reach at climbs, (m,) m/s."""
    model = snapshot.vehicle.take(rows)
    return climb_speeds(snapshot.handling.take(rows), model.max_speed, model.max_force / model.mass, climb)


def _approach(
    mark: Mark,
    state: State,
    snapshot: Snapshot,
    world: World,
    force: Vectors,
    rows: Rows,
    steps: float,
    place: Vectors,
    motion: Vectors,
) -> _Approach:
    """The task of vehicles of some rows that are to meet places (m, 3) that move at velocities (m, 3)."""
    model = snapshot.vehicle.take(rows)
    upward, grounded = of_rows(world.upward, rows), snapshot.grounded[rows]
    strongest = model.max_force / model.mass
    velocity = picked(state.motion.velocity, rows)
    change = None
    if mark.aims and steps >= 2.0:
        along = np.broadcast_to(world.bodies.forward[mark.body] * mark.speed, velocity.shape)
        change = level(along - velocity, upward, grounded)
    position = picked(state.motion.position, rows)
    seen = place if mark.together else _by_way(world.ways, snapshot, rows, position, place, motion)
    way, hidden = level(seen - position, upward, grounded), (seen != place).any(axis=1)
    time_left, cruise = steps * world.dt, model.cruise_speed * model.max_speed
    bodies = _bodies(snapshot, rows, way[:, 2] / time_left)
    velocity_to = level(velocity - motion, upward, grounded)
    unhurried = _unhurried(magnitude(way) / time_left, cruise, model.max_speed)
    share = np.where(bodies.limited, _spared(way, velocity_to, time_left, bodies), unhurried)
    share *= min((steps - 1.0) * world.dt / max(mark.lead, world.dt), 1.0)
    wanted = truncate(picked(force, rows) / model.mass[:, None], strongest) * share[:, None]
    wanted, under_way = level(wanted, upward, grounded), np.zeros(len(rows), dtype=np.bool_)
    return _Approach(rows, steps, way, velocity_to, hidden, change, wanted, cruise, bodies, under_way)


def _by_way(
    ways: Ways | None, snapshot: Snapshot, rows: Rows, position: Vectors, place: Vectors, motion: Vectors
) -> Vectors:
    """Places (m, 3) that move at velocities (m, 3), as vehicles of some rows see them along their ways."""
    if ways is None:
        return place
    return ways.unroll(rows, snapshot.keys[rows], position, place, (motion != 0.0).any(axis=1))


def _unhurried(needed: Scalars, cruise: Scalars, top: Scalars) -> Scalars:
    """The share of what behaviors ask for that counts in a hurry, (m,): 0 for vehicles that need their top speed."""
    easy = UNHURRIED * cruise
    return np.minimum(np.maximum(top - needed, 0.0) / np.maximum(top - easy, EPSILON), 1.0)


def _spared(way: Vectors, velocity: Vectors, time_left: float, bodies: ClimbSpeeds) -> Scalars:
    """As `_unhurried`, for vehicles that climb more slowly than they fly: 0 for those that need their fastest. The
    least push leads from a speed v, where v + d were the even one, to v + d + d / 2."""
    run, up = level_part(way), np.where(way[:, 2] < 0.0, -1.0, 1.0)
    level_speed, climb = dot(velocity, unit(run)), up * velocity[:, 2]
    shares = []
    for even, speed, fastest in (
        (magnitude(run) / time_left, level_speed, bodies.fastest),
        (up * way[:, 2] / time_left, climb, bodies.rate),
    ):
        end = even + 0.5 * np.maximum(even - speed, 0.0)
        shares.append((HARD * fastest - end) / np.maximum((HARD - EASY) * fastest, EPSILON))
    return clamp(np.minimum(shares[0], shares[1]), 0.0, 1.0)


def _weights(approach: _Approach, dt: float) -> tuple[float, float]:
    """The factors of the miss, metres, and of the change of velocity, m/s, in the push of this step, m/s2."""
    k = approach.steps
    first_sum, second_sum = 0.5 * k * (k + 1.0), k * (k + 1.0) * (2.0 * k + 1.0) / 6.0
    if approach.change is None:
        return k / (dt * dt * second_sum), 0.0
    determinant = k * second_sum - first_sum * first_sum
    return (k * k - first_sum) / (dt * dt * determinant), (second_sum - first_sum * k) / (dt * determinant)


def _push(approach: _Approach, wanted: Vectors, dt: float, radius: float) -> Vectors:
    """The push, (m, 3) m/s2, beside what behaviors ask for in this step, (m, 3) m/s2."""
    k = approach.steps
    miss = approach.way - approach.velocity * (k * dt) - wanted * (dt * dt * k)
    if radius > 0.0:
        miss = miss * np.maximum(1.0 - radius / np.maximum(magnitude(miss), EPSILON), 0.0)[:, None]
    of_miss, of_change = _weights(approach, dt)
    push: Vectors = miss * of_miss
    if approach.change is None:
        return _sooner(approach, push, dt)
    return push + (approach.change - wanted * dt) * of_change


def _sooner(approach: _Approach, push: Vectors, dt: float) -> Vectors:
    """The pushes, (m, 3) m/s2, which come sooner where vehicles would have to be too fast at the end. A push of g / 3
    times the least one leads from a speed v, where v + d were the even one, to v + d + d / (g - 1)."""
    k, time_left, bodies = approach.steps, approach.steps * dt, approach.bodies
    limit = min(max(time_left / RESPONSE, 3.0), 0.5 * (k + 1.0) * (2.0 * k + 1.0) / k) / 3.0

    def times(even: Scalars, speed: Scalars, fastest: Scalars) -> Scalars:
        room = np.maximum(fastest - even, EPSILON)
        needed = (1.0 + np.maximum(even - speed, 0.0) / room) / 3.0
        return np.minimum(np.maximum(needed, 1.0), limit)

    limited = bodies.limited
    run = np.where(limited[:, None], level_part(approach.way), approach.way)
    along = times(magnitude(run) / time_left, dot(approach.velocity, unit(run)), HARD * bodies.fastest)
    up = np.where(approach.way[:, 2] < 0.0, -1.0, 1.0)
    rise = times(up * approach.way[:, 2] / time_left, up * approach.velocity[:, 2], EASY * bodies.rate)
    return columns(push[:, 0] * along, push[:, 1] * along, push[:, 2] * np.where(limited, rise, along))


def _due(mark: Mark, approach: _Approach, push: Vectors, dt: float) -> Mask:
    """Whether vehicles have to set off for a mark by now, (m,): not those that come near enough anyway."""
    time_left, bodies = approach.steps * dt, approach.bodies
    run = np.where(bodies.limited[:, None], level_part(approach.way), approach.way)
    run = magnitude(run) + way_of_turn(approach.way, approach.velocity, bodies)
    far = run > UNHURRIED * time_left * np.minimum(approach.cruise, bodies.fastest)
    steep = bodies.limited & (np.abs(approach.way[:, 2]) > UNHURRIED * bodies.rate * max(time_left - BEGINS, 0.0))
    hard = (magnitude(push) > EASILY * bodies.strongest) & (time_left <= EARLIEST * mark.lead)
    soon = time_left <= np.maximum(mark.lead, bodies.circle) + 0.5 * dt
    needed = (push != 0.0).any(axis=1)
    return needed & (soon | far | steep | hard | approach.under_way)


def _each(mark: Mark, approach: _Approach, dt: float) -> tuple[Mask, Vectors]:
    """(m,) whether each vehicle has to set off for a mark, and its acceleration, (m, 3) m/s2."""
    none = np.zeros_like(approach.wanted)
    alone, beside = _push(approach, none, dt, mark.radius), _push(approach, approach.wanted, dt, mark.radius)
    share = _room(alone, approach.wanted + beside, approach.bodies.strongest)
    wanted = approach.wanted * share[:, None]
    push = wanted + _push(approach, wanted, dt, mark.radius)
    push, time_left = _round(approach, push, dt), approach.steps * dt
    push = lead_in_arcs(push, approach.way, approach.velocity, approach.bodies, approach.cruise, time_left)
    # At a corner the least push would turn too late: it spreads the turn over all of the time that is left.
    evenly = (approach.way / time_left - approach.velocity) / max(RESPONSE, dt)
    push = np.where(approach.hidden[:, None], evenly, push)
    return _due(mark, approach, beside, dt), truncate(push, approach.bodies.strongest)


def _round(approach: _Approach, push: Vectors, dt: float) -> Vectors:
    """The accelerations, (m, 3) m/s2, of which those that would turn vehicles back on the spot lead them round. It is a
    level turn where it is limited how steeply they climb."""
    limited, strongest, time_left = approach.bodies.limited[:, None], approach.bodies.strongest, approach.steps * dt
    way, velocity, turn = (np.where(limited, level_part(v), v) for v in (approach.way, approach.velocity, push))
    speed = magnitude(velocity)
    # Shares that grow from 0, and not a switch: a vehicle that was led round on one frame in two would shake.
    behind = -dot(way, velocity) / np.maximum(magnitude(way) * speed, EPSILON)
    back = -dot(velocity + turn * (0.5 * time_left), velocity) / np.maximum(speed * speed, EPSILON)
    share = np.clip(behind / BEHIND, 0.0, 1.0) * np.clip(back / BACK, 0.0, 1.0)
    share = np.where(time_left * strongest > np.pi * speed, share, 0.0)
    rounds = share > 0.0
    if not anybody(rounds):
        return push
    aside = aside_to(way, unit(velocity))
    return np.where(rounds[:, None], push + (aside * strongest[:, None] - turn) * share[:, None], push)


def _together(mark: Mark, approach: _Approach, dt: float) -> tuple[Mask, Vectors]:
    """As `_each`, with the same push for all, by which their middle meets the mark."""
    m = len(approach.rows)
    change = None if approach.change is None else middle_of(approach.change)
    middle = replace(
        approach,
        way=middle_of(approach.way),
        velocity=middle_of(approach.velocity),
        hidden=approach.hidden[:1],
        change=change,
        cruise=approach.cruise.min(keepdims=True),
        bodies=approach.bodies.of_all(),
        under_way=approach.under_way[:1],
    )
    wanted = approach.wanted
    for _ in range(ROUNDS):
        push = np.broadcast_to(_push(middle, middle_of(wanted), dt, mark.radius), (m, 3))
        share = _room(push, approach.wanted + push, approach.bodies.strongest)
        wanted = approach.wanted * share[:, None]
    due = _due(mark, middle, push[:1], dt)
    push = np.broadcast_to(_push(middle, middle_of(wanted), dt, mark.radius), (m, 3))
    return np.broadcast_to(due, (m,)), truncate(wanted + push, approach.bodies.strongest)


def _room(without: Vectors, whole: Vectors, strongest: Scalars) -> Scalars:
    """The largest share of the way from accelerations `without` to `whole` that is within the strength, (m,) 0 to 1.
    With a = without and b = whole - a: |a + s b| <= F for s = (-a.b + sqrt((a.b)^2 + b^2 (F^2 - a^2))) / b^2."""
    change = whole - without
    along, size = dot(without, change), dot(change, change)
    room = np.maximum(strongest * strongest - dot(without, without), 0.0)
    share = (np.sqrt(along * along + size * room) - along) / np.maximum(size, EPSILON)
    share = np.where(size > EPSILON, np.minimum(np.maximum(share, 0.0), 1.0), 1.0)
    return np.where(dot(without, without) >= strongest * strongest, 0.0, share)
