"""Rest: stop and go, as grazing animals and strollers do (not in the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import mix, uniform
from ..simulation.arrays.vectors import Mask, Number, Rows, Scalars, magnitude, picked
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import another_body, length, seconds
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World

SHORTEST, LONGEST = 0.5, 1.5
"""Shares of the mean between which single bouts last: nobody keeps step with a clock."""
UNBORN = -1.0
"""What is remembered as the rhythm before it began."""
BOUTS, BEGINNING = 0xB0, 0xB1
"""Salt the keys from which bouts and where in them each begins are drawn, apart from other uses of the same luck."""


@dataclass(frozen=True)
class Rhythm(Memory):
    """How far each agent is in its rhythm.

    Attributes:
        bouts: (n,) how many bouts are over, the current one in part; even ones go, odd ones rest.
    """

    bouts: Scalars = remembered(UNBORN)


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
    remembers = Rhythm
    by_chance = True

    going_time: Number = seconds(6.0, "How long it goes on average", 0.1)
    resting_time: Number = seconds(4.0, "How long it rests on average", 0.1)
    stopping_time: Number = seconds(1.0, "Time in which it comes to a stop from top speed", 0.05)
    menace: Rows = another_body("Whose coming ends the rest; empty: nobody's")
    alarm_distance: Number = length(10.0, "How near the menace has to come")

    def steer(self, world: World, agents: Agents, memory: Rhythm) -> Steering:
        bouts = self._next_bouts(world, agents, memory.bouts)
        resting = _rests(bouts)
        brakes = agents.max_speed / self.stopping_time
        push = np.where(resting, -np.minimum(brakes, agents.speed / world.dt) * agents.mass, 0.0)
        slower = agents.speed - brakes * world.dt
        return Steering(
            agents.forward * push[:, None],
            Rhythm(bouts),
            speed_limit=np.where(resting, np.maximum(slower, 0.0), np.inf),
        )

    def _next_bouts(self, world: World, agents: Agents, bouts: Scalars) -> Scalars:
        """The rhythm after this step, as of `Rhythm`."""
        bouts = np.where(bouts < 0.0, self._beginning(agents), bouts)
        whole = np.floor(bouts)
        draw = uniform(mix(mix(agents.keys, BOUTS), whole.astype(np.uint64)))
        mean = np.where(_rests(bouts), self.resting_time, self.going_time)
        duration = np.maximum(mean * (SHORTEST + (LONGEST - SHORTEST) * draw), world.dt)
        alarmed = _rests(bouts) & self._menaced(world, agents)
        return np.where(alarmed, whole + 1.0, bouts + world.dt / duration)

    def _beginning(self, agents: Agents) -> Scalars:
        """Somewhere in the first two bouts, as if it had been going on for long."""
        moment = uniform(mix(agents.keys, BEGINNING)) * (self.going_time + self.resting_time)
        resting = (moment - self.going_time) / self.resting_time
        return np.where(moment < self.going_time, moment / self.going_time, 1.0 + resting)

    def _menaced(self, world: World, agents: Agents) -> Mask:
        menace = picked(world.bodies.position, np.maximum(self.menace, 0))
        return (self.menace >= 0) & (magnitude(menace - agents.position) < self.alarm_distance)


def _rests(bouts: Scalars) -> Mask:
    half = bouts / 2.0
    return half - np.floor(half) >= 0.5
