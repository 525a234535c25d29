"""Boxes, rooms and meshes: which of them lie ahead, and how to turn away from them.

One turns past the visible outline of a mesh (Reynolds 1988, steering to the silhouette edges of an obstacle).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.frozen import replace
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, clamp, firsts, which
from ..arrays.vectors import Vectors, across, cross, dot, magnitude, picked, unit
from ..geometry.boxes import bend_past_box
from ..geometry.meshes import Mesh, silhouette
from ..geometry.obstacles import EITHER, Obstacles
from ..geometry.shapes import BOX, INSIDE, MESH, OUTSIDE
from ..world import Agents
from .passing import LED, directions_to_pass, led_past, turns_first
from .threats import CAUTION, CREEP, EAGERNESS, ONSET, Threats

CORE = 0.5
"""Share of a room, about its middle, toward which an agent turns at a wall, so that it does not end in a corner."""
ASIDE = 0.1
"""The sine of the angle between a course and the way from which on an agent passes a wall on the side of its way."""
HABIT = 1e-6
"""Share by which a turn to the right counts as easier, which decides between equal turns."""


def walls_ahead(
    obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars, outlines: Mask, way: Vectors
) -> Threats:
    """The box, room or mesh that each agent would run into first.

    Args:
        clearance: (n,) metres to keep in addition to the agent's radius.
        outlines: (n,) whether the agent passes meshes by their outlines instead of turning along their surfaces.
        way: (n, 3) the unit directions in which ways past what stands begin; zero for none.
    """
    pairs = _WallPairs.ahead(obstacles, agents, clearance, look_ahead_time, way)
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
        values = np.full((n, *column.shape[1:]), otherwise, dtype=column.dtype)
        values[met] = column[first]
        return values

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
class _WallPairs:
    """m pairs of an agent and an obstacle that it would come too near to.

    Attributes:
        agent, obstacle: (m,) rows.
        course: (m, 3) unit direction of the agent's velocity relative to the obstacle.
        speed: (m,) the length of that velocity, m/s.
        reach: (m,) the distance that the agent's centre has to keep from the surface, metres.
        look_ahead: (m,) the distance that the agent looks ahead, metres.
        contact: (m,) metres along the course to the point at which it would be that near.
        side: (m, 3) the unit normal of the surface at that point.
        inward: (m, 3) unit direction from that point to more room; in a corner away from all of its walls.
        onset: (m,) ramps from 0 at the look-ahead limit to 1.
        too_near: (m,) whether it is too near already.
        away: (m, 3) unit direction of the shortest way off the surface.
        offset: (m, 3) from the agent to the middle of the obstacle, metres.
        way: (m, 3) as of `walls_ahead`.
    """

    agent: Rows
    obstacle: Rows
    course: Vectors
    speed: Scalars
    reach: Scalars
    look_ahead: Scalars
    contact: Scalars
    side: Vectors
    inward: Vectors
    onset: Scalars
    too_near: Mask
    away: Vectors
    offset: Vectors
    way: Vectors

    @classmethod
    def ahead(
        cls, obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars, ways: Vectors
    ) -> "_WallPairs":
        """The pairs of agents and obstacles that meet within the look-ahead distance."""
        fastest = agents.speed + float(magnitude(obstacles.velocity).max(initial=0.0))
        furthest = _look_ahead(fastest, agents, look_ahead_time) + agents.radius + clearance
        owner, row = obstacles.near(agents.position, furthest, agents.stature)
        foreign = obstacles.carrier[row] != agents.rows[owner]
        owner, row = owner[foreign], row[foreign]

        points, stature = picked(agents.position, owner), agents.stature.take(owner)
        gap, away = obstacles.surface(points, row, stature)
        relative = agents.velocity[owner] - obstacles.velocity_at(points - away * gap[:, None], row)
        relative = agents.level_of(relative, owner)
        speed = magnitude(relative)
        course = np.where((speed < 1e-6)[:, None], agents.forward[owner], unit(relative))
        reach = (agents.radius + clearance)[owner]
        braking = 0.5 * speed * speed / np.maximum(agents.agility[owner], EPSILON)
        tightest = np.maximum(2.0 * braking, agents.handling.turning_circle[owner])
        look_ahead = np.maximum(speed * look_ahead_time[owner], EAGERNESS * tightest)

        # A surface that is further away than that need not be searched for along the course.
        contact, side = np.full(len(row), np.inf), np.zeros((len(row), 3))
        close = which(gap - reach <= look_ahead)
        contact[close], side[close] = obstacles.touch(
            points[close], course[close], reach[close], row[close], look_ahead[close], stature.take(close)
        )

        beyond_goal = (contact >= agents.goal_distance[owner]) & (contact > CAUTION * braking)
        onset = clamp((look_ahead - contact) / np.maximum(ONSET * look_ahead, EPSILON), 0.0, 1.0)
        counts = np.isfinite(contact) & ~beyond_goal
        offset = obstacles.middle[row] - points
        way = picked(ways, owner)
        at_contact = contact, side, side, onset
        columns = owner, row, course, speed, reach, look_ahead, *at_contact, gap < reach, away, offset, way
        return cls(*(column[counts] for column in columns))._in_rooms(obstacles)

    def _in_rooms(self, obstacles: Obstacles) -> "_WallPairs":
        """The pairs, those in rooms with the wall that takes the sharpest bend. In a corner that is often not the wall
        that is met first, as the agent has to turn away from several walls."""
        row = self.obstacle
        rooms = which((obstacles.shape[row] == BOX) & (obstacles.side[row] == INSIDE))
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
            bend = np.where(way <= self.look_ahead[rooms], toward / np.maximum(way, EPSILON), 0.0)
            sharper = bend > sharpest
            sharpest = np.where(sharper, bend, sharpest)
            pairs = rooms[sharper]
            met = (local + course * way[:, None])[sharper]
            core = clamp(met, -CORE * half[sharper], CORE * half[sharper])
            wall = np.zeros((len(pairs), 3))
            wall[:, axis] = np.where(course[sharper, axis] < 0.0, 1.0, -1.0)
            contact[pairs] = way[sharper]
            side[pairs] = obstacles.globalized(wall, row[sharper])
            inward[pairs] = unit(obstacles.globalized(core - met, row[sharper]))
        away = self.away.copy()
        away[rooms] = unit(obstacles.globalized(clamp(local, -CORE * half, CORE * half) - local, row))
        return replace(self, contact=contact, side=side, inward=inward, away=away)

    def turns(self, obstacles: Obstacles, agents: Agents, outlines: Mask) -> tuple[Vectors, Scalars]:
        """The unit directions to turn to, (m, 3), and the curvatures that just pass the obstacles, (m,) 1/m.
        `outlines`: as of `walls_ahead`."""
        direction, bend = self._along_side(obstacles, agents)
        row = self.obstacle
        boxes = which((obstacles.shape[row] == BOX) & (obstacles.side[row] == OUTSIDE) & ~self.too_near)
        if len(boxes):
            direction[boxes], bend[boxes] = self._past_boxes(boxes, obstacles, agents)
        meshes = which(
            (obstacles.shape[row] == MESH) & (obstacles.side[row] == OUTSIDE) & outlines[self.agent] & ~self.too_near
        )
        for mesh in np.unique(row[meshes]).tolist():
            pairs = meshes[row[meshes] == mesh]
            turn, past = self._past_outline(pairs, mesh, obstacles, agents)
            passes = np.isfinite(past)
            direction[pairs[passes]], bend[pairs[passes]] = turn[passes], past[passes]
        return direction, bend

    def _past_outline(self, pairs: Rows, mesh: int, obstacles: Obstacles, agents: Agents) -> tuple[Vectors, Scalars]:
        """As `turns`, past the edge of a mesh's outline that takes the least; else to the right."""
        row, agent = self.obstacle[pairs], self.agent[pairs]
        upward, plane = agents.upward_of(agent), agents.grounded[agent]
        eye, course, side, up = (
            obstacles.localized(v, row) for v in (-self.offset[pairs], self.course[pairs], self.side[pairs], upward)
        )
        room = -self.contact[pairs] * dot(side, course)
        turn, bend = turns_past_outline(obstacles.mesh[mesh], eye, course, side, room, self.reach[pairs], up, plane)
        turn = obstacles.globalized(turn, row)
        own_side = unit(across(agents.side[agent], self.course[pairs]))
        return np.where((magnitude(turn) < 0.5)[:, None], own_side, turn), bend

    def _along_side(self, obstacles: Obstacles, agents: Agents) -> tuple[Vectors, Scalars]:
        """As `turns`, until the course is parallel to the surface at the point of contact."""
        direction = across(agents.level_of(self.inward, self.agent), self.course)
        head_on = magnitude(direction) < 1e-6
        direction = unit(np.where(head_on[:, None], across(agents.side[self.agent], self.course), direction))
        direction = self._asked_for(direction, obstacles, agents)
        return direction, self._bend_to(direction)

    def _bend_to(self, direction: Vectors) -> Scalars:
        """The curvatures (m,) toward directions (m, 3) that make the courses parallel to the surfaces, 1/m."""
        toward, aside = -dot(self.side, self.course), dot(self.side, direction)
        room = np.maximum(self.contact * toward, EPSILON)
        return (np.sqrt(toward * toward + aside * aside) - aside) / room

    def _asked_for(self, direction: Vectors, obstacles: Obstacles, agents: Agents) -> Vectors:
        """The directions (m, 3), but to the side on which a mesh asks to be passed."""
        asked = obstacles.pass_side[self.obstacle]
        led = self._led_past(obstacles, agents)
        turned = (asked == EITHER) & (dot(led, direction) < 0.0)
        bend = self._bend_to(led)
        possible = (self.speed * self.speed * bend <= self._sideways(agents)) | turns_first(agents)[self.agent]
        turned &= possible | (bend < LED * self._bend_to(direction))
        direction = np.where(turned[:, None], led, direction)
        pairs = which((asked != EITHER) & (obstacles.shape[self.obstacle] == MESH))
        if len(pairs):
            agent, course = self.agent[pairs], self.course[pairs]
            offset = across(self.offset[pairs], course)
            upward = agents.upward_of(agent)
            direction[pairs] = directions_to_pass(asked[pairs], offset, course, agents.side[agent], upward)
        return direction

    def _sideways(self, agents: Agents) -> Scalars:
        """The strongest sideways acceleration of the agents, (m,) m/s2."""
        circle, square = agents.handling.turning_circle[self.agent], self.speed * self.speed
        bound = np.where(circle > 0.0, square / np.maximum(circle, EPSILON), np.inf)
        return np.minimum(agents.agility[self.agent], bound)

    def _led_past(self, obstacles: Obstacles, agents: Agents) -> Vectors:
        """The unit directions to the sides on which agents are led past these obstacles, (m, 3); zero for none."""
        row, agent = self.obstacle, self.agent
        outer = obstacles.side[row] == OUTSIDE
        led = led_past(agents, agent, self.course, self.offset, obstacles.radius[row], self.reach)
        aside = across(self.way, self.course)
        led = np.where((magnitude(aside) > ASIDE)[:, None] & ~led.any(axis=1)[:, None], aside, led)
        return np.where(outer[:, None], unit(agents.level_of(led, agent)), 0.0)

    def _past_boxes(self, pairs: Rows, obstacles: Obstacles, agents: Agents) -> tuple[Vectors, Scalars]:
        """As `turns`, by the easiest turn perpendicular to an edge of the box; or to the side that the box asks for."""
        row, agent, course = self.obstacle[pairs], self.agent[pairs], self.course[pairs]
        axes, own_side, upward = obstacles.axes[row], agents.side[agent], agents.upward_of(agent)
        offset = across(self.offset[pairs], course)
        asked = directions_to_pass(obstacles.pass_side[row], offset, course, own_side, upward)
        squares = [_unit_if_any(cross(course, axes[:, axis])) for axis in range(3)]
        turns = np.stack([sign * square for sign in (1.0, -1.0) for square in squares], axis=1)
        turns = np.where((obstacles.pass_side[row] != EITHER)[:, None, None], asked[:, None], turns)
        turns = _unit_if_any(agents.level_of(turns, agent))
        local = obstacles.localized(-self.offset[pairs], row)
        local_turns = np.stack([obstacles.localized(turns[:, k], row) for k in range(turns.shape[1])], axis=1)
        local_course = obstacles.localized(course, row)
        bends, width = bend_past_box(local, obstacles.half[row], local_course, local_turns, self.reach[pairs])
        cost = bends * width * (1.0 - HABIT * dot(turns, own_side[:, None]))
        cost = np.where(magnitude(turns) < 0.5, np.inf, cost)
        led = self._led_past(obstacles, agents)[pairs]
        wrong = (obstacles.pass_side[row] == EITHER)[:, None] & (dot(turns, led[:, None]) < 0.0)
        speed, sideways = self.speed[pairs, None], self._sideways(agents)[pairs, None]
        possible = (speed * speed * bends <= sideways) | turns_first(agents)[agent, None]
        right = (dot(turns, led[:, None]) > 0.0) & possible
        right &= np.isfinite(cost)
        too_much = np.where(right.any(axis=1)[:, None], np.inf, LED * cost)
        best = np.argmin(np.where(wrong, too_much, cost), axis=1)
        m = np.arange(len(pairs))
        return turns[m, best], bends[m, best]


