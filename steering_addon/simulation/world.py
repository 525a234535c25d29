"""What agents see: a picture of the world that stays still while all of them decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from .chance import Keys
from .neighbors import EVERYONE, OWN_CROWD, Near, Vicinity, nobody, perceived
from .obstacles import Obstacles
from .paths import Path
from .regions import Regions
from .roles import Role
from .vectors import Mask, Rows, Scalars, Vectors, cross, dot, magnitude, unit
from .vehicle import VehicleModel, flattened

Memory = Mapping[str, Scalars]
"""What a behavior remembers: (n,) numbers by name."""


@dataclass(frozen=True)
class Bodies:
    """Whatever may be a target: the vehicles first, in the order of their rows, then the rest.

    Attributes:
        position, velocity: (b, 3) metres, metres a second.
        forward: (b, 3) unit headings.
        radius: (b,) metres.
        roles: (b,) bits of Role.
        present: (b,) whether it is there at the moment.
        crowd: (b,) the row of the crowd a vehicle belongs to, -1 for what belongs to none.
    """

    position: Vectors
    velocity: Vectors
    forward: Vectors
    radius: Scalars
    roles: Rows
    present: Mask
    crowd: Rows

    def nearest(self, role: Role, points: Vectors, own: Rows) -> Rows:
        """The row of the nearest body with a role to each point, -1 where there is none.

        Args:
            points: (n, 3).
            own: (n,) rows that do not count for their own point.
        """
        rows = np.flatnonzero(((self.roles & int(role)) != 0) & self.present)
        if not len(rows):
            return np.full(len(points), -1, dtype=np.int64)
        gap = self.position[rows][None] - points[:, None, :]
        distance = dot(gap, gap)
        distance[own[:, None] == rows[None]] = np.inf
        best = np.argmin(distance, axis=1)
        alone = ~np.isfinite(distance[np.arange(len(points)), best])
        return np.where(alone, -1, rows[best])


@dataclass(frozen=True)
class World:
    """Everything around the agents at one moment.

    Attributes:
        time: seconds.
        dt: seconds until the next decision.
        bodies: whatever may be a target.
        obstacles: what is in the way, in world space.
        paths: the tagged curves, in world space.
        regions: the spheres and boxes to keep to, in world space.
        vicinity: who is near whom.
    """

    time: float
    dt: float
    bodies: Bodies
    obstacles: Obstacles
    paths: tuple[Path, ...]
    regions: Regions
    vicinity: Vicinity

    def neighbors(self, agents: Agents, distance: Scalars, angle: Scalars, which: Rows, crowd: Rows) -> Near:
        """Whom the agents perceive of the other vehicles.

        Args:
            distance: (n,) how far they see, metres.
            angle: (n,) their whole field of view, radians.
            which: (n,) the number of a choice of NEIGHBORS.
            crowd: (n,) the crowd that counts where one is chosen, -1 for none.
        """
        furthest = float(distance.max(initial=0.0))
        if furthest <= 0.0:
            return nobody(len(agents))
        near = perceived(self.vicinity.around(furthest, agents.rows), distance, angle, agents.forward)
        if (which == EVERYONE).all():
            return near
        own = self.bodies.crowd[agents.rows] if len(agents) else agents.rows
        wanted = np.where(which == OWN_CROWD, own, crowd)
        fits = (self.bodies.crowd.take(near.body) == wanted.take(near.agent)) & (wanted >= 0).take(near.agent)
        fits |= (which == EVERYONE).take(near.agent)
        return near if fits.all() else near.take(np.flatnonzero(fits))


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
        goal_distance: (n,) metres to the nearest place they want to be at, inf where they want to be nowhere.
        memory: what the behavior at hand remembers of them.
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
    goal_distance: Scalars
    memory: Memory = field(default_factory=dict)

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

    def none(self) -> Vectors:
        """(n, 3) no steering for anybody."""
        return np.zeros((len(self), 3))

    def predicted_position(self, time: Scalars) -> Vectors:
        """(n, 3) where they will be after (n,) seconds if they go straight on."""
        return self.position + self.velocity * time[:, None]

    def level_frame(self) -> tuple[Vectors, Vectors]:
        """The side and up they would have with level wings, (n, 3) each; their own where they go straight up."""
        level = np.zeros_like(self.forward)
        level[:, 2] = 1.0
        side = unit(cross(self.forward, level))
        side = np.where((magnitude(side) < 0.5)[:, None], self.side, side)
        return side, cross(side, self.forward)

    def level(self, v: Vectors) -> Vectors:
        """The vectors, without height for agents that keep in their plane."""
        return flattened(v, self.vehicle)

    def steering_to(self, desired_velocity: Vectors, response_time: Scalars | None = None) -> Vectors:
        """The force that takes up a desired velocity within the response time, (n, 3) newtons.

        The paper's `desired_velocity - velocity` in units that hold for any step.
        """
        time = self.vehicle.response_time if response_time is None else response_time
        return (desired_velocity - self.velocity) * (self.mass / time)[:, None]

    def remembering(self, memory: Memory) -> Agents:
        """The same agents with what another behavior remembers of them."""
        return replace(self, memory=memory)
