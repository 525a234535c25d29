"""The records of runs, kept on the scene they were baked in, one for each bake that is still played.

A vehicle finds its part by the id of the bake that it plays and by its own identity. Files from before such records
told of each vehicle on its action: these parts are read where there is no record. The history of its states is told in
words: the objects that it names may be renamed or removed after the bake.
"""

import itertools
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Action, Object, Scene

from ...recording.mishaps import KINDS
from ...recording.run_record import RunRecord, Span
from ...simulation.mindset import BY_CUE, BY_OTHERS, BY_URGE, OVER
from ...simulation.presence.attendance import FURTHEST
from ...simulation.roles import Role
from ..objects.crowd_caches import MARK
from ..properties import has_role
from .animation_data import action_of
from .bake_record import RECORD, BakeRecord, frame_in, open_span_in
from .ownership import bake_of

CUE, INCLINED, OTHERS, ENDED, TRIGGER = "CUE", "INCLINED", "OTHERS", "ENDED", "TRIGGER"
OWN_SETTINGS = "the crowd's own settings"
CAUSES = {BY_CUE: CUE, BY_URGE: INCLINED, BY_OTHERS: OTHERS, OVER: ENDED}


class TakenUp(NamedTuple):
    """A state that a vehicle took up.

    Attributes:
        state: its name; "" for the crowd's own settings.
        cause: one of the words above.
        trigger: the name of the trigger that called, "" for none.
        caller: the name of what it is about, "" for nothing but the vehicle itself.
        example: the name of the vehicle whose example it followed, "" for none.
        weighed: the values that it weighed, each with the name of its state, "" for the crowd's own settings.
    """

    frame: float
    state: str
    cause: str
    trigger: str = ""
    caller: str = ""
    example: str = ""
    weighed: tuple[tuple[str, float], ...] = ()

    def in_words(self) -> str:
        """Since when, and why."""
        why = {
            CUE: "told by a cue",
            INCLINED: "inclined to it",
            OTHERS: f"caught from {self.example}",
            ENDED: "as the state before was over",
            TRIGGER: f"called by {self.trigger}",
        }[self.cause]
        if self.caller and self.cause in (OTHERS, TRIGGER) and self.caller not in (self.trigger, self.example):
            why += f", because of {self.caller}"
        return f"Since {self.frame:g}: {why}"

    def weighed_in_words(self) -> str:
        """The values that it weighed against one another, the highest first; "" where nothing else had any."""
        if all(name == self.state for name, _ in self.weighed):
            return ""
        ordered = sorted(self.weighed, key=lambda pair: -pair[1])
        return "It weighed " + ", ".join(f"{name or OWN_SETTINGS} {value:.2g}" for name, value in ordered)


def now(history: Iterable[TakenUp], frame: float) -> TakenUp | None:
    """The value that holds on a frame; None before the first."""
    before = itertools.takewhile(lambda change: not change.frame > frame, history)
    return next(iter([*before][-1:]), None)


def written(history: Iterable[TakenUp]) -> str:
    """In a form that Blender can store in a custom property."""
    return json.dumps([list(change) for change in history])


def read(stored: Any) -> tuple[TakenUp, ...]:
    """From the result of `written`. Raises TypeError or ValueError if it is not such a result."""
    history = tuple(
        TakenUp(float(frame), *texts, tuple((name, float(value)) for name, value in weighed))
        for frame, *texts, weighed in json.loads(stored)
    )
    for change in history:
        texts = (*change[1:-1], *(name for name, _ in change.weighed))
        if not all(isinstance(text, str) for text in texts) or change.cause not in (*CAUSES.values(), TRIGGER):
            raise TypeError("not the history of states")
    return history


RUNS = "steering_runs"
"""The custom property of a scene that holds a record for each run, by the id of its bake. Stored in files."""
MADE_OF = "made_of"
WORDS = {"histories": "states", "unreached": "unreached"}
"""Under what a scene holds columns of texts, by the name in `RunRecord`."""
PAIRS = ("stuck", "present")
"""Columns of two numbers a vehicle, one after the other."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run for one of its vehicles.

    Attributes:
        mishaps: the frame on which it ran into something or got stuck, by kind.
        stuck_frames: the first and the last frame on which it was stuck; None if it never was.
        present_frames: the first and the last frame on which it was present, as in `RunRecord`; None if it always was.
        unreached: the full name of the goal to which no way led in the end; "" for none.
    """

    mishaps: Mapping[str, float] = field(default_factory=dict)
    stuck_frames: Span | None = None
    present_frames: Span | None = None
    history: str = ""
    unreached: str = ""

    @property
    def states(self) -> tuple[TakenUp, ...]:
        """The states of its crowd that it took up, and why."""
        try:
            return read(self.history) if self.history else ()
        except (TypeError, ValueError):
            return ()


