"""Cohesion (paper, Cohesion)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Number, Rows, Scalars, anybody, clamp, same_for_all, totals, which
from ..simulation.arrays.vectors import Vectors, columns, magnitude, picked, truncate
from ..simulation.behavior import Intent, Steering
from ..simulation.declaration import Choice, acceleration, choice, length
from ..simulation.maneuvers.chasing import turn_to
from ..simulation.maneuvers.neighborhood import Neighborhood, fade
from ..simulation.nearby.groups import Groups, find_roots
from ..simulation.nearby.neighbors import CHOSEN_CROWD, Neighbors
from ..simulation.roles import Role
from ..simulation.world import Agents, World

PARTS = 8
"""The number of parts of a crowd, the largest ones, that the others return to."""
WIDTH = 1.3
"""From the middle of a part to its edge, in units of its extent (root mean square distance): that of a ball."""
FORESIGHT = 2.0
"""Seconds ahead that parts look at each other's positions, so that they meet softly."""
HARDEST = 5.0
"""Times its weight with which a part returns at most: one that has fled would fly on for long before it has turned."""
LEAST = 0.5
"""Share of a crowd up to which a part returns with full weight; the larger a larger part is, the more it waits."""

METHODS = (
    Choice("OFFSET", 0, "Drawn There", "The pull of the middle fades as it gets nearer (Reynolds: original boids)"),
    Choice("SEEK", 1, "Turns There", "It turns toward the middle at its own pace, at any distance (Reynolds: seek)"),
)
OFFSET, SEEK = (c.number for c in METHODS)


@dataclass(frozen=True)
class Cohesion(Neighborhood):
    """Stay together with others nearby.

    Steers toward the middle of its neighbors, with full weight if that is at least half the distance away. Optionally
    it seeks the middle at its own pace. If the crowd has split, around a tower for example, each part returns to the
    others as a whole; the smaller it is, and the farther away, the harder it steers, with up to five times the weight,
    and the less its neighbors count. Does nothing for an agent without neighbors or in their middle, and, when seeking,
    for an agent that heads for the middle.
    """

    name = "cohesion"
    label = "Stay Together"
    term = "cohesion"
    intent = Intent.WITH
    keeps_order = True

    weight: Number = acceleration(3.0, "Strongest steering")
    method: Rows = choice("OFFSET", "How it steers to the middle", METHODS)
    rejoin_distance: Number = length(
        30.0,
        "How far away another part of its crowd may be for it to return there; 0: it never returns",
        label="Rejoin Within",
    )

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        neighbors = self.near(world, agents)
        half = np.maximum(self.distance / 2.0, EPSILON)[:, None]
        offset = neighbors.average_offset()
        to_middle = fade(offset / half)
        seeking = self.method == SEEK
        if anybody(seeking):
            to_middle = np.where(seeking[:, None], turn_to(offset, agents), to_middle)
        to_others = self._to_others(neighbors, world, agents)
        # Else the foremost waits for one behind it, which keeps apart from it: neither returns.
        to_middle = to_middle * np.maximum(1.0 - magnitude(to_others), 0.0)[:, None]
        return Steering((to_middle + to_others) * agents.mass[:, None])

    def _to_others(self, neighbors: Neighbors, world: World, agents: Agents) -> Vectors:
        """The steering toward parts of the crowd out of sight, (n, 3) of its weight; zero for an undivided crowd."""
        looking = (self.rejoin_distance > 0.0) & (self.distance > 0.0) & (self.neighbors != CHOSEN_CROWD)
        if not anybody(looking):
            return agents.none()
        bodies = world.bodies
        own_crowd = (bodies.crowd == bodies.crowd[agents.rows[0]]) & ((bodies.roles & int(Role.VEHICLE)) != 0)
        members = which(own_crowd & bodies.present)
        root = find_roots(len(bodies.crowd), neighbors.links(agents.rows), members)
        if (root[members] == root[members[0]]).all():
            return agents.none()
        parts = Groups.by(root[members], picked(bodies.position, members), picked(bodies.velocity, members))
        part = parts.of[np.searchsorted(members, agents.rows)]
        if same_for_all(self.rejoin_distance) and same_for_all(self.distance):
            all_parts = np.arange(len(parts))
            to_others = picked(_to_other_parts(parts, all_parts, self.rejoin_distance[:1], self.distance[:1]), part)
        else:
            to_others = _to_other_parts(parts, part, self.rejoin_distance, self.distance)
        return np.where(looking[:, None], to_others, 0.0)


def _to_other_parts(parts: Groups, part: Rows, rejoin_distance: Scalars, distance: Scalars) -> Vectors:
    """The steering from some parts of a crowd, (k,), toward the others; (k, 3), at most HARDEST long."""
    position, velocity = parts.position[part], parts.velocity[part]
    extent, size = parts.extent[part], parts.size[part]
    targets = parts.largest(PARTS)
    offset = columns(*(parts.position[targets, axis][:, None] - position[:, axis] for axis in range(3)))
    gap = magnitude(offset) - WIDTH * (parts.extent[targets][:, None] + extent)
    near_enough = clamp(2.0 - 2.0 * gap / np.maximum(rejoin_distance, EPSILON), 0.0, 1.0)
    count = np.where(part != targets[:, None], near_enough * parts.size[targets][:, None], 0.0)
    target, row = count.nonzero()
    number, drift = count[target, row], picked(parts.velocity, targets[target]) - picked(velocity, row)
    ways = (columns(*(offset[target, row, axis] for axis in range(3))) + FORESIGHT * drift) * number[:, None]
    others = totals(row, number, len(part))
    offsets = columns(*(totals(row, ways[:, axis], len(part)) for axis in range(3)))
    to_others = truncate(offsets / np.maximum(others * distance, EPSILON)[:, None], HARDEST)
    share = clamp(others / np.maximum((others + size) * LEAST, EPSILON), 0.0, 1.0)
    return to_others * share[:, None]
