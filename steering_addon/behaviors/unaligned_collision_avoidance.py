"""Unaligned collision avoidance (paper, Unaligned Collision Avoidance)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..simulation.arrays.vectors import (
    EPSILON,
    Mask,
    Number,
    Rows,
    Scalars,
    Vectors,
    clamp,
    dot,
    firsts,
    magnitude,
    picked,
    truncate,
    unit,
)
from ..simulation.avoiding.velocity_choice import Choosers
from ..simulation.behavior import Adjustment, Intent, Steering, Wish
from ..simulation.declaration import Choice, acceleration, called, choice, integer, length, only_with, seconds
from ..simulation.maneuvers.neighborhood import Neighborhood
from ..simulation.memory import Memory, remembered
from ..simulation.nearby.neighbors import Near
from ..simulation.world import Agents, World

HASTE = 0.5
"""Share of the push that goes into being there before or after the other, beside turning away."""

REACTION_TIME = 0.25
"""Seconds in which the steering follows what is called for: in a crowd that changes at every glance."""
TAKING_UP = 0.1
"""Seconds in which who flies or swims takes up what it chooses, and lets go of it: only who walks can step aside."""
OVER = 0.02
"""Share of the full steering below which what lingers of it is over."""
METHODS = (
    Choice("PAPER", 0, "Steer Aside", "Away from the first meeting ahead, and before or after it (the paper's)"),
    Choice(
        "VELOCITY",
        1,
        "Choose a Velocity",
        "Of all velocities the cheapest: near the wished one, and no contact soon",
    ),
)
PAPER, VELOCITY = (c.number for c in METHODS)
STUCK = 0.5
"""Share of the wished speed: who makes less progress lets others come nearer than the clearance."""
STANDS = 0.2
"""Share of the wished speed: who could get on no faster on the ground stands instead of creeping about."""


@dataclass(frozen=True)
class Avoiding(Memory):
    """What each agent is doing to keep out of the way.

    Attributes:
        push: (n, 3) the push aside that it has taken up: a share of the full steering, or m/s for flyers that choose.
        choice: (n, 3) the velocity it has chosen, m/s.
        engaged: (n,) whether that is another than the wished one.
    """

    push: Vectors = remembered((0.0, 0.0, 0.0))
    choice: Vectors = remembered((0.0, 0.0, 0.0))
    engaged: Mask = remembered(False)


@dataclass(frozen=True)
class UnalignedCollisionAvoidance(Neighborhood, Adjustment):
    """Keep out of the way of others that cross one's own.

    Looks where each of the others will come nearest. If that is close enough and soon enough, steers away from the
    place of the first such meeting, and hurries or slows to be there before or after the other. It takes a moment to
    act and to let go, or those who go between several others would tremble. Choosing a velocity minds obstacles too,
    and who has a goal and keeps in the plane goes there by the shortest way, corner by corner, past boxes and round
    obstacles that stand still; who could only creep stands, and a throng that gets on no more jostles and steps back
    until it does. Does nothing while nobody comes too near.
    """

    name = "unaligned_collision_avoidance"
    label = "Avoid Each Other"
    term = "unaligned collision avoidance"
    intent = Intent.WITH
    remembers = Avoiding
    avoids = True
    by_chance = True
    refers_to_up = True

    method: Rows = choice("VELOCITY", "How it keeps out of the way", METHODS, animatable=False)

    weight: Number = acceleration(3.0, "How hard it steers at most")
    priority: Rows = integer(1, "Lower numbers come first when the crowd takes the first that applies")
    distance: Number = called("Sees Up To", length(9.0, "How far away others still count"))
    look_ahead_time: Number = called("Looks Ahead", seconds(5.0, "How soon a meeting has to be to matter", 0.01))
    clearance: Number = length(0.15, "Room between the bodies where they come nearest")

    reaction_time: Number = only_with(
        "method", VELOCITY, seconds(0.1, "Time between two decisions; a longer one is calmer, and quicker to simulate")
    )

    def steer(self, world: World, agents: Agents, memory: Avoiding) -> Steering:
        """The paper's way, for the agents that have chosen it: away from the first meeting."""
        rows = np.flatnonzero(self.method == PAPER)
        if not len(rows):
            return Steering()
        called_for = self.take(rows)._called_for(world, agents.take(rows))
        push = _taken_up(memory.push[rows], called_for, REACTION_TIME, np.full(len(rows), OVER), world.dt)
        force = agents.none()
        force[rows] = push * agents.mass[rows, None]
        after = memory.push.copy(order="K")
        after[rows] = push
        return Steering(force, replace(memory, push=after))

    def adjusts(self) -> Mask:
        return np.asarray(self.method == VELOCITY, dtype=np.bool_)

    def interval(self) -> Scalars:
        return self.reaction_time

    def perceived(self, world: World, agents: Agents, rows: Rows) -> Near:
        return self.take(rows).near(world, agents.take(rows)).together()

    def adjust(self, world: World, agents: Agents, wish: Wish, memory: Avoiding) -> Steering:
        """By the choice of a velocity: what is to be added to the steering so that it is taken up."""
        rows = np.flatnonzero(self.adjusts())
        if len(rows) == len(agents):
            force, memory = self._chosen(world, agents, wish, memory)
            return Steering(force, memory)
        if not len(rows):
            return Steering()
        force = agents.none()
        force[rows], chosen = self.take(rows)._chosen(world, agents.take(rows), wish.take(rows), memory.take(rows))
        return Steering(force, memory.put(rows, chosen))

    def _chosen(self, world: World, agents: Agents, wish: Wish, memory: Avoiding) -> tuple[Vectors, Avoiding]:
        rows = np.flatnonzero(wish.decides)
        if len(rows):
            chosen = self.take(rows)._choice(world, agents.take(rows), wish.take(rows))
            memory = memory.put(rows, replace(memory.take(rows), **chosen))
        velocity, steers = memory.choice, memory.engaged
        glides = ~agents.vehicle.keep_in_plane
        if glides.any():
            called_for = np.where((glides & steers)[:, None], velocity - wish.velocity, 0.0)
            push = _taken_up(memory.push, called_for, TAKING_UP, OVER * agents.max_speed, world.dt)
            memory = replace(memory, push=push)
            velocity = np.where(glides[:, None], wish.velocity + push, velocity)
            steers = np.where(glides, (push != 0.0).any(axis=1), steers)
        response = truncate(agents.steering_to(velocity) / agents.mass[:, None], self.weight)
        force = (response * agents.mass[:, None] - wish.force) / np.maximum(self.weight, EPSILON)[:, None]
        return np.where((steers & (self.weight > 0.0))[:, None], force, 0.0), memory

    def _choice(self, world: World, agents: Agents, wish: Wish) -> dict[str, Any]:
        """The velocities to take up, and whether they are others than the wished ones."""
        chosen = wish.course.copy(order="K")
        grounded = agents.vehicle.keep_in_plane
        pad = self.clearance * (1.0 - clamp((STUCK - wish.progress) / STUCK, 0.0, 1.0))
        for rows in (np.flatnonzero(grounded), np.flatnonzero(~grounded)):
            if len(rows):
                alone = len(rows) == len(agents)
                behavior, some = (self, agents) if alone else (self.take(rows), agents.take(rows))
                near = behavior.near(world, some).together()
                course, look_ahead_time = picked(wish.course, rows), behavior.look_ahead_time
                choosers = Choosers.of(world, some, near, course, wish.top_speed[rows], pad[rows], look_ahead_time)
                velocity = choosers.chosen()
                creeps = magnitude(velocity) < STANDS * magnitude(course)
                chosen[rows] = np.where((creeps & grounded[rows] & ~wish.jammed[rows])[:, None], 0.0, velocity)
        return {"choice": chosen, "engaged": (chosen != wish.velocity).any(axis=1)}

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
        first = threats[firsts(agent)]
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


def _taken_up(before: Vectors, called_for: Vectors, time: float, least: Scalars, dt: float) -> Vectors:
    """What is called for, (n, 3), low-passed over that time from what was before; a rest below `least` is over."""
    push = before + (called_for - before) * (dt / (time + dt))
    over = (magnitude(called_for) == 0.0) & (magnitude(push) < least)
    return np.where(over[:, None], 0.0, push)


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