def _unit_if_any(v: Vectors) -> Vectors:
    """The directions of vectors (..., 3) of about length 1; zero for vectors that are rounding errors."""
    return np.where((magnitude(v) < 1e-6)[..., None], 0.0, unit(v))


def _look_ahead(speed: Scalars, agents: Agents, look_ahead_time: Scalars) -> Scalars:
    """The distance that agents look ahead at a speed, (n,) metres."""
    return np.maximum(speed * look_ahead_time, EAGERNESS * agents.tightest(speed))


PAIRS_AT_ONCE = 200_000
"""Pairs of an eye and a triangle that are tested together at most."""


def turns_past_outline(
    mesh: Mesh, eye: Vectors, course: Vectors, side: Vectors, room: Scalars, reach: Scalars, up: Vectors, plane: Mask
) -> tuple[Vectors, Scalars]:
    """The turn past the edge of the outline that takes the least, for each of m courses toward the mesh.

    All vectors are in the axes of the mesh.

    Args:
        eye: (m, 3) the starts of the courses, metres.
        course: (m, 3) unit directions.
        side: (m, 3) unit normals of the surface at the points where the courses meet it.
        room: (m,) metres from the eye to the plane of the surface at that point.
        reach: (m,) the distance to keep from the edge, metres.
        up: (m, 3) unit vectors away from the ground.
        plane: (m,) whether the agent keeps its height: the part of the outline at that height counts only.

    Returns:
        turn: (m, 3) unit directions, perpendicular to the courses, to the edges; zero for no edge ahead.
        bend: (m,) the curvature that passes them, 1/m; inf for no edge ahead, and for courses that miss the mesh.
    """
    turn, bend = np.zeros((len(eye), 3)), np.full(len(eye), np.inf)
    at_once = max(PAIRS_AT_ONCE // max(len(mesh), 1), 1)
    within = np.flatnonzero(mesh.hit(eye, course, np.full(len(eye), np.inf))[1] >= 0)
    for start in range(0, len(within), at_once):
        rows = within[start : start + at_once]
        turn[rows], bend[rows] = _turns(
            mesh, eye[rows], course[rows], side[rows], room[rows], reach[rows], up[rows], plane[rows]
        )
    return turn, bend


def _turns(
    mesh: Mesh, eye: Vectors, course: Vectors, side: Vectors, room: Scalars, reach: Scalars, up: Vectors, plane: Mask
) -> tuple[Vectors, Scalars]:
    """As `turns_past_outline`, for courses that meet the mesh."""
    owner, corner, triangle = np.nonzero(silhouette(mesh, eye))
    along, near, level = course[owner], reach[owner], plane[owner]
    first = mesh.corners[corner, triangle] - eye[owner]
    edge = mesh.corners[(corner + 1) % 3, triangle] - eye[owner] - first
    height, rise = dot(first, up[owner]), dot(edge, up[owner])

    # The point of the edge at the agent's height, or, for flyers, the point nearest to the course.
    aside, turned = first - dot(first, along)[:, None] * along, edge - dot(edge, along)[:, None] * along
    nearest = -dot(aside, turned) / np.maximum(dot(turned, turned), EPSILON)
    flat = np.abs(rise) < EPSILON
    own_height = np.where(flat, nearest, -height / np.where(flat, 1.0, rise))
    part = clamp(np.where(level, own_height, nearest), 0.0, 1.0)
    off_height = np.abs(height + part * rise)
    point = first + edge * part[:, None]
    point = point - np.where(level, height + part * rise, 0.0)[:, None] * up[owner]

    ahead = dot(point, along)
    aside = point - ahead[:, None] * along
    gap = magnitude(aside)
    square = ahead * ahead + gap * gap - near * near
    bend = np.where(square > EPSILON, 2.0 * (gap + near) / np.maximum(square, EPSILON), np.inf)
    # It must not run into the surface before the edge either.
    toward, off = -dot(side, course)[owner], dot(side[owner], unit(aside))
    bend = np.maximum(bend, (np.sqrt(toward * toward + off * off) - off) / np.maximum(room[owner], EPSILON))
    bend = np.where((ahead > 0.0) & ~(level & (off_height > near)), bend, np.inf)

    order = np.lexsort((triangle, bend * (gap + near), owner))
    best = order[firsts(owner[order])]
    best = best[np.isfinite(bend[best])]
    all_turns, all_bends = np.zeros((len(eye), 3)), np.full(len(eye), np.inf)
    all_turns[owner[best]], all_bends[owner[best]] = unit(aside[best]), bend[best]
    return all_turns, all_bends
