"""Passages: who goes first where ways are too narrow for two side by side, and who keeps to which side where they are
hardly wider.

A passage belongs to one direction at a time: to that of the agent with the highest turn among all who come to it,

    turn = metres that it has come into the passage + RATE seconds that it has let others pass

where metres before the passage are negative, and one within it has INSIDE more. Those inside pass in any case before
the direction changes; of those behind them a bunch does, as FOLLOWS of the turn of the foremost counts for them. The
others wait beside the mouth, out of the way of those who come out, and who is inside goes back out.

Where two fit side by side, but few more, streams that meet share the way: each keeps to the right of its middle, and
before it as well, so that those who come out find their side free. Otherwise the first of both streams stand before
each other across all of it.
"""

import numpy as np

from ..arrays.frozen import replace
from ..arrays.scalars import Mask, Scalars, all_of, anybody, clamp, distinct_rows, which
from ..arrays.vectors import Vectors, dot, magnitude, picked, unit
from ..lane_use import OPPOSITE, SAME, Passing
from ..nearby.neighbors import ALL_ROUND, EVERYONE
from ..world import Agents, World
from .over_ground import Ways

RATE = 0.06
"""Metres that a second of waiting counts: after half a minute those wait who are two metres nearer."""
INSIDE = 3.0
"""Metres that being inside counts: nobody enters against one who gets on."""
FOLLOWS = 0.25
"""Share of the turn of the foremost inside that counts for those who follow: a longer passage is held for longer, as it
takes longer until it is clear for the others."""
ASIDE, CLEAR = 3.4, 2.8
"""Radii beside the middle of a passage where agents wait, and from where on they are out of the way: another fits
between those on either side."""
BEFORE, SLOWS = 0.6, 2.5
"""Radii before the passage where they wait, and from there within which they slow down."""
MEETS = 5.0
"""Metres within which agents that share a way keep to one side."""
APART, REACH = 0.25, 3.0
"""Radii from the middle of a shared way that bodies keep free, and ahead within which they go over to their side."""
NEAR = 3.0
"""Radii before the passage within which an agent that others hold up heads for its middle."""


def let_pass(
    world: World, ways: Ways, agents: Agents, course: Vectors, held_up: Mask, travels: Mask, memory: Passing
) -> tuple[Vectors, Passing]:
    """The courses, (n, 3) m/s, of agents that let others pass or are let pass, and what they remember. `course`: (n, 3)
    along their ways, m/s; `held_up`: (n,) the agents that hardly get on; `travels`: (n,) the agents that go by ways."""
    n, time = len(agents), np.full(len(agents), world.time)
    place, middle, through, inside, room = ways.passages(agents.rows, agents.goal)
    known = np.isfinite(place[:, 0]) & np.isfinite(world.way_left[agents.rows]) & travels
    if not anybody(known):
        return course, replace(Passing.blank(n), asked=time)
    lets, meets, beside = _turns(world, agents)
    lets, inside = lets & known, inside & known
    offset = agents.level(np.where(known[:, None], place - agents.position, 0.0))
    comes = np.where(inside[:, None], course, offset)
    through = np.where(known[:, None], through * np.where(dot(through, comes) < 0.0, -1.0, 1.0)[:, None], 0.0)
    entry = np.where(inside[:, None], memory.entry, agents.position)
    come = np.where(inside, magnitude(agents.position - entry), -magnitude(offset))
    waited = np.where(known, memory.waited + np.where(lets, world.dt, 0.0), 0.0)
    place, middle = (np.where(known[:, None], column, np.nan) for column in (place, middle))
    room = np.where(known, room, 0.0)
    memory = Passing(place, middle, through, room, entry, come, inside, lets, waited, time)
    before = dot(offset, through)
    lateral = offset - through * before[:, None]
    near = memory.single & meets & ~lets & held_up & (before > 0.0) & (before < NEAR * agents.radius)
    # An agent at a jamb gets off it first.
    to_middle = unit(offset - through * np.where(inside, magnitude(lateral), 0.0)[:, None])
    course = np.where(near[:, None], to_middle * magnitude(course)[:, None], course)
    # Two abreast in a mouth would hold each other.
    course = np.where((beside & ~inside & held_up & (before < NEAR * agents.radius))[:, None], 0.0, course)
    course = _keeping_right(world, agents, course, memory, lateral)
    waiting = _waiting(agents, through, before, lateral, inside)
    return np.where(lets[:, None], waiting, course), memory


