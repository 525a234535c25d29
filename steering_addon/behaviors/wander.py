"""Wander (paper, Wander)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import Keys, gradient_noise, smooth_noise
from ..simulation.arrays.vectors import Number, Rows, Scalars, Vectors, anybody, same_for_all
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import Choice, Unit, acceleration, called, choice, number, share
from ..simulation.world import Agents, World

METHODS = (
    Choice("SPHERE", 0, "Even", "The steering strays evenly on a sphere ahead, as in the paper's first method"),
    Choice(
        "NOISE",
        1,
        "Now and Then",
        "Coherent noise steers, as in the paper's second method: sometimes lively, sometimes straight on",
    ),
)
SPHERE, NOISE = (c.number for c in METHODS)


@dataclass(frozen=True)
class Wander(Behavior):
    """Stroll about in long, easy turns, no two agents alike.

    The steering is a point on a sphere ahead, of which the component across the heading counts; the speed is left to
    the vehicle. The paper moves the point by small random steps; here smooth noise of time moves it, which gives the
    same turns at any frame rate. Perlin's coherent noise, the paper's second method, is an option. A part is shared by
    the whole crowd, as individual wandering averages out in a flock. Does nothing while both strengths are 0.
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
        number(0.5, "How often it changes direction, per second", Unit.RATE, animatable=False),
    )
    shared_strength: Number = acceleration(0.0, "Strength of the turns that the whole crowd makes together")
    shared_rate: Number = number(
        0.25, "How often the whole crowd changes direction, per second", Unit.RATE, animatable=False
    )
    vertical: Number = share(0.4, "Share of the turns that goes up and down")
    leveling: Number = number(0.4, "How fast it returns to level flight, per second", Unit.RATE)
    method: Rows = choice("SPHERE", "How it strays", METHODS)

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        return Steering(self.wandering(world, agents))

    def wandering(self, world: World, agents: Agents) -> Vectors:
        """The wandering force, (n, 3) newtons."""
        side, up = agents.level_frame()
        # The point of the crowd is computed once, together with those of the agents.
        shared = slice(1) if same_for_all(self.shared_rate) and same_for_all(self.method) else slice(None)
        keys = np.concatenate((agents.keys, agents.crowd_keys[shared]))
        method = np.concatenate((self.method, self.method[shared]))
        points = _astray(method, keys, np.concatenate((self.rate, self.shared_rate[shared])), world.time)
        individual, common = points[:, : len(agents)], points[:, len(agents) :]
        sideways, upward = individual * self.strength + common * self.shared_strength
        wandering = sideways[:, None] * side + (upward * self.vertical)[:, None] * up
        wandering = agents.lifted(wandering, -self.leveling * agents.climb(agents.velocity))
        return wandering * agents.mass[:, None]


def _astray(method: Rows, keys: Keys, rate: Scalars, time: float) -> Scalars:
    """The sideways and upward components of the points, (2, n), at most 1 long together; `time` in seconds."""
    point = smooth_noise(keys, 2, rate, time) if anybody(method == SPHERE) else np.zeros((2, len(keys)))
    if anybody(method == NOISE):
        point = np.where(method == NOISE, gradient_noise(keys, 2, rate, time), point)
    sideways, upward = point
    return point / np.maximum(np.sqrt(sideways * sideways + upward * upward), 1.0)
