"""Coming down: how agents in the air fly to places of their own, flare, and stand there.

An agent glides down to its place and slows down on the way, to its slowest flight where the last part begins, the
flare. There it brakes with an even force a, so that with s metres to go its speed is

    v = sqrt(2 a s + (a t)^2) - a t,

which becomes s / t at the end. It comes from above, over those that stand already. What is too high for a steepest
glide, or too low for its climb, goes a longer way in an arc. So does what is to stand there at a time and is too early;
in its flare, with a time T left, it brakes evenly by

    v = 2 s / T.
"""

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from ..arrays.angles import cosine_and_sine
from ..arrays.frozen import replace
from ..arrays.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    anybody,
    clamp,
    dot,
    magnitude,
    no_vectors,
    nobody,
    picked,
    truncate,
    unit,
)
from ..marks.detouring import arc_angle
from ..memory import Memory, remembered
from ..world import Agents, World
from .perching import STEEP, Places, nearest_targets, take_places

FLARE, EASY = 0.4, 0.25
"""The shares of its strength with which it brakes in the flare, and at most before that."""
SLOW = 0.4
"""The share of cruise speed, or more if it cannot fly as slowly, at which the flare begins."""
LAST = 0.14
"""Seconds in which the last of the way dwindles: t above."""
GLIDE = 0.16
"""The tangent of the glide on which it comes in."""
HIGH, NEAR = 2.6, 1.6
"""Radii above its place from which it drops in the end, and from it within which it does."""
SINKS, SETTLES = 0.5, 0.16
"""Seconds in which it comes to the height of its glide, before the flare and in it."""
DROPS = 0.25
"""The share of its slowest flight at which it drops straight down at most."""
TOO_FAST = 1.3
"""Multiples of its slowest flight up to which it begins the flare; one that is faster flies on and comes again."""
LEAVES = 1.5
"""Multiples of the way of the flare at which one that was in it begins again."""
STOPS = 0.9
"""The share of what it can brake in a step within which it is slow enough to stand."""
SLOWER, HARDER = 0.85, 2.0
"""Of one that has a time: the least share of its usual speeds at which it flies before it takes an arc instead, and how
many times as hard it brakes at most."""


@dataclass(frozen=True)
class Coming(Memory):
    """How far agents have come.

    Attributes:
        place: (n,) the number of the place that each has taken, -1 for none.
        down: (n,) whether it is in the flare, or has come down.
        stands: (n,) whether it stands there.
        ahead, aside: (n,) how it faced as it came down, along the heading of what it stands on and to the left of that.
    """

    place: Rows = remembered(-1)
    down: Mask = remembered(False)
    stands: Mask = remembered(False)
    ahead: Scalars = remembered(0.0)
    aside: Scalars = remembered(0.0)


Came = TypeVar("Came", bound=Coming)


@dataclass(frozen=True)
class Descent(Generic[Came]):
    """What agents do that come down, n rows.

    Attributes:
        goes: (n,) whether it has a target.
        force: (n, 3) newtons; zero for those without one.
        memory: what they remember next.
        comes_down, perch, heading: (n, 3) as of `Intention`.
    """

    goes: Mask
    force: Vectors
    memory: Came
    comes_down: Vectors
    perch: Vectors
    heading: Vectors


def come_down(
    world: World,
    agents: Agents,
    target: Rows,
    memory: Came,
    apart: Scalars,
    slowing: Scalars,
    left: Scalars | None = None,
) -> Descent[Came]:
    """How agents come down on their targets; those for whom there is no place fly on over it.

    Args:
        target: (n,) as of `take_places`.
        apart: (n,) the least distance between two that stand, metres.
        slowing: (n,) the distance from its place at which each begins to slow down, metres.
        left: (n,) seconds after which each is to stand there, less than 0 once they are over; None without a time.
    """
    places = Places.of(world, agents, target)
    if not len(places.number):
        n = len(agents)
        nowhere = np.full((n, 3), np.nan)
        return Descent(nobody(n), no_vectors(n), type(memory).blank(n), nowhere, nowhere, no_vectors(n))
    mine = places.rows_of(memory.place)
    place = take_places(world, agents, target, places, mine, memory.stands & (mine >= 0), apart)
    keeps = (place >= 0) & (place == mine)
    lands, row = place >= 0, np.maximum(place, 0)
    here, motion = origins_on(world, agents, places, row), picked(places.velocity, row)
    flight = Flight.of(agents, slowing, here, motion, left, keeps & memory.down)
    down: Mask = lands & (flight.way <= LEAVES * flight.flare) & ((keeps & memory.down) | flight.begins)
    velocity = motion + flight.wanted(down, world.dt)
    there = (here + motion * world.dt - agents.position) / world.dt
    stands = down & _can_stand(agents, there, motion, world.dt)
    if left is not None:
        stands = stands & (memory.stands | (left < 0.5 * world.dt))
    faces, ahead, aside = _facing(agents, picked(world.bodies.forward, places.body[row]), memory, keeps)
    course = np.where(stands[:, None], faces, flight.course)
    heading = _across(agents, picked(places.along, row), course)
    goes, force = target != -1, _over_it(world, agents, target, ~lands, agents.steering_to(velocity))
    number = np.where(lands, places.number[row], -1)
    return Descent(
        goes,
        np.where(goes[:, None], force, 0.0),
        replace(memory, place=number, down=down, stands=stands, ahead=ahead, aside=aside),
        comes_down=np.where(down[:, None], velocity, np.nan),
        perch=np.where(stands[:, None], here + motion * world.dt, np.nan),
        heading=np.where(down[:, None], heading, 0.0),
    )


