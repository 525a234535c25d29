"""What obstacles each agent would run into, and how it has to turn to pass them (paper, Obstacle Avoidance)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..simulation.boxes import bend_past_box
from ..simulation.obstacles import BOX, EITHER, INSIDE, OUTSIDE, Obstacles, directions_to_pass, most_pressing
from ..simulation.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    across,
    clamp,
    cross,
    dot,
    magnitude,
    picked,
    unit,
)
from ..simulation.world import Agents

EAGERNESS = 1.5
"""How many times the last possible distance for a dodge it looks ahead at least."""
ONSET = 0.3
"""Share of the way ahead over which an obstacle that comes into sight gains its full effect."""
CREEP = 0.3
"""Share of max_speed below which a slow vehicle still turns as if it went that fast."""
CAUTION = 1.3
"""How many times its way to a stop a vehicle heeds an obstacle even beyond its goal."""
CORE = 0.5
"""Share of a room, about its middle, that who comes to its walls turns back to: not along a wall into a corner."""
HABIT = 1e-6
"""Share by which a turn to the right counts as easier, which settles a dead heat."""


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


def threats(obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars) -> Threats | None:
    """What each agent would run into first, None where there is nothing for any of them."""
    plain = obstacles.plain & obstacles.present
    found = None
    if plain.any():
        found = _Rounds.seen(obstacles.take(plain), agents, clearance, look_ahead_time).first(agents)
    others = obstacles.present & ~plain
    if others.any():
        walls = _walls(obstacles.take(others), agents, clearance, look_ahead_time)
        found = walls if found is None else found.or_sooner(walls)
    return found


@dataclass(frozen=True)
class _Rounds:
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
    def seen(cls, obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars) -> _Rounds:
        n, k = len(agents), len(obstacles)
        plane = agents.vehicle.keep_in_plane[:, None]
        relative = agents.velocity[:, None, :] - obstacles.velocity[None]
        relative = np.where(plane[..., None] & _height, 0.0, relative)
        speed = magnitude(relative)
        still = speed < 1e-6
        course = np.where(still[..., None], agents.forward[:, None, :], unit(relative))
        reach = obstacles.radius[None] + (agents.radius + clearance)[:, None]
        way, aside = most_pressing(obstacles, agents.position, course, reach)

        # At its own height a flat-lander meets a ball as a smaller disc.
        height = np.where(plane, aside[..., 2], 0.0)
        misses = np.abs(height) >= reach
        reach = np.sqrt(np.maximum(reach * reach - height * height, EPSILON))
        aside = np.where(plane[..., None] & _height, 0.0, aside)

        lateral = dot(aside, aside)
        half = np.sqrt(np.maximum(reach * reach - lateral, 0.0))
        contact = np.maximum(way - half, 0.0)
        tightest = speed * speed / np.maximum(agents.agility, EPSILON)[:, None]
        latest = np.sqrt(reach * reach + 2.0 * reach * tightest)
        heeded = np.maximum(speed * look_ahead_time[:, None] + reach, EAGERNESS * latest)
        beyond_goal = (contact >= agents.goal_distance[:, None]) & (contact > CAUTION * tightest / 2.0)
        counts = (
            (lateral < reach * reach) & (way > 0.0) & (way < heeded) & ~misses & ~beyond_goal & ~_own(obstacles, agents)
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
        direction = directions_to_pass(self.obstacles.pass_side[row], aside, course, agents.side)
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


def _walls(obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars) -> Threats:
    """What each agent would run into first of obstacles with sides of their own, such as boxes and rooms."""
    pairs = _Pairs.ahead(obstacles, agents, clearance, look_ahead_time)
    direction, bend = pairs.turns(obstacles, agents)
    owner = pairs.agent
    speed = np.maximum(pairs.speed, CREEP * agents.max_speed[owner])
    turn = np.minimum(speed * speed * bend, agents.agility[owner])

    n = len(agents)
    order = np.lexsort((pairs.obstacle, pairs.contact, owner))
    first = order[np.concatenate(([True], owner[order][1:] != owner[order][:-1]))] if len(order) else order
    met = owner[first]
    hardest = np.zeros(n)
    np.maximum.at(hardest, owner, turn)

    def of_agents(column: Any, otherwise: float = 0.0) -> Any:
        all_of_them = np.full((n, *column.shape[1:]), otherwise, dtype=column.dtype)
        all_of_them[met] = column[first]
        return all_of_them

    return Threats(
        contact=of_agents(pairs.contact, np.inf),
        course=of_agents(pairs.course),
        direction=of_agents(direction),
        turn=of_agents(turn),
        hardest=hardest,
        onset=of_agents(pairs.onset),
        too_near=of_agents(pairs.too_near, False),
        away=unit(agents.level(of_agents(pairs.away))),
    )


@dataclass(frozen=True)
class _Pairs:
    """Pairs of an agent and an obstacle that it would come too near to, m of them.

    Attributes:
        agent, obstacle: (m,) rows.
        course: (m, 3) unit direction in which the agent moves as the obstacle sees it.
        speed: (m,) how fast it does.
        reach: (m,) how near it may come.
        heeded: (m,) how far ahead the agent looks, metres.
        contact: (m,) metres along the course to where it would come that near.
        side: (m, 3) unit directions off the surface there.
        inward: (m, 3) unit directions to where there is more room than there; in a corner off all of its walls.
        onset: (m,) 0 at the far end of what the agent heeds, soon 1.
        too_near: (m,) whether it is too near already.
        away: (m, 3) unit directions off the surface where the agent is.
        offset: (m, 3) from the agent to the middle of the obstacle.
    """

    agent: Rows
    obstacle: Rows
    course: Vectors
    speed: Scalars
    reach: Scalars
    heeded: Scalars
    contact: Scalars
    side: Vectors
    inward: Vectors
    onset: Scalars
    too_near: Mask
    away: Vectors
    offset: Vectors

    @classmethod
    def ahead(cls, obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars) -> _Pairs:
        fastest = agents.speed + float(magnitude(obstacles.velocity).max(initial=0.0))
        furthest = _heeded(fastest, agents, look_ahead_time) + agents.radius + clearance
        owner, row = obstacles.near(agents.position, furthest)
        foreign = obstacles.carrier[row] != agents.rows[owner]
        owner, row = owner[foreign], row[foreign]

        points = picked(agents.position, owner)
        gap, away = obstacles.surface(points, row)
        relative = agents.velocity[owner] - obstacles.velocity_at(points - away * gap[:, None], row)
        plane = agents.vehicle.keep_in_plane[owner][:, None]
        relative = np.where(plane & _height, 0.0, relative)
        speed = magnitude(relative)
        course = np.where((speed < 1e-6)[:, None], agents.forward[owner], unit(relative))
        reach = (agents.radius + clearance)[owner]
        contact, side = obstacles.touch(points, course, reach, row)

        tightest = speed * speed / np.maximum(agents.agility[owner], EPSILON)
        heeded = np.maximum(speed * look_ahead_time[owner], EAGERNESS * tightest)
        beyond_goal = (contact >= agents.goal_distance[owner]) & (contact > CAUTION * tightest / 2.0)
        onset = clamp((heeded - contact) / np.maximum(ONSET * heeded, EPSILON), 0.0, 1.0)
        counts = np.isfinite(contact) & (contact <= heeded) & ~beyond_goal
        offset = 0.5 * (obstacles.start + obstacles.end)[row] - points
        columns = (owner, row, course, speed, reach, heeded, contact, side, side, onset, gap < reach, away, offset)
        return cls(*(column[counts] for column in columns))._in_rooms(obstacles)

    def _in_rooms(self, obstacles: Obstacles) -> _Pairs:
        """The pairs, in rooms each with the wall that takes the sharpest bend, often not the first in a corner.

        In a corner one has to turn from several walls at once.
        """
        row = self.obstacle
        rooms = np.flatnonzero((obstacles.shape[row] == BOX) & (obstacles.side[row] == INSIDE))
        if not len(rooms):
            return self
        row = row[rooms]
        local, half = obstacles.localized(-self.offset[rooms], row), obstacles.half[row]
        course = obstacles.localized(self.course[rooms], row)
        sharpest = np.full(len(rooms), -1.0)
        contact, side, inward = self.contact.copy(), self.side.copy(), self.inward.copy()
        for axis in range(3):
            toward = np.maximum(np.abs(course[:, axis]), EPSILON)
            room = half[:, axis] - self.reach[rooms] - np.where(course[:, axis] < 0.0, -1.0, 1.0) * local[:, axis]
            way = np.maximum(room, 0.0) / toward
            bend = np.where(way <= self.heeded[rooms], toward / np.maximum(way, EPSILON), 0.0)
            sharper = bend > sharpest
            sharpest = np.where(sharper, bend, sharpest)
            these = rooms[sharper]
            met = (local + course * way[:, None])[sharper]
            core = clamp(met, -CORE * half[sharper], CORE * half[sharper])
            wall = np.zeros((len(these), 3))
            wall[:, axis] = np.where(course[sharper, axis] < 0.0, 1.0, -1.0)
            contact[these] = way[sharper]
            side[these] = obstacles.globalized(wall, row[sharper])
            inward[these] = unit(obstacles.globalized(core - met, row[sharper]))
        away = self.away.copy()
        away[rooms] = unit(obstacles.globalized(clamp(local, -CORE * half, CORE * half) - local, row))
        return replace(self, contact=contact, side=side, inward=inward, away=away)

    def turns(self, obstacles: Obstacles, agents: Agents) -> tuple[Vectors, Scalars]:
        """To which side each agent passes the obstacle, (m, 3), and how sharp a bend just does it, (m,) in 1/m."""
        direction, bend = self._along_side(agents)
        row = self.obstacle
        boxes = np.flatnonzero((obstacles.shape[row] == BOX) & (obstacles.side[row] == OUTSIDE) & ~self.too_near)
        if len(boxes):
            direction[boxes], bend[boxes] = self._past_boxes(boxes, obstacles, agents)
        return direction, bend

    def _along_side(self, agents: Agents) -> tuple[Vectors, Scalars]:
        """The turn that ends along the surface as it is where the course meets it."""
        level = np.where(agents.vehicle.keep_in_plane[self.agent][:, None] & _height, 0.0, self.inward)
        direction = across(level, self.course)
        head_on = magnitude(direction) < 1e-6
        direction = unit(np.where(head_on[:, None], across(agents.side[self.agent], self.course), direction))
        toward, aside = -dot(self.side, self.course), dot(self.side, direction)
        room = np.maximum(self.contact * toward, EPSILON)
        return direction, (np.sqrt(toward * toward + aside * aside) - aside) / room

    def _past_boxes(self, these: Rows, obstacles: Obstacles, agents: Agents) -> tuple[Vectors, Scalars]:
        """The easiest of the turns square to the edges of the box, as the course sees them; or the one asked for."""
        row, course, own_side = self.obstacle[these], self.course[these], agents.side[self.agent[these]]
        axes = obstacles.axes[row]
        plane = agents.vehicle.keep_in_plane[self.agent[these]]
        asked = directions_to_pass(obstacles.pass_side[row], across(self.offset[these], course), course, own_side)
        squares = [_unit_if_any(cross(course, axes[:, axis])) for axis in range(3)]
        turns = np.stack([sign * square for sign in (1.0, -1.0) for square in squares], axis=1)
        turns = np.where((obstacles.pass_side[row] != EITHER)[:, None, None], asked[:, None], turns)
        turns = _unit_if_any(np.where(plane[:, None, None] & _height, 0.0, turns))
        local = obstacles.localized(-self.offset[these], row)
        local_turns = np.stack([obstacles.localized(turns[:, k], row) for k in range(turns.shape[1])], axis=1)
        local_course = obstacles.localized(course, row)
        bends, wanting = bend_past_box(local, obstacles.half[row], local_course, local_turns, self.reach[these])
        cost = bends * wanting * (1.0 - HABIT * dot(turns, own_side[:, None]))
        best = np.argmin(np.where(magnitude(turns) < 0.5, np.inf, cost), axis=1)
        m = np.arange(len(these))
        return turns[m, best], bends[m, best]


def _unit_if_any(v: Vectors) -> Vectors:
    """The directions of vectors of about length 1, zero for what is but an error of rounding."""
    return np.where((magnitude(v) < 1e-6)[..., None], 0.0, unit(v))


def _heeded(speed: Scalars, agents: Agents, look_ahead_time: Scalars) -> Scalars:
    """How far ahead agents look that go at a speed, (n,) metres."""
    return np.maximum(speed * look_ahead_time, EAGERNESS * speed * speed / np.maximum(agents.agility, EPSILON))


_height = np.array([False, False, True])


def _own(obstacles: Obstacles, agents: Agents) -> Mask:
    """Which obstacles are fixed to the agent itself, (n, k)."""
    return obstacles.carrier[None] == agents.rows[:, None]
