"""Unaligned collision avoidance (paper, Unaligned Collision Avoidance)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.declaration import acceleration, called, integer, length, seconds
from ..simulation.neighbors import Near
from ..simulation.vectors import EPSILON, Mask, Number, Rows, Scalars, Vectors, clamp, dot, magnitude, picked, unit
from ..simulation.world import Agents, Memory, World
from .declaration import Intent
from .neighborhood import Neighborhood

HASTE = 0.5
"""Share of the push that goes into being there before or after the other, beside turning away."""

REACTION_TIME = 0.25
"""Seconds in which the steering follows what is called for: in a crowd that changes at every glance."""
OVER = 0.02
"""Share of the full steering below which what lingers of it is over."""
AXES = ("push_x", "push_y", "push_z")


@dataclass(frozen=True)
class UnalignedCollisionAvoidance(Neighborhood):
    """Keep out of the way of others that cross one's own.

    Looks where each of the others will come nearest. If that is close enough and soon enough, steers away from the
    place of the first such meeting, and hurries or slows to be there before or after the other. It takes a moment to
    act and to let go, or those who go between several others would tremble. Does nothing while nobody comes too near.
    """

    name = "unaligned_collision_avoidance"
    label = "Avoid Each Other"
    term = "unaligned collision avoidance"
    intent = Intent.WITH
    remembers = dict.fromkeys(AXES, 0.0)

    weight: Number = acceleration(3.0, "How hard it steers at most")
    priority: Number = integer(1, "Lower numbers come first when the crowd takes the first that applies")
    distance: Number = called("Sees Up To", length(8.0, "How far away others still count"))
    look_ahead_time: Number = called("Looks Ahead", seconds(3.0, "How soon a meeting has to be to matter", 0.01))
    clearance: Number = length(0.3, "Room between the bodies where they come nearest")

    def steer(self, world: World, agents: Agents) -> tuple[Vectors, Memory]:
        called_for = self._called_for(world, agents)
        before = np.stack([agents.memory[axis] for axis in AXES], axis=-1)
        push = before + (called_for - before) * (world.dt / (REACTION_TIME + world.dt))
        over = (magnitude(called_for) == 0.0) & (magnitude(push) < OVER)
        push = np.where(over[:, None], 0.0, push)
        return push * agents.mass[:, None], {name: push[:, axis] for axis, name in enumerate(AXES)}

    def _called_for(self, world: World, agents: Agents) -> Vectors:
        """(n, 3), no longer than 1: away from the first meeting of each agent."""
        near = self.near(world, agents).together()
        if not len(near.agent):
            return agents.none()
        meeting = _Meeting.of(near, world, agents)
        room = (agents.radius + self.clearance)[near.agent] + world.bodies.radius[near.body]
        depth = 1.0 - magnitude(meeting.apart) / np.maximum(room, EPSILON)
        soon = 1.0 - meeting.time / self.look_ahead_time[near.agent]
        threats = np.flatnonzero((depth > 0.0) & (soon > 0.0) & (meeting.time > 0.0))
        if not len(threats):
            return agents.none()
        # By agent and time, and of the same time by who it is: the first of each agent is its most pressing one.
        agent = near.agent[threats]
        order = np.lexsort((near.body[threats], meeting.time[threats], agent))
        threats = threats[order]
        agent = agent[order]
        first = threats[np.concatenate(([True], agent[1:] != agent[:-1]))]
        agent = near.agent[first]

        offset = picked(near.offset, first)
        away, dead_heat = _away(picked(meeting.apart, first), agents, agent)
        forward = picked(agents.forward, agent)
        # What is met ahead is let pass, what is met from behind is left behind; in a dead heat who comes from the right
        # goes first, or both would do the same and meet all the same.
        from_left = dot(offset, picked(agents.side, agent)) < -1e-6
        yields = (dot(offset, forward) >= 0.0) & ~(dead_heat & from_left)
        push = away + forward * np.where(yields, -HASTE, HASTE)[:, None]
        strength = np.sqrt(depth[first] * soon[first])
        steering = agents.none()
        steering[agent] = unit(agents_level(push, agents, agent)) * strength[:, None]
        return steering


@dataclass(frozen=True)
class _Meeting:
    """Where the pairs come nearest if all go straight on.

    Attributes:
        time: (p,) seconds from now, 0 for pairs that part.
        apart: (p, 3) from the agent to the other at that time, metres.
    """

    time: Scalars
    apart: Vectors

    @classmethod
    def of(cls, near: Near, world: World, agents: Agents) -> _Meeting:
        relative = picked(world.bodies.velocity, near.body) - picked(agents.velocity, near.agent)
        speed_squared = dot(relative, relative)
        time = np.where(speed_squared > EPSILON, -dot(near.offset, relative) / np.maximum(speed_squared, EPSILON), 0.0)
        time = clamp(time, 0.0, np.inf)
        return cls(time, near.offset + relative * time[:, None])


def _away(apart: Vectors, agents: Agents, agent: Rows) -> tuple[Vectors, Mask]:
    """Which way to turn, across the heading: away from where the other will be, to the right in a dead heat.

    Returns:
        away: unit vectors.
        dead_heat: where both would be in one place at once.
    """
    forward, side = picked(agents.forward, agent), picked(agents.side, agent)
    lateral = apart - dot(apart, forward)[:, None] * forward
    dead_heat: Mask = magnitude(lateral) < 1e-6
    return np.where(dead_heat[:, None], side, -unit(lateral)), dead_heat


def agents_level(v: Vectors, agents: Agents, rows: Rows) -> Vectors:
    """The vectors, without height for agents that keep in their plane."""
    flat = v.copy()
    flat[:, 2] = np.where(agents.vehicle.keep_in_plane[rows], 0.0, v[:, 2])
    return flat
