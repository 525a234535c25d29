"""Gliding: how fast, and on which way, agents in the air come down to places, and flare there.

An agent glides down to its place and slows down on the way, to its slowest flight where the last part begins, the
flare. There it brakes with an even force a, so that with s metres to go its speed is

    v = sqrt(2 a s + (a t)^2) - a t,

which becomes s / t at the end. It comes from above, over those that stand already. What is too high for a steepest
glide, or too low for its climb, goes a longer way in an arc. So does what is to stand there at a time and is too early;
in its flare, with a time T left, it brakes evenly by

    v = 2 s / T.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays.angles import cosine_and_sine
from ..arrays.scalars import EPSILON, Mask, Scalars, anybody, clamp
from ..arrays.vectors import Vectors, dot, magnitude, truncate, unit
from ..marks.reaching import arc_angle
from ..world import Agents
from .perching import STEEP

FLARE, EASY = 0.4, 0.25
"""The shares of its strength with which it brakes in the flare, and at most before that."""
SLOW = 0.4
"""The share of cruise speed, or more if it cannot fly as slowly, at which the flare begins."""
LAST = 0.14
"""Seconds in which the last of the way dwindles: t above."""
GLIDE = 0.16
"""The tangent of the glide on which it comes in where nothing is in the way."""
HIGH, NEAR = 2.6, 1.6
"""Radii above its place from which it drops in the end, and from it within which it does."""
SINKS, SETTLES = 0.5, 0.16
"""Seconds in which it comes to the height of its glide, before the flare and in it."""
DROPS = 0.25
"""The share of its slowest flight at which it drops straight down at most."""
TOO_FAST = 1.3
"""Multiples of its slowest flight up to which it begins the flare; one that is faster flies on and comes again."""
SLOWER, HARDER = 0.85, 2.0
"""Of one that has a time: the least share of its usual speeds at which it flies before it takes an arc instead, and how
many times as hard it brakes at most."""


@dataclass(frozen=True)
class Flight:
    """The way of n agents to their places, relative to these.

    Attributes:
        height, run: (n,) metres above the place, and as seen from above to it.
        level: (n, 3) metres to it as seen from above.
        course: (n, 3) level unit directions to it; zero within a radius of it.
        way: (n,) metres to fly.
        arc: (n,) radians by which it leaves the straight way.
        late: (n,) the straight way as a multiple of what it flies in its time; None without a time.
        left: (n,) seconds left; None without a time.
        slope: (n,) the tangent of the glide.
    """

    agents: Agents
    height: Scalars
    run: Scalars
    level: Vectors
    course: Vectors
    way: Scalars
    arc: Scalars
    late: Scalars | None
    time_left: Scalars | None
    speeds: "Speeds"
    velocity: Vectors
    slope: Scalars

    @classmethod
    def of(
        cls,
        agents: Agents,
        slowing: Scalars,
        place: Vectors,
        motion: Vectors,
        time_left: Scalars | None,
        down: Mask,
        slope: Scalars,
    ) -> "Flight":
        """The ways to places (n, 3) in metres that move at (n, 3) m/s, of agents that are in the flare or not, (n,)."""
        offset, velocity = place - agents.position, agents.velocity - motion
        height, level = -agents.climb(offset), agents.flat(offset)
        run, speeds = magnitude(level), Speeds.of(agents, slowing)
        climb = np.maximum(agents.handling.steepest_climb, EPSILON)
        longer = np.maximum((height - HIGH * agents.radius) / STEEP, -height / climb)
        straight, late = np.sqrt(run * run + height * height), None
        if time_left is not None:
            flown = speeds.flown_in(time_left)
            late = straight / np.maximum(flown, EPSILON)
            longer = np.maximum(longer, np.where(down | (time_left <= speeds.flaring), 0.0, SLOWER * flown))
        arc = arc_angle(run / np.maximum(longer, EPSILON))
        arc = np.where((longer > run) & (longer > speeds.flare), arc, 0.0)
        course = np.where((run > agents.radius)[:, None], unit(level), 0.0)
        way = np.where(arc > 0.0, longer, straight)
        return cls(agents, height, run, level, course, way, arc, late, time_left, speeds, velocity, slope)

    @property
    def flare(self) -> Scalars:
        """(n,) metres of the flare."""
        return self.speeds.flare

    @property
    def begins(self) -> Mask:
        """(n,) whether it is where the flare begins, and slow enough for it."""
        near = (self.way <= self.flare) & (self.arc == 0.0)
        slow: Mask = magnitude(self.velocity) <= TOO_FAST * self.speeds.slowest
        return near & slow

    def wanted(self, down: Mask, dt: float) -> Vectors:
        """The velocities relative to their places, (n, 3) m/s, of agents that are in the flare or not, (n,)."""
        agents, speed = self.agents, np.where(down, self._flaring(dt), self._slowing())
        # On an arc it flies no faster than it can turn.
        bend = np.sqrt(0.5 * agents.agility * self.way / np.maximum(2.0 * self.arc, EPSILON))
        speed = np.where(self.arc > 0.0, np.minimum(speed, np.maximum(bend, self.speeds.slowest)), speed)
        ahead, sink = self._gliding(speed, down, dt)
        direction: Vectors = unit(self.level)
        if anybody(self.arc > 0.0):
            aside: Vectors = agents.left_of(direction)
            cosines, sines = cosine_and_sine(self.arc)
            side = np.where(dot(self.velocity, aside) < 0.0, -1.0, 1.0)
            direction = np.asarray(direction * cosines[:, None] + aside * (side * sines)[:, None], dtype=np.float64)
        return truncate(agents.lifted(direction * ahead[:, None], -sink), agents.max_speed)

    def _flaring(self, dt: float) -> Scalars:
        """The speeds in the flare, (n,) m/s."""
        a = self.speeds.brakes * LAST
        flare = np.sqrt(2.0 * self.speeds.brakes * self.way + a * a) - a
        time_left = self.time_left
        if time_left is None:
            return flare
        hardest = np.sqrt(2.0 * HARDER * self.speeds.brakes * self.way)
        return np.where(time_left > 0.0, np.minimum(_even(self.way, time_left, dt), hardest), flare)

    def _slowing(self) -> Scalars:
        """The speeds before the flare, (n,) m/s."""
        speeds = self.speeds
        # Its speed lags behind by the response time.
        room = self.way - speeds.flare - magnitude(self.velocity) * self.agents.vehicle.response_time
        slower = np.sqrt(speeds.slowest * speeds.slowest + speeds.gain * np.maximum(room, 0.0))
        slower = np.minimum(slower, speeds.pace)
        if self.late is None:
            return slower
        hard = HARDER * speeds.gain * np.maximum(self.way - speeds.flare, 0.0)
        hardest = np.sqrt(speeds.slowest * speeds.slowest + hard)
        return np.maximum(np.minimum(slower * np.maximum(self.late, SLOWER), hardest), speeds.slowest)

    def _gliding(self, speed: Scalars, down: Mask, dt: float) -> tuple[Scalars, Scalars]:
        """The speeds over the ground and down, (n,) m/s each, at speeds (n,) along the glide."""
        agents = self.agents
        beside, high = NEAR * agents.radius, HIGH * agents.radius
        above = self.run + beside
        # On a steep glide one that is too fast for its flare would dive into its place: it flies on over that.
        drops = down | (self.slope <= GLIDE)
        glide = np.where(drops, height_of_glide(agents, self.run, self.slope), self.slope * self.run + high)
        slope = self.slope + np.where(drops, high * beside / np.maximum(above * above, EPSILON), 0.0)
        ahead = speed / np.sqrt(1.0 + np.where(down, slope * slope, 0.0))
        sink = ahead * slope + (self.height - glide) / np.where(down, SETTLES, SINKS)
        sink = np.where(self.arc > 0.0, np.where(self.height > 0.0, STEEP * ahead, -ahead), sink)
        drop = np.where(down, DROPS * self.speeds.slowest, 0.0)
        if self.time_left is not None:
            timed = down & (self.time_left > 0.0)
            ahead = np.where(timed, np.minimum(ahead, _even(self.run, self.time_left, dt)), ahead)
            soft = np.sqrt(2.0 * self.speeds.brakes * np.maximum(self.height, 0.0))
            drop = np.where(timed, np.maximum(drop, np.minimum(_even(self.height, self.time_left, dt), soft)), drop)
        climb = np.minimum(agents.handling.steepest_climb, 1.0) * ahead
        return ahead, clamp(sink, -np.maximum(climb, drop), np.maximum(STEEP * ahead, drop))


def height_of_glide(agents: Agents, run: Scalars, slope: Scalars | float) -> Scalars:
    """How high above its place each agent is on its glide, (n,) metres, at distances (n,) as seen from above."""
    high, above = HIGH * agents.radius, run + NEAR * agents.radius
    return slope * run + high * run / np.maximum(above, EPSILON)


def _even(way: Scalars, time_left: Scalars, dt: float) -> Scalars:
    """The speeds from which an even force stops after ways (n,) in metres and times (n,) in seconds, (n,) m/s."""
    return 2.0 * way / np.maximum(time_left + dt, dt)


@dataclass(frozen=True)
class Speeds:
    """How fast n agents fly to their places.

    Attributes:
        pace, slowest: (n,) the usual speed, and that at which the flare begins, m/s.
        brakes: (n,) with which it brakes then, m/s2.
        flare: (n,) metres of that.
        slowing: (n,) metres within which it slows down before.
    """

    pace: Scalars
    slowest: Scalars
    brakes: Scalars
    flare: Scalars
    slowing: Scalars

    @classmethod
    def of(cls, agents: Agents, slowing: Scalars) -> "Speeds":
        """The speeds of agents that begin to slow down at distances (n,) from their places, metres, or further off."""
        pace = np.where(agents.cruise_speed > 0.0, agents.cruise_speed, 0.5 * agents.max_speed)
        slowest = np.minimum(np.maximum(SLOW * pace, agents.handling.stall_share * agents.max_speed), agents.max_speed)
        brakes = np.maximum(FLARE * agents.agility, EPSILON)
        flare = slowest * (slowest + 2.0 * brakes * LAST) / (2.0 * brakes)
        pace = np.maximum(pace, slowest)
        easy = (pace * pace - slowest * slowest) / np.maximum(2.0 * EASY * agents.agility, EPSILON)
        return cls(pace, slowest, brakes, flare, np.maximum(slowing - flare, easy))

    @property
    def gain(self) -> Scalars:
        """(n,) by how much the square of the speed falls in a metre of slowing down, m/s2."""
        return (self.pace * self.pace - self.slowest * self.slowest) / np.maximum(self.slowing, EPSILON)

    @property
    def flaring(self) -> Scalars:
        """(n,) seconds of an even flare."""
        return 2.0 * self.flare / np.maximum(self.slowest, EPSILON)

    @property
    def slowing_time(self) -> Scalars:
        """(n,) seconds in which it slows down before the flare."""
        return 2.0 * self.slowing / np.maximum(self.pace + self.slowest, EPSILON)

    def flown_in(self, time_left: Scalars) -> Scalars:
        """The ways that end in a flare after times (n,) in seconds, (n,) metres."""
        before = np.maximum(time_left - self.flaring, 0.0)
        slowing = np.minimum(before, self.slowing_time)
        slowed = self.slowest * slowing + 0.25 * self.gain * slowing * slowing
        return self.flare + slowed + self.pace * (before - slowing)

    def needed(self, way: Scalars) -> Scalars:
        """The times that ways (n,) in metres take, (n,) seconds; no less than those to slow down and to flare."""
        before = np.maximum(way - self.flare - self.slowing, 0.0)
        return self.flaring + self.slowing_time + before / np.maximum(self.pace, EPSILON)
