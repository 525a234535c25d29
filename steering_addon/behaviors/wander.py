"""Wander (paper, Wander)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.chance import Keys, smooth_noise
from ..simulation.declaration import Unit, acceleration, number, share
from ..simulation.vectors import Number, Scalars, Vectors, magnitude
from ..simulation.world import Agents, World
from .declaration import Behavior

SIDEWAYS, UPWARD = 0, 1


@dataclass(frozen=True)
class Wander(Behavior):
    """Stroll about in long, easy turns, no two agents alike.

    The steering stays on a sphere ahead, of which only the part across the heading counts: speed is the vehicle's own
    affair. Where the paper adds small random steps, smooth noise of time moves it, which gives the same turns at any
    frame rate. A part is shared by the whole crowd, as individual wandering averages out in a flock.
    """

    name = "wander"
    label = "Wander"
    term = "wander"

    strength: Number = acceleration(2.0, "Size of the sphere ahead: how hard the turns get")
    rate: Number = number(0.5, "Restlessness: how often it changes its mind, per second", Unit.RATE, animatable=False)
    shared_strength: Number = acceleration(0.0, "The part that the whole crowd does together")
    shared_rate: Number = number(
        0.25, "How often the whole crowd changes its mind, per second", Unit.RATE, animatable=False
    )
    vertical: Number = share(0.4, "How much of it goes up and down")
    leveling: Number = number(0.4, "How soon it comes back to level flight, per second", Unit.RATE)

    def steer(self, world: World, agents: Agents) -> Vectors:
        side, up = agents.level_frame()
        own = self._on_sphere(agents.keys, self.rate, world.time) * self.strength[:, None]
        shared = self._shared(agents, world.time) * self.shared_strength[:, None]
        turn = (own + shared) * np.stack((np.ones(len(agents)), self.vertical), axis=-1)
        wandering = turn[:, :1] * side + turn[:, 1:] * up
        wandering[:, 2] -= self.leveling * agents.velocity[:, 2]
        return wandering * agents.mass[:, None]

    def _shared(self, agents: Agents, time: float) -> Vectors:
        """(n, 2) the same place for all of a crowd, worked out once where its rate is one."""
        if len(agents) and (self.shared_rate == self.shared_rate[0]).all():
            place = self._on_sphere(agents.crowd_keys[:1], self.shared_rate[:1], time)
            return np.broadcast_to(place, (len(agents), 2))
        return self._on_sphere(agents.crowd_keys, self.shared_rate, time)

    def _on_sphere(self, keys: Keys, rate: Scalars, time: float) -> Vectors:
        """(n, 2) sideways and upward part of a place on the unit sphere ahead."""
        place = np.stack((smooth_noise(keys, SIDEWAYS, rate, time), smooth_noise(keys, UPWARD, rate, time)), axis=-1)
        reach = magnitude(np.concatenate((place, np.zeros((len(keys), 1))), axis=-1))
        return place / np.maximum(reach, 1.0)[:, None]
