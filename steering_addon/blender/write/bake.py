"""The bake: sweep, simulate, write, in pieces small enough to stop between."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, tee

import numpy as np

from ...portrayal.driver_properties import portrayed
from ...recording.mishaps import KINDS, Mishaps
from ...simulation.arrays.vectors import magnitude
from ...simulation.run import simulate
from ...simulation.snapshot import State
from ..crowds.entry_settings import parts_of
from ..hierarchy import Family
from ..read.frame import Frame
from ..read.plan import Plan
from ..read.reading import Reader
from ..read.sweep import sweep
from .channels import channels
from .resource_visibility import Eaten
from .staging import Staging

SIMULATING = 0.8
"""Share of the progress that simulating takes; writing is the rest."""


@dataclass(frozen=True)
class BakeResult:
    """What a bake did.

    Attributes:
        vehicles, frames: how many.
        mishaps: by kind, how many vehicles ran into something or got stuck.
        closest: metres between the surfaces of a vehicle and an obstacle at their nearest; inf without obstacles.
        kept_out: how many vehicles never entered although their frame came, as somebody stood in their place.
        too_late: how many enter on a later frame than the last.
    """

    vehicles: int
    frames: int
    mishaps: Mapping[str, int]
    closest: float
    kept_out: int = 0
    too_late: int = 0


@dataclass
class Trajectory:
    """Where the vehicles were on each frame.

    Attributes:
        positions: (f, n, 3) metres.
        bases: (f, n, 3, 3) side, forward and up as columns.
        start_speed: (n,) metres a second on the first frame on which they are there.
        away: (f, n) who has not entered yet or has left.
        mishaps: what went wrong for whom.
        kept_out: how many wait for room to enter at the moment.
        too_late: how many are still to enter on a later frame.
    """

    positions: np.ndarray
    bases: np.ndarray
    start_speed: np.ndarray
    away: np.ndarray
    mishaps: Mishaps
    kept_out: int = 0
    too_late: int = 0

    @classmethod
    def empty(cls, frames: int, vehicles: int) -> Trajectory:
        # Number by number, as they come from the simulation and go into curves.
        return cls(
            np.moveaxis(np.empty((3, frames, vehicles)), 0, -1),
            np.moveaxis(np.empty((3, 3, frames, vehicles)), (0, 1), (-2, -1)),
            np.zeros(vehicles),
            np.zeros((frames, vehicles), dtype=np.bool_),
            Mishaps(vehicles),
        )

    def record(self, frame: int, state: State) -> None:
        motion = state.motion
        self.away[frame] = state.away
        comes = ~self.away[frame] & (self.away[frame - 1] if frame else True)
        if comes.any():
            self.start_speed = np.where(comes & state.inputs.present, magnitude(motion.velocity), self.start_speed)
        self.positions[frame] = motion.position
        for k, axis in enumerate((motion.side, motion.forward, motion.up)):
            self.bases[frame, :, :, k] = axis
        self.mishaps.look(frame, state)
        due = state.inputs.due
        if due is not None:
            self.kept_out, self.too_late = (int(np.count_nonzero(state.outside & come)) for come in (due, ~due))

    def there(self, row: int, frames: np.ndarray) -> tuple[float, float] | None:
        """The first and the last of the frames (f,) on which a vehicle is there, None where it always is.

        Who is there on the first or the last frame of all is so before or after, too.
        """
        away = self.away[:, row]
        if not away.any():
            return None
        on = np.flatnonzero(~away)
        if not len(on):
            return float(frames[-1]) + 1.0, float(frames[-1])
        return -np.inf if on[0] == 0 else float(frames[on[0]]), np.inf if not away[-1] else float(frames[on[-1]])


def baking(plan: Plan, *, replace_own_keys: bool = False) -> Generator[float, None, BakeResult]:
    """Carry out a plan, yielding how much is done from 0 to 1; until it returns, the file holds nothing of it.

    Closing the generator stops the bake and leaves nothing behind.

    Raises:
        Refusal: a value read on the way is no number.
    """
    reader = Reader(plan)
    trajectory, eaten = Trajectory.empty(len(plan.frames), len(plan)), Eaten(plan)
    read: list[Frame] = []
    with closing(sweep(plan, reader)) as frames:
        for row, (state, frame) in enumerate(simulated(plan, reader, frames)):
            read.append(replace(frame, snapshot=None))
            trajectory.record(row, state)
            eaten.look(row, state)
            yield SIMULATING * (row + 1) / len(plan.frames)

    source = plan.vehicles.source
    staging = Staging(uuid.uuid4().hex, plan.frames)
    try:
        properties = _properties(plan, reader, read, trajectory)
        for done, (row, location, rotation) in enumerate(_rows(plan, reader, read, trajectory), 1):
            staging.add(
                source.objects[row],
                location,
                rotation,
                replace=replace_own_keys,
                properties=properties[row],
                only_baked=bool(source.only_baked[row]),
                mishaps={kind: plan.frames[at[row]] for kind, at in trajectory.mishaps.frames.items() if at[row] >= 0},
                hidden=trajectory.away[:, row] if source.hides[row] else None,
                there=trajectory.there(row, plan.frames),
            )
            yield SIMULATING + (1.0 - SIMULATING) * done / len(plan)
        away = trajectory.away & source.hides
        eaten.hide(staging, away, replace_own_keys)
        _hide_parts(staging, plan, away, eaten, replace_own_keys)
    except BaseException:
        staging.discard()
        raise
    staging.commit(plan.scene.frame_current_final)
    # Not before: Blender goes through all it has to tell of these for each action that makes room for a new one.
    source.store(plan.vehicles.identity)
    mishaps = trajectory.mishaps
    numbers = {kind: mishaps.number(kind) for kind in KINDS}
    return BakeResult(
        vehicles=len(plan),
        frames=len(plan.frames),
        mishaps=numbers,
        closest=float(mishaps.clearance.min()),
        kept_out=trajectory.kept_out,
        too_late=trajectory.too_late,
    )


def simulated(plan: Plan, reader: Reader, frames: Iterator[Frame]) -> Iterator[tuple[State, Frame]]:
    """Each frame that was read, together with the state of the vehicles on it."""
    first = next(frames)
    to_simulate, to_write = tee(chain((first,), frames))
    return zip(simulate(reader.start(first), (frame.snapshot for frame in to_simulate), plan.preroll), to_write)


def _hide_parts(staging: Staging, plan: Plan, away: np.ndarray, eaten: Eaten, replace_own_keys: bool) -> None:
    """Hide what is seen of the vehicles besides themselves while they are hidden, (f, n), but for resources."""
    family = Family()
    for row, ob in enumerate(plan.vehicles.source.objects):
        for part in parts_of(ob, family):
            if part not in eaten.objects:
                staging.hide(part, away[:, row], replace_own_keys)


def _properties(plan: Plan, reader: Reader, read: list[Frame], trajectory: Trajectory) -> list[dict[str, np.ndarray]]:
    """The custom properties to key on each vehicle, (f,) by name, in the order of the plan."""
    properties: list[dict[str, np.ndarray]] = [{}] * len(plan)
    for crowd in plan.crowds:
        if crowd.portrayal is None:
            continue
        rows = crowd.rows
        columns = portrayed(
            crowd.portrayal,
            plan.vehicles.keys[rows],
            np.stack([frame.sizes for frame in read])[:, rows],
            trajectory.positions[:, rows],
            trajectory.start_speed[rows],
            plan.frame_time,
            trajectory.away[:, rows].argmin(axis=0),
        )
        for k, row in enumerate(rows.tolist()):
            properties[row] = {name: values[:, k] for name, values in columns.items()}
    return properties


def _rows(
    plan: Plan, reader: Reader, read: list[Frame], trajectory: Trajectory
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """The row of each vehicle with its location (f, 3) and rotation (f, 3 or 4) channels."""
    parts = np.stack([frame.parent_parts for frame in read])
    source = plan.vehicles.source
    for rows, locations, rotations in channels(source, parts, trajectory.positions, trajectory.bases, source.rotation):
        for k, row in enumerate(rows):
            yield row, locations[:, k], rotations[:, k]
