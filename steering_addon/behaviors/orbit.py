"""Orbit: round and round (not in the paper)."""

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
    columns,
    dot,
    magnitude,
    picked,
    truncate,
)
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import Choice, body, choice, length, seconds
from ..simulation.world import Agents, World

WAYS = (
    Choice("COUNTERCLOCKWISE", 0, "Counterclockwise", "To the left, as seen from above"),
    Choice("CLOCKWISE", 1, "Clockwise", "To the right, as seen from above"),
    Choice("EITHER", 2, "Either", "The way the vehicle faces when it comes near"),
)
COUNTERCLOCKWISE, CLOCKWISE, EITHER = (c.number for c in WAYS)
COMFORT = 0.7
"""Share of max_force that the turning takes at most; the rest keeps to the circle."""
STEEPEST = 0.5
"""Share of the speed that may go up or down."""
OWN = 0x0B17
"""Salts the keys from which circles are drawn, apart from other uses of the same luck."""


@dataclass(frozen=True)
class Orbit(Behavior):
    """Circle round a target, each on a level circle of its own.

    Goes along with a target that moves, and no faster than the circle allows. Does nothing without a target.
    """

    name = "orbit"
    label = "Circle Round"
    term = OURS
    intent = Intent.GO
    by_chance = True
    refers_to_up = True

    target: Rows = body("What to go round; empty: the nearest leader")
    distance: Number = length(6.0, "How far from the middle of the target", 0.01)
    spread: Number = length(1.0, "How much nearer or further the circles of some are")
    height: Number = length(0.0, "How far above the target", -np.inf)
    height_spread: Number = length(0.0, "How much higher or lower the circles of some are")
    direction: Rows = choice("COUNTERCLOCKWISE", "Which way round", WAYS, animatable=False)
    approach_time: Number = seconds(1.0, "Time in which it makes up its distance from the circle", 0.05)

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        row = np.maximum(self.target, 0)
        offset = agents.position - picked(world.bodies.position, row)
        outward, distance = _outward(offset, agents)
        circle = self._circle(agents)
        speed = self._speed(circle, agents)

        approach_time = np.maximum(self.approach_time, world.dt)
        inward = clamp((distance - circle) / approach_time, -speed, speed)
        onward = np.sqrt(speed * speed - inward * inward)
        height = self.height + self.height_spread * _own(agents, 1)
        climb = clamp((height - offset[:, 2]) / approach_time, -STEEPEST * speed, STEEPEST * speed)
        along = self._along(outward, agents)
        velocity = along * onward[:, None] - outward * inward[:, None]
        velocity[:, 2] += climb
        velocity = truncate(velocity + picked(world.bodies.velocity, row), agents.max_speed)
        # A circle has to be steered all the time; what only corrects would settle outside of it.
        turning = (
            -outward * (agents.mass * onward * onward / np.maximum(np.maximum(distance, circle), EPSILON))[:, None]
        )
        orbiting = self.target >= 0
        force = agents.steering_to(agents.level(velocity)) + turning
        return Steering(np.where(orbiting[:, None], force, 0.0), sets_speed=orbiting)

    def _circle(self, agents: Agents) -> Scalars:
        """(n,) the distance of each agent's own circle, metres."""
        return np.maximum(self.distance + self.spread * _own(agents, 0), 0.2 * self.distance)

    def _speed(self, circle: Scalars, agents: Agents) -> Scalars:
        """(n,) cruise speed, where the circle is not too tight for it, m/s."""
        held = np.minimum(np.sqrt(COMFORT * agents.agility * circle), agents.vehicle.max_turn_rate * circle)
        return np.minimum(agents.cruise_speed, held)

    def _along(self, outward: Vectors, agents: Agents) -> Vectors:
        """(n, 3) the directions of the circles where the agents are."""
        left = columns(-outward[:, 1], outward[:, 0], 0.0)
        to_the_left = np.where(self.direction == EITHER, dot(left, agents.forward) >= 0.0, self.direction != CLOCKWISE)
        return left * np.where(to_the_left, 1.0, -1.0)[:, None]


def _outward(offset: Vectors, agents: Agents) -> tuple[Vectors, Scalars]:
    """The level directions away from the targets, (n, 3), and how far it is, (n,) metres."""
    flat = columns(offset[:, 0], offset[:, 1], 0.0)
    distance = magnitude(flat)
    side, _ = agents.level_frame()
    aside = columns(side[:, 0], side[:, 1], 0.0)
    return np.where((distance > EPSILON)[:, None], flat / np.maximum(distance, EPSILON)[:, None], aside), distance


def _own(agents: Agents, salt: int) -> Scalars:
    """A number from -1 to 1 for each agent, always the same."""
    return 2.0 * uniform(mix(agents.keys, OWN + salt)) - 1.0
