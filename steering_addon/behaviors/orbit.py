"""Orbit: circle round a target (not in the paper)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import cosine_of_setting, sine_of_turns
from ..simulation.arrays.chance import mix, uniform
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import EPSILON, Number, Rows, Scalars, anybody, clamp
from ..simulation.arrays.vectors import Vectors, dot, magnitude, picked, truncate, unit
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import Choice, Unit, body, choice, length, number, seconds
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
"""Salt of the random keys of the circles; five consecutive salts are used."""


@dataclass(frozen=True)
class Orbit(Behavior):
    """Circle round a target, each on a circle of its own.

    Circles are level, or tilt in the air and in water: with tilts up to 125° fish mill as a ball, with all of them bees
    swarm. Accompanies a target that moves, and goes no faster than the circle allows. Does nothing without a target.
    """

    name = "orbit"
    label = "Circle Round"
    term = OURS
    intent = Intent.GO
    by_chance = True
    refers_to_up = True

    target: Rows = body("Target to circle round; empty: the nearest leader")
    distance: Number = length(6.0, "Radius of the circle, from the middle of the target", 0.01, room_to_stop=True)
    spread: Number = length(1.0, "Random variation of the radius")
    height: Number = length(0.0, "Height above the target", -np.inf)
    height_spread: Number = length(0.0, "Random variation of the height")
    tilt: Number = number(
        0.0, "How far circles tilt at most, each its own way: 125° for a ball, 180° for a swarm", Unit.ANGLE, 0.0, np.pi
    )
    tilt_rate: Number = number(
        0.1, "How often a circle comes to tilt another way", Unit.RATE, animatable=False, label="Tilt Changes"
    )
    direction: Rows = choice("COUNTERCLOCKWISE", "Which way it circles", WAYS, animatable=False)
    approach_time: Number = seconds(
        1.0, "Time in which it makes up its distance from the circle", 0.05, label="Approach"
    )

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        row = np.maximum(self.target, 0)
        offset = agents.position - picked(world.bodies.position, row)
        height = self.height + self.height_spread * _own(agents, 1)
        tilts = (self.tilt > 0.0) & ~agents.grounded
        if anybody(tilts):
            # The middle of a circle is at its height, and up is along its axis.
            offset = np.where(tilts[:, None], agents.lifted(offset, -height), offset)
            height = np.where(tilts, 0.0, height)
            axis = self._axis(world, agents, row)
            agents = replace(agents, upward=np.where(tilts[:, None], axis, agents.upward))
        outward, distance = _outward(offset, agents)
        circle = np.maximum(self.distance + self.spread * _own(agents, 0), 0.2 * self.distance)
        held = np.minimum(np.sqrt(COMFORT * agents.agility * circle), agents.handling.turn_rate * circle)
        speed = np.minimum(agents.cruise_speed, held)

        approach_time = np.maximum(self.approach_time, world.dt)
        inward = clamp((distance - circle) / approach_time, -speed, speed)
        onward = np.sqrt(speed * speed - inward * inward)
        climb = clamp((height - agents.climb(offset)) / approach_time, -STEEPEST * speed, STEEPEST * speed)
        left = agents.left_of(outward)
        to_the_left = np.where(self.direction == EITHER, dot(left, agents.forward) >= 0.0, self.direction != CLOCKWISE)
        along = left * np.where(to_the_left, 1.0, -1.0)[:, None]
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

    def _axis(self, world: World, agents: Agents, target: Rows) -> Vectors:
        """(n, 3) the axes of circles that tilt, evenly spread over the directions within the largest tilt."""
        began = world.began
        start = agents.flat(picked(began.position, agents.rows) - picked(began.position, target))
        ahead = unit(
            np.where((magnitude(start) > EPSILON)[:, None], start, agents.flat(picked(began.forward, agents.rows)))
        )
        turns = self.tilt_rate * world.time
        swing = 0.5 * (turns + _own(agents, 2))
        cosines = 1.0 - np.abs(2.0 * (swing - np.floor(swing)) - 1.0) * (1.0 - cosine_of_setting(self.tilt))
        sines = np.sqrt(np.maximum(1.0 - cosines * cosines, 0.0))
        way = 0.5 * _own(agents, 3) + turns * _own(agents, 4)
        level = ahead * sine_of_turns(way + 0.25)[:, None] + agents.left_of(ahead) * sine_of_turns(way)[:, None]
        return agents.lifted(level * sines[:, None], cosines)


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
