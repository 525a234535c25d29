"""How agents come to what they are after: where it will be, at what pace, and when they have reached it."""

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, firsts, grouped, which
from ..arrays.vectors import Vectors, dot, magnitude, picked, truncate, unit
from ..declaration import Choice
from ..world import Agents, World

PACKED = 0.5
"""The share of the ground that bodies in a throng cover."""
PARALLEL, ACROSS, OPPOSED = 0, 1, 2
INTERCEPTION = (
    (4.0, 1.8, 0.85),  # the quarry is ahead
    (1.0, 0.8, 4.0),  # to the side
    (0.5, 2.0, 2.0),  # behind
)
"""The time to interception in units of distance / max_speed, by where the quarry is and how it heads.

Source: OpenSteer's SimpleVehicle, which switches between the nine numbers. Here they are interpolated, as a step in the
prediction would be a jerk in the path.
"""


def prediction_time(world: World, agents: Agents, quarry: Rows, longest: Scalars) -> Scalars:
    """The time ahead for which the position of each quarry is predicted, (n,) seconds; 0 for a quarry that is reached.

    It grows with the distance, and depends on the relative headings and on whether the quarry is ahead, to the side or
    behind. It is short for a quarry that is behind and heads the same way: the pursuer would run away from it.

    Args:
        quarry: (n,) rows of World.bodies, none negative.
        longest: (n,) the largest time, seconds.
    """
    offset = agents.level(picked(world.bodies.position, quarry) - agents.position)
    ahead = dot(unit(offset), agents.forward)
    # The heading of the motion counts, as a body that is carried may face another way.
    parallel = dot(unit(picked(world.bodies.velocity, quarry)), agents.forward)
    factor = np.zeros(len(agents))
    for share, row in zip((np.maximum(ahead, 0.0), 1.0 - np.abs(ahead), np.maximum(-ahead, 0.0)), INTERCEPTION):
        along = np.maximum(parallel, 0.0) * row[PARALLEL] + np.maximum(-parallel, 0.0) * row[OPPOSED]
        factor += share * (along + (1.0 - np.abs(parallel)) * row[ACROSS])
    direct = magnitude(offset) / np.maximum(agents.max_speed, EPSILON)
    return clamp(direct * factor, 0.0, longest)


def predict_position(world: World, quarry: Rows, time: Scalars) -> Vectors:
    """The position of each quarry if it goes straight on for `time` (n,) seconds, (n, 3) metres."""
    return picked(world.bodies.position, quarry) + picked(world.bodies.velocity, quarry) * time[:, None]


def velocity_to_keep(agents: Agents, target: Vectors, velocity: Vectors, time: Scalars) -> Vectors:
    """The velocity that closes in on a moving point and then accompanies it, (n, 3) m/s, no faster than top speed.

    velocity + (target - position) / time, truncated.

    Args:
        target, velocity: (n, 3) the position and velocity of the point, metres, m/s.
        time: (n,) seconds in which the distance is made up.
    """
    offset = agents.level(target - agents.position)
    return truncate(agents.level(velocity) + offset / time[:, None], agents.max_speed)


PACES = (
    Choice("MAX_SPEED", 0, "Top Speed", "As fast as it can"),
    Choice(
        "CURRENT_SPEED", 1, "Own Pace", "At the speed that it has, or at cruise speed if it is slower: it only turns"
    ),
)
MAX_SPEED, CURRENT_SPEED = (c.number for c in PACES)


def desired_speed(pace: Rows, agents: Agents) -> Scalars:
    """The length of the desired velocity, (n,) m/s; `pace` (n,) holds numbers of PACES.

    At their own pace those that were stopped wish for cruise speed, or they would never wish to go on.
    """
    own = np.maximum(agents.speed, agents.cruise_speed)
    return np.where(pace == CURRENT_SPEED, own, agents.max_speed)


def turn_to(offset: Vectors, agents: Agents) -> Vectors:
    """Seek at the agent's own speed and in units of it, (n, 3), cut at length 1; zero for an offset of zero.

    unit(offset) - velocity / speed

    Args:
        offset: (n, 3) from the agents to their targets, metres.
    """
    desired_direction = unit(agents.level(offset))
    heading = agents.velocity / np.maximum(agents.speed, EPSILON)[:, None]
    turn = truncate(desired_direction - heading, 1.0)
    return np.where((magnitude(desired_direction) > 0.5)[:, None], turn, 0.0)


def are_at(world: World, agents: Agents, target: Rows, within: Scalars) -> Mask:
    """Whether the agents have reached their targets during the last step, (n,); a swept test.

    Args:
        target: (n,) rows of World.bodies, -1 for none.
        within: (n,) the distance from the middle of the target that counts as reached, metres; 0 if the bodies have to
            touch.
    """
    row = np.maximum(target, 0)
    position = picked(world.bodies.position, row)
    offset = agents.level(position - agents.position)
    covered = agents.level(agents.velocity - picked(world.bodies.velocity, row)) * world.dt
    # The share of the last step, relative to the target and back in time, at which the agent was nearest to it.
    back = clamp(-dot(offset, covered) / np.maximum(dot(covered, covered), EPSILON), 0.0, 1.0)
    near = np.where(within > 0.0, within, agents.radius + world.bodies.radius[row])
    touched: Mask = (target >= 0) & (magnitude(offset + covered * back[:, None]) <= near)
    if world.ways is not None and anybody(touched):
        # One that stands below a goal upstairs has not reached it.
        by_way = world.by_way(agents, np.where(touched[:, None], position, np.nan), world.bodies.moves(row))
        touched = touched & (magnitude(agents.level(by_way - agents.position) + covered * back[:, None]) <= near)
    return touched


def at_stop(world: World, agents: Agents, body: Rows, beside: Scalars) -> Mask:
    """Whether agents that go from one body to the next have reached this one, (n,): within *Arrives Within*, or else as
    near as those on the ground that are nearer to it leave room, as all of a throng cannot touch a point at once.

    Args:
        body: (n,) rows of World.bodies, -1 for none.
        beside: (n,) how far from touching it they may pass, metres.
    """
    touching = agents.radius + world.bodies.radius[np.maximum(body, 0)] + beside + _room_of_nearer(world, agents, body)
    return are_at(world, agents, body, np.where(agents.arrival_distance > 0.0, agents.arrival_distance, touching))


def _room_of_nearer(world: World, agents: Agents, body: Rows) -> Scalars:
    """The radius of the disc that those fill who go to the same body and are nearer to it, (n,) metres."""
    room, rows = np.zeros(len(agents)), which((body >= 0) & agents.grounded)
    offset = agents.level_of(picked(world.bodies.position, body[rows]) - picked(agents.position, rows), rows)
    _, order, _ = grouped(body[rows], magnitude(offset))
    order = rows[order]
    filled = np.cumsum(agents.radius[order] * agents.radius[order]) - agents.radius[order] * agents.radius[order]
    first = firsts(body[order])
    filled -= np.repeat(filled[first], np.diff(np.append(first, len(order))))
    room[order] = np.sqrt(filled / PACKED)
    return room
