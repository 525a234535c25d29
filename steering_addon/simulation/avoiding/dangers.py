"""How dangerous velocities are: how soon each leads to a contact with other agents or with obstacles.

All others are expected to keep the velocity they are about to have. The time t to a contact of two discs is the first
root of

    |offset - relative t|^2 = contact^2        relative = velocity / share + drift

and its danger is 1 / t - 1 / horizon where that is positive: it rises from 0 at the horizon to 1 / SOONEST.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.vectors import EPSILON, Rows, Scalars, Vectors, dot, firsts, magnitude, picked, unit, which
from ..geometry.obstacles import Obstacles
from ..nearby.neighbors import Near
from ..world import Agents, World
from .costs import COSTS, Costs
from .tried_velocities import Components, length

SOONEST = 0.1
"""Seconds: danger rises no further for nearer contacts. It is the default time between two decisions, so a nearer one
comes before the agent can decide again. Obstacles do not yield, so half of that holds for them."""
MOST = 6
"""Number of others per agent that are considered: six equal discs fit round one in the plane, and the next stand behind
them. In space twelve balls fit, but flyers rarely stay that close and each costs as much time as on the ground."""
LEAST_ROOM = 1e-6
"""Square metres: keeps `room` positive for bodies that overlap; 1 mm squared."""


@dataclass(frozen=True)
class Walls:
    """The obstacles that agents might hit soon, as p pairs.

    Attributes:
        obstacles: all obstacles.
        agent: (p,) row of the agent; non-decreasing.
        row: (p,) row of the obstacle.
        costs: the constants of the choice.
    """

    obstacles: Obstacles
    agent: Rows
    row: Rows
    costs: Costs = COSTS

    @classmethod
    def about(cls, world: World, agents: Agents, costs: Costs = COSTS) -> Walls:
        """The obstacles that agents could reach within `wall_time`, without those they carry."""
        obstacles = world.obstacles
        if not len(obstacles):
            return cls(obstacles, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), costs)
        agent, row = obstacles.near(agents.position, agents.radius + costs.wall_time * agents.max_speed)
        others = obstacles.carrier[row] != agents.rows[agent]
        return cls(obstacles, agent[others], row[others], costs)

    def danger(self, agents: Agents, velocity: Vectors, chooser: Rows) -> Scalars:
        """The danger of the first contact with an obstacle.

        Args:
            velocity: (m, 3) velocities to try, m/s.
            chooser: (m,) the agent, from 0, that would take up each.

        Returns:
            (m,) wall_danger max(1 / t - 1 / wall_time, 0), where t is at least SOONEST / 2.
        """
        number = np.bincount(self.agent, minlength=len(agents))[chooser]
        ends = np.cumsum(number)
        tried = np.repeat(np.arange(len(chooser)), number)
        pair = np.arange(len(tried)) + (np.searchsorted(self.agent, chooser) - (ends - number))[tried]
        row, agent = self.row[pair], self.agent[pair]
        course = picked(velocity, tried) - picked(self.obstacles.velocity, row)
        speed = magnitude(course)
        reach, furthest = agents.radius[agent], speed * self.costs.wall_time
        distance, _ = self.obstacles.touch(picked(agents.position, agent), unit(course), reach, row, furthest)
        time = np.where(speed > EPSILON, distance / np.maximum(speed, EPSILON), np.inf)
        begin = firsts(tried)
        danger = np.zeros(len(chooser))
        if len(begin):
            soonest = np.maximum(np.minimum.reduceat(time, begin), SOONEST / 2.0)
            danger[tried[begin]] = self.costs.wall_danger * np.maximum(1.0 / soonest - 1.0 / self.costs.wall_time, 0.0)
        return danger


@dataclass(frozen=True)
class Others:
    """The K others that each of n agents might meet soonest, by component in the agents' frames.

    Attributes:
        offset: (K, n) per component, to the other, metres.
        drift: (K, n) per component, the part of the relative velocity that does not depend on the choice, m/s.
        room: (K, n) distance^2 - contact^2; positive.
        grazing: (K, n) (contact^2 - touching^2) / room: the ring of the clearance as a share of `room`. Grazing only
            the ring risks little. 0 in space, where bodies have room to keep clear of all of it.
        costs: the constants of the choice.
    """

    offset: Components
    drift: Components
    room: NDArray[np.float64]
    grazing: NDArray[np.float64]
    costs: Costs = COSTS

    @classmethod
    def about(
        cls,
        world: World,
        agents: Agents,
        near: Near,
        frame: tuple[Vectors, ...],
        stride: Scalars,
        pad: Scalars,
        look_ahead_time: Scalars,
        costs: Costs = COSTS,
    ) -> Others:
        """The perceived bodies that each agent could meet soonest, whichever way it turns.

        Args:
            near: the bodies that the agents perceive.
            frame: the axes of the agents' choices, (n, 3) each.
            stride, pad, look_ahead_time: (n,) as of `Choosers`.
        """
        agent, on_ground = near.agent, len(frame) == 2
        velocity = picked(world.bodies.velocity, near.body)
        if on_ground:
            velocity += costs.foreseen * picked(world.bodies.acceleration, near.body)
        radii = agents.radius[agent] + world.bodies.radius[near.body]
        coming = -dot(velocity, near.offset) / near.distance + np.maximum(stride, agents.speed)[agent]
        gap = np.maximum(near.distance - radii, 0.0)
        time = np.where(coming > EPSILON, gap / np.maximum(coming, EPSILON), np.inf)
        possible = which(time < look_ahead_time[agent])
        rank, soonest = _soonest(agent[possible], time[possible], len(agents))
        pair = possible[soonest]
        agent = agent[pair]
        shape = (int(rank.max(initial=-1)) + 1, len(agents))

        def table(values: Scalars, empty: float = 0.0) -> NDArray[np.float64]:
            filled = np.full(shape, empty)
            filled[rank, agent] = values
            return filled

        offset, distance = picked(near.offset, pair), near.distance[pair]
        drift = picked(agents.velocity, agent) * (1.0 - 1.0 / costs.share) - picked(velocity, pair)
        # An agent within the clearance meets a contact only once it comes nearer still, and never before the bodies do.
        touching = radii[pair]
        share = costs.closer if on_ground else 0.0
        closer = np.maximum(distance - share * pad[agent], touching)
        closer = np.minimum(closer, distance - costs.closer_at_least)
        contact = np.minimum(touching + pad[agent], np.maximum(closer, 0.0))
        room = np.maximum(distance * distance - contact * contact, LEAST_ROOM)
        grazing = np.maximum(contact * contact - touching * touching, 0.0) / room * on_ground
        axes = [picked(axis, agent) for axis in frame]
        return cls(
            [table(dot(offset, axis)) for axis in axes],
            [table(dot(drift, axis)) for axis in axes],
            table(room, 1.0),
            table(grazing),
            costs,
        )

    def danger(self, velocity: Components, agent: Rows, look_ahead_time: Scalars) -> Scalars:
        """The danger of the first contact, plus a small share of that of all contacts.

        Args:
            velocity: (m,) per component, velocities to try, m/s.
            agent: (m,) the agent, from 0, that would take up each.
            look_ahead_time: (m,) seconds.

        Returns:
            (m,) max(d) + others sum(d), with d = max(min(1 / t, 1 / SOONEST) - 1 / look_ahead_time, 0) min(depth, 1).
        """
        first, total = np.zeros(len(agent)), np.zeros(len(agent))
        relative = [component / self.costs.share for component in velocity]
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
            met = which((square > 0.0) & (closing > 0.0))
            square = square[met]
            # depth: 0 at the edge of the clearance, 1 where the bodies touch. It makes the cost continuous, so that the
            # cheapest velocity does not jump when the others move a little.
            depth = square / np.maximum(speed_squared[met] * self.grazing[row][agent[met]], EPSILON)
            # 1 / t, the larger root of room x^2 - 2 closing x + speed^2: no division by a relative speed near 0.
            danger = (closing[met] + np.sqrt(square)) / room[met]
            danger = np.maximum(np.minimum(danger, 1.0 / SOONEST) - least[met], 0.0) * np.minimum(depth, 1.0)
            first[met] = np.maximum(first[met], danger)
            total[met] += danger
        return first + self.costs.others * total

    def met(self, rows: Rows, stride: Scalars) -> Others:
        """The others that some agents meet, not those ahead that they overtake; (K, m) tables for m rows.

        Args:
            stride: (m,) m/s.
        """
        offset, drift = ([x[:, rows] for x in parts] for parts in (self.offset, self.drift))
        aside = length([*drift[1:], 0.0 * drift[0]])
        same_way = -drift[0] > np.maximum(self.costs.overtaken * stride, 2.0 * aside)
        met = ~((offset[0] > 0.0) & same_way)
        return Others([x * met for x in offset], drift, self.room[:, rows], self.grazing[:, rows], self.costs)


def _soonest(agent: Rows, time: Scalars, n: int) -> tuple[Rows, Rows]:
    """The MOST pairs of each of n agents that have the shortest times, in the order of these.

    Args:
        agent, time: (p,) of all pairs; seconds.

    Returns:
        rank: (q,) index of the pair among its agent's pairs, from 0; non-decreasing.
        pair: (q,) index of the pair among all.
    """
    # A stable sort of 16-bit integers is a radix sort.
    order = np.argsort(agent.astype(np.uint16) if n <= 2**16 else agent, kind="stable")
    agent = agent[order]
    number = np.bincount(agent, minlength=n)
    begin = np.cumsum(number) - number
    times = np.full((n, int(number.max(initial=0))), np.inf)
    times[agent, np.arange(len(agent)) - begin[agent]] = time[order]
    column = np.argsort(times, axis=1, kind="stable")[:, :MOST].T
    rank, row = np.nonzero(np.arange(len(column))[:, None] < number)
    return rank, order[begin[row] + column[rank, row]]
