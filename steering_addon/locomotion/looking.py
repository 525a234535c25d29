"""Looking: what walkers see of the ground ahead from time to time, and keep to until they look again."""

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import EPSILON, Mask, Rows, Scalars, shared, which
from ..simulation.arrays.vectors import Vectors, dot, magnitude, picked, unit
from .headings import sine_between, turn_by
from .walkable import Look, Walkable, along_ground
from .walking import Outset, Walking

LOOKS = 0.2
"""Seconds from one look at the ground ahead to the next: a walker gets 28 cm further in that time. All look together,
which takes less time than that some look in each step: who came later looks with the others next time."""
FACES = 0.95
"""The cosine to the direction back from an edge from which on a walker has turned back."""
SEEN = ("looks_in", "side", "ahead", "aside", "wary", "has_room", "way_out", "inward")
"""The entries of a walker's memory that a look changes."""


def await_look(memory: Walking, heading: Vectors, dt: float) -> tuple[Walking, Rows]:
    """The memory a step later, and the rows of those who look ahead then. `heading`: (n, 2) unit vectors."""
    memory = replace(memory, looks_in=memory.looks_in - dt)
    if memory.inward.any():
        inward = memory.inward.copy(order="K")
        inward[dot(inward, heading) > FACES] = 0.0
        memory = replace(memory, inward=inward)
    due = memory.looks_in <= 0.5 * dt
    return memory, which(memory.looks_in <= 0.5 * LOOKS) if due.any() else which(due)


def glance(walkable: Walkable, look: Look, goal_distance: Scalars, memory: Walking, rows: Rows, dt: float) -> Walking:
    """The memory after walkers of some rows have looked ahead, at most as far as their goals. `goal_distance`: (n,)
    metres, inf for none."""
    known = {name: vars(memory)[name].copy(order="K") for name in SEEN}
    seen, subset, onward = look.take(rows), walkable.take(rows), look.step[rows] * (LOOKS / dt)
    wary = subset.ends_ahead(seen)
    seen = replace(seen, reach=np.minimum(seen.reach, np.maximum(goal_distance[rows], seen.step)))
    course, side = subset.free_direction(seen, memory.side[rows])
    before = picked(memory.inward, rows)
    has_room = subset.leaves_room(seen, np.where(_is_set(before), before, course), onward, shared(np.inf, len(rows)))
    cramped = which(~has_room)
    if len(cramped):
        # A turn that is tighter than the circle need not begin before it has to.
        reach = seen.reach.copy()
        reach[cramped] = np.minimum(seen.reach, seen.need)[cramped]
        seen = replace(seen, reach=reach)
        cramped_look, cramped_ground = seen.take(cramped), subset.take(cramped)
        course = course.copy(order="K")
        course[cramped], side[cramped] = cramped_ground.free_direction(cramped_look, memory.side[rows[cramped]])
    inward = np.where(_is_set(before), subset.while_free(seen, before), subset.turned_back(seen, course, side))
    # What is led somewhere goes along an edge to get there.
    inward = np.where(np.isfinite(goal_distance[rows])[:, None], 0.0, inward)
    if len(cramped):
        leads = picked(np.where(_is_set(inward), inward, course), cramped)
        fits = cramped_ground.leaves_room(cramped_look, leads, onward[cramped], cramped_look.need)
        has_room[cramped] = fits & (memory.has_room[rows[cramped]] | ~_is_set(picked(inward, cramped))[:, 0])
    hindered = (course != seen.direction).any(axis=1)
    begins = hindered & memory.cornered[rows] & memory.stands[rows] & ~_is_set(picked(memory.way_out, rows))[:, 0]
    known["looks_in"][rows], known["side"][rows] = LOOKS, side
    known["inward"][rows] = inward
    known["way_out"][rows[begins]] = course[begins]
    known["wary"][rows], known["has_room"][rows] = wary, has_room
    known["ahead"][rows] = np.where(hindered, dot(course, seen.direction), 1.0)
    known["aside"][rows] = np.where(hindered, sine_between(seen.direction, course), 0.0)
    return replace(memory, **known)


def _is_set(direction: Vectors) -> Mask:
    """(n, 1) whether each direction (n, 2) is other than zero."""
    return (magnitude(direction) > 0.5)[:, None]


def lead_past(memory: Walking, direction: Vectors) -> Vectors:
    """The directions in which walkers go, (n, 2), past what they last saw ahead. `direction`: (n, 2) unit vectors to
    where they want to go."""
    rows = which((memory.ahead != 1.0) | (memory.aside != 0.0))
    if len(rows):
        wanted, direction = picked(direction, rows), direction.copy(order="K")
        direction[rows] = unit(turn_by(wanted, memory.ahead[rows], memory.aside[rows]))
    for kept in (memory.inward, memory.way_out):
        # It would turn back and forth in a corner while what it wants changes.
        if kept.any():
            direction = np.where(_is_set(kept), kept, direction)
    return direction


def fastest_before_edges(outset: Outset) -> Scalars:
    """The speeds after a step from which walkers can stop before the ground ends or is too steep, (n,) m/s; inf if any.

    At a speed v, braking by b from the next step on, one comes to stand within

        v dt + v^2 / (2 b)

    It comes up to the edge at the slowest speed, or more slowly if it could not stop there in a step. Who turns back
    lets no part of its body hang over it.
    """
    memory, speed, dt = outset.memory, outset.speed, outset.dt
    rows = which(memory.wary & (speed > 0.0))
    if not len(rows):
        return shared(np.inf, len(speed))
    brakes, normal = outset.brakes[rows], picked(memory.normal, rows)
    change = brakes * dt
    quicker = speed[rows] + change
    length = quicker * (dt + 0.5 * quicker / np.maximum(brakes, EPSILON))
    subset, ahead = outset.walkable.take(rows), picked(outset.heading, rows)
    offset = along_ground(normal, ahead, length)
    _, refused = subset.step(picked(outset.feet, rows), offset, normal, memory.triangle[rows])
    offset = along_ground(normal, ahead, length + np.where(subset.shuns_edges, outset.model.radius[rows], 0.0))
    refused |= subset.refuses_edges & (subset.footing(picked(outset.feet, rows), offset, normal).triangle < 0)
    fastest = np.full(len(speed), np.inf)
    least = np.minimum(outset.slowest[rows], change)
    fastest[rows] = np.where(refused, np.maximum(speed[rows] - change, least), np.inf)
    return fastest
