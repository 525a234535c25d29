"""How agents come to what they are after: where it will be, at what pace, and when they have reached it; and escape it.

What comes at an agent faster than it can run is not outrun, only dodged: of all ways at a speed v, the one that leaves
the most room to a threat of speed w on its straight line makes an angle with it of which the cosine is v / w. Source:
Weihs and Webb, Optimal avoidance and evasion tactics in predator-prey interactions, 1984.
"""

from types import MappingProxyType

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, firsts, grouped, which
from ..arrays.vectors import Vectors, across, dot, magnitude, picked, truncate, unit
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
REACTION = "Time in which it reacts: what comes at it counts from as much farther away as it comes nearer meanwhile"
"""The tooltip of reaction times."""
GATHERED = 0.5
"""The share of its speed that an agent has in the mean until it has turned and gathered it."""
LEAVES = 0.7
"""The share of its cruise speed from which on an agent lets go of what goes away."""


def prediction_time(world: World, agents: Agents, quarry: Rows, longest: Scalars) -> Scalars:
    """The time ahead for which the position of each quarry is predicted, (n,) seconds; 0 for a quarry that is reached.

    It grows with the distance, and depends on the relative headings and on whether the quarry is ahead, to the side or
    behind. It is short for a quarry that is behind and heads the same way: the pursuer would run away from it.
    `quarry`: (n,) rows of World.bodies, none negative; `longest`: (n,) the largest time, seconds.
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

    velocity + (target - position) / time, truncated

    `target`, `velocity`: (n, 3) the position and velocity of the point, metres, m/s; `time`: (n,) seconds in which the
    distance is made up.
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
AT_OWN_PACE = MappingProxyType({"pace": "CURRENT_SPEED"})
"""With this begins what leads those on the ground to a place: who is sent somewhere walks, and runs if it has to."""


def desired_speed(pace: Rows, agents: Agents) -> Scalars:
    """The length of the desired velocity, (n,) m/s; `pace` (n,) holds numbers of PACES. At their own pace those that
    were stopped wish for cruise speed, or they would never wish to go on."""
    return np.where(pace == CURRENT_SPEED, agents.own_pace, agents.max_speed)


def at_pace(pace: Rows, agents: Agents, speed: Scalars) -> tuple[Scalars, Mask]:
    """A speed, (n,) m/s, no higher than a pace allows, and whether it is set, (n,): at their own pace agents that need
    not be slower only turn."""
    desired = desired_speed(pace, agents)
    return np.minimum(speed, desired), (pace == MAX_SPEED) | (speed < desired)


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

    def reached(offset: Vectors) -> Mask:
        nearest = offset + covered * back[:, None]
        # Behind a long body an agent touches it far from its middle.
        apart = np.where((within > 0.0)[:, None], nearest, world.bodies.between(nearest, agents.rows, row))
        within_it: Mask = magnitude(apart) <= near
        return within_it

    touched: Mask = (target >= 0) & reached(offset)
    if world.ways is not None and anybody(touched):
        # One that stands below a goal upstairs has not reached it.
        by_way = world.by_way(agents, np.where(touched[:, None], position, np.nan), world.bodies.moves(row))
        touched = touched & reached(agents.level(by_way - agents.position))
    return touched


def at_stop(world: World, agents: Agents, body: Rows, beside: Scalars) -> Mask:
    """Whether agents that go from one body to the next have reached this one, (n,): within *Arrives Within*, or else as
    near as those on the ground that are nearer to it leave room, as all of a throng cannot touch a point at once.
    `body`: (n,) rows of World.bodies, -1 for none; `beside`: (n,) how far from touching it they may pass, metres."""
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


def comes_near(
    world: World, agents: Agents, threat: Rows, gap: Scalars, distance: Scalars, reaction_time: Scalars
) -> Mask:
    """Whether threats are nearer than a distance, or are going to be within a reaction time, (n,).

    What goes away about as fast as an agent cruises is not run from any longer.

    Args:
        threat: (n,) rows of World.bodies, -1 for none.
        gap, distance: (n,) metres; a distance of 0 is any distance.
    """
    row = np.maximum(threat, 0)
    offset = agents.level(agents.position - picked(world.bodies.position, row))
    approach = dot(picked(world.bodies.velocity, row), unit(offset))
    near: Mask = (gap < distance + reaction_time * np.maximum(approach, 0.0)) | (distance == 0.0)
    return near & (threat >= 0) & (approach >= -LEAVES * agents.cruise_speed)


def darting(agents: Agents, speed: Scalars, near: Mask) -> Scalars:
    """The speeds, (n,) m/s, at which agents run that dart from threats which are near."""
    return np.where(near, speed * agents.handling.dart, speed)


def dodged(world: World, agents: Agents, threat: Rows, places: Vectors, speed: Scalars) -> Vectors:
    """The places to run from, (n, 3) metres, moved so that agents leave the way of threats that are faster.

    Others keep their places, to the last bit. `threat`: (n,) rows of World.bodies, none negative; `places`: (n, 3)
    where the threats are or will be, metres; `speed`: (n,) at which the agents run, m/s.
    """
    velocity = agents.level(picked(world.bodies.velocity, threat))
    offset = agents.level(agents.position - picked(world.bodies.position, threat))
    # One that turns with its prey comes along a bend: the chord of that leads half a right angle aside at most.
    pace = magnitude(velocity)
    bend = across(agents.level(picked(world.bodies.acceleration, threat)), unit(velocity))
    velocity = velocity + truncate(bend * (0.5 * magnitude(offset) / np.maximum(pace, EPSILON))[:, None], pace)
    faster = np.maximum(magnitude(velocity), EPSILON)
    approach = np.maximum(dot(velocity, unit(offset)) / faster, 0.0)
    share = np.maximum(1.0 - GATHERED * speed / faster, 0.0) * approach
    if not anybody(share > 0.0):
        return places
    # Which side is the nearer one depends on where both are going to be, if they go straight on.
    course = unit(agents.level(agents.velocity) - velocity)
    aside = offset - course * dot(offset, course)[:, None]
    on_the_way = magnitude(aside) < EPSILON
    if anybody(on_the_way):
        aside = np.where(on_the_way[:, None], agents.level(agents.side), aside)
    straight = (1.0 - share)[:, None]
    out = agents.away_from(places) * straight + unit(aside) * np.sqrt(1.0 - straight * straight)
    return np.where((share > 0.0)[:, None], agents.position - unit(out), places)
