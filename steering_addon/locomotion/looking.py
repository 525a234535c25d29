"""Looking: what walkers see of the ground ahead from time to time, and keep to until they look again."""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.vectors import (
    EPSILON,
    Rows,
    Scalars,
    Vectors,
    dot,
    magnitude,
    picked,
    shared,
    unit,
    which,
)
from .headings import sine_between, turned
from .walkable import Look, Walkable, along_ground
from .walking import Walking

LOOKS = 0.2
"""Seconds from one look at the ground ahead to the next: a walker gets 28 cm further in that time. All look together,
which takes less time than that some look in each step."""
FACES = 0.95
"""The cosine to the direction back from an edge from which on a walker has turned back."""
SEEN = ("looks_in", "side", "ahead", "aside", "wary", "has_room", "way_out", "inward")
"""What a look changes of what a walker remembers."""


def waited(memory: Walking, heading: Vectors, dt: float) -> tuple[Walking, Rows]:
    """What is remembered a step later, and the rows of those who look ahead then.

    Args:
        heading: (n, 2) unit vectors.
    """
    memory = replace(memory, looks_in=memory.looks_in - dt)
    if memory.inward.any():
        inward = memory.inward.copy(order="K")
        inward[dot(inward, heading) > FACES] = 0.0
        memory = replace(memory, inward=inward)
    return memory, which(memory.looks_in <= 0.5 * dt)


def looked(walkable: Walkable, look: Look, memory: Walking, rows: Rows, dt: float) -> Walking:
    """What is remembered once those of some rows have looked ahead."""
    known = {name: vars(memory)[name].copy(order="K") for name in SEEN}
    seen, few = look.take(rows), walkable.take(rows)
    way, side = few.way(seen, memory.side[rows])
    back, kept = few.turned_back(seen, way, side), picked(memory.inward, rows)
    hindered = (way != seen.direction).any(axis=1)
    begins = hindered & memory.cornered[rows] & memory.stands[rows] & (magnitude(picked(memory.way_out, rows)) <= 0.5)
    known["looks_in"][rows], known["side"][rows] = LOOKS, side
    known["inward"][rows] = np.where((magnitude(kept) > 0.5)[:, None], few.while_free(seen, kept), back)
    known["way_out"][rows[begins]] = way[begins]
    known["wary"][rows] = few.ends_ahead(seen)
    known["has_room"][rows] = True
    led = which(hindered)
    if len(led):
        turns = seen.take(led)
        has_room = few.take(led).leaves_room(turns, picked(way, led), turns.step * (LOOKS / dt))
        known["has_room"][rows[led]] = has_room
    known["ahead"][rows] = np.where(hindered, dot(way, seen.direction), 1.0)
    known["aside"][rows] = np.where(hindered, sine_between(seen.direction, way), 0.0)
    return replace(memory, **known)


def led_past(memory: Walking, direction: Vectors) -> Vectors:
    """The directions in which they walk, (n, 2), past what they saw when they last looked ahead.

    Args:
        direction: (n, 2) unit vectors to where they want to go.
    """
    rows = which((memory.ahead != 1.0) | (memory.aside != 0.0))
    if len(rows):
        wanted, direction = picked(direction, rows), direction.copy(order="K")
        direction[rows] = unit(turned(wanted, memory.ahead[rows], memory.aside[rows]))
    for led in (memory.inward, memory.way_out):
        # It would turn back and forth in a corner while what it wants changes.
        if led.any():
            direction = np.where((magnitude(led) > 0.5)[:, None], led, direction)
    return direction


def fastest_before_edges(
    walkable: Walkable,
    memory: Walking,
    feet: Vectors,
    heading: Vectors,
    speed: Scalars,
    slowest: Scalars,
    brakes: Scalars,
    dt: float,
) -> Scalars:
    """The speeds after a step from which walkers can stop before the ground ends or is too steep, (n,) m/s; inf if any.

    At a speed v, braking by b from the next step on, one comes to stand within

        v dt + v^2 / (2 b)

    Args:
        feet: (n, 3) where they stand, metres.
        heading: (n, 2) unit vectors.
        speed: (n,) m/s before the step.
        slowest: (n,) m/s at which they come up to the edge, or more slowly if they could not stop there in a step.
        brakes: (n,) m/s2.
    """
    rows = which(memory.wary & (speed > 0.0))
    if not len(rows):
        return shared(np.inf, len(speed))
    change, normal = brakes[rows] * dt, picked(memory.normal, rows)
    quicker = speed[rows] + change
    length = quicker * (dt + 0.5 * quicker / np.maximum(brakes[rows], EPSILON))
    way = along_ground(normal, picked(heading, rows), length)
    _, refused = walkable.take(rows).step(picked(feet, rows), way, normal, memory.triangle[rows])
    fastest = np.full(len(speed), np.inf)
    least = np.minimum(slowest[rows], change)
    fastest[rows] = np.where(refused, np.maximum(speed[rows] - change, least), np.inf)
    return fastest
