"""Operators that add behaviors to a crowd and remove them."""

from collections.abc import Sequence

import bpy
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Context

from ...behaviors import CATALOGUE, FLOCKING
from ...simulation.behavior import Behavior, Intent
from ...simulation.roles import Role
from ..crowds.behavior_adding import add_behaviors
from ..crowds.states import selected_callers
from ..objects.focus import holder_in_focus
from ..properties import has_role
from ..refusal import check_stored
from .polls import SteeringOperator, has_editable_crowd

ITEMS = [
    item
    for intent in Intent
    for item in [("", intent.value, ""), *((b.name, b.label, b.tooltip()) for b in CATALOGUE if b.intent is intent)]
]
"""The behaviors as enum items; an item without an identifier is the heading of a column."""
FIRST = CATALOGUE[0].name
"""The default behavior for scripts; without it Blender would take the first item, which is a heading."""


def _fit():
    return BoolProperty(
        name="Fit to Crowd",
        description="Choose distances, times and strengths that fit the size and speed of the crowd's vehicles, and a "
        "weight that fits those of its other behaviors",
        default=True,
        options={"SKIP_SAVE"},
    )


class STEERING_OT_behavior_add(SteeringOperator, bpy.types.Operator):
    """Add a behavior to the crowd. A single object that is selected besides becomes its target, several those of a
    patrol"""

    bl_label = "Add Behavior"
    needs = (has_editable_crowd,)
    bl_property = "behavior"

    behavior: EnumProperty(name="Behavior", description="Behavior to add to the crowd", items=ITEMS, default=FIRST)
    fit: _fit()

    def carry_out(self, context):
        return _add(context, [behavior for behavior in CATALOGUE if behavior.name == self.behavior], fit=self.fit)


class STEERING_OT_flocking_add(SteeringOperator, bpy.types.Operator):
    """Add the behaviors of a flock to the crowd: keep apart, match heading and stay together (Reynolds: flocking)"""

    bl_label = "Flocking"
    needs = (has_editable_crowd,)

    fit: _fit()

    def carry_out(self, context):
        return _add(context, FLOCKING, fit=self.fit)


def _add(context: Context, behaviors: Sequence[type[Behavior]], *, fit: bool) -> str:
    """Add behaviors to the crowd in focus; what to report of it."""
    crowd = holder_in_focus(context)
    check_stored([crowd])
    if has_role(crowd, Role.STATE):
        for behavior in behaviors:
            getattr(crowd.steering, behavior.name).own = True
    chosen = add_behaviors(behaviors, crowd, context.scene, fit=fit, selected=selected_callers(context))
    # Blender updates dependencies only after an edit in the interface.
    crowd.update_tag()
    labels = ", ".join(behavior.label for behavior in behaviors)
    return "; ".join([f"Added {labels} to {crowd.name}", *chosen])


class STEERING_OT_behavior_remove(SteeringOperator, bpy.types.Operator):
    """Remove the behavior and its settings from the crowd"""

    bl_label = "Remove Behavior"
    needs = (has_editable_crowd,)

    behavior: EnumProperty(name="Behavior", description="Behavior to remove from the crowd", items=ITEMS, default=FIRST)

    def carry_out(self, context):
        crowd = holder_in_focus(context)
        crowd.steering.property_unset(self.behavior)
        # Blender does not update dependencies after this, and a preview would continue with the behavior.
        crowd.update_tag()
