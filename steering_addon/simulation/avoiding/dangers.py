"""How dangerous velocities are: how soon each leads to a contact with other agents or with obstacles.

All others are expected to keep the velocity they are about to have. The time t to a contact of two discs is the first
root of

    |offset - relative t|^2 = contact^2        relative = velocity / share + drift

and its danger is 1 / t - 1 / horizon where that is positive: it rises from 0 at the horizon to 1 / SOONEST.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.frozen import Columns
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, everybody, firsts, which
from ..arrays.vectors import Vectors, dot, magnitude, picked, unit
from ..geometry.obstacles import Obstacles
from ..nearby.neighbors import Near
from ..ways.mesh_walls import walls_at
from ..world import Agents, World
from .costs import COSTS, Costs
from .long_bodies import LEAST_ROOM, SOONEST, Long, edges_of
from .tried_velocities import Components, Lag, length

MOST = 6
"""Number of others per agent that are considered: six equal discs fit round one in the plane, and the next stand behind
them. In space twelve balls fit, but flyers rarely stay that close and each costs as much time as on the ground."""

FACES = -0.5
"""The cosine between the wish of an agent and the heading of another down to which that does not face it."""
ALIKE = 0.5
"""The cosine between the wish of an agent and the heading of another, 60 degrees, from which on it queues with it."""
EARLIER = 3.0
"""An obstacle counts earlier for drivers by v^2 / (EARLIER agility): two thirds of the way that they need to stop. By
all of it they would stop beside what they can pass, by half of it they graze what they meet in a bend."""
AT_ONCE = 2**13
"""Pairs of a velocity and another whose danger is computed together at most."""


@dataclass(frozen=True)
class Walls:
    """The obstacles that agents might hit soon, as p pairs.

    Attributes:
        obstacles: all obstacles.
        agent: (p,) row of the agent; non-decreasing.
        row: (p,) row of the obstacle.
        until: (p,) metres beyond which a contact counts only where the agent cannot stop before: as far as its way
            leads straight on, 0 for one that is held up. Inf for obstacles that move.
        costs: the constants of the choice.
        slides: (p,) whether a contact counts by how far the agent goes into the obstacle instead of along it, as for
            those that are held up: it may be in a door hardly wider than itself. None for none.
    """

    obstacles: Obstacles
    agent: Rows
    row: Rows
    until: Scalars
    costs: Costs = COSTS
    slides: Mask | None = None

    @classmethod
    def about(
        cls, world: World, agents: Agents, ahead: Scalars, costs: Costs = COSTS, held_up: Mask | None = None
    ) -> "Walls":
        """The obstacles that agents could reach within `wall_time`, without those they carry.

        Args:
            ahead: (n,) how far their ways lead straight on, metres.
            held_up: (n,) the agents that are; None for none.
        """
        obstacles = world.obstacles
        if everybody(agents.on_the_level):
            obstacles = walls_at(obstacles, agents.position, agents.radius, agents.stature)
        if not len(obstacles):
            return cls(obstacles, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), costs)
        agent, row = obstacles.near(agents.position, agents.extent + costs.wall_time * agents.max_speed, agents.stature)
        others = obstacles.carrier[row] != agents.rows[agent]
        agent, row = agent[others], row[others]
        slides = None if held_up is None else held_up[agent]
        until = ahead[agent] if slides is None else np.where(slides, 0.0, ahead[agent])
        return cls(obstacles, agent, row, np.where(obstacles.stand[row], until, np.inf), costs, slides)

    def danger(
        self,
        agents: Agents,
        start: Vectors,
        velocity: Vectors,
        chooser: Rows,
        begins: Scalars | None = None,
        ends: Scalars | None = None,
    ) -> Scalars:
        """The danger of the first contact with an obstacle.

        Args:
            start: (m, 3) where the courses begin, metres.
            velocity: (m, 3) velocities to try, m/s.
            chooser: (m,) the agent, from 0, that would take up each.
            begins, ends: (m,) when the courses begin and end, seconds from now; None for now, and for never.

        Returns:
            (m,) wall_danger max(1 / t - 1 / wall_time, 0), where t is at least SOONEST / 2; of one that slides, times
            the square of the share of its speed that goes into the obstacle.
        """
        number = np.bincount(self.agent, minlength=len(agents))[chooser]
        last = np.cumsum(number)
        tried = np.repeat(np.arange(len(chooser)), number)
        if not len(tried):
            return np.zeros(len(chooser))
        pair = np.arange(len(tried)) + (np.searchsorted(self.agent, chooser) - (last - number))[tried]
        row, agent = self.row[pair], self.agent[pair]
        course = picked(velocity, tried) - picked(self.obstacles.velocity, row)
        speed = magnitude(course)
        reach, furthest = agents.radius[agent], speed * self.costs.wall_time
        position, direction = picked(start, tried), unit(course)
        stature = agents.stature.take(agent)
        distance, normal = self.obstacles.touch(position, direction, reach, row, furthest, stature)
        half = agents.vehicle.half_axis
        if half is not None:
            nose = position + picked(agents.forward, agent) * half[agent, None]
            at_nose, there = self.obstacles.touch(nose, direction, reach, row, furthest, stature)
            normal = np.where((at_nose < distance)[:, None], there, normal)
            distance = np.minimum(distance, at_nose)
        to_stop = 0.5 * speed * speed / np.maximum(agents.agility[agent], EPSILON)
        distance = np.where(distance > np.maximum(self.until[pair], to_stop), np.inf, distance)
        drives = np.isfinite(agents.handling.axle[agent])
        stopping = np.where(drives, speed * speed / np.maximum(EARLIER * agents.agility[agent], EPSILON), 0.0)
        distance = np.maximum(distance - stopping, 0.0)
        time = np.where(speed > EPSILON, distance / np.maximum(speed, EPSILON), np.inf)
        if begins is not None:
            time = time + begins[tried]
        if ends is not None:
            time = np.where(time < ends[tried], time, np.inf)
        begin = firsts(tried)
        danger = np.zeros(len(chooser))
        if len(begin):
            soon = np.maximum(1.0 / np.maximum(time, SOONEST / 2.0) - 1.0 / self.costs.wall_time, 0.0)
            if self.slides is not None:
                into = dot(direction, normal)
                soon = np.where(self.slides[pair], soon * into * into, soon)
            danger[tried[begin]] = self.costs.wall_danger * np.maximum.reduceat(soon, begin)
        return danger


@dataclass(frozen=True)
class _Pairs(Columns):
    """The p pairs of an agent and a body that it perceives.

    Attributes:
        agent, body: (p,) rows of agents and of bodies.
        offset: (p, 3) from one to the other, along the ground if they walk on it, metres.
        velocity: (p, 3) which the body is about to have, m/s.
        distance, touching: (p,) of their axes, metres, and that at which they touch.
        closing: (p,) m/s at which the body comes to where the agent is.
    """

    agent: Rows
    body: Rows
    offset: Vectors
    velocity: Vectors
    distance: Scalars
    touching: Scalars
    closing: Scalars

    @classmethod
    def of(cls, world: World, agents: Agents, near: Near, costs: Costs, *, on_ground: bool) -> "_Pairs":
        agent, body, offset, distance = near.agent, near.body, near.offset, near.distance
        velocity = picked(world.bodies.velocity, body)
        if on_ground:
            velocity += costs.foreseen * picked(world.bodies.acceleration, body)
        if on_ground and world.slope is not None:
            offset = world.along_ground(offset, agents.rows[agent])
            distance = np.maximum(magnitude(offset), EPSILON)
        apart = offset
        if world.bodies.half_axis is not None:
            apart = world.bodies.between(offset, agents.rows[agent], body)
            distance = np.maximum(magnitude(apart), EPSILON)
        touching = agents.radius[agent] + world.bodies.radius[body]
        return cls(agent, body, offset, velocity, distance, touching, -dot(velocity, apart) / distance)

    def soonest(self, agents: Agents, stride: Scalars, look_ahead_time: Scalars) -> tuple[Rows, "_Pairs"]:
        """The pairs that could meet soonest, whichever way agents turn, and the rank of each among those of its agent.
        `stride`, `look_ahead_time`: (n,) as of `Choosers`."""
        closing = self.closing + np.maximum(stride, agents.speed)[self.agent]
        gap = np.maximum(self.distance - self.touching, 0.0)
        time = np.where(closing > EPSILON, gap / np.maximum(closing, EPSILON), np.inf)
        possible = which(time < look_ahead_time[self.agent])
        rank, soonest = _soonest(self.agent[possible], time[possible], len(agents))
        return rank, self.take(possible[soonest])


@dataclass(frozen=True)
class Others:
    """The K others that each of n agents might meet soonest, by component in the agents' frames.

    Attributes:
        offset: (K, n) per component, to the other, metres.
        drift: (K, n) per component, the part of the relative velocity that does not depend on the choice, m/s.
        room: (K, n) distance^2 - contact^2; positive.
        grazing: (K, n) (contact^2 - touching^2) / room: the ring of the clearance as a share of `room`. Grazing only
            the ring risks little. 0 in space, where bodies have room to keep clear of all of it.
        either_side: (K, n) whether it is passed on either side if it is ahead: one that goes the same way, and by
            who steps aside one that neither comes nor faces towards it.
        costs: the constants of the choice.
        long: their shapes; None if all bodies are spheres.
    """

    offset: Components
    drift: Components
    room: NDArray[np.float64]
    grazing: NDArray[np.float64]
    either_side: Mask
    costs: Costs = COSTS
    long: Long | None = None

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
        queueing: Scalars | None = None,
    ) -> "Others":
        """The perceived bodies that each agent could meet soonest, whichever way it turns. `near`: the bodies that the
        agents perceive; `frame`: the axes of the agents' choices, (n, 3) each; `stride`, `pad`, `look_ahead_time`,
        `queueing`: (n,) as of `Choosers`."""
        on_ground = len(frame) == 2
        perceived = _Pairs.of(world, agents, near, costs, on_ground=on_ground)
        rank, pairs = perceived.soonest(agents, stride, look_ahead_time)
        agent, body, distance, touching = pairs.agent, pairs.body, pairs.distance, pairs.touching
        shape = (int(rank.max(initial=-1)) + 1, len(agents))

        def table(values: Scalars, empty: float = 0.0) -> Scalars:
            filled = np.full(shape, empty)
            filled[rank, agent] = values
            return filled

        drift = picked(agents.velocity, agent) * (1.0 - 1.0 / costs.share) - pairs.velocity
        # An agent within the clearance meets a contact only once it comes nearer still, and never before the bodies do.
        # Companions are as far away as they want: what matters is that they do not touch. Who steps aside keeps room
        # for that from those on their way among whom it queues, even if it is held up.
        steps_aside = agents.handling.side_step > 0.0
        heads = dot(picked(world.bodies.forward, body), picked(frame[0], agent))
        queues = steps_aside[agent] & (heads > ALIKE) & np.isfinite(world.way_left[body])
        pad = np.where(queues, (pad if queueing is None else queueing)[agent], pad[agent])
        pad = np.where(agents.accompany(agent, body), 0.0, pad)
        share = costs.closer if on_ground else 0.0
        closer = np.maximum(distance - share * pad, touching)
        closer = np.minimum(closer, distance - costs.closer_at_least)
        contact = np.minimum(touching + pad, np.maximum(closer, 0.0))
        room = np.maximum(distance * distance - contact * contact, LEAST_ROOM)
        grazing = np.maximum(contact * contact - touching * touching, 0.0) / room * on_ground
        axes = [picked(axis, agent) for axis in frame]
        along, speeds = ([table(dot(vector, axis)) for axis in axes] for vector in (pairs.offset, drift))
        gains = costs.overtaken * stride
        either_side = -speeds[0] > np.maximum(gains, 2.0 * length([*speeds[1:], 0.0 * speeds[0]]))
        if on_ground and anybody(steps_aside):
            either_side = np.where(steps_aside, (speeds[0] < gains) & (table(heads) > FACES), either_side)
        if world.bodies.half_axis is None:
            return cls(along, speeds, table(room, 1.0), table(grazing), either_side, costs)
        # Each as a capsule of two edges.
        edges = edges_of(world, agents, agent, body, pairs.offset)
        middle, direction = (
            [np.concatenate([table(dot(vector, axis)) for vector in vectors]) for axis in axes]
            for vectors in zip(*((edge.middle, edge.axis) for edge in edges))
        )
        contact_squared, ring = (
            np.tile(table(column), (2, 1))
            for column in (contact * contact, (contact * contact - touching * touching) * on_ground)
        )
        long = Long(direction, np.concatenate([table(edge.half) for edge in edges]), contact_squared, ring)
        *speeds, room, grazing = (np.tile(column, (2, 1)) for column in (*speeds, table(room, 1.0), table(grazing)))
        return cls(middle, speeds, room, grazing, np.tile(either_side, (2, 1)), costs, long)

    def danger(
        self,
        velocity: Components,
        agent: Rows,
        look_ahead_time: Scalars,
        lag: Lag | None = None,
        latest: Scalars | None = None,
    ) -> Scalars:
        """The danger of the first contact, plus a small share of that of all contacts. Returns (m,) max(d) + others
        sum(d), with d = max(min(1 / t, 1 / SOONEST) - 1 / look_ahead_time, 0) min(depth, 1).

        Args:
            velocity: (m,) per component, velocities to try, m/s.
            agent: (m,) the agent, from 0, that would take up each.
            lag: how far they are behind the velocities, for those that turn on a circle; long bodies count as without.
            latest: (m,) seconds beyond which contacts of those do not count; None for none.
        """
        first, total = np.zeros(len(agent)), np.zeros(len(agent))
        relative = [component / self.costs.share for component in velocity]
        least = 1.0 / look_ahead_time
        chord = None if lag is None else [component / self.costs.share for component in lag.chord(velocity)]
        # All at once for a few agents, where the calls take the time; one after the other for many.
        at_once = max(AT_ONCE // max(len(agent), 1), 1)
        for low in range(0, len(self.room), at_once):
            rows = slice(low, low + at_once)
            if self.long is not None:
                dangers = self._danger_of_long(self.long, rows, relative, agent, least)
            elif lag is None or chord is None:
                dangers = self._danger_now(rows, relative, agent, least)
            else:
                dangers = self._danger_after(lag, rows, (chord, relative), agent, least, latest)
            for danger in dangers:
                first = np.maximum(first, danger)
                total += danger
        return first + self.costs.others * total

    def _danger_now(self, rows: slice, relative: Components, agent: Rows, least: Scalars) -> NDArray[np.float64]:
        """The danger of some rows of others for those that take up a velocity immediately, (k, m)."""
        room = self.room[rows].take(agent, axis=1)
        closing, speed_squared = np.zeros(room.shape), np.zeros(room.shape)
        for component, offset, drift in zip(relative, self.offset, self.drift):
            along = drift[rows].take(agent, axis=1)
            along += component
            speed_squared += along * along
            along *= offset[rows].take(agent, axis=1)
            closing += along
        speed_squared *= room
        square = closing * closing
        square -= speed_squared
        met = ((square > 0.0) & (closing > 0.0)).nonzero()
        square, room = square[met], room[met]
        # depth: 0 at the edge of the clearance, 1 where the bodies touch. It makes the cost continuous, so that the
        # cheapest velocity does not jump when the others move a little.
        grazing = self.grazing[rows][met[0], agent[met[1]]]
        depth = square / np.maximum(speed_squared[met] * grazing, EPSILON)
        # 1 / t, the larger root of room x^2 - 2 closing x + speed^2: no division by a relative speed near 0.
        soon = (closing[met] + np.sqrt(square)) / room
        danger = np.zeros(closing.shape)
        danger[met] = np.maximum(np.minimum(soon, 1.0 / SOONEST) - least[met[1]], 0.0) * np.minimum(depth, 1.0)
        return danger

    def _danger_after(
        self,
        lag: Lag,
        rows: slice,
        relative: tuple[Components, Components],
        agent: Rows,
        least: Scalars,
        latest: Scalars | None,
    ) -> NDArray[np.float64]:
        """As `_danger_now`, for those that turn first, (k, m). `relative`: their velocities over `share`, until the
        turns end and after them; `latest`: (m,) as of `danger`."""

        def table(column: Scalars) -> Scalars:
            """The entries of each agent in each row, (k, m)."""
            return column[rows].take(agent, axis=1)

        room, offset = table(self.room), [table(component) for component in self.offset]
        ring, drift = room * table(self.grazing), [table(component) for component in self.drift]
        chord, velocity = ([v + other for v, other in zip(part, drift)] for part in relative)
        begin, shifted = [d - start for d, start in zip(offset, lag.behind)], room.copy()
        for b, d in zip(begin, offset):
            shifted += b * b - d * d
        turned, ends = (lag.time, np.inf) if latest is None else (np.minimum(lag.time, latest), latest)
        until = _danger_within(offset, chord, room, ring, least, 0.0, turned)
        return np.maximum(until, _danger_within(begin, velocity, shifted, ring, least, lag.time, ends))

    def _danger_of_long(
        self, long: Long, rows: slice, relative: Components, agent: Rows, least: Scalars
    ) -> NDArray[np.float64]:
        """As `_danger_now`, of long bodies."""
        drift, offset = ([x[rows].take(agent, axis=1) for x in parts] for parts in (self.drift, self.offset))
        velocity = [(component + other).ravel() for component, other in zip(relative, drift)]
        danger = np.zeros(drift[0].shape)
        met, soon = long.danger(rows, [component.ravel() for component in offset], velocity, agent, least)
        danger.reshape(-1)[met] = soon
        return danger

    def met(self, rows: Rows) -> "Others":
        """The others that some agents meet, not those ahead that are passed on either side; (K, m) tables."""
        offset, drift = ([x[:, rows] for x in parts] for parts in (self.offset, self.drift))
        room, grazing, either_side = self.room[:, rows], self.grazing[:, rows], self.either_side[:, rows]
        met = ~((offset[0] > 0.0) & either_side)
        long = None if self.long is None else self.long.take(rows)
        return Others([x * met for x in offset], drift, room, grazing, either_side, self.costs, long)


def _danger_within(
    offset: Components,
    velocity: Components,
    room: NDArray[np.float64],
    ring: NDArray[np.float64],
    least: Scalars,
    begins: Scalars | float,
    ends: Scalars | float,
) -> NDArray[np.float64]:
    """The danger of contacts between two times, (k, m).

    Args:
        offset, velocity: (k, m) per component, metres, m/s relative to the other.
        room: (k, m) distance^2 - contact^2; negative for one that begins inside.
        ring: (k, m) contact^2 - touching^2.
        least: (m,) 1 / look-ahead time.
    """
    (x, y), (to_x, to_y) = velocity, offset
    closing, speed_squared = x * to_x + y * to_y, x * x + y * y
    square, danger = closing * closing - speed_squared * room, np.zeros(room.shape)
    # Others that it parts from are not met, unless it begins inside.
    met = ((square > 0.0) & ((closing > 0.0) | (room < 0.0))).nonzero()
    square, speed_squared, closing = square[met], np.maximum(speed_squared[met], EPSILON), closing[met]
    root, begins, ends = (
        np.sqrt(square),
        *(time if isinstance(time, float) else time[met[1]] for time in (begins, ends)),
    )
    time = np.maximum((closing - root) / speed_squared, begins)
    counts = (closing + root > time * speed_squared) & (time < ends)
    depth = square / np.maximum(speed_squared * ring[met], EPSILON)
    soon = 1.0 / np.maximum(time, SOONEST) - least[met[1]]
    danger[met] = np.where(counts, np.maximum(soon, 0.0) * np.minimum(depth, 1.0), 0.0)
    return danger


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