NOTHING_KNOWN = Outcome()


class Outcomes:
    """Looks up what happened to vehicles in the runs that they play; reads each record once."""

    def __init__(self) -> None:
        self._records: dict[str, RunRecord | None] = {}
        self._known: dict[tuple[str, int], Outcome] = {}

    def _record_of(self, bake: BakeRecord) -> RunRecord | None:
        if bake.bake_id not in self._records:
            self._records[bake.bake_id] = _record(_stored_columns(bake.bake_id))
        return self._records[bake.bake_id]

    def each(self, ob: Object, bake: BakeRecord | None) -> list[Outcome]:
        """The outcome for a vehicle, or those for the points of an object of which there is something to tell."""
        rows = self.points(ob, bake)
        if rows is None:
            return [self.of(ob, bake)]
        record = self._record_of(bake)
        eventful = np.isfinite(np.column_stack([record.present[rows], record.stuck[rows]])).any(axis=1)
        for frames in record.mishaps.values():
            eventful |= np.isfinite(frames[rows])
        for texts in (record.histories, record.unreached):
            eventful |= np.fromiter(map(bool, texts), np.bool_, len(texts))[rows]
        return [_outcome(record, row) for row in rows[eventful].tolist()]

    def points(self, ob: Object, bake: BakeRecord | None) -> np.ndarray | None:
        """The rows in the record of a run of the points of an object, (m,); None for an object that is a vehicle."""
        # Points play caches only, which is quicker to check than a role.
        if bake is None or MARK not in ob or not has_role(ob, Role.POINTS):
            return None
        record = self._record_of(bake)
        return np.zeros(0, dtype=np.int64) if record is None else record.rows_of(ob.steering.identity)

    def present(self, ob: Object, bake: BakeRecord) -> np.ndarray:
        """The first and the last frame on which each point of an object is present, (m, 2), as in `RunRecord`."""
        rows, record = self.points(ob, bake), self._record_of(bake)
        return np.zeros((0, 2)) if record is None or rows is None else record.present[rows]

    def of(self, ob: Object, bake: BakeRecord | None) -> Outcome:
        """The outcome for a vehicle, to the extent that it is known; `bake`: the record of the bake that it plays."""
        # Reading the settings of a part that the bake moves along would store some.
        if bake is None or not ob.is_property_set("steering"):
            return NOTHING_KNOWN
        record = self._record_of(bake)
        if record is None:
            return _told_by_action(action_of(ob))
        key = bake.bake_id, ob.steering.identity
        if key not in self._known:
            row = record.row_of(key[1])
            self._known[key] = NOTHING_KNOWN if row is None else _outcome(record, row)
        return self._known[key]


def outcome_of(ob: Object) -> Outcome:
    """The outcome for a vehicle of the run that it plays, to the extent that it is known."""
    return Outcomes().of(ob, bake_of(ob))


def fingerprints_of(bakes: Iterable[BakeRecord]) -> set[str]:
    """The fingerprints (`read.fingerprint`) of the runs of bakes; "" where one is not known."""
    made_of = {bake.bake_id: bake.made_of for bake in bakes}
    signed = {run: stored.get(MADE_OF, "") for run in made_of if (stored := _stored_columns(run)) is not None}
    return {str(signed.get(run, made_of[run])) for run in made_of}


def store_run(scene: Scene, run: str, record: RunRecord) -> None:
    """Keep the record of a run on its scene, by the id of its bake."""
    columns: dict[str, Any] = {"identity": record.identity.astype(np.int32)}
    if record.mishaps:
        columns["mishaps"] = dict(record.mishaps)
    if not np.isnan(record.stuck).all():
        columns["stuck"] = record.stuck.ravel()
    if not np.isinf(record.present).all():
        columns["present"] = record.present.ravel()
    if record.owner.any():
        columns["owner"] = record.owner.astype(np.int32)
    for name, stored_as in WORDS.items():
        if any(texts := getattr(record, name)):
            columns[stored_as] = list(texts)
    if not hasattr(scene.get(RUNS), "keys"):
        scene[RUNS] = {}
    scene[RUNS][run] = columns


