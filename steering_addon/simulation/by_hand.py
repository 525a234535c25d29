"""By hand: vehicles that an animator's guides lead for a while (Blumberg & Galyean 1995: direction at the motor level).

A body moves as usual, and then its position follows its guide. Its velocity and its heading follow from that, so that
it leans into the turns of its guide, and others see it. A vehicle that keeps to the ground follows along the ground.

A guide that begins on its vehicle is followed from its first frame on. Where it begins elsewhere, taking over neither
moves the vehicle suddenly nor changes its velocity suddenly. With s the share of the time T that has passed since then,
g and v the place and the velocity of the vehicle relative to its guide at that moment,

    g (1 - 10 s^3 + 15 s^4 - 6 s^5) + v T (s - 6 s^3 + 8 s^4 - 3 s^5)

is what is left of them: a quintic that begins and ends without acceleration. T is the shortest time for which its
acceleration stays within the vehicle's own.
"""

from dataclasses import dataclass

import numpy as np

from .arrays.angles import cosine_and_sine
from .arrays.frozen import replace
from .arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody
from .arrays.vectors import Vectors, dot, magnitude, picked, unit
from .ground import aside_to, flat, level, of_rows, upright
from .guides import Guidance
from .locomotion import Moved
from .snapshot import Snapshot, State
from .vehicle import VehicleModel
from .world import World

STILL = 0.005
"""Share of the top speed below which a vehicle that is led keeps its heading."""
ON_IT = 0.001
"""Metres from its guide within which a vehicle is on it."""
ROUNDING = 1e-9
"""Share of a speed."""
OF_PLACE, OF_VELOCITY = 5.78, 3.94
"""The largest accelerations of the quintic, for g = T = 1 and for v = T = 1."""


@dataclass(frozen=True)
class Hands:
    """The guides of m vehicles during a step. `rows`: (m,) the vehicles, rising; `share`: (m,) how far each follows its
    guide, 0 to 1; `before`, `after`: (m, 3) where the guides are at the beginning and at the end of the step,
    metres."""

    rows: Rows
    share: Scalars
    before: Vectors
    after: Vectors


@dataclass(frozen=True)
class Led:
    """Where guides have led vehicles in a step. `moved`: all n vehicles; `hand`: (n,) those that follow a guide;
    `memory`: m rows."""

    moved: Moved
    hand: Mask
    memory: Guidance


def hands_at(before: Snapshot, after: Snapshot, substep: int) -> Hands | None:
    """The guides of vehicles during a step between two frames; None if there are none. A guide leads from a frame to
    the next if it does on both, and so neither to its first frame nor from its last."""
    if before.guides is None or after.guides is None:
        return None
    share = np.minimum(before.guides.share, after.guides.share)
    shift = after.guides.place - before.guides.place
    begin, end = (before.guides.place + shift * (fraction / before.substeps) for fraction in (substep, substep + 1))
    return Hands(before.guides.rows, share, begin, end)


def let_go(state: State, snapshot: Snapshot, dt: float) -> Snapshot:
    """The snapshot in which no vehicle that a guide has made faster than its top speed is stopped short. As where a
    state slows vehicles down, the top speed falls no faster than a vehicle can brake."""
    if snapshot.guides is None or state.guidance is None or not anybody(state.guidance.fast):
        return snapshot
    model, rows = snapshot.vehicle, snapshot.guides.rows
    slower = magnitude(picked(state.motion.velocity, rows)) - (model.max_force / model.mass)[rows] * dt
    top = np.array(model.max_speed)
    top[rows] = np.where(state.guidance.fast, np.maximum(top[rows], slower), top[rows])
    return replace(snapshot, vehicle=model.with_columns({"max_speed": top}))


