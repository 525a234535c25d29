"""Explore (paper, Wander: exhaustively cover a region of space)."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..simulation.arrays.chance import mix, uniform
from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars, clamp
from ..simulation.arrays.vectors import Vectors, columns, dot, magnitude, picked, unit
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import length, region
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World

CELLS = 12
"""Cells along each axis of a region, for each of which the crowd records how long it has been seen."""
ALL_CELLS = CELLS * CELLS * CELLS
BLOCK = 256
"""Agents that are computed together at most."""
OLD = 4.0
"""Cost of a cell that has been seen for t seconds: OLD cruise_speed t metres, in addition to the size of the region. So
the least seen cell comes first."""
TURNING = 0.5
"""Relative cost added to the distance of a cell at right angles to the heading; twice as much behind."""
AFTER = 0.5
"""Seconds between two decisions of an agent."""
PATIENCE = 3.0
"""Multiple of the time of the straight way, plus a second, after which an agent gives a cell up."""
LONGEST = 1e6
"""Seconds: the longest time of a straight way, for agents that cannot move."""
TASTE = 0xE5
"""Salt of the random keys of an agent's preferences and of the times of its decisions."""


@dataclass(frozen=True)
class Exploring(Memory):
    """The cell that each agent goes to.

    Attributes:
        region: (n,) the row of the region that it covers, -1 before it has a goal.
        goal: (n,) the cell of the region that it goes to, -1 before it has a goal.
        known: (n,) how long that cell had been seen when it was chosen, seconds.
        until: (n,) the time at which it gives the cell up, seconds.
    """

    region: Rows = remembered(-1)
    goal: Rows = remembered(-1)
    known: Scalars = remembered(0.0)
    until: Scalars = remembered(0.0)


@dataclass(frozen=True)
class Explore(Behavior):
    """Cover a region: go where no vehicle of the crowd has been yet.

    The crowd remembers how long each part of the region has been seen. Each agent heads for a part that has not been
    seen, preferably near, ahead, claimed by few others and to its random taste, until a vehicle has seen it. Once all
    parts have been seen it heads for the part seen least. Does nothing without a region.
    """

    name = "explore"
    label = "Explore"
    term = "explore"
    intent = Intent.GO
    remembers = Exploring
    by_chance = True

    region: Rows = region("Region to cover; empty: the nearest region")
    view_distance: Number = length(2.0, "Distance within which it sees a part of the region", label="Sees Up To")

    def steer(self, world: World, agents: Agents, memory: Exploring) -> Steering:
        force, tallies = agents.none(), {}
        for row in np.unique(self.region[self.region >= 0]).tolist():
            mask = self.region == row
            name = f"seen of region {row} by crowd {world.bodies.crowd[agents.rows[0]]}"
            places = world.regions.places(_middles(), row)
            seen = world.tallies.get(name, np.zeros(ALL_CELLS))
            memory = _chosen(world, agents, row, mask, places, seen, memory)
            goal = np.where(mask[:, None], picked(places, np.maximum(memory.goal, 0)), np.nan)
            way = agents.level(world.by_way(agents, goal) - agents.position)
            seeking = agents.steering_to(unit(way) * agents.cruise_speed[:, None])
            force = np.where(mask[:, None], seeking, force)
            tallies[name] = self._in_view(world, agents, row, mask) * world.dt
        return Steering(force, memory, tallies, sets_speed=self.region >= 0)

    def _in_view(self, world: World, agents: Agents, region: int, mask: Mask) -> Scalars:
        """The number of agents, of those in a mask (n,), that see each cell of a region or are in it; (cells,)."""
        rows = np.flatnonzero(mask)
        shares = picked(world.regions.shares(agents.position, region), rows)
        half = world.regions.half[region]
        along = [half[axis] * (_shares_along()[None] - shares[:, axis, None]) for axis in range(3)]
        squared = [distance * distance for distance in along]
        # Grounded agents see cells of any height: the offset along the region's most upright axis does not count.
        steepness = np.abs(dot(world.regions.axes[region][None], agents.upward_of(rows)[:, None]))
        upright = agents.grounded[rows, None] & (np.argmax(steepness, axis=1)[:, None] == np.arange(3))
        squared = [np.where(upright[:, axis, None], 0.0, squared[axis]) for axis in range(3)]
        furthest = (self.view_distance * self.view_distance)[rows]
        cell = np.floor((shares + 1.0) * (CELLS / 2.0))
        inside = ((cell >= 0.0) & (cell < CELLS)).all(axis=1)
        x, y, z = clamp(cell[inside], 0.0, CELLS - 1.0).astype(np.int64).T
        count = np.bincount((x * CELLS + y) * CELLS + z, minlength=ALL_CELLS)
        for low in range(0, len(rows), BLOCK):
            x, y, z = (d[low : low + BLOCK] for d in squared)
            distance = x[:, :, None, None] + y[:, None, :, None] + z[:, None, None, :]
            near = distance < furthest[low : low + BLOCK, None, None, None]
            count += np.count_nonzero(near, axis=0).ravel()
        return count.astype(np.float64)


