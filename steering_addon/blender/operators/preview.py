"""Switching the live preview on and off."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty

from .. import preview
from ..refusal import reported


class STEERING_OT_preview(bpy.types.Operator):
    """See the vehicles move without a bake while the timeline plays; using this again ends it. Nothing of it is saved
    with the file, and it is not rendered"""

    bl_idname = "steering.preview"
    bl_label = "Preview"
    # Nothing in the file changes, so there is nothing to undo.
    bl_options = {"REGISTER"}

    replace_own_keys: BoolProperty(
        name="Replace Own Keys",
        description="Show vehicles that have keyframes, drivers or NLA of their own as if these were set aside",
        default=False,
    )

    @reported
    def execute(self, context):
        if preview.is_on(context.scene):
            preview.end()
            return {"FINISHED"}
        warnings = preview.start(context.scene, context.view_layer, replace_own_keys=self.replace_own_keys)
        for warning in warnings:
            self.report({"WARNING"}, warning)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((STEERING_OT_preview,))
