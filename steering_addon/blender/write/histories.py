"""The mishaps and states of the vehicles of a plan, in words for the record of their bake."""

from collections.abc import Mapping, Sequence

import numpy as np
from bpy.types import Object

from ...recording.run_record import ChangeOfMind
from ...simulation.arrays.vectors import magnitude
from ...simulation.snapshot import State
from ...simulation.steering import errands
from ..animation.state_history import CAUSES, TRIGGER, TakenUp, written
from ..objects.tagged_objects import full_name
from ..read.plan import Plan


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
