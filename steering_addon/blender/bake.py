"""The bake: sweep, simulate, write, in pieces small enough to stop between."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ..simulation.mishaps import KINDS, Mishaps
from ..simulation.portrayal import portrayed
from ..simulation.run import simulate
from ..simulation.snapshot import Snapshot, State
from ..simulation.vectors import magnitude
from .local_space import to_local
from .plan import Plan
from .reading import Reader
from .rotation_channels import channels_from_matrices
from .staging import Staging
from .start import store
from .sweep import sweep

SIMULATING = 0.8
"""Share of the progress that simulating takes; writing is the rest."""
AT_ONCE = 1 << 14
"""Poses turned into channels at once: so few that all that is worked out on the way stays in the processor's cache."""


@dataclass(frozen=True)
class BakeResult:
    """What a bake did.

    Attributes:
        vehicles, frames: how many.
        mishaps: by kind, how many vehicles ran into something or got stuck.
        closest: metres between the surfaces of a vehicle and an obstacle at their nearest; inf without obstacles.
    """

    vehicles: int
    frames: int
    mishaps: Mapping[str, int]
    closest: float


@dataclass
class Trajectory:
    """Where the vehicles were on each frame.

    Attributes:
        positions: (f, n, 3) metres.
        bases: (f, n, 3, 3) side, forward and up as columns.
        start_speed: (n,) metres a second on the first frame.
        mishaps: what went wrong for whom.
    """

    positions: np.ndarray
    bases: np.ndarray
    start_speed: np.ndarray
    mishaps: Mishaps

    @classmethod
    def empty(cls, frames: int, vehicles: int) -> Trajectory:
        return cls(
            np.empty((frames, vehicles, 3)),
            np.empty((frames, vehicles, 3, 3)),
            np.zeros(vehicles),
            Mishaps(vehicles),
        )

    def record(self, frame: int, state: State) -> None:
        motion = state.motion
        if frame == 0:
            self.start_speed = np.where(state.inputs.present, magnitude(motion.velocity), 0.0)
        self.positions[frame] = motion.position
        for k, axis in enumerate((motion.side, motion.forward, motion.up)):
            self.bases[frame, :, :, k] = axis
        self.mishaps.look(frame, state)


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
        properties = _properties(plan, reader, trajectory)
        for done, (row, location, rotation) in enumerate(_channels(plan, reader, trajectory), 1):
            vehicle = plan.vehicles[row]
            staging.add(
                vehicle.ob,
                location,
                rotation,
                replace=replace_own_keys,
                properties=properties[row],
                only_baked=vehicle.only_baked,
                mishaps={kind: plan.frames[at[row]] for kind, at in trajectory.mishaps.frames.items() if at[row] >= 0},
            )
            yield SIMULATING + (1.0 - SIMULATING) * done / len(plan)
    except BaseException:
        staging.discard()
        raise
    for vehicle in plan.vehicles:
        vehicle.ob.steering.identity = vehicle.identity
        store(vehicle.ob, vehicle.location, vehicle.rotation)
    staging.commit(plan.scene.frame_current_final)
    mishaps = trajectory.mishaps
    numbers = {kind: mishaps.number(kind) for kind in KINDS}
    return BakeResult(len(plan), len(plan.frames), numbers, float(mishaps.clearance.min()))


def _states(plan: Plan, reader: Reader, snapshots: Iterator[Snapshot]) -> Iterator[State]:
    first = next(snapshots)
    return simulate(reader.start(first), chain((first,), snapshots), plan.preroll)


def _properties(plan: Plan, reader: Reader, trajectory: Trajectory) -> list[dict[str, np.ndarray]]:
    """The custom properties to key on each vehicle, (f,) by name, in the order of the plan."""
    properties: list[dict[str, np.ndarray]] = [{}] * len(plan)
    for crowd in plan.crowds:
        if crowd.portrayal is None:
            continue
        rows = crowd.rows
        columns = portrayed(
            crowd.portrayal,
            reader.keys[rows],
            np.stack(reader.sizes)[:, rows],
            trajectory.positions[:, rows],
            trajectory.start_speed[rows],
            plan.frame_time,
        )
        for k, row in enumerate(rows.tolist()):
            properties[row] = {name: values[:, k] for name, values in columns.items()}
    return properties


def _channels(plan: Plan, reader: Reader, trajectory: Trajectory) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """The row of each vehicle with its location (f, 3) and rotation (f, 3 or 4) channels.

    Vehicles that are alike in mode and axes are worked out together, a few at a time.
    """
    parts = np.stack(reader.parent_parts)
    part_of = {row: k for k, row in enumerate(reader.parented)}
    at_once = max(AT_ONCE // len(plan.frames), 1)
    for (mode, _), alike in plan.alike().items():
        free, parented = [row for row in alike if row not in part_of], [row for row in alike if row in part_of]
        for rows in (*_few(free, at_once), *_few(parented, at_once)):
            vehicles = [plan.vehicles[row] for row in rows]
            locations, turns = to_local(
                np.asfortranarray(parts[:, [part_of[row] for row in rows]]) if rows[0] in part_of else None,
                np.asfortranarray(trajectory.positions[:, _piece(rows)]),
                np.asfortranarray(trajectory.bases[:, _piece(rows)]),
                vehicles[0].axes,
                np.array([tuple(vehicle.ob.scale) for vehicle in vehicles]),
            )
            rotations = channels_from_matrices(turns, mode, np.array([vehicle.rotation for vehicle in vehicles]))
            for k, row in enumerate(rows):
                yield row, locations[:, k], rotations[:, k]


def _few(rows: list[int], at_once: int) -> Iterator[list[int]]:
    """The rows, so many at a time."""
    return (rows[k : k + at_once] for k in range(0, len(rows), at_once))


def _piece(rows: list[int]) -> slice | list[int]:
    """The rows as they are taken out of an array fastest: as one piece where they are one."""
    return slice(rows[0], rows[-1] + 1) if rows[-1] - rows[0] == len(rows) - 1 else rows
