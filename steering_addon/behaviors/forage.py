"""Forage (paper, Wander: combining wandering with resource seeking)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars, anybody
from ..simulation.arrays.vectors import Vectors, magnitude, picked, unit
from ..simulation.behavior import Behavior, Intent, Steering, Taking
from ..simulation.declaration import Unit, acceleration, another_body, length, number, resource, seconds
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World
from .wander import Wander

BRAKING = 0.5
"""Share of max_force that is planned for slowing down."""
CLOSING_TIME = 0.6
"""Seconds in which it makes up the last of the distance."""
REACH, STRETCH = 0.5, 4.0
"""Radii of the body within which it can eat, and within which it can if others or another behavior hold it up there."""
HELD_UP = 0.1
"""Share of cruise speed below which it counts as held up."""


@dataclass(frozen=True)
class Hunger(Memory):
    """The hunger of each agent.

    Attributes:
        eaten: (n,) the amount it has eaten of the current meal.
        sated: (n,) seconds until it is hungry again, 0 while it is hungry.
        laden: (n,) whether it carries a meal home.
        found: (n, 3) where it has found the last meal, metres; nan for nowhere.
    """

    eaten: Scalars = remembered(0.0)
    sated: Scalars = remembered(0.0)
    laden: Mask = remembered(False)
    found: Vectors = remembered((np.nan, np.nan, np.nan))


@dataclass(frozen=True)
class Forage(Behavior):
    """Wander about, go to resources that come near, and feed on them until they run out.

    After a meal an agent wanders until it is hungry again. With a home it carries each meal there, and also what it has
    when a resource runs out; then it goes back to where it found the meal. A resource that has run out is gone for all
    agents, and hidden in previews and bakes; its amount is a setting of the resource. A pond that is an obstacle too
    is reached at its edge. Without a resource it does nothing but wander.
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
    digestion_time: Number = seconds(
        8.0, "How long it wanders after a meal before it is hungry again", label="Digestion"
    )
    home: Rows = another_body("Where it carries its meals; empty: it eats them on the spot")
    strength: Number = acceleration(2.0, "How hard the turns get while it wanders")
    rate: Number = number(
        0.5, "How often it changes direction while it wanders", Unit.RATE, animatable=False, label="Restlessness"
    )

    def steer(self, world: World, agents: Agents, memory: Hunger) -> Steering:
        errand = self._errand(world, agents, memory)
        fastest = np.minimum(agents.cruise_speed, np.sqrt(2.0 * BRAKING * agents.agility * errand.gap))
        closing_time = max(CLOSING_TIME, 4.0 * world.dt)
        speed = np.minimum(fastest, errand.gap / closing_time)
        # closing_time >= 4 response_time is critical damping, as in Arrival.
        response_time = np.minimum(agents.vehicle.response_time, closing_time / 4.0)
        approach = agents.steering_to(unit(errand.offset) * speed[:, None], response_time)
        wandering = Wander.of(len(agents), strength=self.strength, rate=self.rate).wandering(world, agents)

        reach = np.where(agents.speed < HELD_UP * agents.cruise_speed, STRETCH, REACH)
        there = errand.gap <= reach * agents.radius
        bite = np.where(errand.feeds & there, self.appetite * world.dt, 0.0)
        after = self._fed(world, agents, memory, errand, bite, there)
        return Steering(
            np.where(errand.goes[:, None], approach, wandering),
            after,
            sets_speed=self._errand(world, agents, after).goes,
            takes=Taking(np.where(bite > 0.0, self.resource, -1), bite),
        )

    def goal(self, world: World, agents: Agents, memory: Hunger) -> Vectors:
        errand = self._errand(world, agents, memory)
        return np.where(errand.goes[:, None], agents.position + errand.offset, np.nan)

    def _fed(self, world: World, agents: Agents, memory: Hunger, errand: _Errand, bite: Scalars, there: Mask) -> Hunger:
        """The hunger after a step in which agents have bitten, and those on an errand have come to its end or not."""
        eaten = memory.eaten + bite
        full = (self.meal > 0.0) & (eaten >= self.meal)
        has_home = (self.home >= 0) | memory.laden
        # What it has of a resource that has run out is carried home as well.
        picks_up = (self.home >= 0) & ~memory.laden & (full | ((eaten > 0.0) & ~errand.feeds))
        sated = np.where(full & ~has_home, self.digestion_time, np.maximum(memory.sated - world.dt, 0.0))
        found = np.where((picks_up & full)[:, None], agents.position, memory.found)
        # Nothing is left there, or it is the place of the meal that it has now.
        found = np.where((errand.returns & there | (picks_up & ~full))[:, None], np.nan, found)
        laden = (memory.laden & ~(errand.carries & there) & (self.home >= 0)) | picks_up
        return Hunger(np.where(full | picks_up, 0.0, eaten), sated, laden, found)

    def _errand(self, world: World, agents: Agents, memory: Hunger) -> _Errand:
        """Where each agent goes, by what it remembers."""
        offset, gap = self._way(world, agents, self.resource)
        carries = memory.laden & (self.home >= 0)
        feeds = self._feeding(gap, memory) & ~carries
        returns = ~carries & ~feeds & np.isfinite(memory.found[:, 0]) & (memory.sated <= EPSILON)
        if anybody(carries):
            homeward, left = self._way(world, agents, self.home)
            offset, gap = np.where(carries[:, None], homeward, offset), np.where(carries, left, gap)
        if anybody(returns):
            place = np.where(returns[:, None], memory.found, np.nan)
            back = np.nan_to_num(agents.level(world.by_way(agents, place) - agents.position))
            offset = np.where(returns[:, None], back, offset)
            gap = np.where(returns, np.maximum(magnitude(back) - agents.radius, 0.0), gap)
        return _Errand(offset, gap, feeds, carries, returns)

    def _way(self, world: World, agents: Agents, body: Rows) -> tuple[Vectors, Scalars]:
        """The offset to the middle of a body of each agent, (n, 3), and the gap between the two, (n,); metres. Of
        one in an obstacle, such as a pond, they are those to where the agent stops right before that: each has a place
        of its own."""
        row = np.maximum(body, 0)
        straight = agents.level(world.up_to_obstacles(agents, row))
        far = magnitude(straight)
        left = np.maximum(far - np.nan_to_num(agents.intention.clearance), 0.0)
        edge = agents.position + straight * (left / np.maximum(far, EPSILON))[:, None]
        stops = np.isfinite(far)
        place = np.where(stops[:, None], edge, picked(world.bodies.position, row))
        offset = agents.level(world.by_way(agents, place) - agents.position)
        touching = np.where(stops, 0.0, world.bodies.radius[row] + agents.radius)
        return offset, np.maximum(magnitude(offset) - touching, 0.0)

    def _feeding(self, gap: Scalars, memory: Hunger) -> Mask:
        """Whether each agent is on its way to a resource or feeds on it, (n,)."""
        return (self.resource >= 0) & ((gap < self.distance) | (self.distance == 0.0)) & (memory.sated <= EPSILON)


@dataclass(frozen=True)
class _Errand:
    """Where each of n agents goes.

    Attributes:
        offset: (n, 3) to the middle of that, metres.
        gap: (n,) between the bodies, metres.
        feeds, carries, returns: (n,) who goes to a resource or feeds on it, who carries a meal home, and who goes back
            to where it has found one.
    """

    offset: Vectors
    gap: Scalars
    feeds: Mask
    carries: Mask
    returns: Mask

    @property
    def goes(self) -> Mask:
        """(n,) who goes anywhere; the others wander."""
        return self.feeds | self.carries | self.returns
