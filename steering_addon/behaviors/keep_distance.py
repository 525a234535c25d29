"""Keep distance: queue behind the vehicle ahead (not in the paper)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Mask, Number, Scalars, least_of_each
from ..simulation.arrays.vectors import Vectors, across, dot, magnitude, picked, unit
from ..simulation.behavior import OURS, Intent, Steering
from ..simulation.declaration import length, seconds
from ..simulation.maneuvers.braking import (
    COMFORT,
    LIGHTS,
    MARGIN,
    brake,
    is_ahead,
    limit_approach,
    meet_in,
    room_between,
    speed_to_fall_back,
    stopping_distance,
)
from ..simulation.maneuvers.lanes import Lanes
from ..simulation.maneuvers.neighborhood import Neighborhood
from ..simulation.nearby.neighbors import Near, Neighbors
from ..simulation.world import Agents, World

SAME_WAY = 0.5
"""Cosine between the headings above which two vehicles go the same way: it does not queue behind crossing traffic."""
MERGES = 3.0
"""Seconds before another vehicle comes into the lane from which on it makes room for that one."""
SINGLE_FILE = 2.0
"""Seconds in which one that drives along a curve beside another falls back behind it."""


@dataclass(frozen=True)
class KeepDistance(Neighborhood):
    """Slow down behind the vehicle ahead in its lane, and queue where that stops.

    Brakes as drivers do in the model of Gipps: its speed always lets it stop behind the vehicle ahead, even if that
    brakes as hard as it can. Drivers react to its brake lights if it is nearer than they need to stop. On a curve the
    lane follows the curve. Where lanes merge, the vehicle that is nearer to the place goes first, of two abreast the
    right one. It never turns away. Does nothing in a free lane.
    """

    name = "keep_distance"
    label = "Keep Distance"
    term = OURS
    intent = Intent.WITH
    # It depends on the braking distance.
    sees = ""

    distance: Number = length(
        20.0, "How far ahead other vehicles still count; at least the distance to stop in", label="Sees Up To"
    )
    gap: Number = length(0.5, "Room between the bodies at standstill")
    gap_time: Number = seconds(1.0, "Additional room at speed, as time at its speed")
    lane_width: Number = length(0.0, "Width of the lane in which other vehicles count; 0: as wide as both bodies")

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        allowed, warned = self._allowed(world, agents)
        return Steering(brake(agents, allowed), speed_limit=allowed, warned=warned)

    def near(self, world: World, agents: Agents) -> Neighbors:
        """The vehicles within the distance that are nearer than the room needed to stop."""
        stopping = stopping_distance(agents)
        bodies = agents.extent + float(world.bodies.extent.max(initial=0.0))
        # From top speed: an agent that is slower must not speed up toward what is ahead.
        furthest = agents.max_speed * self.gap_time + stopping_distance(agents, agents.max_speed)
        matters = furthest + self.gap + bodies + MARGIN
        distance = np.minimum(np.maximum(self.distance, stopping + bodies), matters)
        return world.neighbors(agents, distance, self.angle, self.neighbors, self.crowd)

    def _allowed(self, world: World, agents: Agents) -> tuple[Scalars, Mask]:
        """The speed from which each agent can still stop behind those ahead, (n,) m/s, and whether it sees one brake.

        v = sqrt((b t)^2 + w^2 + 2 b room) - b t  (Gipps 1981); b is the braking, t the gap time, w the speed ahead.
        """
        near = self.near(world, agents).together()
        agent, lanes = near.agent, Lanes.of(world, agents)
        forward = picked(agents.forward, agent)
        velocity, heading = picked(world.bodies.velocity, near.body), picked(world.bodies.forward, near.body)
        offset, velocity, heading = lanes.straightened(agent, near.offset, velocity, heading)
        ahead, along = dot(offset, forward), dot(velocity, forward)
        beside = offset - ahead[:, None] * forward
        turn_freely = np.isfinite(lanes.agents.handling.axle) & (lanes.line < 0)
        # The chord between two places on a circle leads in the middle of both headings.
        middle = unit(np.add(forward, heading))
        aside = np.where(turn_freely[agent], magnitude(across(offset, middle)), magnitude(beside))
        length, width = room_between(world, agents, near.agent, near.body, dot(heading, forward))
        half = np.where(self.lane_width[agent] > 0.0, self.lane_width[agent] / 2.0, width)
        same_way = dot(heading, forward) > SAME_WAY
        merges, time = self._merging(world, agents, lanes, near, beside, velocity - along[:, None] * forward, width)
        in_lane = (ahead > 0.0) & (aside < half)
        before = np.flatnonzero((in_lane | merges) & same_way)
        agent, in_lane = agent[before], in_lane[before]

        room = ahead[before] - length[before] - self.gap[agent]
        others_speed = np.maximum(along[before], 0.0)
        brakes = COMFORT * agents.agility[agent]
        reacting = brakes * np.maximum(np.maximum(self.gap_time, agents.handling.reaction), world.dt)[agent]
        squared = reacting * reacting + others_speed * others_speed + 2.0 * brakes * room
        allowed = np.maximum(np.sqrt(np.maximum(squared, 0.0)) - reacting, 0.0)
        falls_back = speed_to_fall_back(others_speed, room, time[before])
        allowed = np.where(in_lane, allowed, np.maximum(allowed, falls_back))
        allowed = limit_approach(agents, agent, allowed, others_speed)
        next_ahead = in_lane & (room <= least_of_each(len(agents), agent[in_lane], room[in_lane])[agent])
        near_enough = next_ahead & (room < stopping_distance(agents)[agent])
        # A driver sees that those brake which slow down by more than the engine does.
        body = near.body[before]
        slowing = -dot(picked(world.bodies.acceleration, body), picked(world.bodies.forward, body))
        lit = near_enough & ((agents.handling.reaction[agent] > 0.0) & (slowing > LIGHTS * agents.agility[agent]))
        allowed = np.where(lit, np.minimum(allowed, agents.speed[agent]), allowed)
        return least_of_each(len(agents), agent, allowed), np.bincount(agent[lit], minlength=len(agents)) > 0

    def _merging(
        self, world: World, agents: Agents, lanes: Lanes, near: Near, beside: Vectors, drift: Vectors, width: Scalars
    ) -> tuple[Mask, Scalars]:
        """The vehicles that come into the lane of an agent and go first, and the time until then; (p,) each, seconds.
        `beside`: (p, 3) how far each is to the side, metres; `drift`: (p, 3) how fast it moves aside, m/s; `width`:
        (p,) metres to the side at which both touch."""
        drift = drift + lanes.leftward[near.agent, None] * picked(agents.side, near.agent)
        time = meet_in(beside, drift, width)
        in_one_file = lanes.in_one_file(world, near.agent, near.body)
        time = np.where(in_one_file, np.minimum(time, SINGLE_FILE), time)
        first = is_ahead(world, agents, near.agent, near.body, near.offset)
        keeps_out = lanes.elsewhere(world, near, np.zeros(len(agents)), np.full(len(agents), MERGES))
        # A driver beside the lane for which both are bound does not stay there.
        keeps_out &= ~in_one_file | lanes.regulated(world, near)
        return (time < MERGES) & first & ~keeps_out, time
