"""Containment (paper, Path Following: containment)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import smooth_noise
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import (
    EPSILON,
    Mask,
    Number,
    Rows,
    Scalars,
    anybody,
    clamp,
    nobody,
    same_for_all,
    which,
)
from ..simulation.arrays.vectors import Vectors, across, cross, dot, magnitude, no_vectors, picked, unit
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import (
    Choice,
    Unit,
    acceleration,
    choice,
    number,
    region,
    seconds,
    share,
    switch,
)
from ..simulation.maneuvers.chasing import turn_to
from ..simulation.maneuvers.turning_back import TurningBack, tightest_circle, turning_back
from ..simulation.memory import Memory, remembered
from ..simulation.nearby.groups import Groups
from ..simulation.world import Agents, World

AGAINST = 0.3
"""Share of the force along the heading that is kept: containment turns rather than brakes."""

CORE = 0.5
"""Share of the region, about its middle, that the force leads to: not along a wall, and not into a corner."""
LEAST_TURN = 0.2
"""Least force across the heading, as a share: for an agent that heads straight out the component is 0."""
CROSSING = 0.75
"""Share of the region, about its middle, in which the points to cross to are."""
OWN = 0.1
"""How much the point of an agent differs from that of its crowd, as a share: a crowd then splits now and then."""
STEEPEST = 0.6
"""Steepest climb or descent toward that point, height over level distance: birds bank into a turn, not loop."""
COMMON_SIDE = 0.7
"""Sine of the angle from dead astern up to which the crowd turns to a common side; beyond, each to the nearer side."""
TOGETHER = 0.5
"""Cosine of the angle between the headings of an agent and of its crowd up to which it takes the side of the crowd."""
DECISIVE = 6.0
"""Factor of the noise that decides on that side, so that it is seldom undecided."""
ALIGNED = 0.3
"""1 - cos(angle to the point) below which a turn back fades out."""
ARRIVED, FAR, GOING = 0.3, 0.6, 0.5
"""Shares of the region's size from the point between which the steering rises from 0 to GOING."""
METHODS = (
    Choice(
        "TURN",
        0,
        "Turns Back",
        "Turn back, mostly by a force across the heading (Reynolds: by the normal of the boundary)",
    ),
    Choice("SEEK", 1, "Heads Inside", "Head for a point inside at its own pace (Reynolds: seek with an inside point)"),
    Choice(
        "CROSS",
        2,
        "Crosses It",
        "Turn back toward a wandering point inside that the crowd shares, at any height, and cross the region",
    ),
)
TURN, SEEK, CROSS = (c.number for c in METHODS)


@dataclass(frozen=True)
class Returning(Memory):
    """The memory of a turn back of agents that cross the region. `strength`: (n,) how hard each agent turns, from 0 to
    1."""

    strength: Scalars = remembered(0.0)


