"""Brake for: slow down for crossing traffic (not in the paper)."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..simulation.arrays.frozen import Columns, replace
from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars, largest, least_of_each, nobody, shared
from ..simulation.arrays.vectors import Vectors, dot, magnitude, picked
from ..simulation.behavior import OURS, Intent, Steering
from ..simulation.declaration import Choice, another_body, choice, length, seconds
from ..simulation.geometry.shapes import OUTSIDE
from ..simulation.intention import EVERY_MOVING, EVERY_OBSTACLE, Intention
from ..simulation.maneuvers.braking import (
    COMFORT,
    CREEP,
    MARGIN,
    brake,
    is_ahead,
    limit_approach,
    room_between,
    speed_to_stop,
    stopping_distance,
)
from ..simulation.maneuvers.lanes import Lanes
from ..simulation.maneuvers.neighborhood import Neighborhood
from ..simulation.memory import Memory, remembered
from ..simulation.nearby.neighbors import NEIGHBORS, Near, Neighbors
from ..simulation.world import Agents, World

OBSTACLES = (
    Choice("NONE", 0, "None", "Brake for vehicles only"),
    Choice("MOVING", 1, "Moving", "Brake for vehicles and for obstacles that move, also when they stop in the way"),
    Choice("ALL", 2, "All", "Brake for vehicles and for all obstacles in the way"),
)
NONE, MOVING, ALL = (c.number for c in OBSTACLES)
CRAWL = 0.02
"""Share of the top speed below which something counts as standing."""
SAME_WAY = 0.5
"""Cosine between the two courses above which the other goes the same way, as for Keep Distance: it is not given way."""
FACING = 0.7
"""Cosine between the headings, negated, above which the other is oncoming."""
MERGES = 0.3
"""Cosine between the headings above which the ways of two merge rather than cross."""
PATIENCE = 1.5
"""Seconds that two stand or creep face to face, or one before what stands beside its way, before they creep past."""
FORGETS = 1.0
"""Seconds without the other ahead after which one that creeps past waits for the next."""


@dataclass(frozen=True)
class Situation:
    """How an agent brakes for a body that comes into its way; it stops before it, or passes after it.

    Attributes:
        keeps: the room that it keeps to steer past, in half lengths of its own body.
        follows: whether it stays behind at the speed of the body.
        passes: whether it creeps past once it has waited.
    """

    keeps: float = 0.0
    follows: bool = False
    passes: bool = False


SITUATIONS = (Situation(), Situation(follows=True), Situation(keeps=2.0, passes=True), Situation(passes=True))
"""Bodies that cross or stand in the way; that go the same way; that face the agent; that stand so far to the side that
the agent can pass it without clearance."""
CROSSES, LEADS, ONCOMING, BESIDE = range(len(SITUATIONS))
KEEPS, FOLLOWS, PASSES = (np.array([getattr(row, f.name) for row in SITUATIONS]) for f in fields(Situation))


@dataclass(frozen=True)
class Waiting(Memory):
    """The patience of each agent.

    Attributes:
        time: (n,) how long it has been slow before oncoming vehicles, seconds; at least PATIENCE while it passes one.
        beside: (n,) how long it has been slow before vehicles that stand beside its way, seconds.
        obstacle: (n,) the row of the last obstacle that moved in its way, -1 for none: it counts when it stops there.
    """

    time: Scalars = remembered(0.0)
    beside: Scalars = remembered(0.0)
    obstacle: Rows = remembered(-1)


@dataclass(frozen=True)
class BrakeFor(Neighborhood):
    """Slow down and stop for what crosses or stands in the way, and do not go round it.

    Assumes that vehicles on a curve follow it and that everything else goes straight on. Never speeds up toward
    what it brakes for. On the ground, the vehicle of a crowd that comes from the right goes first, and where two
    ways merge the one that is nearer to the place; one that can no longer stop before the way of another drives out
    of it. Vehicles that go the same way are left to Keep Distance, and oncoming ones count only in its own lane. It
    stays behind obstacles that go the same way. Two that stand face to face creep past each other after a moment, and
    so does one past a vehicle that stands beside its way, without clearance. Does nothing about what passes before the
    agent or after it.
    """

    name = "brake_for"
    label = "Brake For"
    term = OURS
    intent = Intent.REACT
    remembers = Waiting
    # It depends on the braking distance and on the speed of others.
    sees = ""

    target: Rows = another_body("Object to brake for although it is neither a vehicle nor an obstacle")
    distance: Number = length(
        20.0, "How far away others still count; at least the distance that it takes to stop", label="Sees Up To"
    )
    neighbors: Rows = choice("EVERYONE", "Which vehicles count", NEIGHBORS, animatable=False, label="Who Counts")
    obstacles: Rows = choice("ALL", "Which obstacles count", OBSTACLES, animatable=False)
    look_ahead_time: Number = seconds(
        4.0, "Time within which something has to come into the way to matter", 0.01, label="Looks Ahead"
    )
    gap: Number = length(0.5, "Room ahead of it when it stops")
    clearance: Number = length(0.5, "Room to the side within which something is in the way")

    def steer(self, world: World, agents: Agents, memory: Waiting) -> Steering:
        lanes = Lanes.of(world, agents)
        sight = np.maximum(self.distance, stopping_distance(agents, agents.max_speed) + agents.extent + self.gap)
        standing, moving = self._obstacles(world, agents, lanes, sight, memory.obstacle)
        vehicles = self._vehicles(world, agents, lanes, sight)
        memory = self._waiting(world, agents, vehicles, moving, memory)
        waited = np.where(vehicles.situation == BESIDE, memory.beside[vehicles.agent], memory.time[vehicles.agent])
        allowed = self._standing(world, agents, lanes, *standing, sight)
        for bodies in (moving, self._target(world, agents, lanes, sight), replace(vehicles, waited=waited)):
            allowed = np.minimum(allowed, self.allowed(agents, bodies))
        return Steering(brake(agents, allowed), memory, speed_limit=allowed)

    def intention(self, world: World, agents: Agents, memory: Waiting) -> Intention:
        moved = np.where(self.obstacles == MOVING, np.where(memory.obstacle < 0, EVERY_MOVING, memory.obstacle), -1)
        return Intention(awaits=np.where(self.obstacles == ALL, EVERY_OBSTACLE, moved))

    def allowed(self, agents: Agents, bodies: InTheWay) -> Scalars:
        """The speed from which each agent can stop before what comes into its way, or pass after it, (n,) m/s."""
        agent, situation = bodies.agent, bodies.situation
        if not len(agent):
            return shared(np.inf, len(agents))
        last = np.minimum(bodies.leaves, self.look_ahead_time[agent])
        at_first, at_last = bodies.ahead + bodies.along * bodies.enters, bodies.ahead + bodies.along * last
        kept = bodies.touching + self.gap[agent]
        room = kept + KEEPS[situation] * agents.extent[agent]
        way = np.maximum(np.minimum(at_first, at_last) - room, 0.0)
        speed = np.maximum(agents.speed[agent], EPSILON)
        first = (np.maximum(at_first, at_last) + kept) / speed < bodies.enters
        # One that would come to stand in the way of its own crowd drives out of it instead, if they can stop for it.
        blocks = speed > speed_to_stop(agents, agent, at_first - bodies.touching)
        first |= bodies.ours & blocks & bodies.stop_in_time(agents)
        pairs = np.flatnonzero((at_first > 0.0) & ~first)
        agent, situation, way = agent[pairs], situation[pairs], way[pairs]
        ahead = np.where(FOLLOWS[situation], bodies.along[pairs], 0.0)
        after = way / np.maximum(bodies.leaves[pairs], EPSILON)
        allowed = np.maximum(speed_to_stop(agents, agent, way, ahead), after)
        allowed = limit_approach(agents, agent, allowed, ahead)
        creeps = PASSES[situation] & (bodies.waited[pairs] >= PATIENCE)
        creeping = np.maximum(allowed, CREEP * agents.cruise_speed[agent])
        return least_of_each(len(agents), agent, np.where(creeps, creeping, allowed))

    def _waiting(
        self, world: World, agents: Agents, vehicles: InTheWay, obstacles: InTheWay, memory: Waiting
    ) -> Waiting:
        """The memory after the step."""
        obstacle = memory.obstacle.copy()
        obstacle[obstacles.agent] = obstacles.body
        slow = agents.speed <= CREEP * agents.cruise_speed

        def after(time: Scalars, situation: int) -> Scalars:
            ahead = np.bincount(vehicles.agent[vehicles.situation == situation], minlength=len(agents)) > 0
            return wait_on(time, ahead, slow, world.dt)

        return Waiting(after(memory.time, ONCOMING), after(memory.beside, BESIDE), obstacle)

    def _seen(self, world: World, agents: Agents, sight: Scalars) -> Neighbors:
        """The vehicles within sight that could be in the way before the agent can stop or pass."""
        bodies, rows = world.bodies, world.perceivable
        stopping = stopping_distance(agents, agents.max_speed)
        room = agents.extent + largest(bodies.extent[rows]) + np.maximum(self.clearance, self.gap)
        speed = np.maximum(agents.speed, EPSILON)
        time = np.minimum(self.look_ahead_time, (stopping + 2.0 * room) / speed)
        quickest = largest(magnitude(picked(bodies.velocity, rows)))
        matters = stopping + room + time * (quickest + agents.speed) + MARGIN
        distance = np.minimum(np.maximum(sight, stopping + room), matters)
        return world.neighbors(agents, distance, self.angle, self.neighbors, self.crowd)

    def _standing(self, world: World, agents: Agents, lanes: Lanes, agent: Rows, row: Rows, sight: Scalars) -> Scalars:
        """The speed from which each agent can stop before the obstacles that stand in its way, (n,) m/s. `agent`,
        `row`: (p,) pairs of an agent and an obstacle; `sight`: (n,) metres."""
        reach, furthest = (agents.radius + self.clearance)[agent], sight[agent]
        nose = (agents.extent - agents.radius)[agent]
        way = lanes.way_to(world.obstacles, agent, row, nose, reach, furthest)
        # The way is followed to within the clearance of the obstacle, the gap is kept from its surface.
        room = np.maximum(np.minimum(way, furthest) + (self.clearance - self.gap)[agent], 0.0)
        held = limit_approach(agents, agent, speed_to_stop(agents, agent, room), 0.0)
        return least_of_each(len(agents), agent, np.where(way < furthest, held, np.inf))

    def _obstacles(
        self, world: World, agents: Agents, lanes: Lanes, sight: Scalars, known: Rows
    ) -> tuple[tuple[Rows, Rows], InTheWay]:
        """The obstacles in sight that count: pairs (p,) of an agent and a standing one, and those that may cross.
        `known`: (n,) the row of an obstacle that has moved before, -1 for none."""
        obstacles = world.obstacles
        agent, row = obstacles.near(agents.position, sight + agents.radius + self.clearance)
        foreign = obstacles.carrier[row] != agents.rows[agent]
        agent, row = agent[foreign], row[foreign]
        moves = magnitude(obstacles.velocity)[row] > CRAWL * agents.max_speed[agent]
        counts = (self.obstacles[agent] == ALL) | ((self.obstacles[agent] == MOVING) & (moves | (row == known[agent])))
        crosses = moves & (obstacles.side[row] == OUTSIDE)
        standing = counts & ~crosses
        still = agent[standing], row[standing]
        pairs = np.flatnonzero(counts & crosses)
        if not len(pairs):
            return still, NOTHING
        agent, row = agent[pairs], row[pairs]
        position = picked(agents.position, agent)
        offset = obstacles.axis_point(position, row) - position
        touching = agents.radius[agent] + obstacles.radius[row]
        room = touching + (agents.extent - agents.radius)[agent], touching
        offset, velocity = lanes.straightened(agent, offset, picked(obstacles.velocity, row))
        return still, self._in_the_way(agents, agent, row, offset, velocity, room, nobody(len(agent)))

    def _target(self, world: World, agents: Agents, lanes: Lanes, sight: Scalars) -> InTheWay:
        """The chosen objects that may cross or stand in the way."""
        bodies = world.bodies
        agent = np.flatnonzero(self.target >= 0)
        if not len(agent):
            return NOTHING
        row = self.target[agent]
        offset = picked(bodies.position, row) - picked(agents.position, agent)
        near = np.flatnonzero(magnitude(offset) < sight[agent])
        agent, row, offset = agent[near], row[near], picked(offset, near)
        velocity, heading = picked(bodies.velocity, row), picked(bodies.forward, row)
        offset, velocity, heading = lanes.straightened(agent, offset, velocity, heading)
        room = room_between(world, agents, agent, row, dot(heading, picked(agents.forward, agent)))
        return self._in_the_way(agents, agent, row, offset, velocity, room, nobody(len(agent)))

    def _vehicles(self, world: World, agents: Agents, lanes: Lanes, sight: Scalars) -> InTheWay:
        """The vehicles in sight that may cross, without those of the same crowd that give way and still can."""
        bodies = world.bodies
        near = self._seen(world, agents, sight).where(lambda pairs: ~lanes.regulated(world, pairs)).together()
        agent, body = near.agent, near.body
        yields = self._yield(world, agents, near)
        velocity, heading = picked(bodies.velocity, body), picked(bodies.forward, body)
        offset, velocity, heading = lanes.straightened(agent, near.offset, velocity, heading)
        cosine = dot(heading, picked(agents.forward, agent))
        oncoming: Mask = cosine < -FACING
        if oncoming.any():
            pairs = np.flatnonzero(~(oncoming & lanes.apart(world, agent, body)))
            agent, body, cosine, oncoming = agent[pairs], body[pairs], cosine[pairs], oncoming[pairs]
            offset, velocity, yields = picked(offset, pairs), picked(velocity, pairs), yields[pairs]
        room = room_between(world, agents, agent, body, cosine)
        seen = self._in_the_way(agents, agent, body, offset, velocity, room, oncoming)
        ours = ((bodies.crowd[body] == bodies.crowd[agents.rows][agent]) & ~oncoming)[seen.pair]
        seen, yields = replace(seen, ours=ours), yields[seen.pair]
        # Keep Distance knows those that go the same way.
        counts = (seen.situation != LEADS) & (~yields | (ours & ~seen.stop_in_time(agents)))
        return seen.take(np.flatnonzero(counts))

    def _yield(self, world: World, agents: Agents, near: Near) -> Mask:
        """The vehicles that give way to agents of the same crowd, (p,), of pairs in one list."""
        agent, body, bodies = near.agent, near.body, world.bodies
        moves = magnitude(bodies.velocity)[body] > CRAWL * agents.max_speed[agent]
        merges = dot(picked(agents.forward, agent), picked(bodies.forward, body)) > MERGES
        behind = ~is_ahead(world, agents, agent, body, near.offset)
        yields: Mask = np.where(merges, behind, near.along(agents.side) < 0.0)
        # In space the side of an agent turns as it leans: there both brake.
        return yields & agents.grounded[agent] & moves & (bodies.crowd[body] == bodies.crowd[agents.rows][agent])

    def _in_the_way(
        self,
        agents: Agents,
        agent: Rows,
        body: Rows,
        offset: Vectors,
        velocity: Vectors,
        room: tuple[Scalars, Scalars],
        oncoming: Mask,
    ) -> InTheWay:
        """The bodies that come into the ways of agents soon enough, of p bodies near them.

        Args:
            agent: (p,) the agent that each body is near.
            body: (p,) its row.
            offset: (p, 3) from the agent to the body in its straightened lane, metres.
            velocity: (p, 3) of the body in that lane, m/s.
            room: (p,) the distances along and across the way at which the two touch, metres.
            oncoming: (p,) the vehicles that face the agent.
        """
        forward, width = picked(agents.forward, agent), room[1]
        ahead, along = dot(offset, forward), dot(velocity, forward)
        aside = offset - ahead[:, None] * forward
        # A body behind the agent that does not move forward stays behind it. What is oncoming keeps to its lane.
        pair = np.flatnonzero(((ahead > 0.0) | (along > 0.0)) & (~oncoming | (dot(aside, aside) < width * width)))
        agent, body, width, ahead, along = agent[pair], body[pair], width[pair], ahead[pair], along[pair]
        offset, velocity = picked(offset, pair), picked(velocity, pair)
        clearance, speed = self.clearance[agent], magnitude(velocity)
        enters, leaves = _times(offset, velocity, ahead, along, width + clearance)
        moves = speed > CRAWL * agents.max_speed[agent]
        situations = {
            LEADS: moves & (along > SAME_WAY * speed),
            ONCOMING: oncoming[pair],
            BESIDE: ~moves & (magnitude(picked(aside, pair)) >= width),
        }
        near = InTheWay(
            pair=pair,
            agent=agent,
            body=body,
            situation=np.select([*situations.values()], [*situations], CROSSES),
            ahead=ahead,
            along=along,
            speed=speed,
            touching=room[0][pair],
            clearance=clearance,
            enters=enters,
            leaves=leaves,
            ours=np.zeros(len(pair), dtype=np.bool_),
            waited=np.zeros(len(pair)),
        )
        return near.take(np.flatnonzero((enters < self.look_ahead_time[agent]) & (leaves > 0.0)))


@dataclass(frozen=True)
class InTheWay(Columns):
    """Bodies that come into the ways of agents, p pairs.

    Attributes:
        pair: (p,) the place of each in the list of bodies near agents.
        agent: (p,) the agent.
        body: (p,) the row of the body among vehicles and tracked bodies, or among obstacles.
        situation: (p,) its row of SITUATIONS.
        ahead: (p,) the offset of the body along the way, metres.
        along: (p,) the velocity of the body along the way, m/s.
        speed: (p,) the speed of the body, m/s.
        touching: (p,) the distance between the middles along the way at which the two touch, metres.
        clearance: (p,) what is kept to the side, besides what the two touch at, metres.
        enters, leaves: (p,) seconds until it comes into the way and until it has left it; inf for never.
        ours: (p,) the vehicles of the agent's crowd that do not face it.
        waited: (p,) how long the agent has been slow before those in its situation, seconds.
    """

    pair: Rows
    agent: Rows
    body: Rows
    situation: Rows
    ahead: Scalars
    along: Scalars
    speed: Scalars
    touching: Scalars
    clearance: Scalars
    enters: Scalars
    leaves: Scalars
    ours: Mask
    waited: Scalars

    def stop_in_time(self, agents: Agents) -> Mask:
        """The bodies that stop before they touch the way of the agent if they brake as it plans to, (p,)."""
        room = self.speed * self.enters + self.clearance
        return self.speed * self.speed < 2.0 * COMFORT * agents.agility[self.agent] * room


NO_ROWS, NO_NUMBERS = np.zeros(0, dtype=np.int64), np.zeros(0)
NOTHING = InTheWay(*(NO_ROWS,) * 4, *(NO_NUMBERS,) * 7, nobody(0), NO_NUMBERS)
"""No body in the way of anybody."""


def wait_on(time: Scalars, before: Mask, slow: Mask, dt: float) -> Scalars:
    """How long agents have waited after a step, (n,) seconds.

    Time passes while an agent is slow before those it waits for. Once its patience is over it creeps past them, however
    fast, and without any of them ahead it forgets. `time`: (n,) how long they have waited before it, seconds; `before`:
    (n,) whether any of them is ahead; `slow`: (n,) whether the agent stands or creeps.
    """
    longer = np.minimum(time + np.where(slow | (time >= PATIENCE), dt, 0.0), PATIENCE + FORGETS)
    return np.where(before, longer, np.maximum(time - dt, 0.0))


def _times(
    offset: Vectors, velocity: Vectors, ahead: Scalars, along: Scalars, room: Scalars
) -> tuple[Scalars, Scalars]:
    """`enters` and `leaves`, as of `InTheWay`: the roots of |offset + velocity t| across the way = room. `offset`,
    `velocity`: (p, 3) from the agent to the body, metres, and the velocity of the body, m/s; `ahead`, `along`: (p,)
    their components along the way; `room`: (p,) metres."""
    a = dot(velocity, velocity) - along * along
    b = dot(offset, velocity) - ahead * along
    c = dot(offset, offset) - ahead * ahead - room * room
    square = b * b - a * c
    crosses = a > 1e-6
    root = np.sqrt(np.maximum(square, 0.0))
    safe = np.where(crosses, a, 1.0)
    enters = np.where(crosses, (-b - root) / safe, np.where(c < 0.0, 0.0, np.inf))
    leaves = np.where(crosses, (-b + root) / safe, np.inf)
    missed = crosses & (square <= 0.0)
    return np.where(missed, np.inf, np.maximum(enters, 0.0)), np.where(missed, -np.inf, leaves)
