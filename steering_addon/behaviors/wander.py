"""Wander (paper, Wander)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import Keys, gradient_noise, smooth_noise
from ..simulation.arrays.scalars import EPSILON, Number, Rows, Scalars, anybody, clamp, same_for_all
from ..simulation.arrays.vectors import Vectors, across, cross, dot, picked, unit
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import Choice, Unit, acceleration, choice, number, share
from ..simulation.nearby.groups import Groups
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
SELDOM, DECISIVE = 1.25, 5.0
"""The noise above which the sides of a crowd part, a thirtieth of the time, and the factor of what is above it."""
SHARP = 2.0
"""Agents beyond half the width of their crowd from its middle turn with full strength."""


@dataclass(frozen=True)
class Wander(Behavior):
    """Stroll about in long, easy turns, no two agents alike.

    The steering is a point on a sphere ahead, of which the component across the heading counts; the speed is left to
    the vehicle. The paper moves the point by small random steps; here smooth noise of time moves it, which gives the
    same turns at any frame rate. Perlin's coherent noise, the paper's second method, is an option. A part is shared by
    the whole crowd, as individual wandering averages out in a flock. Now and then its two sides may turn away from each
    other, so that a flock splits. Does nothing while all strengths are 0.
    """

    name = "wander"
    label = "Wander"
    term = "wander"
    intent = Intent.GO
    keeps_order = True
    by_chance = True
    refers_to_up = True

    strength: Number = acceleration(2.0, "Size of the sphere ahead: how hard the turns get")
    rate: Number = number(
        0.5, "How often it changes direction, per second", Unit.RATE, animatable=False, label="Restlessness"
    )
    shared_strength: Number = acceleration(
        0.0, "Strength of the turns that the whole crowd makes together", label="Shared Force"
    )
    shared_rate: Number = number(
        0.25, "How often the whole crowd changes direction, per second", Unit.RATE, animatable=False
    )
    parting_strength: Number = acceleration(
        0.0, "How hard the two sides of the crowd turn away from each other, now and then", label="Parting Force"
    )
    parting_rate: Number = number(
        0.05, "How often the two sides of the crowd may part, per second", Unit.RATE, animatable=False
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
        if anybody(self.parting_strength > 0.0):
            wandering = wandering + self._parting(world, agents)
        wandering = agents.lifted(wandering, -self.leveling * agents.climb(agents.velocity))
        return wandering * agents.mass[:, None]

    def _parting(self, world: World, agents: Agents) -> Vectors:
        """The turns by which the two sides of each crowd part, (n, 3) m/s2: zero but now and then."""
        (turn,) = smooth_noise(agents.crowd_keys, 1, self.parting_rate, world.time)
        strength = self.parting_strength * clamp(DECISIVE * (turn - SELDOM), 0.0, 1.0)
        if not anybody(strength > 0.0):
            return agents.none()
        parts = Groups.by(world.bodies.crowd[agents.rows], agents.position, unit(agents.flat(agents.forward)))
        heading = unit(picked(parts.velocity, parts.of))
        right = cross(heading, agents.upward)
        offset = dot(agents.position - picked(parts.position, parts.of), right)
        width = np.sqrt(np.bincount(parts.of, offset * offset) / parts.size)[parts.of]
        side = clamp(SHARP * offset / np.maximum(width, EPSILON), -1.0, 1.0)
        return across(right, agents.forward) * (side * strength)[:, None]


def _astray(method: Rows, keys: Keys, rate: Scalars, time: float) -> Scalars:
    """The sideways and upward components of the points, (2, n), at most 1 long together; `time` in seconds."""
    point = smooth_noise(keys, 2, rate, time) if anybody(method == SPHERE) else np.zeros((2, len(keys)))
    if anybody(method == NOISE):
        point = np.where(method == NOISE, gradient_noise(keys, 2, rate, time), point)
    sideways, upward = point
    return point / np.maximum(np.sqrt(sideways * sideways + upward * upward), 1.0)