@dataclass(frozen=True)
class Containment(Behavior):
    """Stay inside a region.

    If the predicted position of the agent is outside, it steers back, gently at the edge and with full weight further
    out, mostly across the heading; optionally it seeks a point inside. A flock that only turns at the edge ends up
    circling along it. Optionally it completes each turn, all together, toward a point inside that wanders by smooth
    noise: it then crosses the region, rises and dives. What walks or drives turns as early and as tightly as its
    turning circle asks, and slows down for that. Does nothing while the predicted position is inside and no turn is to
    be completed, or without a region.
    """

    name = "containment"
    label = "Stay Inside"
    term = "containment"
    intent = Intent.STAY
    remembers = Returning
    by_chance = True
    refers_to_up = True

    weight: Number = acceleration(8.0, "Strongest steering")
    region: Rows = region("The sphere, box or closed mesh to stay inside; empty: the nearest region")
    method: Rows = choice("TURN", "How it returns", METHODS)
    prediction_time: Number = seconds(1.5, "How far ahead it looks", label="Looks Ahead")
    softness: Number = share(0.35, "How far outside it steers with full weight, as a share of the region's size")

    change_rate: Number = number(
        0.12,
        "How often the point that it crosses to changes, per second",
        Unit.RATE,
        animatable=False,
        label="Restlessness",
        only_with=("method", CROSS),
    )
    release: Mask = switch(
        False, "Let vehicles leave, even a firm region, while a path or target outside leads them away", label="Let Go"
    )

    firm: Mask = switch(False, "Let nobody leave the region, whatever pushes: they stop at its border as at a wall")

    def steer(self, world: World, agents: Agents, memory: Returning) -> Steering:
        kept = self.region >= 0
        if anybody(self.release):
            kept = kept & ~(self.release & _led_away(world, agents, np.maximum(self.region, 0)))
        steering = self._inward(world, agents, memory, kept)
        if not anybody(self.firm):
            return steering
        return replace(steering, confined=np.where(self.firm & kept, self.region, -1))

    def yields_to_formation(self) -> Mask:
        return self.release

    def _inward(self, world: World, agents: Agents, memory: Returning, kept: Mask) -> Steering:
        """The steering back inside of those that their regions keep, (n,)."""
        row = np.maximum(self.region, 0)
        if not anybody(kept):
            return Steering(agents.none())
        future = agents.predicted_position(self.prediction_time)
        way_in = agents.level(world.regions.way_in(future, row))
        crossing = kept & (self.method == CROSS)
        crosses = anybody(crossing)
        turns = self._turns(world, agents, row, kept)
        if not (crosses or way_in.any()):
            return self._with_turns(Steering(agents.none()), agents, turns)
        inside = agents.level(world.regions.way_in(future, row, CORE))
        depth = magnitude(way_in) / np.maximum(self.softness * world.regions.size(row), EPSILON)
        strength = np.minimum(depth, 1.0)
        turn = _turned_in(unit(inside), agents)
        seeking = self.method == SEEK
        if seeking.any():
            turn = np.where(seeking[:, None], turn_to(future + inside - agents.position, agents), turn)
        returning = None
        if crosses:
            across, held = self._crossing(world, agents, row, strength, memory.strength)
            turn, strength = np.where(crossing[:, None], across, turn), np.where(crossing, held, strength)
            returning = Returning(np.where(crossing, held, 0.0))
        push = turn * (strength * agents.mass)[:, None]
        return self._with_turns(Steering(np.where(kept[:, None], push, 0.0), returning), agents, turns)

    def _turns(self, world: World, agents: Agents, row: Rows, kept: Mask) -> TurningBack | None:
        """How the agents with a turning circle turn back before they are at the edge; None if none has to."""
        if not anybody(tightest_circle(agents.handling) > 0.0):
            return None
        to_core = agents.level(world.regions.way_in(agents.position, row, CORE))
        # What is let go follows its path also along the border, as closely as that leads.
        on_its_way = self.release & np.isfinite(agents.goal[:, 0])
        return turning_back(world, agents, row, kept & ~on_its_way & (self.weight > 0.0), to_core)

    def _with_turns(self, steering: Steering, agents: Agents, turns: TurningBack | None) -> Steering:
        """The steering in which agents turn as tightly as they have to, however weakly they would be pushed back."""
        if turns is None or steering.force is None:
            return steering
        rows, push, limit = turns.rows, steering.force.copy(order="K"), np.full(len(agents), np.inf)
        asked = turns.acceleration * (agents.mass[rows] / self.weight[rows])[:, None]
        pushed, heading = picked(push, rows), picked(agents.forward, rows)
        aside = across(pushed, heading)
        push[rows] = np.where((magnitude(asked) > magnitude(aside))[:, None], pushed - aside + asked, pushed)
        limit[rows] = turns.fastest
        return replace(steering, force=push, speed_limit=limit)

    def _crossing(
        self, world: World, agents: Agents, row: Rows, strength: Scalars, before: Scalars
    ) -> tuple[Vectors, Scalars]:
        """The steering that turns each agent toward its point in the region, (n, 3), and its strength, (n,).

        A turn keeps its strength until the agent heads for the point; some of it is left until the agent is near. An
        agent that only turned until it no longer left the region would fly along the edge. `row`: (n,) the regions;
        `strength`: (n,) of the turn back, from where the agent is; `before`: (n,) its strength in the last step.
        """
        n = len(agents)
        # The noise of the crowd is computed once, together with that of the agents.
        alone = same_for_all(agents.crowd_keys) and same_for_all(self.change_rate)
        shared = slice(1) if alone else slice(None)
        keys = np.concatenate((agents.keys, agents.crowd_keys[shared]))
        noise = smooth_noise(keys, 4, np.concatenate((self.change_rate, self.change_rate[shared])), world.time)
        individual, common, side = noise[:3, :n], noise[:3, n:], noise[3, n:]
        share = (common + OWN * individual).T
        share = share * (CROSSING / np.maximum(magnitude(share), 1.0))[:, None]
        point, gap = no_vectors(n), np.zeros(n)
        for of in np.unique(row).tolist():
            rows = which(row == of)
            shares = share if len(rows) == n else picked(share, rows)
            position = agents.position if len(rows) == n else picked(agents.position, rows)
            point[rows] = world.regions.places(shares, of)
            gap[rows] = magnitude(world.regions.shares(position, of) - shares)
        point = point + world.regions.way_in(point, row, CROSSING)
        flock = world.bodies.crowd[agents.rows] * len(world.regions) + row
        way = unit(_flyable(agents.level(point - agents.position), side, agents, flock))
        misaligned = np.minimum((1.0 - dot(way, agents.forward)) / ALIGNED, 1.0)
        going = GOING * clamp((gap - ARRIVED) / (FAR - ARRIVED), 0.0, 1.0)
        return _turned_in(way, agents), np.maximum(strength, np.minimum(before, np.maximum(misaligned, going)))


