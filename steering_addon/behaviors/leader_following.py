"""Leader following (paper, Leader Following)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import cosine, sine
from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, anybody, clamp, nobody
from ..simulation.arrays.vectors import Vectors, columns, dot, magnitude, picked, truncate
from ..simulation.behavior import Intent, Steering
from ..simulation.declaration import (
    Choice,
    acceleration,
    body,
    choice,
    length,
    seconds,
    shape,
    share,
    switch,
)
from ..simulation.maneuvers.chasing import velocity_to_keep
from ..simulation.maneuvers.formation import LeaderAxes, as_they_stand, at_vertices, carried, vertices_taken
from ..simulation.maneuvers.neighborhood import Neighborhood
from ..simulation.stations import Station
from ..simulation.world import Agents, World
from .separation import pushed_apart

LONG, WIDE, HIGH = 1.3, 1.0, 0.6
"""The half axes of the volume behind the leader, in units of the spread: a flock is longer than high."""
PLACES = (
    Choice("CLOUD", 0, "Cloud", "Each its own in a volume behind the leader, where it follows loosely"),
    Choice("AS_THEY_STAND", 1, "As They Stand", "As each is placed beside the leader on the first frame"),
)
CLOUD, AS_THEY_STAND = (c.number for c in PLACES)
OWN_PLACE = 4
"""Salt of the random keys of the places; five consecutive salts are used."""


@dataclass(frozen=True)
class LeaderFollowing(Neighborhood):
    """Follow a leader, each in a place of its own behind it, and keep out of its way.

    The places move with the leader. With a spread of 0 all agents share a point behind it, as in the paper. An agent in
    the rectangle ahead of the leader steers aside. Followers keep apart from others nearby.

    In a formation, as they stand or at the vertices of an object, each goes exactly along with its place: those outside
    fly faster in a turn. There they leave out what keeps a flock in order: Keep Apart, Match Heading, Stay Together,
    Keep Company and Wander, and turning back to a region that lets go. Those who are in their places about one leader
    do not avoid each other. Does nothing without a leader.
    """

    name = "leader_following"
    label = "Follow Leader"
    term = "leader following"
    intent = Intent.WITH
    remembers = Station
    by_chance = True
    refers_to_up = True

    leader: Rows = body("Leader to follow; empty: the nearest leader")
    places: Rows = choice("CLOUD", "Where each has its place", PLACES, animatable=False)
    behind: Number = length(2.0, "Distance behind the leader", only_with=("places", CLOUD))
    behind_time: Number = seconds(
        0.0, "Additional distance behind a fast leader, as time at its speed", only_with=("places", CLOUD)
    )
    spread: Number = length(
        4.0,
        "Size of the volume in which each vehicle has its place; 0: all have the same place",
        only_with=("places", CLOUD),
    )
    rolling: Mask = switch(
        False,
        "In the air: bank, roll and loop with the leader, places and bodies; off: places stay level",
        label="Roll Along",
    )
    formation: Rows = shape(
        "Object whose vertices are the places, each of another vehicle; its origin is the leader, its Y axis ahead"
    )
    formed: Number = share(
        1.0, "How far they have gone over from their places to those of the formation", label="In Formation"
    )
    approach_time: Number = seconds(
        2.0, "Time in which it makes up its distance from the place", 0.05, label="Approach"
    )
    response_time: Number = seconds(1.0, "Time in which it reaches the desired velocity", 0.01, label="Response")
    strength: Number = acceleration(8.0, "Strongest steering toward its place")
    clearing_distance: Number = length(6.0, "How far ahead of the leader its way is kept free", label="Clear Ahead")
    clearing_width: Number = length(2.0, "How wide the leader's way is", label="Clear Width")
    separation: Number = acceleration(8.0, "Strongest steering to keep apart from others nearby")
    distance: Number = length(1.5, "How far away other vehicles still count", label="Sees Up To")

    def steer(self, world: World, agents: Agents, memory: Station) -> Steering:
        following = self.leader >= 0
        if not following.any():
            return Steering(agents.none(), sets_speed=following)
        row = np.maximum(self.leader, 0)
        leader, velocity = picked(world.bodies.position, row), picked(world.bodies.velocity, row)
        rolls = self.rolling & ~agents.grounded
        axes = LeaderAxes.of(agents, picked(world.bodies.forward, row), picked(world.bodies.up, row), rolls)
        local, kept, moves, after = self._behind(world, agents, row), nobody(len(agents)), None, None
        shape = np.where(following, self.formation, -1)
        if anybody(following & ((self.places != CLOUD) | (shape >= 0))):
            local, kept, vertex = self._kept(world, agents, row, rolls, axes, local, shape, memory)
            moves = carried(world, agents, row, rolls, axes, local, memory)
            velocity = np.where(kept[:, None], moves.before, velocity)
        target = axes.place(leader, local)
        # On the storey on which the leader is, however high the volume reaches.
        place = agents.lifted(target, np.where(agents.on_the_level, agents.climb(leader - target), 0.0))
        seen = world.by_way(agents, place, world.bodies.moves(row))
        if moves is not None:
            off = np.where(kept, magnitude(agents.level(seen - agents.position)), 0.0)
            led = np.where(kept | (shape >= 0), row, memory.leader)
            shape = np.where(shape >= 0, shape, memory.shape)
            asked = np.where(kept, world.time, memory.asked)
            after = Station(local, moves.velocity, shape, led, vertex, off, asked)
        desired = velocity_to_keep(agents, seen, velocity, self.approach_time)
        response_time = np.maximum(self.response_time, world.dt)[:, None]
        steering = (desired - agents.velocity) / response_time
        steering = truncate(steering, np.where(kept, agents.agility, self.strength))

        clearing = self._out_of_the_way(agents, leader, axes.forward, axes.side, world.bodies.radius[row])
        blocking = magnitude(clearing) > 0.0
        steering = np.where((blocking & ~kept)[:, None], clearing, steering)
        apart = pushed_apart(self.near(world, agents), self.distance) * self.separation[:, None]
        if moves is not None:
            # The places keep them apart.
            apart = np.where(kept[:, None], moves.acceleration, apart)
        steering = steering + apart
        told = Steering(
            np.where(following[:, None], steering * agents.mass[:, None], 0.0),
            after,
            sets_speed=following,
            in_formation=kept,
            beside=self.leader,
            beside_place=np.where(following[:, None], target, np.nan),
        )
        if not anybody(following & rolls):
            return told
        _, up = world.bodies.turned(row, world.dt)
        return replace(told, up=np.where((following & rolls)[:, None], up, 0.0))

    def _behind(self, world: World, agents: Agents, row: Rows) -> Vectors:
        """The place of each agent in the cloud behind the leaders in some rows (n,): ahead, aside and up, (n, 3)."""
        velocity = picked(world.bodies.velocity, row)
        ahead, aside, above = self._place(agents.keys).T
        back = self.behind + self.behind_time * magnitude(velocity) + world.bodies.radius[row] + LONG * self.spread
        return columns(ahead - back, aside, above)

    def _kept(
        self,
        world: World,
        agents: Agents,
        row: Rows,
        rolls: Mask,
        axes: LeaderAxes,
        local: Vectors,
        shape: Rows,
        memory: Station,
    ) -> tuple[Vectors, Mask, Rows]:
        """The places of agents as seen from leaders of rows (n,), whether each is in a formation, and its vertex of its
        shape (n,), -1 for none."""
        stands = (self.leader >= 0) & (self.places == AS_THEY_STAND)
        if anybody(stands):
            local = np.where(stands[:, None], as_they_stand(world, agents, row, rolls), local)
        vertex = memory.vertex
        if anybody(shape >= 0):
            seen = axes.seen(agents.position - picked(world.bodies.position, row))
            vertex = vertices_taken(world, agents, shape, row, seen, memory)
            local = at_vertices(world, shape, vertex, local, self.formed)
        return local, stands | ((shape >= 0) & (vertex >= 0)), vertex

    def _place(self, keys: Keys) -> Vectors:
        """The place of each agent in the volume, (n, 3) metres forward, to the side and up from its middle."""
        draw = [uniform(mix(keys, OWN_PLACE + salt)) for salt in range(5)]
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
        `leader`, `forward`, `side`: (n, 3) the leader's position, metres, and its level axes; `radius`: (n,) of the
        leader, metres."""
        offset = agents.level(agents.position - leader)
        ahead, aside = dot(offset, forward), dot(offset, side)
        half = self.clearing_width / 2.0 + radius + agents.radius
        within = clamp(1.0 - np.abs(aside) / np.maximum(half, EPSILON), 0.0, 1.0)
        before = clamp(1.0 - ahead / np.maximum(self.clearing_distance, EPSILON), 0.0, 1.0)
        pushing = (ahead > 0.0) & (within > 0.0) & (before > 0.0) & (self.clearing_distance > 0.0)
        away = np.where(aside >= 0.0, 1.0, -1.0)[:, None] * side
        return np.where(pushing[:, None], away * (np.sqrt(within * before) * self.strength)[:, None], 0.0)
