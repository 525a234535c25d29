"""Landing: come down on a roof, a wire or a branch, and stand there (not in the paper).

Each agent takes a place of its own. It glides down to it and slows down on the way, to its slowest flight where the
last part begins, the flare. There it brakes with an even force a, so that with s metres to go its speed is

    v = sqrt(2 a s + (a t)^2) - a t,

which becomes s / t at the end. It comes from above, over those that stand already. What is too high for a steepest
glide, or too low for its climb, goes a longer way in an arc.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.vectors import (
    EPSILON,
    Mask,
    Number,
    Rows,
    Scalars,
    Vectors,
    anybody,
    clamp,
    dot,
    magnitude,
    picked,
    truncate,
    unit,
)
from ..simulation.behavior import OURS, Destination, Intent, Steering
from ..simulation.declaration import body, called, length, room_to_stop, stood_on
from ..simulation.intention import Intention
from ..simulation.maneuvers.perching import STEEP, Places, take_places
from ..simulation.marks.detouring import arc_angle
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World

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


@dataclass(frozen=True)
class Landing(Destination):
    """Come down on a roof, a wire or a branch, each on a place of its own, and stand there.

    It slows down, flares and drops the last of the way from above. On a wire it faces across, elsewhere the way it
    came. Places go along with what they are on. Those for whom there is no place left fly on over it. Does nothing
    without a target, and nothing for what keeps to the ground.
    """

    name = "landing"
    label = "Land"
    term = OURS
    intent = Intent.GO
    comes_to_caller = True
    remembers = Coming
    refers_to_up = True

    target: Rows = stood_on(body("What to land on; empty: the nearest leader"))
    slowing_distance: Number = called(
        "Slows Within", room_to_stop(length(8.0, "Distance from its place at which it begins to slow down", 0.01))
    )
    apart: Number = length(1.2, "Least distance between two that stand; never less than their bodies are wide")

    def steer(self, world: World, agents: Agents, memory: Coming) -> Steering:
        target = np.where(agents.grounded | (self.weight == 0.0), -1, self.target)
        places = Places.of(world, agents, target)
        mine = places.rows_of(memory.place)
        place = take_places(world, agents, target, places, mine, memory.stands & (mine >= 0), self.apart)
        keeps = (place >= 0) & (place == mine)
        lands, row = place >= 0, np.maximum(place, 0)
        if not len(places.number):
            return Steering(agents.none(), Coming.blank(len(agents)))
        here, motion = self._place(world, agents, places, row), picked(places.velocity, row)
        flight = _Flight.of(agents, self.slowing_distance, here, motion)

        begins = flight.near & (flight.speed <= TOO_FAST * flight.slowest)
        down: Mask = lands & (flight.way <= LEAVES * flight.flare) & ((keeps & memory.down) | begins)
        velocity = motion + flight.wanted(down)
        force = agents.steering_to(velocity)
        there = (here + motion * world.dt - agents.position) / world.dt
        strongest = agents.agility * world.dt
        reaches = magnitude(there - agents.velocity) <= strongest
        stands: Mask = down & reaches & (magnitude(there - motion) <= STOPS * strongest)

        north = unit(agents.flat(picked(world.bodies.forward, places.body[row])))
        west, forward, stood = agents.left_of(north), unit(agents.flat(agents.forward)), keeps & memory.stands
        ahead = np.where(stood, memory.ahead, dot(forward, north))
        aside = np.where(stood, memory.aside, dot(forward, west))
        kept = north * ahead[:, None] + west * aside[:, None]
        course = np.where(stands[:, None], kept, flight.course)
        heading = self._across(agents, picked(places.along, row), course)
        waits = (target >= 0) & ~lands
        if anybody(waits):
            over = picked(world.bodies.position, np.maximum(target, 0))
            room = world.bodies.radius[np.maximum(target, 0)] + agents.tightest(agents.cruise_speed)
            over = agents.lifted(over, room)
            force = np.where(waits[:, None], agents.seeking(over, agents.cruise_speed), force)
        force = np.where((target >= 0)[:, None], force, 0.0)
        return Steering(
            force,
            Coming(np.where(lands, places.number[row], -1), down, stands, ahead, aside),
            sets_speed=target >= 0,
            arrived=stands,
            comes_down=np.where(down[:, None], velocity, np.nan),
            perch=np.where(stands[:, None], here + motion * world.dt, np.nan),
            heading=np.where(down[:, None], heading, 0.0),
        )

    def goal(self, world: World, agents: Agents, memory: Coming) -> Vectors:
        places = Places.of(world, agents, np.where(agents.grounded, -1, self.target))
        row = places.rows_of(memory.place)
        if not len(places.number):
            return np.full((len(agents), 3), np.nan)
        return np.where((row >= 0)[:, None], self._place(world, agents, places, np.maximum(row, 0)), np.nan)

    def intention(self, world: World, agents: Agents, memory: Coming) -> Intention:
        return Intention(lands=memory.place >= 0)

    @staticmethod
    def _place(world: World, agents: Agents, places: Places, row: Rows) -> Vectors:
        """Where the origins of agents are when they stand on their places, (n, 3) metres."""
        return agents.lifted(picked(places.position, row), world.lift_of(agents.rows))

    @staticmethod
    def _across(agents: Agents, along: Vectors, course: Vectors) -> Vectors:
        """The level headings in which they stand, (n, 3): across wires, else as they come; zero where they stay so."""
        across = unit(agents.left_of(agents.flat(along)))
        across = np.where((dot(across, agents.forward) < 0.0)[:, None], -across, across)
        return np.where((magnitude(across) > 0.5)[:, None], across, course)


@dataclass(frozen=True)
class _Flight:
    """The way of n agents to their places, relative to these.

    Attributes:
        agents: these.
        height, run: (n,) metres above the place, and as seen from above to it.
        level: (n, 3) metres to it as seen from above.
        course: (n, 3) level unit directions to it; zero within a radius of it.
        way: (n,) metres to fly.
        arc: (n,) radians by which it leaves the straight way.
        speed: (n,) at which it goes, m/s.
        pace, slowest: (n,) its usual speed, and that at which the flare begins, m/s.
        brakes: (n,) with which it brakes then, m/s2.
        flare: (n,) metres of that.
        slowing: (n,) metres within which it slows down before.
        velocity: (n, 3) m/s.
    """

    agents: Agents
    height: Scalars
    run: Scalars
    level: Vectors
    course: Vectors
    way: Scalars
    arc: Scalars
    speed: Scalars
    pace: Scalars
    slowest: Scalars
    brakes: Scalars
    flare: Scalars
    slowing: Scalars
    velocity: Vectors

    @classmethod
    def of(cls, agents: Agents, slowing: Scalars, here: Vectors, motion: Vectors) -> _Flight:
        """The ways to places (n, 3) in metres that move at (n, 3) m/s."""
        offset, velocity = here - agents.position, agents.velocity - motion
        height, level = -agents.climb(offset), agents.flat(offset)
        run = magnitude(level)
        pace = np.where(agents.cruise_speed > 0.0, agents.cruise_speed, 0.5 * agents.max_speed)
        slowest = np.minimum(np.maximum(SLOW * pace, agents.handling.stall_share * agents.max_speed), agents.max_speed)
        brakes = np.maximum(FLARE * agents.agility, EPSILON)
        flare = slowest * (slowest + 2.0 * brakes * LAST) / (2.0 * brakes)
        pace = np.maximum(pace, slowest)
        easy = (pace * pace - slowest * slowest) / np.maximum(2.0 * EASY * agents.agility, EPSILON)
        climb = np.maximum(agents.handling.steepest_climb, EPSILON)
        longer = np.maximum((height - HIGH * agents.radius) / STEEP, -height / climb)
        straight = np.sqrt(run * run + height * height)
        arc = arc_angle(run / np.maximum(longer, EPSILON))
        arc = np.where((longer > run) & (longer > flare), arc, 0.0)
        return cls(
            agents,
            height,
            run,
            level,
            np.where((run > agents.radius)[:, None], unit(level), 0.0),
            np.where(arc > 0.0, longer, straight),
            arc,
            magnitude(velocity),
            pace,
            slowest,
            brakes,
            flare,
            np.maximum(slowing - flare, easy),
            velocity,
        )

    @property
    def near(self) -> Mask:
        """(n,) whether it is where the flare begins."""
        near: Mask = (self.way <= self.flare) & (self.arc == 0.0)
        return near

    def wanted(self, down: Mask) -> Vectors:
        """The velocities relative to their places, (n, 3) m/s, of agents that are in the flare or not, (n,)."""
        agents, a = self.agents, self.brakes * LAST
        flare = np.sqrt(2.0 * self.brakes * self.way + a * a) - a
        gain = (self.pace * self.pace - self.slowest * self.slowest) / np.maximum(self.slowing, EPSILON)
        # Its speed lags behind by the response time.
        left = self.way - self.flare - self.speed * agents.vehicle.response_time
        slower = np.sqrt(self.slowest * self.slowest + gain * np.maximum(left, 0.0))
        speed = np.where(down, flare, np.minimum(slower, self.pace))
        # On an arc it flies no faster than it can turn.
        bend = np.sqrt(0.5 * agents.agility * self.way / np.maximum(2.0 * self.arc, EPSILON))
        speed = np.where(self.arc > 0.0, np.minimum(speed, np.maximum(bend, self.slowest)), speed)

        beside, high = NEAR * agents.radius, HIGH * agents.radius
        above = self.run + beside
        glide = GLIDE * self.run + high * self.run / np.maximum(above, EPSILON)
        slope = GLIDE + high * beside / np.maximum(above * above, EPSILON)
        ahead = speed / np.sqrt(1.0 + np.where(down, slope * slope, 0.0))
        sink = ahead * slope + (self.height - glide) / np.where(down, SETTLES, SINKS)
        sink = np.where(self.arc > 0.0, np.where(self.height > 0.0, STEEP * ahead, -ahead), sink)
        drop = np.where(down, DROPS * self.slowest, 0.0)
        climb = np.minimum(agents.handling.steepest_climb, 1.0) * ahead
        sink = clamp(sink, -np.maximum(climb, drop), np.maximum(STEEP * ahead, drop))
        direction: Vectors = unit(self.level)
        if anybody(self.arc > 0.0):
            aside: Vectors = agents.left_of(direction)
            cosines, sines = cosine_and_sine(self.arc)
            side = np.where(dot(self.velocity, aside) < 0.0, -1.0, 1.0)
            direction = np.asarray(direction * cosines[:, None] + aside * (side * sines)[:, None], dtype=np.float64)
        return truncate(agents.lifted(direction * ahead[:, None], -sink), agents.max_speed)
