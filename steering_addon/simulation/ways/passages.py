"""Passages: who goes first where ways are too narrow for two side by side.

A passage belongs to one direction at a time: to that of the agent with the highest turn among all who come to it,

    turn = metres that it has come into the passage + RATE seconds that it has let others pass

where metres before the passage are negative, and one within it has INSIDE more. So a bunch passes before the direction
changes. The others wait beside the mouth, out of the way of those who come out, and who is inside goes back out.
"""

import numpy as np

from ..arrays.frozen import replace
from ..arrays.scalars import Mask, Scalars, anybody, clamp, distinct_rows, which
from ..arrays.vectors import Vectors, dot, magnitude, picked, unit
from ..lane_use import OPPOSITE, SAME, Passing
from ..world import Agents, World
from .over_ground import Ways

RATE = 0.06
"""Metres that a second of waiting counts: after half a minute those wait who are two metres nearer."""
INSIDE = 3.0
"""Metres that being inside counts: nobody enters against one who gets on."""
ASIDE, CLEAR = 3.4, 2.8
"""Radii beside the middle of a passage where agents wait, and from where on they are out of the way: another fits
between those on either side."""
BEFORE, SLOWS = 0.6, 2.5
"""Radii before the passage where they wait, and from there within which they slow down."""
NEAR = 3.0
"""Radii before the passage within which an agent that others hold up heads for its middle."""


def let_pass(
    world: World, ways: Ways, agents: Agents, course: Vectors, held_up: Mask, travels: Mask, memory: Passing
) -> tuple[Vectors, Passing]:
    """The courses, (n, 3) m/s, of agents that let others pass or are let pass, and what they remember. `course`: (n, 3)
    along their ways, m/s; `held_up`: (n,) the agents that hardly get on; `travels`: (n,) the agents that go by ways."""
    n, time = len(agents), np.full(len(agents), world.time)
    place, through, inside = ways.passages(agents.rows, agents.goal)
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
    memory = Passing(np.where(known[:, None], place, np.nan), through, entry, come, inside, lets, waited, time)
    before = dot(offset, through)
    lateral = offset - through * before[:, None]
    near = known & meets & ~lets & held_up & (before > 0.0) & (before < NEAR * agents.radius)
    # An agent at a jamb gets off it first.
    to_middle = unit(offset - through * np.where(inside, magnitude(lateral), 0.0)[:, None])
    course = np.where(near[:, None], to_middle * magnitude(course)[:, None], course)
    # Two abreast in a mouth would hold each other.
    course = np.where((beside & ~inside & held_up & (before < NEAR * agents.radius))[:, None], 0.0, course)
    waiting = _waiting(agents, through, before, lateral, inside)
    return np.where(lets[:, None], waiting, course), memory


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
        known = np.isfinite(passing.place[:, 0])
        rows = which(known & world.bodies.present[: world.vehicles])
        table = np.concatenate((picked(passing.place, rows), picked(passing.through, rows)), axis=1)
        ends, of = distinct_rows(table)
        place, through = ends[:, :3], ends[:, 3:]
        highest = np.full(len(ends), -np.inf)
        turn = passing.come[rows] + RATE * passing.waited[rows] + np.where(passing.inside[rows], INSIDE, 0.0)
        np.maximum.at(highest, of, turn)
        one, cosine = magnitude(place[:, None] - place) < SAME, dot(through[:, None], through[None])
        ours, theirs = (
            np.where(one & alike, highest, -np.inf).max(axis=1, initial=-np.inf)
            for alike in (cosine > OPPOSITE, cosine < -OPPOSITE)
        )
        lets[rows], meets[rows] = (theirs > ours)[of], np.isfinite(theirs)[of]
        alike = (one & (cosine > OPPOSITE))[of][:, of]
        nearer = passing.come[rows] - passing.come[rows][:, None]
        radius = world.bodies.radius[rows][:, None]
        beside[rows] = (alike & (nearer > 0.0) & (nearer < radius)).any(axis=1)
    return lets[agents.rows], meets[agents.rows], beside[agents.rows]
