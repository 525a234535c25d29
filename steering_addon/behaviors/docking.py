"""Docking (paper, Arrival with more constraints)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars
from ..simulation.arrays.vectors import Vectors, dot, magnitude, picked, unit
from ..simulation.behavior import Destination, Intent, Steering
from ..simulation.declaration import REACH, Choice, Unit, body, choice, length, number, share
from ..simulation.maneuvers.chasing import AT_OWN_PACE, PACES, are_at, at_pace
from ..simulation.maneuvers.stopping import up_to_the_place
from ..simulation.maneuvers.turning import turning_speed
from ..simulation.world import Agents, World

BRAKING = 0.5
"""Share of max_force that is planned for slowing down; the rest is for lining up."""
HALFWAY = 0.5
"""It heads for the point of the line at this share of the way to the target, to come in along the line, not across."""

AT_TARGET = 0.05
"""Share of the approach distance within which it only stops, and does not go back to line up better."""

TIMINGS = (
    Choice("FREE", 0, "Free", "It arrives as soon as it can"),
    Choice("AT_FRAME", 1, "On a Frame", "It adjusts its speed to arrive on a given frame"),
)
FREE, AT_FRAME = (c.number for c in TIMINGS)


@dataclass(frozen=True)
class Docking(Destination):
    """Arrive at a target facing the way it faces.

    Joins the line that leads to the target from behind, follows it and stops at the target, or passes through at a
    speed. An agent ahead of the target first goes round to its back. Optionally it arrives on a given frame, if it can
    go that fast. Does nothing without a target.
    """

    name = "docking"
    label = "Dock"
    term = "docking"
    intent = Intent.GO
    walking = AT_OWN_PACE

    target: Rows = body("Target to dock at; empty: the nearest leader")
    approach_distance: Number = length(
        6.0,
        "Length of the straight line behind the target along which it comes in",
        0.1,
        room_to_stop=True,
        label="Straight In",
    )
    arrival_speed: Number = share(
        0.0, "Speed with which it passes through the target, as a share of the top speed; 0: it stops"
    )
    pace: Rows = choice("MAX_SPEED", "How fast it goes there, unless it has to arrive on a frame", PACES, label="Speed")
    timing: Rows = choice("FREE", "When it arrives", TIMINGS)
    arrival_frame: Number = number(
        100.0, "Frame of the scene on which it arrives", Unit.FRAME, -REACH, REACH, only_with=("timing", AT_FRAME)
    )

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        docking = self.target >= 0
        row = np.maximum(self.target, 0)
        to_target = agents.level(picked(world.bodies.position, row) - agents.position)
        heading = unit(agents.level(picked(world.bodies.forward, row)))

        aim = self._aim(to_target, heading, agents)
        # A point that is not in sight is further away by the way, at the height of the target: upstairs, for example.
        place = picked(world.bodies.position, row) + (aim - to_target)
        seen = world.by_way(agents, place, world.bodies.moves(row))
        hidden = (seen != place).any(axis=1)
        by_way = np.where(hidden[:, None], agents.level(seen - agents.position), aim)
        aim, detour = by_way, magnitude(by_way) - magnitude(aim)
        slowest = np.where(self.departs, 0.0, self.arrival_speed) * agents.max_speed
        ramp_time = np.maximum(self.approach_distance / np.maximum(agents.max_speed, EPSILON), 4.0 * world.dt)
        response_time = np.maximum(np.minimum(agents.vehicle.response_time, ramp_time / 4.0), world.dt)
        # The speed lags behind the desired speed by the response time. That matters unless it stops at the target.
        ahead = magnitude(to_target) - np.where(slowest > 0.0, agents.speed * response_time, 0.0)
        round_it = self._past(to_target, heading)
        way = np.maximum(ahead, 0.0) + np.where(round_it, self.approach_distance, 0.0) + detour
        braking = np.sqrt(slowest * slowest + 2.0 * BRAKING * agents.agility * way)
        ramped = slowest + way / ramp_time
        ramped, response_time = up_to_the_place(agents, unit(to_target), way, ramped, response_time, world.dt)
        speed = np.minimum(np.minimum(braking, ramped), agents.max_speed)
        speed, sets_speed = at_pace(self.pace, agents, speed)
        on_time = self._scheduled(world, agents, magnitude(aim) + magnitude(to_target - aim), slowest, response_time)
        timed = np.isfinite(on_time)
        speed = np.where(timed, np.minimum(on_time, agents.max_speed), speed)
        tightest = np.maximum(turning_speed(agents, unit(aim), magnitude(aim), BRAKING), slowest)
        sets_speed = sets_speed | timed | (tightest < speed)
        speed = np.minimum(speed, tightest)
        desired_velocity = agents.level(picked(world.bodies.velocity, row)) + unit(aim) * speed[:, None]
        force = agents.steering_to(desired_velocity, response_time)
        # The middle of the target counts, not its body: touching it is not docking.
        within = np.where(agents.arrival_distance > 0.0, agents.arrival_distance, agents.radius)
        return Steering(
            np.where(docking[:, None], force, 0.0),
            sets_speed=docking & sets_speed,
            arrived=are_at(world, agents, self.target, within),
        )

    def goal(self, world: World, agents: Agents, memory: None) -> Vectors:
        return world.bodies_by_way(agents, self.target)

    def _scheduled(
        self, world: World, agents: Agents, way: Scalars, slowest: Scalars, response_time: Scalars
    ) -> Scalars:
        """The speed with which each agent arrives on its frame, (n,) m/s; inf if none is set or the frame is over.

        Constant at first, then braking evenly; as fast as possible if the agent is late. It is the speed to have after
        the response time. `way`: (n,) metres to go; `slowest`: (n,) the speed at the target, m/s.
        """
        left = self.arrival_frame * world.frame_time - world.time - response_time
        brakes = np.maximum(BRAKING * agents.agility, EPSILON)
        speed = agents.speed
        for _ in range(2):
            # The distance covered until then depends on the result: first it is assumed to keep its speed.
            to_go = np.maximum(way - (agents.speed + speed) / 2.0 * response_time, 0.0)
            excess = to_go - slowest * left
            squared = left * left - 2.0 * np.abs(excess) / brakes
            change = brakes * (left - np.sqrt(np.maximum(squared, 0.0)))
            in_time = np.maximum(slowest + np.where(excess < 0.0, -change, change), 0.0)
            late = np.sqrt(slowest * slowest + 2.0 * brakes * to_go)
            speed = np.where(squared >= 0.0, in_time, late)
            speed = np.where(left > 0.0, np.minimum(speed, agents.max_speed), agents.speed)
        # Within the last response time it asks for the speed at the target.
        last = (left <= 0.0) & (left > -response_time) & (way < agents.speed * response_time)
        speed = np.where(left > 0.0, speed, np.where(last, slowest, np.inf))
        return np.where(self.timing == AT_FRAME, speed, np.inf)

    def _aim(self, to_target: Vectors, heading: Vectors, agents: Agents) -> Vectors:
        """The point that each agent heads for on its way to the line and along it, (n, 3) from the agent, metres.
        `to_target`: (n, 3) from the agent to the target, metres; `heading`: (n, 3) unit heading of the target."""
        behind = dot(to_target, heading)
        aside = to_target - behind[:, None] * heading
        off_line = magnitude(aside)
        # The further off the line an agent is, the further back it joins it. Past the target it returns alongside.
        back = np.maximum(HALFWAY * behind, np.minimum(off_line, self.approach_distance))
        at_target = magnitude(to_target) < AT_TARGET * self.approach_distance
        past = self._past(to_target, heading)
        back = np.where(past, self.approach_distance, np.where(at_target, 0.0, back))
        own_side = np.where((off_line < EPSILON)[:, None], agents.side, -unit(aside))
        beside = np.where(past, self.approach_distance / 2.0, 0.0)
        aim = to_target - back[:, None] * heading + beside[:, None] * own_side
        going_through = at_target & (self.arrival_speed > 0.0) & ~self.departs
        return np.where(going_through[:, None], heading * self.approach_distance[:, None], aim)

    def _past(self, to_target: Vectors, heading: Vectors) -> Mask:
        """Whether each agent is ahead of the target and has to go round to its back, (n,)."""
        return (dot(to_target, heading) < 0.0) & (magnitude(to_target) >= AT_TARGET * self.approach_distance)
