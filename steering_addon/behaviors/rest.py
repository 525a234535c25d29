"""Rest: stop and go, as grazing animals and strollers do (not in the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import mix, uniform
from ..simulation.arrays.vectors import Mask, Number, Scalars, Vectors, magnitude, picked
from ..simulation.behavior import OURS, Behavior, Intent
from ..simulation.declaration import another_body, length, seconds
from ..simulation.world import Agents, Memory, World

SHORTEST, LONGEST = 0.5, 1.5
"""Shares of the mean between which single bouts last: nobody keeps step with a clock."""
UNBORN = -1.0
"""What is remembered as the rhythm before it began."""
BOUTS, BEGINNING = 0xB0, 0xB1
"""Salt the keys from which bouts and where in them each begins are drawn, apart from other uses of the same luck."""


@dataclass(frozen=True)
class Rest(Behavior):
    """Go for a while and rest for a while, each in a rhythm of its own.

    A vehicle at rest stands still, whatever else it wants, until its rest is over or the menace comes near. Bouts last
    half as long to half as long again as they do on average. Does nothing while it goes.
    """

    name = "rest"
    label = "Stop and Go"
    term = OURS
    intent = Intent.GO
    remembers = {"rhythm": UNBORN}

    going_time: Number = seconds(6.0, "How long it goes on average", 0.1)
    resting_time: Number = seconds(4.0, "How long it rests on average", 0.1)
    stopping_time: Number = seconds(1.0, "Time in which it comes to a stop from top speed", 0.05)
    menace: Number = another_body("Whose coming ends the rest; empty: nobody's")
    alarm_distance: Number = length(10.0, "How near the menace has to come")

    def steer(self, world: World, agents: Agents) -> tuple[Vectors, Memory]:
        rhythm = self._rhythm(world, agents)
        braking = np.minimum(agents.max_speed / self.stopping_time, agents.speed / world.dt)
        push = np.where(_rests(rhythm), -braking * agents.mass, 0.0)
        return agents.forward * push[:, None], {"rhythm": rhythm}

    def fastest(self, world: World, agents: Agents) -> Scalars:
        slower = agents.speed - agents.max_speed / self.stopping_time * world.dt
        return np.where(_rests(agents.memory["rhythm"]), np.maximum(slower, 0.0), np.inf)

    def _rhythm(self, world: World, agents: Agents) -> Scalars:
        """How many bouts each agent has behind it, (n,), the present one in part; even ones go, odd ones rest."""
        rhythm = agents.memory["rhythm"]
        rhythm = np.where(rhythm < 0.0, self._beginning(agents), rhythm)
        bout = np.floor(rhythm)
        luck = uniform(mix(mix(agents.keys, BOUTS), bout.astype(np.uint64)))
        mean = np.where(_rests(rhythm), self.resting_time, self.going_time)
        lasting = np.maximum(mean * (SHORTEST + (LONGEST - SHORTEST) * luck), world.dt)
        alarmed = _rests(rhythm) & self._menaced(world, agents)
        return np.where(alarmed, bout + 1.0, rhythm + world.dt / lasting)

    def _beginning(self, agents: Agents) -> Scalars:
        """Somewhere in the first two bouts, as if it had been going on for long."""
        moment = uniform(mix(agents.keys, BEGINNING)) * (self.going_time + self.resting_time)
        resting = (moment - self.going_time) / self.resting_time
        return np.where(moment < self.going_time, moment / self.going_time, 1.0 + resting)

    def _menaced(self, world: World, agents: Agents) -> Mask:
        menace = picked(world.bodies.position, np.maximum(self.menace, 0))
        return (self.menace >= 0) & (magnitude(menace - agents.position) < self.alarm_distance)


def _rests(rhythm: Scalars) -> Mask:
    half = rhythm / 2.0
    return half - np.floor(half) >= 0.5
