"""Lags: how far bodies that turn on a circle are behind those that take up a velocity immediately.

A body that turns by an angle a on a circle of radius r walks r a meanwhile. What turned immediately would be r a along
the new direction then, while the body is at the end of the arc: its course after the turn is the one from a place that
is off its own by

    r (sin a - a cos a) ahead,  r (1 - cos a - a sin a) to the side to which it turns

so that contacts after the turn are those of what starts there. Those before count on the chord of the arc.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays.angles import arctangent
from ..arrays.scalars import EPSILON, Rows, Scalars, anybody, clamp
from ..arrays.vectors import Vectors, dot
from ..world import Agents
from .tried_velocities import Components, length

BRAKES, STEPS = 1.0 / 3.0, 1.0
"""Shares of cruise speed up to which a body that stops to turn needs no circle, and from which on it needs all of it:
on foot one steps round below the pace, the more the slower."""
STRAIGHT_BACK = 1e-3
"""1 + the cosine below which a turn counts as a half turn."""


@dataclass(frozen=True)
class Lag:
    """How m bodies are behind velocities that they turn to.

    Attributes:
        behind: (m,) per component, where the courses after the turns begin, from the bodies, metres.
        time: (m,) how long the turns take, seconds.
    """

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
        circle: (n,) metres.
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
