"""The bake: sweep, simulate, write, in pieces small enough to stop between."""

import uuid
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count, tee

import numpy as np
from bpy.types import Object

from ...minds.minding import OverfullCues
from ...portrayal.exact_marks import ExactMarks
from ...portrayal.portrait import Portrayer
from ...portrayal.sketch import Frame
from ...recording.mishaps import KINDS, LATE, NO_WAY, Mishaps
from ...recording.run_record import ChangeOfMind, RunRecord, RunRecorder
from ...simulation.arrays.vectors import magnitude
from ...simulation.marks.missing import MissedMarks
from ...simulation.run import leading_in, simulate
from ...simulation.snapshot import State
from ...simulation.steering import errands
from ..animation.run_records import CAUSES, TRIGGER, TakenUp, store_run, written
from ..objects.tagged_objects import full_name, list_names
from ..pieces import as_part
from ..read.joined_vehicles import point_parts
from ..read.mind_sources import store_number
from ..read.plan import Plan
from ..read.reading import Reader
from ..read.sweep import lead_in, read_ahead, sweep
from ..units import length_text
from .subjects import driven_crowds, playing_models, subjects_of
from .writer import Writer, writer_for

SIMULATING = 0.8
"""Share of the progress that simulating takes; writing takes the rest."""


@dataclass(frozen=True)
class BakeResult:
    """The result of a bake.

    Attributes:
        mishaps: the number of vehicles that ran into something or got stuck, by kind.
        stuck: the first and last frame on which vehicles were stuck, by the row of those that were.
        closest: metres between the surfaces of a vehicle and an obstacle at their nearest; inf without obstacles.
        kept_out: the number of vehicles that never entered although their frame came, as something blocked their start.
        too_late: the number of vehicles that enter after the last frame.
        told: what the animator should know of what was written.
        warnings: the same, if it is not as it should be.
    """

    run: str
    vehicles: int
    frames: int
    mishaps: Mapping[str, int]
    stuck: Mapping[int, tuple[float, float]]
    closest: float
    kept_out: int
    too_late: int
    told: str = ""
    warnings: tuple[str, ...] = ()


def baking(
    plan: Plan, *, replace_own_keys: bool = False, writer: Writer | None = None
) -> Generator[float, None, BakeResult]:
    """Carry out a plan, yielding how much is done from 0 to 1; until it yields 1, the file holds nothing of it.

    Closing the generator before that stops the bake and leaves nothing behind. Refused if a value read on the way is
    not a number.

    Args:
        writer: where the motion goes; by default where each crowd has it go.
    """
    reader, playing = Reader(plan), playing_models(plan)
    writer = writer or writer_for(plan, playing, replace_own_keys=replace_own_keys)
    portrayer, exact = Portrayer(subjects_of(plan, playing, driven_crowds(plan))), ExactMarks()
    run, recorder = uuid.uuid4().hex, RunRecorder(plan.frames, len(plan))
    mishaps, cues, missed = recorder.mishaps, OverfullCues(), MissedMarks()
    before: State | None = None
    try:
        with closing(sweep(plan, reader)) as frames:
            rows = count()
            for state, frame in simulated(plan, reader, read_ahead(frames)):
                if frame is None:
                    yield 0.0
                    continue
                row = next(rows)
                # A step of a large crowd takes long enough without what follows from it.
                yield SIMULATING * row / len(plan.frames)
                recorder.look(row, state)
                cues.look(frame.number, frame.snapshot)
                missed.look(state, frame.snapshot)
                for sketch in exact.frame(portrayer.sketch(before, state, frame), state, frame.snapshot):
                    writer.frame(portrayer.portrait(sketch))
                before = state
                yield SIMULATING * (row + 1) / len(plan.frames)
        for sketch in exact.rest():
            writer.frame(portrayer.portrait(sketch))
        # What is told of a run is worked out while an error still leaves the file as it was.
        record, (kept_out, too_late) = _record(plan, recorder, before), _outside(before)
        warnings = (*_too_far(exact), *_overfull(plan, cues), *_missed(missed), *_late(plan, mishaps))
        result = BakeResult(
            run=run,
            vehicles=len(plan),
            frames=len(plan.frames),
            mishaps={kind: mishaps.number(kind) for kind in KINDS},
            stuck=_stuck(plan, mishaps),
            closest=float(mishaps.clearance.min()),
            kept_out=kept_out,
            too_late=too_late,
        )
        yield from as_part(writer.finish(run), SIMULATING, 1.0)
    except BaseException:
        writer.discard()
        raise
    yield 1.0
    # Not before: Blender goes through all it has to tell of these for each action that makes room for a new one.
    plan.vehicles.source.store(plan.vehicles.identity)
    for each in (*plan.states, *plan.triggers):
        store_number(each)
    store_run(plan.scene, run, record)
    yield 1.0
    return replace(result, told=writer.told, warnings=(*writer.warnings, *warnings))


def _record(plan: Plan, recorder: RunRecorder, last: State | None) -> RunRecord:
    """The record of a run with a last state."""
    unreached = unreached_goals(plan, np.flatnonzero(recorder.mishaps.frames[NO_WAY] >= 0).tolist(), last)
    told = histories(plan, recorder.changes)
    parts = point_parts(plan.vehicles.source)
    owner = np.zeros(len(plan) if parts else 0, dtype=np.int64)
    for points, rows in parts:
        owner[rows] = points.identity
    return recorder.record(plan.vehicles.identity, owner, told, unreached)


