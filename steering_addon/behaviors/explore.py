"""Explore (paper, Wander: exhaustively cover a region of space)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.vectors import (
    EPSILON,
    Mask,
    Number,
    Rows,
    Scalars,
    Vectors,
    clamp,
    columns,
    magnitude,
    picked,
    unit,
)
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import called, length, region
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World

CELLS = 12
"""Cells along each axis of a region in which is noted for how long they were seen."""
ALL_CELLS = CELLS * CELLS * CELLS
BLOCK = 256
"""Agents that are looked after together."""
OLD = 4.0
"""What has been seen is as far away as an explorer goes in this many times the time it was seen, besides being across
the region: so the least seen comes first."""
TURNING = 0.5
"""How much further away seems what is at right angles to the heading; twice as much what is behind."""
AFTER = 0.5
"""Seconds after which each makes up its mind anew, if there is need."""
PATIENCE = 3.0
"""Times as long as the straight way takes, and seconds, after which something else is tried."""
LONGEST = 1e6
"""Seconds; who cannot move is told to wait for so long at most."""
TASTE = 0xE5
"""Salts the keys from which is drawn what each likes, apart from other uses of the same luck."""


@dataclass(frozen=True)
class Exploring(Memory):
    """Where each agent is going.

    Attributes:
        region: (n,) the row of the region it covers, -1 before it has a goal.
        goal: (n,) the cell of the region it goes to, -1 before it has one.
        known: (n,) for how long that cell had been seen when it was chosen, seconds.
        until: (n,) when it gives the cell up, seconds.
    """

    region: Rows = remembered(-1)
    goal: Rows = remembered(-1)
    known: Scalars = remembered(0.0)
    until: Scalars = remembered(0.0)


@dataclass(frozen=True)
class Explore(Behavior):
    """Cover a region: go where nobody of the crowd has been yet.

    The crowd remembers for how long each part of the region was seen. Each agent heads for a part not seen yet, near
    and ahead if there is one, where few others are going and to its own taste, until somebody has seen it; when all is
    seen, for what was seen least. Does nothing without a region.
    """

    name = "explore"
    label = "Explore"
    term = "explore"
    intent = Intent.GO
    remembers = Exploring
    by_chance = True

    region: Rows = region("The region to cover; empty: the nearest region")
    view_distance: Number = called("Sees Up To", length(2.0, "How near it has to come to a place to have seen it"))

    def steer(self, world: World, agents: Agents, memory: Exploring) -> Steering:
        force, tallies = agents.none(), {}
        for row in np.unique(self.region[self.region >= 0]).tolist():
            here = self.region == row
            name = f"seen of region {row} by crowd {world.bodies.crowd[agents.rows[0]]}"
            places = world.regions.places(_middles(), row)
            seen = world.tallies.get(name, np.zeros(ALL_CELLS))
            memory = _chosen(world, agents, row, here, places, seen, memory)
            way = agents.level(picked(places, np.maximum(memory.goal, 0)) - agents.position)
            heading_there = agents.steering_to(unit(way) * agents.cruise_speed[:, None])
            force = np.where(here[:, None], heading_there, force)
            tallies[name] = self._in_view(world, agents, row, here) * world.dt
        return Steering(force, memory, tallies, sets_speed=self.region >= 0)

    def _in_view(self, world: World, agents: Agents, region: int, here: Mask) -> Scalars:
        """(cells,) how many of some agents see each cell of a region; whoever is in it sees it in any case."""
        rows = np.flatnonzero(here)
        shares = picked(world.regions.shares(agents.position, region), rows)
        half = world.regions.half[region]
        along = [half[axis] * (_shares_along()[None] - shares[:, axis, None]) for axis in range(3)]
        squared = [distance * distance for distance in along]
        squared[2] = np.where(agents.vehicle.keep_in_plane[rows, None], 0.0, squared[2])
        furthest = (self.view_distance * self.view_distance)[rows]
        cell = np.floor((shares + 1.0) * (CELLS / 2.0))
        inside = ((cell >= 0.0) & (cell < CELLS)).all(axis=1)
        own = clamp(cell[inside], 0.0, CELLS - 1.0).astype(np.int64)
        count = np.bincount((own[:, 0] * CELLS + own[:, 1]) * CELLS + own[:, 2], minlength=ALL_CELLS)
        for low in range(0, len(rows), BLOCK):
            x, y, z = (d[low : low + BLOCK] for d in squared)
            distance = x[:, :, None, None] + y[:, None, :, None] + z[:, None, None, :]
            near = distance < furthest[low : low + BLOCK, None, None, None]
            count += np.count_nonzero(near, axis=0).ravel()
        return count.astype(np.float64)


def _chosen(
    world: World, agents: Agents, region: int, here: Mask, places: Vectors, seen: Scalars, memory: Exploring
) -> Exploring:
    """The memory in which some agents have a part of a region to go to: the one they had until it is seen."""
    goal = np.maximum(memory.goal, 0)
    known = (memory.goal >= 0) & (memory.region == region)
    late = world.time >= memory.until
    thinks = _thinks(agents.keys, world.time, world.dt)
    new = np.flatnonzero(here & (~known | (thinks & (late | (seen[goal] > memory.known)))))
    there = (np.abs(world.regions.shares(agents.position, region)) <= 1.0).all(axis=1)
    part = np.where(here & known & there, _parts()[goal], -1)
    inside = magnitude(world.regions.way_in(places, np.full(len(places), region))) == 0.0
    for low in range(0, len(new), BLOCK):
        rows = new[low : low + BLOCK]
        across = float(magnitude(world.regions.half[region]))
        cost, distance = _costs(agents, rows, places, seen, across)
        cost += across * _claimed(part, rows)
        cost[:, ~inside] = np.inf if inside.any() else 0.0
        given_up = np.flatnonzero(known[rows] & late[rows])
        cost[given_up, goal[rows[given_up]]] = np.inf
        best = np.argmin(cost, axis=1)
        way = distance[np.arange(len(rows)), best]
        patience = np.minimum(way / np.maximum(agents.cruise_speed[rows], EPSILON), LONGEST) + 1.0
        until = world.time + PATIENCE * patience
        memory = memory.put(rows, Exploring(np.full(len(rows), region), best, seen[best], until))
    return memory


def _thinks(keys: Keys, time: float, dt: float) -> Mask:
    """Who makes up its mind in this step: each at moments of its own, so that it knows what the others are up to."""
    moment = uniform(mix(keys, TASTE)) + time / AFTER
    passed: Mask = np.floor(moment + dt / AFTER) > np.floor(moment)
    return passed


def _costs(agents: Agents, rows: Rows, places: Vectors, seen: Scalars, across: float) -> tuple[Scalars, Scalars]:
    """How little some agents like each place, and how far it is, (m, cells) metres each."""
    gaps = [places[None, :, axis] - agents.position[rows, axis, None] for axis in range(3)]
    gaps[2] = np.where(agents.vehicle.keep_in_plane[rows, None], 0.0, gaps[2])
    distance = np.sqrt(gaps[0] * gaps[0] + gaps[1] * gaps[1] + gaps[2] * gaps[2])
    forward = agents.forward[rows]
    ahead = gaps[0] * forward[:, 0, None] + gaps[1] * forward[:, 1, None] + gaps[2] * forward[:, 2, None]
    turning = 1.0 + TURNING * (1.0 - ahead / np.maximum(distance, EPSILON))
    cells = np.arange(len(places), dtype=np.uint64)
    taste = 0.6 + 0.8 * uniform(mix(mix(agents.keys[rows], TASTE)[:, None], cells[None]))
    old = np.where(seen > 0.0, across + OLD * agents.cruise_speed[rows, None] * seen, 0.0)
    return distance * turning * taste + old, distance


def _claimed(part: Rows, rows: Rows) -> Scalars:
    """(m, cells) how large a share of the others of a crowd is on its way to the same part of a region as each cell is.

    Args:
        part: (n,) to which each agent is on its way, -1 for none.
        rows: (m,) who asks.
    """
    count = np.bincount(part[part >= 0], minlength=int(_parts().max()) + 1).astype(np.float64)
    own = part[rows]
    others = count[_parts()][None] - (own[:, None] == _parts()[None])
    claimants = np.count_nonzero(part >= 0) - (own >= 0)
    return others / np.maximum(claimants, 1)[:, None]


@cache
def _parts() -> Rows:
    """(cells,) which part of a region each cell lies in: a column of three by three cells along its third axis."""
    along = np.arange(CELLS) // 3
    blocks = CELLS // 3
    x, y = along.repeat(CELLS * CELLS), np.tile(along.repeat(CELLS), CELLS)
    return x * blocks + y


@cache
def _shares_along() -> Scalars:
    """(CELLS,) where the middles of the cells are along an axis, as shares of the region."""
    return (np.arange(CELLS) + 0.5) * (2.0 / CELLS) - 1.0


@cache
def _middles() -> Vectors:
    """(cells, 3) the middles of all cells, as shares of the region."""
    along = _shares_along()
    x = along.repeat(CELLS * CELLS)
    y = np.tile(along.repeat(CELLS), CELLS)
    return columns(x, y, np.tile(along, CELLS * CELLS))
