"""Pursuit (paper, Pursuit)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars
from ..simulation.arrays.vectors import Vectors, across, dot, magnitude, picked, truncate, unit
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import Choice, body, choice, seconds
from ..simulation.maneuvers.chasing import are_at, predict_position, prediction_time
from ..simulation.maneuvers.turning import hurry_round, turning_speed
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World

METHODS = (
    Choice(
        "PREDICTION", 0, "Where It Will Be", "Head for the predicted position of the quarry, by distance and headings"
    ),
    Choice(
        "CONSTANT_HEADING",
        1,
        "Steady Bearing",
        "Keep the quarry at a constant heading, as hawks and outfielders do; the shortest way to a quarry that goes "
        "straight on (Reynolds: constant heading)",
    ),
)
PREDICTION, CONSTANT_HEADING = (c.number for c in METHODS)
SLOWEST = 0.25
"""Share of top speed: the least closing speed that the predicted point of meeting assumes."""


@dataclass(frozen=True)
class Chasing(Memory):
    """The state of the chase of each agent. `pause`: (n,) seconds until it chases again, 0 while it chases; `nearing`:
    (n,) whether it came nearer to its quarry in the last step."""

    pause: Scalars = remembered(0.0)
    nearing: Mask = remembered(False)


@dataclass(frozen=True)
class Pursuit(Behavior):
    """Chase a quarry by heading for where it will be.

    Seeks the predicted position of the quarry; the further away the quarry is, the further ahead it looks. Optionally
    it keeps the quarry at a constant heading instead, the paper's second method: a quarry that stays at a constant
    heading and gets nearer will be met. When the bodies touch, or when it has missed a quarry that it could now only
    circle round, it lets go for a while and then chases again. To a quarry behind it swings round instead of stopping.
    Does nothing without a quarry.
    """

    name = "pursuit"
    label = "Chase"
    term = "pursuit"
    intent = Intent.REACT
    runs = True
    comes_to_caller = True
    remembers = Chasing

    quarry: Rows = body("Quarry to chase, an object or a crowd; empty: the nearest leader")
    method: Rows = choice("PREDICTION", "How it finds the way to the quarry", METHODS)
    prediction_time: Number = seconds(
        5.0, "How far ahead it looks at most", label="Looks Ahead", only_with=("method", PREDICTION)
    )
    pause_time: Number = seconds(
        3.0,
        "How long it leaves the quarry alone after it has reached or missed it; 0: it never lets go",
        label="Lets Go For",
    )

    def steer(self, world: World, agents: Agents, memory: Chasing) -> Steering:
        chasing = self._chasing(memory)
        meeting = self._meeting_point(world, agents)
        force = hurry_round(agents, agents.seeking(meeting), agents.level(meeting - agents.position))
        steady = self.method == CONSTANT_HEADING
        if steady.any():
            kept = agents.steering_to(self._steady_bearing(world, agents))
            force = np.where(steady[:, None], kept, force)
        # Whether the agents come nearer to their quarries.
        carried = picked(world.bodies.velocity, np.maximum(self.quarry, 0))
        nearing = chasing & (dot(self._offset(world, agents), agents.level(carried - agents.velocity)) < 0.0)
        offset = self._offset(world, agents)
        out_of_reach = turning_speed(agents, unit(offset), magnitude(offset), 1.0) < agents.speed
        missed = memory.nearing & ~nearing & out_of_reach
        over = chasing & (missed | are_at(world, agents, self.quarry, np.zeros(len(agents))))
        pause = np.where(over, self.pause_time, np.maximum(memory.pause - world.dt, 0.0))
        force = np.where(chasing[:, None], force, 0.0)
        return Steering(force, Chasing(pause, nearing & ~over), sets_speed=chasing, hurries=chasing)

    def goal(self, world: World, agents: Agents, memory: Chasing) -> Vectors:
        return np.where(self._chasing(memory)[:, None], self._meeting_point(world, agents), np.nan)

    def _chasing(self, memory: Chasing) -> Mask:
        return (self.quarry >= 0) & (memory.pause <= 0.0)

    def _meeting_point(self, world: World, agents: Agents) -> Vectors:
        """(n, 3) the predicted positions of the quarries as they are seen along the way, metres."""
        quarry = np.maximum(self.quarry, 0)
        time = prediction_time(world, agents, quarry, self.prediction_time)
        steady = self.method == CONSTANT_HEADING
        if steady.any():
            time = np.where(steady, self._time_to_meet(world, agents), time)
        place, none = predict_position(world, quarry, time), (self.quarry < 0)[:, None]
        return np.where(none, place, world.by_way(agents, np.where(none, np.nan, place), world.bodies.moves(quarry)))

    def _offset(self, world: World, agents: Agents) -> Vectors:
        return agents.level(picked(world.bodies.position, np.maximum(self.quarry, 0)) - agents.position)

    def _steady_bearing(self, world: World, agents: Agents) -> Vectors:
        """(n, 3) the velocity at top speed, m/s: sideways as fast as the quarry, toward it with what remains."""
        toward = unit(self._offset(world, agents))
        carried = agents.level(picked(world.bodies.velocity, np.maximum(self.quarry, 0)))
        aside = truncate(across(carried, toward), agents.max_speed)
        closing = np.sqrt(np.maximum(agents.max_speed * agents.max_speed - dot(aside, aside), 0.0))
        return aside + closing[:, None] * toward

    def _time_to_meet(self, world: World, agents: Agents) -> Scalars:
        """(n,) seconds until a steady bearing meets the quarry; bounded, as the quarry may get away."""
        offset = self._offset(world, agents)
        carried = agents.level(picked(world.bodies.velocity, np.maximum(self.quarry, 0)))
        closing = dot(self._steady_bearing(world, agents) - carried, unit(offset))
        return magnitude(offset) / np.maximum(np.maximum(closing, SLOWEST * agents.max_speed), EPSILON)
