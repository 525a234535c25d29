"""Unaligned collision avoidance (paper, Unaligned Collision Avoidance)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars, anybody, clamp, firsts, nobody, which
from ..simulation.arrays.vectors import Vectors, dot, magnitude, picked, truncate, unit
from ..simulation.avoiding.costs import COSTS, Costs
from ..simulation.avoiding.jams import Jam
from ..simulation.avoiding.velocity_choice import Choosers
from ..simulation.behavior import Adjustment, Intent, Steering, Wish, of_priority
from ..simulation.declaration import Choice, acceleration, choice, length, seconds
from ..simulation.intention import Intention
from ..simulation.maneuvers.lanes import Lanes, drives_along_paths
from ..simulation.maneuvers.neighborhood import Neighborhood
from ..simulation.memory import Memory, remembered
from ..simulation.nearby.neighbors import Near, Neighbors
from ..simulation.world import Agents, World

REACTION_TIME = 0.25
"""Seconds over which the push aside follows a changed meeting: about the time people take to react to what they see."""
TAKING_UP = 0.1
"""Seconds over which flyers and swimmers take up what they choose: one interval between decisions, which turns steps at
the decisions into ramps between them. Walkers can step aside and need none."""
OVER = 0.02
"""Share of the full steering below which a push that is no longer called for ends: a low pass over T decays to
exp(-4) = 0.02 after 4 T, the usual settling time."""
METHODS = (
    Choice("PAPER", 0, "Steer Aside", "Away from the first meeting ahead, and before or after it (the paper's)"),
    Choice("VELOCITY", 1, "Choose a Velocity", "The cheapest velocity: near the wished one, with no contact soon"),
)
PAPER, VELOCITY = (c.number for c in METHODS)


@dataclass(frozen=True)
class Avoiding(Memory):
    """The present maneuver of each agent.

    Attributes:
        push: (n, 3) the low-passed push aside: a share of the full steering, or m/s for flyers that choose.
        choice: (n, 3) the chosen velocity, m/s.
        engaged: (n,) the agents that chose another velocity than the wished one.
    """

    push: Vectors = remembered((0.0, 0.0, 0.0))
    choice: Vectors = remembered((0.0, 0.0, 0.0))
    engaged: Mask = remembered(False)


@dataclass(frozen=True)
class UnalignedCollisionAvoidance(Neighborhood, Adjustment):
    """Keep out of the way of others that cross one's own.

    Finds where each of the others will come nearest. If that is close enough and soon enough, steers away from the
    first such meeting, and hurries or slows down to pass before or after the other. Reacting and letting go take a
    moment, or agents between several others would tremble. Agents that choose a velocity also avoid obstacles; those on
    the ground that have a goal take the shortest way there past what stands still, over surfaces also through rooms and
    upstairs. They stop where they could only creep. In a jam those that do not step aside jostle and step back until it
    dissolves, and who stands makes room. Does nothing while no other agent comes too near.
    """

    name = "unaligned_collision_avoidance"
    label = "Avoid Each Other"
    term = "unaligned collision avoidance"
    intent = Intent.WITH
    remembers = Avoiding
    avoids = True
    by_chance = True
    refers_to_up = True
    # The fitted constants, as those of `jamming`; scripts/measure avoidance judges them.
    costs: ClassVar[Costs] = COSTS
    # The push along the heading relative to that across it, in the paper's form. From 0.25 to 1 pairs of walkers do not
    # touch; more takes them longer and turns them less, and the stages of scripts/measure hardly tell.
    haste: ClassVar[float] = 0.5

    method: Rows = choice("VELOCITY", "How it keeps out of the way", METHODS, animatable=False)

    weight: Number = acceleration(3.0, "How hard it steers at most")
    priority: Rows = of_priority(1)
    distance: Number = length(9.0, "How far away others still count", label="Sees Up To")
    look_ahead_time: Number = seconds(5.0, "How soon a meeting has to be to matter", 0.01, label="Looks Ahead")
    clearance: Number = length(0.15, "Room between the bodies where they come nearest")

    reaction_time: Number = seconds(
        0.1,
        "Time between two decisions; a longer one is calmer, and quicker to simulate",
        only_with=("method", VELOCITY),
    )

    def steer(self, world: World, agents: Agents, memory: Avoiding) -> Steering:
        """The paper's form, for the agents set to it: steer away from the first meeting."""
        rows = which(self.method == PAPER)
        if not len(rows):
            return Steering()
        demand = self.take(rows)._demand(world, agents.take(rows))
        push = _taken_up(memory.push[rows], demand, REACTION_TIME, np.full(len(rows), OVER), world.dt)
        force = agents.none()
        force[rows] = push * agents.mass[rows, None]
        after = memory.push.copy(order="K")
        after[rows] = push
        return Steering(force, replace(memory, push=after))

    def intention(self, world: World, agents: Agents, memory: Avoiding) -> Intention:
        chooses = self.method == VELOCITY
        return Intention(
            clearance=np.where(chooses, self.clearance, np.nan), interval=np.where(chooses, self.reaction_time, np.nan)
        )

    def near(self, world: World, agents: Agents) -> Neighbors:
        """The vehicles that the agents perceive. Without those that they are to meet, those from which their places in
        a formation keep them apart, and those that drivers meet in another lane, or queue with."""
        near, meets = super().near(world, agents), agents.intention.meets
        if anybody(meets >= 0):
            near = near.where(lambda pairs: pairs.body != meets[pairs.agent])
        if (stations := world.stations) is not None:
            in_place = world.in_formation & (stations.off < world.bodies.radius[: world.vehicles])
            near = near.where(lambda pairs: ~stations.together(agents.rows[pairs.agent], pairs.body, in_place))
        if not drives_along_paths(world, agents):
            return near
        lanes = Lanes.of(world, agents)
        return near.where(lambda pairs: ~lanes.settled(world, pairs, self.clearance, self.look_ahead_time))

    def adjust(self, world: World, agents: Agents, wish: Wish, memory: Avoiding) -> Steering:
        """The correction that makes agents take up the velocities they choose."""
        rows = which(self.method == VELOCITY)
        if len(rows) == len(agents):
            force, memory = self._chosen(world, agents, wish, memory)
            return Steering(force, memory)
        if not len(rows):
            return Steering()
        force = agents.none()
        force[rows], chosen = self.take(rows)._chosen(world, agents.take(rows), wish.take(rows), memory.take(rows))
        return Steering(force, memory.put(rows, chosen))

    def _chosen(self, world: World, agents: Agents, wish: Wish, memory: Avoiding) -> tuple[Vectors, Avoiding]:
        rows = which(wish.decides)
        if len(rows):
            chosen = self.take(rows)._choice(world, agents.take(rows), wish.take(rows))
            memory = memory.put(rows, replace(memory.take(rows), **chosen))
        velocity, steers = memory.choice, memory.engaged
        glides = ~agents.grounded
        if glides.any():
            demand = np.where((glides & steers)[:, None], velocity - wish.velocity, 0.0)
            push = _taken_up(memory.push, demand, TAKING_UP, OVER * agents.max_speed, world.dt)
            memory = replace(memory, push=push)
            velocity = np.where(glides[:, None], wish.velocity + push, velocity)
            steers = np.where(glides, (push != 0.0).any(axis=1), steers)
        response = truncate(agents.steering_to(velocity) / agents.mass[:, None], self.weight)
        force = (response * agents.mass[:, None] - wish.force) / np.maximum(self.weight, EPSILON)[:, None]
        return np.where((steers & (self.weight > 0.0))[:, None], force, 0.0), memory

    def _choice(self, world: World, agents: Agents, wish: Wish) -> dict[str, Any]:
        """The chosen velocities, (n, 3) m/s, and the mask of those that are not the wished ones, by name."""
        chosen = wish.course.copy(order="K")
        stuck, stands = self.jamming.stuck, self.jamming.stands
        pad = self.clearance * (1.0 - clamp((stuck - wish.progress) / stuck, 0.0, 1.0))
        for rows in (which(agents.grounded), which(~agents.grounded)):
            if len(rows):
                all_rows = len(rows) == len(agents)
                behavior, subset = (self, agents) if all_rows else (self.take(rows), agents.take(rows))
                near = behavior.near(world, subset).together()
                wished, top_speed, jammed = picked(wish.course, rows), wish.top_speed[rows], nobody(len(rows))
                if agents.grounded[rows[0]] and (wish.progress[rows] < self.jamming.freely).any():
                    way = wish.progress[rows], wish.ahead[rows]
                    jam = Jam.of(world, subset, wished, *way, near, self.jamming)
                    wished, jammed = jam.loosened(world, subset, wished, wish.progress[rows]), jam.jammed
                    near = jam.in_the_way(world, subset, near)
                if not len(near.agent) and not len(world.obstacles):
                    chosen[rows] = wished
                    continue
                course = wished
                if world.slope is not None:
                    top_speed = np.minimum(top_speed, subset.max_speed * world.left_uphill(subset, wished))
                    course = truncate(wished, top_speed)
                seconds, ahead = behavior.look_ahead_time, wish.ahead[rows]
                held_up = wish.progress[rows] < stuck
                view = pad[rows], seconds, ahead, held_up if anybody(held_up) else None
                choosers = Choosers.of(world, subset, near, course, top_speed, *view, self.costs, behavior.clearance)
                velocity = choosers.chosen()
                # A slope slows it down anyway: that is not a choice.
                velocity = np.where((velocity == course).all(axis=1)[:, None], wished, velocity)
                creeps = magnitude(velocity) < stands * magnitude(course)
                chosen[rows] = np.where((creeps & subset.grounded & ~jammed)[:, None], 0.0, velocity)
        return {"choice": chosen, "engaged": (chosen != wish.velocity).any(axis=1)}

    def _demand(self, world: World, agents: Agents) -> Vectors:
        """The push away from each agent's first meeting, (n, 3), of length sqrt(depth soon) <= 1.

        depth is 1 for a meeting at one place and 0 at the edge of the clearance; soon is 1 for a meeting now and 0 at
        the look-ahead time.
        """
        near = self.near(world, agents).together()
        if not len(near.agent):
            return agents.none()
        meeting = _NearestApproach.of(near, world, agents)
        room = (agents.radius + self.clearance)[near.agent] + world.bodies.radius[near.body]
        depth = 1.0 - meeting.gap / np.maximum(room, EPSILON)
        soon = 1.0 - meeting.time / self.look_ahead_time[near.agent]
        threats = which((depth > 0.0) & (soon > 0.0) & (meeting.time > 0.0))
        if not len(threats):
            return agents.none()
        # Sorted by agent, time and, for equal times, the other's row: the first of each agent is its most pressing.
        agent = near.agent[threats]
        order = np.lexsort((near.body[threats], meeting.time[threats], agent))
        threats = threats[order]
        agent = agent[order]
        first = threats[firsts(agent)]
        agent = near.agent[first]

        offset = picked(near.offset, first)
        away, dead_heat = _away(picked(meeting.apart, first), agents, agent)
        forward = picked(agents.forward, agent)
        # An agent lets pass what it meets ahead and outruns what comes from behind. In a dead heat the one from the
        # right goes first; otherwise both would do the same and still meet.
        from_left = dot(offset, picked(agents.side, agent)) < -1e-6
        yields = (dot(offset, forward) >= 0.0) & ~(dead_heat & from_left)
        push = away + forward * np.where(yields, -self.haste, self.haste)[:, None]
        strength = np.sqrt(depth[first] * soon[first])
        steering = agents.none()
        steering[agent] = unit(agents.level_of(push, agent)) * strength[:, None]
        return steering


