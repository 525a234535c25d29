"""Formations: places that go along with a leader as if they were fixed to it.

With s the velocity at which a place gets through a step, and e the way that an agent is off it,

    force / mass = (s - s before) / dt + (s before + e / approach time - velocity) / response time

An agent in its place stays there, however the leader turns: the first term is all that it needs.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays.identities import rows_among
from ..arrays.scalars import Mask, Number, Rows, anybody, firsts, put, which
from ..arrays.vectors import Vectors, columns, cross, dot, magnitude, picked, truncate, unit, unit_or
from ..marks.sharing import shared_out
from ..stations import FREE, NONE_LEFT, Station
from ..world import Agents, World


@dataclass(frozen=True)
class LeaderAxes:
    """The axes of leaders, in which followers have their places; (n, 3) unit vectors at right angles."""

    forward: Vectors
    side: Vectors
    up: Vectors

    @classmethod
    def of(cls, agents: Agents, forward: Vectors, up: Vectors, rolls: Mask) -> "LeaderAxes":
        """The axes by the forward and up axes (n, 3) of the leaders: these for agents that roll along, else level."""
        level = unit(agents.level(forward))
        side = unit_or(cross(level, agents.upward), agents.side)
        if not anybody(rolls):
            return cls(level, side, cross(side, level))
        axes = (level, forward), (side, cross(forward, up)), (cross(side, level), up)
        return cls(*(np.where(rolls[:, None], leaning, flat) for flat, leaning in axes))

    def place(self, origin: Vectors, local: Vectors) -> Vectors:
        """The points of places seen from an origin, (n, 3) each, metres."""
        ahead, aside, above = local.T[:, :, None]
        return origin + ahead * self.forward + aside * self.side + above * self.up

    def seen(self, offset: Vectors) -> Vectors:
        """Offsets (n, 3) as seen from the leader."""
        return columns(dot(offset, self.forward), dot(offset, self.side), dot(offset, self.up))


def as_they_stand(world: World, agents: Agents, leader: Rows, rolls: Mask) -> Vectors:
    """Where agents are placed on the first frame, as seen from leaders of rows (n,); (n, 3) metres."""
    began = world.began
    axes = LeaderAxes.of(agents, picked(began.forward, leader), picked(began.up, leader), rolls)
    return axes.seen(picked(began.position, agents.rows) - picked(began.position, leader))


def vertices_taken(world: World, agents: Agents, shape: Rows, leader: Rows, seen: Vectors, memory: Station) -> Rows:
    """The vertex of its shape that each agent has, (n,); those without one take the nearest that are free.

    A vertex is of one vehicle, whatever crowds and states those are in who share the shape. Where two have taken one in
    the same step, the first keeps it.

    Args:
        shape: (n,) rows of `World.shapes`, -1 for none.
        leader: (n,) rows of bodies; a shape has as many vertices for the followers of each.
        seen: (n, 3) where the agents are as seen from their leaders, metres.
    """
    stations = world.stations or Station.blank(world.vehicles)
    keepers = which((stations.vertex >= 0) & stations.kept(world.time, world.interval))
    held, elsewhere = stations.take(keepers), (memory.shape != shape) | (memory.leader != leader)
    vertex = np.where((shape >= 0) & elsewhere, FREE, memory.vertex)
    has = which((shape >= 0) & (vertex >= 0))
    known = _numbers(world, held.shape, held.leader, held.vertex)
    keeper = np.append(keepers, -1)[rows_among(known, _numbers(world, shape[has], leader[has], vertex[has]))]
    vertex = put(vertex, has[(keeper >= 0) & (keeper != agents.rows[has])], FREE)
    lacks = (shape >= 0) & (vertex == FREE)
    if not anybody(lacks):
        return vertex
    for number, body in np.unique(np.stack((shape[lacks], leader[lacks]), axis=1), axis=0).tolist():
        points, together = world.shapes[number], (shape == number) & (leader == body)
        rows = np.flatnonzero(together & lacks)
        taken = np.append(vertex[together], held.vertex[(held.shape == number) & (held.leader == body)])
        free = np.setdiff1d(np.arange(len(points)), taken)
        free = free[_nearest(picked(seen, rows), picked(_seen(points), free))]
        places = shared_out(picked(seen, rows), picked(_seen(points), free))
        vertex[rows] = np.append(free, NONE_LEFT)[places]
    return vertex


def _numbers(world: World, shape: Rows, leader: Rows, vertex: Rows) -> Rows:
    """A number for each vertex of a shape about a leader, (m,), unlike those of all others."""
    most = max(len(points) for points in world.shapes)
    return (shape * len(world.bodies.radius) + leader) * most + vertex


def _nearest(seen: Vectors, points: Vectors) -> Rows:
    """The rows of the points nearest to agents (n, 3): one for each agent, or all points; none twice."""
    seekers, free = np.arange(len(seen)), np.ones(len(points), dtype=np.bool_)
    while len(seekers) and free.any():
        rows = np.flatnonzero(free)
        gap = magnitude(picked(points, rows)[None] - picked(seen, seekers)[:, None])
        wanted = rows[np.argmin(gap, axis=1)]
        # Of those who want the same one, the nearest gets it.
        order = np.lexsort((gap.min(axis=1), wanted))
        first = order[firsts(wanted[order])]
        free[wanted[first]] = False
        seekers = np.delete(seekers, first)
    return np.flatnonzero(~free)


def at_vertices(world: World, shape: Rows, vertex: Rows, local: Vectors, share: Number) -> Vectors:
    """Places as seen from leaders, (n, 3), moved by a share (n,) to the vertices that agents have taken."""
    for number in np.unique(shape[vertex >= 0]).tolist():
        points = _seen(world.shapes[number])
        has = (shape == number) & (vertex >= 0) & (vertex < len(points))
        wanted = picked(points, np.where(has, vertex, 0))
        local = np.where(has[:, None], local + (wanted - local) * share[:, None], local)
    return local


@dataclass(frozen=True)
class PlaceMotion:
    """How places are carried along. `velocity`, `before`: (n, 3) at which they get through this step, and got through
    the last one, m/s; `acceleration`: (n, 3) m/s2."""

    velocity: Vectors
    before: Vectors
    acceleration: Vectors


def carried(
    world: World, agents: Agents, leader: Rows, rolls: Mask, axes: LeaderAxes, local: Vectors, station: Station
) -> PlaceMotion:
    """How leaders of rows (n,) carry places, (n, 3) as seen from them, which go on moving as in the last step."""
    offset, nowhere = axes.place(agents.none(), local), np.isnan(station.local[:, :1])
    moved = LeaderAxes.of(agents, *world.bodies.turned(leader, world.dt), rolls)
    after = moved.place(agents.none(), np.where(nowhere, local, 2.0 * local - station.local))
    velocity = agents.level(picked(world.bodies.velocity, leader) + (after - offset) / world.dt)
    before = np.where(nowhere, velocity, station.velocity)
    # What jumps is not followed by a jerk.
    return PlaceMotion(velocity, before, truncate((velocity - before) / world.dt, agents.agility))


def _seen(points: Vectors) -> Vectors:
    """Points to the right, ahead and up of an origin, (p, 3), in the order of places."""
    right, ahead, above = points.T
    return columns(ahead, right, above)
