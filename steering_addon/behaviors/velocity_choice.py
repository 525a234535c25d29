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

from ..simulation.angles import cosine, sine
from ..simulation.neighbors import Near
from ..simulation.obstacles import Obstacles
from ..simulation.vectors import (
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
from ..simulation.world import Agents, World

SOONEST = 0.1
"""Seconds: a contact that is nearer costs no more."""
DANGER = 1.53
"""What a contact in a second costs, in wished speeds; one in half a second twice that."""
OTHERS = 0.04
"""Share of the cost of all other contacts beside the first."""
CHANGE = 0.37
"""What a change of velocity costs, beside what it costs to differ from the wished one."""
SHARE = 0.93
"""Share of the avoidance that falls to the agent; the rest is left to the other."""
RIGHT, RIGHT_WHEN_BLOCKED = 0.05, 0.5
"""What going left costs and going right pays: always, and as far as the wished velocity leads to a contact."""
ENOUGH_TO_THE_RIGHT = 0.5
"""Share of the speed from which on more to the side pays no more."""
ABOVE = 0.2
"""How much of the right is up, in space: else up and down would be a dead heat for two who meet at one height."""
WALL_TIME = 1.155
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

    def danger(self, agents: Agents, velocity: Vectors, candidates: int) -> NDArray[np.float64]:
        """What it costs to run into them.

        Args:
            velocity: (c, p, 3) what the agents of the pairs might take up, m/s.

        Returns:
            (c, n).
        """
        cost = np.zeros((candidates, len(agents)))
        flat = velocity.reshape(-1, 3) - np.tile(self.obstacles.velocity[self.row], (candidates, 1))
        speed = magnitude(flat)
        points = np.tile(agents.position[self.agent], (candidates, 1))
        reach = np.tile(agents.radius[self.agent], candidates)
        way, _ = self.obstacles.touch(points, unit(flat), reach, np.tile(self.row, candidates))
        time = np.where(speed > EPSILON, way / np.maximum(speed, EPSILON), np.inf).reshape(candidates, -1)
        begin = firsts(self.agent)
        soonest = np.maximum(np.minimum.reduceat(time, begin, axis=1), SOONEST / 2.0)
        cost[:, self.agent[begin]] = WALL_DANGER * np.maximum(1.0 / soonest - 1.0 / WALL_TIME, 0.0)
        return cost

    def of(self, some: Rows, count: int) -> Walls:
        """Those of some agents, rising, who are numbered anew."""
        place = np.full(count, -1)
        place[some] = np.arange(len(some))
        kept = np.flatnonzero(place[self.agent] >= 0)
        return Walls(self.obstacles, place[self.agent[kept]], self.row[kept])


@dataclass(frozen=True)
class Others:
    """The others that agents might run into, so many for each, by component in the agents' frames.

    Attributes:
        offset: (K, n) to each, metres.
        drift: (K, n) what of the relative velocity does not hang on the choice, m/s.
        room: (K, n) the distance squared less the distance of contact squared; never 0 or below.
    """

    offset: Components
    drift: Components
    room: NDArray[np.float64]

    def take(self, some: Rows) -> Others:
        return Others([x[:, some] for x in self.offset], [x[:, some] for x in self.drift], self.room[:, some])

    def danger(self, velocity: Components, look_ahead_time: Scalars) -> NDArray[np.float64]:
        """What it costs to run into them at velocities (c, n) by component; (c, n)."""
        first, all_of_them = np.zeros_like(velocity[0]), np.zeros_like(velocity[0])
        relative = [component / SHARE for component in velocity]
        least = 1.0 / look_ahead_time
        for row in range(len(self.room)):
            closing, speed_squared = np.zeros_like(first), np.zeros_like(first)
            for component, offset, drift in zip(relative, self.offset, self.drift):
                along = component + drift[row]
                speed_squared += along * along
                along *= offset[row]
                closing += along
            # 1 / time of the first contact: no division by a relative speed that may be nothing.
            np.maximum(closing, 0.0, out=closing)
            speed_squared *= self.room[row]
            square = closing * closing
            square -= speed_squared
            meets = square > 0.0
            np.sqrt(np.maximum(square, 0.0, out=square), out=square)
            closing += square
            closing /= self.room[row]
            np.minimum(closing, 1.0 / SOONEST, out=closing)
            closing -= least
            np.maximum(closing, 0.0, out=closing)
            closing *= meets
            np.maximum(first, closing, out=first)
            all_of_them += closing
        return first + OTHERS * all_of_them


@dataclass(frozen=True)
class Choosers:
    """Agents that choose a velocity, all on the ground or all in space.

    Attributes:
        agents: (n,) who chooses.
        wished: (n, 3) the velocities they wish for, m/s.
        frame: the axes of each, (n, 3): ahead as wished, to the right and, in space, up.
        stride: (n,) the speed by which velocities are measured, m/s.
        others: whom they might run into.
        walls: what they might run into.
        look_ahead_time: (n,) seconds.
    """

    agents: Agents
    wished: Vectors
    frame: tuple[Vectors, ...]
    stride: Scalars
    others: Others
    walls: Walls
    look_ahead_time: Scalars

    @classmethod
    def of(
        cls, world: World, agents: Agents, near: Near, wished: Vectors, pad: Scalars, look_ahead_time: Scalars
    ) -> Choosers:
        """
        Args:
            near: whom they perceive.
            wished: (n, 3) m/s.
            pad: (n,) metres to keep free between the bodies.
        """
        frame = _frame(agents, wished)
        stride = np.maximum(np.maximum(magnitude(wished), SLOWEST * agents.max_speed), EPSILON)
        others = _others(world, agents, near, frame, stride, pad, look_ahead_time)
        return cls(agents, wished, frame, stride, others, Walls.about(world, agents), look_ahead_time)

    def chosen(self) -> Vectors:
        """(n, 3) what they choose; to the last bit what they wish for where nothing is in the way."""
        wished, present = self._local(self.wished), self._local(self.agents.velocity)
        straight = self._danger([np.stack((w, v)) for w, v in zip(wished, present)])
        disturbed = np.flatnonzero((straight[0] > 0.0) | (straight[1] > 0.0))
        chosen = self.wished.copy()
        size = max(BLOCK // len(DIRECTIONS[len(self.frame)][0]) // len(SPEEDS), 1)
        for low in range(0, len(disturbed), size):
            some = disturbed[low : low + size]
            chosen[some] = self._take(some)._cheapest(straight[0][some])
        return chosen

    def _take(self, some: Rows) -> Choosers:
        return Choosers(
            self.agents.take(some),
            picked(self.wished, some),
            tuple(picked(axis, some) for axis in self.frame),
            self.stride[some],
            self.others.take(some),
            self.walls.of(some, len(self.agents)),
            self.look_ahead_time[some],
        )

    def _local(self, velocity: Vectors) -> list[Scalars]:
        return [dot(velocity, axis) for axis in self.frame]

    def _danger(self, velocity: Components) -> NDArray[np.float64]:
        danger: NDArray[np.float64] = self.others.danger(velocity, self.look_ahead_time)
        if len(self.walls.agent):
            agent = self.walls.agent
            turned = [c[:, agent, None] * axis[agent] for c, axis in zip(velocity, self.frame)]
            total: Vectors = _added(turned)
            danger = danger + self.walls.danger(self.agents, total, len(danger))
        return danger

    def _cheapest(self, blocked: Scalars) -> Vectors:
        """What costs least, first of all directions, then about the best of them; (n, 3)."""
        wished, present = self._local(self.wished), self._local(self.agents.velocity)
        sideways = RIGHT + RIGHT_WHEN_BLOCKED * np.minimum(blocked, 1.0)
        every = np.arange(len(blocked))

        def best(velocity: list[NDArray[np.float64]]) -> list[Scalars]:
            cost = DANGER * self._danger(velocity)
            cost += _length([c - w for c, w in zip(velocity, wished)]) / self.stride
            cost += CHANGE * _length([c - v for c, v in zip(velocity, present)]) / self.stride
            aside = velocity[1] if len(velocity) == 2 else velocity[1] + ABOVE * velocity[2]
            share = aside / (ENOUGH_TO_THE_RIGHT * self.stride)
            cost -= sideways * share / np.sqrt(1.0 + share * share)
            row = np.argmin(cost, axis=0)
            return [component[row, every] for component in velocity]

        directions, variations = DIRECTIONS[len(self.frame)], VARIATIONS[len(self.frame)]
        speeds = np.array(SPEEDS)
        tried = [
            np.concatenate(
                (w[None], v[None], 0.0 * v[None], (speeds[:, None] * d).ravel()[:, None] * self.stride[None])
            )
            for d, w, v in zip(directions, wished, present)
        ]
        found = best(tried)
        for ring in RINGS:
            tried = [
                f[None] + np.concatenate(([0.0], d))[:, None] * (ring * self.stride)[None]
                for f, d in zip(found, variations)
            ]
            shorter = np.minimum(1.0, self.agents.max_speed / np.maximum(_length(tried), EPSILON))
            found = best([component * shorter for component in tried])
        velocity = [f[:, None] * axis for f, axis in zip(found, self.frame)]
        return _added(velocity)


def _added(parts: Sequence[Vectors]) -> Vectors:
    total = parts[0] + parts[1]
    return total if len(parts) == 2 else total + parts[2]


def _length(v: Components) -> NDArray[np.float64]:
    square = v[0] * v[0] + v[1] * v[1]
    return np.sqrt(square if len(v) == 2 else square + v[2] * v[2])


def _frame(agents: Agents, wished: Vectors) -> tuple[Vectors, ...]:
    """The axes of the agents' choices: the wished direction, to the right of it and, in space, up."""
    ahead = unit(wished)
    ahead = np.where((magnitude(ahead) < 0.5)[:, None], unit(agents.level(agents.forward)), ahead)
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
    agent = near.agent
    velocity = picked(world.bodies.velocity, near.body)
    radii = agents.radius[agent] + world.bodies.radius[near.body]
    coming = -dot(velocity, near.offset) / near.distance + np.maximum(stride, agents.speed)[agent]
    gap = np.maximum(near.distance - radii, 0.0)
    time = np.where(coming > EPSILON, gap / np.maximum(coming, EPSILON), np.inf)
    able = np.flatnonzero(time < look_ahead_time[agent])
    able = able[np.lexsort((time[able], agent[able]))]
    agent = agent[able]
    begin = np.searchsorted(agent, np.arange(len(agents)))
    rank = np.arange(len(agent)) - begin[agent]
    kept = np.flatnonzero(rank < MOST)
    rank, agent, able = rank[kept], agent[kept], able[kept]
    shape = (int(rank.max(initial=-1)) + 1, len(agents))

    def table(values: Scalars, empty: float = 0.0) -> NDArray[np.float64]:
        filled = np.full(shape, empty)
        filled[rank, agent] = values
        return filled

    offset, distance = picked(near.offset, able), near.distance[able]
    drift = picked(agents.velocity, agent) * (1.0 - 1.0 / SHARE) - picked(velocity, able)
    # Who is nearer already than it should be minds coming nearer yet.
    contact = np.minimum(radii[able] + pad[agent], np.maximum(distance - 0.005, 0.0))
    room = np.maximum(distance * distance - contact * contact, 1e-6)
    axes = [picked(axis, agent) for axis in frame]
    return Others(
        [table(dot(offset, axis)) for axis in axes], [table(dot(drift, axis)) for axis in axes], table(room, 1.0)
    )
