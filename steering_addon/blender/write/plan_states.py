"""The states that the vehicles of a plan took up, told in words for the record of their bake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...recording.changes_of_mind import Change
from .state_history import CAUSES, TRIGGER, TakenUp

if TYPE_CHECKING:
    from ..read.plan import Plan


def histories(plan: Plan, changes: Mapping[int, Sequence[Change]]) -> dict[int, tuple[TakenUp, ...]]:
    """The history of each vehicle of a plan that took up any state, by its row."""
    names = [ob.name for ob in plan.vehicles.source.objects] + [body.ob.name for body in plan.bodies]
    states: dict[int, list[str]] = {}
    for state in plan.states:
        states.setdefault(state.crowd, [""]).append(state.ob.name)
    triggers: dict[int, list[str]] = {}
    for trigger in plan.triggers:
        triggers.setdefault(trigger.crowd, []).append(trigger.ob.name)
    told = {}
    for row, of_vehicle in changes.items():
        crowd = int(plan.vehicles.crowd[row])
        told[row] = tuple(
            TakenUp(
                float(plan.frames[change.row]),
                states[crowd][change.mode],
                CAUSES.get(change.by, TRIGGER),
                triggers[crowd][change.by] if change.by >= 0 else "",
                names[change.body] if 0 <= change.body != row else "",
                names[change.source] if change.source >= 0 else "",
            )
            for change in of_vehicle
        )
    return told
