"""The states that the vehicles of a plan took up, in words for the record of their bake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...recording.changes_of_mind import ChangeOfMind
from ..animation.state_history import CAUSES, TRIGGER, TakenUp, written

if TYPE_CHECKING:
    from ..read.plan import Plan


class StateNarrator:
    """Tells in words which states the vehicles of a plan take up."""

    def __init__(self, plan: Plan) -> None:
        self._crowd = plan.vehicles.crowd
        self._names = [ob.name for ob in plan.vehicles.source.objects] + [body.ob.name for body in plan.bodies]
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
