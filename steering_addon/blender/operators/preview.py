"""The operator that switches the live preview on and off."""

import bpy
from bpy.props import BoolProperty

from .. import preview
from ..refusal import Refusal, reported
from ..status.refused import forget, remember


class STEERING_OT_preview(bpy.types.Operator):
    """Show the vehicles moving while the timeline plays, without a bake; use again to stop. The preview is not saved or
    rendered"""

    bl_idname = "steering.preview"
    bl_label = "Preview"
    # No UNDO: nothing in the file changes.
    bl_options = {"REGISTER"}

    replace_own_keys: BoolProperty(
        name="Replace Own Keys",
        description="Preview vehicles as if keyframes, drivers and NLA strips of their own were disabled",
    )

    @reported
    def execute(self, context):
        scene = context.scene
        if preview.is_on(scene):
            preview.end()
            return {"FINISHED"}
        forget(scene)
        try:
            warnings = preview.start(scene, context.view_layer, replace_own_keys=self.replace_own_keys)
        except Refusal as refusal:
            remember(scene, refusal)
            raise
        for warning in warnings:
            self.report({"WARNING"}, warning)
        return {"FINISHED"}
