"""What agents see: a picture of the world that stays still while all of them decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from . import ground
from .arrays.chance import Keys
from .arrays.once import once
from .arrays.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    cross,
    dot,
    largest,
    magnitude,
    no_vectors,
    picked,
    same_for_all,
    unit,
)
from .candidates import Candidates
from .geometry.flows import Flow
from .geometry.obstacles import Obstacles
from .geometry.paths import Path
from .geometry.regions import Regions
from .nearby.neighbors import EVERYONE, OWN_CROWD, Near, Neighbors, Vicinity, edge_of_view, perceived
from .roles import Role
from .vehicle import VehicleModel

PAIRS = 2**20
"""Pairs of point and body that are measured together."""
ANY_CROWD, NO_CROWD = -2, -3
"""Whom an agent looks for that does not look for one crowd; no vehicle belongs to these."""


@dataclass(frozen=True)
class Bodies:
    """Whatever may be a target: the vehicles first, in the order of their rows, then the rest.

    Attributes:
        position, velocity: (b, 3) metres, metres a second.
        acceleration: (b, 3) as it shows, of vehicles what they lean on; nothing of the rest, m/s2.
        forward: (b, 3) unit headings.
        radius: (b,) metres.
        roles: (b,) bits of Role.
        present: (b,) whether it is there at the moment.
        crowd: (b,) the row of the crowd a vehicle belongs to, -1 for what belongs to none.
        left: (b,) how much is left of a resource, inf for what does not run out.
    """

    position: Vectors
    velocity: Vectors
    acceleration: Vectors
    forward: Vectors
    radius: Scalars
    roles: Rows
    present: Mask
    crowd: Rows
    left: Scalars

    def nearest(self, role: Role, points: Vectors, own: Rows) -> Rows:
        """The row of the nearest body with a role to each point, -1 where there is none.

        Args:
            points: (n, 3).
            own: (n,) rows that do not count for their own point.
        """
        return self.nearest_of(np.flatnonzero(((self.roles & int(role)) != 0) & self.present), points, own)

    def nearest_of(self, rows: Rows, points: Vectors, own: Rows) -> Rows:
        """The nearest of some rows to each point, as `nearest` has it."""
        if not len(rows):
            return np.full(len(points), -1, dtype=np.int64)
        nearest = np.zeros(len(points), dtype=np.int64)
        block = max(PAIRS // len(rows), 1)
        for low in range(0, len(points), block):
            some = slice(low, low + block)
            gap = self.position[rows][None] - points[some, None, :]
            distance = dot(gap, gap)
            distance[own[some, None] == rows[None]] = np.inf
            best = np.argmin(distance, axis=1)
            alone = ~np.isfinite(distance[np.arange(len(best)), best])
            nearest[some] = np.where(alone, -1, rows[best])
        return nearest


@dataclass(frozen=True)
class World:
    """Everything around the agents at one moment.

    Attributes:
        time: seconds.
        dt: seconds until the next decision.
        bodies: whatever may be a target.
        obstacles: what is in the way, in world space.
        paths: the tagged curves, in world space.
        regions: the spheres, boxes and meshes to keep to, in world space.
        flows: the curves and meshes that draw currents, in world space.
        vicinity: who is near whom.
        candidates: bodies of which each agent takes one, where a behavior names several.
        frame_time: seconds from one frame to the next.
        vehicles: how many of the bodies are vehicles that the simulation moves.
        tallies: what all agents have added up so far, by whatever name a behavior gives it.
    """

    time: float
    dt: float
    bodies: Bodies
    obstacles: Obstacles
    paths: tuple[Path, ...]
    regions: Regions
    flows: tuple[Flow, ...]
    vicinity: Vicinity
    candidates: tuple[Candidates, ...]
    frame_time: float
    vehicles: int
    tallies: Mapping[str, Scalars]

    @property
    def perceivable(self) -> Rows:
        """(m,) the bodies that others can perceive as neighbors: the vehicles present, in ascending order."""
        return self.vicinity.rows

    def neighbors(self, agents: Agents, distance: Scalars, angle: Scalars, which: Rows, crowd: Rows) -> Neighbors:
        """Whom the agents perceive of the other vehicles.

        Args:
            distance: (n,) how far they see, metres.
            angle: (n,) their whole field of view, radians.
            which: (n,) the number of a choice of NEIGHBORS.
            crowd: (n,) the crowd that counts where one is chosen, -1 for none.
        """
        furthest = largest(distance)
        if furthest <= 0.0:
            return Neighbors(len(agents), ())
        edge = edge_of_view(angle)
        nearer = None if same_for_all(distance) else distance
        around = self.vicinity.around(furthest, agents.rows, looking=edge is not None)
        lists = tuple(perceived(near, nearer, edge) for near in around)
        if same_for_all(which) and (which[0] == EVERYONE or (which[0] == OWN_CROWD and self._one_crowd)):
            return Neighbors(len(agents), lists)
        wanted = np.where(which == OWN_CROWD, self.bodies.crowd[agents.rows], crowd)
        wanted = np.where(which == EVERYONE, ANY_CROWD, np.where(wanted < 0, NO_CROWD, wanted))
        return Neighbors(len(agents), tuple(self._of_crowd(near, wanted) for near in lists))

    @once
    def _one_crowd(self) -> bool:
        """Whether all that can be perceived belong to one crowd."""
        crowd = self.bodies.crowd
        return same_for_all(crowd) or same_for_all(crowd[self.vicinity.rows])

    def _of_crowd(self, near: Near, wanted: Rows) -> Near:
        """Those of a list who belong to the crowd that their agent looks for, (n,)."""
        looked_for = near.own(wanted)
        return near.perceived((self.bodies.crowd[near.body] == looked_for) | (looked_for == ANY_CROWD))


@dataclass(frozen=True)
class Agents:
    """The vehicles of one crowd, as its behaviors see them.

    Attributes:
        rows: (n,) their rows in World.bodies.
        keys: (n,) what their own luck hangs on.
        crowd_keys: (n,) what the luck of the whole crowd hangs on.
        position, velocity: (n, 3) metres, metres a second.
        side, forward, up: (n, 3) their local space.
        speed: (n,) metres a second.
        vehicle: their vehicle models.
        goal: (n, 3) the nearest place where they are to be, metres; nan where there is none.
        stays: (n,) whether they stay where they arrive, and have to stop for it.
        arrival_distance: (n,) how near the middle of its goal an agent has arrived, metres; 0: on touching it.
    """

    rows: Rows
    keys: Keys
    crowd_keys: Keys
    position: Vectors
    velocity: Vectors
    side: Vectors
    forward: Vectors
    up: Vectors
    speed: Scalars
    vehicle: VehicleModel
    goal: Vectors
    stays: Mask
    arrival_distance: Scalars

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def mass(self) -> Scalars:
        return self.vehicle.mass

    @property
    def radius(self) -> Scalars:
        return self.vehicle.radius

    @property
    def max_force(self) -> Scalars:
        return self.vehicle.max_force

    @property
    def max_speed(self) -> Scalars:
        return self.vehicle.max_speed

    @property
    def agility(self) -> Scalars:
        """(n,) the strongest acceleration, m/s2."""
        return self.vehicle.max_force / self.vehicle.mass

    @property
    def cruise_speed(self) -> Scalars:
        """(n,) the speed kept when nothing asks for another, m/s."""
        return self.vehicle.cruise_speed * self.vehicle.max_speed

    @property
    def upward(self) -> Vectors:
        """(n, 3) unit vectors away from the ground."""
        return ground.upright(len(self))

    @property
    def grounded(self) -> Mask:
        """(n,) whether they keep to the ground, as walkers and cars do."""
        return self.vehicle.keep_in_plane

    @property
    def goal_distance(self) -> Scalars:
        """(n,) metres to the place they want to be at, inf where they want to be nowhere."""
        distance = magnitude(self.goal - self.position)
        return np.where(np.isfinite(distance), distance, np.inf)

    def none(self) -> Vectors:
        """(n, 3) no steering for anybody."""
        return no_vectors(len(self))

    def predicted_position(self, time: Scalars) -> Vectors:
        """(n, 3) where they will be after (n,) seconds if they go straight on."""
        return self.position + self.velocity * time[:, None]

    def level_frame(self) -> tuple[Vectors, Vectors]:
        """The side and up they would have with level wings, (n, 3) each; their own where they go straight up."""
        side, flatness = ground.right_of_heading(self.forward, self.upward)
        if flatness.min(initial=1.0) <= EPSILON:
            side = np.where((flatness > EPSILON)[:, None], side, self.side)
        return side, cross(side, self.forward)

    def level(self, v: Vectors) -> Vectors:
        """The vectors, (n, 3) or (n, b, 3), without their part along `upward` for agents that keep to the ground."""
        return ground.level(v, self.upward, self.grounded)

    def level_of(self, v: Vectors, rows: Rows) -> Vectors:
        """As `level`, for vectors (m, 3) or (m, b, 3) of the agents of some rows, (m,)."""
        return ground.level(v, self.upward_of(rows), self.grounded[rows])

    def flat(self, v: Vectors) -> Vectors:
        """The vectors, (n, 3) or (n, b, 3), without their part along `upward`, whether agents fly or not."""
        return ground.flat(v, self.upward)

    def flat_of(self, v: Vectors, rows: Rows) -> Vectors:
        """As `flat`, for vectors (m, 3) or (m, b, 3) of the agents of some rows, (m,)."""
        return ground.flat(v, self.upward_of(rows))

    def upward_of(self, rows: Rows) -> Vectors:
        """`upward` of the agents of some rows, (m, 3)."""
        return ground.of_rows(self.upward, rows)

    def climb(self, v: Vectors) -> Scalars:
        """The part along `upward` of vectors, (n, 3) to (n,) or (n, b, 3) to (n, b)."""
        return ground.climb(v, self.upward)

    def lifted(self, v: Vectors, height: Scalars) -> Vectors:
        """The vectors (n, 3) with a height (n,) added along `upward`."""
        return ground.lifted(v, height, self.upward)

    def left_of(self, v: Vectors) -> Vectors:
        """The vectors square to both `upward` and vectors (n, 3), on their left as seen from above."""
        return ground.left_of(v, self.upward)

    def steering_to(self, desired_velocity: Vectors, response_time: Scalars | None = None) -> Vectors:
        """The force that takes up a desired velocity within the response time, (n, 3) newtons.

        The paper's `desired_velocity - velocity` in units that hold for any step.
        """
        time = self.vehicle.response_time if response_time is None else response_time
        return (desired_velocity - self.velocity) * (self.mass / time)[:, None]

    def seeking(self, place: Vectors, speed: Scalars | None = None) -> Vectors:
        """The force toward a place, at top speed or at (n,) m/s; (n, 3) newtons (paper, Seek)."""
        speed = self.max_speed if speed is None else speed
        return self.steering_to(unit(self.level(place - self.position)) * speed[:, None])

    def fleeing(self, place: Vectors, speed: Scalars | None = None) -> Vectors:
        """The force away from a place, at top speed or at (n,) m/s; (n, 3) newtons (paper, Flee).

        Who is there goes on as it faces.
        """
        speed = self.max_speed if speed is None else speed
        away = unit(self.level(self.position - place))
        away = np.where((magnitude(away) < 0.5)[:, None], self.forward, away)
        return self.steering_to(away * speed[:, None])

    def take(self, some: Rows) -> Agents:
        """Some of the agents."""
        vectors = (self.position, self.velocity, self.side, self.forward, self.up, self.goal)
        position, velocity, side, forward, up, goal = (picked(v, some) for v in vectors)
        return Agents(
            rows=self.rows[some],
            keys=self.keys[some],
            crowd_keys=self.crowd_keys[some],
            position=position,
            velocity=velocity,
            side=side,
            forward=forward,
            up=up,
            speed=self.speed[some],
            vehicle=self.vehicle.take(some),
            goal=goal,
            stays=self.stays[some],
            arrival_distance=self.arrival_distance[some],
        )
