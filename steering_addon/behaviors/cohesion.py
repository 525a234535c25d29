"""Cohesion (paper, Cohesion)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import (
    EPSILON,
    Number,
    Rows,
    Scalars,
    Vectors,
    anybody,
    clamp,
    magnitude,
    no_vectors,
    picked,
    same_for_all,
)
from ..simulation.behavior import Intent, Steering
from ..simulation.declaration import Choice, acceleration, choice, length
from ..simulation.maneuvers.neighborhood import Neighborhood, faded
from ..simulation.maneuvers.pace import turned_to
from ..simulation.nearby.groups import Groups, joined
from ..simulation.nearby.neighbors import CHOSEN_CROWD, Neighbors
from ..simulation.roles import Role
from ..simulation.world import Agents, World

PARTS = 8
"""Of the parts of a crowd so many, the largest, are gone back to."""
WIDTH = 1.3
"""From the middle of a part to its edge, in units of its extent: that of a ball."""
FORESIGHT = 2.0
"""Seconds ahead at which parts that go back to each other look, so that they meet softly."""
LEAST = 0.5
"""Share of a crowd up to which a part goes back with full weight; a larger one waits the more the larger it is."""

METHODS = (
    Choice("OFFSET", 0, "Drawn There", "The middle draws it, the less the nearer it is (Reynolds: original boids)"),
    Choice("SEEK", 1, "Turns There", "It turns toward the middle at its own pace, however near it is (Reynolds: seek)"),
)
OFFSET, SEEK = (c.number for c in METHODS)


@dataclass(frozen=True)
class Cohesion(Neighborhood):
    """Stay together with others nearby.

    Steers toward the middle of those it sees, with full weight where that is half the distance away. By choice it seeks
    the middle instead, and leaves alone who heads there. Does nothing for an agent that sees nobody or is in the
    middle. Where the crowd has come apart, around a tower say, each part goes back to the others as a whole, so that
    it keeps its shape: the smaller it is the harder.
    """

    name = "cohesion"
    label = "Stay Together"
    term = "cohesion"
    intent = Intent.WITH

    weight: Number = acceleration(3.0, "How hard it steers at most")
    method: Rows = choice("OFFSET", "How it comes to the middle", METHODS)
    rejoin_distance: Number = length(
        30.0, "How far away another part of its crowd may be for it to go back there; 0: it never does"
    )

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        neighbors = self.near(world, agents)
        half = np.maximum(self.distance / 2.0, EPSILON)[:, None]
        offset = neighbors.average_offset()
        to_middle = faded(offset / half)
        seeking = self.method == SEEK
        if anybody(seeking):
            to_middle = np.where(seeking[:, None], turned_to(offset, agents), to_middle)
        return Steering(faded(to_middle + self._to_others(neighbors, world, agents)) * agents.mass[:, None])

    def _to_others(self, neighbors: Neighbors, world: World, agents: Agents) -> Vectors:
        """(n, 3), no longer than 1, toward the parts of the crowd that are out of sight; nothing while it is one."""
        looking = (self.rejoin_distance > 0.0) & (self.distance > 0.0) & (self.neighbors != CHOSEN_CROWD)
        if not anybody(looking):
            return agents.none()
        bodies = world.bodies
        own_crowd = (bodies.crowd == bodies.crowd[agents.rows[0]]) & ((bodies.roles & int(Role.VEHICLE)) != 0)
        members = np.flatnonzero(own_crowd & bodies.present)
        root = joined(len(bodies.crowd), neighbors.links(agents.rows), members)
        if (root[members] == root[members[0]]).all():
            return agents.none()
        parts = Groups.by(root[members], bodies.position[members], bodies.velocity[members])
        own = parts.of[np.searchsorted(members, agents.rows)]
        if same_for_all(self.rejoin_distance) and same_for_all(self.distance):
            all_parts = np.arange(len(parts))
            to_others = picked(_to_other_parts(parts, all_parts, self.rejoin_distance[:1], self.distance[:1]), own)
        else:
            to_others = _to_other_parts(parts, own, self.rejoin_distance, self.distance)
        return np.where(looking[:, None], to_others, 0.0)


def _to_other_parts(parts: Groups, own: Rows, rejoin_distance: Scalars, distance: Scalars) -> Vectors:
    """From some parts of a crowd toward the others, (k, 3) no longer than 1; `own` (k,) says from which."""
    position, velocity = parts.position[own], parts.velocity[own]
    extent, size = parts.extent[own], parts.size[own]
    others, offsets = np.zeros(len(own)), no_vectors(len(own))
    for part in parts.largest(PARTS).tolist():
        offset = parts.position[part] - position
        gap = magnitude(offset) - WIDTH * (parts.extent[part] + extent)
        near_enough = clamp(2.0 - 2.0 * gap / np.maximum(rejoin_distance, EPSILON), 0.0, 1.0)
        count = np.where(own != part, near_enough * parts.size[part], 0.0)
        others += count
        offsets += (offset + FORESIGHT * (parts.velocity[part] - velocity)) * count[:, None]
    to_others = faded(offsets / np.maximum(others * distance, EPSILON)[:, None])
    share = clamp(others / np.maximum((others + size) * LEAST, EPSILON), 0.0, 1.0)
    return to_others * share[:, None]
