"""The panels in the Steering tab of the sidebar and in the Object tab of the Properties editor.

Blender may draw a panel many times a second, so panels only look values up; they compute nothing expensive.
"""

import bpy

from . import active_object, baking, behaviors, crowds, direct, display, menus, presets, states

CLASSES = (
    # First, so that no change of another panel moves its buttons.
    *baking.CLASSES,
    *active_object.CLASSES,
    *direct.OF_MARKS,
    *states.CLASSES,
    *behaviors.CLASSES,
    *states.OF_CROWDS,
    *direct.CLASSES,
    *crowds.CLASSES,
    *presets.CLASSES,
    *display.CLASSES,
    *menus.CLASSES,
)
"""In the order in which the panels are shown: by how often an animator needs them."""

_register, _unregister = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    _register()
    bpy.types.VIEW3D_MT_object.append(menus.show_menu)
    bpy.types.VIEW3D_PT_overlay.append(display.show_switch)


def unregister() -> None:
    bpy.types.VIEW3D_PT_overlay.remove(display.show_switch)
    bpy.types.VIEW3D_MT_object.remove(menus.show_menu)
    _unregister()
