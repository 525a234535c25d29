"""Turning back at the border of a region in time, for bodies that do not turn on a point.

Straight ahead an agent leaves its region after s metres, at an angle a between its heading and the border. The even
turn that just touches the border has the curvature

    k = tan(a / 2) / s

so it can hold the turn at v = sqrt(strongest sideways acceleration / k), and slows down for it before.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays.frozen import Columns
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, clamp, which
from ..arrays.vectors import Vectors, across, dot, magnitude, no_vectors, picked, unit
from ..handling import Handling
from ..world import Agents, World

FIRMNESS = 1.3
"""Factor on the turn that just touches the border, so that the agent has turned before it gets that far."""
SETS_IN, WHOLE = 0.4, 0.6
"""The shares of its tightest turn between which an agent begins to turn back."""
SLOW = 0.5
"""The share of cruise speed at which what is slower turns."""
FAR_FACTOR = FIRMNESS / SETS_IN
"""How far ahead the border counts at most, in radii of the tightest turn."""
PLACES, CLOSER = 6, 6
"""Places straight ahead at which an agent looks for the border, and how often it then looks half as far."""
NEAREST = 0.15
"""The least room that an agent reckons with, in radii of its smallest circle: at the border the angle alone counts."""
OFF = 0.02
"""How far off the border an agent looks along it, in radii of its tightest turn."""
STEEPEST = 0.1
"""1 - cosine of the steepest angle to the border at which an agent returns: it joins those that go along the border."""
RETURNS = 0.3
"""How far the sine of its angle may fall short of that before it turns as tightly as it can."""
HEAD_ON = 0.5
"""The sine of the angle off the border's normal below which an agent turns to where there is more room."""


@dataclass(frozen=True)
class TurningBack:
    """How some agents turn back. `rows`: (m,) of the agents that have to; `acceleration`: (m, 3) m/s2, across the
    heading; `fastest`: (m,) the speed at which they can hold the turn, m/s."""

    rows: Rows
    acceleration: Vectors
    fastest: Scalars


def turning_back(world: World, agents: Agents, region: Rows, keeps: Mask, inside: Vectors) -> TurningBack | None:
    """How agents with a turning circle turn back before the border; None if none has to. `region`: (n,) rows of the
    regions; `keeps`: (n,) who keeps to its region; `inside`: (n, 3) directions to where there is room."""
    rows = which(keeps & (tightest_circle(agents.handling) > 0.0) & (agents.speed > EPSILON))
    if not len(rows):
        return None
    bodies = _Turners.of(agents.take(rows), region[rows])
    room, inward = bodies.room(world, bodies.agents.position, bodies.agents.forward)
    near = which(np.isfinite(room))
    if not len(near):
        return None
    rows, bodies, room, inward = rows[near], bodies.take(near), room[near], picked(inward, near)
    heading = bodies.agents.forward
    returning = bodies.returning(world, inward, heading)
    curvature = bodies.curvature(room, inward, heading)
    along = across(heading, inward)
    # In a corner of the region the next border is ahead once it has turned along this one.
    next_heading, place = unit(along), bodies.agents.position
    place = place + bodies.way_in(world, place) + inward * (OFF * bodies.tightest)[:, None]
    room, inward = bodies.room(world, place, next_heading)
    corner = np.where(np.isfinite(room), bodies.curvature(room, inward, next_heading), 0.0)
    passes = (magnitude(along) > HEAD_ON) & (corner <= curvature) & (returning <= 0.0)
    curvature = np.maximum(curvature, corner)
    # Agents that only come back need not slow down for that.
    fastest = np.where(curvature * bodies.tightest > SETS_IN, bodies.fastest(curvature), np.inf)
    curvature = np.maximum(curvature, returning)
    share = clamp((curvature * bodies.tightest - SETS_IN) / (WHOLE - SETS_IN), 0.0, 1.0)
    toward = across(np.where(passes[:, None], along, picked(inside, rows)), heading)
    beside = bodies.agents.level(bodies.agents.side)
    toward = np.where((magnitude(toward) > EPSILON)[:, None], unit(toward), beside)
    speed = np.maximum(bodies.agents.speed, SLOW * bodies.agents.cruise_speed)
    aside = np.minimum(curvature * speed * speed, bodies.sideways) * share
    return TurningBack(rows, toward * aside[:, None], fastest)


def tightest_circle(handling: Handling) -> Scalars:
    """The radius of the smallest circle of each body, (n,) metres; 0 for those whose strength alone limits it."""
    # What has a limit of comfort c drives at most with the turn rate sqrt(c / radius).
    driven = handling.cornering / np.maximum(handling.turn_rate * handling.turn_rate, EPSILON)
    return np.where(np.isfinite(handling.cornering), driven, handling.turning_circle)


