"""Obstacle avoidance (paper, Obstacle Avoidance)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import (
    EPSILON,
    Mask,
    Number,
    Rows,
    Scalars,
    anybody,
    clamp,
    everybody,
    least_of_each,
    totals,
    which,
)
from ..simulation.arrays.vectors import Vectors, columns, dot, magnitude, picked, truncate, unit
from ..simulation.avoiding.jams import JAMMING
from ..simulation.avoiding.threats import CREEP, Rounds, Threats
from ..simulation.avoiding.walls import walls_ahead
from ..simulation.behavior import Behavior, Intent, Steering, of_priority
from ..simulation.declaration import Choice, choice, length, seconds
from ..simulation.geometry.obstacles import Obstacles
from ..simulation.intention import EVERY_MOVING, EVERY_OBSTACLE, Intention
from ..simulation.maneuvers.braking import speed_to_stop, stopping_distance
from ..simulation.maneuvers.lanes import Lanes, drives_along_paths
from ..simulation.world import Agents, World

FIRMNESS = 1.3
"""Factor on the turn that just touches the hull, so that the agent is past before it reaches the obstacle."""
STRAIN = 0.8
"""Share of max_force: if the turn takes more, it brakes as well."""
URGENT = 0.25, 0.5
"""Shares of the hardest turn that is possible: one that takes more than the first is urgent in part, than the second
altogether. What is left of it brings back an agent that others have delayed."""
STANDS = 0.01
"""Share of top speed below which an agent stands."""
EASY = 0.5
"""Share of max_force up to which a turn is left until one that stands goes."""
ALONG = 0.1
"""Cosine from a wall's normal up to which a goal beside the wall does not count as beyond it."""
METHODS = (
    Choice("TURN", 0, "Turn Past", "Turns just enough to pass the obstacle ahead; along the surface of a mesh"),
    Choice(
        "FIELD",
        1,
        "Force Field",
        "Is pushed away by obstacles nearby, wherever it is going; a fast one needs a distance in which it can stop",
    ),
    Choice(
        "SILHOUETTE",
        2,
        "Silhouette",
        "Turns past the nearest edge of the outline of the obstacle ahead, also of a mesh",
    ),
)
TURN, FIELD, SILHOUETTE = (c.number for c in METHODS)


LANDS = 6.0
"""Metres of a glide for each by which it comes nearer to what it lands on."""