def origins_on(world: World, agents: Agents, places: Places, row: Rows) -> Vectors:
    """Where the origins of agents are when they stand on places of rows (n,), (n, 3) metres."""
    return agents.lifted(picked(places.position, row), world.lift_of(agents.rows))


def _can_stand(agents: Agents, there: Vectors, motion: Vectors, dt: float) -> Mask:
    """Whether agents can be at their places after a step, and still there, (n,).

    Args:
        there: (n, 3) the velocities that lead them to their places in this step, m/s.
        motion: (n, 3) those of the places, m/s.
    """
    strongest = agents.agility * dt
    mask: Mask = magnitude(there - agents.velocity) <= strongest
    return mask & (magnitude(there - motion) <= STOPS * strongest)


def _facing(agents: Agents, north: Vectors, memory: Coming, keeps: Mask) -> tuple[Vectors, Scalars, Scalars]:
    """The headings that agents keep on what they stand on, which faces north, (n, 3), and their shares, (n,) each."""
    north = unit(agents.flat(north))
    west, forward, stood = agents.left_of(north), unit(agents.flat(agents.forward)), keeps & memory.stands
    ahead = np.where(stood, memory.ahead, dot(forward, north))
    aside = np.where(stood, memory.aside, dot(forward, west))
    return north * ahead[:, None] + west * aside[:, None], ahead, aside


def _across(agents: Agents, along: Vectors, course: Vectors) -> Vectors:
    """The level headings in which they stand, (n, 3): across wires, else as they come; zero where they stay so."""
    across = unit(agents.left_of(agents.flat(along)))
    across = np.where((dot(across, agents.forward) < 0.0)[:, None], -across, across)
    return np.where((magnitude(across) > 0.5)[:, None], across, course)


def _over_it(world: World, agents: Agents, target: Rows, waits: Mask, force: Vectors) -> Vectors:
    """The forces, (n, 3) newtons, with those of agents that wait leading over their targets."""
    waits = waits & (target != -1)
    if not anybody(waits):
        return force
    body = np.maximum(nearest_targets(world, agents, target, waits), 0)
    room = world.bodies.radius[body] + agents.tightest(agents.cruise_speed)
    over = agents.lifted(picked(world.bodies.position, body), room)
    return np.where(waits[:, None], agents.seeking(over, agents.cruise_speed), force)


