"""The choice of a velocity: each agent takes the cheapest of those it could take up.

    cost(v) =   |v - wished| / stride
              + change |v - present| / stride
              + pace ||v| - |wished|| / stride                    in space only
              - (right + right_when_blocked b) s / sqrt(1 + s^2)
              + danger (danger of others + danger of walls)       about 1 / (time to the first contact)

    s = (component of v to the right) / (enough_to_the_right stride)
    b = min(danger of the wished velocity from agents that are met, 1)

For agents that step aside right_by_stepping stands for right_when_blocked.

Turning aside, slowing down, hurrying and stopping all result from that. The term in s keeps two who meet head-on from
both stopping, or both stepping to the same side. costs.py has the constants, dangers.py the danger.

Sources: van den Berg, Lin and Manocha 2008 (reciprocal velocity obstacles), Moussaid, Helbing and Theraulaz 2011
(cost of detours), Karamouzas, Skinner and Guy 2014 (time to contact is what counts).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.frozen import replace
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, which
from ..arrays.vectors import Vectors, cross, dot, magnitude, picked, unit
from ..ground import right_of_heading
from ..nearby.neighbors import Near
from ..world import Agents, World
from .costs import COSTS, Costs
from .dangers import Others, Walls
from .tried_velocities import DIRECTIONS, RINGS, SPEEDS, VARIATIONS, Components, Lag, Lags, length

ABOVE = 0.2
"""Share of the upward component that counts as right, in space: it breaks the tie between over and under for two who
meet at one height. Any share well below 1 does; passing level then stays the rule."""
BLOCK = 2**15
"""Agents times tried velocities that are priced together: 2^15 numbers of 8 bytes are 256 kB, which fits the
processor's second-level cache."""


