"""The bake: sweep, simulate, write, in pieces small enough to stop between."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ..simulation.run import simulate
from ..simulation.snapshot import Snapshot, State
from .local_space import to_local
from .plan import Plan
from .reading import Reader
from .rotation_channels import channels_from_matrices
from .staging import Staging
from .start import store
from .sweep import sweep

SIMULATING = 0.8
"""Share of the progress that simulating takes; writing is the rest."""


@dataclass(frozen=True)
class BakeResult:
    """What a bake did.

    Attributes:
        vehicles, frames: how many.
        contacts: vehicles that touched an obstacle on some frame.
        closest: metres between the surfaces of a vehicle and an obstacle at their nearest; inf without obstacles.
    """

    vehicles: int
    frames: int
    contacts: int
    closest: float


@dataclass
class Trajectory:
    """Where the vehicles were on each frame.

    Attributes:
        positions: (f, n, 3) metres.
        bases: (f, n, 3, 3) side, forward and up as columns.
        clearance: (n,) metres from each one to an obstacle where they came nearest.
    """

    positions: np.ndarray
    bases: np.ndarray
    clearance: np.ndarray

    @classmethod
    def empty(cls, frames: int, vehicles: int) -> Trajectory:
        return cls(np.empty((frames, vehicles, 3)), np.empty((frames, vehicles, 3, 3)), np.full(vehicles, np.inf))

    def record(self, frame: int, state: State) -> None:
        motion = state.motion
        self.positions[frame] = motion.position
        self.bases[frame] = np.stack((motion.side, motion.forward, motion.up), axis=-1)
        self.clearance = np.minimum(self.clearance, _clearance(state))


def baking(plan: Plan, *, replace_own_keys: bool = False) -> Generator[float, None, BakeResult]:
    """Carry out a plan, yielding how much is done from 0 to 1; until it returns, the file holds nothing of it.

    Closing the generator stops the bake and leaves nothing behind.

    Raises:
        Refusal: a value read on the way is no number.
    """
    reader = Reader(plan)
    trajectory = Trajectory.empty(len(plan.frames), len(plan))
    with closing(sweep(plan, reader)) as snapshots:
        for frame, state in enumerate(_states(plan, reader, snapshots)):
            trajectory.record(frame, state)
            yield SIMULATING * (frame + 1) / len(plan.frames)

    staging = Staging(uuid.uuid4().hex, plan.frames)
    try:
        for row, (location, rotation) in enumerate(_channels(plan, reader, trajectory)):
            staging.add(plan.vehicles[row].ob, location, rotation, replace=replace_own_keys)
            yield SIMULATING + (1.0 - SIMULATING) * (row + 1) / len(plan)
    except BaseException:
        staging.discard()
        raise
    for vehicle in plan.vehicles:
        vehicle.ob.steering.identity = vehicle.identity
        store(vehicle.ob, vehicle.location, vehicle.rotation)
    staging.commit(plan.scene.frame_current_final)
    closest = trajectory.clearance
    return BakeResult(len(plan), len(plan.frames), int((closest < 0.0).sum()), float(closest.min()))


def _states(plan: Plan, reader: Reader, snapshots: Iterator[Snapshot]) -> Iterator[State]:
    first = next(snapshots)
    return simulate(reader.start(first), chain((first,), snapshots), plan.preroll)


def _clearance(state: State) -> np.ndarray:
    """(n,) metres from each vehicle's surface to the nearest obstacle's, inf where there is none."""
    snapshot = state.inputs
    here = snapshot.obstacles.take(snapshot.obstacles.present & (snapshot.obstacles.carrier < 0))
    if not len(here):
        return np.full(len(state), np.inf)
    return here.clearance(state.motion.position).min(axis=1) - snapshot.vehicle.radius


def _channels(plan: Plan, reader: Reader, trajectory: Trajectory) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Location (f, 3) and rotation (f, 3 or 4) channels of each vehicle, in the order of the plan.

    Vehicles that are alike in mode and axes are worked out together.
    """
    frames, n = len(plan.frames), len(plan)
    parts = np.broadcast_to(np.eye(4), (frames, n, 4, 4))
    if reader.parented:
        parts = parts.copy()
        parts[:, reader.parented] = np.stack(reader.parent_parts)
    locations = np.empty((frames, n, 3))
    rotations: list[np.ndarray | None] = [None] * n
    alike: dict[tuple, list[int]] = {}
    for row, vehicle in enumerate(plan.vehicles):
        alike.setdefault((vehicle.ob.rotation_mode, vehicle.axes.tobytes()), []).append(row)
    for (mode, _), rows in alike.items():
        scale = np.array([tuple(plan.vehicles[row].ob.scale) for row in rows])
        near = np.array([plan.vehicles[row].rotation for row in rows])
        axes = plan.vehicles[rows[0]].axes
        location, turn = to_local(parts[:, rows], trajectory.positions[:, rows], trajectory.bases[:, rows], axes, scale)
        channels = channels_from_matrices(turn, mode, near)
        locations[:, rows] = location
        for k, row in enumerate(rows):
            rotations[row] = channels[:, k]
    for row in range(n):
        yield locations[:, row], rotations[row]