def _overfull(plan: Plan, cues: OverfullCues) -> Iterator[str]:
    """A warning for each crowd whose cues tell more than all of it."""
    for crowd, (frame, share) in cues.frames.items():
        name = plan.crowds[crowd].ob.name
        yield f"Cues of {name} come to {share:.0%} of it at frame {frame}. The last of its states gets what is left."


def _too_far(exact: ExactMarks) -> Iterator[str]:
    """A warning for each exact mark that was missed by too much."""
    for name, (left, most) in exact.too_far.items():
        yield (
            f"The mark {name} was missed by {length_text(left, 2)}, of which Exact corrects {length_text(most, 2)} in "
            "the time it has: set a longer Lead, a later frame or a nearer place."
        )


def _missed(marks: MissedMarks) -> Iterator[str]:
    """A warning for each mark that was not met."""
    for name, metres in marks.metres.items():
        text = f"The mark {name} was missed by {length_text(metres, 2)}"
        yield f"{text}: at a later frame or a nearer place, or with no obstacle between, it can be met."


def _late(plan: Plan, mishaps: Mishaps) -> Iterator[str]:
    """A warning that names the vehicles that could not stop where paths meet, if any could not."""
    late = mishaps.frames[LATE]
    names = sorted({plan.vehicles.source.owner(row).name for row in np.flatnonzero(late >= 0).tolist()})
    if names:
        frame = plan.frames[late[late >= 0].min()]
        yield (
            f"{list_names(names)} could not stop any more where paths meet, from frame {frame:g} on: "
            "move their starts farther away, or lower Start Speed."
        )


def simulated(plan: Plan, reader: Reader, frames: Iterator[Frame]) -> Iterator[tuple[State, Frame | None]]:
    """The state of the vehicles on each frame that was read, with the frame; before them the states in the pre-roll."""
    # Before the first frame is read: a plan is swept through once at a time.
    before = lead_in(plan)
    first = next(frames)
    states = leading_in(reader.start(first), (*before, first.snapshot), plan.vehicles.preroll)
    for passed, state in enumerate(states):
        if passed < len(before):
            yield state, None
    yield state, first
    to_simulate, to_write = tee(frames)
    yield from zip(simulate(state, (frame.snapshot for frame in to_simulate)), to_write)


def _stuck(plan: Plan, mishaps: Mishaps) -> dict[int, tuple[float, float]]:
    """The first and last frame on which vehicles were stuck, by their rows."""
    return {row: mishaps.stuck_frames(row, plan.frames) for row in np.flatnonzero(mishaps.stuck_until >= 0).tolist()}


def _outside(last: State) -> tuple[int, int]:
    """How many vehicles still wait for room in the last state, and how many are to enter later."""
    due = last.inputs.due
    return (0, 0) if due is None else tuple(int(np.count_nonzero(last.outside & each)) for each in (due, ~due))


class StateNarrator:
    """Tells in words which states the vehicles of a plan take up."""

    def __init__(self, plan: Plan) -> None:
        self._crowd = plan.vehicles.crowd
        self._names = [plan.vehicles.source.owner(row).name for row in range(len(plan))]
        self._names += [body.ob.name for body in plan.bodies]
        self._states: dict[int, list[str]] = {}
        for state in plan.states:
            self._states.setdefault(state.crowd, [""]).append(state.ob.name)
        self._triggers: dict[int, list[str]] = {}
        for trigger in plan.triggers:
            self._triggers.setdefault(trigger.crowd, []).append(trigger.ob.name)

    def taken_up(self, row: int, frame: float, change: ChangeOfMind) -> TakenUp:
        """A change of a vehicle on a frame, in words."""
        crowd = int(self._crowd[row])
        states = self._states[crowd]
        return TakenUp(
            float(frame),
            states[change.mode],
            CAUSES.get(change.by, TRIGGER),
            self._triggers[crowd][change.by] if change.by >= 0 else "",
            self._names[change.body] if 0 <= change.body != row else "",
            self._names[change.source] if change.source >= 0 else "",
            tuple((name, value) for name, value in zip(states, change.weighed) if value > 0.0),
        )


def histories(plan: Plan, changes: Mapping[int, Sequence[tuple[int, ChangeOfMind]]]) -> dict[int, str]:
    """The history of each vehicle of a plan that took up any state, as a text, by its row."""
    narrator = StateNarrator(plan) if changes else None
    return {
        row: written(narrator.taken_up(row, plan.frames[frame_row], change) for frame_row, change in of_vehicle)
        for row, of_vehicle in changes.items()
    }


def unreached_goals(plan: Plan, lost: Sequence[int], last: State | None) -> dict[int, str]:
    """The full names of the goals of vehicles of a plan, by the rows of those that found no way up to the last frame.

    Args:
        lost: these rows.
        last: the state on the last frame; None before any.
    """
    if last is None or last.inputs is None or not lost:
        return {}
    places = errands(last).unreached
    positions = np.concatenate((last.motion.position, last.inputs.tracked.position))
    return {row: full_name(_body(plan, int(np.argmin(magnitude(positions - places[row]))))) for row in lost}


def _body(plan: Plan, row: int) -> Object:
    """The object of a vehicle or body by its row."""
    return plan.vehicles.source.owner(row) if row < len(plan) else plan.bodies[row - len(plan)].ob