def _flyable(way: Vectors, side: Scalars, agents: Agents, flock: Rows) -> Vectors:
    """The ways to points, (n, 3), made gentle: no steeper than STEEPEST, and to one side if the point is behind.
    `side`: noise whose sign is the side that the crowd turns to, (n,) or (1,) for all; `flock`: (n,) a number for each
    agent, the same for those that turn back together."""
    climb, flat = agents.climb(way), agents.flat(way)
    right, _ = agents.level_frame()
    level, heading = magnitude(flat), agents.flat(agents.forward)
    # Seen from each of its members, the point may be on either side, and the flock would tear.
    flocks = Groups.by(flock, flat, unit(heading))
    common, course = picked(flocks.position, flocks.of), unit(picked(flocks.velocity, flocks.of))
    with_it = dot(unit(heading), course) > TOGETHER
    to_right = np.where(with_it, dot(common, cross(course, agents.upward)), dot(flat, right))
    threshold = np.where(with_it, magnitude(common), level) * clamp(DECISIVE * side, -1.0, 1.0) * COMMON_SIDE
    lateral = np.where(to_right < threshold, -level, level)
    behind = dot(flat, heading) < 0.0
    flat = np.where(behind[:, None], agents.flat(right) * lateral[:, None], flat)
    return agents.lifted(flat, clamp(climb, -STEEPEST * level, STEEPEST * level))


def _led_away(world: World, agents: Agents, region: Rows) -> Mask:
    """Whether a behavior leads the agents to a place outside their regions, (n,)."""
    known = np.isfinite(agents.goal[:, 0])
    if not len(world.regions) or not anybody(known):
        return nobody(len(agents))
    goal = np.where(known[:, None], agents.goal, agents.position)
    outside: Mask = (agents.level(world.regions.way_in(goal, region)) != 0.0).any(axis=1)
    return known & outside


def _turned_in(inward: Vectors, agents: Agents) -> Vectors:
    """The steering that turns each agent inward, (n, 3), at most 1 long; `inward` is (n, 3) unit directions.

    The component of `inward` across the heading vanishes for an agent that heads straight out. It is turned by
    LEAST_TURN at least, to the right if neither side is nearer, or it would never turn back.
    """
    along = dot(inward, agents.forward)
    aside = inward - along[:, None] * agents.forward
    length = magnitude(aside)
    aside = np.where((length < 1e-6)[:, None], agents.side, aside / np.maximum(length, EPSILON)[:, None])
    turning = np.where(along < 0.0, np.maximum(length, LEAST_TURN), length)
    kept = AGAINST * along
    return agents.level(aside * turning[:, None]) + agents.forward * kept[:, None]