@dataclass(frozen=True)
class _Turners(Columns):
    """The needs of m bodies in a turn.

    Attributes:
        region: (m,) rows of their regions.
        circle, tightest: (m,) the radii of the smallest circle, and of the smallest one at their speed, metres.
        sideways: (m,) the strongest acceleration in a turn, m/s2.
        before: (m,) metres that they keep before the border.
    """

    agents: Agents
    region: Rows
    circle: Scalars
    tightest: Scalars
    sideways: Scalars
    before: Scalars

    @classmethod
    def of(cls, agents: Agents, region: Rows) -> "_Turners":
        circle, speed = tightest_circle(agents.handling), agents.speed
        sideways = np.maximum(np.minimum(agents.agility, agents.handling.cornering), EPSILON)
        fast = np.maximum(speed * speed / sideways, speed / np.maximum(agents.handling.turn_rate, EPSILON))
        return cls(agents, region, circle, np.maximum(fast, circle), sideways, agents.extent)

    def curvature(self, room: Scalars, inward: Vectors, heading: Vectors) -> Scalars:
        """Of the turn with which bodies keep off the border, (m,) 1/m. `room`: (m,) metres to the border straight
        ahead; `inward`: (m, 3) unit directions away from it; `heading`: (m, 3) unit vectors."""
        outward, along = np.maximum(-dot(heading, inward), 0.0), magnitude(across(heading, inward))
        # tan(a / 2) = (1 - cos a) / sin a, where cos a is along the border and sin a is across it.
        needed = (1.0 - np.minimum(along, 1.0)) / np.maximum(outward, EPSILON)
        room_left = np.maximum(room - self.before, NEAREST * self.circle)
        return FIRMNESS * np.where(outward > 0.0, needed, 0.0) / room_left

    def returning(self, world: World, inward: Vectors, heading: Vectors) -> Scalars:
        """The curvature with which bodies outside turn until they head inward, (m,) 1/m; 0 for those inside.

        On the circle that touches the border from outside, cos b = 1 - out / radius at an angle b to the border.
        `inward`, `heading`: (m, 3) unit vectors.
        """
        out = magnitude(self.way_in(world, self.agents.position))
        cosine = 1.0 - np.minimum(out / self.tightest, STEEPEST)
        lack = np.sqrt(1.0 - cosine * cosine) - dot(heading, inward)
        return np.where(out > 0.0, clamp(lack / RETURNS, 0.0, 1.0), 0.0) / self.tightest

    def fastest(self, curvature: Scalars) -> Scalars:
        """The speed at which they hold a turn, (m,) m/s; not below that of the smallest circle."""
        bend = np.maximum(curvature, EPSILON)
        held = np.minimum(np.sqrt(self.sideways / bend), self.agents.handling.turn_rate / bend)
        return np.maximum(held, np.sqrt(self.sideways * self.circle))

    def way_in(self, world: World, place: Vectors) -> Vectors:
        """The level ways from places to their regions, (m, 3) metres; zero for those inside."""
        return self.agents.level(world.regions.way_in(place, self.region))

    def room(self, world: World, place: Vectors, heading: Vectors) -> tuple[Scalars, Vectors]:
        """How far the border is straight ahead, (m,) metres, 0 for who is outside, inf where it does not count yet.

        Args:
            place, heading: (m, 3) metres, and unit vectors; zero for those that look nowhere.

        Returns:
            The distances; and the level unit directions away from the border there, (m, 3), zero where it does not
            count.
        """
        furthest = FAR_FACTOR * self.tightest + self.before
        ahead = furthest[:, None] * (np.arange(PLACES + 1) / PLACES)
        places = place[:, None] + heading[:, None] * ahead[..., None]
        m, b = places.shape[:2]
        way = world.regions.way_in(places.reshape(m * b, 3), np.repeat(self.region, b))
        outside = (self.agents.level(way.reshape(m, b, 3)) != 0.0).any(axis=2)
        room, inward = np.full(len(place), np.inf), no_vectors(len(place))
        rows = which(outside.any(axis=1))
        if not len(rows):
            return room, inward
        place, heading, region = picked(place, rows), picked(heading, rows), self.region[rows]

        def way_in(ahead: Scalars) -> Vectors:
            return self.agents.level_of(world.regions.way_in(place + heading * ahead[:, None], region), rows)

        high = ahead[rows, np.argmax(outside[rows], axis=1)]
        low = np.maximum(high - furthest[rows] / PLACES, 0.0)
        for _ in range(CLOSER):
            middle = 0.5 * (low + high)
            out = (way_in(middle) != 0.0).any(axis=1)
            low, high = np.where(out, low, middle), np.where(out, middle, high)
        room[rows], inward[rows] = low, unit(way_in(high))
        return room, inward