def sign_run(scene: Scene, run: str, fingerprint: str) -> None:
    """Add the fingerprint of what a run was made from to its record."""
    scene[RUNS][run][MADE_OF] = fingerprint


def made_of(run: str) -> str:
    """The fingerprint of what a run was made from; "" if it is not known."""
    stored = _stored_columns(run)
    return "" if stored is None else str(stored.get(MADE_OF, ""))


def set_owners(run: str, owners: Mapping[int, int]) -> None:
    """Note in the record of a run whose points vehicles are, by their identities: that of the object, 0 for none."""
    record = _record(stored := _stored_columns(run))
    if record is None or not len(record.owner):
        return
    owner = record.owner.astype(np.int32)
    for identity, owner_identity in owners.items():
        if (row := record.row_of(identity)) is not None:
            owner[row] = owner_identity
    stored["owner"] = owner


def forget_runs(scene: Scene, played: Collection[str]) -> None:
    """Remove the records of runs from a scene but those of these bakes."""
    runs = _runs(scene)
    for run in [run for run in runs if run not in played]:
        del runs[run]
    if RUNS in scene and not len(runs):
        del scene[RUNS]


def _stored_columns(run: str) -> Any:
    """The columns of a run as a scene holds them; None where no scene does."""
    return next((runs[run] for scene in bpy.data.scenes if run in (runs := _runs(scene))), None)


def _runs(scene: Scene) -> Any:
    """The records of runs as a scene holds them, by the id of the bake."""
    runs = scene.get(RUNS)
    return runs if hasattr(runs, "keys") else {}


def _record(stored: Any) -> RunRecord | None:
    """The record of a run from its columns; None if there are none, or not such as `store_run` writes."""
    try:
        identity = np.array(stored["identity"], dtype=np.int64)
        n = len(identity)
        pairs = {name: np.array(stored[name], dtype=np.float64).reshape(n, 2) for name in PAIRS if name in stored}
        mishaps = stored.get("mishaps", {})
        words = {name: tuple(map(str, stored.get(key, ()))) or ("",) * n for name, key in WORDS.items()}
        record = RunRecord(
            identity=identity,
            mishaps={kind: np.array(mishaps[kind], dtype=np.float64) for kind in KINDS if kind in mishaps},
            stuck=pairs.get("stuck", np.full((n, 2), np.nan)),
            present=pairs.get("present", np.tile((-np.inf, np.inf), (n, 1))),
            owner=np.array(stored.get("owner", ()), dtype=np.int64),
            **words,
        )
    except (TypeError, KeyError, AttributeError, ValueError):
        return None
    columns = (*record.mishaps.values(), *pairs.values())
    frames = np.concatenate([np.ravel(column) for column in columns] or [np.zeros(0)])
    owned = len(record.owner) in (0, n)
    possible = (
        owned and all(len(column) == n for column in (*columns, *words.values())) and (np.diff(identity) > 0).all()
    )
    return record if possible and not (np.abs(frames[np.isfinite(frames)]) > FURTHEST).any() else None


def _outcome(record: RunRecord, row: int) -> Outcome:
    (first, last), (stuck_from, stuck_until) = record.present[row].tolist(), record.stuck[row].tolist()
    return Outcome(
        mishaps={kind: float(frames[row]) for kind, frames in record.mishaps.items() if isfinite(frames[row])},
        stuck_frames=(stuck_from, stuck_until) if isfinite(stuck_from) and isfinite(stuck_until) else None,
        present_frames=(first, last) if isfinite(first) or isfinite(last) else None,
        history=record.histories[row],
        unreached=record.unreached[row],
    )


def _told_by_action(action: Action | None) -> Outcome:
    """The outcome that the action of a vehicle tells, as bakes wrote it before runs had a record."""
    try:
        stored = action[RECORD]
        return Outcome(
            mishaps={kind: frame_in(frame) for kind, frame in stored.get("mishaps", {}).items()},
            stuck_frames=(frame_in(stored["stuck"][0]), frame_in(stored["stuck"][1])) if "stuck" in stored else None,
            present_frames=open_span_in(stored["there"]) if "there" in stored else None,
            history=str(stored.get("states", "")),
        )
    except (TypeError, KeyError, AttributeError, IndexError, ValueError):
        return NOTHING_KNOWN