def _taken_up(before: Vectors, demand: Vectors, time: float, least: Scalars, dt: float) -> Vectors:
    """The push, (n, 3), low-passed: before + (demand - before) dt / (time + dt). `before`, `demand`: (n, 3); `time`:
    seconds; `least`: (n,) lengths below which a push without demand ends."""
    push = before + (demand - before) * (dt / (time + dt))
    over = (magnitude(demand) == 0.0) & (magnitude(push) < least)
    return np.where(over[:, None], 0.0, push)


@dataclass(frozen=True)
class _NearestApproach:
    """The nearest approach of pairs that keep their velocities.

    Attributes:
        time: (p,) -offset . relative / relative^2, seconds from now; 0 for pairs that part.
        apart: (p, 3) offset + relative time, from the agent to the other, metres.
        gap: (p,) its length, or the distance between the axes of long bodies, metres.
    """

    time: Scalars
    apart: Vectors
    gap: Scalars

    @classmethod
    def of(cls, near: Near, world: World, agents: Agents) -> "_NearestApproach":
        relative = picked(world.bodies.velocity, near.body) - picked(agents.velocity, near.agent)
        speed_squared = dot(relative, relative)
        time = np.where(speed_squared > EPSILON, -dot(near.offset, relative) / np.maximum(speed_squared, EPSILON), 0.0)
        time = clamp(time, 0.0, np.inf)
        apart = near.offset + relative * time[:, None]
        gap = magnitude(world.bodies.between(apart, agents.rows[near.agent], near.body))
        return cls(time, apart, gap)


def _away(apart: Vectors, agents: Agents, agent: Rows) -> tuple[Vectors, Mask]:
    """The direction to turn to, across the heading: away from where the other will be, to the right in a dead heat.
    Returns `away`: (p, 3) unit vectors; `dead_heat`: (p,) the pairs that would meet at one place.

    Args:
        apart: (p, 3) as of `_NearestApproach`, metres.
        agent: (p,) rows of the agents.
    """
    forward, side = picked(agents.forward, agent), picked(agents.side, agent)
    lateral = apart - dot(apart, forward)[:, None] * forward
    dead_heat: Mask = magnitude(lateral) < 1e-6
    return np.where(dead_heat[:, None], side, -unit(lateral)), dead_heat