@dataclass(frozen=True)
class ObstacleAvoidance(Behavior):
    """Go round obstacles that lie ahead.

    Considers the first obstacle in the cylinder ahead that it needs to be free. The steering is the even turn that
    touches its hull, across the course; if that takes more than the vehicle has, it brakes too. For an obstacle that
    moves, the relative velocity counts. Other behaviors cannot outvote a turn that takes much of its force. Does
    nothing about obstacles to the side, behind, or beyond the agent's goal, nor for walkers that choose a velocity to
    avoid each other, which keeps them clear of obstacles too; the force field pushes those as well. Walkers that are
    held up come nearer than their clearance, so that a throng uses all of a gate.
    """

    name = "obstacle_avoidance"
    label = "Avoid Obstacles"
    term = "obstacle avoidance"
    intent = Intent.STAY
    avoids = True

    priority: Rows = of_priority(1)
    method: Rows = choice("TURN", "How it keeps clear of obstacles", METHODS)
    look_ahead_time: Number = seconds(1.5, "How far ahead it looks, as time at its speed", label="Looks Ahead")
    clearance: Number = length(0.2, "Distance that it keeps from the obstacle, in addition to its radius")

    field_distance: Number = length(
        3.0, "Distance from a surface beyond which it does not push", 0.01, only_with=("method", FIELD)
    )

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        if not len(agents) or not world.obstacles.present.any():
            return Steering(agents.none())
        pushed = self.method == FIELD
        # Walkers that choose velocities along planned ways keep clear by these: to do it twice would bar doors.
        plans = agents.on_the_level & ~np.isnan(agents.intention.interval) & ~np.isfinite(agents.handling.axle)
        plans &= (agents.intention.awaits == -1) | (agents.intention.awaits == EVERY_MOVING)
        if everybody(pushed | plans):
            steering, urgency = agents.none(), np.zeros(len(agents))
        else:
            steering, urgency = self._turning(world, agents)
            steering = np.where(plans[:, None], 0.0, steering)
        if pushed.any():
            push = push_away(world.obstacles, agents, self.clearance, self.field_distance)
            push = truncate(agents.level(push), np.ones(len(agents)))
            push = np.where(self._at_its_place(agents, np.zeros(len(agents)))[:, None], 0.0, push)
            steering = np.where(pushed[:, None], push * agents.max_force[:, None], steering)
            urgency = np.where(pushed, magnitude(push), urgency)
        if drives_along_paths(world, agents):
            steering = np.where(self._lane_is_free(world, agents)[:, None], 0.0, steering)
        return Steering(steering, urgent=steering * urgency[:, None])

    def _lane_is_free(self, world: World, agents: Agents) -> Mask:
        """The drivers along a curve on whose way nothing stands but what they stop for, (n,)."""
        lanes, obstacles = Lanes.of(world, agents), world.obstacles
        free = lanes.driven.copy()
        sight = agents.speed * self.look_ahead_time + stopping_distance(agents) + agents.extent
        agent, row = obstacles.near(agents.position, sight + agents.radius + self.clearance)
        moves = magnitude(obstacles.velocity)[row] > 0.0
        awaits = agents.intention.awaits[agent]
        stops = (awaits == EVERY_OBSTACLE) | (awaits == row) | ((awaits != -1) & moves)
        pairs = which(free[agent] & ~stops)
        agent, row = agent[pairs], row[pairs]
        reach, furthest = (agents.radius + self.clearance)[agent], sight[agent]
        way = lanes.way_to(obstacles, agent, row, (agents.radius - agents.extent)[agent], reach, furthest)
        free[agent[way < furthest]] = False
        return free

    def intention(self, world: World, agents: Agents, memory: None) -> Intention:
        return Intention(clearance=self.clearance)

    def start_speed(self, world: World, agents: Agents, memory: None) -> Scalars | None:
        """Drivers start no faster than they can stop before what is ahead: they cannot turn past it in time."""
        drives, obstacles = np.isfinite(agents.handling.axle), world.obstacles
        if not (anybody(drives) and obstacles.present.any()):
            return None
        sight, reach = stopping_distance(agents) + agents.extent, agents.radius + self.clearance
        agent, row = obstacles.near(agents.position, sight + reach)
        foreign = which(obstacles.carrier[row] != agents.rows[agent])
        agent, row = agent[foreign], row[foreign]
        nose, furthest = (agents.extent - agents.radius)[agent], sight[agent]
        way = Lanes.of(world, agents).way_to(obstacles, agent, row, nose, reach[agent], furthest)
        slow = np.where(way < furthest, speed_to_stop(agents, agent, way), np.inf)
        return np.where(drives, least_of_each(len(agents), agent, slow), np.inf)

    def _turning(self, world: World, agents: Agents) -> tuple[Vectors, Scalars]:
        """The steering that bends the course past what lies ahead, (n, 3) newtons, and the share that is urgent."""
        outlines = self.method == SILHOUETTE
        # Walkers that are held up keep as near to a door's posts as it takes: two clearances would bar most of it.
        walks = agents.on_the_level & ~np.isfinite(agents.handling.axle)
        kept = np.where(walks, clamp(agents.progress / JAMMING.freely, 0.0, 1.0), 1.0)
        way = _way(world, agents)
        ahead = _ahead(world.obstacles, agents, self.clearance * kept, self.look_ahead_time, outlines, way)
        if ahead is None:
            return agents.none(), np.zeros(len(agents))
        agility = np.maximum(agents.agility, EPSILON)
        turn = np.minimum(FIRMNESS * ahead.turn, agility)
        # A slow agent needs less for the turn than `hardest` says, and could not turn at all once it stood.
        creep = CREEP * agents.max_speed
        slow = clamp(agents.speed / np.maximum(creep, EPSILON), 0.0, 1.0)
        strongest = np.maximum(agents.sideways_at(np.maximum(agents.speed, creep)), EPSILON)
        strain = clamp((ahead.hardest * slow * slow / strongest - STRAIN) / (1.0 - STRAIN), 0.0, 1.0)
        in_part, altogether = URGENT
        effort = np.maximum(ahead.turn, ahead.hardest) * slow * slow / strongest
        urgency = clamp((effort - in_part) / (altogether - in_part), 0.0, 1.0)
        urgency = np.where(ahead.too_near, 1.0, urgency)
        steering = ahead.direction * turn[:, None] - ahead.course * (strain * agility)[:, None]
        # An agent that is too near would stay there if it braked.
        steering = np.where(ahead.too_near[:, None], ahead.away * agility[:, None], steering)
        steering = steering * (agents.mass * ahead.onset)[:, None]
        stands = agents.speed < STANDS * agents.max_speed
        counts = np.isfinite(ahead.contact) & ~_turns_away(agents, ahead, stands)
        counts &= ~self._at_its_place(agents, ahead.contact)
        # Steering aside alone would not get going one that stands where the first that applies is followed.
        counts &= ~stands | ahead.too_near | (turn > EASY * agility)
        return np.where(counts[:, None], steering, 0.0), urgency

    def _at_its_place(self, agents: Agents, contact: Scalars) -> Mask:
        """Whether what agents meet after (n,) metres is that on which they land, (n,)."""
        glide = LANDS * (agents.radius + self.clearance)
        return np.isfinite(agents.intention.lands[:, 0]) & (contact + glide >= agents.goal_distance)


