"""Detours of what is early for its mark, as it cannot fly that slowly, or climb or dive that steeply.

A vehicle that flies at a level pace v for a time t to a mark at a level distance d leaves the straight way at an angle
a with

    sin(a) / a = d / (v t),

and turns back by 2 a / t each second, on an arc, while it climbs evenly. The angle is found again in each step.
"""

from __future__ import annotations

import numpy as np

from ..arrays.angles import cosine_and_sine
from ..arrays.vectors import EPSILON, Scalars, Vectors, anybody, clamp, columns, dot, magnitude, unit
from ..ground import left_of, upright
from ..handling import Handling

PACE = 1.2
"""The multiple of the slowest speed at which vehicles fly a detour: it leaves room to be slower."""
EVENLY = 0.8
"""The share of the steepest climb or dive at which they fly one."""
ENDS, FADES = 0.3, 0.8
"""Seconds before the mark at which a detour ends, as what is left is a matter of speed, and in which it fades."""
RESPONSE = 0.25
"""Seconds in which a vehicle takes up its arc."""
STEPS = 4
"""In which the angle of an arc is found."""


def slowest_level(handling: Handling, max_speed: Scalars, climb: Scalars) -> Scalars:
    """The slowest level speeds, (n,) m/s, at which vehicles neither stall nor climb or dive too steeply; 0 for any.

    Args:
        climb: (n,) m/s upward; less than 0 downward.
    """
    stall = handling.stall_share * max_speed
    steepest = np.where(climb > 0.0, handling.steepest_climb, handling.steepest_dive)
    in_flight = np.sqrt(np.maximum(stall * stall - climb * climb, 0.0))
    gentle = np.minimum(np.abs(climb) / np.maximum(EVENLY * steepest, EPSILON), max_speed)
    return np.where(stall > 0.0, np.maximum(in_flight, gentle), 0.0)


def detoured(
    push: Vectors, way: Vectors, velocity: Vectors, slowest: Scalars, cruise: Scalars, left: float, lead: float
) -> Vectors:
    """The accelerations, (m, 3) m/s2, with those of vehicles that are too early led in an arc.

    Args:
        push: (m, 3) accelerations on a straight way, m/s2.
        way, velocity: (m, 3) to the mark and relative to it, metres and m/s.
        slowest, cruise: (m,) their slowest level speed, 0 for those that can stop, and their cruise speed, m/s.
        left, lead: seconds, and those before the mark in which a detour may begin.
    """
    run = columns(way[:, 0], way[:, 1], 0.0)
    # Climbing, it is not much faster than its cruise speed.
    needed, pace = magnitude(run) / left, np.minimum(PACE * slowest, cruise)
    share = clamp((1.0 - needed / np.maximum(pace, EPSILON)) / (1.0 - 1.0 / PACE), 0.0, 1.0)
    share *= min(max(min(left - ENDS, lead - left) / FADES, 0.0), 1.0)
    if not anybody(share > 0.0):
        return push
    straight: Vectors = unit(run)
    aside = left_of(straight, upright(len(way)))
    # On the side to which it flies already; straight ahead, that is the left.
    aside = np.where((dot(velocity, aside) < 0.0)[:, None], -aside, aside)
    angle = _angle(needed / np.maximum(pace, EPSILON))
    cosine, sine = (part[:, None] for part in cosine_and_sine(angle))
    wanted = (straight * cosine + aside * sine) * pace[:, None]
    wanted[:, 2] = way[:, 2] / left
    inward = straight * sine - aside * cosine
    arc = (wanted - velocity) / RESPONSE + inward * (2.0 * angle * pace / left)[:, None]
    return push + (arc - push) * share[:, None]


def _angle(quotient: Scalars) -> Scalars:
    """The angles from 0 to pi whose sine, divided by the angle, is a quotient from 0 to 1; 0 for larger ones."""
    short = clamp(1.0 - quotient, 0.0, 1.0)
    angle = np.sqrt(short * (6.0 + 3.87 * short))
    for _ in range(STEPS):
        cosine, sine = cosine_and_sine(angle)
        slope = cosine - quotient
        angle = np.where(slope < -EPSILON, angle - (sine - quotient * angle) / np.minimum(slope, -EPSILON), angle)
    return np.where(quotient < 1.0, clamp(angle, 0.0, np.pi), 0.0)
