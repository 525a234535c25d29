"""Coming to a stop at a place (paper, Arrival), or, where that is taken, beside it instead of pushing for it."""

import numpy as np

from ..arrays.scalars import EPSILON, Rows, Scalars, shared, which
from ..arrays.vectors import Vectors, across, dot, magnitude
from ..memory import recently
from ..settling import Settling
from ..world import Agents, World

BRAKING = 0.8
"""Share of max_force that is planned for slowing down; the rest keeps it on course."""
QUICKEST = 0.1
"""Seconds, or a step if that is longer: the vehicle model takes any quicker braking for a wish to turn round."""

SLOWEST = 1.5
"""Multiple of the speed below which a body stands that it keeps on the last way to a place."""

AHEAD = 0.7
"""Cosine of the angle off the heading within which a place lies ahead."""
PATIENCE = 1.5
"""Seconds without getting nearer after which an agent settles, besides those it needs to turn round and to stop."""
NEARER = 0.25
"""How much nearer counts as getting nearer, in radii of the agent."""
RESUMES = 0.5
"""How much further away its place may move before an agent goes to it again, as a share of the zone round the place."""


def speed_to_stop(
    agents: Agents, direction: Vectors, distance: Scalars, slowing_distance: Scalars, dt: float
) -> tuple[Scalars, Scalars]:
    """The speed at which an agent can still stop at a place, (n,) m/s, and the time in which it takes it up, (n,) s.

    The paper's ramp from the slowing distance down to zero, or the braking distance of the vehicle if that is longer; a
    place to the side is approached no faster than turns allow. `direction`: (n, 3) unit vectors in which the agents go
    to their places; `dt`: the step, seconds.
    """
    # ramp_time >= 4 response_time is critical damping: it does not swing about the target.
    ramp_time = slowing_distance / np.maximum(agents.max_speed, EPSILON)
    ramp_time = np.maximum(ramp_time, 4.0 * max(QUICKEST, dt))
    response_time = np.minimum(agents.vehicle.response_time, ramp_time / 4.0)
    ramped_speed = distance / ramp_time
    stopping_speed = np.sqrt(2.0 * BRAKING * agents.agility * distance)
    speed, response_time = up_to_the_place(agents, direction, distance, ramped_speed, response_time, dt)
    # At a higher speed than that at which its tightest circle leads there, an agent would circle its target.
    off_course = np.where(dot(direction, agents.forward) > 0.0, magnitude(across(direction, agents.forward)), 1.0)
    turning_speed = agents.handling.turn_rate * distance / (2.0 * np.maximum(off_course, EPSILON))
    speed = np.minimum(np.minimum(speed, stopping_speed), turning_speed)
    return np.minimum(speed, agents.max_speed), response_time


def up_to_the_place(
    agents: Agents, direction: Vectors, distance: Scalars, speed: Scalars, response_time: Scalars, dt: float
) -> tuple[Scalars, Scalars]:
    """The speed on the last way to a place, (n,) m/s, and the time in which it is taken up, (n,) seconds.

    A body that stands instead of creeping would stop short of it where the ramp falls below that speed: it keeps one at
    which it still goes, down to the shortest ramp. One that is past the place already may stand.

    Args:
        direction: (n, 3) unit vectors to the place.
        distance: (n,) metres to the place.
        speed, response_time: (n,) what the place and the vehicle ask for, m/s and seconds.
        dt: the step, seconds.
    """
    slowest = agents.handling.slowest_share * agents.cruise_speed
    # One that goes round to what is behind it would take quicker braking for a wish to turn round.
    quickest = np.where(agents.handling.swings_round, response_time, max(QUICKEST, dt))
    creeping = np.minimum(SLOWEST * slowest, distance / (4.0 * quickest))
    creeps = (creeping > speed) & (dot(direction, agents.forward) > AHEAD)
    return np.where(creeps, creeping, speed), np.where(creeps, np.minimum(response_time, quickest), response_time)


def slower(agents: Agents, stopping_time: Scalars | float, dt: float) -> Scalars:
    """The speed after a step in which agents brake, in a time in which they would stop from top speed, (n,) m/s."""
    return np.maximum(agents.speed - agents.max_speed / stopping_time * dt, 0.0)


def braking_distance(agents: Agents, speed: Scalars) -> Scalars:
    """The way in which each agent stops from a speed, (n,) m/s; (n,) metres."""
    return speed * speed / (2.0 * BRAKING * np.maximum(agents.agility, EPSILON))


def settle(world: World, agents: Agents, memory: Settling, target: Rows, distance: Scalars, zone: Scalars) -> Settling:
    """How agents get on with coming to their places, after a step.

    An agent settles in the zone round its place, or round those who have settled there, if another one, whatever its
    crowd, is nearer to the same place. It continues when it is the nearest itself, or when the place moves away.

    Args:
        target: (n,) what each agent goes to, as a row of World.bodies; -1 for nothing.
        distance: (n,) from the agent to its place, metres.
        zone: (n,) metres round the place, or beyond the furthest agent that has settled there.
    """
    distance = np.where(target >= 0, distance, 0.0)
    others = _others_at_places(world, agents)
    places, gaps = np.append(target, others.target), np.append(distance, others.distance)
    settled = np.append(memory.settled, others.settled)
    throng = _of_target(np.maximum, places, np.where(settled, gaps, 0.0), 0.0)[target]
    leads = distance <= _of_target(np.minimum, places, gaps, np.inf)[target]
    near = (target >= 0) & (distance > agents.radius) & (distance < throng + zone) & ~leads
    stays = memory.settled & near & (distance < memory.nearest + RESUMES * zone)
    nearer = distance < memory.nearest - NEARER * agents.radius
    time = np.where(near, memory.time + world.dt, np.maximum(memory.time - world.dt, 0.0))
    time = np.where(stays | nearer, 0.0, time)
    turning = np.pi / np.maximum(agents.handling.turn_rate, EPSILON)
    stopping = agents.max_speed / np.maximum(agents.agility, EPSILON)
    settles = near & (time > PATIENCE + np.maximum(turning, stopping))
    nearest = np.where(stays | (near & ~nearer & ~settles), memory.nearest, distance)
    return Settling(nearest, time, stays | settles, target, distance, shared(world.time, len(agents)))


def _others_at_places(world: World, agents: Agents) -> Settling:
    """How the others get on that go to places, or stand there, by other settings than these agents."""
    known = world.settling
    if known is None or len(agents) == world.vehicles:
        return Settling.blank(0)
    goes = world.bodies.present[: world.vehicles] & recently(known.asked, world.time, world.interval)
    goes[agents.rows] = False
    return known.take(which(goes))


def _of_target(extreme: np.ufunc, target: Rows, value: Scalars, without: float) -> Scalars:
    """The least or greatest value among the agents with each target, by its row; the last is of those without one."""
    of_target = np.full(int(target.max(initial=-1)) + 2, without)
    extreme.at(of_target, target, value)
    return of_target
