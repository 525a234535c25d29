"""Small scenes for tests: snapshots and starts without Blender."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from steering_addon.locomotion.simple_vehicle import SimpleVehicle
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.arrays.vectors import unit
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.declaration import Kind
from steering_addon.simulation.geometry.obstacles import Obstacles, obstacles
from steering_addon.simulation.geometry.paths import Spline
from steering_addon.simulation.geometry.regions import SPHERE, Regions, regions
from steering_addon.simulation.roles import Role
from steering_addon.simulation.run import simulate, world_at
from steering_addon.simulation.snapshot import Crowd, Snapshot, State, Tracked, no_tracked, starting
from steering_addon.simulation.steering import _agents, _goal, _steer
from steering_addon.simulation.targets import aimed
from steering_addon.simulation.vehicle import VehicleModel
from steering_addon.simulation.world import Agents, World

WEIGHTED_SUM, PRIORITY = 0, 1


def leaders(*positions: Any) -> Tracked:
    """Things to steer by, standing still; their target rows count on from the number of vehicles."""
    place = np.array(positions, dtype=float).reshape(-1, 3)
    k = len(place)
    return Tracked(
        position=place,
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
    seen = leaders(*positions)
    k = len(seen.roles)
    return replace(
        seen,
        forward=np.broadcast_to(np.asarray(forward, dtype=float), (k, 3)),
        roles=np.full(k, int(Role.VEHICLE)),
        crowd=np.broadcast_to(np.asarray(crowd, dtype=np.int64), (k,)),
    )


def resources(*positions: Any, amount: Any = np.inf) -> Tracked:
    """Things to feed on."""
    seen = leaders(*positions)
    k = len(seen.roles)
    return replace(
        seen,
        roles=np.full(k, int(Role.RESOURCE)),
        amount=np.broadcast_to(np.asarray(amount, dtype=float), (k,)),
    )


def together(*some: Tracked) -> Tracked:
    """Several sets of tracked bodies as one."""
    return all_of(*some)


def all_of(*some: Any) -> Any:
    """Several sets of tracked bodies, obstacles or regions as one."""
    return replace(some[0], **{name: np.concatenate([getattr(one, name) for one in some]) for name in vars(some[0])})


def turned(points: Any, turn: np.ndarray) -> np.ndarray:
    """The vectors, each turned by a rotation matrix; any shape (..., 3)."""
    return np.asarray(points, dtype=float) @ turn.T


def about(axis: Any, degrees: float) -> np.ndarray:
    """The matrix of a turn about an axis, counter-clockwise as seen from its tip."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + s * skew + (1.0 - c) * skew @ skew