def lead_by_hand(hands: Hands, state: State, snapshot: Snapshot, world: World, moved: Moved) -> Led:
    """Where the vehicles are that follow their guides in a step. `state`: before the step; `snapshot`: the vehicles
    present; `moved`: all of them without guides."""
    rows, dt, model = hands.rows, world.dt, snapshot.vehicle.take(hands.rows)
    upward, grounded = of_rows(world.upward, rows), snapshot.grounded[rows]
    start, speed = picked(state.motion.position, rows), picked(state.motion.velocity, rows)
    drift = speed - (hands.after - hands.before) / dt
    memory = _taking_over(
        state.guidance or Guidance.blank(len(rows)),
        (hands.share > 0.0) & snapshot.present[rows],
        level(start - hands.before, upward, grounded),
        level(drift, upward, grounded),
        np.maximum(model.max_force / model.mass, EPSILON),
        dt,
    )
    free = picked(moved.position, rows)
    # How far vehicles are from their guides.
    s = np.minimum(memory.age / np.maximum(memory.lasts, EPSILON), 1.0)
    cube = s * s * s
    of_gap = 1.0 - cube * (10.0 - 15.0 * s + 6.0 * s * s)
    of_drift = memory.lasts * (s - cube * (6.0 - 8.0 * s + 3.0 * s * s))
    remaining = memory.gap * of_gap[:, None] + memory.drift * of_drift[:, None]
    shift = level((hands.after + remaining - free) * hands.share[:, None], upward, grounded)
    end, motion = free + shift, picked(moved.velocity, rows) + shift / dt
    heading = _heading(snapshot, state, model, rows, end, level(motion, upward, grounded), dt)
    led = {}
    for name, new in (("position", end), ("velocity", motion), ("forward", heading)):
        led[name] = column = getattr(moved, name).copy(order="K")
        column[rows] = np.where(memory.follows[:, None], new, picked(column, rows))
    hand = np.zeros(len(state), dtype=np.bool_)
    hand[rows] = memory.follows
    # The top speed is as `let_go` raised it, and rounding may leave it short of that.
    at_top = magnitude(picked(led["velocity"], rows)) >= (1.0 - ROUNDING) * model.max_speed
    fast = (memory.follows | memory.fast) & at_top
    return Led(replace(moved, **led), hand, replace(memory, fast=fast))


def _taking_over(
    memory: Guidance, follows: Mask, gap: Vectors, drift: Vectors, strongest: Scalars, dt: float
) -> Guidance:
    """The memory at the end of a step, of those that follow their guides in it. `gap`, `drift`: (m, 3) relative to the
    guides at the beginning of the step, metres and m/s; `strongest`: (m,) acceleration, m/s2."""
    begins = follows & ~memory.follows
    if anybody(begins):
        distance, rate = magnitude(gap), OF_VELOCITY * magnitude(drift)
        lasts = (rate + np.sqrt(rate * rate + 4.0 * strongest * OF_PLACE * distance)) / (2.0 * strongest)
        lasts = np.where(distance > ON_IT, lasts, 0.0)
        memory = replace(
            memory,
            age=np.where(begins, 0.0, memory.age),
            lasts=np.where(begins, lasts, memory.lasts),
            gap=np.where(begins[:, None], gap, memory.gap),
            drift=np.where(begins[:, None], drift, memory.drift),
        )
    return replace(memory, follows=follows, age=memory.age + dt)


def _heading(
    snapshot: Snapshot, state: State, model: VehicleModel, rows: Rows, position: Vectors, motion: Vectors, dt: float
) -> Vectors:
    """The headings of vehicles led to places with velocities, (m, 3) each: along their way, turned as fast as they can.
    A car turns as if its front were pulled: its rear axle rolls toward where its front goes."""
    before, axle = picked(state.motion.forward, rows), snapshot.handling.axle[rows]
    course, rate = unit(motion), snapshot.handling.turn_rate[rows]
    still = magnitude(motion) <= STILL * model.max_speed
    heading = np.where(still[:, None], before, turned_to(before, course, np.minimum(rate * dt, np.pi)))
    wheeled = np.isfinite(axle)
    if anybody(wheeled):
        rear = picked(state.motion.position, rows) - before * np.where(wheeled, axle, 0.0)[:, None]
        pulled = unit(flat(position - rear, upright(len(rows))))
        heading = np.where(wheeled[:, None], pulled, heading)
    return heading


def turned_to(heading: Vectors, course: Vectors, angle: Scalars) -> Vectors:
    """Unit headings turned toward unit directions, (m, 3) each, by at most (m,) radians."""
    cosines, sines = cosine_and_sine(angle)
    turned = unit(cosines[:, None] * heading + sines[:, None] * aside_to(course, heading))
    return np.where((dot(course, heading) >= cosines)[:, None], course, turned)
