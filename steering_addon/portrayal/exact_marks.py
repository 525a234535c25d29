"""Exact marks: what is left to a mark is blended into the path, so that a vehicle is exactly at its place.

With d the way that is left on the frame of the mark, and s = x^3 (10 - 15 x + 6 x^2), which begins and ends without
velocity or acceleration, the path is moved by d s: x grows from 0 to 1 in the lead before the mark, and falls as long
afterwards. The others do not see it, so that it changes nothing but the path that is shown. The speed changes by at
most 1.875 |d| / lead.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import Rows
from ..simulation.arrays.vectors import Vectors, columns, magnitude
from ..simulation.marks.missing import is_due, way_left
from ..simulation.snapshot import Snapshot, State
from .sketch import Sketch

A_SECOND = 0.1
"""Metres by which a path may be moved, for each second in which it is."""
ROUNDING = 1e-9
"""Share of a distance."""


class ExactMarks:
    """Moves the paths of a run onto exact marks: sketches go in, and come out once no mark ahead can move them.
    `too_far`: as of `Corrections`."""

    def __init__(self) -> None:
        self._corrections = Corrections()
        self._waiting: list[Sketch] = []
        self._row = 0
        self.too_far = self._corrections.too_far

    def frame(self, sketch: Sketch, state: State, snapshot: Snapshot) -> list[Sketch]:
        """Take in the next sketch, with what it is of; returns the sketches that are settled by then, in order."""
        self._corrections.add(left_on_frame(self._row, state, snapshot))
        self._waiting.append(sketch)
        moves_from = _first_row_to_move(state, snapshot, self._row)
        settled = max(min(len(self._waiting), len(self._waiting) - 1 - self._row + moves_from), 0)
        self._row += 1
        return self._release(settled)

    def rest(self) -> list[Sketch]:
        """The sketches that are left at the end of the run, in order."""
        return self._release(len(self._waiting))

    def _release(self, count: int) -> list[Sketch]:
        sketches, self._waiting = self._waiting[:count], self._waiting[count:]
        first = self._row - len(self._waiting) - count
        return self._corrections.moved_sketches(sketches, first)


def _first_row_to_move(state: State, snapshot: Snapshot, row: int) -> int:
    """The row of the first frame whose path a mark may still move by what later frames bring. The reach of a mark
    depends on one that follows closely, so what it moves comes out together, once it is past."""
    frame_time, marks = snapshot.frame_time, [mark for mark in snapshot.marks if mark.exact]
    reach = max((mark.lead for mark in marks), default=0.0)
    ahead = [mark.time - reach for mark in marks if mark.time + reach > state.time]
    return row + 1 if not ahead else row + int(np.floor((min(ahead) - state.time) / frame_time))


@dataclass(frozen=True)
class MarkCorrection:
    """A way left to a mark, and the frames in which it is blended in.

    Attributes:
        row: the frame, counted from the first of the run.
        offset: (3,) to the mark, metres.
        frames: in which the path is moved, before the mark and after it.
    """

    row: int
    mark: str
    offset: Vectors
    frames: float
    frame_time: float


Left: TypeAlias = Sequence[tuple[int, MarkCorrection]]
"""The corrections of a frame, each for the row of a vehicle."""


class Corrections:
    """The ways left to the exact marks of a run, by the vehicles that meet them.

    Attributes:
        too_far: by the name of each mark to which too much was left, how much of the furthest, and how much may be at
            most, metres. Known of vehicles whose path has been moved.
    """

    def __init__(self) -> None:
        self.too_far: dict[str, tuple[float, float]] = {}
        self._of: dict[int, list[MarkCorrection]] = {}

    def add(self, left: Left) -> None:
        """Take in what is left on the next frame."""
        for vehicle, correction in left:
            self._of.setdefault(vehicle, []).append(correction)

    def moved_sketches(self, sketches: Sequence[Sketch], first: int) -> list[Sketch]:
        """Sketches of frames in a row with their paths moved; `first` is the row of the first frame."""
        if not self._of or not sketches:
            return list(sketches)
        rows = first + np.arange(len(sketches))
        positions = np.stack([sketch.bodies.position for sketch in sketches], axis=1)
        for vehicle in self._of:
            positions[vehicle] += self.shift(vehicle, rows)
        return [
            replace(sketch, bodies=replace(sketch.bodies, position=columns(*positions[:, k].T)))
            for k, sketch in enumerate(sketches)
        ]

    def shift(self, vehicle: int, rows: Rows) -> Vectors:
        """By how much the path of a vehicle is moved on frames (f,), counted from the first of a run; (f, 3) metres."""
        shift = np.zeros((len(rows), 3))
        for correction, before, after in self._with_spans(vehicle):
            frames = rows - float(correction.row)
            x = np.where(frames <= 0.0, 1.0 + frames / max(before, 1.0), 1.0 - frames / max(after, 1.0))
            x = np.minimum(np.maximum(x, 0.0), 1.0)
            shift += (x * x * x * (10.0 - 15.0 * x + 6.0 * x * x))[:, None] * correction.offset
        return shift

    def _with_spans(self, vehicle: int) -> Iterator[tuple[MarkCorrection, float, float]]:
        """The corrections of a vehicle that are small enough, with the frames before and after in which they act. Where
        two marks follow each other closely, each acts only while the vehicle is between them."""
        corrections = self._of[vehicle]
        for number, correction in enumerate(corrections):
            before = after = correction.frames
            if number > 0:
                before = min(before, float(correction.row - corrections[number - 1].row))
            if number + 1 < len(corrections):
                after = min(after, float(corrections[number + 1].row - correction.row))
            allowed = A_SECOND * min(before, after) * correction.frame_time
            distance = float(magnitude(correction.offset[None])[0])
            if distance <= allowed * (1.0 + ROUNDING):
                yield correction, before, after
            elif distance > self.too_far.get(correction.mark, (0.0, 0.0))[0]:
                self.too_far[correction.mark] = distance, allowed


def left_on_frame(row: int, state: State, snapshot: Snapshot) -> Left:
    """The ways left to the exact marks that are to be met on a frame, counted from the first of the run as `row`."""
    corrections, frame_time = [], snapshot.frame_time
    for mark in snapshot.marks:
        if mark.exact and is_due(mark, state, snapshot):
            rows, offset = way_left(mark, state, snapshot)
            frames = min(mark.lead / frame_time, float(row))
            # The nearest place within its radius is near enough.
            share = np.maximum(1.0 - mark.radius / np.maximum(magnitude(offset), mark.radius + ROUNDING), 0.0)
            corrections += [
                (vehicle, MarkCorrection(row, mark.name, beyond, frames, frame_time))
                for vehicle, beyond in zip(rows.tolist(), offset * share[:, None])
            ]
    return corrections