def _keeping_right(world: World, agents: Agents, course: Vectors, passing: Passing, lateral: Vectors) -> Vectors:
    """The courses, (n, 3) m/s, with agents that meet others where streams share a way turned to its right side.
    `passing`: of the agents; `lateral`: (n, 3) metres across to the middle of the way."""
    met, rows = world.passing, which(passing.shared)
    if met is None or not len(rows):
        return course
    m, through, radius = len(rows), picked(passing.through, rows), agents.radius[rows]
    distance, view, nobody_chosen = np.full(m, MEETS), np.full(m, ALL_ROUND), np.full(m, -1)
    near = world.neighbors(agents.take(rows), distance, view, np.full(m, EVERYONE), nobody_chosen).together()
    agent, other = near.agent, np.minimum(near.body, world.vehicles - 1)
    against = dot(picked(through, agent), picked(met.through, other)) < -OPPOSITE
    against &= met.shared[other] & (near.body < world.vehicles)
    against &= dot(near.offset, picked(through, agent)) > -radius[agent]
    comes = np.bincount(agent[against], minlength=m) > 0
    right, wished = -agents.left_of(passing.through)[rows], picked(course, rows)
    room, beside = passing.room[rows], -dot(picked(lateral, rows), right)
    least = np.minimum(room, (1.0 + APART) * radius)
    aside = clamp(beside, least, np.maximum(least, room - APART * radius)) - beside
    ahead = unit(wished) * (REACH * radius)[:, None]
    way: Vectors = ahead + np.multiply(aside[:, None], right)
    kept = course.copy()
    kept[rows] = np.where((comes & (aside != 0.0))[:, None], unit(way) * magnitude(wished)[:, None], wished)
    return kept


def _waiting(agents: Agents, through: Vectors, before: Scalars, lateral: Vectors, inside: Mask) -> Vectors:
    """The velocities, (n, 3) m/s, of agents that go where they let others pass. `through`: (n, 3) as of `Passing`;
    `before`, `lateral`: (n,) and (n, 3) metres to the middle of the passage, along it and across; `inside`: (n,) as of
    `Passing`."""
    left, radius = agents.left_of(through), agents.radius
    aside = -dot(lateral, left)
    way = left * (np.where(aside < 0.0, -1.0, 1.0) * ASIDE * radius - aside)[:, None]
    on = before - BEFORE * radius
    way = way + through * np.where(np.abs(aside) > CLEAR * radius, on, np.minimum(on, 0.0))[:, None]
    way = np.where(inside[:, None], -through * (SLOWS * radius)[:, None], way)
    speed = agents.cruise_speed * clamp(magnitude(way) / (SLOWS * radius), 0.0, 1.0)
    return unit(way) * speed[:, None]


def _turns(world: World, agents: Agents) -> tuple[Mask, Mask, Mask]:
    """The agents that let others pass, those that meet others at a passage, and those that come to it abreast of one
    that is nearer, (n,) each."""
    passing, (lets, meets, beside) = world.passing, np.zeros((3, world.vehicles), dtype=np.bool_)
    if passing is not None:
        rows = which(passing.single & world.bodies.present[: world.vehicles])
        table = np.concatenate((picked(passing.middle, rows), picked(passing.through, rows)), axis=1)
        ends, of = distinct_rows(table)
        place, through = ends[:, :3], ends[:, 3:]
        inside = passing.inside[rows]
        turn = passing.come[rows] + RATE * passing.waited[rows] + np.where(inside, INSIDE, 0.0)
        one, cosine = magnitude(place[:, None] - place) < SAME, dot(through[:, None], through[None])

        def highest(some: Mask, alike: Mask) -> Scalars:
            """The highest turn of some who come to the same passage in some directions, for each of the ends."""
            of_end = np.full(len(ends), -np.inf)
            np.maximum.at(of_end, of[some], turn[some])
            return np.where(one & alike, of_end, -np.inf).max(axis=1, initial=-np.inf)

        theirs = highest(all_of(len(inside)), cosine < -OPPOSITE)[of]
        ahead, behind = (highest(some, cosine > OPPOSITE)[of] for some in (inside, ~inside))
        ours = np.where(inside, ahead, behind + FOLLOWS * np.maximum(ahead, 0.0))
        lets[rows], meets[rows] = theirs > ours, np.isfinite(theirs)
        alike = (one & (cosine > OPPOSITE))[of][:, of]
        nearer = passing.come[rows] - passing.come[rows][:, None]
        radius = world.bodies.radius[rows][:, None]
        beside[rows] = (alike & (nearer > 0.0) & (nearer < radius)).any(axis=1)
    return lets[agents.rows], meets[agents.rows], beside[agents.rows]
