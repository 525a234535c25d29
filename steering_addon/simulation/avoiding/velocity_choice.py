"""The choice of a velocity: of those that an agent could take up, the one that costs least.

What a velocity costs is how far it is from the wished one and from the present one, and above all how soon it leads to
a contact, with others or with obstacles, if they go on as they do. Turning aside, slowing down, hurrying and stopping
all fall out of that. A velocity to the left of the wished one costs a little and one to the right pays, the more the
straight way is blocked: so that two who meet head-on do not both stop, or both step to the same side.

Sources: van den Berg, Lin and Manocha 2008 (reciprocal velocity obstacles), Moussaid, Helbing and Theraulaz 2011
(cost of detours), Karamouzas, Skinner and Guy 2014 (time to contact is what counts).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.angles import cosine, sine
from ..arrays.vectors import (
    EPSILON,
    Rows,
    Scalars,
    Vectors,
    columns,
    cross,
    dot,
    firsts,
    level_side,
    magnitude,
    picked,
    unit,
)
from ..geometry.obstacles import Obstacles
from ..nearby.neighbors import Near
from ..world import Agents, World

SOONEST = 0.1
"""Seconds: a contact that is nearer costs no more."""
DANGER = 1.53
"""What a contact in a second costs, in wished speeds; one in half a second twice that."""
OTHERS = 0.04
"""Share of the cost of all other contacts beside the first."""
CHANGE = 0.37
"""What a change of velocity costs, beside what it costs to differ from the wished one."""
PACE = 0.5
"""What it costs beside, in space, to be slower or faster than wished: who swims or flies goes round and keeps going."""
CLOSER, CLOSER_AT_LEAST = 0.3, 0.005
"""How much nearer yet who is nearer than the clearance, or just about, sees a contact: a share of the clearance on the
ground, as far as to the other's body, and metres anyhow. With less of it walkers who stand close start back from each
other's least movements."""
SHARE = 0.93
"""Share of the avoidance that falls to the agent; the rest is left to the other."""
RIGHT, RIGHT_WHEN_BLOCKED = 0.05, 0.75
"""What going left costs and going right pays: always, and as far as the wished velocity leads to a contact with
others that are met. Who is overtaken is passed on either side, as is what is an obstacle."""
OVERTAKEN = 0.3
"""Share of the speed at which who is ahead has to go the same way to be one who is overtaken."""
ENOUGH_TO_THE_RIGHT = 0.5
"""Share of the speed from which on more to the side pays no more."""
ABOVE = 0.2
"""How much of the right is up, in space: else up and down would be a dead heat for two who meet at one height."""
FORESEEN = 0.2
"""Seconds for which others on the ground are taken to go on turning, braking or setting off as they do; then they go
straight on. Who swims or flies bends its way all the time, and whoever expected that would turn to and fro more."""
WALL_TIME = 3.5
"""Seconds: contacts with obstacles that are further away do not count."""
WALL_DANGER = 0.56
"""What a contact with an obstacle in a second costs, beside one with another."""
MOST = 6
"""Of so many others the contacts are foreseen: those who could be met soonest."""
SLOWEST = 0.5
"""Share of max_speed that an agent takes as its stride even if it wishes to be slower."""
BLOCK = 2**15
"""Candidates times agents that are priced together: so much fits the cache."""

TURNS = (0.0, 8.0, 18.0, 32.0, 50.0, 75.0, 110.0, 180.0)
"""Degrees from the wished velocity at which velocities are tried on the ground, to either side."""
CONES = (0.0, 12.0, 30.0, 55.0, 90.0, 180.0)
"""Degrees from the wished velocity at which they are tried in space, all round."""
AROUND = 8
"""Directions on a cone."""
SPEEDS = (1.0, 0.66, 0.33)
RINGS = (0.244, 0.122)
"""Speeds, in strides, by which the best is then varied, round by round."""

Components = Sequence[NDArray[np.float64]]
"""The components of velocities or offsets in the agents' frames: two on the ground, three in space."""


def _on_ground() -> tuple[NDArray[np.float64], ...]:
    """Directions (c,) on the ground by component: ahead and to the right."""
    turns = np.radians(np.array([*TURNS, *(-turn for turn in TURNS if 0.0 < turn < 180.0)]))
    return cosine(turns), sine(turns)


