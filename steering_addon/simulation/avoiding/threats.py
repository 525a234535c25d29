"""What obstacles each agent would run into, and how it has to turn to pass them (paper, Obstacle Avoidance)."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..arrays.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    clamp,
    dot,
    magnitude,
    unit,
)
from ..geometry.obstacles import Obstacles
from ..world import Agents
from .passing import directions_to_pass, most_pressing

EAGERNESS = 1.5
"""How many times the last possible distance for a dodge it looks ahead at least."""
ONSET = 0.3
"""Share of the way ahead over which an obstacle that comes into sight gains its full effect."""
CREEP = 0.3
"""Share of max_speed below which a slow vehicle still turns as if it went that fast."""
CAUTION = 1.3
"""How many times its way to a stop a vehicle heeds an obstacle even beyond its goal."""


@dataclass(frozen=True)
class Threats:
    """What each of n agents would run into first.

    Attributes:
        contact: (n,) metres along the course to where it would be too near; inf where it will not.
        course: (n, 3) unit direction in which it moves as the obstacle sees it.
        direction: (n, 3) unit direction to turn to, across the course.
        turn: (n,) what it takes to just pass, m/s2.
        hardest: (n,) what the most demanding of all obstacles ahead takes, m/s2.
        onset: (n,) 0 at the far end of what it heeds, soon 1.
        too_near: (n,) whether it is too near already.
        away: (n, 3) the shortest way off.
    """

    contact: Scalars
    course: Vectors
    direction: Vectors
    turn: Scalars
    hardest: Scalars
    onset: Scalars
    too_near: Mask
    away: Vectors

    def or_sooner(self, other: Threats) -> Threats:
        """Of these threats and others to the same agents those that are met first."""
        sooner = other.contact < self.contact
        chosen = {f.name: _chosen(sooner, getattr(other, f.name), getattr(self, f.name)) for f in fields(self)}
        return Threats(**{**chosen, "hardest": np.maximum(self.hardest, other.hardest)})


def _chosen(these: Mask, new: Vectors, old: Vectors) -> Vectors:
    return np.where(these[:, None] if new.ndim == 2 else these, new, old)


@dataclass(frozen=True)
class Rounds:
    """Pairs of agents and round obstacles, (n, k), from each agent's point of view.

    Attributes:
        obstacles: the k obstacles.
        course: (n, k, 3) unit direction in which the agent moves as the obstacle sees it.
        speed: (n, k) how fast it does.
        way: (n, k) metres along the course to the place on the obstacle's axis that is hardest to pass.
        aside: (n, k, 3) from there to that place.
        reach: (n, k) how near the agent's centre may come to the axis.
        contact: (n, k) metres along the course to where it would come that near; inf where it will not.
        onset: (n, k) 0 at the far end of what the agent heeds, soon 1.
    """

    obstacles: Obstacles
    course: Vectors
    speed: Scalars
    way: Scalars
    aside: Vectors
    reach: Scalars
    contact: Scalars
    onset: Scalars

    @classmethod
    def seen(cls, obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars) -> Rounds:
        n, k = len(agents), len(obstacles)
        relative = agents.level(agents.velocity[:, None, :] - obstacles.velocity[None])
        speed = magnitude(relative)
        still = speed < 1e-6
        course = np.where(still[..., None], agents.forward[:, None, :], unit(relative))
        reach = obstacles.radius[None] + (agents.radius + clearance)[:, None]
        way, aside = most_pressing(obstacles, agents.position, course, reach)

        # At its own height a flat-lander meets a ball as a smaller disc.
        height = np.where(agents.grounded[:, None], agents.climb(aside), 0.0)
        misses = np.abs(height) >= reach
        reach = np.sqrt(np.maximum(reach * reach - height * height, EPSILON))
        aside = agents.level(aside)

        lateral = dot(aside, aside)
        half = np.sqrt(np.maximum(reach * reach - lateral, 0.0))
        contact = np.maximum(way - half, 0.0)
        tightest = speed * speed / np.maximum(agents.agility, EPSILON)[:, None]
        latest = np.sqrt(reach * reach + 2.0 * reach * tightest)
        heeded = np.maximum(speed * look_ahead_time[:, None] + reach, EAGERNESS * latest)
        beyond_goal = (contact >= agents.goal_distance[:, None]) & (contact > CAUTION * tightest / 2.0)
        counts = (
            (lateral < reach * reach) & (way > 0.0) & (way < heeded) & ~misses & ~beyond_goal & ~own(obstacles, agents)
        )
        contact = np.where(counts, contact, np.inf)
        onset = clamp((heeded - way) / np.maximum(ONSET * heeded, EPSILON), 0.0, 1.0)
        shape = (n, k)
        return cls(obstacles, course, speed, way, aside, np.broadcast_to(reach, shape), contact, onset)

    def first(self, agents: Agents) -> Threats:
        """The obstacle each agent would meet first, and how to pass it."""
        n = np.arange(len(agents))
        row = np.argmin(self.contact, axis=1)
        course, aside, reach = self.course[n, row], self.aside[n, row], self.reach[n, row]
        direction = directions_to_pass(self.obstacles.pass_side[row], aside, course, agents.side, agents.upward)
        direction = unit(agents.level(direction))
        wanting = reach + dot(aside, direction)
        # Who stands too near already goes back out the shortest way.
        offset = aside + course * self.way[n, row][:, None]
        return Threats(
            contact=self.contact[n, row],
            course=course,
            direction=direction,
            turn=self.turn(wanting[:, None], row[:, None], agents)[:, 0],
            hardest=self.hardest_turn(agents),
            onset=self.onset[n, row],
            too_near=magnitude(offset) < reach,
            away=unit(agents.level(-offset)),
        )

    def turn(self, wanting: Scalars, rows: Rows, agents: Agents) -> Scalars:
        """The acceleration across the course that makes a circle just touching some of the hulls, (n, r) m/s2.

        Args:
            wanting: (n, r) metres across the course that are wanting to pass each obstacle.
            rows: (n, r) which obstacles.
        """
        n = np.arange(len(rows))[:, None]
        way, aside, reach = self.way[n, rows], self.aside[n, rows], self.reach[n, rows]
        speed = np.maximum(self.speed[n, rows], CREEP * agents.max_speed[:, None])
        room = way * way + dot(aside, aside) - reach * reach
        turn = 2.0 * speed * speed * np.maximum(wanting, 0.0) / np.maximum(room, EPSILON)
        return np.where(room > 0.0, turn, agents.agility[:, None])

    def hardest_turn(self, agents: Agents) -> Scalars:
        """(n,) what it takes to pass the most demanding of the obstacles ahead on its nearer side, m/s2."""
        every = np.broadcast_to(np.arange(self.contact.shape[1]), self.contact.shape)
        turn = self.turn(self.reach - magnitude(self.aside), every, agents)
        return np.max(np.where(np.isfinite(self.contact), turn, 0.0), axis=1)


def own(obstacles: Obstacles, agents: Agents) -> Mask:
    """Which obstacles are fixed to the agent itself, (n, k)."""
    return obstacles.carrier[None] == agents.rows[:, None]
