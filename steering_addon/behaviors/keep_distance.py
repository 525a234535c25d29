"""Keep distance: queue behind the vehicle ahead (not in the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import Number, Scalars, dot, magnitude, picked
from ..simulation.behavior import OURS, Intent, Steering
from ..simulation.declaration import called, length, seconds
from ..simulation.maneuvers.braking import COMFORT, MARGIN, braking, least, stopping_distance
from ..simulation.maneuvers.neighborhood import Neighborhood
from ..simulation.nearby.neighbors import Neighbors
from ..simulation.world import Agents, World

SAME_WAY = 0.5
"""Cosine between the headings above which two vehicles go the same way: it does not queue behind crossing traffic."""


@dataclass(frozen=True)
class KeepDistance(Neighborhood):
    """Slow down behind the vehicle ahead in its lane, and queue where that stops.

    Brakes as drivers do in the model of Gipps: its speed always lets it stop behind the vehicle ahead, even if that
    brakes as hard as it can. It never turns away. Does nothing in a free lane.
    """

    name = "keep_distance"
    label = "Keep Distance"
    term = OURS
    intent = Intent.WITH

    distance: Number = called("Sees Up To", length(20.0, "How far ahead other vehicles still count"))
    gap: Number = length(0.5, "Room between the bodies at standstill")
    gap_time: Number = seconds(1.0, "Additional room at speed, as time at its speed")
    lane_width: Number = length(0.0, "Width of the lane in which other vehicles count; 0: as wide as both bodies")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        allowed = self._allowed(world, agents)
        return Steering(braking(agents, allowed), speed_limit=allowed)

    def reach_hint(self) -> float:
        """Unknown in advance; depends on the braking distance."""
        return 0.0

    def near(self, world: World, agents: Agents) -> Neighbors:
        """The vehicles within the distance that are nearer than the room that the agent needs to stop."""
        stopping = agents.speed * self.gap_time + stopping_distance(agents) + self.gap
        matters = stopping + agents.radius + float(world.bodies.radius.max(initial=0.0)) + MARGIN
        distance = np.minimum(self.distance, matters)
        return world.neighbors(agents, distance, self.angle, self.neighbors, self.crowd)

    def _allowed(self, world: World, agents: Agents) -> Scalars:
        """The speed from which each agent can still stop behind the vehicles ahead, (n,) m/s.

        v = sqrt((b t)^2 + w^2 + 2 b room) - b t  (Gipps 1981); b is the braking, t the gap time, w the speed ahead.
        """
        near = self.near(world, agents).together()
        agent = near.agent
        forward = picked(agents.forward, agent)
        ahead = dot(near.offset, forward)
        aside = magnitude(near.offset - ahead[:, None] * forward)
        bodies = agents.radius[agent] + world.bodies.radius[near.body]
        half = np.where(self.lane_width[agent] > 0.0, self.lane_width[agent] / 2.0, bodies)
        same_way = dot(picked(world.bodies.forward, near.body), forward) > SAME_WAY
        before = np.flatnonzero((ahead > 0.0) & (aside < half) & same_way)
        agent, forward = agent[before], picked(forward, before)

        room = ahead[before] - bodies[before] - self.gap[agent]
        others_speed = np.maximum(dot(picked(world.bodies.velocity, near.body[before]), forward), 0.0)
        brakes = COMFORT * agents.agility[agent]
        reacting = brakes * np.maximum(self.gap_time[agent], world.dt)
        squared = reacting * reacting + others_speed * others_speed + 2.0 * brakes * room
        allowed = np.sqrt(np.maximum(squared, 0.0)) - reacting
        return least(len(agents), agent, np.maximum(allowed, 0.0))
