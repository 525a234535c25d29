"""Forage (paper, Wander: combining wandering with resource seeking)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import EPSILON, Mask, Number, Rows, Scalars, Vectors, magnitude, picked, unit
from ..simulation.behavior import Behavior, Intent, Steering, Taking
from ..simulation.declaration import Unit, acceleration, called, length, number, resource, seconds
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World
from .wander import Wander

BRAKING = 0.5
"""Share of max_force that is planned for slowing down."""
CLOSING_TIME = 0.6
"""Seconds in which it makes up the last of the distance."""
REACH = 0.5
"""Radii of the body within which it can eat."""


@dataclass(frozen=True)
class Hunger(Memory):
    """The hunger of each agent.

    Attributes:
        eaten: (n,) the amount it has eaten of the current meal.
        sated: (n,) seconds until it is hungry again, 0 while it is hungry.
    """

    eaten: Scalars = remembered(0.0)
    sated: Scalars = remembered(0.0)


@dataclass(frozen=True)
class Forage(Behavior):
    """Wander about, go to resources that come near, and feed on them until they run out.

    After a meal an agent wanders until it is hungry again. A resource that has run out is gone for all agents, and
    hidden in previews and bakes; its amount is a setting of the resource. Without a resource it does nothing but
    wander.
    """

    name = "forage"
    label = "Forage"
    term = "forage"
    intent = Intent.GO
    remembers = Hunger
    by_chance = True
    refers_to_up = True

    resource: Rows = resource("Resource to feed on; empty: the nearest resource")
    distance: Number = length(10.0, "How near a resource has to be to be noticed; 0: at any distance")
    appetite: Number = number(1.0, "How much it eats", Unit.RATE)
    meal: Number = number(3.0, "How much it eats before it has had enough; 0: it is never full")
    digestion_time: Number = called(
        "Digestion", seconds(8.0, "How long it wanders after a meal before it is hungry again")
    )
    strength: Number = acceleration(2.0, "How hard the turns get while it wanders")
    rate: Number = called(
        "Restlessness", number(0.5, "How often it changes direction while it wanders", Unit.RATE, animatable=False)
    )

    def steer(self, world: World, agents: Agents, memory: Hunger) -> Steering:
        offset, gap = self._way(world, agents)
        feeding = self._feeding(gap, memory)
        fastest = np.minimum(agents.cruise_speed, np.sqrt(2.0 * BRAKING * agents.agility * gap))
        closing_time = max(CLOSING_TIME, 4.0 * world.dt)
        speed = np.minimum(fastest, gap / closing_time)
        # closing_time >= 4 response_time is critical damping, as in Arrival.
        response_time = np.minimum(agents.vehicle.response_time, closing_time / 4.0)
        approach = agents.steering_to(unit(offset) * speed[:, None], response_time)
        wandering = Wander.of(len(agents), strength=self.strength, rate=self.rate).wandering(world, agents)

        bite = np.where(feeding & (gap <= REACH * agents.radius), self.appetite * world.dt, 0.0)
        eaten = memory.eaten + bite
        full = (self.meal > 0.0) & (eaten >= self.meal)
        sated = np.where(full, self.digestion_time, np.maximum(memory.sated - world.dt, 0.0))
        after = Hunger(np.where(full, 0.0, eaten), sated)
        return Steering(
            np.where(feeding[:, None], approach, wandering),
            after,
            sets_speed=self._feeding(gap, after),
            takes=Taking(np.where(bite > 0.0, self.resource, -1), bite),
        )

    def goal(self, world: World, agents: Agents, memory: Hunger) -> Vectors:
        offset, gap = self._way(world, agents)
        return np.where(self._feeding(gap, memory)[:, None], agents.position + offset, np.nan)

    def _way(self, world: World, agents: Agents) -> tuple[Vectors, Scalars]:
        """The offset to the middle of each agent's resource, (n, 3), and the gap between the bodies, (n,); metres."""
        row = np.maximum(self.resource, 0)
        offset = agents.level(world.by_way(agents, picked(world.bodies.position, row)) - agents.position)
        gap = magnitude(offset) - world.bodies.radius[row] - agents.radius
        return offset, np.maximum(gap, 0.0)

    def _feeding(self, gap: Scalars, memory: Hunger) -> Mask:
        """Whether each agent is on its way to a resource or feeds on it, (n,)."""
        return (self.resource >= 0) & ((gap < self.distance) | (self.distance == 0.0)) & (memory.sated <= EPSILON)
