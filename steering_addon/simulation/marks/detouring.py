"""Detours of what is early for its mark, as it cannot fly that slowly, or climb or dive that steeply.

A vehicle that flies at a level pace v for a time t to a mark at a level distance d leaves the straight way at an angle
a with

    sin(a) / a = d / (v t),

and turns back by 2 a / t each second, on an arc, while it climbs evenly. The angle is found again in each step. What is
off the arc by a share e of the angle is corrected within t / g seconds, so that de / dt = (5 - g) e / t: only for g
above 5 it comes back to the arc, as a vehicle that flies too straight has ever more time left over.
"""

import numpy as np

from ..arrays.angles import cosine_and_sine
from ..arrays.scalars import EPSILON, Scalars, anybody, clamp
from ..arrays.vectors import Vectors, dot, magnitude, unit
from ..ground import left_of, upright
from .reaching import ClimbSpeeds, level_part

PACE = 1.2
"""The multiple of the slowest speed at which vehicles fly a detour: it leaves room to be slower."""
NARROW = 0.02
"""The share of its pace in which it takes to the straight way, where it need not go a longer one any more."""
ENDS, FADES = 0.2, 0.3
"""Seconds before the mark at which a detour ends, as what is left is a matter of speed, and in which it fades."""
EARLY = 0.15
"""Seconds before the mark at which it has climbed or dived: what slows down at the end climbs less."""
GAIN = 8.0
"""The g above."""
RESPONSE, LEAST, MOST = 0.25, 0.06, 0.75
"""Seconds in which a vehicle takes up a climb or dive, and at the least and the most in which it takes up its arc."""
STEPS = 4
"""In which the angle of an arc is found."""


def lead_in_arcs(
    push: Vectors, way: Vectors, velocity: Vectors, bodies: ClimbSpeeds, cruise: Scalars, time_left: float
) -> Vectors:
    """The accelerations, (m, 3) m/s2, with those of vehicles that are too early led in an arc.

    Args:
        push: (m, 3) accelerations on a straight way, m/s2.
        way, velocity: (m, 3) to the mark and relative to it, metres and m/s.
        bodies: what they can do at the climb that is needed.
        cruise: (m,) their cruise speed, m/s.
        time_left: seconds.
    """
    run = level_part(way)
    needed = magnitude(run) / time_left
    pace = np.maximum(np.minimum(np.minimum(PACE * bodies.slowest, cruise), bodies.fastest), bodies.slowest)
    share = clamp((pace - needed) / np.maximum(NARROW * pace, EPSILON), 0.0, 1.0)
    share *= min(max((time_left - ENDS) / FADES, 0.0), 1.0)
    if not anybody(share > 0.0):
        return push
    straight: Vectors = unit(run)
    aside = left_of(straight, upright(len(way)))
    # On the side to which it flies already; straight ahead, that is the left.
    aside = np.where((dot(velocity, aside) < 0.0)[:, None], -aside, aside)
    angle = arc_angle(needed / np.maximum(pace, EPSILON))
    cosine, sine = (column[:, None] for column in cosine_and_sine(angle))
    course = (straight * cosine + aside * sine) * pace[:, None]
    inward = straight * sine - aside * cosine
    response = min(max(time_left / GAIN, LEAST), MOST)
    arc = (course - velocity) / response + inward * (2.0 * angle * pace / time_left)[:, None]
    arc[:, 2] = (way[:, 2] / max(time_left - EARLY, EARLY) - velocity[:, 2]) / RESPONSE
    return push + (arc - push) * share[:, None]


def arc_angle(quotient: Scalars) -> Scalars:
    """The angles from 0 to pi whose sine, divided by the angle, is a quotient from 0 to 1; 0 for larger ones."""
    short = clamp(1.0 - quotient, 0.0, 1.0)
    angle = np.sqrt(short * (6.0 + 3.87 * short))
    for _ in range(STEPS):
        cosine, sine = cosine_and_sine(angle)
        slope = cosine - quotient
        angle = np.where(slope < -EPSILON, angle - (sine - quotient * angle) / np.minimum(slope, -EPSILON), angle)
    return np.where(quotient < 1.0, clamp(angle, 0.0, np.pi), 0.0)
