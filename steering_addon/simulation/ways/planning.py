"""Planning: the course that agents on the ground take to where they want to go, past everything that stands there.

It is a stage of its own between combining behaviors and adjusting the result, whatever behavior keeps clear of
obstacles. An agent plans at its moments of decision; between them the course stays turned from the wish by the same
angle, c = R(wish), with its speed scaled by the length of the way over that of the straight line, so that whoever slows
down for a goal does so by the way that is left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.vectors import EPSILON, Mask, Scalars, Vectors, columns, magnitude, no_vectors, picked, unit
from ..memory import Memory, remembered
from ..world import Agents, World
from .journeys import MOST, Travellers, courses

PLANNING_TIME = 0.1
"""Seconds between two plans of an agent that nothing else makes decide: as for avoiding each other."""
FEW = 64
"""Standing obstacles up to which agents plan that do not choose their velocity. How corners see each other takes a
time that grows with their square, for each size of body: a tenth of a second for so many."""


@dataclass(frozen=True)
class Planned(Memory):
    """The way each agent is on.

    Attributes:
        planned: (n,) whether it has planned yet.
        side: (n,) the side on which it goes round an obstacle: 1 left, -1 right, 0 none.
        turns: (n,) whether it is on its way to a corner.
        corner: (n, 3) that corner, metres, without height.
        cosine, sine: (n,) of the angle from where it wishes to go to where the way leads.
        further: (n,) how many times as long as the straight line the way is.
    """

    planned: Mask = remembered(False)
    side: Scalars = remembered(0.0)
    turns: Mask = remembered(False)
    corner: Vectors = remembered((0.0, 0.0, 0.0))
    cosine: Scalars = remembered(1.0)
    sine: Scalars = remembered(0.0)
    further: Scalars = remembered(1.0)


def planned_course(
    world: World,
    agents: Agents,
    wished: Vectors,
    top_speed: Scalars,
    travels: Mask,
    thorough: Mask,
    decides: Mask,
    memory: Planned,
) -> tuple[Vectors, Planned]:
    """The velocities that lead along the planned ways, (n, 3) m/s, and the ways.

    Args:
        wished: (n, 3) the velocities that the behaviors have come to, m/s.
        top_speed: (n,) m/s.
        travels: (n,) the agents that plan; the others keep to their wish.
        thorough: (n,) the agents that plan past many obstacles too.
        decides: (n,) the agents that plan in this step.
    """
    if not travels.any() or not world.obstacles.present.any():
        return wished, Planned.blank(len(agents))
    course = _along_the_way(wished, top_speed, travels, memory)
    plans = travels & (decides | ~memory.planned)
    for rows, most in ((np.flatnonzero(plans & thorough), MOST), (np.flatnonzero(plans & ~thorough), FEW)):
        if len(rows):
            some, wish = agents.take(rows), picked(wished, rows)
            course[rows], planned = _plan(world, some, wish, top_speed[rows], memory.take(rows), most)
            memory = memory.put(rows, planned)
    return course, memory


def _along_the_way(wished: Vectors, top_speed: Scalars, travels: Mask, memory: Planned) -> Vectors:
    """The wishes turned and scaled as when the ways were planned."""
    turned = _rotated(wished, memory.cosine, memory.sine)
    speed = magnitude(wished)
    scale = _speed(speed, memory.further, top_speed) / np.maximum(speed, EPSILON)
    on_a_way = travels & ((memory.sine != 0.0) | (memory.cosine != 1.0) | (memory.further != 1.0))
    return np.where(on_a_way[:, None], turned * scale[:, None], wished)


def _rotated(vectors: Vectors, cosine: Scalars, sine: Scalars) -> Vectors:
    """The vectors turned about the up axis by angles of these cosines and sines, (n,)."""
    x, y = vectors[:, 0], vectors[:, 1]
    turned_y = np.asarray(sine * x + cosine * y, dtype=np.float64)
    return columns(cosine * x - sine * y, turned_y, vectors[:, 2])


def _plan(
    world: World, agents: Agents, wished: Vectors, top_speed: Scalars, memory: Planned, most: int
) -> tuple[Vectors, Planned]:
    obstacles = world.obstacles.take(world.obstacles.present)
    speed, direction = magnitude(wished), unit(wished)
    corner = memory.corner[:, :2].copy()
    corner[~memory.turns] = np.nan
    found = courses(
        obstacles,
        Travellers(agents.rows, agents.position, agents.radius, direction, agents.goal, memory.side, corner),
        most,
    )
    turned = (found.direction != direction).any(axis=1)
    course = wished.copy(order="K")
    course[turned] = (found.direction * _speed(speed, found.further, top_speed)[:, None])[turned]
    return course, _remembered(direction, found.direction, found.side, found.corner, found.further)


def _speed(speed: Scalars, further: Scalars, top_speed: Scalars) -> Scalars:
    """The speed along a way that is longer than the straight line: what slows down for a goal does so later."""
    return np.maximum(np.minimum(speed * further, top_speed), speed)


def _remembered(wish: Vectors, course: Vectors, side: Scalars, corner: Vectors, further: Scalars) -> Planned:
    n = len(wish)
    turns = np.isfinite(corner[:, 0])
    place = no_vectors(n)
    for axis in range(2):
        place[:, axis] = np.where(turns, corner[:, axis], 0.0)
    turned = (course != wish).any(axis=1)
    return Planned(
        planned=np.ones(n, dtype=np.bool_),
        side=side,
        turns=turns,
        corner=place,
        cosine=np.where(turned, wish[:, 0] * course[:, 0] + wish[:, 1] * course[:, 1], 1.0),
        sine=np.where(turned, wish[:, 0] * course[:, 1] - wish[:, 1] * course[:, 0], 0.0),
        further=np.where(turned, further, 1.0),
    )
