"""Detours of what is early for its mark, and cannot fly slowly enough to be there in time on a straight way.

A vehicle that flies at a pace v for a time t to a mark at a distance d leaves the straight way at an angle a with

    sin(a) / a = d / (v t),

and turns back by 2 a / t each second, on an arc. The angle is found again in each step.
"""

from __future__ import annotations

import numpy as np

from ..arrays.angles import cosine_and_sine
from ..arrays.vectors import EPSILON, Scalars, Vectors, across, anybody, clamp, dot, magnitude, unit
from ..ground import left_of, upright

PACE = 1.2
"""The multiple of the speed below which they cannot fly at which vehicles fly a detour: it leaves room to be slower."""
ENDS, FADES = 0.2, 0.5
"""Seconds before the mark at which a detour ends, and in which it fades out: what is left is a matter of speed."""
RESPONSE = 0.25
"""Seconds in which a vehicle takes up its arc."""
STEPS = 4
"""In which the angle of an arc is found."""


def detoured(push: Vectors, way: Vectors, velocity: Vectors, stall: Scalars, left: float) -> Vectors:
    """The accelerations, (m, 3) m/s2, with those of vehicles that are too early led in an arc.

    Args:
        push: (m, 3) accelerations on a straight way, m/s2.
        way, velocity: (m, 3) to the mark and relative to it, metres and m/s.
        stall: (m,) m/s below which they cannot fly; 0 for those that can stop.
        left: seconds.
    """
    needed, pace = magnitude(way) / left, PACE * stall
    share = clamp((pace - needed) / np.maximum(pace - stall, EPSILON), 0.0, 1.0)
    share *= min(max((left - ENDS) / FADES, 0.0), 1.0)
    if not anybody(share > 0.0):
        return push
    straight: Vectors = unit(way)
    aside = unit(across(left_of(straight, upright(len(way))), straight))
    # On the side to which it flies already; straight ahead, that is the left.
    aside = np.where((dot(velocity, aside) < 0.0)[:, None], -aside, aside)
    angle = _angle(needed / np.maximum(pace, EPSILON))
    cosine, sine = (part[:, None] for part in cosine_and_sine(angle))
    heading, inward = straight * cosine + aside * sine, straight * sine - aside * cosine
    arc = (heading * pace[:, None] - velocity) / RESPONSE + inward * (2.0 * angle * pace / left)[:, None]
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
