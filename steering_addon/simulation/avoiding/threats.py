"""The obstacle that each agent would run into first, and the turn that passes it (paper, Obstacle Avoidance).

An agent with course c and speed v runs into a round obstacle if it would come nearer to its axis than

    reach = radius of the obstacle + radius of the agent + clearance.

Of that axis one point counts (`passing.most_pressing`): w metres ahead along c and a metres off it. The
circle that just touches the hull takes the acceleration

    turn = 2 v^2 (reach - a) / (w^2 + a^2 - reach^2).
"""

from dataclasses import dataclass, fields

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, clamp
from ..arrays.vectors import Vectors, dot, magnitude, unit
from ..geometry.obstacles import EITHER, Obstacles
from ..world import Agents
from .passing import LED, directions_to_pass, led_past, most_pressing, turns_first

EAGERNESS = 1.5
"""Multiple of the last distance at which a dodge is possible that it looks ahead at least."""
ONSET = 0.3
"""Share of the look-ahead distance over which an obstacle that comes into sight gains its full effect."""
CREEP = 0.3
"""Share of max_speed: a slower vehicle turns as if it went that fast."""
MANY = 16
"""Obstacles up to which all are looked at, as to select the near ones takes as long."""
MARGIN = 1.001
"""Factor of the distance of an obstacle that may matter, far above what rounding takes off."""
CAUTION = 1.3
"""Multiple of its braking distance within which a vehicle avoids obstacles even beyond its goal."""


@dataclass(frozen=True)
class Threats:
    """The obstacle that each of n agents would run into first, and how to avoid it.

    Attributes:
        contact: (n,) metres along the course to the point at which it would be too near; inf for no threat.
        course: (n, 3) unit direction of its velocity relative to the obstacle.
        direction: (n, 3) unit direction to turn to, perpendicular to the course.
        turn: (n,) the acceleration along `direction` that just passes the obstacle, m/s2.
        hardest: (n,) the largest acceleration that an obstacle ahead takes, m/s2.
        onset: (n,) ramps from 0 at the look-ahead limit to 1.
        too_near: (n,) whether it is too near already.
        away: (n, 3) unit direction of the shortest way off the obstacle.
    """

    contact: Scalars
    course: Vectors
    direction: Vectors
    turn: Scalars
    hardest: Scalars
    onset: Scalars
    too_near: Mask
    away: Vectors

    def or_sooner(self, other: "Threats") -> "Threats":
        """For each agent the threat that it meets first, of these and others."""
        sooner = other.contact < self.contact
        chosen = {f.name: _chosen(sooner, getattr(other, f.name), getattr(self, f.name)) for f in fields(self)}
        return Threats(**{**chosen, "hardest": np.maximum(self.hardest, other.hardest)})


def _chosen(mask: Mask, new: Vectors, old: Vectors) -> Vectors:
    return np.where(mask[:, None] if new.ndim == 2 else mask, new, old)