@dataclass(frozen=True)
class Flight:
    """The way of n agents to their places, relative to these.

    Attributes:
        agents: these.
        height, run: (n,) metres above the place, and as seen from above to it.
        level: (n, 3) metres to it as seen from above.
        course: (n, 3) level unit directions to it; zero within a radius of it.
        way: (n,) metres to fly.
        arc: (n,) radians by which it leaves the straight way.
        late: (n,) the straight way as a multiple of what it flies in its time; None without a time.
        left: (n,) seconds left; None without a time.
        speeds: what is known of its speeds.
        velocity: (n, 3) m/s.
    """

    agents: Agents
    height: Scalars
    run: Scalars
    level: Vectors
    course: Vectors
    way: Scalars
    arc: Scalars
    late: Scalars | None
    left: Scalars | None
    speeds: "Speeds"
    velocity: Vectors

    @classmethod
    def of(
        cls,
        agents: Agents,
        slowing: Scalars,
        here: Vectors,
        motion: Vectors,
        left: Scalars | None,
        down: Mask,
    ) -> "Flight":
        """The ways to places (n, 3) in metres that move at (n, 3) m/s, of agents that are in the flare or not, (n,)."""
        offset, velocity = here - agents.position, agents.velocity - motion
        height, level = -agents.climb(offset), agents.flat(offset)
        run, speeds = magnitude(level), Speeds.of(agents, slowing)
        climb = np.maximum(agents.handling.steepest_climb, EPSILON)
        longer = np.maximum((height - HIGH * agents.radius) / STEEP, -height / climb)
        straight, late = np.sqrt(run * run + height * height), None
        if left is not None:
            flown = speeds.flown_in(left)
            late = straight / np.maximum(flown, EPSILON)
            longer = np.maximum(longer, np.where(down | (left <= speeds.flaring), 0.0, SLOWER * flown))
        arc = arc_angle(run / np.maximum(longer, EPSILON))
        arc = np.where((longer > run) & (longer > speeds.flare), arc, 0.0)
        course = np.where((run > agents.radius)[:, None], unit(level), 0.0)
        way = np.where(arc > 0.0, longer, straight)
        return cls(agents, height, run, level, course, way, arc, late, left, speeds, velocity)

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
        left = self.left
        if left is None:
            return flare
        most = np.sqrt(2.0 * HARDER * self.speeds.brakes * self.way)
        return np.where(left > 0.0, np.minimum(_even(self.way, left, dt), most), flare)

    def _slowing(self) -> Scalars:
        """The speeds before the flare, (n,) m/s."""
        speeds = self.speeds
        # Its speed lags behind by the response time.
        left = self.way - speeds.flare - magnitude(self.velocity) * self.agents.vehicle.response_time
        slower = np.sqrt(speeds.slowest * speeds.slowest + speeds.gain * np.maximum(left, 0.0))
        slower = np.minimum(slower, speeds.pace)
        if self.late is None:
            return slower
        hard = HARDER * speeds.gain * np.maximum(self.way - speeds.flare, 0.0)
        most = np.sqrt(speeds.slowest * speeds.slowest + hard)
        return np.maximum(np.minimum(slower * np.maximum(self.late, SLOWER), most), speeds.slowest)

    def _gliding(self, speed: Scalars, down: Mask, dt: float) -> tuple[Scalars, Scalars]:
        """The speeds over the ground and down, (n,) m/s each, at speeds (n,) along the glide."""
        agents = self.agents
        beside, high = NEAR * agents.radius, HIGH * agents.radius
        above = self.run + beside
        glide = GLIDE * self.run + high * self.run / np.maximum(above, EPSILON)
        slope = GLIDE + high * beside / np.maximum(above * above, EPSILON)
        ahead = speed / np.sqrt(1.0 + np.where(down, slope * slope, 0.0))
        sink = ahead * slope + (self.height - glide) / np.where(down, SETTLES, SINKS)
        sink = np.where(self.arc > 0.0, np.where(self.height > 0.0, STEEP * ahead, -ahead), sink)
        drop = np.where(down, DROPS * self.speeds.slowest, 0.0)
        if self.left is not None:
            timed = down & (self.left > 0.0)
            ahead = np.where(timed, np.minimum(ahead, _even(self.run, self.left, dt)), ahead)
            soft = np.sqrt(2.0 * self.speeds.brakes * np.maximum(self.height, 0.0))
            drop = np.where(timed, np.maximum(drop, np.minimum(_even(self.height, self.left, dt), soft)), drop)
        climb = np.minimum(agents.handling.steepest_climb, 1.0) * ahead
        return ahead, clamp(sink, -np.maximum(climb, drop), np.maximum(STEEP * ahead, drop))


def _even(way: Scalars, left: Scalars, dt: float) -> Scalars:
    """The speeds from which an even force stops after ways (n,) in metres and times (n,) in seconds, (n,) m/s."""
    return 2.0 * way / np.maximum(left + dt, dt)


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
        """Those of agents that begin to slow down at distances (n,) from their places, metres, or further off."""
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

    def flown_in(self, left: Scalars) -> Scalars:
        """The ways that end in a flare after times (n,) in seconds, (n,) metres."""
        before = np.maximum(left - self.flaring, 0.0)
        slowing = np.minimum(before, 2.0 * self.slowing / np.maximum(self.pace + self.slowest, EPSILON))
        slowed = self.slowest * slowing + 0.25 * self.gain * slowing * slowing
        return self.flare + slowed + self.pace * (before - slowing)

    def needed(self, way: Scalars) -> Scalars:
        """The times that ways (n,) in metres take, (n,) seconds; no less than those to slow down and to flare."""
        slowing = 2.0 * self.slowing / np.maximum(self.pace + self.slowest, EPSILON)
        return (
            self.flaring + slowing + np.maximum(way - self.flare - self.slowing, 0.0) / np.maximum(self.pace, EPSILON)
        )
