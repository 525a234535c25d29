"""Braking, for behaviors that slow down without turning away; and which of two that come into one lane goes first."""

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars
from ..arrays.vectors import Vectors, cross, dot, magnitude, picked
from ..world import Agents, World

COMFORT = 0.5
"""Share of the strongest braking that they plan with; the rest is a reserve."""
COASTS = 0.1
"""Share of the strongest braking that the engine does once the foot is off the accelerator."""
LIGHTS = 1.2 * COASTS
"""The same from which on another is seen to brake."""
CREEP = 0.25
"""Share of the cruise speed at which they close up to what they brake for: no faster, unless they already are."""
NEAR = 3.0
"""Distance from where they have to stop, as half lengths of their bodies, within which they no longer close up."""
MARGIN = 0.1
"""Metres added to the range of perception, so that rounding does not decide whether a neighbor is considered."""
ABREAST = 0.02
"""Share of the distance to the left by which one that comes from the right counts as further ahead."""
SOONEST = 2.0
"""Seconds in which the room is made, at least: one that already is beside another falls back no faster and rolls on."""
LEAST = 0.7
"""Share of the speed of the other that it keeps: where each in a row makes room for the next, the last would stop."""


def brake(agents: Agents, allowed: Scalars) -> Vectors:
    """The force that slows agents down to an allowed speed, (n, 3) newtons; `allowed` is (n,) m/s. Drivers are left to
    their reactions: they obey the limit of speed alone."""
    over = np.where(agents.handling.reaction > 0.0, 0.0, np.minimum(allowed - agents.speed, 0.0))
    return agents.forward * (agents.mass * over / agents.vehicle.response_time)[:, None]


def stopping_distance(agents: Agents, speed: Scalars | None = None) -> Scalars:
    """(n,) metres in which agents react and stop with COMFORT of their braking, v t + v^2 / (2 COMFORT agility).
    `speed`: (n,) m/s; that of the agents by default."""
    speed = agents.speed if speed is None else speed
    return speed * speed / np.maximum(2.0 * COMFORT * agents.agility, EPSILON) + speed * agents.handling.reaction


def speed_to_stop(agents: Agents, agent: Rows, room: Scalars, ahead: Scalars | float = 0.0) -> Scalars:
    """The speeds from which agents can still react and stop within metres, (p,) m/s, as of `speed_within`. `agent`,
    `room`, `ahead`: (p,) the agent of each, metres, and the speed of what is ahead, m/s."""
    return speed_within(COMFORT * agents.agility[agent], agents.handling.reaction[agent], room, ahead)


def speed_within(brakes: Scalars, reaction: Scalars | float, room: Scalars, ahead: Scalars | float = 0.0) -> Scalars:
    """The speeds from which one can still react and stop within metres, (p,) m/s.

    v = sqrt((b t)^2 + w^2 + 2 b room) - b t (Gipps 1981); w is the speed of what is ahead, which may brake as they do.
    `brakes`: (p,) b, the braking that it plans with, m/s2; `reaction`: (p,) t, seconds; `ahead`: (p,) w, m/s.
    """
    reacting = brakes * reaction
    squared = reacting * reacting + ahead * ahead + 2.0 * brakes * np.maximum(room, 0.0)
    return np.sqrt(squared) - reacting


def limit_approach(agents: Agents, agent: Rows, allowed: Scalars, ahead: Scalars | float) -> Scalars:
    """Allowed speeds of agents that brake for something, so that none speeds up toward it; (p,) m/s.

    Where the allowed speed is below the top speed, an agent keeps to its speed, to that of what is ahead of it, or to a
    slow approach, whichever is the fastest. Near to where it has to stop it does not close up, but waits. `agent`: (p,)
    the agent of each; `allowed`: (p,) the speed from which it can still stop, m/s; `ahead`: (p,) the speed along its
    way of what it brakes for, m/s.
    """
    far = allowed > speed_to_stop(agents, agent, NEAR * agents.extent[agent])
    slow = np.maximum(np.where(far, CREEP * agents.cruise_speed[agent], 0.0), ahead)
    held = np.minimum(allowed, np.maximum(agents.speed[agent], slow))
    return np.where(allowed < agents.max_speed[agent], held, allowed)


def room_between(world: World, agents: Agents, agent: Rows, body: Rows, cosine: Scalars) -> tuple[Scalars, Scalars]:
    """The distances of the middles of bodies along and across the way of an agent at which they touch, (p,) metres.
    `agent`, `body`: (p,) pairs of an agent and a body; `cosine`: (p,) between the way and the heading of the body."""
    touching = agents.radius[agent] + world.bodies.radius[body]
    half = world.bodies.half_axis
    if half is None:
        return touching, touching
    share = np.minimum(np.abs(cosine), 1.0)
    along = half[agents.rows[agent]] + half[body] * share
    return touching + along, touching + half[body] * np.sqrt(1.0 - share * share)


def is_ahead(world: World, agents: Agents, agent: Rows, body: Rows, offset: Vectors) -> Mask:
    """The pairs in which the body goes first where both ways meet, (p,): it is nearer to that place.

    With d the distances of both to the place and c the cosine between their headings,

        offset . (heading + heading of the other) = (d - d of the other) (1 + c)

    Of two abreast the right one goes first. Of a pair one is ahead for the other or the other way round, never both.

    Args:
        agent, body: (p,) pairs of an agent and a body.
        offset: (p, 3) from the agent to the body, metres.
    """
    course = picked(agents.forward, agent) + picked(world.bodies.forward, body)
    upward = picked(agents.upward, agent)
    return dot(offset, course + ABREAST * cross(course, upward)) > 0.0


def meet_in(aside: Vectors, drift: Vectors, width: Scalars) -> Scalars:
    """The time until others that come nearer to a lane are in it, (p,) seconds; inf for those that do not. `aside`,
    `drift`: (p, 3) how far each is to the side, metres, and how fast it moves aside, m/s; `width`: (p,) metres to
    either side."""
    distance = magnitude(aside)
    closing = -dot(aside, drift) / np.maximum(distance, EPSILON)
    beyond = np.maximum(distance - width, 0.0)
    return np.where(closing > 0.0, beyond / np.where(closing > 0.0, closing, 1.0), np.inf)


def speed_to_fall_back(others_speed: Scalars, room: Scalars, time: Scalars) -> Scalars:
    """The speed at which an agent has room behind another one when they meet, (p,) m/s: that of the other at most,
    and LEAST of it at least.

    Args:
        others_speed: (p,) along the lane, m/s.
        room: (p,) behind the other now, metres; negative beside it.
        time: (p,) until they meet, seconds.
    """
    return np.maximum(others_speed + np.minimum(room, 0.0) / np.maximum(time, SOONEST), LEAST * others_speed)