@dataclass
class Scene:
    """A scene of one crowd. Tracked bodies drift and obstacles move evenly, each at its own velocity."""

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
    paths: tuple = ()
    regions: Regions = field(default_factory=lambda: regions(np.zeros((0, 3)), 1.0, SPHERE))
    flows: tuple = ()
    candidates: tuple = ()
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
        if not np.allclose(frame @ np.swapaxes(frame, 1, 2), np.eye(3), atol=1e-12):
            self.forward = unit(self.forward)
            self.up = np.cross(unit(np.cross(self.forward, self.up)), self.forward)
        if self.identity is None:
            self.identity = np.arange(n) * 7919 + 11

    def __len__(self) -> int:
        return len(self.position)

    def start(self) -> State:
        speed = np.broadcast_to(np.asarray(self.speed, dtype=float), (len(self),))
        return starting(self.position, self.forward, self.up, self.forward * speed[:, None])

    def snapshot(self, frame: int = 0) -> Snapshot:
        return self._on(frame, self._inputs())

    def _inputs(self) -> Snapshot:
        """The snapshot of the first frame."""
        n = len(self)
        model = VehicleModel.of(n, **self.vehicle)
        wanted = tuple(kind.of(n, **values) for kind, values in self.behaviors)
        crowds = (Crowd(np.arange(n), wanted, self.combining, key=5),)
        return Snapshot(
            frame_time=1.0 / self.fps,
            substeps=self.substeps,
            keys=keys_of(self.seed, np.asarray(self.identity, dtype=np.int64)),
            vehicle=model,
            locomotion=SimpleVehicle(),
            roles=np.full(n, int(Role.VEHICLE)),
            present=np.ones(n, dtype=bool),
            crowds=crowds,
            tracked=self.tracked,
            obstacles=self.obstacles,
            paths=self.paths,
            regions=self.regions,
            flows=self.flows,
            candidates=self.candidates,
        )

    def _on(self, frame: int, first: Snapshot) -> Snapshot:
        """What moves as it is on a frame, and all else as it was on the first."""
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
        """The states of the frames; `at` changes the snapshot of a frame."""
        first = self._inputs()
        return list(simulate(self.start(), (at(frame, self._on(frame, first)) for frame in range(frames)), preroll))

    def seen(self) -> tuple[World, Agents, list[Behavior]]:
        """What the behaviors see at the start: the world, the agents, and the behaviors with their targets found."""
        snapshot = self.snapshot()
        state = replace(self.start(), inputs=snapshot)
        world = world_at(state, snapshot, self.snapshot(1), 0.0)
        agents = _agents(state, snapshot, world, snapshot.crowds[0])
        wanted = tuple(aimed(b, world, agents, {}, len(self))[0] for b in snapshot.crowds[0].behaviors)
        return world, replace(agents, goal=_goal(wanted, world, agents)), list(wanted)

    def steering(self) -> list[np.ndarray]:
        """The steering force of each behavior at the start, before weights and limits, (n, 3) newtons."""
        world, agents, wanted = self.seen()
        return [_steer(behavior, world, agents, {}, len(self), {})[0] for behavior in wanted]

    def moved(self, offset: Any = (0.0, 0.0, 0.0), turn: np.ndarray | None = None) -> Scene:
        """The whole scene turned about the origin, then moved."""
        matrix = np.eye(3) if turn is None else turn
        shift = np.array(offset, dtype=float)

        def place(points: Any) -> np.ndarray:
            return turned(points, matrix) + shift

        def line(spline: Spline) -> Spline:
            return replace(spline, points=place(spline.points), tangents=turned(spline.tangents, matrix))

        return replace(
            self,
            position=place(self.position),
            forward=turned(self.forward, matrix),
            up=turned(self.up, matrix),
            drift=turned(self.drift, matrix),
            tracked=replace(
                self.tracked,
                position=_carried_or(self.tracked.position, self.tracked.carrier, place),
                forward=_carried_or(self.tracked.forward, self.tracked.carrier, lambda v: turned(v, matrix)),
            ),
            obstacles=replace(
                self.obstacles,
                start=_carried_or(self.obstacles.start, self.obstacles.carrier, place),
                end=_carried_or(self.obstacles.end, self.obstacles.carrier, place),
                velocity=turned(self.obstacles.velocity, matrix),
                axes=np.where(
                    (self.obstacles.carrier >= 0)[:, None, None],
                    self.obstacles.axes,
                    turned(self.obstacles.axes, matrix),
                ),
            ),
            paths=tuple(tuple(map(line, curve)) for curve in self.paths),
            regions=replace(self.regions, centre=place(self.regions.centre), axes=turned(self.regions.axes, matrix)),
            flows=tuple(tuple(map(line, curve)) for curve in self.flows),
        )

    def take(self, rows: Any) -> Scene:
        """The scene with some of its vehicles, in the order of the rows; who is aimed at or carries stays the same."""
        n = len(self)
        rows = np.asarray(rows, dtype=np.int64)
        new = np.full(n, -1)
        new[rows] = np.arange(len(rows))

        def renumbered(body: Any) -> np.ndarray:
            body = np.asarray(body, dtype=np.int64)
            vehicle = new[np.clip(body, 0, n - 1)] if n else body
            return np.where(body < 0, body, np.where(body < n, vehicle, body - n + len(rows)))

        def some(value: Any) -> Any:
            return np.asarray(value)[rows] if np.ndim(value) else value

        def of(kind: type[Behavior], values: dict[str, Any]) -> dict[str, Any]:
            targets = {name for name, parameter in kind.parameters().items() if parameter.kind is Kind.BODY}
            return {name: some(renumbered(v) if name in targets else v) for name, v in values.items()}

        return replace(
            self,
            position=self.position[rows],
            forward=self.forward[rows],
            up=self.up[rows],
            speed=some(self.speed),
            identity=np.asarray(self.identity)[rows],
            vehicle={name: some(value) for name, value in self.vehicle.items()},
            behaviors=[(kind, of(kind, values)) for kind, values in self.behaviors],
            tracked=replace(self.tracked, carrier=renumbered(self.tracked.carrier)),
            obstacles=replace(self.obstacles, carrier=renumbered(self.obstacles.carrier)),
        )


def _carried_or(points: np.ndarray, carrier: np.ndarray, place: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The points placed anew, but for those given in the local space of a carrier."""
    return np.where((np.asarray(carrier) >= 0)[:, None], points, place(points))


def positions(states: list[State]) -> np.ndarray:
    """(frames, n, 3)."""
    return np.stack([s.motion.position for s in states])


def velocities(states: list[State]) -> np.ndarray:
    """(frames, n, 3)."""
    return np.stack([s.motion.velocity for s in states])


def headings(states: list[State]) -> np.ndarray:
    """(frames, n, 3) forward axes."""
    return np.stack([s.motion.forward for s in states])


def ups(states: list[State]) -> np.ndarray:
    """(frames, n, 3) up axes."""
    return np.stack([s.motion.up for s in states])


def speeds(states: list[State]) -> np.ndarray:
    """(frames, n) metres a second."""
    return np.linalg.norm(velocities(states), axis=-1)
