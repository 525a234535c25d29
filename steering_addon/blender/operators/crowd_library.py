"""The operator that moves a crowd cache into a file of its own."""

from pathlib import Path

import bpy

from ..crowds.crowd_library import may_be_saved, save_as_library
from ..objects.crowd_caches import cache_of
from ..objects.focus import crowd_in_focus
from ..refusal import reported
from .polls import SteeringOperator, has_editable_scene, in_object_mode


class STEERING_OT_save_crowd_library(SteeringOperator, bpy.types.Operator):
    """Move the crowd cache into a .blend file of its own beside this one, a new version each time, and link it from
    there"""

    bl_idname = "steering.save_crowd_library"
    bl_label = "Save as Library"
    needs = (in_object_mode, has_editable_scene)

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        crowd = crowd_in_focus(context)
        if crowd is None or not may_be_saved(cache_of(crowd)):
            cls.poll_message_set("The crowd has no crowd cache in this file. Bake it into one first")
            return False
        if not bpy.data.filepath:
            cls.poll_message_set("Save the file first: the library goes beside it")
            return False
        return True

    @reported
    def execute(self, context):
        crowd = crowd_in_focus(context)
        path = save_as_library(cache_of(crowd), Path(bpy.data.filepath).parent)
        self.report({"INFO"}, f"Linked the crowd cache of {crowd.name} from {path.name}")
        return {"FINISHED"}
