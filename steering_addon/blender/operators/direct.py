"""Operators by which an animator directs single vehicles."""

from __future__ import annotations

import bpy
from bpy.props import FloatProperty, IntProperty

from ...simulation.roles import Role
from ..crowds.hand_guides import check_takeover, take_over
from ..properties import has_role
from ..refusal import reported
from .polls import in_object_mode, something_baked, vehicle_selected

USUAL_LENGTH = 40
"""Frames."""


class STEERING_OT_animate_by_hand(bpy.types.Operator):
    """Take the selected vehicles over by hand: each gets a guide with its baked motion on these frames, to be moved. \
Bake again afterwards; the vehicle follows its guide, and the others see it"""

    bl_idname = "steering.animate_by_hand"
    bl_label = "Animate by Hand"
    bl_options = {"REGISTER", "UNDO"}

    frame_start: IntProperty(
        name="Start", description="First frame on which the vehicle follows its guide", options={"SKIP_SAVE"}
    )
    frame_end: IntProperty(
        name="End", description="Last frame on which the vehicle follows its guide", options={"SKIP_SAVE"}
    )
    precision: FloatProperty(
        name="Precision",
        description="How far the motion of the guide may be off the bake between keys; a larger one makes fewer keys",
        default=0.01,
        min=0.0001,
        max=10.0,
        unit="LENGTH",
    )

    @classmethod
    def poll(cls, context) -> bool:
        return in_object_mode(cls, context) and vehicle_selected(cls, context) and something_baked(cls, context)

    @reported
    def execute(self, context):
        if not self.properties.is_property_set("frame_start"):
            self.frame_start = context.scene.frame_current
        if not self.properties.is_property_set("frame_end"):
            self.frame_end = min(self.frame_start + USUAL_LENGTH, context.scene.frame_end)
        vehicles = [ob for ob in context.selected_objects if has_role(ob, Role.VEHICLE)]
        for ob in vehicles:
            check_takeover(ob, self.frame_start, self.frame_end)
        guides = [take_over(ob, context, self.frame_start, self.frame_end, self.precision) for ob in vehicles]
        context.view_layer.update()
        for ob in vehicles:
            ob.select_set(False)
        for guide in guides:
            guide.select_set(True)
        context.view_layer.objects.active = guides[0]
        names = ", ".join(ob.name for ob in vehicles[:3])
        self.report({"INFO"}, f"Move the keys of {guides[0].name}, then bake again" if len(guides) == 1 else names)
        return {"FINISHED"}


CLASSES = (STEERING_OT_animate_by_hand,)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
