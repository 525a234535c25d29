"""Wander (paper, Wander)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import Keys, gradient_noise, smooth_noise
from ..simulation.arrays.vectors import Number, Rows, Scalars, Vectors, same_for_all
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import Choice, Unit, acceleration, called, choice, number, share
from ..simulation.world import Agents, World

METHODS = (
    Choice("SPHERE", 0, "Even", "The steering strays evenly on a sphere ahead, as in the paper's first way"),
    Choice("NOISE", 1, "Now and Then", "Coherent noise steers, the paper's other way: now lively, now straight on"),
)
SPHERE, NOISE = (c.number for c in METHODS)


@dataclass(frozen=True)
class Wander(Behavior):
    """Stroll about in long, easy turns, no two agents alike.

    The steering stays on a sphere ahead, of which only the part across the heading counts: speed is the vehicle's own
    affair. Where the paper adds small random steps, smooth noise of time moves it, which gives the same turns at any
    frame rate; its other way, Perlin's coherent noise, is there by choice. A part is shared by the whole crowd, as
    individual wandering averages out in a flock. Does nothing while both strengths are 0.
    """

    name = "wander"
    label = "Wander"
    term = "wander"
    intent = Intent.GO
    by_chance = True
    refers_to_up = True

    strength: Number = acceleration(2.0, "Size of the sphere ahead: how hard the turns get")
    rate: Number = called(
        "Restlessness",
        number(0.5, "Restlessness: how often it changes its mind, per second", Unit.RATE, animatable=False),
    )
    shared_strength: Number = acceleration(0.0, "The part that the whole crowd does together")
    shared_rate: Number = number(
        0.25, "How often the whole crowd changes its mind, per second", Unit.RATE, animatable=False
    )
    vertical: Number = share(0.4, "How much of it goes up and down")
    leveling: Number = number(0.4, "How soon it comes back to level flight, per second", Unit.RATE)
    method: Rows = choice("SPHERE", "How it strays", METHODS)

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        return Steering(self.wandering(world, agents))

    def wandering(self, world: World, agents: Agents) -> Vectors:
        """The force that strays, (n, 3) newtons."""
        side, up = agents.level_frame()
        # A place that all share is worked out once, along with those of each one.
        shared = slice(1) if same_for_all(self.shared_rate) and same_for_all(self.method) else slice(None)
        keys = np.concatenate((agents.keys, agents.crowd_keys[shared]))
        method = np.concatenate((self.method, self.method[shared]))
        places = _astray(method, keys, np.concatenate((self.rate, self.shared_rate[shared])), world.time)
        own, of_all = places[:, : len(agents)], places[:, len(agents) :]
        sideways, upward = own * self.strength + of_all * self.shared_strength
        wandering = sideways[:, None] * side + (upward * self.vertical)[:, None] * up
        wandering[:, 2] -= self.leveling * agents.velocity[:, 2]
        return wandering * agents.mass[:, None]


def _astray(method: Rows, keys: Keys, rate: Scalars, time: float) -> Scalars:
    """The sideways and the upward part of the steering, (2, n), together no longer than 1."""
    place = smooth_noise(keys, 2, rate, time) if (method == SPHERE).any() else np.zeros((2, len(keys)))
    if (method == NOISE).any():
        place = np.where(method == NOISE, gradient_noise(keys, 2, rate, time), place)
    sideways, upward = place
    return place / np.maximum(np.sqrt(sideways * sideways + upward * upward), 1.0)
