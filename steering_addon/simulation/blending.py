"""Blending: the mean that feet obey where each step applies another behavior (Reynolds 1999, Combining Behaviors)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays.vectors import EPSILON, Vectors, anybody, truncate
from .combining import ONE
from .decisions import Decisions
from .memory import Memory, remembered
from .world import Agents

BLENDED = "blended"
"""Under what the mean is remembered; no behavior has this name."""


@dataclass(frozen=True)
class Blended(Memory):
    """The mean of the forces on each agent.

    Attributes:
        force: (n, 3) newtons.
    """

    force: Vectors = remembered((0.0, 0.0, 0.0))


def blended(combining: int, agents: Agents, force: Vectors, decided: Decisions, dt: float) -> tuple[Vectors, Decisions]:
    """The forces, (n, 3) newtons, that agents obey where one behavior at a time is drawn, and what they remember.

    The momentum of a body blends what is drawn, but not across the heading of what walks on a circle: a breath of force
    turns it by as much as all its strength. It obeys the mean, over its response time if the circle leaves nothing of
    its strength.

    Args:
        combining: the number of the way to combine.
        force: (n, 3) newtons, of what is drawn in this step.
        dt: seconds.
    """
    if combining != ONE:
        return force, decided
    left = agents.sideways / np.maximum(agents.agility, EPSILON)
    time = agents.vehicle.response_time * (1.0 - left)
    if not anybody(time > 0.0):
        return force, decided
    before = decided.memory(BLENDED, Blended, agents).force
    force = before + (truncate(force, agents.max_force) - before) * (dt / (dt + time))[:, None]
    return force, decided.remembering(BLENDED, agents, Blended(force))
