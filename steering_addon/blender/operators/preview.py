"""The operator that switches the live preview on and off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty

from .. import preview
from ..objects.crowd_caches import caches, crowd_of_cache
from ..objects.resting import resting
from ..objects.tagged_objects import names_of
from ..refusal import Refusal, reported
from ..status.refused import forget, remember

if TYPE_CHECKING:
    from bpy.types import Scene


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
        default=False,
    )

    @reported
    def execute(self, context):
        scene = context.scene
        if preview.is_on(scene):
            preview.end()
            return {"FINISHED"}
        forget(scene)
        try:
            _check_awake(scene)
            warnings = preview.start(scene, context.view_layer, replace_own_keys=self.replace_own_keys)
        except Refusal as refusal:
            remember(scene, refusal)
            raise
        for warning in warnings:
            self.report({"WARNING"}, warning)
        return {"FINISHED"}


def _check_awake(scene: Scene) -> None:
    """Refuse vehicles at rest: Blender evaluates none of them, so that nothing could be shown."""
    if any(True for _ in resting(scene)):
        crowds = [crowd for cache in caches() if (crowd := crowd_of_cache(cache)) is not None]
        names = names_of([crowd.name for crowd in crowds]) or "A crowd"
        raise Refusal(f"{names} rests while a crowd cache plays. Press Delete Bake to preview it.", about=crowds)


register, unregister = bpy.utils.register_classes_factory((STEERING_OT_preview,))
