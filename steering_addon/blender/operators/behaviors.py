"""Operators that add behaviors to a crowd and remove them."""

from __future__ import annotations

import bpy
from bpy.props import EnumProperty

from ...behaviors import CATALOGUE, FLOCKING
from ...simulation.behavior import Intent
from ..focus import crowd_in_focus
from .polls import has_editable_crowd

ITEMS = [
    item
    for intent in Intent
    for item in [("", intent.value, ""), *((b.name, b.label, b.tooltip()) for b in CATALOGUE if b.intent is intent)]
]
"""The behaviors as enum items; an item without an identifier is the heading of a column."""
FIRST = CATALOGUE[0].name
"""The default behavior for scripts; without it Blender would take the first item, which is a heading."""


class STEERING_OT_behavior_add(bpy.types.Operator):
    """Add a behavior to the crowd"""

    bl_idname = "steering.behavior_add"
    bl_label = "Add Behavior"
    bl_options = {"REGISTER", "UNDO"}
    bl_property = "behavior"

    behavior: EnumProperty(name="Behavior", description="Behavior to add to the crowd", items=ITEMS, default=FIRST)

    @classmethod
    def poll(cls, context) -> bool:
        return has_editable_crowd(cls, context)

    def execute(self, context):
        crowd = crowd_in_focus(context)
        getattr(crowd.steering, self.behavior).use = True
        # Blender updates dependencies only after an edit in the interface.
        crowd.update_tag()
        return {"FINISHED"}


class STEERING_OT_flocking_add(bpy.types.Operator):
    """Add the behaviors of a flock to the crowd: keep apart, match heading and stay together (Reynolds: flocking)"""

    bl_idname = "steering.flocking_add"
    bl_label = "Flocking"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        return has_editable_crowd(cls, context)

    def execute(self, context):
        crowd = crowd_in_focus(context)
        for behavior in FLOCKING:
            getattr(crowd.steering, behavior.name).use = True
        crowd.update_tag()
        return {"FINISHED"}


class STEERING_OT_behavior_remove(bpy.types.Operator):
    """Remove the behavior and its settings from the crowd"""

    bl_idname = "steering.behavior_remove"
    bl_label = "Remove Behavior"
    bl_options = {"REGISTER", "UNDO"}

    behavior: EnumProperty(name="Behavior", description="Behavior to remove from the crowd", items=ITEMS, default=FIRST)

    @classmethod
    def poll(cls, context) -> bool:
        return has_editable_crowd(cls, context)

    def execute(self, context):
        crowd = crowd_in_focus(context)
        crowd.steering.property_unset(self.behavior)
        # Blender does not update dependencies after this, and a preview would continue with the behavior.
        crowd.update_tag()
        return {"FINISHED"}


CLASSES = (STEERING_OT_behavior_add, STEERING_OT_flocking_add, STEERING_OT_behavior_remove)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