@dataclass(frozen=True)
class Choosers:
    """Agents that choose a velocity, all on the ground or all in space.

    Attributes:
        agents: the n agents.
        wished: (n, 3) the velocities they wish for, m/s.
        top_speed: (n,) the speed they may not exceed, m/s.
        frame: the axes of each, (n, 3): ahead as wished, to the right and, in space, up.
        stride: (n,) the speed by which velocities are measured, m/s.
        others: the bodies they might meet.
        walls: the obstacles they might hit.
        lags: how they turn on their circles; None if none does.
        until: (n,) metres beyond which a contact with others counts only where an agent cannot stop before; None for
            inf.
        costs: the constants of the choice.
    """

    agents: Agents
    wished: Vectors
    top_speed: Scalars
    frame: tuple[Vectors, ...]
    stride: Scalars
    others: Others
    walls: Walls
    look_ahead_time: Scalars
    lags: Lags | None = None
    until: Scalars | None = None
    costs: Costs = COSTS

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
        ahead: Scalars,
        held_up: Mask | None = None,
        costs: Costs = COSTS,
        queueing: Scalars | None = None,
    ) -> "Choosers":
        """The choosers among what they perceive.

        Args:
            near: the bodies they perceive.
            top_speed: (n,) the speed they may not exceed, m/s.
            pad: (n,) metres to keep free between the bodies.
            ahead: (n,) how far their ways lead straight on, metres; inf where none is planned.
            held_up: (n,) the agents that look for others no further than that, either, and slide along walls; None for
                none. Nobody who turns on a circle looks for them beyond the end of its way.
            queueing: (n,) metres that who steps aside keeps free to those among whom it queues; None for `pad`.
        """
        frame = _frame(agents, wished)
        stride = np.maximum(np.maximum(magnitude(wished), costs.slowest * agents.max_speed), EPSILON)
        others = Others.about(world, agents, near, frame, stride, pad, look_ahead_time, costs, queueing)
        lags = Lags.of(agents, frame)
        walls = Walls.about(world, agents, ahead, costs, held_up)
        until = None if lags is None else _way_that_counts(world, agents)
        if until is not None and held_up is not None:
            until = np.minimum(until, np.where(held_up, ahead, np.inf))
        return cls(agents, wished, top_speed, frame, stride, others, walls, look_ahead_time, lags, until, costs)

    def chosen(self) -> Vectors:
        """The chosen velocities, (n, 3) m/s; to the last bit the wished ones where nothing is in the way."""
        wished, present = self._local(self.wished), self._local(self.agents.velocity)
        n = len(self.agents)
        both, twice = [np.concatenate(pair) for pair in zip(wished, present)], np.concatenate((np.arange(n),) * 2)
        lag = None if self.lags is None else self.lags.of_turns(both, twice)
        straight = self._danger_of_others(both, twice, lag)
        # The agents that meet another look for walls beyond the next turn, too: they may have to give way.
        until = np.where((straight[:n] > 0.0)[self.walls.agent], np.inf, self.walls.until)
        wary = replace(self, walls=replace(self.walls, until=until))
        straight = wary._with_walls(straight, both, twice, lag).reshape(2, n)
        disturbed = which((straight[0] > 0.0) | (straight[1] > 0.0))
        chosen = self.wished.copy()
        size = max(BLOCK // len(DIRECTIONS[len(self.frame)][0]) // len(SPEEDS), 1)
        for low in range(0, len(disturbed), size):
            rows = disturbed[low : low + size]
            velocities = [x[rows] for x in wished], [x[rows] for x in present]
            chosen[rows] = wary._cheapest(rows, *velocities, straight[:, rows])
        return chosen

    def _local(self, velocity: Vectors) -> list[Scalars]:
        return [dot(velocity, axis) for axis in self.frame]

    def _global(self, velocity: Components, agent: Rows) -> Vectors:
        """Velocities by component in the frames of agents (m,), in world space, (m, 3)."""
        parts = [component[:, None] * picked(axis, agent) for component, axis in zip(velocity, self.frame)]
        total = parts[0] + parts[1]
        return total if len(parts) == 2 else total + parts[2]

    def _danger(self, velocity: Components, agent: Rows) -> Scalars:
        """The danger, (m,), of velocities by component, (m,) each, for agents (m,)."""
        lag = None if self.lags is None else self.lags.of_turns(velocity, agent)
        return self._with_walls(self._danger_of_others(velocity, agent, lag), velocity, agent, lag)

    def _danger_of_others(self, velocity: Components, agent: Rows, lag: Lag | None) -> Scalars:
        """As `_danger`, of others only."""
        return self.others.danger(velocity, agent, self.look_ahead_time[agent], lag, self._latest(velocity, agent))

    def _with_walls(self, danger: Scalars, velocity: Components, agent: Rows, lag: Lag | None) -> Scalars:
        """The danger of others, (m,), with that of walls."""
        if not len(self.walls.agent):
            return danger
        start, course = picked(self.agents.position, agent), self._global(velocity, agent)
        if lag is None:
            return danger + self.walls.danger(self.agents, start, course, agent)
        chord = self._global(lag.chord(velocity), agent)
        # The turn and what follows it are looked at together.
        pairs = (start, start + chord * lag.time[:, None]), (chord, course), (np.zeros(len(agent)), lag.time)
        starts, courses, begins = (np.concatenate(pair) for pair in pairs)
        ends = np.concatenate((lag.time, np.full(len(agent), np.inf)))
        of_walls = self.walls.danger(self.agents, starts, courses, np.concatenate((agent, agent)), begins, ends)
        return danger + np.maximum(*of_walls.reshape(2, -1))

    def _latest(self, velocity: Components, agent: Rows) -> Scalars | None:
        """When agents (m,) have come to their next turns, or could stop, seconds; None where that does not count."""
        if self.until is None:
            return None
        speed = np.maximum(length(velocity), EPSILON)
        to_stop = 0.5 * speed * speed / np.maximum(self.agents.agility[agent], EPSILON)
        return np.maximum(self.until[agent], to_stop) / speed

    def _sideways(self, rows: Rows, wished: Components) -> Scalars:
        """The bonus for going right and the cost of going left, (m,)."""
        met = self.others.met(rows)
        lag = None if self.lags is None else self.lags.of_turns(wished, rows)
        danger = met.danger(wished, np.arange(len(rows)), self.look_ahead_time[rows], lag)
        steps_aside = self.agents.handling.side_step[rows] > 0.0
        blocked = np.where(steps_aside, self.costs.right_by_stepping, self.costs.right_when_blocked)
        return self.costs.right + blocked * np.minimum(danger, 1.0)

    def _cheapest(self, rows: Rows, wished: Components, present: Components, straight: NDArray[np.float64]) -> Vectors:
        """The cheapest velocities, (m, 3) m/s: the cheapest in all directions, then the cheapest close round it.
        `rows`: (m,) the agents; `wished`, `present`: (m,) per component, their velocities; `straight`: (2, m) the
        danger of these."""
        costs, stride, top = self.costs, self.stride[rows], self.top_speed[rows]
        sideways = self._sideways(rows, wished)
        every = np.arange(len(rows))

        def harmless(velocity: Components) -> Scalars:
            """The cost without danger of velocities, (..., m) per component."""
            cost = length([c - w for c, w in zip(velocity, wished)]) / stride
            cost += costs.change * length([c - v for c, v in zip(velocity, present)]) / stride
            if len(velocity) == 3:
                cost += costs.pace * np.abs(length(velocity) - length(wished)) / stride
            aside = velocity[1] if len(velocity) == 2 else velocity[1] + ABOVE * velocity[2]
            share = aside / (costs.enough_to_the_right * stride)
            cost -= sideways * share / np.sqrt(1.0 + share * share)
            return cost

        def best(velocity: Components, cheapest: Components, least: Scalars) -> tuple[Components, Scalars]:
            """The cheapest of velocities, (c, m) per component, and of the cheapest before, (m,); and its cost."""
            cost = harmless(velocity)
            # Danger is never negative, so a velocity that is too dear without it is not asked for it.
            open_ = which((cost < least).ravel())
            if not len(open_):
                return cheapest, least
            agent = rows[open_ % len(rows)]
            cost.reshape(-1)[open_] += costs.danger * self._danger([v.reshape(-1)[open_] for v in velocity], agent)
            row = np.argmin(cost, axis=0)
            lowest = cost[row, every]
            better = lowest < least
            cheapest = [np.where(better, v[row, every], c) for v, c in zip(velocity, cheapest)]
            return cheapest, np.minimum(lowest, least)

        directions, variations = DIRECTIONS[len(self.frame)], VARIATIONS[len(self.frame)]
        least = harmless(wished) + costs.danger * straight[0]
        unchanged = harmless(present) + costs.danger * straight[1]
        cheapest: Components = [np.where(unchanged < least, v, w) for w, v in zip(wished, present)]
        tried = [np.concatenate(([0.0], (np.array(SPEEDS)[:, None] * d).ravel()))[:, None] * stride for d in directions]
        held = top < stride
        if held.any():
            tried = [component * np.where(held, top / stride, 1.0) for component in tried]
        cheapest, least = best(tried, cheapest, np.minimum(least, unchanged))
        for ring in RINGS:
            tried = [c + d[:, None] * (ring * stride) for c, d in zip(cheapest, variations)]
            shorter = np.minimum(1.0, top / np.maximum(length(tried), EPSILON))
            cheapest, least = best([component * shorter for component in tried], cheapest, least)
        return self._global(cheapest, rows)


def _way_that_counts(world: World, agents: Agents) -> Scalars:
    """How far agents come until they touch the places where they go, (n,) metres; inf where these move, or where they
    are led on from there. Contacts beyond would keep all of a throng from the one place to which all go."""
    goal = agents.goal if world.ways is None else world.ways.asked(agents.rows, agents.goal)[0]
    moved = goal - picked(world.goal, agents.rows)
    ends = (dot(moved, moved) < EPSILON) & ~agents.intention.leads_on
    return np.where(ends, np.maximum(agents.goal_distance - agents.radius, 0.0), np.inf)


def _frame(agents: Agents, wished: Vectors) -> tuple[Vectors, ...]:
    """The axes of the agents' choices, (n, 3) each: the wished direction, to the right of it and, in space, up."""
    ahead = unit(wished)
    still = magnitude(ahead) < 0.5
    if still.any():
        ahead = np.where(still[:, None], unit(agents.level(agents.forward)), ahead)
    if agents.grounded.all():
        return ahead, agents.left_of(-ahead)
    right, flatness = right_of_heading(ahead, agents.upward)
    right = np.where((flatness <= EPSILON)[:, None], agents.side, right)
    return ahead, right, cross(right, ahead)
