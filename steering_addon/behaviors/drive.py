"""Drive: the cowboy who fetches a stray (paper, Introduction)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars, totals
from ..simulation.arrays.vectors import Vectors, across, dot, magnitude, no_vectors, picked, unit
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import another_body, body, crowd, length, seconds
from ..simulation.maneuvers.detours import way_round
from ..simulation.world import Agents, World

WIDE = 2.4
"""Distance at which it goes round its quarry, in gaps: nearer, it would drive the quarry further out."""
BEHIND = 0.8
"""Cosine of the angle off the line from home through the quarry within which it is behind and comes in."""
BEFORE = -0.2
"""The same below which it is on the side of home, and first swings aside."""


@dataclass(frozen=True)
class Drive(Behavior):
    """Get behind another vehicle and drive it home.

    Goes round the herd and swings wide round the other, comes in from behind and follows it, so that one that runs
    from the driver runs home. Does nothing without a target, or while the target is at home.
    """

    name = "drive"
    label = "Drive Home"
    term = OURS
    intent = Intent.REACT
    arrives = True

    target: Rows = body("Whom to drive; empty: the nearest leader", needs_role=True)
    home: Rows = another_body("Where to drive it; empty: to the middle of a crowd")
    herd: Rows = crowd("The crowd to whose middle it is driven without a home; empty: its own")
    gap: Number = length(4.0, "Distance behind it from which it is driven", 0.01, label="Keeps Behind")
    home_distance: Number = length(3.0, "Distance from home at which it is home", label="Home Within")
    approach_time: Number = seconds(0.8, "Time in which it makes up the remaining distance", 0.05, label="Approach")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        aim, known, stray = self._aim(world, agents)
        direction, distance = way_round(world, agents, aim, self._herd(world), moves=True)
        speed = np.minimum(distance / np.maximum(self.approach_time, world.dt), agents.max_speed)
        force = agents.steering_to(direction * speed[:, None])
        return Steering(np.where(stray[:, None], force, 0.0), sets_speed=stray, arrived=known & ~stray)

    def goal(self, world: World, agents: Agents, memory: None) -> Vectors:
        aim, _, stray = self._aim(world, agents)
        direction, distance = way_round(world, agents, aim, self._herd(world), moves=True)
        return np.where(stray[:, None], agents.position + direction * distance[:, None], np.nan)

    def _aim(self, world: World, agents: Agents) -> tuple[Vectors, Mask, Mask]:
        """Where each agent goes next, (n, 3) metres, whether it knows a home, and whether its quarry is away, (n,)."""
        home, known = self._home(world, agents)
        place = picked(world.bodies.position, np.maximum(self.target, 0))
        away = agents.level(place - home)
        stray = known & (magnitude(away) > self.home_distance)
        return place + self._beside(agents, place, unit(away)), known, stray

    def _herd(self, world: World) -> Rows:
        """The crowd to which each quarry is driven, (n,), -1 for none."""
        quarry = np.maximum(self.target, 0)
        return np.where(self.target < 0, -1, np.where(self.herd >= 0, self.herd, world.bodies.crowd[quarry]))

    def _beside(self, agents: Agents, place: Vectors, out: Vectors) -> Vectors:
        """Where each agent goes next, (n, 3) metres from its quarry: aside, round it, then behind it. `place`: (n, 3)
        metres, of the quarries; `out`: (n, 3) unit directions from home to them."""
        offset = agents.level(agents.position - place)
        direction = unit(offset)
        along = dot(direction, out)
        side = across(direction, out)
        side = unit(np.where((magnitude(side) > EPSILON)[:, None], side, agents.level(across(agents.side, out))))
        course = np.where((along < BEFORE)[:, None], direction + 1.5 * side, direction + 1.5 * out)
        gap = self.gap * np.where(along > BEHIND, 1.0, WIDE)
        return unit(course) * np.minimum(gap, np.maximum(magnitude(offset), self.gap))[:, None]

    def _home(self, world: World, agents: Agents) -> tuple[Vectors, Mask]:
        """The home of each quarry, (n, 3) metres, and whether there is a quarry that has one, (n,)."""
        bodies, quarry = world.bodies, np.maximum(self.target, 0)
        middle, mates = _middle_of_mates(world, quarry, self._herd(world))
        place = np.where((self.home >= 0)[:, None], picked(bodies.position, np.maximum(self.home, 0)), middle)
        return place, (self.target >= 0) & ((self.home >= 0) | (mates > 0.0))


def _middle_of_mates(world: World, quarry: Rows, herd: Rows) -> tuple[Vectors, Scalars]:
    """The middle of the members of each herd besides the quarry, (n, 3) metres, and their number, (n,)."""
    bodies = world.bodies
    present = np.flatnonzero(bodies.present & (bodies.crowd >= 0))
    owner, position = bodies.crowd[present], picked(bodies.position, present)
    n = max(int(owner.max(initial=-1)), int(herd.max(initial=-1))) + 1
    counted = (herd >= 0) & (bodies.crowd[quarry] == herd) & bodies.present[quarry]
    herd = np.where(herd >= 0, herd, n)
    mates = totals(owner, np.ones(len(owner)), n + 1)[herd] - counted
    middle = no_vectors(len(quarry))
    for axis in range(3):
        # Added in ascending order: the sum is the same in whichever order the bodies come.
        order = np.lexsort((position[:, axis], owner))
        total = totals(owner[order], position[order, axis], n + 1)[herd] - bodies.position[quarry, axis] * counted
        middle[:, axis] = total / np.maximum(mates, EPSILON)
    return np.where((mates > 0.0)[:, None], middle, 0.0), np.maximum(mates, 0.0)