def _turns_away(agents: Agents, ahead: Threats, stands: Mask) -> Mask:
    """Whether each agent stands, `stands` (n,), and its goal leads off what is ahead, (n,). It need not pass that.
    Where the first that applies is followed, it would not get to turning round."""
    turns: Mask = stands & ~ahead.too_near & np.isfinite(agents.goal[:, 0])
    if anybody(turns):
        way = unit(agents.level(np.where(turns[:, None], agents.goal - agents.position, 0.0)))
        turns = turns & (dot(way, ahead.away) >= -ALONG)
    return turns


def _way(world: World, agents: Agents) -> Vectors:
    """The unit directions, (n, 3), in which the ways over ground of agents begin, which know what stands; zero for
    none."""
    if world.ways is None:
        return agents.none()
    goes = world.ways.walked_by(agents.rows) & np.isfinite(agents.goal[:, 0])
    return unit(agents.level(np.where(goes[:, None], agents.goal - agents.position, 0.0)))


def _ahead(
    obstacles: Obstacles, agents: Agents, clearance: Scalars, look_ahead_time: Scalars, outlines: Mask, way: Vectors
) -> Threats | None:
    """The obstacle that each agent would run into first; None without obstacles. `clearance`: (n,) metres to keep in
    addition to the agent's radius; `outlines`: (n,) whether the agent passes meshes by their outlines instead of
    turning along their surfaces; `way`: (n, 3) as of `_way`."""
    plain = obstacles.plain & obstacles.present
    threats = None
    if plain.any():
        rounds = obstacles if plain.all() else obstacles.take(plain)
        threats = Rounds.seen(rounds, agents, clearance, look_ahead_time).first(agents)
    others = obstacles.present & ~plain
    if others.any():
        walls = walls_ahead(obstacles.take(others), agents, clearance, look_ahead_time, outlines, way)
        threats = walls if threats is None else threats.or_sooner(walls)
    return threats


def push_away(obstacles: Obstacles, agents: Agents, clearance: Scalars, distance: Scalars) -> Vectors:
    """The sum of the pushes of all surfaces near each agent, (n, 3), unitless.

    A surface with a gap g beyond radius + clearance pushes by (1 - g / distance)^2, between 0 and 1. `clearance`: (n,)
    metres to keep in addition to the agent's radius; `distance`: (n,) metres beyond which a surface has no effect.
    """
    room = agents.radius + clearance
    owner, row = obstacles.near(agents.position, room + distance, agents.stature)
    foreign = obstacles.carrier[row] != agents.rows[owner]
    owner, row = owner[foreign], row[foreign]
    gap, away = obstacles.surface(picked(agents.position, owner), row, agents.stature.take(owner))
    depth = clamp(1.0 - (gap - room[owner]) / np.maximum(distance[owner], EPSILON), 0.0, 1.0)
    push = away * (depth * depth)[:, None]
    return columns(*(totals(owner, push[:, axis], len(agents)) for axis in range(3)))
