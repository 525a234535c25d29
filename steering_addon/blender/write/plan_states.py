"""The states that the vehicles of a plan took up: in words for the record of their bake, as numbers for rigs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...portrayal.state_properties import STATE, StateColumns
from ...recording.changes_of_mind import Change
from ...simulation.snapshot import State
from ..animation.custom_properties import share_in
from ..animation.state_history import CAUSES, TRIGGER, TakenUp, written

if TYPE_CHECKING:
    from ..read.plan import Plan


class Narrator:
    """Tells in words, and in the numbers of states, what happens to the vehicles of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._crowd = plan.vehicles.crowd
        self._names = [ob.name for ob in plan.vehicles.source.objects] + [body.ob.name for body in plan.bodies]
        self._states: dict[int, list[str]] = {}
        self._numbers: dict[int, list[int]] = {}
        for state in plan.states:
            self._states.setdefault(state.crowd, [""]).append(state.ob.name)
            self._numbers.setdefault(state.crowd, [0]).append(state.number)
        self._triggers: dict[int, list[str]] = {}
        for trigger in plan.triggers:
            self._triggers.setdefault(trigger.crowd, []).append(trigger.ob.name)

    def numbers(self, modes: np.ndarray) -> np.ndarray:
        """The number of the state of each vehicle, (n,), from its mode (n,); 0 for none."""
        told = np.zeros(len(modes), dtype=np.int32)
        for crowd, numbers in self._numbers.items():
            rows = np.flatnonzero(self._crowd == crowd)
            told[rows] = np.array(numbers, dtype=np.int32)[modes[rows]]
        return told

    def taken_up(self, row: int, frame: float, change: Change) -> TakenUp:
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


def histories(plan: Plan, changes: Mapping[int, Sequence[tuple[int, Change]]]) -> dict[int, str]:
    """The history of each vehicle of a plan that took up any state, as a text, by its row."""
    narrator = Narrator(plan)
    return {
        row: written(narrator.taken_up(row, plan.frames[frame_row], change) for frame_row, change in of_vehicle)
        for row, of_vehicle in changes.items()
    }


class StateProperties:
    """The custom properties that tell the states of the vehicles of a plan, in crowds that have any."""

    def __init__(self, plan: Plan, frames: int) -> None:
        self._step = plan.frame_time / plan.substeps
        self._crowds = []
        for crowd in sorted({state.crowd for state in plan.states}):
            states = [state for state in plan.states if state.crowd == crowd]
            rows = states[0].source.rows
            columns = StateColumns([state.number for state in states], len(rows), frames)
            self._crowds.append((rows, [share_in(state.ob.name) for state in states], columns))

    def frame(self, row: int, state: State) -> None:
        """Take in a frame, the one of this row."""
        mindset = state.mindset
        if mindset is None:
            return
        part = mindset.taken_up(state.time - self._step, self._step)
        for rows, _, columns in self._crowds:
            columns.take(row, mindset.take(rows, mindset.due.shape[1]), part[rows])

    def columns(self) -> dict[int, dict[str, np.ndarray]]:
        """The properties (f,) of each vehicle by name, by its row. States whose names are cut alike share one."""
        told = {}
        for rows, names, columns in self._crowds:
            for k, row in enumerate(rows.tolist()):
                of_vehicle = told[row] = {STATE: columns.number[k]}
                for name, shares in zip(names, columns.shares):
                    of_vehicle[name] = of_vehicle[name] + shares[k] if name in of_vehicle else shares[k]
        return told
