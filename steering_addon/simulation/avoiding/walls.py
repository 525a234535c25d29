"""Obstacles with sides of their own - boxes, rooms, meshes: which lie ahead, and how to turn from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    across,
    clamp,
    cross,
    dot,
    firsts,
    magnitude,
    picked,
    unit,
)
from ..geometry.boxes import bend_past_box
from ..geometry.obstacles import BOX, EITHER, INSIDE, MESH, OUTSIDE, Obstacles
from ..world import Agents
from .passing import directions_to_pass
from .silhouettes import turns_past_outline
from .threats import CAUTION, CREEP, EAGERNESS, ONSET, Threats

CORE = 0.5
"""Share of a room, about its middle, that who comes to its walls turns back to: not along a wall into a corner."""
HABIT = 1e-6
"""Share by which a turn to the right counts as easier, which settles a dead heat."""


def walls_ahead(
    obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars, outlines: Mask
) -> Threats:
    """What each agent would run into first of obstacles with sides of their own, such as boxes and rooms."""
    pairs = _Pairs.ahead(obstacles, agents, clearance, look_ahead_time)
    direction, bend = pairs.turns(obstacles, agents, outlines)
    owner = pairs.agent
    speed = np.maximum(pairs.speed, CREEP * agents.max_speed[owner])
    turn = np.minimum(speed * speed * bend, agents.agility[owner])

    n = len(agents)
    order = np.lexsort((pairs.obstacle, pairs.contact, owner))
    first = order[firsts(owner[order])]
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
        relative = agents.level_of(relative, owner)
        speed = magnitude(relative)
        course = np.where((speed < 1e-6)[:, None], agents.forward[owner], unit(relative))
        reach = (agents.radius + clearance)[owner]
        tightest = speed * speed / np.maximum(agents.agility[owner], EPSILON)
        heeded = np.maximum(speed * look_ahead_time[owner], EAGERNESS * tightest)

        # What is further away than that on all sides need not be looked for along the course.
        contact, side = np.full(len(row), np.inf), np.zeros((len(row), 3))
        close = np.flatnonzero(gap - reach <= heeded)
        contact[close], side[close] = obstacles.touch(
            points[close], course[close], reach[close], row[close], heeded[close]
        )

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

    def turns(self, obstacles: Obstacles, agents: Agents, outlines: Mask) -> tuple[Vectors, Scalars]:
        """To which side each agent passes the obstacle, (m, 3), and how sharp a bend just does it, (m,) in 1/m."""
        direction, bend = self._along_side(obstacles, agents)
        row = self.obstacle
        boxes = np.flatnonzero((obstacles.shape[row] == BOX) & (obstacles.side[row] == OUTSIDE) & ~self.too_near)
        if len(boxes):
            direction[boxes], bend[boxes] = self._past_boxes(boxes, obstacles, agents)
        meshes = np.flatnonzero(
            (obstacles.shape[row] == MESH) & (obstacles.side[row] == OUTSIDE) & outlines[self.agent] & ~self.too_near
        )
        for mesh in np.unique(row[meshes]).tolist():
            these = meshes[row[meshes] == mesh]
            turn, past = self._past_outline(these, mesh, obstacles, agents)
            there = np.isfinite(past)
            direction[these[there]], bend[these[there]] = turn[there], past[there]
        return direction, bend

    def _past_outline(self, these: Rows, mesh: int, obstacles: Obstacles, agents: Agents) -> tuple[Vectors, Scalars]:
        """The turn past the edge of the outline of a mesh that takes the least; to the right of one straight ahead."""
        row, agent = self.obstacle[these], self.agent[these]
        upward, plane = agents.upward_of(agent), agents.grounded[agent]
        eye, course, side, up = (
            obstacles.localized(v, row) for v in (-self.offset[these], self.course[these], self.side[these], upward)
        )
        room = -self.contact[these] * dot(side, course)
        turn, bend = turns_past_outline(obstacles.mesh[mesh], eye, course, side, room, self.reach[these], up, plane)
        turn = obstacles.globalized(turn, row)
        own_side = unit(across(agents.side[agent], self.course[these]))
        return np.where((magnitude(turn) < 0.5)[:, None], own_side, turn), bend

    def _along_side(self, obstacles: Obstacles, agents: Agents) -> tuple[Vectors, Scalars]:
        """The turn that ends along the surface as it is where the course meets it."""
        direction = across(agents.level_of(self.inward, self.agent), self.course)
        head_on = magnitude(direction) < 1e-6
        direction = unit(np.where(head_on[:, None], across(agents.side[self.agent], self.course), direction))
        direction = self._asked_for(direction, obstacles, agents)
        toward, aside = -dot(self.side, self.course), dot(self.side, direction)
        room = np.maximum(self.contact * toward, EPSILON)
        return direction, (np.sqrt(toward * toward + aside * aside) - aside) / room

    def _asked_for(self, direction: Vectors, obstacles: Obstacles, agents: Agents) -> Vectors:
        """The directions, but to the side that a mesh asks to be passed on."""
        asked = obstacles.pass_side[self.obstacle]
        some = np.flatnonzero((asked != EITHER) & (obstacles.shape[self.obstacle] == MESH))
        if len(some):
            agent, course = self.agent[some], self.course[some]
            offset = across(self.offset[some], course)
            upward = agents.upward_of(agent)
            direction[some] = directions_to_pass(asked[some], offset, course, agents.side[agent], upward)
        return direction

    def _past_boxes(self, these: Rows, obstacles: Obstacles, agents: Agents) -> tuple[Vectors, Scalars]:
        """The easiest of the turns square to the edges of the box, as the course sees them; or the one asked for."""
        row, agent, course = self.obstacle[these], self.agent[these], self.course[these]
        axes, own_side, upward = obstacles.axes[row], agents.side[agent], agents.upward_of(agent)
        offset = across(self.offset[these], course)
        asked = directions_to_pass(obstacles.pass_side[row], offset, course, own_side, upward)
        squares = [_unit_if_any(cross(course, axes[:, axis])) for axis in range(3)]
        turns = np.stack([sign * square for sign in (1.0, -1.0) for square in squares], axis=1)
        turns = np.where((obstacles.pass_side[row] != EITHER)[:, None, None], asked[:, None], turns)
        turns = _unit_if_any(agents.level_of(turns, agent))
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
