"""The world as agents see it: it does not change while they decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from . import ground
from .arrays.chance import Keys
from .arrays.frozen import Columns
from .arrays.once import once
from .arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, largest, nobody, same_for_all, shared, which
from .arrays.vectors import Vectors, columns, cross, magnitude, no_vectors, picked, unit, unit_or
from .bodies import Bodies
from .candidates import Candidates
from .geometry.flows import Flow
from .geometry.obstacles import Obstacles
from .geometry.paths import Path
from .geometry.regions import Regions
from .geometry.shapes import OUTSIDE
from .geometry.stature import Stature
from .handling import Handling
from .intention import Intention
from .lane_use import NO_SIGNALS, Passing, Routed, Signals, Yielding
from .nearby.neighbors import EVERYONE, OWN_CROWD, Near, Neighbors, Vicinity, edge_of_view, perceive
from .partners import Partners
from .perches import NO_PERCHES, Perches
from .settling import Settling
from .stations import Station
from .vehicle import VehicleModel
from .ways.over_ground import Ways

T = TypeVar("T")

MOST_COMPARED = 16
"""Bodies of which the nearest by way is looked for; each takes a field of its own."""
ANY_CROWD, NO_CROWD = -2, -3
"""Stand in for a row of a crowd: an agent that perceives vehicles of any crowd, and of none."""


@dataclass(frozen=True)
class World:
    """Everything around the agents at one time.

    Attributes:
        time: seconds.
        dt: seconds until the next decision.
        interval: seconds from one decision of all vehicles to the next.
        bodies: everything that may be a target.
        regions: the spheres, boxes and meshes to stay in, in world space.
        flows: the curves and meshes that define currents, in world space.
        vicinity: the pairs of bodies near each other.
        candidates: sets of bodies of which each agent takes one, for parameters that name several.
        frame_time: seconds from one frame to the next.
        vehicles: the number of bodies that are vehicles moved by the simulation; they come first.
        tallies: sums over all agents and past steps, by a name that a behavior chooses.
        upward: (vehicles, 3) the unit vectors away from what each vehicle keeps to.
        began: the bodies as they are placed on the first frame of the run.
        slope: (vehicles, 3) the normals of the ground on which each vehicle walks; None where none walks on any.
        ways: where ways over surfaces lead; None where nobody walks on any.
        perches: the places of tracked bodies on which vehicles may come down.
        lift: (vehicles,) metres from the place where each vehicle stands up to its origin, or one for all.
        partners: whom each vehicle has for its partner; None where none ever looked for one.
        settling: how each gets on with coming to a place where others are; None where none goes to one.
        stations: the place that each vehicle has in a formation; None where none ever kept one.
        routed: along which lane each vehicle goes; None where none follows a path.
        yielding: how each gives way; None where none does.
        passing: what narrow passage each comes to; None where nobody walks on surfaces.
        way_left: (bodies,) metres of the way to where each was led in the last step; nan for none.
        goal: (bodies, 3) where that is, metres; known where `way_left` is.
        own_speed: (vehicles,) the speed at which each goes of itself, m/s.
    """

    time: float
    dt: float
    interval: float
    bodies: Bodies
    obstacles: Obstacles
    paths: tuple[Path, ...]
    regions: Regions
    flows: tuple[Flow, ...]
    shapes: tuple[Vectors, ...]
    vicinity: Vicinity
    candidates: tuple[Candidates, ...]
    frame_time: float
    vehicles: int
    tallies: Mapping[str, Scalars]
    upward: Vectors
    began: Bodies
    slope: Vectors | None = None
    ways: Ways | None = None
    perches: Perches = NO_PERCHES
    lift: Scalars = field(default_factory=lambda: np.zeros(1))
    partners: Partners | None = None
    settling: Settling | None = None
    stations: Station | None = None
    routed: Routed | None = None
    yielding: Yielding | None = None
    signals: Signals = NO_SIGNALS
    passing: Passing | None = None
    way_left: Scalars = field(default_factory=lambda: np.zeros(0))
    goal: Vectors = field(default_factory=lambda: no_vectors(0))
    own_speed: Scalars = field(default_factory=lambda: np.zeros(0))

    @property
    def perceivable(self) -> Rows:
        """(m,) the bodies that others can perceive as neighbors: the vehicles present, in ascending order."""
        return self.vicinity.rows

    def neighbors(self, agents: Agents, distance: Scalars, angle: Scalars, which: Rows, crowd: Rows) -> Neighbors:
        """The other vehicles that the agents perceive.

        Args:
            distance: (n,) how far they see, metres.
            angle: (n,) their full field of view, radians.
            which: (n,) the number of a choice of NEIGHBORS.
            crowd: (n,) the row of the crowd that counts with CHOSEN_CROWD, -1 for none.
        """
        furthest = largest(distance)
        if furthest <= 0.0:
            return Neighbors(len(agents), ())
        edge = edge_of_view(angle)
        nearer = None if same_for_all(distance) else distance
        around = self.vicinity.around(furthest, agents.rows, looking=edge is not None)
        neighbors = Neighbors(len(agents), tuple(perceive(near, nearer, edge) for near in around))
        if same_for_all(which) and (which[0] == EVERYONE or (which[0] == OWN_CROWD and self._one_crowd)):
            return neighbors
        wanted = np.where(which == OWN_CROWD, self.bodies.crowd[agents.rows], crowd)
        wanted = np.where(which == EVERYONE, ANY_CROWD, np.where(wanted < 0, NO_CROWD, wanted))
        return neighbors.where(lambda near: self._is_in_crowd(near, wanted))

    @once
    def in_formation(self) -> Mask:
        """(vehicles,) those that keep places in a formation."""
        return nobody(self.vehicles) if self.stations is None else self.stations.kept(self.time, self.interval)

    def along_ground(self, offset: Vectors, rows: Rows) -> Vectors:
        """Offsets, (p, 3) metres, with heights that count from the ground on which vehicles walk.

        Two on a slope walk at the same height: who is above one's own slope is on another storey. `rows`: (p,) the
        vehicle from which each offset leads.
        """
        if self.slope is None:
            return offset
        normal = picked(self.slope, rows)
        rise = -(normal[:, 0] * offset[:, 0] + normal[:, 1] * offset[:, 1]) / np.maximum(normal[:, 2], UPRIGHT)
        return columns(offset[:, 0], offset[:, 1], offset[:, 2] - rise)

    def lift_of(self, rows: Rows) -> Scalars:
        """How far the origins of vehicles are above the place where they stand, (n,) metres."""
        return self.lift[np.minimum(rows, len(self.lift) - 1)]

    def by_way(self, agents: Agents, places: Vectors, moves: Mask | None = None) -> Vectors:
        """Places, (n, 3) metres, as agents see them along the ways that they walk; nan stays.

        A place is seen in the direction in which the way to it begins, as far away as the way is long. One in sight is
        where it is, to the last bit. Where no way leads to it, the nearest place is seen to which one does.

        Args:
            moves: (n,) whose place moves; None for nobody's.
        """
        if self.ways is None:
            return places
        return self.ways.unroll(agents.rows, agents.keys, agents.position, places, moves)

    def nearest_of(self, bodies: Rows, agents: Agents, asking: Rows) -> Rows:
        """The row of the nearest of bodies of rows (c,) for each of some agents (m,); -1 if there is no other.

        Of a few that stand still, the nearest by the ways that an agent walks, by the time that it takes: two exits
        share a throng.
        """
        row = agents.rows[asking]
        nearest = self.bodies.nearest_of(bodies, picked(agents.position, asking), row)
        compares = self.ways is not None and 1 < len(bodies) <= MOST_COMPARED
        if self.ways is None or not compares or (bodies < self.vehicles).any() or self.bodies.velocity[bodies].any():
            return nearest
        metres = self.ways.lengths(row, picked(agents.position, asking), picked(self.bodies.position, bodies))
        best = np.argmin(metres, axis=1)
        return np.where(np.isfinite(metres.min(axis=1)), bodies[best], nearest)

    def bodies_by_way(self, agents: Agents, rows: Rows) -> Vectors:
        """The places of bodies of rows (n,), -1 for none, as of `by_way`, (n, 3) metres; nan for none."""
        position = picked(self.bodies.position, np.maximum(rows, 0))
        return self.by_way(agents, np.where((rows >= 0)[:, None], position, np.nan), self.bodies.moves(rows))

    def up_to_obstacles(self, agents: Agents, rows: Rows) -> Vectors:
        """The ways of agents straight up to the nearest of the obstacles in which bodies of rows (n,) lie, or on it if
        it is flat, (n, 3) metres: nearer to it no agent comes. nan for other bodies."""
        solid = self.obstacles.take(which(self.obstacles.present & (self.obstacles.side == OUTSIDE)))
        bodies, of_agent = np.unique(rows, return_inverse=True)
        agent, obstacle = np.nonzero((solid.clearance(picked(self.bodies.position, bodies)) <= EPSILON)[of_agent])
        ways = np.full((len(agents), 3), np.nan)
        if not len(agent):
            return ways
        half = agents.extent - agents.radius
        places, axis = picked(agents.position, agent), picked(agents.forward * half[:, None], agent)
        radius, stature = agents.radius[agent], agents.stature.take(agent)
        distance, away = solid.surface_of_capsules(places, axis, radius, obstacle, stature)
        furthest_first = np.argsort(-distance, kind="stable")
        ways[agent[furthest_first]] = picked(away * (radius - distance)[:, None], furthest_first)
        return ways

    def away_by_way(self, agents: Agents, threat: Rows, places: Vectors, runs: Mask) -> Vectors:
        """Places, (n, 3) metres, moved round agents that run from bodies of rows (n,), so that they run out by a way.

        Straight away from a place the best way out begins, which leads into no dead end. In the open a place is where
        it is, to the last bit. `places`: where the threats are or will be; `runs`: (n,) who runs.
        """
        if self.ways is None or not anybody(runs):
            return places
        threats = np.where(runs[:, None], picked(self.bodies.position, threat), np.nan)
        away = unit(agents.level(agents.position - places))
        out = self.ways.retreat(agents.rows, agents.keys, agents.position, threats, away)
        return np.where((out != away).any(axis=1)[:, None], agents.position - out, places)

    def left_uphill(self, agents: Agents, course: Vectors) -> Scalars:
        """The shares of their speed on level ground that slopes leave agents on ways (n, 3), (n,)."""
        if self.slope is None:
            return shared(1.0, len(agents))
        normal = picked(self.slope, agents.rows)
        return ground.share_uphill(ground.rise(normal, unit(course)), agents.handling.uphill_slowing)

    def once_for(self, agents: Agents, compute: Callable[[World, Agents], T]) -> T:
        """The result of a function of some agents in this world; computed once for all behaviors that ask."""
        key = id(agents), compute
        if key not in self._computed:
            self._computed[key] = agents, compute(self, agents)
        return self._computed[key][1]

    def once_for_all(self, compute: Callable[[World], T]) -> T:
        """The result of a function of this world; computed once for all who ask."""
        if compute not in self._computed_of_all:
            self._computed_of_all[compute] = compute(self)
        return self._computed_of_all[compute]

    @once
    def _computed_of_all(self) -> dict[Callable[..., Any], Any]:
        return {}

    @once
    def _computed(self) -> dict[tuple[int, Callable[..., Any]], tuple[Agents, Any]]:
        """The agents are kept with what is computed, so that no others get their id."""
        return {}

    @once
    def _one_crowd(self) -> bool:
        """Whether all perceivable vehicles belong to one crowd."""
        crowd = self.bodies.crowd
        return same_for_all(crowd) or same_for_all(crowd[self.perceivable])

    def _is_in_crowd(self, near: Near, wanted: Rows) -> Mask:
        """Whether each body of a list belongs to the crowd that its agent looks for, (p,); `wanted` is (n,)."""
        crowd = near.of_agent(wanted)
        return (self.bodies.crowd[near.body] == crowd) | (crowd == ANY_CROWD)


UPRIGHT = 0.05
"""The cosine of the slope of ground that counts as upright."""


@dataclass(frozen=True)
class Agents(Columns):
    """Vehicles that follow the same settings, as their behaviors see them.

    Rows that `take` is given index their columns, not World.bodies. They say which way is up and what is level
    (`upward`, `grounded`, `level`, `flat`, `climb` ...). No behavior names the z axis: the plane of an agent lies
    across its `upward`, which a wall or a ceiling turns.

    Attributes:
        rows: (n,) their rows in World.bodies.
        keys: (n,) the random key of each agent.
        crowd_keys: (n,) the random key that it shares with its crowd.
        numbers: (n,) the number by which it draws lots with its crowd.
        position, velocity: (n, 3) metres, metres a second.
        side, forward, up: (n, 3) the axes of their local space, orthonormal.
        speed: (n,) metres a second.
        upward: (n, 3) unit vectors away from the ground.
        grounded: (n,) whether they keep to the ground, as walkers and cars do.
        stature: how tall obstacles meet them.
        goal: (n, 3) the nearest position that a behavior leads them to, metres; nan for none.
        stays: (n,) whether they stay where they arrive, and therefore have to stop.
        arrival_distance: (n,) the distance from the middle of its goal at which an agent has arrived, metres; 0 if it
            has arrived when it touches the goal.
        arrived: (n,) whether they were where a behavior leads them, in the last step.
        bound: (n,) whether they were to go on then: a behavior led them elsewhere, and no speed limit stopped them.
        progress: (n,) the share of the velocity they wish for that each recently had; 1 for those that have no way.
        intention: what all their behaviors said before the first steered, and those that have steered since.
    """

    rows: Rows
    keys: Keys
    crowd_keys: Keys
    numbers: Rows
    position: Vectors
    velocity: Vectors
    side: Vectors
    forward: Vectors
    up: Vectors
    speed: Scalars
    vehicle: VehicleModel
    upward: Vectors
    grounded: Mask
    handling: Handling
    stature: Stature
    goal: Vectors
    stays: Mask
    arrival_distance: Scalars
    arrived: Mask
    bound: Mask
    progress: Scalars
    intention: Intention

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def mass(self) -> Scalars:
        return self.vehicle.mass

    @property
    def radius(self) -> Scalars:
        return self.vehicle.radius

    @property
    def extent(self) -> Scalars:
        """(n,) metres from the middle of each body to its nose."""
        half = self.vehicle.half_axis
        return self.radius if half is None else self.radius + half

    @property
    def max_force(self) -> Scalars:
        return self.vehicle.max_force

    @property
    def max_speed(self) -> Scalars:
        return self.vehicle.max_speed

    @property
    def agility(self) -> Scalars:
        """(n,) max_force / mass, m/s2."""
        return self.vehicle.max_force / self.vehicle.mass

    @property
    def sideways(self) -> Scalars:
        """(n,) the strongest sideways acceleration at cruise speed, m/s2: by max_force and on the turning circle."""
        return self.sideways_at(self.cruise_speed)

    def sideways_at(self, speed: Scalars) -> Scalars:
        """(n,) as `sideways`, at speeds (n,), m/s."""
        circle = self.handling.turning_circle
        bound = np.where(circle > 0.0, speed * speed / np.maximum(circle, EPSILON), np.inf)
        return np.minimum(self.agility, bound)

    def tightest(self, speed: Scalars) -> Scalars:
        """The radius of the tightest turn at speeds, (n,) or (n, k) m/s, metres."""
        if speed.ndim == 2:
            return np.maximum(
                speed * speed / np.maximum(self.agility, EPSILON)[:, None], self.handling.turning_circle[:, None]
            )
        return np.maximum(speed * speed / np.maximum(self.agility, EPSILON), self.handling.turning_circle)

    @property
    def cruise_speed(self) -> Scalars:
        """(n,) the speed that they hold while no behavior sets another, m/s."""
        return self.vehicle.cruise_speed * self.vehicle.max_speed

    @property
    def own_pace(self) -> Scalars:
        """(n,) the speed that they have, or cruise speed if that is faster, m/s."""
        return np.maximum(self.speed, self.cruise_speed)

    @property
    def on_the_level(self) -> Mask:
        """(n,) who keeps to ground that is level: ways on it can be planned on a map as seen from above."""
        return self.grounded & ground.is_upright(self.upward)

    @property
    def goal_distance(self) -> Scalars:
        """(n,) metres to the goal, inf without one."""
        distance = magnitude(self.goal - self.position)
        return np.where(np.isfinite(distance), distance, np.inf)

    def none(self) -> Vectors:
        """(n, 3) zero steering."""
        return no_vectors(len(self))

    def predicted_position(self, time: Scalars) -> Vectors:
        """(n, 3) position + velocity time, metres; `time` is (n,) seconds."""
        return self.position + self.velocity * time[:, None]

    def level_frame(self) -> tuple[Vectors, Vectors]:
        """The side and up axes of level wings, (n, 3) each; the agent's own axes if it heads straight up or down."""
        side, flatness = ground.right_of_heading(self.forward, self.upward)
        if flatness.min(initial=1.0) <= EPSILON:
            side = np.where((flatness > EPSILON)[:, None], side, self.side)
        return side, cross(side, self.forward)

    def level(self, v: Vectors) -> Vectors:
        """The vectors, (n, 3) or (n, b, 3), without their components along `upward` for grounded agents."""
        return ground.level(v, self.upward, self.grounded)

    def level_of(self, v: Vectors, rows: Rows) -> Vectors:
        """As `level`, for vectors (m, 3) or (m, b, 3) of the agents of some rows, (m,)."""
        return ground.level(v, self.upward_of(rows), self.grounded[rows])

    def flat(self, v: Vectors) -> Vectors:
        """The vectors, (n, 3) or (n, b, 3), without their components along `upward`, for flyers too."""
        return ground.flat(v, self.upward)

    def flat_of(self, v: Vectors, rows: Rows) -> Vectors:
        """As `flat`, for vectors (m, 3) or (m, b, 3) of the agents of some rows, (m,)."""
        return ground.flat(v, self.upward_of(rows))

    def upward_of(self, rows: Rows) -> Vectors:
        """`upward` of the agents of some rows, (m, 3)."""
        return ground.of_rows(self.upward, rows)

    def climb(self, v: Vectors) -> Scalars:
        """The components of vectors along `upward`, (n, 3) to (n,) or (n, b, 3) to (n, b)."""
        return ground.climb(v, self.upward)

    def lifted(self, v: Vectors, height: Scalars) -> Vectors:
        """v + height upward; v is (n, 3), `height` (n,)."""
        return ground.lifted(v, height, self.upward)

    def left_of(self, v: Vectors) -> Vectors:
        """cross(upward, v): level and perpendicular to the vectors (n, 3), on their left."""
        return ground.left_of(v, self.upward)

    def steering_to(self, desired_velocity: Vectors, response_time: Scalars | None = None) -> Vectors:
        """The force that reaches a desired velocity within the response time, (n, 3) newtons.

        mass (desired_velocity - velocity) / response_time: the paper's `desired_velocity - velocity` in units that do
        not depend on the step.

        Args:
            response_time: (n,) seconds; that of the vehicle by default.
        """
        time = self.vehicle.response_time if response_time is None else response_time
        return (desired_velocity - self.velocity) * (self.mass / time)[:, None]

    def seeking(self, target: Vectors, speed: Scalars | None = None) -> Vectors:
        """The force toward points (n, 3), at (n,) m/s or at top speed; (n, 3) newtons (paper, Seek)."""
        speed = self.max_speed if speed is None else speed
        return self.steering_to(unit(self.level(target - self.position)) * speed[:, None])

    def away_from(self, target: Vectors) -> Vectors:
        """Unit vectors away from points (n, 3); forward, where an agent is on top of its point."""
        return unit_or(self.level(self.position - target), self.forward)

    def fleeing(self, target: Vectors, speed: Scalars | None = None) -> Vectors:
        """The force away from points (n, 3), at (n,) m/s or at top speed; (n, 3) newtons (paper, Flee). An agent on top
        of its point goes forward."""
        speed = self.max_speed if speed is None else speed
        return self.steering_to(self.away_from(target) * speed[:, None])

    def accompany(self, agent: Rows, body: Rows) -> Mask:
        """Whether agents go with bodies, (p,) each; `agent` indexes their columns, `body` is a row of World.bodies."""
        return (self.intention.companions[agent] == body[:, None]).any(axis=1)

    def part(self, rows: Rows) -> Agents:
        """As `take`, but kept: asked for the same array of rows again, it gives the same agents."""
        entry = self._parts.get(id(rows))
        if entry is None:
            entry = self._parts[id(rows)] = rows, self.take(rows)
        return entry[1]

    @once
    def _parts(self) -> dict[int, tuple[Rows, Agents]]:
        return {}
