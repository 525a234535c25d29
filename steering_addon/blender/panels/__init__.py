"""The panels: in the Steering tab of the sidebar, and beside the other properties of an object.

Panels may be drawn at any time and many times a second, so they look properties up and work nothing out.
"""

from __future__ import annotations

import bpy

from . import active_object as things
from . import baking, behaviors, crowds, display, menus

CLASSES = (*things.CLASSES, *crowds.CLASSES, *behaviors.CLASSES, *baking.CLASSES, *display.CLASSES, *menus.CLASSES)
"""In the order in which they are shown."""

_register, _unregister = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    _register()
    bpy.types.VIEW3D_MT_object.append(menus.show_menu)


def unregister() -> None:
    bpy.types.VIEW3D_MT_object.remove(menus.show_menu)
    _unregister()
