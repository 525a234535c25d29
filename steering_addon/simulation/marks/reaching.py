"""Reaching: how fast bodies get on while they climb or dive, by what their handling says, and detours of early ones.

A body whose steepest climb has the sine q, at which the share b of its top speed V is left, climbs with the sine s q at

    c = s q V (1 - (1 - b) s),    so that    s = 2 p / (1 + sqrt(1 - 4 (1 - b) p))    with    p = c / (q V).

One that is early for its mark makes a detour, as it cannot fly that slowly, or climb or dive that steeply. If it flies
at a level pace v for a time t to a mark at a level distance d, it leaves the straight way at an angle a with

    sin(a) / a = d / (v t),

and turns back by 2 a / t each second, on an arc, while it climbs evenly. The angle is found again in each step. What is
off the arc by a share e of the angle is corrected within t / g seconds, so that de / dt = (5 - g) e / t: only for g
above 5 it comes back to the arc, as a vehicle that flies too straight has ever more time left over.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays.angles import cosine_and_sine
from ..arrays.scalars import EPSILON, Mask, Scalars, anybody, clamp
from ..arrays.vectors import Vectors, columns, dot, magnitude, unit
from ..ground import left_of, upright
from ..handling import Handling

UPRIGHT = 1e6
"""The tangent from which on a way is straight up."""
LEAST = 0.5
"""The least share of top speed at the steepest climb: below it, a gentler climb would be the faster one."""
BEGINS = 0.3
"""Seconds in which a body begins to turn."""


@dataclass(frozen=True)
class ClimbSpeeds:
    """How fast bodies get on at an even climb or dive.

    Attributes:
        limited: (m,) whether it is limited how steeply they climb and dive.
        rate: (m,) m/s at which they climb or dive at the most.
        slowest, fastest: (m,) level speeds, m/s: the slowest are 0 for bodies that can stop, the fastest those along
            the way for bodies that climb as steeply as they like.
        radius: (m,) of the turns of bodies that cannot stop, at the slowest speed, metres; 0 for others.
    """

    limited: Mask
    rate: Scalars
    slowest: Scalars
    fastest: Scalars
    radius: Scalars
    strongest: Scalars

    @property
    def circle(self) -> Scalars:
        """(m,) seconds in which bodies that cannot stop fly a circle; 0 for others."""
        return 2.0 * np.pi * np.sqrt(self.radius / np.maximum(self.strongest, EPSILON))

    def of_all(self) -> "ClimbSpeeds":
        """The abilities of all of them, as those of one."""
        return ClimbSpeeds(
            np.logical_or.reduce(self.limited, keepdims=True),
            self.rate.min(keepdims=True),
            self.slowest.max(keepdims=True),
            self.fastest.min(keepdims=True),
            self.radius.max(keepdims=True),
            self.strongest.min(keepdims=True),
        )


def climb_speeds(handling: Handling, max_speed: Scalars, strongest: Scalars, climb: Scalars) -> ClimbSpeeds:
    """How fast bodies get on that climb at `climb` (m,) m/s, less than 0 for a dive, or as fast as they can.
    `max_speed`, `strongest`: (m,) m/s and m/s2."""
    up = climb > 0.0
    steepest = np.where(up, handling.steepest_climb, handling.steepest_dive)
    limited = steepest < UPRIGHT
    tangent = np.minimum(steepest, UPRIGHT)
    sine = tangent / np.sqrt(1.0 + tangent * tangent)
    slower = np.where(up & limited, 1.0 - np.maximum(handling.climb_share, LEAST), 0.0)
    rate = sine * max_speed * (1.0 - slower)
    climb = np.minimum(np.abs(climb), rate)
    quotient = climb / np.maximum(sine * max_speed, EPSILON)
    share = 2.0 * quotient / (1.0 + np.sqrt(np.maximum(1.0 - 4.0 * slower * quotient, 0.0)))
    speed, stall = max_speed * (1.0 - slower * share), handling.stall_share * max_speed
    fastest = np.where(limited, np.sqrt(np.maximum(speed * speed - climb * climb, 0.0)), max_speed)
    in_flight = np.sqrt(np.maximum(stall * stall - climb * climb, 0.0))
    gentle = np.where(limited, climb / np.maximum(tangent, EPSILON), 0.0)
    slowest = np.minimum(np.maximum(in_flight, gentle), fastest)
    return ClimbSpeeds(limited, rate, slowest, fastest, stall * stall / np.maximum(strongest, EPSILON), strongest)


def level_part(v: Vectors) -> Vectors:
    """The vectors without their components along the z axis, in which bodies that climb and dive steer."""
    return columns(v[:, 0], v[:, 1], 0.0)


def way_of_turn(way: Vectors, velocity: Vectors, bodies: ClimbSpeeds) -> Scalars:
    """The way that the turn to a place takes bodies that cannot stop, (m,) metres; 0 for others. `way`, `velocity`: (m,
    3) to the place and relative to it, metres and m/s."""
    way, velocity = level_part(way), level_part(velocity)
    speed = magnitude(velocity)
    behind = 0.5 - 0.5 * dot(way, velocity) / np.maximum(magnitude(way) * speed, EPSILON)
    half = np.pi * speed * speed / np.maximum(bodies.strongest, EPSILON)
    return np.where(bodies.radius > 0.0, (half * behind + 2.0 * BEGINS * speed) * behind, 0.0)


def out_of_reach(way: Vectors, time: float, handling: Handling, max_speed: Scalars) -> Scalars:
    """By how much bodies cannot get to places in time, (m,) metres; 0 for those that can. `way`: (m, 3) to the places,
    metres; `time`: seconds; `max_speed`: (m,) m/s."""
    bodies = climb_speeds(handling, max_speed, max_speed, way[:, 2] / time)
    run = magnitude(np.where(bodies.limited[:, None], level_part(way), way))
    far = np.maximum(run - bodies.fastest * time, 0.0)
    steep = np.maximum(np.abs(way[:, 2]) - bodies.rate * max(time - BEGINS, 0.0), 0.0)
    return np.where(bodies.limited, np.sqrt(far * far + steep * steep), far)


def climb_stretch(handling: Handling, max_speed: Scalars, cruise: Scalars) -> tuple[Scalars, Scalars]:
    """How many times as long as a level way a climb and a dive take, (m,) each; 1 where they are not limited.
    `max_speed`, `cruise`: (m,) m/s."""
    times = []
    for sign in (1.0, -1.0):
        bodies = climb_speeds(handling, max_speed, max_speed, np.full(len(cruise), sign))
        times.append(np.where(bodies.limited, np.maximum(cruise / np.maximum(bodies.rate, EPSILON), 1.0), 1.0))
    return times[0], times[1]


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
RESPONSE, QUICKEST, SLOWEST = 0.25, 0.06, 0.75
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
    response = min(max(time_left / GAIN, QUICKEST), SLOWEST)
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
