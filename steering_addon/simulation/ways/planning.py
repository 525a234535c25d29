"""Planning: the course of agents on the ground to their goals, past everything that stands in between.

Planning is a stage between combining behaviors and adjusting the result (adjusting.py), whatever behavior avoids
obstacles. An agent plans when it decides. Until its next decision the course keeps its angle to the wish:

    course = s R wish        s = min(way / straight, pace / |wish|), at least 1

The factor s makes an agent that slows down for a goal do so by the length of the way that is left. It makes nobody
faster than its pace: that is its speed, or cruise speed if it is slower.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Scalars, everybody, nobody, shared, which
from ..arrays.vectors import Vectors, magnitude, no_vectors, picked, unit
from ..memory import Memory, remembered
from ..world import Agents, World
from .detours import Travellers
from .journeys import MOST, Courses, courses, rotated

PLANNING_TIME = 0.1
"""Seconds between two plans of an agent that no adjustment makes decide: the default `reaction_time` of avoiding each
other. A walker moves 13 cm in that time."""
FEW = 64
"""Maximum number of standing obstacles for agents that plan without choosing their velocity. Building the net of
corners takes a time that grows with their square: 0.05 to 0.1 s for 64 boxes, once for each size of body."""


@dataclass(frozen=True)
class Planned(Memory):
    """The present way of each agent.

    Attributes:
        planned: (n,) the agents that have planned.
        side: (n,) the side on which each passes an obstacle: 1 left, -1 right, 0 none.
        turns: (n,) the agents on their way to a corner.
        corner: (n, 3) that corner, metres, without height.
        cosine, sine: (n,) of the angle from the wish to the course.
        further: (n,) length of the way over that of the straight line, at least 1.
        ahead: (n,) how far it leads straight on, metres; inf for those not on their way to a goal.
    """

    planned: Mask = remembered(False)
    side: Scalars = remembered(0.0)
    turns: Mask = remembered(False)
    corner: Vectors = remembered((0.0, 0.0, 0.0))
    cosine: Scalars = remembered(1.0)
    sine: Scalars = remembered(0.0)
    further: Scalars = remembered(1.0)
    ahead: Scalars = remembered(np.inf)


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
    """The velocities along the planned ways, (n, 3) m/s, and the memory of the ways.

    Args:
        wished: (n, 3) the velocities that the combined behaviors ask for, m/s.
        travels: (n,) the agents that plan; the others keep their wish.
        thorough: (n,) the agents that plan past up to MOST obstacles; the others up to FEW.
        decides: (n,) the agents that plan in this step.
    """
    if not travels.any() or not world.obstacles.present.any():
        return wished, Planned.blank(len(agents))
    pace = np.minimum(top_speed, agents.own_pace)
    course = _along_the_way(wished, pace, travels, memory)
    plans = travels & (decides | ~memory.planned)
    mapped = nobody(len(agents)) if world.ways is None else world.ways.walked_by(agents.rows)
    for some, most in ((mapped, None), (~mapped & thorough, MOST), (~mapped & ~thorough, FEW)):
        rows = which(plans & some)
        if len(rows):
            travellers, wish = agents.take(rows), picked(wished, rows)
            course[rows], planned = _plan(world, travellers, wish, pace[rows], memory.take(rows), most)
            memory = memory.put(rows, planned)
    return course, memory


def _along_the_way(wished: Vectors, pace: Scalars, travels: Mask, memory: Planned) -> Vectors:
    """The wishes, (n, 3) m/s, turned and scaled as when the ways were planned."""
    turned = rotated(wished, memory.cosine, memory.sine)
    speed = magnitude(wished)
    scale = _speed(speed, memory.further, pace) / np.maximum(speed, EPSILON)
    on_a_way = travels & ((memory.sine != 0.0) | (memory.cosine != 1.0) | (memory.further != 1.0))
    return np.where(on_a_way[:, None], turned * scale[:, None], wished)


def _plan(
    world: World, agents: Agents, wished: Vectors, pace: Scalars, memory: Planned, most: int | None
) -> tuple[Vectors, Planned]:
    obstacles, there = world.obstacles, world.obstacles.present
    obstacles = obstacles if everybody(there) else obstacles.take(there)
    speed, direction = magnitude(wished), unit(wished)
    corner = memory.corner[:, :2].copy()
    corner[~memory.turns] = np.nan
    ahead = shared(np.inf, len(agents)) if world.ways is None else world.ways.straight_on(agents.rows, agents.goal)
    travellers = Travellers(
        agents.rows, agents.position, agents.radius, agents.stature, direction, agents.goal, ahead, memory.side, corner
    )
    planned = courses(obstacles, travellers, most)
    turned = (planned.direction != direction).any(axis=1)
    course = wished.copy(order="K")
    course[turned] = (planned.direction * _speed(speed, planned.further, pace)[:, None])[turned]
    return course, _remembered(direction, planned)


def _speed(speed: Scalars, further: Scalars, pace: Scalars) -> Scalars:
    """The speed along a way that is `further` times as long as the straight line: braking for a goal begins later."""
    return np.maximum(np.minimum(speed * further, pace), speed)


def _remembered(wish: Vectors, planned: Courses) -> Planned:
    """The memory of courses planned for wished directions, (n, 3)."""
    n, course = len(wish), planned.direction
    turns = np.isfinite(planned.corner[:, 0])
    corner = no_vectors(n)
    for axis in range(2):
        corner[:, axis] = np.where(turns, planned.corner[:, axis], 0.0)
    turned = (course != wish).any(axis=1)
    return Planned(
        planned=np.ones(n, dtype=np.bool_),
        side=planned.side,
        turns=turns,
        corner=corner,
        cosine=np.where(turned, wish[:, 0] * course[:, 0] + wish[:, 1] * course[:, 1], 1.0),
        sine=np.where(turned, wish[:, 0] * course[:, 1] - wish[:, 1] * course[:, 0], 0.0),
        further=np.where(turned, planned.further, 1.0),
        ahead=planned.ahead,
    )
