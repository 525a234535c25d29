"""The properties stored in the file: `Object.steering`, `Scene.steering` and `Collection.steering_crowd`.

These names are the public interface of scripts, presets and keyframes; they never change meaning. Reading a group
writes it into the file, so code calls `settings_of` first: an object that was never tagged stays as it was.
"""

from __future__ import annotations

import bpy
from bpy.props import PointerProperty

from ..property_groups import OVERRIDABLE
from . import clip_groups, mark_groups, mind_groups, object_group, populate_groups, scene_group, vehicle_groups
from .access import has_role, pointed_at, replaces_own_keys, settings_of
from .object_group import STEERING_PG_object
from .scene_group import STEERING_PG_scene

CLASSES = (
    *vehicle_groups.CLASSES,
    *populate_groups.CLASSES,
    *clip_groups.CLASSES,
    *mind_groups.CLASSES,
    *mark_groups.CLASSES,
    *object_group.CLASSES,
    *scene_group.CLASSES,
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.steering = PointerProperty(type=STEERING_PG_object, name="Steering", override=OVERRIDABLE)
    bpy.types.Scene.steering = PointerProperty(type=STEERING_PG_scene, name="Steering", override=OVERRIDABLE)
    bpy.types.Collection.steering_crowd = PointerProperty(
        name="Crowd",
        description="Crowd whose members Populate puts into this collection",
        type=bpy.types.Object,
        override=OVERRIDABLE,
    )


def unregister() -> None:
    del bpy.types.Collection.steering_crowd
    del bpy.types.Scene.steering
    del bpy.types.Object.steering
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
