"""Scenes without Blender: builds the input of a simulation from plain Python, and runs it.

    from steering_addon.behaviors.seek import Seek
    from steering_addon.scene import Scene, leaders, positions

    scene = Scene([[0.0, 0.0, 0.0]], behaviors=[(Seek, {})], tracked=leaders([10.0, 5.0, 0.0]))
    path = positions(scene.run(48))

Lengths are in metres, times in seconds. docs/from_python.md explains the rest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .locomotion import SimpleVehicle
from .minds.conditions import AnyCondition
from .minds.declaring import Mind, Mode, StateModel, Trigger, distinct_numbers
from .minds.minding import Minds, minds_of
from .simulation.arrays.chance import keys_of, shared_key
from .simulation.arrays.frozen import replace
from .simulation.arrays.vectors import cross, magnitude, unit
from .simulation.behavior import Adjustment, Behavior, Wish
from .simulation.geometry.capsules import half_axis
from .simulation.geometry.meshes import Mesh, mesh
from .simulation.geometry.obstacles import Obstacles, boxes, mesh_radius, obstacles
from .simulation.geometry.paths import spline
from .simulation.geometry.regions import BOX, SPHERE, Regions, regions
from .simulation.geometry.regions import MESH as MESH_REGION
from .simulation.geometry.shapes import MESH, OUTSIDE
from .simulation.geometry.surfaces import NO_SURFACES, Surfaces, surfaces
from .simulation.lane_use import NO_SIGNALS, Signals
from .simulation.links import NO_LINKS, LinkModel, Links
from .simulation.locomotion import Fleet, Locomotion
from .simulation.perches import NO_PERCHES, Perches
from .simulation.roles import Role
from .simulation.run import simulate
from .simulation.sensing import world_at
from .simulation.snapshot import Settings, Snapshot, State, Tracked, no_tracked, start_state
from .simulation.steering import sense
from .simulation.vehicle import VehicleModel
from .simulation.world import Agents, World

__all__ = [
    "BOX",
    "PRIORITY",
    "SPHERE",
    "WEIGHTED_SUM",
    "Crowd",
    "CrowdState",
    "Scene",
    "all_of",
    "boxes",
    "headings",
    "in_crowds",
    "leaders",
    "links",
    "locked",
    "mesh",
    "mesh_obstacles",
    "mesh_regions",
    "obstacles",
    "perches",
    "positions",
    "regions",
    "resources",
    "speeds",
    "spline",
    "surfaces",
    "trigger",
    "ups",
    "velocities",
    "with_states",
]

WEIGHTED_SUM, PRIORITY = 0, 1
"""Two of the ways to combine behaviors; `simulation.combining.COMBININGS` lists all of them."""
KEY = 5
"""The identity that a scene gives to its crowd."""
AS_GIVEN = (
    *("substeps", "tracked", "obstacles", "paths", "regions", "flows", "shapes", "candidates", "surfaces"),
    *("links", "perches", "signals", "decides_every"),
)
"""The attributes of a scene that its snapshots have as they are."""


def _column(values: Any, n: int, kind: type = float) -> NDArray[Any]:
    """One value, or n of them, as a column (n,)."""
    return np.broadcast_to(np.asarray(values, dtype=kind), (n,))


def leaders(*positions: Any) -> Tracked:
    """Still bodies to steer by, at points (3,) each. As targets, the rows of tracked bodies follow those of the
    vehicles: the first one is row n."""
    position = np.array(positions, dtype=float).reshape(-1, 3)
    k = len(position)
    return Tracked(
        position=position,
        forward=np.tile([0.0, 1.0, 0.0], (k, 1)),
        up=np.tile([0.0, 0.0, 1.0], (k, 1)),
        radius=np.full(k, 0.5),
        half_axis=np.zeros(k),
        roles=np.full(k, int(Role.LEADER)),
        present=np.ones(k, dtype=bool),
        carrier=np.full(k, -1),
        crowd=np.full(k, -1),
        amount=np.full(k, np.inf),
    )


def locked(
    *positions: Any, forward: Any = (0.0, 1.0, 0.0), crowd: Any = 0, radius: Any = 0.5, length: Any = 0.0
) -> Tracked:
    """Vehicles that the simulation does not move but others perceive, at points (3,) each. `forward`: (k, 3) or (3,)
    their headings; `crowd`: (k,) the crowd of each, or one for all; `radius`, `length`: (k,) the radius and the length
    of each body, or one for all, metres."""
    tracked = leaders(*positions)
    k = len(tracked.roles)
    return replace(
        tracked,
        forward=np.broadcast_to(np.asarray(forward, dtype=float), (k, 3)),
        radius=_column(radius, k),
        half_axis=half_axis(_column(radius, k), _column(length, k)),
        roles=np.full(k, int(Role.VEHICLE)),
        crowd=_column(crowd, k, np.int64),
    )


def resources(*positions: Any, amount: Any = np.inf) -> Tracked:
    """Bodies to feed on, at points (3,) each, with an amount (k,), or one for all; inf does not run out."""
    tracked = leaders(*positions)
    k = len(tracked.roles)
    return replace(tracked, roles=np.full(k, int(Role.RESOURCE)), amount=_column(amount, k))


def perches(body: int, *positions: Any, along: Any = (0.0, 0.0, 0.0), room: Any = np.inf) -> Perches:
    """Places on a tracked body on which flyers come down, at points (3,) each.

    Args:
        body: the index of the body among the tracked ones.
        along: (3,) the direction of the wire on which they are; zero for the faces of a roof.
        room: (p,) metres from each to the border of the roof, or one for all.
    """
    position = np.array(positions, dtype=float).reshape(-1, 3)
    p = len(position)
    lines = np.tile(np.asarray(along, dtype=float), (p, 1))
    return Perches.at(np.full(p, body), position, lines, _column(room, p))


def links(*lines: Any, **values: Any) -> Links:
    """Links along lines (points, 3), from their first point to their last; parameters of LinkModel by name."""
    points = tuple(np.asarray(line, dtype=float) for line in lines)
    k = len(points)
    return Links(
        points, LinkModel.of(k, **values), np.ones(k, dtype=bool), np.zeros(k, int), np.zeros(k), np.full(k, -1)
    )


def all_of(*sets: Any) -> Any:
    """Several sets of tracked bodies, of obstacles or of regions as one, in this order."""
    return replace(
        sets[0],
        **{name: np.concatenate([getattr(bodies, name) for bodies in sets]) for name in sets[0].__dataclass_fields__},
    )


def mesh_obstacles(meshes: Sequence[Mesh], centre: Any, axes: Any = None, **others: Any) -> Obstacles:
    """Obstacles from meshes in their own axes about their middles; an open mesh is avoided from both sides.

    Args:
        meshes: k of them; one without triangles is absent.
        centre: (k, 3) where their origins are, metres.
        axes: (k, 3, 3) or (3, 3) their unit axes as rows; those of the world if omitted.
        others: as of `obstacles`.
    """
    placed = boxes(centre, np.zeros((len(meshes), 3)), axes, **others)
    closed = np.array([each.closed for each in meshes], dtype=np.bool_)
    filled = np.array([len(each) > 0 for each in meshes], dtype=np.bool_)
    return replace(
        placed,
        shape=np.full(len(meshes), MESH),
        side=np.where(closed, placed.side, OUTSIDE),
        present=placed.present & filled,
        mesh=_objects(meshes),
        radius=np.array([mesh_radius(each) for each in meshes]),
    )


def mesh_regions(meshes: Sequence[Mesh], centre: Any, axes: Any = None) -> Regions:
    """Regions from the insides of closed meshes; the arguments are those of `mesh_obstacles`."""
    half = np.array([np.maximum(-each.bounds[0], each.bounds[1]) for each in meshes])
    return replace(regions(centre, half, np.full(len(meshes), MESH_REGION), axes), mesh=_objects(meshes))


def _objects(meshes: Sequence[Mesh]) -> NDArray[np.object_]:
    column = np.empty(len(meshes), dtype=np.object_)
    column[:] = meshes
    return column


@dataclass(frozen=True)
class Crowd:
    """Vehicles of a scene with their own settings.

    Attributes:
        rows: (m,) rows of the vehicles.
        behaviors: instances with (m,) columns, made by `Behavior.of(m, ...)`, in the order of the catalogue.
        combining: the number of a way to combine them.
        key: the identity of the crowd, from which its shared random numbers are made.
    """

    rows: NDArray[np.int64]
    behaviors: tuple[Behavior, ...]
    combining: int = WEIGHTED_SUM
    key: int = KEY


def in_crowds(snapshot: Snapshot, crowds: Sequence[Crowd]) -> Snapshot:
    """The snapshot with its vehicles in these crowds; a vehicle in none has no behaviors."""
    n = len(snapshot.present)
    row, keys = np.full(n, -1), np.zeros(n, dtype=np.uint64)
    for number, crowd in enumerate(crowds):
        row[crowd.rows], keys[crowd.rows] = number, shared_key(crowd.key)
    settings = tuple(
        Settings(tuple(_of_all(b, crowd.rows, n) for b in crowd.behaviors), crowd.combining) for crowd in crowds
    )
    return replace(snapshot, settings=settings, settings_row=row, crowd=row, crowd_keys=keys)


def _of_all(behavior: Any, rows: NDArray[np.int64], n: int) -> Any:
    """The behavior of the vehicles in rows (m,), with columns for all n."""
    if not len(rows):
        return type(behavior).of(n)
    source = np.zeros(n, dtype=np.int64)
    source[rows] = np.arange(len(rows))
    return behavior.take(source)


@dataclass(frozen=True)
class CrowdState:
    """A state of a scene's crowd.

    Attributes:
        name: among the states of its crowd.
        number: unlike those of the others, as chance depends on it; 0 for the next one free, by name.
        behaviors: as of a scene; None for those of the crowd.
        vehicle: parameters of the vehicle model in it, as of a scene; None for that of the crowd.
        combining: the number of a way to combine behaviors.
        numbers: of StateModel, by name.
        then: the name of the state that follows; "" for none.
        eases: the name of the state for which it eases the need; "" for none.
        locomotion: parameters of the locomotion of its crowd in it, where they differ; None for those of the crowd.
    """

    name: str
    behaviors: list[tuple[type[Behavior], dict[str, Any]]] | None = None
    vehicle: dict[str, Any] | None = None
    combining: int = WEIGHTED_SUM
    numbers: dict[str, Any] = field(default_factory=dict)
    then: str = ""
    eases: str = ""
    locomotion: dict[str, Any] | None = None
    number: int = 0


def with_states(
    snapshot: Snapshot, states: Sequence[CrowdState], triggers: Sequence[Trigger] = (), crowd: int = 0
) -> Snapshot:
    """The snapshot in which a crowd has states. Triggers count them from 1, in the order of their numbers. `states`: of
    the crowd; `triggers`: what calls its vehicles into them; `crowd`: the row of the crowd."""
    n, by_name = len(snapshot.present), sorted(states, key=lambda state: state.name)
    numbered = sorted(zip(distinct_numbers(state.number for state in by_name), by_name), key=lambda pair: pair[0])
    numbers = {state.name: mode for mode, (_, state) in enumerate(numbered, 1)} | {"": 0}
    rows, modes = list(snapshot.settings), []
    for number, state in numbered:
        declared = () if state.behaviors is None else state.behaviors
        behaviors = tuple(kind.of(n, **values) for kind, values in declared)
        rows.append(snapshot.settings[crowd] if state.behaviors is None else Settings(behaviors, state.combining))
        modes.append(
            Mode(
                number,
                len(rows) - 1,
                StateModel.of(1, **state.numbers),
                None if state.vehicle is None else VehicleModel.of(n, **state.vehicle),
                None if state.locomotion is None else _moving(snapshot, crowd, state.locomotion),
                tuple(kind.name for kind, _ in declared),
                numbers[state.then],
                numbers[state.eases] or -1,
            )
        )
    mind = Mind(crowd, tuple(modes), tuple(triggers))
    return replace(snapshot, settings=tuple(rows), minds=Minds((*minds_of(snapshot), mind)))


def trigger(to: int, kind: type[AnyCondition], **settings: Any) -> Trigger:
    """A call into a mode under a condition. `to`: the mode, as `with_states` counts them; `settings`: the
    parameters of the condition, and what else a `Trigger` has, by name."""
    own = kind.parameters().keys()
    when = kind.of(1, **{name: value for name, value in settings.items() if name in own})
    return Trigger(to, when, **{name: value for name, value in settings.items() if name not in own})


def _moving(snapshot: Snapshot, crowd: int, values: dict[str, Any]) -> Locomotion:
    """The locomotion by which the first vehicle of a crowd moves, n rows, with other values for all."""
    n, first = len(snapshot.present), int(np.argmax(snapshot.crowd == crowd))
    body = snapshot.fleet.locomotions[int(snapshot.fleet.row[first])].for_agents(np.arange(n))
    values_of_first = {name: getattr(body, name) for name in body.parameters()}
    return type(body).of(n, **{**values_of_first, **values})


@dataclass
class Scene:
    """A scene with one crowd of n vehicles. Tracked bodies and obstacles move with constant velocities.

    Attributes:
        position: (n, 3) the start of each vehicle, metres.
        forward, up: (n, 3), or (3,) for all, the orientation at the start; made orthonormal.
        speed: (n,), or one for all, the speed along forward at the start, m/s.
        behaviors: pairs of a behavior class and its parameters, in the order of the catalogue; a parameter is an (n,)
            column or one value for all.
        vehicle: parameters of the vehicle model, in the same way.
        locomotions: pairs of a locomotion class and its parameters, in the same way.
        locomotion_row: (n,), or one for all, the row of the locomotion that moves each vehicle.
        combining: the number of a way to combine behaviors.
        tracked: bodies other than the vehicles, such as `leaders`.
        drift: (3,) the velocity of all tracked bodies, or (k, 3) of each, m/s.
        obstacles, paths, regions, flows, shapes, candidates, surfaces, links: as in `Snapshot`.
        perches: as in `Snapshot`; they drift with their bodies.
        signals: as in `Snapshot`.
        fps: frames per second.
        substeps, decides_every: as in `Snapshot`.
        seed: of the random numbers of each vehicle; what the vehicles of a crowd share depends on its key.
        identity: (n,) an integer per vehicle, on which its random numbers depend; made from its row if omitted.
    """

    position: Any
    forward: Any = (0.0, 1.0, 0.0)
    up: Any = (0.0, 0.0, 1.0)
    speed: Any = 0.0
    behaviors: list[tuple[type[Behavior], dict[str, Any]]] = field(default_factory=list)
    vehicle: dict[str, Any] = field(default_factory=dict)
    locomotions: list[tuple[type[Locomotion], dict[str, Any]]] = field(default_factory=lambda: [(SimpleVehicle, {})])
    locomotion_row: Any = 0
    combining: int = WEIGHTED_SUM
    tracked: Tracked = field(default_factory=no_tracked)
    drift: Any = (0.0, 0.0, 0.0)
    obstacles: Obstacles = field(default_factory=lambda: obstacles(np.zeros((0, 3)), np.zeros(0)))
    paths: tuple[Any, ...] = ()
    regions: Regions = field(default_factory=lambda: regions(np.zeros((0, 3)), 1.0, SPHERE))
    flows: tuple[Any, ...] = ()
    shapes: tuple[Any, ...] = ()
    candidates: tuple[Any, ...] = ()
    surfaces: Surfaces = NO_SURFACES
    links: Links = NO_LINKS
    perches: Perches = NO_PERCHES
    signals: Signals = NO_SIGNALS
    fps: float = 24.0
    substeps: int = 1
    decides_every: int = 1
    seed: int = 0
    identity: Any = None

    def __post_init__(self) -> None:
        self.position = np.array(self.position, dtype=float).reshape(-1, 3)
        n = len(self.position)
        self.forward = np.broadcast_to(np.array(self.forward, dtype=float), (n, 3)).copy()
        self.forward[~self.forward.any(axis=1)] = 0.0, 1.0, 0.0
        self.up = np.broadcast_to(np.array(self.up, dtype=float), (n, 3)).copy()
        frame = np.stack((np.cross(self.forward, self.up), self.forward, self.up), axis=1)
        if not np.allclose(np.einsum("nij,nkj->nik", frame, frame), np.eye(3), atol=1e-12):
            self.forward = unit(self.forward)
            self.up = cross(unit(cross(self.forward, self.up)), self.forward)
        if self.identity is None:
            self.identity = np.arange(n) * 7919 + 11

    def __len__(self) -> int:
        return len(self.position)

    def start(self) -> State:
        """The state of the vehicles at the start."""
        speed = _column(self.speed, len(self))
        return start_state(self.position, self.forward, self.up, self.forward * speed[:, None])

    def snapshot(self, frame: int = 0) -> Snapshot:
        """The input of the simulation at a frame."""
        return self._on(frame, self._first())

    def _first(self) -> Snapshot:
        n = len(self)
        settings = Settings(tuple(kind.of(n, **values) for kind, values in self.behaviors), self.combining)
        return Snapshot(
            frame_time=1.0 / self.fps,
            keys=keys_of(self.seed, np.asarray(self.identity, dtype=np.int64)),
            vehicle=VehicleModel.of(n, **self.vehicle),
            fleet=Fleet(
                tuple(kind.of(n, **values) for kind, values in self.locomotions),
                _column(self.locomotion_row, n, np.int64),
            ),
            roles=np.full(n, int(Role.VEHICLE)),
            present=np.ones(n, dtype=bool),
            settings=(settings,),
            settings_row=np.zeros(n, dtype=np.int64),
            crowd=np.zeros(n, dtype=np.int64),
            crowd_keys=np.full(n, shared_key(KEY), dtype=np.uint64),
            numbers=np.asarray(self.identity, dtype=np.int64),
            lift=np.zeros(n),
            **{name: getattr(self, name) for name in AS_GIVEN},
        )

    def _on(self, frame: int, first: Snapshot) -> Snapshot:
        """The input at a frame: that of the first frame, with what has moved since."""
        if not np.any(self.drift) and not self.obstacles.velocity.any():
            return first
        time = frame / self.fps
        passed = self.obstacles.velocity * time
        drifted = np.broadcast_to(np.asarray(self.drift) * time, self.tracked.position.shape)
        carried = drifted[self.perches.body]
        return replace(
            first,
            tracked=replace(self.tracked, position=self.tracked.position + drifted),
            perches=replace(self.perches, position=self.perches.position + carried),
            obstacles=replace(self.obstacles, start=self.obstacles.start + passed, end=self.obstacles.end + passed),
        )

    def run(
        self, frames: int, preroll: int = 0, at: Callable[[int, Snapshot], Snapshot] = lambda frame, snapshot: snapshot
    ) -> list[State]:
        """The states at frames 0 to `frames - 1`.

        Args:
            frames: their count.
            preroll: the count of frames to run before frame 0; what moves in the scene moves in them too.
            at: gets each frame, negative ones in the pre-roll, and its snapshot, and returns the snapshot to use.
        """
        first = self._first()
        before = [at(frame, self._on(frame, first)) for frame in range(-preroll, 0)]
        snapshots = (at(frame, self._on(frame, first)) for frame in range(frames))
        return list(simulate(self.start(), snapshots, before))

    def seen(self) -> tuple[World, Agents, list[Behavior]]:
        """The world and the agents at the start, and the behaviors with their targets resolved to rows."""
        snapshot = self.snapshot()
        state = replace(self.start(), inputs=snapshot)
        world = world_at(state, snapshot, self.snapshot(1), 0.0)
        rows = np.arange(len(self))
        group, _ = sense(state, snapshot, world, snapshot.settings[0], rows, state.undecided())
        return world, group.agents, list(group.behaviors)

    def steering(self) -> list[NDArray[np.float64]]:
        """The steering force of each behavior at the start, before weights and limits, (n, 3) newtons each. An
        adjustment adjusts a wish of zero force."""
        world, agents, behaviors = self.seen()
        wish = Wish.of(agents, agents.none(), agents.max_speed)
        forces = []
        for behavior in behaviors:
            memory = None if behavior.remembers is None else behavior.remembers.blank(len(self))
            force = behavior.steer(world, agents, memory).force
            if isinstance(behavior, Adjustment):
                adjusted = behavior.adjust(world, agents, wish, memory).force
                force = adjusted if force is None else force if adjusted is None else force + adjusted
            forces.append(agents.none() if force is None else force)
        return forces


def positions(states: list[State]) -> NDArray[np.float64]:
    """The positions in some states, (frames, n, 3) metres."""
    return np.stack([s.motion.position for s in states])


def velocities(states: list[State]) -> NDArray[np.float64]:
    """The velocities in some states, (frames, n, 3) m/s."""
    return np.stack([s.motion.velocity for s in states])


def headings(states: list[State]) -> NDArray[np.float64]:
    """The forward axes in which the vehicles are shown in some states, (frames, n, 3) unit vectors."""
    return np.stack([s.pose.forward for s in states])


def ups(states: list[State]) -> NDArray[np.float64]:
    """The up axes in which the vehicles are shown in some states, (frames, n, 3) unit vectors."""
    return np.stack([s.pose.up for s in states])


def speeds(states: list[State]) -> NDArray[np.float64]:
    """(frames, n) metres a second."""
    return magnitude(velocities(states))
