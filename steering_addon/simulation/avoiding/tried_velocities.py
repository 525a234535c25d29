"""The velocities that an agent tries: first in all directions about the wished one, then close round the cheapest.

All of them are multiples of the stride, by component in the agent's frame: ahead, to the right and, in space, up.

A body that turns by an angle a on a circle of radius r lags behind one that takes up a velocity immediately: it walks
r a meanwhile. What turned immediately would be r a along the new direction then, while the body is at the end of the
arc: its course after the turn is the one from a place that is off its own by

    r (sin a - a cos a) ahead,  r (1 - cos a - a sin a) to the side to which it turns

so that contacts after the turn are those of what starts there. Those before count on the chord of the arc.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.angles import arctangent, cosine, sine
from ..arrays.scalars import EPSILON, Rows, Scalars, anybody, clamp
from ..arrays.vectors import Vectors, dot, unit
from ..world import Agents

TURNS = (0.0, 8.0, 18.0, 32.0, 50.0, 75.0, 110.0, 180.0)
"""Degrees from the wished velocity, to either side on the ground. The gaps grow from 8 to 70 degrees, since agents turn
a little far more often than a lot."""
CONES = (0.0, 12.0, 30.0, 55.0, 90.0, 180.0)
"""Degrees from the wished velocity in space. Fewer than on the ground, since each stands for a whole cone."""
AROUND = 8
"""Directions on a cone. On that of 30 degrees neighbors are 2 sin(30) sin(22.5) = 0.38 strides apart, between the
distances of that cone from the next ones, 0.31 and 0.43."""
SPEEDS = (1.0, 0.66, 0.33)
"""In strides: thirds; standing still is tried too."""
RINGS = (0.244, 0.122)
"""Lengths, in strides, of the variations of the cheapest: 2 sin(7 degrees), the chord from 18 to 32 degrees, then half
of that. Up to 75 degrees the first search leaves no velocity of 1/3 to 1 stride further than 0.25 strides from one that
is tried; the rings reduce that to 0.05."""

Components = Sequence[NDArray[np.float64]]
"""The components of velocities or offsets in the agents' frames: two on the ground, three in space."""


def _on_ground() -> tuple[NDArray[np.float64], ...]:
    """Unit directions on the ground, two components of shape (14,)."""
    turns = np.radians(np.array([*TURNS, *(-turn for turn in TURNS if 0.0 < turn < 180.0)]))
    return cosine(turns), sine(turns)


def _in_space() -> tuple[NDArray[np.float64], ...]:
    """Unit directions in space, three components of shape (34,)."""
    directions = []
    for cone in CONES:
        for step in range(AROUND if 0.0 < cone < 180.0 else 1):
            c, s = (float(f(np.array([np.radians(cone)]))[0]) for f in (cosine, sine))
            a = np.array([2.0 * np.pi * step / AROUND])
            directions.append((c, s * float(cosine(a)[0]), s * float(sine(a)[0])))
    return tuple(np.array(column) for column in zip(*directions))


def _ring() -> tuple[NDArray[np.float64], ...]:
    """Eight unit directions on the ground, two components of shape (8,)."""
    turns = np.arange(8) * (np.pi / 4.0)
    return cosine(turns), sine(turns)


def _ball() -> tuple[NDArray[np.float64], ...]:
    """Unit directions to the sides and corners of a cube, three components of shape (14,)."""
    points = np.array([[x, y, z] for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0) for z in (-1.0, 0.0, 1.0)])
    points = points[(np.abs(points[:, 0]) + np.abs(points[:, 1]) + np.abs(points[:, 2])) % 2.0 == 1.0]
    return tuple(unit(points).T)


DIRECTIONS = {2: _on_ground(), 3: _in_space()}
"""The directions of the first search, by the number of dimensions."""
VARIATIONS = {2: _ring(), 3: _ball()}
"""The directions in which the second search varies the cheapest velocity, by the number of dimensions."""


def length(v: Components) -> NDArray[np.float64]:
    """The lengths of vectors of two or three components, each of the same shape."""
    square = v[0] * v[0] + v[1] * v[1]
    return np.sqrt(square if len(v) == 2 else square + v[2] * v[2])


BRAKES, STEPS = 1.0 / 3.0, 1.0
"""Shares of cruise speed up to which a body that stops to turn needs no circle, and from which on it needs all of it:
on foot one steps round below the pace, the more the slower."""
STRAIGHT_BACK = 1e-3
"""1 + the cosine below which a turn counts as a half turn."""


@dataclass(frozen=True)
class Lag:
    """How m bodies are behind velocities that they turn to. `behind`: (m,) per component, where the courses after the
    turns begin, from the bodies, metres; `time`: (m,) how long the turns take, seconds."""

    behind: Components
    time: Scalars

    def chord(self, velocity: Components) -> Components:
        """The mean velocities until the turns end, (m,) per component, m/s."""
        share = 1.0 / np.maximum(self.time, EPSILON)
        return [v + start * share for v, start in zip(velocity, self.behind)]


@dataclass(frozen=True)
class Lags:
    """The circles of n agents on the ground, and which way they face.

    Attributes:
        ahead, right: (n,) the components of their headings in their frames.
        pace: (n,) the speed below which one that steps round needs no full circle, m/s; 0 for one that does not.
        speed: (n,) at which they go, m/s.
    """

    ahead: Scalars
    right: Scalars
    circle: Scalars
    pace: Scalars
    speed: Scalars

    @classmethod
    def of(cls, agents: Agents, frame: Sequence[Vectors]) -> "Lags | None":
        """The lags of agents with these axes, (n, 3) each; None if none turns on a circle, or they move in space."""
        if len(frame) > 2 or not anybody(agents.handling.turning_circle > 0.0):
            return None
        ahead, right = (dot(agents.forward, axis) for axis in frame)
        size = np.maximum(length([ahead, right]), EPSILON)
        pace = np.where(agents.handling.room_to_turn > 0.0, 0.0, agents.cruise_speed)
        return cls(ahead / size, right / size, agents.handling.turning_circle, pace, agents.speed)

    def of_turns(self, velocity: Components, agent: Rows) -> Lag:
        """The time and way that turns to velocities, (m,) by component, m/s, take of agents (m,)."""
        x, y = self.ahead[agent], self.right[agent]
        speed = length(velocity)
        share = 1.0 / np.maximum(speed, EPSILON)
        cosine, sine = (velocity[0] * x + velocity[1] * y) * share, (velocity[1] * x - velocity[0] * y) * share
        side, sine = np.where(sine < 0.0, -1.0, 1.0), np.abs(sine)
        # tan(a / 2) = sin(a) / (1 + cos(a))
        angle = 2.0 * arctangent(sine / np.maximum(1.0 + cosine, STRAIGHT_BACK))
        pace = self.pace[agent]
        # A body that goes slowly steps where it is to go before it walks.
        slower = np.minimum(speed, self.speed[agent])
        needed = clamp((slower - BRAKES * pace) / np.maximum((STEPS - BRAKES) * pace, EPSILON), 0.0, 1.0)
        radius = self.circle[agent] * np.where(pace > 0.0, needed, 1.0) * (speed > EPSILON)
        along, aside = radius * (sine - angle * cosine), radius * (1.0 - cosine - angle * sine) * side
        return Lag([along * x - aside * y, along * y + aside * x], radius * angle * share)
