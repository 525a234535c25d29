"""Giving a crowd behaviors and taking them away."""

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
"""Behaviors as Blender lists them: an item without a name is the heading of a column of its own."""
FIRST = CATALOGUE[0].name
"""What is meant where a script names no behavior: a heading is none."""


class STEERING_OT_behavior_add(bpy.types.Operator):
    """Give the crowd another behavior"""

    bl_idname = "steering.behavior_add"
    bl_label = "Add Behavior"
    bl_options = {"REGISTER", "UNDO"}
    bl_property = "behavior"

    behavior: EnumProperty(
        name="Behavior", description="What the vehicles of the crowd shall want", items=ITEMS, default=FIRST
    )

    @classmethod
    def poll(cls, context) -> bool:
        return has_editable_crowd(cls, context)

    def execute(self, context):
        crowd = crowd_in_focus(context)
        getattr(crowd.steering, self.behavior).use = True
        # Blender notices by itself what is typed into a field only.
        crowd.update_tag()
        return {"FINISHED"}


class STEERING_OT_flocking_add(bpy.types.Operator):
    """Give the crowd what makes a flock: keep apart, match heading and stay together (Reynolds: flocking)"""

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
    """Take the behavior and its settings away from the crowd"""

    bl_idname = "steering.behavior_remove"
    bl_label = "Remove Behavior"
    bl_options = {"REGISTER", "UNDO"}

    behavior: EnumProperty(name="Behavior", description="What the vehicles no longer want", items=ITEMS, default=FIRST)

    @classmethod
    def poll(cls, context) -> bool:
        return has_editable_crowd(cls, context)

    def execute(self, context):
        crowd = crowd_in_focus(context)
        crowd.steering.property_unset(self.behavior)
        # Blender does not notice this by itself, and a preview would go on with it.
        crowd.update_tag()
        return {"FINISHED"}


CLASSES = (STEERING_OT_behavior_add, STEERING_OT_flocking_add, STEERING_OT_behavior_remove)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