def _in_space() -> tuple[NDArray[np.float64], ...]:
    """Directions (c,) in space by component: ahead, to the right and up."""
    found = []
    for cone in CONES:
        for step in range(AROUND if 0.0 < cone < 180.0 else 1):
            c, s = (float(f(np.array([np.radians(cone)]))[0]) for f in (cosine, sine))
            a = np.array([2.0 * np.pi * step / AROUND])
            found.append((c, s * float(cosine(a)[0]), s * float(sine(a)[0])))
    return tuple(np.array(column) for column in zip(*found))


def _ring() -> tuple[NDArray[np.float64], ...]:
    turns = np.arange(8) * (np.pi / 4.0)
    return cosine(turns), sine(turns)


def _ball() -> tuple[NDArray[np.float64], ...]:
    """The directions to the sides and corners of a cube."""
    points = np.array([[x, y, z] for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0) for z in (-1.0, 0.0, 1.0)])
    points = points[(np.abs(points[:, 0]) + np.abs(points[:, 1]) + np.abs(points[:, 2])) % 2.0 == 1.0]
    return tuple(unit(points).T)


DIRECTIONS = {2: _on_ground(), 3: _in_space()}
VARIATIONS = {2: _ring(), 3: _ball()}


@dataclass(frozen=True)
class Walls:
    """The obstacles that agents might run into soon, as pairs.

    Attributes:
        obstacles: all there are.
        agent: (p,) which agent, rising.
        row: (p,) which obstacle.
    """

    obstacles: Obstacles
    agent: Rows
    row: Rows

    @classmethod
    def about(cls, world: World, agents: Agents) -> Walls:
        """Those within reach of some agents."""
        obstacles = world.obstacles
        if not len(obstacles):
            return cls(obstacles, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        agent, row = obstacles.near(agents.position, agents.radius + WALL_TIME * agents.max_speed)
        others = obstacles.carrier[row] != agents.rows[agent]
        return cls(obstacles, agent[others], row[others])

    def danger(self, agents: Agents, velocity: Vectors, chooser: Rows) -> Scalars:
        """What it costs to run into them.

        Args:
            velocity: (m, 3) what some of the agents might take up, m/s.
            chooser: (m,) which of the agents.

        Returns:
            (m,).
        """
        number = np.bincount(self.agent, minlength=len(agents))[chooser]
        ends = np.cumsum(number)
        tried = np.repeat(np.arange(len(chooser)), number)
        pair = np.arange(len(tried)) + (np.searchsorted(self.agent, chooser) - (ends - number))[tried]
        row, agent = self.row[pair], self.agent[pair]
        course = picked(velocity, tried) - picked(self.obstacles.velocity, row)
        speed = magnitude(course)
        reach, furthest = agents.radius[agent], speed * WALL_TIME
        way, _ = self.obstacles.touch(picked(agents.position, agent), unit(course), reach, row, furthest)
        time = np.where(speed > EPSILON, way / np.maximum(speed, EPSILON), np.inf)
        begin = firsts(tried)
        cost = np.zeros(len(chooser))
        if len(begin):
            soonest = np.maximum(np.minimum.reduceat(time, begin), SOONEST / 2.0)
            cost[tried[begin]] = WALL_DANGER * np.maximum(1.0 / soonest - 1.0 / WALL_TIME, 0.0)
        return cost


@dataclass(frozen=True)
class Others:
    """The others that agents might run into, so many for each, by component in the agents' frames.

    Attributes:
        offset: (K, n) to each, metres.
        drift: (K, n) what of the relative velocity does not hang on the choice, m/s.
        room: (K, n) the distance squared less the distance of contact squared; never 0 or below.
        grazing: (K, n) the clearance as a share of `room`: who only grazes it on the ground risks little. In space it
            is nothing, as there is room to keep clear of all of it.
    """

    offset: Components
    drift: Components
    room: NDArray[np.float64]
    grazing: NDArray[np.float64]

    def danger(self, velocity: Components, agent: Rows, look_ahead_time: Scalars) -> Scalars:
        """What it costs to run into them.

        Args:
            velocity: (m,) each, what some of the agents might take up.
            agent: (m,) which of them.
            look_ahead_time: (m,) seconds.

        Returns:
            (m,).
        """
        first, all_of_them = np.zeros(len(agent)), np.zeros(len(agent))
        relative = [component / SHARE for component in velocity]
        least = 1.0 / look_ahead_time
        for row in range(len(self.room)):
            room = self.room[row][agent]
            closing, speed_squared = np.zeros(len(agent)), np.zeros(len(agent))
            for component, offset, drift in zip(relative, self.offset, self.drift):
                along = drift[row][agent]
                along += component
                speed_squared += along * along
                along *= offset[row][agent]
                closing += along
            speed_squared *= room
            square = closing * closing
            square -= speed_squared
            met = np.flatnonzero((square > 0.0) & (closing > 0.0))
            square = square[met]
            # How deep into the clearance, or all of it for a contact: what is hardly met costs hardly anything, so that
            # the cheapest velocity does not jump as the others move a little.
            depth = square / np.maximum(speed_squared[met] * self.grazing[row][agent[met]], EPSILON)
            # 1 / time of the first contact: no division by a relative speed that may be nothing.
            cost = (closing[met] + np.sqrt(square)) / room[met]
            cost = np.maximum(np.minimum(cost, 1.0 / SOONEST) - least[met], 0.0) * np.minimum(depth, 1.0)
            first[met] = np.maximum(first[met], cost)
            all_of_them[met] += cost
        return first + OTHERS * all_of_them


@dataclass(frozen=True)
class Choosers:
    """Agents that choose a velocity, all on the ground or all in space.

    Attributes:
        agents: (n,) who chooses.
        wished: (n, 3) the velocities they wish for, m/s.
        top_speed: (n,) the speed that they may not exceed, m/s.
        frame: the axes of each, (n, 3): ahead as wished, to the right and, in space, up.
        stride: (n,) the speed by which velocities are measured, m/s.
        others: whom they might run into.
        walls: what they might run into.
        look_ahead_time: (n,) seconds.
    """

    agents: Agents
    wished: Vectors
    top_speed: Scalars
    frame: tuple[Vectors, ...]
    stride: Scalars
    others: Others
    walls: Walls
    look_ahead_time: Scalars

    @classmethod
    def of(
        cls,
        world: World,
        agents: Agents,
        near: Near,
        wished: Vectors,
        top_speed: Scalars,
        pad: Scalars,
        look_ahead_time: Scalars,
    ) -> Choosers:
        """
        Args:
            near: whom they perceive.
            wished: (n, 3) m/s.
            top_speed: (n,) the speed that they may not exceed, m/s.
            pad: (n,) metres to keep free between the bodies.
        """
        frame = _frame(agents, wished)
        stride = np.maximum(np.maximum(magnitude(wished), SLOWEST * agents.max_speed), EPSILON)
        others = _others(world, agents, near, frame, stride, pad, look_ahead_time)
        return cls(agents, wished, top_speed, frame, stride, others, Walls.about(world, agents), look_ahead_time)

    def chosen(self) -> Vectors:
        """(n, 3) what they choose; to the last bit what they wish for where nothing is in the way."""
        wished, present = self._local(self.wished), self._local(self.agents.velocity)
        n = len(self.agents)
        straight = self._danger([np.concatenate(ways) for ways in zip(wished, present)], np.tile(np.arange(n), 2))
        straight = straight.reshape(2, n)
        disturbed = np.flatnonzero((straight[0] > 0.0) | (straight[1] > 0.0))
        chosen = self.wished.copy()
        size = max(BLOCK // len(DIRECTIONS[len(self.frame)][0]) // len(SPEEDS), 1)
        for low in range(0, len(disturbed), size):
            some = disturbed[low : low + size]
            own = [x[some] for x in wished], [x[some] for x in present]
            chosen[some] = self._cheapest(some, *own, straight[:, some])
        return chosen

    def _local(self, velocity: Vectors) -> list[Scalars]:
        return [dot(velocity, axis) for axis in self.frame]

    def _global(self, velocity: Components, agent: Rows) -> Vectors:
        """Velocities by component in the frames of some agents, (m,) each, in world space."""
        parts = [component[:, None] * picked(axis, agent) for component, axis in zip(velocity, self.frame)]
        return _added(parts)

    def _danger(self, velocity: Components, agent: Rows) -> Scalars:
        """What it costs some agents, (m,), to run into others and obstacles at velocities by component, (m,) each."""
        danger = self.others.danger(velocity, agent, self.look_ahead_time[agent])
        if len(self.walls.agent):
            danger += self.walls.danger(self.agents, self._global(velocity, agent), agent)
        return danger

    def _sideways(self, some: Rows, wished: Components) -> Scalars:
        """What going left costs some agents and going right pays, (m,)."""
        offset, drift = ([x[:, some] for x in parts] for parts in (self.others.offset, self.others.drift))
        same_way = -drift[0] > np.maximum(OVERTAKEN * self.stride[some], 2.0 * _length([*drift[1:], 0.0 * drift[0]]))
        met = ~((offset[0] > 0.0) & same_way)
        room, grazing = self.others.room[:, some], self.others.grazing[:, some]
        others = Others([x * met for x in offset], drift, room, grazing)
        danger = others.danger(wished, np.arange(len(some)), self.look_ahead_time[some])
        return RIGHT + RIGHT_WHEN_BLOCKED * np.minimum(danger, 1.0)

    def _cheapest(self, some: Rows, wished: Components, present: Components, straight: NDArray[np.float64]) -> Vectors:
        """What costs some agents least, first of all directions, then about the best of them; (m, 3).

        Args:
            some: (m,) who they are.
            wished, present: (m,) each, their velocities by component.
            straight: (2, m) how dangerous these are.
        """
        stride, top = self.stride[some], self.top_speed[some]
        sideways = self._sideways(some, wished)
        every = np.arange(len(some))

        def harmless(velocity: Components) -> NDArray[np.float64]:
            """What velocities (..., m) by component cost if they lead to no contact."""
            cost = _length([c - w for c, w in zip(velocity, wished)]) / stride
            cost += CHANGE * _length([c - v for c, v in zip(velocity, present)]) / stride
            if len(velocity) == 3:
                cost += PACE * np.abs(_length(velocity) - _length(wished)) / stride
            aside = velocity[1] if len(velocity) == 2 else velocity[1] + ABOVE * velocity[2]
            share = aside / (ENOUGH_TO_THE_RIGHT * stride)
            cost -= sideways * share / np.sqrt(1.0 + share * share)
            return cost

        def best(velocity: Components, found: Components, least: Scalars) -> tuple[Components, Scalars]:
            """The cheapest of velocities (c, m) by component and of one known before, and what it costs."""
            cost = harmless(velocity)
            # A contact makes nothing cheaper: what is too dear without one need not be asked for any.
            worth_it = np.flatnonzero(cost < least)
            agent = np.tile(some, len(cost))[worth_it]
            cost.reshape(-1)[worth_it] += DANGER * self._danger([v.reshape(-1)[worth_it] for v in velocity], agent)
            row = np.argmin(cost, axis=0)
            cheapest = cost[row, every]
            better = cheapest < least
            found = [np.where(better, v[row, every], f) for v, f in zip(velocity, found)]
            return found, np.minimum(cheapest, least)

        directions, variations = DIRECTIONS[len(self.frame)], VARIATIONS[len(self.frame)]
        least = harmless(wished) + DANGER * straight[0]
        going_on = harmless(present) + DANGER * straight[1]
        found: Components = [np.where(going_on < least, v, w) for w, v in zip(wished, present)]
        tried = [np.concatenate(([0.0], (np.array(SPEEDS)[:, None] * d).ravel()))[:, None] * stride for d in directions]
        held = top < stride
        if held.any():
            tried = [component * np.where(held, top / stride, 1.0) for component in tried]
        found, least = best(tried, found, np.minimum(least, going_on))
        for ring in RINGS:
            tried = [f + d[:, None] * (ring * stride) for f, d in zip(found, variations)]
            shorter = np.minimum(1.0, top / np.maximum(_length(tried), EPSILON))
            found, least = best([component * shorter for component in tried], found, least)
        return self._global(found, some)


def _added(parts: Sequence[Vectors]) -> Vectors:
    total = parts[0] + parts[1]
    return total if len(parts) == 2 else total + parts[2]


def _length(v: Components) -> NDArray[np.float64]:
    square = v[0] * v[0] + v[1] * v[1]
    return np.sqrt(square if len(v) == 2 else square + v[2] * v[2])


def _frame(agents: Agents, wished: Vectors) -> tuple[Vectors, ...]:
    """The axes of the agents' choices: the wished direction, to the right of it and, in space, up."""
    ahead = unit(wished)
    still = magnitude(ahead) < 0.5
    if still.any():
        ahead = np.where(still[:, None], unit(agents.level(agents.forward)), ahead)
    if agents.vehicle.keep_in_plane.all():
        return ahead, columns(ahead[:, 1], -ahead[:, 0], 0.0)
    right, flatness = level_side(ahead)
    right = np.where((flatness <= EPSILON)[:, None], agents.side, right)
    return ahead, right, cross(right, ahead)


def _others(
    world: World,
    agents: Agents,
    near: Near,
    frame: tuple[Vectors, ...],
    stride: Scalars,
    pad: Scalars,
    look_ahead_time: Scalars,
) -> Others:
    """Of those near, for each agent the ones it could run into soonest, whichever way it turns."""
    agent, on_ground = near.agent, len(frame) == 2
    velocity = picked(world.bodies.velocity, near.body)
    if on_ground:
        velocity += FORESEEN * picked(world.bodies.acceleration, near.body)
    radii = agents.radius[agent] + world.bodies.radius[near.body]
    coming = -dot(velocity, near.offset) / near.distance + np.maximum(stride, agents.speed)[agent]
    gap = np.maximum(near.distance - radii, 0.0)
    time = np.where(coming > EPSILON, gap / np.maximum(coming, EPSILON), np.inf)
    able = np.flatnonzero(time < look_ahead_time[agent])
    rank, soonest = _soonest(agent[able], time[able], len(agents))
    able = able[soonest]
    agent = agent[able]
    shape = (int(rank.max(initial=-1)) + 1, len(agents))

    def table(values: Scalars, empty: float = 0.0) -> NDArray[np.float64]:
        filled = np.full(shape, empty)
        filled[rank, agent] = values
        return filled

    offset, distance = picked(near.offset, able), near.distance[able]
    drift = picked(agents.velocity, agent) * (1.0 - 1.0 / SHARE) - picked(velocity, able)
    # Who is nearer already than it should be minds coming nearer yet, and the more so into another's body.
    touching = radii[able]
    share = CLOSER if on_ground else 0.0
    closer = np.maximum(distance - share * pad[agent], touching)
    closer = np.minimum(closer, distance - CLOSER_AT_LEAST)
    contact = np.minimum(touching + pad[agent], np.maximum(closer, 0.0))
    room = np.maximum(distance * distance - contact * contact, 1e-6)
    grazing = np.maximum(contact * contact - touching * touching, 0.0) / room * on_ground
    axes = [picked(axis, agent) for axis in frame]
    return Others(
        [table(dot(offset, axis)) for axis in axes],
        [table(dot(drift, axis)) for axis in axes],
        table(room, 1.0),
        table(grazing),
    )


def _soonest(agent: Rows, time: Scalars, n: int) -> tuple[Rows, Rows]:
    """The few pairs of each of n agents whose times are least, in the order of these.

    Args:
        agent, time: (p,) of all pairs.

    Returns:
        rank: (q,) the how manieth of its agent each is, from 0 on; rises.
        pair: (q,) which pair.
    """
    # Numbers of 16 bits are sorted by counting.
    order = np.argsort(agent.astype(np.uint16) if n <= 2**16 else agent, kind="stable")
    agent = agent[order]
    number = np.bincount(agent, minlength=n)
    begin = np.cumsum(number) - number
    times = np.full((n, int(number.max(initial=0))), np.inf)
    times[agent, np.arange(len(agent)) - begin[agent]] = time[order]
    place = np.argsort(times, axis=1, kind="stable")[:, :MOST].T
    rank, who = np.nonzero(np.arange(len(place))[:, None] < number)
    return rank, order[begin[who] + place[rank, who]]
