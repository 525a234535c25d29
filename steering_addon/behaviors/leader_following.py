"""Leader following (paper, Leader Following)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import cosine, sine
from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.vectors import (
    EPSILON,
    Number,
    Rows,
    Vectors,
    clamp,
    columns,
    cross,
    dot,
    magnitude,
    picked,
    truncate,
    unit,
)
from ..simulation.behavior import Intent, Steering
from ..simulation.declaration import acceleration, body, called, length, seconds
from ..simulation.maneuvers.chasing import velocity_to_keep
from ..simulation.maneuvers.neighborhood import Neighborhood
from ..simulation.world import Agents, World
from .separation import pushed_apart

LONG, WIDE, HIGH = 1.3, 1.0, 0.6
"""The half axes of the volume behind the leader, in units of the spread: a flock is longer than high."""
PLACES = 4
"""Salt of the random keys of the places; five consecutive salts are used."""


@dataclass(frozen=True)
class LeaderFollowing(Neighborhood):
    """Follow a leader, each in a place of its own behind it, and keep out of its way.

    The places move with the leader. With a spread of 0 all agents share a point behind it, as in the paper. An agent in
    the rectangle ahead of the leader steers aside. Followers keep apart from others nearby. Does nothing without a
    leader.
    """

    name = "leader_following"
    label = "Follow Leader"
    term = "leader following"
    intent = Intent.WITH
    by_chance = True
    refers_to_up = True

    leader: Rows = body("Leader to follow; empty: the nearest leader")
    behind: Number = length(2.0, "Distance behind the leader")
    behind_time: Number = seconds(0.0, "Additional distance behind a fast leader, as time at its speed")
    spread: Number = length(4.0, "Size of the volume in which each vehicle has its place; 0: all have the same place")
    approach_time: Number = called(
        "Approach", seconds(2.0, "Time in which it makes up its distance from the place", 0.05)
    )
    response_time: Number = called("Response", seconds(1.0, "Time in which it reaches the desired velocity", 0.01))
    strength: Number = acceleration(8.0, "Strongest steering toward its place")
    clearing_distance: Number = called("Clear Ahead", length(6.0, "How far ahead of the leader its way is kept free"))
    clearing_width: Number = called("Clear Width", length(2.0, "How wide the leader's way is"))
    separation: Number = acceleration(8.0, "Strongest steering to keep apart from others nearby")
    distance: Number = called("Sees Up To", length(1.5, "How far away other vehicles still count"))

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        following = self.leader >= 0
        if not following.any():
            return Steering(agents.none(), sets_speed=following)
        row = np.maximum(self.leader, 0)
        leader, velocity = picked(world.bodies.position, row), picked(world.bodies.velocity, row)
        forward, side, target = self._behind(world, agents, row)
        # On the storey on which the leader is, however high the volume reaches.
        place = agents.lifted(target, np.where(agents.on_the_level, agents.climb(leader - target), 0.0))
        seen = world.by_way(agents, place, world.bodies.moves(row))
        desired = velocity_to_keep(agents, seen, velocity, self.approach_time)
        response_time = np.maximum(self.response_time, world.dt)[:, None]
        steering = truncate((desired - agents.velocity) / response_time, self.strength)

        clearing = self._out_of_the_way(agents, leader, forward, side, world.bodies.radius[row])
        blocking = magnitude(clearing) > 0.0
        steering = np.where(blocking[:, None], clearing, steering)
        steering = steering + pushed_apart(self.near(world, agents), self.distance) * self.separation[:, None]
        force = steering * agents.mass[:, None]
        return Steering(
            np.where(following[:, None], force, 0.0),
            sets_speed=following,
            beside=self.leader,
            beside_place=np.where(following[:, None], target, np.nan),
        )

    def _behind(self, world: World, agents: Agents, row: Rows) -> tuple[Vectors, Vectors, Vectors]:
        """The level forward and side axes of the leaders in some rows (n,), and the place of each agent, (n, 3)."""
        leader, velocity = picked(world.bodies.position, row), picked(world.bodies.velocity, row)
        forward = unit(agents.level(picked(world.bodies.forward, row)))
        side, up = _level_axes(forward, agents)
        ahead, aside, above = self._place(agents.keys).T[:, :, None]
        back = self.behind + self.behind_time * magnitude(velocity) + world.bodies.radius[row] + LONG * self.spread
        return forward, side, leader + (ahead - back[:, None]) * forward + aside * side + above * up

    def _place(self, keys: Keys) -> Vectors:
        """The place of each agent in the volume, (n, 3) metres forward, to the side and up from its middle."""
        draw = [uniform(mix(keys, PLACES + salt)) for salt in range(5)]
        height = 2.0 * draw[0] - 1.0
        around = 2.0 * np.pi * draw[1]
        flat = np.sqrt(np.maximum(1.0 - height * height, 0.0))
        # The largest of three uniform numbers is distributed as the radius in a uniform ball, without a cube root.
        radius = np.maximum(np.maximum(draw[2], draw[3]), draw[4]) * self.spread
        place = columns(LONG * flat * cosine(around), WIDE * flat * sine(around), HIGH * height)
        return place * radius[:, None]

    def _out_of_the_way(
        self, agents: Agents, leader: Vectors, forward: Vectors, side: Vectors, radius: Vectors
    ) -> Vectors:
        """The steering aside of agents in the rectangle ahead of the leader, (n, 3) m/s2; it fades at the edges.

        Args:
            leader, forward, side: (n, 3) the leader's position, metres, and its level axes.
            radius: (n,) of the leader, metres.
        """
        offset = agents.level(agents.position - leader)
        ahead, aside = dot(offset, forward), dot(offset, side)
        half = self.clearing_width / 2.0 + radius + agents.radius
        within = clamp(1.0 - np.abs(aside) / np.maximum(half, EPSILON), 0.0, 1.0)
        before = clamp(1.0 - ahead / np.maximum(self.clearing_distance, EPSILON), 0.0, 1.0)
        pushing = (ahead > 0.0) & (within > 0.0) & (before > 0.0) & (self.clearing_distance > 0.0)
        away = np.where(aside >= 0.0, 1.0, -1.0)[:, None] * side
        return np.where(pushing[:, None], away * (np.sqrt(within * before) * self.strength)[:, None], 0.0)


def _level_axes(forward: Vectors, agents: Agents) -> tuple[Vectors, Vectors]:
    """The side and up axes, level, of leaders that face `forward` (n, 3); (n, 3) each."""
    side = unit(cross(forward, agents.upward))
    side = np.where((magnitude(side) < 0.5)[:, None], agents.side, side)
    return side, cross(side, forward)
