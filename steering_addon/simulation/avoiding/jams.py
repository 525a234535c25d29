"""Jams: how agents that press each other to a standstill get going again.

Where a throng presses through a door, its agents come to stand in an arch, each held by the next. One that gives way
for a moment lets the arch fall: so jammed agents jostle, and an agent that is held by one ahead of it steps back and
makes room.

    jostling = |course| (1 - progress / JAMMED) noise(t)        stepping back = -STEPS_BACK course
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays.chance import mix, smooth_noise
from ..arrays.vectors import EPSILON, Mask, Rows, Scalars, Vectors, clamp, columns, dot, magnitude, picked, unit
from ..memory import Memory, remembered
from ..nearby.neighbors import Near
from ..world import Agents, World

PATIENCE = 0.85
"""Seconds over which progress is judged."""
JAMMED = 0.25
"""Share of the wished speed: an agent on the ground that makes less progress jostles, the more the less it makes."""
PRESSED = 0.3
"""Metres between the bodies of agents that press each other."""
JOSTLES_A_SECOND = 2.0
"""How often a jostling agent changes its mind."""
JOSTLES = 0x7A3
"""Salts the keys from which the direction of jostling is drawn."""
HELD = 2
"""An agent pressed by this many, one of them ahead, steps back; two that meet sort it out between them."""
AHEAD = 0.7
"""Cosine of the angle from its course within which another agent is ahead."""
STEPS_BACK = 0.5
"""Share of the wished speed at which a held agent steps back."""


@dataclass(frozen=True)
class Progress(Memory):
    """How agents get on.

    Attributes:
        share: (n,) the share of the wished velocity that each recently had, from 0 to 1.
        begun: (n,) whether it has been watched for at least a step.
    """

    share: Scalars = remembered(1.0)
    begun: Mask = remembered(False)


def progressed(world: World, agents: Agents, wished: Vectors, memory: Progress) -> Progress:
    """The progress after a step, low-passed over PATIENCE.

    Args:
        wished: (n, 3) the velocities the agents wish for, m/s.
    """
    speed_squared = dot(wished, wished)
    had = np.where(speed_squared > EPSILON, dot(agents.velocity, wished) / np.maximum(speed_squared, EPSILON), 1.0)
    change = (clamp(had, 0.0, 1.0) - memory.share) * (world.dt / (PATIENCE + world.dt))
    return Progress(memory.share + change, np.ones(len(agents), dtype=np.bool_))


@dataclass(frozen=True)
class Jam:
    """Which agents are jammed among others.

    Attributes:
        jammed: (n,) the agents on the ground that others press and that get on no longer; not those that wait apart,
            as in a queue.
        held: (n,) those of them that several press, one of them ahead.
    """

    jammed: Mask
    held: Mask

    @classmethod
    def of(
        cls, world: World, agents: Agents, course: Vectors, progress: Scalars, perceived: Callable[[Rows], Near]
    ) -> Jam:
        """
        Args:
            course: (n, 3) the velocities the agents wish for along their ways, m/s.
            progress: (n,) as of `Progress`.
            perceived: the others that the agents of some rows perceive; asked only about agents that are slow.
        """
        jammed, held = np.zeros(len(agents), dtype=np.bool_), np.zeros(len(agents), dtype=np.bool_)
        slow = np.flatnonzero((progress < JAMMED) & agents.vehicle.keep_in_plane)
        if len(slow):
            jammed[slow], held[slow] = _pressed(world, agents.take(slow), picked(course, slow), perceived(slow))
        return cls(jammed, held)

    def loosened(self, world: World, agents: Agents, course: Vectors, progress: Scalars) -> Vectors:
        """The courses, (n, 3), of jammed agents led astray by chance, of held ones turned back."""
        rows = np.flatnonzero(self.jammed)
        if not len(rows):
            return course
        x, y = smooth_noise(mix(agents.keys[rows], JOSTLES), 2, np.full(len(rows), JOSTLES_A_SECOND), world.time)
        wished = course[rows]
        size = magnitude(wished) * (1.0 - progress[rows] / JAMMED)
        loosened = course.copy()
        loosened[rows] = np.where(self.held[rows, None], -STEPS_BACK * wished, wished)
        loosened[rows] += columns(x * size, y * size, 0.0)
        return loosened


def _pressed(world: World, agents: Agents, course: Vectors, near: Near) -> tuple[Mask, Mask]:
    """Which of some slow agents others press, and which of them several do, one of them ahead."""
    gap = near.distance - agents.radius[near.agent] - world.bodies.radius[near.body]
    pressing = np.flatnonzero(gap < PRESSED)
    agent = near.agent[pressing]
    number = np.bincount(agent, minlength=len(agents))
    ahead = dot(picked(near.offset, pressing), picked(unit(course), agent)) > AHEAD * near.distance[pressing]
    blocked = np.bincount(agent[ahead], minlength=len(agents)) > 0
    return number > 0, blocked & (number >= HELD)