def _chosen(
    world: World, agents: Agents, region: int, mask: Mask, places: Vectors, seen: Scalars, memory: Exploring
) -> Exploring:
    """The memory after the agents of a mask (n,) that need a cell of a region have chosen one. `places`: (cells, 3) the
    middles of the cells, metres; `seen`: (cells,) how long each has been seen, seconds."""
    goal = np.maximum(memory.goal, 0)
    known = (memory.goal >= 0) & (memory.region == region)
    late = world.time >= memory.until
    # Agents decide at different times, knowing the goals of others.
    phase = uniform(mix(agents.keys, TASTE)) + world.time / AFTER
    decides = np.floor(phase + world.dt / AFTER) > np.floor(phase)
    new = np.flatnonzero(mask & (~known | (decides & (late | (seen[goal] > memory.known)))))
    is_in_region = (np.abs(world.regions.shares(agents.position, region)) <= 1.0).all(axis=1)
    part = np.where(mask & known & is_in_region, _parts()[goal], -1)
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


def _costs(agents: Agents, rows: Rows, places: Vectors, seen: Scalars, across: float) -> tuple[Scalars, Scalars]:
    """The cost of each place for the agents of some rows (m,), and its distance, (m, cells) metres each."""
    gaps = columns(*(places[None, :, axis] - agents.position[rows, axis, None] for axis in range(3)))
    gaps = agents.level_of(gaps, rows)
    distance = magnitude(gaps)
    ahead = dot(gaps, agents.forward[rows, None])
    turning = 1.0 + TURNING * (1.0 - ahead / np.maximum(distance, EPSILON))
    cells = np.arange(len(places), dtype=np.uint64)
    taste = 0.6 + 0.8 * uniform(mix(mix(agents.keys[rows], TASTE)[:, None], cells[None]))
    old = np.where(seen > 0.0, across + OLD * agents.cruise_speed[rows, None] * seen, 0.0)
    return distance * turning * taste + old, distance


def _claimed(part: Rows, rows: Rows) -> Scalars:
    """The share of the other agents that are on their way to the part of the region that each cell is in, (m, cells).
    `part`: (n,) the part that each agent is on its way to, -1 for none; `rows`: (m,) the agents for which the others
    are counted."""
    count = np.bincount(part[part >= 0], minlength=int(_parts().max()) + 1).astype(np.float64)
    claimed = part[rows]
    others = count[_parts()][None] - (claimed[:, None] == _parts()[None])
    claimants = np.count_nonzero(part >= 0) - (claimed >= 0)
    return others / np.maximum(claimants, 1)[:, None]


@cache
def _parts() -> Rows:
    """(cells,) the part of the region that each cell is in: a column of three by three cells along its third axis."""
    along = np.arange(CELLS) // 3
    blocks = CELLS // 3
    x, y = along.repeat(CELLS * CELLS), np.tile(along.repeat(CELLS), CELLS)
    return x * blocks + y


@cache
def _shares_along() -> Scalars:
    """(CELLS,) the middles of the cells along an axis, as shares of the region from -1 to 1."""
    return (np.arange(CELLS) + 0.5) * (2.0 / CELLS) - 1.0


@cache
def _middles() -> Vectors:
    """(cells, 3) the middles of all cells, as shares of the region from -1 to 1."""
    along = _shares_along()
    x = along.repeat(CELLS * CELLS)
    y = np.tile(along.repeat(CELLS), CELLS)
    return columns(x, y, np.tile(along, CELLS * CELLS))
