"""Orbit: circle round a target (not in the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import mix, uniform
from ..simulation.arrays.vectors import (
    EPSILON,
    Number,
    Rows,
    Scalars,
    Vectors,
    clamp,
    dot,
    magnitude,
    picked,
    truncate,
)
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import Choice, body, called, choice, length, room_to_stop, seconds
from ..simulation.world import Agents, World

WAYS = (
    Choice("COUNTERCLOCKWISE", 0, "Counterclockwise", "Counterclockwise as seen from above"),
    Choice("CLOCKWISE", 1, "Clockwise", "Clockwise as seen from above"),
    Choice("EITHER", 2, "Either", "The direction that the vehicle faces when it comes near"),
)
COUNTERCLOCKWISE, CLOCKWISE, EITHER = (c.number for c in WAYS)
COMFORT = 0.7
"""Share of max_force that the turning takes at most; the rest corrects the distance."""
STEEPEST = 0.5
"""Share of the speed that may be vertical."""
OWN = 0x0B17
"""Salt of the random keys of the circles; two consecutive salts are used."""


@dataclass(frozen=True)
class Orbit(Behavior):
    """Circle round a target, each on a level circle of its own.

    Accompanies a target that moves, and goes no faster than the circle allows. Does nothing without a target.
    """

    name = "orbit"
    label = "Circle Round"
    term = OURS
    intent = Intent.GO
    by_chance = True
    refers_to_up = True

    target: Rows = body("Target to circle round; empty: the nearest leader")
    distance: Number = room_to_stop(length(6.0, "Radius of the circle, from the middle of the target", 0.01))
    spread: Number = length(1.0, "Random variation of the radius")
    height: Number = length(0.0, "Height above the target", -np.inf)
    height_spread: Number = length(0.0, "Random variation of the height")
    direction: Rows = choice("COUNTERCLOCKWISE", "Which way it circles", WAYS, animatable=False)
    approach_time: Number = called(
        "Approach", seconds(1.0, "Time in which it makes up its distance from the circle", 0.05)
    )

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        row = np.maximum(self.target, 0)
        offset = agents.position - picked(world.bodies.position, row)
        outward, distance = _outward(offset, agents)
        circle = np.maximum(self.distance + self.spread * _own(agents, 0), 0.2 * self.distance)
        speed = self._speed(circle, agents)

        approach_time = np.maximum(self.approach_time, world.dt)
        inward = clamp((distance - circle) / approach_time, -speed, speed)
        onward = np.sqrt(speed * speed - inward * inward)
        height = self.height + self.height_spread * _own(agents, 1)
        climb = clamp((height - agents.climb(offset)) / approach_time, -STEEPEST * speed, STEEPEST * speed)
        along = self._along(outward, agents)
        velocity = along * onward[:, None] - outward * inward[:, None]
        velocity = agents.lifted(velocity, climb)
        velocity = truncate(velocity + picked(world.bodies.velocity, row), agents.max_speed)
        # The centripetal force is added: a correction alone would settle outside the circle.
        turning = (
            -outward * (agents.mass * onward * onward / np.maximum(np.maximum(distance, circle), EPSILON))[:, None]
        )
        orbiting = self.target >= 0
        force = agents.steering_to(agents.level(velocity)) + turning
        return Steering(np.where(orbiting[:, None], force, 0.0), sets_speed=orbiting)

    def _speed(self, circle: Scalars, agents: Agents) -> Scalars:
        """(n,) the cruise speed, or the largest speed that a tighter circle allows, m/s."""
        held = np.minimum(np.sqrt(COMFORT * agents.agility * circle), agents.handling.turn_rate * circle)
        return np.minimum(agents.cruise_speed, held)

    def _along(self, outward: Vectors, agents: Agents) -> Vectors:
        """(n, 3) the unit tangents of the circles at the agents."""
        left = agents.left_of(outward)
        to_the_left = np.where(self.direction == EITHER, dot(left, agents.forward) >= 0.0, self.direction != CLOCKWISE)
        return left * np.where(to_the_left, 1.0, -1.0)[:, None]


def _outward(offset: Vectors, agents: Agents) -> tuple[Vectors, Scalars]:
    """The level unit directions away from the targets, (n, 3), and the level distances, (n,) metres."""
    flat = agents.flat(offset)
    distance = magnitude(flat)
    side, _ = agents.level_frame()
    aside = agents.flat(side)
    return np.where((distance > EPSILON)[:, None], flat / np.maximum(distance, EPSILON)[:, None], aside), distance


def _own(agents: Agents, salt: int) -> Scalars:
    """A random number between -1 and 1 for each agent, (n,), always the same."""
    return 2.0 * uniform(mix(agents.keys, OWN + salt)) - 1.0