@dataclass(frozen=True)
class Rounds:
    """Pairs of n agents and k round obstacles each.

    Attributes:
        obstacles: all obstacles.
        rows: (n, k) the obstacles of each agent, ascending; (1, k) if they are the same for all.
        course: (n, k, 3) unit direction of the agent's velocity relative to the obstacle.
        speed: (n, k) the length of that velocity, m/s.
        way: (n, k) metres along the course to the point of the obstacle's axis that is hardest to pass.
        aside: (n, k, 3) from the course to that point, perpendicular to the course, metres.
        reach: (n, k) the distance that the agent's centre has to keep from the axis, metres.
        contact: (n, k) metres along the course to the point at which it would be that near; inf for no threat.
        onset: (n, k) ramps from 0 at the look-ahead limit to 1.
    """

    obstacles: Obstacles
    rows: Rows
    course: Vectors
    speed: Scalars
    way: Scalars
    aside: Vectors
    reach: Scalars
    contact: Scalars
    onset: Scalars

    @classmethod
    def seen(cls, obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars) -> "Rounds":
        """The pairs of an agent and an obstacle that it may have to avoid. `clearance`: (n,) metres to keep in addition
        to the agent's radius; `look_ahead_time`: (n,) seconds."""
        rows, in_sight = _in_sight(obstacles, agents, clearance, look_ahead_time)
        relative = agents.level(agents.velocity[:, None, :] - obstacles.velocity[rows])
        speed = magnitude(relative)
        still = speed < 1e-6
        course = np.where(still[..., None], agents.forward[:, None, :], unit(relative))
        reach = obstacles.radius[rows] + (agents.radius + clearance)[:, None]
        way, aside = most_pressing(obstacles.start[rows], obstacles.end[rows], agents.position, course, reach)

        # At the height of a grounded agent the section of a ball is a smaller disc.
        stature, height = agents.stature, agents.climb(aside)
        height = height - clamp(height, stature.feet[:, None], stature.head[:, None])
        height = np.where(agents.grounded[:, None], height, 0.0)
        misses = np.abs(height) >= reach
        reach = np.sqrt(np.maximum(reach * reach - height * height, EPSILON))
        aside = agents.level(aside)

        lateral = dot(aside, aside)
        half = np.sqrt(np.maximum(reach * reach - lateral, 0.0))
        contact = np.maximum(way - half, 0.0)
        tightest = agents.tightest(speed)
        look_ahead = _look_ahead(speed, reach, tightest, look_ahead_time)
        braking = 0.5 * speed * speed / np.maximum(agents.agility, EPSILON)[:, None]
        beyond_goal = (contact >= agents.goal_distance[:, None]) & (contact > CAUTION * braking)
        counts = (
            (lateral < reach * reach)
            & (way > 0.0)
            & (way < look_ahead)
            & ~misses
            & ~beyond_goal
            & in_sight
            & (obstacles.carrier[rows] != agents.rows[:, None])
        )
        contact = np.where(counts, contact, np.inf)
        onset = clamp((look_ahead - way) / np.maximum(ONSET * look_ahead, EPSILON), 0.0, 1.0)
        reach = np.broadcast_to(reach, contact.shape)
        return cls(obstacles, rows, course, speed, way, aside, reach, contact, onset)

    def first(self, agents: Agents) -> Threats:
        """The obstacle each agent would meet first, and how to pass it."""
        n = np.arange(len(agents))
        row = np.argmin(self.contact, axis=1)
        course, aside, reach = self.course[n, row], self.aside[n, row], self.reach[n, row]
        obstacle = np.broadcast_to(self.rows, self.contact.shape)[n, row]
        side, radius = self.obstacles.pass_side[obstacle], self.obstacles.radius[obstacle]
        direction = directions_to_pass(side, aside, course, agents.side, agents.upward)
        offset = aside + course * self.way[n, row][:, None]
        led = led_past(agents, n, course, offset, radius, np.maximum(reach - radius, agents.radius))
        free = (side == EITHER) & (magnitude(led) > 0.5)
        missing = reach + dot(aside, led)
        possible = self.turn(missing[:, None], row[:, None], agents)[:, 0] <= agents.sideways_at(
            np.maximum(self.speed[n, row], CREEP * agents.max_speed)
        )
        free &= possible | turns_first(agents) | (missing < LED * (reach + dot(aside, direction)))
        direction = unit(agents.level(np.where(free[:, None], led, direction)))
        missing = reach + dot(aside, direction)
        # An agent that is too near already leaves by the shortest way.
        return Threats(
            contact=self.contact[n, row],
            course=course,
            direction=direction,
            turn=self.turn(missing[:, None], row[:, None], agents)[:, 0],
            hardest=self.hardest_turn(agents),
            onset=self.onset[n, row],
            too_near=magnitude(offset) < reach,
            away=unit(agents.level(-offset)),
        )

    def turn(self, missing: Scalars, rows: Rows, agents: Agents) -> Scalars:
        """The acceleration that makes a circle just touching the hulls of some obstacles, (n, r) m/s2. `missing`: (n,
        r) metres perpendicular to the course by which the course fails to pass each obstacle; `rows`: (n, r) the
        obstacles."""
        n = np.arange(len(rows))[:, None]
        way, aside, reach = self.way[n, rows], self.aside[n, rows], self.reach[n, rows]
        speed = np.maximum(self.speed[n, rows], CREEP * agents.max_speed[:, None])
        room = way * way + dot(aside, aside) - reach * reach
        turn = 2.0 * speed * speed * np.maximum(missing, 0.0) / np.maximum(room, EPSILON)
        return np.where(room > 0.0, turn, agents.agility[:, None])

    def hardest_turn(self, agents: Agents) -> Scalars:
        """(n,) the largest acceleration that passes an obstacle ahead on its nearer side, m/s2."""
        every = np.broadcast_to(np.arange(self.contact.shape[1]), self.contact.shape)
        turn = self.turn(self.reach - magnitude(self.aside), every, agents)
        return np.max(np.where(np.isfinite(self.contact), turn, 0.0), axis=1)


def _look_ahead(speed: Scalars, reach: Scalars, tightest: Scalars, look_ahead_time: Scalars) -> Scalars:
    """How far ahead along its course each agent considers each obstacle, (n, k) metres. `speed`: (n, k) relative to the
    obstacle, m/s; `reach`: (n, k) the distance to keep from its axis, metres; `tightest`: (n, k) the radius of the
    tightest turn, metres."""
    latest = np.sqrt(reach * reach + 2.0 * reach * tightest)
    return np.maximum(speed * look_ahead_time[:, None] + reach, EAGERNESS * latest)


def _in_sight(obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars) -> tuple[Rows, Mask]:
    """The obstacles that each agent may have to avoid, whichever way it goes; the others are too far away.

    Returns:
        rows: (n, m) ascending, (1, k) for all obstacles.
        in_sight: whether each counts: the last ones of an agent that has fewer than others do not; (n, m) or (1, 1).
    """
    k = len(obstacles)
    every = np.arange(k)[None], np.ones((1, 1), dtype=np.bool_)
    if k <= MANY:
        return every
    speed = agents.speed[:, None] + magnitude(obstacles.velocity)[None]
    reach = obstacles.radius[None] + (agents.radius + clearance)[:, None]
    tightest = agents.tightest(speed)
    # An obstacle may be off the course by its reach, and as much higher than an agent on the ground.
    furthest = _look_ahead(speed, reach, tightest, look_ahead_time) + 2.0 * reach
    furthest += 0.5 * magnitude(obstacles.end - obstacles.start)[None]
    gap = obstacles.middle[None] - agents.position[:, None, :]
    furthest *= MARGIN
    near = dot(gap, gap) <= furthest * furthest
    number = np.count_nonzero(near, axis=1)
    most = max(int(number.max(initial=0)), 1)
    if 2 * most > k:
        return every
    in_sight = np.arange(most)[None] < number[:, None]
    rows = np.zeros(in_sight.shape, dtype=np.int64)
    rows[in_sight] = np.nonzero(near)[1]
    return rows, in_sight
