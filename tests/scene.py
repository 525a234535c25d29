"""Small scenes for tests: snapshots and starts without Blender."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from steering_addon.behaviors.declaration import Behavior
from steering_addon.simulation.chance import keys_of
from steering_addon.simulation.obstacles import Obstacles, obstacles
from steering_addon.simulation.roles import Role
from steering_addon.simulation.run import simulate, world_at
from steering_addon.simulation.snapshot import Crowd, Snapshot, State, Tracked, no_tracked, starting
from steering_addon.simulation.steering import _agents
from steering_addon.simulation.vectors import unit
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
    )


@dataclass
class Scene:
    """A scene in which nothing but the vehicles moves."""

    position: Any
    forward: Any = (0.0, 1.0, 0.0)
    up: Any = (0.0, 0.0, 1.0)
    speed: Any = 0.0
    behaviors: list[tuple[type[Behavior], dict[str, Any]]] = field(default_factory=list)
    vehicle: dict[str, Any] = field(default_factory=dict)
    combining: int = WEIGHTED_SUM
    tracked: Tracked = field(default_factory=no_tracked)
    obstacles: Obstacles = field(default_factory=lambda: obstacles(np.zeros((0, 3)), np.zeros(0)))
    paths: tuple = ()
    fps: float = 24.0
    substeps: int = 1
    seed: int = 0
    identity: Any = None

    def __post_init__(self) -> None:
        self.position = np.array(self.position, dtype=float).reshape(-1, 3)
        n = len(self.position)
        self.forward = unit(np.broadcast_to(np.array(self.forward, dtype=float), (n, 3)).copy())
        self.up = np.broadcast_to(np.array(self.up, dtype=float), (n, 3)).copy()
        side = unit(np.cross(self.forward, self.up))
        self.up = np.cross(side, self.forward)
        if self.identity is None:
            self.identity = np.arange(n) * 7919 + 11

    def __len__(self) -> int:
        return len(self.position)

    def start(self) -> State:
        speed = np.broadcast_to(np.asarray(self.speed, dtype=float), (len(self),))
        return starting(self.position, self.forward, self.up, self.forward * speed[:, None])

    def snapshot(self) -> Snapshot:
        n = len(self)
        model = VehicleModel.of(n, **self.vehicle)
        wanted = tuple(kind.of(n, **values) for kind, values in self.behaviors)
        crowds = (Crowd(np.arange(n), wanted, self.combining, key=5),)
        return Snapshot(
            frame_time=1.0 / self.fps,
            substeps=self.substeps,
            keys=keys_of(self.seed, np.asarray(self.identity, dtype=np.int64)),
            vehicle=model,
            roles=np.full(n, int(Role.VEHICLE)),
            present=np.ones(n, dtype=bool),
            crowds=crowds,
            tracked=self.tracked,
            obstacles=self.obstacles,
            paths=self.paths,
        )

    def run(self, frames: int, preroll: int = 0) -> list[State]:
        snapshot = self.snapshot()
        return list(simulate(self.start(), [snapshot] * frames, preroll))

    def seen(self) -> tuple[World, Agents, list[Behavior]]:
        """What the behaviors see at the start: the world, the agents, and the behaviors themselves."""
        snapshot = self.snapshot()
        state = replace(self.start(), inputs=snapshot)
        world = world_at(state, snapshot, snapshot, 0.0)
        return world, _agents(state, snapshot, world, snapshot.crowds[0]), list(snapshot.crowds[0].behaviors)


def positions(states: list[State]) -> np.ndarray:
    """(frames, n, 3)."""
    return np.stack([s.motion.position for s in states])


def velocities(states: list[State]) -> np.ndarray:
    """(frames, n, 3)."""
    return np.stack([s.motion.velocity for s in states])
