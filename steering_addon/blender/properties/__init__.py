"""The properties stored in the file: `Object.steering`, `Scene.steering` and `Collection.steering_crowd`.

`settings/stored.py` declares them. Reading a group writes it into the file, so code calls `settings_of` first: an
object that was never tagged stays as it was.
"""

import bpy
from bpy.props import PointerProperty

from ...settings.stored import GROUPS
from ..property_groups import OVERRIDABLE, property_group
from .access import has_role, has_roles, is_own, names_set, pointed_at, pointed_in, scene_setting, settings_of, uses
from .hooks import CRUISE, HOOKS, copy_values

CLASSES: dict[str, type] = {}
"""The property groups by name, each after those that it holds."""
for _name, _group in GROUPS.items():
    CLASSES[_name] = property_group(_name, _group, HOOKS.get(_name, {}), CLASSES)
CLASSES["vehicle"].__annotations__["cruise"] = CRUISE


def register() -> None:
    for cls in CLASSES.values():
        bpy.utils.register_class(cls)
    bpy.types.Object.steering = PointerProperty(type=CLASSES["object"], name="Steering", override=OVERRIDABLE)
    bpy.types.Scene.steering = PointerProperty(type=CLASSES["scene"], name="Steering", override=OVERRIDABLE)
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
    for cls in reversed(CLASSES.values()):
        bpy.utils.unregister_class(cls)
