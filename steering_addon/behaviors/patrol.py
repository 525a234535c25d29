"""Patrol: go from one target to the next (not in the paper)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import mix, uniform
from ..simulation.arrays.scalars import Mask, Number, Rows, Scalars, anybody, nobody
from ..simulation.arrays.vectors import Vectors, dot, magnitude, truncate, unit
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import Choice, bodies, choice, seconds, share
from ..simulation.maneuvers.chasing import AT_OWN_PACE, CURRENT_SPEED, PACES, at_stop, desired_speed
from ..simulation.maneuvers.turning import turning_speed
from ..simulation.memory import Memory, remembered
from ..simulation.roles import Role
from ..simulation.targets import Visit, visits
from ..simulation.world import Agents, World

ORDERS = (
    Choice("ROUND", 0, "Round and Round", "After the last target comes the first"),
    Choice("THERE_AND_BACK", 1, "There and Back", "At the last target it turns back, and at the first again"),
)
ROUND, THERE_AND_BACK = (c.number for c in ORDERS)
EFFORT = 0.5
"""Share of max_force that braking and turning count on; the rest is for surprises."""
SETTLING = 0.8
"""Time constant in seconds of the last of the approach, where speed = distance / SETTLING."""
DAMPED = 0.25
"""The response time, as a share of SETTLING, with which the approach is critically damped."""
SLOW = 0.1
"""Share of max_speed: an agent that approaches no faster has stopped at its target, or gets no nearer to it."""
NEAR = 0.05
"""Seconds at max_speed: an agent this much of its way from touching its target touches it."""
WAITING = 0x9A7
"""Salt of the random keys from which the times that an agent waits are drawn."""


@dataclass(frozen=True)
class Patrolling(Memory):
    """How far each agent is on its patrol.

    Attributes:
        stop: (n,) the index of its target among its targets.
        backward: (n,) whether it goes through them backward.
        waited: (n,) seconds that it has waited at its target, 0 on the way.
        visits: (n,) the number of targets that it has left.
    """

    stop: Rows = remembered(0)
    backward: Mask = remembered(False)
    waited: Scalars = remembered(0.0)
    visits: Rows = remembered(0)


@dataclass(frozen=True)
class Patrol(Behavior):
    """Go from one target to the next, in the order of their names, and wait at each.

    Stops where it waits, and passes through targets where it does not. Follows targets that move, and passes over
    those that are not present. Waits for good at a single target. Does nothing without a target.
    """

    name = "patrol"
    label = "Patrol"
    term = OURS
    intent = Intent.GO
    walking = AT_OWN_PACE
    remembers = Patrolling
    by_chance = True

    targets: Rows = bodies("Targets to visit one after the other; empty: all leaders")
    order: Rows = choice("ROUND", "What comes after the last target", ORDERS)
    wait_time: Number = seconds(2.0, "Average time it waits at each target; 0 to pass through")
    wait_spread: Number = share(0.3, "How much longer or shorter than average it waits, as a random share of the time")
    pace: Rows = choice("MAX_SPEED", "How fast it goes from one target to the next", PACES, label="Speed")

    def steer(self, world: World, agents: Agents, memory: Patrolling) -> Steering:
        visit = self._visit(world, agents, memory.stop, memory.backward, nobody(len(agents)))
        waited = np.where(visit.stop == memory.stop, memory.waited, 0.0)
        wait = self._wait(agents, memory.visits)
        waits = (waited > 0.0) | self._arrives(world, agents, visit.body, visit.alone | (wait > 0.0))
        waited = np.where(waits, waited + world.dt, 0.0)
        leaves = waits & (waited >= wait) & ~visit.alone
        left = memory.visits + leaves
        if anybody(leaves):
            visit = self._visit(world, agents, visit.stop, visit.backward, leaves)
            wait = self._wait(agents, left)
        force, sets_speed = self._going(world, agents, visit.body, visit.alone | (wait > 0.0))
        patrols = visit.body >= 0
        return Steering(
            np.where(patrols[:, None], force, 0.0),
            Patrolling(visit.stop, visit.backward, np.where(leaves, 0.0, waited), left),
            sets_speed=patrols & sets_speed,
        )

    def goal(self, world: World, agents: Agents, memory: Patrolling) -> Vectors:
        visit = self._visit(world, agents, memory.stop, memory.backward, nobody(len(agents)))
        return world.bodies_by_way(agents, visit.body)

    def _visit(self, world: World, agents: Agents, stop: Rows, backward: Mask, onward: Mask) -> Visit:
        return visits(
            world, agents, self.targets, Role.LEADER, stop, backward, onward, returns=self.order == THERE_AND_BACK
        )

    def _wait(self, agents: Agents, number: Rows) -> Scalars:
        """The time that each agent waits on its visit of this number, (n,) seconds."""
        draw = uniform(mix(mix(agents.keys, WAITING), number.astype(np.uint64)))
        return self.wait_time * (1.0 + self.wait_spread * (2.0 * draw - 1.0))

    def _arrives(self, world: World, agents: Agents, body: Rows, stops: Mask) -> Mask:
        """Whether each agent is at its target: it touches it, or stops close by where others keep it from touching.
        `body`: (n,) the rows of the targets, -1 for none; `stops`: (n,) whether the agent arrives only once it has
        stopped."""
        row = np.maximum(body, 0)
        beside = NEAR * agents.max_speed
        touches, near = (at_stop(world, agents, body, each) for each in (beside, beside + agents.radius))
        offset = agents.level(world.bodies.position[row] - agents.position)
        approach = dot(unit(offset), agents.level(agents.velocity - world.bodies.velocity[row]))
        return (touches & ~stops) | (near & (approach <= SLOW * agents.max_speed))

    def _going(self, world: World, agents: Agents, body: Rows, stops: Mask) -> tuple[Vectors, Mask]:
        """The force toward the targets, (n, 3) newtons, and whether it sets the agents' speed, (n,). `body`: (n,) the
        rows of the targets, -1 for none; `stops`: (n,) whether the agent stops at its target."""
        row, place = np.maximum(body, 0), world.bodies_by_way(agents, body)
        offset = np.where((body >= 0)[:, None], agents.level(place - agents.position), 0.0)
        distance, direction = magnitude(offset), unit(offset)
        settling = max(SETTLING, 4.0 * world.dt)
        braking = np.minimum(np.sqrt(2.0 * EFFORT * agents.agility * distance), distance / settling)
        limit = np.minimum(turning_speed(agents, direction, distance, EFFORT), np.where(stops, braking, np.inf))
        # At its own pace it only turns; but it has to brake for its target, and to set off again.
        pace = desired_speed(self.pace, agents)
        only_turns = (self.pace == CURRENT_SPEED) & (limit >= pace) & (pace == agents.speed)
        velocity = direction * np.minimum(pace, limit)[:, None] + agents.level(world.bodies.velocity[row])
        response_time = agents.vehicle.response_time
        response_time = np.where(stops, np.minimum(response_time, DAMPED * settling), response_time)
        return agents.steering_to(truncate(velocity, agents.max_speed), response_time), ~only_turns
