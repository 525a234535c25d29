"""The operator that makes the vehicles of a crowd differ slightly."""

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty

from ...settings.variation import MOST
from ..crowds.member_variation import Amounts, vary
from ..objects.focus import crowd_in_focus, vehicles_selected
from ..refusal import reported
from .polls import in_object_mode


def _amount(name: str, default: float, description: str):
    most = MOST[name.lower().replace(" ", "_")]
    return FloatProperty(
        name=name, description=description, default=default, min=0.0, max=most, soft_max=0.5, subtype="FACTOR"
    )


class STEERING_OT_vary(bpy.types.Operator):
    """Randomize the speed, size and mass of the crowd's vehicles slightly"""

    bl_idname = "steering.vary"
    bl_label = "Vary"
    bl_options = {"REGISTER", "UNDO"}

    speed: _amount("Speed", 0.1, "Largest random change of a vehicle's speed, up or down")
    size: _amount("Size", 0.05, "Largest random change of a vehicle's size, up or down")
    mass: _amount("Mass", 0.0, "Largest random change of a vehicle's mass, up or down")
    start_speed: _amount("Start Speed", 0.1, "Largest random change of a vehicle's start speed, up or down")
    seed: IntProperty(name="Seed", description="Seed of the random numbers", default=0)
    scale_objects: BoolProperty(
        name="Scale Objects", description="Scale the objects to match the size of the vehicles", default=True
    )
    selected: BoolProperty(
        name="Selected Only",
        description="Vary only the selected vehicles, whatever crowd they belong to",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context) -> bool:
        if not in_object_mode(cls, context):
            return False
        if crowd_in_focus(context) is not None:
            return True
        if vehicles_selected(context):
            return True
        cls.poll_message_set("Make a crowd or one of its vehicles the active object, or select vehicles")
        return False

    @reported
    def execute(self, context):
        crowd = None if self.selected else crowd_in_focus(context)
        warnings = vary(
            context.scene,
            crowd,
            Amounts(self.speed, self.size, self.mass, self.start_speed),
            seed=self.seed,
            scale_objects=self.scale_objects,
            only=vehicles_selected(context) if crowd is None else None,
        )
        for warning in warnings:
            self.report({"WARNING"}, warning)
        return {"FINISHED"}
