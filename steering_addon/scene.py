"""Scenes without Blender: vehicles, things around them and a run, from plain Python.

    from steering_addon.behaviors.seek import Seek
    from steering_addon.scene import Scene, leaders, positions

    scene = Scene([[0.0, 0.0, 0.0]], behaviors=[(Seek, {})], tracked=leaders([10.0, 5.0, 0.0]))
    path = positions(scene.run(48))

Lengths are metres, times seconds. The page "From Python, without Blender" of the manual tells more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .locomotion.simple_vehicle import SimpleVehicle
from .simulation.arrays.chance import keys_of, shared_key
from .simulation.arrays.vectors import cross, magnitude, unit
from .simulation.behavior import Adjustment, Behavior, Wish
from .simulation.decisions import Decisions
from .simulation.geometry.obstacles import Obstacles, obstacles
from .simulation.geometry.regions import SPHERE, Regions, regions
from .simulation.roles import Role
from .simulation.run import simulate
from .simulation.sensing import world_at
from .simulation.snapshot import Settings, Snapshot, State, Tracked, no_tracked, starting
from .simulation.steering import sensed
from .simulation.vehicle import VehicleModel
from .simulation.world import Agents, World

WEIGHTED_SUM, PRIORITY = 0, 1
"""Two of the ways to combine behaviors; `simulation.combining` lists all of them."""
KEY = 5
"""Stands in for the identity of the one crowd of a scene."""


def leaders(*positions: Any) -> Tracked:
    """Things to steer by that stand still; as targets their rows count on from the number of vehicles."""
    position = np.array(positions, dtype=float).reshape(-1, 3)
    k = len(position)
    return Tracked(
        position=position,
        forward=np.tile([0.0, 1.0, 0.0], (k, 1)),
        radius=np.full(k, 0.5),
        roles=np.full(k, int(Role.LEADER)),
        present=np.ones(k, dtype=bool),
        carrier=np.full(k, -1),
        crowd=np.full(k, -1),
        amount=np.full(k, np.inf),
    )


def locked(*positions: Any, forward: Any = (0.0, 1.0, 0.0), crowd: Any = 0) -> Tracked:
    """Vehicles that others see but that the simulation does not move, members of a crowd."""
    tracked = leaders(*positions)
    k = len(tracked.roles)
    return replace(
        tracked,
        forward=np.broadcast_to(np.asarray(forward, dtype=float), (k, 3)),
        roles=np.full(k, int(Role.VEHICLE)),
        crowd=np.broadcast_to(np.asarray(crowd, dtype=np.int64), (k,)),
    )


def resources(*positions: Any, amount: Any = np.inf) -> Tracked:
    """Things to feed on."""
    tracked = leaders(*positions)
    k = len(tracked.roles)
    return replace(
        tracked,
        roles=np.full(k, int(Role.RESOURCE)),
        amount=np.broadcast_to(np.asarray(amount, dtype=float), (k,)),
    )


def all_of(*sets: Any) -> Any:
    """Several sets of tracked bodies, obstacles or regions as one."""
    return replace(sets[0], **{name: np.concatenate([getattr(each, name) for each in sets]) for name in vars(sets[0])})


@dataclass(frozen=True)
class Crowd:
    """Some vehicles of a snapshot with settings of their own.

    Attributes:
        rows: (m,) the vehicles.
        behaviors: what they want, each with (m,) columns, in the order of the catalogue.
        combining: the number of a way to combine them.
        key: stands in for the crowd's identity, of which its shared chance is made.
    """

    rows: NDArray[np.int64]
    behaviors: tuple[Behavior, ...]
    combining: int = WEIGHTED_SUM
    key: int = KEY


def in_crowds(snapshot: Snapshot, crowds: Sequence[Crowd]) -> Snapshot:
    """The snapshot with its vehicles in crowds."""
    n = len(snapshot.present)
    row, keys = np.full(n, -1), np.zeros(n, dtype=np.uint64)
    for number, crowd in enumerate(crowds):
        row[crowd.rows], keys[crowd.rows] = number, shared_key(crowd.key)
    settings = tuple(
        Settings(tuple(_of_all(b, crowd.rows, n) for b in crowd.behaviors), crowd.combining) for crowd in crowds
    )
    return replace(snapshot, settings=settings, settings_row=row, crowd=row, crowd_keys=keys)


def _of_all(declared: Any, rows: NDArray[np.int64], n: int) -> Any:
    """The behavior of the vehicles of some rows, with columns for all n."""
    if not len(rows):
        return type(declared).of(n)
    source = np.zeros(n, dtype=np.int64)
    source[rows] = np.arange(len(rows))
    return declared.take(source)


@dataclass
class Scene:
    """A scene of one crowd. Tracked bodies drift and obstacles move evenly, each at its own velocity.

    Attributes:
        position: (n, 3) where the vehicles start.
        forward, up: (n, 3), or (3,) for all, their orientation; need not be square or of unit length.
        speed: (n,), or one for all, along forward.
        behaviors: pairs of a class of behavior and its parameters, in the order of the catalogue; a parameter is one
            value for all vehicles or an (n,) column.
        vehicle: parameters of the vehicle model, each likewise.
        combining: the number of a way to combine behaviors.
        tracked: bodies besides the vehicles, such as `leaders`.
        drift: (3,) the velocity of all of these.
        obstacles, paths, regions, flows, candidates: as in a snapshot.
        fps: frames a second.
        substeps: decisions a frame.
        seed: other seeds give other chances.
        identity: (n,) the integer that tells each vehicle's chance from that of others; left out, made of its row.
    """

    position: Any
    forward: Any = (0.0, 1.0, 0.0)
    up: Any = (0.0, 0.0, 1.0)
    speed: Any = 0.0
    behaviors: list[tuple[type[Behavior], dict[str, Any]]] = field(default_factory=list)
    vehicle: dict[str, Any] = field(default_factory=dict)
    combining: int = WEIGHTED_SUM
    tracked: Tracked = field(default_factory=no_tracked)
    drift: Any = (0.0, 0.0, 0.0)
    obstacles: Obstacles = field(default_factory=lambda: obstacles(np.zeros((0, 3)), np.zeros(0)))
    paths: tuple[Any, ...] = ()
    regions: Regions = field(default_factory=lambda: regions(np.zeros((0, 3)), 1.0, SPHERE))
    flows: tuple[Any, ...] = ()
    candidates: tuple[Any, ...] = ()
    fps: float = 24.0
    substeps: int = 1
    seed: int = 0
    identity: Any = None

    def __post_init__(self) -> None:
        self.position = np.array(self.position, dtype=float).reshape(-1, 3)
        n = len(self.position)
        self.forward = np.broadcast_to(np.array(self.forward, dtype=float), (n, 3)).copy()
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
        """The state the vehicles start from."""
        speed = np.broadcast_to(np.asarray(self.speed, dtype=float), (len(self),))
        return starting(self.position, self.forward, self.up, self.forward * speed[:, None])

    def snapshot(self, frame: int = 0) -> Snapshot:
        """All that the simulation is told of a frame."""
        return self._on(frame, self._first())

    def _first(self) -> Snapshot:
        n = len(self)
        settings = Settings(tuple(kind.of(n, **values) for kind, values in self.behaviors), self.combining)
        return Snapshot(
            frame_time=1.0 / self.fps,
            substeps=self.substeps,
            keys=keys_of(self.seed, np.asarray(self.identity, dtype=np.int64)),
            vehicle=VehicleModel.of(n, **self.vehicle),
            locomotion=SimpleVehicle(),
            roles=np.full(n, int(Role.VEHICLE)),
            present=np.ones(n, dtype=bool),
            settings=(settings,),
            settings_row=np.zeros(n, dtype=np.int64),
            crowd=np.zeros(n, dtype=np.int64),
            crowd_keys=np.full(n, shared_key(KEY), dtype=np.uint64),
            tracked=self.tracked,
            obstacles=self.obstacles,
            paths=self.paths,
            regions=self.regions,
            flows=self.flows,
            candidates=self.candidates,
        )

    def _on(self, frame: int, first: Snapshot) -> Snapshot:
        """What moves as it is on a frame, and everything else as it was on the first."""
        if not np.any(self.drift) and not self.obstacles.velocity.any():
            return first
        time = frame / self.fps
        passed = self.obstacles.velocity * time
        return replace(
            first,
            tracked=replace(self.tracked, position=self.tracked.position + np.asarray(self.drift) * time),
            obstacles=replace(self.obstacles, start=self.obstacles.start + passed, end=self.obstacles.end + passed),
        )

    def run(
        self, frames: int, preroll: int = 0, at: Callable[[int, Snapshot], Snapshot] = lambda frame, snapshot: snapshot
    ) -> list[State]:
        """The states of the frames.

        Args:
            preroll: frames run before the first.
            at: changes the snapshot of a frame.
        """
        first = self._first()
        return list(simulate(self.start(), (at(frame, self._on(frame, first)) for frame in range(frames)), preroll))

    def seen(self) -> tuple[World, Agents, list[Behavior]]:
        """What the behaviors see at the start: the world, the agents, and the behaviors with their targets found."""
        snapshot = self.snapshot()
        state = replace(self.start(), inputs=snapshot)
        world = world_at(state, snapshot, self.snapshot(1), 0.0)
        rows = np.arange(len(self))
        group, _ = sensed(state, snapshot, world, snapshot.settings[0], rows, Decisions.none_yet(state))
        return world, group.agents, list(group.behaviors)

    def steering(self) -> list[NDArray[np.float64]]:
        """The steering force of each behavior at the start, before weights and limits, (n, 3) newtons.

        An adjustment is asked as if it were alone.
        """
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
    """(frames, n, 3) metres."""
    return np.stack([s.motion.position for s in states])


def velocities(states: list[State]) -> NDArray[np.float64]:
    """(frames, n, 3) metres a second."""
    return np.stack([s.motion.velocity for s in states])


def headings(states: list[State]) -> NDArray[np.float64]:
    """(frames, n, 3) forward axes."""
    return np.stack([s.motion.forward for s in states])


def ups(states: list[State]) -> NDArray[np.float64]:
    """(frames, n, 3) up axes."""
    return np.stack([s.motion.up for s in states])


def speeds(states: list[State]) -> NDArray[np.float64]:
    """(frames, n) metres a second."""
    return magnitude(velocities(states))
