"""Rest: stop and go, as grazing animals and strollers do (not in the paper)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import mix, uniform
from ..simulation.arrays.scalars import Mask, Number, Rows, Scalars
from ..simulation.arrays.vectors import magnitude, picked
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import another_body, length, seconds
from ..simulation.maneuvers.stopping import slower
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World

SHORTEST, LONGEST = 0.5, 1.5
"""Limits of the duration of a bout, as multiples of the mean, so that bouts are not as even as a clock."""
UNBORN = -1.0
"""The value of `bouts` before the rhythm has begun."""
BOUTS, BEGINNING = 0xB0, 0xB1
"""Salts of the random keys of the durations of bouts, and of the point at which an agent begins."""


@dataclass(frozen=True)
class Rhythm(Memory):
    """The progress of each agent in its rhythm.

    Attributes:
        bouts: (n,) the number of bouts that are over, plus the elapsed share of the current one. It goes in even bouts
            and rests in odd ones.
    """

    bouts: Scalars = remembered(UNBORN)


@dataclass(frozen=True)
class Rest(Behavior):
    """Go for a while and rest for a while, each in a rhythm of its own.

    A resting vehicle stands still, whatever its other behaviors ask for, until the rest is over, the menace comes
    near, or it has to run from something. Durations vary by up to half of the average. Does nothing while the vehicle
    goes.
    """

    name = "rest"
    label = "Stop and Go"
    term = OURS
    intent = Intent.GO
    remembers = Rhythm
    by_chance = True

    going_time: Number = seconds(6.0, "Average time it keeps going", 0.1)
    resting_time: Number = seconds(4.0, "Average time it rests", 0.1)
    stopping_time: Number = seconds(1.0, "Time in which it comes to a stop from top speed", 0.05, label="Stop Time")
    menace: Rows = another_body("Object whose approach ends the rest; empty: none")
    alarm_distance: Number = length(10.0, "Distance at which the menace ends the rest", label="Alarm Within")

    def steer(self, world: World, agents: Agents, memory: Rhythm) -> Steering:
        bouts = self._next_bouts(world, agents, memory.bouts)
        resting = _rests(bouts)
        brakes = agents.max_speed / self.stopping_time
        push = np.where(resting, -np.minimum(brakes, agents.speed / world.dt) * agents.mass, 0.0)
        return Steering(
            agents.forward * push[:, None],
            Rhythm(bouts),
            speed_limit=np.where(resting, slower(agents, self.stopping_time, world.dt), np.inf),
        )

    def _next_bouts(self, world: World, agents: Agents, bouts: Scalars) -> Scalars:
        """`bouts`, as of `Rhythm`, after this step."""
        bouts = np.where(bouts < 0.0, self._beginning(agents), bouts)
        whole = np.floor(bouts)
        draw = uniform(mix(mix(agents.keys, BOUTS), whole.astype(np.uint64)))
        mean = np.where(_rests(bouts), self.resting_time, self.going_time)
        duration = np.maximum(mean * (SHORTEST + (LONGEST - SHORTEST) * draw), world.dt)
        alarmed = _rests(bouts) & (self._menaced(world, agents) | agents.intention.alarmed)
        return np.where(alarmed, whole + 1.0, bouts + world.dt / duration)

    def _beginning(self, agents: Agents) -> Scalars:
        """A random point in the first two bouts, as if the rhythm had begun long ago; (n,)."""
        time = uniform(mix(agents.keys, BEGINNING)) * (self.going_time + self.resting_time)
        resting = (time - self.going_time) / self.resting_time
        return np.where(time < self.going_time, time / self.going_time, 1.0 + resting)

    def _menaced(self, world: World, agents: Agents) -> Mask:
        """Whether the menace is near, (n,)."""
        menace = picked(world.bodies.position, np.maximum(self.menace, 0))
        return (self.menace >= 0) & (magnitude(menace - agents.position) < self.alarm_distance)


def _rests(bouts: Scalars) -> Mask:
    """Whether the current bout is odd, (n,)."""
    half = bouts / 2.0
    return half - np.floor(half) >= 0.5
